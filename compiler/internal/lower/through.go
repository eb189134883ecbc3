package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Where all that is done with a row at an index is to take a row or element of it at another one, as
// x[i, j] does, the row is left where it lies, and the offsets of both are added.

// planThrough finds such rows.
func (l *lowerer) planThrough() {
	if !l.g.Has(graph.OpTake) {
		return
	}
	taken := map[graph.ID]int32{}
	for id := range graph.ID(l.g.NumNodes()) {
		if l.uses[id] > 0 && l.takesRow(id) {
			if from := l.g.Args(id)[0]; l.takesRow(from) {
				taken[from]++
			}
		}
	}
	for id, n := range taken {
		if n == l.uses[id] {
			if l.through == nil {
				l.through, l.passed = map[graph.ID]bool{}, map[graph.ID]bool{}
			}
			l.through[id] = true
		}
	}
}

// takesRow reports whether a node takes a row, or an element, at one index.
func (l *lowerer) takesRow(id graph.ID) bool {
	return l.g.Node(id).Op == graph.OpTake && l.g.Node(l.g.Args(id)[1]).Shape == graph.Scalar
}

// passes reports whether a row is left where it lies: in memory.
func (l *lowerer) passes(id graph.ID) bool {
	if !l.through[id] {
		return false
	}
	from := l.g.Args(id)[0]
	return l.passed[from] || l.form[from] != splat && !l.chooses(from)
}

// takeThrough takes a row of a row.
func (l *lowerer) takeThrough(id graph.ID) error {
	from, by := l.g.Args(id)[0], []graph.ID{l.g.Args(id)[1]}
	for l.passed[from] {
		args := l.g.Args(from)
		from, by = args[0], append([]graph.ID{args[1]}, by...)
	}
	shape := l.g.ShapeOf(from)
	v, block := l.table(from)
	for _, step := range v.strides[:len(by)] {
		if step < 0 { // offsets are added to the place of the lowest row
			v = l.copyView(v, shape, l.g.Node(id).DType)
			block = v.block
			break
		}
	}
	row := view{at: v.at, size: v.size, strides: v.strides[len(by):], loop: v.loop}
	var offset lir.Val
	for axis, index := range by {
		step := v.size * v.strides[axis]
		if step == 0 {
			continue
		}
		index, p := l.ahead(index, l.placeOf(index, shape[axis]))
		row.at = row.at.Plus(p.ahead * step)
		offset = l.together(offset, p.scaled(l, lir.Val(l.ref[index]), step))
	}
	own, t := l.g.ShapeOf(id), l.g.Node(id).DType
	switch {
	case len(own) > 0 && !l.plan.unrolled[id]:
		l.copyBehind(id, row, offset)
		return nil
	case offset == 0:
		var vs []lir.Val
		row.each(own, func(at lir.Addr) { vs = append(vs, l.readElement(lir.ClassOf(t), at, block)) })
		l.setAll(id, vs)
	default:
		l.setAll(id, l.loadBehind(row, block, offset, own, t))
	}
	return nil
}

// together is the sum of two offsets, which is made once; 0 is none.
func (l *lowerer) together(a, b lir.Val) lir.Val {
	if a == 0 {
		return b
	}
	sum, ok := l.sums[[2]lir.Val{a, b}]
	if !ok {
		if sum = l.apply(graph.OpAdd, graph.I32, a, b, 0); l.sums == nil {
			l.sums = map[[2]lir.Val]lir.Val{}
		}
		l.sums[[2]lir.Val{a, b}] = sum
	}
	return sum
}
