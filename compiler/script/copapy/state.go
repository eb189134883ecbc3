package copapy

import (
	"fmt"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// stateFunc is cp.state(initial): a variable that keeps its value from one run to
// the next. It is a traced value, vector, matrix or tensor by its initial value,
// and its attribute `next` is assigned what it will be in the next run.
func (m *module) stateFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	if !array.IsNone(args[2]) {
		return m.named(t, fn, args[2], func() (vm.Value, error) { return m.stateFunc(t, fn, []vm.Value{args[0], args[1], nil}) })
	}
	if err := m.outsideLoops("cp.state", "make the state before the loop, carry what changes from iteration to iteration, and assign state.next after the loop"); err != nil {
		return nil, err
	}
	m.At(t)
	var err error
	if args[0], err = m.Typed(t, fn, array.PlainNumber(args[0]), args[1]); err != nil {
		return nil, err
	}
	if v, ok := m.known(args[0]); ok {
		return m.state(v)
	}
	if x := args[0]; array.IsNumber(x) {
		v, err := m.Constant(x, array.NoFloat)
		if err != nil {
			return nil, err
		}
		return m.state(v)
	} else if array.IsTraced(x) {
		return nil, initialError()
	} else if !array.HasElements(x) {
		return nil, vm.TypeErrorf("state: the initial value must be a number, or a vector or list of numbers, not '%s'", vm.TypeName(x))
	}
	init, err := m.initialArray(t, fn, args[0], array.NoFloat)
	if err != nil {
		return nil, err
	}
	return m.state(init)
}

// state makes a state that begins with a constant.
func (m *module) state(init graph.Value) (vm.Value, error) {
	v, err := m.Graph.State("", init.DType(), init.Shape(), m.Graph.ConstBits(init.ID()))
	if err != nil {
		return nil, m.TraceError(err)
	}
	return m.unnamed(m.Node(v), nil)
}

// lockedState is stateFunc, for scripts: nothing can be assigned to elements of a state.
func (m *module) lockedState(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	r, err := m.stateFunc(t, fn, args)
	array.Lock(r, "a state changes by its next value: write n = state.copy(), assign to n, then state.next = n")
	return r, err
}

// initialArray is an array that a variable starts with: its elements are plain numbers.
func (m *module) initialArray(t *vm.Thread, fn string, v vm.Value, like graph.DType) (graph.Value, error) {
	x, err := m.NestedTensor(t, fn, v)
	switch {
	case err != nil:
		return graph.Value{}, err
	case x.Traced() && fn == "state":
		return graph.Value{}, initialError()
	case x.Traced():
		return graph.Value{}, vm.WithHint(vm.TypeErrorf("%s: the elements must be plain numbers, and some are traced", fn),
			"cp.vector([...]) makes an array of traced values")
	case len(x.Plain) == 0:
		return graph.Value{}, vm.ValueErrorf("%s: the initial value has no elements", fn)
	}
	return x.Lift(t, like)
}

func initialError() error {
	return vm.WithHint(vm.TypeErrorf("state: the initial value must be known while the program is traced, and this one is computed by it"),
		"start from numbers, as in cp.state(0.0) or cp.state([0.0, 1.0]); tg.write_value(state, x) sets it before a run")
}

// nextProperty gives a class of traced values the attribute `next`.
func (m *module) nextProperty(c *vm.Class) {
	c.SetProperty("next",
		func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
			state, err := stateOf(self)
			if err != nil {
				return nil, err
			}
			next := m.Graph.StateInfo(state.ID()).Next
			if next == graph.None {
				return nil, vm.WithHint(vm.Raise(vm.AttributeError, "the state has no next value yet"), "assign it first: state.next = ...")
			}
			r, err := m.Wrap(m.Graph.Value(next), nil)
			array.Lock(r, "the next value was assigned already: compute all of it first, then write state.next = ...")
			return r, err
		},
		func(t *vm.Thread, self vm.Value, a vm.Args) (vm.Value, error) {
			state, err := stateOf(self)
			if err != nil {
				return nil, err
			}
			return vm.None, m.setNext(t, state, a.Pos[0])
		})
}

// stateOf is the node of a state.
func stateOf(v vm.Value) (graph.Value, error) {
	var node graph.Value
	switch v := v.(type) {
	case *array.Value:
		node = v.Node
	case *array.Tensor:
		v.Settle()
		node = v.Node
	}
	if !node.Valid() || node.Op() != graph.OpState {
		return graph.Value{}, vm.WithHint(vm.Raise(vm.AttributeError, "this '%s' is not a state: it has no next value", vm.TypeName(v)),
			"a state is made with cp.state(initial)")
	}
	return node, nil
}

// setNext is state.next = x.
func (m *module) setNext(t *vm.Thread, state graph.Value, x vm.Value) error {
	if err := m.outsideLoops("the next value of a state is assigned", "a state changes once in a run: let the loop carry the value, and assign state.next behind it"); err != nil {
		return err
	}
	if m.Graph.StateInfo(state.ID()).Next != graph.None {
		_, line := t.Position(m.nextAt[state.ID()])
		return vm.WithHint(vm.ValueErrorf("the next value of the state was assigned already, in line %d", line),
			"a state changes once in a run: compute the value first, with cp.iif where it depends, and assign it once")
	}
	m.At(t)
	next, err := m.nextValue(t, x, state)
	if err != nil {
		return err
	}
	if from, to := next.Shape(), state.Shape(); !from.Equal(to) {
		return vm.WithHint(vm.ValueErrorf("the state is %s, its next value %s", shapeText(to), shapeText(from)),
			"the shape stays that of the initial value, which line "+m.madeAt(t, state)+" gives")
	}
	if next, err = m.Widened(next, state.DType()); err != nil {
		return m.TraceError(err)
	}
	if next.DType() != state.DType() {
		is, want := array.PyType(next.DType()), array.PyType(state.DType())
		return vm.WithHint(vm.TypeErrorf("the state is of type %s, its next value of type %s", want, is),
			"give line "+m.madeAt(t, state)+" an initial value of type "+is+", or convert the next value")
	}
	if err := m.Graph.SetNext(state, next); err != nil {
		return m.TraceError(err)
	}
	m.nextAt[state.ID()] = t.Pos()
	return nil
}

// nextValue is what is assigned to next, as a node.
func (m *module) nextValue(t *vm.Thread, x vm.Value, state graph.Value) (graph.Value, error) {
	x = array.PlainNumber(x)
	like := array.FloatType(state.DType())
	if _, isScalar := x.(*array.Value); isScalar || array.IsNumber(x) {
		return m.Constant(x, like)
	}
	if !array.HasElements(x) {
		return graph.Value{}, vm.TypeErrorf("the next value of a state must be a number, a traced value or a list of them, not '%s'", vm.TypeName(x))
	}
	array, err := m.NestedTensor(t, "next", x)
	if err != nil {
		return graph.Value{}, err
	}
	return array.Lift(t, like)
}

// madeAt is the number of the line that made a state.
func (m *module) madeAt(t *vm.Thread, state graph.Value) string {
	_, line := t.Position(vm.Pos(m.Graph.Node(state.ID()).Pos))
	return fmt.Sprint(line)
}

func shapeText(s graph.Shape) string {
	if len(s) == 0 {
		return "a single number"
	}
	return fmt.Sprintf("an array of shape %v", s)
}

// checkStates refuses a program with a state that has no next value.
func (m *module) checkStates(t *vm.Thread, outs []graph.ID) error {
	for _, id := range m.Graph.States(outs) {
		if m.Graph.StateInfo(id).Next != graph.None {
			continue
		}
		name := ""
		t.EachGlobal(func(global string, v vm.Value) {
			if x, err := stateOf(v); err == nil && x.ID() == id && name == "" {
				name = " '" + global + "'"
			}
		})
		return vm.WithHint(vm.ValueErrorf("the state%s that line %s makes has no next value", name, m.madeAt(t, m.Graph.Value(id))),
			"assign what it is in the next run before compiling: state.next = ...; a variable that only the host changes is cp.value(...)")
	}
	return nil
}

// pyReset is tg.reset(): all states of the program have their initial values again.
func (x *target) pyReset(t *vm.Thread, _ []vm.Value) (vm.Value, error) {
	if err := x.ready(); err != nil {
		return nil, err
	}
	x.loaded.ticks = 0
	_, err := x.together(t, func() error {
		for i := range x.prog.Image.Symbols {
			s := &x.prog.Image.Symbols[i]
			if s.Kind == image.State { // values that are held between tasks, too
				x.loaded.write(s.Offset, device.InitialOf(x.prog.Image, s))
			}
		}
		for _, id := range x.m.Graph.States(nodes(x.outs)) {
			delete(x.written, id)
		}
		return nil
	})
	x.places = places{}
	return vm.None, err
}
