package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Several sums of floats in eight lanes end side by side: vectors take the terms that the loops leave
// over, and their lanes are folded together, as those of rows in dots.go.

const (
	// leastFolded is how many sums of one length there must be, except where what folds them is straight code: a loop of one
	// iteration takes as much as the lanes of one sum one by one.
	leastFolded = 2
	// mostFolded bounds the vectors that are in use at once.
	mostFolded = 16
)

// fold is some sums of one length that end so.
type fold struct {
	first, count, width int        // of the terms left over and all, and in a vector
	results             []lir.Addr // of as many as a vector has lanes
	sums                []folded
}

// folded is a sum and where its lanes lie behind its loop.
type folded struct {
	r     *reducer
	lanes lir.Addr
}

// folds reports whether the lanes of the sum are to be folded in vectors.
func (r *reducer) folds(x *expr, width int) bool {
	if r.to >= 0 || r.t != graph.F32 || width == 1 || x.calls || !r.l.m.Ops[lir.Of(lir.Fold1, lir.Vector(width))].Valid ||
		slices.ContainsFunc(x.steps, func(s step) bool { return s.op == graph.OpTake }) {
		return false
	}
	for s := range r.streams {
		if step := r.step(s); r.streams[s].ptr != 0 || step != 0 && step != graph.WordSize {
			return false
		}
	}
	return r.alike >= leastFolded || r.l.m.Pointers
}

// sumsLike is how many sums of floats in loops are like one: of as many terms, behind as many other reductions.
func (l *lowerer) sumsLike(id graph.ID) int {
	if l.sumsAlike == nil {
		l.sumsAlike, l.reductions = map[[2]int]int{}, make([]int, l.g.NumNodes())
		for id := range graph.ID(l.g.NumNodes()) {
			if l.uses[id] == 0 {
				continue
			}
			for _, a := range l.g.Args(id) {
				depth := l.reductions[a]
				if l.g.Node(a).Op.Info().Sig == graph.SigReduce && !l.plan.unrolled[a] {
					depth++
				}
				l.reductions[id] = max(l.reductions[id], depth)
			}
			n := l.g.Node(id)
			if (n.Op == graph.OpSum || n.Op == graph.OpDot) && n.DType == graph.F32 && n.Shape == graph.Scalar && !l.plan.unrolled[id] {
				l.sumsAlike[[2]int{l.terms(id), l.reductions[id]}]++
			}
		}
	}
	return l.sumsAlike[[2]int{l.terms(id), l.reductions[id]}]
}

// fold is the result of a sum whose loop leaves its lanes at a place, and the terms from first on.
func (r *reducer) fold(width, first int, at lir.Addr) lir.Val {
	l := r.l
	if l.folds == nil {
		l.folds = map[int32][]*fold{}
	}
	list := l.folds[r.loop]
	k := slices.IndexFunc(list, func(f *fold) bool {
		return len(f.sums) < mostFolded && f.width == width && f.first == first && f.count == r.inner()
	})
	if k < 0 {
		k = len(list)
		list = append(list, &fold{first: first, count: r.inner(), width: width})
		l.folds[r.loop] = list
	}
	f := list[k]
	lane := len(f.sums) % width
	if lane == 0 {
		f.results = append(f.results, l.f.Data.WideSlot(width))
	}
	f.sums = append(f.sums, folded{r, at})
	if width == lir.MaxLanes { // the first step puts two sums in the halves of a vector
		lane = lane/2 + lane%2*width/2
	}
	l.grow(r.loop)
	return l.homed(lir.Float, f.results[len(f.results)-1].Plus(graph.WordSize*lane), r.loop)
}

// foldLoops are those, of one iteration each, that end sums before block k.
func (l *lowerer) foldLoops(k int32) (items []lir.Item) {
	for _, f := range l.folds[k] {
		items = append(items, lir.Item{Loop: f.loop()})
	}
	return items
}

func (f *fold) loop() *lir.Loop {
	var all *fusion
	var list []lir.Val
	for _, s := range f.sums {
		loop, sum := f.end(s)
		list = append(list, sum)
		if all == nil {
			all = newFusion(s.r.l, loop)
			continue
		}
		all.join(loop, walks(loop))
	}
	for k, at := range f.results {
		f.write(all, list[k*f.width:min((k+1)*f.width, len(list))], at)
	}
	all.carryOut()
	return all.loop
}

// write folds sums, as many as a vector has lanes at most, and writes them.
func (f *fold) write(all *fusion, list []lir.Val, to lir.Addr) {
	l, t := all.l, lir.Vector(f.width)
	ops := []graph.Op{lir.Fold4, lir.Fold2, lir.Fold1}
	if f.width < lir.MaxLanes {
		ops = ops[1:]
	}
	for _, op := range ops {
		half := list[:0]
		for k := 0; k < len(list); k += 2 {
			in := lir.Ins{Op: lir.Of(op, t), A: list[k], B: list[min(k+1, len(list)-1)], D: l.newWide(f.width)}
			all.ins, half = append(all.ins, in), append(half, in.D)
		}
		list = half
	}
	store := lir.Ins{Op: lir.Of(lir.StoreIn, t), A: list[0], B: l.zero(all.loop), Imm: uint32(to)}
	if store.B == 0 {
		store = lir.Ins{Op: lir.Of(lir.StoreAt, t), A: list[0], B: l.newVal(lir.Int, local)}
		all.ins = append(all.ins, lir.Ins{Op: lir.Of(lir.Address, graph.I32), D: store.B, Imm: uint32(to)})
	}
	all.ins = append(all.ins, store)
}

// end adds what the loop of a sum left over, in a loop of one iteration, and gives what is to be folded.
func (f *fold) end(s folded) (loop *lir.Loop, sum lir.Val) {
	r, l := s.r, s.r.l
	b := r.newBody(f.first, f.count-f.first)
	if f.first == f.count {
		loop, b.phi = newLoop(l, 1), make([]lir.Val, len(r.streams))
	} else {
		loop, _ = b.pointers(1)
		r.readBehind()
	}
	b.width = f.width
	at := func(a lir.Addr) lir.Val {
		if index := l.zero(loop); index != 0 {
			return b.wide(lir.Ins{Op: lir.Of(lir.LoadIn, lir.Vector(f.width)), A: index, Imm: uint32(a)})
		}
		from := l.newVal(lir.Int, local)
		b.emit(lir.Ins{Op: lir.Of(lir.Address, graph.I32), D: from, Imm: uint32(a)})
		return b.wideAt(from, 0)
	}
	combine := r.combine(b)
	var lane [lanes]lir.Val
	for j := 0; j < lanes; j += f.width {
		lane[j] = at(s.lanes.Plus(graph.WordSize * j))
	}
	for e := f.first; e < f.count; e += f.width {
		v := r.term(b, e)
		if left := f.count - e; left < f.width {
			v = b.masked(v, at, l.restMasks(left, f.width))
		}
		lane[e%lanes] = combine(lane[e%lanes], v)
	}
	if sum = lane[0]; f.width < lanes {
		sum = combine(lane[0], lane[f.width])
	}
	b.advance(loop)
	return loop, sum
}

// zero is the counter of a loop of one iteration where it can be an index to any place, 0 elsewhere.
func (l *lowerer) zero(loop *lir.Loop) lir.Val {
	if c := &loop.Phis[0]; l.m.FreeOffsets && c.From == lir.NoAddr {
		return c.Val
	}
	return 0
}

// masked is a vector of terms of which the last ones are none: -0, which changes no sum.
func (b *body) masked(v lir.Val, at func(lir.Addr) lir.Val, masks lir.Addr) lir.Val {
	bits := lir.VectorOf(graph.I32, b.width)
	v = b.compute(lir.Of(graph.OpAnd, bits), graph.F32, [3]lir.Val{v, at(masks)})
	return b.compute(lir.Of(graph.OpOr, bits), graph.F32, [3]lir.Val{v, at(masks.Plus(graph.WordSize * b.width))})
}

// restMasks is where the words lie that keep the first terms of a vector, and behind them those that make the others -0.
func (p *program) restMasks(terms, width int) lir.Addr {
	key := [2]int{terms, width}
	at, ok := p.rests[key]
	if !ok {
		words := make([]uint32, 2*width)
		for k := range width {
			if k < terms {
				words[k] = 1<<32 - 1
			} else {
				words[width+k] = 1 << 31
			}
		}
		at = p.f.Data.Group(lir.Float, words)
		if p.rests == nil {
			p.rests = map[[2]int]lir.Addr{}
		}
		p.rests[key] = at
	}
	return at
}
