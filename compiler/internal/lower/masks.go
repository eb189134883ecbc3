package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// maskOf are the ops that give a mask where comparisons of lanes give 0 or 1.
var maskOf = map[graph.Op]graph.Op{
	graph.OpLt: lir.MaskLT, graph.OpLe: lir.MaskLE, graph.OpGt: lir.MaskGT, graph.OpGe: lir.MaskGE, graph.OpEq: lir.MaskEQ, graph.OpNe: lir.MaskNE,
}

// masks has comparisons of lanes that nothing but selects read, perhaps by way of And, Or and Xor, give masks.
func (l *lowerer) masks(loop *lir.Loop, b *lir.Block) {
	if !l.m.Ops[lir.Of(lir.Choose, lir.F32x4)].Valid {
		return
	}
	c := &chooser{lowerer: l, b: b}
	c.count(loop)
	isMask := map[lir.Val]bool{}
	joins := func(in *lir.Ins) bool {
		code := in.Op.Code()
		return in.Op.DType() == lir.Boolx4 && (code == graph.OpAnd || code == graph.OpOr || code == graph.OpXor)
	}
	chooses := func(in *lir.Ins) bool {
		return in.Op.Code() == graph.OpSelect && l.m.Ops[lir.Of(lir.Choose, in.Op.DType())].Valid
	}
	for i := range b.Ins {
		in := &b.Ins[i]
		code, compares := maskOf[in.Op.Code()]
		if compares && l.m.Ops[lir.Of(code, in.Op.DType())].Valid || joins(in) {
			isMask[in.D] = true
		}
	}
	for changed := len(isMask) > 0; changed; {
		changed = false
		reads := map[lir.Val]int{} // as masks
		for i := range b.Ins {
			switch in := &b.Ins[i]; {
			case chooses(in) && in.A != in.B && in.A != in.C:
				reads[in.A]++
			case joins(in) && isMask[in.D] && isMask[in.A] && isMask[in.B]:
				reads[in.A]++
				reads[in.B]++
			case joins(in) && isMask[in.D]:
				isMask[in.D], changed = false, true
			}
		}
		for v, is := range isMask {
			if is && reads[v] != c.uses[v] {
				isMask[v], changed = false, true
			}
		}
	}
	for i := range b.Ins {
		in := &b.Ins[i]
		switch {
		case isMask[in.D] && !joins(in):
			in.Op = lir.Of(maskOf[in.Op.Code()], in.Op.DType())
		case chooses(in) && isMask[in.A]:
			in.Op = lir.Of(lir.Choose, in.Op.DType())
		}
	}
}
