// Package unroll replaces static loops by their iterations, one after the other, where
// that is little code: then the iterations are simplified with what is around them,
// and no time goes into counting. The results keep their bits.
package unroll

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Run returns a graph that computes outs, with the loops unrolled whose iterations have
// at most limit nodes in all; outs in it; and for each node of g the one that
// stands for it, or graph.None where nothing does. A graph without such loops is
// returned itself, with nil for the last. States that outs need keep their next
// values.
func Run(g *graph.Graph, outs []graph.ID, limit int) (*graph.Graph, []graph.ID, []graph.ID, error) {
	u := unroller{limit: limit, bodies: map[*graph.Scan]*graph.Scan{}, sizes: map[*graph.Scan]int{}}
	return u.graph(g, outs, false)
}

type unroller struct {
	limit  int
	bodies map[*graph.Scan]*graph.Scan // loops with the loops in their bodies unrolled
	sizes  map[*graph.Scan]int
	flags  bool // something in the graph may raise a sticky flag
}

// graph unrolls the loops of one graph. It keeps the order of nodes, so that the
// params of a body stay in front. Of a body not all results may be needed.
func (u *unroller) graph(g *graph.Graph, outs []graph.ID, isBody bool) (*graph.Graph, []graph.ID, []graph.ID, error) {
	if len(g.Scans()) == 0 {
		return g, outs, nil, nil
	}
	roots := g.Roots(outs)
	uses := g.Users(roots)
	groups := g.ScanGroups(func(id graph.ID) bool { return uses[id] > 0 })
	if len(groups) == 0 {
		return g, outs, nil, nil
	}
	raises := mayRaise(g, uses, u.flags)
	if !isBody {
		u.flags = slices.Contains(raises, true)
	}
	to := g.Derive()
	moved := make([]graph.ID, g.NumNodes())
	done := map[graph.ID]graph.ID{} // results of loops
	for i := range moved {
		id := graph.ID(i)
		n := g.Node(id)
		moved[id] = graph.None
		if uses[id] == 0 && n.Op != graph.OpParam {
			continue
		}
		args := make([]graph.ID, len(g.Args(id)))
		for k, a := range g.Args(id) {
			args[k] = moved[a]
		}
		to.SetPos(n.Pos)
		to.SetFast(n.Fast)
		if group := groups[id]; group != nil {
			keep := func() bool { return losesFlags(g, group, g.Used(group), raises) }
			if isBody || g.NumStates() > 0 { // a state may be needed for the loop's operands only
				keep = func() bool { return anyLosesFlags(g, group, raises) }
			}
			if err := u.scan(g, to, group, args, isBody, keep, done); err != nil {
				return nil, nil, nil, err
			}
		}
		if at, ok := done[id]; ok {
			moved[id] = at
			continue
		}
		moved[id] = to.Intern(n.Op, n.DType, n.Shape, n.Attr, args...)
	}
	to.SetFast(false)
	for _, s := range g.States(outs) {
		if next := g.StateInfo(s).Next; next != graph.None {
			if err := to.SetNext(to.Value(moved[s]), to.Value(moved[next])); err != nil {
				return nil, nil, nil, err
			}
		}
	}
	newOuts := make([]graph.ID, len(outs))
	for i, id := range outs {
		newOuts[i] = moved[id]
	}
	return to, newOuts, moved, nil
}

// losesFlags reports whether sticky flags could be lost with a loop. A loop computes its
// operands and, in each iteration, what any iteration needs; of iterations one after the other only
// what is read stays. So it goes through them from the last one to the first.
func losesFlags(g *graph.Graph, group *graph.ScanGroup, used, raises []bool) bool {
	s, args := g.Scans()[group.Loop], g.Args(group.Nodes[0])
	if s.Flags() == 0 && !slices.ContainsFunc(args, func(a graph.ID) bool { return raises[a] }) {
		return false
	}
	carries, rows := s.Needs(used)
	reached := func(live []bool) []int32 {
		var roots []graph.ID
		for k, id := range s.Results {
			if k < s.Carries && live[k] || k >= s.Carries && rows[k-s.Carries] {
				roots = append(roots, id)
			}
		}
		return s.Body.Users(roots)
	}
	computed := reached(carries)
	live, read := slices.Clone(used[:s.Carries]), make([]bool, len(args))
	for range s.Iterations {
		uses := reached(live)
		for id, n := range computed {
			if n > 0 && uses[id] == 0 && flags(s.Body, graph.ID(id)) {
				return true
			}
		}
		before := make([]bool, s.Carries)
		for k := range args {
			reads := uses[s.Param(1+k)] > 0
			if k < s.Carries {
				before[k] = reads || used[s.History(k)]
			}
			read[k] = read[k] || reads
		}
		if slices.Equal(before, live) {
			break // and so in all iterations before
		}
		live = before
	}
	copy(read, live)
	for k, a := range args {
		if raises[a] && !read[k] {
			return true
		}
	}
	return false
}

// anyLosesFlags reports whether flags could be lost with a loop of which only some of the
// used results are needed. What several need is what each of them needs.
func anyLosesFlags(g *graph.Graph, group *graph.ScanGroup, raises []bool) bool {
	for out, u := range g.Used(group) {
		used := make([]bool, g.Scans()[group.Loop].NumOutputs())
		if used[out] = true; u && losesFlags(g, group, used, raises) {
			return true
		}
	}
	return false
}

// flags reports whether a node may raise a sticky flag itself.
func flags(g *graph.Graph, id graph.ID) bool {
	if g.Node(id).Op == graph.OpScan {
		s, _ := g.ScanInfo(id)
		return s.Flags() != 0
	}
	return g.Node(id).Op.Info().Flags != 0
}

// mayRaise marks the nodes that may raise a sticky flag, themselves or in what they
// are computed of, which may come from the run before by way of a state, and in a body
// from outside if anything there raises one.
func mayRaise(g *graph.Graph, uses []int32, outside bool) []bool {
	itself, any := make([]bool, len(uses)), false
	for i, n := range uses {
		id := graph.ID(i)
		if n > 0 {
			itself[i] = flags(g, id)
			any = any || itself[i]
		}
	}
	for i := range itself {
		id := graph.ID(i)
		op := g.Node(id).Op
		itself[i] = itself[i] || any && op == graph.OpState || outside && op == graph.OpParam ||
			slices.ContainsFunc(g.Args(id), func(a graph.ID) bool { return itself[a] })
	}
	return itself
}

// manyRows is how many iterations a loop in the body of another has, that goes through the rows of arrays or
// makes some, for which a quarter of the limit holds: its arrays would be scalars in memory.
const manyRows = 9

// scan makes the results of a loop in the new graph; keep says whether it has to stay one.
func (u *unroller) scan(g, to *graph.Graph, group *graph.ScanGroup, args []graph.ID, isBody bool, keep func() bool, done map[graph.ID]graph.ID) error {
	s, err := u.body(g.Scans()[group.Loop])
	if err != nil {
		return err
	}
	limit := u.limit
	if isBody && s.Iterations >= manyRows && s.Slices+len(s.Results) > s.Carries {
		limit /= 4
	}
	if s.Iterations > limit || s.Iterations*u.size(s) > limit || keep() {
		loop, err := to.InternScan(s)
		if err != nil {
			return err
		}
		for _, id := range group.Nodes {
			_, out := g.ScanInfo(id)
			v, err := to.ScanResult(loop, out, args)
			if err != nil {
				return err
			}
			done[id] = v.ID()
		}
		return nil
	}
	values, err := u.iterations(to, s, g.Used(group), args)
	if err != nil {
		return err
	}
	for _, id := range group.Nodes {
		_, out := g.ScanInfo(id)
		done[id] = values[out].ID()
	}
	return nil
}

// body is the loop with the loops in its body unrolled.
func (u *unroller) body(s *graph.Scan) (*graph.Scan, error) {
	if len(s.Body.Scans()) == 0 {
		return s, nil
	}
	if b, ok := u.bodies[s]; ok {
		return b, nil
	}
	body, results, _, err := u.graph(s.Body, s.Results, true)
	if err != nil {
		return nil, err
	}
	b := *s
	b.Body, b.Results = body, results
	u.bodies[s] = &b
	return &b, nil
}

// size is the number of nodes that compute something in the body, and in those of the
// loops that are in it. An op on an array counts
// as its elements, up to as many as are computed one by one.
func (u *unroller) size(s *graph.Scan) int {
	if n, ok := u.sizes[s]; ok {
		return n
	}
	uses, n := s.Body.Users(s.Results), 0
	for id, used := range uses {
		switch op := s.Body.Node(graph.ID(id)).Op; {
		case used == 0 || op == graph.OpScan || op.Info().Sig == graph.SigSource:
		case op.Info().Elementwise || op == graph.OpTake:
			n += min(max(s.Body.Elements(graph.ID(id)), 1), mostElements)
		default:
			n++
		}
	}
	for _, group := range s.Body.ScanGroups(func(id graph.ID) bool { return uses[id] > 0 }) {
		n = min(n+1+u.size(s.Body.Scans()[group.Loop]), graph.MaxNodes)
	}
	u.sizes[s] = n
	return n
}

// mostElements is what an op on an array counts for at most: that many elements are computed one
// by one, more of them in a loop.
const mostElements = 16

// iterations computes the used results of a loop iteration by iteration.
func (u *unroller) iterations(to *graph.Graph, s *graph.Scan, used []bool, args []graph.ID) ([]graph.Value, error) {
	carries, rows := s.Needs(used)
	wanted := func(k int) bool { return k < s.Carries && carries[k] || k >= s.Carries && rows[k-s.Carries] }
	params := make([]graph.Value, 1+len(args))
	for i, a := range args {
		params[1+i] = to.Value(a)
	}
	stacks := make([][]graph.Value, s.NumOutputs())
	for iteration := range s.Iterations {
		params[0] = to.I32(int32(iteration))
		for k := range s.Slices {
			row, err := to.Index(to.Value(args[s.Carries+k]), iteration)
			if err != nil {
				return nil, err
			}
			params[1+s.Carries+k] = row
		}
		for k := range s.Carries {
			stacks[s.History(k)] = append(stacks[s.History(k)], params[1+k])
		}
		results, err := to.Iteration(s, params, wanted)
		if err != nil {
			return nil, err
		}
		for k, v := range results {
			switch {
			case !wanted(k):
			case k < s.Carries:
				params[1+k] = v
			default:
				stacks[k] = append(stacks[k], v)
			}
		}
	}
	values := make([]graph.Value, len(used))
	for out, u := range used {
		switch {
		case !u:
		case out < s.Carries:
			values[out] = params[1+out]
		default:
			v, err := stack(to, stacks[out])
			if err != nil {
				return nil, err
			}
			values[out] = v
		}
	}
	return values, nil
}

// stack makes an array of rows.
func stack(g *graph.Graph, rows []graph.Value) (graph.Value, error) {
	if len(rows[0].Shape()) == 0 {
		return g.Stack(rows...)
	}
	lines := make([]graph.Value, len(rows))
	for i, v := range rows {
		var err error
		if lines[i], err = g.Reshape(v, append(graph.Shape{1}, v.Shape()...)); err != nil {
			return v, err
		}
	}
	return g.Concat(lines...)
}
