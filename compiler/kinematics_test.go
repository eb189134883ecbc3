package compiler_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/autodiff"
)

// inverseKinematics is 48 steps of gradient descent for the joint angles of an
// arm of two links that reaches for (0.7, 0.7). It returns the angles and the
// squared distance before the last step.
func inverseKinematics(t testing.TB) (*graph.Graph, []graph.Value) {
	return kinematics(t, func(_ *graph.Graph, carry []graph.Value, body func(graph.Value, []graph.Value) ([]graph.Value, error)) (_ []graph.Value, err error) {
		for range 48 {
			if carry, err = body(graph.Value{}, carry); err != nil {
				return nil, err
			}
		}
		return carry, nil
	})
}

// kinematicsLoop is the same as a static loop.
func kinematicsLoop(t testing.TB) (*graph.Graph, []graph.Value) {
	return kinematics(t, func(g *graph.Graph, carry []graph.Value, body func(graph.Value, []graph.Value) ([]graph.Value, error)) ([]graph.Value, error) {
		return g.Fori(48, carry, body)
	})
}

// kinematics repeats the step, which carries the angles and the squared distance.
func kinematics(t testing.TB, repeat func(g *graph.Graph, carry []graph.Value, body func(graph.Value, []graph.Value) ([]graph.Value, error)) ([]graph.Value, error)) (*graph.Graph, []graph.Value) {
	const l1, l2, alpha = 1.8, 2.0, 0.1
	g := graph.New()
	t1, t2 := g.InputF32("theta1", 0), g.InputF32("theta2", 0)
	tx, ty := g.InputF32("x", 0.7), g.InputF32("y", 0.7)
	distance := func(t1, t2 graph.Value) graph.Value {
		sum := t1.Add(t2)
		x := g.F32(l1).Mul(t1.Cos()).Add(g.F32(l2).Mul(sum.Cos()))
		y := g.F32(l1).Mul(t1.Sin()).Add(g.F32(l2).Mul(sum.Sin()))
		dx, dy := tx.Sub(x), ty.Sub(y)
		return dx.Mul(dx).Add(dy.Mul(dy))
	}
	outs, err := repeat(g, []graph.Value{t1, t2, g.F32(0)}, func(_ graph.Value, c []graph.Value) ([]graph.Value, error) {
		left := distance(c[0], c[1])
		d, err := autodiff.Grad(left, c[:2])
		if err != nil {
			return nil, err
		}
		return []graph.Value{c[0].Sub(g.F32(alpha).Mul(d[0])), c[1].Sub(g.F32(alpha).Mul(d[1])), left}, nil
	})
	require.NoError(t, err)
	require.NoError(t, g.Err())
	return g, outs
}

// kinematicsC is the same written by hand for a C compiler and its libm.
const kinematicsC = `#include <math.h>
float baseline_data[7] = {0, 0, 0.7f, 0.7f, 0, 0, 0};
void baseline(float *data) {
    const float l1 = 1.8f, l2 = 2.0f, alpha = 0.1f;
    float t1 = data[0], t2 = data[1], tx = data[2], ty = data[3], left = 0;
    for (int i = 0; i < 48; i++) {
        float s1 = sinf(t1), c1 = cosf(t1), s12 = sinf(t1 + t2), c12 = cosf(t1 + t2);
        float dx = tx - (l1 * c1 + l2 * c12), dy = ty - (l1 * s1 + l2 * s12);
        float g2 = 2 * (dx * (l2 * s12) - dy * (l2 * c12));
        float g1 = 2 * (dx * (l1 * s1) - dy * (l1 * c1)) + g2;
        left = dx * dx + dy * dy;
        t1 -= alpha * g1;
        t2 -= alpha * g2;
    }
    data[4] = t1;
    data[5] = t2;
    data[6] = left;
}
`

func TestInverseKinematics(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		g, outs := inverseKinematics(t)
		j := newJob(t, "inverse kinematics", g, outs, compiler.Options{Arch: m.arch, Features: m.features})
		g, outs = kinematicsLoop(t)
		loop := newJob(t, "inverse kinematics as a loop", g, outs, compiler.Options{Arch: m.arch, Features: m.features})
		require.Equal(t, j.want, loop.want)
		require.Less(t, 4*loop.prog.Report.CodeBytes, j.prog.Report.CodeBytes)
		require.InDelta(t, -0.72295, math.Float32frombits(j.want[0].Bits[0]), 1e-5)
		require.InDelta(t, 2.62469, math.Float32frombits(j.want[1].Bits[0]), 1e-5)
		require.InDelta(t, 5.01e-7, math.Float32frombits(j.want[2].Bits[0]), 1e-9)
		m.runJobs(t, []*job{j, loop})
		t.Logf("%+v\n%+v", j.prog.Report, loop.prog.Report)
		if m.arch == "aarch64" {
			require.LessOrEqual(t, j.prog.Report.WireBytes, 32<<10)
		}
	})
}

// BenchmarkKinematics compares the program, with its steps one after the other and
// as a loop, with hand-written C and glibc.
func BenchmarkKinematics(b *testing.B) {
	for name, build := range map[string]func(testing.TB) (*graph.Graph, []graph.Value){"steps": inverseKinematics, "loop": kinematicsLoop} {
		b.Run(name, func(b *testing.B) {
			g, outs := build(b)
			var list []compiler.Output
			for _, v := range outs {
				list = append(list, compiler.Output{Value: v})
			}
			p, err := compiler.Compile(g, list, compiler.Options{Arch: "x86_64"})
			require.NoError(b, err)
			for b.Loop() {
				ours, theirs := race(b, p, kinematicsC, 100)
				b.ReportMetric(ours, "ns/run")
				b.ReportMetric(theirs, "gcc-ns/run")
				b.ReportMetric(ours/theirs, "ratio")
			}
			b.ReportMetric(float64(p.Report.CodeBytes), "code-bytes")
		})
	}
}
