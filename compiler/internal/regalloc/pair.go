package regalloc

import (
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// near is how many instructions apart two loads or stores are at most that become one: farther away, few
// registers are still what they were.
const near = 32

// joined marks an instruction that is part of another one now.
const joined = lir.Op(0xffff)

// join makes one instruction of two loads or stores of neighbouring words, where the architecture has
// such a one for their registers: from an index on, in the code of one block. The second load moves up to
// the first one, the first store down to the second.
func (a *allocator) join(from int) {
	if !a.m.Ops[load2Int].Valid {
		return
	}
	insts := a.code.Insts[from:]
	found := false
	for i := range insts {
		two, ok := a.pairs(&insts[i])
		if !ok {
			continue
		}
		for j := i + 1; j < min(len(insts), i+1+near); j++ {
			both, ok := a.both(two, &insts[i], &insts[j])
			if !ok {
				continue
			}
			moved, stays, between := j, i, insts[i+1:j]
			if writes, _ := two.Writes(); writes {
				moved, stays = i, j
			}
			if a.passes(&insts[moved], between) {
				insts[stays], insts[moved].Op, found = both, joined, true
				break
			}
		}
	}
	if !found {
		return
	}
	kept := insts[:0]
	for _, i := range insts {
		if i.Op != joined {
			kept = append(kept, i)
		}
	}
	a.code.Insts = a.code.Insts[:from+len(kept)]
}

// pairs is the op that does what two such instructions do.
func (a *allocator) pairs(i *Inst) (lir.Op, bool) {
	if i.Op == joined {
		return 0, false
	}
	return a.m.Pairs(i.Op)
}

// both is the instruction of op two that does what x and y do, if there is one.
func (a *allocator) both(two lir.Op, x, y *Inst) (Inst, bool) {
	if op, ok := a.pairs(y); !ok || op != two {
		return Inst{}, false
	}
	if x.Imm == y.Imm+4 {
		x, y = y, x
	}
	both := Inst{Op: two, A: x.A, B: y.A, Imm: x.Imm}
	if x.Op.Code() == lir.Load {
		both.A, both.B = x.D, y.D
	}
	return both, y.Imm == x.Imm+4 && a.m.Paired(two, both.A, both.B)
}

// passes reports whether a load or store may change places with all of some instructions.
func (a *allocator) passes(moved *Inst, others []Inst) bool {
	for k := range others {
		if others[k].Op != joined && !a.apart(&others[k], moved) {
			return false
		}
	}
	return true
}

// apart reports whether an instruction and a load or store beside it may change places.
func (a *allocator) apart(i, access *Inst) bool {
	writes, anywhere := i.Op.Writes()
	reads, unknown := i.Op.Reads()
	stores, _ := access.Op.Writes()
	switch info := &a.m.Ops[i.Op]; {
	case info.Kernel, anywhere, stores && unknown, i.Op.Code() == lir.Narrow, i.Op.EndsLoop():
		return false
	case (writes || stores && (reads || i.Mem)) && overlap(i, access):
		return false
	}
	c := a.m.Bank(lir.ClassOf(access.Op.DType()))
	uses, changes := a.registers(access, c)
	if stores {
		changes = 0
	}
	used, changed := a.registers(i, c)
	return changes&(used|changed) == 0 && uses&changed == 0
}

// registers are those of class c, by bit, that an instruction uses and changes. One without a result counts
// as if register 0 were that.
func (a *allocator) registers(i *Inst, c lir.Class) (uses, changes uint32) {
	classes, regs, n := lir.OperandClasses(i.Op), [3]uint8{i.A, i.B, i.C}, int(a.m.Ops[i.Op].Operands)
	code := i.Op.Code()
	if code == lir.Load2 || code == lir.Store2 {
		n = 2
	}
	for k := range n {
		if a.m.Bank(classes[k]) == c {
			uses |= 1 << regs[k]
		}
	}
	switch {
	case code == lir.Load2:
		return 0, uses
	case a.m.Bank(lir.ResultClass(i.Op)) == c:
		changes = 1 << i.D
	}
	return uses, changes
}

// overlap reports whether two accesses to the data block share a word.
func overlap(a, b *Inst) bool {
	return a.Imm < b.Imm+4*uint32(words(b)) && b.Imm < a.Imm+4*uint32(words(a))
}

// words is how many words a load or store moves.
func words(i *Inst) int {
	n := lir.WordsOf(i.Op.DType())
	if code := i.Op.Code(); code == lir.Load2 || code == lir.Store2 {
		n *= 2
	}
	return n
}
