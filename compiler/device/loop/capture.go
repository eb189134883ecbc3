package loop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
)

// mostCaptured is how many bytes a capture may take of this machine's memory, of which the head of a record takes headBytes.
const (
	mostCaptured = 1 << 30
	headBytes    = 24
)

// A roomError says that a capture would be too long.
type roomError struct {
	records uint64
	size    int // bytes of a record
}

func (e *roomError) Error() string {
	return fmt.Sprintf("a capture of %d records of %d bytes: there is room for %d", e.records, e.size, mostCaptured/(e.size+headBytes))
}

// Hint says what to do next.
func (*roomError) Hint() string {
	return "ask for fewer records before and after the event, or for fewer variables"
}

// triggers tell whether a value is beyond a threshold.
var triggers = map[string]struct {
	beyond func(v, threshold float64) bool // nil: it does not depend on a value
	edge   bool                            // and was not one tick before
	now    bool                            // the first record
}{
	"now":     {now: true},
	"above":   {beyond: func(v, t float64) bool { return v > t }},
	"below":   {beyond: func(v, t float64) bool { return v < t }},
	"rising":  {beyond: func(v, t float64) bool { return v > t }, edge: true},
	"falling": {beyond: func(v, t float64) bool { return v < t }, edge: true},
	"end":     {},
}

// A capture is records of every tick, until some ticks after the trigger.
type capture struct {
	l         *Loop
	spans     []device.Span
	size      int // of a record
	heads     []head
	bytes     []byte
	next      int // record of the ring that is written next
	taken     int // records in it
	left      int // to be taken, once triggered
	triggered bool
	tick      uint32 // of the trigger
	over      bool
	err       error

	offset    uint32
	float     bool
	threshold float64
	beyond    func(v, t float64) bool
	now, edge bool
	known     bool // was is that of the tick before
	was       bool
	end       bool // the end of the loop is the trigger

	done chan struct{}
}

// newCapture checks what is asked for and makes room.
func (l *Loop) newCapture(c device.CaptureConfig) (*capture, error) {
	kind, ok := triggers[c.Trigger.Kind]
	if !ok {
		return nil, fmt.Errorf("a capture with the trigger %q: there are now, above, below, rising, falling and end", c.Trigger.Kind)
	}
	if c.Before < 0 || c.After < 0 {
		return nil, errors.New("a capture of a negative number of records")
	}
	r := &capture{l: l, spans: append([]device.Span(nil), c.Spans...), left: c.After, offset: c.Trigger.Offset, float: c.Trigger.Float,
		beyond: kind.beyond, now: kind.now, edge: kind.edge, end: c.Trigger.Kind == "end", done: make(chan struct{})}
	r.threshold = value(c.Trigger.Threshold, r.float)
	r.size = int(device.LengthOf(c.Spans))
	n := uint64(c.Before) + uint64(c.After) + 1
	if n > mostCaptured/uint64(r.size+headBytes) {
		return nil, &roomError{n, r.size}
	}
	r.heads, r.bytes = make([]head, n), make([]byte, int(n)*r.size)
	return r, nil
}

// value is a number of which these are the bits.
func value(bits uint32, float bool) float64 {
	if float {
		return float64(math.Float32frombits(bits))
	}
	return float64(int32(bits))
}

// Capture takes records around a trigger, in place of an earlier capture.
func (l *Loop) Capture(ctx context.Context, c device.CaptureConfig) (device.Captured, error) {
	r, err := l.newCapture(c)
	if err != nil {
		return nil, err
	}
	var bad error
	err = l.between(ctx, 0, func() {
		if bad = l.tick.ended(); bad == nil {
			bad = inside(r.spans, len(l.tick.memory))
		}
		if bad == nil && r.beyond != nil {
			bad = inside([]device.Span{{Offset: r.offset, Length: 4}}, len(l.tick.memory))
		}
		if bad == nil {
			l.tick.endCapture(errors.New("another capture took its place"))
			l.tick.capture = r
		}
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// endCapture ends the capture between two ticks.
func (s *state) endCapture(err error) {
	if c := s.capture; c != nil {
		if !c.over {
			c.over, c.err = true, err
		}
		s.capture = nil
		close(c.done)
	}
}

// take takes the record of a tick.
func (c *capture) take(memory []byte, tick uint32, now time.Duration) {
	c.heads[c.next] = head{tick: tick, time: now}
	gather(c.bytes[c.next*c.size:][:c.size], memory, c.spans)
	if c.next++; c.next == len(c.heads) {
		c.next = 0
	}
	c.taken = min(c.taken+1, len(c.heads))
	if c.triggered {
		c.left--
	} else if c.fires(memory) {
		c.triggered, c.tick = true, tick
	}
	c.over = c.triggered && c.left == 0
}

// fires tells whether this tick is the one of the trigger.
func (c *capture) fires(memory []byte) bool {
	if c.beyond == nil {
		return c.now
	}
	b := memory[c.offset:][:4]
	is := c.beyond(value(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24, c.float), c.threshold)
	fires := is && (!c.edge || c.known && !c.was)
	c.known, c.was = true, is
	return fires
}

// ended is told that the loop has, and why. The end is a trigger where nobody asked for it.
func (c *capture) ended(reason string) {
	if c.over {
		return
	}
	c.over = true
	switch {
	case c.triggered: // with fewer records after it
	case c.end && reason != "stopped" && c.taken > 0:
		last := (c.next + len(c.heads) - 1) % len(c.heads)
		c.triggered, c.tick = true, c.heads[last].tick
	default:
		c.err = fmt.Errorf("the capture saw no trigger: %w (%s)", device.ErrEnded, reason)
	}
}

// Wait waits for the records.
func (c *capture) Wait(ctx context.Context) (records []device.Record, trigger uint32, err error) {
	select {
	case <-c.done:
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	if c.err != nil {
		return nil, 0, c.err
	}
	first := (c.next - c.taken + len(c.heads)) % len(c.heads)
	for i := range c.taken {
		at := (first + i) % len(c.heads)
		h := c.heads[at]
		records = append(records, device.Record{Tick: h.tick, Time: h.time, Data: append([]byte(nil), c.bytes[at*c.size:][:c.size]...)})
	}
	return records, c.tick, nil
}

// Cancel ends it.
func (c *capture) Cancel(ctx context.Context) error {
	return c.l.between(ctx, 0, func() {
		if c.l.tick.capture == c {
			c.l.tick.endCapture(errors.New("the capture was cancelled"))
		}
	})
}
