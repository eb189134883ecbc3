package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// makeTensorClasses makes `tensor` and what is derived from it.
func (m *Tracer) makeTensorClasses() {
	rows := m.ClassRows()
	m.TensorClass = m.NewClass("tensor", nil, rows)
	for name, get := range tensorProperties {
		m.TensorClass.SetProperty(name, func(t *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
			return get(t, self.(*Tensor))
		}, nil)
	}
	m.vectorClass = m.NewClass("vector", m.TensorClass, rows)
	for name, f := range m.Methods(m.VectorRows()) {
		m.vectorClass.SetMethod(name, f)
	}
	m.matrixClass = m.NewClass("matrix", m.TensorClass, rows)
}

var tensorProperties = map[string]func(t *vm.Thread, x *Tensor) (vm.Value, error){
	"shape": func(_ *vm.Thread, x *Tensor) (vm.Value, error) {
		dims := make([]vm.Value, len(x.Shape()))
		for i, n := range x.Shape() {
			dims[i] = int64(n)
		}
		return vm.NewTuple(dims...), nil
	},
	"ndim": func(_ *vm.Thread, x *Tensor) (vm.Value, error) { return int64(len(x.Shape())), nil },
	"dtype": func(_ *vm.Thread, x *Tensor) (vm.Value, error) {
		return PyType(x.elementType()), nil
	},
	"size": func(_ *vm.Thread, x *Tensor) (vm.Value, error) { return int64(x.Shape().Elements()), nil },
	"T": func(t *vm.Thread, x *Tensor) (vm.Value, error) {
		if x.withoutAxes() {
			return x, nil
		}
		again := func(of *Tensor, _ []vm.Value) (vm.Value, error) { return of.transpose(t, vm.Args{}) }
		r, err := again(x, nil)
		if err != nil {
			return nil, err
		}
		return anyPart.viewOf(x, nil, r, again), nil
	},
	"values": func(_ *vm.Thread, x *Tensor) (vm.Value, error) {
		elems, err := x.Elements()
		if err != nil {
			return nil, err
		}
		return vm.NewTuple(elems...), nil
	},
}

// methodRows are what only arrays have, but for those in other tables.
func (m *Tracer) methodRows() []Row {
	return []Row{
		{Name: "dot", Params: "x other", Call: onArray((*Tensor).dot), Is: Method},
		{Name: "matmul", Params: "x other", Call: onArray((*Tensor).matmul), Is: Method},
		{Name: "map", Params: "x func", Call: onArray((*Tensor).mapBy), Is: Method},
		{Name: "astype", Params: "x dtype", Call: onArray((*Tensor).asType), Is: Method},
		{Name: "tolist", Params: "x", Call: onArray((*Tensor).toList), Is: Method},
		{Name: "item", Params: "x index?", Call: onArray((*Tensor).item), Is: Method},
		{Name: "get_scalar", Params: "x *key", Free: getScalar, Is: Method},
		{Name: "homogenize", Params: "x", Call: onArray((*Tensor).homogenize), Is: Method},
		{Name: "copy", Params: "x", Call: onArray((*Tensor).copyFunc), Is: Method},
	}
}

// onArray makes a handler of a method.
func onArray(f func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error)) Handler {
	return func(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
		x := args[0].(*Tensor)
		x.m.At(t)
		return f(x, t, args[1:])
	}
}

func (x *Tensor) flatten(*vm.Thread, []vm.Value) (vm.Value, error) {
	return x.Reshaped(graph.Shape{-1})
}

func (x *Tensor) trace(t *vm.Thread, _ []vm.Value) (vm.Value, error) {
	d, err := x.diagonal(t, "trace", 0)
	if err != nil {
		return nil, err
	}
	return d.ReduceAxes(t, "sum", []int{0})
}

func (x *Tensor) mapBy(t *vm.Thread, args []vm.Value) (vm.Value, error) { return x.mapped(t, args[0]) }

func (x *Tensor) toList(*vm.Thread, []vm.Value) (vm.Value, error) {
	elems, err := x.Elements()
	return nested(x.Shape(), slices.Clone(elems)), err
}

func (x *Tensor) copyFunc(*vm.Thread, []vm.Value) (vm.Value, error) { return x.Copied(), nil }

// mapped is an array of what f gives for each element.
func (x *Tensor) mapped(t *vm.Thread, f vm.Value) (vm.Value, error) {
	elems, err := x.Elements()
	if err != nil {
		return nil, err
	}
	out := make([]vm.Value, len(elems))
	for i, e := range elems {
		if out[i], err = t.Call(f, e); err != nil {
			return nil, err
		}
	}
	return x.m.fromElements(t, "map", x.Shape(), out)
}

// mapFunc is cp.map(f, x), with x or nested lists that make an array.
func (m *Tracer) mapFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	x, err := m.NestedTensor(t, fn, args[1])
	if err != nil {
		return nil, err
	}
	return x.mapped(t, args[0])
}

// asType is x.astype(dtype).
func (x *Tensor) asType(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return x.m.Typed(t, "astype", x, args[0])
}

// item is x.item(i): an element, counted row by row; without i the only one.
func (x *Tensor) item(_ *vm.Thread, args []vm.Value) (vm.Value, error) {
	n := x.Shape().Elements()
	if args[0] == nil && n != 1 {
		return nil, vm.WithHint(vm.ValueErrorf("item: an array of shape %v has %d elements", x.Shape(), n), "give the index of one of them")
	}
	i, err := IntArg("item", "index", args[0], 0)
	if err != nil {
		return nil, err
	}
	if i < -n || i >= n {
		return nil, vm.Raise(vm.IndexError, "item: index %d is out of range for %d elements", i, n)
	}
	return x.element((i + n) % n)
}

// dot is x.dot(y), which is x @ y but for more than two axes.
func (x *Tensor) dot(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	y, err := x.other(t, "dot", args[0])
	if err != nil {
		return nil, err
	}
	c := x.m.Calc(t)
	return c.Done(c.contracted(x, y, max(len(y.Shape())-2, 0)))
}

// matmul is x.matmul(y), which is x @ y.
func (x *Tensor) matmul(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	y, err := x.other(t, "matmul", args[0])
	if err != nil {
		return nil, err
	}
	return x.m.matmul(t, x, y)
}

// other is the second array of a product.
func (x *Tensor) other(t *vm.Thread, fn string, v vm.Value) (*Tensor, error) {
	array, err := x.m.listArg(t, fn, v)
	if err != nil {
		return nil, err
	}
	y, ok := array.(*Tensor)
	if !ok {
		return nil, vm.TypeErrorf("%s: must be a %s, not '%s'", fn, vm.TypeName(x), vm.TypeName(v))
	}
	return y, nil
}

// newTensor is cp.tensor(nested) or cp.tensor(flat, shape).
func (m *Tracer) newTensor(t *vm.Thread, _ string, args []vm.Value) (_ vm.Value, err error) {
	if args[0], err = m.Typed(t, "tensor", args[0], args[2]); err != nil {
		return nil, err
	}
	args[0] = PlainNumber(args[0])
	if _, isScalar := args[0].(*Value); isScalar && args[1] == nil {
		return m.copyOf(args[0]), nil
	}
	if IsNumber(args[0]) {
		if args[1] == nil {
			return m.point(args[0]), nil
		}
		args[0] = m.PlainVector([]vm.Value{args[0]})
	}
	x, err := m.NestedTensor(t, "tensor", args[0])
	if err != nil {
		return nil, err
	}
	if args[1] == nil {
		return m.copyOf(x), nil
	}
	s, err := lengths("tensor", []vm.Value{args[1]})
	if err != nil {
		return nil, err
	}
	return x.Reshaped(s)
}

// newVector is cp.vector(iterable).
func (m *Tracer) newVector(t *vm.Thread, _ string, args []vm.Value) (_ vm.Value, err error) {
	if args[0], err = m.Typed(t, "vector", args[0], args[1]); err != nil {
		return nil, err
	}
	x, isTensor := args[0].(*Tensor)
	if !isTensor {
		elems, err := t.Collect(args[0])
		if err != nil {
			return nil, err
		}
		return m.Vector(t, elems)
	}
	if s := x.Shape(); len(s) != 1 {
		return nil, vm.ValueErrorf("vector: needs one axis, not shape %v", s)
	}
	return m.copyOf(x), nil
}

// newMatrix is cp.matrix(rows).
func (m *Tracer) newMatrix(t *vm.Thread, _ string, args []vm.Value) (_ vm.Value, err error) {
	if args[0], err = m.Typed(t, "matrix", args[0], args[1]); err != nil {
		return nil, err
	}
	x, err := m.NestedTensor(t, "matrix", args[0])
	if err != nil {
		return nil, err
	}
	if s := x.Shape(); len(s) != 2 {
		return nil, vm.WithHint(vm.ValueErrorf("matrix: needs two axes, not shape %v", s), "give a list of rows of one length")
	}
	return m.copyOf(x), nil
}

// NestedTensor makes a tensor of nested lists, tuples and other iterables, of
// numbers, traced scalars and tensors.
func (m *Tracer) NestedTensor(t *vm.Thread, fn string, v vm.Value) (*Tensor, error) {
	if x, ok := v.(*Tensor); ok {
		if x.withoutAxes() {
			return m.PlainVector(x.Plain), nil
		}
		return x, nil
	}
	var elems []vm.Value
	dims, err := m.flattened(t, fn, v, &elems, 0)
	if err != nil {
		return nil, err
	}
	x, err := m.fromElements(t, fn, dims, elems)
	if err != nil {
		return nil, err
	}
	return x.(*Tensor), nil
}

// flattened appends the elements of nested iterables and returns their shape.
func (m *Tracer) flattened(t *vm.Thread, fn string, v vm.Value, out *[]vm.Value, depth int) (graph.Shape, error) {
	if x, ok := v.(*Tensor); ok {
		elems, err := x.Elements()
		*out = append(*out, elems...)
		return x.Shape(), err
	}
	if _, isScalar := v.(*Value); depth > 0 && (isScalar || IsNumber(v)) {
		*out = append(*out, v)
		return nil, nil
	}
	if depth == graph.MaxRank {
		return nil, vm.ValueErrorf("%s: at most %d axes are supported", fn, graph.MaxRank)
	}
	if _, isText := v.(string); isText {
		return nil, vm.TypeErrorf("%s: an element is a 'str'; elements must be numbers or traced scalars", fn)
	}
	rows, err := t.Collect(v)
	if err != nil {
		return nil, err
	}
	if err := t.Charge(16 * int64(len(rows))); err != nil {
		return nil, err
	}
	var dims graph.Shape
	for i, r := range rows {
		s, err := m.flattened(t, fn, r, out, depth+1)
		if err != nil {
			return nil, err
		}
		if i == 0 && len(rows) > 1 {
			// As many as in this row should come from each of the others.
			const most = 1 << 20 // rows that differ from it are found later
			*out = slices.Grow(*out, min((len(rows)-1)*s.Elements(), most))
		}
		if i > 0 && !s.Equal(dims) {
			return nil, vm.ValueErrorf("%s: row %d has shape %v, the rows before it have %v", fn, i, s, dims)
		}
		dims = s
	}
	if len(dims) >= graph.MaxRank {
		return nil, vm.ValueErrorf("%s: at most %d axes are supported", fn, graph.MaxRank)
	}
	return slices.Concat(graph.Shape{len(rows)}, dims), nil
}

// getScalar is x.get_scalar(i, j, ...): the element at these places.
func getScalar(_ *vm.Thread, a vm.Args) (vm.Value, error) {
	x := a.Pos[0].(*Tensor)
	a.Pos = a.Pos[1:]
	if len(a.Kw) > 0 {
		return nil, vm.TypeErrorf("get_scalar() takes no keyword arguments")
	}
	s := x.Shape()
	if len(a.Pos) != len(s) {
		return nil, vm.Raise(vm.IndexError, "get_scalar: %d indices for %d axes", len(a.Pos), len(s))
	}
	flat := 0
	for axis, v := range a.Pos {
		i, err := IntArg("get_scalar", "an index", v, 0)
		if err != nil {
			return nil, err
		}
		if i < -s[axis] || i >= s[axis] {
			return nil, vm.Raise(vm.IndexError, "get_scalar: index %d is out of range for axis %d with length %d", i, axis, s[axis])
		}
		flat = flat*s[axis] + (i+s[axis])%s[axis]
	}
	return x.element(flat)
}

// homogenize is x itself: the elements of an array are all plain or all traced.
func (x *Tensor) homogenize(*vm.Thread, []vm.Value) (vm.Value, error) { return x, nil }

// CalledAttr makes x.size() the same as x.size.
func (x *Tensor) CalledAttr(name string, v vm.Value) vm.Value {
	if name != "size" {
		return nil
	}
	return vm.NewBuiltin("size", func(_ *vm.Thread, a vm.Args) (vm.Value, error) {
		_, err := a.Bind("size")
		return v, err
	})
}
