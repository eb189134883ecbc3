package regalloc

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// ahead is how many instructions a load is moved up at most: about as many as an
// in-order core starts while a load is under way.
const ahead = 6

// hoist moves loads away from the instructions that wait for them, for cores
// that start instructions in order: up past instructions that have nothing to do
// with the register or the word.
func (a *allocator) hoist() {
	heads := make([]int, len(a.code.Ends))
	for i, e := range a.code.Ends {
		heads[i] = e.Head
	}
	slices.Sort(heads)
	insts := a.code.Insts
	floor := 0 // nothing moves above this: the head of a loop or the end of one
	for i := range insts {
		if len(heads) > 0 && heads[0] == i {
			floor, heads = i, heads[1:]
		}
		in := insts[i]
		switch {
		case in.Op.EndsLoop():
			floor = i + 1
		case in.Op.Code() == lir.Load:
			to := i
			for to > max(floor, i-ahead) && a.passable(&insts[to-1], &in) {
				to--
			}
			copy(insts[to+1:i+1], insts[to:i])
			insts[to] = in
		}
	}
}

// passable reports whether a load may be moved up past an instruction. Loads
// keep their order.
func (a *allocator) passable(i, load *Inst) bool {
	info := &a.m.Ops[i.Op]
	writes, anywhere := i.Op.Writes()
	switch code := i.Op.Code(); {
	case info.Kernel, anywhere, code == lir.Load, code == lir.Narrow:
		return false
	case writes && overlap(i, load):
		return false
	}
	c := a.m.Bank(lir.ClassOf(load.Op.DType()))
	classes, regs := lir.OperandClasses(i.Op), [3]uint8{i.A, i.B, i.C}
	for k := range int(info.Operands) {
		if a.m.Bank(classes[k]) == c && regs[k] == load.D {
			return false
		}
	}
	return a.m.Bank(lir.ResultClass(i.Op)) != c || i.D != load.D
}

// overlap reports whether two accesses to the data block share a word.
func overlap(a, b *Inst) bool {
	endA, endB := a.Imm+4*uint32(lir.WordsOf(a.Op.DType())), b.Imm+4*uint32(lir.WordsOf(b.Op.DType()))
	return a.Imm < endB && b.Imm < endA
}
