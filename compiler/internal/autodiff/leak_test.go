package autodiff

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
)

// TestSideNotTakenDoesNotCount joins two random programs, full of NaNs,
// infinities and poles, that share what they are made of, by a select: the
// gradient must be that of the side taken alone, to the bit except for the sign
// of zero.
func TestSideNotTakenDoesNotCount(t *testing.T) {
	elements, differ := 0, 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 4))
		g, outs := graphtest.Random(rng, graphtest.Config{Ops: 25, Size: 4, Arrays: seed%2 == 0})
		var sides []graph.Value
		for _, v := range outs {
			if v.DType() == graph.F32 && v.Shape().Elements() > 0 {
				sides = append(sides, v.Reshape(v.Shape().Elements()).Index(0))
			}
		}
		if len(sides) < 2 {
			continue
		}
		taken, other := sides[0], sides[1]
		for _, v := range sides[2:] {
			other = other.Add(v)
		}
		cond := g.InputBool("cond", seed%4 < 2)
		joined := cond.Select(taken, other)
		if seed%4 >= 2 {
			joined = cond.Select(other, taken)
		}
		var xs []graph.Value
		for id := range g.NumNodes() {
			if v := g.Value(graph.ID(id)); v.Op() == graph.OpInput && v.DType() == graph.F32 {
				xs = append(xs, v)
			}
		}
		want, got, unjoined := gradients(t, taken, xs), gradients(t, joined, xs), gradients(t, taken.Add(other), xs)
		for i := range want {
			for k, w := range want[i].F32() {
				elements++
				if d := got[i].F32()[k]; w != d && !(w != w && d != d) {
					t.Fatalf("seed %d, argument %d, element %d: alone %v, joined %v\n%v", seed, i, k, w, d, g)
				}
				if u := unjoined[i].F32()[k]; w == w && u != u {
					differ++
				}
			}
		}
	}
	t.Logf("%d elements, %d of them with a NaN from the other side when both count", elements, differ)
	require.Greater(t, differ, 500)
}

func gradients(t *testing.T, y graph.Value, xs []graph.Value) []graph.Tensor {
	t.Helper()
	grads, err := Grad(y, xs)
	require.NoError(t, err)
	ids := make([]graph.ID, len(grads))
	for i, v := range grads {
		ids[i] = v.ID()
	}
	got, _, err := eval.Eval(y.Graph(), ids, nil)
	require.NoError(t, err)
	return got
}
