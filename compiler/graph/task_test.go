package graph

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSetTask: the task is part of a computation, and of nothing else.
func TestSetTask(t *testing.T) {
	g := New()
	x, s := g.InputF32("x", 1), g.StateF32("s", 2)
	before := x.Sin()
	g.SetTask(2)
	require.Equal(t, 2, g.Task())
	within, two, many := x.Sin(), g.F32(2), g.StackOf(x, s, x, s)
	require.NoError(t, g.SetNext(s, within))
	require.Equal(t, within, x.Sin())
	require.Equal(t, many, g.StackOf(x, s, x, s))
	g.SetTask(0)
	require.Equal(t, before, x.Sin())
	require.NotEqual(t, before, within)
	require.NotEqual(t, many, g.StackOf(x, s, x, s))
	require.Equal(t, two, g.F32(2))
	require.Equal(t, []int{0, 2, 0, 2, 0}, []int{g.TaskOf(x.ID()), g.TaskOf(s.ID()), g.TaskOf(before.ID()), g.TaskOf(within.ID()), g.TaskOf(two.ID())})
	require.NoError(t, Check(g))
}

func TestMetaOfValues(t *testing.T) {
	low, high := -1.0, 2.0
	m := &Meta{Low: &low, High: &high, Role: RoleOutput, Safe: []float64{0, 1}}
	require.NoError(t, m.Check(F32, 2))
	require.NoError(t, m.CheckValue(F32, []uint32{math.Float32bits(-1), math.Float32bits(2)}))
	for _, x := range []float32{-1.5, 2.5, float32(math.NaN()), float32(math.Inf(1))} {
		require.Error(t, m.CheckValue(F32, []uint32{0, math.Float32bits(x)}), "%v", x)
	}
	require.NoError(t, m.CheckValue(I32, []uint32{0xffffffff, 2}))
	require.Error(t, m.CheckValue(I32, []uint32{0xfffffffe}))
	require.Equal(t, []uint32{0, 0, 0, 0x3ff00000}, m.SafeWords(F64, 2))
	require.Equal(t, []uint32{0, 0x3f800000}, m.SafeWords(F32, 2))
	for r := range numRoles {
		again, err := ParseRole(r.String())
		require.NoError(t, err)
		require.Equal(t, r, again)
	}
	require.Equal(t, 0.0, Nearest(I32, 0.4))
	require.Equal(t, float64(math.MaxInt32), Nearest(I32, 1e10))
	require.Equal(t, float64(float32(0.1)), Nearest(F32, 0.1))
}
