package vm

import (
	"slices"
	"strings"

	bc "github.com/copaflash/copaflash/compiler/script/bytecode"
	"github.com/copaflash/copaflash/compiler/script/syntax"
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
		bc.StoreName: func(_ *Thread, f *frame, arg int) error {
			f.names.set(f.prog.Names[arg], f.pop())
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
			l := f.stack[f.sp-n].(*List)
			l.Elems = append(l.Elems, v)
			return t.Charge(valueBytes)
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
		bc.DictUpdate: dictUpdate,
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
	name := f.prog.Names[arg]
	if c := f.globals.cells[name]; c != nil {
		f.prog.globals[arg] = c
		if c.v != nil {
			return c.v
		}
	}
	return t.builtins[name]
}

func (t *Thread) undefined(f *frame, arg int) error {
	name := f.prog.Names[arg]
	err := f.unbound(bc.LoadGlobal, arg)
	candidates := f.globals.names()
	for n := range t.builtins {
		candidates = append(candidates, n)
	}
	candidates = append(candidates, f.prog.Locals...)
	if s := similar(name, candidates); s != "" {
		return WithHint(err, "did you mean '"+s+"'?")
	}
	if t.opts.Modules[name] != nil {
		return WithHint(err, "did you forget to import "+name+"?")
	}
	return err
}

func unpack(t *Thread, f *frame, n int) error {
	v := f.stack[f.sp-1]
	var elems []Value
	switch v := v.(type) {
	case *Tuple:
		elems = v.Elems
	case *List:
		elems = v.Elems
	default:
		it, err := t.Iter(v)
		if err != nil {
			if isException(err, TypeError) {
				return TypeErrorf("cannot unpack non-iterable %s object", TypeName(v))
			}
			return err
		}
		for len(elems) <= n {
			x, err := it.Next(t)
			if err != nil {
				return err
			}
			if x == nil {
				break
			}
			elems = append(elems, x)
		}
	}
	if len(elems) > n {
		return ValueErrorf("too many values to unpack (expected %d)", n)
	}
	if len(elems) < n {
		return ValueErrorf("not enough values to unpack (expected %d, got %d)", n, len(elems))
	}
	f.pop()
	for i := range elems {
		f.push(elems[n-1-i])
	}
	return nil
}

func unpackStar(t *Thread, f *frame, arg int) error {
	before, after := arg&(1<<12-1), arg>>12
	v := f.stack[f.sp-1]
	elems, err := t.Collect(v)
	if err != nil {
		if isException(err, TypeError) {
			return TypeErrorf("cannot unpack non-iterable %s object", TypeName(v))
		}
		return err
	}
	if len(elems) < before+after {
		return ValueErrorf("not enough values to unpack (expected at least %d, got %d)", before+after, len(elems))
	}
	f.pop()
	end := len(elems) - after
	for i := len(elems) - 1; i >= end; i-- {
		f.push(elems[i])
	}
	f.push(NewList(slices.Clone(elems[before:end])))
	for i := before - 1; i >= 0; i-- {
		f.push(elems[i])
	}
	return nil
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

func dictSet(t *Thread, f *frame, arg int) error {
	depth, keywords := bc.SpreadKeywords(arg)
	v, k := f.pop(), f.pop()
	d := f.stack[f.sp-depth].(*Dict)
	if keywords {
		if old, _ := d.Get(t, k); old != nil {
			return TypeErrorf("got multiple values for keyword argument '%s'", k)
		}
	}
	return d.Set(t, k, v)
}

func dictUpdate(t *Thread, f *frame, arg int) error {
	depth, keywords := bc.SpreadKeywords(arg)
	v := f.pop()
	d := f.stack[f.sp-depth].(*Dict)
	src, ok := Unwrap(v).(*Dict)
	if !ok {
		if keywords {
			return TypeErrorf("argument after ** must be a mapping, not %s", TypeName(v))
		}
		return TypeErrorf("'%s' object is not a mapping", TypeName(v))
	}
	for k, v := range src.All() {
		if keywords {
			if _, ok := k.(string); !ok {
				return TypeErrorf("keywords must be strings")
			}
			if old, _ := d.Get(t, k); old != nil {
				return TypeErrorf("got multiple values for keyword argument '%s'", k)
			}
		}
		if err := d.Set(t, k, v); err != nil {
			return err
		}
	}
	return nil
}

// chainNext handles the first comparisons of a < b < c. w is acc, a, b; it
// leaves acc, b, or reports the result of the whole chain.
func (t *Thread) chainNext(w []Value, kind syntax.RelationKind, op CompareOp) (done bool, result Value, err error) {
	var r Value
	switch kind {
	case syntax.Is, syntax.IsNot:
		r = identical(w[1], w[2]) == (kind == syntax.Is)
	case syntax.In, syntax.NotIn:
		ok, err := t.Contains(w[2], w[1])
		if err != nil {
			return false, nil, err
		}
		r = ok == (kind == syntax.In)
	default:
		if r, err = t.Compare(op, w[1], w[2]); err != nil {
			return false, nil, err
		}
	}
	if _, ok := r.(Selector); ok {
		w[0], err = t.chainJoin(w[0], r)
	} else {
		truth, err := t.Truth(r)
		if err != nil || !truth {
			return !truth, r, err
		}
	}
	w[1] = w[2]
	return false, nil, err
}

// chainJoin combines what traced comparisons gave so far with the next result.
func (t *Thread) chainJoin(acc, r Value) (Value, error) {
	if acc == condTrue {
		return r, nil
	}
	if _, ok := r.(Selector); !ok {
		truth, err := t.Truth(r)
		if err != nil || !truth {
			return r, err
		}
		return acc, nil
	}
	return t.Binary(OpBitAnd, acc, r)
}
