package regalloc

import (
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// An index that a block uses for nothing but to reach memory is held in registers as a
// pointer, the base of the data block included, where the architecture would add the two
// for each access. In memory it stays an offset.

// findPointers finds the values in memory that a block uses so, twice at least.
func (a *allocator) findPointers(ins []lir.Ins) {
	if !a.m.Pointers {
		return
	}
	a.indices(ins, false, func(v lir.Val, uses int) {
		if uses > 1 && a.f.Values[v].Home != lir.NoAddr && a.vals[v].home != lir.NoAddr {
			a.pointTo(v)
		}
	})
}

// findLoopPointers does the same for a loop: phis that have registers and just grow are
// pointers, too.
func (a *allocator) findLoopPointers(l *lir.Loop, body []lir.Ins, phis []pin, steps []step) {
	if !a.m.Pointers {
		return
	}
	a.indices(body, false, func(v lir.Val, _ int) {
		k := slices.IndexFunc(l.Phis, func(p lir.Phi) bool { return p.Val == v })
		word := k < 0 && a.f.Values[v].Home != lir.NoAddr && a.vals[v].home != lir.NoAddr
		if word || k > 0 && phis[k].r != noReg && steps[k].by != nil {
			a.pointTo(v)
		}
	})
}

// findMadePointers does the same for values that a block computes, which may be the body of a loop
// with the given phis: twice at least, or by an instruction that can give a pointer.
// They have no offset in memory, where a pointer may have no room: so only where the
// integers of the block never have to leave their registers.
func (a *allocator) findMadePointers(body []lir.Ins, carried []lir.Phi, phis, words []pin) {
	if !a.m.Pointers {
		return
	}
	gives := map[lir.Val]bool{}
	for i := range body {
		if _, ok := a.m.AsPointer(body[i].Op, body[i].Imm); ok {
			gives[body[i].D] = true
		}
	}
	if len(gives) == 0 && len(carried) == 0 {
		return
	}
	atEnd, held := map[lir.Val]bool{}, map[lir.Val]bool{}
	for k, p := range carried {
		atEnd[p.Next], held[p.Val] = true, phis[k].r != noReg
	}
	for _, w := range words {
		held[w.v] = true
	}
	var made []lir.Val
	a.indices(body, true, func(v lir.Val, uses int) {
		if (uses > 1 || gives[v]) && !atEnd[v] && !held[v] && a.f.Values[v].Home == lir.NoAddr {
			made = append(made, v)
		}
	})
	if len(made) == 0 || !a.integersStay(carried, body, held) {
		return
	}
	for _, v := range made {
		a.made[v] = true
	}
}

// integersStay reports whether there are registers for all integers that a body computes and for
// operands from memory.
func (a *allocator) integersStay(carried []lir.Phi, body []lir.Ins, held map[lir.Val]bool) bool {
	spare := 0
	for i := range body {
		switch info := &a.m.Ops[body[i].Op]; {
		case info.Kernel:
			return false
		case info.Tied: // its result may take one more
			spare = 1
		}
	}
	c := a.m.Bank(lir.Int)
	return a.bodyTakes(carried, body, c, held)+spare <= bits.OnesCount32(a.files[c].pool)
}

// pointMade makes a pointer of a value that was just computed in register r, unless it is one.
func (a *allocator) pointMade(v lir.Val, r uint8, is bool) {
	if len(a.made) > 0 && a.made[v] && a.vals[v].reg == r {
		delete(a.made, v)
		a.pointTo(v)
		if !is {
			a.point(v, r)
		}
	}
}

func (a *allocator) pointTo(v lir.Val) {
	a.vals[v].pointer = true
	a.pointed = append(a.pointed, v)
}

// noPointers ends what findPointers began.
func (a *allocator) noPointers() {
	for _, v := range a.pointed {
		a.vals[v].pointer = false
	}
	a.pointed = a.pointed[:0]
	clear(a.made)
}

// indices calls do for the values that instructions use as indices only, with how often: those
// that one of them defines, or those that none does.
func (a *allocator) indices(ins []lir.Ins, defined bool, do func(v lir.Val, uses int)) {
	uses := map[lir.Val]int{}
	var order []lir.Val
	for i := range ins {
		if v := a.index(&ins[i]); v != 0 {
			if uses[v] == 0 {
				order = append(order, v)
			}
			uses[v]++
		}
	}
	if len(order) == 0 {
		return // as in most blocks
	}
	other, made := map[lir.Val]bool{}, map[lir.Val]bool{}
	for i := range ins {
		in := &ins[i]
		index, last := a.index(in), in.Op.Operands()-1
		for k, v := range in.Args() {
			if uses[v] > 0 && (index == 0 || k != last) {
				other[v] = true
			}
		}
		for _, v := range [2]lir.Val{in.D, in.E} {
			if uses[v] > 0 {
				made[v] = true
			}
		}
	}
	for _, v := range order {
		if !other[v] && made[v] == defined {
			do(v, uses[v])
		}
	}
}

// index is the operand by which an instruction reaches memory, if it could do so by a pointer instead; 0 for none.
func (a *allocator) index(in *lir.Ins) lir.Val {
	by, ok := in.Op.ByPointer()
	if !ok || !a.m.Ops[by].Valid || !a.near(in) {
		return 0
	}
	v := in.Args()[in.Op.Operands()-1]
	if a.f.Values[v].Class != lir.Int {
		return 0
	}
	return v
}

// nearTables is the least reach of pointers with which they are likely to reach a table whose place
// is known when all are.
const nearTables = 256

// near reports whether an instruction that reaches memory by an index does so at no more cost by
// a pointer.
func (a *allocator) near(in *lir.Ins) bool {
	if !in.Op.TakesAddr() {
		return true
	}
	at := lir.Addr(in.Imm)
	from, _ := a.f.Data.Bounds(at.Region())
	return a.m.Reach >= nearTables && at.Offset()-from <= a.m.Reach/2
}

// point makes a pointer of what was loaded into register r, if it is one in this block.
func (a *allocator) point(v lir.Val, r uint8) {
	if a.vals[v].pointer {
		a.emit(Inst{Op: pointerOp, D: r, A: r})
	}
}

// step is what a phi grows by at the end of an iteration; by is nil for a phi that does not.
type step struct{ by *lir.Ins }

// steps finds the phis of a loop that just grow, and gives the body without that.
func (a *allocator) steps(l *lir.Loop) (list []step, body []lir.Ins) {
	list = make([]step, len(l.Phis))
	body = l.Body[0].Block.Ins
	if !a.m.Pointers {
		return list, body
	}
	waits := map[lir.Val]bool{}
	for k, p := range l.Phis {
		if a.f.Values[p.Val].Class != lir.Int {
			continue
		}
		if by := l.SteppedBy(k); by != nil {
			list[k].by = by
			waits[by.D] = true
		}
	}
	if len(waits) == 0 {
		return list, body
	}
	rest := make([]lir.Ins, 0, len(body))
	for i := range body {
		if !waits[body[i].D] || body[i].D == 0 {
			rest = append(rest, body[i])
		}
	}
	return list, rest
}

// takeSteps moves on the phis that grow, at the end of an iteration.
func (a *allocator) takeSteps(l *lir.Loop, phis []pin, steps []step) {
	for k, s := range steps {
		if s.by == nil || s.by.Imm == 0 && phis[k].r != noReg {
			continue
		}
		p, r := &l.Phis[k], phis[k].r
		switch {
		case r == noReg:
			r = a.take(a.class(p.Val), 0, 0, p.Val)
			a.emit(Inst{Op: loadInt, D: r, Imm: uint32(a.vals[p.Val].home)})
			a.emit(Inst{Op: addOp, D: r, A: r, Imm: s.by.Imm})
			a.emit(Inst{Op: storeInt, A: r, Imm: uint32(a.vals[p.Val].home)})
		case a.vals[p.Val].pointer:
			in := Inst{Op: stepOp, D: r, A: r, Imm: s.by.Imm}
			if by := -int32(s.by.Imm); by > 0 && a.m.Ops[backOp].Valid && by <= a.m.Ops[backOp].MaxImm {
				in.Op, in.Imm = backOp, uint32(by)
			}
			a.emit(in)
		default:
			a.emit(Inst{Op: addOp, D: r, A: r, Imm: s.by.Imm})
		}
	}
}
