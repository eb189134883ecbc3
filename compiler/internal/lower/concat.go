package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// part is where an array lies in a concatenation that alone reads it.
type part struct {
	of     graph.ID
	before int // elements in front of it
}

// planParts finds the arrays that loops can write where a concatenation has them.
func (l *lowerer) planParts() {
	for id := range graph.ID(l.g.NumNodes()) {
		if l.g.Node(id).Op != graph.OpConcat || l.uses[id] == 0 || l.plan.unrolled[id] || l.plan.woven[id] != nil {
			continue
		}
		before := 0
		for _, a := range l.g.Args(id) {
			if l.uses[a] == 1 {
				if l.plan.parts == nil {
					l.plan.parts = map[graph.ID]part{}
				}
				l.plan.parts[a] = part{id, before}
			}
			before += l.g.Elements(a)
		}
	}
}

// roomFor is where loops write a node: an array of its own, or a part of a concatenation.
func (l *lowerer) roomFor(id graph.ID) view {
	shape, t := l.g.ShapeOf(id), l.g.Node(id).DType
	p, ok := l.plan.parts[id]
	if !ok || l.form[p.of] != absent {
		if l.m.Lanes > 0 && t.Words() == 1 && len(shape) > 1 && shape[len(shape)-1] == shortRow {
			return view{at: l.f.Data.Room(shape.Elements() + 1), size: graph.WordSize, strides: rowMajor(shape), loop: 1, spare: true}
		}
		return l.newArray(shape, t)
	}
	whole, ok := l.wholes[p.of]
	if !ok {
		whole = l.newArray(l.g.ShapeOf(p.of), t)
		l.wholes[p.of] = whole
	}
	return view{at: whole.at.Plus(whole.size * p.before), size: whole.size, strides: rowMajor(shape), loop: 1}
}

func (l *lowerer) concat(id graph.ID) {
	args := l.g.Args(id)
	if rows := l.plan.woven[id]; rows != nil {
		l.weave(id, rows)
		return
	}
	if l.plan.unrolled[id] {
		var vs []lir.Val
		for _, a := range args {
			vs = append(vs, l.elements(a)...)
		}
		l.setElems(id, vs)
		return
	}
	if v, ok := l.inRows(args); ok {
		l.setView(id, v)
		return
	}
	shape, n := l.g.ShapeOf(id), l.g.Node(id)
	out, ok := l.wholes[id]
	if !ok {
		out = l.newArray(shape, n.DType)
	}
	at := out.at
	for _, a := range args {
		part := l.g.ShapeOf(a)
		if part.Elements() == 0 {
			continue
		}
		if l.form[a] == elems {
			for i, x := range l.elements(a) {
				l.writeElement(x, at.Plus(out.size*i))
				out.loop, out.block = max(out.loop, l.level[x]+1), max(out.block, l.level[x])
			}
		} else {
			v := l.view(a)
			k := v.loop
			if v.at != at { // it is not there already
				k = l.copyTo(v, part, at, n.DType)
			}
			out.loop, out.block = max(out.loop, k), max(out.block, k)
		}
		at = at.Plus(out.size * part.Elements())
	}
	l.setView(id, out)
}

// inRows is the view of arrays one after the other whose rows lie in memory at equal distances already,
// as those of a delay line do.
func (l *lowerer) inRows(args []graph.ID) (v view, ok bool) {
	var last lir.Addr // row
	known := false    // the distance is
	for _, a := range args {
		if l.form[a] != memory {
			return v, false
		}
		part, n := l.view(a), l.g.ShapeOf(a)[0]
		if n == 0 {
			continue
		}
		if !ok {
			v, ok = part, true
			v.strides = slices.Clone(part.strides)
			known = n > 1
		} else {
			step := (int(part.at) - int(last)) / v.size
			if !known {
				v.strides[0], known = step, true
			}
			if part.at.Region() != v.at.Region() || !slices.Equal(part.strides[1:], v.strides[1:]) ||
				step != v.strides[0] || n > 1 && part.strides[0] != step || last.Plus(step*v.size) != part.at {
				return v, false
			}
		}
		last = part.at.Plus((n - 1) * v.strides[0] * v.size)
		v.loop, v.block = max(v.loop, part.loop), max(v.block, part.block)
	}
	return v, ok
}
