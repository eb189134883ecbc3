package lower

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
)

// span64 holds all numbers that a float can be, beside a NaN.
type span64 struct{ low, high float64 }

var anyNumber = span64{math.Inf(-1), math.Inf(1)}

// truncated are the bounds of a float as an integer, which saturates and is 0 for a NaN.
func (l *lowerer) truncated(id graph.ID, depth int) interval {
	b := l.numbers(id, depth)
	whole := func(x float64) int64 { return int64(math.Trunc(max(math.MinInt32, min(x, math.MaxInt32)))) }
	return interval{whole(b.low), whole(b.high)}.hull(interval{0, 0})
}

// numbers are bounds of every element of a float node, as limits in its expression say.
func (l *lowerer) numbers(id graph.ID, depth int) span64 {
	n := l.g.Node(id)
	if depth == 0 || !n.DType.IsFloat() {
		return anyNumber
	}
	args := l.g.Args(id)
	of := func(i int) span64 { return l.numbers(args[i], depth-1) }
	switch n.Op {
	case graph.OpConst:
		return l.constantNumbers(id)
	case graph.OpMin:
		a, b := of(0), of(1)
		return span64{min(a.low, b.low), min(a.high, b.high)}
	case graph.OpMax:
		a, b := of(0), of(1)
		return span64{max(a.low, b.low), max(a.high, b.high)}
	case graph.OpFloor, graph.OpCeil, graph.OpTrunc, graph.OpRound:
		a := of(0)
		return span64{math.Floor(a.low), math.Ceil(a.high)}
	case graph.OpAbs:
		a := of(0)
		return span64{0, max(-a.low, a.high)}
	case graph.OpSelect:
		a, b := of(1), of(2)
		return span64{min(a.low, b.low), max(a.high, b.high)}
	case graph.OpStop:
		return of(0)
	}
	return anyNumber
}

// constantNumbers are those of a constant.
func (l *lowerer) constantNumbers(id graph.ID) span64 {
	t, words := l.g.Node(id).DType, l.g.ConstBits(id)
	b := span64{math.Inf(1), math.Inf(-1)}
	for i := range len(words) / t.Words() {
		x := math.Float64frombits(t.At(words, i))
		if t == graph.F32 {
			x = float64(math.Float32frombits(words[i]))
		}
		if x == x {
			b = span64{min(b.low, x), max(b.high, x)}
		}
	}
	if b.low > b.high { // no numbers
		return anyNumber
	}
	return b
}
