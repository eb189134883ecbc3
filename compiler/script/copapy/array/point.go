package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// A plain number in cp.tensor(2.0) is a tensor without axes, which has a shape and methods.
// Whatever is computed with it takes its number; traced scalars are values themselves.

// withoutAxes tells such tensors.
func (x *Tensor) withoutAxes() bool { return len(x.Shape()) == 0 }

// PlainNumber is the number of a tensor without axes, and anything else itself.
func PlainNumber(v vm.Value) vm.Value {
	if x, ok := v.(*Tensor); ok && x.withoutAxes() && !x.Traced() {
		return x.Plain[0]
	}
	return v
}

// Numbered has numbers for the tensors without axes among arguments.
func Numbered(a vm.Args) vm.Args {
	isPoint := func(v vm.Value) bool {
		x, ok := v.(*Tensor)
		return ok && x.withoutAxes()
	}
	if slices.ContainsFunc(a.Pos, isPoint) {
		a.Pos = slices.Clone(a.Pos)
		for i, v := range a.Pos {
			a.Pos[i] = PlainNumber(v)
		}
	}
	for i, k := range a.Kw {
		if isPoint(k.Value) {
			a.Kw = slices.Clone(a.Kw)
			a.Kw[i].Value = PlainNumber(k.Value)
		}
	}
	return a
}

// ofPoint are the methods that make sense without axes; the others take it as a vector of one.
var ofPoint = []string{"get_scalar", "homogenize", "copy", "transpose", "map", "astype", "item", "tolist"}

// onAnyTensor makes a method of arrays one of tensors without axes, too.
func onAnyTensor(name string, f vm.GoMethod) vm.GoMethod {
	return func(t *vm.Thread, self vm.Value, a vm.Args) (vm.Value, error) {
		x := self.(*Tensor)
		switch {
		case !x.withoutAxes():
		case name == "tolist" && len(a.Pos)+len(a.Kw) == 0:
			return x.Plain[0], nil
		case name == "transpose":
			return x, nil
		case !slices.Contains(ofPoint, name):
			self = x.m.PlainVector(x.Plain)
		}
		return f(t, self, Numbered(a))
	}
}

// point is cp.tensor of one plain number.
func (m *Tracer) point(v vm.Value) *Tensor {
	return &Tensor{m: m, dims: graph.Shape{}, Plain: []vm.Value{v}}
}

// noAxes is the error of what needs an axis.
func noAxes(what string) error {
	return vm.WithHint(vm.TypeErrorf("%s a tensor without axes", what), "it is one number: x.item()")
}
