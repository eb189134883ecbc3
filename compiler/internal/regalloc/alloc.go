package regalloc

import (
	"math/bits"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

type allocator struct {
	f    *lir.Func
	m    *lir.Machine
	code Code

	evens bool // see pairsEven; false: for no class

	files   [lir.NumClasses]file
	vals    []value
	forms   []form            // by op; nil: none is known
	homes   map[lir.Addr]bool // the homes that values have from the start; nil: see isRead
	pointed []lir.Val         // the values that are pointers
	made    map[lir.Val]bool  // values of the body at hand that become pointers where they are computed
	slots   slots             // free
	vacated []vacated         // free from the next instruction on

	ins   []lir.Ins
	at    int32      // index of the instruction at hand
	uses  [][3]int32 // by instruction: the next use of each operand behind it
	calls []int32    // indices of the kernel calls from here on

	into []into // phis that want their next value in a register

	promises []promise // of the block at hand
	loads    bool      // it loads something

	held   []held // in front of the instruction heldAt
	heldAt int
	stored map[lir.Addr]lir.Val // the last value that was stored to a home, by a Store or behind a loop
}

// value is what is known of a value at the instruction at hand.
type value struct {
	home    lir.Addr  // the word that holds it now
	next    int32     // next use in the block; never at its end
	last    int32     // of a value used in the body at hand of a loop: its last use
	reg     uint8     // its register
	class   lir.Class // of the registers that it takes
	spilled bool      // the home is a slot of ours
	pointer bool      // in the block at hand, registers hold it as a pointer
}

// into says that a phi's next value belongs in register r, and which instruction of the block computes it.
type into struct {
	next lir.Val
	r    uint8
	at   int32
}

// Run allocates registers for f, whose blocks are in the order in which they
// will run. Slots for spilled values are added to the data of f.
func Run(f *lir.Func, m *lir.Machine) *Code {
	n := len(f.Values)
	a := &allocator{f: f, m: m, evens: hasEvenPairs(m), vals: make([]value, n), made: map[lir.Val]bool{}, stored: map[lir.Addr]lir.Val{}}
	total := 0
	f.Blocks(func(b *lir.Block, _ *lir.Loop, _ uint64) { total += len(b.Ins) })
	// One in two or, where every operand is loaded, every instruction has one that is not in a register.
	loads := total
	if m.Ops[lir.Of(graph.OpAdd, graph.F32)].Mem {
		loads = total / 2
	}
	a.code.Insts = make([]Inst, 0, total+loads)
	var bank [lir.NumClasses]lir.Class
	for c := range bank {
		bank[c] = m.Bank(lir.Class(c))
	}
	for v := range f.Values {
		from, to := &f.Values[v], &a.vals[v]
		to.reg, to.home, to.next, to.class = noReg, from.Home, never, bank[from.Class]
	}
	for c := range lir.NumClasses {
		if m.Bank(c) == c {
			a.files[c].all = uint32(1)<<m.Regs[c] - 1
			a.files[c].unsaved = m.Saved[c]
		}
	}
	a.items(f.Items)
	if m.InOrder {
		a.hoist()
	}
	return &a.code
}

func (a *allocator) items(items []lir.Item) {
	for _, it := range items {
		switch {
		case it.Loop == nil:
			a.openPool(it.Block.Ins)
			a.findPointers(it.Block.Ins)
			a.findMadePointers(it.Block.Ins, nil, nil, nil)
			a.scan(it.Block.Ins, nil)
			a.loads = true // from homes at least
			a.takeOver()
			a.block()
			a.clear()
			a.noPointers()
		case it.Loop.Inner():
			a.inner(it.Loop)
		default:
			a.outer(it.Loop)
		}
	}
}

// openPool gives the registers to the block to come: every one that its instructions do not change beside their results.
func (a *allocator) openPool(ins []lir.Ins) {
	serves := lir.Op(0)
	for i := range ins {
		if a.m.Ops[ins[i].Op].Serves {
			serves = ins[i].Op
			break
		}
	}
	for c := range a.files {
		f := &a.files[c]
		f.pool = f.all &^ a.m.Lost(serves, lir.Class(c))
		f.free = f.pool
	}
}

// clear empties all registers; whatever is still needed is in memory.
func (a *allocator) clear() {
	for c := range a.files {
		f := &a.files[c]
		f.pool = f.all
		for m := f.all &^ f.free; m != 0; m &= m - 1 {
			a.drop(f, uint8(bits.TrailingZeros32(m)))
		}
	}
}

// scan finds the next uses in a block, where atEnd are used at its end.
func (a *allocator) scan(ins []lir.Ins, atEnd []lir.Val) {
	a.ins = ins
	if cap(a.uses) < len(ins) {
		a.uses = make([][3]int32, len(ins))
	}
	a.uses = a.uses[:len(ins)]
	a.calls = a.calls[:0]
	a.promises = a.promises[:0]
	for _, v := range atEnd {
		a.vals[v].next, a.vals[v].last = int32(len(ins)), int32(len(ins))
	}
	for i := len(ins) - 1; i >= 0; i-- {
		in := &ins[i]
		u := &a.uses[i]
		u[0], u[1], u[2] = a.vals[in.A].next, a.vals[in.B].next, a.vals[in.C].next
		at := int32(i)
		if len(atEnd) > 0 { // in loops, see lent
			for k, v := range [3]lir.Val{in.A, in.B, in.C} {
				if u[k] == never {
					a.vals[v].last = at
				}
			}
		}
		a.vals[in.A].next, a.vals[in.B].next, a.vals[in.C].next = at, at, at
		if a.m.Ops[in.Op].Kernel {
			a.calls = append(a.calls, at)
		}
	}
	for i, j := 0, len(a.calls)-1; i < j; i, j = i+1, j-1 {
		a.calls[i], a.calls[j] = a.calls[j], a.calls[i]
	}
}

// block allocates for every instruction of the scanned block.
func (a *allocator) block() {
	start := len(a.code.Insts)
	for i := range a.ins {
		a.at = int32(i)
		a.reclaim()
		in := &a.ins[i]
		info := &a.m.Ops[in.Op]
		switch {
		case info.Kernel:
			a.calls = a.calls[1:]
			a.call(in, info)
		case in.Op.Code() == lir.Store:
			a.keep(in)
		case in.Op.InARow() > 1:
			a.several(in)
		case in.Op.Code() == lir.Beside:
			a.used(in.A, a.uses[a.at][0]) // several has given it its register
		default:
			a.plain(in, info)
		}
	}
	a.join(start)
}

func (a *allocator) emit(i Inst) { a.code.Insts = append(a.code.Insts, i) }

// class is the class of the registers that v takes.
func (a *allocator) class(v lir.Val) lir.Class { return a.vals[v].class }

func (a *allocator) store(v lir.Val) lir.Op { return lir.Of(lir.Store, a.f.Values[v].Type()) }
func (a *allocator) move(v lir.Val) lir.Op  { return lir.Of(lir.Move, a.f.Values[v].Type()) }

// loadOp is the op that fetches v from its home: a wide value that has one from
// the start is copies of the word there, unless all of it lies there.
func (a *allocator) loadOp(v lir.Val) lir.Op {
	info := &a.f.Values[v]
	if info.Wide() && info.Home != lir.NoAddr && !info.Row {
		return lir.Of(lir.Splat, info.Type())
	}
	return lir.Of(lir.Load, info.Type())
}

// load fetches v from its home into register r, without noting it there.
func (a *allocator) load(v lir.Val, r uint8) {
	at := a.vals[v].home
	if at == lir.NoAddr {
		panic("regalloc: value is neither in a register nor in memory: " + a.f.Text(&a.ins[a.at]))
	}
	a.emit(Inst{Op: a.loadOp(v), D: r, Imm: uint32(at)})
	a.point(v, r)
}

// fetch has v in a register: the one it is in, or a new one.
func (a *allocator) fetch(v lir.Val, busy *[lir.NumClasses]uint32) uint8 {
	r := a.vals[v].reg
	if r == noReg {
		c := a.class(v)
		h := a.loadedBeside(v, c)
		r = a.take(c, busy[c], a.beside(&h, c, busy[c]), v)
		a.promise(&h, c, r)
		a.load(v, r)
		a.hold(&a.files[c], r, v)
	}
	busy[a.class(v)] |= 1 << r
	return r
}

// used moves the next use of v behind this instruction, and ends its life where
// there is none.
func (a *allocator) used(v lir.Val, next int32) {
	a.vals[v].next = next
	f := &a.files[a.class(v)]
	if next == never {
		a.forget(f, v)
	} else if r := a.vals[v].reg; r != noReg {
		f.next[r] = next
	}
}

// keep carries out a Store: the word becomes the home of the value.
func (a *allocator) keep(in *lir.Ins) {
	v, to := in.A, lir.Addr(in.Imm)
	var busy [lir.NumClasses]uint32
	r := a.fetch(v, &busy)
	a.emit(Inst{Op: in.Op, A: r, Imm: in.Imm})
	a.stored[to] = v
	a.vacate(v)
	// Where it has a home that is still to be written, another place may hold
	// something else by the time it is read.
	if h := a.f.Values[v].Home; a.vals[v].home == lir.NoAddr && (h == lir.NoAddr || h == to) {
		a.vals[v].home = to
	}
	a.used(v, a.uses[a.at][0])
}

// plain allocates for an instruction that is neither a call nor a Store.
func (a *allocator) plain(in *lir.Ins, info *lir.OpInfo) {
	n := int(info.Operands)
	args, uses := [3]lir.Val{in.A, in.B, in.C}, a.uses[a.at]
	if n >= 2 && info.Commutes && a.exchange(&args, &uses, info) {
		args[0], args[1] = args[1], args[0]
		uses[0], uses[1] = uses[1], uses[0]
	}
	op, imm := in.Op, in.Imm
	if by, ok := op.ByPointer(); ok && a.vals[args[n-1]].pointer {
		op = by
	}
	var busy [lir.NumClasses]uint32
	for k := range n {
		if r := a.vals[args[k]].reg; r != noReg {
			busy[a.class(args[k])] |= 1 << r
		}
	}
	inMemory := -1
	if last := n - 1; info.Mem && a.fromMemory(&args, last, uses[last], &busy) {
		inMemory = last
		imm = uint32(a.vals[args[last]].home)
	}
	// A two-address instruction overwrites its first operand. One that is not in
	// a register yet is loaded for that, unless it is better kept as well.
	overwrite := info.Tied && a.vals[args[0]].reg == noReg && (n < 2 || args[1] != args[0]) && !a.worth(args[0], uses[0], &busy)
	regs := [3]uint8{}
	for k := n - 1; k >= 0; k-- {
		if k != inMemory && !(k == 0 && overwrite) {
			regs[k] = a.fetch(args[k], &busy)
		}
	}

	firstFrom := a.vals[args[0]].home
	for k := range n {
		a.used(args[k], uses[k])
	}
	if in.D == 0 {
		a.emit(Inst{Op: op, A: regs[0], B: regs[1], C: regs[2], Mem: inMemory >= 0, Imm: imm})
		return
	}
	c, d, first := a.class(in.D), uint8(0), regs[0]
	switch {
	case !info.Tied:
		if r, ok := a.inPlace(in.D, info, &args, &regs, inMemory); ok {
			d = r
		} else {
			d = a.result(in.D, 0)
		}
	case overwrite:
		d = a.result(in.D, busy[c])
		a.emit(Inst{Op: a.loadOp(args[0]), D: d, Imm: uint32(firstFrom)})
		first = d
	case a.vals[args[0]].reg == noReg && a.mayTake(in.D, regs[0]):
		d = regs[0]
	default:
		d = a.result(in.D, busy[c])
		a.emit(Inst{Op: a.move(args[0]), D: d, A: regs[0]})
		first = d
	}
	pointer, ok := a.m.AsPointer(op, imm)
	if ok = ok && a.made[in.D] && a.vals[in.D].next != never; ok {
		op = pointer
	}
	a.emit(Inst{Op: op, D: d, A: first, B: regs[1], C: regs[2], Mem: inMemory >= 0, Imm: imm})
	a.define(in.D, d)
	a.pointMade(in.D, d, ok)
}

// inPlace is the register of an operand that ends with an instruction, if that is
// where its result v is best computed. The operand in memory has none.
func (a *allocator) inPlace(v lir.Val, info *lir.OpInfo, args *[3]lir.Val, regs *[3]uint8, inMemory int) (uint8, bool) {
	for k := range int(info.Operands) {
		if info.InPlace>>k&1 != 0 && k != inMemory && a.vals[args[k]].reg == noReg && a.mayTake(v, regs[k]) {
			return regs[k], true
		}
	}
	return 0, false
}

// exchange reports whether the two operands of a commutative instruction serve
// better the other way round.
func (a *allocator) exchange(args *[3]lir.Val, uses *[3]int32, info *lir.OpInfo) bool {
	in0, in1 := a.vals[args[0]].reg != noReg, a.vals[args[1]].reg != noReg
	switch {
	case in0 && in1:
		return info.Tied && uses[0] != never && uses[1] == never
	case in0 != in1:
		// The one in memory goes last, where it need not be loaded; and where
		// every operand is loaded, the one that ends here goes first.
		if info.Mem {
			return in1
		}
		return info.Tied && uses[0] != never && uses[1] == never
	}
	return info.Tied && uses[0] < uses[1]
}

// fromMemory reports whether the last operand is better taken from memory.
func (a *allocator) fromMemory(args *[3]lir.Val, last int, next int32, busy *[lir.NumClasses]uint32) bool {
	v := args[last]
	if a.vals[v].reg != noReg {
		return false
	}
	for k := range last {
		if args[k] == v {
			return false
		}
	}
	return !a.worth(v, next, busy)
}

// window is how far ahead, in instructions, the next use of a word may be for it
// to be loaded into a register that stays taken until then.
const window = 100

// worth reports whether a value that is in memory should get a register of its
// own, given its next use: if one is free, or holds another such value that is
// needed later.
func (a *allocator) worth(v lir.Val, next int32, busy *[lir.NumClasses]uint32) bool {
	if next == never || next-a.at > window && a.m.Ops[a.ins[a.at].Op].Mem {
		return false
	}
	c := a.class(v)
	f := &a.files[c]
	// One free register is left for the result.
	if free := f.free &^ busy[c]; free&(free-1) != 0 {
		return true
	}
	for m := f.pool &^ busy[c] &^ f.free; m != 0; m &= m - 1 {
		r := bits.TrailingZeros32(m)
		if f.next[r] > next && a.vals[f.values[r]].home != lir.NoAddr {
			return true
		}
	}
	return false
}

// result chooses the register for the result v.
func (a *allocator) result(v lir.Val, busy uint32) uint8 {
	if r, ok := a.wanted(v); ok && busy>>r&1 == 0 {
		return r
	}
	if r, ok := a.wantedOf(v); ok && busy>>r&1 == 0 {
		return r
	}
	c := a.class(v)
	prefer := a.prefer(v, c)
	h := a.readBeside(c)
	if !h.comes && h.prefer == 0 {
		h = a.storedBeside(v, c)
	}
	if beside := a.beside(&h, c, busy); prefer == 0 {
		prefer = beside
	} else if prefer&beside != 0 {
		prefer &= beside
	}
	r := a.take(c, busy, prefer, v)
	a.promise(&h, c, r)
	return r
}

// prefer is the set of registers that suit a value best: what crosses a call
// goes where calls leave it alone, the operand of a call to where it is passed.
func (a *allocator) prefer(v lir.Val, c lir.Class) uint32 {
	if len(a.calls) == 0 {
		return 0
	}
	call := a.calls[0]
	switch next := a.vals[v].next; {
	case next == never:
		return 0
	case next == call && a.ins[call].A == v:
		return 1
	case next == call:
		return 2
	case next > call:
		return a.m.Preserved[c]
	}
	return ^(a.m.Preserved[c] | 1)
}

// define notes that register r holds the result v, if it is needed at all.
func (a *allocator) define(v lir.Val, r uint8) {
	a.vals[v].home = lir.NoAddr // until it is stored
	f := &a.files[a.class(v)]
	if a.vals[v].next == never {
		a.drop(f, r)
		return
	}
	a.hold(f, r, v)
}
