package regalloc

import (
	"math/bits"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

type allocator struct {
	f    *lir.Func
	m    *lir.Machine
	code Code

	files   [lir.NumClasses]file
	reg     []uint8           // by value: its register
	home    []lir.Addr        // by value: the word that holds it now
	homes   map[lir.Addr]bool // the homes that values have from the start; nil: see isRead
	spilled []bool            // by value: the home is a slot of ours
	next    []int32           // by value: next use in the block; never at its end
	last    []int32           // by value used in the body at hand of a loop: its last use
	pointer []bool            // by value: in the block at hand, registers hold it as a pointer
	pointed []lir.Val         // those for which that is so
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
	a := &allocator{f: f, m: m, reg: make([]uint8, n), home: make([]lir.Addr, n), spilled: make([]bool, n), next: make([]int32, n), last: make([]int32, n), pointer: make([]bool, n), made: map[lir.Val]bool{}, stored: map[lir.Addr]lir.Val{}}
	total := 0
	f.Blocks(func(b *lir.Block, _ *lir.Loop, _ uint64) { total += len(b.Ins) })
	a.code.Insts = make([]Inst, 0, total+total/2)
	for v := range n {
		a.reg[v], a.home[v], a.next[v] = noReg, f.Values[v].Home, never
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
			a.openPool()
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

// openPool gives every register to the block to come.
func (a *allocator) openPool() {
	for c := range a.files {
		f := &a.files[c]
		f.pool, f.free = f.all, f.all
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
		a.next[v], a.last[v] = int32(len(ins)), int32(len(ins))
	}
	for i := len(ins) - 1; i >= 0; i-- {
		in := &ins[i]
		u := &a.uses[i]
		u[0], u[1], u[2] = a.next[in.A], a.next[in.B], a.next[in.C]
		at := int32(i)
		if len(atEnd) > 0 { // in loops, see lent
			for k, v := range [3]lir.Val{in.A, in.B, in.C} {
				if u[k] == never {
					a.last[v] = at
				}
			}
		}
		a.next[in.A], a.next[in.B], a.next[in.C] = at, at, at
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
func (a *allocator) class(v lir.Val) lir.Class { return a.m.Bank(a.f.Values[v].Class) }

func (a *allocator) store(v lir.Val) lir.Op { return lir.Of(lir.Store, a.f.Values[v].Type()) }
func (a *allocator) move(v lir.Val) lir.Op  { return lir.Of(lir.Move, a.f.Values[v].Type()) }

// loadOp is the op that fetches v from its home: a wide value that has one from
// the start is copies of the word there.
func (a *allocator) loadOp(v lir.Val) lir.Op {
	info := &a.f.Values[v]
	if info.Wide() && info.Home != lir.NoAddr {
		return lir.Of(lir.Splat, info.Type())
	}
	return lir.Of(lir.Load, info.Type())
}

// load fetches v from its home into register r, without noting it there.
func (a *allocator) load(v lir.Val, r uint8) {
	at := a.home[v]
	if at == lir.NoAddr {
		panic("regalloc: value is neither in a register nor in memory: " + a.f.Text(&a.ins[a.at]))
	}
	a.emit(Inst{Op: a.loadOp(v), D: r, Imm: uint32(at)})
	a.point(v, r)
}

// fetch has v in a register: the one it is in, or a new one.
func (a *allocator) fetch(v lir.Val, busy *[lir.NumClasses]uint32) uint8 {
	r := a.reg[v]
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
	a.next[v] = next
	f := &a.files[a.class(v)]
	if next == never {
		a.forget(f, v)
	} else if r := a.reg[v]; r != noReg {
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
	if h := a.f.Values[v].Home; a.home[v] == lir.NoAddr && (h == lir.NoAddr || h == to) {
		a.home[v] = to
	}
	a.used(v, a.uses[a.at][0])
}

// plain allocates for an instruction that is neither a call nor a Store.
func (a *allocator) plain(in *lir.Ins, info *lir.OpInfo) {
	n := int(info.Operands)
	args, uses := in.Args(), a.uses[a.at]
	if n >= 2 && info.Commutes && a.exchange(args, uses, info) {
		args[0], args[1] = args[1], args[0]
		uses[0], uses[1] = uses[1], uses[0]
	}
	out := Inst{Op: in.Op, Imm: in.Imm}
	if by, ok := in.Op.ByPointer(); ok && a.pointer[args[n-1]] {
		out.Op = by
	}
	var busy [lir.NumClasses]uint32
	for k := range n {
		if r := a.reg[args[k]]; r != noReg {
			busy[a.class(args[k])] |= 1 << r
		}
	}
	inMemory := -1
	if last := n - 1; info.Mem && a.fromMemory(args, uses, last, busy) {
		inMemory = last
		out.Mem, out.Imm = true, uint32(a.home[args[last]])
	}
	// A two-address instruction overwrites its first operand. One that is not in
	// a register yet is loaded for that, unless it is better kept as well.
	overwrite := info.Tied && a.reg[args[0]] == noReg && (n < 2 || args[1] != args[0]) && !a.worth(args[0], uses[0], busy)
	regs := [3]uint8{}
	for k := n - 1; k >= 0; k-- {
		if k != inMemory && !(k == 0 && overwrite) {
			regs[k] = a.fetch(args[k], &busy)
		}
	}
	out.B, out.C = regs[1], regs[2]

	firstFrom := a.home[args[0]]
	for k := range n {
		a.used(args[k], uses[k])
	}
	if in.D == 0 {
		out.A = regs[0]
		a.emit(out)
		return
	}
	c := a.class(in.D)
	switch {
	case !info.Tied:
		out.A = regs[0]
		if r, ok := a.inPlace(in.D, info, args, regs); ok {
			out.D = r
		} else {
			out.D = a.result(in.D, 0)
		}
	case overwrite:
		out.D = a.result(in.D, busy[c])
		a.emit(Inst{Op: a.loadOp(args[0]), D: out.D, Imm: uint32(firstFrom)})
		out.A = out.D
	case a.reg[args[0]] == noReg && a.mayTake(in.D, regs[0]):
		out.D, out.A = regs[0], regs[0]
	default:
		out.D = a.result(in.D, busy[c])
		a.emit(Inst{Op: a.move(args[0]), D: out.D, A: regs[0]})
		out.A = out.D
	}
	pointer, ok := in.Op.AsPointer()
	if ok = ok && a.made[in.D] && a.next[in.D] != never; ok {
		out.Op = pointer
	}
	a.emit(out)
	a.define(in.D, out.D)
	a.pointMade(in.D, out.D, ok)
}

// inPlace is the register of an operand that ends with an instruction, if that is
// where its result v is best computed.
func (a *allocator) inPlace(v lir.Val, info *lir.OpInfo, args [3]lir.Val, regs [3]uint8) (uint8, bool) {
	for k := range int(info.Operands) {
		if info.InPlace>>k&1 != 0 && a.reg[args[k]] == noReg && a.mayTake(v, regs[k]) {
			return regs[k], true
		}
	}
	return 0, false
}

// exchange reports whether the two operands of a commutative instruction serve
// better the other way round.
func (a *allocator) exchange(args [3]lir.Val, uses [3]int32, info *lir.OpInfo) bool {
	in0, in1 := a.reg[args[0]] != noReg, a.reg[args[1]] != noReg
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
func (a *allocator) fromMemory(args [3]lir.Val, uses [3]int32, last int, busy [lir.NumClasses]uint32) bool {
	v := args[last]
	if a.reg[v] != noReg {
		return false
	}
	for k := range last {
		if args[k] == v {
			return false
		}
	}
	return !a.worth(v, uses[last], busy)
}

// window is how far ahead, in instructions, the next use of a word may be for it
// to be loaded into a register that stays taken until then.
const window = 100

// worth reports whether a value that is in memory should get a register of its
// own, given its next use: if one is free, or holds another such value that is
// needed later.
func (a *allocator) worth(v lir.Val, next int32, busy [lir.NumClasses]uint32) bool {
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
		if f.next[r] > next && a.home[f.values[r]] != lir.NoAddr {
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
	h := a.storedBeside(v, c)
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
	switch next := a.next[v]; {
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
	a.home[v] = lir.NoAddr // until it is stored
	f := &a.files[a.class(v)]
	if a.next[v] == never {
		a.drop(f, r)
		return
	}
	a.hold(f, r, v)
}
