package regalloc

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Where one instruction moves two neighbouring words to or from two certain registers, an even one and the
// next, values that are loaded or stored beside each other are given such registers, if these are free anyway.

// promise is a free register that is better left to another value: the one that is loaded from a
// word, or the one that is stored there.
type promise struct {
	c      lir.Class
	r      uint8
	stored bool
	word   word
	until  int32 // instruction of the block
}

// word is one that is read or written: at a place, or so many bytes behind an index.
type word struct {
	behind lir.Val // 0: none
	at     lir.Addr
}

// accessed is the word of a load or store, and the op of its code if the index is a pointer.
func accessed(in *lir.Ins) (word, lir.Op) {
	by, ok := in.Op.ByPointer()
	if !ok {
		return word{at: lir.Addr(in.Imm)}, in.Op
	}
	return word{in.Args()[in.Op.Operands()-1], lir.Addr(in.Imm)}, by
}

// hint is what is known of the register for a value that is loaded or stored.
type hint struct {
	prefer uint32 // registers that make a pair with one that is promised or taken
	comes  bool   // a neighbour is to come: other, without its register
	other  promise
	first  bool // the word is the one before its neighbour's
}

// pairsEven reports whether there are such instructions for values of class c.
func (a *allocator) pairsEven(c lir.Class, code lir.Op) bool {
	two, ok := a.m.Pairs(code)
	return ok && c == lir.Float && a.m.PairsEven(two)
}

// hasEvenPairs reports whether there are any for any type.
func hasEvenPairs(m *lir.Machine) bool {
	for _, op := range []graph.Op{lir.Load, lir.Store} {
		for t := range lir.F32x8 + 1 {
			if two, ok := m.Pairs(lir.Of(op, t)); ok && m.PairsEven(two) {
				return true
			}
		}
	}
	return false
}

// loadedBeside is the hint for a value that is about to be loaded.
func (a *allocator) loadedBeside(v lir.Val, c lir.Class) (h hint) {
	if !a.evens {
		return h
	}
	op := a.loadOp(v)
	if !a.pairsEven(c, op) {
		return h
	}
	home := a.vals[v].home
	if home == lir.NoAddr || a.kept(&h, word{at: home}, false) {
		return h
	}
	for k := int(a.at); k < min(len(a.ins), int(a.at)+near); k++ {
		in := &a.ins[k]
		for _, x := range in.Args() {
			other := word{at: a.vals[x].home}
			if x != v && x != 0 && a.vals[x].reg == noReg && beside(word{at: home}, other) && a.loadOp(x) == op && !a.isPromised(other, false) {
				h.comes, h.other = true, promise{c: c, word: other, until: int32(k)}
				h.first = other.at > home
				return h
			}
		}
	}
	return h
}

// readBeside is the hint for the result of a load.
func (a *allocator) readBeside(c lir.Class) (h hint) {
	in := &a.ins[a.at]
	if !in.Op.Loads() {
		return h
	}
	own, op := accessed(in)
	if !a.pairsEven(c, op) || a.kept(&h, own, false) {
		return h
	}
	// Of a row of words those are neighbours that leave none alone: the row begins below.
	below, other := 0, own
	for other.at = own.at.Plus(-4); a.loadedSoon(in, other) != 0; other.at = other.at.Plus(-4) {
		below++
	}
	other.at = own.at.Plus(4)
	k := 0
	if below%2 == 0 {
		k = a.loadedSoon(in, other)
	}
	if k == 0 && below > 0 {
		other.at = own.at.Plus(-4)
		k = a.loadedSoon(in, other)
	}
	if k != 0 {
		return hint{comes: true, other: promise{c: c, word: other, until: int32(k)}, first: other.at > own.at}
	}
	return h
}

// loadedSoon is which of the next instructions, of the op of another one, loads a word; 0 for none, or if there is a register
// for it.
func (a *allocator) loadedSoon(as *lir.Ins, w word) int {
	for k := int(a.at) + 1; k < min(len(a.ins), int(a.at)+near); k++ {
		if a.ins[k].Op != as.Op {
			continue
		}
		if x, _ := accessed(&a.ins[k]); x == w && !a.isPromised(w, false) {
			return k
		}
	}
	return 0
}

// storedBeside is the hint for a result that is stored in the block.
func (a *allocator) storedBeside(v lir.Val, c lir.Class) (h hint) {
	n := int(a.vals[v].next)
	if !a.evens || n >= len(a.ins) {
		return h
	}
	st := &a.ins[n]
	if stores, _ := st.Op.Writes(); !stores || st.A != v {
		return h
	}
	own, op := accessed(st)
	if !a.pairsEven(c, op) || a.kept(&h, own, true) {
		return h
	}
	for k := max(int(a.at)+1, n-near); k < min(len(a.ins), n+near); k++ {
		in := &a.ins[k]
		if in.Op != st.Op {
			continue
		}
		other, _ := accessed(in)
		if !beside(own, other) || a.isPromised(other, true) {
			continue
		}
		h.first = other.at > own.at
		if r := a.vals[in.A].reg; r == noReg {
			h.comes, h.other = true, promise{c: c, stored: true, word: other, until: int32(max(k, n))}
		} else if r%2 == 1 == h.first {
			h.prefer = 1 << (r ^ 1)
		}
		return h
	}
	return h
}

// beside reports whether two words are neighbours.
func beside(x, y word) bool {
	return x.behind == y.behind && x.at != lir.NoAddr && y.at != lir.NoAddr && (y.at == x.at.Plus(4) || x.at == y.at.Plus(4))
}

// kept reports whether a register was promised for a word, and prefers it.
func (a *allocator) kept(h *hint, w word, stored bool) bool {
	for k, p := range a.promises {
		if p.word == w && p.stored == stored {
			h.prefer = 1 << p.r
			a.promises = slices.Delete(a.promises, k, k+1)
			return true
		}
	}
	return false
}

func (a *allocator) isPromised(w word, stored bool) bool {
	return slices.ContainsFunc(a.promises, func(p promise) bool { return p.word == w && p.stored == stored })
}

// beside is the set of free registers that suit a hint: those that cost nothing.
func (a *allocator) beside(h *hint, c lir.Class, busy uint32) uint32 {
	f := &a.files[c]
	free := f.free &^ busy &^ f.unsaved
	if !h.comes {
		return free & h.prefer
	}
	const even = 0x55555555
	free &^= a.promised(c)
	pairs := free & (free >> 1) & even
	if h.first {
		return pairs
	}
	return pairs << 1
}

// promise keeps the neighbour of register r for the value to come.
func (a *allocator) promise(h *hint, c lir.Class, r uint8) {
	if !h.comes || h.first != (r%2 == 0) || a.files[c].free>>(r^1)&1 == 0 {
		return
	}
	h.other.r = r ^ 1
	a.promises = append(a.promises, h.other)
}

// promised are the registers of a class that are promised, those whose time has come left out.
func (a *allocator) promised(c lir.Class) (regs uint32) {
	if len(a.promises) == 0 {
		return 0
	}
	a.promises = slices.DeleteFunc(a.promises, func(p promise) bool { return p.until < a.at })
	for _, p := range a.promises {
		if p.c == c {
			regs |= 1 << p.r
		}
	}
	return regs
}
