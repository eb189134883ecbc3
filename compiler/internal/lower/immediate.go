package lower

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// aComparison is what a comparison with a number is, once that stands on the right.
type aComparison struct {
	by   graph.Op // the comparison that has the number in its code
	next bool     // with the next larger number
}

var comparisonsBy = map[graph.Op]aComparison{
	graph.OpLt: {by: lir.LtBy},
	graph.OpLe: {by: lir.LtBy, next: true},
	graph.OpGt: {by: lir.GeBy, next: true},
	graph.OpGe: {by: lir.GeBy},
	graph.OpEq: {by: lir.EqBy},
	graph.OpNe: {by: lir.NeBy},
}

// bitsBy are the ops on bits that have the number in their code.
var bitsBy = map[graph.Op]graph.Op{graph.OpAnd: lir.AndBy, graph.OpOr: lir.OrBy, graph.OpXor: lir.XorBy}

// immediates makes numbers part of the additions, subtractions, comparisons and ops on bits of integers that take them from
// registers, where they fit: these are few, and hold what the program computes.
func (p *program) immediates(b *lir.Block) {
	if !p.m.Ops[lir.Of(lir.AddBy, graph.I32)].Valid {
		return
	}
	for i := range b.Ins {
		in := &b.Ins[i]
		if in.Op.DType() != graph.I32 {
			continue
		}
		switch code := in.Op.Code(); code {
		case graph.OpAdd, graph.OpSub:
			p.sumBy(in, code == graph.OpSub)
		case graph.OpAnd, graph.OpOr, graph.OpXor:
			if of, n, _, ok := p.withNumber(in); ok {
				p.takes(in, bitsBy[code], of, int64(int32(n)))
			}
		default:
			if comparison, ok := comparisonsBy[code]; ok {
				p.compareBy(in, comparison)
			}
		}
	}
}

// takes makes an instruction op with the number n, if that fits its code.
func (p *program) takes(in *lir.Ins, op graph.Op, of lir.Val, n int64) bool {
	info := &p.m.Ops[lir.Of(op, graph.I32)]
	if !info.Valid || n < int64(info.MinImm) || n > int64(info.MaxImm) {
		return false
	}
	*in = lir.Ins{Op: lir.Of(op, graph.I32), A: of, D: in.D, Imm: uint32(n)}
	return true
}

func (p *program) sumBy(in *lir.Ins, minus bool) {
	of, n, left, ok := p.withNumber(in)
	if !ok || left && minus {
		return
	}
	by := int64(int32(n))
	if minus {
		by = -by
	}
	if !p.takes(in, lir.AddBy, of, by) {
		p.takes(in, lir.SubBy, of, -by)
	}
}

func (p *program) compareBy(in *lir.Ins, by aComparison) {
	of, n, left, ok := p.withNumber(in)
	if left {
		by = comparisonsBy[relations[in.Op.Code()].turned]
	}
	limit := int64(int32(n))
	if by.next {
		limit++
	}
	if ok && limit <= math.MaxInt32 {
		p.takes(in, by.by, of, limit)
	}
}

// aTruth is a shorter value that is 0 or not, as a comparison of integers is, or the other way round.
type aTruth struct {
	op      graph.Op
	reverse bool
}

var truths = map[graph.Op]aTruth{
	graph.OpEq: {op: graph.OpXor, reverse: true},
	graph.OpNe: {op: graph.OpXor},
	graph.OpGe: {op: graph.OpLt, reverse: true},
	graph.OpLe: {op: graph.OpGt, reverse: true},
	lir.GeBy:   {op: lir.LtBy, reverse: true},
	lir.EqBy:   {op: lir.AddBy, reverse: true},
	lir.NeBy:   {op: lir.AddBy},
}

// shortTruths makes such values of comparisons that nothing but selects read, which ask no more of a condition but for doubles: where
// there are no tests, which are shorter still.
func (l *lowerer) shortTruths(loop *lir.Loop, b *lir.Block) {
	c := &chooser{lowerer: l, b: b}
	if l.m.Ops[lir.Of(lir.Test, graph.I32)].Valid || !c.selects() {
		return
	}
	c.count(loop)
	selects := map[lir.Val]int{} // by condition
	for i := range c.b.Ins {
		if in := &c.b.Ins[i]; isSelect(in) && in.Op.DType() != graph.F64 {
			selects[in.A]++
		}
	}
	room, read := c.room(loop)
	same, reversed := map[lir.Val]lir.Val{}, map[lir.Val]bool{}
	for i := range c.b.Ins {
		in := &c.b.Ins[i]
		if n := selects[in.D]; n == 0 || n != c.uses[in.D] {
			continue
		}
		if in.Imm == 0 && (in.Op.Code() == lir.EqBy || in.Op.Code() == lir.NeBy) {
			same[in.D], reversed[in.D] = in.A, in.Op.Code() == lir.EqBy
			continue
		}
		c.byRegister(in, &room, read)
		if truth, ok := c.truth(in); ok {
			reversed[in.D] = truths[in.Op.Code()].reverse
			*in = truth
		}
	}
	c.leftOver = c.leftOver || len(same) > 0
	for i := range c.b.Ins {
		in := &c.b.Ins[i]
		if !isSelect(in) {
			continue
		}
		if reversed[in.A] {
			in.B, in.C = in.C, in.B
		}
		if of, ok := same[in.A]; ok {
			in.A = of
		}
	}
}

// truth is the shorter value, if there is one.
func (c *chooser) truth(in *lir.Ins) (lir.Ins, bool) {
	truth, ok := truths[in.Op.Code()]
	if t := in.Op.DType(); !ok || t != graph.I32 && t != graph.Bool {
		return lir.Ins{}, false
	}
	short := *in
	short.Op = lir.Of(truth.op, in.Op.DType())
	if truth.op == lir.AddBy && !c.takes(&short, lir.AddBy, in.A, -int64(int32(in.Imm))) {
		return lir.Ins{}, false
	}
	return short, c.m.Ops[short.Op].Valid && c.cost(short.Op) < c.cost(in.Op)
}

// room is for how many words a loop is likely to have registers, beside those that it reads, where branches compare two of them.
func (c *chooser) room(loop *lir.Loop) (room int, read map[lir.Val]bool) {
	if loop == nil || !loop.Inner() || !c.m.Ops[lir.Of(lir.SkipLess, graph.I32)].Valid {
		return 0, nil
	}
	read = map[lir.Val]bool{}
	for i := range c.b.Ins {
		in := &c.b.Ins[i]
		if c.m.Ops[in.Op].Kernel {
			return 0, nil
		}
		for _, v := range in.Args() {
			if _, made := c.made[v]; v != 0 && !made && lir.ClassOf(c.f.Values[v].Type()) == lir.Int {
				read[v] = true
			}
		}
	}
	return c.m.Regs[lir.Int] - leftInts - len(read), read
}

// leftInts is how many registers are left to the counter of a loop and to what its body computes.
const leftInts = 7

// registersOf are the comparisons of registers by those with a number.
var registersOf = map[graph.Op]graph.Op{lir.LtBy: graph.OpLt, lir.GeBy: graph.OpGe, lir.EqBy: graph.OpEq, lir.NeBy: graph.OpNe}

// byRegister has a comparison with a number take it from a register, if there is room or one that is read anyway: as a branch it needs
// no other instruction then. One with 0 or 1 that goes by the sign does not anyway.
func (c *chooser) byRegister(in *lir.Ins, room *int, read map[lir.Val]bool) {
	op, ok := registersOf[in.Op.Code()]
	less := in.Op.Code() == lir.LtBy || in.Op.Code() == lir.GeBy
	number := c.words[constant{uint64(in.Imm), lir.Int}]
	if !ok || less && in.Imm <= 1 && c.m.Ops[lir.Of(lir.SkipNegative, graph.I32)].Valid || *room <= 0 && !read[number] {
		return
	}
	if !read[number] {
		number = c.word(uint64(in.Imm), lir.Int)
		read[number] = true
		*room--
	}
	*in = lir.Ins{Op: lir.Of(op, graph.I32), A: in.A, B: number, D: in.D}
}

// zeros makes comparisons with 0 shorter that give 1 or 0, where there is code for it.
func (p *program) zeros(b *lir.Block) {
	isZero := lir.Of(lir.IsZero, graph.I32)
	if !p.m.Ops[isZero].Valid {
		return
	}
	for i := range b.Ins {
		in := &b.Ins[i]
		switch {
		case in.Imm != 0 || in.Op.DType() != graph.I32:
		case in.Op.Code() == lir.EqBy:
			in.Op = isZero
		case in.Op.Code() == lir.NeBy:
			in.Op = lir.Of(graph.OpToBool, graph.I32)
		}
	}
}
