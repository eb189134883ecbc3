package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// A command line in a document: indented, fenced or between backquotes.
	commandLine = regexp.MustCompile("(?m)(?:^\\s*(?:\\./)?|`(?:\\./)?)copaflash +([a-z]+)([^`\n#]*)")
	longFlag    = regexp.MustCompile(`--([a-z-]+)`)
)

// TestDocumentedCommands holds the command lines in the documents against the verbs
// and their flags.
func TestDocumentedCommands(t *testing.T) {
	verbsByName := map[string]*cobra.Command{}
	for _, v := range verbs {
		c := v.command(&app{})
		verbsByName[c.Name()] = c
		for _, sub := range c.Commands() {
			verbsByName[c.Name()+" "+sub.Name()] = sub
		}
	}
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	checked := 0
	for _, file := range append(files, "../../README.md", "../../DESIGN.md", "../../firmware/PORTING.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range commandLine.FindAllStringSubmatch(string(text), -1) {
			name, rest := m[1], m[2]
			if sub, _, _ := strings.Cut(strings.TrimSpace(rest), " "); verbsByName[name+" "+sub] != nil {
				name += " " + sub
			}
			c := verbsByName[name]
			if !assert.NotNil(t, c, "%s: %s", file, m[0]) {
				continue
			}
			for _, f := range longFlag.FindAllStringSubmatch(rest, -1) {
				known := c.Flags().Lookup(f[1]) != nil || slices.Contains([]string{"json", "quiet", "help"}, f[1])
				assert.True(t, known, "%s: %s: there is no --%s", file, m[0], f[1])
			}
			checked++
		}
	}
	require.Greater(t, checked, 40)
}
