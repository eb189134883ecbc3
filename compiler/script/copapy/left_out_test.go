package copapy

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/copapy/manual"
)

// TestLeftOut: what is left out is not there, and docs/from-numpy.md says what to write
// instead, in the words of the error.
func TestLeftOut(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/from-numpy.md")
	require.NoError(t, err)
	seen := map[string]bool{}
	require.NotEmpty(t, leftOut)
	for _, l := range leftOut {
		names := strings.Fields(l.names)
		require.NotEmpty(t, names, l.hint)
		for _, name := range names {
			require.Nil(t, manual.Find(name), "%s is there", name)
			require.False(t, seen[name], "%s is listed twice", name)
			seen[name] = true
			require.Equal(t, l.hint, hints[name])
		}
		row := "| `" + strings.Join(names, "`, `") + "` | " + l.hint + " |\n"
		require.Contains(t, string(docs), strings.ReplaceAll(row, "`tensor.", "`x."))
	}
}
