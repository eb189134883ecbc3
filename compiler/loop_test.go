package compiler_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// Loops whose carries change places: more of them than any architecture has
// registers, in circles and chains, with and without kernel calls in the iteration.
func TestCarriesThatChangePlaces(t *testing.T) {
	type iteration = func(g *graph.Graph, i graph.Value, c []graph.Value) []graph.Value
	rotate := func(by int) iteration {
		return func(_ *graph.Graph, _ graph.Value, c []graph.Value) []graph.Value {
			return append(append([]graph.Value{}, c[by:]...), c[:by]...)
		}
	}
	bodies := map[string]struct {
		carries int
		body    iteration
	}{
		"exchange":     {2, rotate(1)},
		"circle":       {7, rotate(3)},
		"large circle": {45, rotate(1)},
		"circles":      {40, rotate(10)},
		"fan": {9, func(g *graph.Graph, i graph.Value, c []graph.Value) []graph.Value {
			return []graph.Value{c[8], c[0], c[0], c[0], c[3], c[3], c[1], i.ToF32(), c[7].Add(c[1])}
		}},
		"fan in memory": {36, func(g *graph.Graph, i graph.Value, c []graph.Value) []graph.Value {
			next := make([]graph.Value, len(c))
			for k := range next {
				next[k] = c[(k*k+3)%len(c)]
			}
			next[5] = c[5].Add(c[6])
			return next
		}},
		"constants": {4, func(g *graph.Graph, i graph.Value, c []graph.Value) []graph.Value {
			return []graph.Value{g.F32(7), g.F32(7), c[0], c[3]}
		}},
		"calls": {12, func(g *graph.Graph, i graph.Value, c []graph.Value) []graph.Value {
			next := append(append([]graph.Value{}, c[1:]...), c[0].Mul(g.F32(0.3)).Sin())
			next[4] = c[2].Atan2(c[9])
			return next
		}},
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, b := range bodies {
			for _, iterations := range []int{1, 2, 50} {
				g := graph.New()
				var carry []graph.Value
				for k := range b.carries {
					carry = append(carry, g.InputF32("", float32(k)+0.5))
				}
				ints := []graph.Value{g.InputI32("", 3), g.InputI32("", -4), g.InputI32("", 5)}
				last, err := g.Fori(iterations, append(carry, ints...), func(i graph.Value, c []graph.Value) ([]graph.Value, error) {
					n := b.carries
					return append(b.body(g, i, c[:n]), c[n+1], c[n+2].Add(i), c[n]), nil
				})
				require.NoError(t, err)
				jobs = append(jobs, newJob(t, fmt.Sprintf("%s, %d iterations", name, iterations), g, last, compiler.Options{Arch: m.arch, Features: m.features, Unroll: compiler.UnrollNever}))
			}
		}
		m.runJobs(t, jobs)
	})
}

// TestShortBodies has loops of which one iteration of the code may be several: delay lines,
// running sums and integrators, with rows that lie apart, walked to either end and written.
func TestShortBodies(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range []int{2, 7, 12, 25, 64, 90} {
			g := graph.New()
			x, pairs := vector(g, t, n), vector(g, t, 40*n, 3)
			back, ints := x.Slice(n-1, n, -1), g.InputI32("", 5)
			far := pairs.Slice(0, n, 40) // rows beyond the reach of short offsets
			outs, sums, err := g.Scan(n, []graph.Value{g.F32(0)}, []graph.Value{x}, func(_ graph.Value, c, x []graph.Value) ([]graph.Value, []graph.Value, error) {
				s := c[0].Add(x[0])
				return []graph.Value{s}, []graph.Value{s}, nil
			})
			require.NoError(t, err)
			lines, rows, err := g.Scan(n, []graph.Value{x.Index(0), x.Index(1), g.InputF32("", 2), ints, g.F32(1)}, []graph.Value{back, x}, func(i graph.Value, c, x []graph.Value) ([]graph.Value, []graph.Value, error) {
				return []graph.Value{x[0], c[0], c[1], c[3].Add(i), x[1]}, []graph.Value{c[2].Mul(c[4]), c[3], c[0].Lt(c[1])}, nil
			})
			require.NoError(t, err)
			strided, more, err := g.Scan(n, []graph.Value{g.F32(0.5)}, []graph.Value{far, far.Slice(n-1, n, -1)}, func(_ graph.Value, c, x []graph.Value) ([]graph.Value, []graph.Value, error) {
				y := c[0].Mul(x[0].Index(1)).Add(x[1].Index(2))
				return []graph.Value{y}, []graph.Value{x[1].Index(0).Sub(c[0])}, nil
			})
			require.NoError(t, err)
			outs = slices.Concat(outs, sums, lines, rows, strided, more)
			jobs = append(jobs, newJob(t, fmt.Sprintf("%d iterations", n), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: compiler.UnrollAuto}))
		}
		m.runJobs(t, jobs)
	})
}

// Arrays that are carried exchange their values, stack up, and are read backwards.
func TestArraysInLoops(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range []int{1, 3, 16, 17, 100} {
			for _, mode := range []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollAlways, compiler.UnrollNever} {
				g := graph.New()
				a, err := g.Input("a", graph.F32, graph.Shape{n}, ramp(n, 1))
				require.NoError(t, err)
				b, err := g.Input("b", graph.F32, graph.Shape{n}, ramp(n, -2))
				require.NoError(t, err)
				rows, err := g.Input("rows", graph.F32, graph.Shape{6, n}, ramp(6*n, 3))
				require.NoError(t, err)
				back, err := g.Slice(rows, 5, 6, -1)
				require.NoError(t, err)
				last, stacked, err := g.Scan(6, []graph.Value{a, b, g.F32(0)}, []graph.Value{back, rows}, func(i graph.Value, c, x []graph.Value) ([]graph.Value, []graph.Value, error) {
					sum := c[0].Mul(x[0]).Sum()
					return []graph.Value{c[1].Add(x[1]), c[0].Slice(n-1, n, -1), c[2].Add(sum)},
						[]graph.Value{c[1].Mul(g.F32(2)), c[0], sum, x[0]}, nil
				})
				require.NoError(t, err)
				jobs = append(jobs, newJob(t, fmt.Sprintf("%d elements, mode %d", n, mode), g, append(last, stacked...), compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
			}
		}
		m.runJobs(t, jobs)
	})
}

// ramp are the words of small numbers.
func ramp(n int, from float32) []uint32 {
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = from + float32(i)/8
	}
	return graph.F32s(graph.Shape{n}, xs...).Bits
}

// A loop that runs long takes no more code, and its bound counts every iteration.
func TestLongLoop(t *testing.T) {
	size := func(iterations int) compiler.Report {
		g := graph.New()
		x := g.InputF32("x", 0.5)
		last, err := g.Fori(iterations, []graph.Value{x}, func(_ graph.Value, c []graph.Value) ([]graph.Value, error) {
			for range 5 {
				c = []graph.Value{c[0].Mul(g.F32(1.5)).Add(x)}
			}
			return c, nil
		})
		require.NoError(t, err)
		p, err := compiler.Compile(g, []compiler.Output{{Value: last[0]}}, compiler.Options{Arch: "x86_64"})
		require.NoError(t, err)
		return p.Report
	}
	short, long := size(100), size(1_000_000)
	require.Equal(t, short.CodeBytes, long.CodeBytes)
	require.Equal(t, uint64(10_000_000), long.Ops)
	require.Greater(t, long.Instructions, long.Ops)
	require.Less(t, long.Instructions, 3*long.Ops)
}
