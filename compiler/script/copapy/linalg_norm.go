package copapy

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// norm is cp.norm(x, ord=None, axis=None, keepdims=False): the length of a vector,
// or of those along an axis; of two axes the norm of matrices.
func (m solver) norm(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	ord, axis := args[0], args[1]
	if ord == nil {
		ord = vm.None
	}
	keep, err := boolArg(t, args[2])
	if err != nil {
		return nil, err
	}
	axes, err := x.axesOf("norm", axis)
	if err != nil {
		return nil, err
	}
	c := m.calc(t)
	all := axis == nil || axis == vm.None
	switch {
	case ord == vm.None && all && !keep && x.shape().Elements() > 0:
		flat, err := x.reshaped(graph.Shape{-1})
		if err != nil {
			return nil, err
		}
		return c.done(c.magnitude(flat.(*Tensor)))
	case ord == vm.None || ord == "fro" && len(axes) == 2:
		x = c.floats(x)
		return c.done(c.root(c.reduce("sum", c.mul(x, x), axis, keep)))
	case len(axes) == 1:
		return c.done(vectorNorm(c, x, ord, int64(axes[0]), keep))
	case len(axes) == 2:
		if !all { // in the order in which they are named: rows first
			named, err := intsArg("norm", "an axis", axis)
			if err == nil {
				axes, err = distinctAxes("norm", named, len(x.shape()))
			}
			if err != nil {
				return nil, err
			}
		}
		return c.done(matrixNorm(c, x, ord, axes, keep))
	}
	return nil, vm.WithHint(vm.ValueErrorf("norm: ord is for vectors and matrices, not for shape %v", x.shape()), "name the axis, or two of them: axis=-1")
}

// vectorNorm is the norm of order ord along an axis: the largest (inf) or smallest
// (-inf) size, the number of what is not zero (0), or (sum |x|**ord) ** (1/ord).
func vectorNorm(c *calc, x *Tensor, ord, axis vm.Value, keep bool) vm.Value {
	p, ok := vm.AsFloat(ord)
	if _, isText := ord.(string); isText || !ok || math.IsNaN(p) {
		return c.keep(nil, vm.WithHint(vm.ValueErrorf("norm: ord of a vector must be a plain number"), "leave it out for the length, or give 1, 2 or cp.inf"))
	}
	switch {
	case p == 2:
		x = c.floats(x)
		return c.root(c.reduce("sum", c.mul(x, x), axis, keep))
	case p == 1:
		return c.reduce("sum", c.abs(x), axis, keep)
	case p == 0:
		return c.reduce("sum", c.compare(vm.OpNe, x, int64(0)), axis, keep)
	case math.IsInf(p, 1):
		return c.reduce("max", c.abs(x), axis, keep)
	case math.IsInf(p, -1):
		return c.reduce("min", c.abs(x), axis, keep)
	}
	sum := c.reduce("sum", c.binary(vm.OpPow, c.abs(c.floats(x)), p), axis, keep)
	return c.unlessZero(sum, func(sum vm.Value) vm.Value { return c.binary(vm.OpPow, sum, 1/p) })
}

// matrixNorm is the largest or smallest sum of sizes in a column (1, -1) or row
// (inf, -inf) of the matrices along two axes.
func matrixNorm(c *calc, x *Tensor, ord vm.Value, axes []int, keep bool) vm.Value {
	p, ok := vm.AsFloat(ord)
	rows, columns := int64(axes[0]), int64(axes[1])
	var over, of int64
	switch {
	case ok && math.Abs(p) == 1:
		over, of = rows, columns
	case ok && math.IsInf(p, 0):
		over, of = columns, rows
	default:
		return c.keep(nil, vm.WithHint(vm.ValueErrorf("norm: ord of a matrix must be 'fro', 1, -1, inf or -inf; others need singular values"),
			"leave ord out for the root of the sum of squares"))
	}
	how := "max"
	if p < 0 {
		how = "min"
	}
	r := c.reduce(how, c.reduce("sum", c.abs(x), over, true), of, true)
	if one, ok := r.(*Tensor); ok && !keep && c.err == nil {
		return c.keep(one.squeeze(c.t, []vm.Value{vm.NewTuple(rows, columns)}))
	}
	return r
}

// matrixPowerFunc is cp.matrix_power(a, n), by squaring.
func (m solver) matrixPowerFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	x, err := m.nestedTensor(t, fn, args[0])
	if err != nil {
		return nil, err
	}
	s := x.shape()
	if len(s) != 2 || s[0] != s[1] {
		return nil, vm.ValueErrorf("matrix_power: needs a square matrix, not one of shape %v", s)
	}
	n, err := intArg(fn, "n", args[1], 1)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		inverse, err := m.invFunc(t, "inv", []vm.Value{x})
		if err != nil {
			return nil, err
		}
		x, n = inverse.(*Tensor), -n
	}
	if n == 0 {
		return m.unit(t, fn, []vm.Value{int64(s[0]), int64(s[0])}, 0, nil)
	}
	var r vm.Value
	c := m.calc(t)
	for square := vm.Value(x); ; square = c.matmul(square, square) {
		if n&1 == 1 {
			if r == nil {
				r = square
			} else {
				r = c.matmul(r, square)
			}
		}
		if n >>= 1; n == 0 || c.err != nil {
			return c.done(r)
		}
	}
}
