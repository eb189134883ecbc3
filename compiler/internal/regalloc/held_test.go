package regalloc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/lir/lirtest"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
)

// TestHeld: what a block has computed begins a loop, and what that leaves ends in a block, without loads.
func TestHeld(t *testing.T) {
	m := lirtest.Machine(6, 6, false)
	f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
	word := f.NewHomed(lir.Float, f.Data.Word(0))
	start, out := f.NewHomed(lir.Float, f.Data.Slot()), f.NewHomed(lir.Float, f.Data.Slot())
	n, s, next, end := f.NewVal(lir.Int), f.NewVal(lir.Float), f.NewVal(lir.Float), f.NewVal(lir.Float)
	store := func(v lir.Val, to lir.Addr) lir.Ins { return lir.Ins{Op: lirtest.StoreF, A: v, Imm: uint32(to)} }
	block := func(ins ...lir.Ins) lir.Item { return lir.Item{Block: &lir.Block{Ins: ins}} }
	f.Items = []lir.Item{
		block(lir.Ins{Op: lirtest.Neg, A: word, D: start}, store(start, f.Values[start].Home)),
		{Loop: &lir.Loop{
			Step: 1, Length: 10, Body: []lir.Item{block(lir.Ins{Op: lirtest.Neg, A: s, D: next})},
			Phis: []lir.Phi{{Val: n, From: lir.NoAddr}, {Val: s, Next: next, Init: start, Out: out}},
		}},
		block(lir.Ins{Op: lirtest.Neg, A: out, D: end}, store(end, f.Data.Slot())),
	}
	require.NoError(t, f.Check(m))
	code := regalloc.Run(f, m)
	require.NoError(t, regalloc.Check(f, m, code))
	loads := 0
	for _, i := range code.Insts {
		if i.Op.Code() == lir.Load {
			loads++
		}
	}
	require.Equal(t, 1, loads, "the word")
}
