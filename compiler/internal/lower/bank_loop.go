package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// bank is a loop that goes through all iterations for some elements, then for the next ones.
type bank struct {
	*scanner
	elements  int
	width     int // elements in a value
	by        int // elements that go through the iterations together
	nest      *nest
	expr      expr
	carried   []carried
	rows      []bankRow
	constants []int // streams of what is the same in all iterations
}

// carried is a carry of a bank.
type carried struct {
	stream int // its place, which nothing reads while the loop runs
	next   operand
	first  lir.Val // what all elements are at first; 0: it lies in from
	from   int     // stream
}

// bankRow is what an iteration writes.
type bankRow struct {
	stream int
	from   operand
}

// lower makes the code: in vectors a loop for those of each round, else one in a loop over the rounds.
func (k *bank) lower(group *graph.ScanGroup, carries []bool) {
	k.nest = &nest{l: k.b, dims: []int{k.s.Iterations, k.elements}, loop: 1}
	if k.inRounds() {
		k.nest.dims = []int{k.elements / k.by, k.s.Iterations, k.by}
	}
	for c, needed := range carries {
		if needed {
			k.placeCarry(c)
		}
	}
	k.build(group)
	k.nest.share()
	if k.inRounds() {
		for _, it := range k.nest.loops(0, 1, func() []lir.Item { return k.loopOver(0, k.by) }) {
			k.place(it)
		}
		return
	}
	for first := 0; first < k.elements; first += k.by {
		for _, it := range k.loopOver(first, min(k.by, k.elements-first)) {
			k.place(it)
		}
	}
}

// inRounds reports whether there is a loop around that over the iterations.
func (k *bank) inRounds() bool { return k.width == 1 }

// strides are those of the nest for an array with so many elements from iteration to iteration, and from element to element.
func (k *bank) strides(iteration, element int) []int {
	if k.inRounds() {
		return []int{k.by * element, iteration, element}
	}
	return []int{iteration, element}
}

// perIteration is the distance in bytes of a stream from iteration to iteration.
func (k *bank) perIteration(s int) int {
	strides := k.nest.streams[s].strides
	return strides[len(strides)-2]
}

// build makes the expression of the body, and streams of all that it reads and writes.
func (k *bank) build(group *graph.ScanGroup) {
	b, n := k.b, k.nest
	var nodes []graph.ID
	for id := range graph.ID(b.g.NumNodes()) {
		switch op := b.g.Node(id).Op; {
		case b.uses[id] == 0:
		case op == graph.OpParam || op == graph.OpConst:
			k.source(id)
		case op == graph.OpBroadcast:
			from := b.g.Args(id)[0]
			if b.form[id], b.ref[id] = b.form[from], b.ref[from]; b.form[id] == scalar {
				b.form[id] = splat
			}
		default:
			nodes = append(nodes, id)
		}
	}
	for i := range k.carry {
		c := &k.carry[i]
		b.setView(c.id, view{at: c.at, size: graph.WordSize, strides: k.strides(0, 1), loop: 1})
		k.carried = append(k.carried, k.start(c))
	}
	k.expr = n.build(nodes, asIs)
	for i := range k.carry {
		k.carried[i].next = n.term(k.s.Results[k.carry[i].index], nodes, asIs)
	}
	for _, id := range group.Nodes {
		_, out := k.l.g.ScanInfo(id)
		if out < k.s.Carries {
			continue
		}
		t := k.l.g.Node(id).DType
		rows := k.l.newArray(k.l.g.ShapeOf(id), t)
		k.l.setView(id, rows)
		to := view{size: rows.size, strides: k.strides(k.elements, 1)}
		s := n.addWritten(stream{t: t, at: rows.at, strides: to.bytes()})
		k.rows = append(k.rows, bankRow{stream: s, from: n.term(k.rowFrom(out), nodes, asIs)})
	}
	k.findConstants()
}

// findConstants finds the arrays that the body reads and that stay as they are.
func (k *bank) findConstants() {
	var read []operand
	for i := range k.expr.steps {
		read = append(read, k.expr.steps[i].args...)
	}
	for i := range k.carried {
		read = append(read, k.carried[i].next)
	}
	for i := range k.rows {
		read = append(read, k.rows[i].from)
	}
	for _, o := range read {
		if s := o.stream; s >= 0 && k.perIteration(s) == 0 && k.nest.step(s) != 0 && !slices.Contains(k.constants, s) &&
			!slices.ContainsFunc(k.carried, func(c carried) bool { return c.stream == s }) {
			k.constants = append(k.constants, s)
		}
	}
}

// start says where a carry lies, and its first value.
func (k *bank) start(of *carry) carried {
	l, arg := k.l, k.args[of.index]
	c := carried{stream: k.nest.leaf(of.id, asIs).stream, from: -1}
	if l.form[arg] == splat {
		v := lir.Val(l.ref[arg])
		at := l.settle(v)
		k.loop = max(k.loop, l.level[v]+1)
		if c.first = v; k.width > 1 {
			c.first = l.splatOf(at, k.width)
		}
		return c
	}
	v := l.view(arg)
	if !v.contiguous(l.g.ShapeOf(arg)) {
		v = l.copyView(v, l.g.ShapeOf(arg), l.g.Node(arg).DType)
	}
	k.loop = max(k.loop, v.loop)
	v.strides = k.strides(0, 1)
	c.from = k.nest.add(stream{t: l.g.Node(arg).DType, at: v.at, strides: v.bytes()})
	return c
}

// source says where the body finds a param or constant.
func (k *bank) source(id graph.ID) {
	b, i := k.b, int(id-k.s.Param(1))
	switch isParam := b.g.Node(id).Op == graph.OpParam; {
	case isParam && i < k.s.Carries:
		return
	case k.isSlice(id):
		v := k.l.view(k.args[i])
		k.loop = max(k.loop, v.loop)
		if b.g.Node(id).Shape == graph.Scalar {
			v.strides = k.strides(v.strides[0], 0)
		} else {
			v.strides = k.strides(v.strides[0], 1)
		}
		b.setView(id, v)
		return
	case isParam:
		k.placeOutside(id, k.args[i])
	default:
		b.constant(id)
	}
	if b.form[id] == memory {
		b.views[b.ref[id]].strides = k.strides(0, 1)
	}
}

// loopOver makes the loop over all iterations for some elements, from the first on.
func (k *bank) loopOver(first, count int) (items []lir.Item) {
	n := k.nest
	before, behind := n.newBody(first, count), n.newBody(first, count)
	b := n.newBody(first, count)
	b.width, b.row, b.loaded = k.width, make([]int, len(n.streams)), map[[2]int]lir.Val{}
	times := k.times(count)
	steps := make([]int, len(n.streams))
	for s := range steps {
		steps[s] = times * k.perIteration(s)
	}
	loop, pointers := b.pointersBy(steps, k.s.Iterations/times)
	before.ins = pointers
	var phis []lir.Phi
	for e := first; e < first+count; e += k.width {
		for _, s := range k.constants {
			b.loaded[k.element(s, e)] = k.fixed(before, s, e)
		}
		for i := range k.carried {
			c := &k.carried[i]
			p := lir.Phi{Val: b.newVal(n.streams[c.stream].t), Init: c.first, Out: k.out(behind, i, e)}
			if p.Init == 0 {
				p.Init = k.fixed(before, c.from, e)
			}
			b.loaded[k.element(c.stream, e)] = p.Val
			phis = append(phis, p)
		}
	}
	for range times {
		k.iteration(b, first, count)
		for s := range b.row {
			b.row[s] += k.perIteration(s)
		}
	}
	for p := range phis {
		c, e := &k.carried[p%len(k.carried)], first+p/len(k.carried)*k.width
		phis[p].Next = b.loaded[k.element(c.stream, e)]
	}
	loop.Phis = append(loop.Phis, phis...)
	b.advance(loop)
	if len(before.ins) > 0 {
		items = append(items, lir.Item{Block: &lir.Block{Ins: before.ins}})
	}
	items = append(items, lir.Item{Loop: loop})
	if len(behind.ins) > 0 {
		items = append(items, lir.Item{Block: &lir.Block{Ins: behind.ins}})
	}
	return items
}

// element is the key of an element among those that are loaded, of a stream that does not move from iteration to iteration.
func (k *bank) element(s, e int) [2]int { return [2]int{s, e * k.nest.step(s)} }

// fixed is an element of such a stream, or the vector from there on, in a place that is known: in rounds it is copied to one.
func (k *bank) fixed(before *body, s, e int) lir.Val {
	l, st := k.l, &k.nest.streams[s]
	class := lir.ClassOf(st.t)
	switch at := st.at.Plus(e * k.nest.step(s)); {
	case k.width > 1:
		return l.rowAt(at, k.width)
	case st.ptr == 0:
		return l.homed(class, at, local)
	}
	slot := l.f.Data.SlotFor(class)
	before.emit(l.storeTo(before.read(s, e), slot))
	return l.homed(class, slot, local)
}

// out is the first of the values that a carry has behind the loop, from element e on; 0 if nothing reads them. In rounds they are
// copied to their places.
func (k *bank) out(behind *body, i, e int) lir.Val {
	c, l := &k.carry[i], k.l
	if !k.used[c.index] {
		return 0
	}
	class := lir.ClassOf(k.b.g.Node(c.id).DType)
	if k.inRounds() {
		v := l.homed(class, l.f.Data.SlotFor(class), local)
		behind.store(k.carried[i].stream, e, v)
		return v
	}
	for j := range k.width {
		c.outs = append(c.outs, l.homed(class, c.at.Plus(graph.WordSize*(e+j)), local))
	}
	return c.outs[len(c.outs)-k.width]
}

// iteration computes one iteration for some elements, and notes the next values of the carries.
func (k *bank) iteration(b *body, first, count int) {
	next := make([]lir.Val, len(k.carried))
	for e := first; e < first+count; e += k.width {
		vals := k.expr.eval(b, e)
		value := func(o operand) lir.Val {
			switch {
			case o.step >= 0:
				return vals[o.step]
			case o.stream >= 0:
				return b.load(o.stream, e)
			}
			return b.uniform(o.val)
		}
		for _, r := range k.rows {
			b.store(r.stream, e, value(r.from))
		}
		for i := range k.carried {
			next[i] = value(k.carried[i].next)
		}
		for i := range k.carried {
			b.loaded[k.element(k.carried[i].stream, e)] = next[i]
		}
	}
}

// times is how many iterations one of the code carries out.
func (k *bank) times(count int) int {
	n, size, ends := k.nest, len(k.expr.steps), countAndBranch
	for s := range n.streams {
		if k.perIteration(s) == 0 {
			continue
		}
		size++
		if n.streams[s].lead == 0 && k.l.m.Pointers {
			ends++
		}
	}
	size *= count / k.width
	times := 1
	for t := 2; t <= min(maxRepeats, (worthRepeating*ends+size-1)/max(size, 1)); t++ {
		if k.s.Iterations%t == 0 && t*size <= maxRepeated && k.reachesRows(t, count) {
			times = t
		}
	}
	return times
}

// reachesRows reports whether pointers that stay where they are for so many iterations still reach all rows.
func (k *bank) reachesRows(times, count int) bool {
	reach := k.l.m.WideReach
	if k.width == 1 {
		reach = k.l.m.Reach
	}
	for s := range k.nest.streams {
		st := &k.nest.streams[s]
		far := st.off + (times-1)*k.perIteration(s) + (count-k.width)*k.nest.step(s)
		if k.perIteration(s) < 0 || !k.l.m.FreeOffsets && far > reach {
			return false
		}
	}
	return true
}
