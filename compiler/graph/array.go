package graph

import "fmt"

// AllAxes is the axis argument of Sum, AMax and AMin for all elements.
const AllAxes = -1 << 31

// refuse checks an operand of a method of Graph.
func (g *Graph) refuse(op Op, v Value, pooled int) error {
	if !g.owns(v) {
		return g.errorf(op, "operand is not a value of this graph")
	}
	return g.room(op, pooled)
}

// derive builds an op with one operand whose shape rule needs attr or want.
func (g *Graph) derive(op Op, v Value, attr uint64, want Shape) (Value, error) {
	if err := g.refuse(op, v, 0); err != nil {
		return Value{g, None}, err
	}
	if err := want.check(); err != nil {
		return Value{g, None}, g.errorf(op, "%v", err)
	}
	s, err := resultShape(op, attr, []Shape{g.ShapeOf(v.id)}, want)
	if err != nil {
		return Value{g, None}, g.errorf(op, "%v", err)
	}
	shape, err := g.shapes.intern(s)
	if err != nil {
		return Value{g, None}, g.errorf(op, "%v", err)
	}
	a := v.id
	if Ops[op].Sig == SigReduce {
		a = g.convert(a, max(g.nodes[a].DType, I32))
	}
	return Value{g, g.intern(op, op.ResultType(g.nodes[a].DType), shape, attr, a, None, None, 1)}, nil
}

// Stack makes a vector of scalars, which are converted to their common type.
func (g *Graph) Stack(args ...Value) (Value, error) {
	return g.gather(OpStack, args)
}

// Concat puts arrays, converted to their common type, one after the other along
// axis 0.
func (g *Graph) Concat(args ...Value) (Value, error) {
	if len(args) == 1 && g.owns(args[0]) && len(g.ShapeOf(args[0].id)) > 0 {
		return args[0], nil
	}
	return g.gather(OpConcat, args)
}

func (g *Graph) gather(op Op, args []Value) (Value, error) {
	if len(args) == 0 {
		return Value{g, None}, g.errorf(op, "takes at least one operand")
	}
	if err := g.room(op, len(args)); err != nil {
		return Value{g, None}, err
	}
	if len(args) > MaxElements || len(g.nodes)+len(args) > MaxNodes-16 {
		return Value{g, None}, g.errorf(op, "too many operands")
	}
	var t DType
	list := make([]Shape, len(args))
	for i, a := range args {
		if !g.owns(a) {
			return Value{g, None}, g.errorf(op, "operand %d is not a value of this graph", i)
		}
		if mixed(t, g.nodes[a.id].DType) {
			return Value{g, None}, g.errorf(op, mixedMessage)
		}
		t = max(t, g.nodes[a.id].DType)
		list[i] = g.ShapeOf(a.id)
	}
	s, err := resultShape(op, 0, list, nil)
	if err != nil {
		return Value{g, None}, g.errorf(op, "%v", err)
	}
	shape, err := g.shapes.intern(s)
	if err != nil {
		return Value{g, None}, g.errorf(op, "%v", err)
	}
	ids := make([]ID, len(args))
	for i, a := range args {
		ids[i] = g.convert(a.id, t)
	}
	return Value{g, g.Intern(op, t, shape, 0, ids...)}, nil
}

// Index returns row i of axis 0, which for a vector is an element. A negative i
// counts from the end. An element of a stack is the stacked scalar itself.
func (g *Graph) Index(v Value, i int) (Value, error) {
	if err := g.refuse(OpIndex, v, 0); err != nil {
		return Value{g, None}, err
	}
	s := g.ShapeOf(v.id)
	if len(s) > 0 {
		if i < -s[0] || i >= s[0] {
			return Value{g, None}, g.errorf(OpIndex, "index %d is out of range for axis 0 with %d rows", i, s[0])
		}
		if i < 0 {
			i += s[0]
		}
		if g.nodes[v.id].Op == OpStack {
			return Value{g, g.Args(v.id)[i]}, nil
		}
		if g.IsConst(v.id) && len(s) == 1 {
			t := g.nodes[v.id].DType
			return g.ConstWord(t, t.At(g.ConstBits(v.id), i)), nil
		}
	}
	return g.derive(OpIndex, v, uint64(i), nil)
}

// take returns the row of a at the index by. An index that is known, and one of an array of
// one row, chooses now.
func (g *Graph) take(a, by ID) (Value, error) {
	s, err := takeShape(0, []Shape{g.ShapeOf(a), g.ShapeOf(by)}, nil)
	if t := g.nodes[by].DType; err == nil && t.IsFloat() {
		err = fmt.Errorf("the index is %v, not i32", t)
	}
	if err != nil {
		return Value{g, None}, g.errorf(OpTake, "%v", err)
	}
	shape, err := g.shapes.intern(s)
	if err != nil {
		return Value{g, None}, g.errorf(OpTake, "%v", err)
	}
	by = g.convert(by, I32)
	if n := &g.nodes[by]; len(g.ShapeOf(by)) == 0 && (n.Op == OpConst || g.ShapeOf(a)[0] == 1) {
		place := 0
		if n.Op == OpConst {
			place = TakePlace(int32(uint32(n.Word())), g.ShapeOf(a)[0])
		}
		return g.Index(Value{g, a}, place)
	}
	return Value{g, g.intern(OpTake, g.nodes[a].DType, shape, 0, a, by, None, 2)}, nil
}

// TakePlace is the row, of n, that an index takes: a negative one counts from the end, and one
// beyond the ends takes the row at that end.
func TakePlace(by int32, n int) int {
	place := int(by)
	if place < 0 {
		place += n
	}
	return min(max(place, 0), n-1)
}

// Slice returns count rows of axis 0: start, start+step, ... Normalising of
// negative bounds and of missing ones is SliceBounds' task.
func (g *Graph) Slice(v Value, start, count, step int) (Value, error) {
	if err := g.refuse(OpSlice, v, 0); err != nil {
		return Value{g, None}, err
	}
	s := g.ShapeOf(v.id)
	if len(s) == 0 {
		return Value{g, None}, g.errorf(OpSlice, "a scalar has no rows to slice")
	}
	if start < 0 || start > MaxElements || step < -MaxElements || step > MaxElements || step == 0 || count < 0 {
		return Value{g, None}, g.errorf(OpSlice, "rows from %d, %d of them, by %d are out of range", start, count, step)
	}
	if start == 0 && count == s[0] && step == 1 {
		return v, nil
	}
	if count <= 1 {
		step = 1
	}
	if count == 0 {
		start = 0
	}
	return g.derive(OpSlice, v, SliceAttr(start, step), append(Shape{count}, s[1:]...))
}

// Reshape gives the elements, in row-major order, another shape.
func (g *Graph) Reshape(v Value, s Shape) (Value, error) {
	if g.owns(v) && g.ShapeOf(v.id).Equal(s) {
		return v, nil
	}
	return g.derive(OpReshape, v, 0, s)
}

// Transpose exchanges the axes of a matrix. A scalar or vector is returned as
// it is, as NumPy does.
func (g *Graph) Transpose(v Value) (Value, error) {
	if g.owns(v) && len(g.ShapeOf(v.id)) < 2 {
		return v, nil
	}
	return g.derive(OpTranspose, v, 0, nil)
}

// Broadcast repeats v along missing axes and axes of length 1.
func (g *Graph) Broadcast(v Value, s Shape) (Value, error) {
	if g.owns(v) && g.ShapeOf(v.id).Equal(s) {
		return v, nil
	}
	return g.derive(OpBroadcast, v, 0, s)
}

// Sum adds the elements along one axis, which disappears, or all of them
// (AllAxes). A negative axis counts from the end. A scalar is its own sum.
func (g *Graph) Sum(v Value, axis int) (Value, error) { return g.reduce(OpSum, v, axis) }

// AMax is the largest element along one axis, as in Sum.
func (g *Graph) AMax(v Value, axis int) (Value, error) { return g.reduce(OpAMax, v, axis) }

// AMin is the smallest element along one axis, as in Sum.
func (g *Graph) AMin(v Value, axis int) (Value, error) { return g.reduce(OpAMin, v, axis) }

func (g *Graph) reduce(op Op, v Value, axis int) (Value, error) {
	if err := g.refuse(op, v, 0); err != nil {
		return Value{g, None}, err
	}
	rank := len(g.ShapeOf(v.id))
	if axis == AllAxes {
		if rank == 0 {
			return Value{g, g.convert(v.id, max(g.nodes[v.id].DType, I32))}, nil
		}
		return g.derive(op, v, 0, nil)
	}
	if axis < -rank || axis >= rank {
		return Value{g, None}, g.errorf(op, "axis %d is out of range for shape %v", axis, g.ShapeOf(v.id))
	}
	if axis < 0 {
		axis += rank
	}
	if rank == 1 {
		return g.derive(op, v, 0, nil)
	}
	return g.derive(op, v, uint64(axis)+1, nil)
}

// Dot is the inner product of two vectors of one length.
func (g *Graph) Dot(a, b Value) (Value, error) { return g.Apply(OpDot, a, b) }

// MatMul is a @ b: two vectors give their inner product.
func (g *Graph) MatMul(a, b Value) (Value, error) {
	if g.owns(a) && g.owns(b) && len(g.ShapeOf(a.id)) == 1 && len(g.ShapeOf(b.id)) == 1 {
		return g.Apply(OpDot, a, b)
	}
	return g.Apply(OpMatMul, a, b)
}

// SliceBounds turns Python's start:stop:step over n rows into the operands of
// Slice. A nil bound is a missing one; step must not be 0.
func SliceBounds(n int, start, stop *int, step int) (first, count int) {
	low, high := 0, n // where bounds are clamped to
	if step < 0 {
		low, high = -1, n-1
	}
	bound := func(p *int, missing int) int {
		if p == nil {
			return missing
		}
		i := *p
		if i < 0 {
			i += n
		}
		return min(max(i, low), high)
	}
	from, to := low, high
	if step < 0 {
		from, to = high, low
	}
	from, to = bound(start, from), bound(stop, to)
	switch {
	case step > 0 && from < to:
		return from, (to-from-1)/step + 1
	case step < 0 && from > to:
		return from, (from-to-1)/-step + 1
	}
	return 0, 0
}
