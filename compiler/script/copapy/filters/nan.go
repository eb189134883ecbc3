package filters

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// nanMedian is the middle of the numbers, which stand before each NaN in the sorted array.
func (m sorter) nanMedian(x *array.Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	keep, err := array.BoolArg(t, args[1])
	if err != nil {
		return nil, err
	}
	rank := len(x.Shape())
	x, axis, err := x.OneAxis("nanmedian", args[0])
	if err != nil {
		return nil, err
	}
	at := vm.Value(int64(axis))
	sorted, err := m.ordering(int64(-1), (*ordered).values)(t, "sort", []vm.Value{x, at})
	if err != nil {
		return nil, err
	}
	c := m.Calc(t)
	count := c.Numbers(x, at, true)
	dims := make(graph.Shape, len(x.Shape()))
	for i := range dims {
		dims[i] = 1
	}
	dims[axis] = x.Shape()[axis]
	places := m.PlainTensor(dims, array.Counted(dims[axis]))
	middle := func(place vm.Value) vm.Value {
		here := c.Compare(vm.OpEq, places, place)
		return c.Reduce("sum", c.Where(here, sorted, int64(0)), at, true)
	}
	low := c.Binary(vm.OpFloorDiv, c.Sub(count, int64(1)), int64(2))
	high := c.Binary(vm.OpFloorDiv, count, int64(2))
	r, ok := c.OrNaN(count, c.Div(c.Add(middle(low), middle(high)), int64(2))).(*array.Tensor)
	switch {
	case !ok || c.Err != nil:
		return c.Done(nil)
	case !keep:
		return r.WithoutAxis(axis)
	case len(x.Shape()) != rank:
		whole := make(graph.Shape, rank)
		for i := range whole {
			whole[i] = 1
		}
		return r.Reshaped(whole)
	}
	return r, nil
}
