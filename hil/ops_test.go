package hil_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/internal/extent"
)

// dtypes are the types of the table below, in its order.
var dtypes = []graph.DType{graph.Bool, graph.I32, graph.F32, graph.F64}

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

// operands are what one result is computed from; p is the condition, where the op has one.
type operands struct{ p, a, b uint64 }

// operandsOf are the special values of a type, or for an op that takes two all pairs.
func operandsOf(op graph.Op, dtype graph.DType) []operands {
	var rows []operands
	for i, x := range specials[dtype] {
		if op.Info().Arity == 1 {
			rows = append(rows, operands{a: x})
			continue
		}
		for k, y := range specials[dtype] {
			rows = append(rows, operands{uint64(i+k) % 2, x, y})
		}
	}
	return rows
}

const (
	// loopRows is more elements than the compiler unrolls.
	loopRows = 101
	// A board gets each boardStep-th result by itself; as no number of special values
	// is a multiple, every one of them is the first operand of some, and the second.
	boardStep = 17
	// Boards get each sixthStep-th of the special values for pairs in arrays; with COPAFLASH_TEST_ALL
	// those that stand for a class get all, and the others each thirdStep-th.
	thirdStep = 3
	sixthStep = 6
)

// some is each step-th of the special values of a type, up to the last one: NaN.
func some(dtype graph.DType, step int) []uint64 {
	all := specials[dtype]
	var words []uint64
	for i := (len(all) - 1) % step; i < len(all); i += step {
		words = append(words, all[i])
	}
	if len(words) < leastWords {
		return all
	}
	return words
}

// opTables are the tables of an op on operands of a type: results each by itself, and
// elements of arrays, which are computed in loops. A host gets all pairs by themselves
// and in two arrays. To a board that would be a minute of its line: it gets some of the pairs
// by themselves, and from a row and a column all of them, or those of each step-th value.
func opTables(op graph.Op, dtype graph.DType, board bool, step int) []table {
	rows := operandsOf(op, dtype)
	elements := rows
	for len(elements) < loopRows { // the few pairs of bools, and what takes one operand
		elements = append(elements, rows...)
	}
	name := fmt.Sprintf("%v.%v", op, dtype)
	array := table{name + "[]", len(elements), loopRows, func(from, to int) (*graph.Graph, graph.Value, error) {
		return onArray(op, dtype, elements[from:to])
	}}
	if board && op.Info().Arity > 1 {
		array = outerTable(name, op, dtype, some(dtype, step))
	}
	if board && len(rows) > loopRows {
		var few []operands
		for i := 0; i < len(rows); i += boardStep {
			few = append(few, rows[i])
		}
		rows = few
	}
	return []table{array, {name, len(rows), 1, func(from, to int) (*graph.Graph, graph.Value, error) {
		return onScalars(op, dtype, rows[from:to])
	}}}
}

// outerTable is the table of all pairs of words, made from a row and a column.
func outerTable(name string, op graph.Op, dtype graph.DType, words []uint64) table {
	for len(words)*len(words) < loopRows {
		words = append(words, words...)
	}
	return table{name + "[,]", len(words), 1, func(from, to int) (*graph.Graph, graph.Value, error) {
		g := graph.New()
		n := len(words)
		row, err := g.Input("row", dtype, graph.Shape{n}, packed(dtype, words...))
		if err != nil {
			return nil, graph.Value{}, err
		}
		column, err := g.Input("column", dtype, graph.Shape{to - from, 1}, packed(dtype, words[from:to]...))
		if err != nil {
			return nil, graph.Value{}, err
		}
		args := []graph.Value{column.Broadcast(to-from, n), row.Broadcast(to-from, n)}
		if op == graph.OpSelect {
			args = append([]graph.Value{args[0].Ne(args[1])}, args...)
		}
		v, err := g.Apply(op, args...)
		return g, v, errors.Join(err, g.Err())
	}}
}

// TestEveryOpOnSpecialValues: in a place of each class, or in all, every elementwise op,
// for every type that it takes, on pairs of special values, bit for bit as the oracle
// has it.
func TestEveryOpOnSpecialValues(t *testing.T) {
	t.Parallel()
	var onHost, onBoard, onOther []table
	for op := range graph.NumOps {
		if !op.Info().Elementwise {
			continue
		}
		reached := 0
		for _, dtype := range dtypes {
			if takes(op, dtype) {
				reached++
				onHost = append(onHost, opTables(op, dtype, false, 1)...)
				onBoard = append(onBoard, opTables(op, dtype, true, extent.Of(sixthStep, 1))...)
				onOther = append(onOther, opTables(op, dtype, true, thirdStep)...)
			}
		}
		require.Positive(t, reached, "%v", op)
	}
	checkTables(t, classPlaces(t), func(p *place) []table {
		switch {
		case !strings.HasPrefix(p.name, "qemu:"):
			return onHost
		case p.other:
			return onOther
		}
		return onBoard
	}, "testdata/not_sent/ops.txt")
}

// takes tells whether an op works on operands of a type as they are.
func takes(op graph.Op, dtype graph.DType) bool {
	g, v, err := onArray(op, dtype, []operands{{}})
	if err != nil || v.Op() != op {
		return false
	}
	args := g.Args(v.ID())
	return g.Node(args[len(args)-1]).DType == dtype
}

// onArray computes all rows in one node.
func onArray(op graph.Op, dtype graph.DType, rows []operands) (*graph.Graph, graph.Value, error) {
	var p, a, b []uint64
	for _, r := range rows {
		p, a, b = append(p, r.p), append(a, r.a), append(b, r.b)
	}
	types, bits := []graph.DType{dtype, dtype}, [][]uint64{a, b}
	if op == graph.OpSelect {
		types, bits = []graph.DType{graph.Bool, dtype, dtype}, [][]uint64{p, a, b}
	}
	g := graph.New()
	args := make([]graph.Value, op.Info().Arity)
	for i := range args {
		var err error
		if args[i], err = g.Input(fmt.Sprintf("x%d", i), types[i], graph.Shape{len(rows)}, packed(types[i], bits[i]...)); err != nil {
			return nil, graph.Value{}, err
		}
	}
	v, err := g.Apply(op, args...)
	return g, v, err
}

// onScalars computes each row by itself, from inputs that rows share.
func onScalars(op graph.Op, dtype graph.DType, rows []operands) (*graph.Graph, graph.Value, error) {
	g := graph.New()
	inputs := map[string]graph.Value{}
	input := func(dtype graph.DType, bits uint64) graph.Value {
		name := fmt.Sprintf("%v_%x", dtype, bits)
		if _, known := inputs[name]; !known {
			v, err := g.Input(name, dtype, graph.Shape{}, packed(dtype, bits))
			if err != nil {
				panic(err) // the name is new and the length right
			}
			inputs[name] = v
		}
		return inputs[name]
	}
	var results []graph.Value
	for _, r := range rows {
		args := []graph.Value{input(dtype, r.a)}
		if op.Info().Arity > 1 {
			args = append(args, input(dtype, r.b))
		}
		if op == graph.OpSelect {
			args = append([]graph.Value{input(graph.Bool, r.p)}, args...)
		}
		v, err := g.Apply(op, args...)
		if err != nil {
			return nil, graph.Value{}, err
		}
		results = append(results, v)
	}
	v, err := g.Stack(results...)
	return g, v, err
}

// leastWords are the special values that array ops need: the cases name the row n+1, and
// row 3 of n*n.
const leastWords = 3

// TestArrayOpsOnSpecialValues: in the same places, what array ops move and add up, bit for bit
// as the oracle has it, with special values of every type that they take.
func TestArrayOpsOnSpecialValues(t *testing.T) {
	t.Parallel()
	type build = func(g *graph.Graph, pairs graph.Value, words int) graph.Value
	type named struct {
		name  string
		build build
	}
	moves := []named{
		{"index", func(_ *graph.Graph, p graph.Value, n int) graph.Value { return p.Index(n) }},
		{"slice", func(_ *graph.Graph, p graph.Value, n int) graph.Value { return p.Slice(n*n-1, n, -2) }},
		{"reshape", func(_ *graph.Graph, p graph.Value, n int) graph.Value { return p.Reshape(2, n*n) }},
		{"transpose", func(_ *graph.Graph, p graph.Value, _ int) graph.Value { return p.Transpose() }},
		{"broadcast", func(_ *graph.Graph, p graph.Value, n int) graph.Value { return p.Index(n-1).Broadcast(3, 2) }},
		{"concat", func(g *graph.Graph, p graph.Value, _ int) graph.Value { return g.ConcatOf(p, p.Slice(0, 2, 1)) }},
		{"stack", func(g *graph.Graph, p graph.Value, n int) graph.Value {
			return g.StackOf(p.Index(n).Index(1), p.Index(0).Index(0))
		}},
	}
	sums := []named{
		{"sum of pairs", func(_ *graph.Graph, p graph.Value, _ int) graph.Value { return p.SumAxis(1) }},
		{"sum of all", func(_ *graph.Graph, p graph.Value, _ int) graph.Value { return p.Sum() }},
		{"dots", func(_ *graph.Graph, p graph.Value, _ int) graph.Value { return p.MatMul(p.Index(3)) }},
		{"dot", func(_ *graph.Graph, p graph.Value, _ int) graph.Value { return p.Index(1).Dot(p.Index(2)) }},
		{"products", func(_ *graph.Graph, p graph.Value, n int) graph.Value {
			words := p.Reshape(n, n, 2).SumAxis(1).Slice(0, n, 1)
			return words.MatMul(words.Transpose())
		}},
	}
	tableOf := func(c named, dtype graph.DType, words []uint64) table {
		return table{fmt.Sprintf("%s.%v", c.name, dtype), len(words), min(leastWords, len(words)),
			func(from, to int) (*graph.Graph, graph.Value, error) {
				words := words[from:to]
				var pairs []uint64
				for _, a := range words {
					for _, b := range words {
						pairs = append(pairs, a, b)
					}
				}
				g := graph.New()
				in, err := g.Input("pairs", dtype, graph.Shape{len(pairs) / 2, 2}, packed(dtype, pairs...))
				if err != nil {
					return nil, graph.Value{}, err
				}
				v := c.build(g, in, len(words))
				return g, v, g.Err()
			}}
	}
	var onHost, onBoard []table
	for _, dtype := range dtypes {
		cases := slices.Clone(moves)
		if dtype != graph.Bool {
			cases = append(cases, sums...)
		}
		for _, c := range cases {
			onHost = append(onHost, tableOf(c, dtype, specials[dtype]))
			onBoard = append(onBoard, tableOf(c, dtype, some(dtype, thirdStep)))
		}
	}
	checkTables(t, classPlaces(t), func(p *place) []table {
		if strings.HasPrefix(p.name, "qemu:") {
			return onBoard
		}
		return onHost
	}, "testdata/not_sent/arrays.txt")
}
