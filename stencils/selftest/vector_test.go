package selftest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/copaflash/copaflash/stencils"
)

// maxLanes is the largest number of lanes of a Vector register.
const maxLanes = 8

// lanesOf is the number of lanes that a stencil works on; 1 for one that is not on
// Vector registers.
func lanesOf(s *stencils.Stencil) int { return lanesOfType(s.DType) }

func lanesOfType(dtype string) int {
	switch {
	case strings.HasSuffix(dtype, "x4"):
		return 4
	case strings.HasSuffix(dtype, "x8"):
		return 8
	}
	return 1
}

// elementOf is the dtype of what a lane of source i holds.
func elementOf(s *stencils.Stencil, i int) string {
	element, _, _ := strings.Cut(dtypeOf(s, i), "x")
	return element
}

// TestVectors runs every stencil on several lanes as TestStencils runs the others:
// each lane must be what the scalar stencil of the name makes of it.
func TestVectors(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, b *bench) {
		if b.lib.Regs(stencils.Vector) == 0 {
			return
		}
		count, cases := 0, 0
		for _, s := range b.stencils() {
			if lanesOf(s) == 1 || programOps[s.Op] || pairOps[s.Op] || everyOps[s.Op] > 0 {
				continue
			}
			count++
			if s.Op == "narrow" {
				b.checkNarrow(s)
				continue
			}
			f := laneMeaning(b.lib, s)
			if f == nil {
				t.Errorf("%s.%s: neither an op of single elements nor a known machine op", s.Op, s.DType)
				continue
			}
			choices := b.choices(s)
			for _, regs := range choices {
				cases += b.checkVector(s, f, regs, b.randomRows(s, 2))
			}
			for range *rounds {
				cases += b.checkVector(s, f, choices[b.rng.Intn(len(choices))], b.randomRows(s, 500))
			}
			for lane := range lanesOf(s) {
				cases += b.checkVector(s, f, choices[b.rng.Intn(len(choices))], b.specialRows(s, lane))
			}
			if t.Failed() {
				return
			}
		}
		if count == 0 {
			t.Error("no stencil on vectors")
		}
		t.Logf("%d stencils, %d cases", count, cases)
	})
}

// laneMoves are the ops whose result has lanes of the operands in other places.
var laneMoves = map[string]bool{
	"even": true, "odd": true, "weavelow": true, "weavehigh": true, "reverse": true,
	"even4": true, "odd4": true, "weavelow4": true, "weavehigh4": true, "lowhalves": true, "highhalves": true,
}

// laneMeaning is what a stencil does to one lane; the words of memory that
// it reads and writes are those of the lane.
func laneMeaning(lib *stencils.Library, s *stencils.Stencil) func(arguments) effect {
	op := s.Op
	if shiftsBy(op) || maskOps[op] != nil {
		return meaning(s)
	}
	if op == "splat" || op == "splatx" {
		op = "ld"
	}
	if laneMoves[op] {
		op = "mov"
	}
	if op == "muls" || op == "mullane" {
		op = "mul"
	}
	if strings.HasPrefix(op, "fold") {
		op = "add"
	}
	if scalar, ok := map[string]string{"addx": "add", "subx": "sub", "mulx": "mul"}[op]; ok {
		return meaning(lib.Find(scalar, "f32", stencils.Mem))
	}
	if scalar := lib.Find(op, elementOf(s, 2), stencils.Reg); scalar != nil {
		return meaning(scalar)
	}
	return nil
}

// laneClass is the class of what a lane of the result holds.
func laneClass(s *stencils.Stencil) stencils.Class {
	scalar := *s
	scalar.DType = elementOf(s, 2)
	return resultClass(&scalar)
}

// rows is the operands of a case: by source and lane.
type rows [3][maxLanes]uint32

func (b *bench) randomRows(s *stencils.Stencil, n int) []rows {
	out := make([]rows, n)
	for k := range out {
		for i := range out[k] {
			for lane := range maxLanes {
				out[k][i][lane] = uint32(draw(b.rng, elementOf(s, i)))
			}
		}
	}
	return out
}

// specialRows is all pairs of special values in one lane, for stencils with two
// sources, or every special value.
func (b *bench) specialRows(s *stencils.Stencil, lane int) []rows {
	var out []rows
	for _, x := range specials(elementOf(s, 0)) {
		for _, y := range specials(elementOf(s, 1)) {
			q := b.randomRows(s, 1)[0]
			q[0][lane], q[1][lane] = uint32(x), uint32(y)
			out = append(out, q)
			if s.Src[1] != stencils.Vector {
				break
			}
		}
	}
	return out
}

// half is the four lanes of a register from the given one on. Lanes beyond the fourth
// exist where there are YMM registers.
func (b *bench) half(s *state, r uint8, lane int) *[2]uint64 {
	return &s.Vec[int(b.number(stencils.Vector, r))+lane/4*upperHalves]
}

func (b *bench) setVector(s *state, r uint8, w [maxLanes]uint32, lanes int) {
	for k := 0; k < lanes; k += 4 {
		*b.half(s, r, k) = [2]uint64{uint64(w[k]) | uint64(w[k+1])<<32, uint64(w[k+2]) | uint64(w[k+3])<<32}
	}
}

func (b *bench) getVector(s *state, r uint8, lanes int) (w [maxLanes]uint32) {
	for k := 0; k < lanes; k += 4 {
		h := b.half(s, r, k)
		w[k], w[k+1], w[k+2], w[k+3] = uint32(h[0]), uint32(h[0]>>32), uint32(h[1]), uint32(h[1]>>32)
	}
	return w
}

// vectorPlace draws an immediate, near or far, and an index such that all lanes fit
// behind their sum.
func (b *bench) vectorPlace(s *stencils.Stencil) (imm int32, index uint32) {
	last := int32(dataBytes - 4*lanesOf(s))
	if shiftsBy(s.Op) {
		return 1 + int32(b.rng.Intn(int(s.MaxImm))), 0
	}
	if s.Op == "mullane" {
		return int32(b.rng.Intn(int(s.MaxImm) + 1)), 0
	}
	if s.Imm != stencils.Offset {
		return 0, 0
	}
	near := min(s.MaxDirect, last)
	imm = []int32{0, near, min(near+4, last), int32(b.rng.Intn(int(last)/4)) * 4, int32(b.rng.Intn(int(near/4)+1)) * 4}[b.rng.Intn(5)]
	return imm, uint32(b.rng.Intn(int(last-imm)/4+1)) * 4
}

// checkVector runs one choice of registers on many values.
func (b *bench) checkVector(s *stencils.Stencil, f func(arguments) effect, regs [4]uint8, values []rows) int {
	lanes := lanesOf(s)
	imm, index := b.vectorPlace(s)
	code := b.emit(nil, s, regs, imm)
	r := &request{code: append(code, b.m.Return...)}
	args := make([][maxLanes]arguments, len(values))
	for i, q := range values {
		st := b.randomState()
		at := uint32(imm)
		for k := 2; k >= 0; k-- {
			switch s.Src[k] {
			case stencils.Vector:
				b.setVector(&st, regs[k+1], q[k], lanes)
			case stencils.Int:
				b.set(&st, stencils.Int, regs[k+1], uint64(index))
				at += index
			}
		}
		var pokes []word
		for lane := range lanes {
			a := &args[i][lane]
			a.imm, a.word = int32(at)+4*int32(lane), draw(b.rng, "f32")
			if s.Imm == stencils.Constant {
				a.imm = imm
			} else {
				pokes = append(pokes, word{uint32(a.imm), uint32(a.word)})
			}
			if s.Op == "splat" || s.Op == "splatx" {
				a.word = args[i][0].word
			}
			for k, c := range s.Src {
				if c == stencils.Vector {
					from, at := sourceOf(s, k, lane, int(imm))
					a.src[k] = uint64(b.getVector(&st, regs[from+1], lanes)[at])
				}
			}
		}
		r.states, r.pokes = append(r.states, st), append(r.pokes, pokes)
	}
	after, err := b.h.run(r)
	if err != nil {
		b.t.Fatalf("%s registers %v imm %d: %v", s.Op, regs, imm, err)
	}
	for i := range after {
		if err := b.compareVector(s, f, regs[0], &r.states[i], &after[i], args[i][:lanes], r.pokes[i]); err != nil {
			b.t.Errorf("%s.%s registers %v imm %d, %+v: %v", s.Op, s.DType, regs, imm, args[i][:lanes], err)
			return i
		}
	}
	return len(values)
}

// sourceOf is the source and its lane that operand k of the op on one lane of the result is.
func sourceOf(s *stencils.Stencil, k, lane, imm int) (source, at int) {
	half, in := lane&^3, lane&3
	switch s.Op {
	case "muls":
		return k, lane * (1 - k)
	case "mullane":
		return k, lane*(1-k) + imm*k
	case "fold4":
		return lane / 4, in + 4*k
	case "fold2":
		return in / 2, half + in%2 + 2*k
	case "fold1":
		return in / 2, half + in%2*2 + k
	case "even":
		return 2 * lane / lanesOf(s), 2 * lane % lanesOf(s)
	case "odd":
		return 2 * lane / lanesOf(s), 2*lane%lanesOf(s) + 1
	case "weavelow":
		return lane % 2, lane / 2
	case "weavehigh":
		return lane % 2, lanesOf(s)/2 + lane/2
	case "even4":
		return in / 2, half + in%2*2
	case "odd4":
		return in / 2, half + in%2*2 + 1
	case "weavelow4":
		return in % 2, half + in/2
	case "weavehigh4":
		return in % 2, half + 2 + in/2
	case "lowhalves":
		return lane / 4, in
	case "highhalves":
		return lane / 4, 4 + in
	case "reverse":
		return k, lanesOf(s) - 1 - lane
	}
	return k, lane
}

// compareVector checks all lanes of the result and that everything else is as it was.
func (b *bench) compareVector(s *stencils.Stencil, f func(arguments) effect, d uint8, before, after *state, args []arguments, pokes []word) error {
	var skip []int
	var stores []word
	got := b.getVector(after, d, len(args))
	for lane := range args {
		want := f(args[lane])
		stores = append(stores, want.stores...)
		if s.Dst != stencils.None && !same(laneClass(s), uint64(got[lane]), want.result) {
			return fmt.Errorf("lane %d is %#x, want %#x", lane, got[lane], want.result)
		}
	}
	if s.Dst != stencils.None {
		skip = b.vectors(stencils.Vector, d)
	}
	if err := b.untouched(before, after, &b.keptGPR, &b.keptVec, -1, skip); err != nil {
		return err
	}
	return memoryChanges(after, stores, pokes)
}

// checkNarrow runs the stencil that clears the upper halves of all registers, and
// nothing else.
func (b *bench) checkNarrow(s *stencils.Stencil) {
	before := b.randomState()
	after, err := b.h.run(&request{code: append(b.emit(nil, s, [4]uint8{}, 0), b.m.Return...), states: []state{before}})
	if err != nil {
		b.t.Fatalf("%s: %v", s.Op, err)
	}
	for n := range upperHalves {
		if after[0].Vec[upperHalves+n] != [2]uint64{} {
			b.t.Errorf("%s: the upper half of register %d is %#x", s.Op, n, after[0].Vec[upperHalves+n])
		}
		before.Vec[upperHalves+n] = [2]uint64{}
	}
	if err := b.untouched(&before, &after[0], &b.keptGPR, &b.keptVec, -1, nil); err != nil {
		b.t.Errorf("%s: %v", s.Op, err)
	}
	if err := memoryChanges(&after[0], nil, nil); err != nil {
		b.t.Errorf("%s: %v", s.Op, err)
	}
}
