package compiler_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/internal/gcc"
	"github.com/copaflash/copaflash/internal/seed"
	"github.com/copaflash/copaflash/protocol/packet"
)

// matrixSizes are lengths of axes around those at which code for matrices changes.
var matrixSizes = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 20, 24, 31, 33, 64}

// drawMatrix is a matrix that lies in memory in one of several ways, or is computed.
func drawMatrix(rng *rand.Rand, g *graph.Graph, rows, cols int, input func(graph.Shape) graph.Value) graph.Value {
	switch rng.IntN(7) {
	case 0:
		return input(graph.Shape{cols, rows}).Transpose()
	case 1: // every other row of a larger one
		return input(graph.Shape{2*rows + 1, cols}).Slice(1, rows, 2)
	case 2: // some columns of a larger one
		return input(graph.Shape{cols + 3, rows}).Slice(2, cols, 1).Transpose()
	case 3:
		return input(graph.Shape{rows, cols}).Slice(rows-1, rows, -1)
	case 4: // the same rows apart
		return input(graph.Shape{rows, cols + rng.IntN(3)}).Transpose().Slice(0, cols, 1).Transpose()
	case 5:
		return input(graph.Shape{rows, cols}).Mul(g.F32(0.5)).Add(input(graph.Shape{cols}))
	}
	return input(graph.Shape{rows, cols})
}

// TestMatrixLoops compares products and sums of matrices of many sizes and layouts with the oracle.
func TestMatrixLoops(t *testing.T) {
	const programs = 300
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for k, seed := range seed.List(t, programs-programs/10, programs/10) {
			rng := rand.New(rand.NewPCG(seed, 11))
			size := func() int { return matrixSizes[rng.IntN(len(matrixSizes)-rng.IntN(len(matrixSizes)))] }
			g := graph.New()
			input := func(s graph.Shape) graph.Value {
				words := make([]uint32, s.Elements())
				for i := range words {
					words[i] = math.Float32bits(float32(rng.NormFloat64()))
					if k%2 == 0 {
						words[i] = drawWord(rng)
					}
				}
				v, err := g.Input("", graph.F32, s, words)
				require.NoError(t, err)
				return v
			}
			rows, terms, cols := size(), size(), size()
			if rng.IntN(8) == 0 {
				terms = 90 + rng.IntN(60)
			}
			a, b := drawMatrix(rng, g, rows, terms, input), drawMatrix(rng, g, terms, cols, input)
			outs := []graph.Value{a.MatMul(b)}
			switch rng.IntN(5) {
			case 0:
				outs = append(outs, a.MatMul(input(graph.Shape{terms})), input(graph.Shape{terms}).MatMul(b), outs[0].Transpose().MatMul(a))
			case 1:
				outs = append(outs, a.SumAxis(0), a.SumAxis(1), a.AMaxAxis(0), b.Abs().AMinAxis(0), a.ToI32().AMinAxis(1), b.Mul(b).SumAxis(0), b.Sub(g.F32(1)).SumAxis(1))
			case 2:
				outs = []graph.Value{a.MatMul(a.Transpose()).Add(input(graph.Shape{rows, rows})), a.Transpose().MatMul(a)}
			case 3:
				outs = []graph.Value{a.ToI32().MatMul(b.ToI32()), a.Lt(g.F32(1)).SumAxis(0)}
			}
			require.NoError(t, g.Err())
			mode := []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollNever}[rng.IntN(2)]
			jobs = append(jobs, newJob(t, fmt.Sprintf("seed %d: %d x %d x %d", seed, rows, terms, cols), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
		}
		m.runJobs(t, jobs)
	})
}

// TestSmallMatrices compares what control programs compute with matrices of a few rows with the oracle.
func TestSmallMatrices(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for n := 2; n <= 6; n++ {
			for _, terms := range []int{n, 2, 3, 4} {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(terms)))
				g := graph.New()
				input := func(s graph.Shape) graph.Value {
					words := make([]uint32, s.Elements())
					for i := range words {
						words[i] = drawWord(rng)
					}
					v, err := g.Input("", graph.F32, s, words)
					require.NoError(t, err)
					return v
				}
				f, p, h := drawMatrix(rng, g, n, n, input), drawMatrix(rng, g, n, n, input), drawMatrix(rng, g, n, terms, input)
				x, z := input(graph.Shape{n}), input(graph.Shape{terms})
				x1, p1 := f.MatMul(x), f.MatMul(p).MatMul(f.Transpose()).Add(input(graph.Shape{n, n}))
				ph := p1.MatMul(h)
				k := ph.Div(h.Mul(ph).Sum().Add(g.F32(0.5)))
				outs := []graph.Value{
					x1.Add(k.MatMul(z.Sub(h.Transpose().MatMul(x1)))), p1.Sub(k.MatMul(ph.Transpose())), h.MatMul(z), h.SumAxis(1), h.AMaxAxis(1),
					k.Slice(0, 1, 1), h.MatMul(h.Transpose()), x.Mul(x).Sub(x1),
				}
				require.NoError(t, g.Err())
				jobs = append(jobs, newJob(t, fmt.Sprintf("%d rows, %d terms", n, terms), g, outs, compiler.Options{Arch: m.arch, Features: m.features}))
			}
		}
		m.runJobs(t, jobs)
	})
}

// matrixPrograms are computations on a square matrix and a vector or another matrix of n rows, as
// they are written in C.
var matrixPrograms = []struct {
	name  string
	sizes []int
	build func(a, b graph.Value, n int) graph.Value
	out   string
	c     string
}{
	{"matrix product", []int{8, 64}, func(a, b graph.Value, n int) graph.Value { return a.Reshape(n, n).MatMul(b.Reshape(n, n)) }, "N",
		"for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { float s = 0; for (int k = 0; k < N; k++) s += a[i * N + k] * b[k * N + j]; out[i * N + j] = s; }"},
	{"matrix times vector", []int{16, 200}, func(a, b graph.Value, n int) graph.Value { return a.Reshape(n, n).MatMul(b.Slice(0, n, 1)) }, "N",
		"for (int i = 0; i < N; i++) { float s = 0; for (int k = 0; k < N; k++) s += a[i * N + k] * b[k]; out[i] = s; }"},
	{"network of 64, 128, 128 and 10", []int{200}, network, "10", `
		static float p[128], q[128];
		const float *w = a;
		for (int i = 0; i < 128; i++, w += 64) { float s = 0; for (int k = 0; k < 64; k++) s += w[k] * b[k]; p[i] = s > 0 ? s : 0; }
		for (int i = 0; i < 128; i++, w += 128) { float s = 0; for (int k = 0; k < 128; k++) s += w[k] * p[k]; q[i] = s > 0 ? s : 0; }
		for (int i = 0; i < 10; i++, w += 128) { float s = 0; for (int k = 0; k < 128; k++) s += w[k] * q[k]; out[i] = s; }`},
}

// network has its weights in a, layer by layer, and its input in b.
func network(a, b graph.Value, _ int) graph.Value {
	at, x := 0, b.Slice(0, 64, 1)
	for i, size := range []int{128, 128, 10} {
		n := x.Shape()[0]
		if i > 0 {
			x = x.Max(float(x, 0))
		}
		x, at = a.Slice(at, size*n, 1).Reshape(size, n).MatMul(x), at+size*n
	}
	return x
}

// TestMatrixCode: products of matrices are computed in vectors, and beyond a size their code does
// not grow with the matrices.
func TestMatrixCode(t *testing.T) {
	for _, m := range withVectors(t) {
		code := func(rows, terms, cols int) (bytes int) {
			g := graph.New()
			v := arrayInput(t, g, rows*terms, 0.5).Reshape(rows, terms).MatMul(arrayInput(t, g, terms*cols, 0.25).Reshape(terms, cols))
			p := compileFor(t, g, v, compiler.Options{Arch: m.arch, Features: m.features})
			var text strings.Builder
			require.NoError(t, p.Listing(&text))
			require.Contains(t, text.String(), fmt.Sprintf("add.f32x%d", m.lanes), m.name())
			require.NotContains(t, text.String(), "add.f32 ", m.name())
			i := slices.Index(opNames(p), "mul.f32")
			require.Positive(t, i+1, m.name())
			require.EqualValues(t, rows*terms*cols, p.Image.Budget.Ops[i].Count, m.name())
			return len(p.Image.Code)
		}
		for _, n := range []int{6, 8, 16, 31, 64} {
			require.Less(t, code(8, n, 8), 3000, "%s, %d terms", m.name(), n)
		}
		for _, n := range []int{16, 64} {
			g := graph.New()
			v := arrayInput(t, g, 20*n, 0.5).Reshape(20, n).MatMul(arrayInput(t, g, n, 0.25))
			p := compileFor(t, g, v, compiler.Options{Arch: m.arch, Features: m.features})
			var text strings.Builder
			require.NoError(t, p.Listing(&text))
			require.Contains(t, text.String(), fmt.Sprintf("fold1.f32x%d", m.lanes), m.name())
		}
		const slack = 64 // for longer immediates
		require.InDelta(t, code(64, 128, 64), code(200, 256, 128), slack, m.name())
	}
}

// BenchmarkMatrices compares products of matrices with GCC's for plain loops, with AVX2.
func BenchmarkMatrices(b *testing.B) {
	if !cpu.X86.HasAVX2 {
		b.Skip("SKIP: this processor has no AVX2")
	}
	for _, p := range matrixPrograms {
		for _, n := range p.sizes {
			b.Run(fmt.Sprintf("%s/n=%d", p.name, n), func(b *testing.B) {
				g := graph.New()
				v := p.build(arrayInput(b, g, n*n, gcc.StepA), arrayInput(b, g, n*n, gcc.StepB), n)
				wide := compileFor(b, g, v, compiler.Options{Arch: packet.ArchX86_64.String(), Features: packet.FeatSSE41 | packet.FeatAVX2})
				source := gcc.Arrays(n*n, p.out, fmt.Sprintf("enum { N = %d }; %s", n, p.c))
				for b.Loop() {
					ours, theirs := race(b, wide, source, 1+100_000/(n*n), "-mavx2")
					b.ReportMetric(ours, "ns/run")
					b.ReportMetric(theirs, "gcc-ns/run")
					b.ReportMetric(ours/theirs, "ratio")
				}
			})
		}
	}
}
