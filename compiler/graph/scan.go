package graph

import (
	"fmt"
	"slices"
)

// Scan is a static loop: what the nodes of op scan with it compute. Each iteration the
// body makes the carries of the next iteration of those of this one, of one row of
// each sliced array, and of values from outside that are the same in every iteration.
//
// The operands of the nodes are the carries of the first iteration, the sliced arrays
// (with a row for each iteration) and the values from outside. The params of Body are
// the number of the iteration (i32, from 0), then what the operands stand for, in
// their order. A loop has NumOutputs results, each of them a node of its own:
// the carries after the last iteration, the rows of all iterations stacked along a new
// first axis, and the carries as each iteration began with them, stacked like that.
//
// A Scan that a graph holds must not be changed.
type Scan struct {
	Iterations int // 1 to MaxIterations
	Body       *Graph
	Carries    int
	Slices     int
	Results    []ID // in Body: the next carries, then the rows

	known *scanFacts // nil until it is checked or a graph holds it
}

// scanFacts are what passes ask of a loop again and again. Each is found from
// those of the loops in the body, since following these every time could take exponential time.
type scanFacts struct {
	hash   uint64
	flags  uint32
	depth  int  // loops within each other, this one included
	fast   bool // a node bears the mark of SetFast
	weight int  // nodes of the body, and of the bodies in it for each of their nodes
}

func (s *Scan) facts() *scanFacts {
	if s.known != nil {
		return s.known
	}
	f := &scanFacts{hash: s.hash(), flags: s.findFlags(), weight: len(s.Body.nodes) + s.Body.inBodies}
	for _, inner := range s.Body.scans.list {
		f.depth = max(f.depth, inner.facts().depth)
		f.fast = f.fast || inner.facts().fast
	}
	for i := range s.Body.nodes {
		f.fast = f.fast || s.Body.nodes[i].Fast
	}
	f.depth++
	return f
}

// MaxIterations bounds a static loop, as MaxElements does arrays.
const MaxIterations = MaxElements

// maxNesting bounds loops within loops, which passes follow by recursion.
const maxNesting = 16

// NumOutputs is the number of results of the loop.
func (s *Scan) NumOutputs() int { return len(s.Results) + s.Carries }

// History is the result that lists a carry as each iteration began with it.
func (s *Scan) History(carry int) int { return len(s.Results) + carry }

// value is the node of Body whose value, or whose values in all iterations, a result is.
func (s *Scan) value(out int) ID {
	if out < len(s.Results) {
		return s.Results[out]
	}
	return s.Param(1 + out - len(s.Results))
}

// Param is the node of param i in Body.
func (s *Scan) Param(i int) ID { return ID(i) }

// NumParams is the number of params of Body.
func (s *Scan) NumParams() int {
	n := 0
	for n < len(s.Body.nodes) && s.Body.nodes[n].Op == OpParam {
		n++
	}
	return n
}

// Needs reports what an iteration has to compute where only some results are used, by
// result: a carry is needed for itself or for another one. used has an entry for
// each result; histories need nothing but the carry.
func (s *Scan) Needs(used []bool) (carries, rows []bool) {
	carries, rows = make([]bool, s.Carries), make([]bool, len(s.Results)-s.Carries)
	for out, u := range used {
		switch {
		case !u:
		case out < s.Carries:
			carries[out] = true
		case out < len(s.Results):
			rows[out-s.Carries] = true
		default:
			carries[out-len(s.Results)] = true
		}
	}
	for {
		var outs []ID
		for k, id := range s.Results {
			if k < s.Carries && carries[k] || k >= s.Carries && rows[k-s.Carries] {
				outs = append(outs, id)
			}
		}
		uses, more := s.Body.Users(outs), false
		for k := range carries {
			if !carries[k] && uses[s.Param(1+k)] > 0 {
				carries[k], more = true, true
			}
		}
		if !more {
			return carries, rows
		}
	}
}

// Flags are the sticky flags that an iteration may raise.
func (s *Scan) Flags() uint32 { return s.facts().flags }

// Fast reports whether the body has a node with the mark of SetFast.
func (s *Scan) Fast() bool { return s.facts().fast }

func (s *Scan) findFlags() (flags uint32) {
	for id, n := range s.Body.Users(s.Results) {
		switch node := s.Body.Node(ID(id)); {
		case n == 0:
		case node.Op == OpScan:
			inner, _ := s.Body.ScanInfo(ID(id))
			flags |= inner.Flags()
		case node.DType == I32:
			flags |= node.Op.Info().Flags
		}
	}
	return flags
}

// ScanAttr is the attribute of a node of op scan: the index of a loop in its graph
// and the number of a result.
func ScanAttr(loop, out int) uint64 { return uint64(uint32(loop)) | uint64(uint32(out))<<32 }

// ScanRange splits the attribute of a node of op scan.
func (n *Node) ScanRange() (loop, out int) { return int(uint32(n.Attr)), int(n.Attr >> 32) }

// ScanInfo returns the loop of a node of op scan, and which of its results it is.
func (g *Graph) ScanInfo(id ID) (s *Scan, out int) {
	loop, out := g.nodes[id].ScanRange()
	return g.scans.list[loop], out
}

// Scans are the loops that nodes of op scan may refer to, by index. The list must
// not be changed.
func (g *Graph) Scans() []*Scan { return g.scans.list }

// ResultType is the type and the shape of a result of a loop.
func (s *Scan) ResultType(out int) (DType, Shape) {
	id := s.value(out)
	t, shape := s.Body.Node(id).DType, s.Body.ShapeOf(id)
	if out >= s.Carries {
		shape = append(Shape{s.Iterations}, shape...)
	}
	return t, shape
}

// Check verifies a loop by itself. It must not be changed any more.
func (s *Scan) Check() error {
	n := s.NumParams()
	if s.Iterations < 1 || s.Iterations > MaxIterations {
		return fmt.Errorf("a loop of %d iterations: 1 to %d are supported", s.Iterations, MaxIterations)
	}
	if s.Carries < 0 || s.Slices < 0 || len(s.Results) < s.Carries || n < 1+s.Carries+s.Slices {
		return fmt.Errorf("a loop with %d carries, %d slices and %d results has a body with %d params", s.Carries, s.Slices, len(s.Results), n)
	}
	for i := range s.Body.nodes {
		switch node := &s.Body.nodes[i]; {
		case node.Op == OpInput || node.Op == OpState:
			return fmt.Errorf("the body of a loop has an %v of its own: give it its value from outside", node.Op)
		case node.Op == OpParam && (i >= n || node.Attr != uint64(i)):
			return fmt.Errorf("node %%%d of the body is param %d: params come first, in their order", i, node.Attr)
		}
	}
	if first := &s.Body.nodes[0]; first.DType != I32 || first.Shape != Scalar {
		return fmt.Errorf("param 0 of the body is the iteration, an i32")
	}
	for k, id := range s.Results {
		if id < 0 || int(id) >= len(s.Body.nodes) {
			return fmt.Errorf("result %d of the body is not a node of it", k)
		}
		if k >= s.Carries {
			continue
		}
		p, r := s.Body.Node(s.Param(1+k)), s.Body.Node(id)
		if p.DType != r.DType || p.Shape != r.Shape {
			return fmt.Errorf("carry %d is %s and becomes %s", k, describe(p.DType, s.Body.Shape(p.Shape)), describe(r.DType, s.Body.Shape(r.Shape)))
		}
	}
	facts := s.facts()
	if facts.depth > maxNesting {
		return fmt.Errorf("loops are nested more than %d deep", maxNesting)
	}
	if facts.weight > MaxNodes {
		return fmt.Errorf("a loop with more than %d nodes, those of the loops in it counted for each of them", MaxNodes)
	}
	s.known = facts
	return nil
}

func describe(t DType, s Shape) string {
	if len(s) == 0 {
		return t.String()
	}
	return fmt.Sprintf("%v of shape %v", t, s)
}

// checkScan is checkNode for op scan.
func (g *Graph) checkScan(t DType, shape Shape, attr uint64, args []ID) error {
	loop, out := (&Node{Attr: attr}).ScanRange()
	if loop >= len(g.scans.list) {
		return fmt.Errorf("unknown loop %d", loop)
	}
	s := g.scans.list[loop]
	if out >= s.NumOutputs() {
		return fmt.Errorf("the loop has no result %d", out)
	}
	if want := s.NumParams() - 1; len(args) != want {
		return fmt.Errorf("%d operands, the loop takes %d", len(args), want)
	}
	for i, a := range args {
		want := s.Body.ShapeOf(s.Param(1 + i))
		if i >= s.Carries && i < s.Carries+s.Slices {
			want = append(Shape{s.Iterations}, want...)
		}
		if p := s.Body.Node(s.Param(1 + i)); p.DType != g.nodes[a].DType || !want.Equal(g.ShapeOf(a)) {
			return fmt.Errorf("operand %d is %s, the loop takes %s", i, describe(g.nodes[a].DType, g.ShapeOf(a)), describe(p.DType, want))
		}
	}
	wantType, wantShape := s.ResultType(out)
	if t != wantType || !shape.Equal(wantShape) {
		return fmt.Errorf("gives %s, not %s", describe(wantType, wantShape), describe(t, shape))
	}
	return nil
}

// scanTable holds the loops of a graph; equal ones are one.
type scanTable struct {
	list   []*Scan
	byHash map[uint64][]int
}

func (t *scanTable) clone() scanTable {
	c := scanTable{list: slices.Clip(t.list)}
	if len(t.list) > 0 {
		c.byHash = make(map[uint64][]int, len(t.byHash))
		for h, list := range t.byHash {
			c.byHash[h] = slices.Clip(list)
		}
	}
	return c
}

// InternScan returns the index of a loop for ScanAttr. It checks it first.
func (g *Graph) InternScan(s *Scan) (int, error) {
	if err := s.Check(); err != nil {
		return 0, g.errorf(OpScan, "%v", err)
	}
	return g.internScan(s), nil
}

func (g *Graph) internScan(s *Scan) int {
	if s.known == nil { // made of another loop by a pass
		s.known = s.facts()
	}
	h := s.known.hash
	for _, i := range g.scans.byHash[h] {
		if g.scans.list[i].equal(s, nil) {
			return i
		}
	}
	if g.scans.byHash == nil {
		g.scans.byHash = map[uint64][]int{}
	}
	at := len(g.scans.list)
	g.scans.list = append(g.scans.list, s)
	g.scans.byHash[h] = append(g.scans.byHash[h], at)
	return at
}

func (s *Scan) hash() uint64 {
	h := hashIDs(s.Results) ^ uint64(s.Iterations)
	for i := range s.Body.nodes {
		n := &s.Body.nodes[i]
		h = h*0x9e3779b97f4a7c15 ^ uint64(hashNode(n.Op, n.DType, n.Shape, 0, None, None, None)) ^ hashIDs(s.Body.Args(ID(i)))
	}
	for _, inner := range s.Body.scans.list {
		h = h*0x9e3779b97f4a7c15 ^ inner.facts().hash
	}
	return h
}

// equal reports whether two loops are the same but for source positions. same
// holds pairs that are known to be; nil: none.
func (s *Scan) equal(t *Scan, same map[[2]*Scan]bool) bool {
	if s == t || same[[2]*Scan{s, t}] {
		return true
	}
	a, b := s.Body, t.Body
	if s.Iterations != t.Iterations || s.Carries != t.Carries || s.Slices != t.Slices || !equalIDs(s.Results, t.Results) ||
		len(a.nodes) != len(b.nodes) || len(a.scans.list) != len(b.scans.list) {
		return false
	}
	if same == nil {
		same = map[[2]*Scan]bool{}
	}
	for i, x := range a.scans.list {
		if !x.equal(b.scans.list[i], same) {
			return false
		}
	}
	for i := range a.nodes {
		id := ID(i)
		m, n := &a.nodes[i], &b.nodes[i]
		if m.Op != n.Op || m.DType != n.DType || m.Fast != n.Fast || !a.ShapeOf(id).Equal(b.ShapeOf(id)) || !equalIDs(a.Args(id), b.Args(id)) {
			return false
		}
		if m.Op == OpConst && m.Shape != Scalar {
			if !slices.Equal(a.ConstBits(id), b.ConstBits(id)) {
				return false
			}
		} else if m.Attr != n.Attr {
			return false
		}
	}
	same[[2]*Scan{s, t}] = true
	return true
}

// ScanGroup lists results of the same iterations: nodes of op scan with one loop and
// the same operands, in order of ID. When the first is computed all can be.
type ScanGroup struct {
	Loop  int // index for Scans
	Nodes []ID
}

// Used marks the results that the group holds, by number.
func (g *Graph) Used(group *ScanGroup) []bool {
	used := make([]bool, g.scans.list[group.Loop].NumOutputs())
	for _, id := range group.Nodes {
		_, out := g.ScanInfo(id)
		used[out] = true
	}
	return used
}

// ScanGroups brings together the nodes of op scan that in accepts, by the first
// node of each group.
func (g *Graph) ScanGroups(in func(ID) bool) map[ID]*ScanGroup { return g.ScanGroupsFrom(0, in) }

// ScanGroupsFrom is ScanGroups of the nodes from first on.
func (g *Graph) ScanGroupsFrom(first ID, in func(ID) bool) map[ID]*ScanGroup {
	if len(g.scans.list) == 0 {
		return nil
	}
	type key struct {
		loop int
		args uint64
	}
	groups := map[ID]*ScanGroup{}
	byKey := map[key][]*ScanGroup{}
	for id := first; int(id) < len(g.nodes); id++ {
		if g.nodes[id].Op != OpScan || !in(id) {
			continue
		}
		loop, _ := g.nodes[id].ScanRange()
		k := key{loop, hashIDs(g.Args(id))}
		at := slices.IndexFunc(byKey[k], func(x *ScanGroup) bool { return equalIDs(g.Args(x.Nodes[0]), g.Args(id)) })
		if at < 0 {
			group := &ScanGroup{Loop: loop, Nodes: []ID{id}}
			groups[id], byKey[k] = group, append(byKey[k], group)
			continue
		}
		byKey[k][at].Nodes = append(byKey[k][at].Nodes, id)
	}
	return groups
}
