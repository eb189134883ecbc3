package sched

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/lir/lirtest"
)

// chosen schedules a select by a < b; kept: whose condition is stored, too.
func chosen(t *testing.T, m *lir.Machine, kept bool) []lir.Ins {
	t.Helper()
	p := newProgram()
	a, b := p.word(), p.add(p.word(), p.word())
	less, d := p.f.NewVal(lir.Int), p.f.NewVal(lir.Float)
	ins := append(p.ins,
		lir.Ins{Op: lirtest.Less, A: a, B: b, D: less},
		lir.Ins{Op: lirtest.Select, A: less, B: a, C: b, D: d},
		lir.Ins{Op: lirtest.StoreF, A: d, Imm: uint32(p.f.Data.Slot())})
	if kept {
		ins = append(ins, lir.Ins{Op: lirtest.StoreI, A: less, Imm: uint32(p.f.Data.Slot())})
	}
	block := &lir.Block{Ins: ins}
	p.f.Items = []lir.Item{{Block: block}}
	Run(p.f, m)
	require.NoError(t, p.f.Check(m))
	return block.Ins
}

// A comparison that only a select reads is a test right before the pick; any other stays, and so does one where
// there are no tests.
func TestTests(t *testing.T) {
	m := lirtest.Machine(8, 6, false)
	find := func(ins []lir.Ins, op lir.Op) int {
		for k := range ins {
			if ins[k].Op == op {
				return k
			}
		}
		return -1
	}
	test, pick := lir.Of(lir.Test, graph.F32), lir.Of(lir.PickGT, graph.F32)
	ins := chosen(t, m, false)
	k := find(ins, test)
	require.Positive(t, k, "the sum comes first")
	require.Equal(t, pick, ins[k+1].Op)
	require.Equal(t, [2]lir.Val{ins[k+1].B, ins[k+1].A}, [2]lir.Val{ins[k].A, ins[k].B}, "a < b is b > a, and picks a")
	require.Negative(t, find(ins, lirtest.Less))

	require.Negative(t, find(chosen(t, m, true), test), "the condition is stored")
	m.Ops[lir.Of(lir.Test, graph.I32)].Valid = false
	require.Negative(t, find(chosen(t, m, false), test))
}

// A pick needs a test right before it.
func TestPicksBehindTests(t *testing.T) {
	m := lirtest.Machine(8, 6, false)
	p := newProgram()
	a, d := p.word(), p.f.NewVal(lir.Float)
	p.f.Items = []lir.Item{{Block: &lir.Block{Ins: []lir.Ins{{Op: lir.Of(lir.PickEQ, graph.F32), A: a, B: a, D: d}}}}}
	require.ErrorContains(t, p.f.Check(m), "no test before it")
}
