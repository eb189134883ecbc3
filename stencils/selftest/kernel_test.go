package selftest

import (
	"fmt"
	"math"
	"testing"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/eval/crmath"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/stencils"
)

// kernelMeaning gives the results of a kernel for its arguments.
func kernelMeaning(k *stencils.Kernel) func(a, b uint32) [2]uint32 {
	if k.Op == "sincos" {
		return func(a, _ uint32) [2]uint32 {
			s, c := crmath.Sincos(math.Float32frombits(a))
			return [2]uint32{math.Float32bits(s), math.Float32bits(c)}
		}
	}
	op, err := graph.ParseOp(k.Op)
	if err != nil || op.Info().Arity != k.Args {
		return nil
	}
	return func(a, b uint32) [2]uint32 {
		result, _ := eval.Scalar(op, graph.F32, []uint32{a, b}[:k.Args]...)
		return [2]uint32{result}
	}
}

// TestKernels calls every kernel: the results, and that it keeps the registers
// that it promises to keep, the stack and the memory.
func TestKernels(t *testing.T) {
	onEveryLibrary(t, func(t *testing.T, b *bench) {
		b.keptVec = [32]bool{} // of the vectors only the preserved ones, and only their low halves
		for r := range b.lib.Regs(stencils.Int) {
			n := b.number(stencils.Int, uint8(r))
			b.keptGPR[n] = b.lib.Preserved(stencils.Int)>>r&1 != 0
		}
		for _, n := range b.m.saved {
			b.keptGPR[n] = true
		}
		for _, k := range b.lib.Kernels() {
			f := kernelMeaning(k)
			if f == nil {
				t.Errorf("kernel %s: not an op of the graph", k.Op)
				continue
			}
			b.checkKernel(k, f)
		}
		t.Logf("%d kernels", len(b.lib.Kernels()))
	})
}

func (b *bench) checkKernel(k *stencils.Kernel, f func(a, b uint32) [2]uint32) {
	var args [][2]uint32
	for _, x := range specialFloats {
		if k.Args == 1 {
			args = append(args, [2]uint32{x})
			continue
		}
		for _, y := range specialFloats {
			args = append(args, [2]uint32{x, y})
		}
	}
	b.runKernel(k, f, args)
	args = make([][2]uint32, 2000)
	for range *rounds {
		for i := range args {
			args[i] = [2]uint32{draw(b.rng, "f32"), draw(b.rng, "f32")}
		}
		b.runKernel(k, f, args)
	}
}

// runKernel calls a kernel with each of the arguments.
func (b *bench) runKernel(k *stencils.Kernel, f func(a, b uint32) [2]uint32, args [][2]uint32) {
	r := &request{code: k.Blob.Code, entry: k.Entry}
	for _, a := range args {
		st := b.randomState()
		b.set(&st, stencils.Float, 0, a[0])
		if k.Args > 1 {
			b.set(&st, stencils.Float, 1, a[1])
		}
		r.states = append(r.states, st)
	}
	after, err := b.h.run(r)
	if err != nil {
		b.t.Fatalf("kernel %s: %v", k.Op, err)
	}
	for i := range after {
		want := f(args[i][0], args[i][1])
		for n := range k.Results {
			if got := b.get(&after[i], stencils.Float, uint8(n)); !same(stencils.Float, got, want[n]) {
				b.t.Errorf("kernel %s(%#x, %#x): result %d is %#x, want %#x", k.Op, args[i][0], args[i][1], n, got, want[n])
				return
			}
		}
		err := b.untouched(&r.states[i], &after[i], &b.keptGPR, &b.keptVec, -1, -1)
		if err == nil {
			err = b.preservedFloats(&r.states[i], &after[i])
		}
		if err == nil {
			err = memoryChanges(&after[i], nil, nil)
		}
		if err != nil {
			b.t.Errorf("kernel %s(%#x, %#x): %v", k.Op, args[i][0], args[i][1], err)
			return
		}
	}
}

func (b *bench) preservedFloats(before, after *state) error {
	for r := range b.lib.Regs(stencils.Float) {
		n := b.number(stencils.Float, uint8(r))
		if b.lib.Preserved(stencils.Float)>>r&1 != 0 && after.Vec[n][0] != before.Vec[n][0] {
			return fmt.Errorf("float register %d is to survive calls and changed from %#x to %#x", r, before.Vec[n][0], after.Vec[n][0])
		}
	}
	return nil
}
