package autodiff

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
)

// rule is the derivative of an op: back gives each wanted operand its part of
// the adjoint. zero says that the op has derivative 0 (or no float operands).
type rule struct {
	zero bool
	back func(s *step)
}

var zero = rule{zero: true}

// unary makes a rule of f(x, y, adj), the part of the only operand x of y.
func unary(f func(x, y, adj graph.Value) graph.Value) rule {
	return rule{back: func(s *step) { s.pass(0, f(s.arg(0), s.y, s.adj)) }}
}

// binary makes a rule of the parts of operands a and b of y.
func binary(fa, fb func(s *step, a, b graph.Value) graph.Value) rule {
	return rule{back: func(s *step) {
		a, b := s.arg(0), s.arg(1)
		if s.want(0) {
			s.pass(0, fa(s, a, b))
		}
		if s.want(1) {
			s.pass(1, fb(s, a, b))
		}
	}}
}

var rules [graph.NumOps]rule

// Filled in by init: rules build nodes, and passes reads the table.
func init() {
	rules = [graph.NumOps]rule{
		graph.OpConst: zero,
		graph.OpInput: zero,
		graph.OpState: zero,
		graph.OpParam: zero,

		graph.OpNeg:  unary(func(_, _, adj graph.Value) graph.Value { return adj.Neg() }),
		graph.OpAbs:  unary(func(x, _, adj graph.Value) graph.Value { return adj.Mul(x.Sign()) }),
		graph.OpSign: zero,
		graph.OpNot:  zero,
		graph.OpSqrt: unary(func(x, y, adj graph.Value) graph.Value { return adj.Mul(like(x, 0.5)).Div(y) }),
		graph.OpSin:  unary(func(x, _, adj graph.Value) graph.Value { return adj.Mul(x.Cos()) }),
		graph.OpCos:  unary(func(x, _, adj graph.Value) graph.Value { return adj.Mul(x.Sin()).Neg() }),
		graph.OpTan: unary(func(_, y, adj graph.Value) graph.Value {
			return adj.Mul(y.Mul(y).Add(like(y, 1)))
		}),
		graph.OpAsin: unary(func(x, _, adj graph.Value) graph.Value { return adj.Div(cosOfAsin(x)) }),
		graph.OpAcos: unary(func(x, _, adj graph.Value) graph.Value { return adj.Div(cosOfAsin(x)).Neg() }),
		graph.OpAtan: unary(func(x, _, adj graph.Value) graph.Value {
			return adj.Div(x.Mul(x).Add(like(x, 1)))
		}),
		graph.OpExp:   unary(func(_, y, adj graph.Value) graph.Value { return adj.Mul(y) }),
		graph.OpLog:   unary(func(x, _, adj graph.Value) graph.Value { return adj.Div(x) }),
		graph.OpExp2:  unary(func(x, y, adj graph.Value) graph.Value { return adj.Mul(y.Mul(like(x, math.Ln2))) }),
		graph.OpExpm1: unary(func(x, _, adj graph.Value) graph.Value { return adj.Mul(x.Exp()) }), // y + 1 would cancel
		graph.OpSinh:  unary(func(x, _, adj graph.Value) graph.Value { return adj.Mul(x.Cosh()) }),
		graph.OpCosh:  unary(func(x, _, adj graph.Value) graph.Value { return adj.Mul(x.Sinh()) }),
		graph.OpTanh: unary(func(_, y, adj graph.Value) graph.Value {
			one := like(y, 1)
			return adj.Mul(one.Sub(y).Mul(one.Add(y)))
		}),
		graph.OpLog2:  unary(func(x, _, adj graph.Value) graph.Value { return adj.Mul(like(x, 1/math.Ln2)).Div(x) }),
		graph.OpLog10: unary(func(x, _, adj graph.Value) graph.Value { return adj.Mul(like(x, 1/math.Ln10)).Div(x) }),
		graph.OpLog1p: unary(func(x, _, adj graph.Value) graph.Value { return adj.Div(x.Add(like(x, 1))) }),
		graph.OpCbrt: unary(func(_, y, adj graph.Value) graph.Value {
			return adj.Div(y.Mul(y).Mul(like(y, 3)))
		}),
		graph.OpFloor:    zero,
		graph.OpTrunc:    zero,
		graph.OpCeil:     zero,
		graph.OpRound:    zero,
		graph.OpIsNaN:    zero,
		graph.OpIsFinite: zero,
		graph.OpStop:     zero,
		graph.OpToF32:    unary(backCast), // wanted by a float only
		graph.OpToF64:    unary(backCast),
		graph.OpToI32:    zero,
		graph.OpToBool:   zero,

		graph.OpAdd: binary(
			func(s *step, _, _ graph.Value) graph.Value { return s.adj },
			func(s *step, _, _ graph.Value) graph.Value { return s.adj }),
		graph.OpSub: binary(
			func(s *step, _, _ graph.Value) graph.Value { return s.adj },
			func(s *step, _, _ graph.Value) graph.Value { return s.adj.Neg() }),
		graph.OpMul: binary(
			func(s *step, _, b graph.Value) graph.Value { return s.adj.Mul(b) },
			func(s *step, a, _ graph.Value) graph.Value { return s.adj.Mul(a) }),
		graph.OpDiv: binary(
			func(s *step, _, b graph.Value) graph.Value { return s.adj.Div(b) },
			func(s *step, _, b graph.Value) graph.Value { return s.adj.Div(b).Mul(s.y).Neg() }),
		graph.OpFloorDiv: zero,
		graph.OpMod: binary(
			func(s *step, _, _ graph.Value) graph.Value { return s.adj },
			func(s *step, a, b graph.Value) graph.Value { return s.adj.Mul(a.FloorDiv(b)).Neg() }),
		graph.OpPow: binary(powByBase, powByExponent),
		graph.OpAtan2: binary(
			func(s *step, y, x graph.Value) graph.Value { return alongCircle(s.adj, x, y, x) },
			func(s *step, y, x graph.Value) graph.Value { return alongCircle(s.adj, y, y, x).Neg() }),
		graph.OpHypot: binary(
			func(s *step, a, _ graph.Value) graph.Value { return s.direction(a) },
			func(s *step, _, b graph.Value) graph.Value { return s.direction(b) }),
		graph.OpFmod: binary(
			func(s *step, _, _ graph.Value) graph.Value { return s.adj },
			func(s *step, a, b graph.Value) graph.Value { return s.adj.Mul(a.Sub(s.y).Div(b).Round()).Neg() }),
		graph.OpMin: {back: func(s *step) { s.extremum(graph.Value.Le) }},
		graph.OpMax: {back: func(s *step) { s.extremum(graph.Value.Ge) }},
		graph.OpAnd: zero,
		graph.OpOr:  zero,
		graph.OpXor: zero,
		graph.OpShl: zero,
		graph.OpShr: zero,
		graph.OpLt:  zero,
		graph.OpLe:  zero,
		graph.OpGt:  zero,
		graph.OpGe:  zero,
		graph.OpEq:  zero,
		graph.OpNe:  zero,

		graph.OpSelect: {back: func(s *step) {
			if s.want(1) {
				s.passIf(1, s.adj, s.arg(0), false)
			}
			if s.want(2) {
				s.passIf(2, s.adj, s.arg(0), true)
			}
		}},

		graph.OpStack:     {back: stackBack},
		graph.OpIndex:     {back: indexBack},
		graph.OpSlice:     {back: sliceBack},
		graph.OpConcat:    {back: concatBack},
		graph.OpReshape:   {back: reshapeBack},
		graph.OpTranspose: {back: transposeBack},
		graph.OpBroadcast: {back: broadcastBack},
		graph.OpSum:       {back: sumBack},
		graph.OpDot:       {back: dotBack},
		graph.OpMatMul:    {back: matMulBack},
	}
}

// like is the number n in the type of x.
func like(x graph.Value, n float64) graph.Value { return x.Graph().Number(x.DType(), n) }

// number is n in the type of the node.
func (s *step) number(n float64) graph.Value { return like(s.y, n) }

// backCast brings the adjoint of a float made of another one to the type of that.
func backCast(x, _, adj graph.Value) graph.Value {
	if x.DType() == graph.F64 {
		return adj.ToF64()
	}
	return adj.ToF32()
}

// cosOfAsin is sqrt(1 - x*x), in the form that stays accurate near 1.
func cosOfAsin(x graph.Value) graph.Value {
	one := like(x, 1)
	return one.Sub(x).Mul(one.Add(x)).Sqrt()
}

// alongCircle is adj * a / (y*y + x*x), where a is y or x. Vectors whose squares would
// overflow or vanish are scaled by a power of two, which is exact.
func alongCircle(adj, a, y, x graph.Value) graph.Value {
	limit, factor := 0x1p60, 0x1p96
	if y.DType() == graph.F64 {
		limit, factor = 0x1p500, 0x1p700
	}
	size := y.Abs().Max(x.Abs())
	small := size.Lt(like(size, 1/limit)).Select(like(size, factor), like(size, 1))
	scale := size.Gt(like(size, limit)).Select(like(size, 1/factor), small)
	y, x, a = y.Mul(scale), x.Mul(scale), a.Mul(scale)
	return adj.Mul(a).Div(y.Mul(y).Add(x.Mul(x))).Mul(scale)
}

// direction is the part of a component of a vector of length y: 0 for the zero
// vector, where the length has a kink.
func (s *step) direction(component graph.Value) graph.Value {
	zero := s.number(0)
	return s.y.Eq(zero).Select(zero, s.adj.Mul(component.Div(s.y)))
}

// powByBase is b * a**(b-1); 0 where b is 0, also at a = 0.
func powByBase(s *step, a, b graph.Value) graph.Value {
	d := s.adj.Mul(b.Mul(a.Pow(b.Sub(s.number(1)))))
	if id := b.ID(); s.g.IsConst(id) && len(b.Shape()) == 0 {
		if n := s.g.Node(id); n.Word()<<(65-32*n.DType.Words()) != 0 { // any bit but the sign
			return d
		}
	}
	return b.Eq(s.number(0)).Select(s.number(0), d)
}

// powByExponent is a**b * log(a); 0 where a is 0, the limit for b > 0.
func powByExponent(s *step, a, _ graph.Value) graph.Value {
	d := s.adj.Mul(s.y.Mul(a.Log()))
	return a.Eq(s.number(0)).Select(s.number(0), d)
}

// extremum gives the adjoint to the operand that won, half to each at a tie.
// Where an operand is NaN, none wins.
func (s *step) extremum(wins func(a, b graph.Value) graph.Value) {
	a, b := s.arg(0), s.arg(1)
	part := a.Eq(b).Select(s.adj.Mul(s.number(0.5)), s.adj)
	if s.want(0) {
		s.passIf(0, part, wins(a, b), false)
	}
	if s.want(1) {
		s.passIf(1, part, wins(b, a), false)
	}
}
