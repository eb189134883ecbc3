package compiler_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// Selects by every comparison, of special floats, whose operands are results of one operation, of
// different ones, and used elsewhere, too.
func TestSelects(t *testing.T) {
	compare := map[string]func(a, b graph.Value) graph.Value{
		"lt": graph.Value.Lt, "le": graph.Value.Le, "gt": graph.Value.Gt, "ge": graph.Value.Ge, "eq": graph.Value.Eq, "ne": graph.Value.Ne,
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, op := range compare {
			for _, n := range []int{1, 9, 40} {
				g := graph.New()
				var in [3]graph.Value
				for k := range in {
					var err error
					in[k], err = g.Input(string(rune('a'+k)), graph.F32, graph.Shape{n}, unordered(n, 1+k%2))
					require.NoError(t, err)
				}
				a, b, c := in[0], in[1], in[2]
				holds := op(a, b)
				product := a.Mul(c)
				outs := []graph.Value{
					holds.Select(a, c),
					holds.Select(a.Add(a), b.Mul(g.F32(3))),
					holds.Select(product, c.Mul(b)).Sub(product),
					holds.Select(a.Sin(), c.Sin()),
					holds.Select(a.Sub(c), b.Sub(c)).Max(c),
					holds.Select(a.Add(b), a.Sub(b)),
					holds.Select(g.I32(7).Broadcast(n), c.ToI32()),
					holds.Select(c.Lt(a), c.Gt(b)),
					holds.Select(a, holds.ToI32().ToF32()),
					holds.And(c.Lt(a)).Select(a, c),
					holds.Or(b.Ge(c).And(a.Ne(c))).Not().Select(b, c),
					holds.And(c.IsNaN()).Select(c, a.Neg()),
					op(a.ToI32(), c.ToI32()).Select(b, c),
					op(a.ToI32(), b.ToI32()).Or(op(c, b)).Select(a.ToI32(), g.I32(-3).Broadcast(n)),
				}
				require.NoError(t, g.Err())
				jobs = append(jobs, newJob(t, fmt.Sprintf("%s, %d", name, n), g, outs, compiler.Options{Arch: m.arch, Features: m.features}))
			}
		}
		m.runJobs(t, jobs)
	})
}
