package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// dots makes the code of sums along rows whose terms lie next to each other, as those of a matrix
// times a vector: of as many rows at once as a vector has lanes. Each row has its eight lanes in
// vectors; folded together they are the vector of the results.
type dots struct {
	*reducer
	width   int
	terms   int
	apart   bool // each row has pointers of its own, as one would not reach them all
	masks   lir.Addr
	pointer [][]lir.Val // by row of the block and stream
}

// dots finds out whether sums can be computed so.
func (r *reducer) dots() (*dots, bool) {
	n, last := r.nest, len(r.dims)-1
	if r.behind != nil || r.op != graph.OpAdd || r.t != graph.F32 || last < 1 || r.x.calls || r.l.m.Lanes == 0 || r.turned() {
		return nil, false
	}
	reach, copied := 0, false
	for s := range n.streams {
		st := &n.streams[s]
		copied = copied || st.strides[last-1] > 4 && r.reused(st)
		if step := st.strides[last]; step != 0 && step != 4 || st.t == graph.F64 || slices.Min(st.strides) < 0 {
			return nil, false
		}
		reach = max(reach, st.strides[last-1])
	}
	x := r.oneTerm()
	d := &dots{reducer: r, terms: n.dims[last]}
	for _, width := range lir.Widths {
		if d.width == 0 && width <= r.l.m.Lanes && d.terms >= width && n.dims[last-1] >= width && r.l.haveCode(&x, width) &&
			r.l.m.Ops[lir.Of(lir.Fold1, lir.Vector(width))].Valid {
			d.width = width
		}
	}
	if d.width == 0 || slices.ContainsFunc(x.steps, func(s step) bool { return s.op == graph.OpTake }) {
		return nil, false
	}
	end := min(d.terms, d.written())*4 + (d.width-1)*reach
	d.apart = r.l.m.Pointers && end > r.l.m.WideReach
	if rest := d.terms % d.width; rest > 0 {
		if copied {
			return nil, false // see columns, which leave nothing over
		}
		// What a vector reads behind the end of a row does not count, but must be there.
		r.l.f.Data.Room(lanes)
		d.masks = r.l.restMasks(rest, d.width)
	}
	return d, true
}

// oneTerm is the expression of a term and of its addition, with what is made of the sum.
func (r *reducer) oneTerm() expr {
	x := expr{steps: append(slices.Clone(r.x.steps), step{op: r.op, t: r.t})}
	if len(r.terms) == 2 {
		x.steps = append(x.steps, step{op: graph.OpMul, t: r.t})
	}
	if r.behind != nil {
		x.steps = append(x.steps, r.behind.steps...)
	}
	return x
}

// written is how many terms at most are written out.
func (d *dots) written() int {
	return max(lanes, maxWritten/(len(d.x.steps)+len(d.reducer.terms)+1)/lanes*lanes)
}

// items makes the loops.
func (d *dots) items() []lir.Item {
	d.share()
	rows := len(d.dims) - 2
	n := d.dims[rows]
	if n == d.width && rows > 0 && d.terms <= d.written() { // one block: the loop is that around it
		return d.loops(0, rows-1, func() []lir.Item { return d.block(0, rows-1, d.dims[rows-1]) })
	}
	return d.loops(0, rows, func() []lir.Item {
		items := d.rows(0, n/d.width)
		if n%d.width > 0 { // some rows once more
			items = append(items, d.rows(n-d.width, 1)...)
		}
		return items
	})
}

// rows makes the code of blocks of rows from the given one on.
func (d *dots) rows(first, blocks int) []lir.Item {
	if d.terms <= d.written() {
		return d.block(first, len(d.dims)-2, blocks)
	}
	rows := len(d.dims) - 2
	if blocks == 1 {
		return d.looped(first)
	}
	// The axis of rows becomes one of blocks and one of the rows in a block.
	dims, streams := d.dims, d.streams
	d.dims, d.streams = slices.Insert(slices.Clone(dims), rows, blocks), slices.Clone(streams)
	d.dims[rows+1] = d.width
	for s := range d.streams {
		st := &d.streams[s]
		st.strides = slices.Insert(slices.Clone(st.strides), rows, d.width*st.strides[rows])
	}
	items := d.loops(rows, rows+1, func() []lir.Item { return d.looped(first) })
	d.dims, d.streams = dims, streams
	return items
}

// block makes a loop in whose body all terms of a block of rows are written out: over blocks from the given row
// on, or over an axis around rows that are one block.
func (d *dots) block(first, axis, iterations int) []lir.Item {
	by := 1
	if axis == len(d.dims)-2 {
		by = d.width
	}
	step := func(s int) int { return by * d.streams[s].strides[axis] }
	b, loop, before := d.walk(first, iterations, step, d.apart, true)
	var sums []lir.Val
	for q := range d.width {
		d.row(b, q)
		var lane [lanes]lir.Val
		for k := 0; k < d.terms; k += d.width {
			d.add(b, &lane, k)
		}
		sums = append(sums, d.total(b, &lane))
	}
	return d.end(b, loop, before, sums, step)
}

// looped makes a loop over the terms of a block of rows, whose lanes stay in registers, and the
// code that adds the terms left over and the lanes.
func (d *dots) looped(first int) []lir.Item {
	l, last := d.l, len(d.dims)-1
	step := func(s int) int { return lanes * d.streams[s].strides[last] }
	iterations := d.terms / lanes
	b, loop, before := d.walk(first, iterations, step, d.apart, false)
	start := b.uniform(l.word(neutral(d.op, d.t), lir.Float))
	room := l.f.Data.WideSlot(lanes * d.width)
	for q := range d.width {
		d.row(b, q)
		for k := 0; k < lanes; k += d.width {
			lane := b.newVal(d.t)
			next := d.combine(b)(lane, d.term(b, k))
			at := room.Plus(4 * (q*lanes + k))
			out := l.homed(lir.Float, at, local)
			for k := 1; k < d.width; k++ {
				l.homed(lir.Float, at.Plus(4*k), local)
			}
			loop.Phis = append(loop.Phis, lir.Phi{Val: lane, Next: next, Init: start, Out: out})
		}
	}
	items := d.finish(b, loop, before, step)

	none := func(int) int { return 0 }
	b, loop, before = d.walk(first, 1, none, false, true)
	from := l.newVal(lir.Int, local)
	b.emit(lir.Ins{Op: lir.Of(lir.Address, graph.I32), D: from, Imm: uint32(room)})
	var sums []lir.Val
	for q := range d.width {
		d.row(b, q)
		var lane [lanes]lir.Val
		for k := 0; k < lanes; k += d.width {
			lane[k] = b.wideAt(from, 4*(q*lanes+k))
		}
		for k := iterations * lanes; k < d.terms; k += d.width {
			d.add(b, &lane, k)
		}
		sums = append(sums, d.total(b, &lane))
	}
	return append(items, d.end(b, loop, before, sums, none)...)
}

// wideAt reads a vector behind a pointer.
func (b *body) wideAt(ptr lir.Val, offset int) lir.Val {
	v := b.n.l.newWide(b.width)
	b.emit(lir.Ins{Op: lir.Of(lir.LoadAt, lir.Vector(b.width)), A: ptr, D: v, Imm: uint32(offset)})
	return v
}

// walk makes a body for a block of rows from the given one on, with the pointers of a loop.
func (d *dots) walk(first, iterations int, step func(s int) int, apart, writes bool) (b *body, loop *lir.Loop, before []lir.Ins) {
	n, l, axis := d.nest, d.l, len(d.dims)-2
	b = d.newBody(0, d.terms)
	b.width, b.ahead = d.width, make([]int, len(n.streams))
	loop = newLoop(l, iterations)
	rows := 1
	if apart {
		rows = d.width
	}
	b.row, b.loaded = make([]int, len(n.streams)), map[[2]int]lir.Val{}
	d.pointer = nil
	for q := range rows {
		phi := make([]lir.Val, len(n.streams))
		for s := range n.streams {
			st := &n.streams[s]
			switch {
			case q > 0 && d.shared(s):
				phi[s] = d.pointer[0][s]
			case st.lead == 0 && (writes || s != d.to || n.leads(s)):
				phi[s] = n.start(s, (first+q)*st.strides[axis], step(s), iterations, loop, &before)
			}
		}
		for s := range n.streams {
			if lead := n.streams[s].lead; lead != 0 && phi[s] == 0 {
				phi[s] = phi[lead-1]
			}
		}
		d.pointer = append(d.pointer, phi)
	}
	b.phi = d.pointer[0]
	return b, loop, before
}

// leads reports whether other streams share the pointers of stream s.
func (n *nest) leads(s int) bool {
	return slices.ContainsFunc(n.streams, func(st stream) bool { return st.lead == s+1 })
}

// shared reports whether all rows of a block have one pointer to a stream even if others are apart.
func (d *dots) shared(s int) bool {
	if lead := d.streams[s].lead; lead != 0 {
		s = lead - 1
	}
	return s == d.to || d.streams[s].strides[len(d.dims)-2] == 0
}

// newLoop is a loop that counts iterations.
func newLoop(l *lowerer, iterations int) *lir.Loop {
	return &lir.Loop{Step: 1, Length: int32(iterations), Phis: []lir.Phi{{Val: l.newVal(lir.Int, local), From: lir.NoAddr}}}
}

// start makes the pointer of a stream for a loop, so many bytes behind the stream: a phi if it
// moves on with each iteration.
func (n *nest) start(s, ahead, step, iterations int, loop *lir.Loop, before *[]lir.Ins) lir.Val {
	l, st := n.l, &n.streams[s]
	homed := func(in lir.Ins) lir.Val {
		slot := l.f.Data.Slot()
		in.D = l.newVal(lir.Int, local)
		*before = append(*before, in, lir.Ins{Op: lir.Of(lir.Store, graph.I32), A: in.D, Imm: uint32(slot)})
		return l.homed(lir.Int, slot, local)
	}
	moves := step != 0 && iterations > 1
	var init lir.Val
	switch {
	case st.ptr == 0 && !moves && !st.moves():
		return 0
	case st.ptr == 0 && l.m.Pointers: // a phi is a pointer from the start, even if it stays where it is
		moves = true
	case st.ptr == 0 && !moves:
		return homed(lir.Ins{Op: lir.Of(lir.Address, graph.I32), Imm: uint32(st.at.Plus(ahead))})
	case st.ptr != 0 && ahead != 0:
		init = homed(lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: st.ptr, Imm: uint32(ahead)})
	default:
		init = st.ptr
	}
	if !moves {
		return init
	}
	p := lir.Phi{Val: l.newVal(lir.Int, local), Next: l.newVal(lir.Int, local), Init: init}
	if init == 0 {
		p.From = st.at.Plus(ahead)
	}
	loop.Phis = append(loop.Phis, p)
	return p.Val
}

// row has the body at row q of the block.
func (d *dots) row(b *body, q int) {
	axis := len(d.dims) - 2
	if len(d.pointer) > 1 {
		b.phi = d.pointer[q]
	}
	for s := range b.row {
		b.row[s] = q * d.streams[s].strides[axis]
		if b.ahead[s] = 0; len(d.pointer) > 1 && !d.shared(s) {
			b.ahead[s] = b.row[s]
		}
	}
}

// add adds the terms from k on, as many as a vector has, to their lanes.
func (d *dots) add(b *body, lane *[lanes]lir.Val, k int) {
	v := d.term(b, k)
	if d.terms-k < d.width {
		from := d.l.newVal(lir.Int, local)
		b.emit(lir.Ins{Op: lir.Of(lir.Address, graph.I32), D: from, Imm: uint32(d.masks)})
		v = b.masked(v, func(a lir.Addr) lir.Val { return b.wideAt(from, int(a)-int(d.masks)) }, d.masks)
	}
	if j := k % lanes; lane[j] == 0 {
		lane[j] = v
	} else {
		lane[j] = d.combine(b)(lane[j], v)
	}
}

// total is the sum of the vectors of a row.
func (d *dots) total(b *body, lane *[lanes]lir.Val) lir.Val {
	if half := lanes / 2; d.width == half && lane[half] != 0 {
		return d.combine(b)(lane[0], lane[half])
	}
	return lane[0]
}

// end folds the sums of the rows, writes the results and makes the items of the loop.
func (d *dots) end(b *body, loop *lir.Loop, before []lir.Ins, sums []lir.Val, step func(s int) int) []lir.Item {
	t := lir.Vector(d.width)
	fold := func(op graph.Op, x, y lir.Val) lir.Val { return b.compute(lir.Of(op, t), d.t, [3]lir.Val{x, y}) }
	if d.width == lanes {
		for q := range lanes / 2 {
			sums[q] = fold(lir.Fold4, sums[q], sums[q+lanes/2])
		}
	}
	d.row(b, 0)
	result := fold(lir.Fold1, fold(lir.Fold2, sums[0], sums[1]), fold(lir.Fold2, sums[2], sums[3]))
	_, ptr, offset := b.place(d.to, 0)
	b.emit(lir.Ins{Op: lir.Of(lir.StoreAt, t), A: result, B: ptr, Imm: uint32(offset)})
	return d.finish(b, loop, before, step)
}

// finish emits the steps of the pointers and makes the items of the loop.
func (d *dots) finish(b *body, loop *lir.Loop, before []lir.Ins, step func(s int) int) []lir.Item {
	for _, p := range loop.Phis[1:] {
		for s := range d.streams {
			if d.streams[s].lead == 0 && slices.ContainsFunc(d.pointer, func(phi []lir.Val) bool { return phi[s] == p.Val }) {
				b.emit(lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: p.Val, D: p.Next, Imm: uint32(step(s))})
			}
		}
	}
	return b.looped(loop, before)
}

// looped makes the body that of a loop, behind what is to run before.
func (b *body) looped(loop *lir.Loop, before []lir.Ins) []lir.Item {
	loop.Body = []lir.Item{{Block: &lir.Block{Ins: b.ins}}}
	if len(before) == 0 {
		return []lir.Item{{Loop: loop}}
	}
	return []lir.Item{{Block: &lir.Block{Ins: before}}, {Loop: loop}}
}
