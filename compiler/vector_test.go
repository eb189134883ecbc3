package compiler_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
	"github.com/copaflash/copaflash/internal/seed"
	"github.com/copaflash/copaflash/protocol/packet"
)

// vectorLengths are lengths of rows around the multiples of four and eight, at
// which loops on vectors begin and end.
func vectorLengths() []int {
	var list []int
	for n := range 41 {
		list = append(list, n)
	}
	for _, n := range []int{48, 64, 96, 128, 256, 600} {
		list = append(list, n-1, n, n+1, n+4)
	}
	return list
}

// vectorPrograms are computations on two rows of n elements and two scalars, in
// loops that use vectors as far as they can.
var vectorPrograms = []struct {
	name  string
	build func(a, b, x, y graph.Value) []graph.Value
}{
	{"sums", func(a, b, _, _ graph.Value) []graph.Value {
		return []graph.Value{a.Sum(), a.Dot(b), a.Dot(a), a.Mul(b).Sub(a).Sum()}
	}},
	{"arithmetic", func(a, b, x, y graph.Value) []graph.Value {
		return []graph.Value{a.Add(b).Mul(x), a.Div(b).Sub(y), x.Div(a), a.Neg().Mul(b.Abs()), a.Abs().Sqrt(), a.Sqrt()}
	}},
	{"least and greatest", func(a, b, x, _ graph.Value) []graph.Value {
		return []graph.Value{a.Min(b), a.Max(b), a.Min(x), x.Max(b), a.Clamp(x.Neg(), x)}
	}},
	{"rounding", func(a, b, x, _ graph.Value) []graph.Value {
		return []graph.Value{a.Floor(), a.Ceil().Sub(b), a.Mul(x).Trunc(), a.Round().Sum(), x.Floor().Add(b)}
	}},
	{"choices", func(a, b, x, y graph.Value) []graph.Value {
		inside, other := a.Ge(x).And(b.Ne(a)), a.Le(b).Xor(b.Eq(y))
		return []graph.Value{
			a.Lt(b).Select(a, x), inside.Select(b, a.Neg()), inside.Or(other.Not()), other.Sum(), inside.ToF32().Sum(),
			inside.Select(other, a.Gt(b)), inside.Eq(other), a.Lt(float(a, 0)).Select(float(a, 0), a).Sum(),
		}
	}},
	{"integers", func(a, b, x, _ graph.Value) []graph.Value {
		i, j, k := a.ToI32(), b.ToI32(), x.ToI32()
		return []graph.Value{
			i, i.Add(j).Mul(i), i.Sub(k).Neg().Min(j), i.Max(j).ToF32().Mul(x), i.And(j).Or(k).Xor(i), i.Sum(), i.Mul(j).Sum(),
			i.Lt(j).Select(i, j).Sum(), i.Le(k), i.Gt(j).And(i.Ge(k)), i.Eq(j).Or(i.Ne(k)).Select(i, k), i.Dot(j),
		}
	}},
	{"limits by constants", func(a, b, x, _ graph.Value) []graph.Value {
		var out []graph.Value
		for _, limit := range []float32{0, float32(math.Copysign(0, -1)), 0.5, float32(math.Inf(-1)), float32(math.NaN())} {
			c := float(a, limit)
			out = append(out, a.Min(c), c.Max(b), a.Clamp(c, float(a, 2)), a.Lt(c).Select(c, a), a.Gt(c).Select(c, b), c.Le(a).Select(a, c),
				c.Gt(a).Select(c, a), a.Eq(c).Select(c, b))
		}
		return append(out, a.Lt(b).Select(a, b), a.Gt(b).Select(a, b), a.Ge(b).Select(a, b), a.Lt(x).Select(x, a), b.Sign(), a.ToI32().Sign())
	}},
	{"shifts and products by constants", func(a, b, _, _ graph.Value) []graph.Value {
		i, j, g := a.ToI32(), b.ToI32(), a.Graph()
		var out []graph.Value
		for _, n := range []int32{0, 1, 3, 31, 32} {
			out = append(out, i.Shl(g.I32(n)), i.Shr(g.I32(n)), i.Sub(j.Shr(g.I32(n))).Sum())
		}
		for _, n := range []int32{3, 5, 7, -3, 12, 96, 127, 100, -1 << 31} {
			out = append(out, i.Mul(g.I32(n)), i.Sub(j).Mul(g.I32(n)).Sum())
		}
		return out
	}},
	{"masks", func(a, b, x, y graph.Value) []graph.Value {
		i, j, zero, none := a.ToI32(), b.ToI32(), float(a, 0), a.Graph().I32(0)
		near, far := a.Lt(b), i.Ge(j)
		both, one := near.And(far), near.Xor(a.Gt(x))
		return []graph.Value{
			near.Select(a, zero), near.Select(zero, b), both.Select(b, a), both.Not().Select(i, none), one.Select(none, j), one.Sum(),
			near.Or(far.Not()).Sum(), i.Le(j).Select(a, y), i.Ne(j).Select(b, x), i.Ne(j).Sum(), i.Ge(none).Sum(), both.Eq(one),
			near.ToI32().Add(far.ToI32()).Sum(), near.ToI32().Add(i).Sum(), near.Ne(far).Select(x, y), near.Ne(far).Sum(),
			a.Ne(b).Select(a.Le(x).Select(a, b), y), a.Lt(x), a.Lt(x).Select(b, a), near.ToI32().Ne(none).Sum(), near.ToI32().Eq(none).Select(a, b),
		}
	}},
	{"computed scalars", func(a, b, x, y graph.Value) []graph.Value {
		z := x.Mul(y)
		return []graph.Value{a.Mul(z).Dot(b), a.Add(a.Sum()).Sum(), a.Sub(b.Sum().Div(z))}
	}},
	{"shifted views of one array", func(a, _, x, _ graph.Value) []graph.Value {
		n := a.Shape()[0] - 1
		lo, hi := a.Slice(0, max(n, 0), 1), a.Slice(min(1, n+1), max(n, 0), 1)
		return []graph.Value{lo.Mul(hi), lo.Dot(hi), hi.Sub(lo).Mul(x), hi}
	}},
	{"views that are no vectors", func(a, b, x, _ graph.Value) []graph.Value {
		n := a.Shape()[0]
		back, even := a.Slice(max(n-1, 0), n, -1), b.Slice(0, (n+1)/2, 2)
		return []graph.Value{back.Add(b), back.Dot(b), even.Mul(x), even.Sum(), back}
	}},
	{"with ops on single elements", func(a, b, x, _ graph.Value) []graph.Value {
		return []graph.Value{a.Lt(b).Select(a, x), a.Floor().Add(b), a.ToI32().ToF32().Sum(), a.Gt(x).Sum(), a.ToI32().Sum()}
	}},
	{"more values than registers", func(a, b, x, y graph.Value) []graph.Value {
		var list []graph.Value
		for k := range 40 {
			list = append(list, a.Mul(x.Add(float(a, float32(k)))).Add(b))
		}
		for len(list) > 1 {
			var next []graph.Value
			for k := range len(list) / 2 {
				next = append(next, list[k].Mul(list[len(list)-1-k]).Sub(y))
			}
			list = next
		}
		return []graph.Value{list[0], list[0].Add(a).Dot(b)}
	}},
	{"rows and columns", func(a, b, x, _ graph.Value) []graph.Value {
		n := a.Shape()[0]
		m := a.Graph().ConcatOf(a, b, a.Add(x)).Reshape(3, n)
		column := b.Slice(0, min(n, 1), 1).Add(x).Sum()
		scale := a.Graph().StackOf(x, column, x.Neg()).Reshape(3, 1)
		return []graph.Value{m.MatMul(b), m.SumAxis(1), m.SumAxis(0), m.Mul(scale), m.Mul(scale).Sub(b).SumAxis(1), m.Transpose().Mul(x), m.Sum()}
	}},
	{"many sums", func(a, b, x, y graph.Value) []graph.Value {
		n := a.Shape()[0]
		var list []graph.Value
		for k := range 12 {
			list = append(list, a.Add(float(a, float32(k))).Dot(b))
		}
		product := a.Mul(b) // used twice, so a loop of its own between sums
		list = append(list, a.Sum(), product, product.Sum(), b.Sum(), b.Mul(y).Sum(), product.Dot(b), a.Dot(a))
		half, shifted := a.Slice(0, n/2, 1), a.Slice(n-n/2, n/2, 1)
		for k := range 9 {
			z := x.Mul(float(a, float32(k)))
			list = append(list, half.Sub(z).Dot(shifted), shifted.Div(z).Sum())
		}
		return append(list, list[0].Mul(b).Sum(), list[1].Mul(a).Dot(b), half.Dot(b.Slice(0, n/2, 1)))
	}},
	{"extremes", func(a, b, x, y graph.Value) []graph.Value {
		g := a.Graph()
		e := g.ConcatOf(a, g.StackOf(x)) // never empty
		i, m := e.ToI32(), g.ConcatOf(e, e.Mul(y), b, g.StackOf(y)).Reshape(3, a.Shape()[0]+1).Add(x)
		return []graph.Value{
			e.AMax(), e.AMin(), i.AMax(), i.AMin(), e.Mul(x).Add(y).AMax(), e.Neg().AMin(), e.Gt(y).AMax(), e.Exp().AMin(), e.Sum(),
			m.AMax(), m.AMaxAxis(1), m.AMinAxis(0), m.Transpose().AMinAxis(0), e.Sub(e.AMax()).AMin(),
			g.ConcatOf(b, g.StackOf(x)).AMax(), g.ConcatOf(b, g.StackOf(y)).AMin(), // each alone on what lies in memory
		}
	}},
	{"kernels", func(a, b, x, y graph.Value) []graph.Value {
		var list []graph.Value
		for _, f := range []func(graph.Value) graph.Value{
			graph.Value.Exp, graph.Value.Exp2, graph.Value.Expm1, graph.Value.Log, graph.Value.Log2, graph.Value.Log10, graph.Value.Log1p,
			graph.Value.Sin, graph.Value.Cos, graph.Value.Tan, graph.Value.Sinh, graph.Value.Cosh, graph.Value.Tanh, graph.Value.Atan,
		} {
			list = append(list, f(a.Mul(x)).Add(b)) // b and what is added live across the call
		}
		e := a.Exp()
		return append(list, e.Div(e.Sum()), a.Sub(x).Exp().Dot(b), a.Sin().Mul(a.Cos()), a.Sin().Mul(b.Exp()).Sub(a.Mul(b)).Sum(),
			a.Graph().ConcatOf(a, a.Graph().StackOf(x)).Tanh().AMax(), a.Exp().Mul(a).Add(y), a.Gt(x).Select(a.Exp(), b.Log()))
	}},
	{"elements in turn", func(a, b, x, y graph.Value) []graph.Value {
		n := a.Shape()[0]
		part := func(v graph.Value, k, of int) graph.Value { return v.Slice(min(k, n), n/of, of) }
		inTurn := func(rows ...graph.Value) graph.Value {
			length := rows[0].Shape()[0]
			for k, r := range rows {
				rows[k] = r.Reshape(1, length)
			}
			return a.Graph().ConcatOf(rows...).Transpose().Reshape(len(rows) * length)
		}
		c, d, e, f := part(a, 0, 2), part(a, 1, 2), part(b, 0, 2), part(b, 1, 2)
		p, q, r, s := part(a, 0, 4), part(a, 1, 4), part(b, 2, 4), part(b, 3, 4)
		return []graph.Value{
			inTurn(c.Mul(e).Sub(d.Mul(f)), c.Mul(f).Add(d.Mul(e))), // products of complex numbers
			inTurn(p.Mul(r), q.Mul(s), p.Sub(s), q.Mul(y)), inTurn(a.Mul(b), a.Sub(x)), inTurn(a, b.Mul(x), a.Add(b), b),
			inTurn(c.Add(x), e), inTurn(a.Slice(0, n/2, 1).Mul(c), f.Add(x)), inTurn(a.Add(x), b, b.Mul(a)), inTurn(c.Exp(), e.Add(y)),
		}
	}},
	{"moves", func(a, b, _, _ graph.Value) []graph.Value {
		g := a.Graph()
		return []graph.Value{g.ConcatOf(a, b, a), g.ConcatOf(a.ToI32(), b.ToI32()), a.Broadcast(3, a.Shape()[0])}
	}},
}

func float(v graph.Value, x float32) graph.Value { return v.Graph().F32(x) }

// drawWord is a float of daily life or, one time in four, one that is special.
func drawWord(rng *rand.Rand) uint32 {
	special := []uint32{0, 1 << 31, 1, 0x807fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc00000, 0xff800001, 0x3f800000}
	if rng.IntN(4) == 0 {
		return special[rng.IntN(len(special))]
	}
	return math.Float32bits(float32(rng.NormFloat64() * 3))
}

// TestVectorLoops compares loops of many lengths with the oracle.
func TestVectorLoops(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range vectorLengths() {
			for k, p := range vectorPrograms {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(k)))
				g := graph.New()
				input := func(s graph.Shape) graph.Value {
					words := make([]uint32, s.Elements())
					for i := range words {
						words[i] = drawWord(rng)
						for n%3 == 1 && words[i]<<1 > 0x7f800000<<1 { // all but NaN
							words[i] = drawWord(rng)
						}
						if k%2 == 0 && n%3 == 0 { // mostly numbers, lest every sum is NaN
							words[i] = math.Float32bits(float32(rng.NormFloat64()))
						}
					}
					v, err := g.Input("", graph.F32, s, words)
					require.NoError(t, err)
					return v
				}
				a, b, x, y := input(graph.Shape{n}), input(graph.Shape{n}), input(graph.Shape{}), input(graph.Shape{})
				outs := p.build(a, b, x, y)
				require.NoError(t, g.Err(), p.name)
				jobs = append(jobs, newJob(t, fmt.Sprintf("%s, n=%d", p.name, n), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: compiler.UnrollNever}))
			}
		}
		m.runJobs(t, jobs)
	})
}

// TestLongFastSums compares long sums with the oracle where fast arithmetic divides them.
func TestLongFastSums(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range []int{256, 260, 600, 601, 997} {
			g := graph.New()
			a, b := arrayInput(t, g, n, 0.01), arrayInput(t, g, n, -0.03)
			e, d := a.Exp(), a.Sub(b)
			for k, outs := range [][]graph.Value{{a.Sum()}, {a.Dot(b), b.Sum()}, {d.Dot(d)}, {e.Sum(), e}, {a.Slice(n-1, n, -1).Dot(b), a.Sum(), b.Sum()}} {
				jobs = append(jobs, newJob(t, fmt.Sprintf("%d, n=%d", k, n), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Fast: true}))
			}
		}
		m.runJobs(t, jobs)
	})
}

// TestRandomVectors compares random programs on long arrays with the
// oracle: of ops that vectors have, for the most part.
func TestRandomVectors(t *testing.T) {
	const graphs = 400
	var ops []graph.Op
	for op := range graph.NumOps {
		switch op.Info().Sig {
		case graph.SigArith, graph.SigMove, graph.SigRound, graph.SigBits, graph.SigOrder, graph.SigEqual, graph.SigToF32, graph.SigToI32, graph.SigSelect:
			ops = append(ops, op)
			continue
		}
		switch op {
		case graph.OpSqrt, graph.OpConcat, graph.OpSum, graph.OpDot, graph.OpMatMul:
			ops = append(ops, op)
		}
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, seed := range seed.List(t, graphs-graphs/10, graphs/10) {
			rng := rand.New(rand.NewPCG(seed, 7))
			g, outs := graphtest.Random(rng, graphtest.Config{Ops: 10 + rng.IntN(40), Size: 20 + rng.IntN(30), Arrays: true, Only: ops,
				DTypes: []graph.DType{graph.F32, graph.Bool, graph.I32}, Smooth: seed%2 == 0})
			mode := []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollNever}[seed%2]
			jobs = append(jobs, newJob(t, fmt.Sprintf("seed %d mode %d", seed, mode), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode}))
		}
		m.runJobs(t, jobs)
	})
}

// withVectors are the machines that have vectors.
func withVectors(t *testing.T) []machine {
	t.Helper()
	found := slices.DeleteFunc(slices.Clone(machines), func(m machine) bool { return m.lanes == 0 })
	require.NotEmpty(t, found)
	return found
}

// TestVectorsAreUsed looks into listings: without this, slow code would pass.
func TestVectorsAreUsed(t *testing.T) {
	count := func(p *compiler.Program, what string) int {
		var text strings.Builder
		require.NoError(t, p.Listing(&text))
		return strings.Count(text.String(), what)
	}
	for _, m := range withVectors(t) {
		g := graph.New()
		a, b := arrayInput(t, g, 100, 0.5), arrayInput(t, g, 100, 0.25)
		wide, registers := fmt.Sprintf("f32x%d", m.lanes), 8/m.lanes
		product := map[int]string{4: "mul.", 8: "mulx."}[m.lanes] // of which one factor comes from memory
		compiled := func(v graph.Value) *compiler.Program {
			return compileFor(t, g, v, compiler.Options{Arch: m.arch, Features: m.features})
		}

		// How many terms each lane is brought by an iteration: where that is worth it, the 12 whole rows of lanes are three times four.
		dot := compiled(a.Add(g.F32(2)).Dot(b))
		terms, left, leftVectors := 4, 4, 0
		if m.arch == "x86_32" { // which has 8 registers
			terms = 1
		}
		if m.arch == packet.ArchAarch64.String() { // where the end of one sum is in vectors, too
			left, leftVectors = 0, 1
		}
		require.Equal(t, registers*terms+leftVectors, count(dot, product+wide), "%s: vectors make eight lanes", m.name())
		require.Equal(t, left, count(dot, "mul.f32 "), "%s: 100 = 12 * 8 + 4", m.name())
		require.Equal(t, registers, count(dot, "st."+wide), "%s: the sums leave the loop", m.name())
		require.Equal(t, m.lanes/8, count(dot, "narrow"), m.name())
		require.Equal(t, m.features&packet.FeatAVX2, dot.Image.Features, "%s: what the code needs, no more", m.name())

		sum := compiled(a.Mul(b))
		stores := count(sum, "stx."+wide) + count(sum, "stp."+wide) + 2*count(sum, "stp2."+wide)
		require.Equal(t, stores, count(sum, product+wide), m.name())
		leftOver := count(sum, "mul.f32 ")
		if m.arch == packet.ArchAarch64.String() {
			require.Equal(t, 100%(stores*m.lanes), leftOver, "%s: what whole iterations leave over", m.name())
		} else {
			require.Zero(t, leftOver, "%s: that is a vector with some elements before it", m.name())
			stores--
		}
		require.Contains(t, []int{2, 3, 4}, stores, "%s: vectors in an iteration", m.name())

		chosen := compiled(a.Lt(b).Select(a, b).ToI32().Sum())
		choice := []string{"lesser." + wide}
		if m.arch == packet.ArchAarch64.String() {
			choice = []string{"ltm." + wide, "selm." + wide}
		}
		vectors := count(chosen, "to_i32."+wide)
		require.Greater(t, vectors, 1, "%s: vectors in an iteration", m.name())
		for _, op := range append(choice, fmt.Sprintf("add.i32x%d", m.lanes)) {
			require.Equal(t, vectors, count(chosen, op), "%s: %s", m.name(), op)
		}
		i := slices.Index(opNames(chosen), "add.i32")
		require.Positive(t, i+1)
		require.Equal(t, uint64(100+m.lanes-1), chosen.Image.Budget.Ops[i].Count, "%s: the terms, the lanes", m.name())

		for _, c := range [][2]int{{0, 2}, {1, 4}, {99, -1}} {
			walked := compiled(a.Slice(c[0], 24, c[1]).Mul(b.Slice(0, 24, 1)))
			require.Positive(t, count(walked, "mul."+wide)+count(walked, "mulx."+wide), "%s: step %d", m.name(), c[1])
		}
		inTurn := func(x, y graph.Value) graph.Value {
			n := x.Shape()[0]
			return g.ConcatOf(x.Reshape(1, n), y.Reshape(1, n)).Transpose()
		}
		even, odd := a.Slice(0, 50, 2), a.Slice(1, 50, 2)
		same, other := compiled(inTurn(even.Mul(odd), odd.Add(g.F32(1)))), compiled(inTurn(a.Mul(b), b))
		in := map[int]string{4: "", 8: "4"}[m.lanes] // each half of eight lanes
		for _, op := range []string{"even", "odd", "weavelow", "weavehigh"} {
			if m.arch != packet.ArchAarch64.String() || strings.HasPrefix(op, "weave") { // others are loaded so
				require.Positive(t, count(same, op+in+"."+wide), "%s: %s", m.name(), op)
			}
		}
		require.Zero(t, count(same, "halves."), "%s: what is read is put in order as it is written", m.name())
		require.Equal(t, m.lanes == 8, count(other, "halves.") > 0, m.name())
		require.Equal(t, count(other, "weavelow"+in+"."+wide), count(other, "weavehigh"+in+"."+wide), m.name())

		strided := compiled(a.Slice(0, 33, 3).Dot(b.Slice(0, 33, 1)))
		if m.arch == packet.ArchAarch64.String() {
			require.Positive(t, count(strided, "everyp3."+wide), "%s: every third word is loaded", m.name())
		} else {
			require.Zero(t, count(strided, "f32x"), "%s: neighbours are not next to each other", m.name())
			require.Zero(t, strided.Image.Features, m.name())
		}

		i = slices.Index(opNames(dot), "mul.f32")
		require.Positive(t, i+1)
		require.Equal(t, uint64(100), dot.Image.Budget.Ops[i].Count, "%s: ops count elements, not vectors", m.name())
	}
}

// Arrays that are walked backwards or by some words, alone and beside others that lie between, up to the last
// word; lengths leave elements over.
func TestWalks(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range []int{16, 19, 25, 33} {
			for _, step := range []int{2, 3, 4, -1, -2} {
				g := graph.New()
				size := n * max(step, -step)
				x := arrayInput(t, g, size, 0.5)
				at := func(k, count int) graph.Value {
					if step < 0 {
						return x.Slice(size-1-k, count, step)
					}
					return x.Slice(k, count, step)
				}
				first, last := at(0, n), at(max(step, -step)-1, n)
				outs := []graph.Value{first.Mul(last), last.Sum(), last.Dot(first), first.AMax(), at(0, n-1).Sub(at(max(step, 1), n-1)), last.ToI32().Abs().AMax()}
				require.NoError(t, g.Err())
				jobs = append(jobs, newJob(t, fmt.Sprint(n, step), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: compiler.UnrollNever}))
			}
		}
		m.runJobs(t, jobs)
	})
}

// Arrays of one length that read the same ones, or each other, are computed in one loop: where they read the same
// elements only.
func TestMappingsShareLoops(t *testing.T) {
	type build func(a, b graph.Value) []graph.Value
	for _, c := range []struct {
		name          string
		build         build
		loops, arrays int    // arrays that are written
		op            string // that one loop has once for each vector
	}{
		{"two", func(a, b graph.Value) []graph.Value { return []graph.Value{a.Mul(b), a.Add(b)} }, 1, 2, "add."},
		{"of nothing in common", func(a, b graph.Value) []graph.Value { return []graph.Value{a.Mul(a), b.Add(b)} }, 2, 2, ""},
		{"one reads the other", func(a, b graph.Value) []graph.Value { p := a.Mul(b); return []graph.Value{p, p.Sqrt().Add(a)} }, 1, 2, "sqrt."},
		{"two of one that nothing else reads", func(a, b graph.Value) []graph.Value {
			p := a.Mul(b)
			return []graph.Value{p.Sqrt(), p.Mul(p).Add(p)}
		}, 1, 2, "sqrt."},
		{"one reads the neighbours of the other", func(a, b graph.Value) []graph.Value {
			p := a.Mul(b)
			return []graph.Value{p, p.Slice(1, 64, 1).Add(p.Slice(0, 64, 1))}
		}, 2, 2, ""},
		{"one reads the other backwards", func(a, b graph.Value) []graph.Value {
			p := a.Mul(b)
			return []graph.Value{p, p.Slice(95, 96, -1).Add(a)}
		}, 2, 2, ""},
		{"one through another shape", func(a, b graph.Value) []graph.Value {
			p := a.Mul(b)
			return []graph.Value{p.Sqrt(), p.Reshape(8, 12).Mul(p.Reshape(8, 12)).Sum()}
		}, 2, 2, ""},
	} {
		forEachMachine(t, func(t *testing.T, m *machine) {
			g := graph.New()
			outs := c.build(arrayInput(t, g, 96, 0.5), arrayInput(t, g, 96, 0.25))
			require.NoError(t, g.Err())
			j := newJob(t, c.name, g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: compiler.UnrollNever})
			m.runJobs(t, []*job{j})
		})
		for _, m := range withVectors(t) {
			g := graph.New()
			outs := c.build(arrayInput(t, g, 96, 0.5), arrayInput(t, g, 96, 0.25))
			var list []compiler.Output
			for k, v := range outs {
				list = append(list, compiler.Output{Name: fmt.Sprint("y", k), Value: v})
			}
			p, err := compiler.Compile(g, list, compiler.Options{Arch: m.arch, Features: m.features})
			require.NoError(t, err)
			var text strings.Builder
			require.NoError(t, p.Listing(&text))
			loops := strings.Count(text.String(), "loop.i32") + strings.Count(text.String(), "count.i32")
			require.Equal(t, c.loops, loops, "%s on %s", c.name, m.name())
			if c.op != "" {
				wide := fmt.Sprintf("f32x%d", m.lanes)
				count := func(what string) int { return strings.Count(text.String(), what+wide) }
				require.Equal(t, c.arrays*count(c.op), count("stx.")+count("stp.")+2*count("stp2."), "%s on %s", c.name, m.name())
			}
		}
	}
}

// Rows of all short lengths, with a row and a column that go with them, into an array of their own and over the one
// that is read.
func TestShortRows(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for cols := 7; cols < 36; cols++ {
			g := graph.New()
			const rows = 5
			x, row, column := arrayInput(t, g, rows*cols, 0.5).Reshape(rows, cols), arrayInput(t, g, cols, 0.25), arrayInput(t, g, rows, 2)
			s, err := g.State("s", graph.F32, graph.Shape{rows, cols}, ramp(rows*cols, -1))
			require.NoError(t, err)
			require.NoError(t, g.SetNext(s, s.Mul(row).Add(column.Reshape(rows, 1))))
			outs := []graph.Value{x.Mul(row).Add(column.Reshape(rows, 1)), s.Sum()}
			require.NoError(t, g.Err())
			jobs = append(jobs, newJob(t, fmt.Sprint(cols), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: compiler.UnrollNever}))
		}
		m.runJobs(t, jobs)
	})
}

// TestSumsShareLoops counts the loops of neighbouring sums, and the one on x86, of one iteration, in which several end.
func TestSumsShareLoops(t *testing.T) {
	type build func(a, b, short graph.Value) graph.Value
	sums := func(count int, one func(a graph.Value, k int) graph.Value) build {
		return func(a, _, _ graph.Value) graph.Value {
			sum := one(a, 0)
			for k := 1; k < count; k++ {
				sum = sum.Add(one(a, k))
			}
			return sum
		}
	}
	for _, c := range []struct {
		name  string
		build build
		loops map[string]int // by architecture
	}{
		{"two", func(a, b, _ graph.Value) graph.Value { return a.Sum().Add(b.Sum()) }, map[string]int{"x86_64": 2, "x86_64+sse41+avx2": 2, "x86_32": 3, "aarch64": 1}},
		{"of other lengths", func(a, _, short graph.Value) graph.Value { return a.Sum().Add(short.Sum()) }, map[string]int{"x86_64": 2, "x86_64+sse41+avx2": 2, "x86_32": 2, "aarch64": 2}},
		{"one after the other", func(a, b, _ graph.Value) graph.Value { return a.Sum().Mul(b).Sum() }, map[string]int{"x86_64": 2, "x86_64+sse41+avx2": 2, "x86_32": 2, "aarch64": 2}},
		// 8, 24 and 3 registers for two sums and a constant each
		{"ten with a constant", sums(10, func(a graph.Value, k int) graph.Value { return a.Add(float(a, float32(k))).Dot(a) }),
			map[string]int{"x86_64": 6, "x86_64+sse41+avx2": 4, "x86_32": 11, "aarch64": 2}},
	} {
		for _, m := range withVectors(t) {
			g := graph.New()
			v := c.build(arrayInput(t, g, 100, 0.5), arrayInput(t, g, 100, 0.25), arrayInput(t, g, 80, 1))
			var text strings.Builder
			require.NoError(t, compileFor(t, g, v, compiler.Options{Arch: m.arch, Features: m.features}).Listing(&text))
			loops := strings.Count(text.String(), "loop.i32") + strings.Count(text.String(), "count.i32")
			require.Equal(t, c.loops[m.name()], loops, "%s on %s", c.name, m.name())
		}
	}
}

// Sums of different lengths whose loops are of one, since an iteration of the longer one takes more terms: arrays
// that both begin to read at one place are walked in different steps.
func TestSumsOfOneStart(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, n := range [][2]int{{16, 32}, {16, 48}, {20, 64}, {24, 96}, {28, 76}, {48, 16}, {100, 100}} {
			g := graph.New()
			x, y := arrayInput(t, g, 100, 0.5), arrayInput(t, g, 100, -0.25)
			short, long := x.Slice(0, n[0], 1), x.Slice(0, n[1], 1).Dot(y.Slice(0, n[1], 1))
			outs := []graph.Value{short.Sum(), long, y.Slice(0, n[0], 1).Dot(short).Add(x.Slice(0, n[1], 1).Sum())}
			require.NoError(t, g.Err())
			jobs = append(jobs, newJob(t, fmt.Sprint(n), g, outs, compiler.Options{Arch: m.arch, Features: m.features, Unroll: compiler.UnrollNever}))
		}
		m.runJobs(t, jobs)
	})
}

func opNames(p *compiler.Program) []string {
	var names []string
	for _, o := range p.Image.Budget.Ops {
		names = append(names, o.Name)
	}
	return names
}
