package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// lanes is the width of the tree of graph.LaneTree.
const lanes = 8

// combines is the op by which a reduction makes one of two terms.
func combines(op graph.Op) graph.Op {
	switch op {
	case graph.OpAMax:
		return graph.OpMax
	case graph.OpAMin:
		return graph.OpMin
	}
	return graph.OpAdd
}

// neutral is the bits to start a lane from: op with it gives exactly the term.
// For sums of floats that is -0, since +0 would lose the sign of a first term -0.
func neutral(op graph.Op, t graph.DType) uint64 {
	lowest := uint64(1 << 31)
	if t.IsFloat() {
		lowest = infinity(t) | signBit(t)
	}
	switch {
	case op == graph.OpMax:
		return lowest
	case op == graph.OpMin && t.IsFloat():
		return infinity(t)
	case op == graph.OpMin:
		return lowest - 1
	}
	switch t {
	case graph.F32:
		return 1 << 31
	case graph.F64:
		return 1 << 63
	}
	return 0
}

// tree adds terms in the order of graph.LaneTree if it has eight lanes. lane holds the sums
// so far of the lanes that have terms, n of them in all. Where the order of terms is free,
// and the number of lanes with it, add is another op than an addition.
type tree struct {
	add   func(a, b lir.Val) lir.Val
	lanes int
	lane  [lanes]lir.Val
	n     int // terms so far
}

func (t *tree) term(v lir.Val) {
	j := t.n % t.lanes
	if t.n >= t.lanes {
		v = t.add(t.lane[j], v)
	}
	t.lane[j] = v
	t.n++
}

// sum combines the lanes. There must be a term.
func (t *tree) sum() lir.Val {
	for w := t.lanes / 2; w > 0; w /= 2 {
		for j := 0; j < w && j+w < t.n; j++ {
			t.lane[j] = t.add(t.lane[j], t.lane[j+w])
		}
	}
	return t.lane[0]
}

// reduction lowers sum, amax, amin, dot and matmul.
func (l *lowerer) reduction(id graph.ID) error {
	if p, ok := l.plan.places[id]; ok {
		l.places(id, p)
		return nil
	}
	if !l.plan.unrolled[id] {
		return l.reduceLoop(id)
	}
	n, args := l.g.Node(id), l.g.Args(id)
	t := n.DType
	shape := l.g.ShapeOf(id)
	terms := l.terms(id)
	if terms == 0 {
		zero := l.word(0, lir.ClassOf(t))
		if len(shape) == 0 {
			l.form[id], l.ref[id] = scalar, int32(zero)
			return nil
		}
		l.form[id], l.ref[id] = splat, int32(zero)
		return nil
	}
	if err := l.room(shape.Elements() * terms); err != nil {
		return err
	}
	ops := shape.Elements() * terms * len(args)
	l.reserve(ops, ops)
	// Every operand as elements with a view of their indices over the domain: the
	// axes of the result, then that of the terms.
	domain := l.domain(id)
	var lists [2][]lir.Val
	for i, a := range args {
		lists[i] = l.elements(a)
	}
	var out []lir.Val
	index := make([]int, len(shape))
	for range shape.Elements() {
		sum := tree{lanes: lanes, add: func(a, b lir.Val) lir.Val { return l.apply(combines(n.Op), t, a, b, 0) }}
		for k := range terms {
			v := lists[0][domain.at(0, index, k)]
			if len(args) == 2 {
				v = l.apply(graph.OpMul, t, v, lists[1][domain.at(1, index, k)], 0)
			}
			sum.term(v)
		}
		out = append(out, sum.sum())
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
	}
	if len(shape) == 0 {
		l.form[id], l.ref[id] = scalar, int32(out[0])
		return nil
	}
	l.setElems(id, out)
	return nil
}

// domain says how the operands of a reduction are walked: element
// (i0, i1, ..., k) of the domain, k counting terms, is at the sum of index times
// stride in the operand's shape, row-major. Operand strides are given through
// the axes of the operand: axis[i][d] is the axis of operand i that domain axis d
// follows, -1 for none.
type domain struct {
	axis    [2][]int
	strides [2][]int // row-major strides of the operand by domain axis
}

func (d *domain) at(operand int, index []int, k int) int {
	s := d.strides[operand]
	at := k * s[len(s)-1]
	for i, x := range index {
		at += x * s[i]
	}
	return at
}

// flat is the axis list of an operand that is walked as one row of elements.
var flat = []int(nil)

// domain describes a reduction node. For the sum over all elements of an array
// of several axes, axis[0] is flat.
func (l *lowerer) domain(id graph.ID) domain {
	n, args := l.g.Node(id), l.g.Args(id)
	a := l.g.ShapeOf(args[0])
	var d domain
	switch {
	case n.Op == graph.OpDot:
		d.axis = [2][]int{{0}, {0}}
	case n.Op != graph.OpMatMul && n.Axis() < 0 && len(a) != 1:
		d.axis[0] = flat
		d.strides[0] = []int{1}
		return d
	case n.Op != graph.OpMatMul:
		axis := max(n.Axis(), 0)
		for i := range a {
			if i != axis {
				d.axis[0] = append(d.axis[0], i)
			}
		}
		d.axis[0] = append(d.axis[0], axis)
	case len(a) == 1:
		d.axis = [2][]int{{-1, 0}, {1, 0}}
	case len(l.g.ShapeOf(args[1])) == 1:
		d.axis = [2][]int{{0, 1}, {-1, 0}}
	default:
		d.axis = [2][]int{{0, -1, 1}, {-1, 1, 0}}
	}
	for i, arg := range args {
		d.strides[i] = pick(rowMajor(l.g.ShapeOf(arg)), d.axis[i])
	}
	return d
}

// pick are the strides of the given axes, 0 for axis -1.
func pick(strides, axes []int) []int {
	out := make([]int, len(axes))
	for i, a := range axes {
		if a >= 0 {
			out[i] = strides[a]
		}
	}
	return out
}
