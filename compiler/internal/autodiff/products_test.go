package autodiff

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
)

func TestJacobian(t *testing.T) {
	g := graph.New()
	v := g.InputTensor("v", graph.F32s(graph.Shape{3}, 1, 2, 3))
	x, n := g.InputF32("x", 2), g.InputI32("n", 4)
	a, b, c := v.Index(0), v.Index(1), v.Index(2)
	y := g.StackOf(a.Mul(b), c.Mul(x), x.Mul(x), n.ToF32()).Reshape(2, 2)
	js, err := Jacobian(y, []graph.Value{v, x})
	require.NoError(t, err)
	got, _, err := eval.Eval(g, []graph.ID{js[0].ID(), js[1].ID()}, nil)
	require.NoError(t, err)
	require.Equal(t, graph.F32s(graph.Shape{2, 2, 3}, 2, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0), got[0])
	require.Equal(t, graph.F32s(graph.Shape{2, 2}, 0, 3, 4, 0), got[1])

	// of a gradient: the matrix of second derivatives
	grads, err := Grad(a.Mul(b).Mul(c).Add(a.Mul(a)), []graph.Value{v})
	require.NoError(t, err)
	hessian, err := Jacobian(grads[0], []graph.Value{v})
	require.NoError(t, err)
	got, _, err = eval.Eval(g, []graph.ID{hessian[0].ID()}, nil)
	require.NoError(t, err)
	require.Equal(t, graph.F32s(graph.Shape{3, 3}, 2, 3, 2, 3, 0, 1, 2, 1, 0), got[0])

	empty, err := Jacobian(v.Slice(0, 0, 1), []graph.Value{x})
	require.NoError(t, err)
	require.Equal(t, graph.Shape{0}, empty[0].Shape())
	_, err = Jacobian(graph.Value{}, nil)
	require.ErrorContains(t, err, "not a value of")
}

// TestProductsAgree: v (J t) is (v J) t, in double precision, for random
// programs; J itself comes from reverse passes that are tested by differences.
func TestProductsAgree(t *testing.T) {
	compared := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 2))
		g, outs := graphtest.Random(rng, graphtest.Config{Ops: 12, Size: 3, Arrays: seed%3 != 0, Smooth: true})
		numbers := func(like []graph.Value) []graph.Value {
			out := make([]graph.Value, len(like))
			for i, v := range like {
				data := make([]float32, v.Shape().Elements())
				for k := range data {
					data[k] = float32(rng.IntN(17)-8) / 4
				}
				out[i] = g.InputTensor("", graph.F32s(v.Shape(), data...))
			}
			return out
		}
		var ys, xs []graph.Value
		for _, o := range outs {
			if o.DType() == graph.F32 && o.Shape().Elements() > 0 {
				ys = append(ys, o)
			}
		}
		for id := range g.NumNodes() {
			if v := g.Value(graph.ID(id)); v.Op() == graph.OpInput && v.DType() == graph.F32 {
				xs = append(xs, v)
			}
		}
		if len(ys) == 0 || len(xs) == 0 {
			continue
		}
		vs, ts := numbers(ys), numbers(xs)
		back, err := VJP(ys, vs, xs)
		require.NoError(t, err)
		along, err := JVP(ys, xs, ts)
		require.NoError(t, err)
		left, err := inner("test", along, vs)
		require.NoError(t, err)
		right, err := inner("test", back, ts)
		require.NoError(t, err)
		require.NoError(t, graph.Check(g))
		all := eval64(g, nil)
		if l, r := all[left.ID()][0], all[right.ID()][0]; !math.IsNaN(r) && !math.IsInf(r, 0) {
			require.InDelta(t, r, l, 1e-9*(1+math.Abs(r)), "seed %d", seed)
			if r != 0 {
				compared++
			}
		}
	}
	t.Logf("%d programs compared", compared)
	require.Greater(t, compared, 500)
}

func TestProductsRefuse(t *testing.T) {
	g := graph.New()
	x, v := g.InputF32("x", 1), g.InputTensor("v", graph.F32s(graph.Shape{2}, 1, 2))
	_, err := VJP([]graph.Value{x}, []graph.Value{v}, []graph.Value{x})
	require.ErrorContains(t, err, "vjp: value 0 has shape (2,) instead of ()")
	_, err = JVP([]graph.Value{x}, []graph.Value{x}, nil)
	require.ErrorContains(t, err, "jvp: 0 values for 1")
	_, err = VJP(nil, nil, []graph.Value{x})
	require.ErrorContains(t, err, "no function")
	_, err = JVP([]graph.Value{x}, []graph.Value{graph.New().F32(1)}, []graph.Value{x})
	require.ErrorContains(t, err, "jvp: argument 0 is not a value of the function's graph")
	_, err = VJP([]graph.Value{x}, []graph.Value{{}}, []graph.Value{x})
	require.ErrorContains(t, err, "vjp: argument 0 is not a value")
	_, err = JVP(nil, []graph.Value{x}, []graph.Value{x})
	require.ErrorContains(t, err, "no function")
}
