package eval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
)

// values evaluates and returns the elements of each output.
func values(t *testing.T, g *graph.Graph, outs ...graph.Value) []Tensor {
	t.Helper()
	require.NoError(t, g.Err())
	ids := make([]graph.ID, len(outs))
	for i, v := range outs {
		ids[i] = v.ID()
	}
	got, _, err := Eval(g, ids, nil)
	require.NoError(t, err)
	return got
}

// What the Python ancestor of this project got wrong, as programs.
func TestAncestorsFaults(t *testing.T) {
	g := graph.New()
	x, i := g.InputF32("x", -4), g.InputI32("i", 7)
	zero, huge := g.F32(0), g.InputF32("huge", inf)
	v := g.StackOf(x, i, zero)
	tests := map[string]struct {
		v    graph.Value
		want Tensor
	}{
		"iif(x>0, x, sqrt(-1))":     {x.Neg().Gt(zero).Select(x, g.F32(-1).Sqrt()), graph.ScalarF32(-4)},
		"iif(x>0, x, sqrt(-1)) not": {x.Gt(zero).Select(x, g.F32(-1).Sqrt()), graph.ScalarF32(nan)},
		"clamp(inf, 0, 1)":          {huge.Clamp(g.I32(0), g.I32(1)), graph.ScalarF32(1)},
		"clamp(-inf, 0, 1)":         {huge.Neg().Clamp(g.I32(0), g.I32(1)), graph.ScalarF32(0)},
		"relu(-inf)":                {huge.Neg().Max(zero), graph.ScalarF32(0)},
		"7 // 0":                    {i.FloorDiv(g.I32(0)), graph.ScalarI32(0)},
		"7 % 0":                     {i.Mod(g.I32(0)), graph.ScalarI32(7)},
		"-7 % 2":                    {i.Neg().Mod(g.I32(2)), graph.ScalarI32(1)},
		"-2**31 // -1":              {g.I32(math.MinInt32).FloorDiv(g.I32(-1)), graph.ScalarI32(math.MinInt32)},
		"1 << 33":                   {g.I32(1).Shl(g.I32(33)), graph.ScalarI32(0)},
		"acos of a plain number":    {g.F32(1).Acos(), graph.ScalarF32(0)},
		"vector == is elementwise":  {v.Eq(x), graph.Bools(graph.Shape{3}, true, false, false)},
		"bools count as ints":       {x.Lt(zero).Add(g.Bool(true)), graph.ScalarI32(2)},
	}
	for name, tt := range tests {
		require.Equal(t, tt.want, values(t, g, tt.v)[0], name)
	}
}

func TestFlags(t *testing.T) {
	g := graph.New()
	i := g.InputI32("i", 7)
	zero := g.InputI32("zero", 0)
	bad, shift := i.FloorDiv(zero), i.Shl(zero.Sub(i))
	good := i.Add(zero)
	tests := []struct {
		outs []graph.Value
		want uint32
	}{
		{[]graph.Value{good}, 0},
		{[]graph.Value{bad}, graph.FlagDivide},
		{[]graph.Value{shift, good}, graph.FlagShift},
		{[]graph.Value{good.Select(shift, bad)}, graph.FlagDivide | graph.FlagShift},
		{[]graph.Value{i.ToF32().Div(zero), i.ToF32().Mod(zero)}, 0},
	}
	for _, tt := range tests {
		ids := make([]graph.ID, len(tt.outs))
		for k, v := range tt.outs {
			ids[k] = v.ID()
		}
		_, flags, err := Eval(g, ids, nil)
		require.NoError(t, err)
		require.Equal(t, tt.want, flags)
	}
}

// The order of the sum, written out for 11 terms and for fewer than 8.
func TestLaneTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		a := make([]float32, 11)
		for i := range a {
			a[i] = float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(40)))
		}
		add := func(x, y float32) float32 { return float32(x + y) }
		l0, l1, l2 := add(a[0], a[8]), add(a[1], a[9]), add(a[2], a[10])
		eleven := add(add(add(l0, a[4]), add(l2, a[6])), add(add(l1, a[5]), add(a[3], a[7])))
		six := add(add(add(a[0], a[4]), a[2]), add(add(a[1], a[5]), a[3]))
		three := add(add(a[0], a[2]), a[1])
		g := graph.New()
		v := g.ConstF32(graph.Shape{11}, a)
		got := values(t, g, v.Sum(), v.Slice(0, 6, 1).Sum(), v.Slice(0, 3, 1).Sum(), v.Slice(0, 1, 1).Sum(), v.Slice(0, 0, 1).Sum())
		for i, want := range []float32{eleven, six, three, a[0], 0} {
			require.Equal(t, graph.ScalarF32(want), got[i])
		}
	}
	// -0 alone stays -0: sums start from the first term, not from 0.
	g := graph.New()
	require.Equal(t, graph.ScalarF32(negZero), values(t, g, g.ConstF32(graph.Shape{2}, []float32{negZero, negZero}).Sum())[0])
}

// The array ops in terms of each other and of the scalar ops.
func TestArrays(t *testing.T) {
	g := graph.New()
	data := make([]float32, 60)
	for i := range data {
		data[i] = float32(math.Sqrt(float64(i + 2)))
	}
	m := g.InputTensor("m", graph.F32s(graph.Shape{5, 12}, data...))
	w := g.InputTensor("w", graph.F32s(graph.Shape{12, 5}, data...))
	v := m.Index(2)
	same := func(name string, a, b graph.Value) {
		got := values(t, g, a, b)
		require.Equal(t, got[0], got[1], name)
	}
	same("dot", v.Dot(v), v.Mul(v).Sum())
	same("transpose", m.Transpose().Transpose(), m)
	same("columns", m.Transpose().Index(7), g.StackOf(m.Index(0).Index(7), m.Index(1).Index(7), m.Index(2).Index(7), m.Index(3).Index(7), m.Index(4).Index(7)))
	same("sum axis 1", m.SumAxis(1).Index(3), m.Index(3).Sum())
	same("sum axis 0", m.SumAxis(0).Index(3), m.Transpose().Index(3).Sum())
	same("sum", m.Sum(), m.Reshape(60).Sum())
	same("matrix vector", m.MatMul(v).Index(4), m.Index(4).Dot(v))
	same("vector matrix", v.MatMul(w).Index(1), v.Dot(w.Transpose().Index(1)))
	same("matrix matrix", m.MatMul(w).Index(3).Index(2), m.Index(3).Dot(w.Transpose().Index(2)))
	same("slice", m.Slice(4, 2, -3), g.ConcatOf(m.Slice(4, 1, 1), m.Slice(1, 1, 1)))
	same("concat", g.ConcatOf(m, m).Index(7), m.Index(2))
	same("reshape", m.Reshape(12, 5).Index(1).Index(0), g.F32(data[5]))
	same("broadcast rows", m.Mul(v).Index(1), m.Index(1).Mul(v))
	same("broadcast columns", m.Add(v.Slice(0, 5, 1).Reshape(5, 1)).Index(1), m.Index(1).Add(v.Index(1)))
	same("broadcast middle", v.Reshape(3, 1, 4).Broadcast(2, 3, 5, 4).Index(1).Index(2).Index(4), v.Slice(8, 4, 1))

	b := values(t, g, m.Slice(0, 0, 1), m.Slice(0, 0, 1).SumAxis(0), m.Slice(0, 0, 1).Add(v))
	require.Empty(t, b[0].Bits)
	require.Equal(t, graph.F32s(graph.Shape{12}, make([]float32, 12)...), b[1])
	require.Equal(t, graph.Shape{0, 12}, b[2].Shape)

	i := g.ConstI32(graph.Shape{3}, []int32{math.MaxInt32, 1, 5})
	require.Equal(t, graph.ScalarI32(math.MinInt32+5), values(t, g, i.Sum())[0], "integers wrap")
	require.Equal(t, graph.ScalarI32(2), values(t, g, i.Gt(g.I32(1)).Sum())[0], "bools are counted")
}

func TestInputs(t *testing.T) {
	g := graph.New()
	x := g.InputF32("x", 2)
	n := g.InputI32("n", 3)
	v := g.InputTensor("v", graph.F32s(graph.Shape{2}, 1, 2))
	y := v.Mul(x).Add(n)
	outs := []graph.ID{y.ID(), x.ID(), y.ID()}
	got, _, err := Eval(g, outs, map[graph.ID]Tensor{
		x.ID(): graph.ScalarF32(10),
		v.ID(): {DType: graph.F32, Shape: graph.Shape{2}, Bits: []uint32{uint32(f(4)), 0xffc01234}},
	})
	require.NoError(t, err)
	require.Equal(t, graph.F32s(graph.Shape{2}, 43, nan), got[0])
	require.Equal(t, graph.ScalarF32(10), got[1])
	require.Equal(t, got[0], got[2])

	tests := map[string]map[graph.ID]Tensor{
		"eval: node %99 is not an input or state":     {99: graph.ScalarF32(1)},
		"eval: node %-1 is not an input or state":     {graph.None: graph.ScalarF32(1)},
		`eval: input "x" is f32, not i32`:             {x.ID(): graph.ScalarI32(1)},
		`eval: input "v" has shape (2,), not ()`:      {v.ID(): graph.ScalarF32(1)},
		`eval: input "v" has 1 values for 2 elements`: {v.ID(): {DType: graph.F32, Shape: graph.Shape{2}, Bits: []uint32{0}}},
	}
	for message, inputs := range tests {
		_, _, err := Eval(g, outs, inputs)
		require.EqualError(t, err, message)
	}
}

func BenchmarkEvalChain(b *testing.B) {
	g := graph.New()
	x := g.InputF32("x", 1)
	c, d := g.F32(1.0001), g.F32(0.5)
	for range 50_000 {
		x = x.Mul(c).Add(d)
	}
	for b.Loop() {
		if _, _, err := Eval(g, []graph.ID{x.ID()}, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/node")
}
