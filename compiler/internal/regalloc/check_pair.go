package regalloc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// pair carries out a Load2 or Store2, one word after the other.
func (r *replay) pair(i *Inst, regs *[32]content) error {
	if !r.m.Ops[i.Op].Valid || int(max(i.A, i.B)) >= r.m.Regs[r.m.Bank(lir.ClassOf(i.Op.DType()))] || !r.m.Paired(i.Op, i.A, i.B) {
		return fmt.Errorf("no %s of the registers %d and %d", i.Op, i.A, i.B)
	}
	for k, reg := range [2]uint8{i.A, i.B} {
		at := lir.Addr(i.Imm).Plus(4 * k)
		if i.Op.Code() == lir.Load2 {
			regs[reg] = r.load(at, i.Op)
			continue
		}
		n := slices.IndexFunc(r.late, func(l late) bool { return l.at == r.at && lir.Addr(l.Imm) == at })
		if n < 0 {
			if err := r.spill(at, regs[reg], i.Op); err != nil {
				return err
			}
			continue
		}
		in := r.late[n]
		if !r.is(regs[reg], in.A) {
			return fmt.Errorf("%s: register %d holds %#x", r.f.Text(in.Ins), reg, regs[reg])
		}
		r.keep(in.Ins)
		r.late = slices.Delete(r.late, n, n+1)
	}
	return nil
}

// byPointer carries out loads by a pointer before their turn, one or two at once, or two stores of those that come late.
func (r *replay) byPointer(i *Inst, regs *[32]content) error {
	halves, two := []Inst{*i}, i.Op
	if i.Op.MovesTwo() {
		pair := i.Halves()
		halves = pair[:]
		if !r.m.Ops[two].Valid || !r.m.Paired(two, i.B, i.C) {
			return fmt.Errorf("no %s of the registers %d and %d", two, i.B, i.C)
		}
	} else if two, _ = r.m.Pairs(i.Op); !i.Op.Loads() {
		return fmt.Errorf("unexpected %s", i.Op)
	}
	p, _ := pointerOf(i)
	base := r.regs[r.m.Bank(lir.Int)][p]
	if !base.isPointer() {
		return fmt.Errorf("%s: register %d holds no pointer", i.Op, p)
	}
	for k := range halves {
		half := &halves[k]
		reg := moved(half)
		switch {
		case int(reg) >= r.m.Regs[r.m.Bank(lir.ClassOf(i.Op.DType()))]:
			return fmt.Errorf("register %d does not exist", reg)
		case i.Op.Loads():
			in, err := r.ahead(two, half, base.pointed())
			if err != nil {
				return err
			}
			r.early[in], regs[reg] = true, r.made(in.D)
			continue
		}
		n := slices.IndexFunc(r.late, func(l late) bool { return l.at == r.at && l.Imm == half.Imm && r.is(base.pointed(), l.B) })
		if n < 0 || !r.is(regs[reg], r.late[n].A) {
			return fmt.Errorf("%s: register %d holds %#x, which is not to be stored there", i.Op, reg, regs[reg])
		}
		r.late = slices.Delete(r.late, n, n+1)
	}
	return nil
}

// isHalf reports whether an op on two values can carry out an instruction.
func (r *replay) isHalf(two lir.Op, in *lir.Ins) bool {
	op, ok := r.pairs(in)
	return ok && op == two
}

// ahead is the load of the rest of the block that half of an instruction of op two carries out; nothing before it may write
// what it loads. Others that load the same from there may be meant as well, which is all one.
func (r *replay) ahead(two lir.Op, half *Inst, base content) (found *lir.Ins, err error) {
	for k := range r.rest {
		in := &r.rest[k]
		if r.isHalf(two, in) && in.Imm == half.Imm && r.is(base, in.A) {
			if found == nil && !r.early[in] {
				found = in
			} else if found != nil {
				r.twin[in.D] = lir.Val(r.made(found.D))
			}
		}
		writes, _ := in.Op.Writes()
		if _, stores := in.Op.ByPointer(); writes && !(stores && r.is(base, in.B) && disjoint(half, &Inst{Op: in.Op, Imm: in.Imm})) {
			if found == nil {
				err = fmt.Errorf("%s comes before %s", two, r.f.Text(in))
			}
			return found, err
		}
	}
	if found == nil {
		err = fmt.Errorf("nothing loads what %s does", two)
	}
	return found, err
}

// comesLate reports whether the code carries a store out as part of one of two values. That may stand behind code
// for instructions that follow it, if these leave the words alone: see disturbs.
func (r *replay) comesLate(in *lir.Ins) (at int, ok bool) {
	two, ok := r.pairs(in)
	if writes, _ := in.Op.Writes(); !writes || !ok {
		return 0, false
	}
	for k := r.at; k < len(r.code.Insts); k++ {
		another := func(l late) bool { return l.at == k && l.Imm == in.Imm }
		switch i := &r.code.Insts[k]; {
		case i.Op.EndsLoop(), r.standsFor(i.Op, in.Op) && i.Imm == in.Imm:
			return 0, false
		case i.Op == two && (i.Imm == in.Imm || i.Imm+uint32(2*words(i)) == in.Imm) && !slices.ContainsFunc(r.late, another):
			return k, true
		}
	}
	return 0, false
}

// carryOutPair replays code up to an instruction that stands for two stores, if the second one is late now, too: that is
// its place.
func (r *replay) carryOutPair(at int) error {
	halves := 0
	for _, l := range r.late {
		if l.at == at {
			halves++
		}
	}
	for halves == 2 && r.at <= at {
		if err := r.transfer(); err != nil {
			return err
		}
	}
	return nil
}

// pairs is the op on two values that can carry an instruction out, with another one.
func (r *replay) pairs(in *lir.Ins) (two lir.Op, ok bool) {
	op := in.Op
	if by, reaches := op.ByPointer(); reaches {
		op = by
	}
	return r.m.Pairs(op)
}

// disturbs is the error of an instruction that may touch the words of a store that is still to be carried
// out. One that loads a word at a fixed place gets what it holds by then, which is either what is wanted or not.
func (r *replay) disturbs(i *Inst) error {
	for k := range r.late {
		s := r.late[k].Ins
		store := &Inst{Op: s.Op, Imm: s.Imm}
		writes, anywhere := i.Op.Writes()
		_, unknown := i.Op.Reads()
		if _, byIndex := s.Op.ByPointer(); byIndex {
			p, ok := pointerOf(i)
			apart := r.late[k].at == r.at || ok && r.is(r.regs[r.m.Bank(lir.Int)][p].pointed(), s.B) && disjoint(i, store)
			private := writes && !anywhere && !r.isForeign(i) // what is spilled lies by itself
			if r.m.Ops[i.Op].Kernel || (writes && !private || unknown) && !apart {
				return fmt.Errorf("%s comes before %s", i.Op, r.f.Text(s))
			}
			continue
		}
		if r.m.Ops[i.Op].Kernel || anywhere || unknown || writes && i.Op.Code() != lir.Store2 && overlap(i, store) {
			return fmt.Errorf("%s comes before the store to %s", i.Op, lir.Addr(s.Imm))
		}
	}
	return nil
}

// isForeign reports whether a store at a fixed place writes words that are not followed.
func (r *replay) isForeign(i *Inst) bool {
	for k := range words(i) {
		if _, ok := r.foreign[lir.Addr(i.Imm).Plus(4*k)]; ok {
			return true
		}
	}
	return false
}

// carryOut replays what is left of a block, up to its last store.
func (r *replay) carryOut() error {
	for len(r.late) > 0 {
		if _, err := r.next(); err != nil {
			return err
		}
		if len(r.heads) > 0 && r.at >= r.heads[0].Head {
			return errors.New("a store is not carried out before the next loop")
		}
		if err := r.transfer(); err != nil {
			return err
		}
	}
	return nil
}
