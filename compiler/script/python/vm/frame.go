package vm

import "github.com/copaflash/copaflash/compiler/script/python/bytecode"

// frame is one activation of a code object.
type frame struct {
	prog    *program
	globals *Namespace
	words   []Value // locals and stack
	locals  []Value // nil: unbound
	cells   []*cell
	stack   []Value
	sp      int // words on the stack; current only while the frame does not run
	pc      int
	back    *frame
	handled Value      // exception being handled, or None
	names   *Namespace // class bodies: the class being made
	yielded bool       // run returned because of a yield
}

// newFrame makes a frame, from a released one if that is large enough.
func (t *Thread) newFrame(p *program, globals *Namespace) *frame {
	n := len(p.Locals)
	size := n + p.MaxStack
	var f *frame
	if last := len(t.frames) - 1; last >= 0 && cap(t.frames[last].words) >= size {
		f = t.frames[last]
		t.frames = t.frames[:last]
		f.words = f.words[:size]
	} else {
		f = &frame{words: make([]Value, size, max(size, 16))}
	}
	f.prog, f.globals, f.handled = p, globals, None
	f.locals, f.stack = f.words[:n:n], f.words[n:]
	return f
}

// maxFrames is how many released frames are kept.
const maxFrames = 64

// release takes back a frame that nothing refers to any more.
func (t *Thread) release(f *frame) {
	if len(t.frames) < maxFrames {
		clear(f.words)
		*f = frame{words: f.words[:0]}
		t.frames = append(t.frames, f)
	}
}

// bindCells makes the cells of a frame after its parameters are set.
func (f *frame) bindCells(captured []*cell) {
	p := f.prog
	if len(p.Cells) == 0 {
		f.cells = captured
		return
	}
	f.cells = make([]*cell, 0, len(p.Cells)+len(captured))
	own := make([]cell, len(p.Cells))
	for i := range own {
		f.cells = append(f.cells, &own[i])
	}
	f.cells = append(f.cells, captured...)
	for _, c := range p.CellParams {
		f.cells[c.Cell].v = f.locals[c.Local]
	}
}

// entry is the frame's place for a traceback.
func (f *frame) entry() traceEntry { return traceEntry{f.prog, f.prog.Code.Pos[f.pc]} }

// catch finds the handler of the current instruction and moves there.
func (f *frame) catch(exc *Instance) bool {
	for i := range f.prog.Handlers {
		h := &f.prog.Handlers[i]
		if h.Start <= f.pc && f.pc < h.End {
			f.truncate(h.Depth)
			f.stack[f.sp] = f.handled
			f.stack[f.sp+1] = exc
			f.sp += 2
			f.handled = exc
			f.pc = h.Target
			return true
		}
	}
	return false
}

func (f *frame) truncate(depth int) {
	for i := depth; i < f.sp; i++ {
		f.stack[i] = nil
	}
	f.sp = depth
}

// cellName is the name of a variable that functions share.
func (f *frame) cellName(arg int) string {
	if n := len(f.prog.Cells); arg >= n {
		return f.prog.Free[arg-n]
	}
	return f.prog.Cells[arg]
}

// unbound is the error for a variable without value.
func (f *frame) unbound(op bytecode.Op, arg int) error {
	switch op {
	case bytecode.LoadLocal, bytecode.DelLocal:
		return Raise(UnboundLocalError, "cannot access local variable '%s' where it is not associated with a value", f.prog.Locals[arg])
	case bytecode.LoadCell, bytecode.DelCell:
		if n := len(f.prog.Cells); arg < n {
			return Raise(UnboundLocalError, "cannot access local variable '%s' where it is not associated with a value", f.prog.Cells[arg])
		} else {
			return Raise(NameError, "cannot access free variable '%s' where it is not associated with a value in enclosing scope", f.prog.Free[arg-n])
		}
	}
	return Raise(NameError, "name '%s' is not defined", f.prog.Names[arg])
}
