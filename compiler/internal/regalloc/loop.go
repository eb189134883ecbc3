package regalloc

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// largeBody is the number of instructions from which a body needs half of the
// registers for values of its own: only the rest may hold words all the time.
const largeBody = 24

// pin is a register reserved for a value throughout a loop; noReg where there
// was none left and the value stays in memory.
type pin struct {
	v lir.Val
	r uint8
}

// outer allocates for a loop that carries everything in memory. The counter is
// in register 0 where the loop begins and ends.
func (a *allocator) outer(l *lir.Loop) {
	const r = 0
	a.emit(Inst{Op: addressOp, D: r, Imm: uint32(lir.NoAddr)})
	head := len(a.code.Insts)
	a.emit(Inst{Op: storeInt, A: r, Imm: uint32(l.Counter)})
	a.items(l.Body)
	a.emit(Inst{Op: loadInt, D: r, Imm: uint32(l.Counter)})
	a.end(l, r, head, lir.NoAddr)
}

func (a *allocator) end(l *lir.Loop, r uint8, head int, from lir.Addr) {
	a.emit(Inst{Op: loopEndOp, D: r, Imm: uint32(len(a.code.Ends))})
	a.code.Ends = append(a.code.Ends, End{Head: head, Step: l.Step, Length: l.Length, From: from, Iterations: uint64(l.Iterations())})
}

// inner allocates for a loop whose body is one block.
func (a *allocator) inner(l *lir.Loop) {
	block := l.Body[0].Block
	a.openPool()
	phis, words := a.pins(l, block)
	a.enter(l, phis, words)

	head := len(a.code.Insts)
	atEnd := make([]lir.Val, 0, len(phis)+len(words))
	atEnd = append(atEnd, l.Phis[0].Val)
	for _, p := range l.Phis[1:] {
		atEnd = append(atEnd, p.Next)
	}
	for _, w := range words {
		atEnd = append(atEnd, w.v)
	}
	a.scan(block.Ins, atEnd)
	a.into = a.into[:0]
	for i, p := range phis {
		if p.r == noReg {
			continue
		}
		a.hold(&a.files[a.class(p.v)], p.r, p.v)
		if i > 0 {
			a.into = append(a.into, into{next: l.Phis[i].Next, r: p.r})
		}
	}
	for _, w := range words {
		a.hold(&a.files[a.class(w.v)], w.r, w.v)
	}
	a.block()
	a.at = int32(len(block.Ins))
	a.handOver(l, phis)
	a.into = a.into[:0]
	a.end(l, phis[0].r, head, l.Phis[0].From)
	end := &a.code.Ends[len(a.code.Ends)-1]
	end.Phis, end.Words = a.places(phis), a.places(words)
	for _, v := range atEnd {
		a.next[v] = never
	}
	a.clear()
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
		list[i] = Place{Val: p.v, Reg: p.r, Home: lir.NoAddr}
		if p.r == noReg {
			list[i].Home = a.home[p.v]
		}
	}
	return list
}

// pins chooses registers for the phis of a loop, in order, and then for the
// words that its body reads most.
func (a *allocator) pins(l *lir.Loop, block *lir.Block) (phis, words []pin) {
	var room [lir.NumClasses]uint32
	calls := false
	for i := range block.Ins {
		calls = calls || a.m.Ops[block.Ins[i].Op].Kernel
	}
	for c := range lir.NumClasses {
		room[c] = a.files[c].all &^ (1<<a.m.BodyRegs(c) - 1)
		if calls {
			room[c] &= a.m.Preserved[c]
		}
	}
	reserve := func(v lir.Val) pin {
		c := a.class(v)
		if room[c] == 0 {
			return pin{v, noReg}
		}
		left := room[c]
		if cheap := left &^ a.files[c].unsaved; cheap != 0 {
			left = cheap
		}
		r := uint8(31 - bits.LeadingZeros32(left))
		room[c] &^= 1 << r
		a.files[c].pool &^= 1 << r
		a.files[c].free &^= 1 << r
		return pin{v, r}
	}
	for _, p := range l.Phis {
		phis = append(phis, reserve(p.Val))
	}
	if len(block.Ins) > largeBody {
		for c := range room {
			room[c] &^= 1<<(a.m.Regs[c]/2) - 1
		}
	}
	for _, v := range a.wordsByUse(l, block) {
		if w := reserve(v); w.r != noReg {
			words = append(words, w)
		}
	}
	return phis, words
}

// wordsByUse lists the values that the body reads and does not define, most
// used first.
func (a *allocator) wordsByUse(l *lir.Loop, block *lir.Block) []lir.Val {
	count := map[lir.Val]int{}
	for i := range block.Ins {
		for _, v := range block.Ins[i].Args() {
			count[v]++
		}
	}
	delete(count, 0)
	for i := range block.Ins {
		delete(count, block.Ins[i].D)
		delete(count, block.Ins[i].E)
	}
	for _, p := range l.Phis {
		delete(count, p.Val)
	}
	read := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(read, func(x, y lir.Val) int { return cmp.Compare(count[y], count[x]) })
	return read
}

// enter loads what the loop carries and keeps in registers.
func (a *allocator) enter(l *lir.Loop, phis, words []pin) {
	for i, p := range l.Phis {
		r := phis[i].r
		if r == noReg {
			slot := a.slot(p.Val)
			a.start(&p, 0)
			a.emit(Inst{Op: a.store(p.Val), A: 0, Imm: uint32(slot)})
			a.home[p.Val] = slot
			continue
		}
		a.start(&p, r)
		a.home[p.Val] = lir.NoAddr
	}
	for _, w := range words {
		a.emit(Inst{Op: a.loadOp(w.v), D: w.r, Imm: uint32(a.home[w.v])})
	}
}

// start puts the first value of a phi into register r.
func (a *allocator) start(p *lir.Phi, r uint8) {
	if p.Init == 0 {
		a.emit(Inst{Op: addressOp, D: r, Imm: uint32(p.From)})
		return
	}
	a.emit(Inst{Op: a.loadOp(p.Init), D: r, Imm: uint32(a.home[p.Init])})
}

// leave stores what is needed behind the loop. All registers are free.
func (a *allocator) leave(l *lir.Loop, phis []pin) {
	for i, p := range l.Phis {
		r := phis[i].r
		if p.Out != 0 {
			if r == noReg {
				r = 0
				a.emit(Inst{Op: a.loadOp(p.Val), D: r, Imm: uint32(a.home[p.Val])})
			}
			a.f.Outs(&p, func(v lir.Val) { a.home[v] = a.f.Values[v].Home })
			a.emit(Inst{Op: a.store(p.Val), A: r, Imm: uint32(a.home[p.Out])})
		}
		if phis[i].r == noReg {
			free := a.slots.of(a.f, p.Val)
			*free = append(*free, a.home[p.Val])
			a.home[p.Val] = lir.NoAddr
		}
	}
}

// wanted is the register that v should be computed into because a phi takes it
// there, if that register is vacant.
func (a *allocator) wanted(v lir.Val) (uint8, bool) {
	for _, w := range a.into {
		if w.next == v {
			return w.r, a.files[a.class(v)].values[w.r] == 0
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
	return a.files[a.class(v)].pool>>r&1 != 0
}
