package session_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// eight floats that have no zero bytes in them, as what is measured hardly has.
var eight = []session.Span{{Offset: 32, Length: 32}}

func busyFloats(r *sessiontest.Runner) {
	r.Program = func(entry uint32, data []byte) (uint64, *packet.Fault) {
		for i := range data[32:64] {
			data[32+i] = byte(1 + i)
		}
		return 20, nil
	}
}

// TestBudget: what a subscription takes on the line is what was computed, within 3 %, and at the greatest rate that fits the
// line has at least 90 % of values.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		baud, packet int
		hz           uint64
		every        uint32 // 0: the least that fits
		least        float64
	}{
		{115200, 512, 328, 1, 0.90}, // the greatest rate that fits, and whole ticks
		{115200, 2048, 338, 1, 0.90},
		{115200, 2048, 1000, 0, 0},
		{921600, 1024, 1000, 1, 0},
		{921600, 4096, 20000, 0, 0},
		{115200, 256, 100, 1, 0},
		{9600, 512, 1000, 0, 0},
		{115200, 2048, 1000, 500, 0},
	} {
		t.Run(fmt.Sprintf("%d baud, packets of %d, %d Hz, every %d", c.baud, c.packet, c.hz, c.every), func(t *testing.T) {
			onLoop(t, transporttest.Config{Baud: c.baud, Queue: 1}, func(r *sessiontest.Runner) {
				busyFloats(r)
				r.Hello.MaxPacket = uint32(c.packet)
			}, session.LoopStart{Period: 1_000_000 / c.hz}, func(b *bench, l *session.Loop) {
				every := c.every
				if every == 0 {
					cost, err := l.Cost(eight, 1)
					require.NoError(b, err)
					every = cost.LeastEvery
					require.Greater(b, every, uint32(1))
					_, err = l.Subscribe(b.Context(), eight, every-1)
					var over *session.OversubscribedError
					require.ErrorAs(b, err, &over)
					assert.Contains(b, over.Hint(), fmt.Sprintf("every %d ticks", every))
				}
				s, err := l.Subscribe(b.Context(), eight, every)
				require.NoError(b, err)
				cost := s.Cost()
				before, begun := b.line.ToHost().Bytes, time.Now()
				n := 0
				for time.Since(begun) < 20*time.Second {
					r, err := s.Next(b.Context())
					require.NoError(b, err)
					assert.Zero(b, r.Drops)
					n++
				}
				took := time.Since(begun).Seconds()
				measured := float64(b.line.ToHost().Bytes-before) / took
				assert.InEpsilon(b, cost.Bytes, measured, 0.03)
				share := float64(n*32) / took / (float64(c.baud) / 10)
				b.Logf("%.1f bytes a second, computed %.1f; %.1f %% of the line are values; packets of %d records", measured, cost.Bytes, 100*share, cost.Batch)
				if c.least > 0 {
					assert.GreaterOrEqual(b, share, c.least)
				}
				if rate := float64(c.hz) / float64(every); rate < 100 && cost.Bytes < 0.5*cost.Line {
					assert.LessOrEqual(b, float64(cost.Batch)/rate, max(0.1, 1/rate), "what comes is no older than that")
				}
			})
		})
	}
}

// TestSlowReader: nothing waits for who does not read, and what is lost for that is told.
func TestSlowReader(t *testing.T) {
	onLoop(t, transporttest.Config{}, nil, session.LoopStart{Period: 200}, func(b *bench, l *session.Loop) {
		spans := []session.Span{{Offset: ticksAt, Length: 4}, {Offset: 64, Length: 1020}}
		s, err := l.Subscribe(b.Context(), spans, 1)
		require.NoError(b, err)
		time.Sleep(2 * time.Second) // 10 MB
		begun := time.Now()
		_, err = l.Live(b.Context())
		require.NoError(b, err)
		assert.Less(b, time.Since(begun), 100*time.Millisecond)
		state, err := l.Stop(b.Context())
		require.NoError(b, err)
		var records, lost, first uint32 // tick
		for {
			r, err := s.Next(b.Context())
			lost += r.Drops
			if err == io.EOF {
				break
			}
			require.NoError(b, err)
			if records == 0 {
				first = r.Tick
			}
			records++
		}
		assert.NotZero(b, lost)
		assert.Equal(b, state.Counts.Ticks, first+records+lost)
		b.Logf("%d records, %d lost, %d ticks, %d missed, %d dropped", records, lost, state.Counts.Ticks, state.Counts.Missed, state.Counts.Drops)
	})
}

// TestRunnerDrops: records that the runner has no room for are told where they are missing.
func TestRunnerDrops(t *testing.T) {
	onLoop(t, transporttest.Config{Baud: 115200, Queue: 1}, func(r *sessiontest.Runner) {
		r.Hello.LiveCapacity = 4096
	}, session.LoopStart{}, func(b *bench, l *session.Loop) {
		s, err := l.Subscribe(b.Context(), []session.Span{{Offset: ticksAt, Length: 4}}, 1)
		require.NoError(b, err)
		time.AfterFunc(time.Second, func() { b.runner.Hold(2 * time.Second) }) // its link is busy with something else
		time.AfterFunc(4*time.Second, func() { _, _ = l.Stop(b.Context()) })
		records, lost, last := drain(b, s, 1)
		state, err := l.Live(b.Context())
		require.NoError(b, err)
		assert.Greater(b, lost, uint32(1000))
		assert.Equal(b, state.Counts.Drops, lost)
		assert.Equal(b, state.Counts.Ticks-1, last)
		b.Logf("%d records, %d lost", records, lost)
	})
}

// TestMissedTicksAreNotLost: there are no records of ticks that there were not.
func TestMissedTicksAreNotLost(t *testing.T) {
	onLoop(t, serial, func(r *sessiontest.Runner) {
		r.Tick = func(n uint32) time.Duration {
			if n%97 == 0 {
				return 3 * time.Millisecond
			}
			return 0
		}
	}, session.LoopStart{}, func(b *bench, l *session.Loop) {
		s, err := l.Subscribe(b.Context(), []session.Span{{Offset: ticksAt, Length: 4}}, 1)
		require.NoError(b, err)
		last := uint32(0)
		for n := range 2000 {
			r, err := s.Next(b.Context())
			require.NoError(b, err)
			assert.Zero(b, r.Drops)
			if n > 0 && r.Tick != last+1 {
				assert.Zero(b, last%97)
			}
			last = r.Tick
		}
		state, err := l.Live(b.Context())
		require.NoError(b, err)
		assert.NotZero(b, state.Counts.Missed)
	})
}

// TestSubscriptionGoesOnInAnotherSession: a host that has to open its session anew gets its records again, and the loop never stops.
func TestSubscriptionGoesOnInAnotherSession(t *testing.T) {
	onLoop(t, serial, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
		s, err := l.Subscribe(b.Context(), []session.Span{{Offset: ticksAt, Length: 4}}, 1)
		require.NoError(b, err)
		for i := range 3 {
			time.AfterFunc(time.Duration(i+1)*time.Second, func() { b.abandon() })
		}
		time.AfterFunc(8*time.Second, func() { _, _ = l.Stop(b.Context()) })
		records, lost, last := drain(b, s, 1)
		assert.NotZero(b, lost)
		assert.Greater(b, b.runner.Done(packet.MsgHello), 1)
		state, err := l.Live(b.Context())
		require.NoError(b, err)
		assert.Equal(b, state.Counts.Ticks-1, last)
		b.Logf("%d records, %d lost", records, lost)
	})
}

func TestOneSubscriptionAtATime(t *testing.T) {
	onLoop(t, serial, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
		var before *session.Telemetry
		for range 20 { // and memory is given back
			s, err := l.Subscribe(b.Context(), []session.Span{{Offset: ticksAt, Length: 4}}, 1)
			require.NoError(b, err)
			if before != nil {
				for err == nil {
					_, err = before.Next(b.Context())
				}
				assert.ErrorIs(b, err, io.EOF)
			}
			r, err := s.Next(b.Context())
			require.NoError(b, err)
			assert.Zero(b, r.Drops)
			before = s
		}
		require.NoError(b, before.Close(b.Context()))
		require.NoError(b, before.Close(b.Context()))
		for _, bad := range []struct {
			spans []session.Span
			every uint32
			text  string
		}{
			{nil, 1, "at least one variable"}, {[]session.Span{{Offset: 4, Length: 4}}, 0, "at least one"}, {[]session.Span{{Offset: 4, Length: 4000}}, 1, "one packet"},
			{[]session.Span{{Offset: block, Length: 4}}, 1, "outside"}, {[]session.Span{{Offset: 2, Length: 4}}, 1, "whole words"},
		} {
			_, err := l.Subscribe(b.Context(), bad.spans, bad.every)
			require.ErrorContains(b, err, bad.text)
		}
	})
}
