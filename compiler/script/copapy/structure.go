package copapy

import "github.com/copaflash/copaflash/compiler/script/vm"

// sequence returns the parts of a list, tuple or quaternion; rebuild makes a value
// like it of other parts.
func sequence(v vm.Value) (elems []vm.Value, like vm.Value, ok bool) {
	switch v := v.(type) {
	case *vm.List:
		return v.Elems, v, true
	case *vm.Tuple:
		return v.Elems, v, true
	case *Quaternion:
		return v.parts[:], v, true
	}
	return nil, nil, false
}

func rebuild(elems []vm.Value, like vm.Value) vm.Value {
	switch like := like.(type) {
	case *vm.List:
		return vm.NewList(elems)
	case *Quaternion:
		return &Quaternion{m: like.m, parts: [4]vm.Value(elems)}
	}
	return vm.NewTuple(elems...)
}
