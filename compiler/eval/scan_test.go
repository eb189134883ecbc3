package eval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

// TestLoops holds loops against numbers found by hand: every kind of result, flags
// of the iterations, and none of what no result needs.
func TestLoops(t *testing.T) {
	g := graph.New()
	v := g.ConstI32(graph.Shape{4}, []int32{1, 2, 3, 4})
	k := g.InputI32("k", 10)
	last, rows, err := g.Scan(4, []graph.Value{g.I32(0), g.I32(1), g.I32(100)}, []graph.Value{v}, func(i graph.Value, c, x []graph.Value) (next, rows []graph.Value, err error) {
		// Fibonacci numbers; a division that raises the flag in iteration 2 stands by itself.
		return []graph.Value{c[1], c[0].Add(c[1]), c[2].FloorDiv(i.Sub(g.I32(2)))},
			[]graph.Value{x[0].Mul(k).Add(i), g.StackOf(c[0], i)}, nil
	})
	require.NoError(t, err)
	loop, _ := g.Node(last[0].ID()).ScanRange()
	s, _ := g.ScanInfo(last[0].ID())
	history, err := g.ScanResult(loop, s.History(1), g.Args(last[0].ID()))
	require.NoError(t, err)
	outs := []graph.ID{last[0].ID(), last[1].ID(), rows[0].ID(), rows[1].ID(), history.ID()}
	got, flags, err := eval.Eval(g, outs, nil)
	require.NoError(t, err)
	require.Zero(t, flags, "the division is not needed")
	want := [][]int32{{3}, {5}, {10, 21, 32, 43}, {0, 0, 1, 1, 1, 2, 2, 3}, {1, 1, 2, 3}}
	for i := range want {
		require.Equal(t, want[i], got[i].I32(), "output %d", i)
	}
	got, flags, err = eval.Eval(g, append(outs, last[2].ID()), nil)
	require.NoError(t, err)
	require.Equal(t, graph.FlagDivide, flags)
	require.Equal(t, []int32{0}, got[5].I32())
}
