package compiler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// lorenz is 100 steps of the fourth-order Runge-Kutta method for the Lorenz system,
// one after the other or as a static loop.
func lorenz(b testing.TB, loop bool) (*graph.Graph, []graph.Value) {
	g := graph.New()
	x, y, z := g.InputF32("x", 1), g.InputF32("y", 1), g.InputF32("z", 1)
	h := g.InputF32("h", 0.001)
	f := func(c []graph.Value) []graph.Value {
		return []graph.Value{g.F32(10).Mul(c[1].Sub(c[0])), c[0].Mul(g.F32(28).Sub(c[2])).Sub(c[1]), c[0].Mul(c[1]).Sub(c[2].Mul(g.F32(2.6666667)))}
	}
	axpy := func(c, d []graph.Value, s graph.Value) []graph.Value {
		out := make([]graph.Value, 3)
		for i := range c {
			out[i] = c[i].Add(d[i].Mul(s))
		}
		return out
	}
	step := func(_ graph.Value, c []graph.Value) ([]graph.Value, error) {
		half := h.Mul(g.F32(0.5))
		k1 := f(c)
		k2 := f(axpy(c, k1, half))
		k3 := f(axpy(c, k2, half))
		k4 := f(axpy(c, k3, h))
		out := make([]graph.Value, 3)
		for i := range out {
			out[i] = c[i].Add(h.Mul(g.F32(1 / 6.)).Mul(k1[i].Add(g.F32(2).Mul(k2[i])).Add(g.F32(2).Mul(k3[i])).Add(k4[i])))
		}
		return out, nil
	}
	c := []graph.Value{x, y, z}
	var err error
	if loop {
		c, err = g.Fori(100, c, step)
		require.NoError(b, err)
	} else {
		for range 100 {
			c, _ = step(graph.Value{}, c)
		}
	}
	return g, c
}

// lorenzC is the same written by hand for a C compiler.
const lorenzC = `
float baseline_data[7] = {1, 1, 1, 0.001f, 0, 0, 0};
static void f(const float *c, float *d) { d[0] = 10.0f*(c[1]-c[0]); d[1] = c[0]*(28.0f-c[2])-c[1]; d[2] = c[0]*c[1]-c[2]*2.6666667f; }
static void axpy(const float *c, const float *d, float s, float *o) { for (int i = 0; i < 3; i++) o[i] = c[i]+d[i]*s; }
void baseline(float *data) {
    float c[3] = {data[0], data[1], data[2]}, h = data[3], half = h*0.5f;
    for (int n = 0; n < 100; n++) {
        float k1[3], k2[3], k3[3], k4[3], t[3];
        f(c, k1); axpy(c, k1, half, t); f(t, k2); axpy(c, k2, half, t); f(t, k3); axpy(c, k3, h, t); f(t, k4);
        for (int i = 0; i < 3; i++) c[i] += h*(1/6.0f)*(k1[i]+2*k2[i]+2*k3[i]+k4[i]);
    }
    data[4] = c[0]; data[5] = c[1]; data[6] = c[2];
}
`

// BenchmarkStaticLoop compares a loop with its steps one after the other, and both with a
// C compiler.
func BenchmarkStaticLoop(b *testing.B) {
	for name, loop := range map[string]bool{"steps": false, "loop": true} {
		b.Run(name, func(b *testing.B) {
			g, outs := lorenz(b, loop)
			var list []compiler.Output
			for _, v := range outs {
				list = append(list, compiler.Output{Value: v})
			}
			p, err := compiler.Compile(g, list, compiler.Options{Arch: "x86_64"})
			require.NoError(b, err)
			for b.Loop() {
				ours, theirs := race(b, p, lorenzC, 100)
				b.ReportMetric(ours, "ns/run")
				b.ReportMetric(theirs, "gcc-ns/run")
				b.ReportMetric(ours/theirs, "ratio")
			}
			b.ReportMetric(float64(p.Report.CodeBytes), "code-bytes")
		})
	}
}
