package selftest

import (
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/copaflash/copaflash/stencils"
)

// rounds repeats the random part: `go test ./stencils/selftest -rounds 100` after
// a change of a stencil whose inputs are worth a search.
var rounds = flag.Int("rounds", 1, "how often to run the random cases")

// bench is a library with a harness to run it in.
type bench struct {
	t   *testing.T
	m   *machine
	h   *harness
	lib *stencils.Library
	rng *rand.Rand
	// feature is what the processor has beyond the base; "" for nothing.
	feature string

	// registers that stencils must leave alone, by hardware number
	keptGPR, keptVec [32]bool
	// keptBeside is keptVec for stencils on doubles: floats that programs with doubles do
	// not have are scratch there.
	keptBeside [32]bool
}

// choices is the registers to try: each register in each place, places at
// random, and places with equal registers.
func (b *bench) choices(s *stencils.Stencil) [][4]uint8 {
	class := [4]stencils.Class{s.Dst, s.Src[0], s.Src[1], s.Src[2]}
	regs := func(c stencils.Class) int {
		if c == stencils.Float && onDoubles(s) {
			return b.floatsBesideDoubles()
		}
		return b.lib.Regs(c)
	}
	random := func() (r [4]uint8) {
		for i, c := range class {
			if c != stencils.None {
				r[i] = uint8(b.rng.Intn(regs(c)))
			}
		}
		return r
	}
	var out [][4]uint8
	for i, c := range class {
		for r := range regs(c) {
			choice := random()
			choice[i] = uint8(r)
			out = append(out, choice)
		}
	}
	for range 60 {
		choice := random()
		i, j := b.rng.Intn(4), b.rng.Intn(4)
		if class[i] == class[j] {
			choice[i] = choice[j]
		}
		out = append(out, choice, random())
	}
	if s.Tied {
		for i := range out {
			out[i][1] = out[i][0]
		}
	}
	return out
}

// immediates is what to try for imm.
func (b *bench) immediates(s *stencils.Stencil) int32 {
	size := sizeOf(s)
	last := dataBytes - size
	switch s.Imm {
	case stencils.Constant:
		if shiftsBy(s.Op) {
			return 1 + int32(b.rng.Intn(int(s.MaxImm)))
		}
		if _, ok := rowOps[s.Op]; ok {
			_, _, imm := b.rows(s)
			return imm
		}
		if numberOps[s.Op] != 0 || testOps[s.Op] || pickOps[s.Op] != nil || s.Op == "put" {
			return s.MinImm + int32(b.rng.Int63n(int64(s.MaxImm)-int64(s.MinImm)+1))
		}
		if s.Op == "mulshr" || s.Op == "spread" || s.Op == "ssat" || s.Op == "usat" {
			return int32(b.rng.Intn(int(s.MaxImm) + 1))
		}
		return int32(draw(b.rng, "i32"))
	case stencils.Offset:
		near := min(s.MaxDirect, last)
		if s.Service != stencils.NoService { // the address stands behind the sticky flags
			return int32(b.rng.Intn(int(near/4)))*4 + 4
		}
		switch b.rng.Intn(5) {
		case 0:
			return near // the last offset of the short code
		case 1:
			return min(near+size, last) // the first one beyond
		case 2:
			return int32(b.rng.Intn(int(dataBytes/size))) * size
		case 3: // about the reach of 12 bits, where a middle form may end
			return 1<<12 - 2*size + int32(b.rng.Intn(4))*size
		}
		return int32(b.rng.Intn(int(near/size)+1)) * size
	}
	return 0
}

// sizeOf is the size in bytes of what a stencil moves to or from memory.
func sizeOf(s *stencils.Stencil) int32 {
	if s.DType == doubleType {
		return 8
	}
	return 4
}

// dtypeOf operand i (0 = a): conditions are bools for lanes and doubles, and any integers elsewhere.
func dtypeOf(s *stencils.Stencil, i int) string {
	switch {
	case s.Op == "select" && i == 0 && (lanesOf(s) > 1 || s.DType == doubleType):
		return "bool"
	case (s.Op == "select" || s.Op == "ifflag") && i == 0:
		return "i32"
	case takesMask[s.Op] && i == 0:
		return maskType
	}
	return s.DType
}

// prepare makes the arguments of one case and puts them into a state.
func (b *bench) prepare(s *stencils.Stencil, regs [4]uint8, imm int32, words [3]uint64) (state, arguments, []word) {
	st := b.randomState()
	args := arguments{imm: imm, flags: b.rng.Uint32() & 3}
	index := -1 // operand that is an index
	if s.Op == "ldx" {
		index = 0
	} else if s.Op == "stx" {
		index = 1
	}
	if op, ok := rowOps[s.Op]; ok {
		words[0] = uint64(b.index(op, imm))
	}
	for i := 2; i >= 0; i-- { // a last: where it shares a register, a condition must stay one
		if s.Src[i] != stencils.None {
			b.set(&st, s.Src[i], regs[i+1], words[i])
		}
	}
	at := uint32(imm)
	if index >= 0 {
		size := int(sizeOf(s))
		x := b.rng.Intn((dataBytes-int(imm))/size) * size
		b.set(&st, stencils.Int, regs[index+1], uint64(x))
		at += uint32(x)
	}
	for i := range args.src {
		if s.Src[i] != stencils.None {
			args.src[i] = b.get(&st, s.Src[i], regs[i+1])
		}
	}
	args.word = draw(b.rng, s.DType)
	pokes := append([]word{{0, args.flags}}, wordsAt(s, at&^3, args.word)...)
	if s.Service != stencils.NoService {
		pokes[1] = serviceWord(at, s.Service)
	} else if s.Imm != stencils.Offset {
		for i := range pokes[1:] {
			pokes[1+i] = word{4, pattern(4)}
		}
	} else if at == 0 {
		args.flags = uint32(args.word)
	}
	return st, args, pokes
}

// TestStencils runs every stencil with every register in every place, and with
// all pairs of special values.
func TestStencils(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, b *bench) {
		count, cases := 0, 0
		for _, s := range b.stencils() {
			if checkedApart(s) || lanesOf(s) > 1 {
				continue // see TestVectors
			}
			count++
			name := fmt.Sprintf("%s.%s.%s", s.Op, s.DType, s.Form)
			f := meaning(s)
			if f == nil {
				t.Errorf("%s: neither an op of the graph nor a known machine op", name)
				continue
			}
			choices := b.choices(s)
			for _, regs := range choices {
				cases += b.check(s, name, f, regs, b.immediates(s), b.randomWords(s, 2))
			}
			regs := choices[b.rng.Intn(len(choices))]
			cases += b.check(s, name, f, regs, b.immediates(s), b.specialWords(s))
			for range *rounds {
				regs := choices[b.rng.Intn(len(choices))]
				cases += b.check(s, name, f, regs, b.immediates(s), b.randomWords(s, 500))
			}
			if t.Failed() {
				return // one broken stencil says enough
			}
		}
		t.Logf("%d stencils, %d cases", count, cases)
	})
}

func (b *bench) randomWords(s *stencils.Stencil, n int) [][3]uint64 {
	out := make([][3]uint64, n)
	for k := range out {
		for i := range out[k] {
			out[k][i] = draw(b.rng, dtypeOf(s, i))
		}
	}
	return limited(s, out)
}

// specialWords is all combinations of special values for a and b (for selects:
// of the condition and the values, c being drawn).
func (b *bench) specialWords(s *stencils.Stencil) [][3]uint64 {
	var out [][3]uint64
	second := []uint64{0}
	if s.Src[1] != stencils.None {
		second = specials(dtypeOf(s, 1))
	}
	for _, x := range specials(dtypeOf(s, 0)) {
		for _, y := range second {
			out = append(out, [3]uint64{x, y, draw(b.rng, s.DType)})
		}
	}
	return limited(s, out)
}

// limited makes limits of the first operands of an op that takes one, and divisors without a sign of the second ones.
func limited(s *stencils.Stencil, words [][3]uint64) [][3]uint64 {
	_, limits := limitOps[s.Op]
	divides := s.Op == "rest" || s.Op == "restup"
	for i := range words {
		switch {
		case limits:
			words[i][0] = limit(s.DType, words[i][0])
		case divides:
			words[i][1] &= 1<<31 - 1
		}
	}
	return words
}

// check runs one choice of registers on many values.
func (b *bench) check(s *stencils.Stencil, name string, f func(arguments) effect, regs [4]uint8, imm int32, values [][3]uint64) int {
	d, a, bb, c := regs[0], regs[1], regs[2], regs[3]
	code := b.emit(nil, s, regs, imm)
	if want := s.Size(d, a, bb, c, imm); len(code) != want || len(code) > s.MaxSize {
		b.t.Errorf("%s: %d bytes of code, Size says %d, MaxSize %d", name, len(code), want, s.MaxSize)
	}
	r := &request{code: append(code, b.m.Return...)}
	args := make([]arguments, len(values))
	for i, words := range values {
		st, arg, pokes := b.prepare(s, regs, imm, words)
		args[i], r.states, r.pokes = arg, append(r.states, st), append(r.pokes, pokes)
	}
	after, err := b.h.run(r)
	if err != nil {
		b.t.Fatalf("%s registers %v imm %d: %v", name, regs, imm, err)
	}
	for i := range after {
		want := f(args[i])
		if err := b.compare(s, d, &r.states[i], &after[i], want, r.pokes[i]); err != nil {
			b.t.Errorf("%s registers d=%d a=%d b=%d c=%d, %+v: %v", name, d, a, bb, c, args[i], err)
			return i
		}
	}
	return len(values)
}

// compare checks the result and that everything else is as it was.
func (b *bench) compare(s *stencils.Stencil, d uint8, before, after *state, want effect, pokes []word) error {
	skipGPR := -1
	var skipVec []int
	if s.Dst != stencils.None {
		got := b.get(after, s.Dst, d)
		if want.signOnly {
			got &= 1 << 31
		}
		if want.orNaN && isNaN(got) {
			got = want.result
		}
		if !same(resultClass(s), got, want.result) {
			return fmt.Errorf("result %#x, want %#x", got, want.result)
		}
		n := int(b.number(s.Dst, d))
		if s.Dst == stencils.Float || s.Dst == stencils.Double {
			skipVec = b.vectors(s.Dst, d)
			if top := after.Vec[n][0] & boxTop; b.m.Boxed && s.Dst == stencils.Float && top != boxTop {
				return fmt.Errorf("upper half of the result register is %#x", top>>32)
			}
		} else {
			skipGPR = n
			if x := after.GPR[n]; b.m.ZeroTop && x>>32 != 0 || b.m.SignTop && x != uint64(int32(x)) {
				return fmt.Errorf("upper half of the result register is %#x", x>>32)
			}
		}
	}
	kept := &b.keptVec
	if onDoubles(s) {
		kept = &b.keptBeside
	}
	ints := b.keptGPR
	if s.Service != stencils.NoService {
		for r := range b.lib.Regs(stencils.Int) {
			if b.lib.Spared(stencils.Int)>>r&1 == 0 {
				ints[b.number(stencils.Int, uint8(r))] = false
			}
		}
	}
	if err := b.untouched(before, after, &ints, kept, skipGPR, skipVec); err != nil {
		return err
	}
	return memoryChanges(after, want.stores, pokes)
}

// untouched checks registers, stack pointer and floating-point control.
func (b *bench) untouched(before, after *state, gpr, vec *[32]bool, skipGPR int, skipVec []int) error {
	for n := range gpr {
		was := before.GPR[n]
		if n == int(before.BaseReg) {
			was = 0 // the harness subtracts the address of the data
		}
		if gpr[n] && n != skipGPR && after.GPR[n] != was {
			return fmt.Errorf("general register %d changed from %#x to %#x", n, was, after.GPR[n])
		}
		if vec[n] && !slices.Contains(skipVec, n) && after.Vec[n] != before.Vec[n] {
			return fmt.Errorf("vector register %d changed from %#x to %#x", n, before.Vec[n], after.Vec[n])
		}
	}
	if after.SPMoved != 0 {
		return fmt.Errorf("stack pointer moved by %d", int64(after.SPMoved))
	}
	if (after.Control^before.Control)&b.m.Mask != 0 {
		return fmt.Errorf("floating-point control changed from %#x to %#x", before.Control, after.Control)
	}
	return nil
}

// memoryChanges compares what the run changed with the stores wanted. A store
// of what stood there is no change.
func memoryChanges(after *state, stores, pokes []word) error {
	stood := func(offset uint32) uint32 {
		w := pattern(offset)
		for _, p := range pokes {
			if p.Offset == offset {
				w = p.Word
			}
		}
		return w
	}
	want := map[uint32]uint32{}
	for _, s := range stores {
		if s.Word != stood(s.Offset) {
			want[s.Offset] = s.Word
		}
	}
	if int(after.Changes) != len(want) {
		return fmt.Errorf("%d data words changed, want %d (%v of %v)", after.Changes, len(want), after.Change[:min(after.Changes, maxChanges)], want)
	}
	for _, c := range after.Change[:min(after.Changes, maxChanges)] {
		if w, ok := want[c.Offset]; !ok || w != c.Word {
			return fmt.Errorf("data word at %d became %#x, want %v", c.Offset, c.Word, want)
		}
	}
	return nil
}
