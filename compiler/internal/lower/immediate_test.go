package lower

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// made are the instructions of the only block of a program that give a result, as text without values: op, number.
type made struct {
	op  string
	imm int32
}

func insOf(t *testing.T, m *lir.Machine, outs ...graph.Value) (list []made, ins []lir.Ins) {
	t.Helper()
	var ids []graph.ID
	for _, v := range outs {
		ids = append(ids, v.ID())
	}
	require.NoError(t, outs[0].Graph().Err())
	f, err := Run(outs[0].Graph(), ids, nil, m, Auto)
	require.NoError(t, err)
	for _, in := range f.Items[0].Block.Ins {
		if in.D != 0 {
			list, ins = append(list, made{in.Op.Name(), int32(in.Imm)}), append(ins, in)
		}
	}
	return list, ins
}

// numbered is a machine with instructions that hold a number.
func numbered(least, most int32, ops ...graph.Op) *lir.Machine {
	m := anything()
	for _, op := range ops {
		m.Ops[lir.Of(op, graph.I32)] = lir.OpInfo{Valid: true, MinImm: least, MaxImm: most, Insns: 1}
	}
	return m
}

// TestNumbersInInstructions: numbers that fit are part of an instruction, others operands.
func TestNumbersInInstructions(t *testing.T) {
	comparisons := []graph.Op{lir.LtBy, lir.GeBy, lir.EqBy, lir.NeBy}
	arm := numbered(0, 255, append(comparisons, lir.AddBy, lir.SubBy, lir.AndBy, lir.OrBy, lir.XorBy)...)
	riscv := numbered(-2048, 2047, append(comparisons, lir.AddBy)...)
	g := graph.New()
	x := g.InputI32("x", 1)
	n := func(n int32) graph.Value { return g.I32(n) }
	for _, c := range []struct {
		value      graph.Value
		arm, riscv made
	}{
		{x.Add(n(5)), made{"addby", 5}, made{"addby", 5}},
		{n(5).Add(x), made{"addby", 5}, made{"addby", 5}},
		{x.Sub(n(5)), made{"subby", 5}, made{"addby", -5}},
		{x.Add(n(-5)), made{"subby", 5}, made{"addby", -5}},
		{n(5).Sub(x), made{"sub", 0}, made{"sub", 0}},
		{x.Add(n(256)), made{"add", 0}, made{"addby", 256}},
		{x.Sub(n(2048)), made{"sub", 0}, made{"addby", -2048}},
		{x.Add(n(2048)), made{"add", 0}, made{"add", 0}},
		{x.Add(n(math.MinInt32)), made{"add", 0}, made{"add", 0}},
		{x.And(n(255)), made{"andby", 255}, made{"and", 0}},
		{n(8).Or(x), made{"orby", 8}, made{"or", 0}},
		{x.Xor(n(1)), made{"xorby", 1}, made{"xor", 0}},
		{x.And(n(256)), made{"and", 0}, made{"and", 0}},
		{x.Lt(n(255)), made{"ltby", 255}, made{"ltby", 255}},
		{x.Le(n(254)), made{"ltby", 255}, made{"ltby", 255}},
		{x.Le(n(255)), made{"le", 0}, made{"ltby", 256}},
		{x.Gt(n(-1)), made{"geby", 0}, made{"geby", 0}},
		{x.Ge(n(-1)), made{"ge", 0}, made{"geby", -1}},
		{n(7).Lt(x), made{"geby", 8}, made{"geby", 8}},
		{n(7).Ge(x), made{"ltby", 8}, made{"ltby", 8}},
		{x.Eq(n(7)), made{"eqby", 7}, made{"eqby", 7}},
		{n(7).Ne(x), made{"neby", 7}, made{"neby", 7}},
		{x.Le(n(math.MaxInt32 - 1)), made{"le", 0}, made{"le", 0}},
	} {
		text := g.String()
		got, _ := insOf(t, arm, c.value)
		require.Equal(t, []made{c.arm}, got, text)
		got, _ = insOf(t, riscv, c.value)
		require.Equal(t, []made{c.riscv}, got, text)
	}
}

// TestShortConditions: where there are no tests, a select takes what is 0 or not for a comparison.
func TestShortConditions(t *testing.T) {
	m := numbered(-2048, 2047, lir.LtBy, lir.GeBy, lir.EqBy, lir.AddBy)
	for op, insns := range map[graph.Op]uint16{
		graph.OpXor: 1, graph.OpLt: 1, graph.OpGt: 1, graph.OpEq: 2, graph.OpNe: 2, graph.OpGe: 2, graph.OpLe: 2, graph.OpSelect: 2,
	} {
		m.Ops[lir.Of(op, graph.I32)].Valid, m.Ops[lir.Of(op, graph.I32)].Insns = true, insns
	}
	m.Ops[lir.Of(lir.GeBy, graph.I32)].Insns, m.Ops[lir.Of(lir.EqBy, graph.I32)].Insns = 2, 2
	g := graph.New()
	x, y, a, b := g.InputI32("x", 1), g.InputI32("y", 2), g.InputI32("a", 3), g.InputI32("b", 4)
	for _, c := range []struct {
		condition graph.Value
		want      []made
		turned    bool
	}{
		{x.Eq(y), []made{{"xor", 0}}, true},
		{x.Ne(y), []made{{"xor", 0}}, false},
		{x.Ge(y), []made{{"lt", 0}}, true},
		{x.Le(y), []made{{"gt", 0}}, true},
		{x.Lt(y), []made{{"lt", 0}}, false},
		{x.Ge(g.I32(9)), []made{{"ltby", 9}}, true},
		{x.Eq(g.I32(9)), []made{{"addby", -9}}, true},
		{x.Eq(g.I32(0)), nil, true},
	} {
		got, ins := insOf(t, m, c.condition.Select(a, b))
		require.Equal(t, append(c.want, made{"select", 0}), got)
		chosen := ins[len(ins)-1]
		require.Equal(t, c.turned, chosen.B > chosen.C, "which of both comes first: a is the lower value")
		// One that is read elsewhere, too, is 0 or 1.
		got, _ = insOf(t, m, c.condition.Select(a, b), c.condition)
		require.NotContains(t, got, made{"xor", 0})
	}
}

// TestProducts: a product that one sum or difference reads is part of that one.
func TestProducts(t *testing.T) {
	m := anything()
	m.Ops[lir.Of(lir.MulAdd, graph.I32)].Valid, m.Ops[lir.Of(lir.MulSub, graph.I32)].Valid = true, true
	g := graph.New()
	x, y, z := g.InputI32("x", 1), g.InputI32("y", 2), g.InputI32("z", 3)
	product := y.Mul(z)
	for _, c := range []struct {
		value graph.Value
		want  []made
	}{
		{x.Add(y.Mul(z)), []made{{"muladd", 0}}},
		{y.Mul(z).Add(x), []made{{"muladd", 0}}},
		{x.Sub(y.Mul(z)), []made{{"mulsub", 0}}},
		{y.Mul(z).Sub(x), []made{{"mul", 0}, {"sub", 0}}},
		{x.Mul(y).Add(y.Mul(z)), []made{{"mul", 0}, {"muladd", 0}}},
		{product.Add(product.Xor(x)), []made{{"mul", 0}, {"xor", 0}, {"add", 0}}},
	} {
		got, _ := insOf(t, m, c.value)
		require.Equal(t, c.want, got)
	}
}

// TestSecondOperandsShifted: a shift that one instruction reads is part of that one.
func TestSecondOperandsShifted(t *testing.T) {
	m := anything()
	for _, op := range []graph.Op{lir.ShlBy, lir.ShrBy, lir.UshrBy} {
		m.Ops[lir.Of(op, graph.I32)].Valid = true
	}
	for _, ops := range withSecondShifted {
		for _, op := range ops {
			m.Ops[lir.Of(op, graph.I32)].Valid = true
		}
	}
	g := graph.New()
	x, y := g.InputI32("x", 1), g.InputI32("y", 2)
	shifted := y.Shl(g.I32(3))
	for _, c := range []struct {
		value graph.Value
		want  []made
	}{
		{x.Xor(y.Shl(g.I32(13))), []made{{"xorshl", 13}}},
		{y.Shr(g.I32(8)).Add(x), []made{{"addshr", 8}}},
		{x.Sub(y.Shr(g.I32(4))), []made{{"subshr", 4}}},
		{y.Shr(g.I32(4)).Sub(x), []made{{"shri", 4}, {"sub", 0}}},
		{shifted.Add(shifted.Xor(x)), []made{{"shli", 3}, {"xor", 0}, {"add", 0}}},
	} {
		got, _ := insOf(t, m, c.value)
		require.Equal(t, c.want, got)
	}
}
