package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// CheckFormer refuses a derivative by an array whose elements were assigned to after y was
// computed: y depends on what the array was, and the derivative by what it is would be 0.
func (m *Tracer) CheckFormer(fn string, y graph.Value, x vm.Value) error {
	if elems, _, ok := Sequence(x); ok {
		for _, e := range elems {
			if err := m.CheckFormer(fn, y, e); err != nil {
				return err
			}
		}
		return nil
	}
	array, ok := x.(*Tensor)
	if !ok || !array.Traced() || len(array.root().former) == 0 {
		return nil
	}
	behind := m.Graph.Users([]graph.ID{y.ID()})
	used := func(id graph.ID) bool { return id == y.ID() || behind[id] > 0 }
	if used(array.Node.ID()) || !slices.ContainsFunc(array.root().former, used) {
		return nil
	}
	return vm.WithHint(vm.ValueErrorf("%s: the array was assigned to after this was computed from it", fn),
		"keep the array of before, x0 = x.copy(), compute with it, and differentiate by x0")
}
