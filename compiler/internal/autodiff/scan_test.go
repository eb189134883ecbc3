package autodiff

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

// loop is Graph.Scan, or the same iteration by iteration.
type loop func(g *graph.Graph, n int, carry, xs []graph.Value, body func(i graph.Value, carry, xs []graph.Value) (next, rows []graph.Value, err error)) (last, stacked []graph.Value, err error)

func asLoop(g *graph.Graph, n int, carry, xs []graph.Value, body func(i graph.Value, carry, xs []graph.Value) (next, rows []graph.Value, err error)) (last, stacked []graph.Value, err error) {
	return g.Scan(n, carry, xs, body)
}

func oneByOne(g *graph.Graph, n int, carry, xs []graph.Value, body func(i graph.Value, carry, xs []graph.Value) (next, rows []graph.Value, err error)) (last, stacked []graph.Value, err error) {
	var lines [][]graph.Value
	for i := range n {
		var at, rows []graph.Value
		for _, x := range xs {
			at = append(at, x.Index(i))
		}
		if carry, rows, err = body(g.I32(int32(i)), carry, at); err != nil {
			return nil, nil, err
		}
		for k, v := range rows {
			if i == 0 {
				lines = append(lines, nil)
			}
			lines[k] = append(lines[k], v.Reshape(append([]int{1}, v.Shape()...)...))
		}
	}
	for _, list := range lines {
		stacked = append(stacked, g.ConcatOf(list...))
	}
	return carry, stacked, nil
}

type values = []graph.Value

// loops are functions of a vector and a scalar with static loops in them.
var loops = map[string]func(repeat loop, v, w graph.Value) (graph.Value, error){
	"descent with a gradient in the body": func(repeat loop, v, w graph.Value) (graph.Value, error) {
		g := v.Graph()
		last, _, err := repeat(g, 6, values{v, w}, nil, func(_ graph.Value, c, _ values) (next, rows values, err error) {
			d, err := Grad(c[0].Sin().Mul(c[1]).Sum(), values{c[0], c[1]})
			if err != nil {
				return nil, nil, err
			}
			return values{c[0].Sub(d[0].Mul(g.F32(0.1))), c[1].Add(d[1].Mul(g.F32(0.05)))}, nil, nil
		})
		if err != nil {
			return graph.Value{}, err
		}
		return last[0].Dot(last[0]).Add(last[1]), nil
	},
	"rows of an array, rows out, a value from outside": func(repeat loop, v, w graph.Value) (graph.Value, error) {
		last, rows, err := repeat(v.Graph(), 3, values{w}, values{v}, func(i graph.Value, c, x values) (next, rows values, err error) {
			y := c[0].Mul(x[0]).Add(w.Cos())
			return values{y}, values{y.Mul(i.ToF32()), x[0]}, nil
		})
		if err != nil {
			return graph.Value{}, err
		}
		return rows[0].Mul(rows[1]).Sum().Add(last[0].Exp()), nil
	},
	"a loop in a loop": func(repeat loop, v, w graph.Value) (graph.Value, error) {
		g := v.Graph()
		last, _, err := repeat(g, 3, values{v}, nil, func(i graph.Value, c, _ values) (next, rows values, err error) {
			inner, _, err := repeat(g, 4, values{c[0].Sum()}, nil, func(j graph.Value, d, _ values) (next, rows values, err error) {
				return values{d[0].Mul(w).Add(c[0].Index(1)).Sin()}, nil, nil
			})
			if err != nil {
				return nil, nil, err
			}
			return values{c[0].Mul(inner[0])}, nil, nil
		})
		if err != nil {
			return graph.Value{}, err
		}
		return last[0].Sum(), nil
	},
	"carries that change places": func(repeat loop, v, w graph.Value) (graph.Value, error) {
		g := v.Graph()
		last, _, err := repeat(g, 5, values{w, g.F32(0.5), g.I32(1)}, nil, func(_ graph.Value, c, _ values) (next, rows values, err error) {
			return values{c[1], c[0].Mul(c[1]).Add(v.Sum()), c[2].Add(c[2])}, nil, nil
		})
		if err != nil {
			return graph.Value{}, err
		}
		return last[0].Add(last[1].Mul(last[2])), nil
	},
	"matrix power": func(repeat loop, v, w graph.Value) (graph.Value, error) {
		g := v.Graph()
		m := v.Reshape(3, 1).Mul(v.Reshape(1, 3)).Mul(w)
		last, _, err := repeat(g, 4, values{v}, nil, func(_ graph.Value, c, _ values) (next, rows values, err error) {
			return values{m.MatMul(c[0]).Tanh()}, nil, nil
		})
		if err != nil {
			return graph.Value{}, err
		}
		return last[0].Sum(), nil
	},
	"a carry that is overwritten unread": func(repeat loop, v, w graph.Value) (graph.Value, error) {
		g := v.Graph()
		last, _, err := repeat(g, 3, values{w.Sub(w).Sqrt(), w}, nil, func(_ graph.Value, c, _ values) (next, rows values, err error) {
			return values{c[1].Exp(), c[1].Mul(v.Sum())}, nil, nil
		})
		if err != nil {
			return graph.Value{}, err
		}
		return last[0].Mul(last[1]), nil
	},
	"a side not taken that has no derivative": func(repeat loop, v, w graph.Value) (graph.Value, error) {
		g := v.Graph()
		last, rows, err := repeat(g, 2, values{w}, nil, func(_ graph.Value, c, _ values) (next, rows values, err error) {
			return values{c[0].Sub(c[0]).Sqrt()}, values{c[0].Log()}, nil
		})
		if err != nil {
			return graph.Value{}, err
		}
		taken := w.Lt(g.F32(-5))
		return taken.Select(last[0].Add(rows[0].Sum()), w.Mul(v.Sum())), nil
	},
}

// valuesOf evaluates nodes.
func valuesOf(t *testing.T, g *graph.Graph, vs []graph.Value) (all []float64) {
	t.Helper()
	var ids []graph.ID
	for _, v := range vs {
		ids = append(ids, v.ID())
	}
	out, _, err := eval.Eval(g, ids, nil)
	require.NoError(t, err)
	for _, o := range out {
		for _, w := range o.Bits {
			all = append(all, float64(math.Float32frombits(w)))
		}
	}
	return all
}

// First and second derivatives, and derivatives along a direction, agree with
// those of the same iterations written one after the other.
func TestLoopsAgreeWithTheirIterations(t *testing.T) {
	for name, build := range loops {
		t.Run(name, func(t *testing.T) {
			var all [2][]float64
			for k, repeat := range []loop{asLoop, oneByOne} {
				g := graph.New()
				v := g.InputTensor("v", graph.F32s(graph.Shape{3}, 0.3, -0.7, 0.6))
				w := g.InputF32("w", 0.8)
				y, err := build(repeat, v, w)
				require.NoError(t, err)
				first, err := Grad(y, []graph.Value{v, w})
				require.NoError(t, err)
				second, err := Grad(first[0].Dot(v).Add(first[1].Mul(g.F32(2))), []graph.Value{v, w})
				require.NoError(t, err)
				along, err := JVP([]graph.Value{y}, []graph.Value{v, w}, []graph.Value{v.Cos(), w})
				require.NoError(t, err)
				require.NoError(t, g.Err())
				require.NoError(t, graph.Check(g))
				all[k] = valuesOf(t, g, append(append(append([]graph.Value{y}, first...), second...), along...))
			}
			require.Len(t, all[0], 10)
			require.NotZero(t, all[1][1])
			for i, want := range all[1] {
				require.InDelta(t, want, all[0][i], 2e-5*(1+math.Abs(want)), "number %d of %v and %v", i, all[0], all[1])
			}
		})
	}
}

// Nothing is computed for what gets no gradient.
func TestLoopBackIsAsSmallAsNeeded(t *testing.T) {
	g := graph.New()
	x, w := g.InputF32("x", 0.5), g.InputF32("w", 0.25)
	last, err := g.Fori(10, values{x, g.I32(0), w}, func(i graph.Value, c values) (values, error) {
		return values{c[0].Mul(w).Sin(), c[1].Add(i), c[2].Exp()}, nil
	})
	require.NoError(t, err)
	d, err := Grad(last[0], values{x})
	require.NoError(t, err)
	require.Equal(t, graph.OpScan, d[0].Op())
	back, _ := g.ScanInfo(d[0].ID())
	require.Equal(t, 1, back.Carries, "the adjoint of the one carry that x reaches")
	require.Equal(t, 1, back.Slices, "the values of that carry")
	zero, err := Grad(last[0], values{g.InputF32("unused", 1)})
	require.NoError(t, err)
	require.Equal(t, graph.OpConst, zero[0].Op())
}

func TestLoopBackThatDoesNotFit(t *testing.T) {
	g := graph.New()
	v := g.InputTensor("v", graph.Tensor{DType: graph.F32, Shape: graph.Shape{1000}, Bits: make([]uint32, 1000)})
	last, err := g.Fori(20000, values{v}, func(_ graph.Value, c values) (values, error) { return values{c[0].Sin()}, nil })
	require.NoError(t, err)
	_, err = Grad(last[0].Sum(), values{v})
	require.ErrorContains(t, err, "the gradient of a loop keeps the carry of every iteration, 20000 times (1000,): at most 16777216 numbers")
}

// The gradient of loops one after the other takes as long as each of them: the bytes
// allocated grow with their number, not with its square.
func TestGradientOfManyLoops(t *testing.T) {
	allocated := func(loops int) float64 {
		g := graph.New()
		x := g.InputF32("x", 0.5)
		y := values{x}
		for range loops {
			var err error
			y, err = g.Fori(100, y, func(_ graph.Value, c values) (values, error) { return values{c[0].Sin().Mul(x)}, nil })
			require.NoError(t, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Grad(y[0], values{x})
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	require.Less(t, allocated(800)/allocated(100), 12.0)
}

// A body may compute something of values from outside alone, which in an iteration is a node
// that was there before the loop.
func TestBodyWithWhatIsOutside(t *testing.T) {
	g := graph.New()
	x, a := g.InputF32("x", 0.25), g.InputF32("a", 0.5)
	sine := a.Sin()
	body := graph.New()
	for i, d := range []graph.DType{graph.I32, graph.F32, graph.F32} {
		_, err := body.DefineParam(i, d, graph.Shape{})
		require.NoError(t, err)
	}
	next := body.Value(1).Add(body.Value(2).Sin())
	loop, err := g.InternScan(&graph.Scan{Iterations: 3, Carries: 1, Body: body, Results: []graph.ID{next.ID()}})
	require.NoError(t, err)
	y, err := g.ScanResult(loop, 0, []graph.ID{x.ID(), a.ID()})
	require.NoError(t, err)
	d, err := Grad(y.Mul(sine), values{x, a})
	require.NoError(t, err)
	got := valuesOf(t, g, d)
	require.InDelta(t, math.Sin(0.5), got[0], 1e-6)
	require.InDelta(t, 3*math.Cos(0.5)*math.Sin(0.5)+(0.25+3*math.Sin(0.5))*math.Cos(0.5), got[1], 1e-6)
}
