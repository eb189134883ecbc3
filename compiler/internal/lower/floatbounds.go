package lower

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
)

// span64 holds all numbers that a float can be, beside a NaN.
type span64 struct{ low, high float64 }

var anyNumber = span64{math.Inf(-1), math.Inf(1)}

func (a span64) hull(b span64) span64 { return span64{min(a.low, b.low), max(a.high, b.high)} }

// truncated are the bounds of a float as an integer, which saturates and is 0 for a NaN.
func (l *lowerer) truncated(id graph.ID, depth int) interval {
	b := l.numbers(id, depth)
	whole := func(x float64) int64 { return int64(math.Trunc(max(math.MinInt32, min(x, math.MaxInt32)))) }
	return interval{whole(b.low), whole(b.high)}.hull(interval{0, 0})
}

// numbers are bounds of every element of a float node.
func (l *lowerer) numbers(id graph.ID, depth int) span64 {
	if depth == 0 || !l.g.Node(id).DType.IsFloat() {
		return anyNumber
	}
	b, ok := l.numbersOf[id]
	if !ok {
		b = l.findNumbers(id, depth-1)
		if b.low != b.low || b.high != b.high {
			b = anyNumber
		}
		if l.numbersOf == nil {
			l.numbersOf = map[graph.ID]span64{}
		}
		l.numbersOf[id] = b
	}
	return b
}

// spansOf are the bounds of what ops give for floats in two spans, which are the same for ops on one: the exact ones, which
// rounding moves with the results. A NaN says nothing.
var spansOf = map[graph.Op]func(a, b span64) span64{
	graph.OpAdd:   func(a, b span64) span64 { return span64{a.low + b.low, a.high + b.high} },
	graph.OpSub:   func(a, b span64) span64 { return span64{a.low - b.high, a.high - b.low} },
	graph.OpMul:   productSpan,
	graph.OpNeg:   func(a, _ span64) span64 { return span64{-a.high, -a.low} },
	graph.OpAbs:   func(a, _ span64) span64 { return span64{0, max(-a.low, a.high)} },
	graph.OpMin:   func(a, b span64) span64 { return span64{min(a.low, b.low), min(a.high, b.high)} },
	graph.OpMax:   func(a, b span64) span64 { return span64{max(a.low, b.low), max(a.high, b.high)} },
	graph.OpFloor: wholeSpan,
	graph.OpCeil:  wholeSpan,
	graph.OpTrunc: wholeSpan,
	graph.OpRound: wholeSpan,
	graph.OpStop:  func(a, _ span64) span64 { return a },
}

func productSpan(a, b span64) span64 {
	w, x, y, z := a.low*b.low, a.low*b.high, a.high*b.low, a.high*b.high
	return span64{min(w, x, y, z), max(w, x, y, z)}
}

func wholeSpan(a, _ span64) span64 { return span64{math.Floor(a.low), math.Ceil(a.high)} }

func (l *lowerer) findNumbers(id graph.ID, depth int) span64 {
	n, args := l.g.Node(id), l.g.Args(id)
	of := func(i int) span64 { return l.numbers(args[i], depth) }
	round := func(x float64) float64 { return x }
	if n.DType == graph.F32 {
		round = func(x float64) float64 { return float64(float32(x)) }
	}
	if do, ok := spansOf[n.Op]; ok {
		b := do(of(0), of(len(args)-1))
		return span64{round(b.low), round(b.high)}
	}
	switch n.Op {
	case graph.OpConst:
		return l.constantNumbers(id)
	case graph.OpToF32, graph.OpToF64:
		if l.g.Node(args[0]).DType == graph.I32 {
			b := l.boundsTo(args[0], depth)
			return span64{round(float64(b.low)), round(float64(b.high))}
		}
	case graph.OpSelect:
		return l.chosenNumbers(id, nil, depth)
	}
	return anyNumber
}

// chosenNumbers are the bounds of a float where facts hold; empty if they never do.
func (l *lowerer) chosenNumbers(id graph.ID, facts []fact, depth int) span64 {
	b := span64{math.Inf(1), math.Inf(-1)}
	if l.choices(id, facts, func(id graph.ID, facts []fact) { b = b.hull(l.chosenNumbers(id, facts, depth)) }) {
		return b
	}
	b = l.numbers(id, depth)
	for _, f := range facts {
		b = l.givenNumbers(id, b, f)
	}
	return b
}

// givenNumbers are the bounds b of a node where a comparison of it with a constant is true or false. A NaN compares as
// false.
func (l *lowerer) givenNumbers(id graph.ID, b span64, f fact) span64 {
	op, limit, ok := l.compared(id, f)
	if !ok {
		return b
	}
	if n := l.g.Node(limit); n.Op != graph.OpConst || n.Shape != graph.Scalar {
		return b
	}
	c := l.constantNumbers(limit)
	if relations[op].below {
		b.high = min(b.high, c.high)
	}
	if relations[op].above {
		b.low = max(b.low, c.low)
	}
	return b
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
