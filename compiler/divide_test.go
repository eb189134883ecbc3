package compiler_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// TestDivisionsByConstants divides arrays, single integers and what loops carry by constants: any integers, and those within limits.
func TestDivisionsByConstants(t *testing.T) {
	divisors := []int32{2, 3, 5, 6, 7, 10, 12, 25, 60, 100, 125, 255, 256, 365, 641, 1000, 3600, 10007, 65535, 65536, 86400, 1000000,
		715827883, 1 << 30, math.MaxInt32 - 1, math.MaxInt32, -1, -2, -3, -7, -10, -128, -255, -1000, math.MinInt32 + 1, math.MinInt32, 0}
	limits := [][2]int32{{0, math.MaxInt32}, {-1 << 30, 1 << 30}, {math.MinInt32 + 1, 0}, {0, 1000}, {-100, 100}, {-32768, 32767}, {0, 508}}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range divisors {
			var about []uint32
			for _, x := range []int32{0, n, 2 * n, 3 * n, -n, -2 * n, math.MaxInt32, math.MinInt32, math.MaxInt32 / 2, 500, 12345678, -123456789} {
				about = append(about, uint32(x-1), uint32(x), uint32(x+1))
			}
			g := graph.New()
			all := g.InputTensor("all", graph.Tensor{DType: graph.I32, Shape: graph.Shape{len(about)}, Bits: about})
			by := g.I32(n)
			outs := []graph.Value{all.FloorDiv(by), all.Mod(by), all.FloorDiv(by).Mul(g.I32(3)).Add(all.Mod(by))}
			for _, limit := range limits {
				limited := all.Max(g.I32(limit[0])).Min(g.I32(limit[1]))
				outs = append(outs, limited.FloorDiv(by), limited.Mod(by))
			}
			for i := range 12 {
				outs = append(outs, all.Index(i).FloorDiv(by), all.Index(i).Mod(by))
			}
			sums, err := g.Fori(20, []graph.Value{g.I32(0), g.I32(0)}, func(i graph.Value, c []graph.Value) ([]graph.Value, error) {
				a := c[0].Add(all.Take(i.Min(g.I32(5)))).Mod(by)
				return []graph.Value{a, c[1].Add(a).Mod(by)}, nil
			})
			require.NoError(t, err)
			require.NoError(t, g.Err())
			outs = append(outs, sums...)
			for _, mode := range []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollNever} {
				jobs = append(jobs, newJob(t, fmt.Sprintf("%d, mode %d", n, mode), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
			}
		}
		m.runJobs(t, jobs)
	})
}
