package copapy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A name that two tables define is found at the start of the first script, not by the one
// who wonders why the other definition is never called.
func TestNamesAreDefinedOnce(t *testing.T) {
	a, b := map[string]int{"round": 1, "floor": 2}, map[string]int{"ceil": 3}
	require.Equal(t, map[string]int{"round": 1, "floor": 2, "ceil": 3}, unite(a, b))
	require.Len(t, a, 2, "the tables stay as they are")
	b["round"] = 4
	require.PanicsWithValue(t, "copapy: two definitions of round", func() { unite(a, b) })
}
