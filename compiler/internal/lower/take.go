package lower

import (
	"math/bits"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// fewRows is up to how many rows of computed scalars are chosen from by selects: writing more of
// them to memory costs less. Those that a loop carries in registers stay there.
const fewRows = 4

// takesElements reports whether a node takes an element for each index of an array.
func (l *lowerer) takesElements(id graph.ID) bool {
	return l.g.Node(id).Op == graph.OpTake && l.g.Node(l.g.Args(id)[1]).Shape != graph.Scalar
}

// take lowers a node that takes rows at an index.
func (l *lowerer) take(id graph.ID) error {
	from, by := l.g.Args(id)[0], l.g.Args(id)[1]
	shape := l.g.ShapeOf(id)
	if l.form[from] == splat {
		l.form[id], l.ref[id] = splat, l.ref[from]
		if len(shape) == 0 {
			l.form[id] = scalar
		}
		return nil
	}
	if shape.Elements() == 0 {
		l.setElems(id, nil)
		return nil
	}
	if l.takesElements(id) && !l.plan.unrolled[id] {
		return l.mapLoop(id)
	}
	if l.passes(id) {
		l.passed[id] = true
		return nil
	}
	if l.passed[from] {
		return l.takeThrough(id)
	}
	if err := l.room(8 * shape.Elements()); err != nil {
		return err
	}
	var vs []lir.Val
	p := l.placeOf(by, l.g.ShapeOf(from)[0])
	switch {
	case l.chooses(from):
		for _, index := range l.elements(by) {
			vs = append(vs, l.chosen(l.elements(from), l.whole(p, index), shape.Elements()/len(l.elements(by)))...)
		}
	case l.takesElements(id) || l.plan.unrolled[id] || len(shape) == 0:
		by, p = l.ahead(by, p)
		v, block := l.table(from)
		for _, index := range l.elements(by) {
			vs = append(vs, l.loadRow(id, v, block, p, index)...)
		}
	default:
		l.copyRow(id, p)
		return nil
	}
	l.setAll(id, vs)
	return nil
}

// chooses reports whether an array is scalars better chosen from by selects.
func (l *lowerer) chooses(id graph.ID) bool {
	if l.form[id] != elems || !l.plan.computed[id] {
		return false
	}
	if l.g.ShapeOf(id)[0] <= fewRows {
		return true
	}
	for _, v := range l.elements(id) {
		info := &l.f.Values[v]
		if info.Home != lir.NoAddr && l.inBody && l.inStates(span{info.Home, info.Home.Plus(info.Class.Bytes())}) {
			return true
		}
	}
	return false
}

// chosen is one of several rows of so many elements: each bit of the place halves those left.
func (l *lowerer) chosen(vs []lir.Val, place lir.Val, size int) []lir.Val {
	n := len(vs) / size
	for half := 1 << bits.Len(uint(n-1)) / 2; half > 0; half /= 2 {
		bit := l.apply(graph.OpAnd, graph.I32, place, l.integer(half), 0)
		bit = l.apply(graph.OpToBool, graph.I32, bit, 0, 0)
		left := make([]lir.Val, min(n, half)*size)
		for k := range left {
			left[k] = vs[k]
			if high := k + half*size; high < n*size {
				t := l.f.Values[vs[k]].Class.Type()
				left[k] = l.apply(graph.OpSelect, t, bit, vs[high], vs[k])
			}
		}
		vs, n = left, min(n, half)
	}
	return vs
}

// table is the view of an array of which an index takes, and the first block that may read it.
func (l *lowerer) table(id graph.ID) (v view, block int32) {
	v = l.view(id)
	shape := l.g.ShapeOf(id)
	if v.strides[0] < 0 { // an index is added to the place of the lowest row
		v = l.copyView(v, shape, l.g.Node(id).DType)
	}
	if l.form[id] == elems && l.plan.computed[id] || v.at.Region() == lir.Slots {
		return v, v.loop
	}
	block = v.block
	if len(l.written) > 0 {
		v.each(shape, func(at lir.Addr) {
			if _, ok := l.written[at]; ok {
				block = v.loop // behind the stores
			}
		})
	}
	return v, block
}

// loadRow loads the elements of a row of the table v.
func (l *lowerer) loadRow(id graph.ID, v view, block int32, p place, index lir.Val) []lir.Val {
	t, row := l.g.Node(id).DType, graph.Scalar
	shape := l.g.Shape(row)
	if !l.takesElements(id) {
		shape = l.g.ShapeOf(id)
	}
	one := view{at: v.at, size: v.size, strides: v.strides[1:]}
	var vs []lir.Val
	if v.strides[0] == 0 {
		one.each(shape, func(at lir.Addr) { vs = append(vs, l.readElement(lir.ClassOf(t), at, block)) })
		return vs
	}
	step := v.size * v.strides[0]
	one.at = one.at.Plus(p.ahead * step)
	return l.loadBehind(one, block, p.scaled(l, index, step), shape, t)
}

// loadBehind loads the elements of a row that lies so many bytes behind the one of a view.
func (l *lowerer) loadBehind(one view, block int32, offset lir.Val, shape graph.Shape, t graph.DType) (vs []lir.Val) {
	k := max(l.level[offset], block)
	if l.level[offset] != k {
		l.settle(offset)
	}
	one.each(shape, func(at lir.Addr) {
		d := l.newVal(lir.ClassOf(t), k)
		l.emit(k, lir.Ins{Op: lir.Of(lir.LoadIn, wordType(t)), A: offset, D: d, Imm: uint32(at)})
		vs = append(vs, d)
	})
	return vs
}

// copyRow copies a row at an index to a place of its own.
func (l *lowerer) copyRow(id graph.ID, p place) {
	from, by := l.g.Args(id)[0], l.g.Args(id)[1]
	v, _ := l.table(from)
	row := view{at: v.at, size: v.size, strides: v.strides[1:], loop: v.loop}
	var offset lir.Val
	if step := v.size * v.strides[0]; step != 0 {
		offset = p.scaled(l, lir.Val(l.ref[by]), step)
		row.at = row.at.Plus(p.ahead * step)
	}
	l.copyBehind(id, row, offset)
}

// copyBehind copies the row that lies so many bytes behind the one of a view; 0: that row itself.
func (l *lowerer) copyBehind(id graph.ID, row view, offset lir.Val) {
	shape, t := l.g.ShapeOf(id), l.g.Node(id).DType
	source := stream{t: t, at: row.at, strides: row.bytes()}
	if offset != 0 {
		first := l.newVal(lir.Int, l.level[offset])
		l.emit(l.level[offset], lir.Ins{Op: lir.Of(lir.Address, graph.I32), D: first, Imm: uint32(row.at)})
		source.ptr = l.apply(graph.OpAdd, graph.I32, offset, first, 0)
		l.settle(source.ptr)
		row.loop = max(row.loop, l.level[source.ptr]+1)
	}
	out := l.newArray(shape, t)
	k := l.copyStream(source, stream{t: t, at: out.at, strides: out.bytes()}, shape, row.loop)
	out.loop, out.block = k, k
	l.setView(id, out)
}

// place says how an index becomes the number of a row: what has to be done to it.
type place struct {
	rows      int
	fromEnd   bool // it may be negative
	low, high bool // it may be below the first or above the last row, then
	ahead     int  // rows that a constant in the index adds, which the address has
}

// ahead leaves to the address what a constant adds to an index that needs nothing else.
func (l *lowerer) ahead(by graph.ID, p place) (graph.ID, place) {
	if p.fromEnd || p.high || l.g.Node(by).Op != graph.OpAdd || l.g.Node(by).Shape != graph.Scalar {
		return by, p
	}
	args := l.g.Args(by)
	for i, a := range args {
		if n := l.g.Node(a); n.Op == graph.OpConst {
			c, rest := int(int32(uint32(n.Word()))), l.bounds(args[1-i])
			if c >= 0 && rest.low >= 0 && rest.high+int64(c) < int64(p.rows) {
				p.ahead, l.leftOver = c, true
				return args[1-i], p
			}
		}
	}
	return by, p
}

// placeOf says what has to be done to the index by of n rows.
func (l *lowerer) placeOf(by graph.ID, n int) place {
	b := l.bounds(by)
	p := place{rows: n}
	if b.low < 0 {
		p.fromEnd = true
		p.low = b.low < -int64(n)
		p.high = b.high >= int64(n)
		return p
	}
	p.high = b.high >= int64(n)
	return p
}

// integer is a constant.
func (l *lowerer) integer(n int) lir.Val {
	v := l.word(uint64(uint32(int32(n))), lir.Int)
	l.fix(v)
	return v
}

// calculate is what computes an op on integers, of values and constants.
type calculate func(op graph.Op, a, b lir.Val) lir.Val

// row is the number of the row that an index takes.
func (p place) row(do calculate, constant func(int) lir.Val, index lir.Val) lir.Val {
	if p.fromEnd {
		sign := do(graph.OpShr, index, constant(31))
		index = do(graph.OpAdd, index, do(graph.OpAnd, sign, constant(p.rows)))
	}
	if p.low {
		index = do(graph.OpMax, index, constant(0))
	}
	if p.high {
		index = do(graph.OpMin, index, constant(p.rows-1))
	}
	return index
}

// bytes is the offset of a row, of so many bytes, from the first one.
func bytes(do calculate, constant func(int) lir.Val, row lir.Val, size int) lir.Val {
	if size > 0 && size&(size-1) == 0 {
		return do(graph.OpShl, row, constant(bits.TrailingZeros(uint(size))))
	}
	return do(graph.OpMul, row, constant(size))
}

// calculate emits scalar code.
func (l *lowerer) calculate(op graph.Op, a, b lir.Val) lir.Val {
	return l.apply(op, graph.I32, a, b, 0)
}

// find is a single instruction that finds a row.
func (l *lowerer) find(op lir.Op, index lir.Val, imm uint32) lir.Val {
	d := l.newVal(lir.Int, l.level[index])
	l.emit(l.level[index], lir.Ins{Op: op, A: index, D: d, Imm: imm})
	return d
}

// whole is the number of the row that an index takes.
func (l *lowerer) whole(p place, index lir.Val) lir.Val {
	return l.known(madeOf{index, number, p}, func() lir.Val {
		if op, imm, ok := p.direct(l.m, number); ok {
			return l.find(op, index, imm)
		}
		return p.row(l.calculate, l.integer, index)
	})
}

// scaled is the offset in bytes of that row from the first one, without those ahead.
func (p place) scaled(l *lowerer, index lir.Val, size int) lir.Val {
	return l.known(madeOf{index, size, p}, func() lir.Val {
		if op, imm, ok := p.direct(l.m, size); ok {
			return l.find(op, index, imm)
		}
		return bytes(l.calculate, l.integer, l.whole(p, index), size)
	})
}

// number in place of a size asks for the number of a row instead of its offset.
const number = -1

// direct is an instruction that finds a row of so many bytes, if there is one.
func (p place) direct(m *lir.Machine, size int) (op lir.Op, imm uint32, ok bool) {
	shift := 0
	if size != number {
		shift = bits.TrailingZeros(uint(size))
		if size <= 0 || size != 1<<shift {
			return 0, 0, false
		}
	}
	if !p.low && !p.high { // a sign is added faster
		return 0, 0, false
	}
	if p.low && !p.fromEnd { // no instruction takes the first row for a negative index
		return 0, 0, false
	}
	return m.RowOp(p.rows, shift, p.fromEnd)
}

// madeOf is how far a row lies behind the first, or its number.
type madeOf struct {
	index lir.Val
	size  int
	place place
}

// known is a value that is made once.
func (l *lowerer) known(of madeOf, made func() lir.Val) lir.Val {
	of.place.ahead = 0
	v, ok := l.offsets[of]
	if !ok {
		v = made()
		l.offsets[of] = v
	}
	return v
}

// table is what a step of a nest takes elements of.
type table struct {
	at    lir.Addr
	step  int // bytes between neighbours
	place place
}

// table has the operands of a node that takes elements.
func (n *nest) table(args []graph.ID) table {
	l := n.l
	v, _ := l.table(args[0])
	n.loop = max(n.loop, v.loop)
	return table{v.at, v.size * v.strides[0], l.placeOf(args[1], l.g.ShapeOf(args[0])[0])}
}

// take loads the element of a table at an index.
func (b *body) take(t graph.DType, from *table, index lir.Val) lir.Val {
	of := madeOf{index, from.step, from.place}
	offset, ok := b.offsets[of]
	if !ok {
		offset = b.offset(from, index)
		if b.offsets == nil {
			b.offsets = map[madeOf]lir.Val{}
		}
		b.offsets[of] = offset
	}
	v := b.newVal(t)
	b.emit(lir.Ins{Op: lir.Of(lir.LoadIn, b.moveType(t)), A: offset, D: v, Imm: uint32(from.at)})
	return v
}

// offset is how far behind the first the element of a table is that an index takes.
func (b *body) offset(from *table, index lir.Val) lir.Val {
	find := func(size int) (lir.Val, bool) {
		op, imm, ok := from.place.direct(b.n.l.m, size)
		if !ok {
			return 0, false
		}
		d := b.newVal(graph.I32)
		b.emit(lir.Ins{Op: op, A: index, D: d, Imm: imm})
		return d, true
	}
	if from.step == 0 { // all elements are one
		return b.n.l.integer(0)
	}
	if offset, ok := find(from.step); ok {
		return offset
	}
	do := func(op graph.Op, x, y lir.Val) lir.Val { return b.apply(op, graph.I32, [3]lir.Val{x, y}) }
	row, ok := find(number)
	if !ok {
		row = from.place.row(do, b.n.l.integer, index)
	}
	return bytes(do, b.n.l.integer, row, from.step)
}
