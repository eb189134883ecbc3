package compiler_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// placeIn is the place of the largest or smallest elements along an axis, as scripts have it.
func placeIn(g *graph.Graph, x graph.Value, axis int, least bool) graph.Value {
	shape := x.Shape()
	n := shape[axis]
	kept := append(graph.Shape{}, shape...)
	kept[axis] = 1
	best := x.AMaxAxis(axis)
	if least {
		best = x.AMinAxis(axis)
	}
	counting := make(graph.Shape, len(shape))
	places := make([]int32, n)
	for i := range counting {
		counting[i] = 1
	}
	for i := range places {
		places[i] = int32(i)
	}
	counting[axis] = n
	best = best.Reshape(kept...).Broadcast(shape...)
	found := x.Eq(best).Or(x.Ne(x))
	return found.Select(g.ConstI32(counting, places).Broadcast(shape...), g.I32(int32(n)).Broadcast(shape...)).AMinAxis(axis)
}

// Lines of lengths about those of blocks, along every axis, wherever they lie.
func TestPlaces(t *testing.T) {
	sources := map[string]func(g *graph.Graph, x graph.Value) graph.Value{
		"input":    func(_ *graph.Graph, x graph.Value) graph.Value { return x },
		"computed": func(g *graph.Graph, x graph.Value) graph.Value { return x.Mul(g.F32(-3)) },
		"integers": func(_ *graph.Graph, x graph.Value) graph.Value { return x.ToI32() },
	}
	shapes := []graph.Shape{{17}, {24}, {25}, {31}, {100}, {3, 20}, {20, 3}, {2, 9, 12}, {10, 2, 3}}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, source := range sources {
			for k, shape := range shapes {
				for kind := range 3 {
					g := graph.New()
					x, err := g.Input("x", graph.F32, shape, unordered(shape.Elements(), kind))
					require.NoError(t, err)
					from := source(g, x)
					var outs []graph.Value
					for axis := range shape {
						outs = append(outs, placeIn(g, from, axis, false), placeIn(g, from, axis, true))
					}
					require.NoError(t, g.Err())
					mode := []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollNever}[k%2]
					jobs = append(jobs, newJob(t, fmt.Sprintf("%s, %v, kind %d", name, shape, kind), g, outs,
						compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
				}
			}
		}
		m.runJobs(t, jobs)
	})
}

// Code does not grow with the line, and is at most three times what GCC makes of it.
func TestPlacesTakeTheSameCode(t *testing.T) {
	size := func(n int) int {
		g := graph.New()
		x, err := g.Input("x", graph.F32, graph.Shape{n}, unordered(n, 0))
		require.NoError(t, err)
		p, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: placeIn(g, x, 0, false)}}, compiler.Options{Arch: "thumbv7em-sp"})
		require.NoError(t, err)
		return len(p.Image.Code)
	}
	require.Less(t, size(100), 3*48)
	require.InDelta(t, size(100), size(8000), 8)
}
