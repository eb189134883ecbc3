package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Bounds of a sum whose results are computed in vectors.
const (
	maxWritten = 320 // instructions of a body in which all terms are written out
	maxBeside  = 4   // vectors of results beside each other in a body
	keptFree   = 8   // registers beside operands that all rows of a body share
)

// columns makes the code of sums, or of minima or maxima, over the last axis whose results lie next to each other, as do
// those of their terms, or are one word: each lane of a vector is a result of its own, with the
// terms in the order of graph.LaneTree.
type columns struct {
	*reducer
	width int
	terms int
	steps []int // bytes from one term to the next, by stream
	cols  int   // results next to each other
	short bool  // fewer of these than a vector has
}

// columns finds out whether it can be computed in vectors of results. If so, the axis of the
// terms changes places with the one before it.
func (r *reducer) columns() (*columns, bool) {
	n, last := r.nest, len(r.dims)-1
	var scattered []*stream
	if last < 1 || r.x.calls || r.l.m.Lanes == 0 {
		return nil, false
	}
	for s := range n.streams {
		st := &n.streams[s]
		if st.t == graph.F64 || slices.Min(st.strides) < 0 {
			return nil, false
		}
		if step := st.strides[last-1]; step != 0 && step != 4 && !r.turns(st) {
			if !r.reused(st) {
				return nil, false
			}
			scattered = append(scattered, st)
		}
	}
	x := r.oneTerm()
	if slices.ContainsFunc(x.steps, func(s step) bool { return s.op == graph.OpTake }) {
		return nil, false
	}
	c := &columns{reducer: r, terms: n.dims[last], cols: n.dims[last-1], steps: make([]int, len(n.streams))}
	if c.short = r.nest.short(&x, last-1) && c.size() <= maxWritten; c.short {
		c.width = shortWidth
		r.readBehind()
	}
	for _, width := range lir.Widths {
		if c.width == 0 && width <= r.l.m.Lanes && c.cols >= width && r.l.haveCode(&x, width) {
			c.width = width
		}
	}
	if c.width == 0 {
		return nil, false
	}
	for _, st := range scattered {
		r.gather(st)
	}
	for s := range n.streams {
		st := slices.Clone(n.streams[s].strides)
		c.steps[s] = st[last]
		st[last-1], st[last] = st[last], st[last-1]
		n.streams[s].strides = st
	}
	n.dims = slices.Clone(n.dims)
	n.dims[last-1], n.dims[last] = n.dims[last], n.dims[last-1]
	return c, true
}

// turns reports whether one op loads the columns of a stream: its rows have no more terms than that fills registers.
func (r *reducer) turns(st *stream) bool {
	const width = 4
	last := len(r.dims) - 1
	step := st.strides[last-1]
	_, ok := r.l.loadsEvery(step, width)
	return ok && !st.written && st.strides[last] == graph.WordSize && r.dims[last]*graph.WordSize <= step && r.dims[last-1] >= width
}

// turned reports whether all streams can be read in columns and some of them are loaded so.
func (r *reducer) turned() (some bool) {
	for s := range r.streams {
		st := &r.streams[s]
		turns := r.turns(st)
		if step := st.strides[len(r.dims)-2]; !turns && step != 0 && step != graph.WordSize {
			return false
		}
		some = some || turns
	}
	return some
}

// minReuse is how often an operand is used at least that is copied for it.
const minReuse = 4

// reused reports whether a stream is the same for many results: a matrix that pays to be copied
// so that its columns lie next to each other.
func (r *reducer) reused(st *stream) bool {
	times := 1
	for axis, step := range st.strides[:len(st.strides)-2] {
		if step != 0 {
			return false
		}
		times *= r.dims[axis]
	}
	return st.ptr == 0 && times >= minReuse
}

// gather copies such a stream, term by term.
func (r *reducer) gather(st *stream) {
	last := len(r.dims) - 1
	shape := graph.Shape{r.dims[last], r.dims[last-1]}
	to := r.l.newArray(shape, st.t)
	from := stream{t: st.t, at: st.at, strides: []int{st.strides[last], st.strides[last-1]}}
	r.loop = r.l.copyStream(from, stream{t: st.t, at: to.at, strides: to.bytes()}, shape, r.loop)
	st.at, st.strides = to.at, slices.Clone(st.strides)
	st.strides[last-1], st.strides[last] = to.bytes()[1], to.bytes()[0]
}

// size is about how many instructions a vector of results takes.
func (c *columns) size() int { return c.terms * (len(c.x.steps) + len(c.reducer.terms) + 1) }

// items makes the loops.
func (c *columns) items() []lir.Item {
	c.share()
	results := len(c.dims) - 2 // axes of results around the columns
	vectors := (c.cols + c.width - 1) / c.width
	if rows := results - 1; results > 0 && vectors <= maxBeside && vectors*c.size() <= maxWritten {
		by := 1
		for k := 2; !c.short && k <= c.dims[rows] && k*vectors*c.size() <= maxWritten; k++ {
			if c.dims[rows]%k == 0 {
				by = k
			}
		}
		return c.loops(0, rows, func() []lir.Item { return c.written(rows, by, 0, c.cols) })
	}
	return c.loops(0, results, c.blocks)
}

// blocks makes the code of one row of columns in blocks. The last of them may begin in front of
// the end of the one before: what is computed twice is the same.
func (c *columns) blocks() []lir.Item {
	axis := len(c.dims) - 1
	if c.size() > maxWritten {
		by := max(1, (c.l.m.Regs[lir.Float]-4)/(lanes+1)) // lanes, and what a term takes
		return c.split(c.width*min(by, c.cols/c.width), c.looped)
	}
	by := min(maxBeside, c.cols/c.width, maxWritten/c.size())
	block := by * c.width
	items := c.written(axis, block, 0, c.cols/block*block)
	return append(items, c.rest(block, func(first, count int) []lir.Item { return c.written(axis, count, first, count) })...)
}

// rest makes the code of the columns that blocks leave over.
func (c *columns) rest(block int, code func(first, count int) []lir.Item) (items []lir.Item) {
	for done := c.cols / block * block; done < c.cols; {
		count := min(block, max(c.cols-done, c.width)/c.width*c.width)
		first := min(done, c.cols-count)
		items = append(items, code(first, count)...)
		done = first + count
	}
	return items
}

// split makes a loop over blocks of columns and the code of those that are left over.
func (c *columns) split(block int, code func(first, count int) []lir.Item) []lir.Item {
	dims, streams := c.dims, c.streams
	var items []lir.Item
	if n := c.cols / block; n > 1 {
		axis := len(dims) - 2
		c.dims, c.streams = slices.Insert(slices.Clone(dims), axis, n), slices.Clone(streams)
		for s := range c.streams {
			st := &c.streams[s]
			st.strides = slices.Insert(slices.Clone(st.strides), axis, block*c.step(s))
		}
		items = c.loops(axis, axis+1, func() []lir.Item { return code(0, block) })
		c.dims, c.streams = dims, streams
	} else {
		items = code(0, block)
	}
	return append(items, c.rest(block, code)...)
}

// looped makes a loop over the terms for count columns from first on, whose lanes stay in
// registers, and the code that adds the terms left over and the lanes.
func (c *columns) looped(first, count int) []lir.Item {
	l, vectors := c.l, count/c.width
	iterations := c.terms / lanes
	step := func(s int) int { return lanes * c.steps[s] }
	b := c.newBody(0, c.cols)
	b.width = c.width
	loop, before := c.walk(b, iterations, step)
	c.moveTo(b, first, 0)
	start := b.uniform(l.word(neutral(c.op, c.t), lir.ClassOf(c.t)))
	bytes := 4 * c.width
	room := l.f.Data.WideSlot(lanes * count)
	for j := range lanes {
		for v := range vectors {
			lane := b.newVal(c.t)
			next := c.combine(b)(lane, c.term(b, j, v*c.width))
			at := room.Plus((j*vectors + v) * bytes)
			out := l.homed(lir.ClassOf(c.t), at, local)
			for k := 1; k < c.width; k++ {
				l.homed(lir.ClassOf(c.t), at.Plus(4*k), local)
			}
			loop.Phis = append(loop.Phis, lir.Phi{Val: lane, Next: next, Init: start, Out: out})
		}
		c.next(b, 1)
	}
	items := c.finish(b, loop, before, step)

	none := func(int) int { return 0 }
	b = c.newBody(0, c.cols)
	b.width = c.width
	loop, before = c.walk(b, 1, none)
	c.moveTo(b, first, iterations*lanes)
	from := l.newVal(lir.Int, local)
	b.emit(lir.Ins{Op: lir.Of(lir.Address, graph.I32), D: from, Imm: uint32(room)})
	sums := c.sums(b, count)
	for v := range sums {
		sums[v].n = iterations * lanes
		for j := range lanes {
			d := l.newWide(c.width)
			b.emit(lir.Ins{Op: lir.Of(lir.LoadAt, lir.Vector(c.width)), A: from, D: d, Imm: uint32((j*vectors + v) * bytes)})
			sums[v].lane[j] = d
		}
	}
	for k := iterations * lanes; k < c.terms; k++ {
		for v := range sums {
			sums[v].term(c.term(b, k, v*c.width))
		}
		c.next(b, 1)
	}
	c.moveTo(b, first, 0)
	for v := range sums {
		c.put(b, v*c.width, sums[v].sum())
	}
	return append(items, c.finish(b, loop, before, none)...)
}

// sums are those of the vectors of a block, without terms yet.
func (c *columns) sums(b *body, count int) []tree {
	list := make([]tree, count/c.width)
	for v := range list {
		list[v] = tree{lanes: lanes, add: c.combine(b)}
	}
	return list
}

// term computes a term, the k-th, of some columns. Where one factor is a single word, and there is an op
// for that, it takes no copies.
func (c *columns) term(b *body, k, e int) lir.Val {
	mul := lir.Of(lir.MulSingle, lir.VectorOf(c.t, c.width))
	if f := c.reducer.terms; len(f) == 2 && f[0].stream >= 0 && f[1].stream >= 0 && c.l.m.Ops[mul].Valid {
		wide, single := f[0].stream, f[1].stream
		if c.step(wide) == 0 {
			wide, single = single, wide
		}
		if c.step(wide) != 0 && c.step(single) == 0 {
			if d, ok := c.byLane(b, wide, single, k, e); ok {
				return d
			}
			b.width = 1
			x := b.load(single, e)
			b.width = c.width
			return b.compute(mul, c.t, [3]lir.Val{b.load(wide, e), x})
		}
	}
	return c.reducer.term(b, e)
}

// byLane computes a term whose single factor is one of four that are loaded at once: those of this term and its neighbours.
func (c *columns) byLane(b *body, wide, single, k, e int) (d lir.Val, ok bool) {
	op, lane := lir.Of(lir.MulLane, lir.VectorOf(c.t, c.width)), k%4
	if !c.l.m.Ops[op].Valid || c.steps[single] != 4 || k-lane+4 > c.terms {
		return 0, false
	}
	at := b.row[single] - 4*lane
	key := [2]int{-1 - single, at}
	four, ok := b.loaded[key]
	if !ok {
		place, ptr, offset := b.place(single, 0)
		if ptr == 0 || place != lir.NoAddr {
			return 0, false
		}
		four = c.l.newWide(c.width)
		b.emit(lir.Ins{Op: lir.Of(lir.LoadAt, lir.Vector(c.width)), A: ptr, D: four, Imm: uint32(offset - 4*lane)})
		b.loaded[key] = four
	}
	d = b.newVal(c.t)
	b.emit(lir.Ins{Op: op, A: b.load(wide, e), B: four, D: d, Imm: uint32(lane)})
	return d, true
}

// moveTo has the body at a column and a term.
func (c *columns) moveTo(b *body, column, term int) {
	for s := range b.row {
		b.row[s] = column*c.step(s) + term*c.steps[s]
	}
}

// next moves the body on by some terms.
func (c *columns) next(b *body, terms int) {
	for s := range b.row {
		b.row[s] += terms * c.steps[s]
	}
}

// walk gives a body a phi for each stream that moves along an axis, by elements in an iteration,
// and others a place from which they are reached. It returns a loop and what is to run before.
func (c *columns) walk(b *body, iterations int, step func(s int) int) (loop *lir.Loop, before []lir.Ins) {
	n := c.reducer.nest
	b.row, b.loaded, b.phi = make([]int, len(n.streams)), map[[2]int]lir.Val{}, make([]lir.Val, len(n.streams))
	loop = newLoop(c.l, iterations)
	for s := range n.streams {
		if n.streams[s].lead == 0 {
			b.phi[s] = n.start(s, 0, step(s), iterations, loop, &before)
		}
	}
	for s := range n.streams {
		if lead := n.streams[s].lead; lead != 0 {
			b.phi[s] = b.phi[lead-1]
		}
	}
	return loop, before
}

// finish emits the steps of the pointers and makes the items of the loop.
func (c *columns) finish(b *body, loop *lir.Loop, before []lir.Ins, step func(s int) int) []lir.Item {
	for s, v := range b.phi {
		if c.streams[s].lead != 0 {
			continue
		}
		for _, p := range loop.Phis[1:] {
			if v == p.Val {
				b.emit(lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: v, D: p.Next, Imm: uint32(step(s))})
			}
		}
	}
	return b.looped(loop, before)
}

// written makes a loop over an axis, by of it in an iteration, in whose body all terms are written
// out. The axis is the columns, count of them from first on, or the rows.
func (c *columns) written(axis, by, first, count int) []lir.Item {
	rows, cols := by, count
	if axis == len(c.dims)-1 {
		rows, cols = 1, by
	} else {
		count = c.dims[axis]
	}
	step := func(s int) int { return by * c.streams[s].strides[axis] }
	b := c.newBody(0, c.cols)
	b.width = c.width
	loop, before := c.walk(b, count/by, step)
	c.moveTo(b, first, 0)
	vectors := c.terms * ((cols + c.width - 1) / c.width)
	keep := vectors <= c.l.m.Regs[lir.Float]-keptFree
	if c.short {
		b.keep(axis, vectors)
	}
	for range rows {
		c.block(b, cols)
		for s := range b.row {
			b.row[s] += c.streams[s].strides[axis]
		}
		if !keep {
			clear(b.loaded)
		}
	}
	return c.finish(b, loop, before, step)
}

// block computes the results of cols columns. It adds up one lane after the other, each where it
// is needed, so that few of them exist at once.
func (c *columns) block(b *body, cols int) {
	start := slices.Clone(b.row)
	var at []int
	for e := 0; e < cols; e += c.width {
		at = append(at, max(0, min(e, cols-c.width)))
	}
	add := c.combine(b)
	// The sums of lanes j, j+w, j+2w ... of each vector.
	var lane func(j, w int) []lir.Val
	lane = func(j, w int) []lir.Val {
		sums := make([]lir.Val, len(at))
		if w < lanes {
			copy(sums, lane(j, 2*w))
			if j+w < min(c.terms, lanes) {
				for v, more := range lane(j+w, 2*w) {
					sums[v] = add(sums[v], more)
				}
			}
			return sums
		}
		for k := j; k < c.terms; k += lanes {
			for s := range b.row {
				b.row[s] = start[s] + k*c.steps[s]
			}
			for v, e := range at {
				if sums[v] == 0 {
					sums[v] = c.term(b, k, e)
				} else {
					sums[v] = add(sums[v], c.term(b, k, e))
				}
			}
		}
		return sums
	}
	sums := lane(0, 1)
	copy(b.row, start)
	for v, e := range at {
		c.put(b, e, sums[v])
	}
}
