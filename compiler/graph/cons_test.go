package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Nodes are found again where the block of their youngest operand is full, after
// the table has grown, and with and without the mark of SetFast.
func TestEqualNodesInFullBlocks(t *testing.T) {
	const n = 5000
	g := New()
	var old, all []Value
	for range n {
		old = append(old, g.InputF32("", 1))
	}
	young := g.InputF32("", 2)
	build := func() (vs []Value) {
		for _, v := range old {
			vs = append(vs, v.Mul(young)) // all of one block
		}
		sum := young
		for _, v := range old {
			sum = sum.Add(v)
			vs = append(vs, sum, sum.Sin())
		}
		g.SetFast(true)
		for _, v := range old {
			vs = append(vs, v.Mul(young))
		}
		g.SetFast(false)
		return append(vs, g.StackOf(old...), g.StackOf(all...))
	}
	all = []Value{young, old[0], young, old[1]}
	first := build()
	require.NoError(t, g.Err())
	nodes := g.NumNodes()
	require.Equal(t, first, build())
	require.Equal(t, nodes, g.NumNodes())
	require.Equal(t, n+1+n+2*n+n+2, nodes)
	require.True(t, g.Node(first[3*n].ID()).Fast)
	require.NotEqual(t, first[0], first[3*n])
	require.NoError(t, Check(g))
}

func TestFastRefuses(t *testing.T) {
	g := New()
	i, x := g.InputI32("i", 1), g.InputF32("x", 1)
	g.SetFast(true)
	require.False(t, g.Node(i.Add(i).ID()).Fast, "integers follow no other rules")
	require.False(t, g.Node(g.StackOf(x, x).ID()).Fast)
	require.False(t, g.Node(x.Lt(x).ID()).Fast)
	require.True(t, g.Node(x.Sin().ID()).Fast)
	_, err := g.Define(OpAdd, I32, Shape{}, 0, i.ID(), i.ID())
	require.ErrorIs(t, err, errFast)
	_, err = g.Define(OpAdd, F32, Shape{}, 0, x.ID(), x.ID())
	require.NoError(t, err)
}
