package compiler_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/native"
)

// runNative runs programs in this process, where it can, and compares as runJobs does.
func (m *machine) runNative(t testing.TB, jobs []*job) {
	t.Helper()
	if m.arch != native.Arch.String() || m.features&^native.Features() != 0 {
		return
	}
	if err := native.GuardFaults(); !errors.Is(err, native.ErrUnsupported) {
		require.NoError(t, err)
	}
	for _, j := range jobs {
		p, err := native.Load(j.prog.Image)
		require.NoError(t, err, j.name)
		for range runs {
			require.NoError(t, p.Run(), j.name)
		}
		j.compare(t, m.name()+" in this process", p.Data())
		require.NoError(t, p.Close())
	}
}

// BenchmarkNative is what a call of a program in this process costs: ten dot products, which the
// Python ancestor takes 1.4 us (n = 10) to 9.9 us (n = 600) for, and inverse kinematics.
func BenchmarkNative(b *testing.B) {
	opt := compiler.Options{Arch: native.Arch.String(), Features: native.Features()}
	run := func(name string, prog *compiler.Program) {
		b.Run(name, func(b *testing.B) {
			p, err := native.Load(prog.Image)
			if errors.Is(err, native.ErrUnsupported) {
				b.Skip("SKIP:", err)
			}
			require.NoError(b, err)
			defer p.Close()
			for b.Loop() {
				if err := p.Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, n := range []int{10, 30, 100, 300, 600} {
		run(fmt.Sprintf("ten dots/n=%d", n), tenDots(b, n, opt))
	}
	for name, build := range map[string]func(testing.TB) (*graph.Graph, []graph.Value){"kinematics, steps": inverseKinematics, "kinematics, loop": kinematicsLoop} {
		g, outs := build(b)
		prog, err := compiler.Compile(g, []compiler.Output{{Value: outs[0]}, {Value: outs[1]}, {Value: outs[2]}}, opt)
		require.NoError(b, err)
		run(name, prog)
	}
}

// tenDots is sum((v1+i)@v2 for i in range(10)) on arrays of n elements.
func tenDots(t testing.TB, n int, opt compiler.Options) *compiler.Program {
	g := graph.New()
	return compileFor(t, g, arrayPrograms[0].build(arrayInput(t, g, n, 0.01), arrayInput(t, g, n, 0.03)), opt)
}

// BenchmarkNativeLoad is loading a program, running it once and closing it.
func BenchmarkNativeLoad(b *testing.B) {
	prog := tenDots(b, 100, compiler.Options{Arch: native.Arch.String()})
	for b.Loop() {
		p, err := native.Load(prog.Image)
		if errors.Is(err, native.ErrUnsupported) {
			b.Skip("SKIP:", err)
		}
		require.NoError(b, err)
		require.NoError(b, p.Run())
		require.NoError(b, p.Close())
	}
}
