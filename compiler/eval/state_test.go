package eval

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
)

// A run reads what the last one left, and all states change at once.
func TestStates(t *testing.T) {
	g := graph.New()
	a, b := g.StateF32("a", 0), g.StateF32("b", 1)
	count := g.StateTensor("count", graph.I32s(graph.Shape{2}, 10, 20))
	step := g.InputI32("step", 1)
	require.NoError(t, g.SetNext(a, b))
	require.NoError(t, g.SetNext(b, a.Add(b))) // Fibonacci
	require.NoError(t, g.SetNext(count, count.Add(step)))
	outs := []graph.ID{a.Add(g.F32(0.5)).ID(), count.ID()}
	require.NoError(t, g.Err())

	for n, want := range map[int][2]float32{1: {0.5, 1}, 2: {1.5, 1}, 7: {8.5, 13}} {
		got, states, _, err := Runs(g, outs, nil, n)
		require.NoError(t, err)
		require.Equal(t, graph.ScalarF32(want[0]), got[0], "what the last run computed, %d runs", n)
		require.Equal(t, graph.ScalarF32(want[1]), states[a.ID()], "what it left, %d runs", n)
		require.Equal(t, graph.I32s(graph.Shape{2}, int32(9+n), int32(19+n)), got[1], "a state as an output is what the run read")
		require.Len(t, states, 3)
	}
	got, states, flags, err := Step(g, outs, map[graph.ID]Tensor{a.ID(): graph.ScalarF32(5), step.ID(): graph.ScalarI32(-1)})
	require.NoError(t, err)
	require.Zero(t, flags)
	require.Equal(t, graph.ScalarF32(5.5), got[0])
	require.Equal(t, graph.ScalarF32(6), states[b.ID()])
	require.Equal(t, graph.I32s(graph.Shape{2}, 9, 19), states[count.ID()])

	_, states, _, err = Step(g, []graph.ID{step.ID()}, nil)
	require.NoError(t, err)
	require.Empty(t, states, "the program needs none")
}

func TestFlagsOfNextValues(t *testing.T) {
	g := graph.New()
	n := g.StateTensor("n", graph.ScalarI32(2))
	require.NoError(t, g.SetNext(n, n.Sub(g.I32(1))))
	bad := g.StateTensor("bad", graph.ScalarI32(0))
	require.NoError(t, g.SetNext(bad, g.I32(7).FloorDiv(n)))
	outs := []graph.ID{bad.Add(n).ID()}
	for runs, want := range map[int]uint32{1: 0, 2: 0, 3: graph.FlagDivide, 4: graph.FlagDivide} {
		_, _, flags, err := Runs(g, outs, nil, runs)
		require.NoError(t, err)
		require.Equal(t, want, flags, "%d runs", runs)
	}
}

func TestStatesRefused(t *testing.T) {
	g := graph.New()
	s := g.StateF32("s", 0)
	_, _, err := Eval(g, []graph.ID{s.Sin().ID()}, nil)
	require.EqualError(t, err, `eval: state: state %0 ("s") has no next value`)
	require.NoError(t, g.SetNext(s, s.Cos()))
	_, _, err = Eval(g, []graph.ID{s.ID()}, map[graph.ID]Tensor{s.ID(): graph.ScalarI32(1)})
	require.EqualError(t, err, `eval: state "s" is f32, not i32`)
	_, _, err = Eval(g, []graph.ID{s.ID()}, map[graph.ID]Tensor{s.ID(): graph.F32s(graph.Shape{1}, 1)})
	require.EqualError(t, err, `eval: state "s" has shape (), not (1,)`)
}
