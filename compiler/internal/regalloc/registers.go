package regalloc

import "github.com/copaflash/copaflash/compiler/internal/lir"

// Registers is a set of registers, by class and bit.
type Registers [lir.NumClasses]uint32

// Union is what is in either set.
func (r Registers) Union(o Registers) Registers {
	for c := range r {
		r[c] |= o[c]
	}
	return r
}

// Without is what is in r alone.
func (r Registers) Without(o Registers) Registers {
	for c := range r {
		r[c] &^= o[c]
	}
	return r
}

// Meets reports whether a register is in both sets.
func (r Registers) Meets(o Registers) bool {
	for c := range r {
		if r[c]&o[c] != 0 {
			return true
		}
	}
	return false
}

// hasResult reports whether an instruction gives a value in register D, and it alone.
func (i *Inst) hasResult() bool {
	writes, _ := i.Op.Writes()
	return !writes && !i.Op.Tests() && !i.Op.Skips() && !i.Op.EndsLoop() && !i.Op.MovesTwo() && i.Op.Code() != lir.Narrow
}

// Registers are those that an instruction uses and changes.
func (i *Inst) Registers(m *lir.Machine) (used, changed Registers) {
	info := &m.Ops[i.Op]
	if info.Kernel {
		file := m.Bank(lir.ClassOf(i.Op.DType()))
		for c := range changed {
			changed[c] = ^m.Survivors(i.Op, lir.Class(c))
		}
		used[file] = 1<<info.Operands - 1
		changed[file] |= 3
		return used, changed
	}
	classes, regs, n := lir.OperandClasses(i.Op), [3]uint8{i.A, i.B, i.C}, int(info.Operands)
	loadsTwo := i.Op.MovesTwo() && i.Op.Loads()
	switch {
	case i.Op.MovesTwo():
		n = i.Op.Operands()
	case i.Mem:
		n--
	case i.Op.EndsLoop():
		ints := m.Bank(lir.Int)
		used[ints], changed[ints] = 1<<i.D, 1<<i.D
		if i.Op == untilEndOp {
			used[ints], changed[ints] = 1<<i.D|1<<i.A, 0
		}
		return used, changed
	}
	for k := range n {
		if c := m.Bank(classes[k]); loadsTwo && k >= n-2 {
			changed[c] |= 1 << regs[k]
		} else {
			used[c] |= 1 << regs[k]
		}
	}
	if i.hasResult() {
		changed[m.Bank(lir.ResultClass(i.Op))] |= (1<<i.Op.InARow() - 1) << i.D
	}
	return used, changed
}
