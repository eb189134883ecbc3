package compiler_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// TestElementsInTurn: loops take elements at indices that move on evenly, within the array and beyond its ends, of tables that lie
// in memory in different ways, of one and of several, in loops within loops, and beside arrays that are computed in the iteration.
func TestElementsInTurn(t *testing.T) {
	indices := map[string]func(g *graph.Graph, i graph.Value) graph.Value{
		"i":       func(_ *graph.Graph, i graph.Value) graph.Value { return i },
		"i+3":     func(g *graph.Graph, i graph.Value) graph.Value { return i.Add(g.I32(3)) },
		"i+10":    func(g *graph.Graph, i graph.Value) graph.Value { return i.Add(g.I32(10)) },
		"i-1":     func(g *graph.Graph, i graph.Value) graph.Value { return i.Sub(g.I32(1)) },
		"2*i+1":   func(g *graph.Graph, i graph.Value) graph.Value { return i.Mul(g.I32(2)).Add(g.I32(1)) },
		"15-i":    func(g *graph.Graph, i graph.Value) graph.Value { return g.I32(15).Sub(i) },
		"30-2*i":  func(g *graph.Graph, i graph.Value) graph.Value { return g.I32(30).Sub(i.Add(i)) },
		"i<<2":    func(g *graph.Graph, i graph.Value) graph.Value { return i.Shl(g.I32(2)) },
		"(i+1)*2": func(g *graph.Graph, i graph.Value) graph.Value { return i.Add(g.I32(1)).Mul(g.I32(2)) },
		"i*i":     func(_ *graph.Graph, i graph.Value) graph.Value { return i.Mul(i) },
		"i-i":     func(_ *graph.Graph, i graph.Value) graph.Value { return i.Sub(i) },
	}
	tables := map[string]func(g *graph.Graph, x graph.Value) graph.Value{
		"input":     func(_ *graph.Graph, x graph.Value) graph.Value { return x },
		"computed":  func(g *graph.Graph, x graph.Value) graph.Value { return x.Mul(g.F32(3)) },
		"backwards": func(_ *graph.Graph, x graph.Value) graph.Value { return x.Slice(x.Shape()[0]-1, x.Shape()[0], -1) },
		"bools":     func(g *graph.Graph, x graph.Value) graph.Value { return x.Gt(g.F32(1.5)) },
		"ints":      func(_ *graph.Graph, x graph.Value) graph.Value { return x.ToI32() },
		"one":       func(g *graph.Graph, x graph.Value) graph.Value { return x.Index(2).Broadcast(x.Shape()...) },
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, table := range tables {
			g := graph.New()
			x, err := g.Input("x", graph.F32, graph.Shape{31}, ramp(31, -1))
			require.NoError(t, err)
			from := table(g, x)
			var outs []graph.Value
			loop := func(n int, terms func(i graph.Value) graph.Value) {
				sum, err := g.Fori(n, []graph.Value{g.F32(0)}, func(i graph.Value, c []graph.Value) ([]graph.Value, error) {
					return []graph.Value{c[0].Add(terms(i))}, nil
				})
				require.NoError(t, err)
				outs = append(outs, sum...)
			}
			for _, n := range []int{4, 15, 16, 31} {
				for _, index := range indices {
					loop(n, func(i graph.Value) graph.Value { return from.Take(index(g, i)).ToF32() })
				}
				loop(n, func(i graph.Value) graph.Value {
					j := i.Add(g.I32(2))
					return from.Take(i).ToF32().Add(from.Take(j).ToF32()).Sub(x.Take(i)).Mul(j.ToF32())
				})
			}
			loop(12, func(i graph.Value) graph.Value { // in memory, with a row that is computed in each iteration
				return from.Take(i).ToF32().Mul(x.Sub(from.Take(g.I32(12).Sub(i)).ToF32()).Sum())
			})
			loop(5, func(i graph.Value) graph.Value {
				y := x.Mul(i.ToF32())
				inner, err := g.Fori(6, []graph.Value{g.F32(1)}, func(j graph.Value, c []graph.Value) ([]graph.Value, error) {
					return []graph.Value{c[0].Mul(y.Take(j)).Sub(from.Take(j.Add(i)).ToF32()).Add(from.Take(g.I32(6).Sub(j)).ToF32())}, nil
				})
				require.NoError(t, err)
				return inner[0]
			})
			require.NoError(t, g.Err())
			for _, mode := range []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollNever} {
				jobs = append(jobs, newJob(t, fmt.Sprintf("%s, mode %d", name, mode), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
			}
		}
		m.runJobs(t, jobs)
	})
}
