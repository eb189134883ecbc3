package linalg

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// norm is cp.norm(x, ord=None, axis=None, keepdims=False): the length of a vector,
// or of those along an axis; of two axes the norm of matrices.
func (m solver) norm(x *array.Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	ord, axis := args[0], args[1]
	if ord == nil {
		ord = vm.None
	}
	keep, err := array.BoolArg(t, args[2])
	if err != nil {
		return nil, err
	}
	axes, err := x.AxesOf("norm", axis)
	if err != nil {
		return nil, err
	}
	c := m.Calc(t)
	all := axis == nil || axis == vm.None
	switch {
	case ord == vm.None && all && !keep && x.Shape().Elements() > 0:
		flat, err := x.Reshaped(graph.Shape{-1})
		if err != nil {
			return nil, err
		}
		return c.Done(c.Magnitude(flat.(*array.Tensor)))
	case ord == vm.None || ord == "fro" && len(axes) == 2:
		x = c.Floats(x)
		return c.Done(c.Root(c.Reduce("sum", c.Mul(x, x), axis, keep)))
	case len(axes) == 1:
		return c.Done(vectorNorm(c, x, ord, int64(axes[0]), keep))
	case len(axes) == 2:
		if !all { // in the order in which they are named: rows first
			named, err := array.IntsArg("norm", "an axis", axis)
			if err == nil {
				axes, err = array.DistinctAxes("norm", named, len(x.Shape()))
			}
			if err != nil {
				return nil, err
			}
		}
		return c.Done(matrixNorm(c, x, ord, axes, keep))
	}
	return nil, vm.WithHint(vm.ValueErrorf("norm: ord is for vectors and matrices, not for shape %v", x.Shape()), "name the axis, or two of them: axis=-1")
}

// vectorNorm is the norm of order ord along an axis: the largest (inf) or smallest
// (-inf) size, the number of what is not zero (0), or (sum |x|**ord) ** (1/ord).
func vectorNorm(c *array.Calc, x *array.Tensor, ord, axis vm.Value, keep bool) vm.Value {
	p, ok := vm.AsFloat(ord)
	if _, isText := ord.(string); isText || !ok || math.IsNaN(p) {
		return c.Keep(nil, vm.WithHint(vm.ValueErrorf("norm: ord of a vector must be a plain number"), "leave it out for the length, or give 1, 2 or cp.inf"))
	}
	switch {
	case p == 2:
		x = c.Floats(x)
		return c.Root(c.Reduce("sum", c.Mul(x, x), axis, keep))
	case p == 1:
		return c.Reduce("sum", c.Abs(x), axis, keep)
	case p == 0:
		return c.Reduce("sum", c.Compare(vm.OpNe, x, int64(0)), axis, keep)
	case math.IsInf(p, 1):
		return c.Reduce("max", c.Abs(x), axis, keep)
	case math.IsInf(p, -1):
		return c.Reduce("min", c.Abs(x), axis, keep)
	}
	sum := c.Reduce("sum", c.Binary(vm.OpPow, c.Abs(c.Floats(x)), p), axis, keep)
	return c.UnlessZero(sum, func(sum vm.Value) vm.Value { return c.Binary(vm.OpPow, sum, 1/p) })
}

// matrixNorm is the largest or smallest sum of sizes in a column (1, -1) or row
// (inf, -inf) of the matrices along two axes.
func matrixNorm(c *array.Calc, x *array.Tensor, ord vm.Value, axes []int, keep bool) vm.Value {
	p, ok := vm.AsFloat(ord)
	rows, columns := int64(axes[0]), int64(axes[1])
	var over, of int64
	switch {
	case ok && math.Abs(p) == 1:
		over, of = rows, columns
	case ok && math.IsInf(p, 0):
		over, of = columns, rows
	default:
		return c.Keep(nil, vm.WithHint(vm.ValueErrorf("norm: ord of a matrix must be 'fro', 1, -1, inf or -inf; others need singular values"),
			"leave ord out for the root of the sum of squares"))
	}
	how := "max"
	if p < 0 {
		how = "min"
	}
	r := c.Reduce(how, c.Reduce("sum", c.Abs(x), over, true), of, true)
	if one, ok := r.(*array.Tensor); ok && !keep && c.Err == nil {
		return c.Keep(one.Squeeze(c.Thread, []vm.Value{vm.NewTuple(rows, columns)}))
	}
	return r
}

// matrixPowerFunc is cp.matrix_power(a, n), by squaring.
func (m solver) matrixPowerFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	x, err := m.NestedTensor(t, fn, args[0])
	if err != nil {
		return nil, err
	}
	s := x.Shape()
	if len(s) != 2 || s[0] != s[1] {
		return nil, vm.ValueErrorf("matrix_power: needs a square matrix, not one of shape %v", s)
	}
	n, err := array.IntArg(fn, "n", args[1], 1)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		inverse, err := m.invFunc(t, "inv", []vm.Value{x})
		if err != nil {
			return nil, err
		}
		x, n = inverse.(*array.Tensor), -n
	}
	if n == 0 {
		return m.Unit(t, fn, []vm.Value{int64(s[0]), int64(s[0])}, 0, nil)
	}
	var r vm.Value
	c := m.Calc(t)
	for square := vm.Value(x); ; square = c.Matmul(square, square) {
		if n&1 == 1 {
			if r == nil {
				r = square
			} else {
				r = c.Matmul(r, square)
			}
		}
		if n >>= 1; n == 0 || c.Err != nil {
			return c.Done(r)
		}
	}
}
