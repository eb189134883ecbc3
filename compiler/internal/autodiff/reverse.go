package autodiff

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Grad returns the gradients of the scalar y with respect to each of xs, as values
// of their shapes and types (f32 for anything but floats), all in the graph of y. xs are taken as independent of
// each other: nothing flows through one into the nodes that it is computed from. What
// y does not depend on, constants, and values that are not floats have gradient 0. An array that consists of
// elements of others, as a slice does, has the derivatives by these elements, whichever way y uses them.
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
	views, err := viewsOf(y, xs)
	if err != nil {
		return nil, err
	}
	g := y.Graph()
	sources := arguments(g, views)
	r := newReverse(g, 0, y.ID(), sources)
	if r.wants(y.ID()) {
		r.visit(y.ID()).v = like(y, 1)
	}
	if err := r.run(y.ID()); err != nil {
		return nil, fmt.Errorf("grad: %w", err)
	}
	grads, err := r.results(sources)
	if err != nil {
		return nil, err
	}
	by := make(map[graph.ID]graph.Value, len(sources))
	for i, x := range sources {
		by[x.ID()] = grads[i]
	}
	out := make([]graph.Value, len(xs))
	for i, v := range views {
		if out[i], err = v.gradient(g, by); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reverse is one reverse pass.
type reverse struct {
	g        *graph.Graph
	first    graph.ID            // but for xs nothing before it depends on them
	visits   []visit             // of the nodes from first to the last
	older    map[graph.ID]*visit // of xs before first
	rows     map[graph.ID][]rowFlow
	guards   []guard // [0] is the root
	guardIDs map[guardKey]guardID
	limit    int // of nodes in the graph
	scans    map[graph.ID]*graph.ScanGroup
}

// visit is what the pass knows of one node.
type visit struct {
	flow        // its adjoint so far
	wanted bool // it depends on xs
	isArg  bool // it is one of xs
}

// newReverse prepares a pass from node last down. Nodes before from do not depend on
// xs, but may be some of them.
func newReverse(g *graph.Graph, from, last graph.ID, xs []graph.Value) *reverse {
	r := &reverse{
		g: g, first: last + 1, limit: graph.MaxNodes,
		rows: map[graph.ID][]rowFlow{}, guards: make([]guard, 1), guardIDs: map[guardKey]guardID{},
	}
	for _, x := range xs {
		if x.DType().IsFloat() {
			r.first = max(from, min(r.first, x.ID()))
		}
	}
	r.visits = make([]visit, max(last+1-r.first, 0))
	for _, x := range xs {
		switch arg := (visit{wanted: true, isArg: true}); {
		case !x.DType().IsFloat():
		case r.covers(x.ID()):
			*r.visit(x.ID()) = arg
		case x.ID() < r.first:
			if r.older == nil {
				r.older = map[graph.ID]*visit{}
			}
			r.older[x.ID()] = &arg
		}
	}
	for id := r.first; id <= last; id++ {
		v := r.visit(id)
		v.wanted = v.wanted || differentiable(g, id, r.wants)
	}
	r.scans = g.ScanGroupsFrom(r.first, func(id graph.ID) bool { return r.covers(id) && r.wants(id) })
	return r
}

// covers reports whether a node lies between first and the last.
func (r *reverse) covers(id graph.ID) bool {
	return id >= r.first && int(id-r.first) < len(r.visits)
}

func (r *reverse) visit(id graph.ID) *visit {
	if id < r.first {
		return r.older[id]
	}
	return &r.visits[id-r.first]
}

// wants reports whether a node before the last depends on xs.
func (r *reverse) wants(id graph.ID) bool {
	if id < r.first {
		return r.older[id] != nil
	}
	return r.visit(id).wanted
}

// differentiable reports whether a node has a derivative by an operand that depends
// on what is differentiated by.
func differentiable(g *graph.Graph, id graph.ID, depends func(graph.ID) bool) bool {
	n := g.Node(id)
	return n.DType.IsFloat() && rules[n.Op] != nil && slices.ContainsFunc(g.Args(id), depends)
}

// run visits the nodes from last down. A node's adjoint is complete when it is
// reached, since all its users lie above it.
func (r *reverse) run(last graph.ID) error {
	pos, fast := r.g.Pos(), r.g.Fast()
	defer func() {
		r.g.SetPos(pos)
		r.g.SetFast(fast)
	}()
	reach := func(id graph.ID) error {
		if !r.hasRoom(id) {
			return fmt.Errorf("graph too large: at most %d nodes are supported", r.limit)
		}
		n := r.g.Node(id)
		r.g.SetPos(n.Pos)
		r.g.SetFast(fast || n.Fast)
		r.gatherRows(id)
		return nil
	}
	var s step // one for all nodes: rules keep nothing of it
	for id := last; id >= r.first; id-- {
		if !r.wants(id) {
			continue
		}
		if err := reach(id); err != nil {
			return err
		}
		n := r.g.Node(id)
		if n.Op == graph.OpScan {
			if group := r.scans[id]; group != nil {
				if err := r.scan(group); err != nil {
					return err
				}
			}
			continue
		}
		v := r.visit(id)
		if v.isArg || !v.v.Valid() {
			continue
		}
		s = step{reverse: r, y: r.g.Value(id), adj: v.v, guard: v.guard, args: r.g.Args(id)}
		rules[n.Op](&s)
	}
	for _, id := range slices.Sorted(maps.Keys(r.older)) {
		if err := reach(id); err != nil {
			return err
		}
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
		if v := r.older[x.ID()]; v != nil {
			f = v.flow
		} else if r.covers(x.ID()) && r.visit(x.ID()).isArg {
			f = r.visit(x.ID()).flow
		}
		var err error
		if f.v.Valid() {
			grads[i] = r.lift(f, 0)
		} else if grads[i], err = r.g.Fill(gradientType(x), x.Shape(), 0); err != nil {
			return nil, fmt.Errorf("grad: %w", err)
		}
	}
	// The rules build well-typed nodes only: what can fail is the graph's size.
	if err := r.g.Err(); err != nil {
		return nil, fmt.Errorf("grad: %w", err)
	}
	return grads, nil
}

// gradientType is the type of a gradient with respect to x.
func gradientType(x graph.Value) graph.DType { return max(x.DType(), graph.F32) }

// give adds part of an adjoint.
func (r *reverse) give(id graph.ID, f flow) {
	v := r.visit(id)
	if v.v.Valid() {
		f = r.merge(v.flow, f)
	}
	v.flow = f
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
