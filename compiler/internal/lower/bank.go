package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// A static loop whose body works on arrays element by element is a bank of loops that have nothing to do with each other, one
// for each element. In vectors, as many elements as registers can hold go through all iterations at once, so that
// nothing that is carried lies in memory meanwhile.

// bank is such a loop.
type bank struct {
	*scanner
	nest      *nest // over the iterations and the elements
	expr      expr
	width     int // elements in a value
	carried   []carried
	rows      []bankRow
	constants []int // streams of what is the same in all iterations
}

// carried is a carry of a bank.
type carried struct {
	stream int
	next   operand
	first  func(e int) lir.Val // the first value of the elements from one on
}

// bankRow is what an iteration writes.
type bankRow struct {
	stream int
	from   operand
}

const (
	// leastIterations is how many a bank has at least: before them, arrays that are scalars so far may have to be written to
	// memory.
	leastIterations = 4
	// maxBankBody is how many instructions the loops of a bank have at most.
	maxBankBody = 160
)

// bank lowers the loop as a bank if it is one and that pays.
func (x *scanner) bank(group *graph.ScanGroup, carries []bool) bool {
	elements, ok := x.isBank(group, carries)
	if !ok {
		return false
	}
	width := x.bankWidth(elements)
	if width == 0 {
		return false
	}
	k := &bank{scanner: x, width: width, nest: &nest{l: x.b, dims: []int{x.s.Iterations, elements}, loop: 1}}
	vectors := k.vectors()
	if vectors == 0 {
		return false
	}
	for c, needed := range carries {
		if needed {
			k.addCarry(c)
		}
	}
	k.build(group)
	k.nest.share()
	for first := 0; first < elements; first += vectors * width {
		k.loopOver(first, min(vectors*width, elements-first))
	}
	return true
}

// isBank reports whether all that the loop carries and writes are arrays of one shape, of so many elements, and the body is
// elementwise.
func (x *scanner) isBank(group *graph.ScanGroup, carries []bool) (elements int, ok bool) {
	b, first := x.b, slices.Index(carries, true)
	if x.l.mode == Always || first < 0 || x.s.Iterations < leastIterations || x.needs(x.s.Param(0)) {
		return 0, false
	}
	shape := b.g.Node(x.s.Param(1 + first)).Shape
	elements = b.g.Elements(x.s.Param(1 + first))
	if elements == 0 || shape == graph.Scalar {
		return 0, false
	}
	isElements := func(id graph.ID) bool {
		n := b.g.Node(id)
		return n.Shape == shape && n.DType.Words() == 1
	}
	for k, needed := range carries {
		if needed && !isElements(x.s.Param(1+k)) {
			return 0, false
		}
	}
	for _, id := range group.Nodes {
		if _, out := x.l.g.ScanInfo(id); out >= x.s.Carries && !isElements(x.rowFrom(out)) {
			return 0, false
		}
	}
	for id := range graph.ID(b.g.NumNodes()) {
		if b.uses[id] > 0 && !(isElements(id) && x.inBank(id)) && !x.isSource(id, true) {
			return 0, false
		}
	}
	return elements, true
}

// inBank reports whether a bank can compute an array from others, or read it.
func (x *scanner) inBank(id graph.ID) bool {
	b, n := x.b, x.b.g.Node(id)
	args := b.g.Args(id)
	switch {
	case n.Op == graph.OpBroadcast:
		return x.isSource(args[0], true)
	case n.Op.Info().Elementwise:
		return !slices.ContainsFunc(args, func(a graph.ID) bool { return b.g.Node(a).Shape != n.Shape })
	}
	return x.isSource(id, false)
}

// isSource reports whether a node is a constant or a param, of one element or of elements that lie side by side.
func (x *scanner) isSource(id graph.ID, single bool) bool {
	n := x.b.g.Node(id)
	if n.DType.Words() != 1 || single && n.Shape != graph.Scalar {
		return false
	}
	if n.Op == graph.OpConst {
		return true
	}
	k := int(id - x.s.Param(1)) // among the operands
	if n.Op != graph.OpParam || k < x.s.Carries {
		return n.Op == graph.OpParam
	}
	switch form := x.l.form[x.args[k]]; {
	case form == splat:
		return !x.isSlice(id)
	case form != memory || n.Shape == graph.Scalar:
		return true
	}
	v := x.l.view(x.args[k])
	if x.isSlice(id) {
		v.strides = v.strides[1:]
	}
	return v.contiguous(x.b.g.ShapeOf(id))
}

// bankWidth is how many elements of a bank a value can have; 0: no vector serves.
func (x *scanner) bankWidth(elements int) int {
	for _, width := range lir.Widths {
		if width <= x.l.m.Lanes && elements%width == 0 && x.inVectors(width) {
			return width
		}
	}
	return 0
}

// inVectors reports whether there is code for all that the body computes on vectors of so many lanes.
func (x *scanner) inVectors(width int) bool {
	b := x.b
	for id := range graph.ID(b.g.NumNodes()) {
		n, args := b.g.Node(id), b.g.Args(id)
		if b.uses[id] == 0 || !n.Op.Info().Elementwise {
			continue
		}
		t := b.g.Node(args[len(args)-1]).DType
		op := lir.Of(n.Op, lir.VectorOf(t, width))
		switch info := &x.l.m.Ops[op]; {
		case t.Words() != 1:
			return false
		case unchanged(n.Op, t):
		case info.Valid && !info.Kernel:
		case !x.shiftsLanes(id, width):
			return false
		}
	}
	return true
}

// shiftsLanes reports whether a node shifts lanes by a constant.
func (x *scanner) shiftsLanes(id graph.ID, width int) bool {
	g := x.b.g
	n := g.Node(id)
	if n.Op != graph.OpShl && n.Op != graph.OpShr {
		return false
	}
	by := g.Args(id)[1]
	if g.Node(by).Op == graph.OpBroadcast {
		by = g.Args(by)[0]
	}
	if of := g.Node(by); of.Op != graph.OpConst || of.Shape != graph.Scalar {
		return false
	}
	_, ok := x.l.shiftOfLanes(n.Op, n.DType, uint32(g.Node(by).Word()), width)
	return ok
}

// vectors is how many values of each carry go through the iterations at once: as many as find registers with what is computed.
func (k *bank) vectors() int {
	const some = 3 // what the computation has at once beside operands
	b, each, shared, size := k.b, 0, 0, 0
	for id := range graph.ID(b.g.NumNodes()) {
		switch n := b.g.Node(id); {
		case b.uses[id] == 0:
		case n.Op.Info().Elementwise:
			size++
		case n.Op == graph.OpBroadcast || k.isSlice(id):
		case n.Shape == graph.Scalar:
			shared++
		default:
			each++
		}
	}
	all := k.nest.inner() / k.width
	vectors := min(all, (k.l.m.Regs[lir.Float]-shared-some)/max(each, 1))
	if vectors <= 0 || all*(size+1) > maxBankBody {
		return 0
	}
	loops := (all + vectors - 1) / vectors
	return (all + loops - 1) / loops
}

// isSlice reports whether a param is a row of an array that the loop goes through.
func (x *scanner) isSlice(id graph.ID) bool {
	k := int(id-x.s.Param(1)) - x.s.Carries
	return x.b.g.Node(id).Op == graph.OpParam && k >= 0 && k < x.s.Slices
}

// rowFrom is what an iteration writes as its row of a result.
func (x *scanner) rowFrom(out int) graph.ID {
	if out < len(x.s.Results) {
		return x.s.Results[out]
	}
	return x.s.Param(1 + out - len(x.s.Results))
}

// addCarry makes the place of a carry, which is never read there, and says where its first value comes from.
func (k *bank) addCarry(index int) {
	l, arg := k.l, k.args[index]
	k.placeCarry(index)
	param := &k.carry[len(k.carry)-1]
	k.b.setView(param.id, view{at: param.at, size: graph.WordSize, strides: []int{0, 1}, loop: 1})
	c := carried{}
	switch form := l.form[arg]; {
	case form == splat:
		v := lir.Val(l.ref[arg])
		home := l.settle(v)
		k.loop = max(k.loop, l.level[v]+1)
		c.first = func(int) lir.Val { return l.splatOf(home, k.width) }
	default:
		v := l.view(arg)
		k.loop = max(k.loop, v.loop)
		if !v.contiguous(l.g.ShapeOf(arg)) {
			v = l.copyView(v, l.g.ShapeOf(arg), l.g.Node(arg).DType)
			k.loop = max(k.loop, v.loop)
		}
		c.first = func(e int) lir.Val { return l.rowAt(v.at.Plus(graph.WordSize*e), k.width) }
	}
	k.carried = append(k.carried, c)
}

// rowAt is the neighbouring words from a place on.
func (l *lowerer) rowAt(at lir.Addr, width int) lir.Val {
	l.level = append(l.level, local)
	return l.f.NewRow(width, at)
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
	k.expr = n.build(nodes, asIs)
	for i := range k.carry {
		c := &k.carry[i]
		k.carried[i].stream = n.leaf(c.id, asIs).stream
		k.carried[i].next = n.term(k.s.Results[c.index], nodes, asIs)
	}
	for s := range n.streams {
		isCarry := slices.ContainsFunc(k.carried, func(c carried) bool { return c.stream == s })
		if n.streams[s].strides[0] == 0 && n.step(s) != 0 && !isCarry {
			k.constants = append(k.constants, s)
		}
	}
	for _, id := range group.Nodes {
		_, out := k.l.g.ScanInfo(id)
		if out < k.s.Carries {
			continue
		}
		t := k.l.g.Node(id).DType
		rows := k.l.newArray(k.l.g.ShapeOf(id), t)
		k.l.setView(id, rows)
		to := n.addWritten(stream{t: t, at: rows.at, strides: []int{graph.WordSize * n.inner(), graph.WordSize}})
		k.rows = append(k.rows, bankRow{stream: to, from: n.term(k.rowFrom(out), nodes, asIs)})
	}
}

// source says where the body finds a param or constant: an array by its strides from iteration to iteration and from element to
// element. Carries have been placed.
func (k *bank) source(id graph.ID) {
	b, i := k.b, int(id-k.s.Param(1))
	switch isParam := b.g.Node(id).Op == graph.OpParam; {
	case isParam && i < k.s.Carries:
		return
	case k.isSlice(id):
		v := k.l.view(k.args[i])
		k.loop = max(k.loop, v.loop)
		v.strides = []int{v.strides[0], 1}
		if b.g.Node(id).Shape == graph.Scalar {
			v.strides[1] = 0
		}
		b.setView(id, v)
		return
	case isParam:
		k.placeOutside(id, k.args[i])
	default:
		b.constant(id)
	}
	if b.form[id] == memory {
		b.views[b.ref[id]].strides = []int{0, 1}
	}
}

// loopOver makes the loop over all iterations for some elements, from the first on.
func (k *bank) loopOver(first, count int) {
	n, l := k.nest, k.l
	b := n.newBody(first, count)
	b.width, b.row, b.loaded = k.width, make([]int, len(n.streams)), map[[2]int]lir.Val{}
	times := k.times(count)
	steps := make([]int, len(n.streams))
	for s := range steps {
		steps[s] = times * n.streams[s].strides[0]
	}
	loop, before := b.pointersBy(steps, k.s.Iterations/times)
	var phis []lir.Phi
	for e := first; e < first+count; e += k.width {
		for _, s := range k.constants {
			st := &n.streams[s]
			b.loaded[[2]int{s, e * n.step(s)}] = l.rowAt(st.at.Plus(e*n.step(s)), k.width)
		}
		for i := range k.carried {
			c := &k.carried[i]
			v := l.newWide(k.width)
			b.loaded[[2]int{c.stream, graph.WordSize * e}] = v
			phis = append(phis, lir.Phi{Val: v, Init: c.first(e), Out: k.out(i, e)})
		}
	}
	for range times {
		k.iteration(b, first, count)
		for s := range b.row {
			b.row[s] += n.streams[s].strides[0]
		}
	}
	for p := range phis {
		c, e := &k.carried[p%len(k.carried)], first+p/len(k.carried)*k.width
		phis[p].Next = b.loaded[[2]int{c.stream, graph.WordSize * e}]
	}
	loop.Phis = append(loop.Phis, phis...)
	b.advance(loop)
	if len(before) > 0 {
		k.place(lir.Item{Block: &lir.Block{Ins: before}})
	}
	k.place(lir.Item{Loop: loop})
}

// iteration computes one iteration for some elements, and notes the next values of the carries.
func (k *bank) iteration(b *body, first, count int) {
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
		next := make([]lir.Val, len(k.carried))
		for i := range k.carried {
			next[i] = value(k.carried[i].next)
		}
		for i := range k.carried {
			b.loaded[[2]int{k.carried[i].stream, graph.WordSize * e}] = next[i]
		}
	}
}

// out is the first of the values that a carry has behind the loop, from element e on; 0 if nothing reads them.
func (k *bank) out(i, e int) lir.Val {
	c := &k.carry[i]
	if !k.used[c.index] {
		return 0
	}
	class := lir.ClassOf(k.b.g.Node(c.id).DType)
	for j := range k.width {
		c.outs = append(c.outs, k.l.homed(class, c.at.Plus(graph.WordSize*(e+j)), local))
	}
	return c.outs[len(c.outs)-k.width]
}

// times is how many iterations one of the code carries out.
func (k *bank) times(count int) int {
	n := k.nest
	size := count / k.width * (len(k.expr.steps) + len(n.streams) - len(k.constants) - len(k.carried))
	ends := countAndBranch
	for s := range n.streams {
		if st := &n.streams[s]; st.strides[0] != 0 && st.lead == 0 && k.l.m.Pointers {
			ends++
		}
	}
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
	return !slices.ContainsFunc(k.nest.streams, func(s stream) bool {
		far := s.off + (times-1)*s.strides[0] + (count-k.width)*s.strides[1]
		return s.strides[0] < 0 || !k.l.m.FreeOffsets && far > k.l.m.WideReach
	})
}
