package compiler_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// Sums of neighbouring integers that overlap from one result to the next: several windows, windows
// with gaps, of rows of matrices, backwards, of computed integers, and what else is in the expression.
func TestWindows(t *testing.T) {
	sum := func(x graph.Value, n, step int, at ...int) graph.Value {
		var s graph.Value
		for i, k := range at {
			from := k
			if step < 0 {
				from += n
			}
			if y := x.Slice(from, n, step); i == 0 {
				s = y
			} else {
				s = s.Add(y)
			}
		}
		return s
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range []int{15, 16, 17, 40, 43} {
			g := graph.New()
			words := make([]uint32, 2*(n+20))
			for i := range words {
				words[i] = uint32(i*2654435761) ^ uint32(i)<<7
			}
			x, err := g.Input("x", graph.I32, graph.Shape{n + 20}, words[:n+20])
			require.NoError(t, err)
			y, err := g.Input("y", graph.I32, graph.Shape{n + 20, 2}, words)
			require.NoError(t, err)
			outs := []graph.Value{
				sum(x, n, 1, 0, 1, 2, 3, 4, 5, 6, 7).Shr(g.I32(3)),
				sum(x, n, 1, 3, 2, 1, 0).Add(sum(x, n, 1, 9, 12, 10, 11, 13)).Mul(g.I32(5)),
				sum(x, n, 1, 0, 1, 2, 3, 9, 15).Sub(sum(x, n, 1, 2, 4, 6, 8, 5)),
				sum(x, n, -1, 1, 2, 3, 4, 5),
				sum(x.Mul(x), n, 1, 0, 1, 2, 3, 4),
				sum(y, n, 1, 0, 1, 2, 3, 4, 5),
				sum(x, n, 1, 0, 1, 2, 3).Mul(sum(x, n, 1, 0, 1, 2, 3)),
			}
			require.NoError(t, g.Err())
			mode := compiler.UnrollMode(n % 2 * 2)
			jobs = append(jobs, newJob(t, fmt.Sprint(n), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
		}
		m.runJobs(t, jobs)
	})
}
