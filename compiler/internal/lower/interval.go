package lower

import (
	"math"
	"math/bits"

	"github.com/copaflash/copaflash/compiler/graph"
)

// interval holds all that an integer can be: what an index is known not to exceed needs no limit. Beyond 32 bits it says
// that the integer may wrap.
type interval struct{ low, high int64 }

var (
	anyInteger = interval{math.MinInt32, math.MaxInt32}
	nothing    = interval{math.MaxInt64, math.MinInt64}
)

func (b interval) hull(c interval) interval { return interval{min(b.low, c.low), max(b.high, c.high)} }

func (b interval) and(c interval) interval { return interval{max(b.low, c.low), min(b.high, c.high)} }

func (b interval) within(c interval) bool { return c.low <= b.low && b.high <= c.high }

func (b interval) isEmpty() bool { return b.low > b.high }

// corners is the hull of what do gives for the ends of two intervals.
func corners(a, b interval, do func(x, y int64) int64) interval {
	w, x, y, z := do(a.low, b.low), do(a.low, b.high), do(a.high, b.low), do(a.high, b.high)
	return interval{min(w, x, y, z), max(w, x, y, z)}
}

// intervalsOf are the bounds of what ops give for integers in two intervals, which are the same for ops on one.
var intervalsOf = map[graph.Op]func(a, b interval) interval{
	graph.OpAdd: func(a, b interval) interval { return interval{a.low + b.low, a.high + b.high} },
	graph.OpSub: func(a, b interval) interval { return interval{a.low - b.high, a.high - b.low} },
	graph.OpMul: func(a, b interval) interval { return corners(a, b, func(x, y int64) int64 { return x * y }) },
	graph.OpNeg: func(a, _ interval) interval { return interval{-a.high, -a.low} },
	graph.OpAbs: func(a, _ interval) interval { return interval{max(a.low, -a.high, 0), max(a.high, -a.low)} },
	graph.OpMin: func(a, b interval) interval { return interval{min(a.low, b.low), min(a.high, b.high)} },
	graph.OpMax: func(a, b interval) interval { return interval{max(a.low, b.low), max(a.high, b.high)} },
	graph.OpFloorDiv: func(a, b interval) interval {
		if b.low <= 0 {
			return anyInteger
		}
		return corners(a, b, func(x, y int64) int64 { return (x - (x%y+y)%y) / y })
	},
	graph.OpMod: func(a, b interval) interval {
		switch {
		case b.low <= 0:
			return anyInteger
		case a.low >= 0:
			return interval{0, min(a.high, b.high-1)}
		}
		return interval{0, b.high - 1}
	},
	graph.OpAnd: func(a, b interval) interval {
		switch {
		case a.low >= 0 && b.low >= 0:
			return interval{0, min(a.high, b.high)}
		case a.low >= 0:
			return interval{0, a.high}
		case b.low >= 0:
			return interval{0, b.high}
		}
		return anyInteger
	},
	graph.OpOr:  ofBits,
	graph.OpXor: ofBits,
	graph.OpShl: func(a, b interval) interval {
		if b.low != b.high || b.low < 0 || b.low > 30 {
			return anyInteger
		}
		return interval{a.low << b.low, a.high << b.low}
	},
	graph.OpShr: func(a, b interval) interval {
		if b.low < 0 { // which gives 0
			return a.hull(interval{0, 0})
		}
		return corners(a, b, func(x, y int64) int64 { return x >> min(y, 31) })
	},
}

// ofBits is for ops that set no bit which neither operand has, if they have no sign.
func ofBits(a, b interval) interval {
	if a.low < 0 || b.low < 0 {
		return anyInteger
	}
	return interval{0, 1<<bits.Len64(uint64(a.high|b.high)) - 1}
}

// aRelation says what a comparison p op q tells of p: that it is at most the highest q, or at least the lowest, by how
// much, and the comparison that is true where it is not.
type aRelation struct {
	below, above bool
	by           int64
	turned, not  graph.Op // the same of q and p
}

var relations = map[graph.Op]aRelation{
	graph.OpLt: {below: true, by: 1, turned: graph.OpGt, not: graph.OpGe},
	graph.OpLe: {below: true, turned: graph.OpGe, not: graph.OpGt},
	graph.OpGt: {above: true, by: 1, turned: graph.OpLt, not: graph.OpLe},
	graph.OpGe: {above: true, turned: graph.OpLe, not: graph.OpLt},
	graph.OpEq: {below: true, above: true, turned: graph.OpEq, not: graph.OpNe},
	graph.OpNe: {turned: graph.OpNe, not: graph.OpEq},
}

// given are the bounds of an integer p in b of which p op q is true, with q in c.
func (b interval) given(op graph.Op, c interval) interval {
	r := relations[op]
	if r.below {
		b.high = min(b.high, c.high-r.by)
	}
	if r.above {
		b.low = max(b.low, c.low+r.by)
	}
	if op == graph.OpNe && c.low == c.high {
		if b.low == c.low {
			b.low++
		}
		if b.high == c.low {
			b.high--
		}
	}
	return b
}
