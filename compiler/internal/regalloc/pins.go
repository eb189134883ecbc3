package regalloc

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// pins chooses registers for the phis of a loop, and then for the words that its body reads most.
func (a *allocator) pins(l *lir.Loop, body []lir.Ins, steps []step, counts bool) (phis, words []pin) {
	var room [lir.NumClasses]uint32
	calls := false
	var survive [lir.NumClasses]uint32
	for c := range survive {
		survive[c] = a.files[c].pool
	}
	for i := range body {
		if op := body[i].Op; a.m.Ops[op].Kernel {
			calls = true
			for c := range survive {
				survive[c] &= a.m.Survivors(op, lir.Class(c))
			}
		}
	}
	for c := range lir.NumClasses {
		room[c] = survive[c] & above(a.files[c].pool, a.phiRoom(l, body, c, calls))
	}
	read := a.wordsByUse(l, body)
	low := a.lowPins(l, body, steps, read, counts)
	reserve := func(v lir.Val) pin {
		c := a.class(v)
		if room[c] == 0 {
			return pin{v, noReg}
		}
		left := room[c]
		if cheap := left &^ a.files[c].unsaved; cheap != 0 {
			left = cheap
		}
		if cheap := a.m.LowInts & a.files[c].pool & survive[c]; low[v] && cheap != 0 {
			if left = cheap & room[c]; left == 0 { // in exchange for one of the room
				left, room[c] = cheap, room[c]&(room[c]-1)
			}
		} else if rest := left &^ a.m.LowInts; a.m.LowInts != 0 && c == a.m.Bank(lir.Int) && rest != 0 {
			left = rest
		}
		if short := left & a.m.ShortInts; c == a.m.Bank(lir.Int) && short != 0 {
			left = short
		}
		r := uint8(31 - bits.LeadingZeros32(left))
		room[c] &^= 1 << r
		a.files[c].pool &^= 1 << r
		a.files[c].free &^= 1 << r
		return pin{v, r}
	}
	phis = make([]pin, len(l.Phis))
	for _, k := range a.pinOrder(l, body, steps, &room) {
		phis[k] = reserve(l.Phis[k].Val)
	}
	a.findLoopPointers(l, body, phis, steps)
	left := a.wordRoom(l, body, phis, read, calls, &room)
	for _, v := range read {
		if c := a.class(v); left[c] > 0 {
			if w := reserve(v); w.r != noReg {
				words = append(words, w)
				left[c]--
			}
		}
	}
	return phis, words
}

// above is a set of registers without the lowest n of it.
func above(set uint32, n int) uint32 {
	for range n {
		set &= set - 1
	}
	return set
}

// wordRoom is how many words of each class may be pinned, and takes registers from room that are
// left to the body.
func (a *allocator) wordRoom(l *lir.Loop, body []lir.Ins, phis []pin, read []lir.Val, calls bool, room *[lir.NumClasses]uint32) (left [lir.NumClasses]int) {
	for c := range lir.NumClasses {
		left[c] = a.m.Regs[c]
		switch {
		case a.m.Pointers && !calls:
			left[c] = a.wordsThatFit(l, body, phis, read, c)
			room[c] = a.files[c].pool
		case a.m.Pointers:
			room[c] &^= 1<<a.m.BodyRegs(c) - 1
			left[c] -= a.bodyTakes(l.Phis, body, c, nil) + 1
		case len(body) > largeBody:
			room[c] &^= 1<<(a.m.Regs[c]/2) - 1
		}
	}
	return left
}

// phiRoom is the number of registers of a class that the phis of a loop leave to its body at
// least: as many as its instructions take, since a phi in memory costs more than what else
// makes room.
func (a *allocator) phiRoom(l *lir.Loop, body []lir.Ins, c lir.Class, calls bool) int {
	n := a.m.BodyRegs(c)
	if !a.m.Pointers || calls {
		return n
	}
	phis := map[lir.Val]bool{}
	for _, p := range l.Phis {
		if a.class(p.Val) == c {
			phis[p.Val] = true
		}
	}
	least := a.needs(body, c, phis)
	if len(phis) > bits.OnesCount32(a.files[c].pool)-least { // one of them will be an operand from memory
		least = a.needs(body, c, nil)
	}
	return min(n, least)
}

// wordsByUse lists the values that the body reads and does not define, most
// used first.
func (a *allocator) wordsByUse(l *lir.Loop, body []lir.Ins) []lir.Val {
	count := map[lir.Val]int{}
	for i := range body {
		for _, v := range body[i].Args() {
			count[v]++
		}
	}
	delete(count, 0)
	for i := range body {
		delete(count, body[i].D)
		delete(count, body[i].E)
	}
	for _, p := range l.Phis {
		delete(count, p.Val)
	}
	read := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(read, func(x, y lir.Val) int { return cmp.Compare(count[y], count[x]) })
	return read
}
