package copapy

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/copapy/quaternion"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// vmapped is a function under cp.vmap.
type vmapped struct {
	m   *module
	f   vm.Value
	in  vm.Value // the axis of each argument, None for those that every call is given
	out int
}

func (v *vmapped) PyClass() *vm.Class { return v.m.vmapClass }

// Bindable makes it a method where it is defined in a class.
func (v *vmapped) Bindable() {}

// Attr gives name and doc string of the function, so that help() shows it.
func (v *vmapped) Attr(t *vm.Thread, name string) (vm.Value, error) {
	return wrappedAttr(t, v.f, name)
}

// vmapFunc is cp.vmap(f, in_axes=0, out_axes=0).
func (m *module) vmapFunc(_ *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	if !vm.IsCallable(args[0]) {
		return nil, vm.WithHint(vm.TypeErrorf("vmap: must be given a function, not '%s'", vm.TypeName(args[0])), "call it as cp.vmap(f)(rows)")
	}
	out, err := array.IntArg(fn, "out_axes", args[2], 0)
	if err != nil {
		return nil, err
	}
	in := args[1]
	if in == nil {
		in = int64(0)
	}
	return &vmapped{m: m, f: args[0], in: in, out: out}, nil
}

// Call calls the function for each row of its arguments, and stacks what it gives.
func (v *vmapped) Call(t *vm.Thread, a vm.Args) (vm.Value, error) {
	if len(a.Kw) > 0 || len(a.Pos) == 0 {
		return nil, vm.WithHint(vm.TypeErrorf("a function under vmap takes its arguments by position"), "call it as cp.vmap(f)(rows)")
	}
	axes := slices.Repeat([]vm.Value{v.in}, len(a.Pos))
	if elems, _, ok := array.Sequence(v.in); ok {
		if axes = elems; len(elems) != len(a.Pos) {
			return nil, vm.ValueErrorf("vmap: in_axes names %d arguments, %d are given", len(elems), len(a.Pos))
		}
	}
	n := -1
	rows := make([]func(i int) (vm.Value, error), len(a.Pos))
	for k, x := range a.Pos {
		if axes[k] == vm.None {
			rows[k] = func(int) (vm.Value, error) { return x, nil }
			continue
		}
		if !array.HasElements(x) {
			return nil, vm.WithHint(vm.TypeErrorf("vmap: argument %d must be an array, not '%s'", k+1, vm.TypeName(x)), "an argument that every call is given has None in in_axes")
		}
		whole, err := v.m.NestedTensor(t, "vmap", x)
		if err != nil {
			return nil, err
		}
		axis, err := array.AxisArg("vmap", axes[k], 0, len(whole.Shape()))
		if err != nil {
			return nil, err
		}
		if n >= 0 && n != whole.Shape()[axis] {
			return nil, vm.ValueErrorf("vmap: arguments have %d and %d rows", n, whole.Shape()[axis])
		}
		n = whole.Shape()[axis]
		rows[k] = func(i int) (vm.Value, error) {
			row, err := whole.Slice(t, axis, i, i+1)
			if err != nil {
				return nil, err
			}
			return row.WithoutAxis(axis)
		}
	}
	if n < 1 {
		return nil, vm.WithHint(vm.ValueErrorf("vmap: there is no row to call the function with"), "give it one row or more, and 0 in in_axes for one argument")
	}
	results := make([]vm.Value, n)
	for i := range results {
		args := make([]vm.Value, len(rows))
		for k, row := range rows {
			var err error
			if args[k], err = row(i); err != nil {
				return nil, err
			}
		}
		r, err := t.Call(v.f, args...)
		if err != nil {
			return nil, err
		}
		results[i] = r
	}
	return v.stacked(t, results)
}

// stacked joins results of one structure.
func (v *vmapped) stacked(t *vm.Thread, results []vm.Value) (vm.Value, error) {
	elems, like, ok := array.Sequence(results[0])
	if !ok {
		return v.m.Stack(t, "stack", []vm.Value{vm.NewList(results), int64(v.out)})
	}
	out := make([]vm.Value, len(elems))
	for k := range elems {
		column := make([]vm.Value, len(results))
		for i, r := range results {
			parts, _, _ := array.Sequence(r)
			if len(parts) != len(elems) {
				return nil, vm.ValueErrorf("vmap: the function gives %d results for one row and %d for another", len(elems), len(parts))
			}
			column[i] = parts[k]
		}
		var err error
		if out[k], err = v.stacked(t, column); err != nil {
			return nil, err
		}
	}
	if _, isQuaternion := like.(*quaternion.Quaternion); isQuaternion {
		return vm.NewTuple(out...), nil
	}
	return array.Rebuild(out, like), nil
}
