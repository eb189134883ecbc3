package regalloc

import (
	"math/bits"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Positions of next uses: instructions of the block count from 0, the end of
// the block is its length, and never is far behind.
const never = int32(1) << 30

const noReg = 0xff

// file is the state of the registers of one class.
type file struct {
	all    uint32      // registers that exist
	pool   uint32      // registers that values of the block may take
	free   uint32      // those of the pool that hold nothing
	values [32]lir.Val // what each register holds; 0 = nothing
	next   [32]int32   // next use of that value
	// Registers that cost saving them for the caller; none any more when one is in use.
	unsaved uint32
	turn    uint8 // where rotate goes on
}

// hold notes that register r holds v.
func (a *allocator) hold(f *file, r uint8, v lir.Val) {
	f.free &^= 1 << r
	if f.unsaved>>r&1 != 0 {
		f.unsaved = 0
	}
	f.values[r] = v
	f.next[r] = a.vals[v].next
	a.vals[v].reg = r
}

// drop empties register r. Registers outside the pool stay reserved.
func (a *allocator) drop(f *file, r uint8) {
	if v := f.values[r]; v != 0 {
		a.vals[v].reg = noReg
		f.values[r] = 0
	}
	f.free |= 1 << r & f.pool
}

// fewInTurn is how many free registers with short code are worth giving out alone: of fewer, loads would not move up.
const fewInTurn = 4

// soon is how near, in instructions, the next use of a short-lived value is.
const soon = 8

// take empties a register of the pool that is not busy: a free one, one of
// prefer first, then one that need not be saved for the caller, then one that is lent, or else the one whose value is needed
// last. It is for the value v. Free registers are given out from below, but
// to values that stay for long from above: on x86 instructions on low registers
// are shorter, and short-lived values are what most instructions work on.
func (a *allocator) take(c lir.Class, busy, prefer uint32, v lir.Val) uint8 {
	f, next := &a.files[c], a.vals[v].next
	if free := f.free &^ busy; free != 0 {
		if free&prefer != 0 {
			free &= prefer
		} else if free&^f.unsaved != 0 {
			free &^= f.unsaved
		}
		if rest := free &^ a.promised(c); rest != 0 && free&prefer == 0 {
			free = rest
		}
		if a.m.InOrder {
			if short := free & a.m.ShortInts; c == a.m.Bank(lir.Int) && short != 0 && (!a.loads || bits.OnesCount32(short) >= fewInTurn) {
				free = short
			}
			return a.rotate(f, free)
		}
		if next-a.at > soon {
			return uint8(31 - bits.LeadingZeros32(free))
		}
		return uint8(bits.TrailingZeros32(free))
	}
	r := a.lent(v, c, busy)
	if r != noReg {
		return r
	}
	if r = a.farthest(f, busy); r == noReg {
		panic("regalloc: instruction with more operands than registers")
	}
	a.evict(c, r)
	return r
}

// lent is a register of a phi whose value is needed no more, and whose next one is computed when v is needed no more,
// if there is one: what it takes more where short code needs others costs less than memory.
func (a *allocator) lent(v lir.Val, c lir.Class, busy uint32) uint8 {
	for _, w := range a.into {
		if busy>>w.r&1 == 0 && a.mayBorrow(v, c, w) {
			return w.r
		}
	}
	return noReg
}

// isShort reports whether instructions take no more by that register than by others.
func (a *allocator) isShort(c lir.Class, r uint8) bool {
	return a.m.LowInts == 0 || c != a.m.Bank(lir.Int) || a.m.LowInts>>r&1 != 0
}

// mayBorrow reports whether v may have the register of such a phi.
func (a *allocator) mayBorrow(v lir.Val, c lir.Class, w into) bool {
	return a.class(w.next) == c && a.files[c].values[w.r] == 0 && a.vals[v].last <= w.at && a.vals[v].next < never &&
		(len(a.calls) == 0 || a.vals[v].last < a.calls[0])
}

// rotate gives out free registers in turn, so that the code around a load does
// not use its register and the load can be moved up.
func (a *allocator) rotate(f *file, free uint32) uint8 {
	if above := free >> f.turn << f.turn; above != 0 {
		free = above
	}
	r := uint8(bits.TrailingZeros32(free))
	f.turn = r + 1
	return r
}

// farthest is the register of the pool whose value costs least to give up: the
// distance to its next use counts, twice where the value is in memory already.
func (a *allocator) farthest(f *file, busy uint32) uint8 {
	best, score := uint8(noReg), int32(-1)
	for m := f.pool &^ busy &^ f.free; m != 0; m &= m - 1 {
		r := uint8(bits.TrailingZeros32(m))
		d := f.next[r] - a.at
		switch v := f.values[r]; {
		case a.vals[v].home != lir.NoAddr:
			d *= 2
		case a.vals[v].pointer: // see findMadePointers
			continue
		}
		if d > score {
			best, score = r, d
		}
	}
	return best
}

// evict makes sure that what register r holds is in memory, and empties it.
func (a *allocator) evict(c lir.Class, r uint8) {
	f := &a.files[c]
	v := f.values[r]
	if a.vals[v].home == lir.NoAddr {
		a.spill(v, r)
	}
	a.drop(f, r)
}

// spill stores the value in register r to a slot, its home from now on.
func (a *allocator) spill(v lir.Val, r uint8) {
	at := a.slot(v)
	a.vals[v].home, a.vals[v].spilled = at, true
	a.emit(Inst{Op: a.store(v), A: r, Imm: uint32(at)})
}

// slots are places for spilled values, by the words that they take.
type slots [lir.MaxLanes + 1][]lir.Addr

// of is the list for values like v.
func (s *slots) of(f *lir.Func, v lir.Val) *[]lir.Addr {
	return &s[lir.WordsOf(f.Values[v].Type())]
}

// vacated is a slot that held a value.
type vacated struct {
	free *[]lir.Addr // the list that it belongs to
	at   lir.Addr
}

// slot is a place for v that holds nothing at the moment.
func (a *allocator) slot(v lir.Val) lir.Addr {
	free := a.slots.of(a.f, v)
	if n := len(*free); n > 0 {
		at := (*free)[n-1]
		*free = (*free)[:n-1]
		return at
	}
	if info := &a.f.Values[v]; !info.Wide() {
		return a.f.Data.SlotFor(info.Class)
	}
	return a.f.Data.WideSlot(int(a.f.Values[v].Lanes))
}

// reclaim frees the slots that the instruction before may still have read.
func (a *allocator) reclaim() {
	for _, s := range a.vacated {
		*s.free = append(*s.free, s.at)
	}
	a.vacated = a.vacated[:0]
}

// vacate gives the slot of a spilled value back. The instruction at hand may
// still read it, so it is free only for the next one.
func (a *allocator) vacate(v lir.Val) {
	if a.vals[v].spilled {
		a.vacated = append(a.vacated, vacated{a.slots.of(a.f, v), a.vals[v].home})
		a.vals[v].home, a.vals[v].spilled = lir.NoAddr, false
	}
}

// forget ends the life of v: its register and its slot are free again.
func (a *allocator) forget(f *file, v lir.Val) {
	if r := a.vals[v].reg; r != noReg {
		a.drop(f, r)
	}
	a.vacate(v)
}
