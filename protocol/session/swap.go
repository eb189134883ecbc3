package session

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session/live"
)

// A Move takes bytes of the running program's data to the next one's.
type Move struct{ From, To Span }

// A SwapStart says what a loop goes on with.
type SwapStart struct {
	Image     *packet.Image
	Tasks     []Task
	Moves     []Move
	Trial     uint32 // ticks in which a failure brings the old program back
	Safe      []Piece
	Telemetry []Span // of the subscription, in the new program; nil: it ends
	Pins      uint32 // of the new program, as in LoopStart; its list "start" is not carried out
}

// Swapped is what a swap has done.
type Swapped struct {
	Tick  uint32        // first of the new program, or of the old one again
	Back  bool          // the new program failed its trial
	Fault *packet.Fault // why; nil: it missed due times
}

// align is what programs begin at a multiple of.
const align = 64

// beside is where a program of so many bytes lies beside one that runs, and how many bytes there are.
func beside(at uint32, running, length, capacity uint64) (place, room uint64) {
	behind := (uint64(at) + running + align - 1) / align * align
	if uint64(at) >= length {
		return 0, uint64(at)
	}
	if behind > capacity {
		behind = capacity
	}
	return behind, max(capacity-behind, 0)
}

// A BesideError says that a program has no room beside the one that runs.
type BesideError struct {
	Region      string // "code" or "data"
	Needs, Have uint64 // bytes
	Running     uint64 // bytes of the one that runs
}

func (e *BesideError) Error() string {
	return fmt.Sprintf("the new program needs %d bytes of %s memory beside the %d of the running one, and %d are left", e.Needs, e.Region, e.Running, e.Have)
}

// Hint says what to do next.
func (*BesideError) Hint() string {
	return "stop the loop and start the new program, make either of them smaller, or take a board with more memory"
}

// places computes where an image would lie beside the one that runs.
func (l *Loop) places(m *packet.Image) (code, data uint32, err error) {
	info := l.s.info.Load()
	if err := fits(m, info); err != nil {
		return 0, 0, err
	}
	need, running := uint64(len(m.Code)), uint64(len(l.image.Code))
	codeAt, room := beside(l.code, running, need, uint64(info.CodeCapacity))
	if need > room {
		return 0, 0, &BesideError{"code", need, room, running}
	}
	need, running = uint64(len(m.Data))+uint64(m.BSS)+uint64(len(m.Patches)), l.dataLength()
	dataAt, room := beside(l.data, running, need, uint64(info.DataCapacity))
	if need > room {
		return 0, 0, &BesideError{"data", need, room, running}
	}
	return uint32(codeAt), uint32(dataAt), nil
}

// FitsBeside reports what keeps a program from being loaded beside the one that runs.
func (l *Loop) FitsBeside(m *packet.Image) error {
	if err := l.has(packet.LoopSwap, "hot swap"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _, err := l.places(m)
	return err
}

// Swap loads a program beside the one that runs, goes on with it between two ticks, and waits until its trial is over.
func (l *Loop) Swap(ctx context.Context, c SwapStart, progress func(done, total int)) (*Swapped, error) {
	if err := l.has(packet.LoopSwap, "hot swap"); err != nil {
		return nil, err
	}
	if err := l.s.canPins(c.Pins); err != nil {
		return nil, err
	}
	l.setting.Lock()
	defer l.setting.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.mapped(); err != nil {
		return nil, err
	}
	code, data, err := l.places(c.Image)
	if err != nil {
		return nil, err
	}
	lists, err := l.layLists(&c)
	if err != nil {
		return nil, err
	}
	defer func() { l.arena.Give(lists.blocks...) }()
	next := live.NextNote{Tasks: lists.tasks.At, Safe: lists.request.Safe, Code: code, Data: data, Digest: c.Image.Digest()}
	place, err := lists.take(l, "the note of the new program", next.Append(nil))
	if err != nil {
		return nil, err
	}
	lists.writes = append(lists.writes, Piece{Offset: live.NextAt, Bytes: binary.LittleEndian.AppendUint32(nil, place.At)})
	if err := l.loadBeside(ctx, c.Image, progress); err != nil {
		return nil, err
	}
	before, err := l.counts(ctx)
	if err != nil {
		return nil, err
	}
	swap := &step{request: lists.request, reply: smallReply}
	l.loaded(ctx, nil) // until it is known which program runs
	if err := l.once(ctx, swap, l.s.writeTo(&regionLive, lists.writes)...); err != nil {
		return nil, errors.Join(pinsRefused(err, c.Pins), l.dropBeside(context.WithoutCancel(ctx)))
	}
	// From here on the new program may run: who waits no more leaves it in doubt.
	r, err := l.poll(ctx, 1, func(c *packet.LoopCounts) bool { return c.Swap == packet.SwapKept || c.Swap == packet.SwapBack })
	if err != nil {
		l.arena = nil
		return nil, fmt.Errorf("what has become of the swap is not known: %w", err)
	}
	done := &Swapped{Tick: r.Counts.SwapTick, Back: r.Counts.Swap == packet.SwapBack, Fault: r.Fault}
	if f := r.Fault; f != nil && int32(f.Run-before.Counts.Ticks) < 0 {
		done.Fault = nil // of a swap before this one
	}
	switch {
	case r.Counts.Swap == packet.SwapKept:
		l.image, l.code, l.data = c.Image, code, data
		l.length.Store(uint64(len(c.Image.Data)) + uint64(c.Image.BSS))
		return done, l.keep(ctx, lists)
	case done.Back:
		l.loaded(ctx, l.image)
		return done, nil
	}
	return nil, &EndedError{End: r.Counts.End, Fault: r.Fault}
}

// loaded notes what the runner has loaded.
func (l *Loop) loaded(ctx context.Context, m *packet.Image) {
	_ = l.s.exclusive(ctx, func() error {
		l.s.program = program{}
		if m != nil {
			l.s.program = programOf(m)
		}
		return nil
	})
}

// swapLists are what a swap needs in live memory.
type swapLists struct {
	request                *packet.SwapRequest
	writes                 []Piece
	blocks                 []live.Block // to be given back: those that are needed no more
	safe, tasks, telemetry live.Block
}

func (w *swapLists) take(l *Loop, what string, bytes []byte) (live.Block, error) {
	b, err := l.arena.Take(what, len(bytes))
	if err == nil {
		w.writes = append(w.writes, Piece{Offset: b.At, Bytes: bytes})
		w.blocks = append(w.blocks, b)
	}
	return b, err
}

// layLists finds room for all that a swap needs.
func (l *Loop) layLists(c *SwapStart) (w *swapLists, err error) {
	w = &swapLists{request: &packet.SwapRequest{Tasks: pairs(c.Tasks), Trial: c.Trial, Pins: c.Pins}}
	defer func() {
		if err != nil {
			l.arena.Give(w.blocks...)
		}
	}()
	newData := uint64(len(c.Image.Data)) + uint64(c.Image.BSS)
	var from, to []Span
	for _, m := range c.Moves {
		if m.From.Length != m.To.Length {
			return w, fmt.Errorf("a move of %d bytes to %d", m.From.Length, m.To.Length)
		}
		from, to = append(from, m.From), append(to, m.To)
	}
	if err = errors.Join(live.CheckSpans(from, l.dataLength()), live.CheckSpans(to, newData), live.CheckSpans(live.SpansOf(c.Safe), newData)); err != nil {
		return w, err
	}
	if len(from) > 0 {
		var gather, scatter, scratch live.Block
		if gather, err = w.take(l, "the list of what is carried over", live.List(live.Join(from))); err != nil {
			return w, err
		}
		if scatter, err = w.take(l, "the list of where that goes", live.List(live.Join(to))); err != nil {
			return w, err
		}
		if scratch, err = l.arena.Take("what is carried over", live.Bytes(from)); err != nil {
			return w, err
		}
		w.blocks = append(w.blocks, scratch)
		w.request.Gather, w.request.Scatter, w.request.Scratch = gather.At, scatter.At, scratch.At
	}
	if w.tasks, err = w.take(l, "the list of tasks", live.Tasks(w.request.Tasks)); err != nil {
		return w, err
	}
	if len(c.Safe) > 0 {
		if w.safe, err = w.take(l, "the list of safe values", live.Set(c.Safe)); err != nil {
			return w, err
		}
		w.request.Safe = w.safe.At
	}
	if t := l.stream; t != nil && c.Telemetry != nil {
		joined := live.Join(c.Telemetry)
		if n := live.Bytes(joined); n != t.feed.record {
			return w, fmt.Errorf("the subscription has records of %d bytes, and those of the new program would have %d", t.feed.record, n)
		}
		if err = live.CheckSpans(joined, newData); err != nil {
			return w, err
		}
		if w.telemetry, err = w.take(l, "the list of telemetry", live.List(joined)); err != nil {
			return w, err
		}
		w.request.Telemetry = w.telemetry.At
	}
	return w, nil
}

// loadBeside sends an image while the loop runs.
func (l *Loop) loadBeside(ctx context.Context, m *packet.Image, progress func(done, total int)) error {
	err := l.carry(ctx, func() error {
		_, err := l.s.deliver(ctx, m, progress)
		return err
	})
	if err != nil && ctx.Err() == nil {
		err = errors.Join(err, l.dropBeside(ctx))
	}
	return err
}

// dropBeside unloads what was loaded beside the running program.
func (l *Loop) dropBeside(ctx context.Context) error {
	r, err := l.counts(ctx)
	if err != nil || r.Counts.End != packet.LoopEndNone {
		return nil // it is told by the error that brought us here
	}
	return l.do(ctx, &step{request: &packet.DropRequest{}, reply: smallReply})
}

// keep goes on with the lists of the new program.
func (l *Loop) keep(ctx context.Context, w *swapLists) error {
	l.loaded(ctx, l.image)
	kept := []live.Block{w.safe, w.tasks, w.telemetry}
	var rest []live.Block
	for _, b := range w.blocks {
		if b != kept[0] && b != kept[1] && b != kept[2] {
			rest = append(rest, b)
		}
	}
	w.blocks = rest
	l.arena.Give(l.swapped...)
	l.swapped = []live.Block{w.safe, w.tasks}
	err := l.s.exclusive(ctx, func() error {
		t := l.stream
		switch {
		case t == nil:
		case w.request.Telemetry != 0:
			l.arena.Give(t.list)
			t.list, t.request.List = w.telemetry, w.telemetry.At
		default:
			l.s.link.feed.CompareAndSwap(t.feed, nil)
			l.arena.Give(t.list, t.ring)
			l.stream = nil
			t.finish()
		}
		return nil
	})
	if err != nil {
		return err
	}
	l.note.Safe, l.note.Tasks, l.note.Digest = w.request.Safe, w.tasks.At, l.image.Digest()
	l.note.Code, l.note.Data, l.note.Next = l.code, l.data, 0
	return l.do(ctx, l.writeNote()...)
}
