package regalloc

import (
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// lowPins are the phis and words of a loop that are to be in registers whose instructions are shorter, where not all are:
// those that gain most, as many as the body leaves, or one.
func (a *allocator) lowPins(l *lir.Loop, body []lir.Ins, steps []step, words []lir.Val, counts bool) map[lir.Val]bool {
	const few = 3
	c := a.m.Bank(lir.Int)
	all := bits.OnesCount32(a.m.LowInts & a.files[c].pool)
	if all < few {
		return nil
	}
	for i := range body {
		if op := body[i].Op; op.DType().IsFloat() && op.Code() < graph.NumOps {
			return nil // calls of services, whose operands are better off there
		}
	}
	held, gains := map[lir.Val]bool{}, map[lir.Val]int{}
	var order []lir.Val
	for k, p := range l.Phis {
		switch order = append(order, p.Val); {
		case k == 0 && counts, steps[k].by != nil:
			gains[p.Val] = 2 // two moves
		case p.Next != p.Val:
			gains[p.Val] = 1
		}
	}
	order = append(order, words...)
	for _, v := range order {
		held[v] = true
	}
	for i := range body {
		if op := body[i].Op; op.Picks() || op.Code() == lir.Move || op.Code() == lir.Test {
			continue // which take no more by others
		}
		for _, v := range body[i].Args() {
			gains[v]++
		}
	}
	order = slices.DeleteFunc(order, func(v lir.Val) bool { return a.class(v) != c || gains[v] == 0 })
	slices.SortStableFunc(order, func(x, y lir.Val) int { return gains[y] - gains[x] })
	left := max(1, all-max(2, a.bodyTakes(l.Phis, body, c, held)))
	low := map[lir.Val]bool{}
	for _, v := range order[:min(left, len(order))] {
		low[v] = true
	}
	return low
}
