package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// unrollBy is how many neighbouring elements an iteration of the inner loop computes.
func (n *nest) unrollBy(x *expr) int {
	l := n.l
	const few = 8 // registers: what several elements have at once would go by way of memory
	inInts := slices.ContainsFunc(x.steps, func(s step) bool { return lir.ClassOf(s.t) == lir.Int })
	switch steps := len(x.steps); {
	case x.calls:
		return 1
	case l.inBody && x.serves(l.m):
		return 2
	case steps > 4 && l.m.RegsBeside(x.serves(l.m), lir.Int) < few && (l.m.Shared || inInts):
		if n.twoFit(x) {
			return 2
		}
		return 1
	case steps <= 4:
		return lanes
	case steps <= 12:
		return lanes / 2
	}
	return 2
}

// twoFit reports whether what two elements have between any two steps finds registers beside the result of one, pointers and the
// counter. What elements share may be read from memory for both of them.
func (n *nest) twoFit(x *expr) bool {
	if !n.l.m.Pointers || n.l.m.LowInts != 0 || x.serves(n.l.m) {
		return false
	}
	_, own := n.lives(x)
	most := 0
	for k := range x.steps {
		waiting := 0
		for _, v := range own {
			if v.from <= k && k < v.to {
				waiting++
			}
		}
		most = max(most, waiting)
	}
	return 2*most+2+n.pointersMove() <= n.l.m.Regs[lir.Int]
}

// Bounds of the code of a loop that takes several elements in an iteration, as times half of that which takes
// one. Where two words move at once, two elements gain most; where elements read the same words, more of them do.
const (
	mostCode   = 7
	mostPaired = 4
	mostShared = 9
)

// mayGrow reports whether a loop is worth its code, given about how many instructions its iteration takes, how many it would take
// for one element, and how many end it.
func (l *lowerer) mayGrow(takes, one, end int) bool {
	limit := mostCode
	if l.movesPairs() {
		limit = mostPaired
	}
	return grows(limit, takes, one, end)
}

// grows does so for a limit.
func grows(limit, takes, one, end int) bool { return 2*(takes+end) < limit*(one+end) }

// movesPairs reports whether two words at a pointer are moved at once.
func (l *lowerer) movesPairs() bool {
	_, ok := l.m.Pairs(lir.Of(lir.LoadBy, graph.F32))
	return ok
}

// worthCode is the part of the instructions, as 1 of so many, that more elements are to save that read the same words.
const worthCode = 32

// singlesBy is how many elements of a row of the given length, up to so many, an iteration of the inner
// loop computes one by one: as many as take the fewest instructions in the end, within those bounds. More elements
// and code are worth it where elements share what is computed, or the words that they read.
func (n *nest) singlesBy(x *expr, count, most int) int {
	limit, again, gain := mostCode, 0, 0
	shares := n.shares(x)
	if shares {
		most = n.reached(lanes)
	} else if n.l.movesPairs() {
		limit = mostPaired
	}
	if count <= most {
		return count
	}
	one := n.takes(x, 1)
	if !shares && most > 1 && n.sharesWords() && !x.serves(n.l.m) {
		most = max(most, min(lanes, n.reached(lanes)))
		limit, again, gain = mostShared, n.alike(x), count*one/worthCode
	}
	end := n.ending()
	best, least := 1, count*(one+end)
	for k := 2; k <= min(most, count/2); k++ {
		rest, takes := 0, n.takes(x, k)
		if count%k > 0 {
			rest = n.takes(x, count%k) + again
		}
		if total := count/k*(takes+end) + rest; total < least-gain && grows(limit, takes+rest, one, end) {
			best, least = k, total
		}
	}
	return best
}

// sharesWords reports whether neighbouring elements read the same words of some arrays: those that are walked alike and lie less
// than a few elements apart.
func (n *nest) sharesWords() bool {
	const few = 3
	for i := range n.streams {
		for j := range n.streams[:i] {
			a, b := &n.streams[i], &n.streams[j]
			d, step := int(a.at)-int(b.at), n.step(i)
			if step != 0 && d%step == 0 && max(d, -d) < few*max(step, -step) && a.ptr == b.ptr && !a.written && !b.written && slices.Equal(a.strides, b.strides) {
				return true
			}
		}
	}
	return false
}

// alike is how many operands are the same for all elements.
func (n *nest) alike(x *expr) int {
	seen := map[operand]bool{}
	for k := range x.steps {
		for _, o := range x.steps[k].args {
			if o.node = 0; n.isSingle(o) {
				seen[o] = true
			}
		}
	}
	return len(seen)
}
