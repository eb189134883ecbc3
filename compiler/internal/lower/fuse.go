package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Bounds of fused loops: registers left to the body beside sums and constants, or beside what a loop carries,
// for each class, and the instructions that each sum may bring for a term of each lane.
const (
	bodyFloats = 6
	bodyInts   = 5
	maxSumBody = 24
)

// placeSum puts the loop of a reduction to a scalar where its operands exist. If one of the sums in front of it
// is of the same kind and length, they become one: a sum on its own waits for the addition before it most of the time, and
// what both read is loaded once.
func (n *nest) placeSum(items []lir.Item) {
	n.l.placeWaiting()
	n.l.grow(n.loop)
	list := n.l.loops[n.loop]
	if len(items) == 1 {
		var best *fusion
		for k := len(list) - 1; k >= 0 && n.l.isSum(list[k].Loop); k-- {
			if f := n.l.fuse(list[k].Loop, items[0].Loop); f != nil && f.better(best) {
				best = f
			}
		}
		if best != nil {
			best.carryOut()
			return
		}
	}
	n.place(items)
}

// fuse is loop a with the phis and the body of loop b, nil if not both are sums of floats or the registers do not suffice.
// Sums of single values have lanes enough that they wait for nothing, and become one if that saves loads.
func (l *lowerer) fuse(a, b *lir.Loop) *fusion {
	if !l.isSum(a) || !l.isSum(b) || a.Step != b.Step || a.Length != b.Length {
		return nil
	}
	moves, most := walks(b), maxSumBody
	if l.m.Lanes == 0 {
		most *= lanes / 2
	}
	if len(b.Body[0].Block.Ins) > most*rounds(moves) {
		return nil
	}
	f := newFusion(l, a)
	f.saved = 0
	f.join(b, moves)
	if l.m.Lanes == 0 && f.saved == 0 || !f.fits() {
		return nil
	}
	return f
}

// isSum reports whether a loop does nothing but to add up floats, in vectors where there are any,
// with pointers that start at fixed places and indices that start at 0.
func (l *lowerer) isSum(loop *lir.Loop) bool {
	if loop == nil || !loop.Inner() || l.m.Shared {
		return false
	}
	pointers := map[lir.Val]bool{}
	for _, p := range loop.Phis {
		v := &l.f.Values[p.Val]
		if pointers[p.Val] = p.Init == 0; p.Init != 0 && (v.Class != lir.Float || v.Wide() != (l.m.Lanes > 0)) {
			return false
		}
	}
	for k := range loop.Body[0].Block.Ins {
		in := &loop.Body[0].Block.Ins[k]
		if in.Op.Code() == lir.AddConst && pointers[in.A] {
			continue
		}
		if in.D == 0 || (lir.Lanes(in.Op.DType()) == 1) != (l.m.Lanes == 0) || l.m.Ops[in.Op].Kernel && l.m.Lanes == 0 {
			return false
		}
		if args := in.Args(); !in.Op.Loads() && slices.ContainsFunc(args[:], func(v lir.Val) bool { return pointers[v] }) {
			return false
		}
	}
	return true
}

// walk is how a pointer moves: where it starts, and by how many bytes an iteration takes it on. An index starts at NoAddr.
type walk struct {
	from lir.Addr
	step uint32
}

// walks is how the pointers of a loop move, by phi.
func walks(a *lir.Loop) map[lir.Val]walk {
	steps := map[lir.Val]uint32{a.Phis[0].Val: uint32(a.Step)}
	for _, in := range a.Body[0].Block.Ins {
		if in.Op.Code() == lir.AddConst {
			steps[in.A] = in.Imm
		}
	}
	list := map[lir.Val]walk{}
	for _, p := range a.Phis {
		if p.Init == 0 {
			list[p.Val] = walk{p.From, steps[p.Val]}
		}
	}
	return list
}

// rounds is how many terms an iteration of a sum brings each lane.
func rounds(moves map[lir.Val]walk) int {
	n := 1
	for _, m := range moves {
		n = max(n, int(m.step)/(graph.WordSize*lanes))
	}
	return n
}

// fusion is a loop made of several.
type fusion struct {
	l          *lowerer
	loop       *lir.Loop // the first, which becomes what is here
	phis       []lir.Phi
	ins, steps []lir.Ins // of the body: all, but the steps of pointers apart
	pointers   []pointing
	loads      map[source]lir.Val
	renamed    map[lir.Val]lir.Val  // values of the loop that is added
	constants  map[lir.Val]struct{} // from outside
	saved      int                  // loads that another loop has
}

func newFusion(l *lowerer, a *lir.Loop) *fusion {
	f := &fusion{l: l, loop: a, loads: map[source]lir.Val{}, renamed: map[lir.Val]lir.Val{}, constants: map[lir.Val]struct{}{}}
	f.join(a, walks(a))
	return f
}

// pointing is a pointer in its register.
type pointing struct {
	walk
	val lir.Val
}

// source is what a load reads: the words from a place on, which moves.
type source struct {
	op lir.Op
	walk
}

// join adds a loop.
func (f *fusion) join(b *lir.Loop, moves map[lir.Val]walk) {
	if len(f.phis) == 0 { // the counter
		f.phis = append(f.phis, b.Phis[0])
		f.pointers = append(f.pointers, pointing{moves[b.Phis[0].Val], b.Phis[0].Val})
	}
	for _, p := range b.Phis {
		if p.Init != 0 {
			f.phis = append(f.phis, p)
		}
	}
	for _, in := range b.Body[0].Block.Ins {
		move, walked := moves[in.A]
		switch {
		case in.Op.Code() == lir.AddConst:
		case walked && in.Op.Loads():
			f.load(in, move)
		default:
			f.add(in)
		}
	}
}

// load adds a load by a pointer, unless what it reads is there already.
func (f *fusion) load(in lir.Ins, move walk) {
	from := source{in.Op, move}
	if move.from == lir.NoAddr {
		from.from = lir.Addr(in.Imm)
	} else {
		from.from = move.from.Plus(int(int32(in.Imm)))
	}
	if v, ok := f.loads[from]; ok {
		f.renamed[in.D] = v
		f.saved++
		return
	}
	f.loads[from] = in.D
	p := f.pointer(move, in)
	if in.A = p.val; p.from != move.from {
		in.Imm += uint32(int(move.from) - int(p.from))
	}
	f.ins = append(f.ins, in)
}

// pointer is the one by which a load that has one that moves so reads: one that moves alike and starts no farther before
// it than loads reach, or another one.
func (f *fusion) pointer(move walk, in lir.Ins) pointing {
	for _, p := range f.pointers {
		if p.walk == move {
			return p
		}
		if p.step != move.step || p.from == lir.NoAddr || move.from == lir.NoAddr || p.from.Region() != move.from.Region() {
			continue
		}
		if d := int(move.from) - int(p.from); d >= 0 && d+int(int32(in.Imm)) <= f.l.reach(graph.F32)+behind {
			return p
		}
	}
	p := pointing{move, f.l.newVal(lir.Int, local)}
	next := f.l.newVal(lir.Int, local)
	f.pointers = append(f.pointers, p)
	f.phis = append(f.phis, lir.Phi{Val: p.val, Next: next, From: move.from})
	f.steps = append(f.steps, lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: p.val, D: next, Imm: move.step})
	return p
}

// add adds another instruction.
func (f *fusion) add(in lir.Ins) {
	for _, v := range [3]*lir.Val{&in.A, &in.B, &in.C} {
		if to, ok := f.renamed[*v]; ok {
			*v = to
		}
		if info := &f.l.f.Values[*v]; *v != 0 && info.Class == lir.Float && info.Home != lir.NoAddr {
			f.constants[*v] = struct{}{}
		}
	}
	f.ins = append(f.ins, in)
}

// better reports whether it saves more loads than another one, or as many and leaves more registers.
func (f *fusion) better(other *fusion) bool {
	return other == nil || f.saved > other.saved || f.saved == other.saved && len(f.phis) < len(other.phis)
}

// fits reports whether sums, constants and pointers find registers.
func (f *fusion) fits() bool {
	sums, left := len(f.phis)-len(f.pointers), bodyFloats
	if f.l.movesPairs() && f.l.m.Lanes == 0 {
		left *= 2
	}
	regs := &f.l.m.Regs
	return sums+len(f.constants) <= regs[lir.Float]-left && len(f.pointers) <= regs[lir.Int]-bodyInts
}

// carryOut makes the first loop the whole.
func (f *fusion) carryOut() {
	for k := range f.phis {
		if to, ok := f.renamed[f.phis[k].Next]; ok {
			f.phis[k].Next = to
		}
	}
	f.loop.Phis = f.phis
	f.loop.Body[0].Block.Ins = append(f.ins, f.steps...)
}
