package opt

import (
	"math"
	"math/bits"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Words of float constants that rules look for.
const (
	posZero  = 0x00000000
	negZero  = 0x80000000
	oneF32   = 0x3f800000
	minusOne = 0xbf800000
	twoF32   = 0x40000000
	signBit  = 0x80000000
	allOnes  = 0xffffffff
)

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
// one, and its value.
func (o *pass) split(n node) (x, c graph.ID, word uint32, ok bool) {
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
	if n.t != graph.F32 {
		return none()
	}
	if o.to.Node(x).Op == graph.OpMul {
		// -(y*c) = y*-c: rounding is symmetric.
		a := o.to.Args(x)
		y, c, w, ok := o.split(node{args: a})
		if ok {
			return o.make(n, graph.OpMul, n.t, y, o.filled(n.t, o.to.Node(c).Shape, w^signBit))
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
	switch x := n.args[0]; o.to.Node(x).Op {
	case graph.OpFloor, graph.OpTrunc, graph.OpCeil, graph.OpRound, graph.OpToF32:
		return keep(x) // an integer already
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
		if n.t == graph.F32 && w == negZero || n.t == graph.I32 && w == 0 {
			return keep(x)
		}
		if id, ok := o.regroup(n, x, c); ok {
			return id, true
		}
		if o.fast && n.t == graph.F32 && w == posZero {
			return keep(x)
		}
	}
	a, b := n.args[0], n.args[1]
	if a == b && n.t == graph.F32 {
		if y, factor, ok := o.scaled(a); ok {
			return o.make(n, graph.OpMul, n.t, y, o.filled(n.t, n.shape, math.Float32bits(2*factor)))
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

// scaled finds y in y+y or y*factor, factor a power of two from 2 to 2**126:
// twice that is y times 2*factor, exactly, since scaling up only ever rounds to
// infinity, and it waits for one operation less.
func (o *pass) scaled(id graph.ID) (y graph.ID, factor float32, ok bool) {
	args := o.to.Args(id)
	switch o.to.Node(id).Op {
	case graph.OpAdd:
		return args[0], 2, args[0] == args[1]
	case graph.OpMul:
		y, _, w, ok := o.split(node{args: args})
		factor := math.Float32frombits(w)
		fraction, _ := math.Frexp(float64(factor))
		return y, factor, ok && fraction == 0.5 && factor >= 2 && factor < 1<<127
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
		if n.t == graph.F32 && w == negZero || n.t == graph.I32 && w == 0 || o.fast && w == posZero {
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
	one, negOne, two := uint32(oneF32), uint32(minusOne), uint32(twoF32)
	if n.t == graph.I32 {
		one, negOne, two = 1, allOnes, 2
	}
	switch {
	case w == one:
		return keep(x)
	case w == negOne:
		return o.make(n, graph.OpNeg, n.t, x)
	case w == two:
		return o.make(n, graph.OpAdd, n.t, x, x)
	case w == 0 && (n.t == graph.I32 || o.fast):
		return o.zeroFor(n, x)
	}
	if y, ok := o.operand(x, graph.OpNeg); ok {
		flipped := w ^ signBit
		if n.t == graph.I32 {
			flipped = -w
		}
		return o.make(n, graph.OpMul, n.t, y, o.filled(n.t, n.shape, flipped))
	}
	return o.regroup(n, x, c)
}

// regroup turns (y op c1) op c into y op (c1 op c): exact for integers, which
// wrap, and for floats only in fast mode.
func (o *pass) regroup(n node, x, c graph.ID) (graph.ID, bool) {
	if n.t != graph.I32 && !o.fast || o.to.Node(x).Op != n.op {
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
	return o.make(n, n.op, n.t, y, o.filled(n.t, o.to.Node(inner).Shape, word))
}

// simplifyDiv divides by a power of two by multiplying, which rounds the same
// exact value, provided that the reciprocal is a float32.
func simplifyDiv(o *pass, n node) (graph.ID, bool) {
	a, b := n.args[0], n.args[1]
	w, ok := o.known(b)
	if !ok {
		return none()
	}
	switch w {
	case oneF32:
		return keep(a)
	case minusOne:
		return o.make(n, graph.OpNeg, n.t, a)
	}
	c := math.Float32frombits(w)
	inverse := float32(1 / c)
	if fraction, _ := math.Frexp(float64(c)); (math.Abs(fraction) == 0.5 || o.fast) && !math.IsInf(float64(inverse), 0) && inverse != 0 {
		return o.make(n, graph.OpMul, n.t, a, o.filled(n.t, n.shape, math.Float32bits(inverse)))
	}
	return none()
}

// powerOfTwo returns k if the word is the integer 2**k.
func powerOfTwo(w uint32) (k uint32, ok bool) {
	return uint32(bits.TrailingZeros32(w)), int32(w) > 0 && w&(w-1) == 0
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
