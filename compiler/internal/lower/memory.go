package lower

import "github.com/copaflash/copaflash/compiler/internal/lir"

// fromMemory lets ops of the body of a loop take an operand from memory, where there is
// code for that and nothing else needs the operand in a register. A block stores nothing
// that it reads, so the load may be done later.
func (p *program) fromMemory(loop *lir.Loop, b *lir.Block) {
	var loads map[lir.Val]int // by result: index of the load
	for i := range b.Ins {
		if b.Ins[i].Op.Code() == lir.LoadIn {
			if loads == nil {
				loads = map[lir.Val]int{}
			}
			loads[b.Ins[i].D] = i
		}
	}
	if loads == nil {
		return
	}
	uses := map[lir.Val]int{}
	for _, list := range [2][]lir.Ins{b.Ins, b.Updates} {
		for i := range list {
			for _, v := range list[i].Args() {
				uses[v]++
			}
		}
	}
	for _, phi := range loop.Phis {
		uses[phi.Next]++
	}
	gone := make([]bool, len(b.Ins))
	for i := range b.Ins {
		in := &b.Ins[i]
		op, ok := in.Op.FromMemory()
		if !ok || !p.m.Ops[op].Valid {
			continue
		}
		single := func(v lir.Val) bool { _, ok := loads[v]; return ok && uses[v] == 1 }
		if p.m.Ops[in.Op].Commutes && single(in.A) && !single(in.B) {
			in.A, in.B = in.B, in.A
		}
		if single(in.B) {
			k := loads[in.B]
			gone[k] = true
			in.Op, in.B, in.Imm = op, b.Ins[k].A, b.Ins[k].Imm
		}
	}
	kept := b.Ins[:0]
	for i, in := range b.Ins {
		if !gone[i] {
			kept = append(kept, in)
		}
	}
	b.Ins = kept
}
