package jit_test

import (
	"context"
	"fmt"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/jit"
)

func ExampleFunc2_CallInto() {
	ctx := context.Background()
	dev := jit.Must(jit.Open(ctx, "oracle")) // or "local"
	defer dev.Close()

	scale := jit.Must(jit.New2[[]float32, float32, []float32](dev, graph.Value.Mul))
	v := []float32{1, 2, 3}
	for range 3 {
		if err := scale.CallInto(ctx, &v, v, 2); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(v)
	// Output: [8 16 24]
}

// A cost is computed for many gains, on all processors.
func ExampleFunc1_Map() {
	ctx := context.Background()
	dev := jit.Must(jit.Open(ctx, "oracle")) // or "local"
	defer dev.Close()

	cost := jit.Must(jit.New1[float32, float32](dev, func(gain graph.Value) graph.Value {
		e := gain.Graph().F32(1).Sub(gain.Mul(gain))
		return e.Mul(e)
	}))
	gains := []float32{0, 0.5, 1, 1.5}
	costs := make([]float32, len(gains))
	if err := cost.Map(ctx, costs, gains); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(costs)
	// Output: [1 0.5625 0 1.5625]
}

// A filter with a state runs over several signals, each from the start.
func ExampleFunc1_MapSeries() {
	ctx := context.Background()
	dev := jit.Must(jit.Open(ctx, "oracle")) // or "local"
	defer dev.Close()

	smooth := jit.Must(jit.New1[float32, float32](dev, func(x graph.Value) graph.Value {
		g := x.Graph()
		y := g.StateF32("y", 0)
		next := y.Add(x.Sub(y).Mul(g.F32(0.5)))
		_ = g.SetNext(y, next)
		return next
	}))
	signals := [][]float32{{1, 1, 1}, {8, 0}}
	smoothed := [][]float32{make([]float32, 3), make([]float32, 2)}
	if err := smooth.MapSeries(ctx, smoothed, signals); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(smoothed)
	// Output: [[0.5 0.75 0.875] [4 2]]
}
