package sched

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/lir/lirtest"
)

// What one side of a select needs alone stands right before it, the longer side last, and a select by the same condition beside it,
// though a store is between them; a load stays before the store.
func TestArms(t *testing.T) {
	m := lirtest.Machine(8, 6, false)
	m.Ops[lir.Of(lir.SkipGT, graph.I32)].Valid = true
	s := &state{m: m}
	p := newProgram()
	s.f = p.f
	x, y, c := p.word(), p.word(), p.f.NewVal(lir.Int)
	val := func() lir.Val { return p.f.NewVal(lir.Float) }
	long, longer, short, loaded, d, e, sum := val(), val(), val(), val(), val(), val(), val()
	place := uint32(p.f.Data.Slot())
	ins := append(p.ins,
		lir.Ins{Op: lirtest.Less, A: x, B: y, D: c},
		lir.Ins{Op: lirtest.Add, A: x, B: x, D: long},
		lir.Ins{Op: lirtest.Add, A: long, B: y, D: longer},
		lir.Ins{Op: lirtest.Sub, A: x, B: y, D: short},
		lir.Ins{Op: lirtest.LoadAt, A: p.f.NewHomed(lir.Int, p.f.Data.Word(0)), D: loaded},
		lir.Ins{Op: lirtest.Add, A: x, B: y, D: sum},
		lir.Ins{Op: lirtest.Select, A: c, B: longer, C: short, D: d},
		lir.Ins{Op: lirtest.StoreF, A: d, Imm: place},
		lir.Ins{Op: lirtest.Select, A: c, B: sum, C: loaded, D: e},
		lir.Ins{Op: lirtest.StoreF, A: e, Imm: place})
	var order []lir.Val
	for _, in := range s.arrange(ins, nil, nil) {
		if in.D >= c {
			order = append(order, in.D)
		}
	}
	require.Equal(t, []lir.Val{c, loaded, short, long, longer, sum, d, e}, order)

	m.Ops[lir.Of(lir.SkipGT, graph.I32)].Valid = false
	require.Equal(t, ins, s.arrange(ins, nil, nil))
}

// A select that stands beside the first one by its condition already is not taken along by one that cannot.
func TestArmsOnce(t *testing.T) {
	m := lirtest.Machine(8, 6, false)
	m.Ops[lir.Of(lir.SkipGT, graph.I32)].Valid = true
	s := &state{m: m}
	p := newProgram()
	s.f = p.f
	x, y, c := p.word(), p.word(), p.word()
	p.f.Values[c].Class = lir.Int
	val := func() lir.Val { return p.f.NewVal(lir.Float) }
	first, next, last := val(), val(), val()
	ins := []lir.Ins{
		{Op: lirtest.Select, A: c, B: x, C: y, D: first},
		{Op: lirtest.Select, A: c, B: first, C: y, D: next},
		{Op: lirtest.Select, A: c, B: y, C: x, D: last}}
	place := uint32(p.f.Data.Slot())
	for _, v := range []lir.Val{first, next, last} {
		ins = append(ins, lir.Ins{Op: lirtest.StoreF, A: v, Imm: place})
	}
	var order []lir.Val
	for _, in := range s.arrange(ins, nil, nil) {
		if in.D != 0 {
			order = append(order, in.D)
		}
	}
	require.Equal(t, []lir.Val{first, last, next}, order)
}
