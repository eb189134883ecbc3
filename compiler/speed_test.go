package compiler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// chain is a chain of n scalar operations, each on the one before and an input.
func chain(n int) (*graph.Graph, graph.Value) {
	g := graph.New()
	x, y := g.InputF32("x", 1.0001), g.InputF32("y", 0.5)
	v := x
	for i := range n {
		switch i % 3 {
		case 0:
			v = v.Add(y)
		case 1:
			v = v.Mul(x)
		default:
			v = v.Sub(y)
		}
	}
	return g, v
}

// inputs makes n scalar inputs.
func inputs(g *graph.Graph, n int) []graph.Value {
	vs := make([]graph.Value, n)
	for i := range vs {
		vs[i] = g.InputF32("", float32(i%17)/8)
	}
	return vs
}

// scalarDot is a dot product written as a sum of scalar products.
func scalarDot(n int) (*graph.Graph, graph.Value) {
	g := graph.New()
	a, b := inputs(g, n), inputs(g, n)
	v := a[0].Mul(b[0])
	for i := 1; i < n; i++ {
		v = v.Add(a[i].Mul(b[i]))
	}
	return g, v
}

// arrayDot is the same as one node on stacked inputs.
func arrayDot(n int) (*graph.Graph, graph.Value) {
	g := graph.New()
	return g, g.StackOf(inputs(g, n)...).Dot(g.StackOf(inputs(g, n)...))
}

// BenchmarkCompile reports the time of the whole compiler for each scalar
// operation, and of each pass.
func BenchmarkCompile(b *testing.B) {
	for _, c := range []struct {
		name  string
		build func(int) (*graph.Graph, graph.Value)
		mode  compiler.UnrollMode
		n     int
		ops   int
	}{
		{"chain", chain, compiler.UnrollAuto, 100_000, 100_000},
		{"chain", chain, compiler.UnrollAuto, 10_000, 10_000},
		{"scalar dot", scalarDot, compiler.UnrollAuto, 100_000, 199_999},
		{"array dot", arrayDot, compiler.UnrollAuto, 100_000, 199_999},
		{"array dot unrolled", arrayDot, compiler.UnrollAlways, 100_000, 199_999},
	} {
		for _, arch := range []string{"x86_64", "aarch64"} {
			b.Run(c.name+"/"+arch, func(b *testing.B) {
				g, v := c.build(c.n)
				passes := map[string]float64{}
				cpu := cpuTime()
				for b.Loop() {
					p, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: v}}, compiler.Options{Arch: arch, Unroll: c.mode})
					require.NoError(b, err)
					for _, pass := range p.Report.Passes {
						passes[pass.Name] += float64(pass.Time.Nanoseconds())
					}
				}
				total := float64(b.N) * float64(c.ops)
				b.ReportMetric(float64((cpuTime()-cpu).Nanoseconds())/total, "cpu-ns/scalar-op")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/total, "ns/scalar-op")
				for name, ns := range passes {
					b.ReportMetric(ns/total, name+"-ns/scalar-op")
				}
			})
		}
	}
}
