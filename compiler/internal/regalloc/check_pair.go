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
		n := slices.IndexFunc(r.late, func(in lir.Ins) bool { return lir.Addr(in.Imm) == at })
		if n < 0 {
			if err := r.spill(at, regs[reg], i.Op); err != nil {
				return err
			}
			continue
		}
		in := r.late[n]
		if !r.is(regs[reg], in.A) {
			return fmt.Errorf("%s: register %d holds %#x", r.f.Text(&in), reg, regs[reg])
		}
		r.keep(&in)
		r.late = slices.Delete(r.late, n, n+1)
	}
	return nil
}

// comesLate reports whether the code carries a Store out as part of a Store2. That may stand behind code
// for instructions that follow it, if these leave the word alone: see disturbs.
func (r *replay) comesLate(in *lir.Ins) bool {
	two, ok := r.m.Pairs(in.Op)
	if !ok || in.Op.Code() != lir.Store {
		return false
	}
	for k := r.at; k < len(r.code.Insts); k++ {
		switch i := &r.code.Insts[k]; {
		case i.Op == in.Op && i.Imm == in.Imm, i.Op.EndsLoop():
			return false
		case i.Op == two && (i.Imm == in.Imm || i.Imm+4 == in.Imm):
			return true
		}
	}
	return false
}

// disturbs is the error of an instruction that may touch the word of a store that is still to be carried
// out. One that loads the word gets what it holds by then, which is either what is wanted or not.
func (r *replay) disturbs(i *Inst) error {
	for k := range r.late {
		s := &Inst{Op: r.late[k].Op, Imm: r.late[k].Imm}
		writes, anywhere := i.Op.Writes()
		_, unknown := i.Op.Reads()
		if r.m.Ops[i.Op].Kernel || anywhere || unknown || writes && i.Op.Code() != lir.Store2 && overlap(i, s) {
			return fmt.Errorf("%s comes before the store to %s", i.Op, lir.Addr(s.Imm))
		}
	}
	return nil
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
