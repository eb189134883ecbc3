package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// put is a select between a new row and the array as it was: at one index of an axis, or of several.
type put struct {
	id, row graph.ID
	at      []spot
}

// spot is an index of an axis.
type spot struct {
	index graph.ID
	axis  int
	taken bool // one that counts from the end where it is negative, and is limited, as that of a row which is taken
}

// put reports whether a node puts a row into an array.
func (l *lowerer) put(id graph.ID) (p put, into graph.ID, ok bool) {
	if l.g.Node(id).Op != graph.OpSelect {
		return put{}, 0, false
	}
	args := l.g.Args(id)
	at, ok := l.spots(args[0], len(l.g.ShapeOf(id))-1, l.g.ShapeOf(id))
	if !ok {
		return put{}, 0, false
	}
	for _, s := range at {
		if !l.repeats(args[1], s.axis) {
			return put{}, 0, false
		}
	}
	return put{id: id, row: args[1], at: at}, args[2], true
}

// spots are the indices of different axes at which a condition is true, which goes along axes of a shape:
// one of a single axis along the given one.
func (l *lowerer) spots(at graph.ID, axis int, shape graph.Shape) ([]spot, bool) {
	for move := true; move; {
		from := at
		switch s := l.g.ShapeOf(at); l.g.Node(at).Op {
		case graph.OpBroadcast:
			at = l.g.Args(at)[0]
			if axis = long(l.g.ShapeOf(at)); axis >= 0 {
				axis += len(s) - len(l.g.ShapeOf(at))
			}
		case graph.OpReshape:
			at = l.g.Args(at)[0]
		}
		move = at != from && axis >= 0
	}
	sides := l.g.Args(at)
	if l.g.Node(at).Op == graph.OpAnd && l.g.ShapeOf(at).Equal(shape) {
		a, first := l.spots(sides[0], len(shape)-1, shape)
		b, second := l.spots(sides[1], len(shape)-1, shape)
		for _, s := range a {
			second = second && !slices.ContainsFunc(b, func(o spot) bool { return o.axis == s.axis })
		}
		return append(a, b...), first && second
	}
	if axis < 0 || l.g.Node(at).Op != graph.OpEq || l.g.Node(at).Shape == graph.Scalar {
		return nil, false
	}
	n := l.g.Elements(at)
	if n != shape[axis] {
		return nil, false
	}
	for i, side := range sides {
		if l.counts(side, n) {
			if index, ok := l.everywhere(sides[1-i]); ok {
				s := spot{index: index, axis: axis}
				if of, ok := l.asTaken(index, n); ok {
					s = spot{of, axis, true}
				}
				return []spot{s}, true
			}
		}
	}
	return nil, false
}

// repeats reports whether an array is the same at every index of an axis.
func (l *lowerer) repeats(id graph.ID, axis int) bool {
	switch n := l.g.Node(id); n.Op {
	case graph.OpBroadcast:
		from := l.g.ShapeOf(l.g.Args(id)[0])
		axis += len(from) - len(l.g.ShapeOf(id))
		return axis < 0 || from[axis] == 1
	case graph.OpConst:
		words := l.g.ConstBits(id)
		for i, w := range words {
			if w != words[i%n.DType.Words()] {
				return false
			}
		}
		return true
	}
	return false
}

// long is the only axis of more than one row, or -1.
func long(s graph.Shape) int {
	axis := -1
	for i, d := range s {
		if d == 1 {
			continue
		}
		if axis >= 0 {
			return -1
		}
		axis = i
	}
	return axis
}

// counts reports whether a node is 0, 1, ... n-1.
func (l *lowerer) counts(id graph.ID, n int) bool {
	node := l.g.Node(id)
	if node.Op != graph.OpConst || node.DType != graph.I32 || l.g.Elements(id) != n {
		return false
	}
	for i, w := range l.g.ConstBits(id) {
		if int(w) != i {
			return false
		}
	}
	return true
}

// asTaken finds the index whose row, of n, a number is as a row is taken: min(max(index + n if index < 0 else index, 0), n - 1).
func (l *lowerer) asTaken(id graph.ID, n int) (index graph.ID, ok bool) {
	low, ok := l.beside(id, graph.OpMin, n-1)
	if !ok {
		return 0, false
	}
	choice, ok := l.beside(low, graph.OpMax, 0)
	if !ok || l.g.Node(choice).Op != graph.OpSelect {
		return 0, false
	}
	args := l.g.Args(choice)
	index = args[2]
	negative, from := l.g.Node(args[0]), l.g.Args(args[0])
	fromEnd, ok := l.beside(args[1], graph.OpAdd, n)
	return index, ok && fromEnd == index && negative.Op == graph.OpLt && from[0] == index && l.isInt(from[1], 0)
}

// beside is what an op of a number and a constant has beside the constant.
func (l *lowerer) beside(id graph.ID, op graph.Op, constant int) (graph.ID, bool) {
	if l.g.Node(id).Op != op {
		return 0, false
	}
	args := l.g.Args(id)
	for i, a := range args {
		if l.isInt(a, constant) {
			return args[1-i], true
		}
	}
	return 0, false
}

// isInt reports whether a node is a constant integer.
func (l *lowerer) isInt(id graph.ID, n int) bool {
	a := l.g.Node(id)
	return a.Op == graph.OpConst && a.DType == graph.I32 && a.Shape == graph.Scalar && int(int32(uint32(a.Word()))) == n
}

// everywhere is the number that all elements of an array are.
func (l *lowerer) everywhere(id graph.ID) (graph.ID, bool) {
	for op := l.g.Node(id).Op; op == graph.OpBroadcast || op == graph.OpReshape; op = l.g.Node(id).Op {
		id = l.g.Args(id)[0]
	}
	return id, l.g.Node(id).Shape == graph.Scalar && l.g.Node(id).DType == graph.I32
}

// putRow copies a row to its place in a whole array. At an index that no row has, the row that is nearest
// to it stays as it is.
func (l *lowerer) putRow(p put, row, to, whole view, shape graph.Shape, t graph.DType, loop int32) {
	offset, fits := l.placeOfPut(p, whole)
	first := l.newVal(lir.Int, l.level[offset])
	l.emit(l.level[offset], lir.Ins{Op: lir.Of(lir.Address, graph.I32), D: first, Imm: uint32(whole.at)})
	ptr := l.apply(graph.OpAdd, graph.I32, offset, first, 0)
	l.settle(ptr)
	from, out := stream{t: t, at: row.at, strides: row.bytes()}, stream{t: t, ptr: ptr, strides: to.bytes()}
	if fits == 0 {
		l.copyStream(from, out, shape, max(loop, l.level[ptr]+1))
		return
	}
	l.settle(fits)
	nest := &nest{l: l, dims: shape, loop: max(loop, l.level[ptr]+1, l.level[fits]+1)}
	source, target := nest.add(from), nest.addWritten(out)
	nest.collapse(0)
	nest.place(nest.around(func() []lir.Item {
		return nest.rowMap(&expr{steps: []step{{op: graph.OpSelect, t: t}}}, func(b *body, e int) {
			b.store(target, e, b.apply(graph.OpSelect, t, [3]lir.Val{b.uniform(fits), b.load(source, e), b.load(target, e)}))
		})
	}))
}

// placeOfPut is the offset of the row that is put in a whole array, and whether that is the row that is meant and not the nearest one; 0:
// it always is.
func (l *lowerer) placeOfPut(p put, whole view) (offset, fits lir.Val) {
	for _, s := range p.at {
		n := l.g.ShapeOf(p.id)[s.axis]
		index, b := lir.Val(l.ref[s.index]), l.bounds(s.index)
		nearest := place{rows: n, low: b.low < 0, high: b.high >= int64(n)}
		if s.taken {
			nearest = l.placeOf(s.index, n)
		}
		offset = l.together(offset, nearest.scaled(l, index, whole.size*whole.strides[s.axis]))
		if s.taken || !nearest.low && !nearest.high {
			continue
		}
		fit := l.apply(graph.OpEq, graph.I32, index, l.whole(nearest, index), 0)
		if fits != 0 {
			fit = l.apply(graph.OpAnd, graph.Bool, fits, fit, 0)
		}
		fits = fit
	}
	return offset, fits
}
