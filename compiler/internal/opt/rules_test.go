package opt

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

// inputs are at hand in every program below.
const inputs = `%0 = input.f32 "x" {1}
%1 = input.f32 "y" {2}
%2 = input.i32 "i" {3}
%3 = input.i32 "j" {4}
%4 = input.bool "p" {1}
%5 = input.f32[3] "v" {1, 2, 3}
%6 = input.f32[2,3] "m" {1, 2, 3, 4, 5, 6}
`

// simplify optimises the program whose last line is the output, and returns the
// lines of the result, without inputs.
func simplify(t *testing.T, lines string, fast bool) string {
	t.Helper()
	g := parse(t, lines)
	outs := []graph.ID{graph.ID(g.NumNodes() - 1)}
	o, newOuts, moved := Run(g, outs, fast)
	require.NoError(t, graph.Check(o))
	require.Equal(t, newOuts[0], moved[outs[0]])
	if !fast {
		requireSame(t, g, outs, o, newOuts)
	}
	return lettered(o, newOuts)
}

// parse makes a graph of the inputs and these lines.
func parse(t *testing.T, lines string) *graph.Graph {
	t.Helper()
	g, err := graph.Parse(strings.NewReader(inputs + lines))
	require.NoError(t, err, lines)
	return g
}

// lettered writes a graph on one line.
func lettered(o *graph.Graph, outs []graph.ID) string {
	// Inputs by their names and the other nodes by letters from c on, so that
	// numbers do not matter.
	names := map[string]string{}
	letter := 'c'
	var result []string
	for i := range o.NumNodes() {
		id := graph.ID(i)
		number := fmt.Sprintf("%%%d", id)
		if o.Node(id).Op == graph.OpInput {
			names[number] = o.InputInfo(id).Name
			continue
		}
		names[number] = string(letter)
		letter++
		_, line, _ := strings.Cut(o.Line(id), " = ")
		result = append(result, numbers.ReplaceAllStringFunc(line, func(n string) string { return names[n] }))
	}
	if len(result) == 0 {
		return o.InputInfo(outs[0]).Name
	}
	return strings.Join(result, "; ")
}

var numbers = regexp.MustCompile(`%\d+`)

func TestRules(t *testing.T) {
	tests := []struct{ program, want string }{
		{"%7 = const.f32 {1}\n%8 = mul.f32 %0, %7", "x"},
		{"%7 = const.f32 {-1}\n%8 = mul.f32 %0, %7", "neg.f32 x"},
		{"%7 = const.f32 {2}\n%8 = mul.f32 %0, %7", "add.f32 x, x"},
		{"%7 = const.f32 {-0}\n%8 = add.f32 %0, %7", "x"},
		{"%7 = const.f32 {0}\n%8 = sub.f32 %0, %7", "x"},
		{"%7 = const.f32 {-0}\n%8 = sub.f32 %7, %0", "neg.f32 x"},
		{"%7 = const.f32 {1}\n%8 = div.f32 %0, %7", "x"},
		{"%7 = const.f32 {-1}\n%8 = div.f32 %0, %7", "neg.f32 x"},
		{"%7 = const.f32 {8}\n%8 = div.f32 %0, %7", "const.f32 {0.125}; mul.f32 x, c"},
		{"%7 = const.f32 {0.5}\n%8 = div.f32 %0, %7", "add.f32 x, x"},
		{"%7 = add.f32 %0, %0\n%8 = add.f32 %7, %7", "const.f32 {4}; mul.f32 x, c"},
		{"%7 = add.f32 %0, %0\n%8 = add.f32 %7, %7\n%9 = add.f32 %8, %8", "const.f32 {8}; mul.f32 x, c"},
		{"%7 = const.f32 {0.5}\n%8 = mul.f32 %0, %7\n%9 = add.f32 %8, %8", "const.f32 {0.5}; mul.f32 x, c; add.f32 d, d"},
		{"%7 = const.f32 {1.7014118e+38}\n%8 = mul.f32 %0, %7\n%9 = add.f32 %8, %8", "const.f32 {1.7014118e+38}; mul.f32 x, c; add.f32 d, d"},
		{"%7 = neg.f32 %1\n%8 = add.f32 %0, %7", "sub.f32 x, y"},
		{"%7 = neg.f32 %0\n%8 = add.f32 %7, %1", "sub.f32 y, x"},
		{"%7 = neg.f32 %1\n%8 = sub.f32 %0, %7", "add.f32 x, y"},
		{"%7 = neg.f32 %0\n%8 = neg.f32 %7", "x"},
		{"%7 = neg.f32 %0\n%8 = abs.f32 %7", "abs.f32 x"},
		{"%7 = abs.f32 %0\n%8 = abs.f32 %7", "abs.f32 x"},
		{"%7 = neg.f32 %0\n%8 = neg.f32 %1\n%9 = mul.f32 %7, %8", "mul.f32 x, y"},
		{"%7 = neg.f32 %0\n%8 = const.f32 {3}\n%9 = mul.f32 %7, %8", "const.f32 {-3}; mul.f32 x, c"},
		{"%7 = const.f32 {3}\n%8 = mul.f32 %0, %7\n%9 = neg.f32 %8", "const.f32 {-3}; mul.f32 x, c"},
		{"%7 = floor.f32 %0\n%8 = trunc.f32 %7", "floor.f32 x"},
		{"%7 = to_f32.f32 %2\n%8 = floor.f32 %7", "to_f32.f32 i"},
		{"%7 = min.f32 %0, %0", "x"},
		{"%7 = lt.bool %0, %0", "const.bool {0}"},
		{"%7 = add.f32 %0, %1\n%8 = add.f32 %1, %0\n%9 = mul.f32 %7, %8", "add.f32 x, y; mul.f32 c, c"},

		{"%7 = const.i32 {0}\n%8 = mul.i32 %2, %7", "const.i32 {0}"},
		{"%7 = const.i32 {0}\n%8 = add.i32 %2, %7", "i"},
		{"%7 = sub.i32 %2, %2", "const.i32 {0}"},
		{"%7 = const.i32 {-1}\n%8 = mul.i32 %2, %7", "neg.i32 i"},
		{"%7 = const.i32 {8}\n%8 = floordiv.i32 %2, %7", "const.i32 {3}; shr.i32 i, c"},
		{"%7 = const.i32 {8}\n%8 = mod.i32 %2, %7", "const.i32 {7}; and.i32 i, c"},
		{"%7 = const.i32 {1}\n%8 = mod.i32 %2, %7", "const.i32 {0}"},
		{"%7 = const.i32 {5}\n%8 = add.i32 %2, %7\n%9 = const.i32 {-5}\n%10 = add.i32 %8, %9", "i"},
		{"%7 = const.i32 {5}\n%8 = mul.i32 %2, %7\n%9 = const.i32 {7}\n%10 = mul.i32 %8, %9", "const.i32 {35}; mul.i32 i, c"},
		{"%7 = const.i32 {0}\n%8 = shl.i32 %2, %7", "i"},
		{"%7 = xor.i32 %2, %2", "const.i32 {0}"},
		{"%7 = const.i32 {-1}\n%8 = and.i32 %2, %7", "i"},
		{"%7 = const.i32 {-1}\n%8 = or.i32 %2, %7", "const.i32 {-1}"},
		{"%7 = const.i32 {-1}\n%8 = xor.i32 %2, %7", "not.i32 i"},
		{"%7 = eq.bool %2, %2", "const.bool {1}"},

		{"%7 = not.bool %4\n%8 = not.bool %7", "p"},
		{"%7 = lt.bool %2, %3\n%8 = not.bool %7", "ge.bool i, j"},
		{"%7 = eq.bool %0, %1\n%8 = not.bool %7", "ne.bool x, y"},
		{"%7 = const.bool {1}\n%8 = eq.bool %4, %7", "p"},
		{"%7 = const.i32 {0}\n%8 = to_i32.i32 %4\n%9 = ne.bool %8, %7", "p"},
		{"%7 = const.i32 {1}\n%8 = to_i32.i32 %4\n%9 = eq.bool %7, %8", "p"},
		{"%7 = const.i32 {0}\n%8 = to_i32.i32 %4\n%9 = eq.bool %8, %7", "not.bool p"},
		{"%7 = const.i32 {0}\n%8 = to_i32.i32 %0\n%9 = ne.bool %8, %7", "const.i32 {0}; to_i32.i32 x; ne.bool c, d"},
		{"%7 = const.bool {1}\n%8 = ne.bool %4, %7", "not.bool p"},
		{"%7 = select.f32 %4, %0, %0", "x"},
		{"%7 = const.bool {0}\n%8 = select.f32 %7, %0, %1", "y"},
		{"%7 = not.bool %4\n%8 = select.f32 %7, %0, %1", "select.f32 p, y, x"},
		{"%7 = const.bool {1}\n%8 = const.bool {0}\n%9 = select.bool %4, %7, %8", "p"},
		{"%7 = const.f32 {0}\n%8 = eq.bool %0, %7\n%9 = sqrt.f32 %0\n%10 = select.f32 %8, %0, %9", "sqrt.f32 x"},
		{"%7 = const.f32 {0}\n%8 = eq.bool %7, %1\n%9 = sqrt.f32 %0\n%10 = select.f32 %8, %0, %9", "const.f32 {0}; eq.bool y, c; sqrt.f32 x; select.f32 d, x, e"},
		{"%7 = to_i32.i32 %4\n%8 = to_bool.bool %7", "p"},
		{"%7 = to_f32.f32 %2\n%8 = to_bool.bool %7", "to_bool.bool i"},
		{"%7 = to_i32.i32 %4\n%8 = to_f32.f32 %7", "to_f32.f32 p"},
		{"%7 = to_f32.f32 %4\n%8 = to_i32.i32 %7", "to_i32.i32 p"},
		{"%7 = trunc.f32 %0\n%8 = to_i32.i32 %7", "to_i32.i32 x"},

		{"%7 = const.f32 {2}\n%8 = sin.f32 %7", "const.f32 {0.9092974}"},
		{"%7 = const.f32 {2}\n%8 = const.f32 {3}\n%9 = stack.f32[2] %7, %8\n%10 = dot.f32 %9, %9", "const.f32 {13}"},
		{"%7 = stack.f32[2] %0, %1\n%8 = index.f32 %7 {1}", "y"},
		{"%7 = index.f32 %5 {0}\n%8 = index.f32 %5 {1}\n%9 = index.f32 %5 {2}\n%10 = stack.f32[3] %7, %8, %9", "v"},
		{"%7 = slice.f32[2] %5 {2, -1}\n%8 = index.f32 %7 {1}", "index.f32 v {1}"},
		{"%7 = slice.f32[2,3] %6 {1, -1}\n%8 = slice.f32[2,3] %7 {1, -1}", "m"},
		{"%7 = slice.f32[2] %5 {1, 1}\n%8 = slice.f32[1] %7 {1, 1}", "slice.f32[1] v {2, 1}"},
		{"%7 = slice.f32[2] %5 {2, -2}\n%8 = slice.f32[2] %7 {1, -1}", "slice.f32[2] v {0, 2}"},
		{"%7 = slice.f32[2] %5 {2, -2}\n%8 = slice.f32[0] %7 {0, 1}", "slice.f32[0] v {0, 1}"},
		{"%7 = broadcast.f32[4] %0\n%8 = slice.f32[2] %7 {1, 1}\n%9 = reshape.f32[2,1] %8\n%10 = transpose.f32[1,2] %9", "broadcast.f32[1,2] x"},
		{"%7 = broadcast.f32[4,2] %0\n%8 = index.f32[2] %7 {1}\n%9 = index.f32 %8 {1}", "x"},
		{"%7 = const.f32[4] {2, 2, 2, 2}\n%8 = sin.f32[4] %7\n%9 = sum.f32 %8", "const.f32 {3.6371896}"},
		{"%7 = reshape.f32[6] %6\n%8 = reshape.f32[2,3] %7", "m"},
		{"%7 = transpose.f32[3,2] %6\n%8 = transpose.f32[2,3] %7", "m"},
		{"%7 = broadcast.f32[1,3] %5\n%8 = broadcast.f32[2,3] %7", "broadcast.f32[2,3] v"},
		{"%7 = broadcast.f32[3] %0\n%8 = broadcast.f32[3] %1\n%9 = mul.f32[3] %7, %8\n%10 = index.f32 %9 {2}", "mul.f32 x, y"},
		{"%7 = const.f32[3] {1, 1, 1}\n%8 = mul.f32[3] %5, %7", "v"},
		{"%7 = const.f32 {1}\n%8 = broadcast.f32[3] %7\n%9 = mul.f32[3] %5, %8", "v"},
		{"%7 = const.f32[3] {1, 2, 3}\n%8 = const.f32 {2}\n%9 = broadcast.f32[3] %8\n%10 = mul.f32[3] %7, %9", "const.f32[3] {2, 4, 6}"},

		// What must stay, since it is not exact or would lose a flag.
		{"%7 = const.f32 {0}\n%8 = add.f32 %0, %7", "const.f32 {0}; add.f32 x, c"},
		{"%7 = const.f32 {0}\n%8 = mul.f32 %0, %7", "const.f32 {0}; mul.f32 x, c"},
		{"%7 = sub.f32 %0, %0", "sub.f32 x, x"},
		{"%7 = const.f32 {3}\n%8 = div.f32 %0, %7", "const.f32 {3}; div.f32 x, c"},
		{"%7 = lt.bool %0, %1\n%8 = not.bool %7", "lt.bool x, y; not.bool c"},
		{"%7 = eq.bool %0, %0", "eq.bool x, x"},
		{"%7 = sub.f32 %0, %1\n%8 = neg.f32 %7", "sub.f32 x, y; neg.f32 c"},
		{"%7 = to_f32.f32 %2\n%8 = to_i32.i32 %7", "to_f32.f32 i; to_i32.i32 c"},
		{"%7 = const.i32 {7}\n%8 = const.i32 {0}\n%9 = floordiv.i32 %7, %8", "const.i32 {7}; const.i32 {0}; floordiv.i32 c, d"},
		{"%7 = const.i32 {1}\n%8 = const.i32 {-1}\n%9 = shl.i32 %7, %8", "const.i32 {1}; const.i32 {-1}; shl.i32 c, d"},
		{"%7 = mod.i32 %2, %3\n%8 = stack.i32[2] %7, %2\n%9 = index.i32 %8 {1}", "mod.i32 i, j; stack.i32[2] c, i; index.i32 d {1}"},
		{"%7 = mod.i32 %2, %3\n%8 = const.i32 {0}\n%9 = mul.i32 %7, %8", "mod.i32 i, j; const.i32 {0}; mul.i32 c, d"},
		{"%7 = mod.i32 %2, %3\n%8 = const.bool {0}\n%9 = select.i32 %8, %7, %3", "mod.i32 i, j; const.bool {0}; select.i32 d, c, j"},
		{"%7 = const.i32 {5}\n%8 = mod.i32 %2, %7\n%9 = sub.i32 %8, %8", "const.i32 {0}"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, simplify(t, tt.program, false), tt.program)
	}
}

var specials = map[graph.DType][]uint64{
	graph.Bool: {0, 1},
	graph.I32:  {0, 1, 2, 3, 8, 31, 32, 0x40000000, math.MaxInt32, 1 << 31, 1<<31 + 1, 0xffffffff, 0xfffffffe, 0xfffffff9},
	graph.F32: {0, 1 << 31, 1, 0x80000001, 0x00400000, 0x00800000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x3f000000,
		0x40400000, 0x7f000000, 0x7e800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, uint64(graph.NaN), 0x3eaaaaab, 0x4f000000, 0xcf000000},
	graph.F64: {0, 1 << 63, 1, 0x8000000000000001, 0x0008000000000000, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000,
		0x4000000000000000, 0xc000000000000000, 0x3fe0000000000000, 0x4008000000000000, 0x7fe0000000000000, 0x7fd0000000000000,
		0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, graph.NaN64, 0x3fd5555555555555, 0x3fe5555555555555},
}

// TestConstantOperands tries every binary op on every special value as an input
// with every special value as a constant, on either side: whatever rule applies
// must keep bits and flags.
func TestConstantOperands(t *testing.T) {
	checked := 0
	for op := range graph.NumOps {
		if info := op.Info(); info.Arity != 2 || !info.Elementwise {
			continue
		}
		for dt, words := range specials {
			for _, c := range words {
				g := graph.New()
				x, err := g.Input("x", dt, graph.Shape{}, nil)
				require.NoError(t, err)
				right, err := g.Apply(op, x, g.ConstWord(dt, c))
				if err != nil {
					continue
				}
				left, err := g.Apply(op, g.ConstWord(dt, c), x)
				require.NoError(t, err)
				outs := []graph.ID{right.ID(), left.ID()}
				for _, both := range [][2]graph.Value{{right, left}, {right, right}, {left, left}} {
					if v, err := g.Apply(op, both[0], both[1]); err == nil {
						outs = append(outs, v.ID(), v.Add(v).ID(), v.Neg().ID())
					}
				}
				for k := range outs { // one by one: flags are not per output
					o, newOuts, moved := Run(g, outs[k:k+1], false)
					for _, w := range words {
						in := graph.Tensor{DType: dt, Bits: make([]uint32, dt.Words())}
						dt.Put(in.Bits, 0, w)
						want, wantFlags, err := eval.Eval(g, outs[k:k+1], map[graph.ID]graph.Tensor{x.ID(): in})
						require.NoError(t, err)
						inputs := map[graph.ID]graph.Tensor{}
						if id := moved[x.ID()]; id != graph.None {
							inputs[id] = in
						}
						got, gotFlags, err := eval.Eval(o, newOuts, inputs)
						require.NoError(t, err)
						if !slices.Equal(want[0].Bits, got[0].Bits) || wantFlags != gotFlags {
							t.Fatalf("x = 0x%08x: want 0x%08x flags %d, got 0x%08x flags %d\nfrom:\n%v\nto:\n%v",
								w, want[0].Bits, wantFlags, got[0].Bits, gotFlags, g, o)
						}
						checked++
					}
				}
			}
		}
	}
	require.Greater(t, checked, 10_000)
}

func TestMoved(t *testing.T) {
	g := graph.New()
	a, b, unused := g.InputF32("a", 1), g.InputF32("b", 2), g.InputF32("unused", 3)
	one := g.F32(1)
	y := a.Mul(one).Add(b)
	unused.Sin()
	g.SetPos(9)
	z := y.Sin()
	o, outs, moved := Run(g, []graph.ID{z.ID(), a.ID()}, false)
	require.Equal(t, "a", o.InputInfo(moved[a.ID()]).Name)
	require.Equal(t, "b", o.InputInfo(moved[b.ID()]).Name)
	require.Equal(t, graph.None, moved[unused.ID()])
	require.Equal(t, graph.None, moved[one.ID()])
	require.Equal(t, moved[a.ID()], outs[1])
	require.Equal(t, moved[z.ID()], outs[0])
	require.Equal(t, uint32(9), o.Node(outs[0]).Pos, "positions are kept")
	require.Equal(t, 4, o.NumNodes())
}

func TestLargeArraysAreNotFolded(t *testing.T) {
	g := graph.New()
	ramp := make([]float32, maxFold+1)
	for i := range ramp {
		ramp[i] = float32(i)
	}
	y := g.ConstF32(graph.Shape{len(ramp)}, ramp).Sin()
	require.NoError(t, g.Err())
	o, outs, _ := Run(g, []graph.ID{y.ID()}, false)
	require.Equal(t, graph.OpSin, o.Node(outs[0]).Op)
}
