package jit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/jit"
)

// TestOracle: functions run on every system, compiled for each shape.
func TestOracle(t *testing.T) {
	dev, err := jit.Open(t.Context(), "oracle")
	require.NoError(t, err)
	defer dev.Close()
	norm := jit.Must(jit.New1[[]float32, float32](dev, func(v graph.Value) graph.Value { return v.Norm() }))
	require.Equal(t, float32(5), jit.Must(norm.Call(t.Context(), []float32{3, 4})))
	require.Equal(t, float32(13), jit.Must(norm.Call(t.Context(), []float32{3, 4, 12})))
	total := jit.Must(jit.New1[int32, int32](dev, func(x graph.Value) graph.Value {
		s := jit.Must(x.Graph().State("total", graph.I32, nil, []uint32{0}))
		next := s.Add(x)
		require.NoError(t, x.Graph().SetNext(s, next))
		return next
	}))
	for i, want := range []int32{1, 3, 6} {
		require.Equal(t, want, jit.Must(total.Call(t.Context(), int32(i+1))))
	}
}
