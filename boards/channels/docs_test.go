package channels

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/conversion"
)

// TestDocs holds the tables of docs/channels.md against the code.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/channels.md")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| (`[^|]*) \\|")
	word := regexp.MustCompile("`([a-z]+)([^`]*)`")
	steps, forms := []conversion.Kind{}, []string{}
	for _, row := range rows.FindAllStringSubmatch(string(text), -1) {
		for _, m := range word.FindAllStringSubmatch(row[1], -1) {
			if _, ok := conversion.Operands(conversion.Kind(m[1])); ok {
				steps = append(steps, conversion.Kind(m[1]))
			} else if slices.Contains(chips.Forms(), m[1]+m[2]) {
				forms = append(forms, m[1]+m[2])
			}
		}
	}
	slices.Sort(steps)
	slices.Sort(forms)
	require.Equal(t, conversion.Kinds(), steps)
	require.Equal(t, chips.Forms(), forms)
}
