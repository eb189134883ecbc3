package copapy

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// matmul is x @ y for vectors and matrices: inner product, matrix and vector,
// vector and matrix, or two matrices. Of plain tensors by Python's arithmetic.
func (m *module) matmul(t *vm.Thread, x, y *Tensor) (vm.Value, error) {
	a, b := x.shape(), y.shape()
	if len(a) > 2 || len(b) > 2 {
		return nil, vm.ValueErrorf("@: the operands have shapes %v and %v; it takes vectors and matrices", a, b)
	}
	if inner := a[len(a)-1]; inner != b[0] {
		if len(a) == 1 && len(b) == 1 {
			return nil, vm.ValueErrorf("dot: vectors of %d and %d elements do not match", inner, b[0])
		}
		return nil, vm.WithHint(vm.ValueErrorf("@: shapes %v and %v do not match: %d columns meet %d rows", a, b, inner, b[0]),
			"the last axis of the left side must be as long as the first axis of the right side")
	}
	if x.traced() || y.traced() {
		v, err := m.liftAll(t, "@", x, y)
		if err != nil {
			return nil, err
		}
		return m.wrap(m.g.MatMul(v[0], v[1]))
	}
	return m.plainMatMul(t, x, y)
}

func (m *module) plainMatMul(t *vm.Thread, x, y *Tensor) (vm.Value, error) {
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
			p, err := t.Binary(vm.OpMul, x.plain[row*inner+k], y.plain[k*columns+column])
			if err != nil {
				return nil, err
			}
			if sum, err = t.Binary(vm.OpAdd, sum, p); err != nil {
				return nil, err
			}
		}
		out[i] = sum
	}
	return m.plainTensor(dims, out), nil
}
