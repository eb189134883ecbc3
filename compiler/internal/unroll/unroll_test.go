package unroll_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
	"github.com/copaflash/copaflash/compiler/internal/unroll"
)

func loops(g *graph.Graph, outs []graph.ID) int {
	uses := g.Users(g.Roots(outs))
	return len(g.ScanGroups(func(id graph.ID) bool { return uses[id] > 0 }))
}

// Random programs keep their bits and their sticky flags, whichever of their loops
// are unrolled.
func TestRandomGraphsKeepTheirBits(t *testing.T) {
	left, gone := 0, 0
	for seed := range uint64(1500) {
		g, values := graphtest.Random(rand.New(rand.NewPCG(seed, 3)), graphtest.Config{Arrays: seed%3 > 0, States: seed%2 == 0, Loops: true})
		outs := make([]graph.ID, len(values))
		for i, v := range values {
			outs[i] = v.ID()
		}
		for _, limit := range []int{0, 30, 1 << 20} {
			u, newOuts, moved, err := unroll.Run(g, outs, limit)
			require.NoError(t, err)
			require.NoError(t, graph.Check(u), "seed %d", seed)
			n := loops(u, newOuts)
			left, gone = left+n, gone+loops(g, outs)-n
			want, _, wantFlags, err := eval.Runs(g, outs, nil, 3)
			require.NoError(t, err)
			got, states, gotFlags, err := eval.Runs(u, newOuts, nil, 3)
			require.NoError(t, err)
			for i := range want {
				require.Equal(t, want[i].Bits, got[i].Bits, "seed %d, limit %d, output %d\n%v\n%v", seed, limit, i, g, u)
			}
			require.Equal(t, wantFlags, gotFlags, "seed %d", seed)
			for s := range states {
				require.Equal(t, graph.OpState, u.Node(s).Op)
			}
			if moved != nil {
				require.Equal(t, newOuts[0], moved[outs[0]])
			}
		}
	}
	require.Greater(t, left, 100)
	require.Greater(t, gone, 100)
}
