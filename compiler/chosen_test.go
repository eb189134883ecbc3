package compiler_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// TestChosenIntegers compares choices of two numbers, and of changing an integer or not, with the oracle, by comparisons and
// by bits.
func TestChosenIntegers(t *testing.T) {
	of := func(g *graph.Graph, x, y graph.Value) (outs []graph.Value) {
		conditions := []graph.Value{
			x.Lt(y), x.Ne(y), x.ToF32().Ge(y.ToF32()), x.Lt(y).And(y.Gt(g.I32(0))), x.And(g.I32(1)).Eq(g.I32(1)),
			g.I32(4).Ne(x.And(g.I32(4))), g.I32(0).Eq(x.Shr(g.I32(3)).And(g.I32(1))), x.And(g.I32(6)).Eq(g.I32(2)),
		}
		for _, c := range conditions {
			for _, pair := range [][2]int32{{1, 0}, {0, 1}, {3, -2}, {-2, 3}, {2, -1}, {math.MinInt32, 0}, {0, 0x2345}} {
				one := c.Select(g.I32(pair[0]), g.I32(pair[1]))
				outs = append(outs, one, x.Add(one), one.Sub(y), y.Sub(one), x.Xor(one), one.Or(y), one.Add(g.I32(7)))
			}
			outs = append(outs, x.Add(c.Select(y, g.I32(0))), x.Sub(c.Select(g.I32(0), y)))
		}
		return outs
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, p := range [][2]int32{{0, 0}, {1, 2}, {7, -7}, {-1, 12}, {math.MinInt32, math.MaxInt32}} {
			g := graph.New()
			outs := of(g, g.InputI32("x", p[0]), g.InputI32("y", p[1]))
			require.NoError(t, g.Err())
			jobs = append(jobs, newJob(t, fmt.Sprint(p), g, outs, compiler.Options{Arch: m.arch}))
		}
		g := graph.New()
		words := make([]uint32, 14)
		for i := range words {
			words[i] = uint32(i*i*7 - 40)
		}
		x, err := g.Input("x", graph.I32, graph.Shape{14}, words)
		require.NoError(t, err)
		outs := of(g, x, x.Slice(13, 14, -1))
		require.NoError(t, g.Err())
		m.runJobs(t, append(jobs, newJob(t, "arrays", g, outs, compiler.Options{Arch: m.arch})))
	})
}
