package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// vectors reports whether the inner loop can compute the expression for four
// neighbouring elements at a time: they lie next to each other in memory or are
// one value, and every op has code for that. Moving elements is possible for any
// type of one word, arithmetic for f32.
func (n *nest) vectors(x *expr) bool {
	m := n.l.m
	if !m.Vectors {
		return false
	}
	for s := range n.streams {
		if step := n.step(s); step != 0 && step != 4 || n.streams[s].t == graph.F64 || len(x.steps) > 0 && n.streams[s].t != graph.F32 {
			return false
		}
	}
	for k := range x.steps {
		if s := &x.steps[k]; s.t != graph.F32 || !m.Ops[lir.Of(s.op, lir.F32x4)].Valid {
			return false
		}
	}
	return true
}

// vectorsBy is how many elements of a row of the given length a turn of the
// inner loop computes, a multiple of lir.Width.
func (x *expr) vectorsBy(count int) int {
	if len(x.steps) <= 12 && count >= 2*lanes {
		return lanes
	}
	return lir.Width
}

// newWide makes a value of four elements in the block at hand.
func (l *lowerer) newWide() lir.Val {
	l.level = append(l.level, local)
	return l.f.NewWide()
}

// splatOf is four copies of the word at a place.
func (l *lowerer) splatOf(at lir.Addr) lir.Val {
	v, ok := l.splats[at]
	if !ok {
		l.level = append(l.level, local)
		v = l.f.NewSplat(at)
		l.splats[at] = v
	}
	return v
}

// uniform is a value in memory that is the same for all elements, as the body
// needs it.
func (b *body) uniform(v lir.Val) lir.Val {
	if !b.wide {
		return v
	}
	return b.n.l.splatOf(b.n.l.f.Values[v].Home)
}

// loadWide reads four neighbouring elements of a stream, or four times the
// one that it has: at a fixed place or at an offset from a pointer.
func (b *body) loadWide(s int, at lir.Addr, ptr lir.Val, offset int) lir.Val {
	op := lir.LoadAt
	if b.n.step(s) == 0 {
		if ptr == 0 {
			return b.n.l.splatOf(at)
		}
		op = lir.SplatAt
	}
	v := b.n.l.newWide()
	b.emit(lir.Ins{Op: lir.Of(op, lir.F32x4), A: ptr, D: v, Imm: uint32(offset)})
	return v
}
