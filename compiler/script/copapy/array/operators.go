package array

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// fits tells what a tensor can be combined with.
func fits(v vm.Value) bool {
	switch v.(type) {
	case *Tensor, *Value:
		return true
	}
	return IsNumber(v)
}

// ShapeOf is the shape of a number, traced scalar or tensor.
func ShapeOf(v vm.Value) graph.Shape {
	if x, ok := v.(*Tensor); ok {
		return x.Shape()
	}
	return nil
}

// commonShape is the shape that operands are repeated to, by NumPy's rule.
func commonShape(xs ...vm.Value) (graph.Shape, error) {
	out := graph.Shape{}
	for _, x := range xs {
		s := ShapeOf(x)
		r, err := graph.BroadcastShapes(out, s)
		switch {
		case err == nil:
			out = r
		case len(out) == 1 && len(s) == 1:
			return nil, vm.ValueErrorf("vectors of %d and %d elements do not match", out[0], s[0])
		default:
			return nil, vm.WithHint(vm.ValueErrorf("%v", err),
				"axes are aligned at the end and must be of one length, or 1; reshape() brings them into place")
		}
	}
	return out, nil
}

// spread gives, for each element of a tensor of shape to, the element of one of
// shape from that is repeated there.
func spread(from, to graph.Shape) []int {
	at := make([]int, 0, to.Elements())
	at = append(at, 0)
	shift, stride := len(to)-len(from), from.Elements()
	for axis, n := range to {
		step := 0
		if axis >= shift {
			if d := from[axis-shift]; d > 0 {
				stride /= d
			}
			if from[axis-shift] == n {
				step = stride
			}
		}
		next := make([]int, 0, len(at)*n)
		for _, a := range at {
			for i := range n {
				next = append(next, a+i*step)
			}
		}
		at = next
	}
	return at
}

// plainEach applies f to the elements of plain tensors and numbers, repeated to
// one shape.
func (m *Tracer) plainEach(t *vm.Thread, xs []vm.Value, f func(e []vm.Value) (vm.Value, error)) (vm.Value, error) {
	dims, err := commonShape(xs...)
	if err != nil {
		return nil, err
	}
	n := dims.Elements()
	if err := t.Charge(16 * int64(n) * int64(len(xs)+1)); err != nil {
		return nil, err
	}
	at := make([][]int, len(xs))
	for k, x := range xs {
		if x, ok := x.(*Tensor); ok {
			at[k] = spread(x.dims, dims)
		}
	}
	out := make([]vm.Value, n)
	e := make([]vm.Value, len(xs))
	for i := range out {
		for k, x := range xs {
			if e[k] = x; at[k] != nil {
				e[k] = x.(*Tensor).Plain[at[k][i]]
			}
		}
		if out[i], err = f(e); err != nil {
			return nil, err
		}
	}
	if out, err = unify(t, out); err != nil {
		return nil, err
	}
	r := m.PlainTensor(dims, out)
	if y, ok := r.(*Tensor); ok {
		y.none = KindOf(xs[len(xs)-1])
	}
	return r, nil
}

// Binary works by element, with what the shapes can be repeated to; @ is the
// product of matrices and vectors. A list or tuple counts as an array.
func (x *Tensor) Binary(t *vm.Thread, op vm.BinaryOp, other vm.Value, reflected bool) (vm.Value, error) {
	if x.withoutAxes() {
		a, b := x.Plain[0], PlainNumber(other)
		if reflected {
			a, b = b, a
		}
		return t.Binary(op, a, b)
	}
	other = PlainNumber(other)
	other, err := x.m.listArg(t, op.String(), asPattern(op, x, other))
	if err != nil {
		return nil, err
	}
	if !fits(other) {
		return vm.NotImplemented, nil
	}
	var a, b vm.Value = x, other
	if reflected {
		a, b = b, a
	}
	if op == vm.OpMatMul {
		y, ok := other.(*Tensor)
		if !ok {
			return vm.NotImplemented, nil
		}
		if reflected {
			x, y = y, x
		}
		return x.m.matmul(t, x, y)
	}
	if !IsTraced(a) && !IsTraced(b) {
		r, err := x.m.plainEach(t, []vm.Value{a, b}, func(e []vm.Value) (vm.Value, error) { return t.Binary(op, e[0], e[1]) })
		if y, ok := r.(*Tensor); ok && len(y.Plain) == 0 {
			if y.none = max(KindOf(a), KindOf(b)); op == vm.OpDiv {
				y.none = max(y.none, graph.F32)
			}
		}
		return r, err
	}
	v, err := x.m.liftAll(t, op.String(), a, b)
	if err != nil {
		return nil, err
	}
	r, err := x.m.binary(op, v[0], v[1])
	if err != nil {
		return nil, err
	}
	if !r.Valid() {
		return vm.NotImplemented, nil
	}
	return x.m.Wrap(r, nil)
}

// Compare works by element and gives a tensor of bools.
func (x *Tensor) Compare(t *vm.Thread, op vm.CompareOp, other vm.Value) (vm.Value, error) {
	if x.withoutAxes() {
		return t.Compare(op, x.Plain[0], PlainNumber(other))
	}
	other = PlainNumber(other)
	other, err := x.m.listArg(t, op.String(), other)
	switch {
	case err != nil:
		return nil, err
	case !fits(other):
		return vm.NotImplemented, nil
	case !IsTraced(x) && !IsTraced(other):
		r, err := x.m.plainEach(t, []vm.Value{x, other}, func(e []vm.Value) (vm.Value, error) { return t.Compare(op, e[0], e[1]) })
		if y, ok := r.(*Tensor); ok {
			y.none = graph.Bool
		}
		return r, err
	}
	v, err := x.m.liftAll(t, op.String(), x, other)
	if err != nil {
		return nil, err
	}
	return x.m.Wrap(x.m.Graph.Apply(compareTable[op], v[0], v[1]))
}

// Select makes `a if v else b` a select by element.
func (x *Tensor) Select(t *vm.Thread, a, b vm.Value) (vm.Value, error) {
	return x.m.iif(t, x, a, b)
}

// Unary works by element.
func (x *Tensor) Unary(t *vm.Thread, op vm.UnaryOp) (vm.Value, error) {
	if x.withoutAxes() {
		return t.Unary(op, x.Plain[0])
	}
	if !x.Traced() {
		if op == vm.OpInvert && x.isBool() { // Python has an int for ~True
			return x.mapPlain(func(_ int, e vm.Value) (vm.Value, error) { return e == false, nil })
		}
		r, err := x.mapPlain(func(_ int, e vm.Value) (vm.Value, error) { return t.Unary(op, e) })
		if y, ok := r.(*Tensor); ok && len(y.Plain) == 0 {
			switch op {
			case vm.OpToFloat:
				y.none = graph.F32
			case vm.OpToInt:
				y.none = graph.I32
			}
		}
		return r, err
	}
	x.m.At(t)
	r, err := x.m.unary(op, x.Node)
	if err != nil {
		return nil, err
	}
	if !r.Valid() {
		return vm.NotImplemented, nil
	}
	return &Tensor{m: x.m, Node: x.m.copied(r), scope: x.m.Scope()}, nil
}

func (x *Tensor) mapPlain(f func(i int, e vm.Value) (vm.Value, error)) (vm.Value, error) {
	out := make([]vm.Value, len(x.Plain))
	for i, e := range x.Plain {
		r, err := f(i, e)
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return &Tensor{m: x.m, dims: x.dims, Plain: out, none: x.none, scope: x.m.Scope()}, nil
}
