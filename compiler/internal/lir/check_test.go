package lir_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/lir/lirtest"
)

// sample is a block and a loop that are right.
func sample() *lir.Func {
	f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
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
		"iterations":          {func(f *lir.Func) { loop(f).Length = 41 }, "length 41 in steps of 4"},
		"next of another":     {func(f *lir.Func) { loop(f).Phis[1].Next = block(f).Ins[0].D }, "neither defined in the loop nor in memory"},
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
loop 10 iterations
  phi v3 = - from arrays+0, then -, out -
  phi v4 = v1[words+0] from words+0, then v5, out v6[slots+4]
  block
    v5 = add.f32 v4 v1[words+0]
`, b.String())
}

func TestOps(t *testing.T) {
	lir.MachineOps(func(op lir.Op, _ bool) {
		require.NotEmpty(t, op.Name())
		require.Less(t, int(op), lir.NumOps)
		require.Equal(t, op, lir.Of(op.Code(), op.DType()))
		_, anywhere := op.Writes()
		if op.Loads() || anywhere {
			require.NotEqual(t, lir.NoImm, op.Imm(), "%s: where is that?", op)
		}
		if of := op.Counted().Code(); of != op.Code() {
			operands := op.Operands()
			switch op.Code() {
			case lir.AddBy, lir.SubBy, lir.AndBy, lir.OrBy, lir.XorBy, lir.LtBy, lir.GeBy, lir.EqBy, lir.NeBy:
				operands++ // the number
			case lir.MulAdd, lir.MulSub:
				operands-- // of the product
			}
			require.Equal(t, of.Info().Arity, operands, "%s does what %s does", op, of)
			switch op.Code() {
			case lir.FromInt, lir.ToInt, lir.MulSingle, lir.MulAdd, lir.MulSub, lir.MulHigh, lir.Quotient, lir.AbsDiff, lir.Rest, lir.RestUp, lir.Lesser, lir.Greater:
				return // where they are of use depends on what is around
			}
			if op.Imm() == lir.Number {
				return // likewise
			}
			stand := lir.Of(of, op.DType()).FromMemory
			if op.Imm() == lir.NoImm {
				stand = lir.Of(of, op.DType()).Limit
			}
			found, ok := stand()
			require.True(t, ok)
			require.Equal(t, op, found, "one op stands for another on a type")
		}
	})
	_, ok := lir.Of(graph.OpMin, graph.F32).FromMemory()
	require.False(t, ok, "that has a limit, not an operand from memory")
	for op := range graph.NumOps {
		require.Equal(t, op, lir.Of(op, graph.F32).Counted().Code())
		require.Equal(t, op.String(), lir.Of(op, graph.F32).Name())
	}
}

// wideSample is a loop that adds the elements of an array on four lanes.
func wideSample() *lir.Func {
	f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
	word := f.Data.Word(0)
	x, zero := f.NewHomed(lir.Float, word), f.NewSplat(4, word)
	n, s, s2, v := f.NewVal(lir.Int), f.NewWide(4), f.NewWide(4), f.NewWide(4)
	at := f.Data.WideSlot(4)
	end := f.NewHomed(lir.Float, at)
	for k := 1; k < 4; k++ {
		f.NewHomed(lir.Float, at.Plus(4*k))
	}
	f.Items = []lir.Item{{Loop: &lir.Loop{
		Step: 16, Length: 160, Phis: []lir.Phi{{Val: n, From: f.Data.Room(40)}, {Val: s, Next: s2, Init: zero, Out: end}},
		Body: []lir.Item{{Block: &lir.Block{Ins: []lir.Ins{
			{Op: lirtest.Wide(lir.LoadAt, 4), A: n, D: v}, {Op: lirtest.Wide(graph.OpAdd, 4), A: s, B: v, D: s2},
			{Op: lirtest.Neg, A: x, D: f.NewVal(lir.Float)},
		}}}},
	}}}
	return f
}

func TestCheckWide(t *testing.T) {
	m := lirtest.Machine(8, 6, false)
	require.NoError(t, wideSample().Check(m))
	loop := func(f *lir.Func) *lir.Loop { return f.Items[0].Loop }
	ins := func(f *lir.Func) []lir.Ins { return loop(f).Body[0].Block.Ins }
	const single = 1
	for name, c := range map[string]struct {
		spoil func(*lir.Func)
		want  string
	}{
		"single operand of a wide op": {func(f *lir.Func) { ins(f)[1].B = single }, "operand v1 is of the wrong width"},
		"wide operand of a single op": {func(f *lir.Func) { ins(f)[2].A = ins(f)[0].D }, "wrong width"},
		"single result":               {func(f *lir.Func) { f.Values[ins(f)[0].D].Lanes = 0 }, "wrong width"},
		"start of another width":      {func(f *lir.Func) { loop(f).Phis[1].Init = single }, "another width"},
		"next of another width":       {func(f *lir.Func) { loop(f).Phis[1].Next = ins(f)[2].D }, "differ in width"},
		"ends apart":                  {func(f *lir.Func) { f.Values[loop(f).Phis[1].Out+2].Home = f.Data.Slot() }, "v9, which is not behind v8"},
		"ends without a home":         {func(f *lir.Func) { f.Values[loop(f).Phis[1].Out+3].Home = lir.NoAddr }, "has no home"},
		"wide end":                    {func(f *lir.Func) { f.Values[loop(f).Phis[1].Out+1].Lanes = 4 }, "no single value"},
		"across a call":               {func(f *lir.Func) { ins(f)[2].Op = lirtest.Sin }, "do not survive its kernel calls"},
		"store to a fixed place": {func(f *lir.Func) {
			ins(f)[1] = lir.Ins{Op: lir.Of(lir.Store, lir.F32x4), A: ins(f)[0].D, Imm: uint32(f.Data.WideSlot(4))}
		}, "through a pointer only"},
	} {
		t.Run(name, func(t *testing.T) {
			f := wideSample()
			c.spoil(f)
			require.ErrorContains(t, f.Check(m), c.want)
		})
	}
}
