package regalloc

import (
	"math/bits"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// most is how many registers in a row a result takes at most.
const most = 4

// several allocates for a load whose result takes some registers in a row. What Beside gives of it further down is in
// the others from here on.
func (a *allocator) several(in *lir.Ins) {
	list := besides(in, a.ins[a.at:])
	out := Inst{Op: in.Op, Imm: in.Imm}
	if by, ok := in.Op.ByPointer(); ok && a.vals[in.A].pointer {
		out.Op = by
	}
	var busy [lir.NumClasses]uint32
	out.A = a.fetch(in.A, &busy)
	a.used(in.A, a.uses[a.at][0])
	c := a.class(in.D)
	out.D = a.row(c, in.Op.InARow())
	a.emit(out)
	for k := range in.Op.InARow() {
		if v := list[k]; v != 0 {
			a.define(v, out.D+uint8(k))
		}
	}
}

// besides are the values of the result of a load, by register: 0 for one that nothing needs.
func besides(in *lir.Ins, rest []lir.Ins) (list [most]lir.Val) {
	list[0] = in.D
	for k := range rest {
		if other := &rest[k]; other.Op.Code() == lir.Beside && other.A == in.D {
			list[other.Imm] = other.D
		}
	}
	return list
}

// row empties some registers in a row, those whose values cost least to give up.
func (a *allocator) row(c lir.Class, n int) (first uint8) {
	f, least := &a.files[c], -1
	for k := range 32 {
		r := (int(f.turn) + k) % 32
		regs := (uint32(1)<<n - 1) << r
		if r+n > 32 || f.pool&regs != regs {
			continue
		}
		cost := 2*bits.OnesCount32(regs&^f.free) + min(1, bits.OnesCount32(regs&f.unsaved))
		if least < 0 || cost < least {
			first, least = uint8(r), cost
		}
	}
	if least < 0 {
		panic("regalloc: no registers in a row")
	}
	for k := range uint8(n) {
		if r := first + k; f.free>>r&1 == 0 {
			a.evict(c, r)
		}
	}
	if a.m.InOrder {
		f.turn = first + uint8(n)
	}
	return first
}
