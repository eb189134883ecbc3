package copapy

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// oneAxis resolves axis=None or an int; nil stands for the flattened tensor.
func (x *Tensor) oneAxis(fn string, axis vm.Value) (y *Tensor, at int, err error) {
	if axis == nil || axis == vm.None {
		flat, err := x.reshaped(graph.Shape{-1})
		if err != nil {
			return nil, 0, err
		}
		return flat.(*Tensor), 0, nil
	}
	axes, err := x.axesOf(fn, axis)
	if err == nil && len(axes) != 1 {
		err = vm.ValueErrorf("%s: works along one axis, not %d", fn, len(axes))
	}
	if err != nil {
		return nil, 0, err
	}
	return x, axes[0], nil
}

// place is x.argmax(axis=None, keepdims=False) or x.argmin: the index of the first largest or
// smallest element; a NaN counts as both.
func place(name, extremum string) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		keep, err := boolArg(t, args[1])
		if err != nil {
			return nil, err
		}
		rank := len(x.shape())
		x, axis, err := x.oneAxis(name, args[0])
		if err != nil {
			return nil, err
		}
		best, err := x.reduceKept(t, extremum, axis)
		if err != nil {
			return nil, err
		}
		n := x.shape()[axis]
		counting := slices.Repeat(graph.Shape{1}, len(x.shape()))
		counting[axis] = n
		c := x.m.calc(t)
		wanted := c.compare(vm.OpEq, x, best)
		wanted = c.binary(vm.OpBitOr, wanted, c.compare(vm.OpNe, x, x))
		places, ok := c.iif(wanted, x.m.plainTensor(counting, counted(n)), int64(n)).(*Tensor)
		if !ok || c.err != nil {
			return c.done(nil)
		}
		if !keep {
			return places.reduceAxes(t, "min", []int{axis})
		}
		r, err := places.reduceKept(t, "min", axis)
		if err != nil || len(x.shape()) == rank {
			return r, err
		}
		return r.(*Tensor).reshaped(slices.Repeat(graph.Shape{1}, rank)) // was flattened
	}
}

// counted is 0, 1, ... n-1.
func counted(n int) []vm.Value {
	out := make([]vm.Value, n)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}

// reduceKept reduces one axis and leaves it there, with length 1.
func (x *Tensor) reduceKept(t *vm.Thread, name string, axis int) (vm.Value, error) {
	return x.reduce(t, name, int64(axis), true)
}

// cumsum is x.cumsum(axis=None): each element plus all those before it, added from
// the first on.
func (x *Tensor) cumsum(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return x.running(t, "cumsum", vm.OpAdd, args[0])
}

// cumprod is x.cumprod(axis=None), likewise.
func (x *Tensor) cumprod(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return x.running(t, "cumprod", vm.OpMul, args[0])
}

// running combines each row along an axis with what those before it gave. Bools
// count as ints.
func (x *Tensor) running(t *vm.Thread, fn string, op vm.BinaryOp, along vm.Value) (vm.Value, error) {
	return x.runningBy(t, fn, along, func(c *calc, before, next vm.Value) vm.Value {
		if before == nil {
			return boolsAsInts(c, next.(*Tensor))
		}
		return c.binary(op, before, boolsAsInts(c, next.(*Tensor)))
	})
}

// runningBy is running with any way to combine; before the first row there is nil.
func (x *Tensor) runningBy(t *vm.Thread, fn string, along vm.Value, combine func(c *calc, before, next vm.Value) vm.Value) (vm.Value, error) {
	x, axis, err := x.oneAxis(fn, along)
	if err != nil {
		return nil, err
	}
	if x.shape().Elements() == 0 {
		return x, nil
	}
	c := x.m.calc(t)
	rows := make([]*Tensor, x.shape()[axis])
	for i := range rows {
		row, err := x.along(t, axis, span(i, i+1))
		if err != nil {
			return nil, err
		}
		var before vm.Value
		if i > 0 {
			before = rows[i-1]
		}
		next := combine(c, before, row)
		if c.err != nil {
			return nil, c.err
		}
		rows[i] = next.(*Tensor)
	}
	return x.m.concat(t, fn, rows, axis)
}

// softmaxFunc is cp.softmax(x, axis=-1): exponentials divided by their sum, taken
// after the largest element is subtracted, so that none overflows.
func (m *Tracer) softmaxFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	x, err := m.nestedTensor(t, fn, args[0])
	if err != nil {
		return nil, err
	}
	if args[1] == nil {
		args[1] = int64(-1)
	}
	x, axis, err := x.oneAxis(fn, args[1])
	if err != nil {
		return nil, err
	}
	c := m.calc(t)
	x = c.floats(x)
	largest, err := x.reduceKept(t, "max", axis)
	if err != nil {
		return nil, err
	}
	e, ok := c.call("exp", c.sub(x, largest)).(*Tensor)
	if !ok || c.err != nil {
		return c.done(nil)
	}
	total, err := e.reduceKept(t, "sum", axis)
	if err != nil {
		return nil, err
	}
	return c.done(c.div(e, total))
}
