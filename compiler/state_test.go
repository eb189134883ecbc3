package compiler_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// A state has one symbol of its kind, and one more where it is an output; what is
// computed from one has a place of its own even if it is equal.
func TestStateSymbols(t *testing.T) {
	g := graph.New()
	named, plain, hidden, idle := g.StateF32("named", 1), g.StateF32("", 2), g.StateTensor("", graph.I32s(graph.Shape{2}, 1, 2)), g.StateF32("idle", 0)
	x := g.InputF32("", 1)
	require.NoError(t, g.SetNext(named, named.Add(x)))
	require.NoError(t, g.SetNext(plain, plain.Mul(hidden.Sum())))
	require.NoError(t, g.SetNext(hidden, hidden))
	require.NoError(t, g.SetNext(idle, named))
	equal := named.Mul(g.F32(1))
	require.NoError(t, g.Err())
	p, err := compiler.Compile(g, []compiler.Output{
		{Name: "equal", Value: equal}, {Name: "alias", Value: named}, {Name: "plain", Value: plain}, {Name: "x", Value: x},
	}, compiler.Options{Arch: "x86_64", Verify: true})
	require.NoError(t, err)
	var got []string
	for _, s := range p.Image.Symbols {
		got = append(got, fmt.Sprintf("%s %s %s%v", s.Kind, s.Name, s.DType, []int(s.Shape)))
	}
	require.Equal(t, []string{"input x f32[]", "state named f32[]", "state plain f32[]", "state state2 i32[2]",
		"output equal f32[]", "output alias f32[]", "output plain f32[]", "output x f32[]"}, got)
	state, ok := p.Variable(named.ID())
	require.True(t, ok)
	require.Equal(t, "named", state.Name)
	require.Equal(t, state.Offset, p.Output(1).Offset)
	require.NotEqual(t, state.Offset, p.Output(0).Offset)
	_, ok = p.Variable(idle.ID())
	require.False(t, ok)
}

func TestStateWithoutNextValue(t *testing.T) {
	g := graph.New()
	s := g.StateF32("s", 1)
	_, err := compiler.Compile(g, []compiler.Output{{Value: s.Sin()}}, compiler.Options{Arch: "x86_64"})
	require.EqualError(t, err, `compile: state: state %0 ("s") has no next value`)
}

// TestStatesOnMachines runs programs whose states depend on each other in the
// ways that could go wrong if a next value came too early.
func TestStatesOnMachines(t *testing.T) {
	words := func(n int) (bits []uint32) {
		for i := range n {
			bits = append(bits, uint32(i*i+1))
		}
		return bits
	}
	programs := map[string]func(g *graph.Graph) []graph.Value{
		"exchange": func(g *graph.Graph) []graph.Value {
			a, b := g.StateF32("a", 1), g.StateF32("b", 2)
			next(t, a, b)
			next(t, b, a)
			return []graph.Value{a, b, a.Sub(b)}
		},
		"shift register": func(g *graph.Graph) []graph.Value {
			v := g.StateTensor("v", graph.Tensor{DType: graph.I32, Shape: graph.Shape{100}, Bits: words(100)})
			w := g.StateTensor("w", graph.Tensor{DType: graph.I32, Shape: graph.Shape{100}, Bits: words(100)})
			next(t, v, g.ConcatOf(v.Slice(1, 99, 1), w.Slice(0, 1, 1)))
			next(t, w, g.ConcatOf(w.Slice(1, 99, 1), v.Slice(0, 1, 1)))
			return []graph.Value{v.Slice(0, 10, 1), w, v.Sum()}
		},
		"exchange of arrays": func(g *graph.Graph) []graph.Value {
			v := g.StateTensor("v", graph.Tensor{DType: graph.I32, Shape: graph.Shape{9, 9}, Bits: words(81)})
			w := g.StateTensor("w", graph.Tensor{DType: graph.I32, Shape: graph.Shape{9, 9}, Bits: make([]uint32, 81)})
			next(t, v, w.Transpose())
			next(t, w, v.Transpose())
			return []graph.Value{v, w, v.MatMul(w)}
		},
		"elements of an array": func(g *graph.Graph) []graph.Value {
			v := g.StateTensor("v", graph.F32s(graph.Shape{4}, 1, 2, 3, 4))
			s := g.StateF32("s", 9)
			next(t, v, g.StackOf(v.Index(0), v.Index(0), s, v.Index(1)))
			next(t, s, v.Index(3))
			return []graph.Value{v, v.Index(2).Add(s)}
		},
		"stack of states": func(g *graph.Graph) []graph.Value {
			var vs []graph.Value
			for i := range 20 {
				vs = append(vs, g.StateF32("", float32(i)))
			}
			for i, s := range vs {
				next(t, s, vs[(i+1)%20])
			}
			return []graph.Value{g.StackOf(vs...), g.StackOf(vs...).Sum()}
		},
		"one number for all": func(g *graph.Graph) []graph.Value {
			v := g.StateTensor("v", graph.F32s(graph.Shape{3}, 1, 2, 3))
			big := g.StateTensor("big", graph.Tensor{DType: graph.F32, Shape: graph.Shape{500}, Bits: make([]uint32, 500)})
			next(t, v, v.Index(2).Sin().Broadcast(3))
			next(t, big, v.Index(0).Broadcast(500))
			return []graph.Value{v, big.Sum(), big}
		},
		"empty": func(g *graph.Graph) []graph.Value {
			e := g.StateTensor("e", graph.Tensor{DType: graph.F32, Shape: graph.Shape{0}})
			next(t, e, e.Neg())
			return []graph.Value{e.Sum(), e}
		},
		"nothing but a state": func(g *graph.Graph) []graph.Value {
			s := g.StateTensor("s", graph.ScalarI32(5))
			next(t, s, s.Add(g.I32(3)))
			return []graph.Value{s}
		},
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, build := range programs {
			for _, mode := range []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollAlways, compiler.UnrollNever} {
				g := graph.New()
				outs := build(g)
				require.NoError(t, g.Err(), name)
				jobs = append(jobs, newJob(t, fmt.Sprintf("%s, mode %d", name, mode), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
			}
		}
		m.runJobs(t, jobs)
	})
}

func next(t *testing.T, state, value graph.Value) {
	t.Helper()
	require.NoError(t, state.Graph().SetNext(state, value))
}
