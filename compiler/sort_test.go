package compiler_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// unordered are words in no order: of few values, of special floats, of all kinds.
func unordered(n, kind int) []uint32 {
	special := []float32{0, float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1, -1, 1e-45, -1e-45, math.MaxFloat32}
	words := make([]uint32, n)
	x := uint32(2463534242 + kind)
	for i := range words {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		switch kind {
		case 0:
			words[i] = x
		case 1:
			words[i] = math.Float32bits(special[x%uint32(len(special))])
			if words[i]>>22 == 0x1ff && x&64 != 0 {
				words[i] |= 1<<31 | 5 // a NaN with a sign
			}
		default:
			words[i] = math.Float32bits(float32(int32(x%5) - 2))
		}
	}
	return words
}

// Lines of every length that a way of sorting changes at, along the last axis, wherever they lie.
func TestSort(t *testing.T) {
	sources := map[string]func(g *graph.Graph, x graph.Value) graph.Value{
		"input":     func(_ *graph.Graph, x graph.Value) graph.Value { return x },
		"computed":  func(g *graph.Graph, x graph.Value) graph.Value { return x.Mul(g.F32(-3)) },
		"integers":  func(_ *graph.Graph, x graph.Value) graph.Value { return x.ToI32() },
		"bools":     func(g *graph.Graph, x graph.Value) graph.Value { return x.Gt(g.F32(0)) },
		"backwards": func(_ *graph.Graph, x graph.Value) graph.Value { return x.Slice(x.Shape()[0]-1, x.Shape()[0], -1) },
		"columns": func(_ *graph.Graph, x graph.Value) graph.Value {
			if len(x.Shape()) == 2 {
				return x.Transpose()
			}
			return x
		},
	}
	var shapes []graph.Shape
	for n := 1; n <= 36; n++ {
		shapes = append(shapes, graph.Shape{n})
	}
	shapes = append(shapes, graph.Shape{63}, graph.Shape{64}, graph.Shape{65}, graph.Shape{97}, graph.Shape{200}, graph.Shape{1000},
		graph.Shape{3, 9}, graph.Shape{5, 1}, graph.Shape{2, 40}, graph.Shape{40, 3}, graph.Shape{2, 3, 13})
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, source := range sources {
			for k, shape := range shapes {
				g := graph.New()
				x, err := g.Input("x", graph.F32, shape, unordered(shape.Elements(), (k+len(name))%3))
				require.NoError(t, err)
				from := source(g, x)
				outs := []graph.Value{from.Sort(), from.Argsort(), from.Sort().Reshape(shape.Elements()).Index(shape.Elements() / 2)}
				require.NoError(t, g.Err())
				mode := compiler.UnrollMode((k + len(name)) % 3)
				jobs = append(jobs, newJob(t, fmt.Sprintf("%s, %v, mode %d", name, shape, mode), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
			}
		}
		m.runJobs(t, jobs)
	})
}

// In the body of a loop, of what it carries, of rows and of what lies outside, and what a gradient is.
func TestSortInLoops(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range []int{2, 5, 14, 40} {
			g := graph.New()
			x, err := g.Input("x", graph.F32, graph.Shape{6, n}, unordered(6*n, 2))
			require.NoError(t, err)
			outside := x.Index(3)
			last, rows, err := g.Scan(6, []graph.Value{x.Index(0)}, []graph.Value{x}, func(_ graph.Value, c, x []graph.Value) ([]graph.Value, []graph.Value, error) {
				next := c[0].Add(x[0]).Sort().Sub(x[0].Sort())
				return []graph.Value{next}, []graph.Value{next.Argsort(), x[0].Sort()}, nil
			})
			require.NoError(t, err)
			weights, err := g.Input("w", graph.F32, graph.Shape{6, n}, ramp(6*n, 1))
			require.NoError(t, err)
			gradient, err := compiler.Grad(x.Sort().Mul(weights).Sum(), x)
			require.NoError(t, err)
			outs := append(append(last, rows...), outside.Sort(), gradient[0])
			jobs = append(jobs, newJob(t, fmt.Sprint(n), g, outs, compiler.Options{Arch: m.arch, Features: m.features}))
		}
		m.runJobs(t, jobs)
	})
}

// Neither code nor the number of instructions in it grows with the line.
func TestSortTakesTheSameCode(t *testing.T) {
	size := func(n int) int {
		g := graph.New()
		x, err := g.Input("x", graph.F32, graph.Shape{n}, unordered(n, 0))
		require.NoError(t, err)
		p, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: x.Sort()}}, compiler.Options{Arch: "thumbv7em-sp"})
		require.NoError(t, err)
		return len(p.Image.Code)
	}
	require.Equal(t, size(9), size(32))
	for _, n := range []int{50, 1000, 8000} {
		require.InDelta(t, size(33), size(n), 40) // far offsets take longer code
	}
	require.Less(t, size(32), 216) // twice what GCC makes of insertion
}
