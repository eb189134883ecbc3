package lower

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// anything is a machine that has every op; lowering asks it only for kernels.
func anything() *lir.Machine {
	m := &lir.Machine{}
	for _, op := range []graph.Op{graph.OpSin, graph.OpCos, graph.OpExp} {
		m.Ops[lir.Of(op, graph.F32)].Kernel = true
	}
	return m
}

// summary is what a lowered function consists of.
type summary struct {
	blocks, loops, ins, stores int
	words, arrays, scratch     int // bytes
}

func lowered(t *testing.T, g *graph.Graph, mode Unroll, outs ...graph.Value) (*lir.Func, summary) {
	t.Helper()
	require.NoError(t, g.Err())
	var ids []graph.ID
	for _, v := range outs {
		ids = append(ids, v.ID())
	}
	f, err := Run(g, ids, nil, anything(), mode)
	require.NoError(t, err)
	var s summary
	f.Blocks(func(b *lir.Block, l *lir.Loop, _ uint64) {
		if s.blocks++; l != nil {
			s.blocks--
		}
		s.ins += len(b.Ins)
		for _, i := range b.Ins {
			if c := i.Op.Code(); c == lir.Store || c == lir.StoreAt {
				s.stores++
			}
		}
	})
	var loops func([]lir.Item)
	loops = func(items []lir.Item) {
		for _, it := range items {
			if it.Loop != nil {
				s.loops++
				loops(it.Loop.Body)
			}
		}
	}
	loops(f.Items)
	s.words, s.arrays, s.scratch = 4*len(f.Data.Words), 4*len(f.Data.Arrays), f.Data.Scratch
	return f, s
}

func array(g *graph.Graph, shape ...int) graph.Value {
	v, err := g.Input("", graph.F32, graph.Shape(shape), nil)
	if err != nil {
		panic(err)
	}
	return v
}

func TestScalarsAreOneBlock(t *testing.T) {
	g := graph.New()
	x, y := g.InputF32("x", 1), g.InputF32("y", 2)
	_, s := lowered(t, g, Auto, x.Add(y).Mul(x))
	require.Equal(t, summary{blocks: 1, ins: 3, stores: 1, words: 8}, s)
}

func TestSineAndCosineShareACall(t *testing.T) {
	g := graph.New()
	x := g.InputF32("x", 1)
	f, s := lowered(t, g, Auto, x.Cos().Mul(x.Sin()).Add(x.Mul(x).Sin()))
	require.Equal(t, 1, s.blocks)
	calls := map[graph.Op]int{}
	for _, i := range f.Items[0].Block.Ins {
		calls[i.Op.Code()]++
	}
	require.Equal(t, 1, calls[lir.SinCos])
	require.Equal(t, 1, calls[graph.OpSin], "the other sine has no cosine")
	require.Zero(t, calls[graph.OpCos])
}

// TestCastsOfRoundedFloats: what is rounded for nothing but a cast is no float.
func TestCastsOfRoundedFloats(t *testing.T) {
	m := anything()
	for _, op := range []graph.Op{lir.FloorToInt, lir.CeilToInt, lir.RoundToInt} {
		m.Ops[lir.Of(op, graph.F32)].Valid = true
	}
	ops := func(outs ...graph.Value) (list []string) {
		var ids []graph.ID
		for _, v := range outs {
			ids = append(ids, v.ID())
		}
		f, err := Run(outs[0].Graph(), ids, nil, m, Auto)
		require.NoError(t, err)
		for _, in := range f.Items[0].Block.Ins {
			if in.D != 0 {
				list = append(list, in.Op.Name())
			}
		}
		return list
	}
	g := graph.New()
	x := g.InputF32("x", 1)
	require.Equal(t, []string{"floortoi"}, ops(x.Floor().ToI32()))
	require.Equal(t, []string{"ceiltoi"}, ops(x.Ceil().ToI32()))
	require.Equal(t, []string{"roundtoi"}, ops(x.Round().ToI32()))
	require.Equal(t, []string{"floor", "to_i32"}, ops(x.Floor().ToI32(), x.Floor()))
}

// TestViewsMoveNothing: rearranging an array in memory costs no instruction.
func TestViewsMoveNothing(t *testing.T) {
	g := graph.New()
	a := array(g, 20, 30)
	f, s := lowered(t, g, Auto, a.Index(3), a.Slice(2, 4, 1), a.Reshape(600), a.Index(1).Index(7))
	require.Equal(t, summary{arrays: 2400}, s)
	for i, offset := range []int{360, 240, 0, 148} {
		require.Equal(t, lir.At(lir.Arrays, lir.Middle-2400+offset), f.Outputs[i].Addr)
	}
}

func TestChainOfOpsIsOneLoop(t *testing.T) {
	g := graph.New()
	a, b, k := array(g, 1000), array(g, 1000), g.InputF32("k", 1)
	v := a.Add(b).Mul(k).Sub(a).Abs()
	_, s := lowered(t, g, Auto, v)
	require.Equal(t, 1, s.loops)
	require.Equal(t, 4000, s.scratch, "only the result is written")

	_, s = lowered(t, g, Auto, v.Sum(), v.Dot(b))
	require.Equal(t, 3, s.loops, "used twice: computed once")
	require.Equal(t, 4000, s.scratch)

	_, s = lowered(t, g, Auto, a.Add(b).Dot(b.Mul(k)))
	require.Equal(t, 1, s.loops)
	require.Zero(t, s.scratch)
}

func TestMatrixTimesVectorIsTwoLoops(t *testing.T) {
	g := graph.New()
	_, s := lowered(t, g, Auto, array(g, 1000, 1000).MatMul(array(g, 1000)))
	require.Equal(t, 2, s.loops)
	require.Less(t, s.ins, 100, "the code does not grow with the array")
}

func TestStackOfInputsIsAnArray(t *testing.T) {
	g := graph.New()
	var xs []graph.Value
	for range 100 {
		xs = append(xs, g.InputF32("", 1))
	}
	v := g.StackOf(xs...)
	f, s := lowered(t, g, Auto, v.Dot(v))
	require.Equal(t, 1, s.loops)
	require.Equal(t, 400, s.arrays, "the inputs lie in the order of the stack and are not copied")
	require.Zero(t, s.scratch)
	for i, in := range f.Inputs {
		require.Equal(t, lir.At(lir.Arrays, lir.Middle-400+4*i), in.Addr)
	}
}

func TestUnrolling(t *testing.T) {
	for name, c := range map[string]struct {
		n     int
		mode  Unroll
		loops int
	}{
		"small":        {16, Auto, 0},
		"large":        {17, Auto, 1},
		"large forced": {400, Always, 0},
		"small looped": {16, Never, 1},
		"empty":        {0, Never, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New()
			_, s := lowered(t, g, c.mode, array(g, c.n).Neg())
			require.Equal(t, c.loops, s.loops)
		})
	}
	t.Run("scalars already", func(t *testing.T) {
		g := graph.New()
		x := g.InputF32("x", 1)
		var xs []graph.Value
		for i := range 40 {
			xs = append(xs, x.Add(g.F32(float32(i))))
		}
		_, s := lowered(t, g, Auto, g.StackOf(xs...).Neg().Sum())
		require.Zero(t, s.loops)
	})
}

func TestUnrollingHasABound(t *testing.T) {
	g := graph.New()
	a := array(g, 2100, 2000)
	f, err := Run(g, []graph.ID{a.Neg().Sin().Sum().ID()}, nil, anything(), Always)
	require.Nil(t, f)
	require.ErrorContains(t, err, "leave arrays as loops")
}

// TestCrossingValuesAreStoredOnce: what a later block reads is written once,
// whoever reads it.
func TestCrossingValuesAreStoredOnce(t *testing.T) {
	g := graph.New()
	a, x := array(g, 100), g.InputF32("x", 1)
	y := x.Mul(x)
	s := a.Mul(y).Sum()
	_, got := lowered(t, g, Auto, s.Add(y), s.Sub(y))
	require.Equal(t, 2, got.blocks)
	require.Equal(t, 1, got.loops)
	require.Equal(t, 3, got.stores, "y and the two outputs")
}
