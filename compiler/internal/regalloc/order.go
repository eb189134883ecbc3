package regalloc

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// pinOrder is the order in which the phis of a loop get registers, by number: the counter first, and where there are fewer than phis
// of a class, those first that would take the most instructions in memory, as pointers do.
func (a *allocator) pinOrder(l *lir.Loop, body []lir.Ins, steps []step, room *[lir.NumClasses]uint32) []int {
	order, count := make([]int, len(l.Phis)), [lir.NumClasses]int{}
	short := false
	for k, p := range l.Phis {
		order[k] = k
		c := a.class(p.Val)
		count[c]++
		short = short || count[c] > bits.OnesCount32(room[c])
	}
	if !short || !a.m.Pointers {
		return order
	}
	reads := map[lir.Val]int{}
	for i := range body {
		for _, v := range body[i].Args() {
			reads[v]++
		}
	}
	cost := func(k int) int {
		p := &l.Phis[k]
		switch n := reads[p.Val]; {
		case steps[k].by != nil: // each of its loads is followed by an addition of the base
			return 2*n + 2
		case p.Next == p.Val:
			return n
		default:
			return n + 1
		}
	}
	slices.SortStableFunc(order[1:], func(x, y int) int { return cmp.Compare(cost(y), cost(x)) })
	return order
}
