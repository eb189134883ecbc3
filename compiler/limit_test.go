package compiler_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// limits are constants for minimum and maximum; also what is limited by them.
var limits = []float64{0, math.Copysign(0, -1), 1.5, -1.5, 1e-42, -1e-42, math.MaxFloat32, math.Inf(1), math.Inf(-1), math.NaN()}

// TestLimits compares minimum and maximum with each constant, of scalars and of
// arrays, on both sides.
func TestLimits(t *testing.T) {
	type program struct {
		number func(g *graph.Graph, x float64) graph.Value
		array  func(g *graph.Graph) graph.Value
	}
	single := program{
		func(g *graph.Graph, x float64) graph.Value { return g.F32(float32(x)) },
		func(g *graph.Graph) graph.Value {
			var bits []uint32
			for _, x := range limits {
				bits = append(bits, math.Float32bits(float32(x)))
			}
			return g.InputTensor("all", graph.Tensor{DType: graph.F32, Shape: graph.Shape{len(bits)}, Bits: bits})
		},
	}
	double := program{
		(*graph.Graph).F64,
		func(g *graph.Graph) graph.Value { return single.array(g).ToF64() },
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		programs := []program{single}
		if compiler.HasDoubles(m.arch) {
			programs = append(programs, double)
		}
		var jobs []*job
		for i, p := range programs {
			for _, mode := range []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollNever} {
				for _, limit := range limits {
					g := graph.New()
					k, all := p.number(g, limit), p.array(g)
					one := all.Index(3)
					outs := []graph.Value{one.Min(k), k.Max(one), one.Max(p.number(g, 0)), p.number(g, 0).Min(one),
						all.Min(k), k.Min(all), all.Max(k), k.Max(all), k.Min(all).Max(p.number(g, -1))}
					require.NoError(t, g.Err())
					jobs = append(jobs, newJob(t, fmt.Sprintf("type %d limit %g mode %d", i, limit, mode), g, outs, compiler.Options{Arch: m.arch, Unroll: mode}))
				}
			}
		}
		m.runJobs(t, jobs)
	})
}

// TestLimitsAreShort: a constant limit takes the code for it where that is shorter.
func TestLimitsAreShort(t *testing.T) {
	length := func(arch string, low, high func(g *graph.Graph) graph.Value) uint64 {
		g := graph.New()
		p, err := compiler.Compile(g, []compiler.Output{{Value: g.InputF32("x", 0).Min(high(g)).Max(low(g))}}, compiler.Options{Arch: arch, Verify: true})
		require.NoError(t, err)
		return p.Report.Instructions
	}
	input := func(g *graph.Graph) graph.Value { return g.InputF32("", 1) }
	constant := func(x float32) func(g *graph.Graph) graph.Value {
		return func(g *graph.Graph) graph.Value { return g.F32(x) }
	}
	for _, arch := range []string{"x86_64", "x86_32", "armv7a", "thumbv7em-sp", "thumbv7em-dp", "rv64gc"} {
		general := length(arch, input, input)
		short := length(arch, constant(-1), constant(1))
		require.Less(t, short, general, arch)
		require.Less(t, length(arch, constant(0), constant(1)), general, arch)
		require.Greater(t, length(arch, constant(float32(math.NaN())), constant(float32(math.Copysign(0, -1)))), short, arch)
	}
}

// TestIntegerLimits compares limits of integers on one side and on both with the oracle: ends of what some bits can be, and
// others; in either order, and where what is limited on one side is needed, too.
func TestIntegerLimits(t *testing.T) {
	ends := []int32{0, 1, -1, 7, 8, -8, 255, -256, 32767, -32768, math.MaxInt32, math.MinInt32, math.MinInt32 + 1}
	of := func(g *graph.Graph, x graph.Value) (outs []graph.Value) {
		for i, low := range ends {
			for k, high := range ends {
				if low <= high {
					outs = append(outs, x.Max(g.I32(low)).Min(g.I32(high)))
				}
				if (i+k)%3 == 0 {
					outs = append(outs, g.I32(high).Min(x), g.I32(low).Max(g.I32(high).Min(x)))
				}
			}
		}
		return outs
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, x := range []int32{0, 5, -5, 300, -300, 70000, math.MaxInt32, math.MinInt32} {
			g := graph.New()
			jobs = append(jobs, newJob(t, fmt.Sprint(x), g, of(g, g.InputI32("x", x)), compiler.Options{Arch: m.arch}))
		}
		words := make([]uint32, len(ends))
		for i, x := range ends {
			words[i] = uint32(x)
		}
		g := graph.New()
		all, err := g.Input("all", graph.I32, graph.Shape{len(ends)}, words)
		require.NoError(t, err)
		outs := of(g, all)
		require.NoError(t, g.Err())
		jobs = append(jobs, newJob(t, "arrays", g, outs, compiler.Options{Arch: m.arch}))
		m.runJobs(t, jobs)
	})
}

// TestSaturation: one instruction limits an integer to what some bits can be.
func TestSaturation(t *testing.T) {
	length := func(low, high int32) uint64 {
		g := graph.New()
		p, err := compiler.Compile(g, []compiler.Output{{Value: g.InputI32("x", 0).Min(g.I32(high)).Max(g.I32(low))}}, compiler.Options{Arch: "thumbv7m", Verify: true})
		require.NoError(t, err)
		return p.Report.Instructions
	}
	require.Equal(t, length(-32768, 32767), length(0, 255))
	require.Equal(t, length(0, math.MaxInt32), length(0, 255))
	require.Less(t, length(0, 255), length(0, 254)-2)
}
