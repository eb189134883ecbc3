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

// Sticky flags stay also where only one of the outputs is asked for, which may need only
// some of the results of a loop.
func TestFlagsOfSingleOutputs(t *testing.T) {
	raised := 0
	for seed := range uint64(1000) {
		g, values := graphtest.Random(rand.New(rand.NewPCG(seed, 4)), graphtest.Config{Arrays: seed%3 > 0, States: seed%2 == 0, Loops: true, DTypes: []graph.DType{graph.Bool, graph.I32, graph.F32}})
		for i, v := range values {
			outs := []graph.ID{v.ID()}
			if loops(g, outs) == 0 {
				continue
			}
			_, _, want, err := eval.Runs(g, outs, nil, 3)
			require.NoError(t, err)
			for _, limit := range []int{0, 30} {
				u, newOuts, _, err := unroll.Run(g, outs, limit)
				require.NoError(t, err)
				_, _, got, err := eval.Runs(u, newOuts, nil, 3)
				require.NoError(t, err)
				require.Equal(t, want, got, "seed %d, output %d, limit %d\n%v\n%v", seed, i, limit, g, u)
			}
			if want != 0 {
				raised++
			}
		}
	}
	require.Greater(t, raised, 100)
}

// An iteration may compute a carry for a later one only, which then takes no notice of it.
func TestFlagsOfWhatNoIterationReads(t *testing.T) {
	for iterations := range 5 {
		g := graph.New()
		i, zero := g.InputI32("i", 7), g.InputI32("zero", 0)
		last, err := g.Fori(iterations, []graph.Value{i.FloorDiv(zero), i, zero}, func(_ graph.Value, c []graph.Value) ([]graph.Value, error) {
			return []graph.Value{i, c[0].Add(i), c[1].Add(c[2].And(g.I32(0)))}, nil
		})
		require.NoError(t, err)
		outs := []graph.ID{last[2].ID()}
		_, want, err := eval.Eval(g, outs, nil)
		require.NoError(t, err)
		u, newOuts, _, err := unroll.Run(g, outs, 1<<20)
		require.NoError(t, err)
		_, got, err := eval.Eval(u, newOuts, nil)
		require.NoError(t, err)
		require.Equal(t, want, got, "%d iterations", iterations)
	}
}

// A loop around one that stays a loop is as long as that one's body says: it does not
// become copies of it.
func TestLoopAroundALongLoop(t *testing.T) {
	g := graph.New()
	x := g.InputF32("x", 0.5)
	last, err := g.Fori(10, []graph.Value{x}, func(_ graph.Value, outer []graph.Value) ([]graph.Value, error) {
		return g.Fori(100, outer, func(_ graph.Value, c []graph.Value) ([]graph.Value, error) {
			return []graph.Value{c[0].Mul(x).Sin().Add(x).Cos()}, nil
		})
	})
	require.NoError(t, err)
	u, outs, _, err := unroll.Run(g, []graph.ID{last[0].ID()}, 40)
	require.NoError(t, err)
	require.Equal(t, 1, loops(u, outs))
	u, outs, _, err = unroll.Run(g, []graph.ID{last[0].ID()}, 50)
	require.NoError(t, err)
	require.Equal(t, 10, loops(u, outs), "10 times 5 nodes")
}
