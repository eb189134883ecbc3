package compiler_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// Arrays that a loop carries, or states, and changes where they lie: as a whole, in rows, columns and
// elements at an index that may be none of theirs, and in an order that something else depends on.
func TestChangesInPlace(t *testing.T) {
	type change func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value
	counting := func(g *graph.Graph, n int) graph.Value {
		xs := make([]int32, n)
		for i := range xs {
			xs[i] = int32(i)
		}
		return g.ConstI32(graph.Shape{n}, xs)
	}
	rowAt := func(g *graph.Graph, w, at, row graph.Value) graph.Value {
		n := w.Shape()[0]
		return counting(g, n).Eq(at).Reshape(n, 1).Select(row, w)
	}
	columnAt := func(g *graph.Graph, w, at, column graph.Value) graph.Value {
		return counting(g, w.Shape()[1]).Eq(at).Select(column.Reshape(column.Shape()[0], 1), w)
	}
	changes := map[string]change{
		"whole": func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value {
			return []graph.Value{c[0].Mul(g.F32(0.5)).Add(k.ToF32()), c[1], c[2]}
		},
		"an outer product and a row and a column": func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value {
			row, column := c[0].Take(k), c[0].Transpose().Take(k)
			w := c[0].Sub(column.Reshape(column.Shape()[0], 1).Mul(row).Mul(g.F32(0.01)))
			return []graph.Value{rowAt(g, columnAt(g, w, k, column.Neg()), k.Mul(g.I32(2)), row), c[1], c[2]}
		},
		"an exchange of rows": func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value {
			at := k.Mul(g.I32(7)).Sub(g.I32(9)) // of none at times
			a, b := c[0].Take(k), c[0].Take(at)
			return []graph.Value{rowAt(g, rowAt(g, c[0], at, a), k, b), c[1], c[2]}
		},
		"elements": func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value {
			at := c[1].Take(k)
			return []graph.Value{c[0].Add(g.F32(1)), counting(g, c[1].Shape()[0]).Eq(at).Select(k.Sub(g.I32(3)), c[1]), c[2]}
		},
		"an element of a matrix": func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value {
			n, m := c[0].Shape()[0], c[0].Shape()[1]
			i, j := k.Mul(g.I32(5)).Sub(g.I32(7)), k.Sub(g.I32(2)) // of none at times
			here := counting(g, n).Reshape(n, 1).Eq(i).And(counting(g, m).Eq(j))
			there := counting(g, m).Eq(k).And(counting(g, n).Reshape(n, 1).Eq(k.Min(g.I32(int32(n - 1)))))
			return []graph.Value{here.Select(c[0].Take(k).Take(j).Add(g.F32(1)), c[0]), c[1], there.Select(c[2].Take(i).Take(k), c[2].Add(g.F32(0.5)))}
		},
		"elements of one axis": func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value {
			n, m := c[0].Shape()[0], c[0].Shape()[1]
			rows := counting(g, n).Reshape(n, 1)
			return []graph.Value{rows.Eq(k).And(rows.Eq(k)).Broadcast(n, m).Select(g.F32(0.5), c[0]), c[1], rows.Eq(k).And(counting(g, m).Eq(g.I32(1))).Select(c[2].Take(k).Reshape(1, m), c[2])}
		},
		"one reads another": func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value {
			return []graph.Value{c[0].Add(c[2]), c[1], c[2].Sub(k.ToF32())}
		},
		"each reads the other": func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value {
			return []graph.Value{c[0].Add(c[2]), c[1], c[2].Sub(c[0])}
		},
		"its transpose, and an element": func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value {
			n := min(c[0].Shape()[0], c[0].Shape()[1])
			if n == c[0].Shape()[0] && n == c[0].Shape()[1] {
				return []graph.Value{c[0].Add(c[0].Transpose().Mul(g.F32(0.1))), c[1], c[2]}
			}
			return []graph.Value{c[0].Sub(c[0].Index(0).Index(1)), c[1], c[2].Add(c[2].Index(1))}
		},
		"a row that lies in it": func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value {
			return []graph.Value{rowAt(g, c[0].Neg(), k, c[0].Index(2)), c[1], rowAt(g, c[2], k, g.F32(0.25))}
		},
		"a function": func(g *graph.Graph, k graph.Value, c []graph.Value) []graph.Value {
			return []graph.Value{c[0].Sin(), c[1], c[2].Exp().Min(g.F32(2))}
		},
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, f := range changes {
			for k, shape := range []graph.Shape{{3, 3}, {5, 4}, {7, 7}, {9, 8}, {12, 12}, {6, 19}, {13, 17}, {20, 40}} {
				g := graph.New()
				x, err := g.Input("x", graph.F32, shape, ramp(shape.Elements(), -1))
				require.NoError(t, err)
				y, err := g.Input("y", graph.F32, shape, ramp(shape.Elements(), 2))
				require.NoError(t, err)
				last, err := g.Fori(11, []graph.Value{x, counting(g, 9), y}, func(i graph.Value, c []graph.Value) ([]graph.Value, error) {
					return f(g, i, c), g.Err()
				})
				require.NoError(t, err)
				mode := compiler.UnrollMode((k + len(name)) % 3)
				jobs = append(jobs, newJob(t, fmt.Sprintf("%s, %v, mode %d", name, shape, mode), g, last, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))

				g = graph.New()
				i, err := g.State("i", graph.I32, nil, []uint32{0})
				require.NoError(t, err)
				states := make([]graph.Value, 3)
				for c, of := range []graph.Shape{shape, {9}, shape} {
					words, d := ramp(of.Elements(), float32(c)-1), graph.F32
					if c == 1 {
						words, d = []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8}, graph.I32
					}
					states[c], err = g.State(fmt.Sprint("s", c), d, of, words)
					require.NoError(t, err)
				}
				next := f(g, i, states)
				require.NoError(t, g.Err())
				for c, v := range next {
					require.NoError(t, g.SetNext(states[c], v))
				}
				require.NoError(t, g.SetNext(i, i.Add(g.I32(3))))
				outs := []graph.Value{states[0].Sum(), states[1], states[2].Take(i), i}
				if k%2 == 1 {
					outs = append(outs, next[0])
				}
				jobs = append(jobs, newJob(t, fmt.Sprintf("states, %s, %v, mode %d", name, shape, mode), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
			}
		}
		m.runJobs(t, jobs)
	})
}
