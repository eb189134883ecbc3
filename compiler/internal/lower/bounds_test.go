package lower

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

// TestIntervals: what ops give for integers in two intervals lies within the bounds, unless these say that it may wrap.
func TestIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() interval {
		centre := []int64{0, 0, 5, -7, 31, 1000, math.MaxInt32, math.MinInt32}[rng.IntN(8)]
		x, y := centre+rng.Int64N(41)-20, centre+rng.Int64N(41)-20
		return interval{min(x, y), max(x, y)}.and(anyInteger)
	}
	within := func(b interval) int64 { return b.low + rng.Int64N(b.high-b.low+1) }
	for op, bounds := range intervalsOf {
		known := 0
		for range 3000 {
			a, b := random(), random()
			if a.isEmpty() || b.isEmpty() {
				continue
			}
			c := bounds(a, b)
			if !c.within(anyInteger) || c == anyInteger {
				continue
			}
			known++
			for range 10 {
				x, y := within(a), within(b)
				words := []uint64{uint64(uint32(x)), uint64(uint32(y))}
				got, _ := eval.Scalar(op, graph.I32, words[:op.Info().Arity]...)
				z := int64(int32(uint32(got)))
				require.True(t, interval{z, z}.within(c), "%s of %d in %v and %d in %v is %d, not in %v", op, x, a, y, b, z, c)
			}
		}
		require.Greater(t, known, 5, "%s", op)
	}
}

// TestSpans is the same for floats.
func TestSpans(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	ends := []float32{0, 1, -1, 0.3, 7, -1e30, 3e38, -3e38, 1e-42, float32(math.Inf(1)), float32(math.Inf(-1))}
	random := func() (float32, float32) {
		x, y := ends[rng.IntN(len(ends))], ends[rng.IntN(len(ends))]
		return min(x, y), max(x, y)
	}
	within := func(low, high float32) float32 {
		return min(high, max(low, []float32{low, high, ends[rng.IntN(len(ends))], low + rng.Float32()*(high-low)}[rng.IntN(4)]))
	}
	for op, bounds := range spansOf {
		for range 3000 {
			al, ah := random()
			bl, bh := random()
			c := bounds(span64{float64(al), float64(ah)}, span64{float64(bl), float64(bh)})
			low, high := float32(c.low), float32(c.high)
			x, y := within(al, ah), within(bl, bh)
			words := []uint64{uint64(math.Float32bits(x)), uint64(math.Float32bits(y))}
			got, _ := eval.Scalar(op, graph.F32, words[:op.Info().Arity]...)
			z := math.Float32frombits(uint32(got))
			require.False(t, z < low || z > high, "%s of %g in %g to %g and %g in %g to %g is %g, not in %v", op, x, al, ah, y, bl, bh, z, c)
		}
	}
}

// TestGiven: what a comparison says of an integer.
func TestGiven(t *testing.T) {
	compare := map[graph.Op]func(x, y int64) bool{
		graph.OpLt: func(x, y int64) bool { return x < y }, graph.OpLe: func(x, y int64) bool { return x <= y },
		graph.OpGt: func(x, y int64) bool { return x > y }, graph.OpGe: func(x, y int64) bool { return x >= y },
		graph.OpEq: func(x, y int64) bool { return x == y }, graph.OpNe: func(x, y int64) bool { return x != y },
	}
	require.Len(t, relations, len(compare))
	for op, r := range relations {
		for low := int64(-3); low < 4; low++ {
			for high := low; high < 4; high++ {
				b := interval{-2, 2}.given(op, interval{low, high})
				for x := int64(-2); x <= 2; x++ {
					possible := false
					for y := low; y <= high; y++ {
						require.Equal(t, compare[op](x, y), compare[r.turned](y, x))
						require.NotEqual(t, compare[op](x, y), compare[r.not](x, y))
						possible = possible || compare[op](x, y)
					}
					require.False(t, possible && !interval{x, x}.within(b), "%d %s %d to %d, %v", x, op, low, high, b)
				}
			}
		}
	}
}

// TestBounds of expressions of an integer x, as scripts limit an index.
func TestBounds(t *testing.T) {
	for name, c := range map[string]struct {
		of   func(g *graph.Graph, x graph.Value) graph.Value
		want interval
	}{
		"bits":    {func(g *graph.Graph, x graph.Value) graph.Value { return x.Shr(g.I32(28)).And(g.I32(15)) }, interval{0, 15}},
		"shifted": {func(g *graph.Graph, x graph.Value) graph.Value { return x.Max(g.I32(0)).Min(g.I32(4095)).Shr(g.I32(8)) }, interval{0, 15}},
		"where": {func(g *graph.Graph, x graph.Value) graph.Value {
			return x.Lt(g.I32(0)).Select(g.I32(0), g.I32(9).Lt(x).Select(g.I32(9), x))
		}, interval{0, 9}},
		"next": {func(g *graph.Graph, x graph.Value) graph.Value {
			y := x.And(g.I32(7))
			return y.Eq(g.I32(7)).Select(g.I32(0), y.Add(g.I32(1)))
		}, interval{0, 7}},
		"both": {func(g *graph.Graph, x graph.Value) graph.Value {
			return x.Ge(g.I32(2)).And(x.Lt(g.I32(5))).Select(x, g.I32(3))
		}, interval{2, 4}},
		"neither": {func(g *graph.Graph, x graph.Value) graph.Value {
			return x.Lt(g.I32(2)).Or(x.Gt(g.I32(5))).Select(g.I32(3), x)
		}, interval{2, 5}},
		"not": {func(g *graph.Graph, x graph.Value) graph.Value {
			return x.And(g.I32(3)).Ne(g.I32(3)).Not().Select(g.I32(1), x.And(g.I32(3)))
		}, interval{0, 2}},
		"never": {func(g *graph.Graph, x graph.Value) graph.Value {
			y := x.And(g.I32(3))
			return y.Gt(g.I32(3)).Select(y.Neg(), g.I32(8))
		}, interval{-3, 8}},
		"of a float": {func(g *graph.Graph, x graph.Value) graph.Value {
			return x.ToF32().Max(g.F32(0)).Min(g.F32(1)).Mul(g.F32(31.5)).ToI32()
		}, interval{0, 31}},
		"of a choice": {func(g *graph.Graph, x graph.Value) graph.Value {
			y := x.ToF32()
			return y.Gt(g.F32(7.5)).Select(g.F32(7.5), y.Lt(g.F32(-1)).Select(g.F32(-1), y)).ToI32()
		}, interval{-1, 7}},
		"of two bytes": {func(g *graph.Graph, x graph.Value) graph.Value {
			return x.And(g.I32(0xf0)).Or(x.And(g.I32(3))).Xor(g.I32(1))
		}, interval{0, 255}},
	} {
		g := graph.New()
		v := c.of(g, g.InputI32("x", 0))
		require.NoError(t, g.Err())
		l := newLowerer(&program{m: anything()}, g, []graph.ID{v.ID()})
		require.Equal(t, c.want, l.bounds(v.ID()), name)
	}
}
