package channels

import (
	"os"
	"regexp"
	"slices"
	"strings"
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

// TestDocsKinds holds the table of kinds against the chips.
func TestDocsKinds(t *testing.T) {
	text, err := os.ReadFile("../../docs/channels.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "\n## Kinds\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n## ")
	all, err := chips.All()
	require.NoError(t, err)
	want, titles := map[string][]string{}, []string{}
	for _, c := range all {
		title, _, _ := strings.Cut(c.Title, " with ") // an FPGA image
		for _, name := range strings.Split(strings.ReplaceAll(title, " and ", ", "), ", ") {
			if !slices.Contains(titles, name) {
				titles = append(titles, name)
			}
			for kind := range c.Kinds {
				if !slices.Contains(want[kind], name) {
					want[kind] = append(want[kind], name)
				}
			}
		}
	}
	name := regexp.MustCompile(`[A-Za-z]+[0-9]+[0-9A-Z]*`)
	seen := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|[^|]*\\| ([^|]*) \\|$").FindAllStringSubmatch(table, -1) {
		for _, m := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(row[1], -1) {
			seen++
			text, _, _ := strings.Cut(row[2], ":")
			named := name.FindAllString(text, -1)
			if strings.HasPrefix(text, "all") {
				named = slices.DeleteFunc(slices.Clone(titles), func(title string) bool { return slices.Contains(named, title) })
			}
			require.ElementsMatch(t, want[m[1]], named, m[1])
		}
	}
	require.Len(t, want, seen, "every kind has a row")
}
