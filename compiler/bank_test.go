package compiler_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// TestBanks has loops whose iterations work on arrays element by element: with rows that are walked to either end, or are one
// number, arrays that stay as they are, carries that exchange places or change nothing, integers and bools, and results that
// are read as arrays and by element.
func TestBanks(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range []int{3, 4, 8, 12, 16, 20, 24, 33, 64, 120} {
			for _, iterations := range []int{5, 8, 24} {
				for _, mode := range []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollNever} {
					g := graph.New()
					jobs = append(jobs, newJob(t, fmt.Sprintf("%d elements, %d iterations, mode %d", n, iterations, mode), g, banks(t, g, n, iterations), compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
				}
			}
		}
		m.runJobs(t, jobs)
	})
}

// banks makes such loops.
func banks(t *testing.T, g *graph.Graph, n, iterations int) (outs []graph.Value) {
	input := func(t1 graph.DType, from float32, shape ...int) graph.Value {
		v, err := g.Input("", t1, shape, ramp(graph.Shape(shape).Elements(), from))
		require.NoError(t, err)
		return v
	}
	all := func(v graph.Value) graph.Value { return v.Broadcast(n) }
	add := func(last, rows []graph.Value, err error) {
		require.NoError(t, err)
		outs = append(outs, last...)
		outs = append(outs, rows...)
	}
	type list = []graph.Value
	a, s, k := input(graph.F32, 0.1, n), input(graph.F32, -2, n), g.InputF32("", 0.25)
	x, u := input(graph.F32, 1, iterations, n), input(graph.F32, 3, iterations)
	counts := input(graph.I32, 3, n)

	// A filter for each element.
	last, rows, err := g.Scan(iterations, list{s}, list{x}, func(_ graph.Value, c, x list) (list, list, error) {
		y := c[0].Add(a.Mul(x[0].Sub(c[0])))
		return list{y}, list{y, c[0]}, nil
	})
	add(last, rows, err)
	outs = append(outs, last[0].Index(n-1).Mul(last[0].Index(0)), last[0].Sum(), rows[1].Index(iterations-1).Index(1))

	// Cells that fire, from equal values on, with a count of integers.
	add(g.Scan(iterations, list{all(g.F32(0)), all(g.I32(0)), all(k)}, list{u}, func(_ graph.Value, c, u list) (list, list, error) {
		v := c[0].Add(g.F32(0.5).Mul(all(u[0]).Sub(c[0])))
		fires := v.Gt(g.F32(1))
		return list{fires.Select(all(g.F32(0)), v), c[1].Add(fires.Select(all(g.I32(1)), all(g.I32(0)))), c[2]}, list{fires}, nil
	}))

	// Carries that exchange places, rows from last to first and every other one, constants.
	back, half := x.Slice(iterations-1, iterations, -1), input(graph.F32, -1, 2*iterations, n).Slice(0, iterations, 2)
	ones := make([]float32, n)
	for i := range ones {
		ones[i] = float32(i%5) - 1.5
	}
	add(g.Scan(iterations, list{s, a, s.Mul(k)}, list{back, half}, func(_ graph.Value, c, x list) (list, list, error) {
		return list{c[1], c[0].Add(x[1]), x[0].Max(c[2]).Mul(k)}, list{x[0].Sub(g.ConstF32(graph.Shape{n}, ones)), c[2], x[1]}, nil
	}))

	// Integers with shifts, and bools.
	add(g.Scan(iterations, list{counts, counts.Lt(g.I32(5))}, list{x}, func(_ graph.Value, c, x list) (list, list, error) {
		next := c[0].Sub(c[0].Shr(g.I32(3))).Add(c[0].Shl(g.I32(2)))
		return list{next, x[0].Lt(a).Or(c[1])}, list{c[1], next.Xor(c[0])}, nil
	}))

	// In the iteration of another loop, whose carry it starts from.
	add(g.Scan(3, list{s.Add(k)}, nil, func(_ graph.Value, c, _ list) (list, list, error) {
		inner, rows, err := g.Scan(iterations, list{c[0], a}, list{x}, func(_ graph.Value, d, x list) (list, list, error) {
			return list{d[1].Add(x[0]), d[0].Mul(k)}, list{d[0]}, nil
		})
		if err != nil {
			return nil, nil, err
		}
		return list{inner[0].Sub(c[0])}, list{inner[1], rows[0].Index(2)}, nil
	}))
	return outs
}
