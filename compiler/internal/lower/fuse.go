package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Bounds of fused loops: registers left to the body beside sums and constants,
// for each class, and the instructions that each sum may bring for a term of each lane.
const (
	bodyFloats = 6
	bodyInts   = 5
	maxSumBody = 24
)

// placeSum puts the loop of a reduction to a scalar where its operands exist. If
// the loop in front of it is of the same kind and length, they become one: a
// sum on its own waits for the addition before it most of the time, and what both
// read is loaded once.
func (n *nest) placeSum(items []lir.Item) {
	n.l.placeWaiting()
	n.l.grow(n.loop)
	list := n.l.loops[n.loop]
	if len(items) == 1 && len(list) > 0 && n.l.fuse(list[len(list)-1].Loop, items[0].Loop) {
		return
	}
	n.place(items)
}

// fuse adds the phis and the body of loop b to loop a if both are sums on
// vectors and the registers suffice.
func (l *lowerer) fuse(a, b *lir.Loop) bool {
	if !l.isVectorSum(a) || !l.isVectorSum(b) || a.Step != b.Step || a.Length != b.Length {
		return false
	}
	moves := walks(b)
	if len(b.Body[0].Block.Ins) > maxSumBody*rounds(moves) {
		return false
	}
	f := newFusion(l, a)
	if !f.fits(b, moves) {
		return false
	}
	f.join(b, moves)
	f.finish()
	return true
}

// isVectorSum reports whether a loop does nothing but to add up wide values,
// with pointers that start at fixed places and indices that start at 0.
func (l *lowerer) isVectorSum(loop *lir.Loop) bool {
	if loop == nil || !loop.Inner() {
		return false
	}
	for k := range loop.Body[0].Block.Ins {
		in := &loop.Body[0].Block.Ins[k]
		if in.D == 0 || lir.Lanes(in.Op.DType()) == 1 && in.Op.Code() != lir.AddConst {
			return false
		}
	}
	for _, p := range loop.Phis {
		if p.Init != 0 && !l.f.Values[p.Val].Wide() {
			return false
		}
	}
	return true
}

// walk is how a pointer moves: where it starts, and by how many bytes an iteration takes it on.
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

// fusion is a loop that grows.
type fusion struct {
	l          *lowerer
	loop       *lir.Loop
	ins, steps []lir.Ins            // of the body: all, but the steps of pointers apart
	pointers   map[walk]lir.Val     // an index starts at NoAddr
	loads      map[lir.Ins]lir.Val  // what instructions on memory, without their result, give
	renamed    map[lir.Val]lir.Val  // values of the loop that is added
	constants  map[lir.Val]struct{} // wide values from outside
	sums       int
}

func newFusion(l *lowerer, a *lir.Loop) *fusion {
	f := &fusion{l: l, loop: a, pointers: map[walk]lir.Val{}, loads: map[lir.Ins]lir.Val{}, renamed: map[lir.Val]lir.Val{}}
	moves := walks(a)
	for _, p := range a.Phis {
		if p.Init == 0 {
			f.pointers[moves[p.Val]] = p.Val
		} else {
			f.sums++
		}
	}
	for _, in := range a.Body[0].Block.Ins {
		if in.Op.Code() == lir.AddConst {
			f.steps = append(f.steps, in)
		} else {
			f.add(in)
		}
	}
	f.constants = l.constants(a, map[lir.Val]struct{}{})
	return f
}

// constants adds the wide values in memory that a loop reads to a set.
func (l *lowerer) constants(a *lir.Loop, set map[lir.Val]struct{}) map[lir.Val]struct{} {
	for _, in := range a.Body[0].Block.Ins {
		for _, v := range in.Args() {
			if info := &l.f.Values[v]; info.Wide() && info.Home != lir.NoAddr {
				set[v] = struct{}{}
			}
		}
	}
	return set
}

// fits reports whether sums, constants and pointers find registers when b is added.
func (f *fusion) fits(b *lir.Loop, moves map[lir.Val]walk) bool {
	sums, pointers := f.sums, len(f.pointers)
	for _, p := range b.Phis {
		if p.Init != 0 {
			sums++
		} else if _, ok := f.pointers[moves[p.Val]]; !ok {
			pointers++
		}
	}
	constants := len(f.l.constants(b, f.constants))
	regs := &f.l.m.Regs
	return sums+constants <= regs[lir.Float]-bodyFloats && pointers <= regs[lir.Int]-bodyInts
}

// join adds another loop.
func (f *fusion) join(b *lir.Loop, moves map[lir.Val]walk) {
	for k, p := range b.Phis {
		f.phi(k, p, moves[p.Val])
	}
	for _, in := range b.Body[0].Block.Ins {
		if in.Op.Code() != lir.AddConst {
			f.add(in)
		}
	}
}

// finish makes what has come together the body of the loop.
func (f *fusion) finish() { f.loop.Body[0].Block.Ins = append(f.ins, f.steps...) }

// phi takes over phi k of the other loop: a pointer that moves like one that is there already is shared.
func (f *fusion) phi(k int, p lir.Phi, moves walk) {
	if p.Init == 0 {
		if v, ok := f.pointers[moves]; ok {
			f.renamed[p.Val] = v
			return
		}
		f.pointers[moves] = p.Val
		if k == 0 { // the counter of b becomes a pointer
			p.Next = f.l.newVal(lir.Int, local)
		}
		f.steps = append(f.steps, lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: p.Val, D: p.Next, Imm: moves.step})
	}
	f.loop.Phis = append(f.loop.Phis, p)
}

// add appends an instruction of the body, unless it reads what is loaded already.
func (f *fusion) add(in lir.Ins) {
	for _, v := range [3]*lir.Val{&in.A, &in.B, &in.C} {
		if to, ok := f.renamed[*v]; ok {
			*v = to
		}
	}
	if in.Op.Loads() {
		key := in
		key.D = 0
		if v, ok := f.loads[key]; ok {
			f.renamed[in.D] = v
			return
		}
		f.loads[key] = in.D
	}
	f.ins = append(f.ins, in)
}
