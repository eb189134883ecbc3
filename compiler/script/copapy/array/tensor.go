package array

import (
	"math/big"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Tensor is an array of numbers with one axis or more that is computed with as a
// whole: a `vector`, a `matrix`, or a `tensor` with more axes. As long as all of
// its elements are plain Python numbers it is computed while tracing, by Python's
// rules; as soon as one is traced it is one array in the graph. Nodes do not change:
// assigning to elements makes it another node, and what used the old one keeps it.
type Tensor struct {
	m     *Tracer
	dims  graph.Shape // of a plain tensor
	Plain []vm.Value  // its numbers, row by row, all of one type; used where Node is invalid
	none  graph.DType // the type of a plain tensor without elements; 0: float
	Node  graph.Value // what a traced tensor is; Settle brings it up to date

	own    bool       // nobody else holds Plain
	parts  []vm.Value // elements that Node is joined of, or nil
	loose  bool       // parts have changed since
	kind   graph.DType
	fixed  bool       // kind is the type of the elements, known since the first assignment
	writes int        // assignments so far
	former []graph.ID // nodes that it was before them
	view   *view      // the array that it is a part of, or nil
	locked string     // what to do instead of assigning to it, or ""
	scope  int        // where it was made, see Tracer.Scope
}

// PyClass returns `vector` for one axis, `matrix` for two, both of which are
// derived from `tensor`.
func (x *Tensor) PyClass() *vm.Class {
	switch len(x.Shape()) {
	case 1:
		return x.m.vectorClass
	case 2:
		return x.m.matrixClass
	}
	return x.m.TensorClass
}

// Traced tells arrays whose elements are known on the target only.
func (x *Tensor) Traced() bool {
	x.Settle()
	return x.Node.Valid()
}

// Shape is the lengths of the axes.
func (x *Tensor) Shape() graph.Shape {
	if !x.loose && x.Node.Valid() {
		return x.Node.Shape()
	}
	return x.dims
}

// length is the number of rows.
func (x *Tensor) length() int { return x.Shape()[0] }

// PlainVector is a vector of plain numbers of one type.
func (m *Tracer) PlainVector(elems []vm.Value) *Tensor {
	return &Tensor{m: m, dims: graph.Shape{len(elems)}, Plain: elems, scope: m.Scope()}
}

// PlainTensor gives plain numbers a shape; one number without axes is itself.
func (m *Tracer) PlainTensor(dims graph.Shape, elems []vm.Value) vm.Value {
	if len(dims) == 0 {
		return elems[0]
	}
	return &Tensor{m: m, dims: dims, Plain: elems, scope: m.Scope()}
}

// Vector makes a vector of numbers and traced scalars.
func (m *Tracer) Vector(t *vm.Thread, elems []vm.Value) (*Tensor, error) {
	x, err := m.fromElements(t, "vector", graph.Shape{len(elems)}, elems)
	if err != nil {
		return nil, err
	}
	return x.(*Tensor), nil
}

// fromElements makes a tensor of numbers and traced scalars, row by row.
func (m *Tracer) fromElements(t *vm.Thread, fn string, dims graph.Shape, elems []vm.Value) (vm.Value, error) {
	if err := t.Charge(16 * int64(len(elems))); err != nil {
		return nil, err
	}
	traced, like := false, NoFloat
	for i, e := range elems {
		if x, ok := e.(*Tensor); ok && x.withoutAxes() {
			elems = slices.Clone(elems)
			e = x.Plain[0]
			elems[i] = e
		}
		switch e := e.(type) {
		case *Value:
			traced = true
			like = max(like, FloatType(e.Node.DType()))
		case float64:
			like = max(like, graph.F32)
		default:
			if !IsNumber(e) {
				return nil, vm.TypeErrorf("%s: element %d is a '%s'; elements must be numbers or traced scalars", fn, i, vm.TypeName(e))
			}
		}
	}
	if !traced || len(dims) == 0 {
		elems, err := unify(t, elems)
		return m.PlainTensor(dims, elems), err
	}
	m.At(t)
	args := make([]graph.Value, len(elems))
	for i, e := range elems {
		v, err := m.Constant(e, like)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	r, err := m.Graph.Apply(graph.OpStack, args...)
	if err == nil {
		r, err = m.Graph.Reshape(r, dims)
	}
	return m.Wrap(r, err)
}

// Lift returns the tensor as a graph array, beside a float of type like.
func (x *Tensor) Lift(t *vm.Thread, like graph.DType) (graph.Value, error) {
	if x.Traced() {
		return x.Node, nil
	}
	if len(x.Plain) == 0 {
		return graph.Value{}, vm.ValueErrorf("an empty %s cannot be combined with a traced value", vm.TypeName(x))
	}
	m := x.m
	m.At(t)
	if m.late != nil {
		return graph.Value{}, m.TraceError(m.late)
	}
	r, err := x.constant(like)
	return r, m.TraceError(err)
}

// constant is a plain array as a node.
func (x *Tensor) constant(like graph.DType) (graph.Value, error) {
	isFloat, isInt := like != NoFloat, false
	for _, e := range x.Plain {
		switch e.(type) {
		case float64:
			isFloat = true
		case int64, *big.Int:
			isInt = true
		}
	}
	dtype := graph.Bool
	switch {
	case isFloat:
		dtype = max(like, graph.F32)
	case isInt:
		dtype = graph.I32
	}
	words := make([]uint32, len(x.Plain)*dtype.Words())
	for i, e := range x.Plain {
		w, err := Word(dtype, e)
		if err != nil {
			return graph.Value{}, err
		}
		dtype.Put(words, i, w)
	}
	return x.m.Graph.Const(graph.Tensor{DType: dtype, Shape: x.dims, Bits: words})
}

// element returns element i, counted row by row, as a script sees it.
func (x *Tensor) element(i int) (vm.Value, error) {
	if !x.Traced() {
		return x.Plain[i], nil
	}
	// Not Graph.Index, which gives back what was stacked: a gradient with
	// respect to this tensor must see the element as part of it.
	g := x.m.Graph
	flat, err := g.Reshape(x.Node, graph.Shape{x.Node.Shape().Elements()})
	if err != nil {
		return nil, x.m.TraceError(err)
	}
	id := g.Intern(graph.OpIndex, flat.DType(), graph.Scalar, uint64(i), flat.ID())
	return x.m.Scalar(g.Value(id)), nil
}

// Elements returns the elements row by row.
func (x *Tensor) Elements() ([]vm.Value, error) {
	if !x.Traced() {
		x.own = false
		return x.Plain, nil
	}
	out := make([]vm.Value, x.Shape().Elements())
	for i := range out {
		e, err := x.element(i)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// Row is element or row i of axis 0.
func (x *Tensor) Row(i int) (vm.Value, error) {
	s := x.Shape()
	if len(s) == 1 {
		return x.element(i)
	}
	if x.Traced() {
		return x.m.Wrap(x.m.Graph.Index(x.Node, i))
	}
	n := s[1:].Elements()
	x.own = false
	return x.m.PlainTensor(s[1:], x.Plain[i*n:(i+1)*n:(i+1)*n]), nil
}

// Len is the number of rows: elements of a vector.
func (x *Tensor) Len(*vm.Thread) (int, error) {
	if x.withoutAxes() {
		return 0, noAxes("len() of")
	}
	return x.length(), nil
}

// Truth refuses, as NumPy does for arrays.
func (x *Tensor) Truth(t *vm.Thread) (bool, error) {
	if x.withoutAxes() {
		return t.Truth(x.Plain[0])
	}
	return false, vm.WithHint(vm.TypeErrorf("the truth value of a %s is ambiguous", vm.TypeName(x)), "compare its elements, or its len() with 0; to choose by element use cp.where(condition, a, b)")
}

// Hash refuses, since == works by element.
func (x *Tensor) Hash(*vm.Thread) (uint64, error) {
	return 0, vm.TypeErrorf("unhashable type: '%s'", vm.TypeName(x))
}

// Iter yields the elements of a vector, the rows of others.
func (x *Tensor) Iter(*vm.Thread) (vm.Iterator, error) {
	if x.withoutAxes() {
		return nil, noAxes("cannot iterate over")
	}
	return &tensorIter{x: x}, nil
}

type tensorIter struct {
	x *Tensor
	i int
}

func (it *tensorIter) Next(t *vm.Thread) (vm.Value, error) {
	if it.i >= it.x.length() {
		return nil, nil
	}
	it.x.m.At(t)
	i := it.i
	it.i++
	r, err := it.x.Row(i)
	if err != nil {
		return nil, err
	}
	return it.x.partOf(r, view{take: func(of *Tensor) (vm.Value, error) { return of.Row(i) }}), nil
}

// Repr shows the numbers of a plain tensor.
func (x *Tensor) Repr(t *vm.Thread) (string, error) {
	s, err := x.Str(t)
	return vm.TypeName(x) + "(" + s + ")", err
}

// Str shows a tensor as nested lists.
func (x *Tensor) Str(t *vm.Thread) (string, error) {
	elems, err := x.Elements()
	if err != nil {
		return "", err
	}
	if x.withoutAxes() {
		return t.Repr(elems[0])
	}
	return t.Repr(nested(x.Shape(), elems))
}

// nested makes nested lists of elements that lie row by row.
func nested(s graph.Shape, elems []vm.Value) vm.Value {
	if len(s) < 2 {
		return vm.NewList(elems)
	}
	n := s[1:].Elements()
	rows := make([]vm.Value, s[0])
	for i := range rows {
		rows[i] = nested(s[1:], elems[i*n:(i+1)*n])
	}
	return vm.NewList(rows)
}
