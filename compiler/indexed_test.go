package compiler_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/internal/seed"
)

// ring is a random program of arrays that change by numbers at indices, between numbers that change at will.
type ring struct {
	*rand.Rand
	g        *graph.Graph
	i        graph.Value   // grows by 1 each time
	outside  graph.Value   // an array that nothing changes
	arrays   []graph.Value // of floats, the last one of two axes
	floats   []graph.Value
	integers []graph.Value
}

// counted is 0, 1, ... n-1.
func counted(g *graph.Graph, n int) graph.Value {
	xs := make([]int32, n)
	for i := range xs {
		xs[i] = int32(i)
	}
	return g.ConstI32(graph.Shape{n}, xs)
}

// index is an index of an axis, of none of its rows at times.
func (r *ring) index(n int) graph.Value {
	k := r.i
	switch r.IntN(6) {
	case 0:
		k = r.integers[r.IntN(len(r.integers))]
	case 1:
		k = k.Add(r.g.I32(int32(r.IntN(5) - 2)))
	case 2:
		k = k.Mul(r.g.I32(int32(r.IntN(5) - 2))).Add(r.g.I32(int32(r.IntN(2 * n))))
	case 3:
		k = k.Add(r.integers[0]).Mod(r.g.I32(int32(n)))
	case 4:
		k = k.And(r.g.I32(3))
	}
	if r.IntN(2) == 0 { // as scripts have it
		return k.Lt(r.g.I32(0)).Select(k.Add(r.g.I32(int32(n))), k).Max(r.g.I32(0)).Min(r.g.I32(int32(n - 1)))
	}
	return k
}

func (r *ring) taken() graph.Value {
	a := r.outside
	if r.IntN(3) > 0 {
		a = r.arrays[r.IntN(len(r.arrays))]
	}
	if r.IntN(8) == 0 {
		return a.Index(2)
	}
	return a.Take(r.index(a.Shape()[0]))
}

// number is one that has something to do with all that changes.
func (r *ring) number() graph.Value {
	x := r.floats[r.IntN(len(r.floats))]
	for range r.IntN(3) {
		y := r.taken()
		if len(y.Shape()) > 0 {
			y = y.Take(r.index(y.Shape()[0]))
		}
		x = x.Mul(r.g.F32(0.5)).Add(y)
	}
	return x
}

// put is an array with a number at an index.
func (r *ring) put(a graph.Value) graph.Value {
	s := a.Shape()
	at := counted(r.g, s[0]).Eq(r.index(s[0]))
	if len(s) == 2 {
		at = at.Reshape(s[0], 1).And(counted(r.g, s[1]).Eq(r.index(s[1])))
	}
	x := r.number()
	if r.IntN(5) == 0 {
		x = r.g.F32(1)
	}
	return at.Select(x.Broadcast(s...), a)
}

// next is what arrays, floats and integers become.
func (r *ring) next() (next []graph.Value) {
	for _, a := range r.arrays {
		switch r.IntN(8) {
		case 0: // stays
		case 1:
			a = r.put(r.put(a))
		case 2:
			a = a.Mul(r.g.F32(0.5))
		default:
			a = r.put(a)
		}
		next = append(next, a)
	}
	for range r.floats {
		x := r.number()
		if r.IntN(3) == 0 {
			a := next[r.IntN(len(r.arrays)-1)] // as it will be
			x = x.Sub(a.Take(r.index(a.Shape()[0])))
		}
		next = append(next, x.Min(r.g.F32(1e6)).Max(r.g.F32(-1e6)))
	}
	for _, n := range r.integers {
		next = append(next, n.Add(r.g.I32(int32(r.IntN(4)))).Mul(r.g.I32(3)).Mod(r.g.I32(11)))
	}
	return next
}

func newRing(rng *rand.Rand, g *graph.Graph, i, outside graph.Value, changing []graph.Value) *ring {
	n := len(changing)
	return &ring{rng, g, i, outside, changing[:n-4], changing[n-4 : n-2], changing[n-2:]}
}

// Arrays that change by numbers at indices, in loops and as states, beside others that do in other ways.
func TestNumbersAtIndices(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		rng := rand.New(rand.NewPCG(seed.Of(t), 5))
		var jobs []*job
		for n := range extent.Of(60, 600) {
			var shapes []graph.Shape
			for range 1 + rng.IntN(2) {
				shapes = append(shapes, graph.Shape{3 + rng.IntN(20)})
			}
			shapes = append(shapes, graph.Shape{3 + rng.IntN(4), 1 + rng.IntN(5)}, nil, nil, nil, nil)
			words := func(k int) (graph.DType, []uint32) {
				if k < len(shapes)-2 {
					return graph.F32, ramp(max(shapes[k].Elements(), 1), float32(k))
				}
				return graph.I32, []uint32{uint32(k)}
			}
			mode := compiler.UnrollMode(rng.IntN(3))
			options := compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}

			g := graph.New()
			var first []graph.Value
			for k, s := range shapes {
				d, w := words(k)
				v, err := g.Input(fmt.Sprint("x", k), d, s, w)
				require.NoError(t, err)
				first = append(first, v)
			}
			outside, err := g.Input("outside", graph.F32, graph.Shape{40}, ramp(40, -3))
			require.NoError(t, err)
			program := rng.Uint64()
			turns := 1 + rng.IntN(40)
			last, err := g.Fori(turns, first, func(i graph.Value, c []graph.Value) ([]graph.Value, error) {
				return newRing(rand.New(rand.NewPCG(program, 1)), g, i, outside, c).next(), g.Err()
			})
			require.NoError(t, err)
			jobs = append(jobs, newJob(t, fmt.Sprintf("%d: a loop of %d over %v, mode %d", n, turns, shapes, mode), g, last, options))

			g = graph.New()
			i, err := g.State("i", graph.I32, nil, []uint32{0})
			require.NoError(t, err)
			var states []graph.Value
			for k, s := range shapes {
				d, w := words(k)
				v, err := g.State(fmt.Sprint("s", k), d, s, w)
				require.NoError(t, err)
				states = append(states, v)
			}
			outside, err = g.Input("outside", graph.F32, graph.Shape{40}, ramp(40, -3))
			require.NoError(t, err)
			next := newRing(rand.New(rand.NewPCG(program, 1)), g, i, outside, states).next()
			require.NoError(t, g.Err())
			for k, v := range next {
				require.NoError(t, g.SetNext(states[k], v))
			}
			require.NoError(t, g.SetNext(i, i.Add(g.I32(1))))
			outs := []graph.Value{i}
			for _, s := range states {
				if rng.IntN(2) == 0 {
					outs = append(outs, s)
				}
			}
			jobs = append(jobs, newJob(t, fmt.Sprintf("%d: states %v, mode %d", n, shapes, mode), g, outs, options))
		}
		m.runJobs(t, jobs)
	})
}
