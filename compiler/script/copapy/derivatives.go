package copapy

import (
	"errors"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/autodiff"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/copapy/quaternion"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// results collects the traced values and numbers in y, what is differentiated: a
// scalar, tensor, or sequence of them.
// Numbers become floats of the type of the value that stands there in beside.
func (m *module) results(t *vm.Thread, fn string, y vm.Value, beside []graph.Value, out *[]graph.Value) error {
	if elems, _, ok := array.Sequence(y); ok {
		for _, e := range elems {
			if err := m.results(t, fn, e, beside, out); err != nil {
				return err
			}
		}
		return nil
	}
	like := graph.F32
	if n := len(*out); n < len(beside) {
		like = max(like, beside[n].DType())
	}
	v, err := m.Lift(t, fn, y, like)
	*out = append(*out, v)
	return err
}

// listed replaces quaternions by lists of their parts, since the derivatives of
// a part may be anything.
func listed(v vm.Value) vm.Value {
	elems, like, ok := array.Sequence(v)
	if !ok {
		return v
	}
	out := make([]vm.Value, len(elems))
	for i, e := range elems {
		out[i] = listed(e)
	}
	if _, ok := like.(*quaternion.Quaternion); ok {
		return vm.NewList(out)
	}
	return array.Rebuild(out, like)
}

// jacobianFunc is cp.jacobian(y, x): the derivative of every number in y by
// every number in x. A scalar or tensor y by a scalar or tensor x gives an array
// with the axes of y and then those of x; sequences give sequences, those of y
// outside, and quaternions lists.
func (m *module) jacobianFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	m.At(t)
	var ys []graph.Value
	if err := m.results(t, fn, args[0], nil, &ys); err != nil {
		return nil, err
	}
	for _, y := range ys {
		if err := m.checkFormer(fn, y, args[1]); err != nil {
			return nil, err
		}
	}
	return m.jacobianOf(t, args[0], args[1])
}

func (m *module) jacobianOf(t *vm.Thread, y, x vm.Value) (vm.Value, error) {
	m.At(t)
	var xs []graph.Value
	if err := m.leaves(x, &xs); err != nil {
		return nil, err
	}
	return m.jacobian(t, listed(y), listed(x), xs)
}

func (m *module) jacobian(t *vm.Thread, y, x vm.Value, xs []graph.Value) (vm.Value, error) {
	if elems, like, ok := array.Sequence(y); ok {
		out := make([]vm.Value, len(elems))
		for i, e := range elems {
			var err error
			if out[i], err = m.jacobian(t, e, x, xs); err != nil {
				return nil, err
			}
		}
		return array.Rebuild(out, like), nil
	}
	v, err := m.Lift(t, "jacobian", y, graph.F32)
	if err != nil {
		return nil, err
	}
	if err := m.checkLookups([]graph.Value{v}, xs); err != nil {
		return nil, err
	}
	parts, err := autodiff.Jacobian(v, xs)
	for i := range parts {
		if err == nil {
			parts[i], err = m.withoutConstants(xs[i], parts[i])
		}
	}
	if err != nil {
		return nil, m.gradError(err)
	}
	return m.fill(x, &parts)
}

// hessianFunc is cp.hessian(y, x): the second derivatives of the scalar y, which
// is the Jacobian of its gradient.
func (m *module) hessianFunc(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
	grad, err := m.gradFunc(t, vm.Args{Pos: args})
	if err != nil {
		return nil, err
	}
	return m.jacobianOf(t, grad, args[1])
}

// vjpFunc is cp.vjp(y, x, v): v, in the structure of y, times the Jacobian, in
// the structure of x.
func (m *module) vjpFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	return m.product(t, fn, args, func(ys, xs, vs []graph.Value) ([]graph.Value, error) { return autodiff.VJP(ys, vs, xs) }, 1)
}

// jvpFunc is cp.jvp(y, x, v): the Jacobian times v, in the structure of x; the
// result is the derivative of y along v, in the structure of y.
func (m *module) jvpFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	return m.product(t, fn, args, autodiff.JVP, 0)
}

// product computes a product with the Jacobian; the result has the structure of
// argument like, 0 for y and 1 for x.
func (m *module) product(t *vm.Thread, fn string, args []vm.Value,
	compute func(ys, xs, vs []graph.Value) ([]graph.Value, error), like int,
) (vm.Value, error) {
	m.At(t)
	var ys, xs, vs []graph.Value
	if err := m.results(t, fn, args[0], nil, &ys); err != nil {
		return nil, err
	}
	if err := m.leaves(args[1], &xs); err != nil {
		return nil, err
	}
	for _, y := range ys {
		if err := m.checkFormer(fn, y, args[1]); err != nil {
			return nil, err
		}
	}
	beside := xs
	if like == 1 {
		beside = ys
	}
	if err := m.results(t, fn, args[2], beside, &vs); err != nil {
		return nil, err
	}
	if err := m.checkLookups(ys, xs); err != nil {
		return nil, err
	}
	parts, err := compute(ys, xs, vs)
	if errors.Is(err, autodiff.ErrRepeats) {
		return nil, m.gradError(err)
	}
	if err != nil {
		return nil, vm.ValueErrorf("%s", err)
	}
	return m.fill(args[like], &parts)
}

// checkLookups refuses to differentiate by what a traced index took from an array that ys
// use otherwise too: which of its elements that is will be known on the target only.
func (m *module) checkLookups(ys, xs []graph.Value) error {
	for _, l := range m.Lookups {
		for _, id := range autodiff.Sources(l.Taken) {
			m.taken[id] = l.From
		}
	}
	m.Lookups = nil
	if len(m.taken) == 0 {
		return nil
	}
	for _, x := range xs {
		for _, id := range autodiff.Sources(x) {
			if from, ok := m.taken[id]; ok && autodiff.UsedWithout(ys, from, m.Graph.Value(id)) {
				return vm.WithHint(vm.ValueErrorf("grad: cannot differentiate with respect to an element that a traced index takes from an array, which the result uses as a whole"),
					"differentiate with respect to the array and take that element of the gradient: cp.grad(y, x)[i]")
			}
		}
	}
	return nil
}

// gradError turns what went wrong in a derivative into the Python exception for it.
func (m *module) gradError(err error) error {
	if errors.Is(err, autodiff.ErrRepeats) {
		return vm.WithHint(vm.ValueErrorf("%s", err), "differentiate with respect to the value that was repeated")
	}
	return m.TraceError(err)
}

// checkFormer refuses a derivative by an array whose elements were assigned to after y was
// computed: y depends on what the array was, and the derivative by what it is would be 0.
func (m *module) checkFormer(fn string, y graph.Value, x vm.Value) error {
	if elems, _, ok := array.Sequence(x); ok {
		for _, e := range elems {
			if err := m.checkFormer(fn, y, e); err != nil {
				return err
			}
		}
		return nil
	}
	whole, ok := x.(*array.Tensor)
	if !ok || !whole.Traced() || len(whole.Former()) == 0 {
		return nil
	}
	behind := m.Graph.Users([]graph.ID{y.ID()})
	used := func(id graph.ID) bool { return id == y.ID() || behind[id] > 0 }
	if used(whole.Node.ID()) || !slices.ContainsFunc(whole.Former(), used) {
		return nil
	}
	return vm.WithHint(vm.ValueErrorf("%s: the array was assigned to after this was computed from it", fn),
		"keep the earlier array, x0 = x.copy(), compute with it, and differentiate with respect to x0")
}
