package lower

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
)

// TestKeySpans asks of floats of every kind what a comparison with each of them asks.
func TestKeySpans(t *testing.T) {
	compare := map[graph.Op]func(x, y float32) bool{
		graph.OpLt: func(x, y float32) bool { return x < y }, graph.OpLe: func(x, y float32) bool { return x <= y },
		graph.OpGt: func(x, y float32) bool { return x > y }, graph.OpGe: func(x, y float32) bool { return x >= y },
	}
	var list []uint32
	for _, around := range []uint32{0, 1 << 23, 0x3f000000, 0x3f800000, 0x41a80000, 0x7f800000, 0x7fc00000, 0x7fffffff, 0x007fffff} {
		for _, sign := range []uint32{0, 1 << 31} {
			for d := range uint32(5) {
				list = append(list, around^sign+d-2)
			}
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	asked := 0
	for op, is := range compare {
		for _, c := range list {
			limit := math.Float32frombits(c)
			if limit != limit {
				continue
			}
			s, ok := spanOf(op, c)
			for _, bits := range list {
				x := math.Float32frombits(bits)
				if !ok {
					require.False(t, is(x, limit), "%v: %x and %x", op, bits, c)
					continue
				}
				v := bits
				if s.keys {
					v = uint32(keyOf(bits))
				}
				moved := int32(v + s.by)
				require.Equal(t, is(x, limit), s.op == graph.OpGe && moved >= int32(s.limit) || s.op == graph.OpLe && moved <= int32(s.limit),
					"%v: %x and %x", op, bits, c)
				asked++
			}
		}
	}
	require.Greater(t, asked, 10000)
}
