package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// codes are ops of the graph.
type codes [graph.NumOps]bool

// codesOf says which ops are in a block, and which of them on integers: most passes look for few. Shifts by constants
// count as others do.
func codesOf(b *lir.Block) (has, ints codes) {
	for i := range b.Ins {
		op := b.Ins[i].Op
		if code := op.Code(); code < graph.NumOps {
			has[code] = true
			ints[code] = ints[code] || lir.Element(op.DType()) == graph.I32
		} else if op == shrBy || op == ushrBy || op.Code() == lir.ShrBack {
			has[graph.OpShr], ints[graph.OpShr] = true, true
		}
	}
	return has, ints
}

// combine makes one instruction of two in a block, of which the first makes an operand of the second that nothing else
// uses: into changes an instruction that is such a second one, and gives the operand that is gone; 0 for any other.
func (l *lowerer) combine(loop *lir.Loop, b *lir.Block, into func(*chooser, *lir.Ins) lir.Val) {
	c := &chooser{lowerer: l, b: b}
	c.count(loop)
	gone := map[lir.Val]bool{}
	for i := range b.Ins {
		if v := into(c, &b.Ins[i]); v != 0 {
			gone[v] = true
		}
	}
	if len(gone) > 0 {
		b.Ins = slices.DeleteFunc(b.Ins, func(in lir.Ins) bool { return gone[in.D] })
	}
}

// second is the second operand of an instruction, or the first where it commutes, if one that is so makes it for nothing else;
// first is the other one.
func (c *chooser) second(in *lir.Ins, commutes bool, is func(*lir.Ins) bool) (first, second lir.Val, by *lir.Ins) {
	if by = c.once(in.B); by != nil && is(by) {
		return in.A, in.B, by
	}
	if by = c.once(in.A); commutes && by != nil && is(by) {
		return in.B, in.A, by
	}
	return 0, 0, nil
}

// withSecondShifted are, for ops on integers, those whose second operand is shifted as by ShlBy, ShrBy, UshrBy and ShrBack.
var withSecondShifted = map[graph.Op]map[graph.Op]graph.Op{
	graph.OpAdd: {lir.ShlBy: lir.AddShl, lir.ShrBy: lir.AddShr, lir.UshrBy: lir.AddUshr, lir.ShrBack: lir.AddShrBack},
	graph.OpSub: {lir.ShlBy: lir.SubShl, lir.ShrBy: lir.SubShr, lir.UshrBy: lir.SubUshr},
	graph.OpAnd: {lir.ShlBy: lir.AndShl, lir.ShrBy: lir.AndShr, lir.UshrBy: lir.AndUshr},
	graph.OpOr:  {lir.ShlBy: lir.OrShl, lir.ShrBy: lir.OrShr, lir.UshrBy: lir.OrUshr},
	graph.OpXor: {lir.ShlBy: lir.XorShl, lir.ShrBy: lir.XorShr, lir.UshrBy: lir.XorUshr},
}

// secondShifts makes one instruction of a shift by a constant and of what alone uses its result, as Arm has it.
func (l *lowerer) secondShifts(loop *lir.Loop, b *lir.Block) {
	if !l.m.Ops[lir.Of(lir.AddShl, graph.I32)].Valid {
		return
	}
	l.combine(loop, b, func(c *chooser, in *lir.Ins) lir.Val {
		by, t := withSecondShifted[in.Op.Code()], in.Op.DType()
		if by == nil || lir.Element(t) != graph.I32 {
			return 0
		}
		first, second, shift := c.second(in, in.Op.Code() != graph.OpSub, func(shift *lir.Ins) bool {
			both, ok := by[shift.Op.Code()]
			return ok && l.m.Ops[lir.Of(both, t)].Valid
		})
		if shift == nil {
			return 0
		}
		*in = lir.Ins{Op: lir.Of(by[shift.Op.Code()], t), A: first, B: shift.A, D: in.D, Imm: shift.Imm}
		return second
	})
}

// withProduct are the ops whose last operand is a product: MulAdd is an addition.
var withProduct = map[graph.Op]graph.Op{graph.OpAdd: lir.MulAdd, graph.OpSub: lir.MulSub}

// products makes one instruction of a product of integers and of the sum or difference that alone uses it, where there is one.
func (l *lowerer) products(loop *lir.Loop, b *lir.Block) {
	if !l.m.Ops[lir.Of(lir.MulAdd, graph.I32)].Valid {
		return
	}
	multiplies := func(in *lir.Ins) bool {
		return in.Op.Code() == graph.OpMul && l.m.Ops[lir.Of(lir.MulAdd, in.Op.DType())].Valid
	}
	l.combine(loop, b, func(c *chooser, in *lir.Ins) lir.Val {
		with, ok := withProduct[in.Op.Code()]
		op := lir.Of(with, in.Op.DType())
		if !ok || !l.m.Ops[op].Valid {
			return 0
		}
		first, product, by := c.second(in, with == lir.MulAdd, multiplies)
		if by == nil {
			return 0
		}
		*in = lir.Ins{Op: op, A: first, B: by.A, C: by.B, D: in.D}
		return product
	})
}

// differences makes one instruction of a difference of floats and of the magnitude that alone uses it, where there is one.
func (l *lowerer) differences(loop *lir.Loop, b *lir.Block) {
	l.combine(loop, b, func(c *chooser, in *lir.Ins) lir.Val {
		op := lir.Of(lir.AbsDiff, in.Op.DType())
		if in.Op.Code() != graph.OpAbs || !l.m.Ops[op].Valid {
			return 0
		}
		by := c.once(in.A)
		if by == nil || by.Op.Code() != graph.OpSub {
			return 0
		}
		gone := in.A
		*in = lir.Ins{Op: op, A: by.A, B: by.B, D: in.D}
		return gone
	})
}

var toI32 = lir.Of(graph.OpToI32, graph.F32)

// roundedCasts are the casts to an integer that round as an op does.
var roundedCasts = map[lir.Op]lir.Op{
	lir.Of(graph.OpFloor, graph.F32): lir.Of(lir.FloorToInt, graph.F32),
	lir.Of(graph.OpCeil, graph.F32):  lir.Of(lir.CeilToInt, graph.F32),
	lir.Of(graph.OpRound, graph.F32): lir.Of(lir.RoundToInt, graph.F32),
}

// castRounded casts what was rounded to a float for nothing else as it is rounded: the float takes many
// instructions where none rounds to one, since it keeps its sign, and its value beyond all integers.
func (l *lowerer) castRounded(loop *lir.Loop, b *lir.Block) {
	rounds := func(in *lir.Ins) bool {
		cast, ok := roundedCasts[in.Op]
		return ok && l.m.Ops[cast].Valid
	}
	l.combine(loop, b, func(c *chooser, in *lir.Ins) lir.Val {
		rounding := c.once(in.A)
		if in.Op != toI32 || rounding == nil || !rounds(rounding) {
			return 0
		}
		gone := in.A
		in.Op, in.A = roundedCasts[rounding.Op], rounding.A
		return gone
	})
}
