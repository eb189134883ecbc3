package array

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// diagonalPart is a view of a matrix; of a vector a new matrix is made.
var diagonalPart = &part{axes: 2, locked: "what cp.diag takes of a matrix cannot be assigned to: write d = cp.diag(x).copy(), or x[i, i] = a"}

// diagFunc is cp.diag(v, k=0): a matrix with a vector on its k-th diagonal, or the
// k-th diagonal of a matrix; those above the main one are positive.
func (m *Tracer) diagFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	x, err := m.NestedTensor(t, fn, args[0])
	if err != nil {
		return nil, err
	}
	k, err := IntArg(fn, "k", args[1], 0)
	if err != nil {
		return nil, err
	}
	return x.diag(t, fn, k)
}

func (x *Tensor) diag(t *vm.Thread, fn string, k int) (vm.Value, error) {
	s := x.Shape()
	switch len(s) {
	case 1:
		return x.onDiagonal(t, fn, k)
	case 2:
		return x.diagonal(t, fn, k)
	}
	return nil, vm.ValueErrorf("%s: needs a vector or a matrix, not a tensor of shape %v", fn, s)
}

// onDiagonal makes a matrix of a vector.
func (x *Tensor) onDiagonal(t *vm.Thread, fn string, k int) (vm.Value, error) {
	n := x.length() + max(k, -k)
	if int64(n)*int64(n) > graph.MaxElements {
		return nil, vm.ValueErrorf("%s: at most %d elements are supported", fn, graph.MaxElements)
	}
	padded, err := x.Pad(t, []vm.Value{vm.NewTuple(int64(max(k, 0)), int64(max(-k, 0))), nil, nil})
	if err != nil || n == 0 {
		return x.m.PlainTensor(graph.Shape{0, 0}, nil), err
	}
	on := make([]vm.Value, n*n)
	for i := range on {
		on[i] = i%n == i/n+k
	}
	if err := t.Charge(16 * int64(len(on))); err != nil {
		return nil, err
	}
	c := x.m.Calc(t)
	zero, err := x.m.ofType(t, int64(0), x.elementType())
	if err != nil {
		return nil, err
	}
	return c.Done(c.Iif(x.m.PlainTensor(graph.Shape{n, n}, on), padded, zero))
}

// diagonal takes the elements (i, i+k) of a matrix.
func (x *Tensor) diagonal(t *vm.Thread, fn string, k int) (*Tensor, error) {
	s := x.Shape()
	if len(s) != 2 {
		return nil, vm.ValueErrorf("%s: needs a matrix, not a tensor of shape %v", fn, s)
	}
	count := max(min(s[0]-max(-k, 0), s[1]-max(k, 0)), 0)
	flat, err := x.Reshaped(graph.Shape{-1})
	if err != nil {
		return nil, err
	}
	start := max(k, 0) + max(-k, 0)*s[1]
	if count == 0 {
		start = 0
	}
	return flat.(*Tensor).along(t, 0, pick{start: start, step: s[1] + 1, count: count})
}

// triangle is cp.tril(x, k=0) or cp.triu: zeros above or below a diagonal of the
// last two axes.
func triangle(fn string, keeps vm.CompareOp) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		k, err := IntArg(fn, "k", args[0], 0)
		if err != nil {
			return nil, err
		}
		s := x.Shape()
		if len(s) < 2 {
			return nil, vm.ValueErrorf("%s: needs a matrix, not a tensor of shape %v", fn, s)
		}
		rows, columns := s[len(s)-2], s[len(s)-1]
		if s.Elements() == 0 {
			return x, nil
		}
		c := x.m.Calc(t)
		column := x.m.PlainTensor(graph.Shape{1, columns}, Counted(columns))
		row := c.Add(x.m.PlainTensor(graph.Shape{rows, 1}, Counted(rows)), int64(k))
		zero, err := x.m.ofType(t, int64(0), x.elementType())
		if err != nil {
			return nil, err
		}
		return c.Done(c.Iif(c.Compare(keeps, column, row), x, zero))
	}
}
