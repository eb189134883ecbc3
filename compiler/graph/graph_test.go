package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDump(t *testing.T) {
	g := New()
	a := g.InputF32("a", 1.5)
	g.SetPos(7)
	c := a.Mul(g.I32(2)).Add(a.Sin())
	v := g.StackOf(a, c, g.I32(1))
	s := v.Mul(a).Sum()
	require.NoError(t, g.Err())
	require.Equal(t, g.F32(1), v.Index(-1))
	require.Equal(t, Shape{}, s.Shape())
	require.NoError(t, Check(g))
	t.Log(g.String())
}

func BenchmarkApply(b *testing.B) {
	for b.Loop() {
		g := New()
		x := g.InputF32("x", 1)
		c := g.F32(1.0001)
		d := g.F32(0.5)
		for i := 0; i < 50000; i++ {
			g.SetPos(uint32(i))
			x, _ = g.Apply(OpMul, x, c)
			x, _ = g.Apply(OpAdd, x, d)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100000, "ns/node")
}
