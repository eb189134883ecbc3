package opt

import "github.com/copaflash/copaflash/compiler/graph"

var logic = map[graph.Op]rule{
	graph.OpNot:    simplifyNot,
	graph.OpAnd:    simplifyAnd,
	graph.OpOr:     simplifyOr,
	graph.OpXor:    simplifyXor,
	graph.OpLt:     compareSelf,
	graph.OpGt:     compareSelf,
	graph.OpLe:     compareSelf,
	graph.OpGe:     compareSelf,
	graph.OpEq:     simplifyEqual,
	graph.OpNe:     simplifyEqual,
	graph.OpSelect: simplifySelect,
}

// opposites are the comparisons that hold exactly where the other does not;
// ordered ones only for integers, where there is no NaN.
var opposites = map[graph.Op]graph.Op{
	graph.OpEq: graph.OpNe, graph.OpNe: graph.OpEq,
	graph.OpLt: graph.OpGe, graph.OpGe: graph.OpLt,
	graph.OpLe: graph.OpGt, graph.OpGt: graph.OpLe,
}

func simplifyNot(o *pass, n node) (graph.ID, bool) {
	x := n.args[0]
	if y, ok := o.operand(x, graph.OpNot); ok {
		return keep(y)
	}
	if n.t != graph.Bool {
		return none()
	}
	op := o.to.Node(x).Op
	other, ok := opposites[op]
	if !ok {
		return none()
	}
	a := o.to.Args(x)
	if op != graph.OpEq && op != graph.OpNe && o.to.Node(a[0]).DType.IsFloat() {
		return none()
	}
	return o.make(n, other, n.t, a[0], a[1])
}

// ones is the word with every bit that type t has.
func ones(t graph.DType) uint64 {
	if t == graph.Bool {
		return 1
	}
	return allOnes
}

func simplifyAnd(o *pass, n node) (graph.ID, bool) {
	if x, _, w, ok := o.split(n); ok {
		switch w {
		case 0:
			return o.zeroFor(n, x)
		case ones(n.t):
			return keep(x)
		}
	}
	return o.besides(n, true)
}

// besides is a condition of two of which each matters only where the other one holds, or does not.
func (o *pass) besides(n node, holds bool) (graph.ID, bool) {
	if n.t == graph.Bool && n.args[0] != n.args[1] {
		for k := range 2 {
			if x, ok := o.given(n.args[k], n.args[1-k], holds); ok {
				return o.make(n, n.op, n.t, x, n.args[1-k])
			}
		}
	}
	return sameOperands(o, n)
}

func simplifyOr(o *pass, n node) (graph.ID, bool) {
	if x, c, w, ok := o.split(n); ok {
		switch {
		case w == 0:
			return keep(x)
		case w == ones(n.t) && !o.mayRaise(x):
			return keep(c)
		}
	}
	return o.besides(n, false)
}

func simplifyXor(o *pass, n node) (graph.ID, bool) {
	if x, _, w, ok := o.split(n); ok {
		switch w {
		case 0:
			return keep(x)
		case ones(n.t):
			return o.make(n, graph.OpNot, n.t, x)
		}
	}
	if n.args[0] == n.args[1] {
		return o.zeroFor(n, n.args[0])
	}
	return none()
}

// compareSelf decides a comparison of a value with itself: lt and gt are false
// even for NaN, the others true except for NaN.
func compareSelf(o *pass, n node) (graph.ID, bool) {
	x := n.args[0]
	if x != n.args[1] || o.mayRaise(x) {
		return none()
	}
	switch n.op {
	case graph.OpLt, graph.OpGt, graph.OpNe:
		if n.op == graph.OpNe && o.to.Node(x).DType.IsFloat() {
			return none()
		}
		return keep(o.filled(graph.Bool, n.shape, 0))
	}
	if o.to.Node(x).DType.IsFloat() {
		return none()
	}
	return keep(o.filled(graph.Bool, n.shape, 1))
}

func simplifyEqual(o *pass, n node) (graph.ID, bool) {
	x, _, w, ok := o.split(n)
	if y, cast := o.operand(x, graph.OpToI32); ok && cast && w <= 1 { // perhaps of a bool
		x = y
	}
	if ok && o.to.Node(x).DType == graph.Bool {
		if (w == 1) == (n.op == graph.OpEq) {
			return keep(x)
		}
		return o.make(n, graph.OpNot, graph.Bool, x)
	}
	return compareSelf(o, n)
}

func simplifySelect(o *pass, n node) (graph.ID, bool) {
	c, a, b := n.args[0], n.args[1], n.args[2]
	if a == b && !o.mayRaise(c) {
		return keep(a)
	}
	if w, ok := o.known(c); ok {
		taken, dropped := a, b
		if w == 0 {
			taken, dropped = b, a
		}
		if !o.mayRaise(dropped) {
			return keep(taken)
		}
	}
	if y, ok := o.operand(c, graph.OpNot); ok {
		return o.make(n, graph.OpSelect, n.t, y, b, a)
	}
	if x, ok := o.operand(b, graph.OpSqrt); ok && x == a && o.isZeroTest(c, x) {
		return keep(b) // the root of a zero is that zero: written for its derivative
	}
	if x, ok := o.given(a, c, true); ok {
		return o.make(n, graph.OpSelect, n.t, c, x, b)
	}
	if y, ok := o.given(b, c, false); ok {
		return o.make(n, graph.OpSelect, n.t, c, a, y)
	}
	if n.t == graph.Bool {
		wa, aok := o.known(a)
		wb, bok := o.known(b)
		if aok && bok && wa != wb {
			if wa == 1 {
				return keep(c)
			}
			return o.make(n, graph.OpNot, n.t, c)
		}
	}
	return none()
}

// isZeroTest tells x == 0.
func (o *pass) isZeroTest(c, x graph.ID) bool {
	if o.to.Node(c).Op != graph.OpEq {
		return false
	}
	args := o.to.Args(c)
	return args[0] == x && o.isZero(args[1]) || args[1] == x && o.isZero(args[0])
}
