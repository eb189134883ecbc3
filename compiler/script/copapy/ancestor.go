package copapy

import (
	"runtime/debug"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// This file has names and keywords of the Python ancestor that nothing else here would
// call so. docs/from-the-ancestor.md says what is different.

// setAncestorNames sets what is no function.
func (m *module) setAncestorNames(mod *vm.Module) {
	mod.Set("NumLike", vm.NewTuple(m.ValueClass, vm.IntClass, vm.FloatClass))
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	mod.Set("__version__", version)
}

// listOf makes lists of generators and other iterables, also inside lists and tuples:
// what is compiled or read is gone through more than once.
func (m *module) listOf(t *vm.Thread, v vm.Value) (vm.Value, error) {
	if elems, like, ok := array.Sequence(v); ok {
		if _, isQuaternion := like.(array.Compound); isQuaternion {
			return v, nil
		}
		var out []vm.Value
		for i, e := range elems {
			listed, err := m.listOf(t, e)
			if err != nil {
				return nil, err
			}
			if listed != e && out == nil {
				out = slices.Clone(elems)
			}
			if out != nil {
				out[i] = listed
			}
		}
		if out == nil {
			return v, nil
		}
		return array.Rebuild(out, like), nil
	}
	switch v.(type) {
	case *array.Value, *array.Tensor, *vm.Dict, string, nil:
		return v, nil
	}
	if array.IsNumber(v) {
		return v, nil
	}
	it, err := t.Iter(v)
	if err != nil {
		return v, nil // what takes it says that it is no value
	}
	elems, err := t.Collect(it)
	if err != nil {
		return nil, err
	}
	return m.listOf(t, vm.NewList(elems))
}

// withoutConstants makes derivatives by numbers in an array 0: x has the array, and g the
// derivatives along its last axes.
func (m *module) withoutConstants(x, g graph.Value) (graph.Value, error) {
	if len(x.Shape()) == 0 {
		return g, nil
	}
	elems, _ := m.locateAll(x, func(id graph.ID) bool {
		op := m.Graph.Node(id).Op
		return moves[op] == nil && op != graph.OpStack && op != graph.OpConcat
	})
	mask := make([]uint32, len(elems))
	found := false
	for i, e := range elems {
		if m.Graph.IsConst(e.node) {
			mask[i], found = 1, true
		}
	}
	if !found {
		return g, nil
	}
	isConst, err := m.Graph.Const(graph.Tensor{DType: graph.Bool, Shape: x.Shape(), Bits: mask})
	if err != nil {
		return g, err
	}
	zero, err := m.Graph.Fill(g.DType(), g.Shape(), 0)
	if err != nil {
		return g, err
	}
	return m.Graph.Apply(graph.OpSelect, isConst, zero, g)
}
