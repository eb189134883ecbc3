package selftest

import (
	"fmt"
	"testing"

	"github.com/copaflash/copaflash/stencils"
)

// lanes of a Vector register.
const lanes = 4

// vectorType is the dtype of stencils on Vector registers.
const vectorType = "f32x4"

// TestVectors runs every stencil on four lanes as TestStencils runs the others:
// each lane must be what the scalar stencil of the name makes of it.
func TestVectors(t *testing.T) {
	onEveryLibrary(t, func(t *testing.T, b *bench) {
		if b.lib.Regs(stencils.Vector) == 0 {
			return
		}
		count, cases := 0, 0
		for _, s := range b.lib.Stencils() {
			if s.DType != vectorType {
				continue
			}
			count++
			f := laneMeaning(b.lib, s)
			if f == nil {
				t.Errorf("%s: neither an op of f32 nor a known machine op", s.Op)
				continue
			}
			choices := b.choices(s)
			for _, regs := range choices {
				cases += b.checkVector(s, f, regs, b.quads(s, 2))
			}
			for range *rounds {
				cases += b.checkVector(s, f, choices[b.rng.Intn(len(choices))], b.quads(s, 500))
			}
			for lane := range lanes {
				cases += b.checkVector(s, f, choices[b.rng.Intn(len(choices))], b.specialQuads(s, lane))
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

// laneMeaning is what a stencil does to one lane; the words of memory that
// it reads and writes are those of the lane.
func laneMeaning(lib *stencils.Library, s *stencils.Stencil) func(arguments) effect {
	op := s.Op
	if op == "splat" || op == "splatx" {
		op = "ld"
	}
	if scalar := lib.Find(op, "f32", stencils.Reg); scalar != nil {
		return meaning(scalar)
	}
	return nil
}

// quad is the operands of a case: by source and lane.
type quad [3][lanes]uint32

func (b *bench) quads(s *stencils.Stencil, n int) []quad {
	out := make([]quad, n)
	for k := range out {
		for i := range out[k] {
			for lane := range lanes {
				out[k][i][lane] = uint32(draw(b.rng, "f32"))
			}
		}
	}
	return out
}

// specialQuads is all pairs of special values in one lane, for stencils with two
// sources, or every special value.
func (b *bench) specialQuads(s *stencils.Stencil, lane int) []quad {
	var out []quad
	for _, x := range specialFloats {
		for _, y := range specialFloats {
			q := b.quads(s, 1)[0]
			q[0][lane], q[1][lane] = x, y
			out = append(out, q)
			if s.Src[1] != stencils.Vector {
				break
			}
		}
	}
	return out
}

func (b *bench) setVector(s *state, r uint8, w [lanes]uint32) {
	s.Vec[b.number(stencils.Vector, r)] = [2]uint64{uint64(w[0]) | uint64(w[1])<<32, uint64(w[2]) | uint64(w[3])<<32}
}

func (b *bench) getVector(s *state, r uint8) [lanes]uint32 {
	v := s.Vec[b.number(stencils.Vector, r)]
	return [lanes]uint32{uint32(v[0]), uint32(v[0] >> 32), uint32(v[1]), uint32(v[1] >> 32)}
}

// vectorPlace draws an immediate, near or far, and an index such that four words
// fit behind their sum.
func (b *bench) vectorPlace(s *stencils.Stencil) (imm int32, index uint32) {
	const last = dataBytes - 4*lanes
	if s.Imm != stencils.Offset {
		return 0, 0
	}
	near := min(s.MaxDirect, last)
	imm = []int32{0, near, min(near+4, last), int32(b.rng.Intn(last/4)) * 4, int32(b.rng.Intn(int(near/4)+1)) * 4}[b.rng.Intn(5)]
	return imm, uint32(b.rng.Intn((last-int(imm))/4+1)) * 4
}

// checkVector runs one choice of registers on many values.
func (b *bench) checkVector(s *stencils.Stencil, f func(arguments) effect, regs [4]uint8, values []quad) int {
	imm, index := b.vectorPlace(s)
	code := s.Emit(nil, regs[0], regs[1], regs[2], regs[3], imm)
	r := &request{code: append(code, b.m.ret...)}
	args := make([][lanes]arguments, len(values))
	for i, q := range values {
		st := b.randomState()
		at := uint32(imm)
		for k := 2; k >= 0; k-- {
			switch s.Src[k] {
			case stencils.Vector:
				b.setVector(&st, regs[k+1], q[k])
			case stencils.Int:
				b.set(&st, stencils.Int, regs[k+1], uint64(index))
				at += index
			}
		}
		var pokes []word
		for lane := range lanes {
			a := &args[i][lane]
			a.imm, a.word = int32(at)+4*int32(lane), draw(b.rng, "f32")
			pokes = append(pokes, word{uint32(a.imm), uint32(a.word)})
			if s.Op == "splat" || s.Op == "splatx" {
				a.word = args[i][0].word
			}
			for k, c := range s.Src {
				if c == stencils.Vector {
					a.src[k] = uint64(b.getVector(&st, regs[k+1])[lane])
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
		if err := b.compareVector(s, f, regs[0], &r.states[i], &after[i], &args[i], r.pokes[i]); err != nil {
			b.t.Errorf("%s.%s registers %v imm %d, %+v: %v", s.Op, s.DType, regs, imm, args[i], err)
			return i
		}
	}
	return len(values)
}

// compareVector checks all lanes of the result and that everything else is as it was.
func (b *bench) compareVector(s *stencils.Stencil, f func(arguments) effect, d uint8, before, after *state, args *[lanes]arguments, pokes []word) error {
	skip := -1
	var stores []word
	got := b.getVector(after, d)
	for lane := range lanes {
		want := f(args[lane])
		stores = append(stores, want.stores...)
		if s.Dst != stencils.None && !same(stencils.Float, uint64(got[lane]), want.result) {
			return fmt.Errorf("lane %d is %#x, want %#x", lane, got[lane], want.result)
		}
	}
	if s.Dst != stencils.None {
		skip = int(b.number(stencils.Vector, d))
	}
	if err := b.untouched(before, after, &b.keptGPR, &b.keptVec, -1, skip); err != nil {
		return err
	}
	return memoryChanges(after, stores, pokes)
}
