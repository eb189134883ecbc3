package opt

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

// Inner products of one vector, shifted by constants or by values of the program, in any place
// of a sum, are one inner product and one sum.
func TestShiftedInnerProducts(t *testing.T) {
	const n = 9
	tests := []struct {
		name      string
		build     func(g *graph.Graph, v, w, x graph.Value) graph.Value
		dot, sum  int
		unchanged bool
	}{
		{"constants", func(g *graph.Graph, v, w, x graph.Value) graph.Value {
			y := v.Dot(w)
			for i := range 9 {
				y = y.Add(v.Add(g.F32(float32(i + 1)).Broadcast(n)).Dot(w))
			}
			return y
		}, 1, 1, false},
		{"scalars, and subtracted", func(g *graph.Graph, v, w, x graph.Value) graph.Value {
			return x.Sub(w.Dot(v.Sub(x.Broadcast(n)))).Add(v.Add(g.F32(3).Broadcast(n)).Dot(w).Mul(g.F32(2)))
		}, 1, 1, false},
		{"the other operand is shifted", func(g *graph.Graph, v, w, x graph.Value) graph.Value {
			return v.Dot(w.Add(x.Broadcast(n))).Add(v.Dot(w))
		}, 1, 1, false},
		{"two vectors", func(g *graph.Graph, v, w, x graph.Value) graph.Value {
			s := x.Broadcast(n)
			return v.Add(s).Dot(w).Add(v.Dot(w)).Add(v.Add(s).Dot(v)).Add(v.Dot(v))
		}, 2, 2, false},
		{"alone", func(g *graph.Graph, v, w, x graph.Value) graph.Value {
			return v.Add(x.Broadcast(n)).Dot(w).Add(x)
		}, 1, 0, true},
		{"alone, with itself", func(g *graph.Graph, v, w, x graph.Value) graph.Value {
			s := v.Add(x.Broadcast(n))
			return s.Dot(s).Add(x)
		}, 1, 0, true},
		{"needed elsewhere", func(g *graph.Graph, v, w, x graph.Value) graph.Value {
			a, b := v.Add(x.Broadcast(n)).Dot(w), v.Dot(w)
			return a.Add(b).Mul(a).Mul(b)
		}, 2, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(20) {
				rng := rand.New(rand.NewPCG(seed, 1))
				g := graph.New()
				vector := func(name string) graph.Value {
					e := make([]graph.Value, n)
					for i := range e {
						e[i] = g.InputF32("", float32(rng.NormFloat64()))
					}
					return g.StackOf(e...)
				}
				y := tt.build(g, vector("v"), vector("w"), g.InputF32("x", float32(rng.NormFloat64())))
				require.NoError(t, g.Err())
				outs := []graph.ID{y.ID()}
				o, newOuts, _ := Run(g, outs, true)
				require.NoError(t, graph.Check(o))
				require.Equal(t, tt.dot, count(o, newOuts, graph.OpDot))
				require.Equal(t, tt.sum, count(o, newOuts, graph.OpSum))
				want, _, err := eval.Eval(g, outs, nil)
				require.NoError(t, err)
				got, _, err := eval.Eval(o, newOuts, nil)
				require.NoError(t, err)
				if tt.unchanged {
					require.Equal(t, want, got)
				} else {
					require.InDelta(t, math.Float32frombits(want[0].Bits[0]), math.Float32frombits(got[0].Bits[0]), 1e-4)
				}
				o, newOuts, _ = Run(g, outs, false)
				require.Zero(t, count(o, newOuts, graph.OpSum), "without fast arithmetic nothing is taken apart")
			}
		})
	}
}
