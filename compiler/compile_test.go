package compiler_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

func forEachMachine(t *testing.T, do func(t *testing.T, m *machine)) {
	for i := range machines {
		m := &machines[i]
		t.Run(m.name(), func(t *testing.T) { do(t, m) })
	}
}

var modes = []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollAlways, compiler.UnrollNever}

// vector is an array input with some values.
func vector(g *graph.Graph, t testing.TB, shape ...int) graph.Value {
	n := graph.Shape(shape).Elements()
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = float32((i*37)%101)/16 - 3
	}
	return g.InputTensor("", graph.F32s(graph.Shape(shape), xs...))
}

// TestPrograms compares programs with the oracle in every way of unrolling.
func TestPrograms(t *testing.T) {
	type build func(t testing.TB, g *graph.Graph) []graph.Value
	programs := map[string]build{
		"scalars": func(t testing.TB, g *graph.Graph) []graph.Value {
			a, b := g.InputF32("a", 1.5), g.InputF32("b", 0.25)
			c := a.Add(b.Mul(g.F32(2)))
			return []graph.Value{c, c.Sin().Add(c.Cos()), a, g.F32(3), c}
		},
		"integer flags": func(t testing.TB, g *graph.Graph) []graph.Value {
			i, z := g.InputI32("i", 7), g.InputI32("z", 0)
			return []graph.Value{i.FloorDiv(z), i.Shl(i.Neg()), i.Mod(z)}
		},
		"flags of a value that nothing uses": func(t testing.TB, g *graph.Graph) []graph.Value {
			i, z := g.InputI32("i", 7), g.InputI32("z", 0)
			return []graph.Value{i.FloorDiv(z).And(g.I32(0)), i}
		},
		"strided and reversed": func(t testing.TB, g *graph.Graph) []graph.Value {
			v := vector(g, t, 67)
			back := v.Slice(66, 67, -1)
			return []graph.Value{back, v.Slice(3, 21, 3).Add(back.Slice(40, 21, 1)), back.Dot(v), v.Slice(60, 20, -3).Sum()}
		},
		"rows reversed in a matrix": func(t testing.TB, g *graph.Graph) []graph.Value {
			a := vector(g, t, 9, 40).Slice(8, 9, -1)
			return []graph.Value{a.Transpose().Slice(39, 40, -1).Neg(), a.SumAxis(0), a.Slice(0, 4, 2).SumAxis(1), a.Transpose().Slice(39, 40, -1).Transpose().SumAxis(1)}
		},
		"matrix products": func(t testing.TB, g *graph.Graph) []graph.Value {
			a, b, v, w := vector(g, t, 7, 19), vector(g, t, 19, 11), vector(g, t, 19), vector(g, t, 7)
			return []graph.Value{a.MatMul(b), a.MatMul(v), w.MatMul(a), a.MatMul(b).Transpose().MatMul(w), b.Transpose().MatMul(a.Transpose())}
		},
		"matrices with one row or column": func(t testing.TB, g *graph.Graph) []graph.Value {
			a, b := vector(g, t, 1, 33), vector(g, t, 33, 1)
			return []graph.Value{a.MatMul(b), b.MatMul(a), a.MatMul(vector(g, t, 33)), a.SumAxis(1), a.SumAxis(0)}
		},
		"broadcast rows and columns": func(t testing.TB, g *graph.Graph) []graph.Value {
			a, r, c := vector(g, t, 12, 18), vector(g, t, 18), vector(g, t, 12, 1)
			s := a.Add(r).Mul(c)
			return []graph.Value{s, s.Sum(), a.Add(r).Sum(), a.Transpose().Add(c.Reshape(12)).Sum(), s.SumAxis(0), s.Slice(0, 12, 1).SumAxis(1)}
		},
		"functions on arrays": func(t testing.TB, g *graph.Graph) []graph.Value {
			v := vector(g, t, 50)
			k := g.InputF32("k", 0.5)
			return []graph.Value{v.Sin().Mul(v.Cos()).Add(k), v.Abs().Sqrt().Exp().Sum(), v.Mul(k).Atan2(v).Dot(v.Cos())}
		},
		"more carried values than registers": func(t testing.TB, g *graph.Graph) []graph.Value {
			sum := vector(g, t, 40)
			for i := range 9 {
				sum = sum.Add(vector(g, t, 40).Mul(g.InputF32("", float32(i))))
			}
			return []graph.Value{sum, sum.Sin().Sum(), sum.ToI32().Sum()}
		},
		"stacks": func(t testing.TB, g *graph.Graph) []graph.Value {
			a, b := g.InputF32("", 1), g.InputF32("", 2)
			s := g.StackOf(a, b, a, g.F32(7), a.Add(b), b)
			big := g.StackOf(inputs(g, 70)...)
			return []graph.Value{s, s.Add(s.Slice(5, 6, -1)), g.StackOf(b, a, b, a).Dot(s.Slice(0, 4, 1)), big.Dot(big), big.Index(3), g.ConcatOf(s, big, s)}
		},
		"arrays of one element": func(t testing.TB, g *graph.Graph) []graph.Value {
			x, v := g.InputF32("x", 1.25).Sqrt().Sin(), vector(g, t, 1, 1)
			one, other := g.StackOf(x).Exp().Neg().Reshape(), v.Exp().Add(x).Reshape()
			return []graph.Value{one.Add(x), one, other, one.Mul(other).Broadcast(20), one.Reshape(1, 1, 1), v.Reshape().Sub(one)}
		},
		"values that cross loops": func(t testing.TB, g *graph.Graph) []graph.Value {
			v, x := vector(g, t, 90), g.InputF32("x", 1.25)
			y := x.Mul(x)
			s := v.Mul(y).Sum()
			u := v.Sub(s.Add(y))
			return []graph.Value{u.Dot(v).Add(y), s, y, u.Index(5).Mul(x), g.StackOf(u.Index(0), s, y, x, x.Neg()).Sum()}
		},
		"conditions on arrays": func(t testing.TB, g *graph.Graph) []graph.Value {
			v := vector(g, t, 45)
			c := v.Gt(g.F32(0))
			return []graph.Value{c, c.Select(v, v.Neg()), c.ToI32().Sum(), c.Select(v, g.F32(1).Broadcast(45)).Sum(), c.And(v.Lt(g.F32(1)))}
		},
		"nothing": func(t testing.TB, g *graph.Graph) []graph.Value {
			v := vector(g, t, 5).Slice(0, 0, 1)
			return []graph.Value{v, v.Sum(), v.Dot(v), v.Neg(), vector(g, t, 3, 4).Slice(0, 0, 1).SumAxis(0), g.ConcatOf(v, vector(g, t, 2))}
		},
	}
	for n := range 40 {
		programs[fmt.Sprintf("reductions of %d", n)] = func(t testing.TB, g *graph.Graph) []graph.Value {
			v := vector(g, t, n)
			return []graph.Value{v.Sum(), v.Dot(v.Add(g.F32(1))), v.ToI32().Sum(), vector(g, t, 3, n).SumAxis(1), vector(g, t, n, 2).SumAxis(0)}
		}
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, build := range programs {
			for _, mode := range modes {
				g := graph.New()
				outs := build(t, g)
				require.NoError(t, g.Err(), name)
				jobs = append(jobs, newJob(t, fmt.Sprintf("%s, mode %d", name, mode), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
			}
		}
		m.runJobs(t, jobs)
	})
}

func TestCompileRefuses(t *testing.T) {
	g := graph.New()
	x := g.InputF32("x", 1)
	other := graph.New().F32(1)
	broken := graph.New()
	bad := broken.StackOf(broken.F32(1)).Index(7)
	for name, c := range map[string]struct {
		g    *graph.Graph
		outs []compiler.Output
		arch string
		want string
	}{
		"no outputs":            {g, nil, "x86_64", "without outputs"},
		"value of another":      {g, []compiler.Output{{Name: "y", Value: other}}, "x86_64", "output 0 (y) is not a value of the graph"},
		"unknown architecture":  {g, []compiler.Output{{Name: "y", Value: x}}, "vax", `unknown architecture "vax"`},
		"graph with an error":   {broken, []compiler.Output{{Name: "y", Value: bad}}, "x86_64", "index"},
		"value that is nothing": {g, []compiler.Output{{Name: "y"}}, "x86_64", "is not a value"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compiler.Compile(c.g, c.outs, compiler.Options{Arch: c.arch})
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestSymbols(t *testing.T) {
	g := graph.New()
	a, b := g.InputF32("a", 1.5), vector(g, t, 2, 3)
	unused := g.InputF32("unused", 1)
	again := g.InputI32("a", 3)
	p, err := compiler.Compile(g, []compiler.Output{
		{Name: "sum", Value: b.Sum().Add(a)}, {Name: "a", Value: a}, {Value: again.Neg()}, {Name: "sum", Value: a.Gt(g.F32(0))}, {Name: "t", Value: b.Transpose()},
	}, compiler.Options{Arch: "aarch64", Source: "symbols", Verify: true})
	require.NoError(t, err)
	var got []string
	for _, s := range p.Image.Symbols {
		got = append(got, fmt.Sprintf("%s %s %s%v", s.Kind, s.Name, s.DType, []int(s.Shape)))
	}
	require.Equal(t, []string{"input a f32[]", "input input1 f32[2 3]", "input a#2 i32[]",
		"output sum f32[]", "output a f32[]", "output output2 i32[]", "output sum#2 bool[]", "output t f32[3 2]"}, got)

	in, ok := p.Variable(a.ID())
	require.True(t, ok)
	require.Equal(t, in.Offset, p.Output(1).Offset, "an input that is an output is read where it lies")
	_, ok = p.Variable(unused.ID())
	require.False(t, ok)
	require.Equal(t, "symbols", p.Image.Source)

	file, err := p.Image.Encode()
	require.NoError(t, err)
	again2, err := image.Decode(file)
	require.NoError(t, err)
	require.Equal(t, p.Image.Digest(), again2.Digest())
}

// TestListing checks that the listing shows every byte of the program once, in
// order.
func TestListing(t *testing.T) {
	for _, arch := range []string{"x86_64", "aarch64"} {
		g := graph.New()
		v := vector(g, t, 90)
		p, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: v.Sin().Dot(v).Exp()}}, compiler.Options{Arch: arch})
		require.NoError(t, err)
		var b strings.Builder
		require.NoError(t, p.Listing(&b))
		require.Contains(t, b.String(), "call sin.f32")
		require.Contains(t, b.String(), map[string]string{"x86_64": "loop.i32", "aarch64": "count.i32"}[arch])
		at := 0
		line := regexp.MustCompile(`^([0-9a-f]{8})  (?:([0-9a-f]+) +(\S.*)|kernel \S+, (\d+) bytes)$`)
		for l := range strings.Lines(b.String()) {
			f := line.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
			require.NotNil(t, f, "%q", l)
			offset, err := strconv.ParseInt(f[1], 16, 64)
			require.NoError(t, err)
			if f[4] != "" {
				require.Zero(t, offset%4)
				n, err := strconv.Atoi(f[4])
				require.NoError(t, err)
				require.GreaterOrEqual(t, int(offset), at)
				at = int(offset) + n
				continue
			}
			require.Equal(t, at, int(offset), "%q", l)
			at += len(f[2]) / 2
		}
		require.Equal(t, len(p.Image.Code), at)
	}
}

// TestReport holds the budget of a program against a count by hand.
func TestReport(t *testing.T) {
	g := graph.New()
	x, v := g.InputF32("x", 2), vector(g, t, 100)
	p, err := compiler.Compile(g, []compiler.Output{{Value: v.Mul(x).Sum()}, {Value: x.Sin().Add(x.Cos())}}, compiler.Options{Arch: "x86_64"})
	require.NoError(t, err)
	counts := map[string]uint64{}
	for _, o := range p.Image.Budget.Ops {
		counts[o.Name] = o.Count
	}
	// Eight lanes start from a neutral word: 12 iterations of 8 additions, 4 more terms,
	// 7 to join the lanes, and the one of sine and cosine.
	require.Equal(t, map[string]uint64{"mul.f32": 100, "add.f32": 12*8 + 4 + 7 + 1, "sincos.f32": 1}, counts)
	require.Equal(t, uint64(100+108+1), p.Report.Ops)
	require.Greater(t, p.Report.Instructions, p.Report.Ops)
	require.Equal(t, len(p.Image.Code)+len(p.Image.Data), p.Report.WireBytes)
	require.Len(t, p.Report.Passes, 9)
}

// TestLinearTime compiles programs of very different sizes: what is not linear
// shows long before this bound.
func TestLinearTime(t *testing.T) {
	for name, build := range map[string]func(int) (*graph.Graph, graph.Value){"chain": chain, "scalar dot": scalarDot, "array dot": arrayDot} {
		t.Run(name, func(t *testing.T) {
			perOp := func(n int) float64 {
				g, v := build(n)
				best := 1e18
				for range 5 {
					start := cpuTime()
					_, err := compiler.Compile(g, []compiler.Output{{Value: v}}, compiler.Options{Arch: "x86_64"})
					require.NoError(t, err)
					best = min(best, float64(cpuTime()-start)/float64(n))
				}
				return best
			}
			require.Less(t, perOp(100_000), 10*perOp(5_000))
		})
	}
}
