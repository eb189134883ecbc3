package regalloc

import (
	"math/bits"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// call allocates for a kernel: operands go to the registers 0 and 1 for its type,
// where the results come back; all but the preserved registers are lost.
func (a *allocator) call(in *lir.Ins, info *lir.OpInfo) {
	n := int(info.Operands)
	args, uses := in.Args(), a.uses[a.at]
	c := a.m.Bank(lir.ClassOf(in.Op.DType()))
	for k := range n {
		a.vals[args[k]].next = uses[k]
		if r := a.vals[args[k]].reg; r != noReg {
			a.files[c].next[r] = uses[k]
		}
	}
	var from [2]source
	for k := range n {
		from[k] = source{reg: a.vals[args[k]].reg, home: a.vals[args[k]].home, load: a.loadOp(args[k])}
	}
	a.saveAcross(in.Op, c, from[:n])
	a.pass(c, in.Op.DType(), from[:n])
	for k := range n {
		if a.vals[args[k]].next == never {
			a.forget(&a.files[c], args[k])
		}
	}
	a.emit(Inst{Op: in.Op, Imm: in.Imm})
	for k, v := range [2]lir.Val{in.D, in.E} {
		if v != 0 {
			a.define(v, uint8(k))
		}
	}
}

// source is where an operand of a call comes from.
type source struct {
	reg  uint8
	home lir.Addr
	load lir.Op // from there
}

// saveAcross empties every register that a kernel may change. What is needed
// later and not in memory moves to a preserved register or to a slot. The
// operands, in registers of class passed, stay readable in the places of from.
func (a *allocator) saveAcross(op lir.Op, passed lir.Class, from []source) {
	var operands [lir.NumClasses]uint32
	for _, s := range from {
		if s.reg != noReg {
			operands[passed] |= 1 << s.reg
		}
	}
	for c := range lir.NumClasses {
		f := &a.files[c]
		kept := a.m.Survivors(op, c)
		lost := f.all &^ kept
		for m := lost; m != 0; m &= m - 1 {
			r := uint8(bits.TrailingZeros32(m))
			v := f.values[r]
			if v == 0 {
				continue
			}
			if f.next[r] != never && a.vals[v].home == lir.NoAddr {
				if to := a.refuge(c, f.next[r], kept&^operands[c]); to != noReg {
					a.emit(Inst{Op: a.move(v), D: to, A: r})
					a.drop(f, r)
					a.hold(f, to, v)
					continue
				}
				a.spill(v, r)
			}
			if f.next[r] == never {
				// An operand that ends here: its register is free once it is passed.
				a.forget(f, v)
				continue
			}
			a.drop(f, r)
		}
	}
}

// refuge is a preserved register for a value with this next use: a free one, or
// that of a value in memory which is needed later. kept are those that survive and do
// not hold an operand.
func (a *allocator) refuge(c lir.Class, next int32, kept uint32) uint8 {
	f := &a.files[c]
	kept &= f.pool
	if free := f.free & kept; free != 0 {
		return uint8(bits.TrailingZeros32(free))
	}
	best := uint8(noReg)
	for m := kept; m != 0; m &= m - 1 {
		r := uint8(bits.TrailingZeros32(m))
		if a.vals[f.values[r]].home != lir.NoAddr && f.next[r] > next && f.next[r] != never {
			best, next = r, f.next[r]
		}
	}
	if best != noReg {
		a.drop(f, best)
	}
	return best
}

// pass moves operands of type t to the registers 0 and 1 of class c. Every register
// that a kernel may change has been given up already, so their contents may be lost.
func (a *allocator) pass(c lir.Class, t graph.DType, from []source) {
	move := lir.Of(lir.Move, t)
	if len(from) == 2 && from[1].reg == 0 && from[0] != from[1] {
		// The second operand is where the first belongs.
		to := uint8(1)
		if from[0].reg == 1 {
			to = a.spare(c)
		}
		a.emit(Inst{Op: move, D: to, A: 0})
		from[1].reg = to
	}
	for k, s := range from {
		switch {
		case s.reg == uint8(k):
		case s.reg != noReg:
			a.emit(Inst{Op: move, D: uint8(k), A: s.reg})
		default:
			a.emit(Inst{Op: s.load, D: uint8(k), Imm: uint32(s.home)})
		}
	}
}

// spare is a register of class c, neither 0 nor 1, that holds nothing by now or gives
// up what it holds.
func (a *allocator) spare(c lir.Class) uint8 {
	const passed = 3
	f := &a.files[c]
	if free := f.free &^ passed; free != 0 {
		return uint8(bits.TrailingZeros32(free))
	}
	r := a.farthest(f, passed)
	a.evict(c, r)
	return r
}
