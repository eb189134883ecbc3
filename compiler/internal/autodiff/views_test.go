package autodiff

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
)

// randomView is an array or element that consists of elements of v, and for each of its elements,
// row by row, which of v it is.
func randomView(rng *rand.Rand, v graph.Value) (graph.Value, []int) {
	g := v.Graph()
	at := make([]int, v.Shape().Elements())
	for i := range at {
		at[i] = i
	}
	for range 1 + rng.IntN(5) {
		s := v.Shape()
		if len(s) == 0 {
			break
		}
		row := s[1:].Elements()
		rows := func(list []int) (out []int) {
			for _, i := range list {
				out = append(out, at[i*row:(i+1)*row]...)
			}
			return out
		}
		switch rng.IntN(6) {
		case 0:
			i := rng.IntN(s[0])
			v, at = v.Index(i), rows([]int{i})
		case 1:
			start := rng.IntN(s[0])
			count := 1 + rng.IntN(s[0]-start)
			v, at = v.Slice(start, count, 1), rows(ascending(start, count))
		case 2:
			list := ascending(0, s[0])
			slices.Reverse(list)
			v, at = v.Slice(s[0]-1, s[0], -1), rows(list)
		case 3:
			if len(s) == 2 {
				turned := make([]int, 0, len(at))
				for j := range s[1] {
					for i := range s[0] {
						turned = append(turned, at[i*s[1]+j])
					}
				}
				v, at = v.Transpose(), turned
			} else {
				v = v.Reshape(s.Elements())
			}
		case 4:
			if n := s.Elements(); n%2 == 0 {
				v = v.Reshape(2, n/2)
			}
		default:
			i := rng.IntN(s[0])
			v, at = g.ConcatOf(v.Slice(i, s[0]-i, 1), v.Slice(0, i+1, 1)), rows(append(ascending(i, s[0]-i), ascending(0, i+1)...))
		}
	}
	return v, at
}

func ascending(from, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = from + i
	}
	return out
}

// The gradient by any part of an input is that part of the gradient by the input, which central
// differences are held against elsewhere: before and after the result was made, alone and beside
// each other.
func TestRandomViews(t *testing.T) {
	compared := 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 7))
		g := graph.New()
		v := g.InputTensor("v", graph.F32s(graph.Shape{2, 3}, 0.5, -1.25, 2, 0.75, 1.5, -0.5))
		w := g.InputTensor("w", graph.F32s(graph.Shape{4}, 1, 2, -0.5, 0.25))
		var xs []graph.Value
		var places [][]int
		var bases []graph.Value
		add := func() {
			base := []graph.Value{v, w}[rng.IntN(2)]
			x, at := randomView(rng, base)
			xs, places, bases = append(xs, x), append(places, at), append(bases, base)
		}
		for range 3 {
			add()
		}
		y := v.Mul(v).Sum().Add(w.Sin().Sum())
		for range 4 {
			base, _ := randomView(rng, []graph.Value{v, w}[rng.IntN(2)])
			y = y.Add(base.Mul(base).Mul(base).Sum())
			if rng.IntN(2) == 0 {
				y = y.Mul(xs[rng.IntN(len(xs))].Exp().Sum())
			}
		}
		for range 2 {
			add()
		}
		require.NoError(t, g.Err())
		whole, err := Grad(y, []graph.Value{v, w})
		require.NoError(t, err)
		together, err := Grad(y, xs)
		require.NoError(t, err)
		outs := []graph.ID{whole[0].ID(), whole[1].ID()}
		for i, x := range xs {
			alone, err := Grad(y, []graph.Value{x})
			require.NoError(t, err)
			require.True(t, alone[0].Shape().Equal(x.Shape()))
			outs = append(outs, together[i].ID(), alone[0].ID())
		}
		got, _, err := eval.Eval(g, outs, nil)
		require.NoError(t, err)
		for i := range xs {
			base := got[0].F32()
			if bases[i] == w {
				base = got[1].F32()
			}
			for k, at := range places[i] {
				for _, d := range []float32{got[2+2*i].F32()[k], got[3+2*i].F32()[k]} {
					require.LessOrEqual(t, math.Abs(float64(d-base[at])), 1e-5*(1+math.Abs(float64(base[at]))), "seed %d, view %d, element %d\n%v", seed, i, k, g)
				}
				compared++
			}
		}
	}
	require.Greater(t, compared, 5000)
}

// Of programs of all ops: the gradient by what an input was put together from.
func TestViewsOfRandomPrograms(t *testing.T) {
	compared := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g, outs := graphtest.Random(rng, graphtest.Config{Ops: 12, Size: 3, Arrays: true, Smooth: true, Loops: seed%2 == 0})
		y := g.F32(0)
		for _, o := range outs {
			if o.DType() == graph.F32 && o.Shape().Elements() > 0 {
				y = y.Add(o.Sum())
			}
		}
		var xs, parts []graph.Value
		program := g.NumNodes()
		for id := range program {
			if v := g.Value(graph.ID(id)); v.Op() == graph.OpInput && v.DType() == graph.F32 {
				flat := v.Reshape(v.Shape().Elements())
				if part := g.ConcatOf(flat, flat); int(part.ID()) >= program { // the program does not use it itself
					xs, parts = append(xs, v), append(parts, part)
				}
			}
		}
		require.NoError(t, g.Err())
		grads, err := Grad(y, xs)
		require.NoError(t, err)
		by, err := Grad(y, parts)
		require.NoError(t, err)
		var ids []graph.ID
		for i := range xs {
			ids = append(ids, grads[i].ID(), by[i].ID())
		}
		got, _, err := eval.Eval(g, ids, nil)
		require.NoError(t, err)
		for i := range xs {
			want := got[2*i].Bits
			require.Equal(t, slices.Concat(want, want), got[2*i+1].Bits, "seed %d\n%v", seed, g)
			compared += len(want)
		}
	}
	require.Greater(t, compared, 1000)
}
