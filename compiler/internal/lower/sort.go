package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// sorts reports whether a node is computed by a kernel that sorts.
func sorts(op graph.Op) bool { return op == graph.OpSort || op == graph.OpArgsort }

// sortOp is the kernel for lines of n elements of type t.
func (l *lowerer) sortOp(op graph.Op, t graph.DType, n int) graph.Op {
	ops := [2]graph.Op{lir.SortInts, lir.SortFloats}
	switch {
	case op == graph.OpArgsort:
		ops = [2]graph.Op{lir.OrderInts, lir.OrderFloats}
	case n <= l.m.ShortLine():
		ops = [2]graph.Op{lir.InsertInts, lir.InsertFloats}
	}
	if t.IsFloat() {
		return ops[1]
	}
	return ops[0]
}

// sort lowers a node that sorts lines, each by a call of a kernel. A line of results is filled up,
// by as much of what lies behind it, which the next line overwrites.
func (l *lowerer) sort(id graph.ID) {
	op, from := l.g.Node(id).Op, l.g.Args(id)[0]
	shape, t := l.g.ShapeOf(id), l.g.Node(from).DType
	if shape.Elements() == 0 {
		l.setElems(id, nil)
		return
	}
	v := l.view(from)
	if !v.contiguous(shape) {
		v = l.copyView(v, shape, t)
	}
	n := shape[len(shape)-1]
	kernel := l.sortOp(op, t, n)
	how := lir.SortingOf(kernel, n)
	lines := shape.Elements() / how.N
	c := &sortCall{l: l, how: how, from: v.at,
		to:   l.f.Data.Room((lines-1)*how.N + how.Whole()),
		work: l.f.Data.Room(how.Scratch(op == graph.OpArgsort)),
		op:   kernel,
	}
	k := max(v.loop, 1)
	l.placeAfter(k, c.items(lines)...)
	l.setView(id, view{at: c.to, size: 4, strides: rowMajor(shape), loop: k, block: k})
}

// sortCall makes the code around the calls.
type sortCall struct {
	l              *lowerer
	how            lir.Sorting
	from, to, work lir.Addr
	op             graph.Op
	block          *lir.Block
}

func (c *sortCall) items(lines int) []lir.Item {
	describe, call := &lir.Block{}, &lir.Block{}
	c.block = describe
	words := []int{c.how.N, c.how.Run, c.how.Passes}
	if c.op == lir.InsertInts || c.op == lir.InsertFloats {
		words = words[:1]
	}
	for i, n := range words {
		c.store(c.l.word(uint64(n), lir.Int), 1+i)
	}
	if lines == 1 {
		c.store(c.address(c.from), 0)
		c.block = call
		c.call(c.address(c.to))
		return []lir.Item{{Block: describe}, {Block: call}}
	}
	slot := c.l.f.Data.Slot()
	line := c.l.homed(lir.Int, slot, local)
	first := &lir.Block{}
	c.block = first
	c.store(c.add(c.address(c.from), line), 0)
	c.block = call
	c.call(c.add(c.address(c.to), line))
	bytes := int32(4 * c.how.N)
	return []lir.Item{{Block: describe}, {Loop: &lir.Loop{
		Body: []lir.Item{{Block: first}, {Block: call}}, Step: bytes, Length: bytes * int32(lines), Counter: slot,
	}}}
}

func (c *sortCall) emit(in lir.Ins) lir.Val {
	if in.Op.Code() != lir.Store && in.Op.Code() != c.op {
		in.D = c.l.newVal(lir.Int, local)
	}
	c.block.Ins = append(c.block.Ins, in)
	c.l.ops++
	return in.D
}

func (c *sortCall) store(v lir.Val, word int) {
	c.emit(lir.Ins{Op: lir.Of(lir.Store, graph.I32), A: v, Imm: uint32(c.work.Plus(4 * word))})
}

func (c *sortCall) address(a lir.Addr) lir.Val {
	return c.emit(lir.Ins{Op: lir.Of(lir.Address, graph.I32), Imm: uint32(a)})
}

func (c *sortCall) add(a, b lir.Val) lir.Val {
	return c.emit(lir.Ins{Op: lir.Of(graph.OpAdd, graph.I32), A: a, B: b})
}

func (c *sortCall) call(to lir.Val) {
	c.emit(lir.Ins{Op: lir.Of(c.op, graph.I32), A: to, B: c.address(c.work), Imm: uint32(c.how.N)})
}
