package autodiff

import (
	"fmt"
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// scanBack goes back through the iterations of a static loop, from the last to the
// first, in a loop of its own. That carries the adjoints of the carries, adds up
// those of the values from outside, and stacks those of the rows of sliced arrays.
// Each iteration is computed again from the carries that it began with, which the loop
// hands out as results; what the gradient does not need of all this, the optimiser
// leaves out.
type scanBack struct {
	*reverse
	s    *graph.Scan
	loop int
	args []graph.ID
	adj  []graph.Value // of the results, 0 where their guards fail; invalid: 0

	carries []bool // by carry: it has an adjoint that is needed
	results []bool // by result of the body: it passes on an adjoint
	uses    []int32

	guarded bool
	taken   graph.Value // where guarded: whether any of the results counts
}

// scan gives the operands of a loop their parts. All wanted results of the loop
// have their adjoints: users lie above the first of them.
func (r *reverse) scan(group *graph.ScanGroup) error {
	s := r.g.Scans()[group.Loop]
	b := &scanBack{reverse: r, s: s, loop: group.Loop, args: r.g.Args(group.Nodes[0]), adj: make([]graph.Value, s.NumOutputs()), guarded: true}
	any := false
	for _, id := range group.Nodes {
		v := r.visit(id)
		if v.isArg || !v.v.Valid() {
			continue
		}
		any = true
		_, out := r.g.ScanInfo(id)
		b.adj[out] = r.lift(v.flow, 0)
		b.noteGuard(v.guard)
	}
	if !any {
		return nil
	}
	b.findNeeded()
	return b.build()
}

// noteGuard notes the guard of an adjoint of a result.
func (b *scanBack) noteGuard(guard guardID) {
	switch {
	case guard == 0:
		b.guarded = false
	case b.guarded:
		c := b.condition(guard).ToI32().Sum().ToBool()
		if b.taken.Valid() {
			c = b.taken.Or(c)
		}
		b.taken = c
	}
}

// wantsParam reports whether an operand is to get a part.
func (b *scanBack) wantsParam(i int) bool {
	return b.s.Body.Node(b.s.Param(1+i)).DType.IsFloat() && b.wants(b.args[i])
}

// findNeeded finds the carries whose adjoints are needed: those that depend on
// what gets a part, and on which results depend that have an adjoint.
func (b *scanBack) findNeeded() {
	s, body := b.s, b.s.Body
	depends := make([]bool, s.Carries)
	for k := range depends {
		depends[k] = b.wantsParam(k)
	}
	var inside []bool
	for more := true; more; {
		more = false
		inside = make([]bool, body.NumNodes())
		for i := range inside {
			id := graph.ID(i)
			if n := body.Node(id); n.Op == graph.OpParam {
				k := int(n.Attr) - 1
				inside[i] = k >= 0 && (k < s.Carries && depends[k] || k >= s.Carries && b.wantsParam(k))
				continue
			}
			inside[i] = differentiable(body, id, func(a graph.ID) bool { return inside[a] })
		}
		for k := range depends {
			if !depends[k] && inside[s.Results[k]] {
				depends[k], more = true, true
			}
		}
	}
	live := make([]bool, len(s.Results))
	for k := range live {
		live[k] = b.adj[k].Valid() || k < s.Carries && b.adj[s.History(k)].Valid()
	}
	for more := true; more; {
		more = false
		b.uses = b.users(live)
		for k := range s.Carries {
			if !live[k] && b.uses[s.Param(1+k)] > 0 {
				live[k], more = true, true
			}
		}
	}
	b.carries, b.results = make([]bool, s.Carries), make([]bool, len(s.Results))
	for k := range b.results {
		b.results[k] = live[k] && inside[s.Results[k]]
		if k < s.Carries {
			b.carries[k] = live[k] && depends[k]
			b.results[k] = b.results[k] && b.carries[k]
		}
	}
	b.uses = b.users(b.results)
}

// users counts the users of the nodes of the body, for some of its results.
func (b *scanBack) users(results []bool) []int32 {
	var outs []graph.ID
	for k, ok := range results {
		if ok {
			outs = append(outs, b.s.Results[k])
		}
	}
	return b.s.Body.Users(outs)
}

// operands are what the loop back walks: each of the arrays is turned round, for
// the last iteration comes first.
type operands struct {
	*scanBack
	carry, xs []graph.Value
	err       error
}

// walk adds an array with a row for each iteration and returns its number.
func (o *operands) walk(v graph.Value) int {
	n := o.s.Iterations
	v, err := o.g.Slice(v, n-1, n, -1)
	if n == 1 {
		v, err = o.g.Slice(v, 0, 1, 1)
	}
	if err != nil && o.err == nil {
		o.err = err
	}
	o.xs = append(o.xs, v)
	return len(o.xs) - 1
}

// none is the number of no operand.
const none = -1

// build makes the loop back and hands its results out.
func (b *scanBack) build() error {
	s, g := b.s, b.g
	if most := 1000 + 40*s.Body.NumNodes() + 100*len(b.args); g.NumNodes()+most > b.limit {
		return fmt.Errorf("graph too large: at most %d nodes are supported", b.limit)
	}
	o := &operands{scanBack: b}
	adjoint, sum, row := numbers(s.Carries), numbers(len(b.args)), numbers(len(b.args)) // of carries and operands in o.carry and o.xs
	fill := func(a graph.ID, x float64) graph.Value {
		t := gradientType(g.Value(a))
		v, err := g.Fill(t, g.ShapeOf(a), g.Node(g.Number(t, x).ID()).Word())
		if err != nil && o.err == nil {
			o.err = err
		}
		return v
	}
	for k, needed := range b.carries {
		if !needed {
			continue
		}
		v := b.adj[k]
		if !v.Valid() {
			v = fill(b.args[k], 0)
		}
		adjoint[k], o.carry = len(o.carry), append(o.carry, v)
	}
	sums := map[graph.ID]bool{}
	for i := s.Carries + s.Slices; i < len(b.args); i++ {
		if a := b.args[i]; b.wantsParam(i) && b.uses[s.Param(1+i)] > 0 && !sums[a] {
			// -0 changes no number that is added to it.
			sums[a], sum[i] = true, len(o.carry)
			o.carry = append(o.carry, fill(a, math.Copysign(0, -1)))
		}
	}
	for i := range s.Carries + s.Slices {
		switch {
		case b.uses[s.Param(1+i)] == 0:
		case i < s.Carries:
			h, err := g.ScanResult(b.loop, s.History(i), b.args)
			if err != nil {
				return &graph.Error{Op: graph.OpScan, Pos: g.Pos(), Message: fmt.Sprintf("the gradient of a loop keeps the carry of every iteration, %d times %v: at most %d numbers are supported", s.Iterations, g.ShapeOf(b.args[i]), graph.MaxElements)}
			}
			row[i] = o.walk(h)
		default:
			row[i] = o.walk(g.Value(b.args[i]))
		}
	}
	given := numbers(s.NumOutputs())
	for out := s.Carries; out < s.NumOutputs(); out++ {
		if b.adj[out].Valid() && (out < len(s.Results) && b.results[out] || out >= len(s.Results) && b.carries[out-len(s.Results)]) {
			given[out] = o.walk(b.adj[out])
		}
	}
	if o.err != nil {
		return o.err
	}
	t := backwards{scanBack: b, adjoint: adjoint, sum: sum, row: row, given: given}
	last, stacked, err := g.Scan(s.Iterations, o.carry, o.xs, t.iteration)
	if err != nil {
		return err
	}
	return b.handOut(&t, last, stacked)
}

// numbers are n times none.
func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = none
	}
	return list
}

// backwards is one iteration of the loop back.
type backwards struct {
	*scanBack
	adjoint []int // by carry: which carry of the loop back is its adjoint
	sum     []int // by operand: which one adds up its parts
	row     []int // by operand: which row of the loop back its value in this iteration is
	given   []int // by result: which row its adjoint is
	sliced  []int // operands whose parts the iteration gives as rows
}

func (t *backwards) iteration(iteration graph.Value, carry, rows []graph.Value) (next, out []graph.Value, err error) {
	s, g := t.s, t.g
	params := []graph.Value{g.I32(int32(s.Iterations - 1)).Sub(iteration)}
	var xs []graph.Value
	at := numbers(len(t.args)) // of operands in xs
	for i, a := range t.args {
		v := g.Value(a)
		if i < s.Carries+s.Slices && t.row[i] != none {
			v = rows[t.row[i]]
		}
		params = append(params, v)
		sliced := i >= s.Carries && i < s.Carries+s.Slices && t.row[i] != none && t.wantsParam(i)
		if sliced {
			t.sliced = append(t.sliced, i)
		}
		if sliced || i < s.Carries && t.adjoint[i] != none && t.row[i] != none || t.sum[i] != none {
			at[i] = len(xs)
			xs = append(xs, v)
		}
	}
	from := graph.ID(g.NumNodes())
	if t.hasOutside() {
		from = 0
	}
	results, err := g.Iteration(s, params, func(k int) bool { return t.results[k] })
	if err != nil {
		return nil, nil, err
	}
	var ys, vs []graph.Value
	for k, y := range results {
		switch {
		case !t.results[k]:
		case k < s.Carries:
			ys, vs = append(ys, y), append(vs, carry[t.adjoint[k]])
		case t.given[k] != none:
			ys, vs = append(ys, y), append(vs, rows[t.given[k]])
		}
	}
	grads, err := seeded(g, from, ys, vs, xs, t.limit)
	if err != nil {
		return nil, nil, err
	}
	next = make([]graph.Value, len(carry))
	for k, j := range t.adjoint {
		if j == none {
			continue
		}
		var v graph.Value
		if at[k] != none {
			v = grads[at[k]]
		} else if v, err = g.Fill(gradientType(g.Value(t.args[k])), g.ShapeOf(t.args[k]), 0); err != nil {
			return nil, nil, err
		}
		if h := t.given[s.History(k)]; h != none {
			v = v.Add(rows[h])
		}
		next[j] = v
	}
	for i, j := range t.sum {
		if j != none {
			next[j] = carry[j].Add(grads[at[i]])
		}
	}
	for _, i := range t.sliced {
		out = append(out, grads[at[i]])
	}
	return next, out, g.Err()
}

// handOut gives the operands of the loop their parts.
func (b *scanBack) handOut(t *backwards, last, stacked []graph.Value) error {
	give := func(i int, v graph.Value) {
		f := flow{v: v}
		if b.guarded {
			f.guard = b.under(0, b.taken.Broadcast(v.Shape()...), false)
		}
		b.give(b.args[i], f)
	}
	for k, j := range t.adjoint {
		if j != none && b.wantsParam(k) && b.counts(t, k) {
			give(k, last[j])
		}
	}
	for i, j := range t.sum {
		if j != none {
			give(i, last[j])
		}
	}
	for k, i := range t.sliced {
		v := stacked[k]
		if n := b.s.Iterations; n > 1 {
			v = v.Slice(n-1, n, -1)
		}
		give(i, v)
	}
	return b.g.Err()
}

// counts reports whether anything depends on what carry k begins with: not if the first
// iteration overwrites it unread. Its part would be a 0 that makes NaN of an infinite derivative.
func (b *scanBack) counts(t *backwards, k int) bool {
	return b.s.Iterations == 0 || b.uses[b.s.Param(1+k)] > 0 || t.given[b.s.History(k)] != none
}

// hasOutside reports whether the body computes something of values from outside alone: in
// an iteration that may be a node that was there before.
func (b *scanBack) hasOutside() bool {
	body := b.s.Body
	inside := make([]bool, body.NumNodes())
	for i := range inside {
		id := graph.ID(i)
		n := body.Node(id)
		if n.Op == graph.OpParam {
			inside[i] = int(n.Attr) <= b.s.Carries+b.s.Slices
			continue
		}
		inside[i] = slices.ContainsFunc(body.Args(id), func(a graph.ID) bool { return inside[a] })
		if !inside[i] && len(body.Args(id)) > 0 {
			return true
		}
	}
	return false
}

// seeded returns the derivatives by xs of the sum of all elements of ys times vs, which
// depend on xs by way of nodes from from on.
func seeded(g *graph.Graph, from graph.ID, ys, vs, xs []graph.Value, limit int) ([]graph.Value, error) {
	last := graph.None
	for _, y := range ys {
		last = max(last, y.ID())
	}
	r := newReverse(g, from, last, xs)
	r.limit = limit
	for i, y := range ys {
		if r.wants(y.ID()) {
			r.give(y.ID(), flow{v: vs[i]})
		}
	}
	if err := r.run(last); err != nil {
		return nil, err
	}
	return r.results(xs)
}
