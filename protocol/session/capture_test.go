package session_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/live"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

var counter = []session.Span{{Offset: ticksAt, Length: 4}}

// TestCapture: records around a trigger, whatever the line does and whatever lay in live memory before.
func TestCapture(t *testing.T) {
	for name, faults := range map[string]transporttest.Faults{"clean": {}, "bad line": {Seed: 7, DropFrame: 0.1, CorruptFrame: 0.1, DoubleFrame: 0.1}} {
		t.Run(name, func(t *testing.T) {
			c := serial
			c.ToHost, c.ToRunner = faults, faults
			onLoop(t, c, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
				for range 5 {
					s, err := l.Live(b.Context())
					require.NoError(b, err)
					threshold := s.Counts.Ticks + 3000
					k, err := l.Capture(b.Context(), session.CaptureStart{
						Spans: counter, Before: 20, After: 30, Trigger: packet.TriggerAbove, Offset: ticksAt, Threshold: threshold,
					})
					require.NoError(b, err)
					_, err = l.Capture(b.Context(), session.CaptureStart{Spans: counter})
					require.ErrorIs(b, err, session.ErrCapturing)
					records, trigger, err := k.Wait(b.Context())
					require.NoError(b, err)
					require.Len(b, records, 51)
					assert.Equal(b, 20, trigger)
					assert.Equal(b, threshold+1, binary.LittleEndian.Uint32(records[trigger].Data))
					for i, r := range records {
						assert.Equal(b, records[0].Tick+uint32(i), r.Tick)
						assert.Equal(b, r.Tick+1, binary.LittleEndian.Uint32(r.Data))
					}
					again, _, err := k.Wait(b.Context())
					require.NoError(b, err)
					assert.Equal(b, records, again)
				}
			})
		})
	}
}

// TestCaptureThatHasNotComeAround has fewer records before the trigger than it has room for.
func TestCaptureThatHasNotComeAround(t *testing.T) {
	onLoop(t, serial, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
		for range 3 { // the later ones in memory that has the records of the first one
			k, err := l.Capture(b.Context(), session.CaptureStart{Spans: counter, Before: 500, After: 10, Trigger: packet.TriggerNow})
			require.NoError(b, err)
			records, trigger, err := k.Wait(b.Context())
			require.NoError(b, err)
			require.Len(b, records, 11)
			assert.Zero(b, trigger)
		}
	})
}

func TestCaptureEnds(t *testing.T) {
	onLoop(t, serial, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
		_, err := l.Capture(b.Context(), session.CaptureStart{Spans: counter, Before: 5000, Trigger: packet.TriggerNow})
		var room *live.RoomError
		require.ErrorAs(b, err, &room)
		assert.Contains(b, err.Error(), "5001 records")
		for _, bad := range []session.CaptureStart{{}, {Spans: []session.Span{{Offset: block, Length: 4}}}, {Spans: counter, Trigger: packet.TriggerAbove, Offset: block}} {
			_, err = l.Capture(b.Context(), bad)
			require.Error(b, err)
		}
		k, err := l.Capture(b.Context(), session.CaptureStart{Spans: counter, Before: 5, Trigger: packet.TriggerAbove, Offset: ticksAt, Threshold: 1 << 30})
		require.NoError(b, err)
		require.NoError(b, k.Cancel(b.Context()))
		_, _, err = k.Wait(b.Context())
		require.ErrorContains(b, err, "cancelled")
		k, err = l.Capture(b.Context(), session.CaptureStart{Spans: counter, Before: 5, Trigger: packet.TriggerAbove, Offset: ticksAt, Threshold: 1 << 30})
		require.NoError(b, err)
		time.AfterFunc(time.Second, func() { _, _ = l.Stop(b.Context()) })
		_, _, err = k.Wait(b.Context())
		var ended *session.EndedError
		require.ErrorAs(b, err, &ended)
	})
}

func TestRunnersWithoutCaptureAndSwap(t *testing.T) {
	onLoop(t, serial, func(r *sessiontest.Runner) { r.Hello.LoopFeatures, r.Hello.LiveCapacity = 0, 1024 }, session.LoopStart{}, func(b *bench, l *session.Loop) {
		_, err := l.Capture(b.Context(), session.CaptureStart{Spans: counter})
		var lacks *session.FeatureError
		require.ErrorAs(b, err, &lacks)
		require.ErrorAs(b, l.FitsBeside(loopImage()), &lacks)
		_, err = l.Swap(b.Context(), session.SwapStart{Image: loopImage()}, nil)
		require.ErrorAs(b, err, &lacks)
		assert.Zero(b, b.runner.Done(packet.MsgCapture)+b.runner.Done(packet.MsgSwap))
		assert.Contains(b, l.Tell(), "no percentiles")
		s, err := l.Live(b.Context())
		require.NoError(b, err)
		assert.Empty(b, s.Histograms[0])
		stream, err := l.Subscribe(b.Context(), counter, 1)
		require.NoError(b, err)
		for range 100 {
			r, err := stream.Next(b.Context())
			require.NoError(b, err)
			assert.Zero(b, r.Drops)
		}
		_, err = l.Apply(b.Context(), both(3), 0)
		require.NoError(b, err)
	})
}
