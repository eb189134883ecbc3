package lower

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
)

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
		if c, ok := l.boundsOf(id, depth-1); ok && c.within(b) {
			b = c
		}
		l.intervals[id] = b
	}
	return b
}

// boundsOf are those that follow from the op.
func (l *lowerer) boundsOf(id graph.ID, depth int) (interval, bool) {
	n := l.g.Node(id)
	if n.DType != graph.I32 {
		return interval{}, false
	}
	args := l.g.Args(id)
	of := func(i int) interval { return l.boundsTo(args[i], depth) }
	if do, ok := intervalsOf[n.Op]; ok {
		return do(of(0), of(len(args)-1)), true
	}
	switch n.Op {
	case graph.OpConst:
		return l.constantBounds(id), true
	case graph.OpToI32:
		if l.g.Node(args[0]).DType == graph.Bool {
			return interval{0, 1}, true
		}
		return l.truncated(args[0], depth), true
	case graph.OpSign:
		return interval{-1, 1}, true
	case graph.OpSelect:
		b := l.chosenBounds(id, nil, depth)
		return b, !b.isEmpty()
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

// A fact is that a condition is true or false.
type fact struct {
	condition graph.ID
	holds     bool
}

// maxFacts bounds how far selects of selects are followed.
const maxFacts = 4

// choices calls do for what a select chooses from, with what is known then.
func (l *lowerer) choices(id graph.ID, facts []fact, do func(id graph.ID, facts []fact)) bool {
	if l.g.Node(id).Op != graph.OpSelect || len(facts) >= maxFacts {
		return false
	}
	args := l.g.Args(id)
	for i, holds := range []bool{true, false} {
		do(args[1+i], append(facts[:len(facts):len(facts)], fact{args[0], holds}))
	}
	return true
}

// chosenBounds are those of a node where facts hold, and of one to which it adds a constant; empty if they never do.
func (l *lowerer) chosenBounds(id graph.ID, facts []fact, depth int) interval {
	b := nothing
	if l.choices(id, facts, func(id graph.ID, facts []fact) {
		if c := l.chosenBounds(id, facts, depth); !c.isEmpty() {
			b = b.hull(c)
		}
	}) {
		return b
	}
	given := func(id graph.ID) interval {
		b := l.boundsTo(id, depth)
		for _, f := range facts {
			b = l.given(id, b, f, depth, maxFacts)
		}
		return b
	}
	b = given(id)
	n, args := l.g.Node(id), l.g.Args(id)
	if n.Op != graph.OpAdd && n.Op != graph.OpSub {
		return b
	}
	for i, x := range args {
		by := args[1-i]
		if l.g.Node(by).Op != graph.OpConst || n.Op == graph.OpSub && i == 1 {
			continue
		}
		if sum := intervalsOf[n.Op](given(x), l.boundsTo(by, depth)); sum.within(anyInteger) {
			b = b.and(sum)
		}
	}
	return b
}

// given are the bounds b of an integer node where a fact holds, or several that make it up.
func (l *lowerer) given(id graph.ID, b interval, f fact, depth, parts int) interval {
	n, args := l.g.Node(f.condition), l.g.Args(f.condition)
	if parts == 0 || depth == 0 {
		return b
	}
	switch {
	case n.DType != graph.Bool:
		return b
	case n.Op == graph.OpNot:
		return l.given(id, b, fact{args[0], !f.holds}, depth, parts-1)
	case n.Op == graph.OpAnd && f.holds || n.Op == graph.OpOr && !f.holds:
		for _, a := range args {
			b = l.given(id, b, fact{a, f.holds}, depth, parts-1)
		}
		return b
	}
	op, limit, ok := l.compared(id, f)
	if !ok || l.g.Node(id).DType != graph.I32 {
		return b
	}
	return b.given(op, l.boundsTo(limit, depth-1))
}

// compared says how a node compares with another one where a fact holds, if that is what it says.
func (l *lowerer) compared(id graph.ID, f fact) (op graph.Op, with graph.ID, ok bool) {
	op, args := l.g.Node(f.condition).Op, l.g.Args(f.condition)
	r, ok := relations[op]
	switch {
	case !ok:
		return 0, 0, false
	case args[1] == id:
		op, with = r.turned, args[0]
	case args[0] == id:
		with = args[1]
	default:
		return 0, 0, false
	}
	if !f.holds {
		op = relations[op].not
	}
	return op, with, true
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
