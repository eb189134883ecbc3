package graph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
)

const states = `%0 = state.f32 "x" {0.5} @3
%1 = state.i32[2] "n" {1, 2}
%2 = state.f32 "y" {-0}
%3 = const.f32 {2}
%4 = mul.f32 %0, %3
%5 = sin.f32 %2
%6 = const.i32[2] {1, 1}
%7 = add.i32[2] %1, %6
%8 = state.f32 "idle" {0}
%0.next = %5
%1.next = %7
%2.next = %0
`

func TestStateText(t *testing.T) {
	g, err := graph.Parse(strings.NewReader(states))
	require.NoError(t, err)
	require.NoError(t, graph.Check(g))
	require.Equal(t, states, g.String())
	require.Equal(t, 4, g.NumStates())
	require.Equal(t, graph.ID(5), g.StateInfo(0).Next)
	require.Equal(t, graph.None, g.StateInfo(8).Next)
}

// What a program needs follows the next values of states, from one state to the
// other and around in a circle.
func TestRootsFollowStates(t *testing.T) {
	g, err := graph.Parse(strings.NewReader(states))
	require.NoError(t, err)
	for _, c := range []struct{ outs, states, roots []graph.ID }{
		{[]graph.ID{3}, nil, []graph.ID{3}},
		{[]graph.ID{4}, []graph.ID{0, 2}, []graph.ID{4, 5, 0}},
		{[]graph.ID{2}, []graph.ID{0, 2}, []graph.ID{2, 5, 0}},
		{[]graph.ID{7, 3}, []graph.ID{1}, []graph.ID{7, 3, 7}},
		{[]graph.ID{8}, []graph.ID{8}, []graph.ID{8}},
	} {
		require.Equal(t, c.states, g.States(c.outs))
		require.Equal(t, c.roots, g.Roots(c.outs))
	}
	require.NoError(t, g.CheckStates([]graph.ID{4, 7}))
	require.EqualError(t, g.CheckStates([]graph.ID{4, 8}), `state: state %8 ("idle") has no next value`)

	d := g.Derive()
	require.Equal(t, 4, d.NumStates())
	again := d.Intern(graph.OpState, graph.F32, graph.Scalar, 0)
	require.Equal(t, "x", d.StateInfo(again).Name)
	require.Equal(t, graph.None, d.StateInfo(again).Next, "of the other graph")
}

func TestSetNextRefuses(t *testing.T) {
	g := graph.New()
	s := g.StateF32("s", 1)
	v := g.StateTensor("v", graph.F32s(graph.Shape{3}, 1, 2, 3))
	x := g.InputF32("x", 1)
	require.NoError(t, g.Err())
	g.SetPos(7)
	for _, c := range []struct {
		state, next graph.Value
		message     string
	}{
		{x, x, "%2 is not a state but the result of input"},
		{s, g.I32(1), "the state is f32 and its next value i32"},
		{s, v, "the state has shape () and its next value (3,)"},
		{v, s, "the state has shape (3,) and its next value ()"},
		{s, graph.New().F32(1), "not a value of this graph"},
		{s, graph.Value{}, "not a value of this graph"},
	} {
		err := g.SetNext(c.state, c.next)
		require.ErrorContains(t, err, c.message)
		var refused *graph.Error
		require.ErrorAs(t, err, &refused)
		require.EqualValues(t, 7, refused.Pos)
	}
	require.NoError(t, g.SetNext(s, x))
	require.ErrorContains(t, g.SetNext(s, x), "set already")
	require.Equal(t, x.ID(), g.StateInfo(s.ID()).Next)

	_, err := g.State("", graph.F32, graph.Shape{2}, nil)
	require.ErrorContains(t, err, "0 values for shape (2,)", "the initial value is mandatory")
	_, err = g.State("", graph.F32, graph.Shape{-1}, nil)
	require.Error(t, err)
}

func TestParseRefusesStates(t *testing.T) {
	const head = "%0 = state.f32 \"x\" {1}\n%1 = const.i32 {1}\n%2 = const.f32 {1}\n"
	for text, message := range map[string]string{
		"%0.next = %1":                "the state is f32 and its next value i32",
		"%0.next = %9":                "%9 is not defined before",
		"%9.next = %0":                "%9 is not defined before",
		"%1.next = %2":                "not a state but the result of const",
		"%0.next = %2, %2":            "want one next value",
		"%0.next = %2 @3":             "want one next value",
		"%0.next %2":                  "want %number.next",
		"%0.next = %2\n%0.next = %2":  "set already",
		"%3 = state.f32 \"y\"":        "0 values",
		"%3 = state.f32 {1}":          "want a quoted name",
		"%3 = state.f32 %2 \"y\" {1}": "takes no operands",
		"%3 = state.f32 \"y\" {1, 2}": "2 values",
	} {
		_, err := graph.Parse(strings.NewReader(head + text))
		require.ErrorContains(t, err, message, text)
	}
}
