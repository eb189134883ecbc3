package copapy

import (
	"context"
	"runtime"
	"time"
	"weak"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// MaxPrograms is how many programs a script may have loaded at a time. Each may take a
// runner process where the target is this machine.
const MaxPrograms = 256

// loadedProgram is a program on the device, with what waits to be sent to it.
type loadedProgram struct {
	on      device.Program
	image   *image.Image
	direct  device.Direct // on, where it is in this process: nothing waits then; nil while its loop runs
	line    line
	ticks   uint32        // that have run without a loop, of a program of several tasks
	loop    device.Loop   // nil: none runs
	staged  device.Pieces // written while it gathers
	gathers bool          // what is written takes effect together, later
}

func newLoadedProgram(on device.Program, img *image.Image) *loadedProgram {
	p := &loadedProgram{on: on, image: img}
	p.direct, _ = on.(device.Direct)
	return p
}

// write stores bytes in the data block: at once, or with the next run or read, or at the end of
// the script.
func (p *loadedProgram) write(offset uint32, data []byte) {
	switch {
	case p.gathers:
		p.staged.Note(device.Piece{Offset: offset, Bytes: data})
	case p.direct != nil:
		copy(p.direct.Memory()[offset:], data)
	default:
		p.line.write(offset, data)
	}
}

// run runs the program n times. What will be read then may be known.
func (p *loadedProgram) run(ctx context.Context, n int, limit time.Duration, reads []device.Span, timed func(time.Duration)) error {
	switch {
	case p.loop != nil:
		return device.ErrTicking
	case device.HasTasks(p.image):
		return p.tick(ctx, n, limit, reads, timed)
	case p.direct == nil:
		return p.line.run(ctx, p.on, n, limit, reads, timed)
	case n == 1 && limit == 0 && timed == nil:
		return p.direct.Run(ctx)
	}
	_, err := p.direct.Call(ctx, device.Call{Runs: n, Limit: limit, Timed: timed})
	return err
}

// tick runs n ticks of a program of several tasks.
func (p *loadedProgram) tick(ctx context.Context, n int, limit time.Duration, reads []device.Span, timed func(time.Duration)) error {
	c := device.Call{Writes: p.line.pieces(), Runs: n, Limit: limit, Reads: reads, Timed: timed}
	r, err := device.Ticks(ctx, p.on, p.image, p.ticks, c)
	if err != nil {
		return err
	}
	p.line.fetched = nil
	p.line.keep(reads, r.Data)
	p.ticks += uint32(n)
	return nil
}

// fetch reads parts of the data block, which data has then.
func (p *loadedProgram) fetch(ctx context.Context, spans []device.Span) error {
	switch {
	case p.loop != nil:
		data, _, err := p.loop.Read(ctx, spans)
		if err == nil {
			p.line.fetched = nil
			p.line.keep(spans, data)
		}
		return err
	case p.direct == nil:
		return p.line.fetch(ctx, p.on, spans)
	}
	return nil
}

// data is a part of the data block, which was fetched where it is not in this process.
func (p *loadedProgram) data(s device.Span) []byte {
	if p.direct != nil {
		return p.direct.Memory()[s.Offset:][:s.Length]
	}
	return p.line.data(s)
}

// loadedPrograms are those of a script. Each belongs to a target, and is released when
// the target is closed, compiles again, or cannot be reached by the script any more.
type loadedPrograms struct {
	list      []heldProgram
	collectAt int  // list has this length: look which targets the script has dropped
	atExit    bool // what is written is sent at the end of the script
}

type heldProgram struct {
	by weak.Pointer[target]
	p  *loadedProgram
}

// collectFrom is the number of programs below which nothing is done about dropped targets.
const collectFrom = 4

// makeRoom releases the programs of dropped targets, and fails where a further program
// is one too many.
func (l *loadedPrograms) makeRoom(t *vm.Thread) error {
	if !l.atExit {
		l.atExit = true
		t.AtExit(l.flush)
	}
	if len(l.list) < max(collectFrom, l.collectAt) {
		return nil
	}
	// Afterwards the weak pointers tell which targets are still in use.
	runtime.GC()
	kept := l.list[:0]
	var failed error
	for _, h := range l.list {
		if h.by.Value() != nil {
			kept = append(kept, h)
			continue
		}
		if err := h.p.finish(t.Context()); err != nil && failed == nil {
			failed = vm.Abort(err)
		}
		h.p.on.Release()
	}
	clear(l.list[len(kept):])
	l.list = kept
	l.collectAt = min(2*len(kept), MaxPrograms)
	if failed != nil {
		return failed
	}
	if len(kept) >= MaxPrograms && !l.evict() {
		return vm.WithHint(vm.Raise(vm.RuntimeError, "the script has %d programs loaded, and no more are possible at a time", MaxPrograms),
			"close each target when it is done with, as in: with cp.Target() as tg: ...; or compile again on one target")
	}
	return nil
}

// evict releases the program of a jit function that was not called for the longest time.
func (l *loadedPrograms) evict() bool {
	var targets []*target
	for _, h := range l.list {
		if x := h.by.Value(); x != nil {
			targets = append(targets, x)
		}
	}
	return evictOldest(targets)
}

func (l *loadedPrograms) add(x *target) {
	l.list = append(l.list, heldProgram{weak.Make(x), x.loaded})
}

// remove releases a program.
func (l *loadedPrograms) remove(p *loadedProgram) {
	for i := range l.list {
		if l.list[i].p == p {
			last := len(l.list) - 1
			l.list[i], l.list[last] = l.list[last], heldProgram{}
			l.list = l.list[:last]
			break
		}
	}
	p.on.Release()
}

// finish ends the loop, and sends what was written.
func (p *loadedProgram) finish(ctx context.Context) error {
	if err := p.halt(ctx); err != nil {
		return err
	}
	return p.line.flush(ctx, p.on)
}

// flush ends loops, and sends what was written and neither run nor read since.
func (l *loadedPrograms) flush(ctx context.Context) error {
	var failed error
	for _, h := range l.list {
		if err := h.p.finish(ctx); err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}
