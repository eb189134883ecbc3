package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// OneAxis resolves axis=None or an int; nil stands for the flattened tensor.
func (x *Tensor) OneAxis(fn string, axis vm.Value) (y *Tensor, at int, err error) {
	if axis == nil || axis == vm.None {
		flat, err := x.Reshaped(graph.Shape{-1})
		if err != nil {
			return nil, 0, err
		}
		return flat.(*Tensor), 0, nil
	}
	axes, err := x.AxesOf(fn, axis)
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
		keep, err := BoolArg(t, args[1])
		if err != nil {
			return nil, err
		}
		rank := len(x.Shape())
		x, axis, err := x.OneAxis(name, args[0])
		if err != nil {
			return nil, err
		}
		best, err := x.reduceKept(t, extremum, axis)
		if err != nil {
			return nil, err
		}
		n := x.Shape()[axis]
		counting := slices.Repeat(graph.Shape{1}, len(x.Shape()))
		counting[axis] = n
		c := x.m.Calc(t)
		wanted := c.Compare(vm.OpEq, x, best)
		wanted = c.Binary(vm.OpBitOr, wanted, c.Compare(vm.OpNe, x, x))
		places, ok := c.Iif(wanted, x.m.PlainTensor(counting, Counted(n)), int64(n)).(*Tensor)
		if !ok || c.Err != nil {
			return c.Done(nil)
		}
		if !keep {
			return places.ReduceAxes(t, "min", []int{axis})
		}
		r, err := places.reduceKept(t, "min", axis)
		if err != nil || len(x.Shape()) == rank {
			return r, err
		}
		return r.(*Tensor).Reshaped(slices.Repeat(graph.Shape{1}, rank)) // was flattened
	}
}

// Counted is 0, 1, ... n-1.
func Counted(n int) []vm.Value {
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

// softmaxFunc is cp.softmax(x, axis=-1): exponentials divided by their sum, taken
// after the largest element is subtracted, so that none overflows.
func (m *Tracer) softmaxFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	x, err := m.NestedTensor(t, fn, args[0])
	if err != nil {
		return nil, err
	}
	if args[1] == nil {
		args[1] = int64(-1)
	}
	x, axis, err := x.OneAxis(fn, args[1])
	if err != nil {
		return nil, err
	}
	c := m.Calc(t)
	x = c.Floats(x)
	largest, err := x.reduceKept(t, "max", axis)
	if err != nil {
		return nil, err
	}
	e, ok := c.Call("exp", c.Sub(x, largest)).(*Tensor)
	if !ok || c.Err != nil {
		return c.Done(nil)
	}
	total, err := e.reduceKept(t, "sum", axis)
	if err != nil {
		return nil, err
	}
	return c.Done(c.Div(e, total))
}
