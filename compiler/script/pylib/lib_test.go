package pylib

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocumented holds the list of modules in docs/language.md against those there are.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/language.md")
	require.NoError(t, err)
	_, list, ok := strings.Cut(string(text), "- The modules ")
	require.True(t, ok)
	list, _, _ = strings.Cut(list, "and `copapy`")
	for _, name := range Names() {
		require.Contains(t, list, "`"+name+"`")
	}
	require.Equal(t, len(Names())+1, strings.Count(list, "`")/2, "the modules there are, and math")
}
