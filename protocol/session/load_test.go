package session_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

const image64K = 64 << 10

// efficiency is payload over what the line could have carried meanwhile.
func efficiency(r session.LoadReport, baud int) float64 {
	return float64(r.Bytes) / (r.Took.Seconds() * float64(baud) / 10)
}

func TestLoadUsesTheLine(t *testing.T) {
	for _, c := range []struct {
		baud           int
		latency        time.Duration
		packet, window uint32
		least          float64
	}{
		{115200, 0, 2048, 8192, 0.97},
		{115200, 0, 4096, 16384, 0.97},
		{115200, 16 * time.Millisecond, 2048, 8192, 0.95}, // a USB adapter
		{921600, 0, 2048, 8192, 0.95},
		{921600, 4 * time.Millisecond, 4096, 16384, 0.90},
		{9600, 0, 2048, 8192, 0.80},
		{115200, 0, 512, 1024, 0.80}, // a very small board
	} {
		t.Run(fmt.Sprintf("%d baud, %v, packet %d, window %d", c.baud, c.latency, c.packet, c.window), func(t *testing.T) {
			onLine(t, transporttest.Config{Baud: c.baud, Latency: c.latency, Receiver: int(c.window)}, func(r *sessiontest.Runner) {
				r.Hello.MaxPacket, r.Hello.Window = c.packet, c.window
			}, func(b *bench) {
				m := someImage(image64K)
				report, err := b.Load(b.Context(), m, nil)
				require.NoError(b, err)
				got := efficiency(report, c.baud)
				b.Logf("%.1f %% of the line rate, %d chunks", 100*got, report.Chunks)
				assert.GreaterOrEqual(b, got, c.least)
				assert.Zero(b, report.Resent)
				assert.Zero(b, b.line.ToRunner().Overruns, "credit keeps the queue from running over")
				b.checkLoaded(m)
			})
		})
	}
}

// The same as above on the clock on the wall. Where other work on the machine disturbs it three
// times, what that takes does not count.
func TestLoadUsesTheLineInRealTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 6 s of real time")
	}
	t.Parallel()
	best := 0.0 // of those that were disturbed, without what that took
	for range 3 {
		b := connect(t, transporttest.Config{Baud: 115200, Receiver: 8192}, nil)
		s, err := session.Open(t.Context(), b.line.Host, session.Options{})
		require.NoError(t, err)
		disturbed := lag()
		report, err := s.Load(t.Context(), someImage(image64K), nil)
		late := disturbed()
		require.NoError(t, err)
		require.NoError(t, s.Close())
		<-b.served
		t.Logf("%.1f %% of the line rate, %d chunks, %d sent again, %v without a processor",
			100*efficiency(report, 115200), report.Chunks, report.Resent, late)
		if got := efficiency(report, 115200); got >= 0.95 || late == 0 {
			assert.GreaterOrEqual(t, got, 0.95)
			return
		}
		report.Took -= late
		best = max(best, efficiency(report, 115200))
	}
	assert.GreaterOrEqual(t, best, 0.95)
}

func TestLoadOverABadLine(t *testing.T) {
	faults := map[string]struct {
		transporttest.Faults
		least float64 // of the line rate
	}{
		"1 % of frames dropped":       {transporttest.Faults{DropFrame: 0.01}, 0.80},
		"1 % of frames corrupted":     {transporttest.Faults{CorruptFrame: 0.01}, 0.80},
		"1 % dropped and corrupted":   {transporttest.Faults{DropFrame: 0.005, CorruptFrame: 0.005}, 0.80},
		"1 % cut short":               {transporttest.Faults{TruncFrame: 0.01}, 0.80},
		"10 % of frames lost somehow": {transporttest.Faults{DropFrame: 0.04, CorruptFrame: 0.03, TruncFrame: 0.03}, 0.50},
		"noise between frames":        {transporttest.Faults{Garbage: 0.05}, 0.70},
		"bytes lost and bits flipped": {transporttest.Faults{DropByte: 5e-5, FlipBit: 5e-5}, 0.45},
		"every fourth frame lost":     {transporttest.Faults{DropFrame: 0.25}, 0.20},
	}
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			harm := 0
			for seed := range uint64(12) {
				c := transporttest.Config{Baud: 115200, Receiver: 8192, ToRunner: f.Faults, ToHost: f.Faults}
				c.ToRunner.Seed, c.ToHost.Seed = seed, seed+1000
				onLine(t, c, nil, func(b *bench) {
					m := someImage(image64K)
					report, err := b.Load(b.Context(), m, nil)
					require.NoError(b, err, "seed %d", seed)
					b.checkLoaded(m)
					assert.GreaterOrEqual(b, efficiency(report, 115200), f.least, "seed %d, %d sent again", seed, report.Resent)
					for _, side := range []transporttest.Tally{b.line.ToRunner(), b.line.ToHost()} {
						harm += side.Dropped + side.Spoiled
					}
				})
			}
			assert.NotZero(t, harm, "the line did no harm")
		})
	}
}

// TestLoadOverASlowLine: an emulator that gets little of its processor takes bytes much
// more slowly than the line that it stands for. Nothing is lost, so little is sent
// twice, however small the window.
func TestLoadOverASlowLine(t *testing.T) {
	for _, pace := range []int{60000, 20000, 5000} {
		for _, window := range []uint32{16384, 8192, 1024} {
			t.Run(fmt.Sprintf("%d bit/s, window %d", pace, window), func(t *testing.T) {
				onLine(t, transporttest.Config{Baud: 115200, Pace: pace}, func(r *sessiontest.Runner) {
					r.Hello.Window, r.Hello.MaxPacket = window, min(2048, window/2)
				}, func(b *bench) {
					m := someImage(image64K)
					for range 3 {
						report, err := b.Load(b.Context(), m, nil)
						require.NoError(b, err)
						b.Logf("%.0f %% of the rate, %d chunks, %d sent again", 100*efficiency(report, pace), report.Chunks, report.Resent)
						assert.GreaterOrEqual(b, efficiency(report, pace), 0.8)
						b.checkLoaded(m)
					}
				})
			})
		}
	}
}

func TestOnlyTheLostChunkIsSentAgain(t *testing.T) {
	const hello, begin = 0, 1
	c := transporttest.Config{Baud: 115200, ToRunner: transporttest.Faults{Lose: func(n int) bool { return n == begin+5 }}}
	onLine(t, c, nil, func(b *bench) {
		report, err := b.Load(b.Context(), someImage(image64K), nil)
		require.NoError(b, err)
		assert.Equal(b, 1, report.Resent)
		assert.GreaterOrEqual(b, efficiency(report, 115200), 0.93)
		assert.Zero(b, b.runner.Counters().Duplicates)
	})
}

func TestLostAcknowledgementsCostLittle(t *testing.T) {
	c := transporttest.Config{Baud: 115200, ToHost: transporttest.Faults{Lose: func(n int) bool { return n > 3 && n%3 != 0 }}}
	onLine(t, c, nil, func(b *bench) {
		report, err := b.Load(b.Context(), someImage(image64K), nil)
		require.NoError(b, err)
		assert.LessOrEqual(b, report.Resent, 2)
	})
}

func TestCableIsPulledDuringLoad(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
		time.AfterFunc(2*time.Second, b.line.Cut)
		start := time.Now()
		_, err := b.Load(b.Context(), someImage(image64K), nil)
		require.ErrorIs(b, err, transport.ErrHangup)
		var delivery *session.DeliveryError
		require.ErrorAs(b, err, &delivery)
		assert.Equal(b, image64K, delivery.Total)
		assert.InDelta(b, 2*11520, delivery.Delivered, 8192)
		assert.Equal(b, 2*time.Second, time.Since(start), "noticed at once")
		assert.Contains(b, delivery.Hint(), "cable")
	})
}

func TestRunnerFallsSilentDuringLoad(t *testing.T) {
	for name, c := range map[string]transporttest.Config{
		"hears nothing": {Baud: 115200, ToRunner: transporttest.Faults{Lose: func(n int) bool { return n > 10 }}},
		"says nothing":  {Baud: 115200, ToHost: transporttest.Faults{Lose: func(n int) bool { return n > 10 }}},
	} {
		t.Run(name, func(t *testing.T) {
			onLine(t, c, nil, func(b *bench) {
				start := time.Now()
				_, err := b.Load(b.Context(), someImage(image64K), nil)
				var timeout *session.TimeoutError
				require.ErrorAs(b, err, &timeout)
				var delivery *session.DeliveryError
				require.ErrorAs(b, err, &delivery)
				assert.NotZero(b, delivery.Delivered)
				assert.Less(b, time.Since(start), 12*time.Second)
			})
		})
	}
}

func TestCancelledLoadLeavesAUsableSession(t *testing.T) {
	c := transporttest.Config{Baud: 115200, ToRunner: transporttest.Faults{DropFrame: 0.2, Seed: 3}}
	onLine(t, c, nil, func(b *bench) {
		ctx, cancel := context.WithCancel(b.Context())
		_, err := b.Load(ctx, someImage(image64K), func(done, total int) {
			if done > total/2 {
				cancel()
			}
		})
		require.ErrorIs(b, err, context.Canceled)
		m := someImage(30000)
		_, err = b.Load(b.Context(), m, nil)
		require.NoError(b, err)
		b.checkLoaded(m)
	})
}

func TestSlowRunner(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) {
		r.Work = map[packet.Message]time.Duration{packet.MsgBegin: 2 * time.Second, packet.MsgSeal: 5 * time.Second}
	}, func(b *bench) {
		m := someImage(image64K)
		_, err := b.Load(b.Context(), m, nil)
		require.NoError(b, err)
		assert.Equal(b, 1, b.runner.Done(packet.MsgSeal))
		b.checkLoaded(m)
	})
}

func TestImagesThatCannotRunAreNotSent(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*packet.Image)
		want   string
	}{
		"architecture":  {func(m *packet.Image) { m.Arch = packet.ArchX86_64 }, "the image is for x86_64, the runner is aarch64"},
		"feature":       {func(m *packet.Image) { m.Features |= packet.FeatAVX2 }, "the image needs avx2, which this aarch64 does not have"},
		"code too long": {func(m *packet.Image) { m.Code = make([]byte, 2<<20) }, "2097152 bytes of code memory, the runner has 1048576"},
		"too much data": {func(m *packet.Image) { m.BSS = 1 << 20 }, "bytes of data memory, the runner has 1048576"},
		"no code":       {func(m *packet.Image) { m.Code = nil }, "without code"},
		"no entry":      {func(m *packet.Image) { m.Entries = nil }, "0 entries"},
	} {
		t.Run(name, func(t *testing.T) {
			onLine(t, transporttest.Config{}, nil, func(b *bench) {
				m := someImage(1000)
				c.change(m)
				_, err := b.Load(b.Context(), m, nil)
				require.ErrorContains(b, err, c.want)
				assert.Zero(b, b.runner.Done(packet.MsgBegin))
			})
		})
	}
}

func TestRefusals(t *testing.T) {
	remote := func(op packet.Message, s packet.Status, detail uint32) *session.RemoteError {
		return &session.RemoteError{Op: op, Status: s, Detail: detail}
	}
	load := func(change func(*packet.Image)) func(*bench) error {
		return func(b *bench) error {
			m := someImage(1000)
			change(m)
			_, err := b.Load(b.Context(), m, nil)
			return err
		}
	}
	same := func(*packet.Image) {}
	for name, c := range map[string]struct {
		do   func(*bench) error
		want *session.RemoteError
	}{
		"run before load": {func(b *bench) error {
			_, err := b.Session.Run(b.Context(), session.Run{Count: 1})
			return err
		}, remote(packet.MsgRun, packet.StatusBadState, 0)},
		"bad patch":     {load(func(m *packet.Image) { m.Patches = []byte{1, 9} }), remote(packet.MsgSeal, packet.StatusBadPatch, 1)},
		"entry outside": {load(func(m *packet.Image) { m.Entries = []uint32{5000} }), remote(packet.MsgBegin, packet.StatusOutOfRange, 5000)},
		"read outside": {func(b *bench) error {
			if err := load(same)(b); err != nil {
				return err
			}
			_, err := b.Read(b.Context(), 5000, 4)
			return err
		}, remote(packet.MsgRead, packet.StatusOutOfRange, 0)},
		"no runs": {func(b *bench) error {
			if err := load(same)(b); err != nil {
				return err
			}
			_, err := b.Session.Run(b.Context(), session.Run{})
			return err
		}, remote(packet.MsgRun, packet.StatusBadLength, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			onLine(t, transporttest.Config{}, nil, func(b *bench) {
				err := c.do(b)
				var got *session.RemoteError
				require.ErrorAs(b, err, &got)
				if c.want.Status == packet.StatusBadPatch {
					got.Detail = c.want.Detail // the runner's business
				}
				assert.Equal(b, c.want, got)
				assert.NotEmpty(b, got.Hint())
				_, err = b.Status(b.Context())
				assert.NoError(b, err, "the session goes on")
			})
		})
	}
}

// What one session has loaded, the next one finds.
func TestProgramOutlivesTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{Baud: 115200}, nil)
		first, err := session.Open(t.Context(), b.line.Host, session.Options{})
		require.NoError(t, err)
		m := someImage(1000)
		_, err = first.Load(t.Context(), m, nil)
		require.NoError(t, err)
		require.NoError(t, first.Close())
		<-b.served

		line := transporttest.New(transporttest.Config{Baud: 115200})
		go func() { assert.NoError(t, b.runner.Serve(line.Runner)) }()
		second, err := session.Open(t.Context(), line.Host, session.Options{})
		require.NoError(t, err)
		defer second.Close()
		digest := m.Digest()
		assert.Equal(t, digest[:], second.Info().Digest)
		assert.NotEqual(t, first.Info().Session, second.Info().Session)
		_, err = second.Run(t.Context(), session.Run{Count: 1})
		require.NoError(t, err)
	})
}

// An emulator that hardly gets its processor takes seconds for a CHUNK and for all that was
// repeated meanwhile. One that has much patience with it gets there, and repeats little.
func TestLoadWithPatience(t *testing.T) {
	slow := func(r *sessiontest.Runner) {
		r.Work = map[packet.Message]time.Duration{packet.MsgChunk: 6 * time.Second}
	}
	onLineFor(t, transporttest.Config{Baud: 115200, Pace: 1 << 30}, session.Options{Timeout: 30 * time.Second}, slow, func(b *bench) {
		report, err := b.Load(b.Context(), someImage(8000), nil)
		require.NoError(b, err)
		b.Logf("%d sent, %d of them again, in %v", report.Chunks, report.Resent, report.Took)
		require.Less(b, report.Resent, 100, "2 a second are 60")
	})
	onLine(t, transporttest.Config{Baud: 115200, Pace: 1 << 30}, slow, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(8000), nil)
		var silent *session.TimeoutError
		require.ErrorAs(b, err, &silent)
	})
}
