package copapy

import (
	"math/big"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// Vector is a list of numbers that is computed with as a whole. As long as all
// of them are plain Python numbers it is computed while tracing, by Python's
// rules; as soon as one is traced it is one array in the graph.
type Vector struct {
	m     *module
	plain []vm.Value  // all plain numbers; used where array is invalid
	array graph.Value // a traced vector
}

// PyClass returns the class `vector`.
func (x *Vector) PyClass() *vm.Class { return x.m.vectorClass }

func (x *Vector) traced() bool { return x.array.Valid() }

func (x *Vector) length() int {
	if x.traced() {
		return x.array.Shape()[0]
	}
	return len(x.plain)
}

func (m *module) plainVector(elems []vm.Value) *Vector { return &Vector{m: m, plain: elems} }

// vector makes a Vector of numbers and traced scalars.
func (m *module) vector(t *vm.Thread, elems []vm.Value) (*Vector, error) {
	if err := t.Charge(16 * int64(len(elems))); err != nil {
		return nil, err
	}
	traced, hasFloat := false, false
	for i, e := range elems {
		switch e := e.(type) {
		case *Value:
			traced = true
			hasFloat = hasFloat || e.v.DType() == graph.F32
		case float64:
			hasFloat = true
		default:
			if !isNumber(e) {
				return nil, vm.TypeErrorf("vector: element %d is a '%s'; elements must be numbers or traced scalars", i, vm.TypeName(e))
			}
		}
	}
	if !traced {
		return m.plainVector(elems), nil
	}
	m.at(t)
	args := make([]graph.Value, len(elems))
	for i, e := range elems {
		v, err := m.constant(e, hasFloat)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	r, err := m.g.Apply(graph.OpStack, args...)
	if err != nil {
		return nil, m.traceError(err)
	}
	return &Vector{m: m, array: r}, nil
}

// lift returns the vector as a graph array, next to a partner of some type.
func (x *Vector) lift(t *vm.Thread, asFloat bool) (graph.Value, error) {
	if x.traced() {
		return x.array, nil
	}
	if len(x.plain) == 0 {
		return graph.Value{}, vm.ValueErrorf("an empty vector cannot meet a traced value")
	}
	m := x.m
	isFloat, isInt := asFloat, false
	for _, e := range x.plain {
		switch e.(type) {
		case float64:
			isFloat = true
		case int64, *big.Int:
			isInt = true
		}
	}
	n := len(x.plain)
	words := make([]uint32, n)
	dtype := graph.Bool
	switch {
	case isFloat:
		dtype = graph.F32
	case isInt:
		dtype = graph.I32
	}
	for i, e := range x.plain {
		w, err := word(dtype, e)
		if err != nil {
			return graph.Value{}, err
		}
		words[i] = w
	}
	r, err := m.g.Const(graph.Tensor{DType: dtype, Shape: graph.Shape{n}, Bits: words})
	return r, m.traceError(err)
}

// element returns element i as a script sees it.
func (x *Vector) element(i int) (vm.Value, error) {
	if !x.traced() {
		return x.plain[i], nil
	}
	// Not Graph.Index, which gives back what was stacked: a gradient with
	// respect to this vector must see the element as part of it.
	g := x.m.g
	id := g.Intern(graph.OpIndex, x.array.DType(), graph.Scalar, uint64(i), x.array.ID())
	return x.m.scalar(g.Value(id)), nil
}

func (x *Vector) elements() ([]vm.Value, error) {
	if !x.traced() {
		return x.plain, nil
	}
	out := make([]vm.Value, x.length())
	for i := range out {
		e, err := x.element(i)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// Len is the number of elements.
func (x *Vector) Len(*vm.Thread) (int, error) { return x.length(), nil }

// Truth refuses, as NumPy does for arrays.
func (x *Vector) Truth(*vm.Thread) (bool, error) {
	return false, vm.WithHint(vm.TypeErrorf("the truth value of a vector is ambiguous"), "compare its elements, or len(v) with 0")
}

// Hash refuses, since == works by element.
func (x *Vector) Hash(*vm.Thread) (uint64, error) {
	return 0, vm.TypeErrorf("unhashable type: 'vector'")
}

// Iter yields the elements.
func (x *Vector) Iter(*vm.Thread) (vm.Iterator, error) { return &vectorIter{x: x}, nil }

type vectorIter struct {
	x *Vector
	i int
}

func (it *vectorIter) Next(*vm.Thread) (vm.Value, error) {
	if it.i >= it.x.length() {
		return nil, nil
	}
	it.i++
	return it.x.element(it.i - 1)
}

// Index gives an element, or for a slice a vector.
func (x *Vector) Index(t *vm.Thread, key vm.Value) (vm.Value, error) {
	n := x.length()
	x.m.at(t)
	switch k := key.(type) {
	case *vm.Slice:
		start, step, count, err := k.Indices(t, n)
		if err != nil {
			return nil, err
		}
		if !x.traced() || count == 0 {
			out := make([]vm.Value, count)
			for i := range out {
				out[i] = x.plain[start+i*step]
			}
			return x.m.plainVector(out), nil
		}
		r, err := x.m.g.Slice(x.array, start, count, step)
		if err != nil {
			return nil, x.m.traceError(err)
		}
		return &Vector{m: x.m, array: r}, nil
	case *Value:
		return nil, vm.WithHint(vm.TypeErrorf("a traced value cannot be an index"), "an index must be known while tracing; pick with cp.iif")
	}
	i, ok := vm.AsInt(key)
	if _, isFloat := key.(float64); !ok || isFloat {
		return nil, vm.TypeErrorf("vector indices must be integers or slices, not %s", vm.TypeName(key))
	}
	if i < 0 {
		i += int64(n)
	}
	if i < 0 || i >= int64(n) {
		return nil, vm.Raise(vm.IndexError, "vector index out of range: the vector has %d elements", n)
	}
	return x.element(int(i))
}

// Repr shows the numbers of a plain vector.
func (x *Vector) Repr(t *vm.Thread) (string, error) {
	s, err := x.Str(t)
	return "vector(" + s + ")", err
}

// Str shows a vector as a list.
func (x *Vector) Str(t *vm.Thread) (string, error) {
	elems, err := x.elements()
	if err != nil {
		return "", err
	}
	return t.Repr(vm.NewList(elems))
}

// Binary works by element, with a vector of the same length or a scalar; @ is
// the inner product.
func (x *Vector) Binary(t *vm.Thread, op vm.BinaryOp, other vm.Value, reflected bool) (vm.Value, error) {
	y, isVector := other.(*Vector)
	if op == vm.OpMatMul {
		if !isVector {
			return vm.NotImplemented, nil
		}
		if reflected {
			x, y = y, x
		}
		return x.m.dot(t, x, y)
	}
	if isVector && y.length() != x.length() {
		return nil, vm.ValueErrorf("vectors of %d and %d elements do not match", x.length(), y.length())
	}
	_, isScalar := other.(*Value)
	if !isVector && !isScalar && !isNumber(other) {
		return vm.NotImplemented, nil
	}
	if !x.traced() && !isScalar && !(isVector && y.traced()) {
		return x.plainBinary(t, op, other, reflected)
	}
	a, b, err := x.pair(t, other)
	if err != nil {
		return nil, err
	}
	if reflected {
		a, b = b, a
	}
	r, err := x.m.binary(op, a, b)
	if err != nil {
		return nil, err
	}
	if !r.Valid() {
		return vm.NotImplemented, nil
	}
	return &Vector{m: x.m, array: r}, nil
}

// pair lifts x and a number, traced scalar or vector into the graph.
func (x *Vector) pair(t *vm.Thread, other vm.Value) (a, b graph.Value, err error) {
	x.m.at(t)
	switch y := other.(type) {
	case *Vector:
		if a, err = x.lift(t, y.traced() && y.array.DType() == graph.F32); err == nil {
			b, err = y.lift(t, a.DType() == graph.F32)
		}
	case *Value:
		a, err = x.lift(t, y.v.DType() == graph.F32)
		b = y.v
	default:
		if a, err = x.lift(t, false); err == nil {
			b, err = x.m.constant(other, a.DType() == graph.F32)
		}
	}
	return a, b, err
}

func (x *Vector) plainBinary(t *vm.Thread, op vm.BinaryOp, other vm.Value, reflected bool) (vm.Value, error) {
	y, isVector := other.(*Vector)
	return x.mapPlain(func(i int, a vm.Value) (vm.Value, error) {
		b := other
		if isVector {
			b = y.plain[i]
		}
		if reflected {
			a, b = b, a
		}
		return t.Binary(op, a, b)
	})
}

func (x *Vector) mapPlain(f func(i int, e vm.Value) (vm.Value, error)) (vm.Value, error) {
	out := make([]vm.Value, len(x.plain))
	for i, e := range x.plain {
		r, err := f(i, e)
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return x.m.plainVector(out), nil
}

// Compare works by element and gives a vector of bools.
func (x *Vector) Compare(t *vm.Thread, op vm.CompareOp, other vm.Value) (vm.Value, error) {
	y, isVector := other.(*Vector)
	_, isScalar := other.(*Value)
	switch {
	case isVector && y.length() != x.length():
		return nil, vm.ValueErrorf("vectors of %d and %d elements do not match", x.length(), y.length())
	case !isVector && !isScalar && !isNumber(other):
		return vm.NotImplemented, nil
	case !x.traced() && !isScalar && !(isVector && y.traced()):
		return x.mapPlain(func(i int, a vm.Value) (vm.Value, error) {
			if isVector {
				return t.Compare(op, a, y.plain[i])
			}
			return t.Compare(op, a, other)
		})
	}
	a, b, err := x.pair(t, other)
	if err != nil {
		return nil, err
	}
	r, err := x.m.g.Apply(compareTable[op], a, b)
	if err != nil {
		return nil, x.m.traceError(err)
	}
	return &Vector{m: x.m, array: r}, nil
}

// Select makes `a if v else b` a select by element.
func (x *Vector) Select(t *vm.Thread, a, b vm.Value) (vm.Value, error) {
	return x.m.iif(t, x, a, b)
}

// Unary works by element.
func (x *Vector) Unary(t *vm.Thread, op vm.UnaryOp) (vm.Value, error) {
	if !x.traced() {
		return x.mapPlain(func(_ int, e vm.Value) (vm.Value, error) { return t.Unary(op, e) })
	}
	x.m.at(t)
	r, err := x.m.unary(op, x.array)
	if err != nil {
		return nil, err
	}
	if !r.Valid() {
		return vm.NotImplemented, nil
	}
	return &Vector{m: x.m, array: r}, nil
}

// dot is the inner product; of plain vectors by Python's arithmetic.
func (m *module) dot(t *vm.Thread, x, y *Vector) (vm.Value, error) {
	if x.length() != y.length() {
		return nil, vm.ValueErrorf("dot: vectors of %d and %d elements do not match", x.length(), y.length())
	}
	if !x.traced() && !y.traced() {
		p, err := x.plainBinary(t, vm.OpMul, y, false)
		if err != nil {
			return nil, err
		}
		return m.sum(t, p.(*Vector))
	}
	a, b, err := x.pair(t, y)
	if err != nil {
		return nil, err
	}
	r, err := m.g.Apply(graph.OpDot, a, b)
	if err != nil {
		return nil, m.traceError(err)
	}
	return m.scalar(r), nil
}

// sum adds the elements; of plain vectors by Python's arithmetic.
func (m *module) sum(t *vm.Thread, x *Vector) (vm.Value, error) {
	if x.traced() {
		m.at(t)
		r, err := m.g.Apply(graph.OpSum, x.array)
		if err != nil {
			return nil, m.traceError(err)
		}
		return m.scalar(r), nil
	}
	var s vm.Value = int64(0)
	for _, e := range x.plain {
		var err error
		if s, err = t.Binary(vm.OpAdd, s, e); err != nil {
			return nil, err
		}
	}
	return s, nil
}
