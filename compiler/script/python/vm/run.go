package vm

import "github.com/copaflash/copaflash/compiler/script/python/bytecode"

// run executes a frame until it returns, yields or fails.
func (t *Thread) run(f *frame) (Value, error) {
	if err := t.enter(); err != nil {
		return nil, err
	}
	f.back = t.frame
	t.frame = f
	v, err := t.loop(f)
	for err != nil {
		if err = t.failed(f, err); err == nil {
			v, err = t.loop(f)
			continue
		}
		break
	}
	t.frame = f.back
	f.back = nil
	t.leave()
	return v, err
}

// throw continues a suspended frame with an error at the place of its yield.
func (t *Thread) throw(f *frame, err error) (Value, error) {
	if err := t.enter(); err != nil {
		return nil, err
	}
	f.back = t.frame
	t.frame = f
	var v Value
	for err != nil {
		if err = t.failed(f, err); err != nil {
			break
		}
		v, err = t.loop(f)
	}
	t.frame = f.back
	f.back = nil
	t.leave()
	return v, err
}

// maxTrace bounds the places kept of one exception.
const maxTrace = 4000

// failed notes that err passes through f. It returns nil if f has a handler,
// which then is the next instruction.
func (t *Thread) failed(f *frame, err error) error {
	err = asRaised(err)
	if l, ok := err.(*LimitError); ok {
		if len(l.trace) < maxTrace {
			l.trace = append(l.trace, f.entry())
		}
		return err
	}
	exc := err.(*raised).exc
	d := dataOf(exc)
	if len(d.trace) == 0 && d.context == nil {
		t.setContext(exc, f)
	}
	if n := len(d.trace); n == 0 || !reraises(f.prog.Instrs[f.pc]) || d.trace[n-1].prog != f.prog {
		if len(d.trace) < maxTrace {
			d.trace = append(d.trace, f.entry())
		}
	}
	if f.catch(exc) {
		return nil
	}
	return err
}

// reraises tells the instructions that pass on an exception that has already
// been noted in this frame.
func reraises(in bytecode.Instr) bool {
	switch in.Op() {
	case bytecode.Reraise, bytecode.CleanupExc, bytecode.EndFinally, bytecode.CleanupFinally, bytecode.WithExitExc:
		return true
	case bytecode.Raise:
		return in.Arg() == 0
	}
	return false
}

// setContext links a new exception to the one being handled.
func (t *Thread) setContext(exc *Instance, f *frame) {
	for ; f != nil; f = f.back {
		if h, ok := f.handled.(*Instance); ok {
			for c := h; c != nil; c = dataOf(c).context {
				if c == exc {
					return // no cycles
				}
			}
			dataOf(exc).context = h
			return
		}
	}
}
