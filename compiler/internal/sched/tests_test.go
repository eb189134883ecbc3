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

// Of a condition that is a value several selects share a test, as those do that choose by opposite comparisons.
func TestSharedTests(t *testing.T) {
	m := lirtest.Machine(8, 6, false)
	m.Ops[lirtest.Select].Insns = 4 // longer than a pick
	for name, conditions := range map[string]func(p *program) (first, second lir.Val){
		"a value": func(p *program) (first, second lir.Val) {
			v := p.f.NewHomed(lir.Int, p.f.Data.Word(0))
			return v, v
		},
		"opposite": func(p *program) (first, second lir.Val) {
			a, b := p.word(), p.word()
			first, second = p.f.NewVal(lir.Int), p.f.NewVal(lir.Int)
			p.ins = append(p.ins,
				lir.Ins{Op: lir.Of(graph.OpEq, graph.F32), A: a, B: b, D: first},
				lir.Ins{Op: lir.Of(graph.OpNe, graph.F32), A: a, B: b, D: second})
			return first, second
		},
	} {
		p := newProgram()
		first, second := conditions(p)
		x, y := p.word(), p.word()
		for _, c := range [2]lir.Val{first, second} {
			d := p.f.NewVal(lir.Float)
			p.ins = append(p.ins, lir.Ins{Op: lirtest.Select, A: c, B: x, C: y, D: d},
				lir.Ins{Op: lirtest.StoreF, A: d, Imm: uint32(p.f.Data.Slot())})
		}
		block := &lir.Block{Ins: p.ins}
		p.f.Items = []lir.Item{{Block: block}}
		Run(p.f, m)
		require.NoError(t, p.f.Check(m), name)
		tests, picks := 0, [][2]lir.Val(nil)
		for _, in := range block.Ins {
			if in.Op.Tests() {
				tests++
			}
			if in.Op.Picks() {
				picks = append(picks, [2]lir.Val{in.A, in.B})
			}
		}
		require.Equal(t, 1, tests, name)
		same := [2]lir.Val{y, x} // by a value that is 0
		if first != second {
			require.ElementsMatch(t, [][2]lir.Val{{x, y}, {y, x}}, picks, name)
			continue
		}
		require.Equal(t, [][2]lir.Val{same, same}, picks, name)
	}
}

// A pick needs a test right before it.
func TestPicksBehindTests(t *testing.T) {
	m := lirtest.Machine(8, 6, false)
	p := newProgram()
	a, d := p.word(), p.f.NewVal(lir.Float)
	p.f.Items = []lir.Item{{Block: &lir.Block{Ins: []lir.Ins{{Op: lir.Of(lir.PickEQ, graph.F32), A: a, B: a, D: d}}}}}
	require.ErrorContains(t, p.f.Check(m), "no test before it")
}

// Numbers that a select takes are part of its pick: one in the place of an operand, and a second one that is put there before. A
// condition that is no comparison is tested, too.
func TestPuts(t *testing.T) {
	m := lirtest.Machine(8, 6, false)
	for _, op := range []graph.Op{lir.PutGT, lir.PutGE, lir.PutEQ, lir.PutLE, lir.PutLT, lir.PutNE, lir.SkipGT, lir.TestBy, lir.Put} {
		m.Ops[lir.Of(op, graph.I32)] = lir.OpInfo{Valid: true, Operands: uint8(lir.Of(op, graph.I32).Operands()), Insns: 2, MaxImm: 255}
	}
	m.Ops[lirtest.SelectI].Insns = 3
	lower := func(b, c func(p *program) lir.Val) []string {
		p := newProgram()
		cond, x, d := p.word(), p.word(), p.f.NewVal(lir.Int)
		p.f.Values[cond].Class, p.f.Values[x].Class = lir.Int, lir.Int
		block := &lir.Block{Ins: []lir.Ins{
			{Op: lirtest.SelectI, A: cond, B: b(p), C: c(p), D: d},
			{Op: lirtest.StoreI, A: d, Imm: uint32(p.f.Data.Slot())}}}
		p.f.Items = []lir.Item{{Block: block}}
		Run(p.f, m)
		require.NoError(t, p.f.Check(m))
		var names []string
		for _, in := range block.Ins {
			names = append(names, in.Op.Name())
		}
		return names
	}
	number := func(bits uint32) func(p *program) lir.Val {
		return func(p *program) lir.Val {
			v := p.f.NewHomed(lir.Int, p.f.Data.Word(bits))
			p.f.Values[v].Fixed = true
			return v
		}
	}
	value := func(p *program) lir.Val { return p.f.NewHomed(lir.Int, p.f.Data.Word(0)) }
	require.Equal(t, []string{"testby", "putne", "st"}, lower(number(5), value))
	require.Equal(t, []string{"testby", "puteq", "st"}, lower(value, number(5)))
	require.Equal(t, []string{"testby", "put", "puteq", "st"}, lower(number(5), number(6)))
	require.Equal(t, []string{"testby", "pickeq", "st"}, lower(number(256), value))
}
