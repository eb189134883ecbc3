package lower

import (
	"fmt"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// scanner lowers one static loop: l is the lowerer around it, b that of its body.
type scanner struct {
	l, b      *lowerer
	s         *graph.Scan
	args      []graph.ID
	used      []bool // by result
	loop      int32  // the loops of l that it belongs to
	iteration lir.Val
	count     lir.Addr // the word of the counter of a loop that carries in memory
	carry     []carry
	puts      map[graph.ID]put // see planIndexed
	moves     []pointer
	walks     int // pointers, as if what is written had some of its own
	shared    []shared
}

// carry is a carry that the iterations need.
type carry struct {
	index int       // among the carries
	id    graph.ID  // its param
	at    lir.Addr  // its place; in a loop that carries in registers, that of its last value
	outs  []lir.Val // in such a loop, that value, where it is used
}

// pointer walks an array with a row for each iteration.
type pointer struct {
	val  lir.Val // the offset of the row at hand
	slot lir.Addr
	from lir.Addr // in the first iteration
	step int      // bytes
}

// scan lowers all results of a loop that are needed. The body becomes a block, or
// blocks and loops of its own; in the first case the loop carries its values in
// registers.
func (l *lowerer) scan(group *graph.ScanGroup) error {
	s := l.g.Scans()[group.Loop]
	x := &scanner{l: l, s: s, args: l.g.Args(group.Nodes[0]), used: l.g.Used(group), loop: 1}
	carries, rows := s.Needs(x.used)
	var roots []graph.ID
	for k, id := range s.Results {
		if k < s.Carries && carries[k] || k >= s.Carries && rows[k-s.Carries] {
			roots = append(roots, id)
		}
	}
	x.b = newLowerer(l.program, s.Body, roots)
	x.b.inBody = true
	if x.bank(group, carries) {
		x.results(group)
		return nil
	}
	x.planInPlace(roots)
	x.b.findBelow()
	x.b.planAll(roots)
	x.b.keepLoops()
	x.b.leaveConditions()
	x.boundParams()
	x.placeIteration()
	for k, needed := range carries {
		if needed {
			x.placeCarry(k)
		}
	}
	x.b.sortStates()
	x.placeSlices()
	x.placeAllOutside()
	if err := x.b.nodes(); err != nil {
		return fmt.Errorf("in its body: %w", err)
	}
	for _, id := range group.Nodes {
		if _, out := l.g.ScanInfo(id); out >= s.Carries {
			x.writeRows(id, out)
		}
	}
	if x.inRegisters() {
		x.registerLoop()
	} else {
		if err := x.memoryLoop(); err != nil {
			return fmt.Errorf("in its body: %w", err)
		}
	}
	x.results(group)
	return nil
}

// results says where all results of the loop lie.
func (x *scanner) results(group *graph.ScanGroup) {
	for _, id := range group.Nodes {
		x.result(id)
	}
}

// needs reports whether the body reads a param.
func (x *scanner) needs(id graph.ID) bool { return x.b.uses[id] > 0 }

// carriedAsElements reports whether a param that is an array is one value for
// each element in the body.
func (l *lowerer) carriedAsElements(id graph.ID) bool {
	n := l.g.Elements(id)
	return !l.inPlace[id] && (l.mode == Always && n <= medium || l.mode == Auto && n <= small)
}

// elementsAt makes values in memory, one for each element of a param.
func (b *lowerer) elementsAt(id graph.ID, at lir.Addr) {
	c := lir.ClassOf(b.g.Node(id).DType)
	if b.g.Node(id).Shape == graph.Scalar {
		b.setHomed(id, at)
		return
	}
	vs := make([]lir.Val, b.g.Elements(id))
	for i := range vs {
		vs[i] = b.homed(c, at.Plus(c.Bytes()*i), 0)
	}
	b.setElems(id, vs)
}

// asElements reports whether a param is a value for each element.
func (b *lowerer) asElements(id graph.ID) bool {
	return b.g.Node(id).Shape == graph.Scalar || b.g.Elements(id) == 0 || b.carriedAsElements(id)
}

func (x *scanner) placeIteration() {
	x.count = x.l.f.Data.Slot()
	if id := x.s.Param(0); x.needs(id) {
		x.b.setHomed(id, x.count)
		x.iteration = lir.Val(x.b.ref[id])
	}
}

func (x *scanner) placeCarry(k int) {
	c := carry{index: k, id: x.s.Param(1 + k)}
	n, t := x.b.g.Elements(c.id), x.b.g.Node(c.id).DType
	place := view{strides: rowMajor(x.b.g.ShapeOf(c.id)), size: 4 * t.Words(), loop: 1}
	if x.b.g.Node(c.id).Shape == graph.Scalar {
		c.at = x.l.f.Data.SlotFor(lir.ClassOf(t))
	} else {
		c.at = x.l.f.Data.Room(n * t.Words())
	}
	place.at = c.at
	if x.b.asElements(c.id) {
		x.b.elementsAt(c.id, c.at)
	} else {
		x.b.setView(c.id, place)
	}
	if n > 0 {
		x.b.states = append(x.b.states, span{c.at, c.at.Plus(place.size * n)})
	}
	x.carry = append(x.carry, c)
}

// offset is a value n bytes behind the row of a pointer.
func (x *scanner) offset(ptr lir.Val, n int) lir.Val {
	if n == 0 {
		return ptr
	}
	v := x.b.newVal(lir.Int, 0)
	x.b.emit(0, lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: ptr, D: v, Imm: uint32(n)})
	x.b.settle(v)
	return v
}

// wordType is the type for moving a word: bools move as integers.
func wordType(t graph.DType) graph.DType {
	if t == graph.Bool {
		return graph.I32
	}
	return t
}

// placeAllOutside has the body read values from outside where they lie.
func (x *scanner) placeAllOutside() {
	for i := x.s.Carries + x.s.Slices; i < len(x.args); i++ {
		if id := x.s.Param(1 + i); x.needs(id) {
			x.placeOutside(id, x.args[i])
		}
	}
}

// placeOutside has it read one of them by a param.
func (x *scanner) placeOutside(id, arg graph.ID) {
	l, b := x.l, x.b
	if f := l.form[arg]; f == scalar || f == splat {
		v := lir.Val(l.ref[arg])
		home := l.settle(v)
		x.loop = max(x.loop, l.level[v]+1)
		inside := b.homed(l.f.Values[v].Class, home, 0)
		if l.isFixed(v) {
			b.fix(inside)
		}
		b.form[id], b.ref[id] = f, int32(inside)
		return
	}
	v := l.view(arg)
	x.loop = max(x.loop, v.loop)
	b.setView(id, view{at: v.at, size: v.size, strides: v.strides, loop: 1})
}

// writeRows has the iteration write its row of a result that stacks them.
func (x *scanner) writeRows(id graph.ID, out int) {
	l, b := x.l, x.b
	from := x.rowFrom(out)
	shape, t := b.g.ShapeOf(from), b.g.Node(from).DType
	n := shape.Elements()
	rows := l.newArray(l.g.ShapeOf(id), t)
	l.setView(id, rows)
	if n == 0 {
		return
	}
	ptr, ahead := x.pointer(rows.at, rows.size*n, rows.size*n)
	x.walks++
	if ahead > 0 {
		x.shared = append(x.shared, shared{ptr, ahead, rows.size * n})
	}
	if f := b.form[from]; f == memory || f == splat && n > medium {
		v := b.view(from)
		row := view{size: rows.size, strides: rowMajor(shape)}
		b.copyStream(stream{t: t, at: v.at, strides: v.bytes()}, stream{t: t, ptr: x.offset(ptr, ahead), strides: row.bytes()}, shape, v.loop)
		return
	}
	for i, v := range b.elements(from) {
		b.emit(b.level[v], lir.Ins{Op: lir.Of(lir.StoreAt, wordType(t)), A: v, B: ptr, Imm: uint32(rows.size*i + ahead)})
	}
}

// inRegisters reports whether the loop can carry its values in registers: the body
// is one block.
func (x *scanner) inRegisters() bool {
	if len(x.b.blocks) > 1 {
		return false
	}
	for i := range x.carry {
		if c := &x.carry[i]; !x.b.asElements(c.id) && !x.isIndexed(c) {
			return false
		}
	}
	return true
}

// registerLoop makes an inner loop of the body.
func (x *scanner) registerLoop() {
	l, f := x.l, x.l.f
	if x.iteration == 0 {
		x.iteration = x.b.newVal(lir.Int, 0)
	}
	loop := &lir.Loop{Step: 1, Length: int32(x.s.Iterations), Phis: []lir.Phi{{Val: x.iteration, From: lir.NoAddr}}}
	f.Values[x.iteration].Home = lir.NoAddr
	var updates []lir.Ins
	for i := range x.carry {
		c := &x.carry[i]
		if !x.b.asElements(c.id) {
			x.start(*c)
			updates = append(updates, x.b.putNumber(x.puts[c.id], c.at, 0))
			continue
		}
		first, next := l.elements(x.args[c.index]), x.b.elements(x.s.Results[c.index])
		for i, v := range x.b.elements(c.id) {
			p := lir.Phi{Val: v, Next: next[i], Init: first[i]}
			l.settle(first[i])
			x.loop = max(x.loop, l.level[first[i]]+1)
			loop.Phis = append(loop.Phis, p)
		}
	}
	// Only now: the value of one may be the next value of another.
	k := 1
	for n := range x.carry {
		c := &x.carry[n]
		if !x.b.asElements(c.id) {
			continue
		}
		for i, v := range x.b.elements(c.id) {
			f.Values[v].Home = lir.NoAddr
			if x.used[c.index] {
				loop.Phis[k].Out = l.homed(f.Values[v].Class, c.at.Plus(f.Values[v].Class.Bytes()*i), local)
				c.outs = append(c.outs, loop.Phis[k].Out)
			}
			k++
		}
	}
	block := x.b.blocks[0]
	one := block
	if len(updates) > 0 { // what one iteration puts the next may take
		fence := []lir.Ins{{Op: lir.Of(lir.Fence, graph.I32)}}
		one = slices.Concat(block, fence, updates, fence)
	}
	times := x.repeats(loop, one)
	if times > 1 {
		block, updates = x.repeat(loop, one, times), nil
		x.separate(block, times)
	}
	for _, p := range x.moves {
		f.Values[p.val].Home = lir.NoAddr
		next := x.b.newVal(lir.Int, 0)
		block = append(block, lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: p.val, D: next, Imm: uint32(times * p.step)})
		loop.Phis = append(loop.Phis, lir.Phi{Val: p.val, Next: next, From: p.from})
	}
	if x.countsApart(loop, block, updates) {
		next := x.b.newVal(lir.Int, 0)
		block = append(block, lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: x.iteration, D: next, Imm: uint32(times)})
		loop.Phis = append(loop.Phis, lir.Phi{Val: x.iteration, Next: next, From: lir.NoAddr})
		loop.Phis[0].Val = x.b.newVal(lir.Int, 0)
	}
	loop.Body = []lir.Item{{Block: &lir.Block{Ins: block, Updates: updates}}}
	x.place(lir.Item{Loop: loop})
}

// countsApart reports whether the number of the iteration is read, and would be better off beside a counter: one that
// counts down ends the loop without a limit to compare with.
func (x *scanner) countsApart(loop *lir.Loop, block, updates []lir.Ins) bool {
	m := x.l.m
	if !m.Ops[lir.Of(lir.CountEnd, graph.I32)].Valid {
		return false
	}
	ints, read := 0, false
	for _, p := range loop.Phis {
		if x.l.f.Values[p.Val].Class == lir.Int {
			ints++
		}
		read = read || p.Next == x.iteration
	}
	for _, list := range [2][]lir.Ins{block, updates} {
		for i := range list {
			args := list[i].Args()
			read = read || slices.Contains(args[:], x.iteration)
		}
	}
	return read && ints+1+bodyInts <= m.Regs[lir.Int]
}

// memoryLoop makes a loop around the blocks and loops of the body.
func (x *scanner) memoryLoop() error {
	l, b := x.l, x.b
	var list []update
	for _, c := range x.carry {
		x.start(c)
		if next := x.s.Results[c.index]; next != c.id {
			list = append(list, update{next, c.at})
		}
	}
	if err := b.updateAll(list); err != nil {
		return err
	}
	before, latch := &lir.Block{}, &lir.Block{}
	for _, p := range x.moves {
		first, now, next := l.newVal(lir.Int, local), l.homed(lir.Int, p.slot, local), l.newVal(lir.Int, local)
		before.Ins = append(before.Ins,
			lir.Ins{Op: lir.Of(lir.Address, graph.I32), D: first, Imm: uint32(p.from)},
			lir.Ins{Op: lir.Of(lir.Store, graph.I32), A: first, Imm: uint32(p.slot)})
		latch.Ins = append(latch.Ins,
			lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: now, D: next, Imm: uint32(p.step)},
			lir.Ins{Op: lir.Of(lir.Store, graph.I32), A: next, Imm: uint32(p.slot)})
	}
	if len(before.Ins) > 0 {
		x.place(lir.Item{Block: before})
	}
	// The latch makes a second item at least: what has one block is an inner loop.
	body := append(b.items(), lir.Item{Block: latch})
	if len(body) == 1 {
		body = append(body, lir.Item{Block: &lir.Block{}})
	}
	x.place(lir.Item{Loop: &lir.Loop{Body: body, Step: 1, Length: int32(x.s.Iterations), Counter: x.count}})
	return nil
}

// start copies the first value of a carry to its place.
func (x *scanner) start(c carry) {
	l, arg := x.l, x.args[c.index]
	shape := l.g.ShapeOf(arg)
	switch f := l.form[arg]; {
	case shape.Elements() == 0:
	case f == memory || f == splat && shape.Elements() > medium:
		v := l.view(arg)
		x.loop = max(x.loop, l.copyTo(v, shape, c.at, l.g.Node(arg).DType))
	default:
		for i, v := range l.elements(arg) {
			l.store(v, c.at.Plus(l.f.Values[v].Class.Bytes()*i))
			x.loop = max(x.loop, l.level[v]+1)
		}
	}
}

func (x *scanner) place(it lir.Item) { x.l.placeAfter(x.loop, it) }

// result says where a result of the loop lies.
func (x *scanner) result(id graph.ID) {
	l := x.l
	_, out := l.g.ScanInfo(id)
	if out >= x.s.Carries {
		v := &l.views[l.ref[id]]
		v.loop, v.block = x.loop, x.loop
		return
	}
	i := slices.IndexFunc(x.carry, func(c carry) bool { return c.index == out })
	c := &x.carry[i]
	for _, v := range c.outs {
		l.level[v] = x.loop
	}
	switch n := l.g.Node(id); {
	case n.Shape == graph.Scalar && c.outs != nil:
		l.form[id], l.ref[id] = scalar, int32(c.outs[0])
	case n.Shape == graph.Scalar:
		l.form[id], l.ref[id] = scalar, int32(l.homed(lir.ClassOf(n.DType), c.at, x.loop))
	case c.outs != nil:
		l.setElems(id, c.outs)
	default:
		l.setView(id, view{at: c.at, size: 4 * n.DType.Words(), strides: rowMajor(l.g.ShapeOf(id)), loop: x.loop, block: x.loop})
	}
}
