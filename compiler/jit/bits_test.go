//go:build amd64 || arm64

package jit

import (
	"math"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/compiler/graph"
)

// devices are the oracle and others, which must agree with it: programs in this process and, where there is
// one, those of the local target.
func devices(t *testing.T) []*Device {
	devs := []*Device{Must(Open(t.Context(), "oracle")), on(&devicetest.Native{})}
	if runtime.GOOS == "linux" {
		devs = append(devs, Must(Open(t.Context(), "local")))
	}
	for _, d := range devs {
		t.Cleanup(d.Close)
	}
	return devs
}

// bits are those of a value, row by row.
func bits[A any](t *testing.T, a *A) []byte {
	q, err := layoutOf(reflect.TypeFor[A]())
	require.NoError(t, err)
	s, err := q.shape(unsafe.Pointer(a))
	require.NoError(t, err)
	b := make([]byte, s.Elements()*q.dtype.Size())
	require.Empty(t, q.put(b, unsafe.Pointer(a), s, 0))
	return b
}

// deep is a copy of a value, as a call makes it.
func deep[A any](t *testing.T, a *A) (c A) {
	q, err := layoutOf(reflect.TypeFor[A]())
	require.NoError(t, err)
	s, err := q.shape(unsafe.Pointer(a))
	require.NoError(t, err)
	require.Empty(t, q.get(unsafe.Pointer(&c), s, 0, bits(t, a)))
	return c
}

// agree has all devices compute the same, in each way that there is to call a function.
func agree[A any](t *testing.T, devs []*Device, a A, op func(x graph.Value) graph.Value) {
	t.Helper()
	ctx := t.Context()
	var want []byte
	for i, d := range devs {
		same := Must(New1[A, A](d, func(x graph.Value) graph.Value { return x }))
		r := Must(same.Call(ctx, a))
		require.Equal(t, bits(t, &a), bits(t, &r), "%T", a)
		f := Must(New1[A, A](d, op))
		r = Must(f.Call(ctx, a))
		if i == 0 {
			want = bits(t, &r)
		}
		require.Equal(t, want, bits(t, &r), "%T", a)
		x := deep(t, &a)
		require.NoError(t, f.CallInto(ctx, &x, x)) // argument and result are the same slices
		require.Equal(t, want, bits(t, &x), "%T", a)
		to := make([]A, 3)
		to[1] = deep(t, &a)
		require.NoError(t, f.Map(ctx, to, []A{a, a, a}))
		for k := range to {
			require.Equal(t, want, bits(t, &to[k]), "%T", a)
		}
		same.Close()
		f.Close()
	}
}

// ranks calls functions of numbers and arrays of all kinds.
func ranks[E any](t *testing.T, devs []*Device, values []E, op func(x graph.Value) graph.Value) {
	at := 0
	row := func() []E {
		r := make([]E, 13)
		for i := range r {
			r[i] = values[at%len(values)]
			at++
		}
		return r
	}
	for _, v := range values {
		agree(t, devs, v, op)
	}
	agree(t, devs, row(), op)
	agree(t, devs, row()[:1], op)
	agree(t, devs, [13]E(row()), op)
	agree(t, devs, [][]E{row(), row()}, op)
	agree(t, devs, [][13]E{[13]E(row()), [13]E(row())}, op)
	agree(t, devs, [2][]E{row(), row()}, op)
	agree(t, devs, [2][13]E{[13]E(row()), [13]E(row())}, op)
	agree(t, devs, [][2][]E{{row(), row()}, {row(), row()}, {row(), row()}}, op)
	agree(t, devs, [2][][13]E{{[13]E(row())}, {[13]E(row())}}, op)
	type vector []E
	agree(t, devs, [][]vector{{row(), row()}}, op)
}

// TestBits: the same bits come of every way to run a function, for each type of elements and number of axes.
func TestBits(t *testing.T) {
	devs := devices(t)
	var singles []float32
	for _, w := range special32 {
		singles = append(singles, math.Float32frombits(w))
	}
	var doubles []float64
	for _, w := range special64 {
		doubles = append(doubles, math.Float64frombits(w))
	}
	mix := func(x graph.Value) graph.Value { return x.Mul(x).Sub(x) }
	ranks(t, devs, append(singles, 1.5, -3), mix)
	ranks(t, devs, append(doubles, 1.5, -3), mix)
	ranks(t, devs, []int32{0, 1, -1, math.MaxInt32, math.MinInt32, 7, -7}, mix)
	ranks(t, devs, []bool{true, false, false, true, true}, func(x graph.Value) graph.Value { return x.Not() })
}

// TestStructBits: likewise for fields, with gaps between them.
func TestStructBits(t *testing.T) {
	type values struct {
		A bool
		B float64
		C [3]bool
		D []float32
		E int32
		F [][2]int32
		G bool
	}
	type traced struct{ A, B, C, D, E, F, G graph.Value }
	nan32, nan64 := math.Float32frombits(0xffc12345), math.Float64frombits(0xfff<<52+1)
	in := values{true, nan64, [3]bool{true, false, true}, []float32{nan32, -1, 2}, math.MinInt32, [][2]int32{{1, 2}, {3, -4}}, true}
	for _, d := range devices(t) {
		f := Must(NewStruct[values, values](d, func(x traced) traced {
			return traced{x.G.Not(), x.B.Neg(), x.C.Not(), x.D.Neg(), x.E.Neg(), x.F.Neg(), x.A}
		}))
		check := func(r values) {
			t.Helper()
			require.Equal(t, graph.NaN64, math.Float64bits(r.B))
			require.Equal(t, graph.NaN, math.Float32bits(r.D[0]))
			r.B, r.D[0] = 0, 0
			require.Equal(t, values{false, 0, [3]bool{false, true, false}, []float32{0, 1, -2}, math.MinInt32, [][2]int32{{-1, -2}, {-3, 4}}, true}, r)
		}
		check(Must(f.Call(t.Context(), in)))
		x := in
		x.D, x.F = append([]float32(nil), in.D...), append([][2]int32(nil), in.F...)
		require.NoError(t, f.CallInto(t.Context(), &x, x))
		check(x)
		to := make([]values, 5)
		require.NoError(t, f.Map(t.Context(), to, []values{in, in, in, in, in}))
		for _, r := range to {
			check(r)
		}
	}
}
