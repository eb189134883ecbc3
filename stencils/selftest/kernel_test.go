package selftest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/stencils"
)

// kernelMeaning gives the results of a kernel for its arguments.
func kernelMeaning(k *stencils.Kernel) func(a, b uint64) [2]uint64 {
	element, _, _ := strings.Cut(k.DType, "x")
	dtype, err := graph.ParseDType(element)
	if err != nil {
		return nil
	}
	if k.Op == "sincos" {
		return func(a, _ uint64) [2]uint64 {
			s, _ := eval.Scalar(graph.OpSin, dtype, a)
			c, _ := eval.Scalar(graph.OpCos, dtype, a)
			return [2]uint64{s, c}
		}
	}
	op, err := graph.ParseOp(k.Op)
	if err != nil || op.Info().Arity != k.Args {
		return nil
	}
	return func(a, b uint64) [2]uint64 {
		result, _ := eval.Scalar(op, dtype, []uint64{a, b}[:k.Args]...)
		return [2]uint64{result}
	}
}

// kernelClass is the class of the registers that a kernel works on.
func kernelClass(k *stencils.Kernel) stencils.Class {
	if k.DType == doubleType {
		return stencils.Double
	}
	return stencils.Float
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
		for _, n := range b.m.Saved {
			b.keptGPR[n] = true
		}
		count := 0
		for _, k := range b.lib.Kernels() {
			if lanesOfType(k.DType) > 1 {
				continue // see TestWideKernels
			}
			if sorts(k) || findsPlace(k) {
				continue // checkSort or checkPlace calls it from a program, which has the data block
			}
			f := kernelMeaning(k)
			if f == nil {
				t.Errorf("kernel %s: not an op of the graph", k.Op)
				continue
			}
			b.checkKernel(k, f)
			count++
		}
		t.Logf("%d kernels", count)
	})
}

func (b *bench) checkKernel(k *stencils.Kernel, f func(a, b uint64) [2]uint64) {
	var args [][2]uint64
	for _, x := range specials(k.DType) {
		if k.Args == 1 {
			args = append(args, [2]uint64{x})
			continue
		}
		for _, y := range specials(k.DType) {
			args = append(args, [2]uint64{x, y})
		}
	}
	b.runKernel(k, f, args)
	args = make([][2]uint64, 2000)
	for range *rounds {
		for i := range args {
			args[i] = [2]uint64{draw(b.rng, k.DType), draw(b.rng, k.DType)}
		}
		b.runKernel(k, f, args)
	}
}

// runKernel calls a kernel with each of the arguments.
func (b *bench) runKernel(k *stencils.Kernel, f func(a, b uint64) [2]uint64, args [][2]uint64) {
	r := &request{code: k.Blob.Code, entry: k.Entry}
	class := kernelClass(k)
	for _, a := range args {
		st := b.randomState()
		for i := range k.Args {
			b.setKernel(&st, class, i, a[i])
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
			if got := b.getKernel(&after[i], class, n); !same(class, got, want[n]) {
				b.t.Errorf("kernel %s.%s(%#x, %#x): result %d is %#x, want %#x", k.Op, k.DType, args[i][0], args[i][1], n, got, want[n])
				return
			}
		}
		err := b.untouched(&r.states[i], &after[i], &b.keptGPR, &b.keptVec, -1, nil)
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

// setKernel puts argument i of a kernel where the C calling convention has it.
func (b *bench) setKernel(s *state, c stencils.Class, i int, bits uint64) {
	switch {
	case b.m.soft():
		s.GPR[b.m.Floats[i]] = bits
	case c == stencils.Double && b.m.Paired:
		s.Vec[2*i][0], s.Vec[2*i+1][0] = bits&low, bits>>32
	default:
		b.set(s, c, uint8(i), bits)
	}
}

func (b *bench) getKernel(s *state, c stencils.Class, i int) uint64 {
	switch {
	case b.m.soft():
		return s.GPR[b.m.Floats[i]] & low
	case c == stencils.Double && b.m.Paired:
		return s.Vec[2*i][0]&low | s.Vec[2*i+1][0]<<32
	}
	return b.get(s, c, uint8(i))
}

func (b *bench) preservedFloats(before, after *state) error {
	for r := range b.lib.Regs(stencils.Float) {
		if b.m.soft() {
			break // seen to with the integer registers
		}
		n := b.number(stencils.Float, uint8(r))
		if b.lib.Preserved(stencils.Float)>>r&1 != 0 && after.Vec[n][0] != before.Vec[n][0] {
			return fmt.Errorf("float register %d is to survive calls and changed from %#x to %#x", r, before.Vec[n][0], after.Vec[n][0])
		}
	}
	return nil
}
