package lower

import (
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

var (
	shlOp, shrOp = lir.Of(graph.OpShl, graph.I32), lir.Of(graph.OpShr, graph.I32)
	andOp        = lir.Of(graph.OpAnd, graph.I32)
	shlBy, shrBy = lir.Of(lir.ShlBy, graph.I32), lir.Of(lir.ShrBy, graph.I32)
	ushrBy       = lir.Of(lir.UshrBy, graph.I32)
)

// shorten replaces shifts by a constant from 1 to 31, whose count needs no check, and those
// to the right whose copies of the sign a mask takes away.
func (p *program) shorten(loop *lir.Loop, b *lir.Block) {
	if !p.m.Ops[shrBy].Valid {
		return
	}
	var shifted map[lir.Val]int // by result: index of the shift to the right
	for i := range b.Ins {
		in := &b.Ins[i]
		switch in.Op {
		case shlOp, shrOp:
			n, ok := p.constantOf(in.B)
			if !ok || n == 0 || n > 31 {
				continue
			}
			if in.Op == shlOp {
				in.Op, in.B, in.Imm = shlBy, 0, n
				continue
			}
			in.Op, in.B, in.Imm = shrBy, 0, n
			if shifted == nil {
				shifted = map[lir.Val]int{}
			}
			shifted[in.D] = i
		}
	}
	if shifted != nil {
		p.withoutSigns(loop, b, shifted)
	}
}

// withoutSigns makes one shift of those whose signs are masked and of the mask.
func (p *program) withoutSigns(loop *lir.Loop, b *lir.Block, shifted map[lir.Val]int) {
	gone := false
	for i := range b.Ins {
		in := &b.Ins[i]
		if in.Op != andOp {
			continue
		}
		x, mask := in.A, in.B
		if _, ok := shifted[x]; !ok {
			x, mask = mask, x
		}
		k, ok := shifted[x]
		if m, known := p.constantOf(mask); ok && known && m == 1<<(32-b.Ins[k].Imm)-1 {
			in.Op, in.A, in.B, in.Imm = ushrBy, b.Ins[k].A, 0, b.Ins[k].Imm
			gone = true
		}
	}
	if !gone {
		return
	}
	p.dropUnused(loop, b)
}

// sumsOfShifts makes products of vectors with numbers of two bits, or of some in a row, a sum or difference of shifts, where that
// is shorter.
func (l *lowerer) sumsOfShifts(b *lir.Block) {
	var out []lir.Ins
	for i, in := range b.Ins {
		sum := l.sumOfShifts(in)
		if sum != nil && out == nil {
			out = slices.Clone(b.Ins[:i])
		}
		if sum == nil && out != nil {
			sum = []lir.Ins{in}
		}
		out = append(out, sum...)
	}
	if out != nil {
		b.Ins = out
	}
}

// sumOfShifts is such a product as shifts and their sum, or nil.
func (l *lowerer) sumOfShifts(in lir.Ins) []lir.Ins {
	t := in.Op.DType()
	if in.Op.Code() != graph.OpMul || lir.Element(t) != graph.I32 || lir.Lanes(t) == 1 {
		return nil
	}
	x, n, _, ok := l.withNumber(&in)
	if !ok || n == 0 {
		return nil
	}
	low := bits.TrailingZeros32(n)
	op, high := graph.OpAdd, bits.Len32(n)-1
	if odd := n >> low; odd&(odd+1) == 0 && odd > 1 {
		op, high = graph.OpSub, high+1
	} else if n != 1<<high|1<<low {
		return nil
	}
	shift, join := lir.Of(lir.ShlBy, t), lir.Of(op, t)
	cost := l.m.Ops[join].Insns + l.m.Ops[shift].Insns
	if low > 0 {
		cost += l.m.Ops[shift].Insns
	}
	if high == low || high > 31 || !l.m.Ops[shift].Valid || cost >= l.m.Ops[in.Op].Insns {
		return nil
	}
	first, second := l.newWide(lir.Lanes(t)), x
	list := []lir.Ins{{Op: shift, A: x, D: first, Imm: uint32(high)}}
	if low > 0 {
		second = l.newWide(lir.Lanes(t))
		list = append(list, lir.Ins{Op: shift, A: x, D: second, Imm: uint32(low)})
	}
	return append(list, lir.Ins{Op: join, A: first, B: second, D: in.D})
}

// withNumber are the operand of an instruction that is no constant, and the constant that is the other one: on the right or left.
func (p *program) withNumber(in *lir.Ins) (of lir.Val, n uint32, left, ok bool) {
	if n, ok = p.constantOf(in.B); ok {
		return in.A, n, false, true
	}
	n, ok = p.constantOf(in.A)
	return in.B, n, ok, ok
}

// constantOf is the value of an integer that is a constant.
func (p *program) constantOf(v lir.Val) (uint32, bool) {
	if v == 0 || !p.isFixed(v) {
		return 0, false
	}
	return uint32(p.bits(v, graph.I32)), true
}
