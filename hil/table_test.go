package hil_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
)

// specials are what arithmetic gets wrong first, by type: zeros, subnormals,
// units, ties, where fractions and where integers end, extremes, infinities, NaN.
var specials = map[graph.DType][]uint64{
	graph.Bool: {0, 1},
	graph.I32: {0, 1, 0xffffffff, 2, 0xfffffffe, 3, 5, 7, 0xfffffff9, 10, 31, 32, 33, 64, 0xff, 0x10000, 0x00ffffff, 0x01000001,
		0x40000000, 0xc0000000, 0x7ffffffe, 0x7fffffff, 0x80000001, 0x80000000},
	graph.F32: {
		0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00400000, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
		0x3eaaaaab, 0x3effffff, 0x3f000000, 0xbf000000, 0xbf000001, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001,
		0x3fc00000, 0xbfc00000, 0x3fc90fdb, 0x40000000, 0xc0000000, 0x40200000, 0xc0200000, 0x40400000, 0x40490fdb, 0xc0e00000,
		0x41200000, 0x42b17218, 0xc2aeac50, 0x4afffffd, 0x4b000000, 0xcb7fffff, 0x4b800001,
		0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x60ad78ec, 0xe0ad78ec,
		0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
	},
	graph.F64: {
		0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000,
		0x3690000000000000, 0x36a0000000000000, 0x3c90000000000000, 0x3fd5555555555555, 0x3fdfffffffffffff, 0x3fe0000000000000,
		0xbfe0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3ff0000010000000,
		0x3ff8000000000000, 0xbff8000000000000, 0x3ff921fb54442d18, 0x4000000000000000, 0xc000000000000000, 0x4008000000000000,
		0x400921fb54442d18, 0xc01c000000000000, 0x4024000000000000, 0x40862e42fefa39ef, 0xc0874910d52d3051,
		0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000200000, 0x432ffffffffffffd, 0x4330000000000000, 0x4340000000000001,
		0x43e0000000000000, 0x47effffff0000000, 0x7506ac5b262ca1ff, 0x7fefffffffffffff, 0xffefffffffffffff,
		0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
	},
}

// packed are the words of elements of these bits.
func packed(dtype graph.DType, bits ...uint64) []uint32 {
	words := make([]uint32, len(bits)*dtype.Words())
	for i, b := range bits {
		dtype.Put(words, i, b)
	}
	return words
}

// TestEveryOpOnSpecialValues: every elementwise op, for every type that it takes,
// on all pairs of special values, bit for bit as the reference interpreter has
// it; once with each pair in scalars, once with all pairs in one array.
func TestEveryOpOnSpecialValues(t *testing.T) {
	for _, p := range hostPlaces {
		t.Run(p.name, func(t *testing.T) {
			dev := open(t, p.name, p.needs)
			programs := 0
			for op := range graph.NumOps {
				if !op.Info().Elementwise {
					continue
				}
				reached := 0
				for dtype, words := range specials {
					if !takes(op, dtype) {
						continue
					}
					reached++
					for form, build := range map[string]func(graph.Op, graph.DType, []uint64) (*graph.Graph, graph.Value, error){
						"scalars": onScalars, "array": onArray,
					} {
						g, v, err := build(op, dtype, words)
						require.NoError(t, err, "%v %v", op, dtype)
						assert.NoError(t, runGraph(t, dev, g, []graph.Value{v}), "%v on %v, %s", op, dtype, form)
						programs++
					}
				}
				assert.Positive(t, reached, "%v", op)
			}
			t.Logf("%d programs", programs)
		})
	}
}

// TestArrayOpsOnSpecialValues: what array ops move and add up, bit for bit as the
// reference interpreter has it, with special values of every type that they take.
func TestArrayOpsOnSpecialValues(t *testing.T) {
	type build = func(g *graph.Graph, pairs graph.Value, words int) graph.Value
	moves := map[string]build{
		"index":     func(_ *graph.Graph, p graph.Value, n int) graph.Value { return p.Index(n) },
		"slice":     func(_ *graph.Graph, p graph.Value, n int) graph.Value { return p.Slice(n*n-1, n, -2) },
		"reshape":   func(_ *graph.Graph, p graph.Value, n int) graph.Value { return p.Reshape(2, n*n) },
		"transpose": func(_ *graph.Graph, p graph.Value, _ int) graph.Value { return p.Transpose() },
		"broadcast": func(_ *graph.Graph, p graph.Value, n int) graph.Value { return p.Index(n-1).Broadcast(3, 2) },
		"concat":    func(g *graph.Graph, p graph.Value, _ int) graph.Value { return g.ConcatOf(p, p.Slice(0, 2, 1)) },
		"stack": func(g *graph.Graph, p graph.Value, n int) graph.Value {
			return g.StackOf(p.Index(n).Index(1), p.Index(0).Index(0))
		},
	}
	sums := map[string]build{
		"sum of pairs": func(_ *graph.Graph, p graph.Value, _ int) graph.Value { return p.SumAxis(1) },
		"sum of all":   func(_ *graph.Graph, p graph.Value, _ int) graph.Value { return p.Sum() },
		"dots":         func(_ *graph.Graph, p graph.Value, _ int) graph.Value { return p.MatMul(p.Index(3)) },
		"dot":          func(_ *graph.Graph, p graph.Value, _ int) graph.Value { return p.Index(1).Dot(p.Index(2)) },
		"products": func(_ *graph.Graph, p graph.Value, n int) graph.Value {
			words := p.Reshape(n, n, 2).SumAxis(1).Slice(0, n, 1)
			return words.MatMul(words.Transpose())
		},
	}
	for _, p := range hostPlaces {
		t.Run(p.name, func(t *testing.T) {
			dev := open(t, p.name, p.needs)
			check := func(dtype graph.DType, cases map[string]build) {
				words := specials[dtype]
				var pairs []uint64
				for _, a := range words {
					for _, b := range words {
						pairs = append(pairs, a, b)
					}
				}
				for name, build := range cases {
					g := graph.New()
					in, err := g.Input("pairs", dtype, graph.Shape{len(pairs) / 2, 2}, packed(dtype, pairs...))
					require.NoError(t, err)
					v := build(g, in, len(words))
					require.NoError(t, g.Err(), "%s of %v", name, dtype)
					assert.NoError(t, runGraph(t, dev, g, []graph.Value{v}), "%s of %v", name, dtype)
				}
			}
			for dtype := range specials {
				check(dtype, moves)
			}
			check(graph.I32, sums)
			check(graph.F32, sums)
			check(graph.F64, sums)
		})
	}
}

// takes tells whether an op works on operands of a type as they are.
func takes(op graph.Op, dtype graph.DType) bool {
	g, v, err := apply(op, dtype, graph.Shape{}, []uint64{0}, []uint64{0}, []uint64{0})
	if err != nil || v.Op() != op {
		return false
	}
	args := g.Args(v.ID())
	return g.Node(args[len(args)-1]).DType == dtype
}

// apply makes a graph of one op on inputs with the given bits; p is the
// condition, where the op has one.
func apply(op graph.Op, dtype graph.DType, shape graph.Shape, p, a, b []uint64) (*graph.Graph, graph.Value, error) {
	g := graph.New()
	types := [3]graph.DType{dtype, dtype, dtype}
	bits := [3][]uint64{a, b, p}
	if op == graph.OpSelect {
		types[0], bits = graph.Bool, [3][]uint64{p, a, b}
	}
	args := make([]graph.Value, op.Info().Arity)
	for i := range args {
		var err error
		if args[i], err = g.Input(fmt.Sprintf("x%d", i), types[i], shape, packed(types[i], bits[i]...)); err != nil {
			return nil, graph.Value{}, err
		}
	}
	v, err := g.Apply(op, args...)
	return g, v, err
}

// onArray computes all pairs in a loop. The few pairs of bools are repeated: the
// compiler unrolls short arrays.
func onArray(op graph.Op, dtype graph.DType, words []uint64) (*graph.Graph, graph.Value, error) {
	var p, a, b []uint64
	for len(a) <= 100 {
		for i, x := range words {
			for k, y := range words {
				p, a, b = append(p, uint64(i+k)%2), append(a, x), append(b, y)
			}
		}
	}
	return apply(op, dtype, graph.Shape{len(a)}, p, a, b)
}

// onScalars computes each pair by itself.
func onScalars(op graph.Op, dtype graph.DType, words []uint64) (*graph.Graph, graph.Value, error) {
	g := graph.New()
	var conditions [2]graph.Value
	operands := make([]graph.Value, len(words))
	var err error
	for i := range conditions {
		if conditions[i], err = g.Input(fmt.Sprintf("p%d", i), graph.Bool, graph.Shape{}, []uint32{uint32(i)}); err != nil {
			return nil, graph.Value{}, err
		}
	}
	for i, w := range words {
		if operands[i], err = g.Input(fmt.Sprintf("x%d", i), dtype, graph.Shape{}, packed(dtype, w)); err != nil {
			return nil, graph.Value{}, err
		}
	}
	var results []graph.Value
	for i, x := range operands {
		for k, y := range operands {
			args := []graph.Value{x, y}[:min(op.Info().Arity, 2)]
			if op == graph.OpSelect {
				args = []graph.Value{conditions[(i+k)%2], x, y}
			}
			v, err := g.Apply(op, args...)
			if err != nil {
				return nil, graph.Value{}, err
			}
			results = append(results, v)
		}
	}
	v, err := g.Stack(results...)
	return g, v, err
}
