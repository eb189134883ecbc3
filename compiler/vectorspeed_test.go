package compiler_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/internal/gcc"
	"github.com/copaflash/copaflash/protocol/packet"
)

func arrayInput(t testing.TB, g *graph.Graph, n int, step float32) graph.Value {
	words := make([]uint32, n)
	for k := range words {
		words[k] = math.Float32bits(1 + step*float32(k))
	}
	v, err := g.Input("", graph.F32, graph.Shape{n}, words)
	require.NoError(t, err)
	return v
}

// arrayProgram is a computation on two array inputs of n elements, and the same in C as
// loops in the order of graph.LaneTree: arrays a and b of N floats, results from out on.
type arrayProgram struct {
	name  string
	build func(a, b graph.Value) graph.Value
	out   string // number of results
	c     string
}

var arrayPrograms = []arrayProgram{
	{"ten dots", func(a, b graph.Value) graph.Value {
		sum := a.Dot(b)
		for i := 1; i < 10; i++ {
			sum = sum.Add(a.Add(float(a, float32(i))).Dot(b))
		}
		return sum
	}, "1", gcc.TenDotsInLanes},
	{"one dot", func(a, b graph.Value) graph.Value { return a.Dot(b) }, "1", "float sum = 0; DOT(a[k], b[k]); out[0] = sum;"},
	{"axpy", func(a, b graph.Value) graph.Value { return a.Mul(float(a, 1.5)).Add(b) }, "N",
		"for (int k = 0; k < N; k++) out[k] = a[k] * 1.5f + b[k];"},
	{"relu", func(a, b graph.Value) graph.Value {
		x := a.Sub(b)
		return x.Lt(float(a, 0)).Select(float(a, 0), x)
	}, "N", "for (int k = 0; k < N; k++) { float x = a[k] - b[k]; out[k] = x < 0 ? 0 : x; }"},
	{"clamped integers", func(a, b graph.Value) graph.Value {
		i, j := a.ToI32(), b.ToI32()
		return i.Mul(i.Graph().I32(3)).Sub(j).Clamp(i.Graph().I32(0), i.Graph().I32(9)).Sum()
	}, "1", "int sum = 0; for (int k = 0; k < N; k++) { int i = (int)a[k] * 3 - (int)b[k]; sum += i < 0 ? 0 : i > 9 ? 9 : i; } out[0] = (float)sum;"},
	{"maximum", func(a, b graph.Value) graph.Value { return a.AMax() }, "1",
		"float most = a[0]; for (int k = 1; k < N; k++) most = a[k] > most ? a[k] : most; out[0] = most;"},
	{"exp", func(a, b graph.Value) graph.Value { return a.Exp() }, "N", "for (int k = 0; k < N; k++) out[k] = __builtin_expf(a[k]);"},
	{"sine", func(a, b graph.Value) graph.Value { return a.Sin() }, "N", "for (int k = 0; k < N; k++) out[k] = __builtin_sinf(a[k]);"},
	{"logarithm", func(a, b graph.Value) graph.Value { return a.Log() }, "N", "for (int k = 0; k < N; k++) out[k] = __builtin_logf(a[k]);"},
	{"tanh", func(a, b graph.Value) graph.Value { return a.Tanh() }, "N", "for (int k = 0; k < N; k++) out[k] = __builtin_tanhf(a[k]);"},
	{"sigmoid", func(a, b graph.Value) graph.Value {
		e, one := a.Abs().Neg().Exp(), float(a, 1)
		return a.Lt(float(a, 0)).Select(e, one).Div(one.Add(e))
	}, "N", "for (int k = 0; k < N; k++) { float e = __builtin_expf(-__builtin_fabsf(a[k])); out[k] = (a[k] < 0 ? e : 1) / (1 + e); }"},
	{"softmax", func(a, b graph.Value) graph.Value {
		e := a.Sub(a.AMax()).Exp()
		return e.Div(e.Sum())
	}, "N", "float most = a[0], sum = 0; for (int k = 1; k < N; k++) most = a[k] > most ? a[k] : most;\n" +
		"    for (int k = 0; k < N; k++) sum += out[k] = __builtin_expf(a[k] - most);\n    for (int k = 0; k < N; k++) out[k] /= sum;"},
	{"complex products", func(a, b graph.Value) graph.Value {
		n := a.Shape()[0] / 2
		c, d, e, f := a.Slice(0, n, 2), a.Slice(1, n, 2), b.Slice(0, n, 2), b.Slice(1, n, 2)
		both := a.Graph().ConcatOf(c.Mul(e).Sub(d.Mul(f)).Reshape(1, n), c.Mul(f).Add(d.Mul(e)).Reshape(1, n))
		return both.Transpose().Reshape(2 * n)
	}, "N", "for (int k = 0; k + 1 < N; k += 2) {\n" +
		"        out[k] = a[k] * b[k] - a[k + 1] * b[k + 1]; out[k + 1] = a[k] * b[k + 1] + a[k + 1] * b[k]; }"},
	{"polynomial", func(a, b graph.Value) graph.Value {
		p := b
		for i := range 5 {
			p = p.Mul(a).Add(float(a, float32(i)))
		}
		return p
	}, "N", "for (int k = 0; k < N; k++) { float p = b[k]; for (int i = 0; i < 5; i++) p = p * a[k] + (float)i; out[k] = p; }"},
}

// BenchmarkLoops compares the code for arrays, left as loops, with GCC's for loops over
// the same eight lanes: for the base of x86_64 and for AVX2, each with what GCC makes
// for it.
func BenchmarkLoops(b *testing.B) {
	for _, p := range arrayPrograms {
		for _, n := range []int{100, 600, 1000} {
			b.Run(fmt.Sprintf("%s/n=%d", p.name, n), func(b *testing.B) {
				g := graph.New()
				v := p.build(arrayInput(b, g, n, gcc.StepA), arrayInput(b, g, n, gcc.StepB))
				base := compileFor(b, g, v, compiler.Options{Arch: packet.ArchX86_64.String()})
				wide := compileFor(b, g, v, compiler.Options{Arch: packet.ArchX86_64.String(), Features: packet.FeatSSE41 | packet.FeatAVX2})
				for b.Loop() {
					ours, theirs := race(b, base, gcc.Arrays(n, p.out, p.c), 60_000/n)
					b.ReportMetric(ours, "ns/run")
					b.ReportMetric(theirs, "gcc-ns/run")
					b.ReportMetric(ours/theirs, "ratio")
					if !cpu.X86.HasAVX2 {
						continue // nothing to be measured on this processor
					}
					ours, theirs = race(b, wide, gcc.Arrays(n, p.out, p.c), 60_000/n, "-mavx2")
					b.ReportMetric(ours, "avx2-ns/run")
					b.ReportMetric(theirs, "gcc-avx2-ns/run")
					b.ReportMetric(ours/theirs, "avx2-ratio")
				}
			})
		}
	}
}

// BenchmarkTenDots compares ten inner products for processors with AVX2, as written and with fast
// arithmetic, with the best of what GCC makes of two forms with -ffast-math.
func BenchmarkTenDots(b *testing.B) {
	if !cpu.X86.HasAVX2 {
		b.Skip("SKIP: measured with AVX2 only")
	}
	flags := []string{"-mavx2", "-mfma", "-ffast-math"}
	for _, n := range []int{100, 600} {
		for _, fast := range []bool{false, true} {
			name := "strict"
			if fast {
				name = "fast"
			}
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				ours := tenDots(b, n, compiler.Options{Arch: packet.ArchX86_64.String(), Features: packet.FeatSSE41 | packet.FeatAVX2, Fast: fast})
				for b.Loop() {
					best, theirs := math.Inf(1), math.Inf(1)
					for _, form := range []string{gcc.TenDots, gcc.TenDotsOneSum} {
						x, y := race(b, ours, gcc.Arrays(n, "1", form), 60_000/n, flags...)
						best, theirs = min(best, x), min(theirs, y)
					}
					b.ReportMetric(best, "ns/run")
					b.ReportMetric(theirs, "gcc-ns/run")
					b.ReportMetric(best/theirs, "ratio")
				}
			})
		}
	}
}
