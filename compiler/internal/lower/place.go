package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// placeOf is the place of the first of the largest or smallest elements of each line, which
// scripts write as the least index of those elements that equal the extreme, or are NaN.
type placeOf struct {
	of   graph.ID // the array
	axis int      // along which lines go; -1: it is one line
	op   lir.Op   // the kernel
}

// planPlaces finds such places where a kernel does for all their nodes, which are needed no
// more. Vectors are faster.
func (l *lowerer) planPlaces() {
	if l.m.Lanes > 0 || !l.m.Ops[lir.Of(lir.LargestFloat, graph.I32)].Valid {
		return
	}
	for id := graph.ID(l.g.NumNodes() - 1); id >= 0; id-- {
		n := l.g.Node(id)
		if n.Op != graph.OpAMin || n.DType != graph.I32 || l.uses[id] == 0 || l.plan.unrolled[id] || l.terms(id) < lir.ShortestLine {
			continue
		}
		p, ok := l.placeAt(id)
		if !ok {
			continue
		}
		if l.plan.places == nil {
			l.plan.places = map[graph.ID]placeOf{}
		}
		l.plan.places[id] = p
		l.uses[p.of]++
		l.release(l.g.Args(id)[0])
	}
}

// release takes a use away from a node, and from its operands if that was the last one.
func (l *lowerer) release(id graph.ID) {
	if l.uses[id]--; l.uses[id] > 0 {
		return
	}
	for _, a := range l.g.Args(id) {
		l.release(a)
	}
}

// placeAt reads what the least of integers is the place of.
func (l *lowerer) placeAt(id graph.ID) (p placeOf, ok bool) {
	choice := l.g.Args(id)[0]
	if l.g.Node(choice).Op != graph.OpSelect {
		return p, false
	}
	args := l.g.Args(choice)
	p.axis = l.axisOf(id)
	if !l.countsAlong(args[1], choice, p.axis) || !l.atLeast(args[2], l.terms(id)-1) {
		return p, false
	}
	found, other := args[0], graph.None
	if l.g.Node(found).Op == graph.OpOr {
		found, other = l.g.Args(found)[0], l.g.Args(found)[1]
		if l.g.Node(found).Op != graph.OpEq {
			found, other = other, found
		}
	}
	if l.g.Node(found).Op != graph.OpEq {
		return p, false
	}
	for k, x := range l.g.Args(found) {
		t := l.g.Node(x).DType
		ops, known := map[graph.DType][2]graph.Op{
			graph.F32: {lir.LargestFloat, lir.SmallestFloat}, graph.I32: {lir.LargestInt, lir.SmallestInt},
		}[t]
		e := l.extremeOf(l.g.Args(found)[1-k], x, p.axis)
		// Without NaNs among what is sought there is no place for a line that has one.
		if !known || e == graph.None || other == graph.None && t.IsFloat() || other != graph.None && !l.isNaN(other, x) {
			continue
		}
		p.of, p.op = x, lir.Of(ops[0], graph.I32)
		if l.g.Node(e).Op == graph.OpAMin {
			p.op = lir.Of(ops[1], graph.I32)
		}
		return p, true
	}
	return p, false
}

// axisOf is the axis of a reduction, -1 for all elements in a row.
func (l *lowerer) axisOf(id graph.ID) int {
	if len(l.g.ShapeOf(l.g.Args(id)[0])) == 1 {
		return 0
	}
	return l.g.Node(id).Axis()
}

// isNaN reports whether a node is x != x.
func (l *lowerer) isNaN(id, x graph.ID) bool {
	args := l.g.Args(id)
	return l.g.Node(id).Op == graph.OpNe && args[0] == x && args[1] == x
}

// beneath is the node of which others are broadcasts.
func (l *lowerer) beneath(id graph.ID) graph.ID {
	for l.g.Node(id).Op == graph.OpBroadcast {
		id = l.g.Args(id)[0]
	}
	return id
}

// goesAlong reports whether an array, broadcast to a shape, has n elements along an axis and is the same along
// all others: axis -1 is all of the shape in a row.
func goesAlong(own, shape graph.Shape, axis int) bool {
	if axis < 0 {
		return slices.Equal(own, shape)
	}
	for i := range own {
		to := len(shape) - len(own) + i
		if to < 0 || to == axis && own[i] != shape[axis] || to != axis && own[i] != 1 {
			return false
		}
	}
	return len(own) >= len(shape)-axis
}

// countsAlong reports whether a node is 0, 1, 2 ... along an axis of the shape of another one.
func (l *lowerer) countsAlong(id, as graph.ID, axis int) bool {
	id = l.beneath(id)
	return goesAlong(l.g.ShapeOf(id), l.g.ShapeOf(as), axis) && l.counts(id, l.g.Elements(id))
}

// atLeast reports whether a node is a constant that is not less than n anywhere.
func (l *lowerer) atLeast(id graph.ID, n int) bool {
	id = l.beneath(id)
	return l.g.Node(id).Op == graph.OpConst && l.constantBounds(id).low >= int64(n)
}

// extremeOf is the largest or the smallest of x along an axis, of which id has a copy for each
// element; None if it has something else.
func (l *lowerer) extremeOf(id, x graph.ID, axis int) graph.ID {
	shape := l.g.ShapeOf(x)
	id = l.beneath(id)
	one := l.g.Elements(id) == 1
	if !one && axis < 0 {
		return graph.None
	}
	if own := l.g.ShapeOf(id); !one {
		kept := slices.Clone(shape)
		kept[axis] = 1
		if !slices.Equal(own, kept) && (axis > 0 || !slices.Equal(own, shape[1:])) {
			return graph.None
		}
	}
	id = l.unshaped(id)
	n := l.g.Node(id)
	if n.Op != graph.OpAMax && n.Op != graph.OpAMin {
		return graph.None
	}
	of := l.g.Args(id)[0]
	switch {
	case of == x && l.axisOf(id) == axis:
	case one && l.terms(id) == l.g.Elements(x) && l.unshaped(of) == l.unshaped(x):
	default:
		return graph.None
	}
	return id
}

// unshaped is the node of which others are reshapes.
func (l *lowerer) unshaped(id graph.ID) graph.ID {
	for l.g.Node(id).Op == graph.OpReshape {
		id = l.g.Args(id)[0]
	}
	return id
}

// places lowers such a node, a call of the kernel for each line.
func (l *lowerer) places(id graph.ID, p placeOf) {
	shape := l.g.ShapeOf(p.of)
	v := l.view(p.of)
	if p.axis >= 0 { // lines as the last axis
		order := append(slices.Delete(counted(len(shape)), p.axis, p.axis+1), p.axis)
		strides, dims := make([]int, len(order)), make(graph.Shape, len(order))
		for i, a := range order {
			strides[i], dims[i] = v.strides[a], shape[a]
		}
		v.strides, shape = strides, dims
	}
	if !v.contiguous(shape) {
		v = l.copyView(v, shape, l.g.Node(p.of).DType)
	}
	n := l.terms(id)
	c := &placeCall{l: l, op: p.op, n: n, from: v.at, lines: shape.Elements() / n}
	c.to = l.f.Data.Room(c.lines + 1) // of each line, the place lies before the number of elements
	k := max(v.loop, 1)
	l.placeAfter(k, c.items()...)
	if own := l.g.ShapeOf(id); len(own) > 0 {
		l.setView(id, view{at: c.to, size: 4, strides: rowMajor(own), loop: k, block: k})
		return
	}
	l.form[id], l.ref[id] = scalar, int32(l.homed(lir.Int, c.to, k))
}

// counted is 0, 1, ... n-1.
func counted(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// placeCall makes the code around the calls.
type placeCall struct {
	l        *lowerer
	op       lir.Op
	n, lines int
	from, to lir.Addr
	ins      []lir.Ins
}

func (c *placeCall) items() []lir.Item {
	n := c.l.word(uint64(c.n), lir.Int)
	if c.lines == 1 {
		c.emit(lir.Ins{Op: lir.Of(lir.Store, graph.I32), A: n, Imm: uint32(c.to.Plus(4))})
		prepare := c.ins
		c.ins = nil
		c.call(c.address(c.from), c.address(c.to))
		return []lir.Item{{Block: &lir.Block{Ins: prepare}}, {Block: &lir.Block{Ins: c.ins}}}
	}
	slot := c.l.f.Data.Slot()
	line := c.l.homed(lir.Int, slot, local) // 4 bytes for each
	c.emit(lir.Ins{Op: lir.Of(lir.StoreAt, graph.I32), A: n, B: c.binary(graph.OpAdd, c.address(c.to), line), Imm: 4})
	prepare := c.ins
	c.ins = nil
	c.call(c.binary(graph.OpAdd, c.address(c.from), c.binary(graph.OpMul, line, n)), c.binary(graph.OpAdd, c.address(c.to), line))
	return []lir.Item{{Loop: &lir.Loop{
		Body: []lir.Item{{Block: &lir.Block{Ins: prepare}}, {Block: &lir.Block{Ins: c.ins}}},
		Step: 4, Length: int32(4 * c.lines), Counter: slot,
	}}}
}

func (c *placeCall) emit(in lir.Ins) {
	c.ins = append(c.ins, in)
	c.l.ops++
}

func (c *placeCall) give(in lir.Ins) lir.Val {
	in.D = c.l.newVal(lir.Int, local)
	c.emit(in)
	return in.D
}

func (c *placeCall) address(a lir.Addr) lir.Val {
	return c.give(lir.Ins{Op: lir.Of(lir.Address, graph.I32), Imm: uint32(a)})
}

func (c *placeCall) binary(op graph.Op, a, b lir.Val) lir.Val {
	return c.give(lir.Ins{Op: lir.Of(op, graph.I32), A: a, B: b})
}

func (c *placeCall) call(from, to lir.Val) {
	c.emit(lir.Ins{Op: c.op, A: from, B: to, Imm: uint32(c.n)})
}
