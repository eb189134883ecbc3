package regalloc_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/lir/lirtest"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
	"github.com/copaflash/copaflash/compiler/internal/sched"
)

// TestRandom allocates random functions on machines with few registers, of both
// kinds or shared by both, with and without calls, scheduled or not, and proves the result.
func TestRandom(t *testing.T) {
	pairs := map[lir.Op]int{}
	for seed := range uint64(1200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		m := lirtest.Machine(lir.MinRegs+rng.IntN(12), lir.MinRegs+rng.IntN(7), seed%2 == 0)
		m.InOrder = seed%5 < 2
		if seed%7 < 2 { // one bank of registers for floats and integers, all but two surviving calls
			m.Shared = true
			m.Regs[lir.Int] = m.Regs[lir.Float]
			m.Preserved[lir.Float] = (1<<m.Regs[lir.Float] - 1) &^ 3
			if m.Regs[lir.Float] > lir.MinRegs+2 && seed%2 == 0 { // and routines of the runner change two more
				m.Preserved[lir.Float] &^= 3 << 2
				m.Spared[lir.Float] = m.Preserved[lir.Float] | 3
				m.Spared[lir.Int] = m.Spared[lir.Float]
				m.Ops[lirtest.Sub].Serves, m.Ops[lirtest.Less].Serves = true, true
			}
			m.Preserved[lir.Int] = m.Preserved[lir.Float]
		} else if seed%4 == 0 {
			lirtest.SeparateDoubles(m, 4+rng.IntN(8))
		}
		if seed%11 < 4 { // operands from memory, whatever register the result takes
			for op := range m.Ops {
				i := &m.Ops[op]
				if i.Tied && i.Mem {
					i.Tied, i.InPlace = false, 3
				}
			}
		}
		if seed%3 > 0 {
			lirtest.AddPairs(m)
			if seed%3 == 1 {
				lirtest.AddPointers(m)
			}
		}
		f := lirtest.Random(rng, 5+rng.IntN(200), []int{0, 0, 5, 30}[rng.IntN(4)])
		require.NoError(t, f.Check(m), "seed %d", seed)
		if seed%3 != 0 {
			sched.Run(f, m)
			require.NoError(t, f.Check(m), "seed %d", seed)
		}
		code := regalloc.Run(f, m)
		require.NoError(t, regalloc.Check(f, m, code), "seed %d", seed)
		for _, i := range code.Insts {
			pairs[i.Op]++
		}
	}
	for _, op := range []graph.Op{lir.Load2, lir.Store2} {
		for _, t1 := range []graph.DType{graph.F32, graph.I32} {
			require.Greater(t, pairs[lir.Of(op, t1)], 100, "%s", lir.Of(op, t1))
		}
	}
	for _, op := range []graph.Op{lir.LoadBy2, lir.StoreBy2, lir.LoadInBy2, lir.StoreInBy2} {
		for _, t1 := range []graph.DType{graph.F32, graph.I32, lir.F32x4} {
			require.Greater(t, pairs[lir.Of(op, t1)], 5, "%s", lir.Of(op, t1))
		}
	}
}

// TestCheckFindsFaults spoils allocated code in one place and expects Check to
// notice. Some changes do no harm, such as one of a register that holds the same
// value as the right one; they are rare.
func TestCheckFindsFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	found, tried := 0, 0
	for range 60 {
		m := lirtest.Machine(8, 6, rng.IntN(2) == 0)
		f := lirtest.Random(rng, 60, 5)
		code := regalloc.Run(f, m)
		for range 20 {
			spoiled := *code
			spoiled.Insts = append([]regalloc.Inst(nil), code.Insts...)
			i := &spoiled.Insts[rng.IntN(len(spoiled.Insts))]
			before := *i
			n := uint8(m.Regs[m.Bank(lir.ClassOf(i.Op.DType()))])
			switch rng.IntN(3) {
			case 0:
				i.A = (i.A + 1) % n
			case 1:
				i.B = (i.B + 1) % n
			default:
				i.D = (i.D + 1) % n
			}
			info := m.Ops[before.Op]
			reads := info.Operands > 1 && !(before.Mem && info.Operands == 2) || before.B == i.B
			if m.Ops[i.Op].Kernel || !reads || dead(f, &before, i) {
				continue
			}
			tried++
			if regalloc.Check(f, m, &spoiled) != nil {
				found++
			}
		}
	}
	require.Greater(t, tried, 300)
	require.Greater(t, float64(found)/float64(tried), 0.85, "%d of %d", found, tried)
}

// dead reports whether a change touches a field that the instruction has not.
func dead(f *lir.Func, before, after *regalloc.Inst) bool {
	switch before.Op.Code() {
	case lir.Store:
		return before.A == after.A
	case lir.Load, lir.Splat, lir.Address, lir.LoopEnd:
		return before.D == after.D
	case lir.Narrow:
		return true
	}
	return false
}

// TestNoNeedlessMemory checks that what fits the registers is not spilled, and
// that a two-address machine copies only what lives on.
func TestNoNeedlessMemory(t *testing.T) {
	for _, twoAddress := range []bool{false, true} {
		t.Run(fmt.Sprint("two-address ", twoAddress), func(t *testing.T) {
			m := lirtest.Machine(8, 6, twoAddress)
			f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
			x := f.NewHomed(lir.Float, f.Data.Word(0))
			var ins []lir.Ins
			add := func(a, b lir.Val) lir.Val {
				d := f.NewVal(lir.Float)
				ins = append(ins, lir.Ins{Op: lirtest.Add, A: a, B: b, D: d})
				return d
			}
			// Six values alive at a time.
			var live []lir.Val
			for range 6 {
				live = append(live, add(x, x))
			}
			for k := range 60 {
				live[k%6] = add(live[k%6], live[(k+1)%6])
			}
			sum := live[0]
			for _, v := range live[1:] {
				sum = add(sum, v)
			}
			ins = append(ins, lir.Ins{Op: lirtest.StoreF, A: sum, Imm: uint32(f.Data.Slot())})
			f.Items = []lir.Item{{Block: &lir.Block{Ins: ins}}}
			code := regalloc.Run(f, m)
			require.NoError(t, regalloc.Check(f, m, code))
			count := map[graph.Op]int{}
			for _, i := range code.Insts {
				count[i.Op.Code()]++
			}
			require.Equal(t, 1, count[lir.Store], "only the result is stored")
			require.LessOrEqual(t, count[lir.Load], 6)
			require.Equal(t, 4, f.Data.Slots, "no slot but that of the result")
			if !twoAddress {
				require.Zero(t, count[lir.Move])
			}
		})
	}
}

// TestLoadsMoveUp checks that on in-order cores most loads stand well before the
// instruction that needs them.
func TestLoadsMoveUp(t *testing.T) {
	distance := func(inOrder bool) float64 {
		m := lirtest.Machine(30, 9, false)
		m.InOrder = inOrder
		f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
		var ins []lir.Ins
		var sums [8]lir.Val
		for k := range 400 {
			x, d := f.NewHomed(lir.Float, f.Data.Word(0)), f.NewVal(lir.Float)
			other := sums[k%8]
			if other == 0 {
				other = f.NewHomed(lir.Float, f.Data.Word(0))
			}
			ins = append(ins, lir.Ins{Op: lirtest.Add, A: x, B: other, D: d})
			sums[k%8] = d
		}
		for _, s := range sums {
			ins = append(ins, lir.Ins{Op: lirtest.StoreF, A: s, Imm: uint32(f.Data.Slot())})
		}
		f.Items = []lir.Item{{Block: &lir.Block{Ins: ins}}}
		code := regalloc.Run(f, m)
		require.NoError(t, regalloc.Check(f, m, code))
		loaded := map[uint8]int{}
		sum, n := 0, 0
		for k, i := range code.Insts {
			if i.Op.Code() == lir.Load {
				loaded[i.D] = k
				continue
			}
			for _, r := range [2]uint8{i.A, i.B} {
				if at, ok := loaded[r]; ok && i.Op == lirtest.Add {
					sum, n = sum+k-at, n+1
					delete(loaded, r)
				}
			}
		}
		return float64(sum) / float64(n)
	}
	require.Greater(t, distance(true), 1.9*distance(false))
	require.Greater(t, distance(true), 2.0)
}

// TestPreservedAcrossCalls checks that values alive across a call move to
// registers that survive it, as long as there are any.
func TestPreservedAcrossCalls(t *testing.T) {
	m := lirtest.Machine(8, 6, false) // registers 3 to 7 survive
	build := func(alive int) *lir.Func {
		f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
		x := f.NewHomed(lir.Float, f.Data.Word(0))
		b := &lir.Block{}
		op := func(o lir.Op, args ...lir.Val) lir.Val {
			d := f.NewVal(lir.Float)
			i := lir.Ins{Op: o, A: args[0], D: d}
			if len(args) > 1 {
				i.B = args[1]
			}
			b.Ins = append(b.Ins, i)
			return d
		}
		var vs []lir.Val
		for range alive {
			vs = append(vs, op(lirtest.Neg, x))
		}
		sum := op(lirtest.Sin, x)
		for _, v := range vs {
			sum = op(lirtest.Add, sum, v)
		}
		b.Ins = append(b.Ins, lir.Ins{Op: lirtest.StoreF, A: sum, Imm: uint32(f.Data.Slot())})
		f.Items = []lir.Item{{Block: b}}
		return f
	}
	for alive, slots := range map[int]int{0: 1, 3: 1, 5: 1, 7: 3} {
		f := build(alive)
		code := regalloc.Run(f, m)
		require.NoError(t, regalloc.Check(f, m, code))
		require.Equal(t, 4*slots, f.Data.Slots, "%d values alive across the call", alive)
	}
}

// TestCheckFindsLateReads: a word that a block reads and changes is to be read first.
func TestCheckFindsLateReads(t *testing.T) {
	for _, late := range []bool{false, true} {
		f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
		state, next := f.NewHomed(lir.Float, f.Data.Word(1)), f.NewHomed(lir.Float, f.Data.Word(2))
		negative := f.NewVal(lir.Float)
		ins := []lir.Ins{
			{Op: lirtest.Neg, A: state, D: negative},
			{Op: lirtest.StoreF, A: next, Imm: uint32(f.Values[state].Home)},
			{Op: lirtest.StoreF, A: negative, Imm: uint32(f.Data.Slot())},
		}
		if late {
			ins[0], ins[1] = ins[1], ins[0]
		}
		f.Items = []lir.Item{{Block: &lir.Block{Ins: ins}}}
		m := lirtest.Machine(8, 6, false)
		err := regalloc.Check(f, m, regalloc.Run(f, m))
		if !late {
			require.NoError(t, err)
		} else {
			require.Error(t, err)
		}
	}
}

// TestChosenInPlace: what a loop chooses for its next iteration is computed where a phi has it, and so is the operand in
// whose place that is.
func TestChosenInPlace(t *testing.T) {
	m := lirtest.Machine(8, 6, false)
	f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
	start, cond := f.NewHomed(lir.Float, f.Data.Word(0)), f.NewHomed(lir.Int, f.Data.Word(1))
	n, s, a, x, next := f.NewVal(lir.Int), f.NewVal(lir.Float), f.NewVal(lir.Float), f.NewVal(lir.Float), f.NewVal(lir.Float)
	f.Items = []lir.Item{{Loop: &lir.Loop{
		Step: 1, Length: 10,
		Phis: []lir.Phi{{Val: n, From: lir.NoAddr}, {Val: s, Next: next, Init: start, Out: f.NewHomed(lir.Float, f.Data.Slot())}},
		Body: []lir.Item{{Block: &lir.Block{Ins: []lir.Ins{
			{Op: lirtest.Neg, A: s, D: a}, {Op: lirtest.Add, A: a, B: a, D: x}, {Op: lirtest.Select, A: cond, B: x, C: a, D: next},
		}}}},
	}}}
	require.NoError(t, f.Check(m))
	code := regalloc.Run(f, m)
	require.NoError(t, regalloc.Check(f, m, code))
	var add, chosen regalloc.Inst
	for _, i := range code.Insts {
		switch i.Op {
		case lirtest.Add:
			add = i
		case lirtest.Select:
			chosen = i
		}
		require.NotEqual(t, graph.Op(lir.Move), i.Op.Code())
	}
	require.Equal(t, chosen.D, chosen.B, "in the place of the sum")
	require.Equal(t, chosen.D, add.D)
}

// TestLowPointer: of few registers by which memory is reached in fewer instructions the pointer gets one that is used most,
// where the body has no operations on floats, which need them more.
func TestLowPointer(t *testing.T) {
	for _, floats := range []bool{false, true} {
		m := lirtest.Machine(7, 7, false)
		lirtest.AddPointers(m)
		m.LowInts = 1<<0 | 1<<1 | 1<<2
		f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
		from, to := f.Data.Room(64), f.Data.Room(64)
		val := func() lir.Val { return f.NewVal(lir.Int) }
		n, p, q, p2, q2, x, y, d := val(), val(), val(), val(), val(), val(), val(), val()
		load, store := lir.Of(lir.LoadAt, graph.I32), lir.Of(lir.StoreAt, graph.I32)
		body := []lir.Ins{
			{Op: load, A: p, D: x}, {Op: load, A: p, D: y, Imm: 4}, {Op: lirtest.And, A: x, B: y, D: d}, {Op: store, A: d, B: q},
			{Op: lirtest.Step, A: p, D: p2, Imm: 4}, {Op: lirtest.Step, A: q, D: q2, Imm: 4},
		}
		if floats {
			z, sum := f.NewVal(lir.Float), f.NewVal(lir.Float)
			body = append([]lir.Ins{
				{Op: lirtest.LoadAt, A: p, D: z}, {Op: lirtest.Add, A: z, B: z, D: sum}, {Op: lir.Of(lir.StoreAt, graph.F32), A: sum, B: q, Imm: 8},
			}, body...)
		}
		f.Items = []lir.Item{{Loop: &lir.Loop{
			Step: 1, Length: 50, Body: []lir.Item{{Block: &lir.Block{Ins: body}}},
			Phis: []lir.Phi{{Val: n, From: lir.NoAddr}, {Val: q, Next: q2, From: to}, {Val: p, Next: p2, From: from}},
		}}}
		require.NoError(t, f.Check(m))
		code := regalloc.Run(f, m)
		require.NoError(t, regalloc.Check(f, m, code))
		places := code.Ends[0].Phis
		require.Equal(t, p, places[2].Val)
		require.Equal(t, !floats, m.LowInts>>places[2].Reg&1 != 0, "with floats: %v", floats)
		require.Zero(t, m.LowInts>>places[1].Reg&1)
	}
}

// TestRegistersAreLent: the register of a phi that is read no more holds other values until the next one is computed.
func TestRegistersAreLent(t *testing.T) {
	m := lirtest.Machine(5, 6, false)
	for _, early := range []bool{false, true} { // early: the next value is computed before the others are
		f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
		start, out := f.NewHomed(lir.Float, f.Data.Word(0)), f.NewHomed(lir.Float, f.Data.Slot())
		n, s, next, sum := f.NewVal(lir.Int), f.NewVal(lir.Float), f.NewVal(lir.Float), f.NewVal(lir.Float)
		var body []lir.Ins
		last, made := s, []lir.Val(nil)
		for range 5 {
			last, made = f.NewVal(lir.Float), append(made, last)
			body = append(body, lir.Ins{Op: lirtest.Neg, A: made[len(made)-1], D: last})
		}
		made = append(made[1:], last)
		for _, v := range made[1:] {
			last, sum = sum, f.NewVal(lir.Float)
			if v == made[1] {
				last = made[0]
			}
			body = append(body, lir.Ins{Op: lirtest.Add, A: last, B: v, D: sum})
		}
		if early {
			body = append([]lir.Ins{{Op: lirtest.Neg, A: s, D: next}}, body...)
			body = append(body, lir.Ins{Op: lirtest.StoreF, A: sum, Imm: uint32(f.Data.Slot())})
		} else {
			body = append(body, lir.Ins{Op: lirtest.Neg, A: sum, D: next})
		}
		f.Items = []lir.Item{{Loop: &lir.Loop{
			Step: 1, Length: 10, Body: []lir.Item{{Block: &lir.Block{Ins: body}}},
			Phis: []lir.Phi{{Val: n, From: lir.NoAddr}, {Val: s, Next: next, Init: start, Out: out}},
		}}}
		require.NoError(t, f.Check(m))
		code := regalloc.Run(f, m)
		require.NoError(t, regalloc.Check(f, m, code))
		spilled := 0
		for _, i := range code.Insts[code.Ends[0].Head:] {
			if i.Op == lirtest.StoreF {
				spilled++
			}
		}
		if early {
			require.Greater(t, spilled, 2, "its register is taken")
		} else {
			require.Equal(t, 1, spilled, "behind the loop")
		}
	}
}
