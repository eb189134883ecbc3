package graph

import (
	"fmt"
	"math"
	"slices"
)

// StateInfo describes a state: a variable that keeps its words from one run of
// the program to the next. A run reads what the last one left, Init in the first.
// When everything has been computed all states take their next values at once.
type StateInfo struct {
	Name string // for symbols; may be empty
	Init []uint32
	Next ID    // its value in the next run, of its own type and shape; None: not set yet
	Task uint8 // that it changes with, see Graph.SetTask
}

// State returns a new state, distinct from every other, with initial words in
// row-major order. SetNext completes it.
//
// A state delays by one run: its next value may depend on the state itself and
// on every other one, and no loop within a run can be made of states.
func (g *Graph) State(name string, t DType, s Shape, init []uint32) (Value, error) {
	if err := g.hold(OpState, len(init)); err != nil {
		return Value{g, None}, err
	}
	tensor, err := Tensor{t, s, init}.canonical()
	if err != nil {
		return Value{g, None}, g.errorf(OpState, "%v", err)
	}
	shape, err := g.shapes.intern(s)
	if err != nil {
		return Value{g, None}, g.errorf(OpState, "%v", err)
	}
	g.states = append(g.states, StateInfo{Name: name, Init: tensor.Bits, Next: None})
	return Value{g, g.intern(OpState, t, shape, uint64(len(g.states)-1), None, None, None, 0)}, nil
}

// StateF32 returns a scalar state.
func (g *Graph) StateF32(name string, init float32) Value {
	return g.keep(g.State(name, F32, Shape{}, []uint32{math.Float32bits(init)}))
}

// StateF64 returns a scalar state.
func (g *Graph) StateF64(name string, init float64) Value {
	return g.StateTensor(name, ScalarF64(init))
}

// StateTensor returns a state with the type, shape and values of init.
func (g *Graph) StateTensor(name string, init Tensor) Value {
	return g.keep(g.State(name, init.DType, init.Shape, init.Bits))
}

// SetNext says what a state is in the next run. It can be said once, and next
// must have the type and shape of the state: nothing is converted.
func (g *Graph) SetNext(state, next Value) error {
	if !g.owns(state) || !g.owns(next) {
		return g.errorf(OpState, "state or next value is not a value of this graph")
	}
	if state.Op() != OpState {
		return g.errorf(OpState, "%v is not a state but the result of %v", state, state.Op())
	}
	info := &g.states[g.nodes[state.id].Attr]
	if info.Next != None {
		return g.errorf(OpState, "the next value is set already")
	}
	if err := g.checkNext(state.id, next.id); err != nil {
		return g.errorf(OpState, "%v", err)
	}
	info.Next, info.Task = next.id, g.task
	return nil
}

// checkNext reports whether a node can be the next value of a state.
func (g *Graph) checkNext(state, next ID) error {
	s, n := &g.nodes[state], &g.nodes[next]
	if s.DType != n.DType {
		return fmt.Errorf("the state is %v and its next value %v", s.DType, n.DType)
	}
	if s.Shape != n.Shape {
		return fmt.Errorf("the state has shape %v and its next value %v", g.Shape(s.Shape), g.Shape(n.Shape))
	}
	return nil
}

// NumStates is the number of states, needed or not.
func (g *Graph) NumStates() int { return len(g.states) }

// StateInfo returns the description of a state node. It must not be changed.
func (g *Graph) StateInfo(id ID) *StateInfo { return &g.states[g.nodes[id].Attr] }

// States returns the states that a program for outs keeps, in order of ID: those
// that outs depend on, those that their next values depend on, and so on. Without
// states in the graph it costs nothing.
func (g *Graph) States(outs []ID) []ID {
	if len(g.states) == 0 {
		return nil
	}
	var found []ID
	seen := make([]bool, len(g.nodes))
	var open []ID
	visit := func(id ID) {
		if !seen[id] {
			seen[id] = true
			open = append(open, id)
		}
	}
	for _, id := range outs {
		visit(id)
	}
	for len(open) > 0 {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		for _, a := range g.Args(id) {
			visit(a)
		}
		if g.nodes[id].Op == OpState {
			found = append(found, id)
			if next := g.StateInfo(id).Next; next != None {
				visit(next)
			}
		}
	}
	slices.Sort(found)
	return found
}

// Roots returns outs followed by the next value of each of the States of
// outs, as far as they are set: all that a program for outs computes.
func (g *Graph) Roots(outs []ID) []ID {
	roots := slices.Clip(outs)
	for _, s := range g.States(outs) {
		if next := g.StateInfo(s).Next; next != None {
			roots = append(roots, next)
		}
	}
	return roots
}

// CheckStates reports the first of the States of outs whose next value is not
// set; without it no program can be made.
func (g *Graph) CheckStates(outs []ID) error {
	for _, s := range g.States(outs) {
		if info := g.StateInfo(s); info.Next == None {
			err := fmt.Sprintf("state %%%d (%q) has no next value", s, info.Name)
			return &Error{Op: OpState, Pos: g.nodes[s].Pos, Message: err}
		}
	}
	return nil
}

// CheckRoots reports what keeps outs from being a program: a state whose next
// value is not set, or a value that exists only in the body of a loop.
func (g *Graph) CheckRoots(outs []ID) error {
	if err := g.CheckStates(outs); err != nil {
		return err
	}
	if g.params == 0 {
		return nil
	}
	roots := g.Roots(outs)
	uses := g.Users(roots)
	for id := range g.nodes {
		if uses[id] > 0 && g.nodes[id].Op == OpParam {
			return &Error{Op: OpParam, Pos: g.nodes[id].Pos, Message: "a value of the body of a loop is used outside of it: let the body return it, as a carry or as a row"}
		}
	}
	return nil
}
