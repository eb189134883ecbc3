package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckFindsDamagedStates(t *testing.T) {
	for message, damage := range map[string]func(g *Graph, state ID){
		"unknown next value %99":                  func(g *Graph, _ ID) { g.states[0].Next = 99 },
		"the state is f32 and its next value i32": func(g *Graph, _ ID) { g.states[0].Next = 0 },
		"unknown state 5":                         func(g *Graph, s ID) { g.nodes[s].Attr = 5 },
		"is not a canonical f32":                  func(g *Graph, _ ID) { g.states[0].Init[0] = 0xffffffff },
	} {
		g := New()
		g.InputI32("i", 0)
		s := g.StateF32("s", 1)
		require.NoError(t, g.SetNext(s, s.Sin()))
		require.NoError(t, Check(g))
		damage(g, s.ID())
		require.ErrorContains(t, Check(g), message)
	}
}
