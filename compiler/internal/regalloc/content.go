package regalloc

import "github.com/copaflash/copaflash/compiler/internal/lir"

// content is what a register or word holds as far as Check can tell: a value, a
// word that is as it was at the start or that only memory operations of the
// program write, the offset of a place, four copies of a word, the four values
// from one on, two such words as a double, or nothing known. A word in memory that
// is the first of four may hold a wide value, one that is the first of two a
// double; the others are unknown then.
type content int64

const unknown content = -1

func ofValue(v lir.Val) content   { return content(v) }
func ofWord(a lir.Addr) content   { return 1<<32 | content(a) }
func ofOffset(a lir.Addr) content { return 2<<32 | content(a) }
func ofCopies(a lir.Addr) content { return 3<<32 | content(a) }
func ofFour(v lir.Val) content    { return 4<<32 | content(v) }
func ofPair(a lir.Addr) content   { return 5<<32 | content(a) }

// of is the content that stands for a value.
func (r *replay) of(v lir.Val) content {
	switch info := &r.f.Values[v]; {
	case r.source[v] && info.Wide:
		return ofCopies(info.Home)
	case r.source[v] && info.Class == lir.Double:
		return ofPair(info.Home)
	case r.source[v]:
		return ofWord(info.Home)
	}
	return ofValue(v)
}

// width is how many words a content takes.
func (r *replay) width(c content) int {
	switch c >> 32 {
	case 0:
		if info := &r.f.Values[c]; !info.Wide {
			return info.Class.Bytes() / 4
		}
		return lir.Width
	case 3, 4:
		return lir.Width
	case 5:
		return 2
	}
	return 1
}

// as is a content after a move, load or store of some words: one of another width
// does not survive it.
func (r *replay) as(c content, op lir.Op) content {
	if r.width(c) != words(op) {
		return unknown
	}
	return c
}

// load is what an op that moves one word, two or four finds at a place.
func (r *replay) load(a lir.Addr, op lir.Op) content {
	if words(op) == 2 && r.word(a) == ofWord(a) && r.word(a.Plus(4)) == ofWord(a.Plus(4)) {
		return ofPair(a)
	}
	return r.as(r.word(a), op)
}

// loadOp is an op that moves as much as v takes.
func (r *replay) loadOp(v lir.Val) lir.Op {
	if info := &r.f.Values[v]; !info.Wide {
		return lir.Of(lir.Load, info.Class.Type())
	}
	return lir.Of(lir.Load, lir.F32x4)
}

// is reports whether got is the value v, which may have been stored to a word
// that is not followed.
func (r *replay) is(got content, v lir.Val) bool {
	return got == r.of(v) || (got>>32 == 1 || got>>32 == 5) && v != 0 && r.foreign[lir.Addr(got)] == v
}

func (r *replay) word(a lir.Addr) content {
	if c, ok := r.memory[a]; ok {
		return c
	}
	return ofWord(a)
}

func (r *replay) setWord(a lir.Addr, c content) {
	if _, ok := r.foreign[a]; !ok {
		r.memory[a] = c
	}
	for k := 1; k < lir.Width && k*4 <= a.Offset(); k++ {
		if before := a.Plus(-4 * k); r.width(r.word(before)) > k {
			r.memory[before] = unknown
		}
	}
}

// store carries out a store of what a register holds.
func (r *replay) store(a lir.Addr, c content, op lir.Op) {
	c = r.as(c, op)
	n := words(op)
	if n == 1 {
		r.setWord(a, c)
		return
	}
	for k := range n {
		part := unknown
		if c>>32 == 4 {
			part = ofValue(lir.Val(c&(1<<32-1)) + lir.Val(k))
		}
		r.setWord(a.Plus(4*k), part)
	}
	if c != unknown && c>>32 != 4 {
		r.setWord(a, c)
	}
}

// copies is four copies of a word, which must be as it was or not be followed:
// the home of a value that is read so.
func (r *replay) copies(a lir.Addr) content {
	if r.word(a) != ofWord(a) {
		return unknown
	}
	return ofCopies(a)
}

// words is how many words an op moves.
func words(op lir.Op) int {
	if op.DType() == lir.F32x4 {
		return lir.Width
	}
	return op.DType().Words()
}
