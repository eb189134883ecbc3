package autodiff

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/opt"
)

var inf = float32(math.Inf(1))

// gradAt returns the gradients by a and b, computed in float32, also after the
// optimiser.
func gradAt(t *testing.T, build func(g *graph.Graph, a, b graph.Value) graph.Value, a, b float32) (da, db float32) {
	t.Helper()
	g := graph.New()
	xs := []graph.Value{g.InputF32("a", a), g.InputF32("b", b)}
	y := build(g, xs[0], xs[1])
	require.NoError(t, g.Err())
	grads, err := Grad(y, xs)
	require.NoError(t, err)
	outs := []graph.ID{grads[0].ID(), grads[1].ID()}
	got, _, err := eval.Eval(g, outs, nil)
	require.NoError(t, err)
	o, outs, _ := opt.Run(g, outs, false)
	again, _, err := eval.Eval(o, outs, nil)
	require.NoError(t, err)
	require.Equal(t, got, again)
	return got[0].F32()[0], got[1].F32()[0]
}

func TestConventions(t *testing.T) {
	type build = func(g *graph.Graph, a, b graph.Value) graph.Value
	tests := []struct {
		name   string
		build  build
		a, b   float32
		da, db float32
	}{
		{"neg", func(_ *graph.Graph, a, _ graph.Value) graph.Value { return a.Neg() }, 3, 0, -1, 0},
		{"square of a scalar", func(_ *graph.Graph, a, _ graph.Value) graph.Value { return a.Mul(a) }, 3, 0, 6, 0},
		{"unused argument", func(_ *graph.Graph, a, _ graph.Value) graph.Value { return a.Sin() }, 0, 5, 1, 0},
		{"atan2", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Atan2(b) }, 1, 2, 0.4, -0.2},
		{"atan2 of large numbers", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Atan2(b) }, 0, 0x1p90, 0x1p-90, 0},
		{"atan2 of small numbers", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Atan2(b) }, 0x1p-90, 0, 0, -0x1p90},
		{"mod by Python", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Mod(b) }, -7, 2, 1, 4},
		{"floordiv", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.FloorDiv(b) }, 7, 2, 0, 0},
		{"iif taken", func(g *graph.Graph, a, b graph.Value) graph.Value { return a.Gt(g.F32(0)).Select(a, b) }, 2, 3, 1, 0},
		{"iif not taken", func(g *graph.Graph, a, b graph.Value) graph.Value { return a.Gt(g.F32(0)).Select(a, b) }, -2, 3, 0, 1},
		{"clamp inside", func(g *graph.Graph, a, _ graph.Value) graph.Value { return a.Clamp(g.F32(0), g.F32(1)) }, 0.5, 0, 1, 0},
		{"clamp above", func(g *graph.Graph, a, b graph.Value) graph.Value { return a.Clamp(g.F32(0), b) }, 1.5, 1, 0, 1},
		{"clamp inf", func(g *graph.Graph, a, b graph.Value) graph.Value { return a.Clamp(g.F32(0), b) }, inf, 1, 0, 1},
		{"min", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Min(b) }, 1, 2, 1, 0},
		{"max", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Max(b) }, 1, 2, 0, 1},
		{"tie of min", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Min(b) }, 2, 2, 0.5, 0.5},
		{"tie of max", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Max(b) }, 0, float32(math.Copysign(0, -1)), 0.5, 0.5},
		{"max with itself", func(_ *graph.Graph, a, _ graph.Value) graph.Value { return a.Max(a) }, 2, 0, 1, 0},
		{"sign", func(_ *graph.Graph, a, _ graph.Value) graph.Value { return a.Sign() }, 2, 0, 0, 0},
		{"abs at 0", func(_ *graph.Graph, a, _ graph.Value) graph.Value { return a.Abs() }, 0, 0, 0, 0},
		{"abs", func(_ *graph.Graph, a, _ graph.Value) graph.Value { return a.Abs() }, -4, 0, -1, 0},
		{"relu at 0", func(g *graph.Graph, a, _ graph.Value) graph.Value { return a.Gt(g.F32(0)).Select(a, g.F32(0)) }, 0, 0, 0, 0},
		{"pow", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Pow(b) }, 2, 3, 12, 8 * 0.6931472},
		{"pow at 0", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Pow(b) }, 0, 2, 0, 0},
		{"pow by 0", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Pow(b) }, 0, 0, 0, 0},
		{"pow by a constant 0", func(g *graph.Graph, a, _ graph.Value) graph.Value {
			v, _ := g.Apply(graph.OpPow, a, g.F32(0))
			return v
		}, 0, 0, 0, 0},
		{"stop", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Mul(b.Stop()).Mul(b) }, 2, 3, 9, 6},
		{"hypot", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Hypot(b) }, 3, -4, 0.6, -0.8},
		{"hypot at 0", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Hypot(b) }, 0, 0, 0, 0},
		{"norm", func(g *graph.Graph, a, b graph.Value) graph.Value { return g.StackOf(a, b).Norm() }, 3, -4, 0.6, -0.8},
		{"norm at 0", func(g *graph.Graph, a, b graph.Value) graph.Value { return g.StackOf(a, b).Norm() }, 0, 0, 0, 0},
		{"fmod", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Fmod(b) }, -7, 2, 1, 3},
		{"round", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Round().Add(b.Ceil()) }, 2.5, 3, 0, 0},
		{"expm1 far below 0", func(_ *graph.Graph, a, _ graph.Value) graph.Value { return a.Expm1() }, -20, 0, 2.0611537e-09, 0},
		{"cbrt", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.Cbrt().Add(b.Cbrt()) }, -8, 0, 1.0 / 12, inf},
		{"unused row", func(g *graph.Graph, a, b graph.Value) graph.Value { return g.StackOf(a, b).Sqrt().Index(0) }, 4, -1, 0.25, 0},
		{"unused rows of a slice", func(g *graph.Graph, a, b graph.Value) graph.Value {
			return g.StackOf(b, a, b, a).Sqrt().Slice(1, 2, 2).Sum()
		}, 4, -1, 0.5, 0},
		{"power 3", func(g *graph.Graph, a, _ graph.Value) graph.Value { return a.Pow(g.I32(3)) }, 2, 0, 12, 0},
		{"through an integer", func(_ *graph.Graph, a, b graph.Value) graph.Value { return a.ToI32().Mul(b) }, 2.5, 3, 0, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			da, db := gradAt(t, tt.build, tt.a, tt.b)
			require.Equal(t, [2]float32{tt.da, tt.db}, [2]float32{da, db})
		})
	}
}

// Each program has a NaN or infinity in the value or the derivative of the side
// not taken; the side taken is a*b.
func TestNothingLeaksThroughSelect(t *testing.T) {
	type build = func(g *graph.Graph, a, b, product graph.Value) graph.Value
	zero := func(a graph.Value) graph.Value { return a.Graph().F32(0) }
	tests := map[string]build{
		"sqrt of a negative": func(_ *graph.Graph, a, _, p graph.Value) graph.Value { return a.Gt(zero(a)).Select(a.Sqrt(), p) },
		"other order":        func(_ *graph.Graph, a, _, p graph.Value) graph.Value { return a.Lt(zero(a)).Select(p, a.Log()) },
		"constant sqrt": func(g *graph.Graph, a, _, p graph.Value) graph.Value {
			return a.Lt(zero(a)).Select(p, g.F32(-1).Sqrt())
		},
		"deeper": func(_ *graph.Graph, a, b, p graph.Value) graph.Value {
			return a.Gt(zero(a)).Select(a.Mul(b).Sin().Sqrt().Log().Exp(), p)
		},
		"nested": func(_ *graph.Graph, a, b, p graph.Value) graph.Value {
			return a.Gt(zero(a)).Select(b.Gt(zero(a)).Select(a.Log(), b.Sqrt()), b.Gt(zero(a)).Select(b.Log(), p))
		},
		"shared by two sides": func(_ *graph.Graph, a, b, p graph.Value) graph.Value {
			root := a.Sqrt()
			return a.Gt(zero(a)).Select(b.Gt(zero(a)).Select(root, root.Mul(b)), p)
		},
		"shared by two selects": func(_ *graph.Graph, a, b, p graph.Value) graph.Value {
			root := a.Sqrt()
			return a.Gt(zero(a)).Select(root, p).Add(b.Gt(zero(a)).Select(root, zero(a)))
		},
		"shared by three selects": func(_ *graph.Graph, a, b, p graph.Value) graph.Value {
			root := a.Sqrt().Add(b.Log())
			one := b.Gt(a.Sub(a)).Select(root, p)
			two := b.Gt(a.Neg()).Select(root.Log(), one)
			return a.Gt(zero(a)).Select(root.Sin(), two)
		},
		"pole": func(_ *graph.Graph, a, b, p graph.Value) graph.Value {
			return a.Gt(zero(a)).Select(b.Div(a.Sub(a)), p)
		},
		"max of a pole": func(g *graph.Graph, a, b, p graph.Value) graph.Value {
			return a.Sub(a).Log().Max(g.F32(-100)).Add(p) // log(0) = -inf loses
		},
		"vector": func(g *graph.Graph, a, b, p graph.Value) graph.Value {
			v := g.StackOf(a, b)
			return v.Gt(zero(a)).Select(v.Log(), g.StackOf(p, zero(a))).Index(0).Add(zero(a))
		},
		"vector through a sum": func(g *graph.Graph, a, b, p graph.Value) graph.Value {
			v := g.StackOf(a, a.Sqrt(), b)
			return a.Gt(zero(a)).Select(v.Sqrt().Sum(), p)
		},
		"vector through dot": func(g *graph.Graph, a, b, p graph.Value) graph.Value {
			v := g.StackOf(a, b)
			return a.Gt(zero(a)).Select(v.Sqrt().Dot(v.Log()), p)
		},
		"vector through rows": func(g *graph.Graph, a, b, p graph.Value) graph.Value {
			v := g.StackOf(a, b.Neg()).Sqrt()
			return a.Gt(zero(a)).Select(v.Index(0), p)
		},
		"vector with one guarded row": func(g *graph.Graph, a, b, p graph.Value) graph.Value {
			v := g.StackOf(a, b.Neg()).Sqrt()
			return a.Gt(zero(a)).Select(v.Index(0), p).Add(v.Index(1)).Sub(v.Index(1))
		},
		"vector through a slice": func(g *graph.Graph, a, b, p graph.Value) graph.Value {
			v := g.StackOf(a, b.Neg(), a).Sqrt().Slice(0, 2, 2).Sum()
			return a.Gt(zero(a)).Select(v, p)
		},
		"scalar repeated": func(g *graph.Graph, a, b, p graph.Value) graph.Value {
			v := g.StackOf(b, b)
			return v.Gt(zero(a)).Select(a.Sqrt().Mul(v), p.Broadcast(2)).Index(1)
		},
		"matrix": func(g *graph.Graph, a, b, p graph.Value) graph.Value {
			m := g.StackOf(a, b, b, a).Sqrt().Reshape(2, 2)
			return a.Gt(zero(a)).Select(m.MatMul(m).Sum(), p)
		},
		"transposed": func(g *graph.Graph, a, b, p graph.Value) graph.Value {
			m := g.StackOf(a, b).Sqrt().Reshape(1, 2).Transpose()
			return a.Gt(zero(a)).Select(g.ConcatOf(m, m).SumAxis(0).Index(0), p)
		},
	}
	for name, build := range tests {
		t.Run(name, func(t *testing.T) {
			da, db := gradAt(t, func(g *graph.Graph, a, b graph.Value) graph.Value { return build(g, a, b, a.Mul(b)) }, -2, -3)
			require.Equal(t, [2]float32{-3, -2}, [2]float32{da, db})
		})
	}
}

func TestRefused(t *testing.T) {
	g, other := graph.New(), graph.New()
	x := g.InputF32("x", 1)
	v := g.StackOf(x, x)
	tests := map[string]struct {
		y  graph.Value
		xs []graph.Value
	}{
		"not a valid value":         {graph.Value{}, nil},
		"reduce it to a scalar":     {v, []graph.Value{x}},
		"argument 1 is not a value": {x, []graph.Value{x, other.F32(1)}},
	}
	for message, tt := range tests {
		_, err := Grad(tt.y, tt.xs)
		require.ErrorContains(t, err, message)
	}
}

func TestArgumentsAreIndependent(t *testing.T) {
	g := graph.New()
	a := g.InputF32("a", 2)
	b := a.Mul(a)
	y := b.Mul(a)
	n := g.InputI32("n", 3)
	v := g.ConstF32(graph.Shape{2, 2}, []float32{1, 2, 3, 4})
	grads, err := Grad(y, []graph.Value{a, b, y, n, v})
	require.NoError(t, err)
	outs := make([]graph.ID, len(grads))
	for i, d := range grads {
		outs[i] = d.ID()
	}
	got, _, err := eval.Eval(g, outs, nil)
	require.NoError(t, err)
	// y is an argument itself, so that nothing flows on.
	require.Equal(t, []float32{0}, got[0].F32())
	require.Equal(t, []float32{0}, got[1].F32())
	require.Equal(t, []float32{1}, got[2].F32())
	require.Equal(t, graph.ScalarF32(0), got[3])
	require.Equal(t, graph.F32s(graph.Shape{2, 2}, 0, 0, 0, 0), got[4])

	grads, err = Grad(y, []graph.Value{a, b})
	require.NoError(t, err)
	got, _, err = eval.Eval(g, []graph.ID{grads[0].ID(), grads[1].ID()}, nil)
	require.NoError(t, err)
	require.Equal(t, []float32{4}, got[0].F32())
	require.Equal(t, []float32{2}, got[1].F32())
}

func TestSecondDerivative(t *testing.T) {
	d2, _ := gradAt(t, func(g *graph.Graph, a, _ graph.Value) graph.Value {
		d, err := Grad(a.Mul(a).Mul(a), []graph.Value{a})
		require.NoError(t, err)
		return d[0]
	}, 2, 0)
	require.Equal(t, float32(12), d2)
}
