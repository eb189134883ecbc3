package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Bounds of a body of several rows, that is without loops: terms of a result, and instructions.
const (
	maxTerms    = 32
	maxRowsBody = 320
	// maxRowsOfCalls is the latter on cores without float registers.
	maxRowsOfCalls = 80
)

// straight reports whether the terms of each result, and perhaps some axes of results, are
// better written out in the body of one loop, which keeps its pointers and what all rows
// share in registers; and over which axis that loop goes.
func (r *reducer) straight() (axis int, ok bool) {
	m, terms := r.l.m, r.inner()
	if !m.Pointers || m.Lanes > 0 && terms >= 2*lanes || r.x.calls || r.t == graph.F64 || len(r.dims) < 2 || terms > maxTerms {
		return 0, false
	}
	size := terms * (len(r.x.steps) + len(r.terms) + 2) // operands are loaded, multiplied and added
	most := maxRowsBody
	if m.Shared { // operations are calls of services
		most = maxRowsOfCalls
	}
	if size > most {
		return 0, false
	}
	axis = len(r.dims) - 2
	for axis > 0 && size*r.dims[axis] <= most {
		size *= r.dims[axis]
		axis--
	}
	for s := range r.streams {
		for _, step := range r.streams[s].strides[axis:] {
			if step < 0 || r.streams[s].t == graph.F64 {
				return 0, false
			}
		}
	}
	return axis, true
}

// rows makes a loop over an axis whose body is all results and terms of the axes behind it.
func (r *reducer) rows(axis int) []lir.Item {
	return r.overRows(axis, 1, 1, func(b *body) { r.written(b, axis+1) })
}

// overRows makes a loop over an axis, by of it in an iteration, whose body write makes, in values of so many elements.
func (n *nest) overRows(axis, by, width int, write func(b *body)) []lir.Item {
	l := n.l
	b := n.newBody(0, n.inner())
	b.width = width
	b.row, b.loaded, b.phi = make([]int, len(n.streams)), map[[2]int]lir.Val{}, make([]lir.Val, len(n.streams))
	before := &lir.Block{}
	loop := &lir.Loop{Step: 1, Length: int32(n.dims[axis] / by), Phis: []lir.Phi{{Val: l.newVal(lir.Int, local), From: lir.NoAddr}}}
	for s := range n.streams {
		st := &n.streams[s]
		switch {
		case st.lead != 0:
		case st.strides[axis] != 0:
			p := lir.Phi{Val: l.newVal(lir.Int, local), Next: l.newVal(lir.Int, local)}
			if st.ptr == 0 {
				p.From = st.at
			} else {
				p.Init = st.ptr
			}
			b.phi[s] = p.Val
			loop.Phis = append(loop.Phis, p)
		case width > 1 && st.ptr == 0 && n.step(s) != 0 && l.m.Pointers: // one that stays where it is
			p := lir.Phi{Val: l.newVal(lir.Int, local), Next: l.newVal(lir.Int, local), From: st.at}
			b.phi[s] = p.Val
			loop.Phis = append(loop.Phis, p)
		case width > 1 && st.ptr == 0 && n.step(s) != 0: // vectors are loaded by pointers
			first := l.newVal(lir.Int, local)
			b.phi[s] = l.homed(lir.Int, l.f.Data.Slot(), local)
			before.Ins = append(before.Ins,
				lir.Ins{Op: lir.Of(lir.Address, graph.I32), D: first, Imm: uint32(st.at)},
				lir.Ins{Op: lir.Of(lir.Store, graph.I32), A: first, Imm: uint32(l.f.Values[b.phi[s]].Home)})
		}
	}
	for s := range n.streams {
		if lead := n.streams[s].lead; lead != 0 {
			b.phi[s] = b.phi[lead-1]
		}
	}
	if n.inner() < width {
		b.keep(axis, (n.inner()+width-1)/width)
	}
	for range by {
		write(b)
		for s := range b.row {
			b.row[s] += n.streams[s].strides[axis]
		}
	}
	for _, p := range loop.Phis[1:] {
		for s, v := range b.phi {
			if v == p.Val && n.streams[s].lead == 0 {
				b.emit(lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: v, D: p.Next, Imm: uint32(by * n.streams[s].strides[axis])})
			}
		}
	}
	loop.Body = []lir.Item{{Block: &lir.Block{Ins: b.ins}}}
	items := []lir.Item{{Loop: loop}}
	if len(before.Ins) > 0 {
		items = append([]lir.Item{{Block: before}}, items...)
	}
	return items
}

// wholeRows reports whether rows of results are better written out in the body of one loop, which
// keeps its pointers and what all rows share in registers, and in values of how many elements.
func (n *nest) wholeRows(x *expr) (width int, ok bool) {
	m, count := n.l.m, n.inner()
	if x.calls || len(n.dims) < 2 {
		return 0, false
	}
	if width = n.lanesFor(x, count); n.short(x, len(n.dims)-1) && n.sideBySide() {
		width = shortWidth
		n.readBehind()
	}
	vectors := (count + width - 1) / width
	size := n.rowSize(x, width)
	most := maxRowsBody / 2
	if m.Shared {
		most = maxRowsOfCalls
	}
	if n.l.inBody && x.serves(m) {
		most /= 2
	}
	if !m.Pointers && width == 1 || count%width != 0 && n.changes || vectors > maxTerms/2 || size > most || width == 1 && n.reached(count) < count {
		return 0, false
	}
	for s := range n.streams {
		for _, step := range n.streams[s].strides {
			if step < 0 || n.streams[s].t == graph.F64 {
				return 0, false
			}
		}
	}
	return width, true
}

// rowSize is about how many instructions a row takes in values of so many elements.
func (n *nest) rowSize(x *expr, width int) int {
	return (n.inner() + width - 1) / width * (len(x.steps) + len(n.streams))
}

// mapped makes the code that does something with the expression for every element, as long rows
// or as loops over whole ones, whose last vector may have elements of the one before once more.
func (n *nest) mapped(x *expr, do func(b *body, e int)) []lir.Item {
	width, whole := n.wholeRows(x)
	if !whole {
		return n.around(func() []lir.Item { return n.rowMap(x, do) })
	}
	axis, by := len(n.dims)-2, 1
	for k := 2; k <= maxWide && width > 1; k++ {
		if n.inner() >= width && n.dims[axis]%k == 0 && k*n.rowSize(x, width) <= maxRowsBody/2 {
			by = k
		}
	}
	n.share()
	return n.loops(0, axis, func() []lir.Item {
		return n.overRows(axis, by, width, func(b *body) {
			for e := 0; e < n.inner(); e += width {
				do(b, max(0, min(e, n.inner()-width)))
			}
		})
	})
}

// written writes the results of the axes from one on.
func (r *reducer) written(b *body, axis int) {
	if axis == len(r.dims)-1 {
		sum := tree{lanes: lanes, add: r.combine(b)}
		for e := range r.inner() {
			sum.term(r.term(b, e))
		}
		r.put(b, 0, sum.sum())
		return
	}
	for range r.dims[axis] {
		r.written(b, axis+1)
		for s := range b.row {
			b.row[s] += r.streams[s].strides[axis]
		}
	}
	for s := range b.row {
		b.row[s] -= r.dims[axis] * r.streams[s].strides[axis]
	}
}

// reached is how many of so many neighbouring elements lie within reach of pointers, one at least.
func (n *nest) reached(count int) int {
	if !n.l.m.Pointers {
		return count
	}
	for s := range n.streams {
		if step := max(n.step(s), -n.step(s)); step > 0 {
			count = min(count, max(1, (n.l.m.Reach-4*n.streams[s].t.Words())/step+1))
		}
	}
	return count
}

// serves reports whether some of the steps are calls of services, beside which what ends an
// iteration takes no time.
func (x *expr) serves(m *lir.Machine) bool {
	return m.Shared && slices.ContainsFunc(x.steps, func(s step) bool { return s.t.IsFloat() && s.op != graph.OpSelect })
}

// rowMap makes the code that does something with the expression for every
// element of a row: a loop over several elements per iteration, four at a time where that
// is possible, and the rest in straight code, or in vectors, of which the first computes some elements
// once more where nothing reads what do writes.
func (n *nest) rowMap(x *expr, do func(b *body, e int)) []lir.Item {
	count := n.inner()
	by, width := n.unrollBy(x), n.lanesFor(x, count)
	if width > 1 {
		by = n.vectorsBy(x, count, width)
		if count <= maxWide*width && count*len(x.steps) <= maxWideSteps*width && n.endsInVectors(x, count, 0, width) {
			by = count
		}
	} else {
		by = n.singlesBy(x, count, n.reached(by))
	}
	iterations := count / by
	items := x.begin(n)
	rest := 0
	if iterations >= 2 || iterations == 1 && width > 1 {
		rest = iterations * by
		items = append(items, n.rowLoop(x, 0, iterations, by, width, do)...)
	}
	switch {
	case rest == count:
	case n.endsInVectors(x, count, rest, width):
		first := min(rest, count-width)
		items = append(items, n.rowLoop(x, first, 1, count-first, width, do)...)
	default:
		b := n.newBody(rest, count-rest)
		b.sums = x.sums(rest > 0)
		for e := rest; e < count; e++ {
			do(b, e)
		}
		items = append(items, lir.Item{Block: &lir.Block{Ins: b.ins}})
	}
	return items
}

// endsInVectors reports whether the elements of a row from rest on are better computed in vectors than one by one.
func (n *nest) endsInVectors(x *expr, count, rest, width int) bool {
	if width == 1 || n.changes {
		return false
	}
	if x.calls { // kernels
		return true
	}
	left, each := count-rest, len(x.steps)+n.accesses()
	return n.leftInVectors(left, each, width) < left*each
}

// rowLoop is a loop over elements of a row from the given one on, by so many in an iteration, in values of width, the
// last of which may have elements of the one before.
func (n *nest) rowLoop(x *expr, first, iterations, by, width int, do func(b *body, e int)) []lir.Item {
	b := n.newBody(first, by)
	b.width = width
	loop, before := b.pointers(iterations)
	finish := x.carryWindows(b, loop, first+iterations*by < n.inner())
	if n.l.movesPairs() && width == 1 && n.shares(x) {
		n.loadInOrder(x, b, first, by)
	}
	for e := first; e < first+by; e += width {
		do(b, min(e, first+by-width))
	}
	finish()
	b.advance(loop)
	items := []lir.Item{{Loop: loop}}
	if len(before) > 0 {
		items = append([]lir.Item{{Block: &lir.Block{Ins: before}}}, items...)
	}
	return items
}
