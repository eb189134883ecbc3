package vm

import (
	"slices"
	"strings"

	bc "github.com/copaflash/copaflash/compiler/script/python/bytecode"
)

// rare holds the instructions that do not have to be fast. They work on the
// frame's own stack and pc; the instruction after pc is executed next.
var rare [bc.NumOps]func(t *Thread, f *frame, arg int) error

func (f *frame) push(v Value) {
	f.stack[f.sp] = v
	f.sp++
}

func (f *frame) pop() Value {
	f.sp--
	v := f.stack[f.sp]
	f.stack[f.sp] = nil
	return v
}

func (f *frame) popN(n int) []Value {
	vs := slices.Clone(f.stack[f.sp-n : f.sp])
	f.truncate(f.sp - n)
	return vs
}

func init() {
	rare = [bc.NumOps]func(t *Thread, f *frame, arg int) error{
		bc.DelLocal: func(_ *Thread, f *frame, arg int) error {
			if f.locals[arg] == nil {
				return f.unbound(bc.DelLocal, arg)
			}
			f.locals[arg] = nil
			return nil
		},
		bc.DelCell: func(_ *Thread, f *frame, arg int) error {
			if f.cells[arg].v == nil {
				return f.unbound(bc.DelCell, arg)
			}
			f.cells[arg].v = nil
			return nil
		},
		bc.DelGlobal: func(_ *Thread, f *frame, arg int) error { return f.del(f.globals, arg) },
		bc.DelName:   func(_ *Thread, f *frame, arg int) error { return f.del(f.names, arg) },
		bc.StoreName: func(t *Thread, f *frame, arg int) error {
			name, v := f.prog.Names[arg], f.pop()
			if old := f.names.get(name); old != nil && f.names.rebind != nil {
				if _, err := t.Call(f.names.rebind, name, old, v); err != nil {
					return err
				}
			}
			f.names.set(name, v)
			return nil
		},
		bc.LoadName: func(t *Thread, f *frame, arg int) error {
			v := f.names.get(f.prog.Names[arg])
			if v == nil {
				if v = t.loadGlobal(f, arg); v == nil {
					return t.undefined(f, arg)
				}
			}
			f.push(v)
			return nil
		},
		bc.Not: func(t *Thread, f *frame, _ int) error {
			b, err := t.Truth(f.stack[f.sp-1])
			f.stack[f.sp-1] = !b
			return err
		},
		bc.Contains: func(t *Thread, f *frame, arg int) error {
			ok, err := t.Contains(f.stack[f.sp-1], f.stack[f.sp-2])
			if err == nil {
				f.pop()
				f.stack[f.sp-1] = ok != (arg == 1)
			}
			return err
		},
		bc.ChainBegin: func(_ *Thread, f *frame, _ int) error {
			a := f.pop()
			f.push(condTrue)
			f.push(a)
			return nil
		},
		bc.ChainEnd: func(t *Thread, f *frame, _ int) error {
			v, err := t.chainJoin(f.stack[f.sp-2], f.stack[f.sp-1])
			if err == nil {
				f.pop()
				f.stack[f.sp-1] = v
			}
			return err
		},
		bc.GetIter: func(t *Thread, f *frame, _ int) error {
			it, err := t.Iter(f.stack[f.sp-1])
			if err == nil {
				f.stack[f.sp-1] = it
			}
			return err
		},
		bc.Unpack:     unpack,
		bc.UnpackStar: unpackStar,
		bc.BuildSet: func(t *Thread, f *frame, n int) error {
			s := NewSet()
			for _, v := range f.popN(n) {
				if err := s.Add(t, v); err != nil {
					return err
				}
			}
			f.push(s)
			return nil
		},
		bc.BuildDict: func(t *Thread, f *frame, _ int) error {
			f.push(NewDict())
			return t.Charge(64)
		},
		bc.BuildSlice: func(_ *Thread, f *frame, n int) error {
			s := &Slice{Step: None}
			if n == 3 {
				s.Step = f.pop()
			}
			s.Stop = f.pop()
			s.Start = f.pop()
			f.push(s)
			return nil
		},
		bc.BuildString: func(t *Thread, f *frame, n int) error {
			size := 0
			for _, v := range f.stack[f.sp-n : f.sp] {
				size += len(v.(string))
			}
			if err := t.Charge(int64(size)); err != nil {
				return err
			}
			var b strings.Builder
			b.Grow(size)
			for _, v := range f.stack[f.sp-n : f.sp] {
				b.WriteString(v.(string))
			}
			f.truncate(f.sp - n)
			f.push(b.String())
			return nil
		},
		bc.Format: formatField,
		bc.ListAppend: func(t *Thread, f *frame, n int) error {
			v := f.pop()
			return t.push(f.stack[f.sp-n].(*List), v)
		},
		bc.ListExtend: func(t *Thread, f *frame, n int) error {
			v := f.pop()
			if _, err := t.Iter(v); err != nil && isException(err, TypeError) {
				return TypeErrorf("Value after * must be an iterable, not %s", TypeName(v))
			}
			return t.extend(f.stack[f.sp-n].(*List), v)
		},
		bc.SetAdd: func(t *Thread, f *frame, n int) error {
			v := f.pop()
			return f.stack[f.sp-n].(*Set).Add(t, v)
		},
		bc.SetUpdate: func(t *Thread, f *frame, n int) error {
			v := f.pop()
			return t.setUpdate(f.stack[f.sp-n].(*Set), v)
		},
		bc.DictSet:    dictSet,
		bc.DictUpdate: updateDict,
		bc.ListToTuple: func(_ *Thread, f *frame, _ int) error {
			f.push(&Tuple{f.pop().(*List).Elems})
			return nil
		},
		bc.StoreAttr: func(t *Thread, f *frame, arg int) error {
			if err := t.SetAttr(f.stack[f.sp-1], f.prog.Names[arg], f.stack[f.sp-2]); err != nil {
				return err
			}
			f.truncate(f.sp - 2)
			return nil
		},
		bc.DelAttr: func(t *Thread, f *frame, arg int) error {
			return t.DelAttr(f.pop(), f.prog.Names[arg])
		},
		bc.StoreIndex: func(t *Thread, f *frame, _ int) error {
			if err := t.SetIndex(f.stack[f.sp-2], f.stack[f.sp-1], f.stack[f.sp-3]); err != nil {
				return err
			}
			f.truncate(f.sp - 3)
			return nil
		},
		bc.DelIndex: func(t *Thread, f *frame, _ int) error {
			key := f.pop()
			return t.DelIndex(f.pop(), key)
		},
		bc.CallSpread: func(t *Thread, f *frame, _ int) error {
			kw := f.stack[f.sp-1].(*Dict)
			a := Args{Pos: f.stack[f.sp-2].(*List).Elems}
			for k, v := range kw.All() {
				a.Kw = append(a.Kw, Keyword{k.(string), v})
			}
			v, err := t.CallArgs(f.stack[f.sp-3], a)
			if err != nil {
				return err
			}
			f.truncate(f.sp - 3)
			f.push(v)
			return nil
		},
		bc.MakeFunction: makeFunction,
		bc.MakeClass:    makeClass,
		bc.Raise:        raiseStmt,
		bc.MatchExc:     matchExc,
		bc.Match:        matchCase,
		bc.PopExc: func(_ *Thread, f *frame, keep int) error {
			top := f.popN(keep)
			f.pop()
			f.handled = f.pop()
			f.pushAll(top)
			return nil
		},
		bc.Reraise: func(_ *Thread, f *frame, _ int) error { return &raised{f.stack[f.sp-1].(*Instance)} },
		bc.CleanupExc: func(_ *Thread, f *frame, _ int) error {
			exc := f.pop().(*Instance)
			f.truncate(f.sp - 2)
			f.handled = f.pop()
			return &raised{exc}
		},
		bc.EndFinally: func(_ *Thread, f *frame, arg int) error {
			kind, payload, prev := f.pop().(int64), f.pop(), f.pop()
			switch {
			case kind < 0:
				f.handled = prev
				return &raised{payload.(*Instance)}
			case kind > 0:
				f.push(payload)
				f.pc = f.prog.Exits[arg][kind-1] - 1
			}
			return nil
		},
		bc.PopFinally: func(_ *Thread, f *frame, keep int) error {
			top := f.popN(keep)
			f.popFinally()
			f.pushAll(top)
			return nil
		},
		bc.CleanupFinally: func(_ *Thread, f *frame, _ int) error {
			exc := f.pop().(*Instance)
			f.pop()
			f.popFinally()
			return &raised{exc}
		},
		bc.WithEnter:   withEnter,
		bc.WithExit:    withExit,
		bc.WithExitExc: withExitExc,
		bc.AssertFail: func(t *Thread, f *frame, n int) error {
			if n == 0 {
				return &raised{newException(AssertionError)}
			}
			return &raised{newException(AssertionError, f.pop())}
		},
		bc.Import: func(t *Thread, f *frame, arg int) error {
			m, err := t.importModule(f.prog.Names[arg])
			if err == nil {
				f.push(m)
			}
			return err
		},
		bc.ImportFrom: importFrom,
		bc.ImportStar: importStar,
	}
}

func (f *frame) pushAll(vs []Value) {
	for _, v := range vs {
		f.push(v)
	}
}

func (f *frame) popFinally() {
	kind, _, prev := f.pop().(int64), f.pop(), f.pop()
	if kind < 0 {
		f.handled = prev
	}
}

func (f *frame) del(n *Namespace, arg int) error {
	c := n.cells[f.prog.Names[arg]]
	if c == nil || c.v == nil {
		return f.unbound(bc.DelGlobal, arg)
	}
	c.v = nil
	return nil
}

// loadGlobal finds a global or builtin; nil if there is none.
func (t *Thread) loadGlobal(f *frame, arg int) Value {
	p, known := f.prog, len(f.globals.order)
	if p.builtins != nil && p.builtins[arg].known == known && p.builtins[arg].v != nil {
		return p.builtins[arg].v
	}
	name := p.Names[arg]
	if c := f.globals.cells[name]; c != nil {
		p.globals[arg] = c
		if c.v != nil {
			return c.v
		}
	}
	v := t.builtins[name]
	if v != nil {
		if p.builtins == nil {
			p.builtins = make([]foundBuiltin, len(p.Names))
		}
		p.builtins[arg] = foundBuiltin{v, known}
	}
	return v
}

func (t *Thread) undefined(f *frame, arg int) error {
	name := f.prog.Names[arg]
	err := f.unbound(bc.LoadGlobal, arg)
	candidates := f.globals.names()
	for n := range t.builtins {
		candidates = append(candidates, n)
	}
	candidates = append(candidates, f.prog.Locals...)
	if s := Similar(name, candidates); s != "" {
		return WithHint(err, "did you mean '"+s+"'?")
	}
	if t.opts.Modules[name] != nil {
		return WithHint(err, "did you forget to import "+name+"?")
	}
	return err
}

func formatField(t *Thread, f *frame, arg int) error {
	spec := ""
	if arg&256 != 0 {
		spec = f.pop().(string)
	}
	v := f.stack[f.sp-1]
	s, err := t.formatConverted(v, byte(arg), spec)
	if err == nil {
		f.stack[f.sp-1] = s
	}
	return err
}
