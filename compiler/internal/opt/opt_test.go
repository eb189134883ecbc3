package opt

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
)

func ids(vs []graph.Value) []graph.ID {
	list := make([]graph.ID, len(vs))
	for i, v := range vs {
		list[i] = v.ID()
	}
	return list
}

// requireSame checks that both graphs give the same bits and flags, in several
// runs where there are states.
func requireSame(t *testing.T, g *graph.Graph, outs []graph.ID, opt *graph.Graph, optOuts []graph.ID) {
	t.Helper()
	runs := 1
	if g.NumStates() > 0 {
		runs = 4
	}
	want, _, wantFlags, err := eval.Runs(g, outs, nil, runs)
	require.NoError(t, err)
	got, _, gotFlags, err := eval.Runs(opt, optOuts, nil, runs)
	require.NoError(t, err)
	for i := range want {
		if fmt.Sprint(want[i]) != fmt.Sprint(got[i]) {
			t.Fatalf("output %d, %%%d: want %v, got %v\nfrom:\n%v\nto:\n%v", i, outs[i], want[i], got[i], g, opt)
		}
	}
	require.Equal(t, wantFlags, gotFlags, "sticky flags\nfrom:\n%v\nto:\n%v", g, opt)
}

func TestRandomGraphsKeepTheirBits(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 0))
		g, values := graphtest.Random(rng, graphtest.Config{Arrays: seed%2 == 1, States: seed%3 == 0, Loops: seed%5 < 3})
		require.NoError(t, graph.Check(g), "seed %d", seed)
		outs := ids(values)
		o, newOuts, _ := Run(g, outs, false)
		require.NoError(t, graph.Check(o), "seed %d\n%v", seed, o)
		requireSame(t, g, outs, o, newOuts)
	}
}

// Loops within loops are simplified once or twice each, however deep they are and however
// often the same one occurs.
func TestLoopsWithinLoops(t *testing.T) {
	const depth = 15
	g := graph.New()
	var nest func(level int, x graph.Value) graph.Value
	nest = func(level int, x graph.Value) graph.Value {
		last, err := g.Fori(3, []graph.Value{x}, func(i graph.Value, c []graph.Value) ([]graph.Value, error) {
			y := c[0].Mul(g.F32(1)).Add(i.ToF32())
			if level > 1 {
				y = nest(level-1, y)
			}
			return []graph.Value{y}, nil
		})
		require.NoError(t, err)
		return last[0]
	}
	x := g.InputF32("x", 0.5)
	y := nest(depth, x)
	y = nest(depth-1, y).Add(nest(depth-1, y.Neg()))
	b := &bodies{seen: graph.New()}
	o, outs, _ := run(g, []graph.ID{y.ID()}, false, b)
	require.NoError(t, graph.Check(o))
	require.NotEmpty(t, outs)
	require.LessOrEqual(t, len(b.done), 4*depth)
}

func BenchmarkRun(b *testing.B) {
	g := graph.New()
	x := g.InputF32("x", 1)
	c, d := g.F32(1.0001), g.F32(0.5)
	for i := range 50000 {
		g.SetPos(uint32(i))
		x = x.Mul(c).Add(d)
	}
	outs := []graph.ID{x.ID()}
	for b.Loop() {
		Run(g, outs, false)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100000, "ns/node")
}

func BenchmarkRunDot(b *testing.B) {
	const n = 100_000
	g := graph.New()
	vectors := [2][]graph.Value{}
	for i := range n {
		for k := range vectors {
			vectors[k] = append(vectors[k], g.InputF32("", float32(i)))
		}
	}
	outs := []graph.ID{g.StackOf(vectors[0]...).Dot(g.StackOf(vectors[1]...)).ID()}
	for b.Loop() {
		Run(g, outs, false)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
}
