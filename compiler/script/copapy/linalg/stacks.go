package linalg

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// overStacks makes a function of matrices one of stacks of them too, which broadcast. rank
// tells how many axes at the end each argument has.
func (m solver) overStacks(arrays int, f array.Handler, ranks func(xs []*array.Tensor) []int) array.Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		var err error
		var xs []*array.Tensor
		for _, x := range args[:arrays] {
			if !array.HasElements(x) {
				break
			}
			stacked, err := m.NestedTensor(t, fn, x)
			if err != nil {
				return nil, err
			}
			xs = append(xs, stacked)
		}
		own := ranks(xs)
		stack := graph.Shape{}
		for i, x := range xs {
			s := x.Shape()
			if own[i] = min(own[i], len(s)); len(xs[0].Shape()) < 2 {
				return f(t, fn, args)
			}
			if stack, err = graph.BroadcastShapes(stack, s[:max(len(s)-own[i], 0)]); err != nil {
				return nil, vm.ValueErrorf("%s: the stacks of shapes %v and %v do not match", fn, xs[0].Shape(), s)
			}
		}
		if len(stack) == 0 {
			return f(t, fn, args)
		}
		n := stack.Elements()
		if n == 0 {
			return nil, vm.ValueErrorf("%s: shape %v has no elements", fn, xs[0].Shape())
		}
		for i, x := range xs {
			s := x.Shape()
			part := s[len(s)-own[i]:]
			r, err := x.BroadcastTo(t, fn, slices.Concat(stack, part))
			if err == nil {
				r, err = r.(*array.Tensor).Reshaped(slices.Concat(graph.Shape{n}, part))
			}
			if err != nil {
				return nil, err
			}
			xs[i] = r.(*array.Tensor)
		}
		if part := xs[0].Shape()[1:]; xs[0].Traced() && n*part.Elements() > unrolled {
			r, err := m.eachInLoop(t, fn, f, args, xs)
			if err != nil {
				return nil, err
			}
			return r.Reshaped(slices.Concat(stack, r.Shape()[1:]))
		}
		results := make([]vm.Value, n)
		for i := range results {
			one := slices.Clone(args)
			for k, x := range xs {
				if one[k], err = x.Row(i); err != nil {
					return nil, err
				}
			}
			if results[i], err = f(t, fn, one); err != nil {
				return nil, err
			}
		}
		r, err := m.Stack(t, "stack", []vm.Value{vm.NewList(results), int64(0)})
		if err != nil {
			return nil, err
		}
		y := r.(*array.Tensor)
		return y.Reshaped(slices.Concat(stack, y.Shape()[1:]))
	}
}

// eachInLoop makes a loop over the rows of xs, which are the first arguments of a function. It
// stacks the results.
func (m solver) eachInLoop(t *vm.Thread, fn string, f array.Handler, args []vm.Value, xs []*array.Tensor) (*array.Tensor, error) {
	g, nodes, err := m.floats(t, xs...)
	if err != nil {
		return nil, err
	}
	_, rows, err := g.Scan(xs[0].Shape()[0], nil, nodes, func(_ graph.Value, _, row []graph.Value) (next, rows []graph.Value, err error) {
		leave := m.EnterBody()
		defer leave()
		one := slices.Clone(args)
		for k, x := range row {
			if one[k], err = m.Wrap(x, nil); err != nil {
				return nil, nil, err
			}
		}
		r, err := f(t, fn, one)
		if err != nil {
			return nil, nil, err
		}
		v, err := m.Lift(t, fn, r, array.NoFloat)
		return nil, []graph.Value{v}, err
	})
	if err != nil {
		return nil, m.TraceError(err)
	}
	r, err := m.Wrap(rows[0], nil)
	if err != nil {
		return nil, err
	}
	return r.(*array.Tensor), nil
}

// matrices are stacks of matrices; ofSolve takes vectors too: of solve(a, b) a b with one
// axis less than a is a stack of vectors.
func matrices(xs []*array.Tensor) []int { return slices.Repeat([]int{2}, len(xs)) }

func ofSolve(xs []*array.Tensor) []int {
	own := matrices(xs)
	if len(xs) == 2 && (len(xs[1].Shape()) == 1 || len(xs[1].Shape()) == len(xs[0].Shape())-1) {
		own[1] = 1
	}
	return own
}
