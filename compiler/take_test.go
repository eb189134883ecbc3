package compiler_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// indices are within n rows, at their ends, and far beyond.
func indices(n int) []int32 {
	m := int32(n)
	return []int32{0, 1, m - 1, m, m + 1, -1, -m, -m - 1, 1 << 29, 1 << 30, -(1 << 30), math.MaxInt32, math.MinInt32, math.MinInt32 + 1}
}

// Rows and elements at an index, wherever the array lies, and whatever the index is.
func TestTake(t *testing.T) {
	tables := map[string]func(g *graph.Graph, x graph.Value) graph.Value{
		"input":      func(_ *graph.Graph, x graph.Value) graph.Value { return x },
		"computed":   func(g *graph.Graph, x graph.Value) graph.Value { return x.Mul(g.F32(3)) },
		"backwards":  func(_ *graph.Graph, x graph.Value) graph.Value { return x.Slice(x.Shape()[0]-1, x.Shape()[0], -1) },
		"every 2nd":  func(_ *graph.Graph, x graph.Value) graph.Value { return x.Slice(0, (x.Shape()[0]+1)/2, 2) },
		"put behind": func(g *graph.Graph, x graph.Value) graph.Value { return g.ConcatOf(x, x.Mul(g.F32(3))) },
		"bools":      func(g *graph.Graph, x graph.Value) graph.Value { return x.Gt(g.F32(1.5)) },
		"columns": func(g *graph.Graph, x graph.Value) graph.Value {
			if len(x.Shape()) == 2 {
				return x.Transpose()
			}
			return x.ToI32()
		},
		"all the same": func(g *graph.Graph, x graph.Value) graph.Value { return g.I32(5).Broadcast(x.Shape()...) },
		"sums so far": func(g *graph.Graph, x graph.Value) graph.Value {
			zero := g.F32(0).Broadcast(x.Shape()[1:]...)
			_, rows, err := g.Scan(x.Shape()[0], []graph.Value{zero}, []graph.Value{x}, func(_ graph.Value, c, x []graph.Value) ([]graph.Value, []graph.Value, error) {
				next := []graph.Value{c[0].Add(x[0])}
				return next, next, nil
			})
			require.NoError(t, err)
			return rows[0]
		},
	}
	shapes := []graph.Shape{{1}, {2}, {3}, {8}, {13}, {70}, {3, 2}, {7, 5}, {5, 40}, {2, 3, 3}}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, table := range tables {
			for k, shape := range shapes {
				g := graph.New()
				x, err := g.Input("x", graph.F32, shape, ramp(shape.Elements(), -1))
				require.NoError(t, err)
				from := table(g, x)
				n := from.Shape()[0]
				var outs []graph.Value
				several := indices(n)
				for _, i := range several {
					outs = append(outs, from.Take(g.InputI32("", i)))
				}
				near := g.InputI32("", 2)
				outs = append(outs, from.Take(near.Max(g.I32(0)).Min(g.I32(int32(n-1)))), from.Take(near.And(g.I32(1)).Add(g.I32(1))))
				if len(from.Shape()) == 1 {
					for _, count := range []int{3, 14, 200} {
						words := make([]uint32, count)
						for i := range words {
							words[i] = uint32(several[i%len(several)])
						}
						by, err := g.Input("", graph.I32, graph.Shape{count}, words)
						require.NoError(t, err)
						got := from.Take(by)
						last := by.Mod(near.Add(g.I32(int32(n)))) // which could divide by zero
						outs = append(outs, from.Take(last).ToF32().Exp2(), got, got.ToF32().Mul(from.Take(by.Neg()).ToF32()).Sum(), from.Take(by.Reshape(count, 1)))
					}
				}
				require.NoError(t, g.Err())
				mode := compiler.UnrollMode((k + len(name)) % 3)
				jobs = append(jobs, newJob(t, fmt.Sprintf("%s, %v, mode %d", name, shape, mode), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
			}
		}
		m.runJobs(t, jobs)
	})
}

// Elements and rows of rows at indices, wherever the array lies: of one that nothing else is taken of, and of
// one that is used otherwise, too.
func TestTakeOfRows(t *testing.T) {
	tables := map[string]func(g *graph.Graph, x graph.Value) graph.Value{
		"input":     func(_ *graph.Graph, x graph.Value) graph.Value { return x },
		"computed":  func(g *graph.Graph, x graph.Value) graph.Value { return x.Mul(g.F32(3)) },
		"repeated":  func(_ *graph.Graph, x graph.Value) graph.Value { return x.Index(0).Broadcast(x.Shape()...) },
		"one value": func(_ *graph.Graph, x graph.Value) graph.Value { return x.Sum().Broadcast(x.Shape()...) },
		"backwards": func(_ *graph.Graph, x graph.Value) graph.Value { return x.Slice(x.Shape()[0]-1, x.Shape()[0], -1) },
		"columns":   func(_ *graph.Graph, x graph.Value) graph.Value { return x.Transpose() },
		"columns backwards": func(_ *graph.Graph, x graph.Value) graph.Value {
			y := x.Transpose()
			return y.Slice(y.Shape()[0]-1, y.Shape()[0], -1).Transpose()
		},
		"ints": func(_ *graph.Graph, x graph.Value) graph.Value { return x.ToI32() },
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, table := range tables {
			for k, shape := range []graph.Shape{{1, 3}, {2, 2}, {3, 5}, {4, 4}, {7, 5}, {12, 40}, {2, 3, 4}, {6, 5, 30}, {3, 2, 2, 3}} {
				if len(shape) > 2 && (name == "columns" || name == "columns backwards") {
					continue
				}
				g := graph.New()
				x, err := g.Input("x", graph.F32, shape, ramp(shape.Elements(), -1))
				require.NoError(t, err)
				from := table(g, x)
				rows, of := indices(from.Shape()[0]), indices(from.Shape()[1])
				var outs []graph.Value
				for i, at := range rows {
					index := g.InputI32("", at)
					outs = append(outs, from.Take(index).Take(g.InputI32("", of[(i*5+k)%len(of)])))
					if i == 3 {
						outs = append(outs, from.Take(index))
					}
				}
				near := g.InputI32("", 1).And(g.I32(1))
				outs = append(outs, from.Take(near).Take(near), from.Take(near.Add(g.I32(1))).Take(near.Add(g.I32(2))))
				if len(shape) > 2 {
					outs = append(outs, from.Take(near).Take(g.InputI32("", 2)).Take(near), from.Take(near).Take(near).Index(1))
				}
				require.NoError(t, g.Err())
				mode := compiler.UnrollMode((k + len(name)) % 3)
				jobs = append(jobs, newJob(t, fmt.Sprintf("%s, %v, mode %d", name, shape, mode), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
			}
		}
		m.runJobs(t, jobs)
	})
}

// In loops: of what lies outside, of what the loop carries, and of what an iteration computes.
func TestTakeInLoops(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range []int{2, 5, 8, 30, 100} {
			for _, mode := range []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollAlways, compiler.UnrollNever} {
				g := graph.New()
				x, err := g.Input("x", graph.F32, graph.Shape{n}, ramp(n, -1))
				require.NoError(t, err)
				after := make([]int32, n)
				for i := range after {
					after[i] = int32((i*7 + 3) % n)
				}
				known := g.ConstI32(graph.Shape{n}, after)
				buffer, err := g.State("buffer", graph.F32, graph.Shape{n}, ramp(n, 2))
				require.NoError(t, err)
				places := make([]float32, n)
				for i := range places {
					places[i] = float32(i)
				}
				own := g.ConstF32(graph.Shape{n}, places)
				carry := []graph.Value{g.I32(0), g.InputI32("mode", 1), buffer, g.F32(0)}
				last, rows, err := g.Scan(50, carry, []graph.Value{g.F32(0.5).Broadcast(50)}, func(i graph.Value, c, s []graph.Value) ([]graph.Value, []graph.Value, error) {
					at, mode, ring, sum := c[0], c[1], c[2], c[3]
					here := own.Eq(i.Mod(g.I32(int32(n))).ToF32())
					old := ring.Take(i)
					sum = sum.Add(old).Add(x.Take(at)).Add(x.Take(at.Add(g.I32(1)))).Sub(ring.Mul(s[0]).Take(mode))
					next := []graph.Value{known.Take(at), known.Take(mode).Add(g.I32(-1)), here.Select(sum, ring), sum}
					return next, []graph.Value{x.Take(i.Sub(g.I32(7))), ring.Take(at)}, nil
				})
				require.NoError(t, err)
				require.NoError(t, g.SetNext(buffer, last[2]))
				outs := append(append(last, rows...), buffer.Take(last[1]))
				jobs = append(jobs, newJob(t, fmt.Sprintf("%d elements, mode %d", n, mode), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
			}
		}
		m.runJobs(t, jobs)
	})
}

// TestMachineOfModes has loops that take elements of several tables at one index, which a carry
// is or a row of the data: what they share is one pointer, where registers are left.
func TestMachineOfModes(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range []int{3, 8, 40} {
			for _, carries := range []int{1, 3, 12} {
				g := graph.New()
				gain, offset, limit, x := vector(g, t, n), vector(g, t, n).Slice(n-1, n, -1), vector(g, t, n), vector(g, t, 32)
				after := make([]int32, n)
				for i := range after {
					after[i] = int32(i*5-2) - int32(n)
				}
				modes := g.InputTensor("", graph.I32s(graph.Shape{n}, after...))
				carry := []graph.Value{g.I32(0)}
				for k := range carries {
					carry = append(carry, g.InputI32("", int32(k)))
				}
				last, rows, err := g.Scan(32, carry, []graph.Value{x}, func(i graph.Value, c, x []graph.Value) ([]graph.Value, []graph.Value, error) {
					u := gain.Take(c[0]).Mul(x[0]).Add(offset.Take(c[0]))
					next := []graph.Value{u.Gt(limit.Take(c[0])).Select(modes.Take(c[0]), c[0])}
					for k := range carries {
						next = append(next, c[k+1].Add(modes.Take(c[k])).Xor(i))
					}
					return next, []graph.Value{u, c[0]}, nil
				})
				require.NoError(t, err)
				jobs = append(jobs, newJob(t, fmt.Sprintf("%d modes, %d carries", n, carries), g, append(last, rows...), compiler.Options{Arch: m.arch, Features: m.features}))
			}
		}
		m.runJobs(t, jobs)
	})
}

// Indices that a loop carries and wraps or limits, in the ways that scripts do, and those of floats, need no limit of their
// own and take the rows that they take anyway.
func TestTakeByCarries(t *testing.T) {
	ways := map[string]func(g *graph.Graph, i, x graph.Value) (next, at graph.Value){
		"wraps": func(g *graph.Graph, i, _ graph.Value) (next, at graph.Value) {
			n := i.Add(g.I32(1))
			return n.Eq(g.I32(13)).Select(g.I32(0), n), i
		},
		"back": func(g *graph.Graph, i, _ graph.Value) (next, at graph.Value) {
			return i.Gt(g.I32(0)).Select(i.Sub(g.I32(1)), g.I32(12)), i
		},
		"modulo": func(g *graph.Graph, i, x graph.Value) (next, at graph.Value) {
			return i.Add(x.ToI32()).Mod(g.I32(13)), i
		},
		"gears": func(g *graph.Graph, i, x graph.Value) (next, at graph.Value) {
			n := x.Gt(g.F32(0.3)).Select(i.Add(g.I32(1)), x.Lt(g.F32(-0.3)).Select(i.Sub(g.I32(1)), i))
			return n.Max(g.I32(0)).Min(g.I32(11)), n.And(g.I32(7)).Add(i.Shr(g.I32(2)))
		},
		"grows": func(g *graph.Graph, i, _ graph.Value) (next, at graph.Value) {
			return i.Add(g.I32(3)), i.Sub(g.I32(20))
		},
		"a float": func(g *graph.Graph, i, x graph.Value) (next, at graph.Value) {
			return x.Max(g.F32(-1)).Min(g.F32(1)).Mul(g.F32(5.5)).Add(g.F32(5.5)).ToI32(), i.ToF32().Mul(g.F32(1.1)).ToI32()
		},
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, way := range ways {
			g := graph.New()
			table, err := g.Input("table", graph.F32, graph.Shape{13}, ramp(13, -1))
			require.NoError(t, err)
			xs, err := g.Input("x", graph.F32, graph.Shape{60}, ramp(60, -1))
			require.NoError(t, err)
			first, rows, err := g.Scan(60, []graph.Value{g.I32(5)}, []graph.Value{xs}, func(_ graph.Value, c, x []graph.Value) ([]graph.Value, []graph.Value, error) {
				next, at := way(g, c[0], x[0])
				return []graph.Value{next}, []graph.Value{table.Take(at), table.Take(at.Add(g.I32(1)))}, nil
			})
			require.NoError(t, err)
			require.NoError(t, g.Err())
			jobs = append(jobs, newJob(t, name, g, append(rows, first[0]), compiler.Options{Arch: m.arch, Features: m.features}))
		}
		m.runJobs(t, jobs)
	})
}
