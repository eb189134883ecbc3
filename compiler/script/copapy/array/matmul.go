package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// matmul is x @ y: inner product, matrix and vector, vector and matrix, two matrices, or
// stacks of those along axes in front. Of plain tensors by Python's arithmetic.
func (m *Tracer) matmul(t *vm.Thread, x, y *Tensor) (vm.Value, error) {
	a, b := x.Shape(), y.Shape()
	if inner, rows := a[len(a)-1], b[max(len(b)-2, 0)]; inner != rows {
		if len(a) == 1 && len(b) == 1 {
			return nil, vm.ValueErrorf("dot: vectors of %d and %d elements do not match", inner, rows)
		}
		which := "first axis"
		if len(a) > 2 || len(b) > 2 {
			which = "last but one"
		}
		return nil, vm.WithHint(vm.ValueErrorf("@: shapes %v and %v do not match: %d columns meet %d rows", a, b, inner, rows),
			"the last axis of the left side must be as long as the "+which+" of the right side")
	}
	if len(a) > 2 || len(b) > 2 {
		return m.matmulStacks(t, x, y)
	}
	if x.Traced() || y.Traced() {
		v, err := m.liftAll(t, "@", x, y)
		if err != nil {
			return nil, err
		}
		return m.Wrap(m.Graph.MatMul(v[0], v[1]))
	}
	return m.plainMatMul(t, x, y)
}

// matmulStacks multiplies the matrices of two stacks, whose axes in front are repeated
// to one shape. A vector takes part in each product.
func (m *Tracer) matmulStacks(t *vm.Thread, x, y *Tensor) (vm.Value, error) {
	a, b := x.Shape(), y.Shape()
	ends := [2]int{min(len(a), 2), min(len(b), 2)} // axes of what is multiplied
	stack, err := graph.BroadcastShapes(a[:len(a)-ends[0]], b[:len(b)-ends[1]])
	if err != nil {
		return nil, vm.WithHint(vm.ValueErrorf("@: the stacks of matrices of shapes %v and %v do not match", a, b), "the axes before the last two must be of one length, or 1")
	}
	n := stack.Elements()
	if n == 0 {
		return nil, vm.ValueErrorf("@: shapes %v and %v have no elements", a, b)
	}
	var sides [2]*Tensor
	for i, o := range []*Tensor{x, y} {
		own := o.Shape()[len(o.Shape())-ends[i]:]
		r, err := o.BroadcastTo(t, "@", slices.Concat(stack, own))
		if err == nil {
			r, err = r.(*Tensor).Reshaped(slices.Concat(graph.Shape{n}, own))
		}
		if err != nil {
			return nil, err
		}
		sides[i] = r.(*Tensor)
	}
	var products []*Tensor
	var dims graph.Shape
	for i := range n {
		p, err := sides[0].Row(i)
		if err != nil {
			return nil, err
		}
		q, err := sides[1].Row(i)
		if err != nil {
			return nil, err
		}
		r, err := m.matmul(t, p.(*Tensor), q.(*Tensor))
		if err != nil {
			return nil, err
		}
		dims = slices.Clone(ShapeOf(r))
		if r, err = m.withShape(r, slices.Concat(graph.Shape{1}, dims)); err != nil {
			return nil, err
		}
		products = append(products, r.(*Tensor))
	}
	r, err := m.Concat(t, "@", products, 0)
	if err != nil {
		return nil, err
	}
	return r.(*Tensor).Reshaped(slices.Concat(stack, dims))
}

func (m *Tracer) plainMatMul(t *vm.Thread, x, y *Tensor) (vm.Value, error) {
	a, b := x.dims, y.dims
	inner, dims := b[0], append(append(graph.Shape{}, a[:len(a)-1]...), b[1:]...)
	columns := b[1:].Elements()
	out := make([]vm.Value, dims.Elements())
	if err := t.Tick(len(out) * (inner + 1)); err != nil {
		return nil, err
	}
	if err := t.Charge(16 * int64(len(out))); err != nil {
		return nil, err
	}
	for i := range out {
		row, column := i/columns, i%columns
		var sum vm.Value = int64(0)
		for k := range inner {
			p, err := t.Binary(vm.OpMul, x.Plain[row*inner+k], y.Plain[k*columns+column])
			if err != nil {
				return nil, err
			}
			if sum, err = t.Binary(vm.OpAdd, sum, p); err != nil {
				return nil, err
			}
		}
		out[i] = sum
	}
	return m.PlainTensor(dims, out), nil
}
