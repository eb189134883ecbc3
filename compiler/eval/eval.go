package eval

import (
	"fmt"
	"maps"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Tensor is a value outside a graph.
type Tensor = graph.Tensor

// Eval is a first run: Step, without what the states are afterwards.
func Eval(g *graph.Graph, outs []graph.ID, inputs map[graph.ID]Tensor) ([]Tensor, uint32, error) {
	results, _, flags, err := Step(g, outs, inputs)
	return results, flags, err
}

// Step computes the nodes outs of g in one run. Inputs and states have the given
// values, or their initial ones where vars does not name them. It returns the
// values in the order of outs, those that the states which the program keeps have
// in the next run, and the sticky flags raised by all that was computed. An error
// means that vars does not fit the graph or that a state has no next value.
func Step(g *graph.Graph, outs []graph.ID, vars map[graph.ID]Tensor) (results []Tensor, next map[graph.ID]Tensor, flags uint32, err error) {
	if err := g.CheckRoots(outs); err != nil {
		return nil, nil, 0, fmt.Errorf("eval: %w", err)
	}
	return Part(g, outs, g.States(outs), vars)
}

// Part is Step of a task of a program: it computes outs, and next values of these states only, which must
// be set. What else outs depend on has the given values, or the initial ones.
func Part(g *graph.Graph, outs, states []graph.ID, vars map[graph.ID]Tensor) (results []Tensor, next map[graph.ID]Tensor, flags uint32, err error) {
	for id, t := range vars {
		if err := checkVariable(g, id, t); err != nil {
			return nil, nil, 0, fmt.Errorf("eval: %w", err)
		}
	}
	roots := slices.Clip(outs)
	for _, s := range states {
		roots = append(roots, g.StateInfo(s).Next)
	}
	run := newRun(g, roots)
	run.all(vars)
	results = make([]Tensor, len(outs))
	for i, id := range outs {
		results[i] = run.result(id)
	}
	next = make(map[graph.ID]Tensor, len(states))
	for _, s := range states {
		next[s] = run.result(g.StateInfo(s).Next)
	}
	return results, next, run.flags, nil
}

// Runs is n runs after each other, at least one: the first starts with vars, each
// other one with the states that the one before it left. It returns the results of
// the last run, the states after it, and the sticky flags raised by any of them.
func Runs(g *graph.Graph, outs []graph.ID, vars map[graph.ID]Tensor, n int) (results []Tensor, states map[graph.ID]Tensor, flags uint32, err error) {
	now := map[graph.ID]Tensor{}
	maps.Copy(now, vars)
	for range n {
		var raised uint32
		if results, states, raised, err = Step(g, outs, now); err != nil {
			return nil, nil, 0, err
		}
		maps.Copy(now, states)
		flags |= raised
	}
	return results, states, flags, nil
}

// checkVariable reports whether t can be the value of a node, which must be an
// input or a state.
func checkVariable(g *graph.Graph, id graph.ID, t Tensor) error {
	if id < 0 || int(id) >= g.NumNodes() || g.Node(id).Op != graph.OpInput && g.Node(id).Op != graph.OpState {
		return fmt.Errorf("node %%%d is not an input or state", id)
	}
	n := g.Node(id)
	name, _ := initial(g, id)
	if t.DType != n.DType {
		return fmt.Errorf("%v %q is %v, not %v", n.Op, name, n.DType, t.DType)
	}
	if want := g.ShapeOf(id); !want.Equal(t.Shape) {
		return fmt.Errorf("%v %q has shape %v, not %v", n.Op, name, want, t.Shape)
	}
	if want := g.Elements(id); len(t.Bits) != want*n.DType.Words() {
		return fmt.Errorf("%v %q has %d values for %d elements", n.Op, name, t.Len(), want)
	}
	return nil
}

// initial is the name and the first value of an input or state.
func initial(g *graph.Graph, id graph.ID) (name string, words []uint32) {
	if g.Node(id).Op == graph.OpState {
		s := g.StateInfo(id)
		return s.Name, s.Init
	}
	in := g.InputInfo(id)
	return in.Name, in.Init
}

// run is one evaluation: the words of each node that is needed, and the flags
// so far.
type run struct {
	g     *graph.Graph
	words [][]uint32
	flags uint32
	args  [][]uint32 // operands of the node at hand

	params [][]uint32                    // in the body of a loop: what the iteration works on
	loops  map[graph.ID]*graph.ScanGroup // the results of the loops that are needed
}

// newRun makes room for the values of the nodes that roots need.
func newRun(g *graph.Graph, roots []graph.ID) *run {
	r := &run{g: g, words: make([][]uint32, g.NumNodes())}
	r.place(g.Users(roots))
	r.loops = g.ScanGroups(func(id graph.ID) bool { return r.words[id] != nil })
	return r
}

// all computes every node that is needed.
func (r *run) all(vars map[graph.ID]Tensor) {
	for id, words := range r.words {
		if words != nil {
			r.compute(graph.ID(id), vars)
		}
	}
}

// result is a copy of a node's value.
func (r *run) result(id graph.ID) Tensor {
	return Tensor{DType: r.g.Node(id).DType, Shape: r.g.ShapeOf(id), Bits: append([]uint32(nil), r.words[id]...)}
}

// size is the number of words of a node's value.
func (r *run) size(id graph.ID) int { return r.g.Elements(id) * r.g.Node(id).DType.Words() }

// place gives every needed node its part of one slab.
func (r *run) place(uses []int32) {
	total := 0
	for id, n := range uses {
		if n > 0 {
			total += r.size(graph.ID(id))
		}
	}
	slab := make([]uint32, total)
	for id, n := range uses {
		if n > 0 {
			size := r.size(graph.ID(id))
			r.words[id], slab = slab[:size:size], slab[size:]
		}
	}
}

func (r *run) compute(id graph.ID, vars map[graph.ID]Tensor) {
	n, out := r.g.Node(id), r.words[id]
	switch {
	case n.Op == graph.OpConst:
		copy(out, r.g.ConstBits(id))
	case n.Op == graph.OpParam:
		copy(out, r.params[n.Attr])
	case n.Op == graph.OpScan:
		if group := r.loops[id]; group != nil {
			r.loop(group)
		}
	case n.Op == graph.OpInput || n.Op == graph.OpState:
		_, from := initial(r.g, id)
		if t, ok := vars[id]; ok {
			from = t.Bits
		}
		for i := range r.g.Elements(id) {
			n.DType.Put(out, i, graph.Canonical(n.DType, n.DType.At(from, i)))
		}
	default:
		r.args = r.args[:0]
		for _, a := range r.g.Args(id) {
			r.args = append(r.args, r.words[a])
		}
		r.flags |= Node(r.g, id, r.args, out)
	}
}

// operand is the words of elements of type t.
type operand struct {
	words []uint32
	t     graph.DType
}

func (o operand) at(i int) uint64 { return o.t.At(o.words, i) }

// Node computes one node of g, which has operands, from canonical words
// of its operands into out, which has the words of its elements. It returns the
// sticky flags raised.
func Node(g *graph.Graph, id graph.ID, args [][]uint32, out []uint32) (flags uint32) {
	n, ids := g.Node(id), g.Args(id)
	if !n.Op.Info().Elementwise {
		arrays[n.Op](node{g, id, out, args, g.ShapeOf(ids[0])})
		return 0
	}
	// An operand that the op does not have is never read: any bits will do.
	in := [3]operand{{out, n.DType}, {out, n.DType}, {out, n.DType}}
	for i, a := range ids {
		in[i] = operand{args[i], g.Node(a).DType}
	}
	k := scalars[n.Op].kernel(g.Node(ids[len(ids)-1]).DType)
	for i := range g.Elements(id) {
		w, f := k(in[0].at(i), in[1].at(i), in[2].at(i))
		n.DType.Put(out, i, w)
		flags |= f
	}
	return flags
}
