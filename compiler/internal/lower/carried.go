package lower

import (
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// boundParams says what is known of the params of a body: the number of the iteration, what comes
// from outside, and the carries that stay in the bounds which they begin with or come to.
func (x *scanner) boundParams() {
	b := x.b
	asks := len(b.changes) > 0
	for id := range graph.ID(b.g.NumNodes()) {
		n := b.g.Node(id)
		asks = asks || b.uses[id] > 0 && (n.Op == graph.OpTake || divides(n.Op, n.DType))
	}
	if !asks {
		return
	}
	known := map[graph.ID]interval{x.s.Param(0): {0, int64(x.s.Iterations) - 1}}
	for i, arg := range x.args {
		if x.l.g.Node(arg).DType == graph.I32 {
			known[x.s.Param(1+i)] = x.l.bounds(arg)
		}
	}
	steps := b.numbersNamed()
	const tries = 16 // bounds that do not settle soon are none
	for try, stable := 0, false; !stable; try++ {
		clear(b.intervals)
		clear(b.numbersOf)
		for id, k := range known {
			b.intervals[id] = k
		}
		stable = true
		for k, next := range x.s.Results[:x.s.Carries] {
			id := x.s.Param(1 + k)
			was, ok := known[id]
			if !ok {
				continue
			}
			if now := b.bounds(next); !now.within(was) {
				stable = false
				if known[id] = was.widened(now, steps); try >= tries {
					known[id] = anyInteger
				}
			}
		}
	}
}

// widened are bounds that hold b and c, of which those that differ from b are among the steps: what grows by little in
// each iteration settles at a number that the program compares it with, or nowhere.
func (b interval) widened(c interval, steps []int64) interval {
	if c.low < b.low {
		k, found := slices.BinarySearch(steps, c.low)
		if !found {
			k--
		}
		b.low = steps[k]
	}
	if c.high > b.high {
		k, _ := slices.BinarySearch(steps, c.high)
		b.high = steps[k]
	}
	return b
}

// numbersNamed are the integer constants of a body, with their neighbours and the ends of all integers, in order.
func (l *lowerer) numbersNamed() []int64 {
	list := []int64{math.MinInt32, math.MaxInt32}
	for id := range graph.ID(l.g.NumNodes()) {
		if n := l.g.Node(id); l.uses[id] > 0 && n.Op == graph.OpConst && n.DType == graph.I32 && n.Shape == graph.Scalar {
			x := int64(int32(uint32(n.Word())))
			list = append(list, max(x-1, math.MinInt32), x, min(x+1, math.MaxInt32))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
