package opt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

// Long sums become sums of few terms of some parts, where these take no more time than the whole.
func TestLongSumsAreDivided(t *testing.T) {
	tests := []struct {
		name  string
		build func(v, w graph.Value) []graph.Value
		terms func(n int) int // of the sum that is left; those left over are another one
	}{
		{"one", func(v, w graph.Value) []graph.Value { return []graph.Value{v.Sum()} }, quarter},
		{"a product", func(v, w graph.Value) []graph.Value { return []graph.Value{v.Dot(w)} }, quarter},
		{"of differences", func(v, w graph.Value) []graph.Value { d := v.Sub(w); return []graph.Value{d.Dot(d)} }, quarter},
		{"of a slice", func(v, w graph.Value) []graph.Value {
			return []graph.Value{v.Slice(v.Shape()[0]-1, v.Shape()[0], -1).Dot(w)}
		}, quarter},
		{"of a broadcast scalar", func(v, w graph.Value) []graph.Value {
			return []graph.Value{v.Add(v.Index(0).Broadcast(v.Shape()[0])).Dot(w)}
		}, quarter},
		{"of an array that is needed elsewhere", func(v, w graph.Value) []graph.Value { e := v.Exp(); return []graph.Value{e.Sum(), e} }, quarter},
		{"of functions", func(v, w graph.Value) []graph.Value { return []graph.Value{v.Exp().Sum()} }, whole},
		{"of many steps", func(v, w graph.Value) []graph.Value { return []graph.Value{v.Mul(w).Add(v).Mul(w).Sub(w).Sum()} }, whole},
		{"of four", func(v, w graph.Value) []graph.Value {
			return []graph.Value{v.Sum(), w.Sum(), v.Dot(w), v.Dot(v)}
		}, whole},
		{"of an axis", func(v, w graph.Value) []graph.Value { return []graph.Value{v.Reshape(1, v.Shape()[0]).SumAxis(1)} }, whole},
	}
	for _, tt := range tests {
		for _, n := range []int{longSum - 1, longSum, 259, 600, 997} {
			t.Run(fmt.Sprintf("%s, %d", tt.name, n), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(n), 1))
				g := graph.New()
				vector := func(name string) graph.Value {
					words := make([]uint32, n)
					for i := range words {
						words[i] = math.Float32bits(float32(rng.NormFloat64()))
					}
					v, err := g.Input(name, graph.F32, graph.Shape{n}, words)
					require.NoError(t, err)
					return v
				}
				values := tt.build(vector("v"), vector("w"))
				require.NoError(t, g.Err())
				outs := ids(values)
				o, newOuts, _ := Run(g, outs, true)
				require.NoError(t, graph.Check(o))
				least := tt.terms(n)
				if n < longSum {
					least = n
				}
				for id, uses := range o.Users(newOuts) {
					if op := o.Node(graph.ID(id)).Op; uses > 0 && (op == graph.OpSum || op == graph.OpDot) {
						args := o.Args(graph.ID(id))
						terms := o.Elements(args[0])
						require.True(t, terms == least || least < n && terms < 5*sumLanes, "%d terms\n%v", terms, o)
					}
				}
				want, _, err := eval.Eval(g, outs, nil)
				require.NoError(t, err)
				got, _, err := eval.Eval(o, newOuts, nil)
				require.NoError(t, err)
				for i := range want {
					if least == n {
						require.Equal(t, want[i].Bits, got[i].Bits)
					}
					a, b := math.Float32frombits(want[i].Bits[0]), math.Float32frombits(got[i].Bits[0])
					require.InEpsilon(t, a, b, 1e-3)
				}
				o, newOuts, _ = Run(g, outs, false)
				got, _, err = eval.Eval(o, newOuts, nil)
				require.NoError(t, err)
				require.Equal(t, want, got, "without fast arithmetic nothing is divided")
			})
		}
	}
}

func whole(n int) int { return n }

func quarter(n int) int {
	for _, k := range []int{4, 5, 3} {
		if n%(k*sumLanes) == 0 {
			return n / k
		}
	}
	return n / 4 &^ (sumLanes - 1)
}
