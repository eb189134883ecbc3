package autodiff

import (
	"fmt"

	"github.com/copaflash/copaflash/compiler/graph"
)

// rule gives each wanted operand its part of the adjoint. Ops with derivative 0 have none.
type rule func(s *step)

// parts makes a rule of what each operand gets.
func parts(of ...func(s *step) graph.Value) rule {
	return func(s *step) {
		for i, part := range of {
			if s.want(i) {
				s.pass(i, part(s))
			}
		}
	}
}

// byHand are the rules that are more than the column Adjoint of the op table can say.
var byHand = [graph.NumOps]rule{
	graph.OpToF32: castBack,
	graph.OpToF64: castBack,
	graph.OpPow:   parts(powByBase, powByExponent),
	graph.OpAtan2: parts(
		func(s *step) graph.Value { return alongCircle(s.adj, s.arg(1), s.arg(0), s.arg(1)) },
		func(s *step) graph.Value { return alongCircle(s.adj, s.arg(0), s.arg(0), s.arg(1)).Neg() }),
	graph.OpMin: func(s *step) { s.extremum(graph.Value.Le) },
	graph.OpMax: func(s *step) { s.extremum(graph.Value.Ge) },
	graph.OpSelect: func(s *step) {
		if s.want(1) {
			s.passIf(1, s.adj, s.arg(0), false)
		}
		if s.want(2) {
			s.passIf(2, s.adj, s.arg(0), true)
		}
	},
	graph.OpStack:     stackBack,
	graph.OpIndex:     indexBack,
	graph.OpTake:      takeBack,
	graph.OpSlice:     sliceBack,
	graph.OpConcat:    concatBack,
	graph.OpReshape:   reshapeBack,
	graph.OpTranspose: transposeBack,
	graph.OpBroadcast: broadcastBack,
	graph.OpSort:      sortBack,
	graph.OpSum:       sumBack,
	graph.OpAMax:      extremumBack,
	graph.OpAMin:      extremumBack,
	graph.OpDot:       dotBack,
	graph.OpMatMul:    matMulBack,
	graph.OpScan:      func(*step) { panic("a loop goes back as a whole: see reverse.scan") },
}

var rules = func() (all [graph.NumOps]rule) {
	for op := range graph.NumOps {
		var err error
		if all[op], err = ruleOf(op.Info(), fromTable[op], byHand[op]); err != nil {
			panic(err)
		}
	}
	return all
}()

// ruleOf is the one rule of an op: that made of its row, that by hand, or none where the row says that
// the derivative is 0.
func ruleOf(info *graph.Info, fromTable, byHand rule) (rule, error) {
	zero := info.Sig == graph.SigSource || info.Derivative == "0." || info.Derivative == "d/dx = 0"
	switch {
	case info.Adjoint != "" && fromTable == nil || info.Adjoint == "" && fromTable != nil:
		return nil, fmt.Errorf("autodiff: op %s: its rule is not that of its row: run go run ./compiler/graph/gen", info.Name)
	case fromTable != nil && byHand == nil && !zero:
		return fromTable, nil
	case fromTable == nil && byHand != nil && !zero:
		return byHand, nil
	case fromTable == nil && byHand == nil && zero:
		return nil, nil
	}
	return nil, fmt.Errorf("autodiff: op %s wants one of: Adjoint in its row of the op table, a rule in byHand, Derivative \"0.\"", info.Name)
}

// like is the number n in the type of x.
func like(x graph.Value, n float64) graph.Value { return x.Graph().Number(x.DType(), n) }

// number is n in the type of the node.
func (s *step) number(n float64) graph.Value { return like(s.y, n) }

// castBack brings the adjoint of a float made of another one to the type of that. Only floats want it.
func castBack(s *step) {
	if s.arg(0).DType() == graph.F64 {
		s.pass(0, s.adj.ToF64())
	} else {
		s.pass(0, s.adj.ToF32())
	}
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

// powByBase is b * a**(b-1); 0 where b is 0, also at a = 0.
func powByBase(s *step) graph.Value {
	a, b := s.arg(0), s.arg(1)
	d := s.adj.Mul(b.Mul(a.Pow(b.Sub(s.number(1)))))
	if id := b.ID(); s.g.IsConst(id) && len(b.Shape()) == 0 {
		if n := s.g.Node(id); n.Word()<<(65-32*n.DType.Words()) != 0 { // any bit but the sign
			return d
		}
	}
	return b.Eq(s.number(0)).Select(s.number(0), d)
}

// powByExponent is a**b * log(a); 0 where a is 0, the limit for b > 0.
func powByExponent(s *step) graph.Value {
	a := s.arg(0)
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
