// Package unroll replaces static loops by their turns, one after the other, where
// that is little code: then the turns are simplified with what is around them,
// and no time goes into counting. The results keep their bits.
package unroll

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Run returns a graph that computes outs, with the loops unrolled whose turns have
// at most limit nodes in all; outs in it; and for each node of g the one that
// stands for it, or graph.None where nothing does. A graph without such loops is
// returned itself, with nil for the last. States that outs need keep their next
// values.
func Run(g *graph.Graph, outs []graph.ID, limit int) (*graph.Graph, []graph.ID, []graph.ID, error) {
	u := unroller{limit: limit, bodies: map[*graph.Scan]*graph.Scan{}}
	return u.graph(g, outs)
}

type unroller struct {
	limit  int
	bodies map[*graph.Scan]*graph.Scan // loops with the loops in their bodies unrolled
}

// graph unrolls the loops of one graph. It keeps the order of nodes, so that the
// params of a body stay in front.
func (u *unroller) graph(g *graph.Graph, outs []graph.ID) (*graph.Graph, []graph.ID, []graph.ID, error) {
	roots := g.Roots(outs)
	uses := g.Users(roots)
	groups := g.ScanGroups(func(id graph.ID) bool { return uses[id] > 0 })
	if len(groups) == 0 {
		return g, outs, nil, nil
	}
	raises := mayRaise(g, uses)
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
			keep := losesFlags(g, group, raises)
			if err := u.scan(g, to, group, args, keep, done); err != nil {
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

// losesFlags reports whether sticky flags could be lost with a loop: those of an
// operand that its turns do not read, which is computed for the loop all the same; and
// those of a carry of a turn that no later one reads, since a loop computes in
// each turn what any of them needs.
func losesFlags(g *graph.Graph, group *graph.ScanGroup, raises []bool) bool {
	s, used := g.Scans()[group.Loop], g.Used(group)
	carries, rows := s.Needs(used)
	var roots []graph.ID
	for k, id := range s.Results {
		if k < s.Carries && carries[k] || k >= s.Carries && rows[k-s.Carries] {
			roots = append(roots, id)
		}
	}
	uses := s.Body.Users(roots)
	for k, a := range g.Args(group.Nodes[0]) {
		read := uses[s.Param(1+k)] > 0 || k < s.Carries && used[s.History(k)]
		if !read && raises[a] {
			return true
		}
		if k < s.Carries && carries[k] && s.Flags() != 0 && !(used[k] && (read || s.Turns == 1)) {
			return true
		}
	}
	return false
}

// mayRaise marks the nodes that may raise a sticky flag, themselves or in what they
// are computed of, which may come from the run before by way of a state.
func mayRaise(g *graph.Graph, uses []int32) []bool {
	itself, any := make([]bool, len(uses)), false
	for i, n := range uses {
		id := graph.ID(i)
		if n > 0 {
			itself[i] = g.Node(id).Op.Info().Flags != 0
			if g.Node(id).Op == graph.OpScan {
				s, _ := g.ScanInfo(id)
				itself[i] = s.Flags() != 0
			}
			any = any || itself[i]
		}
	}
	for i := range itself {
		id := graph.ID(i)
		itself[i] = itself[i] || any && g.Node(id).Op == graph.OpState ||
			slices.ContainsFunc(g.Args(id), func(a graph.ID) bool { return itself[a] })
	}
	return itself
}

// scan makes the results of a loop in the new graph; keep says that it stays one.
func (u *unroller) scan(g, to *graph.Graph, group *graph.ScanGroup, args []graph.ID, keep bool, done map[graph.ID]graph.ID) error {
	s, err := u.body(g.Scans()[group.Loop])
	if err != nil {
		return err
	}
	if keep || s.Turns > u.limit || s.Turns*size(s) > u.limit {
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
	values, err := u.turns(to, s, g.Used(group), args)
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
	body, results, _, err := u.graph(s.Body, s.Results)
	if err != nil {
		return nil, err
	}
	b := *s
	b.Body, b.Results = body, results
	u.bodies[s] = &b
	return &b, nil
}

// size is the number of nodes of the body that compute something.
func size(s *graph.Scan) int {
	n := 0
	for id, uses := range s.Body.Users(s.Results) {
		if uses > 0 && s.Body.Node(graph.ID(id)).Op.Info().Sig != graph.SigSource {
			n++
		}
	}
	return n
}

// turns computes the used results of a loop turn by turn.
func (u *unroller) turns(to *graph.Graph, s *graph.Scan, used []bool, args []graph.ID) ([]graph.Value, error) {
	carries, rows := s.Needs(used)
	wanted := func(k int) bool { return k < s.Carries && carries[k] || k >= s.Carries && rows[k-s.Carries] }
	params := make([]graph.Value, 1+len(args))
	for i, a := range args {
		params[1+i] = to.Value(a)
	}
	stacks := make([][]graph.Value, s.NumOutputs())
	for turn := range s.Turns {
		params[0] = to.I32(int32(turn))
		for k := range s.Slices {
			row, err := to.Index(to.Value(args[s.Carries+k]), turn)
			if err != nil {
				return nil, err
			}
			params[1+s.Carries+k] = row
		}
		for k := range s.Carries {
			stacks[s.History(k)] = append(stacks[s.History(k)], params[1+k])
		}
		results, err := to.Turn(s, params, wanted)
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
