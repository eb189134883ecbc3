package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// stream is an array that a loop nest walks: it reads or writes one element at
// each point of the nest.
type stream struct {
	t       graph.DType
	at      lir.Addr
	strides []int   // bytes between neighbours, by axis of the nest
	ptr     lir.Val // offset of the current row in the data block; 0: at is the row
	written bool
	lead    int  // 1 + the stream whose pointers it shares; 0: it has its own
	off     int  // bytes from that one to it
	spare   bool // see view
}

// nest is a loop nest over a rectangular domain. The last axis is the inner
// loop's; the others are loops around it.
type nest struct {
	l       *lowerer
	dims    []int
	streams []stream
	loop    int32 // the loops it belongs to
	behind  bool  // there is room behind all arrays
	changes bool  // it reads what it writes
	woven   int   // it writes so many arrays in turn; 0: none
	halves  bool  // it reads all arrays as it writes: lanes need be in order in the halves of eight only
	// sum is 1 + the node of which something is made in the nest that computes it, 0 for none
	sum graph.ID
}

// addWritten registers an array that the nest writes.
func (n *nest) addWritten(s stream) int {
	i := n.add(s)
	n.streams[i].written = true
	return i
}

// add registers an array and returns its number. Equal ones share it.
func (n *nest) add(s stream) int {
	for i := range n.streams {
		if t := &n.streams[i]; t.at == s.at && t.ptr == s.ptr && t.t == s.t && slices.Equal(t.strides, s.strides) {
			return i
		}
	}
	n.streams = append(n.streams, s)
	return len(n.streams) - 1
}

// bytes are the strides in bytes.
func (v *view) bytes() []int {
	out := make([]int, len(v.strides))
	for i, s := range v.strides {
		out[i] = v.size * s
	}
	return out
}

// collapse merges neighbouring axes that every stream walks as one, and drops
// axes of length 1. The last `keep` axes stay apart from the others: the terms of
// a reduction must not mix with its results.
func (n *nest) collapse(keep int) {
	n.dims = slices.Clone(n.dims)
	inner := len(n.dims) - keep
	for i := len(n.dims) - 1; i >= 0; i-- {
		if n.dims[i] == 1 && !(keep > 0 && i >= inner) {
			n.drop(i)
			if i < inner {
				inner--
			}
		}
	}
	for i := len(n.dims) - 2; i >= 0; i-- {
		if keep > 0 && i+1 >= inner {
			continue
		}
		merge := true
		for s := range n.streams {
			st := n.streams[s].strides
			merge = merge && st[i] == st[i+1]*n.dims[i+1]
		}
		if merge {
			n.dims[i+1] *= n.dims[i]
			n.drop(i)
		}
	}
	if len(n.dims) == 0 {
		n.dims = []int{1}
		for s := range n.streams {
			n.streams[s].strides = []int{0}
		}
	}
}

// drop removes axis i.
func (n *nest) drop(i int) {
	n.dims = slices.Delete(n.dims, i, i+1)
	for s := range n.streams {
		n.streams[s].strides = slices.Delete(slices.Clone(n.streams[s].strides), i, i+1)
	}
}

// inner is the length of the innermost axis.
func (n *nest) inner() int { return n.dims[len(n.dims)-1] }

// step is the distance in bytes of a stream along the innermost axis.
func (n *nest) step(s int) int { st := n.streams[s].strides; return st[len(st)-1] }

// around builds the loops over the axes but the last, around the items that inner makes for
// one row.
func (n *nest) around(inner func() []lir.Item) []lir.Item {
	n.share()
	return n.loops(0, len(n.dims)-1, inner)
}

// loops builds the loops over the axes from one on, and up to another, around the items of inner.
func (n *nest) loops(axis, end int, inner func() []lir.Item) []lir.Item {
	if axis == end {
		return inner()
	}
	l := n.l
	before, latch := &lir.Block{}, &lir.Block{}
	saved := slices.Clone(n.streams)
	for i := range n.streams {
		s := &n.streams[i]
		step := s.strides[axis]
		if step == 0 || s.lead != 0 {
			continue
		}
		slot := l.f.Data.Slot()
		start := s.ptr
		if start == 0 {
			start = l.newVal(lir.Int, local)
			before.Ins = append(before.Ins, lir.Ins{Op: lir.Of(lir.Address, graph.I32), D: start, Imm: uint32(s.at)})
		}
		before.Ins = append(before.Ins, lir.Ins{Op: lir.Of(lir.Store, graph.I32), A: start, Imm: uint32(slot)})
		s.ptr = l.homed(lir.Int, slot, local)
		next := l.newVal(lir.Int, local)
		latch.Ins = append(latch.Ins,
			lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: s.ptr, D: next, Imm: uint32(step)},
			lir.Ins{Op: lir.Of(lir.Store, graph.I32), A: next, Imm: uint32(slot)})
	}
	n.follow()
	// There is a step on every axis, that of the result at least, so an outer
	// loop has the latch and something before it.
	body := append(n.loops(axis+1, end, inner), lir.Item{Block: latch})
	copy(n.streams, saved)
	loop := &lir.Loop{Body: body, Step: 1, Length: int32(n.dims[axis]), Counter: l.f.Data.Slot()}
	items := []lir.Item{{Loop: loop}}
	if len(before.Ins) > 0 {
		items = append([]lir.Item{{Block: before}}, items...)
	}
	return items
}

// body is a block of code for some neighbouring elements of a row.
type body struct {
	n     *nest
	ins   []lir.Ins
	block int32     // the block of the program that it belongs to, or local
	first int       // index in the row of the first element
	count int       // number of elements
	base  []lir.Val // by stream: offset of the lowest of the elements; 0: not known yet
	phi   []lir.Val // in an inner loop, by stream: the same, for streams that move
	steps []int     // in an inner loop, by stream: by how many bytes an iteration moves it
	index lir.Val   // in an inner loop: the phi of all streams that share an index
	width int       // neighbouring elements in a value; more than 1 in an inner loop only
	// In a body of several rows, by stream: the bytes from the first of them to the one at hand,
	// and what has been loaded, by stream and distance from the first element.
	row     []int
	ahead   []int // by stream: how many bytes of that the pointer itself lies behind the first row
	loaded  map[[2]int]lir.Val
	kept    []bool              // by stream: see keep
	done    map[lir.Ins]lir.Val // what loads and ops give, by those without their result: slices overlap
	singles map[[2]int]lir.Val  // by stream and distance from the first row: a word that is the same for all elements
	sums    []lir.Val           // of windows, without the last terms
	// offsets of rows at an index
	offsets   map[madeOf]lir.Val
	divisions map[division]parts // by constants
}

func (n *nest) newBody(first, count int) *body {
	return &body{n: n, block: local, first: first, count: count, width: 1, base: make([]lir.Val, len(n.streams))}
}

// emit appends to the body.
func (b *body) emit(i lir.Ins) {
	if b.block != local {
		b.n.l.emit(b.block, i)
		return
	}
	b.n.l.ops++
	b.ins = append(b.ins, i)
}

func (b *body) newVal(t graph.DType) lir.Val {
	if b.width > 1 {
		return b.n.l.newWide(b.width)
	}
	return b.n.l.newVal(lir.ClassOf(t), b.block)
}

// lowest is the distance in bytes from the start of the row to the lowest
// element of a stream among those of the body.
func (b *body) lowest(s int) int {
	step := b.n.step(s)
	return min(b.first*step, (b.first+b.count-1)*step)
}

// place is how a stream's element e of the row is reached: at a fixed place, at an
// offset from a value, or at a fixed place plus a value.
func (b *body) place(s, e int) (at lir.Addr, ptr lir.Val, offset int) {
	st := &b.n.streams[s]
	step, ahead := b.n.step(s), st.off
	if b.row != nil {
		ahead += b.row[s]
	}
	if b.ahead != nil {
		ahead -= b.ahead[s]
	}
	if b.phi != nil && b.phi[s] != 0 {
		if b.phi[s] == b.index {
			return st.at.Plus(e*step + ahead - st.off), b.index, 0
		}
		return lir.NoAddr, b.phi[s], e*step - b.lowest(s) + ahead
	}
	if st.ptr == 0 {
		return st.at.Plus(e*step + ahead - st.off), 0, 0
	}
	low := b.lowest(s)
	if low >= 0 {
		return lir.NoAddr, st.ptr, e*step + ahead
	}
	if b.base[s] == 0 {
		b.base[s] = b.n.l.newVal(lir.Int, b.block)
		b.emit(lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: st.ptr, D: b.base[s], Imm: uint32(low)})
	}
	return lir.NoAddr, b.base[s], e*step - low + ahead
}

// load reads element e of the row of a stream.
func (b *body) load(s, e int) lir.Val {
	if b.loaded == nil {
		return b.read(s, e)
	}
	at := [2]int{s, e*b.n.step(s) + b.row[s]}
	v, ok := b.loaded[at]
	if !ok {
		if b.kept != nil && b.kept[s] && b.width > 1 {
			v = b.n.l.rowAt(b.n.streams[s].at.Plus(at[1]), b.width)
		} else {
			v = b.read(s, e)
		}
		b.loaded[at] = v
	}
	return v
}

// keep has the vectors of arrays that lie in the same place in all iterations over an axis loaded once in front of these, where
// registers suffice for so many of each.
func (b *body) keep(axis, vectors int) {
	kept, all := make([]bool, len(b.n.streams)), 0
	for s := range kept {
		st := &b.n.streams[s]
		if kept[s] = !st.written && st.ptr == 0 && st.strides[axis] == 0 && b.n.step(s) == graph.WordSize; kept[s] {
			all += vectors
		}
	}
	if all <= b.n.l.m.Regs[lir.Float]-keptFree {
		b.kept = kept
	}
}

// rowAt is the neighbouring words from a place on.
func (l *lowerer) rowAt(at lir.Addr, width int) lir.Val {
	l.level = append(l.level, local)
	return l.f.NewRow(width, at)
}

func (b *body) read(s, e int) lir.Val {
	if b.width > 1 {
		return b.loadWide(s, e)
	}
	t := b.n.streams[s].t
	at, ptr, offset := b.place(s, e)
	if ptr == 0 {
		return b.n.l.homed(lir.ClassOf(t), at, b.block)
	}
	in := lir.Ins{Op: lir.Of(lir.LoadAt, b.moveType(t)), A: ptr, Imm: uint32(offset)}
	if at != lir.NoAddr {
		in.Op, in.Imm = lir.Of(lir.LoadIn, b.moveType(t)), uint32(at)
	}
	if b.n.changes {
		return b.give(in, t)
	}
	return b.once(in, t)
}

// store writes element e of the row of a stream.
func (b *body) store(s, e int, v lir.Val) {
	t := b.moveType(b.n.streams[s].t)
	at, ptr, offset := b.place(s, e)
	switch {
	case ptr == 0:
		b.emit(lir.Ins{Op: lir.Of(lir.Store, t), A: v, Imm: uint32(at)})
	case at != lir.NoAddr:
		b.emit(lir.Ins{Op: lir.Of(lir.StoreIn, t), A: v, B: ptr, Imm: uint32(at)})
	default:
		b.emit(lir.Ins{Op: lir.Of(lir.StoreAt, t), A: v, B: ptr, Imm: uint32(offset)})
	}
}

// moveType is the type for moving elements: bools move as integers.
func (b *body) moveType(t graph.DType) graph.DType {
	switch {
	case b.width > 1:
		return lir.Vector(b.width)
	case t == graph.Bool:
		return graph.I32
	}
	return t
}

// apply emits an op and returns its result.
func (b *body) apply(op graph.Op, t graph.DType, a [3]lir.Val) lir.Val {
	if unchanged(op, t) {
		return a[0]
	}
	result := op.ResultType(t)
	if b.width > 1 {
		t = lir.VectorOf(t, b.width)
	}
	if c, opposite, ok := b.n.l.truth(op, t, a[0], a[1], a[2]); opposite && ok {
		return b.apply(graph.OpNot, graph.Bool, [3]lir.Val{c})
	} else if ok {
		return c
	}
	if m, ok := b.n.l.limited(op, t, a[0], a[1]); ok {
		d := b.compute(m.op, result, [3]lir.Val{m.at, m.of})
		if m.addZero {
			d = b.compute(lir.Of(graph.OpAdd, t), result, [3]lir.Val{d, m.at})
		}
		return d
	}
	return b.compute(lir.Of(op, t), result, a)
}
