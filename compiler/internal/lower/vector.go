package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// lanesFor is how many neighbouring elements of a row of the given length the inner
// loop can compute in one register; 1 where vectors do not do: the elements lie too far
// from each other in memory, have two words, or an op has no code for vectors.
func (n *nest) lanesFor(x *expr, count int) int {
	for _, width := range lir.Widths {
		least := width
		if width == lir.MaxLanes { // what narrows registers behind the loop is to pay
			least *= 2
		}
		if width <= n.l.m.Lanes && count >= least && n.l.haveCode(x, width) && n.walksWide(width) {
			return width
		}
	}
	return 1
}

// haveCode reports whether there is code for all steps of x on vectors of so many lanes.
func (l *lowerer) haveCode(x *expr, width int) bool {
	for k := range x.steps {
		s := &x.steps[k]
		if _, ok := l.laneShift(s, width); ok || l.dividesLanes(s, width) {
			continue
		}
		if s.t == graph.F64 || !unchanged(s.op, s.t) && !l.m.Ops[lir.Of(s.op, lir.VectorOf(s.t, width))].Valid {
			return false
		}
	}
	return l.m.Ops[lir.Of(lir.Load, lir.Vector(width))].Valid
}

// laneShift is a shift of lanes by a constant, if there is code for it. Its result and operand are missing.
func (l *lowerer) laneShift(s *step, width int) (in lir.Ins, ok bool) {
	if s.op != graph.OpShl && s.op != graph.OpShr || s.args[1].val == 0 {
		return in, false
	}
	n, ok := l.constantOf(s.args[1].val)
	if !ok {
		return in, false
	}
	return l.shiftOfLanes(s.op, s.t, n, width)
}

// shiftOfLanes is the one by n, which must be from 1 to 31.
func (l *lowerer) shiftOfLanes(op graph.Op, of graph.DType, n uint32, width int) (in lir.Ins, ok bool) {
	if n == 0 || n > 31 {
		return in, false
	}
	t := lir.VectorOf(of, width)
	if op == graph.OpShr {
		return l.shiftRight(t, n)
	}
	in = lir.Ins{Op: lir.Of(lir.ShlBy, t), Imm: n}
	return in, l.m.Ops[in.Op].Valid
}

// shiftRight is a shift of lanes to the right, if there is code for it.
func (p *program) shiftRight(t graph.DType, n uint32) (in lir.Ins, ok bool) {
	if in = (lir.Ins{Op: lir.Of(lir.ShrBy, t), Imm: n}); !p.m.Ops[in.Op].Valid {
		in = lir.Ins{Op: lir.Of(lir.ShrBack, t), Imm: 32 - n}
	}
	return in, p.m.Ops[in.Op].Valid
}

// Bounds of a body of vectors: how many of them an iteration computes, and in how many steps.
const (
	maxWide      = 4
	maxWideSteps = 24
	// mostWideSteps is the latter where the registers suffice.
	mostWideSteps = 64
)

// vectorsBy is how many elements of a row of the given length an iteration of the inner loop
// computes: the registers of them that take the fewest instructions, with those that end an
// iteration and those of the elements left over.
func (n *nest) vectorsBy(x *expr, count, width int) int {
	if x.calls {
		return width
	}
	each := len(x.steps) + n.accesses()
	cost := func(k int) int {
		iterations, left := count/(k*width), count%(k*width)
		rest := min(left*each, n.leftInVectors(left, each, width))
		if iterations == 1 && width < lir.MaxLanes { // needs no loop
			return k*each + rest
		}
		return iterations*(k*each+n.ending()) + rest
	}
	best := 1
	for k := 2; k <= maxWide && (k*len(x.steps) <= maxWideSteps || n.fits(x, k)) && count >= k*width; k++ {
		if cost(k) < cost(best) {
			best = k
		}
	}
	return best * width
}

// fits reports whether there are registers for so many vectors of an iteration, computed side by side, and for what all of
// them share.
func (n *nest) fits(x *expr, vectors int) bool {
	if vectors*len(x.steps) > mostWideSteps {
		return false
	}
	shared, own := n.lives(x)
	most := 0
	for k := range x.steps {
		at := 1 // the result
		for _, l := range own {
			if l.from <= k && k <= l.to {
				at++
			}
		}
		most = max(most, at)
	}
	return len(shared)+vectors*most < n.l.m.Regs[lir.Float]
}

// life is from the step that makes a value to the last one that reads it.
type life struct{ from, to int }

// lives are the operands of an expression that all elements share, and those that are an element's own.
func (n *nest) lives(x *expr) (shared map[operand]bool, own map[operand]life) {
	shared, own = map[operand]bool{}, map[operand]life{}
	for k := range x.steps {
		for _, o := range x.steps[k].args {
			o.node = 0
			switch from, ok := own[o]; {
			case o.step < 0 && (o.stream < 0 || n.step(o.stream) == 0):
				shared[o] = true
			case ok:
				own[o] = life{from.from, k}
			default:
				own[o] = life{max(o.step, 0), k} // what is loaded may be loaded first
			}
		}
	}
	return shared, own
}

// leftInVectors is about how many instructions the elements left over take in vectors, in a loop of one iteration: that has no
// pointers where any place is reached from a counter.
func (n *nest) leftInVectors(left, each, width int) int {
	if n.changes || !n.l.m.FreeOffsets {
		return left*each + 1
	}
	return (left+width-1)/width*each + n.ending()
}

// ending is about how many instructions end an iteration of the inner loop: they count, branch and
// move pointers on.
func (n *nest) ending() int {
	end := 2 + n.pointersMove()
	if n.l.m.LowInts != 0 { // the others, where counter and pointers mostly are, take more
		end *= 2
	}
	return end
}

// pointersMove is how many pointers an iteration moves on.
func (n *nest) pointersMove() (count int) {
	if !n.l.m.Pointers {
		return 0
	}
	for s := range n.streams {
		if n.streams[s].lead == 0 && n.step(s) != 0 {
			count++
		}
	}
	return count
}

// newWide makes a value of some elements in the block at hand.
func (l *lowerer) newWide(width int) lir.Val {
	l.level = append(l.level, local)
	return l.f.NewWide(width)
}

// splatKey is a word and how many copies of it are one value.
type splatKey struct {
	at    lir.Addr
	width int
}

// splatOf is copies of the word at a place.
func (l *lowerer) splatOf(at lir.Addr, width int) lir.Val {
	k := splatKey{at, width}
	v, ok := l.splats[k]
	if !ok {
		l.level = append(l.level, local)
		v = l.f.NewSplat(width, at)
		l.splats[k] = v
	}
	return v
}

// uniform is a value in memory that is the same for all elements, as the body
// needs it.
func (b *body) uniform(v lir.Val) lir.Val {
	if b.width == 1 {
		return v
	}
	splat := b.n.l.splatOf(b.n.l.f.Values[v].Home, b.width)
	if b.n.l.isFixed(v) {
		b.n.l.fix(splat)
	}
	return splat
}

// loadWide reads the elements of a stream from one on, or copies of the one that it has: at a
// fixed place or at an offset from a pointer.
func (b *body) loadWide(s, e int) lir.Val {
	switch step := b.n.step(s); {
	case step < 0:
		last := b.wide(b.wordsAt(s, e+b.width-1, 0))
		return b.wide(lir.Ins{Op: lir.Of(lir.Reverse, lir.Vector(b.width)), A: last})
	case step > 4:
		return b.loadEvery(s, e)
	case step > 0:
		return b.wide(b.wordsAt(s, e, 0))
	}
	at, ptr, offset := b.place(s, e)
	if ptr == 0 {
		return b.n.l.splatOf(at, b.width)
	}
	return b.wide(lir.Ins{Op: lir.Of(lir.SplatAt, lir.Vector(b.width)), A: ptr, Imm: uint32(offset)})
}
