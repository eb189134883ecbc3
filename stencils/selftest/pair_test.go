package selftest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/copaflash/copaflash/stencils"
)

// pairOps are those on two neighbouring values, at a fixed place or by a pointer.
var pairOps = map[string]bool{"ld2": true, "st2": true, "ldp2": true, "stp2": true}

// TestPairs runs every load and store of two words with all registers that it takes, at offsets of every kind.
func TestPairs(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, b *bench) {
		count := 0
		for _, s := range b.stencils() {
			if !pairOps[s.Op] {
				continue
			}
			if strings.HasSuffix(s.Op, "p2") {
				count += b.checkPairsByPointer(s)
				continue
			}
			for x := range uint8(b.lib.Regs(s.Src[0])) {
				for y := range uint8(b.lib.Regs(s.Src[0])) {
					if s.Src[1] == stencils.None && (x%2 != 0 || y != x+1) || x == y {
						continue
					}
					for _, imm := range []int32{0, 4, s.MaxImm - 4, s.MaxImm, 4 * int32(b.rng.Intn(int(s.MaxImm/4)))} {
						b.checkPair(s, x, y, imm)
						count++
					}
				}
			}
		}
		t.Logf("%d pairs", count)
	})
}

// checkPairsByPointer runs one with all registers for the values, and tells how often.
func (b *bench) checkPairsByPointer(s *stencils.Stencil) (count int) {
	size := int32(4 * lanesOf(s))
	even := s.Src[2] == stencils.None
	for x := range uint8(b.lib.Regs(s.Src[1])) {
		for y := range uint8(b.lib.Regs(s.Src[1])) {
			p := uint8(b.rng.Intn(b.lib.Regs(stencils.Int)))
			if x == y || even && (x%2 != 0 || y != x+1) || b.shares(s) && (x == p || y == p) {
				continue
			}
			imm := []int32{0, size, s.MaxImm, size * int32(b.rng.Intn(int(s.MaxImm/size)))}[b.rng.Intn(4)]
			b.checkPairByPointer(s, p, x, y, imm)
			count++
		}
	}
	return count
}

// checkPairByPointer moves two values between registers and what lies behind a pointer.
func (b *bench) checkPairByPointer(s *stencils.Stencil, p, x, y uint8, imm int32) {
	const apart, behind = 64, 1536 // places of the values by themselves, and behind the pointer
	lanes, size := lanesOf(s), int32(4*lanesOf(s))
	prog := &program{b: b}
	prog.enter()
	values := [2]uint8{x, y}
	if s.Op == "stp2" {
		for k, v := range values {
			prog.emit("ld", s.DType, v, 0, 0, 0, apart+int32(k)*size)
		}
	}
	prog.emit("imm", "i32", p, 0, 0, 0, behind-imm)
	prog.emit("pointer", "i32", p, p, 0, 0, 0)
	b.note(s)
	prog.code = b.emit(prog.code, s, [4]uint8{0, p, x, y}, imm)
	from, to := uint32(behind), uint32(apart)
	if s.Op == "stp2" {
		from, to = to, from
	} else {
		for k, v := range values {
			prog.emit("st", s.DType, 0, v, 0, 0, apart+int32(k)*size)
		}
	}
	prog.leave()
	var pokes, stores []word
	for k := range uint32(2 * lanes) {
		w := b.rng.Uint32()
		pokes, stores = append(pokes, word{from + 4*k, w}), append(stores, word{to + 4*k, w})
	}
	after := prog.run(pokes)
	if err := memoryChanges(&after, stores, pokes); err != nil {
		b.t.Errorf("%s.%s by register %d, values in %d and %d, offset %d: %v", s.Op, s.DType, p, x, y, imm, err)
	}
}

// checkPair runs one with the registers x and y; between a comparison and a choice by its flags, where there are such.
func (b *bench) checkPair(s *stencils.Stencil, x, y uint8, imm int32) {
	var code []byte
	var free []uint8 // other integer registers
	for r := range uint8(b.lib.Regs(stencils.Int)) {
		if s.Src[0] != stencils.Int || r != x && r != y {
			free = append(free, r)
		}
	}
	test, pick := b.lib.Find("test", "i32", stencils.Reg), b.lib.Find("pickgt", "i32", stencils.Reg)
	flags := test != nil && pick != nil && len(free) >= 3
	if flags {
		code = b.emit(code, test, [4]uint8{0, free[0], free[1]}, 0)
	}
	code = b.emit(code, s, [4]uint8{0, x, y}, imm)
	if flags {
		code = b.emit(code, pick, [4]uint8{free[2], free[0], free[1]}, 0)
	}
	r := &request{code: append(code, b.m.Return...)}
	for range 8 {
		at := uint32(imm)
		r.states = append(r.states, b.randomState())
		r.pokes = append(r.pokes, []word{{at, b.rng.Uint32()}, {at + 4, b.rng.Uint32()}})
	}
	after, err := b.h.run(r)
	if err != nil {
		b.t.Fatalf("%s.%s registers %d and %d, offset %d: %v", s.Op, s.DType, x, y, imm, err)
	}
	for i := range after {
		before := r.states[i]
		var stores []word
		for k, reg := range [2]uint8{x, y} {
			if w := r.pokes[i][k]; s.Op == "st2" {
				stores = append(stores, word{w.Offset, uint32(b.get(&before, s.Src[0], reg))})
			} else {
				b.set(&before, s.Src[0], reg, uint64(w.Word))
			}
		}
		if flags {
			most := max(int32(b.get(&before, stencils.Int, free[0])), int32(b.get(&before, stencils.Int, free[1])))
			b.set(&before, stencils.Int, free[2], uint64(uint32(most)))
		}
		err := b.sameValues(&before, &after[i])
		if err == nil {
			err = memoryChanges(&after[i], stores, r.pokes[i])
		}
		if err != nil {
			b.t.Errorf("%s.%s registers %d and %d, offset %d: %v", s.Op, s.DType, x, y, imm, err)
			return
		}
	}
}

// sameValues compares all registers of a program, and what else no stencil may touch.
func (b *bench) sameValues(want, got *state) error {
	kept := b.keptGPR
	for r := range uint8(b.lib.Regs(stencils.Int)) {
		kept[b.number(stencils.Int, r)] = false // of these only 32 bits count
		if x, y := b.get(want, stencils.Int, r), b.get(got, stencils.Int, r); x != y {
			return fmt.Errorf("integer register %d is %#x, want %#x", r, y, x)
		}
	}
	for r := range uint8(b.lib.Regs(stencils.Float)) {
		if x, y := b.get(want, stencils.Float, r), b.get(got, stencils.Float, r); x != y {
			return fmt.Errorf("float register %d is %#x, want %#x", r, y, x)
		}
	}
	return b.untouched(want, got, &kept, &[32]bool{}, -1, nil)
}
