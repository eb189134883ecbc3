package graph

import "strconv"

// Value is a node of a graph, or invalid after an error. It is comparable: equal
// values are the same node.
type Value struct {
	g  *Graph
	id ID
}

// Value returns the value of a node.
func (g *Graph) Value(id ID) Value { return Value{g, id} }

// ID returns the node's ID, or None.
func (v Value) ID() ID { return v.id }

// Graph returns the graph that v belongs to; nil for the zero Value.
func (v Value) Graph() *Graph { return v.g }

// Valid reports whether v is a node.
func (v Value) Valid() bool { return v.g != nil && v.id >= 0 }

// String returns the node's number as Dump writes it.
func (v Value) String() string {
	if !v.Valid() {
		return "%invalid"
	}
	return "%" + strconv.Itoa(int(v.id))
}

// Op returns the op of a valid value.
func (v Value) Op() Op { return v.g.nodes[v.id].Op }

// DType returns the element type of a valid value.
func (v Value) DType() DType { return v.g.nodes[v.id].DType }

// Shape returns the shape of a valid value. It must not be changed.
func (v Value) Shape() Shape { return v.g.ShapeOf(v.id) }

// keep records the first error in the graph, for the methods of Value.
func (g *Graph) keep(v Value, err error) Value {
	if err != nil {
		if g.err == nil {
			g.err = err
		}
		return Value{g, None}
	}
	return v
}

// apply1 and its kin pass invalid operands on: their error is recorded already.
func (v Value) apply1(op Op) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Apply(op, v))
}

func (v Value) apply2(op Op, w Value) Value {
	switch {
	case v.id < 0:
		return v
	case w.g == v.g && w.id < 0:
		return w
	case w.g != v.g:
		return v.g.keep(v.g.Apply(op, v, w))
	}
	return v.g.keep(v.g.binary(op, v.id, w.id))
}

// The methods below are ops of the table that are not elementwise, and combinations of ops.
// Those of all others are in ops_gen.go, which is made of the table (go run ./compiler/graph/gen).

// Take is the row at the index w, or the elements of a vector at those of w.
func (v Value) Take(w Value) Value { return v.apply2(OpTake, w) }

// Dot is the inner product of two vectors.
func (v Value) Dot(w Value) Value { return v.apply2(OpDot, w) }

// MatMul is v @ w.
func (v Value) MatMul(w Value) Value {
	if v.id < 0 {
		return v
	}
	if w.g == v.g && w.id < 0 {
		return w
	}
	return v.g.keep(v.g.MatMul(v, w))
}

// Select is a where the condition v is true, otherwise b.
func (v Value) Select(a, b Value) Value {
	for _, x := range [...]Value{v, a, b} {
		if x.id < 0 && x.g == v.g {
			return x
		}
	}
	return v.g.keep(v.g.Apply(OpSelect, v, a, b))
}

// Clamp is max(min(v, hi), lo): within lo and hi, NaN where one of them is.
func (v Value) Clamp(lo, hi Value) Value { return v.Min(hi).Max(lo) }

// Norm is the length of a vector, the root of its inner product with itself. Its
// derivative is 0 where the length is 0, at no cost to the length (see opt).
func (v Value) Norm() Value {
	q := v.Dot(v)
	if q.id < 0 {
		return q
	}
	if !q.DType().IsFloat() {
		q = q.ToF32()
	}
	return q.Eq(v.g.Number(q.DType(), 0)).Select(q, q.Sqrt())
}

// Index is row i of axis 0; negative i counts from the end.
func (v Value) Index(i int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Index(v, i))
}

// Slice is count rows of axis 0 from start by step.
func (v Value) Slice(start, count, step int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Slice(v, start, count, step))
}

// Reshape gives the elements another shape.
func (v Value) Reshape(s ...int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Reshape(v, s))
}

// Transpose exchanges the axes of a matrix.
func (v Value) Transpose() Value { return v.apply1(OpTranspose) }

// Broadcast repeats v to a larger shape.
func (v Value) Broadcast(s ...int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Broadcast(v, s))
}

// Sum is the sum of all elements.
func (v Value) Sum() Value { return v.apply1(OpSum) }

// Sort is the elements in rising order along the last axis.
func (v Value) Sort() Value { return v.apply1(OpSort) }

// Argsort is their places in that order.
func (v Value) Argsort() Value { return v.apply1(OpArgsort) }

// AMax is the largest of all elements.
func (v Value) AMax() Value { return v.apply1(OpAMax) }

// AMin is the smallest of all elements.
func (v Value) AMin() Value { return v.apply1(OpAMin) }

// AMaxAxis is the largest along one axis.
func (v Value) AMaxAxis(axis int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.AMax(v, axis))
}

// AMinAxis is the smallest along one axis.
func (v Value) AMinAxis(axis int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.AMin(v, axis))
}

// SumAxis is the sum along one axis.
func (v Value) SumAxis(axis int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Sum(v, axis))
}

// StackOf makes a vector of scalars of this graph.
func (g *Graph) StackOf(vs ...Value) Value {
	for _, v := range vs {
		if v.g == g && v.id < 0 {
			return v
		}
	}
	return g.keep(g.Stack(vs...))
}

// ConcatOf joins arrays of this graph along axis 0.
func (g *Graph) ConcatOf(vs ...Value) Value {
	for _, v := range vs {
		if v.g == g && v.id < 0 {
			return v
		}
	}
	return g.keep(g.Concat(vs...))
}
