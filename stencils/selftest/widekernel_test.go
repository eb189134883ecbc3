package selftest

import (
	"testing"

	"github.com/copaflash/copaflash/stencils"
)

// TestWideKernels calls every kernel on several lanes, at the level of processors that it is for: each
// lane is the result of the op, and integer registers, stack and memory are as TestKernels wants them.
func TestWideKernels(t *testing.T) {
	onEveryLevel(t, func(t *testing.T, b *bench) {
		b.keptVec = [32]bool{}
		for r := range b.lib.Regs(stencils.Int) {
			b.keptGPR[b.number(stencils.Int, uint8(r))] = b.lib.Preserved(stencils.Int)>>r&1 != 0
		}
		for _, n := range b.m.Saved {
			b.keptGPR[n] = true
		}
		count := 0
		for _, k := range b.lib.Kernels() {
			if lanesOfType(k.DType) == 1 || k.Feature != b.feature {
				continue
			}
			f := kernelMeaning(k)
			if f == nil || k.Args != 1 || k.Results != 1 {
				t.Errorf("kernel %s.%s: not an op of the graph with one operand", k.Op, k.DType)
				continue
			}
			b.checkWideKernel(k, f)
			count++
		}
		t.Logf("%d kernels", count)
	})
}

// checkWideKernel puts special values into each lane, beside ordinary ones, and then random values
// into all of them: what is in one lane must not change another.
func (b *bench) checkWideKernel(k *stencils.Kernel, f func(a, b uint64) [2]uint64) {
	lanes := lanesOfType(k.DType)
	var args [][maxLanes]uint32
	for _, x := range specials("f32") {
		for lane := range lanes {
			row := b.drawRow()
			row[lane] = uint32(x)
			args = append(args, row)
		}
	}
	for range *rounds {
		for range 500 {
			args = append(args, b.drawRow())
		}
	}
	r := &request{code: k.Blob.Code, entry: k.Entry}
	for _, a := range args {
		st := b.randomState()
		b.setVector(&st, 0, a, lanes)
		r.states = append(r.states, st)
	}
	after, err := b.h.run(r)
	if err != nil {
		b.t.Fatalf("kernel %s.%s: %v", k.Op, k.DType, err)
	}
	for i := range after {
		got := b.getVector(&after[i], 0, lanes)
		for lane, x := range args[i][:lanes] {
			if want := f(uint64(x), 0)[0]; !same(stencils.Float, uint64(got[lane]), want) {
				b.t.Errorf("kernel %s.%s(%#x): lane %d is %#x, want %#x", k.Op, k.DType, x, lane, got[lane], want)
				return
			}
		}
		err := b.untouched(&r.states[i], &after[i], &b.keptGPR, &b.keptVec, -1, nil)
		if err == nil {
			err = memoryChanges(&after[i], nil, nil)
		}
		if err != nil {
			b.t.Errorf("kernel %s.%s(%#x): %v", k.Op, k.DType, args[i], err)
			return
		}
	}
}

func (b *bench) drawRow() (row [maxLanes]uint32) {
	for lane := range row {
		row[lane] = uint32(draw(b.rng, "f32"))
	}
	return row
}
