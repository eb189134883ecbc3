package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// reduceShape is how the inner loop of a reduction goes through the terms.
type reduceShape struct {
	width int  // terms in a value
	lanes int  // terms that are kept from one iteration to the next, in values of width
	by    int  // terms of an iteration
	folds bool // the lanes are folded in vectors
}

// shape is that of the lanes of graph.LaneTree for a sum of floats. Minimum and maximum, and sums of integers, have the same
// bits in every order: they keep one value, and an iteration brings it as many terms as leave
// few to the code behind the loop.
func (r *reducer) shape() reduceShape {
	// What is done to the terms is part of the expression.
	x := expr{steps: append(slices.Clone(r.x.steps), step{op: r.op, t: r.t}), calls: r.x.calls}
	if len(r.terms) == 2 {
		x.steps = append(x.steps, step{op: graph.OpMul, t: r.t})
	}
	count := r.inner()
	width := r.lanesFor(&x, count)
	if r.op == graph.OpAdd && r.t.IsFloat() {
		s := reduceShape{width: width, lanes: lanes, by: lanes, folds: r.folds(&x, width)}
		if width > 1 && !x.calls && r.l.m.Regs[lir.Float] >= leastForRounds {
			together := 1
			if s.folds {
				together = width
			}
			s.by = lanes * roundsOfLanes(count, len(r.streams)+len(x.steps), width, together)
		}
		return s
	}
	s := reduceShape{width: width, lanes: width}
	if width == 1 {
		s.by = r.singlesBy(&x, count, r.unrollBy(&x))
		return s
	}
	if s.by = width; x.calls {
		return s
	}
	// A value takes about as long as a term behind the loop, the last step of an iteration,
	// which waits for the iteration before it, three times as long.
	const chain = 3
	best := count
	for k := 1; k <= maxVectors && count >= 2*k*width && (k == 1 || k*len(x.steps) <= maxWideSteps || r.fits(&x, k)); k++ {
		iterations := count / (k * width)
		if cost := iterations*(k+chain) + count - iterations*k*width; cost <= best {
			best, s.by = cost, k*width
		}
	}
	return s
}

const (
	maxRounds = 4 // terms that an iteration brings each lane of a sum at most
	// leastForRounds is how many vector registers hold lanes and what several terms of each take, without spills.
	leastForRounds = 12
)

// roundsOfLanes is how many it brings so that the whole takes fewest instructions: each round so
// many for each value of several lanes, the end of the loop and of its pointers, and the terms
// behind it, so many together.
func roundsOfLanes(count, each, width, together int) (rounds int) {
	const end = 4
	best := 0
	for k := 1; k <= maxRounds && (k == 1 || count >= 2*k*lanes); k++ {
		iterations := count / (k * lanes)
		cost := iterations*(k*lanes/width*each+end) + (count-iterations*k*lanes+together-1)/together*each
		if rounds == 0 || cost < best {
			rounds, best = k, cost
		}
	}
	return rounds
}

// maxVectors is how many values an iteration of a minimum or maximum takes at most.
const maxVectors = 6

// products reports whether the terms are products, which take no addition of their own then.
func (r *reducer) products() bool {
	last := len(r.x.steps) - 1
	return len(r.terms) == 2 || last >= 0 && r.terms[0].step == last && r.x.steps[last].op == graph.OpMul
}

// lane is lane j, and those in one value with it, behind an iteration that begins with before.
func (r *reducer) lane(b *body, s reduceShape, j int, before lir.Val) lir.Val {
	combine := r.combine(b)
	if r.op == graph.OpAdd && (r.t.IsFloat() || s.width == 1 || r.products()) { // in their order
		for ; j < s.by; j += s.lanes {
			before = combine(before, r.term(b, j))
		}
		return before
	}
	var terms []lir.Val
	for ; j < s.by; j += s.lanes {
		terms = append(terms, r.term(b, j))
	}
	// In pairs, so that only the last step waits for the iteration before this one.
	for len(terms) > 1 {
		half := terms[:0]
		for k := 0; k < len(terms); k += 2 {
			v := terms[k]
			if k+1 < len(terms) {
				v = combine(v, terms[k+1])
			}
			half = append(half, v)
		}
		terms = half
	}
	return combine(before, terms[0])
}
