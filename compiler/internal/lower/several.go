package lower

import (
	"cmp"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// unrollBy is how many neighbouring elements an iteration of the inner loop computes.
func (l *lowerer) unrollBy(x *expr) int {
	const few = 8 // registers: what several elements have at once would go by way of memory
	inInts := slices.ContainsFunc(x.steps, func(s step) bool { return lir.ClassOf(s.t) == lir.Int })
	switch n := len(x.steps); {
	case x.calls:
		return 1
	case l.inBody && x.serves(l.m):
		return 2
	case n > 4 && l.m.Regs[lir.Int] < few && (l.m.Shared || inInts):
		return 1
	case n <= 4:
		return lanes
	case n <= 12:
		return lanes / 2
	}
	return 2
}

// Bounds of the code of a loop that takes several elements in an iteration, as times half of that which takes
// one. Where two words move at once, two elements gain most; where elements read the same words, more of them do.
const (
	mostCode   = 7
	mostPaired = 4
	mostShared = 9
)

// worthCode is the part of the instructions, as 1 of so many, that more elements are to save that read the same words.
const worthCode = 32

// singlesBy is how many elements of a row of the given length, up to so many, an iteration of the inner
// loop computes one by one: as many as take the fewest instructions in the end, within those bounds.
func (n *nest) singlesBy(x *expr, count, most int) int {
	if count <= most {
		return count
	}
	each, moves, end := n.stepsTake(x), n.accesses(), n.ending()
	limit, again, gain := mostCode, 0, 0
	takes := func(k int) int { return k*each + k*moves }
	if _, ok := n.l.m.Pairs(lir.Of(lir.LoadBy, graph.F32)); ok {
		limit, takes = mostPaired, func(k int) int { return k*each + (k/2+k%2)*moves }
	}
	if most > 1 && n.sharesWords() && !x.serves(n.l.m) {
		most = max(most, min(lanes, n.reached(lanes)))
		limit, again, gain = mostShared, n.alike(x), count*(each+moves)/worthCode
		takes = func(k int) int { return k*each + n.moves(k) }
	}
	around := 2 * end // what comes before a loop is about what ends it
	best, least := 1, count*(takes(1)+end)
	for k := 2; k <= min(most, count/2); k++ {
		rest := 0
		if count%k > 0 {
			rest = takes(count%k) + again
		}
		if total := count/k*(takes(k)+end) + rest; total < least-gain && 2*(takes(k)+rest+around) <= limit*(takes(1)+around) {
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

// moves is how many loads and stores so many neighbouring elements take, each of two neighbouring words where there are such.
func (n *nest) moves(count int) (total int) {
	type word struct {
		writes int // 1 for a store
		ptr    lir.Val
		at     lir.Addr
	}
	var words []word
	for s := range n.streams {
		st, writes := &n.streams[s], 0
		if st.written {
			writes = 1
		}
		for e := range count {
			words = append(words, word{writes, st.ptr, st.at.Plus(e * n.step(s))})
		}
	}
	slices.SortFunc(words, func(a, b word) int {
		return cmp.Or(cmp.Compare(a.writes, b.writes), cmp.Compare(a.ptr, b.ptr), cmp.Compare(a.at, b.at))
	})
	words = slices.Compact(words)
	_, pairs := n.l.m.Pairs(lir.Of(lir.LoadBy, graph.F32))
	for len(words) > 0 {
		first := words[0]
		words = words[1:]
		if first.at = first.at.Plus(graph.WordSize); pairs && len(words) > 0 && words[0] == first {
			words = words[1:]
		}
		total++
	}
	return total
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

// stepsTake is about how many instructions compute an element, without those of services.
func (n *nest) stepsTake(x *expr) (total int) {
	const call = 5
	for k := range x.steps {
		switch s := &x.steps[k]; {
		case unchanged(s.op, s.t):
		case n.l.m.Shared && s.t.IsFloat():
			total += call
		default:
			total += max(1, int(n.l.m.Ops[lir.Of(s.op, s.t)].Insns))
		}
	}
	return total
}
