package regalloc

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Between a block and an inner loop, and behind one, values go by way of memory. What a register still holds of it
// there is not loaded again.

// held is a register that holds what lies at a place.
type held struct {
	at lir.Addr
	op lir.Op // that loads it
	r  uint8
}

// tracked bounds how many instructions are looked through for what is held, and for what needs it: with more between
// them, registers hold something else.
const tracked = 64

// forgetHeld is for places that code comes to from elsewhere, too.
func (a *allocator) forgetHeld() {
	a.held, a.heldAt = a.held[:0], len(a.code.Insts)
}

// track brings what is held up to the last instruction.
func (a *allocator) track() {
	if from := len(a.code.Insts) - tracked; from > a.heldAt {
		a.held, a.heldAt = a.held[:0], from
	}
	for ; a.heldAt < len(a.code.Insts); a.heldAt++ {
		if i := &a.code.Insts[a.heldAt]; i.Op.MovesTwo() {
			for _, half := range i.Halves() {
				a.trackOne(&half)
			}
		} else {
			a.trackOne(i)
		}
	}
}

func (a *allocator) trackOne(i *Inst) {
	t := a.touches(i)
	writes, anywhere := i.Op.Writes()
	a.held = slices.DeleteFunc(a.held, func(h held) bool {
		changed := t[a.m.Bank(lir.ClassOf(h.op.DType()))].changed>>h.r&1 != 0
		return changed || a.m.Ops[i.Op].Kernel || writes && (anywhere || overlap(i, &Inst{Op: h.op, Imm: uint32(h.at)}))
	})
	if i.Op.Code() == lir.Store && lir.WordsOf(i.Op.DType()) == 1 {
		a.held = append(a.held, held{lir.Addr(i.Imm), lir.Of(lir.Load, i.Op.DType()), i.A})
	}
}

// heldIn is the index of a register that holds v, which was the last to be stored to its home; -1: there is none.
func (a *allocator) heldIn(v lir.Val) int {
	at, op := a.vals[v].home, a.loadOp(v)
	if a.stored[at] != v {
		return -1
	}
	return slices.IndexFunc(a.held, func(h held) bool { return h.at == at && h.op == op })
}

// bring fetches v from its home, or where it is held, into register r.
func (a *allocator) bring(v lir.Val, r uint8) {
	a.track()
	switch k := a.heldIn(v); {
	case k < 0:
		a.emit(Inst{Op: a.loadOp(v), D: r, Imm: uint32(a.vals[v].home)})
	case a.held[k].r != r:
		a.emit(Inst{Op: a.move(v), D: r, A: a.held[k].r})
	}
}

// takeOver has the scanned block find the values that it reads where they are held.
func (a *allocator) takeOver() {
	if a.track(); len(a.held) == 0 {
		return
	}
	made := map[lir.Val]bool{}
	for i := range min(len(a.ins), tracked) {
		in := &a.ins[i]
		for _, v := range in.Args() {
			if v != 0 && !made[v] && a.vals[v].reg == noReg && !a.vals[v].pointer && a.vals[v].home != lir.NoAddr && a.vals[v].home == a.f.Values[v].Home {
				a.find(v)
			}
		}
		made[in.D], made[in.E] = true, true
	}
}

// find has v in the register where it is held, if there is one.
func (a *allocator) find(v lir.Val) {
	f := &a.files[a.class(v)]
	if k := a.heldIn(v); k >= 0 && f.free>>a.held[k].r&1 != 0 {
		a.hold(f, a.held[k].r, v)
	}
}
