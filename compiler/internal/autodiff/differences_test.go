package autodiff

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
)

// TestOneRule: an op with no derivative, or with two, stops the program at its start.
func TestOneRule(t *testing.T) {
	some := parts(func(s *step) graph.Value { return s.adj })
	for _, tt := range []struct {
		name              string
		info              graph.Info
		fromTable, byHand rule
		ok                bool
	}{
		{"from its row", graph.Info{Sig: graph.SigFloat, Adjoint: "adj"}, some, nil, true},
		{"by hand", graph.Info{Sig: graph.SigFloat}, nil, some, true},
		{"none, as it says", graph.Info{Sig: graph.SigFloat, Derivative: "0."}, nil, nil, true},
		{"none", graph.Info{Sig: graph.SigFloat, Derivative: "d/dx = 1"}, nil, nil, false},
		{"two", graph.Info{Sig: graph.SigFloat, Adjoint: "adj"}, some, some, false},
		{"one although it is 0", graph.Info{Sig: graph.SigFloat, Derivative: "0."}, nil, some, false},
		{"not generated", graph.Info{Sig: graph.SigFloat, Adjoint: "adj"}, nil, nil, false},
		{"not in the row any more", graph.Info{Sig: graph.SigFloat}, some, nil, false},
	} {
		_, err := ruleOf(&tt.info, tt.fromTable, tt.byHand)
		require.Equal(t, tt.ok, err == nil, "%s: %v", tt.name, err)
	}
}

// differences compares the gradients of y by all of xs with central differences,
// and returns how many elements it could compare and how many of those are not 0: it leaves out those where the
// differences themselves do not settle, since a kink or a pole is near.
func differences(t *testing.T, y graph.Value, xs []graph.Value) (compared, nonzero int) {
	t.Helper()
	g := y.Graph()
	grads, err := Grad(y, xs)
	require.NoError(t, err)
	require.NoError(t, graph.Check(g))
	inputs := map[graph.ID][]float64{}
	for _, x := range xs {
		v := make([]float64, g.Elements(x.ID()))
		toFloat64(x.DType(), g.InputInfo(x.ID()).Init, v)
		inputs[x.ID()] = v
	}
	at := eval64(g, inputs)
	for i, x := range xs {
		require.True(t, x.Shape().Equal(grads[i].Shape()), "shape of gradient %d", i)
		for k := range inputs[x.ID()] {
			slope, ok := slope(g, y, inputs, x.ID(), k)
			if !ok {
				continue
			}
			compared++
			if slope != 0 {
				nonzero++
			}
			got := at[grads[i].ID()][k]
			if math.Abs(got-slope) > 1e-4*(1+math.Abs(slope)) || got != got {
				t.Fatalf("gradient by argument %d (%%%d), element %d: got %v, differences give %v\n%v", i, x.ID(), k, got, slope, g)
			}
		}
	}
	return compared, nonzero
}

// finite reports that no node is at a pole.
func finite(all [][]float64) bool {
	for _, v := range all {
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return false
			}
		}
	}
	return true
}

// slope is the central difference of y by one element, if it is the same for
// three widths and from both sides.
func slope(g *graph.Graph, y graph.Value, inputs map[graph.ID][]float64, x graph.ID, k int) (float64, bool) {
	v := inputs[x]
	x0 := v[k]
	f := func(d float64) float64 {
		v[k] = x0 + d
		defer func() { v[k] = x0 }()
		return eval64(g, inputs)[y.ID()][0]
	}
	const h = 1e-5
	f0 := f(0)
	wide, near := (f(h)-f(-h))/(2*h), (f(h/8)-f(-h/8))/(h/4)
	left, right := (f0-f(-h/8))/(h/8), (f(h/8)-f0)/(h/8)
	tolerance := 3e-5 * (1 + math.Abs(near))
	ok := math.Abs(wide-near) < tolerance && math.Abs(left-right) < 10*tolerance && math.Abs(near) < 1e5
	return near, ok
}

func TestEachOp(t *testing.T) {
	for op := range graph.NumOps {
		info := op.Info()
		if !info.Elementwise || info.Sig == graph.SigBits || info.Sig == graph.SigShift || op == graph.OpStop {
			continue
		}
		testOp(t, op, graph.F32)
		testOp(t, op, graph.F64)
	}
}

// testOp checks the gradient of an op on floats of type dt.
func testOp(t *testing.T, op graph.Op, dt graph.DType) {
	arity := op.Info().Arity
	points := []float32{-3.3, -1.2, -0.45, 0.3, 0.8, 1.7, 4.2}
	compared := 0
	for _, a := range points {
		for _, b := range points {
			g := graph.New()
			input := func(name string, x float32) graph.Value {
				if dt == graph.F64 {
					return g.InputF64(name, float64(x))
				}
				return g.InputF32(name, x)
			}
			xs := []graph.Value{input("a", a), input("b", b), input("c", 0.7)}
			args := xs[:arity]
			if op == graph.OpSelect {
				args = []graph.Value{xs[0].Lt(xs[1]), xs[1].Mul(xs[2]), xs[0].Mul(xs[0])}
			}
			y, err := g.Apply(op, args...)
			require.NoError(t, err)
			factor := xs[2]
			switch op {
			case graph.OpToF32:
				factor = factor.ToF32()
			case graph.OpToF64:
				factor = factor.ToF64()
			}
			// A factor shows that the adjoint itself is passed on.
			n, _ := differences(t, y.Mul(g.Number(factor.DType(), 1.5)).Mul(factor), xs)
			compared += n
		}
	}
	require.Greater(t, compared, 40, "%v on %v", op, dt)
}

func TestArrayOps(t *testing.T) {
	shape := graph.Shape{3, 4}
	data := make([]float32, 12)
	for i := range data {
		data[i] = float32(i%5) - 1.7 + 0.1*float32(i)
	}
	type program func(g *graph.Graph, m, v, w, x graph.Value) graph.Value
	weigh := func(v graph.Value) graph.Value { // makes every element count differently
		g := v.Graph()
		flat := v.Reshape(v.Shape().Elements())
		ramp := make([]float32, flat.Shape()[0])
		for i := range ramp {
			ramp[i] = 0.3 + float32(i)
		}
		return flat.Dot(g.ConstF32(graph.Shape{len(ramp)}, ramp))
	}
	programs := map[string]program{
		"stack": func(g *graph.Graph, _, _, _, x graph.Value) graph.Value { return g.StackOf(x, x.Sin(), g.F32(2)) },
		"index": func(_ *graph.Graph, m, _, _, _ graph.Value) graph.Value {
			return m.Index(1).Mul(m.Index(2)).Add(m.Index(1))
		},
		"index vector":    func(_ *graph.Graph, _, v, _, _ graph.Value) graph.Value { return v.Index(0).Mul(v.Index(3)) },
		"slice":           func(_ *graph.Graph, m, _, _, _ graph.Value) graph.Value { return m.Slice(1, 2, 1).Exp() },
		"slice by 2":      func(_ *graph.Graph, m, _, _, _ graph.Value) graph.Value { return m.Slice(0, 2, 2).Exp() },
		"slice by -1":     func(_ *graph.Graph, m, _, _, _ graph.Value) graph.Value { return m.Slice(2, 3, -1).Exp() },
		"slice by -2":     func(_ *graph.Graph, _, v, _, _ graph.Value) graph.Value { return v.Slice(3, 2, -2).Exp() },
		"slice and index": func(_ *graph.Graph, _, v, _, _ graph.Value) graph.Value { return v.Slice(1, 3, 1).Mul(v.Index(2)) },
		"slice empty": func(_ *graph.Graph, _, v, _, _ graph.Value) graph.Value {
			return v.Slice(0, 0, 1).Sum().Add(v.Index(2))
		},
		"concat":        func(g *graph.Graph, _, v, w, _ graph.Value) graph.Value { return g.ConcatOf(v, w.Sin(), v) },
		"reshape":       func(_ *graph.Graph, m, _, _, _ graph.Value) graph.Value { return m.Reshape(4, 3).Mul(m.Transpose()) },
		"broadcast":     func(_ *graph.Graph, m, v, w, x graph.Value) graph.Value { return m.Mul(v).Add(w.Reshape(3, 1)).Mul(x) },
		"sum":           func(_ *graph.Graph, m, _, _, _ graph.Value) graph.Value { return m.Mul(m).Sum() },
		"sum axis 0":    func(_ *graph.Graph, m, _, _, _ graph.Value) graph.Value { return m.SumAxis(0).Exp() },
		"sum axis 1":    func(_ *graph.Graph, m, _, _, _ graph.Value) graph.Value { return m.SumAxis(1).Sin() },
		"dot":           func(_ *graph.Graph, _, v, _, _ graph.Value) graph.Value { return v.Dot(v.Exp()) },
		"matrix vector": func(_ *graph.Graph, m, v, _, _ graph.Value) graph.Value { return m.MatMul(v) },
		"vector matrix": func(_ *graph.Graph, m, _, w, _ graph.Value) graph.Value { return w.MatMul(m) },
		"matrix matrix": func(_ *graph.Graph, m, _, _, _ graph.Value) graph.Value { return m.MatMul(m.Transpose()) },
		"where": func(g *graph.Graph, m, _, _, _ graph.Value) graph.Value {
			return m.Gt(g.F32(0)).Select(m.Log(), m.Mul(m))
		},
		"clamp": func(g *graph.Graph, m, _, _, x graph.Value) graph.Value { return m.Clamp(g.F32(-1), x.Exp()).Mul(m) },
	}
	for name, build := range programs {
		t.Run(name, func(t *testing.T) {
			g := graph.New()
			m := g.InputTensor("m", graph.F32s(shape, data...))
			v := g.InputTensor("v", graph.F32s(graph.Shape{4}, data[3:7]...))
			w := g.InputTensor("w", graph.F32s(graph.Shape{3}, data[6:9]...))
			x := g.InputF32("x", 0.6)
			y := weigh(build(g, m, v, w, x))
			require.NoError(t, g.Err())
			compared, nonzero := differences(t, y, []graph.Value{m, v, w, x})
			require.Equal(t, 20, compared)
			require.NotZero(t, nonzero)
		})
	}
}

func TestRandomPrograms(t *testing.T) {
	programs, compared, nonzero := 0, 0, 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g, outs := graphtest.Random(rng, graphtest.Config{Ops: 12, Size: 3, Arrays: seed%3 != 0, Smooth: true, Loops: seed%2 == 0})
		y := g.F32(0)
		for _, o := range outs {
			if o.DType() == graph.F32 && o.Shape().Elements() > 0 {
				y = y.Add(o.Sum())
			}
		}
		require.NoError(t, g.Err())
		var xs []graph.Value
		for id := range g.NumNodes() {
			if v := g.Value(graph.ID(id)); v.Op() == graph.OpInput && v.DType() == graph.F32 {
				xs = append(xs, v)
			}
		}
		_, err := Grad(y, xs) // so that the derivatives' own poles show
		require.NoError(t, err)
		if f := eval64(g, nil); !finite(f) || math.Abs(f[y.ID()][0]) > 1e6 {
			continue
		}
		n, n1 := differences(t, y, xs)
		compared += n
		nonzero += n1
		if n1 > 0 {
			programs++
		}
	}
	t.Logf("%d programs with %d gradient elements compared, %d of them not 0", programs, compared, nonzero)
	require.Greater(t, programs, 1000)
}
