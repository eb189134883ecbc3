package lower

import (
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

// constantOf is the value of an integer that is a constant.
func (p *program) constantOf(v lir.Val) (uint32, bool) {
	if v == 0 || !p.isFixed(v) {
		return 0, false
	}
	return uint32(p.bits(v, graph.I32)), true
}
