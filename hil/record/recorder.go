package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
)

// Begin is the header of a recording of a program's variables. With inputs it is one that can be replayed: it has
// the program, and all its inputs and states beside the variables that were asked for.
func Begin(p *compiler.Program, variables []image.Symbol, c device.LoopConfig, every int, inputs bool) (Header, error) {
	h := Header{Source: p.Image.Source, Started: time.Now(), Hz: c.Hz, Period: c.Period, Every: max(every, 1), Tasks: c.Tasks, Variables: slices.Clone(variables)}
	if c.Hz > 0 {
		h.Period = time.Duration(float64(time.Second) / c.Hz)
	}
	if !inputs {
		return h, h.check()
	}
	for i := range p.Image.Symbols {
		if s := &p.Image.Symbols[i]; s.Kind != image.Output && s.Size() > 0 && h.Index(s.Kind, s.Name) < 0 {
			h.Variables = append(h.Variables, *s)
		}
	}
	program, err := ProgramOf(p)
	if err != nil {
		return h, err
	}
	h.Programs = []Program{program}
	return h, h.check()
}

// Fresh notes the values that the variables of a loaded program have before its loop starts.
func (h *Header) Fresh(ctx context.Context, p device.Program, m *image.Image) error {
	var reads []device.Span
	h.Initial = nil
	for _, kind := range []image.Kind{image.Output, image.Input, image.State} { // an output may be a state
		for i := range m.Symbols {
			if s := &m.Symbols[i]; s.Kind == kind && s.Size() > 0 {
				h.Initial = append(h.Initial, Value{Kind: s.Kind, Name: s.Name})
				reads = append(reads, device.SpanOf(s))
			}
		}
	}
	r, err := p.Call(ctx, device.Call{Reads: reads})
	if err != nil {
		return err
	}
	for i, data := range r.Data {
		h.Initial[i].Bytes = data
	}
	return nil
}

// A Noted is a loop whose sets and swaps are noted for a recording.
type Noted struct {
	device.Loop
	note func(Event) error

	mu    sync.Mutex
	image *image.Image // of the program that runs
}

// Note notes what is done to a loop by way of the result, which is to be used in its place.
func Note(l device.Loop, m *image.Image, note func(Event) error) *Noted {
	return &Noted{Loop: l, note: note, image: m}
}

// Set notes the values of a set.
func (n *Noted) Set(ctx context.Context, writes []device.Piece, at uint32) (uint32, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	tick, err := n.Loop.Set(ctx, writes, at)
	if err != nil {
		return tick, err
	}
	e := Event{Tick: tick}
	for _, w := range writes {
		v, err := n.valueOf(w)
		if err != nil {
			return tick, err
		}
		e.Set = append(e.Set, v)
	}
	return tick, n.note(e)
}

// valueOf finds the variable that a piece is of.
func (n *Noted) valueOf(w device.Piece) (Value, error) {
	for i := range n.image.Symbols {
		s := &n.image.Symbols[i]
		if at := int(w.Offset) - int(s.Offset); s.Kind != image.Output && at >= 0 && at+len(w.Bytes) <= s.Size() {
			return Value{s.Kind, s.Name, at, slices.Clone(w.Bytes)}, nil
		}
	}
	return Value{}, fmt.Errorf("recording: bytes %d to %d are not of one input or state, so a replay cannot set them", w.Offset, int(w.Offset)+len(w.Bytes))
}

// Swap notes the program.
func (n *Noted) Swap(ctx context.Context, next device.Next) (*device.SwapReport, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p, err := ProgramOf(next.Program)
	if err != nil {
		return nil, err
	}
	s := &Swap{Program: p, Tasks: next.Tasks}
	for _, m := range next.Moves {
		from, ok := at(n.image, m.From)
		to, okay := at(next.Program.Image, m.To)
		if !ok || !okay {
			return nil, errors.New("recording: a swap moves what is no variable, so a replay cannot do it")
		}
		s.Moves = append(s.Moves, Move{Kind: to.Kind, From: from.Name, To: to.Name})
	}
	r, err := n.Loop.Swap(ctx, next)
	if err != nil {
		return r, err
	}
	if s.Back = r.Back; r.Cause != nil {
		s.Cause = r.Cause.Error()
	}
	if !r.Back {
		n.image = next.Program.Image
	}
	return r, n.note(Event{Tick: r.Tick, Swap: s})
}

// at is the input or state at a place.
func at(m *image.Image, span device.Span) (*image.Symbol, bool) {
	for i := range m.Symbols {
		if s := &m.Symbols[i]; s.Kind != image.Output && device.SpanOf(s) == span {
			return s, true
		}
	}
	return nil, false
}
