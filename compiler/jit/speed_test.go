//go:build amd64 || arm64

package jit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/jit"
	"github.com/copaflash/copaflash/internal/gcc"
)

// native is a device of programs in this process.
func native(t testing.TB) *jit.Device {
	dev := jit.On(&devicetest.Native{})
	t.Cleanup(dev.Close)
	return dev
}

// tenDots is sum((a+i)@b for i in range(10)).
func tenDots(a, b graph.Value) graph.Value {
	g := a.Graph()
	sum := a.Dot(b)
	for i := 1; i < 10; i++ {
		sum = sum.Add(a.Add(g.F32(float32(i))).Dot(b))
	}
	return sum
}

func ramp(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = 1 + float32(i)/16
	}
	return v
}

// TestAllocations: calls with numbers, arrays, and slices that there is room for make none.
func TestAllocations(t *testing.T) {
	dev, ctx := native(t), t.Context()
	none := func(name string, call func() error) {
		t.Helper()
		require.NoError(t, call())
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		}), name)
	}
	add := jit.Must(jit.New2[float32, int32, float64](dev, func(a, b graph.Value) graph.Value { return a.Add(b).ToF64() }))
	none("numbers", func() error { _, err := add.Call(ctx, 1.5, 2); return err })
	dot := jit.Must(jit.New2[[]float32, []float32, float32](dev, tenDots))
	a, b := ramp(600), ramp(600)
	none("slices", func() error { _, err := dot.Call(ctx, a, b); return err })
	turn := jit.Must(jit.New1[[2][3]bool, [3][2]bool](dev, graph.Value.Transpose))
	none("arrays", func() error { _, err := turn.Call(ctx, [2][3]bool{}); return err })
	scale := jit.Must(jit.New2[[][]float64, float64, [][]float64](dev, graph.Value.Mul))
	rows, to := [][]float64{{1, 2}, {3, 4}}, [][]float64{{0, 0}, {0, 0}}
	none("rows", func() error { return scale.CallInto(ctx, &to, rows, 2) })
	type state struct {
		Position []float32
		Steps    int32
	}
	type traced struct{ Position, Steps graph.Value }
	step := jit.Must(jit.NewStruct[state, state](dev, func(s traced) traced {
		return traced{s.Position.Add(s.Steps), s.Steps.Add(s.Steps.Graph().I32(1))}
	}))
	s := state{Position: []float32{1, 2, 3}}
	none("struct", func() error { return step.CallInto(ctx, &s, s) })
}

// BenchmarkTenDots is what a call of the ten dot products costs, how much of it is their code, and
// what GCC makes of them as two loops in C (-O3) and in eight lanes (-O3 -mavx2, the same bits): the
// least of many batches in turns, as other work runs beside it.
func BenchmarkTenDots(b *testing.B) {
	dev, ctx := native(b), context.Background()
	race := func(name string, call, run func() error, c ...gcc.Function) {
		b.Run(name, func(b *testing.B) {
			theirs, err := gcc.Start(c)
			if errors.Is(err, gcc.ErrMissing) {
				b.Log(err)
				c = nil
			} else {
				require.NoError(b, err)
				defer theirs.Close()
			}
			for b.Loop() {
				all, code := math.Inf(1), math.Inf(1)
				plain, lanes := math.Inf(1), math.Inf(1)
				for range 50 {
					all, code = min(all, least(b, call, 10)), min(code, least(b, run, 10))
					for i, best := range []*float64{&plain, &lanes}[:len(c)] {
						const calls = 2000
						took, _, err := theirs.Batch(i, calls)
						require.NoError(b, err)
						*best = min(*best, float64(took.Nanoseconds())/calls)
					}
				}
				b.ReportMetric(all, "ns/call")
				b.ReportMetric(code, "code-ns")
				b.ReportMetric(all/code, "ratio")
				if len(c) > 0 {
					b.ReportMetric(plain, "gcc-ns")
					b.ReportMetric(all/plain, "gcc-ratio")
					b.ReportMetric(lanes, "gcc-lanes-ns")
					b.ReportMetric(all/lanes, "gcc-lanes-ratio")
				}
			}
		})
	}
	for _, n := range []int{10, 30, 100, 300, 600} {
		f := jit.Must(jit.New2[[]float32, []float32, float32](dev, tenDots))
		x, y := ramp(n), ramp(n)
		call := func() error { _, err := f.Call(ctx, x, y); return err }
		require.NoError(b, call())
		race(fmt.Sprintf("n=%d", n), call, f.Code(),
			gcc.Function{Source: gcc.Arrays(n, "1", gcc.TenDots), Flags: []string{"-ffp-contract=off"}}, gcc.Function{Source: gcc.Arrays(n, "1", gcc.TenDotsInLanes), Flags: gcc.LaneFlags()})
	}
	add := jit.Must(jit.New2[float32, float32, float32](dev, graph.Value.Add))
	call := func() error { _, err := add.Call(ctx, 1, 2); return err }
	require.NoError(b, call())
	race("addition", call, add.Code())
}

// least is what a call takes in the fastest of many batches, in ns.
func least(b *testing.B, call func() error, batches int) float64 {
	const batch = 200
	best := time.Duration(math.MaxInt64)
	for range batches {
		start := time.Now()
		for range batch {
			if err := call(); err != nil {
				b.Fatal(err)
			}
		}
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / batch
}
