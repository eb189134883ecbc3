package opt

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
)

func TestFastRules(t *testing.T) {
	tests := []struct{ program, want string }{
		{"%7 = const.f32 {0}\n%8 = add.f32 %0, %7", "x"},
		{"%7 = const.f32 {0}\n%8 = mul.f32 %0, %7", "const.f32 {0}"},
		{"%7 = sub.f32 %0, %0", "const.f32 {0}"},
		{"%7 = const.f32 {0}\n%8 = sub.f32 %7, %0", "neg.f32 x"},
		{"%7 = const.f32 {5}\n%8 = div.f32 %0, %7", "const.f32 {0.2}; mul.f32 x, c"},
		{"%7 = const.f32 {1}\n%8 = add.f32 %0, %7\n%9 = const.f32 {2}\n%10 = add.f32 %8, %9", "const.f32 {3}; add.f32 x, c"},
		{"%7 = const.f32 {1}\n%8 = sub.f32 %0, %7\n%9 = add.f32 %8, %7", "x"},
		{"%7 = add.f32 %0, %1\n%8 = sub.f32 %7, %0", "y"},
		{"%7 = const.f32 {5}\n%8 = mul.f32 %0, %7\n%9 = const.f32 {7}\n%10 = mul.f32 %8, %9", "const.f32 {35}; mul.f32 x, c"},
		{"%7 = const.f32 {5}\n%8 = mul.f32 %0, %7\n%9 = mul.f32 %8, %1\n%10 = const.f32 {2}\n%11 = div.f32 %9, %10", "mul.f32 x, y; const.f32 {2.5}; mul.f32 c, d"},
		{"%7 = const.f32 {3}\n%8 = mul.f32 %0, %7\n%9 = const.f32 {4}\n%10 = mul.f32 %0, %9\n%11 = add.f32 %8, %10", "const.f32 {7}; mul.f32 x, c"},
		{"%7 = const.f32 {3}\n%8 = mul.f32 %0, %7\n%9 = sub.f32 %8, %0", "add.f32 x, x"},
		{"%7 = const.f32[3] {3, 3, 3}\n%8 = mul.f32[3] %5, %7\n%9 = add.f32[3] %8, %5", "const.f32 {4}; broadcast.f32[3] c; mul.f32[3] v, d"},
		// The order of four terms and more is that of a sum node.
		{"%7 = sin.f32 %0\n%8 = cos.f32 %0\n%9 = add.f32 %0, %1\n%10 = add.f32 %9, %7\n%11 = add.f32 %10, %8",
			"sin.f32 x; cos.f32 x; add.f32 x, c; add.f32 y, d; add.f32 e, f"},
		{"%7 = sin.f32 %0\n%8 = sub.f32 %0, %1\n%9 = sub.f32 %8, %7", "sin.f32 x; sub.f32 x, y; sub.f32 d, c"},
		// What must stay: another user of a partial sum, constants that are no
		// ordinary numbers, 0/0, and everything about integers.
		{"%7 = const.f32 {1}\n%8 = add.f32 %0, %7\n%9 = add.f32 %8, %1\n%10 = mul.f32 %8, %9", "const.f32 {1}; add.f32 x, c; add.f32 y, d; mul.f32 d, e"},
		{"%7 = const.f32 {1e+30}\n%8 = mul.f32 %0, %7\n%9 = mul.f32 %8, %7", "const.f32 {1e+30}; mul.f32 x, c; mul.f32 c, d"},
		{"%7 = const.f32 {1e-30}\n%8 = mul.f32 %0, %7\n%9 = mul.f32 %8, %7", "const.f32 {1e-30}; mul.f32 x, c; mul.f32 c, d"},
		{"%7 = const.f32 {0}\n%8 = div.f32 %0, %7", "const.f32 {0}; div.f32 x, c"},
		{"%7 = div.f32 %0, %0", "div.f32 x, x"},
		{"%7 = mul.f32 %0, %1\n%8 = mul.f32 %0, %7", "mul.f32 x, y; mul.f32 x, c"},
		{"%7 = const.i32 {7}\n%8 = const.i32 {0}\n%9 = floordiv.i32 %7, %8", "const.i32 {7}; const.i32 {0}; floordiv.i32 c, d"},
		{"%7 = floordiv.i32 %2, %3\n%8 = to_f32.f32 %7\n%9 = sub.f32 %8, %8", "floordiv.i32 i, j; to_f32.f32 c; const.f32 {0}; mul.f32 d, e"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, simplify(t, tt.program, true), tt.program)
	}
}

// Rules ask for the mark of every node that they take apart.
func TestMarkedNodes(t *testing.T) {
	tests := []struct{ program, want string }{
		{"%7 = sub.f32 %0, %0 fast", "const.f32 {0}"},
		{"%7 = const.f32 {1}\n%8 = add.f32 %0, %7 fast\n%9 = const.f32 {2}\n%10 = add.f32 %8, %9 fast", "const.f32 {3}; add.f32 x, c"},
		{"%7 = const.f32 {3}\n%8 = mul.f32 %0, %7\n%9 = const.f32 {4}\n%10 = mul.f32 %0, %9\n%11 = add.f32 %8, %10 fast",
			"const.f32 {3}; mul.f32 x, c; const.f32 {4}; mul.f32 x, e; add.f32 d, f"},
		{"%7 = const.f32 {1}\n%8 = add.f32 %0, %7 fast\n%9 = const.f32 {2}\n%10 = add.f32 %8, %9", "const.f32 {1}; add.f32 x, c; const.f32 {2}; add.f32 d, e"},
		{"%7 = const.f32 {1}\n%8 = add.f32 %0, %7\n%9 = const.f32 {2}\n%10 = add.f32 %8, %9 fast", "const.f32 {1}; add.f32 x, c; const.f32 {2}; add.f32 d, e"},
		// Equal nodes with the mark and without it are one in the end.
		{"%7 = add.f32 %0, %1\n%8 = add.f32 %0, %1 fast\n%9 = mul.f32 %7, %8", "add.f32 x, y; mul.f32 c, c"},
	}
	for _, tt := range tests {
		g := parse(t, tt.program)
		o, outs, _ := Run(g, []graph.ID{graph.ID(g.NumNodes() - 1)}, false)
		require.NotContains(t, o.String(), "fast")
		require.Equal(t, tt.want, lettered(o, outs), tt.program)
	}
}

// A long fast sum has the bits of the sum node over its terms, as that is without fast arithmetic.
func TestFastSumsAddAsSumNodes(t *testing.T) {
	for _, n := range []int{4, 7, 8, 9, 15, 16, 17, 40, 1000} {
		rng := rand.New(rand.NewPCG(uint64(n), 2))
		g := graph.New()
		values := make([]graph.Value, n)
		for i := range values {
			values[i] = g.InputF32("", rng.Float32()*float32(math.Exp(20*rng.Float64())))
		}
		chain := values[0]
		for _, v := range values[1:] {
			chain = chain.Add(v)
		}
		sum := g.StackOf(values...).Sum()
		require.NoError(t, g.Err())
		want, _, err := eval.Eval(g, []graph.ID{sum.ID()}, nil)
		require.NoError(t, err)
		o, newOuts, _ := Run(g, []graph.ID{chain.ID()}, true)
		require.NoError(t, graph.Check(o))
		got, _, err := eval.Eval(o, newOuts, nil)
		require.NoError(t, err)
		require.Equal(t, want[0].Bits, got[0].Bits, "%d terms", n)
	}
}

// No graph of integers and bools changes, and nothing that floats compute from
// moderate numbers changes by more than rounding.
func TestFastRandomGraphs(t *testing.T) {
	changed := 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 4))
		g, values := graphtest.Random(rng, graphtest.Config{Arrays: seed%2 == 1, States: seed%3 == 0})
		outs := ids(values)
		o, newOuts, _ := Run(g, outs, true)
		require.NoError(t, graph.Check(o), "seed %d\n%v", seed, o)
		again, againOuts, _ := Run(g, outs, true)
		require.Equal(t, o.String(), again.String(), "seed %d", seed)
		require.Equal(t, newOuts, againOuts)
		want, _, wantFlags, err := eval.Runs(g, outs, nil, 1)
		require.NoError(t, err)
		got, _, gotFlags, err := eval.Runs(o, newOuts, nil, 1)
		require.NoError(t, err)
		require.Equal(t, wantFlags, gotFlags, "seed %d", seed)
		for i, id := range outs {
			if !dependsOnFloats(g, id) {
				require.Equal(t, want[i].Bits, got[i].Bits, "seed %d, output %d", seed, i)
			}
			for k := range want[i].Bits {
				if want[i].Bits[k] != got[i].Bits[k] {
					changed++
				}
			}
		}
	}
	require.NotZero(t, changed)
}

func dependsOnFloats(g *graph.Graph, out graph.ID) bool {
	for i, uses := range g.Users([]graph.ID{out}) {
		if uses > 0 && (g.Node(graph.ID(i)).DType.IsFloat() || g.Node(graph.ID(i)).Op == graph.OpState) {
			return true
		}
	}
	return false
}

// A polynomial of moderate numbers, in many forms, keeps its value but for rounding.
func TestFastStaysClose(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 6))
		g := graph.New()
		xs := []graph.Value{g.InputF32("x", 0.7), g.InputF32("y", -1.3), g.InputF32("z", 2.1)}
		terms := make([]graph.Value, 3+rng.IntN(20))
		size := 0.0
		for i := range terms {
			c := float32(rng.IntN(9) + 1)
			terms[i] = xs[rng.IntN(3)].Mul(g.F32(c)).Div(g.F32(float32(rng.IntN(6) + 1)))
			if rng.IntN(3) == 0 {
				terms[i] = g.F32(c)
			}
			size += 20
		}
		for len(terms) > 1 {
			i := rng.IntN(len(terms) - 1)
			a, b := terms[i], terms[i+1]
			if rng.IntN(2) == 0 {
				terms[i] = a.Add(b)
			} else {
				terms[i] = a.Sub(b)
			}
			terms = append(terms[:i+1], terms[i+2:]...)
		}
		outs := []graph.ID{terms[0].ID()}
		o, newOuts, _ := Run(g, outs, true)
		require.LessOrEqual(t, o.NumNodes(), 3+3+4+3, "seed %d: three inputs, multiples and a constant at most\n%v", seed, o)
		want, _, err := eval.Eval(g, outs, nil)
		require.NoError(t, err)
		got, _, err := eval.Eval(o, newOuts, nil)
		require.NoError(t, err)
		a, b := math.Float32frombits(want[0].Bits[0]), math.Float32frombits(got[0].Bits[0])
		require.InDelta(t, a, b, size*0x1p-22, "seed %d\nfrom:\n%v\nto:\n%v", seed, g, o)
	}
}
