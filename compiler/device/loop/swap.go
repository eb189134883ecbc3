package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
)

// An exchange is a swap under way.
type exchange struct {
	state     string // "pending", "trial"
	next, old part
	moves     []device.Move
	trial     int           // ticks that are left
	telemetry []device.Span // of the new program
	stream    *stream       // that the swap has taken over
	before    []device.Span // its places in the old one
	tick      uint32
	back      bool
	cause     error
	settled   bool // the tick has nothing to do with it any more
	done      chan struct{}
}

// What a tick may have to say.
var (
	errOverrun = errors.New("a tick took longer than the period")
	errSwapped = errors.New("the capture ended with the program: another one goes on")
	errBack    = errors.New("the capture ended with the program: the old one goes on")
)

// Swap goes on with another program. Until its trial has ended, no values can be set.
func (l *Loop) Swap(ctx context.Context, next device.Next) (*device.SwapReport, error) {
	if l.host.Load == nil {
		return nil, errors.New("this device does not swap programs")
	}
	if next.Pins != 0 {
		return nil, device.ErrNoPins
	}
	if err := l.hold(ctx, l.sets); err != nil {
		return nil, err
	}
	x, err := l.prepare(ctx, next)
	if err != nil {
		<-l.sets
		return nil, err
	}
	var bad error
	err = l.between(ctx, 0, func() {
		if bad = l.tick.ended(); bad == nil {
			bad = l.tick.accepts(x)
		}
		if bad == nil {
			x.state, l.tick.swap, l.tick.swapState = "pending", x, "pending"
		}
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		l.drop(x.next.body)
		<-l.sets
		return nil, err
	}
	settled := make(chan struct{})
	go func() { // also where the caller does not wait for the end of the trial
		defer close(settled)
		<-x.done
		unused := x.old.body
		if x.back || x.state == "pending" {
			unused = x.next.body
		}
		l.drop(unused)
		<-l.sets
	}()
	select {
	case <-settled:
	case <-ctx.Done():
		l.withdraw(x)
		return nil, fmt.Errorf("a swap: %w", ctx.Err())
	}
	if x.cause != nil && !x.back {
		return nil, fmt.Errorf("a swap: %w", x.cause)
	}
	return &device.SwapReport{Tick: x.tick, Back: x.back, Cause: x.cause}, nil
}

func (l *Loop) drop(b Body) {
	if l.host.Drop != nil {
		l.host.Drop(b)
	}
}

// withdraw ends a swap that has not begun.
func (l *Loop) withdraw(x *exchange) {
	_ = l.between(context.Background(), 0, func() {
		if s := &l.tick; s.swap == x && x.state == "pending" {
			s.swap, s.swapState = nil, "none"
			close(x.done)
		}
	})
}

// prepare loads the program and checks what belongs to it.
func (l *Loop) prepare(ctx context.Context, next device.Next) (*exchange, error) {
	if next.Trial < 0 {
		return nil, errors.New("a swap with a negative number of trial ticks")
	}
	b, entries, err := l.host.Load(ctx, next.Program)
	if err != nil {
		return nil, err
	}
	x := &exchange{
		next:  part{body: b, memory: b.Memory(), tasks: tasksOr(next.Tasks), safe: clonePieces(next.Safe)},
		moves: slices.Clone(next.Moves), trial: next.Trial, telemetry: slices.Clone(next.Telemetry), done: make(chan struct{})}
	err = device.CheckTasks(x.next.tasks, entries)
	if err == nil {
		err = piecesInside(x.next.safe, len(x.next.memory))
	}
	if err == nil {
		err = inside(x.telemetry, len(x.next.memory))
	}
	for _, m := range x.moves {
		if err == nil {
			err = inside([]device.Span{m.To}, len(x.next.memory))
		}
		if err == nil && m.From.Length != m.To.Length {
			err = fmt.Errorf("a swap moves %d bytes to a place of %d", m.From.Length, m.To.Length)
		}
	}
	if err != nil {
		l.drop(b)
		return nil, err
	}
	return x, nil
}

// accepts checks what depends on the program that runs.
func (s *state) accepts(x *exchange) error {
	for _, m := range x.moves {
		if err := inside([]device.Span{m.From}, len(s.memory)); err != nil {
			return err
		}
	}
	size := int(device.LengthOf(x.telemetry))
	if s.stream != nil && x.telemetry != nil && size != s.stream.size {
		return fmt.Errorf("records of %d bytes from the next program, in a subscription of %d", size, s.stream.size)
	}
	return nil
}

// exchange goes on with the other program, at the start of a tick.
func (s *state) exchange() {
	x := s.swap
	for _, m := range x.moves {
		copy(x.next.memory[m.To.Offset:][:m.To.Length], s.memory[m.From.Offset:])
	}
	x.old, s.part = s.part, x.next
	x.tick, x.state, s.swapState = s.n, "trial", "trial"
	s.endCapture(errSwapped)
	if r := s.stream; r != nil {
		if x.telemetry == nil {
			r.end()
			s.stream = nil
		} else {
			x.stream, x.before = r, r.spans
			r.spans = x.telemetry
		}
	}
	if x.trial == 0 {
		s.keep()
	}
}

// tried judges a tick of the trial. It tells whether the old program goes on.
func (s *state) tried(reason string, err error, took time.Duration) (back bool) {
	x := s.swap
	if reason == "" && took > s.step.ns {
		reason, err = "misses", errOverrun
	}
	if reason == "" {
		if x.trial--; x.trial == 0 {
			s.keep()
		}
		return false
	}
	s.part, x.back, x.cause, x.settled = x.old, true, err, true
	s.fault, s.swapState = err, "back"
	s.endCapture(errBack)
	if r := s.stream; r != nil && r == x.stream {
		r.spans = x.before
	} else if r != nil { // it was asked for in terms of the new program
		r.end()
		s.stream = nil
	}
	return true
}

// keep ends the trial.
func (s *state) keep() {
	s.swap.settled, s.swap.state, s.swapState = true, "kept", "kept"
}
