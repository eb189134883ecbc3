package regalloc

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// content is what a register or word holds as far as Check can tell: a value, a
// word that is as it was at the start or that only memory operations of the
// program write, the offset of a place, two such words as a double, copies of a word
// in some lanes, the values from one on or the words from one on in some lanes (as they are now), or nothing known. A word in
// memory that is the first of several may hold a wide value, one that is the first
// of two a double; the others are unknown then.
type content int64

const unknown content = -1

// kind is what a content is, for copies and neighbours with the number of lanes added.
func (c content) kind() content { return c >> 32 }

const (
	kindValue content = iota
	kindWord
	kindOffset
	kindPair
	kindNumber
	kindMoved      // an index of moves
	kindCopies     = 16
	kindNeighbours = 32
	kindRow        = 48
)

func ofValue(v lir.Val) content   { return content(v) }
func ofWord(a lir.Addr) content   { return kindWord<<32 | content(a) }
func ofOffset(a lir.Addr) content { return kindOffset<<32 | content(a) }
func ofPair(a lir.Addr) content   { return kindPair<<32 | content(a) }

func ofCopies(a lir.Addr, lanes int) content {
	return (kindCopies+content(lanes))<<32 | content(a)
}

func ofNeighbours(v lir.Val, lanes int) content {
	return (kindNeighbours+content(lanes))<<32 | content(v)
}

func ofRow(a lir.Addr, lanes int) content {
	return (kindRow+content(lanes))<<32 | content(a)
}

// moved is a pointer moved on by a constant, where that is no step of a phi.
func (r *replay) moved(c content, by uint32) content {
	if !c.isPointer() {
		return unknown
	}
	m := move{c, by}
	k := slices.Index(r.moves, m)
	if k < 0 {
		k = len(r.moves)
		r.moves = append(r.moves, m)
	}
	return ofPointer(kindMoved<<32 | content(k))
}

// move is a pointer and what it is moved on by.
type move struct {
	from content
	by   uint32
}

func ofNumber(n uint32) content { return kindNumber<<32 | content(n) }

// pointerBit marks what Pointer makes of a content.
const pointerBit content = 1 << 62

func ofPointer(c content) content {
	if c == unknown {
		return unknown
	}
	return c | pointerBit
}

func (c content) isPointer() bool  { return c >= 0 && c&pointerBit != 0 }
func (c content) pointed() content { return c &^ pointerBit }

// stepped is a phi's content moved on by a constant: its next value, if that is its step.
func (r *replay) stepped(c content, by uint32) content {
	if c >= 0 && c.kind() == kindValue {
		if in := r.steps[lir.Val(c)]; in != nil && in.Imm == by {
			return ofValue(in.D)
		}
	}
	return unknown
}

// of is the content that stands for a value.
func (r *replay) of(v lir.Val) content {
	switch info := &r.f.Values[v]; {
	case r.source[v] && info.Row:
		return ofRow(info.Home, int(info.Lanes))
	case r.source[v] && info.Wide():
		return ofCopies(info.Home, int(info.Lanes))
	case r.source[v] && info.Class == lir.Double:
		return ofPair(info.Home)
	case r.source[v]:
		return ofWord(info.Home)
	}
	return r.made(v)
}

// made is the content that stands for the result of an instruction.
func (r *replay) made(v lir.Val) content {
	if twin := r.twin[v]; twin != 0 {
		v = twin
	}
	return ofValue(v)
}

// width is how many words a content takes.
func (r *replay) width(c content) int {
	switch k := c.kind(); {
	case c.isPointer():
		return 1 // in a register; it never lies in memory
	case k == kindValue:
		return lir.WordsOf(r.f.Values[c].Type())
	case k == kindPair:
		return 2
	case k > kindRow:
		return int(k - kindRow)
	case k > kindNeighbours:
		return int(k - kindNeighbours)
	case k > kindCopies:
		return int(k - kindCopies)
	}
	return 1
}

// as is a content after a move, load or store of some words: one of another width
// does not survive it.
func (r *replay) as(c content, op lir.Op) content {
	if r.width(c) != lir.WordsOf(op.DType()) {
		return unknown
	}
	return c
}

// load is what an op that moves one word or more finds at a place.
func (r *replay) load(a lir.Addr, op lir.Op) content {
	switch n := lir.WordsOf(op.DType()); {
	case n > 2 && r.isRow(a, n):
		return ofRow(a, n)
	case n == 2 && r.word(a) == ofWord(a) && r.word(a.Plus(4)) == ofWord(a.Plus(4)):
		return ofPair(a)
	}
	return r.as(r.word(a), op)
}

// isRow reports whether a value may be all of the words from a on.
func (r *replay) isRow(a lir.Addr, words int) bool {
	for k := range words {
		if !r.inRow[a.Plus(4*k)] {
			return false
		}
	}
	return true
}

// forgetRows forgets the registers and words that hold rows of words of which one changes.
func (r *replay) forgetRows(a lir.Addr) {
	holds := func(c content) bool {
		return c > 0 && !c.isPointer() && c.kind() > kindRow && c&(1<<32-1) <= content(a) && content(a) < c&(1<<32-1)+content(4*r.width(c))
	}
	for c := range r.regs {
		for k := range r.regs[c] {
			if holds(r.regs[c][k]) {
				r.regs[c][k] = unknown
			}
		}
	}
	for at, c := range r.memory {
		if holds(c) {
			r.memory[at] = unknown
		}
	}
}

// loadOp is an op that moves as much as v takes.
func (r *replay) loadOp(v lir.Val) lir.Op { return lir.Of(lir.Load, r.f.Values[v].Type()) }

// is reports whether got is the value v, which may have been stored to a word
// that is not followed, or be what was stored to such a word.
func (r *replay) is(got content, v lir.Val) bool {
	switch {
	case got == r.of(v):
		return true
	case (got.kind() == kindWord || got.kind() == kindPair) && v != 0 && r.foreign[lir.Addr(got)] == v:
		return true
	}
	last := r.foreign[r.f.Values[v].Home]
	return r.source[v] && last != 0 && got == r.of(last)
}

func (r *replay) word(a lir.Addr) content {
	if c, ok := r.fresh[a]; ok {
		return c
	}
	if c, ok := r.memory[a]; ok {
		return c
	}
	return ofWord(a)
}

func (r *replay) setWord(a lir.Addr, c content) {
	if r.inRow[a] {
		r.forgetRows(a)
	}
	if _, ok := r.foreign[a]; !ok {
		r.memory[a] = c
	}
	for k := 1; k < lir.MaxLanes && k*4 <= a.Offset(); k++ {
		if before := a.Plus(-4 * k); r.width(r.word(before)) > k {
			r.memory[before] = unknown
		}
	}
}

// store carries out a store of what a register holds.
func (r *replay) store(a lir.Addr, c content, op lir.Op) {
	c = r.as(c, op)
	n := lir.WordsOf(op.DType())
	if n == 1 {
		r.setWord(a, c)
		return
	}
	neighbours := c.kind() > kindNeighbours && c.kind() < kindRow
	for k := range n {
		part := unknown
		if neighbours {
			part = ofValue(lir.Val(c&(1<<32-1)) + lir.Val(k))
		}
		r.setWord(a.Plus(4*k), part)
	}
	if c != unknown && !neighbours {
		r.setWord(a, c)
	}
}

// copies is copies of a word, which must be as it was or not be followed: the home
// of a value that is read so.
func (r *replay) copies(a lir.Addr, op lir.Op) content {
	if r.word(a) != ofWord(a) {
		return unknown
	}
	return ofCopies(a, lir.Lanes(op.DType()))
}

// narrow forgets the registers that hold more than what is left of them.
func (r *replay) narrow() {
	for c := range r.regs {
		for k := range r.regs[c] {
			if r.width(r.regs[c][k]) == lir.MaxLanes {
				r.regs[c][k] = unknown
			}
		}
	}
}
