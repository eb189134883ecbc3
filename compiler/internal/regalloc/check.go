package regalloc

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// replay carries code out on contents, beside the function that it was made of.
type replay struct {
	f    *lir.Func
	m    *lir.Machine
	code *Code

	at     int // next instruction
	heads  []End
	steps  map[lir.Val]*lir.Ins // of the loop at hand: by phi, what makes its next value at the end
	regs   [lir.NumClasses][32]content
	memory map[lir.Addr]content // words that hold something else than ofWord
	source []bool               // by value: no instruction defines it
	// Homes of such values, whose words are not followed, with the value last
	// stored there; 0 for none.
	foreign map[lir.Addr]lir.Val
	inRow   map[lir.Addr]bool // words of the homes of rows
	// What the block at hand has stored there: until its end these are followed, as it
	// may have read what they held before.
	fresh  map[lir.Addr]content
	stored []stored
	late   []late    // stores of the block at hand that a later instruction carries out, with another one
	rest   []lir.Ins // of the block at hand: what is not carried out yet
	// Loads of the rest that an instruction has carried out with an earlier one.
	early map[*lir.Ins]bool
	moves []move              // see moved
	twin  map[lir.Val]lir.Val // of what loads the same as an early one, to the value of that
}

// late is a store, and which instruction carries it out.
type late struct {
	*lir.Ins
	at int
}

// stored is a value that was stored to a word which is not followed.
type stored struct {
	to lir.Addr
	v  lir.Val
}

// Check proves that code computes f: it replays code on symbolic contents of
// registers and memory, and holds every operand of every instruction against the
// value that f asks for there. Loops are replayed once, from a state that holds
// at the start of every iteration.
func Check(f *lir.Func, m *lir.Machine, code *Code) error {
	r := &replay{
		f: f, m: m, code: code, memory: map[lir.Addr]content{}, foreign: map[lir.Addr]lir.Val{}, fresh: map[lir.Addr]content{},
		inRow: map[lir.Addr]bool{}, early: map[*lir.Ins]bool{}, twin: map[lir.Val]lir.Val{},
	}
	r.heads = slices.SortedFunc(slices.Values(code.Ends), func(a, b End) int { return a.Head - b.Head })
	r.findSources()
	r.forgetRegs()
	if err := r.items(f.Items); err != nil {
		return fmt.Errorf("regalloc: instruction %d: %w", r.at, err)
	}
	if r.at != len(code.Insts) {
		return fmt.Errorf("regalloc: %d instructions left over", len(code.Insts)-r.at)
	}
	return nil
}

// class is the class of the registers that v takes.
func (r *replay) class(v lir.Val) lir.Class { return r.m.Bank(r.f.Values[v].Class) }

func (r *replay) findSources() {
	r.source = make([]bool, len(r.f.Values))
	for v := range r.source {
		r.source[v] = true
	}
	r.f.Blocks(func(b *lir.Block, l *lir.Loop, _ uint64) {
		for i := range b.Ins {
			r.source[b.Ins[i].D], r.source[b.Ins[i].E] = false, false
		}
		if l != nil {
			for _, p := range l.Phis {
				r.source[p.Val] = false
				r.f.Outs(&p, func(v lir.Val) { r.source[v] = false })
			}
		}
	})
	for v, s := range r.source {
		if s && v != 0 {
			info := &r.f.Values[v]
			for k := range info.HomeBytes() / 4 {
				r.foreign[info.Home.Plus(4*k)] = 0
				r.inRow[info.Home.Plus(4*k)] = info.Row || r.inRow[info.Home.Plus(4*k)]
			}
		}
	}
}

func (r *replay) forgetRegs() {
	for c := range r.regs {
		for i := range r.regs[c] {
			r.regs[c][i] = unknown
		}
	}
}

func (r *replay) items(items []lir.Item) error {
	for _, it := range items {
		var err error
		switch {
		case it.Loop == nil:
			err = r.block(it.Block.Ins)
		case it.Loop.Inner():
			err = r.inner(it.Loop)
		default:
			err = r.outer(it.Loop)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next is the instruction at hand.
func (r *replay) next() (*Inst, error) {
	if r.at >= len(r.code.Insts) {
		return nil, fmt.Errorf("code ends early")
	}
	return &r.code.Insts[r.at], nil
}

// block replays the code of a block: its instructions in order, with moves,
// loads and spills between them.
func (r *replay) block(ins []lir.Ins) error {
	for k := range ins {
		in := &ins[k]
		r.rest = ins[k:]
		if in.Op.Code() == lir.Beside {
			continue // came with the load
		}
		if at, ok := r.comesLate(in); ok {
			r.late = append(r.late, late{in, at})
			if err := r.carryOutPair(at); err != nil {
				return err
			}
			continue
		}
		for !r.early[in] {
			i, err := r.next()
			if err != nil {
				return err
			}
			if r.standsFor(i.Op, in.Op) && r.meant(i, in) {
				break
			}
			if in.Op.Picks() && !i.Op.KeepsFlags() {
				return fmt.Errorf("before %s: %s, which may change the flags", r.f.Text(in), i.Op)
			}
			if err := r.transfer(); err != nil {
				return fmt.Errorf("before %s: %w", r.f.Text(in), err)
			}
		}
		if r.early[in] {
			delete(r.early, in)
			continue
		}
		if err := r.one(&r.code.Insts[r.at], in); err != nil {
			return fmt.Errorf("%s: %w", r.f.Text(in), err)
		}
		r.at++
	}
	r.rest = nil
	if err := r.carryOut(); err != nil {
		return err
	}
	for _, s := range r.stored {
		r.foreign[s.to] = s.v
	}
	r.stored = r.stored[:0]
	clear(r.fresh)
	return nil
}

// standsFor reports whether op carries out an instruction with the op of.
func (r *replay) standsFor(op, of lir.Op) bool {
	by, reaches := of.ByPointer()
	as, gives := of.AsPointer()
	return op == of || reaches && op == by || gives && op == as
}

// meant tells a store or load from others of its op, which may come before it.
func (r *replay) meant(i *Inst, in *lir.Ins) bool {
	_, byIndex := in.Op.ByPointer()
	switch {
	case in.Op.Code() == lir.Store:
		return i.Imm == in.Imm && r.is(r.regs[r.class(in.A)][i.A], in.A)
	case byIndex && in.Op.Loads() && i.Op != in.Op:
		return i.Imm == in.Imm && r.is(r.regs[r.m.Bank(lir.Int)][i.A].pointed(), in.A)
	}
	return true
}

// transfer carries out an instruction that register allocation put in.
func (r *replay) transfer() error {
	i := &r.code.Insts[r.at]
	if err := r.disturbs(i); err != nil {
		return err
	}
	c := r.m.Bank(lir.ClassOf(i.Op.DType()))
	regs := &r.regs[c]
	if _, byPointer := pointerOf(i); byPointer {
		err := r.byPointer(i, regs)
		r.at++
		return err
	}
	if int(max(i.D, i.A)) >= r.m.Regs[c] {
		return fmt.Errorf("register %d does not exist", max(i.D, i.A))
	}
	switch i.Op.Code() {
	case lir.Move:
		if regs[i.D] = regs[i.A]; !regs[i.A].isPointer() {
			regs[i.D] = r.as(regs[i.A], i.Op)
		}
	case lir.Load:
		regs[i.D] = r.load(lir.Addr(i.Imm), i.Op)
	case lir.Load2, lir.Store2:
		if err := r.pair(i, regs); err != nil {
			return err
		}
	case lir.Splat:
		regs[i.D] = r.copies(lir.Addr(i.Imm), i.Op)
	case lir.Store:
		if err := r.spill(lir.Addr(i.Imm), regs[i.A], i.Op); err != nil {
			return err
		}
	case lir.Address:
		regs[i.D] = ofOffset(lir.Addr(i.Imm))
	case lir.AddressBy:
		regs[i.D] = ofPointer(ofOffset(lir.Addr(i.Imm)))
	case lir.Set:
		regs[i.D] = ofNumber(i.Imm)
	case lir.Pointer:
		regs[i.D] = ofPointer(regs[i.A])
	case lir.AddConst:
		regs[i.D] = r.stepped(regs[i.A], i.Imm)
	case lir.StepPointer, lir.StepBack:
		c, by := regs[i.A], i.Imm
		if i.Op.Code() == lir.StepBack {
			by = -by
		}
		if regs[i.D] = unknown; c.isPointer() {
			if regs[i.D] = ofPointer(r.stepped(c.pointed(), by)); regs[i.D] == unknown {
				regs[i.D] = r.moved(c, by)
			}
		}
	default:
		return fmt.Errorf("unexpected %s", i.Op)
	}
	r.at++
	return nil
}

// one holds instruction i against in, which it stands for, and carries it out.
func (r *replay) one(i *Inst, in *lir.Ins) error {
	info := &r.m.Ops[in.Op]
	if err := r.disturbs(i); err != nil {
		return err
	}
	if info.Kernel {
		return r.kernel(in, info)
	}
	n := int(info.Operands)
	args, regs := in.Args(), [3]uint8{i.A, i.B, i.C}
	var got [3]content
	for k := range n {
		c := r.class(args[k])
		if i.Mem && k == n-1 {
			got[k] = r.load(lir.Addr(i.Imm), i.Op)
		} else if int(regs[k]) >= r.m.Regs[c] {
			return fmt.Errorf("register %d does not exist", regs[k])
		} else {
			got[k] = r.regs[c][regs[k]]
		}
	}
	if info.Commutes && !(r.is(got[0], args[0]) && r.is(got[1], args[1])) {
		args[0], args[1] = args[1], args[0]
	}
	as, gives := in.Op.AsPointer()
	gives = gives && i.Op == as
	if i.Op != in.Op && !gives {
		if !got[n-1].isPointer() {
			return fmt.Errorf("operand %d is no pointer", n-1)
		}
		got[n-1] = got[n-1].pointed()
	}
	for k := range n {
		if !r.is(got[k], args[k]) {
			return fmt.Errorf("operand %d holds %#x, not v%d", k, got[k], args[k])
		}
	}
	if info.Tied && i.D != i.A {
		return fmt.Errorf("result in register %d, first operand in %d", i.D, i.A)
	}
	if in.Op.Code() == lir.Store {
		r.keep(in)
	}
	if !i.Mem && i.Imm != in.Imm {
		return fmt.Errorf("constant %#x, not %#x", i.Imm, in.Imm)
	}
	for c := range r.regs {
		for lost := r.m.Lost(i.Op, lir.Class(c)); lost != 0; lost &= lost - 1 {
			r.regs[c][bits.TrailingZeros32(lost)] = unknown
		}
	}
	if in.D != 0 {
		if r.regs[r.class(in.D)][i.D] = r.made(in.D); gives {
			r.regs[r.class(in.D)][i.D] = ofPointer(ofValue(in.D))
		}
		if n := in.Op.InARow(); n > 1 {
			return r.row(i, in, n)
		}
	}
	return nil
}

// row notes what a load whose result takes n registers in a row leaves in them.
func (r *replay) row(i *Inst, in *lir.Ins, n int) error {
	c := r.class(in.D)
	if int(i.D)+n > r.m.Regs[c] {
		return fmt.Errorf("register %d does not exist", int(i.D)+n-1)
	}
	list := besides(in, r.rest)
	for k, v := range list[:n] {
		if r.regs[c][int(i.D)+k] = unknown; v != 0 {
			r.regs[c][int(i.D)+k] = r.made(v)
		}
	}
	return nil
}

// keep carries out a Store.
func (r *replay) keep(in *lir.Ins) {
	to := lir.Addr(in.Imm)
	r.store(to, r.of(in.A), in.Op)
	if _, ok := r.foreign[to]; ok {
		r.fresh[to] = r.of(in.A)
		for k := 1; k < lir.WordsOf(in.Op.DType()); k++ {
			r.fresh[to.Plus(4*k)] = unknown
		}
		r.stored = append(r.stored, stored{to, in.A})
	}
}

// spill carries out a store that register allocation put in.
func (r *replay) spill(to lir.Addr, c content, op lir.Op) error {
	for k := range lir.WordsOf(op.DType()) {
		if _, ok := r.foreign[to.Plus(4*k)]; ok {
			return fmt.Errorf("spill to %s, where something else lies", to.Plus(4*k))
		}
	}
	r.store(to, c, op)
	return nil
}

func (r *replay) kernel(in *lir.Ins, info *lir.OpInfo) error {
	args := in.Args()
	file := r.m.Bank(lir.ClassOf(in.Op.DType()))
	for k := range int(info.Operands) {
		if got := r.regs[file][k]; !r.is(got, args[k]) {
			return fmt.Errorf("operand %d holds %#x, not v%d", k, got, args[k])
		}
	}
	for c := range r.regs {
		for k := range r.regs[c] {
			if r.m.Survivors(in.Op, lir.Class(c))>>k&1 == 0 || r.width(r.regs[c][k]) > 2 {
				r.regs[c][k] = unknown
			}
		}
	}
	for k, v := range [2]lir.Val{in.D, in.E} {
		if v != 0 {
			r.regs[file][k] = ofValue(v)
		}
	}
	return nil
}
