package lir

import "github.com/copaflash/copaflash/compiler/graph"

// aPick says by which comparison a pick chooses, and by which of PickGT, PickGE and PickEQ, or where that takes its second operand.
type aPick struct {
	comparison, by graph.Op
	reversed       bool
}

var picks = [1 << opBits]aPick{
	PickGT: {comparison: graph.OpGt, by: PickGT}, PutGT: {comparison: graph.OpGt, by: PickGT},
	PickGE: {comparison: graph.OpGe, by: PickGE}, PutGE: {comparison: graph.OpGe, by: PickGE},
	PickEQ: {comparison: graph.OpEq, by: PickEQ}, PutEQ: {comparison: graph.OpEq, by: PickEQ},
	PutLE: {comparison: graph.OpLe, by: PickGT, reversed: true},
	PutLT: {comparison: graph.OpLt, by: PickGE, reversed: true},
	PutNE: {comparison: graph.OpNe, by: PickEQ, reversed: true},
}

// Picks reports whether the op chooses by a Test before it.
func (o Op) Picks() bool { return o.Code() >= PickGT && o.Code() <= PutNE }

// Puts reports whether it chooses between a number and its operand.
func (o Op) Puts() bool { return o.Code() >= PutGT && o.Code() <= PutNE }

// PicksBy is the pick that chooses by the same test with registers, and whether a number is taken where that takes its second operand.
func (o Op) PicksBy() (pick graph.Op, reversed bool) {
	p := picks[o.Code()]
	return p.by, p.reversed
}

// puts are, by pick, what puts a number in the place of its first operand, and of its second one.
var puts = [1 << opBits][2]graph.Op{PickGT: {PutGT, PutLE}, PickGE: {PutGE, PutLT}, PickEQ: {PutEQ, PutNE}}

// Put is the op that has a number in the place of an operand, the first or second one, of a pick of integers.
func (o Op) Put(operand int) Op { return Of(puts[o.Code()][operand], o.DType()) }

// Tests reports whether the op compares for the picks behind it.
func (o Op) Tests() bool { return o.Code() == Test || o.Code() == TestBy }

// KeepsFlags reports whether the op may stand between a test and its picks.
func (o Op) KeepsFlags() bool { return o.row().keepsFlags }

// Skips reports whether the op may go on further down.
func (o Op) Skips() bool { return o.Code() >= SkipGT && o.Code() <= Skip }

// SkipsByTest reports whether it does so by the test before it.
func (o Op) SkipsByTest() bool { return o.Code() >= SkipGT && o.Code() <= SkipNE }

// TestType is the type of the test of a comparison of operands of type t: bools are integers.
func TestType(t graph.DType) graph.DType {
	if t == graph.Bool {
		return graph.I32
	}
	return t
}

// Tested is the comparison that the test of operands of type t before a pick amounts to.
func (o Op) Tested(t graph.DType) Op { return Of(picks[o.Code()].comparison, t) }
