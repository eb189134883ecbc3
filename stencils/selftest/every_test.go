package selftest

import (
	"testing"

	"github.com/copaflash/copaflash/stencils"
)

// everyOps are the loads of every other, third or fourth word into registers in a row: how many those are.
var everyOps = map[string]int{"everyx2": 2, "everyx3": 3, "everyx4": 4, "everyp2": 2, "everyp3": 3, "everyp4": 4}

// TestEvery runs them with all registers, by an offset and by a pointer.
func TestEvery(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, b *bench) {
		count := 0
		for _, s := range b.stencils() {
			n := everyOps[s.Op]
			if n == 0 {
				continue
			}
			for d := range uint8(b.lib.Regs(stencils.Vector) - n + 1) {
				for p := range uint8(b.lib.Regs(stencils.Int)) {
					b.checkEvery(s, n, d, p)
					count++
				}
			}
		}
		t.Logf("%d cases", count)
	})
}

// checkEvery runs one from register d on, with the place in register p.
func (b *bench) checkEvery(s *stencils.Stencil, n int, d, p uint8) {
	lanes := lanesOf(s)
	imm := []int32{0, 4, s.MaxImm &^ 3, 4 * int32(b.rng.Intn(int(s.MaxImm)/4))}[b.rng.Intn(4)]
	at := uint32(imm) + 4*uint32(b.rng.Intn(64))
	var code []byte
	byPointer := b.lib.Find("pointer", "i32", stencils.Reg)
	if s.Op[:len("everyp")] == "everyp" {
		code = b.emit(code, byPointer, [4]uint8{p, p}, 0)
	}
	code = b.emit(code, s, [4]uint8{d, p}, imm)
	before := b.randomState()
	b.set(&before, stencils.Int, p, uint64(at-uint32(imm)))
	var pokes []word
	for k := range n * lanes {
		pokes = append(pokes, word{at + 4*uint32(k), b.rng.Uint32()})
	}
	after, err := b.h.run(&request{code: append(code, b.m.Return...), states: []state{before}, pokes: [][]word{pokes}})
	if err != nil {
		b.t.Fatalf("%s.%s from register %d, place in %d: %v", s.Op, s.DType, d, p, err)
	}
	var skip []int
	for k := range n {
		got := b.getVector(&after[0], d+uint8(k), lanes)
		for lane := range lanes {
			if want := pokes[n*lane+k].Word; got[lane] != want {
				b.t.Errorf("%s.%s from register %d: lane %d of register %d is %#x, want %#x", s.Op, s.DType, d, lane, k, got[lane], want)
			}
		}
		skip = append(skip, b.vectors(stencils.Vector, d+uint8(k))...)
	}
	kept := b.keptGPR
	kept[b.number(stencils.Int, p)] = false // may be a pointer now
	if err := b.untouched(&before, &after[0], &kept, &b.keptVec, -1, skip); err != nil {
		b.t.Errorf("%s.%s from register %d, place in %d: %v", s.Op, s.DType, d, p, err)
	}
	if err := memoryChanges(&after[0], nil, pokes); err != nil {
		b.t.Errorf("%s.%s: %v", s.Op, s.DType, err)
	}
}
