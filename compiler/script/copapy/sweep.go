package copapy

import (
	"errors"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
	"github.com/copaflash/copaflash/compiler/sweep"
)

// sweepFunc is cp.sweep(target, grid, get=names, runs=n).
func (m *module) sweepFunc(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
	x, ok := args[0].(*target)
	if !ok {
		return nil, vm.TypeErrorf("sweep: the program is a cp.Target(), not '%s'", vm.TypeName(args[0]))
	}
	if err := x.ready(); err != nil {
		return nil, err
	}
	var spec sweep.Spec
	var err error
	if spec.Sets, err = sweptGrid(t, args[1]); err != nil {
		return nil, err
	}
	if spec.Gets, err = sweptNames(args[2]); err != nil {
		return nil, err
	}
	if !array.IsNone(args[3]) {
		n, ok := vm.AsInt(args[3])
		if !ok || n < 1 || n > 1<<31-1 {
			return nil, vm.ValueErrorf("sweep: runs must be a positive integer")
		}
		spec.Ticks = int(n)
	}
	bound, err := sweep.Bind(x.prog, spec)
	if err != nil {
		return nil, sweepError(err)
	}
	const each = 2 * 24 // bytes of a number in a column and in a list
	if err := t.Charge(int64(bound.Len()) * int64(len(bound.Columns())) * each); err != nil {
		return nil, err
	}
	columns, err := bound.Results(t.Context(), m.device, 0)
	if err != nil {
		return nil, sweepError(err)
	}
	table := vm.NewDict()
	for _, c := range columns {
		list := make([]vm.Value, len(c.Values))
		for i, v := range c.Values {
			switch {
			case c.DType.IsFloat():
				list[i] = v
			case c.DType == graph.Bool:
				list[i] = v != 0
			default:
				list[i] = int64(v)
			}
		}
		table.SetString(c.Name, vm.NewList(list))
	}
	return table, nil
}

// sweptGrid is {"kp": numbers, ...} as parameters.
func sweptGrid(t *vm.Thread, v vm.Value) (sets []string, err error) {
	d, ok := v.(*vm.Dict)
	if !ok {
		return nil, vm.WithHint(vm.TypeErrorf("sweep: the grid is a dict, not '%s'", vm.TypeName(v)), `for example: {"kp": cp.linspace(0, 5, 100), "ki": [0, 0.1]}`)
	}
	for k, list := range d.All() {
		name, ok := k.(string)
		if !ok {
			return nil, vm.TypeErrorf("sweep: a parameter is the name of a variable, not '%s'", vm.TypeName(k))
		}
		elems := []vm.Value{list}
		if !array.IsNumber(list) {
			if elems, err = t.Collect(list); err != nil {
				return nil, err
			}
		}
		values := make([]float64, len(elems))
		for i, e := range elems {
			if values[i], ok = vm.AsFloat(e); !ok || !array.IsNumber(e) {
				return nil, vm.TypeErrorf("sweep: the values of %s are numbers, and '%s' is none", name, vm.TypeName(e))
			}
		}
		if len(values) == 0 {
			return nil, vm.ValueErrorf("sweep: %s has no values", name)
		}
		sets = append(sets, sweep.Set(name, values))
	}
	return sets, nil
}

// sweptNames is what get= names; nil: everything.
func sweptNames(v vm.Value) (names []string, err error) {
	if array.IsNone(v) {
		return nil, nil
	}
	if name, ok := v.(string); ok {
		return []string{name}, nil
	}
	elems, _, ok := array.Sequence(v)
	if !ok {
		return nil, vm.TypeErrorf("sweep: get is a list of names, not '%s'", vm.TypeName(v))
	}
	for _, e := range elems {
		name, ok := e.(string)
		if !ok {
			return nil, vm.TypeErrorf("sweep: get is a list of names, and '%s' is none", vm.TypeName(e))
		}
		names = append(names, name)
	}
	return names, nil
}

// sweepError is a mistake of the script, or what went wrong on the device.
func sweepError(err error) error {
	if wrong := (*sweep.Error)(nil); errors.As(err, &wrong) {
		return vm.WithHint(vm.ValueErrorf("sweep: %s", wrong.Message), wrong.Next)
	}
	return vm.Abort(err)
}
