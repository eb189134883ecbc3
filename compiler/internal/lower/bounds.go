package lower

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
)

// interval holds all that an integer can be: what an index is known not to exceed needs no limit.
type interval struct{ low, high int64 }

var anyInteger = interval{math.MinInt32, math.MaxInt32}

// maxDepth bounds how far operands are followed.
const maxDepth = 32

// bounds are those of every element of a node of type i32 or bool.
func (l *lowerer) bounds(id graph.ID) interval { return l.boundsTo(id, maxDepth) }

func (l *lowerer) boundsTo(id graph.ID, depth int) interval {
	b, ok := l.intervals[id]
	if ok {
		return b
	}
	if b = anyInteger; l.g.Node(id).DType == graph.Bool {
		b = interval{0, 1}
	}
	if depth > 0 {
		if c, ok := l.boundsOf(id, depth-1); ok && c.low >= b.low && c.high <= b.high {
			b = c
		}
		l.intervals[id] = b
	}
	return b
}

// boundsOf are those that follow from the op; beyond 32 bits they say that it may wrap.
func (l *lowerer) boundsOf(id graph.ID, depth int) (interval, bool) {
	n := l.g.Node(id)
	if n.DType != graph.I32 {
		return interval{}, false
	}
	args := l.g.Args(id)
	of := func(i int) interval { return l.boundsTo(args[i], depth) }
	switch n.Op {
	case graph.OpConst:
		return l.constantBounds(id), true
	case graph.OpToI32:
		if l.g.Node(args[0]).DType == graph.Bool {
			return interval{0, 1}, true
		}
		return l.truncated(args[0], depth), true
	case graph.OpAdd:
		a, b := of(0), of(1)
		return interval{a.low + b.low, a.high + b.high}, true
	case graph.OpSub:
		a, b := of(0), of(1)
		return interval{a.low - b.high, a.high - b.low}, true
	case graph.OpMul:
		a, b := of(0), of(1)
		w, x, y, z := a.low*b.low, a.low*b.high, a.high*b.low, a.high*b.high
		return interval{min(w, x, y, z), max(w, x, y, z)}, true
	case graph.OpMin:
		a, b := of(0), of(1)
		return interval{min(a.low, b.low), min(a.high, b.high)}, true
	case graph.OpMax:
		a, b := of(0), of(1)
		return interval{max(a.low, b.low), max(a.high, b.high)}, true
	case graph.OpAnd:
		a, b := of(0), of(1)
		switch {
		case a.low >= 0 && b.low >= 0:
			return interval{0, min(a.high, b.high)}, true
		case a.low >= 0:
			return interval{0, a.high}, true
		case b.low >= 0:
			return interval{0, b.high}, true
		}
	case graph.OpMod:
		if m := of(1); m.low > 0 {
			return interval{0, m.high - 1}, true
		}
	case graph.OpShr:
		if a := of(0); a.low >= 0 {
			return interval{0, a.high}, true
		}
	case graph.OpShl:
		if a, by := of(0), of(1); by.low == by.high && by.low >= 0 && by.low < 31 {
			return interval{a.low << by.low, a.high << by.low}, true
		}
	case graph.OpSelect:
		return of(1).hull(of(2)), true
	case graph.OpStack, graph.OpConcat:
		b := of(0)
		for i := range args[1:] {
			b = b.hull(of(i + 1))
		}
		return b, true
	case graph.OpTake, graph.OpStop, graph.OpSort, graph.OpAMax, graph.OpAMin:
		return of(0), true
	case graph.OpArgsort:
		s := l.g.ShapeOf(id)
		return interval{0, int64(max(s[len(s)-1], 1) - 1)}, true
	}
	if n.Op.Info().Sig == graph.SigMove {
		return of(0), true
	}
	return interval{}, false
}

func (l *lowerer) constantBounds(id graph.ID) interval {
	words := l.g.ConstBits(id)
	if len(words) == 0 {
		return interval{}
	}
	b := interval{math.MaxInt32, math.MinInt32}
	for _, w := range words {
		x := int64(int32(w))
		b = interval{min(b.low, x), max(b.high, x)}
	}
	return b
}

func (b interval) hull(c interval) interval { return interval{min(b.low, c.low), max(b.high, c.high)} }

// boundParams says what is known of the params of a body: the number of the iteration, what comes
// from outside, and the carries that stay in the bounds which they begin with.
func (x *scanner) boundParams() {
	b, l := x.b, x.l
	takes := len(b.changes) > 0
	for id := range graph.ID(b.g.NumNodes()) {
		takes = takes || b.uses[id] > 0 && b.g.Node(id).Op == graph.OpTake
	}
	if !takes {
		return
	}
	known := map[graph.ID]interval{x.s.Param(0): {0, int64(x.s.Iterations) - 1}}
	for i, arg := range x.args {
		if x.l.g.Node(arg).DType == graph.I32 {
			known[x.s.Param(1+i)] = l.bounds(arg)
		}
	}
	const tries = 4 // bounds that do not settle soon are none
	for try := range tries {
		clear(b.intervals)
		for id, k := range known {
			b.intervals[id] = k
		}
		stable := true
		for k, next := range x.s.Results[:x.s.Carries] {
			id := x.s.Param(1 + k)
			was, ok := known[id]
			if !ok {
				continue
			}
			if now := was.hull(b.bounds(next)); now != was {
				if known[id], stable = now, false; try >= tries-2 {
					known[id] = anyInteger
				}
			}
		}
		if stable {
			return
		}
	}
	clear(b.intervals)
	for k := range x.s.Carries {
		delete(known, x.s.Param(1+k))
	}
	for id, k := range known {
		b.intervals[id] = k
	}
}
