package regalloc

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// handOver puts the next values of the phis where the next iteration expects them, all at
// once: the next value of one may be the value that another one has in this iteration.
// First come those in memory, which need registers on the way, then those in
// registers.
func (a *allocator) handOver(l *lir.Loop, phis []pin, steps []step) {
	var slots []lir.Addr // where phis in memory lie, by phi
	for i, p := range l.Phis {
		slots = append(slots, lir.NoAddr)
		if i > 0 && phis[i].r == noReg {
			slots[i] = a.vals[p.Val].home
			a.saveForOthers(l, i)
		}
	}
	for i, p := range l.Phis {
		if slots[i] == lir.NoAddr || p.Next == p.Val || steps[i].by != nil {
			continue
		}
		var busy [lir.NumClasses]uint32
		r := a.fetch(p.Next, &busy)
		a.emit(Inst{Op: a.store(p.Val), A: r, Imm: uint32(slots[i])})
	}
	for c := range lir.NumClasses {
		a.rotatePhis(l, phis, c, steps)
	}
	for k, p := range l.Phis[1:] {
		if steps[1+k].by != nil {
			continue
		}
		a.forget(&a.files[a.class(p.Next)], p.Next)
	}
	for i, p := range l.Phis {
		if slots[i] != lir.NoAddr {
			a.vals[p.Val].home = slots[i]
		}
	}
}

// saveForOthers copies phi i, which lies in memory, to another slot, if other
// phis take its value over: its own slot is about to be written.
func (a *allocator) saveForOthers(l *lir.Loop, i int) {
	v := l.Phis[i].Val
	for k, p := range l.Phis {
		if k == 0 || k == i || p.Next != v {
			continue
		}
		var busy [lir.NumClasses]uint32
		r := a.fetch(v, &busy)
		a.vals[v].home = lir.NoAddr
		a.spill(v, r)
		return
	}
}

// shift is a move that is due at the end of an iteration: to register to, from register
// from or, where that is noReg, from memory.
type shift struct {
	phi      *lir.Phi
	to, from uint8
	at       lir.Addr
}

// rotatePhis moves the next values of the phis of one class to their registers:
// none is overwritten before it has been read. Where that goes in a circle, one of
// them goes by way of memory.
func (a *allocator) rotatePhis(l *lir.Loop, phis []pin, c lir.Class, steps []step) {
	var due []shift
	for i := 1; i < len(phis); i++ {
		p := &l.Phis[i]
		if steps[i].by != nil || phis[i].r == noReg || a.class(p.Val) != c || a.vals[p.Next].reg == phis[i].r {
			continue
		}
		due = append(due, shift{phi: p, to: phis[i].r, from: a.vals[p.Next].reg, at: a.vals[p.Next].home})
	}
	for len(due) > 0 {
		k := slices.IndexFunc(due, func(s shift) bool {
			return !slices.ContainsFunc(due, func(t shift) bool { return t.from == s.to && t.phi != s.phi })
		})
		if k < 0 {
			// Everything left is part of circles: what is in one register leaves it.
			slot := a.slot(due[0].phi.Val)
			held := due[0].to
			a.emit(Inst{Op: a.store(due[0].phi.Val), A: held, Imm: uint32(slot)})
			for i := range due {
				if due[i].from == held {
					due[i].from, due[i].at = noReg, slot
				}
			}
			a.vacated = append(a.vacated, vacated{a.slots.of(a.f, due[0].phi.Val), slot})
			continue
		}
		s := due[k]
		due = slices.Delete(due, k, k+1)
		if s.from != noReg {
			a.emit(Inst{Op: a.move(s.phi.Val), D: s.to, A: s.from})
		} else {
			a.emit(Inst{Op: a.loadOp(s.phi.Next), D: s.to, Imm: uint32(s.at)})
		}
	}
}
