package graph

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each method builds the op of its name, with its operands in order.
func TestMethods(t *testing.T) {
	unary := map[Op]func(Value) Value{OpTranspose: Value.Transpose, OpSum: Value.Sum, OpSort: Value.Sort, OpArgsort: Value.Argsort, OpAMax: Value.AMax, OpAMin: Value.AMin}
	maps.Copy(unary, unaryMethods)
	binary := map[Op]func(Value, Value) Value{OpPow: Value.Pow, OpDot: Value.Dot, OpTake: Value.Take, OpMatMul: Value.MatMul}
	maps.Copy(binary, binaryMethods)
	others := map[Op]bool{OpConst: true, OpInput: true, OpState: true, OpParam: true, OpScan: true, OpSelect: true, OpStack: true, OpConcat: true, OpIndex: true,
		OpSlice: true, OpReshape: true, OpBroadcast: true}
	g := New()
	operands := func(op Op) []Value {
		switch {
		case op == OpTake:
			return []Value{g.keep(g.Input("", F32, Shape{3}, nil)), g.InputI32("", 1)}
		case op == OpDot:
			return []Value{g.keep(g.Input("", F32, Shape{3}, nil)), g.keep(g.Input("", F32, Shape{3}, nil))}
		case op == OpMatMul || op == OpTranspose || op == OpSort || op == OpArgsort || Ops[op].Sig == SigReduce:
			return []Value{g.keep(g.Input("", F32, Shape{3, 3}, nil)), g.keep(g.Input("", F32, Shape{3, 3}, nil))}
		case Ops[op].Sig == SigBits || Ops[op].Sig == SigShift || Ops[op].Sig == SigToF32 || Ops[op].Sig == SigToF64:
			return []Value{g.InputI32("", 1), g.InputI32("", 2)}
		}
		return []Value{g.InputF32("", 1), g.InputF32("", 2)}
	}
	for op := range NumOps {
		v := operands(op)
		var got Value
		want := []ID{v[0].ID(), v[1].ID()}
		switch {
		case unary[op] != nil:
			got, want = unary[op](v[0]), want[:1]
		case binary[op] != nil:
			got = binary[op](v[0], v[1])
		default:
			require.True(t, others[op], "%v has no method in this test", op)
			continue
		}
		require.NoError(t, g.Err())
		require.Equal(t, op, got.Op())
		require.Equal(t, want, g.Args(got.ID()), "%v", op)
	}

	x, y, p := g.InputF32("x", 1), g.InputF32("y", 2), g.InputBool("p", true)
	require.Equal(t, g.Line(x.ID())[:len(x.String())], x.String())
	require.Equal(t, "%invalid", Value{g, None}.String())
	require.Equal(t, []ID{p.ID(), y.ID(), x.ID()}, g.Args(p.Select(y, x).ID()))
	require.Equal(t, x.Min(y).Max(g.F32(0)), x.Clamp(g.F32(0), y))
	m := g.ConcatOf(g.StackOf(x, y).Reshape(1, 2), g.ConstF32(Shape{2, 2}, []float32{1, 2, 3, 4}))
	require.Equal(t, Shape{3, 2}, m.Shape())
	require.Equal(t, Shape{2, 3, 2}, m.Broadcast(2, 3, 2).Shape())
	require.Equal(t, Shape{3}, m.SumAxis(-1).Shape())
	require.Equal(t, Shape{2}, m.Index(-1).Shape())
	require.Equal(t, x.Mul(x).Op(), OpMul)
	v := m.Index(0)
	require.Equal(t, v.Dot(v), v.MatMul(v))
	require.NoError(t, g.Err())
	require.NoError(t, Check(g))
}

// Values made of a wrong graph, and none at all, are refused by every method of
// Graph without a panic.
// Norm is the root of the squares in float, of ints too, and says why it is refused.
func TestNorm(t *testing.T) {
	g := New()
	for _, x := range []DType{I32, F32, F64} {
		v := g.keep(g.Input("", x, Shape{3}, nil)).Norm()
		require.NoError(t, g.Err())
		require.Equal(t, max(x, F32), v.DType())
		require.Empty(t, v.Shape())
	}
	require.False(t, g.InputF32("", 1).Norm().Valid())
	require.ErrorContains(t, g.Err(), "dot")
}

func TestForeignValues(t *testing.T) {
	g := New()
	x := g.InputF32("x", 1)
	for _, bad := range []Value{{}, New().F32(1), {g, None}} {
		for _, try := range []func() (Value, error){
			func() (Value, error) { return g.Apply(OpSin, bad) },
			func() (Value, error) { return g.Apply(OpAdd, x, bad) },
			func() (Value, error) { return g.Apply(OpSelect, x, x, bad) },
			func() (Value, error) { return g.Stack(x, bad) },
			func() (Value, error) { return g.Concat(bad) },
			func() (Value, error) { return g.Index(bad, 0) },
			func() (Value, error) { return g.Slice(bad, 0, 1, 1) },
			func() (Value, error) { return g.Reshape(bad, Shape{1}) },
			func() (Value, error) { return g.Transpose(bad) },
			func() (Value, error) { return g.Broadcast(bad, Shape{1}) },
			func() (Value, error) { return g.Sum(bad, 0) },
			func() (Value, error) { return g.Dot(x, bad) },
			func() (Value, error) { return g.MatMul(bad, x) },
			func() (Value, error) { return g.Pow(x, bad) },
		} {
			v, err := try()
			require.ErrorContains(t, err, "not a value of this graph")
			require.False(t, v.Valid())
		}
	}
	require.False(t, x.Add(New().F32(1)).Valid())
	require.Error(t, g.Err())
}

func TestConstants(t *testing.T) {
	g := New()
	f := g.ConstF32(Shape{2, 2}, []float32{1, 2, 3, 4})
	require.Equal(t, F32s(Shape{2, 2}, 1, 2, 3, 4).Bits, g.ConstBits(f.ID()))
	require.Equal(t, []float32{1, 2, 3, 4}, Tensor{F32, Shape{2, 2}, g.ConstBits(f.ID())}.F32())
	require.Equal(t, []int32{-1, 5}, I32s(Shape{2}, -1, 5).I32())
	require.Equal(t, []uint32{1, 0}, g.ConstBits(g.ConstBool(Shape{2}, []bool{true, false}).ID()))
	require.Equal(t, []uint32{0x3f800000}, g.ConstBits(g.F32(1).ID()))
	same, err := g.Const(ScalarI32(7))
	require.NoError(t, err)
	require.Equal(t, g.I32(7), same)
	same, err = g.Const(ScalarBool(true))
	require.NoError(t, err)
	require.Equal(t, g.Bool(true), same)
	filled, err := g.Fill(I32, Shape{3}, 9)
	require.NoError(t, err)
	require.Equal(t, g.I32(9).Broadcast(3), filled)
	filled, err = g.Fill(F32, Shape{}, 0)
	require.NoError(t, err)
	require.Equal(t, g.F32(0), filled)
	_, err = g.Fill(9, Shape{}, 0)
	require.ErrorContains(t, err, "unknown dtype")
	_, err = g.Fill(F32, Shape{-1}, 0)
	require.ErrorContains(t, err, "negative")

	words := []float32{1, 2, 3, 4}
	words[0] = 9 // the constant has its own copy
	require.Equal(t, f, g.ConstF32(Shape{2, 2}, []float32{1, 2, 3, 4}))

	in := g.InputTensor("w", F32s(Shape{2}, 5, 6))
	require.Equal(t, InputInfo{Name: "w", Init: []uint32{0x40a00000, 0x40c00000}}, *g.InputInfo(in.ID()))
	require.NoError(t, Check(g))
}

func TestDerive(t *testing.T) {
	g := New()
	a := g.InputF32("a", 1)
	c := g.ConstF32(Shape{3}, []float32{1, 2, 3})
	v := c.Mul(a)
	d := g.Derive()
	d.Reserve(1000, 10)
	moved := make([]ID, g.NumNodes())
	for i := range moved {
		n := g.Node(ID(i))
		args := make([]ID, 0, 3)
		for _, arg := range g.Args(ID(i)) {
			args = append(args, moved[arg])
		}
		moved[i] = d.Intern(n.Op, n.DType, n.Shape, n.Attr, args...)
	}
	require.Equal(t, g.String(), d.String())
	require.NoError(t, Check(d))
	require.Equal(t, moved[v.ID()], d.Value(moved[c.ID()]).Mul(d.Value(moved[a.ID()])).ID(), "equal nodes are found")
	require.Equal(t, moved[c.ID()], d.ConstF32(Shape{3}, []float32{1, 2, 3}).ID(), "equal arrays are found")
	d.ConstF32(Shape{4, 1}, []float32{1, 2, 3, 4})
	require.NotEqual(t, g.NumShapes(), d.NumShapes(), "the original is not touched")
	require.NoError(t, Check(g))
}

// A derived graph shares nodes until one is made or looked for in it; from then on equal nodes are found.
func TestSame(t *testing.T) {
	g := New()
	a, b := g.InputF32("a", 1), g.InputF32("b", 2)
	sum := a.Add(b)
	stack := g.StackOf(a, b, sum, a)
	two := g.F32(2)
	last := sum.Mul(two)
	for made := range g.NumNodes() + 1 {
		d := g.Derive()
		for range made {
			require.True(t, d.Same(g))
		}
		require.Equal(t, made, d.NumNodes())
		if made <= int(sum.ID()) {
			continue // nothing to look for
		}
		require.Equal(t, sum.ID(), d.Value(a.ID()).Add(d.Value(b.ID())).ID(), "found after %d", made)
		require.Equal(t, made, d.NumNodes())
		if made < g.NumNodes() {
			require.False(t, d.Same(g))
		}
		c := d.InputF32("c", 3)
		product := d.Value(sum.ID()).Mul(d.F32(2))
		require.Equal(t, product, d.Value(sum.ID()).Mul(d.F32(2)))
		require.Equal(t, made > int(last.ID()), int(product.ID()) < made, "found")
		again := d.StackOf(d.Value(a.ID()), d.Value(b.ID()), d.Value(sum.ID()), d.Value(a.ID()))
		require.Equal(t, made > int(stack.ID()), int(again.ID()) < made, "found")
		require.Equal(t, []ID{c.ID(), c.ID(), c.ID(), c.ID()}, d.Args(d.StackOf(c, c, c, c).ID()))
		require.NoError(t, Check(d))
		require.NoError(t, Check(g))
	}
	g.SetTask(1)
	require.False(t, g.Derive().Same(g), "equal nodes of several tasks")
}

func TestScalarInputs(t *testing.T) {
	g := New()
	words := make([]Value, 0, 3*inputChunk)
	for i := range 3 * inputChunk {
		v, err := g.InputWord("w", I32, uint64(i))
		require.NoError(t, err)
		words = append(words, v)
	}
	for i, v := range words { // each has a word of its own, full chunks or not
		require.Equal(t, []uint32{uint32(i)}, g.InputInfo(v.ID()).Init)
	}
	v, err := g.InputWord("n", F32, 0xffffffff)
	require.NoError(t, err)
	require.Equal(t, []uint32{NaN}, g.InputInfo(v.ID()).Init)
	_, err = g.InputWord("n", 9, 0)
	require.ErrorContains(t, err, "unknown dtype")
	require.NoError(t, Check(g))
}

func TestDataIsBounded(t *testing.T) {
	g := New()
	g.held = maxWords - 3
	g.ConstF32(Shape{2}, []float32{1, 2})
	require.NoError(t, g.Err())
	_, err := g.Input("x", F32, Shape{2}, nil)
	require.ErrorContains(t, err, "too much data")
	_, err = g.Const(F32s(Shape{1}, 1))
	require.ErrorContains(t, err, "too much data")
}
