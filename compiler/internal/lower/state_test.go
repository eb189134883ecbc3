package lower

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// storesInto counts the stores to a fixed place.
func storesInto(f *lir.Func, at lir.Addr) (n int) {
	f.Blocks(func(b *lir.Block, _ *lir.Loop, _ uint64) {
		for _, i := range b.Ins {
			if i.Op.Code() == lir.Store && lir.Addr(i.Imm) == at {
				n++
			}
		}
	})
	return n
}

// Scalars that exchange their values go through slots; what is next only once nothing
// reads a state any more is an update; what stays is not stored.
func TestScalarStates(t *testing.T) {
	g := graph.New()
	a, b, same, x := g.StateF32("a", 1), g.StateF32("b", 2), g.StateF32("same", 3), g.InputF32("x", 4)
	c := g.StateF32("c", 5)
	for state, next := range map[graph.Value]graph.Value{a: b, b: a, same: same, c: x} {
		require.NoError(t, g.SetNext(state, next))
	}
	f, s := lowered(t, g, Auto, a.Add(same), c)
	require.Len(t, f.States, 4)
	require.Len(t, f.Inputs, 1)
	require.Equal(t, 2, s.blocks, "the run, and behind it the stores of the next values")
	last := f.Items[len(f.Items)-1].Block
	require.Len(t, last.Ins, 2)
	first := f.Items[0].Block
	require.Len(t, first.Updates, 1)
	require.Equal(t, uint32(f.States[3].Addr), first.Updates[0].Imm)
	places := map[lir.Addr]bool{}
	for _, st := range f.States {
		places[st.Addr] = true
	}
	for _, i := range last.Ins {
		require.True(t, places[lir.Addr(i.Imm)])
		require.False(t, places[f.Values[i.A].Home], "reads a state that may have changed")
	}
	require.Equal(t, 0, storesInto(f, f.States[2].Addr))
	require.NotContains(t, places, f.Outputs[1].Addr, "an output computed by the run has a place of its own")
}

// A delay line moves from its end: each state is read before it changes.
func TestDelayLine(t *testing.T) {
	g := graph.New()
	x := g.InputF32("x", 0)
	line := make([]graph.Value, 5)
	for i := range line {
		line[i] = g.StateF32("", float32(i))
	}
	next := x
	for _, s := range line {
		require.NoError(t, g.SetNext(s, next))
		next = s
	}
	f, s := lowered(t, g, Auto, g.StackOf(line...).Sum())
	require.Equal(t, 1, s.blocks)
	updates := f.Items[0].Block.Updates
	require.Len(t, updates, len(line))
	changed := map[lir.Addr]bool{}
	for _, u := range updates {
		require.False(t, changed[f.Values[u.A].Home], "reads what has changed")
		changed[lir.Addr(u.Imm)] = true
	}
	require.Len(t, changed, len(line))
}

// Arrays are copied behind everything else, once where the next value lies apart
// from the states and twice where it lies in one. What is computed element by element takes the state's place.
func TestArrayStates(t *testing.T) {
	for _, c := range []struct {
		name   string
		next   func(g *graph.Graph, v graph.Value) graph.Value
		copies int // loops beyond those that compute
		loops  int // that compute
	}{
		{"computed", func(g *graph.Graph, v graph.Value) graph.Value { return v.Neg() }, 0, 1},
		{"reversed", func(g *graph.Graph, v graph.Value) graph.Value { return v.Slice(99, 100, -1) }, 2, 0},
		{"itself", func(g *graph.Graph, v graph.Value) graph.Value { return v }, 0, 0},
		{"an input", func(g *graph.Graph, v graph.Value) graph.Value {
			return g.InputTensor("in", graph.Tensor{DType: graph.F32, Shape: graph.Shape{100}, Bits: make([]uint32, 100)})
		}, 1, 0},
		{"one number", func(g *graph.Graph, v graph.Value) graph.Value { return v.Index(3).Broadcast(100) }, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graph.New()
			v := g.StateTensor("v", graph.Tensor{DType: graph.F32, Shape: graph.Shape{100}, Bits: make([]uint32, 100)})
			next := c.next(g, v)
			require.NoError(t, g.Err())
			require.NoError(t, g.SetNext(v, next))
			f, s := lowered(t, g, Auto, v.Index(0))
			require.Equal(t, c.copies+c.loops, s.loops)
			require.Len(t, f.States, 1)
		})
	}
}

// A stack of states is an array where they lie.
func TestStackOfStatesIsAnArray(t *testing.T) {
	g := graph.New()
	var vs []graph.Value
	for range 32 {
		s := g.StateF32("", 1)
		require.NoError(t, g.SetNext(s, s.Neg()))
		vs = append(vs, s)
	}
	f, s := lowered(t, g, Never, g.StackOf(vs...).Sum())
	require.Len(t, f.States, 32)
	for i, st := range f.States {
		require.Equal(t, f.States[0].Addr.Plus(4*i), st.Addr)
	}
	require.Equal(t, 1, s.loops, "the sum, and nothing copied")
	require.Equal(t, 0, s.scratch)
}

// A state that only the host reads is kept all the same.
func TestKeptStates(t *testing.T) {
	g := graph.New()
	a, b, idle := g.StateF32("a", 1), g.StateF32("b", 1), g.StateF32("idle", 1)
	for _, s := range []graph.Value{a, idle} {
		require.NoError(t, g.SetNext(s, b.Add(s)))
	}
	require.NoError(t, g.SetNext(b, b.Neg()))
	f, err := Run(g, []graph.ID{g.F32(1).ID()}, []graph.ID{a.ID()}, anything(), Auto)
	require.NoError(t, err)
	require.Len(t, f.States, 2)
	require.Equal(t, a.ID(), f.States[0].Node)
	require.Equal(t, b.ID(), f.States[1].Node)
}
