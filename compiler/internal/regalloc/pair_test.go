package regalloc

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/lir/lirtest"
)

func pairMachine(floats, ints int) *lir.Machine {
	m := lirtest.Machine(floats, ints, false)
	lirtest.AddPairs(m)
	lirtest.AddPointers(m)
	return m
}

// TestJoin: which loads and stores become one instruction, and what between them keeps them apart.
func TestJoin(t *testing.T) {
	type insts = []Inst
	at := func(word int) uint32 { return uint32(lir.At(lir.Words, 4*word)) }
	op := func(code graph.Op, t graph.DType) lir.Op { return lir.Of(code, t) }
	load := func(d uint8, word int) Inst { return Inst{Op: op(lir.Load, graph.F32), D: d, Imm: at(word)} }
	store := func(a uint8, word int) Inst { return Inst{Op: op(lir.Store, graph.F32), A: a, Imm: at(word)} }
	loadInt := func(d uint8, word int) Inst { return Inst{Op: op(lir.Load, graph.I32), D: d, Imm: at(word)} }
	storeInt := func(a uint8, word int) Inst { return Inst{Op: op(lir.Store, graph.I32), A: a, Imm: at(word)} }
	load2 := func(t graph.DType, a, b uint8, word int) Inst {
		return Inst{Op: op(lir.Load2, t), A: a, B: b, Imm: at(word)}
	}
	store2 := func(t graph.DType, a, b uint8, word int) Inst {
		return Inst{Op: op(lir.Store2, t), A: a, B: b, Imm: at(word)}
	}
	loadBy := func(d, p uint8, imm uint32) Inst { return Inst{Op: op(lir.LoadBy, graph.F32), D: d, A: p, Imm: imm} }
	storeBy := func(a, p uint8, imm uint32) Inst { return Inst{Op: op(lir.StoreBy, graph.F32), A: a, B: p, Imm: imm} }
	loadIn := func(d, p uint8, word int) Inst {
		return Inst{Op: op(lir.LoadInBy, graph.F32), D: d, A: p, Imm: at(word)}
	}
	loadBy2 := func(p, a, b uint8, imm uint32) Inst {
		return Inst{Op: op(lir.LoadBy2, graph.F32), A: p, B: a, C: b, Imm: imm}
	}
	storeBy2 := func(p, a, b uint8, imm uint32) Inst {
		return Inst{Op: op(lir.StoreBy2, graph.F32), A: p, B: a, C: b, Imm: imm}
	}
	step := func(p uint8) Inst { return Inst{Op: stepOp, D: p, A: p, Imm: 4} }
	neg := func(d, a uint8) Inst { return Inst{Op: lirtest.Neg, D: d, A: a} }
	and := func(d, a, b uint8) Inst { return Inst{Op: lirtest.And, D: d, A: a, B: b} }
	f, i := graph.F32, graph.I32
	end := Inst{Op: loopEndOp}
	loadAt := Inst{Op: lirtest.LoadAt, D: 9, A: 1}
	storeAt := Inst{Op: op(lir.StoreAt, f), A: 9, B: 1}
	for name, c := range map[string]struct{ code, want insts }{
		"floats":                       {insts{load(2, 5), load(3, 6)}, insts{load2(f, 2, 3, 5)}},
		"floats, the higher one first": {insts{load(3, 6), load(2, 5)}, insts{load2(f, 2, 3, 5)}},
		"up over what is independent":  {insts{load(2, 5), neg(8, 2), load(3, 6)}, insts{load2(f, 2, 3, 5), neg(8, 2)}},
		"stores":                       {insts{store(4, 5), store(5, 6)}, insts{store2(f, 4, 5, 5)}},
		"down over what is independent": {insts{store(4, 5), neg(8, 4), neg(5, 8), store(5, 6)},
			insts{neg(8, 4), neg(5, 8), store2(f, 4, 5, 5)}},
		"integers": {insts{loadInt(5, 1), loadInt(2, 2), storeInt(2, 7), storeInt(5, 6)},
			insts{load2(i, 5, 2, 1), store2(i, 5, 2, 6)}},
		"four":                       {insts{load(2, 5), load(5, 8), load(3, 6), load(4, 7)}, insts{load2(f, 2, 3, 5), load2(f, 4, 5, 7)}},
		"loads over another class":   {insts{loadInt(1, 5), and(2, 1, 1), load(2, 6)}, nil},
		"other words":                {insts{load(2, 5), load(3, 7)}, nil},
		"the same word":              {insts{load(2, 5), load(3, 5)}, nil},
		"odd":                        {insts{load(3, 5), load(4, 6)}, nil},
		"the wrong way round":        {insts{load(3, 5), load(2, 6)}, nil},
		"not next to each other":     {insts{load(2, 5), load(5, 6)}, nil},
		"one register":               {insts{loadInt(2, 5), loadInt(2, 6)}, nil},
		"a load and a store":         {insts{load(2, 5), store(3, 6)}, nil},
		"the register is used":       {insts{load(2, 5), neg(8, 3), load(3, 6)}, nil},
		"the register is changed":    {insts{load(2, 5), neg(3, 8), load(3, 6)}, nil},
		"by a pair":                  {insts{load(2, 5), load2(f, 2, 3, 11), load(3, 6)}, nil},
		"used by a pair":             {insts{load(2, 5), store2(f, 2, 3, 11), load(3, 6)}, nil},
		"the word is changed":        {insts{load(2, 5), store(8, 6), load(3, 6)}, nil},
		"the word is changed by two": {insts{load(2, 6), store2(f, 8, 9, 6), load(3, 7)}, nil},
		"any word is changed":        {insts{load(2, 5), storeAt, load(3, 6)}, nil},
		"a load by an index":         {insts{load(2, 5), loadAt, load(3, 6)}, insts{load2(f, 2, 3, 5), loadAt}},
		"a call":                     {insts{load(2, 5), {Op: lirtest.Sin}, load(3, 6)}, nil},
		"the end of a loop":          {insts{load(2, 5), end, load(3, 6)}, nil},
		"narrowing":                  {insts{load(2, 5), {Op: narrowOp}, load(3, 6)}, nil},
		"what is stored changes":     {insts{store(4, 5), neg(4, 8), store(5, 6)}, nil},
		"a pair is loaded over it":   {insts{store(5, 6), load2(f, 4, 5, 11), store(4, 5)}, nil},
		"what was stored is read":    {insts{store(4, 5), load(9, 5), store(5, 6)}, nil},
		"read as one of two":         {insts{store(4, 5), load2(f, 8, 9, 4), store(5, 6)}, nil},
		"read as an operand":         {insts{store(4, 5), {Op: lirtest.Add, D: 9, A: 8, Mem: true, Imm: at(5)}, store(5, 6)}, nil},
		"read by an index":           {insts{store(4, 5), loadAt, store(5, 6)}, nil},
		"stored twice":               {insts{store(4, 5), store(8, 5), store(5, 6)}, nil},
		"stored by an index":         {insts{store(4, 5), storeAt, store(5, 6)}, nil},
		"a call behind a store":      {insts{store(4, 5), {Op: lirtest.Sin}, store(5, 6)}, nil},
		"an end behind a store":      {insts{store(4, 5), end, store(5, 6)}, nil},
		"by a pointer":               {insts{loadBy(2, 1, 4), loadBy(6, 1, 0)}, insts{loadBy2(1, 6, 2, 0)}},
		"stored by a pointer":        {insts{storeBy(2, 1, 0), neg(7, 2), storeBy(7, 1, 4)}, insts{neg(7, 2), storeBy2(1, 2, 7, 0)}},
		"in an array": {insts{loadIn(2, 1, 5), neg(7, 2), loadIn(4, 1, 6)},
			insts{{Op: op(lir.LoadInBy2, f), A: 1, B: 2, C: 4, Imm: at(5)}, neg(7, 2)}},
		"of another pointer":           {insts{loadBy(2, 1, 0), loadBy(3, 4, 4)}, nil},
		"in an array and beside it":    {insts{loadBy(2, 1, 0), loadIn(3, 1, 1)}, nil},
		"the pointer moves on":         {insts{loadBy(2, 1, 0), step(1), loadBy(3, 1, 4)}, nil},
		"behind what is stored":        {insts{loadBy(2, 1, 0), storeBy(9, 1, 8), loadBy(3, 1, 4)}, insts{loadBy2(1, 2, 3, 0), storeBy(9, 1, 8)}},
		"what is stored":               {insts{loadBy(2, 1, 0), storeBy(9, 1, 4), loadBy(3, 1, 4)}, nil},
		"stored elsewhere":             {insts{loadBy(2, 1, 0), storeBy(9, 4, 8), loadBy(3, 1, 4)}, nil},
		"stored at a fixed place":      {insts{loadBy(2, 1, 0), store(9, 3), loadBy(3, 1, 4)}, nil},
		"loaded from a fixed place":    {insts{storeBy(2, 1, 0), load(9, 3), storeBy(3, 1, 4)}, nil},
		"loaded elsewhere":             {insts{storeBy(2, 1, 0), loadBy(9, 4, 8), storeBy(3, 1, 4)}, nil},
		"loaded from what is stored":   {insts{storeBy(2, 1, 0), loadBy(9, 1, 0), storeBy(3, 1, 4)}, nil},
		"loaded beside what is stored": {insts{storeBy(2, 1, 0), loadBy(9, 1, 8), storeBy(3, 1, 4)}, insts{loadBy(9, 1, 8), storeBy2(1, 2, 3, 0)}},
		"the pointer itself":           {insts{{Op: op(lir.LoadBy, i), D: 1, A: 1}, {Op: op(lir.LoadBy, i), D: 2, A: 1, Imm: 4}}, nil},
		"another word is read":         {insts{store(4, 5), load(9, 7), store(5, 6)}, insts{load(9, 7), store2(f, 4, 5, 5)}},
		"doubles":                      {insts{{Op: op(lir.Load, graph.F64), D: 2, Imm: at(6)}, {Op: op(lir.Load, graph.F64), D: 3, Imm: at(8)}}, nil},
		"a double lies over the word":  {insts{store(4, 7), {Op: op(lir.Load, graph.F64), D: 1, Imm: at(6)}, store(5, 8)}, nil},
	} {
		if c.want == nil {
			c.want = c.code
		}
		before := Inst{Op: lirtest.Neg, D: 3, A: 3} // of another block
		a := &allocator{m: pairMachine(10, 8), code: Code{Insts: append(insts{before}, c.code...)}}
		a.join(1)
		require.Equal(t, append(insts{before}, c.want...), a.code.Insts, name)
	}
	far := insts{load(2, 5)}
	for range near {
		far = append(far, neg(8, 9))
	}
	a := &allocator{m: pairMachine(10, 8), code: Code{Insts: append(far, load(3, 6))}}
	a.join(0)
	require.Len(t, a.code.Insts, near+2)
}

// sums adds neighbouring words two at a time and stores the results beside each other.
func sums(n int) *lir.Func {
	f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
	b := &lir.Block{}
	for range n {
		x, y, d := f.NewHomed(lir.Float, f.Data.Word(0)), f.NewHomed(lir.Float, f.Data.Word(0)), f.NewVal(lir.Float)
		b.Ins = append(b.Ins, lir.Ins{Op: lirtest.Add, A: x, B: y, D: d}, lir.Ins{Op: lirtest.StoreF, A: d, Imm: uint32(f.Data.Slot())})
	}
	f.Items = []lir.Item{{Block: b}}
	return f
}

// TestPairsOfRegisters: values that are loaded or stored beside each other get the registers of pairs, on cores with
// few and many registers.
func TestPairsOfRegisters(t *testing.T) {
	for _, floats := range []int{6, 8, 30} {
		for _, inOrder := range []bool{false, true} {
			f, m := sums(8), pairMachine(floats, 6)
			m.InOrder = inOrder
			code := Run(f, m)
			require.NoError(t, Check(f, m, code))
			count := map[graph.Op]int{}
			for _, i := range code.Insts {
				count[i.Op.Code()]++
			}
			require.Equal(t, map[graph.Op]int{lir.Load2: 8, graph.OpAdd: 8, lir.Store2: 4}, count, "%d registers, in order: %v", floats, inOrder)
		}
	}
}

// TestPairsCostNothing: random programs have no more instructions with pairs than without.
func TestPairsCostNothing(t *testing.T) {
	fewer := 0
	for seed := range uint64(200) {
		var n [2]int
		for k := range n {
			rng := rand.New(rand.NewPCG(seed, 11))
			m := lirtest.Machine(lir.MinRegs+rng.IntN(26), lir.MinRegs+rng.IntN(7), false)
			m.InOrder = rng.IntN(2) == 0
			if k == 1 {
				lirtest.AddPairs(m)
			}
			f := lirtest.Random(rng, 5+rng.IntN(200), []int{0, 0, 5, 30}[rng.IntN(4)])
			n[k] = len(Run(f, m).Insts)
		}
		require.LessOrEqual(t, n[1], n[0], "seed %d", seed)
		fewer += n[0] - n[1]
	}
	require.Greater(t, fewer, 1000)
}

// TestCheckFindsFaultyPairs spoils one pair at a time.
func TestCheckFindsFaultyPairs(t *testing.T) {
	tried := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 12))
		m := pairMachine(12, 6)
		m.InOrder = seed%2 == 0
		f := sums(6)
		if seed >= 2 {
			f = lirtest.Random(rng, 60, 5)
		}
		code := Run(f, m)
		require.NoError(t, Check(f, m, code))
		for k, i := range code.Insts {
			if c := i.Op.Code(); c != lir.Store2 {
				continue
			}
			for what, bad := range map[string]Inst{
				"exchanged":  {Op: i.Op, A: i.B, B: i.A, Imm: i.Imm},
				"other word": {Op: i.Op, A: i.A, B: i.B, Imm: i.Imm + 8},
				"before":     {Op: i.Op, A: i.A, B: i.B, Imm: i.Imm - 4},
				"one only":   {Op: lir.Of(lir.Store, i.Op.DType()), A: i.A, Imm: i.Imm},
				"register":   {Op: i.Op, A: i.A ^ 2, B: i.B ^ 2, Imm: i.Imm},
			} {
				spoiled := *code
				spoiled.Insts = append([]Inst(nil), code.Insts...)
				spoiled.Insts[k] = bad
				tried++
				require.Error(t, Check(f, m, &spoiled), "seed %d, instruction %d, %s", seed, k, what)
			}
		}
	}
	require.Greater(t, tried, 100)

	// A pair of loads, moved behind the instruction that needs it, or of words that lie elsewhere.
	f, m := sums(1), pairMachine(12, 6)
	code := Run(f, m)
	require.Equal(t, lir.Load2, code.Insts[0].Op.Code())
	for what, spoil := range map[string]func(insts []Inst){
		"late":      func(insts []Inst) { insts[0], insts[1] = insts[1], insts[0] },
		"exchanged": func(insts []Inst) { insts[0].Imm += 4 },
		"odd":       func(insts []Inst) { insts[0].A, insts[0].B = 1, 2 },
		"register":  func(insts []Inst) { insts[0].A, insts[0].B = insts[0].A+2, insts[0].B+2 },
	} {
		spoiled := *code
		spoiled.Insts = append([]Inst(nil), code.Insts...)
		spoil(spoiled.Insts)
		require.Error(t, Check(f, m, &spoiled), what)
	}
}

// TestCheckFindsFaultyPairsByPointer spoils one pair at a time. Some changes do no harm: what is loaded may not be used, and
// both values be the same.
func TestCheckFindsFaultyPairsByPointer(t *testing.T) {
	tried, found := map[bool]int{}, map[bool]int{}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 13))
		m := pairMachine(12, 7)
		f := lirtest.Random(rng, 60, 0)
		code := Run(f, m)
		require.NoError(t, Check(f, m, code))
		for k, i := range code.Insts {
			if _, byPointer := pointerOf(&i); !byPointer || !i.Op.MovesTwo() {
				continue
			}
			size := uint32(2 * words(&i))
			for what, bad := range map[string]Inst{
				"exchanged":  {Op: i.Op, A: i.A, B: i.C, C: i.B, Imm: i.Imm},
				"other word": {Op: i.Op, A: i.A, B: i.B, C: i.C, Imm: i.Imm + 2*size},
				"before":     {Op: i.Op, A: i.A, B: i.B, C: i.C, Imm: i.Imm - size},
				"one only":   i.Halves()[0],
				"pointer":    {Op: i.Op, A: i.A ^ 1, B: i.B, C: i.C, Imm: i.Imm},
				"register":   {Op: i.Op, A: i.A, B: i.B ^ 1, C: i.C ^ 2, Imm: i.Imm},
			} {
				spoiled := *code
				spoiled.Insts = append([]Inst(nil), code.Insts...)
				spoiled.Insts[k] = bad
				loads := i.Op.Loads()
				tried[loads]++
				if err := Check(f, m, &spoiled); err != nil {
					found[loads]++
				} else if !loads {
					require.Contains(t, []string{"exchanged", "register"}, what, "seed %d, instruction %d", seed, k)
				}
			}
		}
	}
	for _, loads := range []bool{false, true} {
		require.Greater(t, tried[loads], 300)
		require.Greater(t, float64(found[loads])/float64(tried[loads]), 0.85, "loads: %v, %d of %d", loads, found[loads], tried[loads])
	}
}

// TestCheckFindsDisturbedStores: the first store of a pair comes later than in the program, so nothing between may
// read or change its word.
func TestCheckFindsDisturbedStores(t *testing.T) {
	m := pairMachine(8, 6)
	for name, between := range map[string]lir.Ins{
		"nothing":          {Op: lirtest.Neg},
		"read by an index": {Op: lirtest.LoadAt},
		"written by index": {Op: lir.Of(lir.StoreAt, graph.F32)},
		"a call":           {Op: lirtest.Sin},
	} {
		f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
		x, index := f.NewHomed(lir.Float, f.Data.Word(1)), f.NewHomed(lir.Int, f.Data.Word(64))
		first, second := f.Data.Slot(), f.Data.Slot()
		d, e := f.NewVal(lir.Float), f.NewVal(lir.Float)
		between.A, between.D = x, e
		code := []Inst{
			{Op: loadInt, D: 0, Imm: uint32(f.Values[index].Home)}, {Op: lir.Of(lir.Load, graph.F32), D: 3, Imm: uint32(f.Values[x].Home)},
			{Op: lirtest.Neg, D: 4, A: 3}, {Op: between.Op, D: 5, A: 3},
			{Op: lir.Of(lir.Store2, graph.F32), A: 4, B: 5, Imm: uint32(first)},
		}
		switch between.Op {
		case lirtest.LoadAt:
			between.A, code[3].A = index, 0
		case lir.Of(lir.StoreAt, graph.F32):
			between.B, between.D = index, 0
			code[3].B, code[3].D, code[4].B = 0, 0, 5
		}
		store := lir.Ins{Op: lirtest.StoreF, A: e, Imm: uint32(second)}
		if between.D == 0 {
			store.A = x
			code = append(code[:4], Inst{Op: lir.Of(lir.Move, graph.F32), D: 5, A: 3}, code[4])
		}
		f.Items = []lir.Item{{Block: &lir.Block{Ins: []lir.Ins{
			{Op: lirtest.Neg, A: x, D: d}, {Op: lirtest.StoreF, A: d, Imm: uint32(first)}, between, store,
		}}}}
		err := Check(f, m, &Code{Insts: code})
		if name == "nothing" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "comes before the store to slots+0", name)
	}
}
