package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session/live"
)

// A CaptureStart says what to capture.
type CaptureStart struct {
	Spans         []Span
	Before, After uint32 // records around that of the trigger
	Trigger       packet.Trigger
	Offset        uint32 // of the trigger's variable
	Threshold     uint32 // bits
	Type          packet.TriggerType
}

// A Capture is under way, or can be read.
type Capture struct {
	l          *Loop
	list, ring live.Block
	record     int    // bytes, with tick and time
	first      uint32 // no record is of an earlier tick
	over       bool   // its memory may be another one's

	// What Wait has read, guarded by the loop's mutex.
	records []Record
	trigger int
}

// ErrCapturing says that a capture is under way.
var ErrCapturing error = capturingError{}

type capturingError struct{}

func (capturingError) Error() string { return "another capture is under way" }

// Hint says what to do next.
func (capturingError) Hint() string { return "wait for it, or cancel it" }

// Capture has a record taken every tick until some time after a trigger.
func (l *Loop) Capture(ctx context.Context, c CaptureStart) (*Capture, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.capture(ctx, c)
}

// capture is Capture for who holds the loop's mutex.
func (l *Loop) capture(ctx context.Context, c CaptureStart) (*Capture, error) {
	if err := l.has(packet.LoopCapture, "captures"); err != nil {
		return nil, err
	}
	if err := l.mapped(); err != nil {
		return nil, err
	}
	switch {
	case l.captured != nil:
		r, err := l.counts(ctx)
		if err != nil {
			return nil, err
		}
		if s := r.Counts.Capture; s == packet.CaptureArmed || s == packet.CaptureTriggered {
			return nil, ErrCapturing
		}
		l.captured.release()
	}
	joined := live.Join(c.Spans)
	if len(joined) == 0 {
		return nil, errors.New("a capture of nothing: name at least one variable")
	}
	if err := live.CheckSpans(joined, l.dataLength()); err != nil {
		return nil, err
	}
	if c.Trigger != packet.TriggerNow && c.Trigger != packet.TriggerEnd {
		if err := live.CheckSpans([]Span{{Offset: c.Offset, Length: 4}}, l.dataLength()); err != nil {
			return nil, fmt.Errorf("the trigger's variable: %w", err)
		}
	}
	k := &Capture{l: l, record: live.RecordHead + live.Bytes(joined)}
	count := uint64(c.Before) + 1 + uint64(c.After)
	length := count * uint64(k.record)
	if length > uint64(l.s.Info().LiveCapacity) {
		return nil, &live.RoomError{What: fmt.Sprintf("a capture of %d records", count), Needs: int(min(length, 1<<62)), Have: l.arena.Largest()}
	}
	var err error
	if k.list, err = l.arena.Take("the list of a capture", live.ListLength(joined)); err != nil {
		return nil, err
	}
	if k.ring, err = l.arena.Take(fmt.Sprintf("a capture of %d records", count), int(length)); err != nil {
		l.arena.Give(k.list)
		return nil, err
	}
	now, err := l.counts(ctx)
	if err == nil {
		k.first = now.Counts.Ticks + now.Counts.Missed
		err = l.once(ctx, &step{request: &packet.CaptureRequest{
			List: k.list.At, Ring: k.ring.At, Length: k.ring.Length, Offset: c.Offset, Trigger: c.Trigger, Threshold: c.Trigger.Order(c.Type, c.Threshold), After: c.After, Type: c.Type,
		}, reply: smallReply}, l.s.writeTo(&regionLive, []Piece{{Offset: k.list.At, Bytes: live.List(joined)}})...)
	}
	var refused *RemoteError
	var ended *EndedError
	switch {
	case err == nil:
		l.captured = k
		return k, nil
	case errors.As(err, &refused) || errors.As(err, &ended) || now == nil: // it is not under way
		l.arena.Give(k.list, k.ring)
		return nil, err
	}
	l.captured = k // perhaps it is
	return nil, errors.Join(err, k.cancel(context.WithoutCancel(ctx)))
}

// Wait waits until all records are there, and reads them. trigger is the index of the one at which the trigger came.
// Its memory is given back then.
func (k *Capture) Wait(ctx context.Context) (records []Record, trigger int, err error) {
	if records, trigger, err = k.kept(); records != nil || err != nil {
		return records, trigger, err
	}
	if records, trigger, err = k.wait(ctx); err != nil {
		return nil, 0, err
	}
	k.l.mu.Lock()
	defer k.l.mu.Unlock()
	k.records, k.trigger = records, trigger
	k.release()
	return records, trigger, nil
}

// errReleased says that a capture was not read before its end.
var errReleased = errors.New("the capture was cancelled, or another one was begun before it was read")

func (k *Capture) kept() ([]Record, int, error) {
	k.l.mu.Lock()
	defer k.l.mu.Unlock()
	if k.over && k.records == nil {
		return nil, 0, errReleased
	}
	return k.records, k.trigger, nil
}

// release gives the memory of a capture back that the runner writes into no more.
func (k *Capture) release() {
	if k.over {
		return
	}
	k.over = true
	if k.l.captured == k {
		k.l.captured = nil
	}
	k.l.arena.Give(k.list, k.ring)
}

func (k *Capture) wait(ctx context.Context) ([]Record, int, error) {
	r, err := k.l.poll(ctx, 1, func(c *packet.LoopCounts) bool {
		return c.Capture == packet.CaptureDone || c.Capture == packet.CaptureOff
	})
	switch {
	case err != nil:
		return nil, 0, err
	case r.Counts.Capture == packet.CaptureOff:
		return nil, 0, errors.New("the capture was ended before it was complete: by a swap, or another host")
	case r.Counts.Capture != packet.CaptureDone:
		return nil, 0, fmt.Errorf("the capture is not complete: %w", &EndedError{End: r.Counts.End, Fault: r.Fault})
	}
	ring, err := k.l.readLive(ctx, []Span{{Offset: k.ring.At, Length: int(k.ring.Length)}})
	if err != nil {
		return nil, 0, err
	}
	all := k.l.records(ring[0], k.record)
	records := k.order(all, int(r.Counts.CaptureNext))
	for i := range records {
		if records[i].Tick == r.Counts.CaptureTick {
			return records, i, nil
		}
	}
	return nil, 0, fmt.Errorf("the capture has no record of tick %d, of its trigger", r.Counts.CaptureTick)
}

// order returns the records of this capture in the order of their ticks. The newest lies before the place that would be written next; the
// ring may hold older ones, of other captures, behind which this one has not come around.
func (k *Capture) order(all []Record, next int) []Record {
	n := len(all)
	if n == 0 || next > n {
		return nil
	}
	newest := (next + n - 1) % n
	count := 1
	for count < n {
		this, before := &all[(newest-count+1+n)%n], &all[(newest-count+n)%n]
		if int32(this.Tick-before.Tick) <= 0 || int32(before.Tick-k.first) < 0 {
			break
		}
		count++
	}
	ordered := make([]Record, count)
	for i := range ordered {
		ordered[i] = all[(newest-count+1+i+n)%n]
	}
	return ordered
}

// Cancel ends the capture, and gives its memory back.
func (k *Capture) Cancel(ctx context.Context) error {
	k.l.mu.Lock()
	defer k.l.mu.Unlock()
	return k.cancel(ctx)
}

func (k *Capture) cancel(ctx context.Context) error {
	if k.over {
		return nil
	}
	off := &step{request: &packet.CaptureRequest{}, reply: smallReply}
	err := k.l.do(ctx, off)
	var ended *EndedError
	if err != nil && !errors.As(err, &ended) {
		return err
	}
	k.release()
	return nil
}
