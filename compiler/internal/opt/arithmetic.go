package opt

import (
	"math"
	"math/bits"

	"github.com/copaflash/copaflash/compiler/graph"
)

const allOnes = 0xffffffff

// signBit is that of a float.
func signBit(t graph.DType) uint64 {
	if t == graph.F64 {
		return 1 << 63
	}
	return 1 << 31
}

// number is the value of the bits of an f32, i32 or f64.
func number(t graph.DType, bits uint64) float64 {
	switch t {
	case graph.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case graph.F64:
		return math.Float64frombits(bits)
	}
	return float64(int32(bits))
}

// addsNothing reports whether bits added to something change it in no case: -0 for a
// float, whose +0 would lose the sign of another -0.
func addsNothing(t graph.DType, bits uint64) bool {
	if t.IsFloat() {
		return bits == signBit(t)
	}
	return bits == 0
}

var arithmetic = map[graph.Op]rule{
	graph.OpNeg:      simplifyNeg,
	graph.OpAbs:      simplifyAbs,
	graph.OpSign:     idempotent,
	graph.OpFloor:    simplifyRound,
	graph.OpTrunc:    simplifyRound,
	graph.OpCeil:     simplifyRound,
	graph.OpRound:    simplifyRound,
	graph.OpStop:     operandItself,
	graph.OpAdd:      simplifyAdd,
	graph.OpSub:      simplifySub,
	graph.OpMul:      simplifyMul,
	graph.OpDiv:      simplifyDiv,
	graph.OpFloorDiv: simplifyFloorDiv,
	graph.OpMod:      simplifyMod,
	graph.OpMin:      sameOperands,
	graph.OpMax:      sameOperands,
	graph.OpShl:      simplifyShift,
	graph.OpShr:      simplifyShift,
}

// split returns the operand of a commutative op that is not known, the known
// one, and its bits.
func (o *pass) split(n node) (x, c graph.ID, word uint64, ok bool) {
	if w, ok := o.known(n.args[1]); ok {
		return n.args[0], n.args[1], w, true
	}
	w, ok := o.known(n.args[0])
	return n.args[1], n.args[0], w, ok
}

// operand returns the operand of a node made by the given unary op.
func (o *pass) operand(id graph.ID, op graph.Op) (graph.ID, bool) {
	if o.to.Node(id).Op != op {
		return none()
	}
	return o.to.Args(id)[0], true
}

// zeroFor answers with 0 in place of n if nothing is lost with its operands.
func (o *pass) zeroFor(n node, dropped graph.ID) (graph.ID, bool) {
	if o.mayRaise(dropped) {
		return none()
	}
	return keep(o.filled(n.t, n.shape, 0))
}

func simplifyNeg(o *pass, n node) (graph.ID, bool) {
	x := n.args[0]
	if y, ok := o.operand(x, graph.OpNeg); ok {
		return keep(y)
	}
	if !n.t.IsFloat() {
		return none()
	}
	if o.to.Node(x).Op == graph.OpMul {
		// -(y*c) = y*-c: rounding is symmetric.
		a := o.to.Args(x)
		y, c, w, ok := o.split(node{args: a})
		if ok {
			return o.make(n, graph.OpMul, n.t, y, o.filled(n.t, o.to.Node(c).Shape, w^signBit(n.t)))
		}
	}
	return none()
}

func simplifyAbs(o *pass, n node) (graph.ID, bool) {
	if y, ok := o.operand(n.args[0], graph.OpNeg); ok {
		return o.make(n, graph.OpAbs, n.t, y)
	}
	return idempotent(o, n)
}

// idempotent is for ops that change nothing when applied again.
func idempotent(o *pass, n node) (graph.ID, bool) {
	if o.to.Node(n.args[0]).Op == n.op {
		return keep(n.args[0])
	}
	return none()
}

func simplifyRound(o *pass, n node) (graph.ID, bool) {
	x := n.args[0]
	switch o.to.Node(x).Op {
	case graph.OpFloor, graph.OpTrunc, graph.OpCeil, graph.OpRound:
		return keep(x) // an integer already
	case graph.OpToF32, graph.OpToF64:
		if !o.to.Node(o.to.Args(x)[0]).DType.IsFloat() {
			return keep(x)
		}
	}
	return none()
}

// operandItself removes ops that only matter for gradients.
func operandItself(_ *pass, n node) (graph.ID, bool) { return keep(n.args[0]) }

func sameOperands(_ *pass, n node) (graph.ID, bool) {
	if n.args[0] == n.args[1] {
		return keep(n.args[0])
	}
	return none()
}

func simplifyAdd(o *pass, n node) (graph.ID, bool) {
	if x, c, w, ok := o.split(n); ok {
		if addsNothing(n.t, w) {
			return keep(x)
		}
		if id, ok := o.regroup(n, x, c); ok {
			return id, true
		}
		if o.fast && w == 0 {
			return keep(x)
		}
	}
	a, b := n.args[0], n.args[1]
	if a == b && n.t.IsFloat() {
		if y, factor, ok := o.scaled(n.t, a); ok {
			return o.make(n, graph.OpMul, n.t, y, o.numbers(n, 2*factor))
		}
	}
	if y, ok := o.operand(b, graph.OpNeg); ok {
		return o.make(n, graph.OpSub, n.t, a, y)
	}
	if y, ok := o.operand(a, graph.OpNeg); ok {
		return o.make(n, graph.OpSub, n.t, b, y)
	}
	return none()
}

// scaled finds y in y+y or y*factor, factor a power of two from 2 to 2**126 (2**1022 for f64):
// twice that is y times 2*factor, exactly, since scaling up only ever rounds to
// infinity, and it waits for one operation less.
func (o *pass) scaled(t graph.DType, id graph.ID) (y graph.ID, factor float64, ok bool) {
	args := o.to.Args(id)
	switch o.to.Node(id).Op {
	case graph.OpAdd:
		return args[0], 2, args[0] == args[1]
	case graph.OpMul:
		y, _, w, ok := o.split(node{args: args})
		factor := number(t, w)
		fraction, exponent := math.Frexp(factor)
		limit := 127
		if t == graph.F64 {
			limit = 1023
		}
		return y, factor, ok && fraction == 0.5 && factor >= 2 && exponent <= limit
	}
	return graph.None, 0, false
}

func simplifySub(o *pass, n node) (graph.ID, bool) {
	a, b := n.args[0], n.args[1]
	if w, ok := o.known(b); ok && w == 0 {
		return keep(a)
	}
	if a == b && (n.t == graph.I32 || o.fast) {
		return o.zeroFor(n, a)
	}
	if w, ok := o.known(a); ok {
		if addsNothing(n.t, w) || o.fast && w == 0 {
			return o.make(n, graph.OpNeg, n.t, b)
		}
	}
	if y, ok := o.operand(b, graph.OpNeg); ok {
		return o.make(n, graph.OpAdd, n.t, a, y)
	}
	return none()
}

func simplifyMul(o *pass, n node) (graph.ID, bool) {
	x, c, w, ok := o.split(n)
	if !ok {
		a, aok := o.operand(n.args[0], graph.OpNeg)
		b, bok := o.operand(n.args[1], graph.OpNeg)
		if aok && bok {
			return o.make(n, graph.OpMul, n.t, a, b)
		}
		return none()
	}
	switch c := number(n.t, w); {
	case c == 1:
		return keep(x)
	case c == -1:
		return o.make(n, graph.OpNeg, n.t, x)
	case c == 2:
		return o.make(n, graph.OpAdd, n.t, x, x)
	case w == 0 && (n.t == graph.I32 || o.fast):
		return o.zeroFor(n, x)
	}
	if y, ok := o.operand(x, graph.OpNeg); ok {
		flipped := w ^ signBit(n.t)
		if n.t == graph.I32 {
			flipped = uint64(-uint32(w))
		}
		return o.make(n, graph.OpMul, n.t, y, o.filled(n.t, n.shape, flipped))
	}
	return o.regroup(n, x, c)
}

// numbers is a constant in the type and shape of n with every element x.
func (o *pass) numbers(n node, x float64) graph.ID {
	w, _ := o.known(o.to.Number(n.t, x).ID())
	return o.filled(n.t, n.shape, w)
}

// regroup turns (y op c1) op c into y op (c1 op c): exact for integers, which
// wrap, and for floats where both nodes are marked.
func (o *pass) regroup(n node, x, c graph.ID) (graph.ID, bool) {
	if from := o.to.Node(x); from.Op != n.op || n.t != graph.I32 && !(n.t == graph.F32 && o.fast && from.Fast) {
		return none()
	}
	y, inner, w1, ok := o.split(node{args: o.to.Args(x)})
	if !ok {
		return none()
	}
	w, _ := o.known(c)
	s := node{shape: graph.Scalar}
	sum, _ := o.make(s, n.op, n.t, o.filled(n.t, graph.Scalar, w1), o.filled(n.t, graph.Scalar, w))
	word, _ := o.known(sum)
	if n.t != graph.I32 && !ordinary(n.op, w, w1, word) {
		return none()
	}
	return o.make(n, n.op, n.t, y, o.filled(n.t, o.to.Node(inner).Shape, word))
}

// simplifyDiv divides by a power of two by multiplying, which rounds the same
// exact value, provided that the reciprocal is a number of the type.
func simplifyDiv(o *pass, n node) (graph.ID, bool) {
	a, b := n.args[0], n.args[1]
	w, ok := o.known(b)
	if !ok {
		return none()
	}
	c := number(n.t, w)
	switch c {
	case 1:
		return keep(a)
	case -1:
		return o.make(n, graph.OpNeg, n.t, a)
	}
	inverse := 1 / c
	if n.t == graph.F32 {
		inverse = float64(float32(inverse))
	}
	if fraction, _ := math.Frexp(c); (math.Abs(fraction) == 0.5 || o.fast) && !math.IsInf(inverse, 0) && inverse != 0 {
		return o.make(n, graph.OpMul, n.t, a, o.numbers(n, inverse))
	}
	return none()
}

// powerOfTwo returns k if the word is the integer 2**k.
func powerOfTwo(w uint64) (k uint64, ok bool) {
	return uint64(bits.TrailingZeros64(w)), int32(w) > 0 && w&(w-1) == 0
}

func simplifyFloorDiv(o *pass, n node) (graph.ID, bool) {
	w, ok := o.known(n.args[1])
	if !ok || n.t != graph.I32 {
		return none()
	}
	if w == 1 {
		return keep(n.args[0])
	}
	if k, ok := powerOfTwo(w); ok {
		return o.make(n, graph.OpShr, n.t, n.args[0], o.filled(n.t, n.shape, k))
	}
	return none()
}

func simplifyMod(o *pass, n node) (graph.ID, bool) {
	w, ok := o.known(n.args[1])
	if !ok || n.t != graph.I32 {
		return none()
	}
	if _, ok := powerOfTwo(w); ok {
		return o.make(n, graph.OpAnd, n.t, n.args[0], o.filled(n.t, n.shape, w-1))
	}
	return none()
}

func simplifyShift(o *pass, n node) (graph.ID, bool) {
	if w, ok := o.known(n.args[1]); ok && w == 0 {
		return keep(n.args[0])
	}
	return none()
}
