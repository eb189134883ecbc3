package selftest

import (
	"math"
	"testing"

	"github.com/copaflash/copaflash/stencils"
)

// program assembles stencils into code.
type program struct {
	b    *bench
	code []byte
	from int // offset of the entry
	// Addresses of services, to be put in front of the program's data.
	services []word
}

func (p *program) find(op, dtype string) *stencils.Stencil {
	s := p.b.lib.Find(op, dtype, stencils.Reg)
	if s == nil {
		p.b.t.Fatalf("no stencil %s %s", op, dtype)
	}
	return s
}

func (p *program) emit(op, dtype string, d, a, b, c uint8, imm int32) int {
	at := len(p.code)
	s := p.find(op, dtype)
	if s.Service != stencils.NoService {
		imm = 4 * int32(s.Service)
		p.services = append(p.services, serviceWord(uint32(imm), s.Service))
	}
	p.code = p.b.emit(p.code, s, [4]uint8{d, a, b, c}, imm)
	return at
}

func (p *program) aim(op, dtype string, at, target int) {
	if err := p.find(op, dtype).FixBranch(p.code, at, target); err != nil {
		p.b.t.Fatal(err)
	}
}

// place appends a blob at its alignment, the code being placed at 64.
func (p *program) place(blob *stencils.Blob) int {
	for len(p.code)%blob.Align != 0 {
		p.code = append(p.code, 0)
	}
	at := len(p.code)
	p.code = append(p.code, blob.Code...)
	return at
}

// enter and leave emit the ends of a program that uses every register.
func (p *program) enter() {
	p.emit("enter", "", 0, 0, 0, 0, 0)
	p.emit("save", "i32", 0, 0, 0, 0, 0)
	p.emit("save", "f32", 0, 0, 0, 0, 0)
}

func (p *program) leave() {
	p.emit("restore", "f32", 0, 0, 0, 0, 0)
	p.emit("restore", "i32", 0, 0, 0, 0, 0)
	p.emit("leave", "", 0, 0, 0, 0, 0)
}

// run calls the program as void entry(void *data) from a C environment and checks
// that the environment is left as it was.
func (p *program) run(pokes []word) state {
	b := p.b
	st := b.randomState()
	st.BaseReg, st.Bias, st.Control = uint64(b.m.Argument), 0, b.m.Control
	bare := b.m.Argument == b.m.Base
	if bare {
		st.Bias = b.m.Bias
	}
	after, err := b.h.run(&request{code: p.code, entry: p.from, states: []state{st}, pokes: [][]word{append(pokes[:len(pokes):len(pokes)], p.services...)}})
	if err != nil {
		b.t.Fatal(err)
	}
	var gpr, vec [32]bool
	for _, n := range b.m.Saved {
		gpr[n] = !bare
	}
	if after[0].SPMoved != b.m.Pops {
		b.t.Errorf("stack pointer moved by %d", int64(after[0].SPMoved))
	}
	after[0].SPMoved = 0
	if err := b.untouched(&st, &after[0], &gpr, &vec, -1, nil); err != nil {
		b.t.Error(err)
	}
	for _, n := range b.m.SavedVectors {
		if !bare && st.Vec[n][0] != after[0].Vec[n][0] {
			b.t.Errorf("callee-saved vector register %d changed", n)
		}
	}
	return after[0]
}

// TestPrograms runs whole programs: entry code, loops in every register and calls
// of every kernel.
func TestPrograms(t *testing.T) {
	onEveryLibrary(t, func(t *testing.T, b *bench) {
		b.checkEnvironment()
		for r := range b.lib.Regs(stencils.Int) {
			b.checkLoop(uint8(r))
		}
		b.checkPointers()
		for _, k := range b.lib.Kernels() {
			if sorts(k) {
				b.checkSort(k)
			} else if findsPlace(k) {
				b.checkPlace(k)
			} else if lanesOfType(k.DType) == 1 {
				b.checkCall(k)
			}
		}
	})
}

// checkEnvironment: every register of the program is written, and arithmetic
// rounds to nearest and keeps subnormals.
func (b *bench) checkEnvironment() {
	p := &program{b: b}
	p.enter()
	for r := range b.lib.Regs(stencils.Int) {
		p.emit("imm", "i32", uint8(r), 0, 0, 0, -5)
	}
	for r := range b.lib.Regs(stencils.Float) {
		p.emit("ld", "f32", uint8(r), 0, 0, 0, 64)
	}
	p.emit("ld", "f32", 1, 0, 0, 0, 68)
	p.emit("ld", "f32", 2, 0, 0, 0, 72)
	p.emit("div", "f32", 0, 0, 1, 0, 0)
	p.emit("mul", "f32", 2, 2, 2, 0, 0)
	p.emit("st", "f32", 0, 0, 0, 0, 128)
	p.emit("st", "f32", 0, 2, 0, 0, 132)
	p.emit("st", "f32", 0, uint8(b.lib.Regs(stencils.Float)-1), 0, 0, 136)
	p.leave()
	one, three, tiny := float32(1), float32(3), float32(1e-20)
	bits := math.Float32bits
	pokes := []word{{64, bits(one)}, {68, bits(three)}, {72, bits(tiny)}}
	after := p.run(pokes)
	want := []word{{128, bits(one / three)}, {132, bits(tiny * tiny)}, {136, bits(one)}}
	if err := memoryChanges(&after, want, pokes); err != nil {
		b.t.Errorf("entry code: %v", err)
	}
	if bits(tiny*tiny)&0x7f800000 != 0 || tiny*tiny == 0 {
		b.t.Errorf("%g is to be subnormal", tiny*tiny)
	}
}

// checkLoop sums an array with register r as index and counter.
func (b *bench) checkLoop(r uint8) {
	const array, length = 256, 10
	loop := b.lib.Find("loop", "i32", stencils.Reg)
	b.note(loop)
	sum, term := uint8(0), uint8(1)
	keep := r       // where the counter is during the addition
	if b.m.soft() { // the loop and its floats share registers, and the addition is a call
		spared := b.lib.Spared(stencils.Int)
		other := func(k uint8) uint8 {
			for k = (k + 1) % uint8(b.lib.Regs(stencils.Int)); k == r || spared>>k&1 == 0; {
				k = (k + 1) % uint8(b.lib.Regs(stencils.Int))
			}
			return k
		}
		sum = other(r)
		term = other(sum)
		if spared>>r&1 == 0 {
			keep = other(term)
		}
	}
	p := &program{b: b}
	p.enter()
	p.emit("imm", "i32", r, 0, 0, 0, 0)
	p.emit("imm", "i32", (r+1)%uint8(b.lib.Regs(stencils.Int)), 0, 0, 0, 1<<30-1)
	p.emit("ld", "f32", sum, 0, 0, 0, 64)
	head := len(p.code)
	p.emit("ldx", "f32", term, r, 0, 0, array)
	p.emit("mov", "i32", keep, r, 0, 0, 0)
	p.emit("add", "f32", sum, sum, term, 0, 0)
	p.emit("mov", "i32", r, keep, 0, 0, 0)
	var err error
	if p.code, err = loop.EmitLoop(p.code, r, r, 4, 4*length, head); err != nil {
		b.t.Fatal(err)
	}
	p.emit("st", "f32", 0, sum, 0, 0, 128)
	p.emit("st", "i32", 0, r, 0, 0, 132)
	p.leave()
	pokes := []word{{64, 0}}
	total := float32(0)
	for i := range uint32(length) {
		x := 1 / float32(i+3)
		total += x
		pokes = append(pokes, word{array + 4*i, math.Float32bits(x)})
	}
	after := p.run(pokes)
	if err := memoryChanges(&after, []word{{128, math.Float32bits(total)}, {132, 4 * length}}, pokes); err != nil {
		b.t.Errorf("loop in integer register %d: %v", r, err)
	}
}

// checkCall calls a kernel from a program, forwards and backwards in the code,
// with a value kept in a register that survives.
func (b *bench) checkCall(k *stencils.Kernel) {
	f := kernelMeaning(k)
	x, y, keep := bitsOf(k.DType, 0.75), bitsOf(k.DType, 0.3), bitsOf(k.DType, -123.25)
	want := f(x, y)
	again := f(want[0], y)
	class := kernelClass(k)
	survivor := uint8(0)
	for b.lib.Preserved(class)>>survivor&1 == 0 {
		survivor++
	}
	p := &program{b: b}
	backwards := p.place(k.Blob) + k.Entry
	for len(p.code)%16 != 0 {
		p.code = append(p.code, 0)
	}
	p.from = len(p.code)
	p.enter()
	p.emit("ld", k.DType, 0, 0, 0, 0, 64)
	p.emit("ld", k.DType, 1, 0, 0, 0, 72)
	p.emit("ld", k.DType, survivor, 0, 0, 0, 80)
	call := ""
	if b.lib.Find("call", k.DType, stencils.Reg) != nil {
		call = k.DType
	}
	first := p.emit("call", call, 0, 0, 0, 0, 0)
	p.emit("st", k.DType, 0, 0, 0, 0, 128)
	p.emit("ld", k.DType, 1, 0, 0, 0, 72)
	second := p.emit("call", call, 0, 0, 0, 0, 0)
	p.emit("st", k.DType, 0, 0, 0, 0, 136)
	p.emit("st", k.DType, 0, survivor, 0, 0, 144)
	p.leave()
	p.aim("call", call, first, p.place(k.Blob)+k.Entry)
	p.aim("call", call, second, backwards)
	store := b.lib.Find("st", k.DType, stencils.Reg)
	words := func(at uint32, bits ...uint64) (out []word) {
		for i, x := range bits {
			out = append(out, wordsAt(store, at+8*uint32(i), x)...)
		}
		return out
	}
	pokes := words(64, x, y, keep)
	after := p.run(pokes)
	if err := memoryChanges(&after, words(128, want[0], again[0], keep), pokes); err != nil {
		b.t.Errorf("call of %s.%s: %v", k.Op, k.DType, err)
	}
}

// bitsOf are those of a number as a float or double.
func bitsOf(dtype string, x float64) uint64 {
	if dtype == doubleType {
		return math.Float64bits(x)
	}
	return uint64(math.Float32bits(float32(x)))
}
