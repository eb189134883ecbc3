package lower

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Minimum and maximum keep a NaN and order the zeros, which takes many instructions
// on most architectures. Where one operand is a constant that is neither, comparing
// is enough.

// fix notes that v is a constant.
func (p *program) fix(v lir.Val) { p.f.Values[v].Fixed = true }

// limit is a minimum or maximum with a constant.
type limit struct {
	op      lir.Op
	at, of  lir.Val // the constant, the other operand
	addZero bool    // to the result: the constant itself, +0
}

// limited says how to compute a minimum or maximum with a constant operand, if there
// is a shorter way. To comparisons zeros are equal: the maximum of -0 and a limit of +0
// is mended by an addition of +0; a minimum with -0 is left to the general form.
func (p *program) limited(op graph.Op, t graph.DType, x, y lir.Val) (limit, bool) {
	short, ok := lir.Of(op, t).Limit()
	if !ok {
		return limit{}, false
	}
	m := limit{op: short, at: y, of: x}
	if !p.isFixed(m.at) {
		m.at, m.of = m.of, m.at
	}
	if !p.isFixed(m.at) {
		return limit{}, false
	}
	switch bits := p.bits(m.at, t); {
	case bits&^signBit(t) > infinity(t), op == graph.OpMin && bits == signBit(t):
		return limit{}, false
	default:
		m.addZero = op == graph.OpMax && bits == 0
	}
	info, cost := &p.m.Ops[m.op], p.m.Ops[m.op].Insns
	if m.addZero {
		cost += p.m.Ops[lir.Of(graph.OpAdd, t)].Insns
	}
	return m, info.Valid && cost < p.m.Ops[lir.Of(op, t)].Insns
}

func (p *program) isFixed(v lir.Val) bool { return p.f.Values[v].Fixed }

// bits are those of a constant.
func (p *program) bits(v lir.Val, t graph.DType) uint64 {
	t = lir.Element(t)
	return t.At(p.f.Data.Words[p.f.Values[v].Home.Offset()/4:], 0)
}

// signBit is -0.
func signBit(t graph.DType) uint64 { return 1 << (32*lir.Element(t).Words() - 1) }

func infinity(t graph.DType) uint64 {
	if t == graph.F64 {
		return math.Float64bits(math.Inf(1))
	}
	return uint64(math.Float32bits(float32(math.Inf(1))))
}
