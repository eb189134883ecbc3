package copapy

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/autodiff"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// gradFunc is cp.grad(y, x): the derivative of the scalar y by each number in
// x, in the structure of x. What y does not depend on gives 0. Elements and parts of an array
// have the derivatives by those elements, however y uses them.
func (m *module) gradFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := array.InOrder("grad", "y", "x", a)
	if err != nil && len(a.Pos) == 1 && vm.IsCallable(a.Pos[0]) {
		err = vm.WithHint(err, "the derivative is that of a value, not of a function: cp.grad(f(x), x)")
	}
	if err != nil {
		return nil, err
	}
	m.At(t)
	y, ok := args[0].(*array.Value)
	if !ok && !array.IsNumber(args[0]) {
		hint := "for a vector, differentiate one number made of it, such as v.sum()"
		if vm.IsCallable(args[0]) {
			hint = "call the function first: cp.grad(f(x), x)"
		}
		return nil, vm.WithHint(vm.TypeErrorf("grad: the first argument must be a traced scalar, not '%s'", vm.TypeName(args[0])), hint)
	}
	var xs []graph.Value
	if err := m.leaves(args[1], &xs); err != nil {
		return nil, err
	}
	if ok {
		if err := m.checkFormer("grad", y.Node, args[1]); err != nil {
			return nil, err
		}
	}
	grads := make([]graph.Value, len(xs))
	if ok {
		if err := m.checkLookups([]graph.Value{y.Node}, xs); err != nil {
			return nil, err
		}
		if grads, err = autodiff.Grad(y.Node, xs); err != nil {
			return nil, m.gradError(err)
		}
		for i, x := range xs {
			if grads[i], err = m.withoutConstants(x, grads[i]); err != nil {
				return nil, m.gradError(err)
			}
		}
	} else {
		for i, x := range xs {
			if grads[i], err = m.Graph.Fill(max(x.DType(), graph.F32), x.Shape(), 0); err != nil {
				return nil, m.gradError(err)
			}
		}
	}
	return m.fill(args[1], &grads)
}

// valueAndGradFunc is cp.value_and_grad(y, x): y and cp.grad(y, x).
func (m *module) valueAndGradFunc(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
	grad, err := m.gradFunc(t, vm.Args{Pos: args})
	if err != nil {
		return nil, err
	}
	return vm.NewTuple(args[0], grad), nil
}

// leaves collects the traced values in x, a scalar, vector, list or tuple.
func (m *module) leaves(x vm.Value, out *[]graph.Value) error {
	switch v := x.(type) {
	case *array.Value:
		*out = append(*out, v.Node)
		return nil
	case *array.Tensor:
		if v.Traced() {
			*out = append(*out, v.Node)
			return nil
		}
		return vm.WithHint(vm.TypeErrorf("grad: cannot differentiate with respect to plain numbers, as this '%s' has", vm.TypeName(x)),
			"make it a variable before y is computed: x = cp.value(array)")
	}
	elems, _, ok := array.Sequence(x)
	if !ok {
		return vm.WithHint(vm.TypeErrorf("grad: cannot differentiate with respect to a '%s'", vm.TypeName(x)),
			"give the traced value, vector, list or tuple to differentiate with respect to")
	}
	for _, e := range elems {
		if err := m.leaves(e, out); err != nil {
			return err
		}
	}
	return nil
}

// fill gives values the structure that leaves took apart.
func (m *module) fill(x vm.Value, from *[]graph.Value) (vm.Value, error) {
	elems, like, ok := array.Sequence(x)
	if !ok {
		v := (*from)[0]
		*from = (*from)[1:]
		return m.Wrap(v, nil)
	}
	out := make([]vm.Value, len(elems))
	for i, e := range elems {
		var err error
		if out[i], err = m.fill(e, from); err != nil {
			return nil, err
		}
	}
	return array.Rebuild(out, like), nil
}
