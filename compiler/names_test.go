package compiler

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/image"
)

func TestNameAll(t *testing.T) {
	for _, c := range []struct{ wanted, want []string }{
		{[]string{"a", "b"}, []string{"a", "b"}},
		{[]string{"a", "a", "b", "a"}, []string{"a", "a#2", "b", "a#3"}},
		{[]string{"a#2", "a", "a"}, []string{"a#2", "a", "a#3"}},
		{[]string{"a", "a", "a#2", "a#2"}, []string{"a", "a#2", "a#2#2", "a#2#3"}},
		{[]string{"", "x", ""}, []string{"input0", "x", "input2"}},
		{[]string{"", "input0", ""}, []string{"input_0", "input0", "input_2"}},
	} {
		symbols, names := make([]image.Symbol, len(c.wanted)), make([]string, len(c.wanted))
		for i := range symbols {
			symbols[i].Name = c.wanted[i]
		}
		nameAll(symbols, "input")
		for i := range names {
			names[i] = symbols[i].Name
		}
		require.Equal(t, c.want, names)
		slices.Sort(names)
		require.Len(t, slices.Compact(names), len(c.wanted), "each name once")
	}
}
