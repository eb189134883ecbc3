package regalloc

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// largeBody is the number of instructions from which a body needs half of the
// registers for values of its own where operands can come from memory: only the rest may
// hold words all the time. Elsewhere as many as there are at once are left to it.
const largeBody = 24

// leastUntil is the number of iterations from which a loop ends by a pointer: where that becomes something far away takes three
// instructions.
const leastUntil = 4

// pin is a register reserved for a value throughout a loop; noReg where there
// was none left and the value stays in memory.
type pin struct {
	v lir.Val
	r uint8
}

// outer allocates for a loop that carries everything in memory. The counter is
// in register 0 where the loop begins and ends. It counts down where that is shorter and nothing reads it.
func (a *allocator) outer(l *lir.Loop) {
	const r = 0
	counts := a.m.Ops[countEndOp].Valid && !a.isRead(l.Counter)
	if counts {
		a.emit(Inst{Op: setOp, D: r, Imm: uint32(l.Iterations())})
	} else {
		a.emit(Inst{Op: addressOp, D: r, Imm: uint32(lir.NoAddr)})
	}
	head := len(a.code.Insts)
	a.forgetHeld()
	a.emit(Inst{Op: storeInt, A: r, Imm: uint32(l.Counter)})
	a.items(l.Body)
	a.emit(Inst{Op: loadInt, D: r, Imm: uint32(l.Counter)})
	a.end(l, Inst{Op: loopEnd(counts), D: r}, head)
}

// loopEnd is the end of a loop that counts down or not.
func loopEnd(counts bool) lir.Op {
	if counts {
		return countEndOp
	}
	return loopEndOp
}

// isRead reports whether a word is the home of a value from the start.
func (a *allocator) isRead(at lir.Addr) bool {
	if a.homes == nil {
		a.homes = map[lir.Addr]bool{}
		for v := range a.f.Values {
			a.homes[a.f.Values[v].Home] = true
		}
	}
	return a.homes[at]
}

// end emits the end of a loop.
func (a *allocator) end(l *lir.Loop, i Inst, head int) *End {
	i.Imm = uint32(len(a.code.Ends))
	a.emit(i)
	a.code.Ends = append(a.code.Ends, End{Head: head, Counts: i.Op != loopEndOp, Step: l.Step, Length: l.Length, From: lir.NoAddr, Iterations: uint64(l.Iterations())})
	return &a.code.Ends[i.Imm]
}

// inner allocates for a loop whose body is one block.
func (a *allocator) inner(l *lir.Loop) {
	block := l.Body[0].Block
	steps, body := a.steps(l)
	a.openPool(body)
	counts := a.countsDown(l, body)
	phis, words := a.pins(l, body, steps, counts)
	a.findMadePointers(body, l.Phis, phis, words)
	a.useUnsaved(l)
	end := Inst{Op: loopEnd(counts), D: phis[0].r}
	by := 0
	if counts {
		if by = a.until(l, phis, steps); by > 0 {
			end.Op, end.A = untilEndOp, phis[by].r
		}
	}
	a.enter(l, phis, words, &end, steps[by])

	head := len(a.code.Insts)
	atEnd := make([]lir.Val, 0, len(phis)+len(words))
	atEnd = append(atEnd, l.Phis[0].Val)
	for k, p := range l.Phis[1:] {
		if steps[1+k].by == nil {
			atEnd = append(atEnd, p.Next)
		}
	}
	for _, w := range words {
		atEnd = append(atEnd, w.v)
	}
	a.scan(body, atEnd)
	a.loads = slices.ContainsFunc(body, func(in lir.Ins) bool { return in.Op.Loads() })
	a.into = a.into[:0]
	for i, p := range phis {
		if p.r == noReg {
			continue
		}
		a.hold(&a.files[a.class(p.v)], p.r, p.v)
		if i > 0 && steps[i].by == nil {
			next := l.Phis[i].Next
			at := slices.IndexFunc(body, func(in lir.Ins) bool { return in.D == next || in.E == next })
			a.into = append(a.into, into{next: next, r: p.r, at: int32(at)})
		}
	}
	for _, w := range words {
		a.hold(&a.files[a.class(w.v)], w.r, w.v)
	}
	a.block()
	a.at = int32(len(body))
	a.handOver(l, phis, steps)
	a.into = a.into[:0]
	a.takeSteps(l, phis, steps)
	e := a.end(l, end, head)
	e.From, e.By, e.Phis, e.Words = l.Phis[0].From, by, a.places(phis), a.places(words)
	for _, v := range atEnd {
		a.vals[v].next = never
	}
	a.clear()
	a.noPointers()
	a.forgetHeld()
	a.leave(l, phis)
	if isWidest(block) {
		a.emit(Inst{Op: narrowOp})
	}
}

// isWidest reports whether a block works on values of eight lanes, behind which
// registers are to be narrowed.
func isWidest(b *lir.Block) bool {
	return slices.ContainsFunc(b.Ins, func(i lir.Ins) bool { return lir.Lanes(i.Op.DType()) == lir.MaxLanes })
}

// places says where pinned values are.
func (a *allocator) places(pins []pin) []Place {
	list := make([]Place, len(pins))
	for i, p := range pins {
		list[i] = Place{Val: p.v, Reg: p.r, Home: lir.NoAddr, Pointer: a.vals[p.v].pointer}
		if p.r == noReg {
			list[i].Home, list[i].Pointer = a.vals[p.v].home, false
		}
	}
	return list
}

// countsDown reports whether nothing but the end of a loop needs its counter, and the
// architecture counts down faster.
func (a *allocator) countsDown(l *lir.Loop, body []lir.Ins) bool {
	v := l.Phis[0].Val
	if !a.m.Ops[countEndOp].Valid || l.Phis[0].Out != 0 || l.Phis[0].Init != 0 {
		return false
	}
	for i := range body {
		if slices.Contains(sliceOf(body[i].Args()), v) {
			return false
		}
	}
	return !slices.ContainsFunc(l.Phis, func(p lir.Phi) bool { return p.Next == v })
}

// until is the index of a phi that is a pointer which moves on, by which the loop can end where that takes fewer instructions than
// counting; 0 for none.
func (a *allocator) until(l *lir.Loop, phis []pin, steps []step) int {
	if !a.m.Ops[untilEndOp].Valid || l.Iterations() < leastUntil {
		return 0
	}
	for k, p := range phis {
		if s := steps[k].by; p.r != noReg && a.vals[p.v].pointer && s != nil && s.Imm != 0 {
			return k
		}
	}
	return 0
}

func sliceOf(a [3]lir.Val) []lir.Val { return a[:] }

// enter loads what the loop carries and keeps in registers; by is the step of the pointer that it ends by, if it does.
func (a *allocator) enter(l *lir.Loop, phis, words []pin, end *Inst, by step) {
	for i, p := range l.Phis {
		r := phis[i].r
		if i == 0 && end.Op != loopEndOp {
			if end.Op == countEndOp {
				a.emit(Inst{Op: setOp, D: r, Imm: uint32(l.Iterations())})
			}
			a.vals[p.Val].home = lir.NoAddr
			continue
		}
		if r == noReg {
			slot := a.slot(p.Val)
			a.start(&p, 0)
			a.emit(Inst{Op: a.store(p.Val), A: 0, Imm: uint32(slot)})
			a.vals[p.Val].home = slot
			continue
		}
		a.start(&p, r)
		a.vals[p.Val].home = lir.NoAddr
	}
	if end.Op == untilEndOp {
		a.emit(Inst{Op: stepOp, D: end.D, A: end.A, Imm: by.by.Imm * uint32(l.Iterations())})
	}
	for _, w := range words {
		a.bring(w.v, w.r)
		a.point(w.v, w.r)
	}
}

// start puts the first value of a phi into register r.
func (a *allocator) start(p *lir.Phi, r uint8) {
	switch {
	case p.Init != 0:
		a.bring(p.Init, r)
		a.point(p.Val, r)
	case a.vals[p.Val].pointer:
		a.emit(Inst{Op: placeOp, D: r, Imm: uint32(p.From)})
	default:
		a.emit(Inst{Op: addressOp, D: r, Imm: uint32(p.From)})
	}
}

// leave stores what is needed behind the loop. All registers are free.
func (a *allocator) leave(l *lir.Loop, phis []pin) {
	for i, p := range l.Phis {
		r := phis[i].r
		if p.Out != 0 {
			if r == noReg {
				r = 0
				a.emit(Inst{Op: a.loadOp(p.Val), D: r, Imm: uint32(a.vals[p.Val].home)})
			}
			a.f.Outs(&p, func(v lir.Val) { a.vals[v].home = a.f.Values[v].Home })
			a.emit(Inst{Op: a.store(p.Val), A: r, Imm: uint32(a.vals[p.Out].home)})
			a.stored[a.vals[p.Out].home] = p.Out
		}
		if phis[i].r == noReg {
			free := a.slots.of(a.f, p.Val)
			*free = append(*free, a.vals[p.Val].home)
			a.vals[p.Val].home = lir.NoAddr
		}
	}
}

// wanted is the register that v should be computed into because a phi takes it
// there, if that register is vacant. An integer that is used before is computed in a register that takes
// fewer instructions, if there are such, and moved.
func (a *allocator) wanted(v lir.Val) (uint8, bool) {
	for _, w := range a.into {
		if w.next == v {
			if a.m.LowInts != 0 && a.m.LowInts>>w.r&1 == 0 && a.f.Values[v].Class == lir.Int && int(a.vals[v].next) < len(a.ins) {
				return 0, false
			}
			return w.r, a.files[a.class(v)].values[w.r] == 0
		}
	}
	return 0, false
}

// wantedOf is such a register for what is chosen in the place of v, at its only use: where a choice is a move less.
func (a *allocator) wantedOf(v lir.Val) (uint8, bool) {
	n := int(a.vals[v].next)
	if len(a.into) == 0 || n >= len(a.ins) || len(a.calls) > 0 && int(a.calls[0]) <= n {
		return 0, false
	}
	in := &a.ins[n]
	if code := in.Op.Code(); code != graph.OpSelect && code != lir.IfFlag && !in.Op.Picks() {
		return 0, false
	}
	info := &a.m.Ops[in.Op]
	for k, x := range in.Args() {
		if x == v && a.uses[n][k] == never && info.InPlace>>k&1 != 0 && a.class(v) == a.class(in.D) {
			return a.wanted(in.D)
		}
	}
	return 0, false
}

// mayTake reports whether the result v may be computed in register r, which has
// just lost its value.
func (a *allocator) mayTake(v lir.Val, r uint8) bool {
	if w, ok := a.wanted(v); ok {
		return w == r
	}
	c := a.class(v)
	return a.files[c].pool>>r&1 != 0 || slices.ContainsFunc(a.into, func(w into) bool {
		return w.r == r && a.mayBorrow(v, c, w) && (a.isShort(c, r) || a.ins[a.at].Op.Picks()) // a choice is a move
	})
}
