package compiler_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// TestCompared compares floats with constants, and counts how often several comparisons hold: NaNs of both signs, zeros and
// the ends of the ranges among them.
func TestCompared(t *testing.T) {
	words := []uint32{
		0, 1 << 31, 1, 1<<31 | 1, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x807fffff,
		0x3f000000, 0x3effffff, 0x3f000001, 0xbf000000, 0xbeffffff, 0xbf000001, 0x3f800000, 0xc0000000, 0x7fffffff, 0xff800001,
	}
	compare := map[string]func(a, b graph.Value) graph.Value{
		"lt": graph.Value.Lt, "le": graph.Value.Le, "gt": graph.Value.Gt, "ge": graph.Value.Ge, "eq": graph.Value.Eq, "ne": graph.Value.Ne,
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for name, op := range compare {
			for _, n := range []int{9, len(words)} {
				g := graph.New()
				x, err := g.Input("x", graph.F32, graph.Shape{n}, words[:n])
				require.NoError(t, err)
				y, err := g.Input("y", graph.F32, graph.Shape{n}, words[len(words)-n:])
				require.NoError(t, err)
				var outs []graph.Value
				for _, bits := range []uint32{0, 1 << 31, 1, 0x3f000000, 0xbf000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0x80000001} {
					c := g.F32(math.Float32frombits(bits))
					holds := op(x, c)
					outs = append(outs, holds, op(c, x).Select(y, x), holds.ToI32().Sum(),
						holds.And(y.Ge(x)).And(x.Ne(c)).ToI32().Sum(), holds.Or(y.Lt(c)).Not().Or(x.Le(y)).ToI32().Sum())
				}
				require.NoError(t, g.Err())
				jobs = append(jobs, newJob(t, fmt.Sprintf("%s, %d", name, n), g, outs, compiler.Options{Arch: m.arch, Features: m.features}))
			}
		}
		m.runJobs(t, jobs)
	})
}
