//go:build amd64 || arm64

package jit_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/compiler/device/pool"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/jit"
)

// running is the sum of the arguments of all calls.
func running(x graph.Value) graph.Value {
	s := jit.Must(x.Graph().State("total", x.DType(), x.Shape(), make([]uint32, x.Shape().Elements()*x.DType().Words())))
	next := s.Add(x)
	if err := x.Graph().SetNext(s, next); err != nil {
		panic(err)
	}
	return next
}

// TestInto: slices are filled where they fit; where they do not, the program does not run.
func TestInto(t *testing.T) {
	ctx := t.Context()
	for _, dev := range []*jit.Device{native(t), jit.Must(jit.Open(ctx, "oracle"))} {
		sum := jit.Must(jit.New1[[]int32, []int32](dev, running))
		to := make([]int32, 2)
		kept := to
		require.NoError(t, sum.CallInto(ctx, &to, []int32{1, 2}))
		require.Equal(t, []int32{1, 2}, kept)
		for _, wrong := range [][]int32{{}, {1}, {1, 2, 3}, make([]int32, 0, 2)} {
			err := sum.CallInto(ctx, &wrong, []int32{5, 5})
			require.ErrorContains(t, err, "jit: result: the result has the shape (2,), and axis 0 of the []int32 that is to hold it has")
		}
		fresh := jit.Must(sum.Call(ctx, []int32{1, 2}))
		require.Equal(t, []int32{2, 4}, fresh)
		require.Equal(t, []int32{1, 2}, kept)
		var none []int32
		require.NoError(t, sum.CallInto(ctx, &none, []int32{1, 2}))
		require.Equal(t, []int32{3, 6}, none)

		double := jit.Must(jit.New1[[][]int32, [][]int32](dev, func(x graph.Value) graph.Value { return x.Add(x) }))
		rows := [][]int32{{0, 0}, nil}
		first := rows[0]
		require.NoError(t, double.CallInto(ctx, &rows, [][]int32{{1, 2}, {3, 4}}))
		require.Equal(t, [][]int32{{2, 4}, {6, 8}}, rows)
		require.Equal(t, []int32{2, 4}, first)
		rows[1] = rows[1][:1]
		require.ErrorContains(t, double.CallInto(ctx, &rows, [][]int32{{1, 2}, {3, 4}}), "axis 1 of the [][]int32 that is to hold it has 1 elements")
		require.Equal(t, [][]int32{{2, 4}, {6}}, rows)
		dev.Close()
	}
}

// TestSizes: what has no elements or uneven rows is refused, and the function goes on.
func TestSizes(t *testing.T) {
	dev, ctx := native(t), t.Context()
	same := func(x graph.Value) graph.Value { return x }
	call := func(_ any, err error) error { return err }
	f := jit.Must(jit.New1[[][]float32, [][]float32](dev, same))
	for range 2 {
		require.ErrorContains(t, call(f.Call(ctx, nil)), "a: [][]float32: axis 0 has no elements")
		require.ErrorContains(t, call(f.Call(ctx, [][]float32{{}, {}})), "axis 1 has no elements")
		require.ErrorContains(t, call(f.Call(ctx, [][]float32{nil, {1}})), "axis 1 has no elements")
		require.ErrorContains(t, call(f.Call(ctx, [][]float32{{1, 2}, {3}})), "row 1 has 1 elements, row 0 has 2")
		require.Equal(t, [][]float32{{1, 2}, {3, 4}}, jit.Must(f.Call(ctx, [][]float32{{1, 2}, {3, 4}})))
	}
	none := jit.Must(jit.New1[[0]float32, [0]float32](dev, same))
	require.ErrorContains(t, call(none.Call(ctx, [0]float32{})), "axis 0 has no elements")

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, call(f.Call(cancelled, [][]float32{{1, 2}, {3, 4}})), context.Canceled)
	require.Equal(t, [][]float32{{1, 2}}, jit.Must(f.Call(ctx, [][]float32{{1, 2}})))
}

// TestConcurrentCalls: calls from many goroutines, of one shape and of several, do not see each other's
// arguments, and each counts once.
func TestConcurrentCalls(t *testing.T) {
	dev, ctx := native(t), t.Context()
	dot := jit.Must(jit.New2[[]float32, []float32, float32](dev, graph.Value.Dot))
	count := jit.Must(jit.New1[int32, int32](dev, running))
	const goroutines, rounds = 8, 300
	var highest atomic.Int32
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			for i := range rounds {
				n := 1 + (g+i)%3
				a, b := make([]float32, n), make([]float32, n)
				for k := range a {
					a[k], b[k] = float32(g+1), float32(i)
				}
				r, err := dot.Call(ctx, a, b)
				if want := float32(n * (g + 1) * i); err != nil || r != want {
					t.Errorf("%v, %v instead of %v", err, r, want)
				}
				if i%100 == 50 {
					to := make([]float32, 4)
					if err := dot.Map(ctx, to, [][]float32{a, a, a, a}, [][]float32{b, b, b, b}); err != nil || to[3] != r {
						t.Errorf("%v, %v instead of %v", err, to, r)
					}
				}
				if i%50 == 25 && g < 2 {
					dot.Close()
				}
				c, err := count.Call(ctx, 1)
				if err != nil {
					t.Error(err)
				}
				for old := highest.Load(); c > old && !highest.CompareAndSwap(old, c); old = highest.Load() {
				}
			}
		})
	}
	wait.Wait()
	require.Equal(t, int32(goroutines*rounds), highest.Load())
}

// TestCloseWhileCalling: every call ends with a result or with an error that says why.
func TestCloseWhileCalling(t *testing.T) {
	for range 20 {
		dev := jit.On(&devicetest.Native{})
		f := jit.Must(jit.New1[[]float32, []float32](dev, func(x graph.Value) graph.Value { return x.Add(x) }))
		in := ramp(100)
		var wait sync.WaitGroup
		for g := range 4 {
			wait.Go(func() {
				to := make([]float32, len(in))
				for {
					err := f.CallInto(t.Context(), &to, in)
					if g == 3 {
						many := [][]float32{in, in, in, in}
						err = f.Map(t.Context(), make([][]float32, len(many)), many)
					}
					if err != nil {
						if err.Error() != "jit: the device was closed: open one with jit.Open" {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		time.Sleep(time.Millisecond)
		dev.Close()
		wait.Wait()
		f.Close()
		dev.Close()
	}
}

// TestOpenEnds: a device ends with the context that it was opened with.
func TestOpenEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dev := jit.Must(jit.Open(ctx, "oracle"))
	f := jit.Must(jit.New1[float32, float32](dev, func(x graph.Value) graph.Value { return x }))
	require.Equal(t, float32(2), jit.Must(f.Call(t.Context(), 2)))
	cancel()
	_, err := jit.Open(ctx, "oracle")
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { _, err := f.Call(t.Context(), 2); return err != nil }, time.Minute, time.Millisecond)
}

// TestMap: samples begin with the states of the start, and give the same for any number of workers
// and on any device.
func TestMap(t *testing.T) {
	ctx := t.Context()
	const n = 300
	speed, torque := make([]float32, n), make([][]float32, n)
	for i := range n {
		speed[i], torque[i] = float32(i)/16, []float32{float32(i), 1}
	}
	pendulum := func(v, u graph.Value) graph.Value { return running(u.Sub(v.Sin())).Mul(v) }
	run := func(dev *jit.Device, calls int) [][]float32 {
		f := jit.Must(jit.New2[float32, []float32, []float32](dev, pendulum))
		for i := range calls { // which have states of their own
			_ = jit.Must(f.Call(ctx, 1, torque[i]))
		}
		to := make([][]float32, n)
		require.NoError(t, f.Map(ctx, to, speed, torque))
		return to
	}
	want := run(jit.Must(jit.Open(ctx, "oracle")), 0)
	dev := native(t)
	require.Equal(t, want, run(dev, 3))
	for _, workers := range []int{-1, 1, 2, 7} {
		require.Equal(t, want, run(dev.Parallel(workers), workers))
	}
}

// TestMapSeries: states go on within a series and nowhere else.
func TestMapSeries(t *testing.T) {
	ctx := t.Context()
	const n = 100
	in, want := make([][]int32, n), make([][]int32, n)
	for i := range n {
		total := int32(0)
		for k := range (i * 7) % 5 { // some of no steps
			in[i] = append(in[i], int32(i+k))
			total += int32(i + k)
			want[i] = append(want[i], total)
		}
	}
	room := func() [][]int32 {
		to := make([][]int32, n)
		for i := range to {
			if in[i] != nil {
				to[i] = make([]int32, len(in[i]))
			}
		}
		return to
	}
	dev := native(t)
	for _, d := range []*jit.Device{jit.Must(jit.Open(ctx, "oracle")), dev, dev.Parallel(1), dev.Parallel(3)} {
		f := jit.Must(jit.New1[int32, int32](d, running))
		to := room()
		require.NoError(t, f.MapSeries(ctx, to, in))
		require.Equal(t, want, to)
		to[4] = to[4][:1]
		require.EqualError(t, f.MapSeries(ctx, to, in), "jit: sample 4: argument 1 has 3 steps, and there is room for the results of 1")
		require.NoError(t, f.MapSeries(ctx, make([][]int32, 2), make([][]int32, 2)))
		require.EqualError(t, f.MapSeries(ctx, nil, in), "jit: argument 1 has 100 samples, and there is room for the results of 0")
	}
	arrays := jit.Must(jit.New1[[]int32, int32](dev, graph.Value.Sum))
	err := arrays.MapSeries(ctx, [][]int32{{0}, {0, 0, 0}}, [][][]int32{{{1, 2}}, {{1, 2}, {3, 4}, {5}}})
	require.EqualError(t, err, "jit: sample 1: step 2: its arguments have other shapes than those of sample 0")
}

// TestMapErrors: the error is that of the first sample that fails.
func TestMapErrors(t *testing.T) {
	ctx := t.Context()
	fail := &devicetest.Native{}
	dev := jit.On(fail)
	f := jit.Must(jit.New2[[]float32, float32, []float32](dev.Parallel(3), graph.Value.Mul))
	a, b, to := make([][]float32, 1000), make([]float32, 1000), make([][]float32, 1000)
	for i := range a {
		a[i], b[i] = []float32{1, 2}, float32(i)
	}
	require.EqualError(t, f.Map(ctx, to, a, b[1:]), "jit: argument 2 has 999 samples, and there is room for the results of 1000")
	require.EqualError(t, f.Map(ctx, to[:0], a, b), "jit: argument 1 has 1000 samples, and there is room for the results of 0")
	require.NoError(t, f.Map(ctx, nil, nil, nil))

	for _, at := range []int{900, 333} {
		a[at] = []float32{1}
		require.EqualError(t, f.Map(ctx, to, a, b), "jit: sample "+map[int]string{900: "900", 333: "333"}[at]+
			": its arguments have other shapes than those of sample 0")
	}
	require.Equal(t, []float32{332, 664}, to[332])
	a[333], a[900] = a[0], a[0]
	to[17] = make([]float32, 5)
	err := f.Map(ctx, to, a, b)
	var failed *pool.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, 17, failed.Sample)
	require.ErrorContains(t, err, "axis 0 of the []float32 that is to hold it has 5 elements")
	to[17] = nil

	wrong := errors.New("wrong")
	var runs atomic.Int64
	fail.Fail = func() error {
		if runs.Add(1) > 500 {
			return wrong
		}
		return nil
	}
	require.ErrorIs(t, f.Map(ctx, to, a, b), wrong)
	cancelled, cancel := context.WithCancel(ctx)
	fail.Fail = func() error { cancel(); return nil }
	require.ErrorIs(t, f.Map(cancelled, to, a, b), context.Canceled)
	fail.Fail = nil
	require.NoError(t, f.Map(ctx, to, a, b))
	require.Equal(t, []float32{999, 1998}, to[999])
	dev.Close()
	require.EqualError(t, f.Map(ctx, to, a, b), "jit: the device was closed: open one with jit.Open")
}

// TestRoom: programs in this process are as many as others.
func TestRoom(t *testing.T) {
	dev, ctx := native(t), t.Context()
	sum := jit.Must(jit.New1[[]float32, float32](dev, graph.Value.Sum))
	for n := 1; n <= 200; n++ {
		require.Equal(t, float32(n)*float32(n+1)/2, jit.Must(sum.Call(ctx, counting(n))))
		require.Equal(t, float32(1), jit.Must(sum.Call(ctx, counting(1))))
	}
	require.Equal(t, 128, jit.Loaded(dev))
	sum.Close()
	require.Zero(t, jit.Loaded(dev))
	states := jit.Must(jit.New1[[]float32, []float32](dev, running))
	for n := 1; n <= 128; n++ {
		jit.Must(states.Call(ctx, counting(n)))
	}
	_, err := states.Call(ctx, counting(129))
	require.ErrorContains(t, err, "compiled for 128 combinations of shapes")
	require.Equal(t, []float32{2}, jit.Must(states.Call(ctx, counting(1))))
}

// counting is 1, 2, ... n.
func counting(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i + 1)
	}
	return v
}

// BenchmarkMap is a Monte Carlo by one worker and by two, the least of short ones.
func BenchmarkMap(b *testing.B) {
	dev, ctx := native(b), context.Background()
	x, to := make([]float32, 100_000), make([]float32, 100_000)
	for i := range x {
		x[i] = float32(i) / 1e5
	}
	var f [2]*jit.Func1[float32, float32]
	for i := range f {
		f[i] = jit.Must(jit.New1[float32, float32](dev.Parallel(i+1), func(x graph.Value) graph.Value { return x.Mul(x) }))
	}
	best := [2]float64{math.Inf(1), math.Inf(1)}
	for b.Loop() {
		for i := range f {
			start := time.Now()
			require.NoError(b, f[i].Map(ctx, to, x))
			best[i] = min(best[i], float64(time.Since(start).Nanoseconds())/float64(len(x)))
		}
	}
	b.ReportMetric(best[0], "ns/sample")
	b.ReportMetric(best[0]/best[1], "ratio-of-two")
}
