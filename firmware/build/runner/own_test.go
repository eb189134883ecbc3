package runner

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is embedded is what the repository has, for every board, so that a runner of one's own is the board's own and the drivers.
func TestEmbeddedSources(t *testing.T) {
	const root = "../../.."
	unpacked := t.TempDir()
	require.NoError(t, unpack(unpacked))
	all, err := Targets(root)
	require.NoError(t, err)
	boards := 0
	for _, target := range all {
		if target.Budget == nil {
			continue // a program of Linux
		}
		boards++
		compiled, included, err := Sources(root, &target)
		require.NoError(t, err)
		compiledThere, includedThere, err := Sources(unpacked, &target)
		require.NoError(t, err)
		require.Equal(t, compiled, compiledThere, target.Name)
		require.Equal(t, included, includedThere, target.Name)
		for _, name := range slices.Concat(compiled, included) {
			want, err := os.ReadFile(filepath.Join(root, name))
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join(unpacked, name))
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), name)
		}
	}
	require.NotZero(t, boards)
}
