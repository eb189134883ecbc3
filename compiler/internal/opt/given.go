package opt

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
)

// What a condition says decides others beside it and in the sides of a choice: in a & b the first one matters only where b holds, in
// "x if c else y" x only where c holds. Nothing is built for it: a value is another one that there is, a constant, or stays.

// fact is a condition that is known to hold, or not to.
type fact struct {
	id    graph.ID
	holds bool
}

// depths bound how far into a condition one looks.
const (
	factDepth  = 3
	givenDepth = 5
)

// facts are what a condition says that holds, or does not.
func (o *pass) facts(list []fact, id graph.ID, holds bool, depth int) []fact {
	n := o.to.Node(id)
	if n.DType != graph.Bool || n.Shape != graph.Scalar {
		return list
	}
	list = append(list, fact{id, holds})
	switch args := o.to.Args(id); {
	case depth == 0:
	case n.Op == graph.OpNot:
		list = o.facts(list, args[0], !holds, depth-1)
	case n.Op == graph.OpAnd && holds, n.Op == graph.OpOr && !holds:
		list = o.facts(o.facts(list, args[0], holds, depth-1), args[1], holds, depth-1)
	}
	return list
}

// given is what a value is where a condition holds, or does not: with ok, another node than itself.
func (o *pass) given(x, condition graph.ID, holds bool) (graph.ID, bool) {
	if n := o.to.Node(x); n.Shape != graph.Scalar || n.Op != graph.OpSelect && (n.DType != graph.Bool || n.Op == graph.OpConst) || o.mayRaise(x) {
		return none()
	}
	var room [8]fact
	g := givens{o, o.facts(room[:0], condition, holds, factDepth)}
	return g.value(x, givenDepth)
}

// givens are facts about values.
type givens struct {
	*pass
	facts []fact
}

// value is what a value is by the facts: with ok, another node than itself.
func (g *givens) value(x graph.ID, depth int) (graph.ID, bool) {
	n := g.to.Node(x)
	if n.DType == graph.Bool {
		if holds, ok := g.decides(x, depth); ok {
			return g.truth(holds), true
		}
	}
	if depth == 0 {
		return none()
	}
	args := g.to.Args(x)
	switch n.Op {
	case graph.OpSelect:
		if holds, ok := g.decides(args[0], depth-1); ok {
			side := args[2]
			if holds {
				side = args[1]
			}
			return g.orSame(side, depth-1), true
		}
		if n.DType == graph.Bool {
			a, aok := g.known(g.orSame(args[1], depth-1))
			b, bok := g.known(g.orSame(args[2], depth-1))
			if aok && bok && a == 1 && b == 0 {
				return args[0], true
			}
		}
	case graph.OpAnd, graph.OpOr:
		for k := range args {
			if holds, ok := g.decides(args[k], depth-1); n.DType == graph.Bool && ok && holds == (n.Op == graph.OpAnd) {
				return g.orSame(args[1-k], depth-1), true
			}
		}
	}
	if c, ok := g.chosen(x, depth); ok && c.when == 1 && c.otherwise == 0 {
		return c.by, true
	}
	return none()
}

// orSame is what a value is by the facts, or itself.
func (g *givens) orSame(x graph.ID, depth int) graph.ID {
	if y, ok := g.value(x, depth); ok {
		return y
	}
	return x
}

func (o *pass) truth(holds bool) graph.ID {
	word := uint64(0)
	if holds {
		word = 1
	}
	return o.filled(graph.Bool, graph.Scalar, word)
}

// decides says whether a condition holds, if the facts do.
func (g *givens) decides(x graph.ID, depth int) (holds, ok bool) {
	if w, ok := g.known(x); ok {
		return w == 1, true
	}
	for _, f := range g.facts {
		if f.id == x {
			return f.holds, true
		}
		if holds, ok := g.compared(x, f); ok {
			return holds, true
		}
	}
	if depth == 0 {
		return false, false
	}
	n, args := g.to.Node(x), g.to.Args(x)
	switch n.Op {
	case graph.OpNot:
		holds, ok = g.decides(args[0], depth-1)
		return !holds, ok
	case graph.OpAnd, graph.OpOr:
		decisive := n.Op == graph.OpOr // what one side decides alone
		a, aok := g.decides(args[0], depth-1)
		b, bok := g.decides(args[1], depth-1)
		if aok && a == decisive || bok && b == decisive {
			return decisive, true
		}
		return !decisive, aok && bok
	case graph.OpSelect:
		if c, ok := g.decides(args[0], depth-1); ok {
			if c {
				return g.decides(args[1], depth-1)
			}
			return g.decides(args[2], depth-1)
		}
		a, aok := g.decides(args[1], depth-1)
		b, bok := g.decides(args[2], depth-1)
		return a, aok && bok && a == b
	}
	if c, ok := g.chosen(x, depth); ok && c.when == c.otherwise {
		return c.when == 1, true
	}
	return false, false
}

// aTruth is what a comparison of a choice with a number is: by a condition.
type aTruth struct {
	by              graph.ID
	when, otherwise uint64
}

// chosen is what a comparison of a choice of integers with a number is, where each of the two is a number, or the facts say how
// it compares.
func (g *givens) chosen(x graph.ID, depth int) (t aTruth, ok bool) {
	r, ok := g.relation(x)
	if !ok || depth == 0 || g.to.Node(r.of).Op != graph.OpSelect || g.to.Node(r.of).DType != graph.I32 {
		return t, false
	}
	args := g.to.Args(r.of)
	sides := [2]uint64{}
	for s := range sides {
		holds, ok := g.comparing(args[1+s], r, depth-1)
		if !ok {
			return t, false
		}
		if holds {
			sides[s] = 1
		}
	}
	return aTruth{args[0], sides[0], sides[1]}, true
}

// comparing says how a value, which may be a choice, compares with a number, if the facts do.
func (g *givens) comparing(v graph.ID, r relation, depth int) (holds, ok bool) {
	if w, ok := g.known(v); ok {
		return spanOf(graph.OpEq, float64(int32(w)), true).decides(r)
	}
	for _, f := range g.facts {
		if by, ok := g.relation(f.id); ok && by.of == v {
			if holds, ok := by.span(f.holds).decides(r); ok {
				return holds, true
			}
		}
	}
	if g.to.Node(v).Op != graph.OpSelect || depth == 0 {
		return false, false
	}
	args := g.to.Args(v)
	if c, ok := g.decides(args[0], depth-1); ok {
		if c {
			return g.comparing(args[1], r, depth-1)
		}
		return g.comparing(args[2], r, depth-1)
	}
	a, aok := g.comparing(args[1], r, depth-1)
	b, bok := g.comparing(args[2], r, depth-1)
	return a, aok && bok && a == b
}

// compared says whether a comparison holds where another one, of the same value, does or does not.
func (g *givens) compared(x graph.ID, f fact) (holds, ok bool) {
	r, ok := g.relation(x)
	if !ok {
		return false, false
	}
	by, ok := g.relation(f.id)
	if !ok || by.of != r.of {
		return false, false
	}
	return by.span(f.holds).decides(r)
}

// relation is a comparison of a value with a number.
type relation struct {
	op    graph.Op
	of    graph.ID
	k     float64
	float bool
}

// turned are the comparisons with their operands the other way round.
var turned = map[graph.Op]graph.Op{
	graph.OpEq: graph.OpEq, graph.OpNe: graph.OpNe,
	graph.OpLt: graph.OpGt, graph.OpGt: graph.OpLt, graph.OpLe: graph.OpGe, graph.OpGe: graph.OpLe,
}

// relation is what a node is that compares a value with a number.
func (o *pass) relation(x graph.ID) (r relation, ok bool) {
	n := o.to.Node(x)
	other, compares := turned[n.Op]
	if !compares || n.Shape != graph.Scalar {
		return r, false
	}
	args := o.to.Args(x)
	r = relation{op: n.Op, of: args[0]}
	w, ok := o.known(args[1])
	if !ok {
		r.op, r.of = other, args[1]
		w, ok = o.known(args[0])
	}
	switch t := o.to.Node(args[0]).DType; t {
	case graph.I32:
		r.k = float64(int32(w))
	case graph.F32:
		r.k, r.float = float64(math.Float32frombits(uint32(w))), true
	default:
		return r, false
	}
	return r, ok && !math.IsNaN(r.k)
}

// span is where a value lies that compares so, or does not. A float that does not may be a NaN.
func (r relation) span(holds bool) span {
	if !holds {
		if r.float && r.op != graph.OpNe {
			return span{least: math.Inf(-1), most: math.Inf(1), unknown: true}
		}
		r.op = opposites[r.op]
	}
	return spanOf(r.op, r.k, !r.float)
}

// span is from one number to another, with both, or all but these. Unknown, a value need not be a number.
type span struct {
	least, most float64
	but         bool
	unknown     bool
}

func spanOf(op graph.Op, n float64, whole bool) span {
	step := 0.0
	if whole {
		step = 1
	}
	s := span{least: n, most: n, but: op == graph.OpNe}
	switch op {
	case graph.OpLt:
		s.least, s.most = math.Inf(-1), n-step
	case graph.OpLe:
		s.least = math.Inf(-1)
	case graph.OpGt:
		s.least, s.most = n+step, math.Inf(1)
	case graph.OpGe:
		s.most = math.Inf(1)
	}
	return s
}

// decides says whether a comparison holds for all of the span, or for nothing of it.
func (s span) decides(r relation) (holds, ok bool) {
	op, k := r.op, r.k
	if s.unknown {
		return false, false
	}
	if s.but {
		return op == graph.OpNe, s.least == k && (op == graph.OpEq || op == graph.OpNe)
	}
	switch op {
	case graph.OpLt:
		return s.most < k, s.most < k || s.least >= k
	case graph.OpLe:
		return s.most <= k, s.most <= k || s.least > k
	case graph.OpGt:
		return s.least > k, s.least > k || s.most <= k
	case graph.OpGe:
		return s.least >= k, s.least >= k || s.most < k
	}
	equal, apart := s.least == k && s.most == k, k < s.least || k > s.most
	return equal == (op == graph.OpEq), equal || apart
}
