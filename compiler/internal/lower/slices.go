package lower

import (
	"cmp"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// pointer gives a pointer that walks by rows, and how many bytes ahead of it, in the first
// iteration, a place lies: one is made unless another does for a row of so many bytes.
func (x *scanner) pointer(from lir.Addr, step, bytes int) (ptr lir.Val, ahead int) {
	for _, p := range x.moves {
		if d := int(from) - int(p.from); p.step == step && p.from.Region() == from.Region() && d >= 0 && d+bytes <= x.l.m.Reach {
			return p.val, d
		}
	}
	slot := x.l.f.Data.Slot()
	p := pointer{val: x.b.homed(lir.Int, slot, 0), slot: slot, from: from, step: step}
	x.moves = append(x.moves, p)
	return p.val, 0
}

// slice is a row of a sliced array in the first iteration, where its lowest element lies, and
// the bytes to the next row.
func (x *scanner) slice(k int) (row view, low lir.Addr, step int) {
	v := x.l.view(x.args[x.s.Carries+k])
	x.loop = max(x.loop, v.loop)
	row = view{at: v.at, size: v.size, strides: v.strides[1:]}
	return row, row.bounds(x.b.g.ShapeOf(x.s.Param(1 + x.s.Carries + k))).from, v.size * v.strides[0]
}

// placePointers makes pointers for all slices, those in front first: what lies behind them
// can share them.
func (x *scanner) placePointers() {
	type walk struct {
		from        lir.Addr
		step, bytes int
	}
	var list []walk
	for k := range x.s.Slices {
		id := x.s.Param(1 + x.s.Carries + k)
		n := x.b.g.Elements(id)
		if !x.needs(id) || n == 0 {
			continue
		}
		row, low, step := x.slice(k)
		if step != 0 || !x.b.asElements(id) {
			list = append(list, walk{low, step, row.size * n})
		}
	}
	slices.SortStableFunc(list, func(a, b walk) int { return cmp.Compare(a.from, b.from) })
	for _, w := range list {
		x.pointer(w.from, w.step, w.bytes)
	}
	x.walks = len(x.moves)
}

// placeSlices has the iteration read its rows of the sliced arrays.
func (x *scanner) placeSlices() {
	x.placePointers()
	for k := range x.s.Slices {
		id := x.s.Param(1 + x.s.Carries + k)
		if !x.needs(id) {
			continue
		}
		b, shape, t := x.b, x.b.g.ShapeOf(id), x.b.g.Node(id).DType
		if shape.Elements() == 0 {
			b.elementsAt(id, lir.At(lir.Arrays, lir.Middle))
			continue
		}
		row, low, step := x.slice(k)
		if step == 0 && b.asElements(id) { // the same row each time
			var vs []lir.Val
			row.each(shape, func(at lir.Addr) { vs = append(vs, b.homed(lir.ClassOf(t), at, 0)) })
			b.setAll(id, vs)
			continue
		}
		ptr, ahead := x.pointer(low, step, row.size*shape.Elements())
		if !b.asElements(id) {
			copied := b.newArray(shape, t)
			from := stream{t: t, ptr: x.offset(ptr, int(row.at)-int(low)+ahead), strides: row.bytes()}
			k := b.copyStream(from, stream{t: t, at: copied.at, strides: copied.bytes()}, shape, 1)
			copied.loop, copied.block = k, k
			b.setView(id, copied)
			continue
		}
		var vs []lir.Val
		row.each(shape, func(at lir.Addr) {
			d := b.newVal(lir.ClassOf(t), 0)
			b.emit(0, lir.Ins{Op: lir.Of(lir.LoadAt, wordType(t)), A: ptr, D: d, Imm: uint32(int(at) - int(low) + ahead)})
			vs = append(vs, d)
		})
		b.setAll(id, vs)
	}
}

// setAll says which values the elements of a node are, or which one a scalar is.
func (b *lowerer) setAll(id graph.ID, vs []lir.Val) {
	if b.g.Node(id).Shape == graph.Scalar {
		b.form[id], b.ref[id] = scalar, int32(vs[0])
		return
	}
	b.setElems(id, vs)
}
