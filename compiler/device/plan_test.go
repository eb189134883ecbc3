package device

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

func limit(x float64) *float64 { return &x }

func TestLoopOf(t *testing.T) {
	m := &image.Image{
		Entries: []image.Entry{{Name: "fast", Divisor: 1, Rate: 1000}, {Name: "slow", Divisor: 10, Rate: 100}},
		Symbols: []image.Symbol{
			{Name: "x", Kind: image.Input, DType: graph.F32, Offset: 4},
			{Name: "u", Kind: image.Output, DType: graph.F32, Offset: 8, Shape: graph.Shape{2}, Meta: &image.Meta{Role: graph.RoleOutput, Safe: []float64{1}}},
		},
	}
	c, err := LoopOf(m, 0)
	require.NoError(t, err)
	require.Equal(t, 1000.0, c.Hz)
	require.Equal(t, []Task{{0, 1}, {1, 10}}, c.Tasks)
	require.Equal(t, []Piece{{8, []byte{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f}}}, c.Safe)
	c, err = LoopOf(m, 250)
	require.NoError(t, err)
	require.Equal(t, 250.0, c.Hz)
	for _, bad := range []float64{-1, 1e7, 1e-9} {
		_, err = LoopOf(m, bad)
		require.ErrorContains(t, err, "per second", "%v", bad)
	}
	_, err = LoopOf(&image.Image{Entries: []image.Entry{{Name: "run"}}}, 0)
	require.ErrorIs(t, err, ErrNoRate)
}

func TestPlanSwap(t *testing.T) {
	from := &image.Image{Data: []byte{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}, BSS: 64, Symbols: []image.Symbol{
		{Name: "same", Kind: image.Input, DType: graph.I32, Offset: 4},
		{Name: "other", Kind: image.Input, DType: graph.I32, Offset: 8},
		{Name: "tight", Kind: image.Input, DType: graph.I32, Offset: 12},
		{Name: "a", Kind: image.State, DType: graph.F32, Offset: 16},
		{Name: "typed", Kind: image.State, DType: graph.F32, Offset: 20},
		{Name: "shaped", Kind: image.State, DType: graph.F32, Offset: 24},
		{Name: "gone", Kind: image.State, DType: graph.F32, Offset: 28},
		{Name: "y", Kind: image.Output, DType: graph.F32, Offset: 32},
	}}
	next := &image.Image{Data: []byte{0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0}, BSS: 64, Symbols: []image.Symbol{
		{Name: "other", Kind: image.Input, DType: graph.I32, Offset: 4},
		{Name: "same", Kind: image.Input, DType: graph.I32, Offset: 8},
		{Name: "tight", Kind: image.Input, DType: graph.I32, Offset: 12, Meta: &image.Meta{High: limit(1)}},
		{Name: "made", Kind: image.Input, DType: graph.I32, Offset: 60},
		{Name: "a", Kind: image.State, DType: graph.F32, Offset: 40},
		{Name: "typed", Kind: image.State, DType: graph.I32, Offset: 20},
		{Name: "shaped", Kind: image.State, DType: graph.F32, Offset: 24, Shape: graph.Shape{2}},
		{Name: "fresh", Kind: image.State, DType: graph.F32, Offset: 36},
		{Name: "y", Kind: image.Output, DType: graph.F32, Offset: 32},
	}}
	p := PlanSwap(from, next)
	require.Equal(t, []Move{{Span{4, 4}, Span{8, 4}}, {Span{16, 4}, Span{40, 4}}}, p.Moves)
	require.Equal(t, []string{"same", "a"}, p.Carried)
	require.Equal(t, []Lost{
		{"other", "the new program gives it another value"},
		{"tight", "its limits are narrower: it starts with its initial value"},
		{"typed", "its type was f32 and is i32"},
		{"shaped", "its shape was () and is (2,)"},
		{"fresh", "it is new, and starts with its initial value"},
		{"gone", "the new program has no such state"},
	}, p.Lost)
}
