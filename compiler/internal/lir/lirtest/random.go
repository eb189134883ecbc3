package lirtest

import (
	"math/rand/v2"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Random is a function of straight blocks and inner loops with about n
// instructions in each, of which kernels is the share of calls in percent.
func Random(rng *rand.Rand, n, kernels int) *lir.Func {
	f := &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}
	g := &generator{rng: rng, f: f, kernels: kernels}
	for range 6 { // neighbours
		g.shared[lir.Float] = append(g.shared[lir.Float], f.NewHomed(lir.Float, f.Data.Word(0)))
	}
	for range 6 {
		g.shared[lir.Int] = append(g.shared[lir.Int], f.NewHomed(lir.Int, f.Data.Word(1)))
	}
	for k := range 6 {
		g.shared[lir.Double] = append(g.shared[lir.Double], f.NewHomed(lir.Double, f.Data.Element(lir.Double, 3)))
		for _, lanes := range lir.Widths {
			v := f.NewSplat(lanes, f.Data.Word(2))
			if k%2 == 1 {
				v = f.NewRow(lanes, f.Data.Group(lir.Float, make([]uint32, lanes)))
			}
			g.copies[lanes] = append(g.copies[lanes], v)
		}
	}
	for range 4 {
		if rng.IntN(2) == 0 {
			f.Items = append(f.Items, lir.Item{Block: g.block(n, nil)})
		} else {
			f.Items = append(f.Items, lir.Item{Loop: g.loop(n)})
		}
	}
	if last := f.Items[len(f.Items)-1].Block; last != nil {
		g.update(last)
	}
	return f
}

// update gives a block updates of words that it may read.
func (g *generator) update(b *lir.Block) {
	changed := map[lir.Addr]bool{}
	for c, op := range [lir.NumClasses]lir.Op{lir.Float: StoreF, lir.Int: StoreI, lir.Double: StoreD} {
		for _, state := range g.shared[c][:g.rng.IntN(7)] {
			v := g.pick(lir.Class(c))
			if home := g.f.Values[state].Home; !changed[g.f.Values[v].Home] && !changed[home] {
				changed[home] = true
				b.Updates = append(b.Updates, lir.Ins{Op: op, A: v, Imm: uint32(home)})
			}
		}
	}
}

type generator struct {
	rng     *rand.Rand
	f       *lir.Func
	kernels int
	shared  [lir.NumClasses][]lir.Val   // in memory
	local   [lir.NumClasses][]lir.Val   // of the block at hand
	copies  [lir.MaxLanes + 1][]lir.Val // wide, of words in memory, by lanes
	wide    []lir.Val                   // wide, of the block at hand; only in loops without calls
	lanes   int                         // of wide values in the block at hand; 0: there are none
	ptr     lir.Val                     // where they are loaded and stored, with no other use
	index   lir.Val                     // such a place, too, with others
	room    lir.Addr                    // of an array
	ins     []lir.Ins
}

// pick is an operand: mostly a recent value of the block.
func (g *generator) pick(c lir.Class) lir.Val {
	if n := len(g.local[c]); n > 0 && g.rng.IntN(4) != 0 {
		return g.local[c][max(0, n-1-g.rng.IntN(12))]
	}
	return g.shared[c][g.rng.IntN(len(g.shared[c]))]
}

func (g *generator) emit(op lir.Op, results int, c lir.Class, args ...lir.Val) lir.Val {
	i := lir.Ins{Op: op}
	copy3 := append(append([]lir.Val{}, args...), 0, 0, 0)
	i.A, i.B, i.C = copy3[0], copy3[1], copy3[2]
	if results > 0 {
		i.D = g.f.NewVal(c)
		g.local[c] = append(g.local[c], i.D)
	}
	if results > 1 {
		i.E = g.f.NewVal(c)
		g.local[c] = append(g.local[c], i.E)
	}
	g.ins = append(g.ins, i)
	return i.D
}

func (g *generator) block(n int, carried []lir.Val) *lir.Block {
	g.ins, g.local = nil, [lir.NumClasses][]lir.Val{}
	for _, v := range carried {
		c := g.f.Values[v].Class
		g.local[c] = append(g.local[c], v)
	}
	for range n {
		g.step()
	}
	// Some results go to memory, where later blocks read them.
	for c, op := range [lir.NumClasses]lir.Op{lir.Float: StoreF, lir.Int: StoreI, lir.Double: StoreD} {
		var kept []lir.Val
		for _, v := range g.local[c] {
			if g.rng.IntN(6) == 0 && g.f.Values[v].Home == lir.NoAddr && !contains(carried, v) {
				g.f.Values[v].Home = g.f.Data.SlotFor(lir.Class(c))
				g.ins = append(g.ins, lir.Ins{Op: op, A: v, Imm: uint32(g.f.Values[v].Home)})
				kept = append(kept, v)
			}
		}
		g.shared[c] = append(g.shared[c], kept...)
	}
	return &lir.Block{Ins: g.ins}
}

func contains(list []lir.Val, v lir.Val) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// pickWide is a wide operand.
func (g *generator) pickWide() lir.Val {
	if n := len(g.wide); n > 0 && g.rng.IntN(4) != 0 {
		return g.wide[max(0, n-1-g.rng.IntN(16))]
	}
	copies := g.copies[g.lanes]
	return copies[g.rng.IntN(len(copies))]
}

// stepWide adds an instruction on wide values; some read memory at a pointer.
func (g *generator) stepWide(ptr lir.Val) {
	i := lir.Ins{D: g.f.NewWide(g.lanes)}
	op := func(o graph.Op) lir.Op { return Wide(o, g.lanes) }
	kind := g.rng.IntN(9)
	if g.rng.IntN(100) < g.kernels {
		kind = 9
	}
	switch kind {
	case 9:
		i.Op, i.A = op(graph.OpSin), g.pickWide()
	case 7:
		i.Op, i.A, i.Imm = op(lir.LoadIn), ptr, uint32(lir.At(lir.Words, 4*g.lanes*g.rng.IntN(4)))
	case 8:
		i = lir.Ins{Op: op(lir.StoreIn), A: g.pickWide(), B: ptr, Imm: uint32(g.room.Plus(4 * g.lanes * g.rng.IntN(4)))}
		if g.lanes == lir.MaxLanes {
			i.Op, i.D = op(lir.MulIn), g.f.NewWide(g.lanes)
		}
	case 0, 1:
		i.Op, i.A, i.B = op(graph.OpAdd), g.pickWide(), g.pickWide()
	case 2:
		i.Op, i.A, i.B = op(graph.OpSub), g.pickWide(), g.pickWide()
	case 3:
		i.Op, i.A = op(graph.OpNeg), g.pickWide()
	case 4:
		i.Op, i.A, i.Imm = op(lir.LoadAt), ptr, uint32(4*g.lanes*g.rng.IntN(4))
	case 5:
		i.Op, i.A = op(lir.SplatAt), g.index
	default:
		i = lir.Ins{Op: op(lir.StoreAt), A: g.pickWide(), B: ptr, Imm: uint32(4 * g.lanes * g.rng.IntN(4))}
	}
	g.add(i, &g.wide)
	if _, reaches := i.Op.ByPointer(); reaches && g.rng.IntN(2) == 0 { // the neighbours
		i.Imm += uint32(4 * g.lanes)
		if i.D != 0 {
			i.D = g.f.NewWide(g.lanes)
		}
		g.add(i, &g.wide)
	}
}

func (g *generator) add(i lir.Ins, results *[]lir.Val) {
	g.ins = append(g.ins, i)
	if i.D != 0 {
		*results = append(*results, i.D)
	}
}

// stepBy adds loads or stores of one word or two neighbouring ones at the pointer.
func (g *generator) stepBy(t graph.DType) {
	c, at := lir.ClassOf(t), 4*g.rng.IntN(8)
	load, store, imm := lir.LoadAt, lir.StoreAt, uint32(at)
	if g.rng.IntN(2) == 0 {
		load, store, imm = lir.LoadIn, lir.StoreIn, uint32(g.room.Plus(at))
	}
	stores := g.rng.IntN(3) == 0
	for range 1 + g.rng.IntN(2) {
		if stores {
			g.emit(lir.Of(store, t), 0, c, g.pick(c), g.ptr)
		} else {
			g.emit(lir.Of(load, t), 1, c, g.ptr)
		}
		g.ins[len(g.ins)-1].Imm = imm
		imm += 4
	}
}

func (g *generator) step() {
	if g.ptr != 0 && g.lanes < lir.MaxLanes && g.rng.IntN(3) == 0 {
		g.stepBy([]graph.DType{graph.F32, graph.I32}[g.rng.IntN(2)])
		return
	}
	if g.lanes > 0 && g.rng.IntN(2) == 0 {
		g.stepWide(g.ptr)
		return
	}
	if g.lanes == lir.MaxLanes { // beside which there are no other floats
		g.emit(And, 1, lir.Int, g.pick(lir.Int), g.pick(lir.Int))
		return
	}
	if g.rng.IntN(100) < g.kernels {
		switch g.rng.IntN(4) {
		case 3:
			g.emit(PowD, 1, lir.Double, g.pick(lir.Double), g.pick(lir.Double))
		case 0:
			g.emit(Sin, 1, lir.Float, g.pick(lir.Float))
		case 1:
			g.emit(SinCos, 2, lir.Float, g.pick(lir.Float))
		default:
			g.emit(Pow, 1, lir.Float, g.pick(lir.Float), g.pick(lir.Float))
		}
		return
	}
	switch g.rng.IntN(10) {
	case 6, 7:
		g.emit(AddD, 1, lir.Double, g.pick(lir.Double), g.pick(lir.Double))
	case 8:
		if g.rng.IntN(2) == 0 {
			g.emit(Widen, 1, lir.Double, g.pick(lir.Float))
		} else {
			g.emit(Narrow, 1, lir.Float, g.pick(lir.Double))
		}
	case 9:
		switch g.rng.IntN(3) {
		case 0:
			g.emit(NegD, 1, lir.Double, g.pick(lir.Double))
		case 1:
			g.emit(LessD, 1, lir.Int, g.pick(lir.Double), g.pick(lir.Double))
		default:
			g.emit(SelectD, 1, lir.Double, g.pick(lir.Int), g.pick(lir.Double), g.pick(lir.Double))
		}
	case 0, 1:
		g.emit(Add, 1, lir.Float, g.pick(lir.Float), g.pick(lir.Float))
	case 2:
		g.emit(Sub, 1, lir.Float, g.pick(lir.Float), g.pick(lir.Float))
	case 3:
		g.emit(Less, 1, lir.Int, g.pick(lir.Float), g.pick(lir.Float))
	case 4:
		if g.rng.IntN(3) == 0 {
			g.emit(SelectI, 1, lir.Int, g.pick(lir.Int), g.pick(lir.Int), g.pick(lir.Int))
			return
		}
		g.emit(And, 1, lir.Int, g.pick(lir.Int), g.pick(lir.Int))
	default:
		g.emit(Select, 1, lir.Float, g.pick(lir.Int), g.pick(lir.Float), g.pick(lir.Float))
	}
}

// loop is an inner loop with a counter, a pointer and some sums.
func (g *generator) loop(n int) *lir.Loop {
	f := g.f
	l := &lir.Loop{Step: 4, Length: 40}
	room := f.Data.Room(10 + 4*lir.MaxLanes)
	for range 3 { // the last one is the pointer, with no other use
		l.Phis = append(l.Phis, lir.Phi{Val: f.NewVal(lir.Int), From: room})
	}
	carried := []lir.Val{l.Phis[0].Val, l.Phis[1].Val}
	g.lanes = [...]int{0, 4, 8}[g.rng.IntN(3)]
	if g.kernels > 0 && g.lanes < lir.MaxLanes { // single values beside wide ones do not survive kernels on these
		g.lanes = 0
	}
	g.index, g.ptr, g.room = l.Phis[1].Val, l.Phis[2].Val, room
	for n := g.rng.IntN(9); n > 0 && g.lanes < lir.MaxLanes; n-- {
		c := lir.Float
		if g.rng.IntN(3) == 0 {
			c = lir.Double
		}
		p := lir.Phi{Val: f.NewVal(c), Init: g.shared[c][g.rng.IntN(6)]}
		l.Phis = append(l.Phis, p)
		carried = append(carried, p.Val)
	}
	var sums, wides []lir.Phi
	if g.lanes > 0 {
		for range g.rng.IntN(9) {
			p := lir.Phi{Val: f.NewWide(g.lanes), Init: g.copies[g.lanes][g.rng.IntN(6)]}
			sums = append(sums, p)
			g.wide = append(g.wide, p.Val)
		}
	}
	b := g.block(n, carried)
	g.ins = b.Ins
	for _, p := range sums {
		p.Next = f.NewWide(g.lanes)
		g.ins = append(g.ins, lir.Ins{Op: Wide(graph.OpAdd, g.lanes), A: p.Val, B: g.pickWide(), D: p.Next})
		if g.rng.IntN(3) != 0 {
			at := f.Data.WideSlot(g.lanes)
			p.Out = f.NewHomed(lir.Float, at)
			for k := 1; k < g.lanes; k++ {
				f.NewHomed(lir.Float, at.Plus(4*k))
			}
		}
		wides = append(wides, p)
	}
	for k := range l.Phis[1:] {
		p := &l.Phis[k+1]
		if k < 2 {
			p.Next = g.emit(Step, 1, lir.Int, p.Val)
			continue
		}
		c, op := f.Values[p.Val].Class, Add
		if c == lir.Double {
			op = AddD
		}
		p.Next = g.emit(op, 1, c, p.Val, g.pick(c))
		if g.rng.IntN(2) == 0 {
			p.Out = f.NewHomed(c, f.Data.SlotFor(c))
		}
	}
	l.Phis = append(l.Phis, wides...)
	g.lanes, g.wide, g.ptr = 0, nil, 0
	b.Ins = g.ins
	l.Body = []lir.Item{{Block: b}}
	for _, p := range l.Phis {
		f.Outs(&p, func(v lir.Val) {
			c := f.Values[v].Class
			g.shared[c] = append(g.shared[c], v)
		})
	}
	return l
}
