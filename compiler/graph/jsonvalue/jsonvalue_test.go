package jsonvalue

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
)

func TestForms(t *testing.T) {
	negZero, inf := float32(math.Copysign(0, -1)), float32(math.Inf(1))
	for want, x := range map[string]graph.Tensor{
		`1.5`:                      graph.ScalarF32(1.5),
		`-0.0`:                     graph.ScalarF32(negZero),
		`0.1`:                      graph.ScalarF32(0.1),
		`["nan","inf","-inf"]`:     graph.F32s(graph.Shape{3}, float32(math.NaN()), inf, -inf),
		`[1e-45,3.4028235e+38]`:    graph.F32s(graph.Shape{2}, math.SmallestNonzeroFloat32, math.MaxFloat32),
		`[[1,-2,3],[4,5,6]]`:       graph.I32s(graph.Shape{2, 3}, 1, -2, 3, 4, 5, 6),
		`[[[-2147483648]]]`:        graph.I32s(graph.Shape{1, 1, 1}, math.MinInt32),
		`[true,false]`:             graph.Bools(graph.Shape{2}, true, false),
		`[]`:                       graph.F32s(graph.Shape{0, 3}),
		`[[],[]]`:                  graph.F32s(graph.Shape{2, 0}),
		`false`:                    graph.ScalarBool(false),
		`[[[1],[2]],[[3],[4.25]]]`: graph.F32s(graph.Shape{2, 2, 1}, 1, 2, 3, 4.25),
	} {
		require.Equal(t, want, string(Append(nil, x)))
		require.True(t, json.Valid([]byte(want)))
		for _, text := range []string{want, " " + want + "\n"} {
			got, err := Parse([]byte(text), x.DType, x.Shape)
			require.NoError(t, err, text)
			require.Equal(t, x.Bits, append([]uint32{}, got.Bits...), text)
		}
	}
}

// Every float survives: the special exponents and random words.
func TestFloatsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, dt := range []graph.DType{graph.F32, graph.F64} {
		words := make([]uint32, dt.Words()<<16)
		for i := range 1 << 16 {
			special := uint64(i%3) * (0x7f << (32*dt.Words() - 8))
			dt.Put(words, i, graph.Canonical(dt, rng.Uint64()>>(64-32*dt.Words())&^special))
		}
		x := graph.Tensor{DType: dt, Shape: graph.Shape{256, 256}, Bits: words}
		got, err := Parse(Append(nil, x), x.DType, x.Shape)
		require.NoError(t, err)
		require.Equal(t, x, got)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		text    string
		t       graph.DType
		s       graph.Shape
		message string
	}{
		{`1.5`, graph.I32, graph.Shape{}, `"1.5" is not of type i32`},
		{`2147483648`, graph.I32, graph.Shape{}, "is not of type i32"},
		{`1e39`, graph.F32, graph.Shape{}, "is not of type f32"},
		{`1`, graph.Bool, graph.Shape{}, "is not of type bool"},
		{`true`, graph.F32, graph.Shape{}, "is not of type f32"},
		{`"nan"`, graph.I32, graph.Shape{}, "is not of type i32"},
		{`0x10`, graph.F32, graph.Shape{}, "is not of type f32"},
		{`inf`, graph.F32, graph.Shape{}, "is not of type f32"},
		{`+1`, graph.F32, graph.Shape{}, "is not of type f32"},
		{``, graph.F32, graph.Shape{}, "the end is not of type f32"},
		{`null`, graph.F32, graph.Shape{}, "is not of type f32"},
		{`1`, graph.F32, graph.Shape{2}, `want a list for axis 0 of shape (2,), found "1"`},
		{`[1]`, graph.F32, graph.Shape{2}, "axis 0 of shape (2,): 1 elements, then"},
		{`[1,2,3]`, graph.F32, graph.Shape{2}, "more than 2 elements"},
		{`[[1,2],[3]]`, graph.F32, graph.Shape{2, 2}, "axis 1 of shape (2, 2): 1 elements, then"},
		{`[[1,2]]`, graph.F32, graph.Shape{2}, "is not of type f32"},
		{`1 2`, graph.F32, graph.Shape{}, `unexpected "2"`},
		{`[1`, graph.F32, graph.Shape{1}, "more than 1 elements"},
		{`[1,`, graph.F32, graph.Shape{2}, "the end is not of type f32"},
	} {
		_, err := Parse([]byte(c.text), c.t, c.s)
		require.ErrorContains(t, err, c.message, c.text)
	}
}
