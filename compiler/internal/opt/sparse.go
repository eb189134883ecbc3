package opt

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

var products = map[graph.Op]rule{
	graph.OpMatMul: dropZeroTerms,
	graph.OpDot:    dropZeroTerms,
}

// Bounds of products that are taken apart into scalars: elements of an operand,
// terms looked at, and terms left.
const (
	maxOperand = 1 << 14
	maxTerms   = 1 << 20
	maxSparse  = 1 << 12
)

// dropZeroTerms computes only those terms of a product of matrices that are not
// known to be zero, if they are at most half of all. For integers that is exact;
// for floats a term could be NaN and the order of the sum changes.
func dropZeroTerms(o *pass, n node) (graph.ID, bool) {
	a, b := n.args[0], n.args[1]
	if n.t.IsFloat() && !o.fast || max(o.to.Elements(a), o.to.Elements(b)) > maxOperand ||
		!o.hasZeros(a) && !o.hasZeros(b) || o.mayRaise(a) || o.mayRaise(b) {
		return none()
	}
	sa, sb := o.to.ShapeOf(a), o.to.ShapeOf(b)
	inner := sb[0]
	rows, columns := sa[:len(sa)-1].Elements(), sb[1:].Elements()
	if rows*columns*inner > maxTerms {
		return none()
	}
	left, right := o.zerosOf(a), o.zerosOf(b)
	type term struct{ at, x, y int }
	var terms []term
	for at := range rows * columns {
		i, j := at/columns, at%columns
		for k := range inner {
			x, y := i*inner+k, k*columns+j
			if !left[x] && !right[y] {
				terms = append(terms, term{at, x, y})
			}
		}
	}
	if len(terms) > maxSparse || 2*len(terms) > rows*columns*inner {
		return none()
	}
	sums := make([]graph.ID, rows*columns)
	zero := o.filled(n.t, graph.Scalar, 0)
	for i := range sums {
		sums[i] = graph.None
	}
	scalar := node{shape: graph.Scalar}
	for _, t := range terms {
		p, _ := o.make(scalar, graph.OpMul, n.t, o.elementAt(a, t.x), o.elementAt(b, t.y))
		if s := sums[t.at]; s != graph.None {
			p, _ = o.make(scalar, graph.OpAdd, n.t, s, p)
		}
		sums[t.at] = p
	}
	for i, s := range sums {
		if s == graph.None {
			sums[i] = zero
		}
	}
	if n.shape == graph.Scalar {
		return keep(sums[0])
	}
	return o.arranged(sums, n.shape)
}

// arranged makes an array of scalars.
func (o *pass) arranged(elems []graph.ID, s graph.ShapeID) (graph.ID, bool) {
	values := make([]graph.Value, len(elems))
	for i, e := range elems {
		values[i] = o.to.Value(e)
	}
	v, err := o.to.Stack(values...)
	if err == nil {
		v, err = o.to.Reshape(v, o.to.Shape(s))
	}
	if err != nil {
		return none()
	}
	return keep(v.ID())
}

func (o *pass) isZero(id graph.ID) bool {
	w, ok := o.known(id)
	t := o.to.Node(id).DType
	return ok && (w == 0 || t.IsFloat() && w == signBit(t))
}

// hasZeros reports whether elements of an array are, or may turn out to be, known
// zeros. Answers are kept: the same array may be reached on very many ways.
func (o *pass) hasZeros(id graph.ID) bool {
	has, seen := o.zeros[id]
	if !seen {
		has = o.findZeros(id)
		if o.zeros == nil {
			o.zeros = map[graph.ID]bool{}
		}
		o.zeros[id] = has
	}
	return has
}

func (o *pass) findZeros(id graph.ID) bool {
	if o.isZero(id) {
		return true
	}
	args := o.to.Args(id)
	switch n := o.to.Node(id); n.Op {
	case graph.OpConst:
		words := o.to.ConstBits(id)
		for i := range len(words) / n.DType.Words() {
			if n.DType.At(words, i) == 0 {
				return true
			}
		}
		return false
	case graph.OpStack:
		return slices.ContainsFunc(args, o.isZero)
	case graph.OpSelect:
		return o.to.IsConst(args[0]) && (o.hasZeros(args[1]) || o.hasZeros(args[2]))
	case graph.OpMul:
		return o.hasZeros(args[0]) || o.hasZeros(args[1])
	case graph.OpReshape, graph.OpTranspose, graph.OpBroadcast, graph.OpToF32, graph.OpToF64:
		return o.hasZeros(args[0])
	}
	return false
}

// zerosOf tells which elements of an array are known zeros, row by row, without
// making the nodes that elementAt makes. Answers are kept.
func (o *pass) zerosOf(id graph.ID) []bool {
	out, seen := o.zeroSets[id]
	if seen {
		return out
	}
	out = make([]bool, o.to.Elements(id))
	if o.hasZeros(id) {
		o.findZeroSet(id, out)
	}
	if o.zeroSets == nil {
		o.zeroSets = map[graph.ID][]bool{}
	}
	o.zeroSets[id] = out
	return out
}

func (o *pass) findZeroSet(id graph.ID, out []bool) {
	n, args := o.to.Node(id), o.to.Args(id)
	var at func(i int) bool
	switch n.Op {
	case graph.OpStack:
		at = func(i int) bool { return o.isZero(args[i]) }
	case graph.OpConst:
		words := o.to.ConstBits(id)
		at = func(i int) bool {
			w := n.DType.At(words, i)
			return w == 0 || n.DType.IsFloat() && w == signBit(n.DType)
		}
	case graph.OpReshape, graph.OpTranspose, graph.OpBroadcast:
		from := o.zerosOf(args[0])
		at = func(i int) bool { _, j, _ := o.cameFrom(id, i); return from[j] }
	case graph.OpToF32, graph.OpToF64:
		from := o.zerosOf(args[0])
		at = func(i int) bool { return from[i] }
	case graph.OpMul:
		if n.DType != graph.I32 && !o.all && !n.Fast {
			return
		}
		a, b := o.zerosOf(args[0]), o.zerosOf(args[1])
		at = func(i int) bool { return a[i] || b[i] }
	case graph.OpSelect:
		if !o.to.IsConst(args[0]) {
			return
		}
		taken := o.to.ConstBits(args[0])
		a, b := o.zerosOf(args[1]), o.zerosOf(args[2])
		at = func(i int) bool { return taken[i] != 0 && a[i] || taken[i] == 0 && b[i] }
	default:
		return
	}
	for i := range out {
		out[i] = at(i)
	}
}

// cameFrom finds the element that an op which only moves elements has put at i.
func (o *pass) cameFrom(id graph.ID, i int) (from graph.ID, j int, ok bool) {
	n := o.to.Node(id)
	switch n.Op {
	case graph.OpReshape:
		j = i
	case graph.OpTranspose:
		s := o.to.Shape(n.Shape)
		j = i%s[1]*s[0] + i/s[1]
	case graph.OpBroadcast:
		j = repeatedFrom(o.to.ShapeOf(o.to.Args(id)[0]), o.to.Shape(n.Shape), i)
	default:
		return graph.None, 0, false
	}
	return o.to.Args(id)[0], j, true
}

// element names an element of an array.
type element struct {
	array graph.ID
	at    int
}

// elementAt is the scalar that is element i of an array.
func (o *pass) elementAt(id graph.ID, i int) graph.ID {
	e, seen := o.scalars[element{id, i}]
	if !seen {
		e = o.findElement(id, i)
		if o.scalars == nil {
			o.scalars = map[element]graph.ID{}
		}
		o.scalars[element{id, i}] = e
	}
	return e
}

// findElement looks through the ops that hasZeros knows.
func (o *pass) findElement(id graph.ID, i int) graph.ID {
	n, args := *o.to.Node(id), o.to.Args(id)
	if n.Shape == graph.Scalar {
		return id
	}
	if from, j, ok := o.cameFrom(id, i); ok {
		return o.elementAt(from, j)
	}
	switch n.Op {
	case graph.OpConst:
		return o.to.ConstWord(n.DType, n.DType.At(o.to.ConstBits(id), i)).ID()
	case graph.OpStack:
		return args[i]
	case graph.OpMul, graph.OpSelect, graph.OpToF32, graph.OpToF64:
		list := make([]graph.ID, 0, 3)
		for _, a := range slices.Clone(args) {
			list = append(list, o.elementAt(a, i))
		}
		fast := o.fast
		o.fast = o.all || n.Fast // as the array, not as the product that asks for its elements
		e, _ := o.make(node{shape: graph.Scalar}, n.Op, n.DType, list...)
		o.fast = fast
		return e
	}
	flat, err := o.to.Reshape(o.to.Value(id), graph.Shape{o.to.Elements(id)})
	if err == nil {
		flat, err = o.to.Index(flat, i)
	}
	if err != nil {
		panic(err) // the index is within the shape
	}
	return flat.ID()
}

// repeatedFrom is the element of an array of shape from that stands at element i
// of its repetition to shape to.
func repeatedFrom(from, to graph.Shape, i int) int {
	at, stride := 0, 1
	for axis := len(to) - 1; axis >= 0; axis-- {
		k := i % to[axis]
		i /= to[axis]
		if a := axis - (len(to) - len(from)); a >= 0 {
			if from[a] > 1 {
				at += k * stride
			}
			stride *= from[a]
		}
	}
	return at
}
