package compiler_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// TestWhatIsMadeOfProducts has products of matrices of which nothing but ops on elements read the results, of shapes for all ways to
// compute them, rows of three among them, and arrays of such rows.
func TestWhatIsMadeOfProducts(t *testing.T) {
	shapes := []struct{ rows, terms, cols int }{{32, 3, 3}, {2, 3, 3}, {40, 1, 3}, {9, 30, 3}, {5, 2, 4}, {7, 3, 9}, {20, 3, 20}, {6, 8, 5}, {12, 40, 2}}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, s := range shapes {
			g := graph.New()
			input := func(from float32, shape ...int) graph.Value {
				v, err := g.Input("", graph.F32, shape, ramp(graph.Shape(shape).Elements(), from))
				require.NoError(t, err)
				return v
			}
			a, b, wide := input(-1, s.rows, s.terms), input(0.5, s.terms, s.cols), input(2, s.cols, s.terms)
			bias, column, whole, k := input(3, s.cols), input(-2, s.rows), input(-9, s.rows, s.cols), g.InputF32("", 0.5)
			overRows := bias.Broadcast(s.rows, s.cols)
			twice := a.MatMul(b)
			outs := []graph.Value{
				a.MatMul(b).Add(overRows),
				a.MatMul(wide.Transpose()).Add(overRows).Max(g.F32(0)),
				whole.Sub(a.MatMul(b).Mul(k)).Lt(overRows),
				a.MatMul(b).Add(a.MatMul(wide.Transpose())).Mul(whole),
				twice.Mul(twice),
				a.MatMul(bias.Slice(0, 1, 1).Broadcast(s.terms)).Add(column).Neg(),
				whole.Add(overRows).Mul(k), whole.Sub(overRows), whole.Gt(overRows).Select(whole, overRows),
				whole.Transpose().Reshape(s.rows, s.cols).Add(overRows),
			}
			jobs = append(jobs, newJob(t, fmt.Sprintf("%d x %d x %d", s.rows, s.terms, s.cols), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: compiler.UnrollAuto}))
		}
		m.runJobs(t, jobs)
	})
}
