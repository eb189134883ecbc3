package opt

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Run returns a new graph that computes the nodes outs of g, their IDs in it in
// the same order, and for each node of g its ID in the new graph, or graph.None
// where nothing stands for it any more. States that the new graph still needs
// have their next values in it. Nodes with the mark of graph.SetFast, and with fast
// all nodes, also follow the rules that fast.go lists. The new graph has no such
// marks: it says exactly what is computed.
func Run(g *graph.Graph, outs []graph.ID, fast bool) (*graph.Graph, []graph.ID, []graph.ID) {
	return run(g, outs, fast, &bodies{seen: graph.New()})
}

// run is Run for a graph, or for the body of a loop.
func run(g *graph.Graph, outs []graph.ID, fast bool, b *bodies) (*graph.Graph, []graph.ID, []graph.ID) {
	uses := g.Users(g.Roots(outs))
	needed := 0
	for _, n := range uses {
		if n > 0 {
			needed++
		}
	}
	o := &pass{from: g, to: g.Derive(), all: fast, uses: uses, bodies: b}
	o.findChains()
	o.to.Reserve(needed+needed/8, g.NumInputs()+g.NumStates())
	if o.scans = g.ScanGroups(func(id graph.ID) bool { return uses[id] > 0 }); o.scans != nil {
		o.loops = map[graph.ID]graph.ID{}
	}
	if g.NumStates() > 0 {
		for i, n := range uses {
			o.delayed = o.delayed || n > 0 && mayFlag(g, graph.ID(i))
		}
	}
	moved := make([]graph.ID, g.NumNodes())
	for i := range moved {
		moved[i] = graph.None
		if uses[i] > 0 && !o.isInner(graph.ID(i)) {
			moved[i] = o.rewrite(graph.ID(i), moved)
		}
	}
	keepStates(g, outs, o.to, moved)
	newOuts := make([]graph.ID, len(outs))
	for i, id := range outs {
		newOuts[i] = moved[id]
	}
	if o.to.NumNodes() == needed && o.kept == needed {
		return o.to, newOuts, moved // the graph as it was, and all of it needed
	}
	return compact(o.to, newOuts, moved, o.marked)
}

// mayFlag reports whether a node is of a kind that raises sticky flags.
func mayFlag(g *graph.Graph, id graph.ID) bool {
	if g.Node(id).Op == graph.OpScan {
		s, _ := g.ScanInfo(id)
		return s.Flags() != 0
	}
	return g.Node(id).Op.Info().Flags != 0
}

// compact leaves out the nodes that outs do not need, and the marks if there are
// any, after which long sums may be divided. It renumbers outs and moved in place.
func compact(g *graph.Graph, outs, moved []graph.ID, marked bool) (*graph.Graph, []graph.ID, []graph.ID) {
	uses := g.Users(g.Roots(outs))
	needed := 0
	for _, n := range uses {
		if n > 0 {
			needed++
		}
	}
	if needed == g.NumNodes() && !marked {
		return g, outs, moved
	}
	to := g.Derive()
	to.Reserve(needed, g.NumInputs()+g.NumStates())
	id := make([]graph.ID, g.NumNodes())
	s := spreader{from: g, to: to, uses: uses, id: id}
	var args []graph.ID
	for i := range id {
		id[i] = graph.None
		if uses[i] == 0 {
			continue
		}
		n := g.Node(graph.ID(i))
		to.SetPos(n.Pos)
		if sum, ok := s.spread(graph.ID(i)); ok {
			id[i] = sum
			continue
		}
		args = args[:0]
		for _, a := range g.Args(graph.ID(i)) {
			args = append(args, id[a])
		}
		id[i] = to.Intern(n.Op, n.DType, n.Shape, n.Attr, args...)
	}
	keepStates(g, outs, to, id)
	for i, old := range outs {
		outs[i] = id[old]
	}
	for i, old := range moved {
		if old != graph.None {
			moved[i] = id[old]
		}
	}
	return to, outs, moved
}

// keepStates sets the next values of the states that outs need in the graph to,
// where moved says what stands for the nodes of from.
func keepStates(from *graph.Graph, outs []graph.ID, to *graph.Graph, moved []graph.ID) {
	for _, s := range from.States(outs) {
		next := from.StateInfo(s).Next
		if next == graph.None {
			continue // refused before a program is made of it
		}
		if err := to.SetNext(to.Value(moved[s]), to.Value(moved[next])); err != nil {
			panic(err) // rewriting keeps types and shapes
		}
	}
}

// pass is one rewriting of a graph.
type pass struct {
	from, to *graph.Graph
	all      bool                          // every node counts as marked
	fast     bool                          // the node at hand is marked: so are those built for it
	marked   bool                          // the new graph has marked nodes
	uses     []int32                       // of the nodes of from
	inner    []bool                        // see findChains; nil: none
	kept     int                           // nodes that are the same in both graphs
	args     []graph.ID                    // operands of the node at hand, in the new graph
	raises   []bool                        // by node of the new graph, as far as computed; see mayRaise
	zeros    map[graph.ID]bool             // see hasZeros
	zeroSets map[graph.ID][]bool           // see zerosOf
	scalars  map[element]graph.ID          // see elementAt
	delayed  bool                          // a state may bring a sticky flag with its next value
	scans    map[graph.ID]*graph.ScanGroup // of the old graph
	loops    map[graph.ID]graph.ID         // results of loops in the new graph
	bodies   *bodies                       // of loops that were simplified before
}

// node is an operation about to be built in the new graph.
type node struct {
	op    graph.Op
	t     graph.DType
	shape graph.ShapeID
	attr  uint64
	args  []graph.ID // valid until the next node of the old graph
}

// rule returns the node of the new graph that stands for n, or false if it
// knows nothing better than n.
type rule func(o *pass, n node) (graph.ID, bool)

// rules has the simplifications of each op.
var rules [graph.NumOps]rule

// Filled in by init, since rules build nodes, to which rules apply.
func init() {
	for _, family := range []map[graph.Op]rule{arithmetic, logic, casts, arrays, products} {
		for op, r := range family {
			rules[op] = r
		}
	}
}

func (o *pass) rewrite(id graph.ID, moved []graph.ID) graph.ID {
	n := o.from.Node(id)
	o.to.SetPos(n.Pos)
	o.fast = o.all || n.Fast
	if o.fast && o.inner != nil {
		if r, ok := o.chain(id, moved); ok {
			return r
		}
	}
	return o.rewriteNode(id, moved)
}

// rewriteNode rewrites a node by itself.
func (o *pass) rewriteNode(id graph.ID, moved []graph.ID) graph.ID {
	n := o.from.Node(id)
	args := o.from.Args(id)
	o.args = slices.Grow(o.args[:0], len(args))
	constant := true
	for _, a := range args {
		b := moved[a]
		o.args = append(o.args, b)
		constant = constant && o.isConstant(b)
	}
	switch n.Op {
	case graph.OpInput, graph.OpState, graph.OpParam:
		if o.keepsAll(id) {
			return id
		}
		return o.to.Intern(n.Op, n.DType, n.Shape, n.Attr)
	case graph.OpScan:
		if group := o.scans[id]; group != nil {
			return o.scan(group)
		}
		return o.loops[id] // came with the first of its group
	case graph.OpConst:
		return o.constant(id)
	}
	if constant {
		if r, ok := o.fold(id); ok {
			return r
		}
	}
	like := node{n.Op, n.DType, n.Shape, n.Attr, o.args}
	if r, ok := o.byRule(like); ok {
		return r
	}
	if !o.fast && o.keepsAll(id) {
		return id
	}
	return o.intern(like)
}

// keepsAll reports whether a node stays as it is, as all before it did: then the new graph shares the old one's.
func (o *pass) keepsAll(id graph.ID) bool {
	if o.to.NumNodes() != int(id) || !o.to.Same(o.from) {
		return false
	}
	o.kept++
	return true
}

// build returns a node for n, simplified.
func (o *pass) build(n node) graph.ID {
	if id, ok := o.byRule(n); ok {
		return id
	}
	return o.intern(n)
}

// byRule returns what stands for n by a rule, or false if there is nothing better.
func (o *pass) byRule(n node) (graph.ID, bool) {
	if rule := rules[n.op]; rule != nil {
		if id, ok := rule(o, n); ok {
			return id, true
		}
	}
	if n.shape != graph.Scalar && n.op.Info().Elementwise {
		return o.hoist(n)
	}
	return none()
}

// intern returns the node n of the new graph.
func (o *pass) intern(n node) graph.ID {
	if o.fast && inFast(n.op, n.t) {
		o.marked = true
		o.to.SetFast(true)
		defer o.to.SetFast(false)
	}
	return o.to.Intern(n.op, n.t, n.shape, n.attr, n.args...)
}

// make builds an elementwise node of n's shape from the given operands.
func (o *pass) make(n node, op graph.Op, t graph.DType, args ...graph.ID) (graph.ID, bool) {
	if id, ok := o.foldScalar(op, t, args); ok {
		return id, true
	}
	return o.build(node{op: op, t: t, shape: n.shape, args: args}), true
}

// keep answers with an existing node.
func keep(id graph.ID) (graph.ID, bool) { return id, true }

// none is the answer of a rule that does not apply.
func none() (graph.ID, bool) { return graph.None, false }
