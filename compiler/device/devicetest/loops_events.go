package devicetest

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
)

// silence of the host ends the loop, with safe values.
func (l Loops) silence(t *testing.T) {
	for wait := max(l.ticks(20), 100*time.Millisecond); !l.silent(t, wait); wait *= 2 {
		require.Less(t, wait, patience, "the machine is too busy")
	}
}

// silent tells false if this machine was too busy to be heard in time.
func (l Loops) silent(t *testing.T, wait time.Duration) bool {
	heard := time.Now()
	c, prog, loop := l.start(t, func(c *device.LoopConfig) { c.Silence = wait })
	for range 6 {
		time.Sleep(wait / 3)
		asked := time.Now()
		s, err := loop.Status(t.Context())
		require.NoError(t, err)
		if !s.Running {
			require.Equal(t, "silence", s.End)
			require.Greater(t, time.Since(heard), wait, "the host is not silent")
			return false
		}
		heard = asked
	}
	var s *device.LoopStatus
	for pause := 2 * wait; s == nil || s.Running; pause *= 2 { // the loop may be held up, too
		require.Less(t, pause, patience, "the loop goes on")
		time.Sleep(pause)
		var err error
		s, err = loop.Status(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, "silence", s.End)
	r, err := prog.Call(t.Context(), device.Call{Reads: []device.Span{c.at(t, "u")}})
	require.NoError(t, err)
	require.Equal(t, uint32(1), word(r.Data[0]))
	return true
}

// captures: records around every kind of trigger.
func (l Loops) captures(t *testing.T) {
	c, _, loop := l.start(t, nil)
	count := c.at(t, "count")
	begin := func(config device.CaptureConfig) device.Captured {
		t.Helper()
		config.Spans = []device.Span{count, c.at(t, "triple")}
		capture, err := loop.Capture(t.Context(), config)
		require.NoError(t, err)
		return capture
	}
	wait := func(capture device.Captured) ([]device.Record, uint32) {
		t.Helper()
		records, trigger, err := capture.Wait(t.Context())
		require.NoError(t, err)
		for i := 1; i < len(records); i++ {
			require.Equal(t, word(records[i-1].Data)+1, word(records[i].Data), "every tick")
			require.Greater(t, records[i].Tick, records[i-1].Tick)
		}
		require.NoError(t, capture.Cancel(t.Context()))
		return records, trigger
	}
	now := func() uint32 {
		data, _, err := loop.Read(t.Context(), []device.Span{count})
		require.NoError(t, err)
		return word(data[0])
	}
	// ahead captures the event that the count exceeds a threshold, which lies so far ahead that all records before it come, too.
	ahead := func(config device.CaptureConfig) ([]device.Record, uint32, uint32) {
		t.Helper()
		for far := uint32(30); ; far *= 2 { // a busy machine may take longer until the capture is set
			config.Trigger.Offset, config.Trigger.Threshold = count.Offset, now()+far
			capture := begin(config)
			if now()+uint32(config.Before) < config.Trigger.Threshold {
				records, trigger := wait(capture)
				return records, trigger, config.Trigger.Threshold
			}
			require.NoError(t, capture.Cancel(t.Context()))
			require.Less(t, far, uint32(1<<16), "a capture is set in time")
		}
	}
	records, trigger := wait(begin(device.CaptureConfig{After: 5, Trigger: device.Trigger{Kind: "now"}}))
	require.Len(t, records, 6)
	require.Equal(t, trigger, records[0].Tick)

	records, trigger, threshold := ahead(device.CaptureConfig{Before: 7, After: 4, Trigger: device.Trigger{Kind: "above"}})
	require.Len(t, records, 12)
	require.Equal(t, trigger, records[7].Tick)
	require.Equal(t, threshold+1, word(records[7].Data))

	records, trigger, threshold = ahead(device.CaptureConfig{Before: 3, After: 2, Trigger: device.Trigger{Kind: "rising"}})
	require.Equal(t, trigger, records[3].Tick)
	require.Equal(t, threshold+1, word(records[3].Data))

	records, trigger = wait(begin(device.CaptureConfig{After: 1, Trigger: device.Trigger{Kind: "below", Offset: count.Offset, Threshold: 1 << 30}}))
	require.Len(t, records, 2)
	require.Equal(t, trigger, records[0].Tick)

	// The float u goes down when the reference does.
	capture, err := loop.Capture(t.Context(), device.CaptureConfig{Before: 4, After: 1, Spans: []device.Span{c.at(t, "u")},
		Trigger: device.Trigger{Kind: "falling", Offset: c.at(t, "u").Offset, Float: true, Threshold: math.Float32bits(-1e6)}})
	require.NoError(t, err)
	for set, deadline := now(), time.Now().Add(patience); now() < set+6; {
		require.True(t, time.Now().Before(deadline), "no ticks")
		time.Sleep(l.ticks(2))
	}
	_, err = loop.Set(t.Context(), []device.Piece{{Offset: c.at(t, "r").Offset, Bytes: float(-1e9)}}, 0)
	require.NoError(t, err)
	records, trigger, err = capture.Wait(t.Context())
	require.NoError(t, err)
	require.Len(t, records, 6)
	require.Equal(t, trigger, records[4].Tick)
	require.Less(t, math.Float32frombits(word(records[4].Data)), float32(-1e6))
	require.Greater(t, math.Float32frombits(word(records[3].Data)), float32(-1e6))

	capture, err = loop.Capture(t.Context(), device.CaptureConfig{Before: 4, Spans: []device.Span{count}, Trigger: device.Trigger{Kind: "end"}})
	require.NoError(t, err)
	require.NoError(t, capture.Cancel(t.Context()))
	_, err = loop.Capture(t.Context(), device.CaptureConfig{Trigger: device.Trigger{Kind: "sometimes"}})
	require.Error(t, err)
}

// swap: another program goes on with the states, and the subscription with its variables.
func (l Loops) swap(t *testing.T) {
	c, prog, loop := l.start(t, nil)
	spans, _ := c.all()
	stream, err := loop.Subscribe(t.Context(), device.Subscription{Spans: spans[:len(spans):len(spans)], Every: 1})
	require.NoError(t, err)
	take(t, stream, 5)
	next := NewControlled(t, l.Device, 100)
	there, symbols := next.all()
	var moves []device.Move
	place := 0 // of count in a record
	for i, s := range symbols {
		if s.Kind == image.State {
			moves = append(moves, device.Move{From: c.at(t, s.Name), To: there[i]})
		}
		if s.Kind != image.State || s.Name != "count" {
			continue
		}
		for _, before := range symbols[:i] {
			place += before.Size()
		}
	}
	var r *device.SwapReport
	tries := 0
	for deadline := time.Now().Add(patience); r == nil || r.Back && time.Now().Before(deadline); tries++ { // a busy machine misses ticks of the trial
		r, err = loop.Swap(t.Context(), device.Next{Program: next.Program, Moves: moves, Trial: 3, Safe: next.Safe, Telemetry: there})
		require.NoError(t, err)
	}
	require.False(t, r.Back, "%v", r.Cause)
	var last uint32
	for {
		record := take(t, stream, 1)[0]
		count := word(record.Data[place:])
		step := uint32(1)
		if record.Tick >= r.Tick {
			step = 100
		}
		if last > 0 && record.Drops == 0 && (tries == 1 || record.Tick > r.Tick) {
			require.Equal(t, last+step, count, "tick %d, with a swap at %d", record.Tick, r.Tick)
		}
		if last = count; record.Tick > r.Tick+10 {
			break
		}
	}
	s, err := loop.Stop(t.Context())
	require.NoError(t, err)
	require.Equal(t, "kept", s.Swap)
	read, err := prog.Call(t.Context(), device.Call{Reads: []device.Span{next.at(t, "count"), next.at(t, "u")}})
	require.NoError(t, err)
	require.GreaterOrEqual(t, word(read.Data[0]), last)
	require.Equal(t, uint32(1), word(read.Data[1]), "its safe value")
}
