package compiler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// TestDoublesNeedHardware: where there are none, the first node that has one is named.
func TestDoublesNeedHardware(t *testing.T) {
	g := graph.New()
	g.SetPos(3)
	x := g.InputF32("x", 1)
	g.SetPos(7)
	y := g.InputF64("y", 0.1).Mul(x.ToF64())
	var with []string
	for _, arch := range compiler.Archs() {
		_, err := compiler.Compile(g, []compiler.Output{{Value: y}}, compiler.Options{Arch: arch})
		_, errFloat := compiler.Compile(g, []compiler.Output{{Value: x.Mul(x)}}, compiler.Options{Arch: arch})
		require.NoError(t, errFloat, arch)
		if compiler.HasDoubles(arch) {
			require.NoError(t, err, arch)
			with = append(with, arch)
			continue
		}
		var none *compiler.NoDoubles
		require.ErrorAs(t, err, &none, arch)
		require.Equal(t, uint32(7), none.Pos)
		require.ErrorContains(t, err, "float64 needs hardware double; programs for "+arch+` have none: input "y" is f64`)
	}
	require.Subset(t, with, []string{"aarch64", "armv6", "armv7a", "rv64gc", "thumbv7em-dp", "x86_64"})
	require.Less(t, len(with), len(compiler.Archs()))
}
