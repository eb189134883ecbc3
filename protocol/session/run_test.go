package session_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"sync/atomic"
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

func TestProgramRunsOnceWhenTheAnswerIsLost(t *testing.T) {
	armed, dropped := false, 0
	c := transporttest.Config{Baud: 115200, ToHost: transporttest.Faults{Lose: func(int) bool {
		if armed && dropped < 3 {
			dropped++
			return true
		}
		return false
	}}}
	onLine(t, c, nil, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(1000), nil)
		require.NoError(b, err)
		require.NoError(b, b.Write(b.Context(), 4, make([]byte, 4)))
		armed = true
		r, err := b.Session.Run(b.Context(), session.Run{Count: 5, Limit: time.Millisecond})
		require.NoError(b, err)
		assert.Equal(b, uint32(5), r.Runs)
		assert.Equal(b, 3, dropped)
		_, data := b.runner.Memory()
		assert.Equal(b, byte(5), data[4])
		assert.Equal(b, 1, b.runner.Done(packet.MsgRun))
	})
}

// A run that takes long must neither time out nor be started again, nor fill
// the runner's queue with repetitions.
func TestLongRun(t *testing.T) {
	const hour = time.Hour
	onLine(t, transporttest.Config{Baud: 115200, Receiver: 8192}, func(r *sessiontest.Runner) {
		r.Work = map[packet.Message]time.Duration{packet.MsgRun: hour}
	}, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(1000), nil)
		require.NoError(b, err)
		_, err = b.Session.Run(b.Context(), session.Run{Count: 3600_000, Period: time.Millisecond})
		require.NoError(b, err)
		assert.Equal(b, 1, b.runner.Done(packet.MsgRun))
		_, err = b.Status(b.Context())
		require.NoError(b, err)
		assert.Less(b, b.runner.Counters().FramesOK, uint32(4000))
		assert.Zero(b, b.line.ToRunner().Overruns)
		assert.Equal(b, 1, b.runner.Done(packet.MsgHello), "still the first session")
	})
}

// A host that the runner hears no more has said how long that may be; then the runs end.
func TestRunEndsWhenTheHostIsGone(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) {
		r.Work = map[packet.Message]time.Duration{packet.MsgRun: time.Hour}
	}, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(1000), nil)
		require.NoError(b, err)
		require.NoError(b, b.Write(b.Context(), 4, make([]byte, 4)))
		gone := time.AfterFunc(time.Minute, func() { assert.NoError(b, b.line.Host.SetBaud(9600)) })
		_, err = b.Session.Run(b.Context(), session.Run{Count: 3600_000, Period: time.Millisecond})
		require.Error(b, err)
		assert.False(b, gone.Stop(), "it went on for as long as the host was there")
		time.Sleep(time.Minute)
		assert.Equal(b, packet.StateReady, b.runner.State())
		_, data := b.runner.Memory()
		assert.InDelta(b, 75_000, binary.LittleEndian.Uint32(data[4:]), 15_000, "runs: those of the first minute and of the silence")
		require.NoError(b, b.line.Host.SetBaud(115200))
		_, err = b.Status(b.Context())
		require.NoError(b, err)
	})
}

// A slow line, on which an answer comes late and frames are lost, does not end good runs, however little
// time its user gives it.
func TestLongRunOnASlowLine(t *testing.T) {
	for _, baud := range []int{0, 9600, 115200} {
		for _, latency := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond} {
			for _, limit := range []time.Duration{300 * time.Millisecond, 2 * time.Second, 0} {
				if limit != 0 && limit < 4*latency {
					continue // no request could be answered in that
				}
				for kept := 1; kept <= 3; kept++ { // of the frames to the runner
					sent, armed := 0, atomic.Bool{}                                            // which the line's goroutine reads
					lose := func(int) bool { sent++; return armed.Load() && sent/2%kept != 0 } // RUN and HELLO go together
					c := transporttest.Config{Baud: baud, Latency: latency, ToRunner: transporttest.Faults{Lose: lose}}
					onLineFor(t, c, session.Options{Timeout: limit, Greeting: 5 * time.Second}, func(r *sessiontest.Runner) {
						r.Work = map[packet.Message]time.Duration{packet.MsgRun: time.Minute}
					}, func(b *bench) {
						_, err := b.Load(b.Context(), someImage(400), nil)
						require.NoError(b, err)
						armed.Store(true)
						answer, err := b.Session.Run(b.Context(), session.Run{Count: 60_000, Period: time.Millisecond, Limit: time.Millisecond})
						require.NoError(b, err, "%d baud, %v each way, --timeout %v, 1 of %d kept", baud, latency, limit, kept)
						assert.EqualValues(b, 60_000, answer.Runs)
						assert.Equal(b, 1, b.runner.Done(packet.MsgRun))
					})
				}
			}
		}
	}
}

// A board that dies during a long run is noticed long before the run's end.
func TestRunnerDiesDuringALongRun(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) {
		r.Work = map[packet.Message]time.Duration{packet.MsgRun: time.Hour}
	}, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(1000), nil)
		require.NoError(b, err)
		start := time.Now()
		time.AfterFunc(time.Minute, func() { assert.NoError(b, b.line.Runner.SetBaud(9600)) })
		_, err = b.Session.Run(b.Context(), session.Run{Count: 3600_000, Period: time.Millisecond, Limit: time.Second})
		var timeout *session.TimeoutError
		require.ErrorAs(b, err, &timeout)
		assert.InDelta(b, 66, time.Since(start).Seconds(), 2)
		require.NoError(b, b.line.Runner.SetBaud(115200))
		_, err = b.Status(b.Context())
		require.NoError(b, err)
	})
}

func TestRunnerRestartsDuringALongRun(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) {
		r.Work = map[packet.Message]time.Duration{packet.MsgRun: time.Hour}
	}, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(1000), nil)
		require.NoError(b, err)
		start := time.Now()
		time.AfterFunc(time.Minute, b.runner.Restart)
		_, err = b.Session.Run(b.Context(), session.Run{Count: 3600, Limit: time.Second})
		var restart *session.RestartError
		require.ErrorAs(b, err, &restart)
		assert.InDelta(b, 61, time.Since(start).Seconds(), 2)
	})
}

// The next request after a run that was cancelled stops it on the runner.
func TestCancelledRunLeavesAUsableSession(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) {
		r.Work = map[packet.Message]time.Duration{packet.MsgRun: time.Hour}
	}, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(1000), nil)
		require.NoError(b, err)
		ctx, cancel := context.WithTimeout(b.Context(), 100*time.Millisecond)
		defer cancel()
		_, err = b.Session.Run(ctx, session.Run{Count: 2})
		require.ErrorIs(b, err, context.DeadlineExceeded)
		assert.Equal(b, packet.StateRunning, b.runner.State())
		start := time.Now()
		st, err := b.Status(b.Context())
		require.NoError(b, err)
		assert.Less(b, time.Since(start), time.Second)
		assert.Equal(b, packet.StateReady, st.State)
		_, data := b.runner.Memory()
		assert.Equal(b, someImage(1000).Data[4:8], data[4:8], "it never ran")
	})
}

// A runner hears nothing during a single run, however little is left of the host's interest in it: the
// next request waits for its end.
func TestCancelledSingleRunIsWaitedFor(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) {
		r.Work = map[packet.Message]time.Duration{packet.MsgRun: 9 * time.Second}
	}, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(1000), nil)
		require.NoError(b, err)
		for _, c := range []session.Call{
			{Run: session.Run{Count: 1}},
			{Run: session.Run{Count: 1, Limit: 9 * time.Second}, Reads: []session.Span{{Offset: 4, Length: 4}}},
		} {
			start := time.Now()
			ctx, cancel := context.WithTimeout(b.Context(), 100*time.Millisecond)
			_, err = b.Call(ctx, c)
			cancel()
			require.ErrorIs(b, err, context.DeadlineExceeded)
			for range 2 { // to give up once more changes nothing
				ctx, cancel = context.WithTimeout(b.Context(), 100*time.Millisecond)
				_, err = b.Status(ctx)
				cancel()
				require.ErrorIs(b, err, context.DeadlineExceeded)
			}
			st, err := b.Status(b.Context())
			require.NoError(b, err)
			assert.Equal(b, packet.StateReady, st.State)
			assert.InDelta(b, 9.5, time.Since(start).Seconds(), 1)
		}
	})
}

func TestFault(t *testing.T) {
	fault := packet.Fault{Kind: packet.FaultMemory, PC: 0x40, Address: 0xdead0000, Cause: 7, Inside: true}
	onLine(t, transporttest.Config{}, func(r *sessiontest.Runner) {
		runs := 0
		r.Program = func(uint32, []byte) (uint64, *packet.Fault) {
			if runs++; runs == 4 {
				f := fault
				return 0, &f
			}
			return 1, nil
		}
	}, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(1000), nil)
		require.NoError(b, err)
		r, err := b.Session.Run(b.Context(), session.Run{Entry: 1, Count: 10})
		var got *session.FaultError
		require.ErrorAs(b, err, &got)
		want := fault
		want.Entry, want.Run = 1, 3
		assert.Equal(b, want, got.Fault)
		assert.Equal(b, uint32(3), r.Runs)
		assert.Equal(b, "the program stopped in run 3 of entry 1, at offset 0x40 of the code: "+
			"access to memory that is not there or not allowed (address 0xdead0000)", got.Error())
		st, err := b.Status(b.Context())
		require.NoError(b, err)
		assert.Equal(b, &want, st.Fault)
	})
}

func TestRunArguments(t *testing.T) {
	onLine(t, transporttest.Config{}, nil, func(b *bench) {
		for _, r := range []session.Run{
			{Count: 1, Period: -1}, {Count: 1, Period: time.Nanosecond}, {Count: 1, Limit: 2 * time.Hour},
		} {
			_, err := b.Session.Run(b.Context(), r)
			assert.ErrorContains(b, err, "want 0, or 1 us to")
		}
		assert.Zero(b, b.runner.Done(packet.MsgRun))
	})
}

// A clocked end notes the longest time without a byte from the host.
type clocked struct {
	transport.Transport
	last time.Time
	gap  time.Duration
}

func (c *clocked) Read(p []byte) (int, error) {
	n, err := c.Transport.Read(p)
	if !c.last.IsZero() {
		c.gap = max(c.gap, time.Since(c.last))
	}
	c.last = time.Now()
	return n, err
}

// During a long RUN the host says so often that it is there that losing two frames in a row does no harm.
func TestTheHostIsHeardDuringALongRun(t *testing.T) {
	for _, baud := range []int{0, 9600, 115200} {
		for _, limit := range []time.Duration{0, time.Millisecond, time.Second} {
			synctest.Test(t, func(t *testing.T) {
				line := transporttest.New(transporttest.Config{Baud: baud})
				r := sessiontest.New()
				r.Program = count
				r.Work = map[packet.Message]time.Duration{packet.MsgRun: 20 * time.Minute}
				end := &clocked{Transport: line.Runner}
				served := make(chan struct{})
				go func() {
					defer close(served)
					_ = r.Serve(end)
				}()
				s, err := session.Open(t.Context(), line.Host, session.Options{})
				require.NoError(t, err)
				_, err = s.Load(t.Context(), someImage(500), nil)
				require.NoError(t, err)
				end.gap = 0
				_, err = s.Run(t.Context(), session.Run{Count: 20, Period: time.Minute, Limit: limit})
				require.NoError(t, err)
				assert.Less(t, 3*end.gap, 5*time.Second+cmp.Or(limit, 10*time.Second))
				require.NoError(t, s.Close())
				<-served
			})
		}
	}
}
