package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// scalarOp lowers an elementwise op on scalars.
func (l *lowerer) scalarOp(id graph.ID) lir.Val {
	args := l.g.Args(id)
	var a [3]lir.Val
	for i, arg := range args {
		a[i] = lir.Val(l.ref[arg])
	}
	if at, ok := l.before[id]; ok {
		return l.standsBefore(lir.Val(l.ref[at[0]]), lir.Val(l.ref[at[1]]))
	}
	n := l.g.Node(id)
	if n.Op == graph.OpSin || n.Op == graph.OpCos {
		if other, ok := l.plan.partner[id]; ok {
			s, c := l.sincos(n.DType, a[0])
			if n.Op == graph.OpCos {
				s, c = c, s
			}
			l.form[other], l.ref[other] = scalar, int32(c)
			return s
		}
	}
	if v, ok := l.castWord(id); ok {
		return v
	}
	if v, ok := l.divided(id, a); ok {
		return v
	}
	return l.apply(n.Op, l.g.Node(args[len(args)-1]).DType, a[0], a[1], a[2])
}

var fromInt, toInt = lir.Of(lir.FromInt, graph.F32), lir.Of(lir.ToInt, graph.F32)

// castWord lowers a cast of an input, or to an output that nothing else uses, where the machine can do that without a register for
// integers in between.
func (l *lowerer) castWord(id graph.ID) (lir.Val, bool) {
	n, from := l.g.Node(id), l.g.Args(id)[0]
	t := l.g.Node(from).DType
	switch {
	case n.Op == graph.OpToF32 && t == graph.I32 && l.g.Node(from).Op == graph.OpInput && l.m.Ops[fromInt].Valid:
		word := l.homed(lir.Float, l.f.Values[l.ref[from]].Home, 0)
		return l.compute(fromInt, word, 0, 0), true
	case n.Op == graph.OpToI32 && t == graph.F32 && l.uses[id] == 1 && slices.Contains(l.outs, id) && l.m.Ops[toInt].Valid:
		return l.compute(toInt, lir.Val(l.ref[from]), 0, 0), true
	}
	return 0, false
}

// apply lowers an op on scalars of type t, which are 0 where it has fewer.
func (l *lowerer) apply(op graph.Op, t graph.DType, x, y, z lir.Val) lir.Val {
	if unchanged(op, t) {
		return x
	}
	if c, opposite, ok := l.truth(op, t, x, y, z); opposite && ok {
		return l.apply(graph.OpNot, graph.Bool, c, 0, 0)
	} else if ok {
		return c
	}
	if m, ok := l.limited(op, t, x, y); ok {
		d := l.compute(m.op, m.at, m.of, 0)
		if m.addZero {
			d = l.compute(lir.Of(graph.OpAdd, t), d, m.at, 0)
		}
		return d
	}
	return l.compute(lir.Of(op, t), x, y, z)
}

// compute emits an op in the earliest block and returns its result.
func (l *lowerer) compute(op lir.Op, x, y, z lir.Val) lir.Val {
	return l.result(lir.Ins{Op: op, A: x, B: y, C: z})
}

// result is that of an instruction, which it emits in the earliest block.
func (l *lowerer) result(in lir.Ins) lir.Val {
	k := max(l.level[in.A], l.level[in.B], l.level[in.C])
	if k > 0 { // it is behind loops
		for _, v := range in.Args() {
			if v != 0 && l.level[v] != k {
				l.settle(v)
			}
		}
	}
	in.D = l.newVal(lir.ResultClass(in.Op), k)
	l.emit(k, in)
	return in.D
}

// unchanged reports whether an op on operands of type t leaves their words as
// they are: a bool is the integer 0 or 1, an integer its own floor.
func unchanged(op graph.Op, t graph.DType) bool {
	return op == graph.OpStop || op == graph.OpToI32 && t == graph.Bool || op.ResultType(t) == t && !op.Takes(t)
}

func (l *lowerer) sincos(t graph.DType, x lir.Val) (s, c lir.Val) {
	k := l.level[x]
	s, c = l.newVal(lir.ClassOf(t), k), l.newVal(lir.ClassOf(t), k)
	l.emit(k, lir.Ins{Op: lir.Of(lir.SinCos, t), A: x, D: s, E: c})
	return s, c
}

// elementwise lowers an elementwise op on arrays.
func (l *lowerer) elementwise(id graph.ID) error {
	if !l.plan.unrolled[id] {
		return l.mapLoop(id)
	}
	args := l.g.Args(id)
	var lists [3][]lir.Val
	for i, a := range args {
		lists[i] = l.elements(a)
	}
	n := l.g.Node(id)
	count := l.g.Elements(id)
	if err := l.room(count); err != nil {
		return err
	}
	l.reserve(count, count)
	t := l.g.Node(args[len(args)-1]).DType
	other, paired := graph.None, false
	if n.Op == graph.OpSin || n.Op == graph.OpCos {
		other, paired = l.plan.partner[id]
		paired = paired && l.plan.unrolled[other]
	}
	var out, outOther []lir.Val
	for k := range count {
		var a [3]lir.Val
		for i := range args {
			a[i] = lists[i][k]
		}
		if v, ok := l.divided(id, a); ok {
			out = append(out, v)
			continue
		}
		if !paired {
			out = append(out, l.apply(n.Op, t, a[0], a[1], a[2]))
			continue
		}
		s, c := l.sincos(n.DType, a[0])
		if n.Op == graph.OpCos {
			s, c = c, s
		}
		out, outOther = append(out, s), append(outOther, c)
	}
	l.setElems(id, out)
	if paired {
		l.setElems(other, outOther)
	}
	return nil
}

func (l *lowerer) setElems(id graph.ID, vs []lir.Val) {
	l.form[id], l.ref[id] = elems, int32(len(l.pool))
	l.pool = append(l.pool, vs...)
}

// elements are the values of an array's elements, row by row.
func (l *lowerer) elements(id graph.ID) []lir.Val {
	n := l.g.Elements(id)
	switch l.form[id] {
	case scalar:
		return []lir.Val{lir.Val(l.ref[id])}
	case elems:
		return l.pool[l.ref[id] : int(l.ref[id])+n : int(l.ref[id])+n]
	}
	if vs, ok := l.asElems[id]; ok {
		return vs
	}
	vs := make([]lir.Val, n)
	if l.form[id] == splat {
		for i := range vs {
			vs[i] = lir.Val(l.ref[id])
		}
	} else {
		v := &l.views[l.ref[id]]
		c := lir.ClassOf(l.g.Node(id).DType)
		l.reserve(n, 0)
		i := 0
		v.each(l.g.ShapeOf(id), func(at lir.Addr) {
			vs[i] = l.readElement(c, at, v.block)
			i++
		})
	}
	l.asElems[id] = vs
	return vs
}
