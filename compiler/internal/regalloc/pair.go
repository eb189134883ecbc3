package regalloc

import (
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// near is how many instructions apart two loads or stores are at most that become one: farther away, few
// registers are still what they were.
const near = 32

// joined marks an instruction that is part of another one now.
const joined = lir.Op(0xffff)

// join makes one instruction of two loads or stores of neighbouring words, where the architecture has
// such a one for their registers: from an index on, in the code of one block. The second load moves up to
// the first one, the first store down to the second.
func (a *allocator) join(from int) {
	if !a.m.Ops[load2Int].Valid {
		return
	}
	insts := a.code.Insts[from:]
	found := false
	for i := range insts {
		two, ok := a.pairs(&insts[i])
		if !ok {
			continue
		}
		size := uint32(4 * words(&insts[i]))
		for j := i + 1; j < min(len(insts), i+1+near); j++ {
			if d := insts[j].Imm - insts[i].Imm; d != size && d != -size {
				continue
			}
			both, ok := a.both(two, &insts[i], &insts[j])
			if !ok {
				continue
			}
			goes, stays, between := j, i, insts[i+1:j]
			if writes, _ := two.Writes(); writes {
				goes, stays = i, j
			}
			if a.passes(&insts[goes], between) {
				insts[stays], insts[goes].Op, found = both, joined, true
				break
			}
		}
	}
	if !found {
		return
	}
	kept := insts[:0]
	for _, i := range insts {
		if i.Op != joined {
			kept = append(kept, i)
		}
	}
	a.code.Insts = a.code.Insts[:from+len(kept)]
}

// pairs is the op that does what two such instructions do.
func (a *allocator) pairs(i *Inst) (lir.Op, bool) {
	if i.Op == joined {
		return 0, false
	}
	return a.m.Pairs(i.Op)
}

// both is the instruction of op two that does what x and y do, if there is one.
func (a *allocator) both(two lir.Op, x, y *Inst) (Inst, bool) {
	if op, ok := a.pairs(y); !ok || op != two {
		return Inst{}, false
	}
	if x.Imm > y.Imm {
		x, y = y, x
	}
	if y.Imm != x.Imm+uint32(4*words(x)) || !a.m.Paired(two, moved(x), moved(y)) {
		return Inst{}, false
	}
	p, byPointer := pointerOf(x)
	if !byPointer {
		return Inst{Op: two, A: moved(x), B: moved(y), Imm: x.Imm}, true
	}
	q, _ := pointerOf(y)
	changes := a.m.Bank(lir.ClassOf(two.DType())) == a.m.Bank(lir.Int) && (moved(x) == p || moved(y) == p)
	return Inst{Op: two, A: p, B: moved(x), C: moved(y), Imm: x.Imm}, p == q && !changes
}

// moved is the register of the value that a load or store moves.
func moved(i *Inst) uint8 {
	if i.Op.Loads() {
		return i.D
	}
	return i.A
}

// pointerOf is the register of the pointer by which a load or store, of one value or two, reaches memory, if it has one.
func pointerOf(i *Inst) (r uint8, ok bool) {
	switch i.Op.Code() {
	case lir.StoreBy, lir.StoreInBy:
		return i.B, true
	case lir.LoadBy, lir.LoadInBy, lir.LoadBy2, lir.LoadInBy2, lir.StoreBy2, lir.StoreInBy2:
		return i.A, true
	}
	return 0, false
}

// Halves are the two instructions that do what one on two values does.
func (i *Inst) Halves() (halves [2]Inst) {
	regs := [2]uint8{i.A, i.B}
	p, byPointer := pointerOf(i)
	if byPointer {
		regs = [2]uint8{i.B, i.C}
	}
	for k, r := range regs {
		h := &halves[k]
		h.Op, h.Imm = i.Op.Half(), i.Imm+uint32(4*k*lir.WordsOf(i.Op.DType()))
		if i.Op.Loads() {
			h.D, h.A = r, p
		} else {
			h.A, h.B = r, p
		}
	}
	return halves
}

// passes reports whether a load or store may change places with all of some instructions.
func (a *allocator) passes(moved *Inst, others []Inst) bool {
	t := a.touches(moved)
	for k := range others {
		if others[k].Op != joined && !a.apart(&others[k], moved, &t) {
			return false
		}
	}
	return true
}

// apart reports whether an instruction and a load or store beside it, which touches some registers, may change places.
func (a *allocator) apart(i, access *Inst, by *touched) bool {
	if form := a.form(i.Op); form.stays || (form.accesses || i.Mem) && mayOverlap(i, access) {
		return false
	}
	t := a.touches(i)
	stores, _ := access.Op.Writes()
	for c := range t {
		if t[c].changed&by[c].used != 0 || !stores && by[c].changed&(t[c].used|t[c].changed) != 0 {
			return false
		}
	}
	return true
}

// touched are the registers that an instruction uses and changes, by class and bit.
type touched [lir.NumClasses]struct{ used, changed uint32 }

// touches are the registers of an instruction. One without a result counts as if register 0 were that.
func (a *allocator) touches(i *Inst) (t touched) {
	form := a.form(i.Op)
	regs := [3]uint8{i.A, i.B, i.C}
	for k, c := range form.uses[:form.operands] {
		t[c].used |= 1 << regs[k]
	}
	if form.loadsTwo {
		t[form.gives].changed = 1<<regs[form.operands] | 1<<regs[form.operands+1]
	} else {
		t[form.gives].changed = form.results << i.D
	}
	if a.m.Ops[i.Op].Serves {
		for c := range t {
			t[c].changed |= a.m.Lost(i.Op, lir.Class(c))
		}
	}
	return t
}

// form is what the instructions of an op have in common, for touches and apart.
type form struct {
	known    bool
	stays    bool // no load or store passes it
	accesses bool // memory, beside what Inst.Mem says
	loadsTwo bool // the results are in the registers behind those of the operands
	operands uint8
	uses     [3]lir.Class // whose registers the operands are
	gives    lir.Class    // the same of the results
	results  uint32       // registers from D on, by bit
}

// form looks the form of an op up, which is found once.
func (a *allocator) form(op lir.Op) *form {
	if a.forms == nil {
		a.forms = make([]form, lir.NumOps)
	}
	f := &a.forms[op]
	if f.known {
		return f
	}
	writes, _ := op.Writes()
	reads, _ := op.Reads()
	*f = form{
		known: true, accesses: writes || reads,
		stays:    a.m.Ops[op].Kernel || op.Code() == lir.Narrow || op.EndsLoop(),
		loadsTwo: op.MovesTwo() && op.Loads(),
		operands: a.m.Ops[op].Operands,
		gives:    a.m.Bank(lir.ResultClass(op)), results: 1<<op.InARow() - 1,
	}
	if op.MovesTwo() {
		f.operands = uint8(op.Operands())
	}
	classes := lir.OperandClasses(op)
	for k, c := range classes {
		f.uses[k] = a.m.Bank(c)
	}
	if f.loadsTwo {
		f.operands -= 2
		f.gives = f.uses[f.operands]
	}
	return f
}

// mayOverlap reports whether an instruction, and a load or store that is to pass it, may access the same word, and one of
// them writes it.
func mayOverlap(i, access *Inst) bool {
	writes, anywhere := i.Op.Writes()
	reads, unknown := i.Op.Reads()
	stores, byPointer := access.Op.Writes()
	if !stores {
		_, byPointer = access.Op.Reads()
	}
	switch {
	case !writes && !(stores && (reads || i.Mem)):
		return false
	case !anywhere && !unknown && !byPointer:
		return overlap(i, access)
	}
	p, ok := pointerOf(i)
	q, also := pointerOf(access)
	return !ok || !also || p != q || !disjoint(i, access)
}

// disjoint reports whether accesses by one pointer surely share no word: places of different regions may.
func disjoint(a, b *Inst) bool {
	same := a.Op.TakesAddr() == b.Op.TakesAddr() && (!a.Op.TakesAddr() || lir.Addr(a.Imm).Region() == lir.Addr(b.Imm).Region())
	return same && !overlap(a, b)
}

// overlap reports whether two accesses to the data block, or behind one pointer, share a word.
func overlap(a, b *Inst) bool {
	return a.Imm < b.Imm+4*uint32(words(b)) && b.Imm < a.Imm+4*uint32(words(a))
}

// words is how many words a load or store moves.
func words(i *Inst) int {
	n := lir.WordsOf(i.Op.DType()) * i.Op.InARow()
	if i.Op.MovesTwo() {
		n *= 2
	}
	return n
}
