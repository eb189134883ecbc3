package session_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// A bench is a session with a simulated runner at the other end of a line.
type bench struct {
	*testing.T
	line   *transporttest.Line
	runner *sessiontest.Runner
	served chan struct{} // closed when the runner has ended
	*session.Session
}

// onLine runs a test on virtual time with an open session.
func onLine(t *testing.T, c transporttest.Config, change func(*sessiontest.Runner), test func(*bench)) {
	t.Helper()
	onLineFor(t, c, session.Options{}, change, test)
}

func onLineFor(t *testing.T, c transporttest.Config, opt session.Options, change func(*sessiontest.Runner), test func(*bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, c, change)
		s, err := session.Open(t.Context(), b.line.Host, opt)
		require.NoError(t, err)
		defer func() { // also when the test fails: nothing may stay behind
			assert.NoError(t, s.Close())
			<-b.served
		}()
		b.Session = s
		test(b)
	})
}

// connect starts a runner; there is no session yet.
func connect(t *testing.T, c transporttest.Config, change func(*sessiontest.Runner)) *bench {
	b := &bench{T: t, line: transporttest.New(c), runner: sessiontest.New(), served: make(chan struct{})}
	b.runner.Program = count
	if change != nil {
		change(b.runner)
	}
	go func() {
		assert.NoError(t, b.runner.Serve(b.line.Runner))
		close(b.served)
	}()
	return b
}

// count adds one to the word at 4 and takes ten ticks more every time.
func count(_ uint32, data []byte) (uint64, *packet.Fault) {
	n := binary.LittleEndian.Uint32(data[4:]) + 1
	binary.LittleEndian.PutUint32(data[4:], n)
	return 10 * uint64(n), nil
}

// someImage has the given number of bytes in all.
func someImage(size int) *packet.Image {
	rng := rand.New(rand.NewPCG(7, uint64(size)))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	// one absolute patch of the code's first word to the data block
	section := []byte{1, 0, 4, 0, 32, 0, 0, 1, 1, 0, 32, 0, 1, 0, 8}
	cut := (size - len(section)) * 3 / 4
	return &packet.Image{
		Arch: packet.ArchAarch64, Features: packet.FeatNeon,
		Code: b[:cut], Data: b[cut : size-len(section)], BSS: 100, Patches: section, Entries: []uint32{0, 8},
	}
}

// checkLoaded compares the runner's memory with an image.
func (b *bench) checkLoaded(m *packet.Image) {
	b.Helper()
	code, data := b.runner.Memory()
	assert.Equal(b, []byte{4, 0, 0, 0x20}, code[:4], "patched")
	assert.Equal(b, m.Code[4:], code[4:])
	assert.Equal(b, append(append([]byte{}, m.Data...), make([]byte, m.BSS)...), data)
	st, err := b.Status(b.Context())
	require.NoError(b, err)
	digest := m.Digest()
	assert.Equal(b, digest[:], st.Digest)
	assert.Equal(b, packet.StateReady, st.State)
}

func TestEverythingOnAGoodLine(t *testing.T) {
	onLine(t, transporttest.Config{}, nil, func(b *bench) {
		ctx := b.Context()
		assert.Equal(b, "simulated", b.Info().Board)
		assert.Equal(b, packet.ArchAarch64, b.Info().Arch)
		m := someImage(20000)
		var steps []int
		report, err := b.Load(ctx, m, func(done, total int) {
			assert.Equal(b, 20000, total)
			steps = append(steps, done)
		})
		require.NoError(b, err)
		assert.Equal(b, 20000, report.Bytes)
		assert.Zero(b, report.Resent)
		assert.IsIncreasing(b, steps)
		assert.Equal(b, 20000, steps[len(steps)-1])
		b.checkLoaded(m)

		require.NoError(b, b.Write(ctx, 4, []byte{41, 0, 0, 0}))
		r, err := b.Session.Run(ctx, session.Run{Count: 2000})
		require.NoError(b, err)
		assert.Equal(b, uint32(2000), r.Runs)
		assert.Equal(b, uint64(420), r.Min)
		assert.Equal(b, 420*time.Microsecond, b.Ticks(r.Min))
		samples, err := b.Samples(ctx, 0, 1000)
		require.NoError(b, err)
		require.Len(b, samples, 1000)
		assert.Equal(b, uint32(420+9990), samples[999])
		last, err := b.Samples(ctx, 997, 3)
		require.NoError(b, err)
		assert.Equal(b, samples[997:], last)
		for _, beyond := range [][2]uint32{{0, 1001}, {1000, 1}, {1, 1000}, {1 << 30, 1}, {1, 1<<32 - 1}} {
			_, err = b.Samples(ctx, beyond[0], beyond[1])
			var refused *session.RemoteError
			require.ErrorAs(b, err, &refused)
			assert.Equal(b, packet.StatusOutOfRange, refused.Status)
		}

		big := make([]byte, 4500)
		for i := range big {
			big[i] = byte(i)
		}
		require.NoError(b, b.Write(ctx, 100, big))
		got, err := b.Read(ctx, 100, len(big))
		require.NoError(b, err)
		assert.Equal(b, big, got)

		require.NoError(b, b.Drop(ctx))
		st, err := b.Status(ctx)
		require.NoError(b, err)
		assert.Equal(b, packet.StateIdle, st.State)
		assert.Empty(b, st.Digest)
		assert.Zero(b, b.Stats().BadFrames)
		assert.NotZero(b, b.Stats().BytesReceived)
	})
}

func TestRunnerThatStartsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, line: transporttest.New(transporttest.Config{Baud: 115200}), runner: sessiontest.New()}
		time.AfterFunc(3*time.Second, func() { _ = b.runner.Serve(b.line.Runner) })
		s, err := session.Open(t.Context(), b.line.Host, session.Options{})
		require.NoError(t, err)
		assert.Equal(t, 1, b.runner.Done(packet.MsgHello), "one session however often HELLO was sent")
		require.NoError(t, s.Close())
	})
}

func TestNobodyThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := transporttest.New(transporttest.Config{Baud: 115200})
		_, err := session.Open(t.Context(), line.Host, session.Options{})
		var timeout *session.TimeoutError
		require.ErrorAs(t, err, &timeout)
		assert.Equal(t, "hello", timeout.Op)
		assert.Greater(t, timeout.Tries, 3)
		assert.Contains(t, timeout.Hint(), "power")
		_, err = line.Host.Write([]byte{1})
		assert.ErrorIs(t, err, transport.ErrClosed, "a failed Open closes the transport")
	})
}

func TestSomethingElseThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := transporttest.New(transporttest.Config{Baud: 115200})
		_, err := line.Runner.Write([]byte("login: "))
		require.NoError(t, err)
		_, err = session.Open(t.Context(), line.Host, session.Options{Timeout: time.Second})
		var timeout *session.TimeoutError
		require.ErrorAs(t, err, &timeout)
		assert.Equal(t, uint64(7), timeout.Noise)
		assert.Contains(t, timeout.Hint(), "rate")
	})
}

func TestGarbageInBothDirectionsBeforeOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{Baud: 115200}, nil)
		_, err := b.line.Runner.Write([]byte("boot messages without a zero"))
		require.NoError(t, err)
		_, err = b.line.Host.Write([]byte{1, 2, 3, 0, 9, 9}) // the end of an earlier program
		require.NoError(t, err)
		s, err := session.Open(t.Context(), b.line.Host, session.Options{})
		require.NoError(t, err)
		_, err = s.Status(t.Context())
		require.NoError(t, err)
		require.NoError(t, s.Close())
	})
}

func TestVersionMismatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{}, func(r *sessiontest.Runner) { r.Version = 9 })
		_, err := session.Open(t.Context(), b.line.Host, session.Options{})
		var version *session.VersionError
		require.ErrorAs(t, err, &version)
		assert.Equal(t, session.VersionError{Host: packet.ProtocolVersion, Runner: 9}, *version)
		assert.Contains(t, version.Hint(), "newer")
	})
}

// A HELLO answer that an earlier program has left in a queue must not be taken
// for this session's.
func TestHelloAnswerOfAnEarlierProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := transporttest.New(transporttest.Config{Baud: 115200})
		r := sessiontest.New()
		old := r.Hello
		old.Version, old.Session, old.Digest = packet.ProtocolVersion, 0x7777, []byte{}
		body, err := packet.EncodeResponse(&old)
		require.NoError(t, err)
		_, err = line.Runner.Write(frame.Append(nil, frame.Header{Kind: packet.KindRsp, Version: packet.ProtocolVersion, Ack: 40}, body))
		require.NoError(t, err)
		go func() { assert.NoError(t, r.Serve(line.Runner)) }()
		s, err := session.Open(t.Context(), line.Host, session.Options{})
		require.NoError(t, err)
		start := time.Now()
		_, err = s.Status(t.Context())
		require.NoError(t, err)
		assert.Less(t, time.Since(start), time.Second)
		require.NoError(t, s.Close())
	})
}

func TestRepeatedRequestIsDoneOnce(t *testing.T) {
	lost := map[string]transporttest.Config{
		"request lost": {Baud: 115200, ToRunner: transporttest.Faults{Lose: func(n int) bool { return n == 1 || n == 2 }}},
		"answer lost":  {Baud: 115200, ToHost: transporttest.Faults{Lose: func(n int) bool { return n == 1 || n == 2 }}},
	}
	for name, c := range lost {
		t.Run(name, func(t *testing.T) {
			onLine(t, c, nil, func(b *bench) {
				require.NoError(b, b.Drop(b.Context()))
				assert.Equal(b, 1, b.runner.Done(packet.MsgDrop))
				if name == "answer lost" {
					assert.Equal(b, uint32(2), b.runner.Counters().Duplicates)
				}
				assert.Equal(b, 2, b.line.ToRunner().Dropped+b.line.ToHost().Dropped)
			})
		})
	}
}

func TestSilentRunner(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200, ToHost: transporttest.Faults{Lose: func(n int) bool { return n > 0 }}}, nil, func(b *bench) {
		_, err := b.Status(b.Context())
		var timeout *session.TimeoutError
		require.ErrorAs(b, err, &timeout)
		assert.True(b, timeout.Timeout())
		assert.InDelta(b, 5, timeout.Wait.Seconds(), 0.5)
		assert.NotEmpty(b, timeout.Hint())
	})
}

func TestRestartedRunner(t *testing.T) {
	for _, beyond := range []uint16{0, 1, 100} { // 0: the new session happens to have the old id
		onLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
			_, err := b.Load(b.Context(), someImage(1000), nil)
			require.NoError(b, err)
			b.runner.RestartAt(beyond)
			start := time.Now()
			_, err = b.Status(b.Context())
			isRestart(b, err, start)
			_, err = b.Load(b.Context(), someImage(1000), nil)
			require.NoError(b, err)
		})
	}
}

// While CHUNKs are under way nobody answers them any more.
func TestRestartDuringLoad(t *testing.T) {
	for _, beyond := range []uint16{0, 1, 100} {
		onLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
			var start time.Time
			_, err := b.Load(b.Context(), someImage(30000), func(done, _ int) {
				if start.IsZero() && done > 10000 {
					b.runner.RestartAt(beyond)
					start = time.Now()
				}
			})
			isRestart(b, err, start)
			_, err = b.Load(b.Context(), someImage(1000), nil)
			require.NoError(b, err)
		})
	}
}

func isRestart(b *bench, err error, start time.Time) {
	b.Helper()
	var restart *session.RestartError
	require.ErrorAs(b, err, &restart)
	assert.Less(b, time.Since(start), 2*time.Second)
	assert.Contains(b, restart.Hint(), "load")
}

// Another program that greets the runner ends this one's session.
func TestTakenRunner(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
		_, err := b.Status(b.Context())
		require.NoError(b, err)
		body, err := packet.EncodeRequest(&packet.HelloRequest{Version: packet.ProtocolVersion, Nonce: 1})
		require.NoError(b, err)
		_, err = b.line.Host.Write(frame.Append(nil, frame.Header{Kind: packet.KindReq, Version: packet.ProtocolVersion}, body))
		require.NoError(b, err)
		_, err = b.Status(b.Context())
		require.ErrorIs(b, err, session.ErrTaken)
		_, err = b.Status(b.Context())
		require.NoError(b, err)
	})
}

func TestClose(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) {
		r.Work = map[packet.Message]time.Duration{packet.MsgStatus: time.Second}
	}, func(b *bench) {
		time.AfterFunc(100*time.Millisecond, func() { assert.NoError(b, b.Session.Close()) })
		_, err := b.Status(b.Context())
		require.ErrorIs(b, err, session.ErrClosed)
		require.ErrorIs(b, b.Drop(b.Context()), session.ErrClosed)
	})
}

func TestHangup(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
		b.line.Cut()
		_, err := b.Status(b.Context())
		require.ErrorIs(b, err, transport.ErrHangup)
		assert.False(b, errors.Is(err, session.ErrClosed))
	})
}

func TestConcurrentCallers(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 921600}, nil, func(b *bench) {
		m := someImage(4000)
		_, err := b.Load(b.Context(), m, nil)
		require.NoError(b, err)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range 20 {
					got, err := b.Read(b.Context(), uint32(8+16*i), 16)
					assert.NoError(b, err)
					assert.Equal(b, m.Data[8+16*i:][:16], got)
				}
			})
		}
		wg.Wait()
		assert.Equal(b, 160, b.runner.Done(packet.MsgRead))
	})
}

func TestSequenceNumbersWrap(t *testing.T) {
	onCallLine(t, transporttest.Config{}, nil, func(b *bench) {
		taken := b.runner.Done(packet.MsgBegin) + b.runner.Done(packet.MsgChunk) + b.runner.Done(packet.MsgSeal)
		for range 1<<16 - 10 - taken {
			_, err := b.Status(b.Context())
			require.NoError(b, err)
		}
		for n := range uint32(10) { // three requests each
			b.checkCall(n + 1)
		}
		for range 1<<16 - 30 {
			_, err := b.Status(b.Context())
			require.NoError(b, err)
		}
		m := someImage(60000)
		_, err := b.Load(b.Context(), m, nil)
		require.NoError(b, err)
		b.checkLoaded(m)
	})
}
