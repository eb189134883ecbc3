package opt

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

// sparseProduct is (diagonal(v) * mask) @ w, as scripts build it.
func sparseProduct(t graph.DType, mask []int32, n int) (*graph.Graph, graph.Value) {
	g := graph.New()
	v, w := g.InputTensor("v", graph.I32s(graph.Shape{n}, counting(n)...)), g.InputTensor("w", graph.I32s(graph.Shape{n}, counting(n)...))
	if t == graph.F32 {
		v, w = v.ToF32(), w.ToF32()
	}
	eye := make([]bool, n*n)
	for i := range n {
		eye[i*n+i] = true
	}
	diagonal := g.ConstBool(graph.Shape{n, n}, eye).Select(v, g.I32(0))
	return g, diagonal.Mul(g.ConstI32(graph.Shape{n, n}, mask)).MatMul(w)
}

func counting(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i + 2)
	}
	return out
}

func count(g *graph.Graph, outs []graph.ID, op graph.Op) int {
	total := 0
	for i, uses := range g.Users(outs) {
		if n := g.Node(graph.ID(i)); uses > 0 && n.Op == op {
			total += g.Elements(graph.ID(i))
		}
	}
	return total
}

// TestSparseProductCostsItsTerms counts the multiplications left.
func TestSparseProductCostsItsTerms(t *testing.T) {
	// of the diagonal, 2 of 4 elements survive: one times 1, one times 3
	mask := []int32{1, 1, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, 7, 0, 0, 0}
	for _, c := range []struct {
		name  string
		t     graph.DType
		fast  bool
		muls  int
		whole bool
	}{
		{"integers", graph.I32, false, 3, false}, // v0*w0 and v1*3*w1
		{"floats", graph.F32, false, 16, true},
		{"fast floats", graph.F32, true, 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, r := sparseProduct(c.t, mask, 4)
			outs := []graph.ID{r.ID()}
			o, newOuts, _ := Run(g, outs, c.fast)
			require.NoError(t, graph.Check(o))
			require.Equal(t, c.muls, count(o, newOuts, graph.OpMul), o.String())
			require.Equal(t, c.whole, count(o, newOuts, graph.OpMatMul) > 0)
			requireSame(t, g, outs, o, newOuts)
		})
	}
}

// TestSparseProductsKeepTheirBits has integer matrices with zeros in random
// places, for every combination of one and two axes.
func TestSparseProductsKeepTheirBits(t *testing.T) {
	taken := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		g := graph.New()
		m, n, p := 1+rng.IntN(5), 1+rng.IntN(5), 1+rng.IntN(5)
		operand := func(s graph.Shape) graph.Value {
			words := make([]int32, s.Elements())
			for i := range words {
				words[i] = int32(rng.IntN(3) * rng.IntN(2))
			}
			c := g.ConstI32(s, words)
			v := g.InputTensor("", graph.I32s(s, make([]int32, s.Elements())...))
			x := v.Add(g.ConstI32(s, slicesOf(s.Elements(), rng))).Mul(c)
			if len(s) == 2 && rng.IntN(2) == 0 {
				x = x.Mul(g.ConstI32(graph.Shape{s[1]}, make([]int32, s[1])).Add(g.I32(1))).Transpose().Reshape(s...)
			}
			return x
		}
		a, b := graph.Shape{m, n}, graph.Shape{n, p}
		if rng.IntN(3) == 0 {
			a = a[1:]
		}
		if rng.IntN(3) == 0 {
			b = b[:1]
		}
		r := operand(a).MatMul(operand(b))
		require.NoError(t, g.Err())
		outs := []graph.ID{r.ID()}
		o, newOuts, _ := Run(g, outs, false)
		require.NoError(t, graph.Check(o))
		requireSame(t, g, outs, o, newOuts)
		if count(o, newOuts, graph.OpMatMul)+count(o, newOuts, graph.OpDot) == 0 {
			taken++
		}
	}
	require.Greater(t, taken, 100)
}

func slicesOf(n int, rng *rand.Rand) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(rng.IntN(100) - 50)
	}
	return out
}

// TestDenseAndRaisingProductsStay: a product of matrices without known zeros is
// left whole, and so is one whose dropped terms could raise a flag.
func TestDenseAndRaisingProductsStay(t *testing.T) {
	g := graph.New()
	v := g.InputTensor("v", graph.I32s(graph.Shape{2}, 1, 2))
	dense := g.ConstI32(graph.Shape{2, 2}, []int32{1, 2, 3, 4}).MatMul(v)
	raising := g.ConstI32(graph.Shape{2, 2}, []int32{1, 0, 0, 0}).MatMul(g.I32(1).FloorDiv(v))
	outs := []graph.ID{dense.ID(), raising.ID()}
	o, newOuts, _ := Run(g, outs, false)
	require.Equal(t, graph.OpMatMul, o.Node(newOuts[0]).Op)
	require.Equal(t, graph.OpMatMul, o.Node(newOuts[1]).Op)
	requireSame(t, g, outs, o, newOuts)
	_, flags, err := eval.Eval(o, newOuts, nil)
	require.NoError(t, err)
	require.Zero(t, flags)
}

// TestSharedFactorsAreVisitedOnce would not end if each way to an array were walked.
func TestSharedFactorsAreVisitedOnce(t *testing.T) {
	g := graph.New()
	x := g.InputTensor("x", graph.I32s(graph.Shape{2, 2}, 1, 2, 3, 4)).Mul(g.ConstI32(graph.Shape{2, 2}, []int32{1, 0, 0, 1}))
	for range 200 {
		x = x.Mul(x.Transpose())
	}
	r := x.MatMul(x)
	outs := []graph.ID{r.ID()}
	o, newOuts, _ := Run(g, outs, false)
	requireSame(t, g, outs, o, newOuts)
}
