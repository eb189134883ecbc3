package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// operand is where an op inside a nest finds an operand.
type operand struct {
	step   int      // earlier step of the expression, or -1
	stream int      // stream of the nest, or -1
	node   graph.ID // of the stream
	val    lir.Val  // the same value at every point
}

// step is one op of the expression that a nest computes at every point.
type step struct {
	op      graph.Op
	t       graph.DType // of the operands
	args    []operand
	partner int      // the step that is the cosine of this sine or the reverse; -1: none
	table   table    // of what it takes
	window  *window  // the sum of a window and of args
	divided interval // what the first operand of a division can be
}

// expr is what a nest computes at every point, in order.
type expr struct {
	steps   []step
	calls   bool // contains a kernel call
	windows []*window
}

// build makes the expression of the given nodes, in order of ID. walk turns a
// view used by one of them into one with the axes of the nest.
func (n *nest) build(nodes []graph.ID, walk func(view) view) expr {
	l := n.l
	index := make(map[graph.ID]int, len(nodes))
	var e expr
	for _, id := range nodes {
		args := l.g.Args(id)
		s := step{op: l.g.Node(id).Op, t: l.g.Node(args[len(args)-1]).DType, partner: -1}
		if n.sum == 1+id {
			s.op, args = graph.OpStop, nil
		}
		if s.op == graph.OpTake {
			s.table, args = n.table(args), args[1:]
			s.t = l.g.Node(id).DType
		}
		if divides(s.op, s.t) {
			s.divided = l.bounds(args[0])
		}
		for _, a := range args {
			if k, ok := index[a]; ok {
				s.args = append(s.args, operand{step: k, stream: -1})
			} else {
				s.args = append(s.args, n.leaf(a, walk))
			}
		}
		if other, ok := l.plan.partner[id]; ok {
			if k, ok := index[other]; ok {
				s.partner, e.steps[k].partner = k, len(e.steps)
			}
		}
		e.calls = e.calls || l.m.Ops[lir.Of(s.op, s.t)].Kernel
		index[id] = len(e.steps)
		e.steps = append(e.steps, s)
	}
	return e
}

// leaf makes an operand of a node that is computed outside the nest.
func (n *nest) leaf(id graph.ID, walk func(view) view) operand {
	l := n.l
	if l.form[id] == splat || l.form[id] == scalar {
		v := lir.Val(l.ref[id])
		l.settle(v)
		n.loop = max(n.loop, l.level[v]+1)
		return operand{step: -1, stream: -1, val: v}
	}
	v := walk(l.view(id))
	n.loop = max(n.loop, v.loop)
	s := stream{t: l.g.Node(id).DType, at: v.at, strides: v.bytes()}
	return operand{step: -1, stream: n.add(s), node: id}
}

// asIs walks a view along its own axes.
func asIs(v view) view { return v }

// along walks a view along the given ones of its axes, -1 for an axis that it
// does not have.
func along(axes []int) func(view) view {
	return func(v view) view {
		v.strides = pick(v.strides, axes)
		return v
	}
}

// eval computes the expression at element e of the row and returns the values of
// the steps.
func (x *expr) eval(b *body, e int) []lir.Val { return x.evalOf(b, e, 0) }

// evalOf does so where the first step is known, or 0.
func (x *expr) evalOf(b *body, e int, first lir.Val) []lir.Val {
	vals := make([]lir.Val, len(x.steps))
	if first != 0 {
		vals[0] = first
	}
	loaded := make([]lir.Val, len(b.n.streams))
	get := func(o operand) lir.Val {
		switch {
		case o.step >= 0:
			return vals[o.step]
		case o.stream < 0:
			return b.uniform(o.val)
		case loaded[o.stream] == 0:
			loaded[o.stream] = b.load(o.stream, e)
		}
		return loaded[o.stream]
	}
	for k := range x.steps {
		s := &x.steps[k]
		if vals[k] != 0 {
			continue // came with its partner
		}
		if s.window != nil {
			vals[k] = x.slide(b, s.window, e)
			for _, o := range s.args {
				vals[k] = b.apply(s.op, s.t, [3]lir.Val{vals[k], get(o)})
			}
			continue
		}
		if in, ok := b.n.l.laneShift(s, b.width); ok && b.width > 1 {
			in.A, in.D = get(s.args[0]), b.newVal(s.t)
			b.emit(in)
			vals[k] = in.D
			continue
		}
		if wide, single, ok := x.bySingle(b, s); ok {
			vals[k] = b.compute(mulSingle, s.t, [3]lir.Val{get(wide), b.single(single, e)})
			continue
		}
		var a [3]lir.Val
		for i, o := range s.args {
			a[i] = get(o)
		}
		if s.op == graph.OpTake {
			vals[k] = b.take(s.t, &s.table, a[0])
			continue
		}
		if v, ok := b.divided(s, a); ok {
			vals[k] = v
			continue
		}
		if s.partner < 0 || b.width > 1 { // no kernel gives two values of several lanes
			vals[k] = b.apply(s.op, s.t, a)
			continue
		}
		sin, cos := b.newVal(s.t), b.newVal(s.t)
		b.emit(lir.Ins{Op: lir.Of(lir.SinCos, s.t), A: a[0], D: sin, E: cos})
		vals[k], vals[s.partner] = sin, cos
		if s.op == graph.OpCos {
			vals[k], vals[s.partner] = cos, sin
		}
	}
	return vals
}

// mapLoop lowers an elementwise op with a loop nest of its own, and the ops that
// are computed in it.
func (l *lowerer) mapLoop(id graph.ID) error {
	if of, ok := l.plan.behind[id]; ok {
		return l.reduceInto(of, id)
	}
	l.mapNest(id, l.plan.members[id], lir.NoAddr, 1)
	return nil
}

// mapNest computes node id and members, the nodes that only it depends on, in one
// nest, in the given loops or later ones, and writes id to memory: to a place of its own, or
// over the array there.
func (l *lowerer) mapNest(id graph.ID, members []graph.ID, over lir.Addr, loop int32) {
	shape, t := l.g.ShapeOf(id), l.g.Node(id).DType
	n := &nest{l: l, dims: shape, loop: loop}
	x := n.build(append(members[:len(members):len(members)], id), asIs)
	n.windows(&x)
	out := view{at: over, size: 4 * t.Words(), strides: rowMajor(shape)}
	if over == lir.NoAddr {
		out = l.roomFor(id)
	}
	to := n.addWritten(stream{t: t, at: out.at, strides: out.bytes(), spare: out.spare})
	n.changes = over != lir.NoAddr
	m := &mapping{nest: n, x: x, outs: []computed{{node: id, step: len(x.steps) - 1, stream: to}}}
	if over == lir.NoAddr {
		l.await(m)
	} else {
		m.emit()
	}
	out.loop, out.block = m.loop, m.loop
	l.setView(id, out)
}

// place puts the items of the nest where its operands exist.
func (n *nest) place(items []lir.Item) { n.l.placeAfter(n.loop, items...) }

// placeAfter puts items behind the loops that run before block k.
func (l *lowerer) placeAfter(k int32, items ...lir.Item) {
	l.placeWaiting()
	l.grow(k)
	l.loops[k] = append(l.loops[k], items...)
}

// reduceLoop lowers a sum, dot or matmul as a loop nest: loops over the results
// around one over the terms.
func (l *lowerer) reduceLoop(id graph.ID) error { return l.reduceInto(id, id) }

// reduceInto does so, and makes the node `into` of the results, if that is another one.
func (l *lowerer) reduceInto(id, into graph.ID) error {
	node, args := l.g.Node(id), l.g.Args(id)
	t, shape := node.DType, l.g.ShapeOf(id)
	d := l.domain(id)
	n := &nest{l: l, loop: 1}
	members := l.plan.members[id]
	var x expr
	var terms []operand
	switch {
	case d.axis[0] == nil:
		x, terms = n.buildFlat(id, members)
	default:
		n.dims = append(append([]int{}, shape...), l.terms(id))
		// Members are operands of the whole domain: all axes, none missing.
		x = n.build(members, along(d.axis[0]))
		for i, a := range args {
			terms = append(terms, n.term(a, members, along(d.axis[i])))
		}
	}
	var behind *expr
	if into != id {
		behind, t = n.buildBehind(id, into), l.g.Node(into).DType
	}
	to := -1
	if shape.Elements() > 1 {
		out := l.roomFor(into)
		to = n.addWritten(stream{t: t, at: out.at, strides: append(out.bytes(), 0), spare: out.spare})
		l.setView(into, out)
	}
	n.collapse(1)
	r := &reducer{nest: n, x: x, op: combines(node.Op), t: node.DType, terms: terms, to: to, behind: behind}
	if to < 0 {
		l.grow(n.loop)
		n.share()
		r.other, r.alike = l.opposite(id), l.sumsLike(id)
		n.placeSum(r.row())
		l.setResults(id, r)
		return nil
	}
	if d, ok := r.dots(); ok {
		n.place(d.items())
	} else if c, ok := r.columns(); ok {
		n.place(c.items())
	} else if axis, ok := r.straight(); ok {
		n.share()
		n.place(n.loops(0, axis, func() []lir.Item { return r.rows(axis) }))
	} else {
		n.place(n.around(r.row))
	}
	v := &l.views[l.ref[into]]
	v.loop, v.block = n.loop, n.loop
	return nil
}

// term is an operand of a reduction: the value of a member or a leaf.
func (n *nest) term(id graph.ID, members []graph.ID, walk func(view) view) operand {
	for k, m := range members {
		if m == id {
			return operand{step: k, stream: -1}
		}
	}
	return n.leaf(id, walk)
}

// buildFlat prepares the sum over all elements of an array of several axes: a
// domain of one axis, if all arrays involved can be walked so; otherwise the
// array is written to memory in order first.
func (n *nest) buildFlat(id graph.ID, members []graph.ID) (expr, []operand) {
	l := n.l
	from := l.g.Args(id)[0]
	if len(members) > 0 {
		n.dims = l.g.ShapeOf(from)
		x := n.build(members, asIs)
		if n.collapse(0); len(n.dims) == 1 {
			return x, []operand{n.term(from, members, asIs)}
		}
		*n = nest{l: l, loop: 1}
		l.mapNest(from, members[:len(members)-1], lir.NoAddr, 1)
	}
	return expr{}, []operand{n.flatLeaf(from)}
}

// flatLeaf is an array outside the nest as one row of all its elements.
func (n *nest) flatLeaf(id graph.ID) operand {
	l := n.l
	shape, t := l.g.ShapeOf(id), l.g.Node(id).DType
	n.dims = []int{shape.Elements()}
	return n.leaf(id, func(v view) view {
		if !v.contiguous(shape) {
			v = l.copyView(v, shape, t)
		}
		v.strides = []int{1}
		return v
	})
}

// reducer makes the code that adds the terms of one row, or makes one of them by another op.
type reducer struct {
	*nest
	x      expr
	op     graph.Op // what makes one of two terms
	t      graph.DType
	terms  []operand // one, or two to be multiplied
	to     int       // stream of the results; -1: the result is a scalar
	alike  int       // then: how many sums are like it, see sumsLike
	result lir.Val   // in that case
	behind *expr     // what is made of a result, its first step, before it is written; nil: nothing
	other  graph.Op  // the opposite op, if its result for the same terms is wanted, too
	second lir.Val   // that result, if it has come with the first
}

// term computes the term at element e of the row.
func (r *reducer) term(b *body, e int) lir.Val {
	vals := r.x.eval(b, e)
	var a [3]lir.Val
	for i, o := range r.terms {
		switch {
		case o.step >= 0:
			a[i] = vals[o.step]
		case o.stream >= 0:
			a[i] = b.load(o.stream, e)
		default:
			a[i] = b.uniform(o.val)
		}
	}
	if len(r.terms) == 1 {
		return a[0]
	}
	return b.apply(graph.OpMul, r.t, a)
}

// combine makes one of two terms in a body.
func (r *reducer) combine(b *body) func(x, y lir.Val) lir.Val {
	return func(x, y lir.Val) lir.Val { return b.apply(r.op, r.t, [3]lir.Val{x, y}) }
}

// row makes the code for one result: a loop with lanes, the rest of the terms, and the
// combination of the lanes.
func (r *reducer) row() []lir.Item {
	if e := r.extreme(); e != nil {
		return e.row()
	}
	l, count := r.l, r.inner()
	c := lir.ClassOf(r.t)
	s := r.shape()
	iterations := count / s.by
	if iterations < 2 {
		iterations = 0
	}
	b := r.newBody(iterations*s.by, count-iterations*s.by)
	if r.to < 0 {
		b.block = r.loop // the end is scalar code like any other
	}
	sum := tree{lanes: s.lanes, add: r.combine(b)}
	var items []lir.Item
	if iterations > 0 {
		iteration := r.newBody(0, s.by)
		iteration.width = s.width
		loop, before := iteration.pointers(iterations)
		start := iteration.uniform(l.word(neutral(r.op, r.t), c))
		for j := 0; j < s.lanes; j += s.width {
			lane := iteration.newVal(r.t)
			next := r.lane(iteration, s, j, lane)
			for k := range s.width {
				sum.lane[j+k] = l.homed(c, l.f.Data.SlotFor(c), b.block)
			}
			loop.Phis = append(loop.Phis, lir.Phi{Val: lane, Next: next, Init: start, Out: sum.lane[j]})
		}
		sum.n = iterations * s.by
		iteration.advance(loop)
		if len(before) > 0 {
			items = append(items, lir.Item{Block: &lir.Block{Ins: before}})
		}
		items = append(items, lir.Item{Loop: loop})
	}
	if iterations > 0 && s.folds {
		r.result = r.fold(s.width, sum.n, l.f.Values[sum.lane[0]].Home)
		return items
	}
	for e := sum.n; e < count; e++ {
		sum.term(r.term(b, e))
	}
	r.result = sum.sum()
	if r.to >= 0 {
		r.put(b, 0, r.result)
		items = append(items, lir.Item{Block: &lir.Block{Ins: b.ins}})
	}
	return items
}
