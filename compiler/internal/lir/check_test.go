package lir_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/lir/lirtest"
)

// sample is a block and a loop that are right.
func sample() *lir.Func {
	f := &lir.Func{Values: make([]lir.Value, 1)}
	x, y := f.NewHomed(lir.Float, f.Data.Word(0)), f.NewVal(lir.Float)
	out := lir.Ins{Op: lirtest.StoreF, A: y, Imm: uint32(f.Data.Slot())}
	f.Items = append(f.Items, lir.Item{Block: &lir.Block{Ins: []lir.Ins{{Op: lirtest.Add, A: x, B: x, D: y}, out}}})
	n, s, s2 := f.NewVal(lir.Int), f.NewVal(lir.Float), f.NewVal(lir.Float)
	end := f.NewHomed(lir.Float, f.Data.Slot())
	f.Items = append(f.Items, lir.Item{Loop: &lir.Loop{
		Step: 4, Length: 40, Phis: []lir.Phi{{Val: n, From: f.Data.Room(10)}, {Val: s, Next: s2, Init: x, Out: end}},
		Body: []lir.Item{{Block: &lir.Block{Ins: []lir.Ins{{Op: lirtest.Add, A: s, B: x, D: s2}}}}},
	}})
	return f
}

func TestCheck(t *testing.T) {
	m := lirtest.Machine(8, 6, false)
	require.NoError(t, sample().Check(m))
	block := func(f *lir.Func) *lir.Block { return f.Items[0].Block }
	loop := func(f *lir.Func) *lir.Loop { return f.Items[1].Loop }
	for name, c := range map[string]struct {
		spoil func(*lir.Func)
		want  string
	}{
		"order":               {func(f *lir.Func) { b := block(f); b.Ins[0], b.Ins[1] = b.Ins[1], b.Ins[0] }, "neither defined in this block nor in memory"},
		"operand missing":     {func(f *lir.Func) { block(f).Ins[0].B = 0 }, "there should be 2"},
		"operand too many":    {func(f *lir.Func) { block(f).Ins[0].C = 1 }, "there should be 2"},
		"operand unknown":     {func(f *lir.Func) { block(f).Ins[0].A = 99 }, "v99 does not exist"},
		"operand of class":    {func(f *lir.Func) { block(f).Ins[0].Op = lirtest.And }, "wrong class"},
		"op without code":     {func(f *lir.Func) { block(f).Ins[0].Op = 1 }, "no code"},
		"defined twice":       {func(f *lir.Func) { b := block(f); b.Ins = append(b.Ins, b.Ins[0]) }, "defined twice"},
		"place outside":       {func(f *lir.Func) { block(f).Ins[1].Imm = uint32(lir.At(lir.Slots, 400)) }, "outside its region"},
		"place unaligned":     {func(f *lir.Func) { block(f).Ins[1].Imm = uint32(lir.At(lir.Slots, 2)) }, "outside its region"},
		"home outside":        {func(f *lir.Func) { f.Values[1].Home = lir.At(lir.Words, 64) }, "home of v1"},
		"no counter":          {func(f *lir.Func) { loop(f).Phis = nil }, "without a counter"},
		"float counter":       {func(f *lir.Func) { f.Values[loop(f).Phis[0].Val].Class = lir.Float }, "class float"},
		"turns":               {func(f *lir.Func) { loop(f).Length = 41 }, "length 41 in steps of 4"},
		"next of another":     {func(f *lir.Func) { loop(f).Phis[1].Next = 1 }, "not defined in the loop"},
		"start not in memory": {func(f *lir.Func) { loop(f).Phis[1].Init = block(f).Ins[0].D }, "not in memory"},
		"counter with next":   {func(f *lir.Func) { loop(f).Phis[0].Next = loop(f).Phis[1].Next }, "only it has no next"},
		"end without home":    {func(f *lir.Func) { f.Values[loop(f).Phis[1].Out].Home = lir.NoAddr }, "has no home"},
		"too large":           {func(f *lir.Func) { f.Data.Scratch = lir.MaxRegion + 4 }, "at most"},
	} {
		t.Run(name, func(t *testing.T) {
			f := sample()
			c.spoil(f)
			require.ErrorContains(t, f.Check(m), c.want)
		})
	}
}

func TestRandomFunctionsAreRight(t *testing.T) {
	for seed := range uint64(100) {
		f := lirtest.Random(rand.New(rand.NewPCG(seed, 0)), 50, 10)
		require.NoError(t, f.Check(lirtest.Machine(8, 6, false)))
	}
}

func TestDump(t *testing.T) {
	var b strings.Builder
	require.NoError(t, sample().Dump(&b))
	require.Equal(t, `block
  v2 = add.f32 v1[words+0] v1[words+0]
  st.f32 v2 slots+0
loop 10 turns
  phi v3 = - from scratch+0, then -, out -
  phi v4 = v1[words+0] from words+0, then v5, out v6[slots+4]
  block
    v5 = add.f32 v4 v1[words+0]
`, b.String())
}

func TestOps(t *testing.T) {
	lir.MachineOps(func(op lir.Op) {
		require.NotEmpty(t, op.Name())
		require.Less(t, int(op), lir.NumOps)
		require.Equal(t, op, lir.Of(op.Code(), op.DType()))
	})
}
