package autodiff

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/opt"
)

// The nodes added stay proportional to the program, however it is shaped.
func TestLinearSize(t *testing.T) {
	const n = 100_000
	programs := map[string]func(g *graph.Graph, x graph.Value) graph.Value{
		"chain": func(g *graph.Graph, x graph.Value) graph.Value {
			y := x
			for range n {
				y = y.Mul(x).Add(g.F32(1))
			}
			return y
		},
		"chain of selects": func(g *graph.Graph, x graph.Value) graph.Value {
			y := x
			for range n {
				y = y.Gt(x).Select(y.Sqrt(), y.Mul(x))
			}
			return y
		},
		"selects in selects": func(g *graph.Graph, x graph.Value) graph.Value {
			y := x.Sin()
			for i := range n {
				c := x.Gt(g.F32(float32(i)))
				y = c.Select(y, x.Mul(g.F32(float32(i))))
			}
			return y
		},
		"elements of one vector": func(g *graph.Graph, x graph.Value) graph.Value {
			v := x.Mul(g.InputTensor("v", graph.Tensor{DType: graph.F32, Shape: graph.Shape{n}, Bits: make([]uint32, n)}))
			y := x
			for i := range n {
				y = y.Add(v.Index(i).Mul(v.Index(n - 1 - i)))
			}
			return y
		},
		"vector of many": func(g *graph.Graph, x graph.Value) graph.Value {
			vs := make([]graph.Value, n)
			for i := range vs {
				vs[i] = x.Add(g.F32(float32(i)))
			}
			v := g.StackOf(vs...)
			return v.Dot(v)
		},
	}
	for name, build := range programs {
		t.Run(name, func(t *testing.T) {
			g := graph.New()
			x := g.InputF32("x", 0.5)
			y := build(g, x)
			require.NoError(t, g.Err())
			before := g.NumNodes()
			_, err := Grad(y, []graph.Value{x})
			require.NoError(t, err)
			added := g.NumNodes() - before
			t.Logf("%d nodes, %d added", before, added)
			require.Less(t, added, 10*n)
		})
	}
}

func TestFullGraph(t *testing.T) {
	g := graph.New()
	x := g.InputF32("x", 0.5)
	y := x
	for range 1000 {
		y = y.Gt(x).Select(y.Sqrt(), g.StackOf(x, y).Sin().Index(1))
	}
	r := newReverse(g, 0, y.ID(), []graph.Value{x})
	r.visit(y.ID()).v = g.F32(1)
	r.limit = g.NumNodes() + 2000
	require.ErrorContains(t, r.run(y.ID()), "graph too large: at most 8")
	require.LessOrEqual(t, g.NumNodes(), r.limit)
	require.NoError(t, g.Err())
}

func BenchmarkGradChain(b *testing.B) {
	for b.Loop() {
		g := graph.New()
		x := g.InputF32("x", 0.5)
		y := x
		for range 50_000 {
			y = y.Mul(x).Add(x)
		}
		before := g.NumNodes()
		if _, err := Grad(y, []graph.Value{x}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(g.NumNodes()-before), "nodes-added")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/node")
}

// Many short gradients in a long program, as in a descent: each looks only at
// what came after its arguments.
func BenchmarkDescent(b *testing.B) {
	const steps = 5000
	for b.Loop() {
		g := graph.New()
		x := g.InputF32("x", 0.5)
		for range steps {
			grads, err := Grad(x.Sin().Mul(x), []graph.Value{x})
			if err != nil {
				b.Fatal(err)
			}
			x = x.Sub(grads[0].Mul(g.F32(0.1)))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/step")
}

// inverseKinematics is 48 steps of gradient descent on the distance of a
// two-link arm's tip to (0.7, 0.7).
func inverseKinematics(t *testing.T) (g *graph.Graph, outs []graph.ID) {
	g = graph.New()
	l1, l2 := g.F32(1.8), g.F32(2.0)
	target := g.F32(0.7)
	theta := []graph.Value{g.InputF32("theta1", 0), g.InputF32("theta2", 0)}
	var e graph.Value
	for range 48 {
		both := theta[0].Add(theta[1])
		dx := l1.Mul(theta[0].Cos()).Add(l2.Mul(both.Cos())).Sub(target)
		dy := l1.Mul(theta[0].Sin()).Add(l2.Mul(both.Sin())).Sub(target)
		e = dx.Mul(dx).Add(dy.Mul(dy))
		grads, err := Grad(e, theta)
		require.NoError(t, err)
		for i := range theta {
			theta[i] = theta[i].Sub(g.F32(0.1).Mul(grads[i]))
		}
	}
	require.NoError(t, g.Err())
	return g, []graph.ID{theta[0].ID(), theta[1].ID(), e.ID()}
}

func TestInverseKinematics(t *testing.T) {
	g, outs := inverseKinematics(t)
	o, outs, _ := opt.Run(g, outs, false)
	t.Logf("%d nodes traced, %d after opt", g.NumNodes(), o.NumNodes())
	require.Less(t, o.NumNodes(), 2500)
	got, _, err := eval.Eval(o, outs, nil)
	require.NoError(t, err)
	t.Log(got[0].F32(), got[1].F32(), got[2].F32())
	require.InDelta(t, -0.7229548, got[0].F32()[0], 1e-5)
	require.InDelta(t, 2.6246932, got[1].F32()[0], 1e-5)
	require.InDelta(t, 5.01e-07, got[2].F32()[0], 3e-9)
}
