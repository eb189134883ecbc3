package autodiff

import (
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Grad returns the gradients of the scalar y with respect to each of xs, as f32
// values of their shapes, all in the graph of y. xs are taken as independent of
// each other: nothing flows through one into the nodes that it is made of. What
// y does not depend on, and what is no float, has gradient 0.
func Grad(y graph.Value, xs []graph.Value) ([]graph.Value, error) {
	if !y.Valid() {
		return nil, errors.New("grad: the result is not a valid value")
	}
	if len(y.Shape()) != 0 {
		return nil, fmt.Errorf("grad: the result has shape %v: reduce it to a scalar first, with sum for example", y.Shape())
	}
	for i, x := range xs {
		if !x.Valid() || x.Graph() != y.Graph() {
			return nil, fmt.Errorf("grad: argument %d is not a value of the result's graph", i)
		}
	}
	r := newReverse(y, xs)
	if err := r.run(y); err != nil {
		return nil, fmt.Errorf("grad: %w", err)
	}
	return r.results(xs)
}

// reverse is one reverse pass.
type reverse struct {
	g        *graph.Graph
	wanted   []bool // by node: on a path from xs to y
	isArg    []bool // by node: one of xs
	adjoint  []flow // by node
	rows     map[graph.ID][]rowFlow
	guards   []guard // [0] is the root
	guardIDs map[guardKey]guardID
	limit    int // of nodes in the graph
}

func newReverse(y graph.Value, xs []graph.Value) *reverse {
	g := y.Graph()
	n := int(y.ID()) + 1
	r := &reverse{
		g: g, wanted: make([]bool, n), isArg: make([]bool, n), adjoint: make([]flow, n),
		rows: map[graph.ID][]rowFlow{}, guards: make([]guard, 1), guardIDs: map[guardKey]guardID{},
		limit: graph.MaxNodes,
	}
	for _, x := range xs {
		if int(x.ID()) < n && x.DType() == graph.F32 {
			r.isArg[x.ID()] = true
		}
	}
	for id := range n {
		r.wanted[id] = r.isArg[id] || r.passes(graph.ID(id))
	}
	return r
}

// passes reports whether the node has a derivative by an operand that depends
// on xs.
func (r *reverse) passes(id graph.ID) bool {
	n := r.g.Node(id)
	if n.DType != graph.F32 || rules[n.Op].back == nil {
		return false
	}
	for _, a := range r.g.Args(id) {
		if r.wanted[a] {
			return true
		}
	}
	return false
}

// run visits the nodes from y down. A node's adjoint is complete when it is
// reached, since all its users lie above it.
func (r *reverse) run(y graph.Value) error {
	pos := r.g.Pos()
	defer r.g.SetPos(pos)
	if r.wants(y.ID()) {
		r.adjoint[y.ID()] = flow{v: r.g.F32(1)}
	}
	for id := y.ID(); id >= 0; id-- {
		if !r.wanted[id] {
			continue
		}
		n := r.g.Node(id)
		if !r.hasRoom(id) {
			return fmt.Errorf("graph too large: at most %d nodes are supported", r.limit)
		}
		r.g.SetPos(n.Pos)
		r.gatherRows(id)
		f := r.adjoint[id]
		if r.isArg[id] || !f.v.Valid() {
			continue
		}
		s := step{reverse: r, y: r.g.Value(id), adj: f.v, guard: f.guard}
		s.args = r.g.Args(id)
		rules[n.Op].back(&s)
		r.adjoint[id] = flow{}
	}
	return nil
}

// hasRoom reports whether the graph can take what a node adds on the way back:
// some nodes for itself, each operand, each row taken from it, and each guard
// whose condition it may be the first to need. So no rule meets a full graph.
func (r *reverse) hasRoom(id graph.ID) bool {
	most := 200 + 16*(len(r.g.Args(id))+len(r.rows[id])) + 4*len(r.guards)
	return r.g.NumNodes()+most <= r.limit
}

func (r *reverse) results(xs []graph.Value) ([]graph.Value, error) {
	grads := make([]graph.Value, len(xs))
	for i, x := range xs {
		var f flow
		if int(x.ID()) < len(r.isArg) && r.isArg[x.ID()] {
			f = r.adjoint[x.ID()]
		}
		var err error
		if f.v.Valid() {
			grads[i] = r.lift(f, 0)
		} else if grads[i], err = r.g.Fill(graph.F32, x.Shape(), 0); err != nil {
			return nil, fmt.Errorf("grad: %w", err)
		}
	}
	// The rules build well-typed nodes only: what can fail is the graph's size.
	if err := r.g.Err(); err != nil {
		return nil, fmt.Errorf("grad: %w", err)
	}
	return grads, nil
}

func (r *reverse) wants(id graph.ID) bool { return r.wanted[id] }

// give adds part of an adjoint.
func (r *reverse) give(id graph.ID, f flow) {
	if old := r.adjoint[id]; old.v.Valid() {
		f = r.merge(old, f)
	}
	r.adjoint[id] = f
}

// step is one node on the way back, as its rule sees it.
type step struct {
	*reverse
	y     graph.Value // the node
	adj   graph.Value // its adjoint, in its shape
	guard guardID     // of adj
	args  []graph.ID
}

// arg returns operand i.
func (s *step) arg(i int) graph.Value { return s.g.Value(s.args[i]) }

// want reports whether operand i has to get its part.
func (s *step) want(i int) bool { return s.wants(s.args[i]) }

// pass gives v to operand i under the node's own guard.
func (s *step) pass(i int, v graph.Value) { s.give(s.args[i], flow{v: v, guard: s.guard}) }

// passIf gives v to operand i where cond, or its negation, holds.
func (s *step) passIf(i int, v, cond graph.Value, negate bool) {
	s.give(s.args[i], flow{v: v, guard: s.under(s.guard, cond, negate)})
}
