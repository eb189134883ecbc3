package jit_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/jit"
)

func open(t testing.TB) *jit.Device {
	dev, err := jit.Open(t.Context(), "local")
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	return dev
}

func TestScalars(t *testing.T) {
	dev, ctx := open(t), t.Context()
	add, err := jit.New2[float32, int32, float32](dev, func(a, b graph.Value) graph.Value { return a.Add(b) })
	require.NoError(t, err)
	sum, err := add.Call(ctx, 1.5, 2)
	require.NoError(t, err)
	require.Equal(t, float32(3.5), sum)

	div := jit.Must(jit.New2[int32, int32, int32](dev, func(a, b graph.Value) graph.Value { return a.FloorDiv(b) }))
	for _, c := range [][3]int32{{7, 2, 3}, {-7, 2, -4}, {7, 0, 0}, {math.MinInt32, -1, math.MinInt32}} {
		require.Equal(t, c[2], jit.Must(div.Call(ctx, c[0], c[1])))
	}
	less := jit.Must(jit.New3[float32, bool, int32, bool](dev, func(a, b, c graph.Value) graph.Value { return b.Select(a.Lt(c), a.Ge(c)) }))
	require.True(t, jit.Must(less.Call(ctx, 1, true, 2)))
	require.False(t, jit.Must(less.Call(ctx, 1, false, 2)))
	require.True(t, jit.Must(less.Call(ctx, 2, false, 2)))
	clamp := jit.Must(jit.New4[float32, float32, float32, bool, float32](dev, func(a, b, c, d graph.Value) graph.Value {
		return d.Select(a.Clamp(b, c), a)
	}))
	require.Equal(t, float32(3), jit.Must(clamp.Call(ctx, 5, 0, 3, true)))
	require.Equal(t, float32(5), jit.Must(clamp.Call(ctx, 5, 0, 3, false)))
}

// TestSpecialValues: the bits go there and come back unchanged, NaN apart, which is
// the canonical one.
func TestSpecialValues(t *testing.T) {
	dev := open(t)
	same := jit.Must(jit.New1[[]float32, []float32](dev, func(a graph.Value) graph.Value { return a }))
	bits := []uint32{0, 1 << 31, 1, 0x7f800000, 0xff800000, 0x7f7fffff, 0x00800000, 0xffc12345, 0x7fc00000}
	in := make([]float32, len(bits))
	for i, b := range bits {
		in[i] = math.Float32frombits(b)
	}
	bits[7] = 0x7fc00000
	for i, x := range jit.Must(same.Call(t.Context(), in)) {
		require.Equal(t, bits[i], math.Float32bits(x), "element %d", i)
	}
}

func TestArrays(t *testing.T) {
	dev, ctx := open(t), t.Context()
	traces := 0
	dot := jit.Must(jit.New2[[]float32, []float32, float32](dev, func(a, b graph.Value) graph.Value {
		traces++
		return a.Dot(b)
	}))
	for _, c := range []struct {
		a, b   []float32
		want   float32
		traces int
	}{
		{[]float32{1, 2}, []float32{3, 4}, 11, 1},
		{[]float32{5, 6}, []float32{3, 4}, 39, 1},
		{[]float32{5, 6}, []float32{3, 4}, 39, 1},
		{[]float32{1, 2, 3}, []float32{1, 1, 1}, 6, 2},
		{[]float32{1, 2}, []float32{3, 5}, 13, 2},
	} {
		require.Equal(t, c.want, jit.Must(dot.Call(ctx, c.a, c.b)))
		require.Equal(t, c.traces, traces)
	}
	dot.Close()
	require.Equal(t, float32(11), jit.Must(dot.Call(ctx, []float32{1, 2}, []float32{3, 4})))
	require.Equal(t, 3, traces)

	product := jit.Must(jit.New2[[][]float32, [][]float32, [][]float32](dev, graph.Value.MatMul))
	require.Equal(t, [][]float32{{19, 22}, {43, 50}},
		jit.Must(product.Call(ctx, [][]float32{{1, 2}, {3, 4}}, [][]float32{{5, 6}, {7, 8}})))

	turned := jit.Must(jit.New1[[2][3]int32, [3][2]int32](dev, graph.Value.Transpose))
	require.Equal(t, [3][2]int32{{1, 4}, {2, 5}, {3, 6}}, jit.Must(turned.Call(ctx, [2][3]int32{{1, 2, 3}, {4, 5, 6}})))

	type vector []float32
	positive := jit.Must(jit.New1[vector, []bool](dev, func(a graph.Value) graph.Value { return a.Gt(a.Graph().F32(0)) }))
	require.Equal(t, []bool{true, false}, jit.Must(positive.Call(ctx, vector{1, -1})))
}

// TestUnused: arguments that do not matter, results that are arguments or known.
func TestUnused(t *testing.T) {
	type in struct{ A, B, C, D float32 }
	type traced struct{ A, B, C, D graph.Value }
	f := jit.Must(jit.NewStruct[in, in](open(t), func(x traced) traced {
		return traced{A: x.D, B: x.B, C: x.B.Graph().F32(7), D: x.B.Add(x.D)}
	}))
	for i := range 3 {
		x := float32(i)
		require.Equal(t, in{4 + x, 2, 7, 6 + x}, jit.Must(f.Call(t.Context(), in{1, 2, 3, 4 + x})))
	}
}

func TestStruct(t *testing.T) {
	type state struct {
		Position, Speed []float32
		Steps           int32
	}
	type traced struct{ Position, Speed, Steps graph.Value }
	step := jit.Must(jit.NewStruct[state, state](open(t), func(s traced) traced {
		g := s.Steps.Graph()
		return traced{s.Position.Add(s.Speed.Mul(g.F32(0.5))), s.Speed.Mul(g.F32(0.5)), s.Steps.Add(g.I32(1))}
	}))
	s := state{[]float32{0, 10}, []float32{8, -8}, 0}
	for range 3 {
		s = jit.Must(step.Call(t.Context(), s))
	}
	require.Equal(t, state{[]float32{7, 3}, []float32{1, -1}, 3}, s)
}

// TestStates: they are kept from call to call.
func TestStates(t *testing.T) {
	total := jit.Must(jit.New1[float32, float32](open(t), func(a graph.Value) graph.Value {
		g := a.Graph()
		s := g.StateF32("total", 0)
		next := s.Add(a)
		_ = g.SetNext(s, next)
		return next
	}))
	for i, want := range []float32{2, 4, 6} {
		require.Equal(t, want, jit.Must(total.Call(t.Context(), 2)), "call %d", i)
	}
}

func TestGradient(t *testing.T) {
	slope := jit.Must(jit.New1[float32, float32](open(t), func(x graph.Value) graph.Value {
		return jit.Must(compiler.Grad(x.Mul(x).Mul(x), x))[0]
	}))
	require.Equal(t, float32(12), jit.Must(slope.Call(t.Context(), 2)))
}

func TestSeveralFunctions(t *testing.T) {
	dev := open(t)
	var fs []*jit.Func1[float32, float32]
	for i := range 5 {
		fs = append(fs, jit.Must(jit.New1[float32, float32](dev, func(a graph.Value) graph.Value {
			return a.Mul(a.Graph().F32(float32(i)))
		})))
	}
	for round := range 2 {
		for i, f := range fs {
			require.Equal(t, float32(i*10), jit.Must(f.Call(t.Context(), 10)), "round %d", round)
		}
	}
}

// TestBoard: two functions take turns on a board with room for one program, and
// keep their states.
func TestBoard(t *testing.T) {
	if _, err := exec.LookPath("qemu-system-aarch64"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("qemu-system-aarch64 is not installed")
	}
	dev, err := jit.Open(t.Context(), "qemu:virt-a53")
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	require.Equal(t, "aarch64", dev.Arch())
	count := jit.Must(jit.New1[int32, int32](dev, func(a graph.Value) graph.Value {
		s := a.Graph().StateTensor("count", graph.I32s(nil, 0))
		_ = a.Graph().SetNext(s, s.Add(a))
		return s.Add(a)
	}))
	scale := jit.Must(jit.New2[[]float32, float32, []float32](dev, graph.Value.Mul))
	for i := range 3 {
		require.Equal(t, int32(5*i+5), jit.Must(count.Call(t.Context(), 5)))
		require.Equal(t, []float32{2, float32(2 * i)}, jit.Must(scale.Call(t.Context(), []float32{1, float32(i)}, 2)))
	}
}

// TestErrors: nothing panics, and the text says what to do.
func TestErrors(t *testing.T) {
	dev, ctx := open(t), t.Context()
	same := func(a graph.Value) graph.Value { return a }
	type pair struct{ A, B float32 }
	type tracedA struct{ A graph.Value }
	type tracedAC struct{ A, C graph.Value }
	type hidden struct{ a float32 }
	type tracedHidden struct{ a graph.Value }
	require.Zero(t, hidden{}.a)
	call := func(_ any, err error) error { return err }
	for text, err := range map[string]error{
		"jit: a: string has no type on the target: use float32, float64, int32, bool": call(jit.New1[string, float32](dev, same)),
		"jit: result: map":                                   call(jit.New1[float32, map[int]int](dev, same)),
		"jit: no device: open one":                           call(jit.New1[float32, float32](nil, same)),
		"jit: no device: open one with jit.":                 call(jit.NewStruct[pair, pair](nil, func(p tracedA) tracedA { return p })),
		"has 2 fields and":                                   call(jit.NewStruct[pair, pair](dev, func(p tracedA) tracedA { return p })),
		"field 1 is B in":                                    call(jit.NewStruct[pair, pair](dev, func(p tracedAC) tracedAC { return p })),
		"A must be a graph.Value":                            call(jit.NewStruct[pair, pair](dev, func(p pair) pair { return p })),
		"must be structs":                                    call(jit.NewStruct[float32, pair](dev, func(p float32) pair { return pair{} })),
		"field a of":                                         call(jit.NewStruct[hidden, hidden](dev, func(p tracedHidden) tracedHidden { return tracedHidden{a: p.a.Neg()} })),
		"a: []float32: axis 0 has no elements":               call(jit.Must(jit.New1[[]float32, []float32](dev, same)).Call(ctx, nil)),
		"row 1 has 1 elements, row 0 has 2":                  call(jit.Must(jit.New1[[][]float32, [][]float32](dev, same)).Call(ctx, [][]float32{{1, 2}, {3}})),
		"the result is f32, and int32 holds i32: convert it": call(jit.Must(jit.New1[float32, int32](dev, same)).Call(ctx, 1)),
		"the result has the shape (2,), and float32 has 0":   call(jit.Must(jit.New1[[]float32, float32](dev, same)).Call(ctx, []float32{1, 2})),
		"which is not that of [3]float32":                    call(jit.Must(jit.New1[[]float32, [3]float32](dev, same)).Call(ctx, []float32{1, 2})),
		"result is not computed from the arguments": call(jit.Must(jit.New1[float32, float32](dev, func(graph.Value) graph.Value {
			return graph.New().F32(1)
		})).Call(ctx, 1)),
		"result is not computed from": call(jit.Must(jit.New1[float32, float32](dev, func(graph.Value) graph.Value { return graph.Value{} })).Call(ctx, 1)),
		"jit: dot":                    call(jit.Must(jit.New2[[]float32, []float32, float32](dev, graph.Value.Dot)).Call(ctx, []float32{1}, []float32{1, 2})),
	} {
		require.ErrorContains(t, err, text)
	}
	require.Panics(t, func() { jit.Must(jit.New1[string, float32](dev, same)) })

	_, err := jit.Open(ctx, "qemu:none")
	require.Error(t, err)

	// After errors the function goes on, as it does after a call that was cancelled.
	f := jit.Must(jit.New1[[]float32, []float32](dev, same))
	require.Error(t, call(f.Call(ctx, nil)))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, call(f.Call(cancelled, []float32{1})), context.Canceled)
	require.Equal(t, []float32{2}, jit.Must(f.Call(ctx, []float32{2})))

	dev.Close()
	require.Error(t, call(f.Call(ctx, []float32{3})))
}

func Example() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dev, err := jit.Open(ctx, "local")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()

	norm, err := jit.New1[[]float32, float32](dev, func(v graph.Value) graph.Value {
		return v.Dot(v).Sqrt()
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range [][]float32{{3, 4}, {2, 3, 6}} {
		length, err := norm.Call(ctx, v)
		fmt.Println(length, err)
	}
	// Output:
	// 5 <nil>
	// 7 <nil>
}

func ExampleNewStruct() {
	ctx := context.Background()
	dev := jit.Must(jit.Open(ctx, "local"))
	defer dev.Close()

	type pendulum struct{ Angle, Speed, Torque float32 }
	type traced struct{ Angle, Speed, Torque graph.Value }
	step := jit.Must(jit.NewStruct[pendulum, pendulum](dev, func(p traced) traced {
		dt := p.Angle.Graph().F32(0.125)
		p.Speed = p.Speed.Add(p.Torque.Sub(p.Angle.Sin()).Mul(dt))
		p.Angle = p.Angle.Add(p.Speed.Mul(dt))
		return p
	}))
	p := pendulum{Torque: 1}
	for range 2 {
		p = jit.Must(step.Call(ctx, p))
	}
	fmt.Printf("%.4f %.4f\n", p.Angle, p.Speed)
	// Output: 0.0466 0.2480
}

// BenchmarkCall is what a call costs: with the arguments of the call before, and
// with new ones.
func BenchmarkCall(b *testing.B) {
	dev := open(b)
	f := jit.Must(jit.New2[float32, []float32, float32](dev, func(a, v graph.Value) graph.Value { return a.Mul(v.Sum()) }))
	v := make([]float32, 16)
	for _, fresh := range []bool{false, true} {
		b.Run(map[bool]string{false: "same", true: "new"}[fresh], func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				if fresh {
					v[0] = float32(i)
				}
				if _, err := f.Call(b.Context(), 2, v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestDoubles: numbers and arrays of two words an element, beside others.
func TestDoubles(t *testing.T) {
	dev := open(t)
	f := jit.Must(jit.New3[float64, []float64, float32, []float64](dev, func(a, b, c graph.Value) graph.Value {
		return b.Mul(a).Add(c.ToF64())
	}))
	for i := range 3 {
		x := float64(i) + 1e-12
		require.Equal(t, []float64{x*1.5 + 0.25, x*2.5 + 0.25, x*-3 + 0.25}, jit.Must(f.Call(t.Context(), x, []float64{1.5, 2.5, -3}, 0.25)))
	}
}

// TestManyShapes: a function takes any number of shapes, of which the device holds so many.
func TestManyShapes(t *testing.T) {
	dev, ctx := open(t), t.Context()
	sum := jit.Must(jit.New1[[]float32, float32](dev, func(a graph.Value) graph.Value { return a.Sum() }))
	before := openFiles(t)
	call := func(n int) {
		v := make([]float32, n)
		for i := range v {
			v[i] = 1
		}
		require.Equal(t, float32(n), jit.Must(sum.Call(ctx, v)))
	}
	call(1)
	call(2)
	each := openFiles(t) - before // that a runner takes; the first one had one
	for n := 1; n <= 400; n++ {
		call(n)
		call(1)
	}
	call(2) // compiled again
	require.LessOrEqual(t, openFiles(t)-before, 129*each)
}

// openFiles counts the files that this process has open.
func openFiles(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(list)
}
