package copapy

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// nanMedian is the middle of the numbers, which stand before each NaN in the sorted array.
func (m sorter) nanMedian(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	keep, err := boolArg(t, args[1])
	if err != nil {
		return nil, err
	}
	rank := len(x.shape())
	x, axis, err := x.oneAxis("nanmedian", args[0])
	if err != nil {
		return nil, err
	}
	at := vm.Value(int64(axis))
	sorted, err := m.ordering(int64(-1), (*ordered).values)(t, "sort", []vm.Value{x, at})
	if err != nil {
		return nil, err
	}
	c := m.calc(t)
	count := c.numbers(x, at, true)
	dims := make(graph.Shape, len(x.shape()))
	for i := range dims {
		dims[i] = 1
	}
	dims[axis] = x.shape()[axis]
	places := m.plainTensor(dims, counted(dims[axis]))
	middle := func(place vm.Value) vm.Value {
		here := c.compare(vm.OpEq, places, place)
		return c.reduce("sum", c.where(here, sorted, int64(0)), at, true)
	}
	low := c.binary(vm.OpFloorDiv, c.sub(count, int64(1)), int64(2))
	high := c.binary(vm.OpFloorDiv, count, int64(2))
	r, ok := c.orNaN(count, c.div(c.add(middle(low), middle(high)), int64(2))).(*Tensor)
	switch {
	case !ok || c.err != nil:
		return c.done(nil)
	case !keep:
		return r.without(axis)
	case len(x.shape()) != rank:
		whole := make(graph.Shape, rank)
		for i := range whole {
			whole[i] = 1
		}
		return r.reshaped(whole)
	}
	return r, nil
}
