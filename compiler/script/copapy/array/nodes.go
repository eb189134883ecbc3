package array

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Wrap gives a node back to the script.
func (m *Tracer) Wrap(v graph.Value, err error) (vm.Value, error) {
	if err != nil {
		return nil, m.TraceError(err)
	}
	return m.Node(m.copied(v)), nil
}

// Node is a node as a scalar or an array.
func (m *Tracer) Node(v graph.Value) vm.Value {
	if len(v.Shape()) == 0 {
		return m.Scalar(v)
	}
	return &Tensor{m: m, Node: v, scope: m.Scope()}
}

// copied is a node to be given back as the result of an operation. What gives a state as it is,
// as +state does, stands for its value in this run: behind the run the state has the next one.
func (m *Tracer) copied(v graph.Value) graph.Value {
	if v.Op() != graph.OpState {
		return v
	}
	n := m.Graph.Node(v.ID())
	return m.Graph.Value(m.Graph.Intern(graph.OpReshape, n.DType, n.Shape, 0, v.ID()))
}

// copyOf is a number, traced scalar or array that is not the state that x may be.
func (m *Tracer) copyOf(x vm.Value) vm.Value {
	if v := TracedNode(x); v.Valid() && v.Op() == graph.OpState {
		return m.Node(m.copied(v))
	}
	return x
}

// both applies a function of two arguments, by element where one is a tensor. A list
// or tuple is taken as an array.
func (m *Tracer) both(t *vm.Thread, name string, x, y vm.Value,
	plain func(t *vm.Thread, x, y vm.Value) (vm.Value, error),
	traced func(x, y graph.Value) (graph.Value, error),
) (vm.Value, error) {
	return m.pairs(t, name, x, y, false, plain, traced)
}

// pairs is both; with choice the result is one of the arguments.
func (m *Tracer) pairs(t *vm.Thread, name string, x, y vm.Value, choice bool,
	plain func(t *vm.Thread, x, y vm.Value) (vm.Value, error),
	traced func(x, y graph.Value) (graph.Value, error),
) (vm.Value, error) {
	x, err := m.listArg(t, name, x)
	if err != nil {
		return nil, err
	}
	if y, err = m.listArg(t, name, y); err != nil {
		return nil, err
	}
	if fits(x) && fits(y) && !IsTraced(x) && !IsTraced(y) {
		if choice {
			xs := []vm.Value{x, y}
			if err := together(t, xs...); err != nil {
				return nil, err
			}
			x, y = xs[0], xs[1]
		}
		return m.plainEach(t, []vm.Value{x, y}, func(e []vm.Value) (vm.Value, error) { return plain(t, e[0], e[1]) })
	}
	v, err := m.liftAll(t, name, x, y)
	if err != nil {
		return nil, err
	}
	return m.Wrap(traced(v[0], v[1]))
}

// TracedNode is the node of a traced value or array, and invalid for anything else.
func TracedNode(v vm.Value) graph.Value {
	switch v := v.(type) {
	case *Value:
		return v.Node
	case *Tensor:
		v.Settle()
		return v.Node
	}
	return graph.Value{}
}
