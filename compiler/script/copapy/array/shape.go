package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// dims takes a shape given as ints, or as one tuple, list or int.
func dimsOf(fn string, pos []vm.Value) (graph.Shape, error) {
	if len(pos) == 1 {
		if elems, _, ok := Sequence(pos[0]); ok {
			pos = elems
		}
	}
	s := make(graph.Shape, len(pos))
	total := int64(1)
	for i, p := range pos {
		n, ok := vm.AsInt(p)
		if !ok {
			return nil, vm.TypeErrorf("%s: a shape is made of integers, not '%s'", fn, vm.TypeName(p))
		}
		if n < -1 || n > graph.MaxElements {
			return nil, vm.ValueErrorf("%s: an axis cannot have the length %d", fn, n)
		}
		s[i] = int(n)
		if total *= max(n, 0); n == -1 {
			total = 1
		}
		if total > graph.MaxElements {
			return nil, vm.ValueErrorf("%s: at most %d elements are supported", fn, graph.MaxElements)
		}
	}
	if len(s) > graph.MaxRank {
		return nil, vm.ValueErrorf("%s: at most %d axes are supported", fn, graph.MaxRank)
	}
	return s, nil
}

// lengths is dims without an open length.
func lengths(fn string, pos []vm.Value) (graph.Shape, error) {
	s, err := dimsOf(fn, pos)
	if err == nil && slices.Contains(s, -1) {
		return nil, vm.ValueErrorf("%s: an axis cannot have the length -1", fn)
	}
	return s, err
}

// reshape is x.reshape(2, 3) or x.reshape((2, 3)); one length may be -1.
func (x *Tensor) reshape(_ *vm.Thread, a vm.Args) (vm.Value, error) {
	if len(a.Kw) > 0 {
		return nil, vm.TypeErrorf("reshape() takes no keyword arguments")
	}
	s, err := dimsOf("reshape", a.Pos)
	if err != nil {
		return nil, err
	}
	return x.Reshaped(s)
}

// Reshaped is the array with its elements in another shape, of which one length may be -1.
func (x *Tensor) Reshaped(s graph.Shape) (vm.Value, error) {
	n := x.Shape().Elements()
	if open := slices.Index(s, -1); open >= 0 {
		known := slices.Concat(s[:open], s[open+1:])
		if slices.Contains(known, -1) {
			return nil, vm.ValueErrorf("reshape: only one length can be -1")
		}
		if k := known.Elements(); k > 0 && n%k == 0 {
			s[open] = n / k
		}
	}
	if slices.Contains(s, -1) || s.Elements() != n {
		return nil, vm.ValueErrorf("reshape: %d elements of shape %v do not fill shape %v", n, x.Shape(), s)
	}
	switch {
	case len(s) == 0:
		return x.element(0)
	case x.Traced():
		return x.m.Wrap(x.m.Graph.Reshape(x.Node, s))
	}
	x.own = false
	return emptyLike(x.m.PlainTensor(s, x.Plain), x), nil
}

// transpose reverses the axes, or puts them into the order that is given.
func (x *Tensor) transpose(t *vm.Thread, a vm.Args) (vm.Value, error) {
	if len(a.Kw) > 0 {
		return nil, vm.TypeErrorf("transpose() takes no keyword arguments")
	}
	axes := make([]int, len(x.Shape()))
	for i := range axes {
		axes[i] = len(axes) - 1 - i
	}
	if len(a.Pos) > 0 {
		order, err := dimsOf("transpose", a.Pos)
		if err != nil {
			return nil, err
		}
		if sorted := slices.Sorted(slices.Values(order)); len(sorted) != len(axes) || sorted[0] != 0 || sorted[len(axes)-1] != len(axes)-1 ||
			len(slices.Compact(sorted)) != len(axes) {
			return nil, vm.ValueErrorf("transpose: %v is not an order of the %d axes", order, len(axes))
		}
		axes = order
	}
	return x.Permuted(t, axes)
}

// Permuted is the array with its axes in another order.
func (x *Tensor) Permuted(t *vm.Thread, axes []int) (vm.Value, error) {
	if x.Traced() {
		x.m.At(t)
		c := x.m.chain(x.Node)
		c.permute(axes)
		return c.value()
	}
	if err := t.Charge(32 * int64(len(x.Plain))); err != nil {
		return nil, err
	}
	dims, strides := make(graph.Shape, len(axes)), make([]int, len(axes))
	for i, a := range axes {
		dims[i], strides[i] = x.dims[a], x.dims[a+1:].Elements()
	}
	at := []int{0}
	for i, n := range dims {
		next := make([]int, 0, len(at)*n)
		for _, a := range at {
			for k := range n {
				next = append(next, a+k*strides[i])
			}
		}
		at = next
	}
	out := make([]vm.Value, len(at))
	for i, a := range at {
		out[i] = x.Plain[a]
	}
	return emptyLike(x.m.PlainTensor(dims, out), x), nil
}

// Concat joins tensors along an axis that they all have.
func (m *Tracer) Concat(t *vm.Thread, fn string, xs []*Tensor, axis int) (vm.Value, error) {
	if len(xs) == 0 {
		return nil, vm.ValueErrorf("%s: needs at least one tensor", fn)
	}
	first := xs[0].Shape()
	if axis < -len(first) || axis >= len(first) {
		return nil, vm.ValueErrorf("%s: axis %d is out of range for shape %v", fn, axis, first)
	}
	if axis < 0 {
		axis += len(first)
	}
	dims := slices.Clone(first)
	dims[axis] = 0
	traced := false
	for _, x := range xs {
		s := slices.Clone(x.Shape())
		if len(s) == len(first) {
			dims[axis] += s[axis]
			s[axis] = first[axis]
		}
		if !s.Equal(first) {
			return nil, vm.ValueErrorf("%s: shapes %v and %v differ beyond axis %d", fn, first, x.Shape(), axis)
		}
		traced = traced || x.Traced()
	}
	if !traced {
		return m.plainConcat(t, xs, axis, dims)
	}
	like := NoFloat
	for _, x := range xs {
		like = max(like, FloatType(x.elementType()))
	}
	parts := make([]graph.Value, 0, len(xs))
	var rest graph.Shape
	for _, x := range xs {
		if x.Shape().Elements() == 0 {
			continue
		}
		v, err := x.Lift(t, like)
		if err != nil {
			return nil, err
		}
		c := m.chain(v)
		c.toFront(axis)
		if c.err != nil {
			return nil, m.TraceError(c.err)
		}
		rest = c.shape()[1:]
		parts = append(parts, c.v)
	}
	m.At(t)
	v, err := m.Graph.Concat(parts...)
	if err == nil && like != NoFloat {
		v, err = m.Widened(v, like) // a part without elements has a type too
	}
	if err != nil {
		return nil, m.TraceError(err)
	}
	c := m.chain(v)
	c.fromFront(axis, 1, rest)
	return c.value()
}

func (m *Tracer) plainConcat(t *vm.Thread, xs []*Tensor, axis int, dims graph.Shape) (vm.Value, error) {
	if err := t.Charge(16 * int64(dims.Elements())); err != nil {
		return nil, err
	}
	out := make([]vm.Value, 0, dims.Elements())
	for i := range dims[:axis].Elements() {
		for _, x := range xs {
			n := x.dims[axis:].Elements()
			out = append(out, x.Plain[i*n:(i+1)*n]...)
		}
	}
	out, err := unify(t, out)
	if err != nil {
		return nil, err
	}
	widest := xs[0]
	for _, x := range xs {
		if x.elementType() > widest.elementType() {
			widest = x
		}
	}
	joined := []vm.Value{emptyLike(m.PlainTensor(dims, out), widest), widest}
	if len(out) > 0 { // a part without elements has a type too
		err = together(t, joined...)
	}
	return joined[0], err
}
