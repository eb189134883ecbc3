package hil_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the lists of what boards have no room for, testdata/not_sent")

// A notSent is a list of the programs that places have no room for, a line for each
// place, so that nothing is left out unseen. Places that get everything are not in it.
type notSent struct {
	mu       sync.Mutex // places are tested side by side
	programs map[string]string
}

func readNotSent(t *testing.T, file string) *notSent {
	t.Helper()
	list := &notSent{programs: map[string]string{}}
	text, err := os.ReadFile(file)
	if !*update {
		require.NoError(t, err)
	}
	for line := range strings.Lines(string(text)) {
		place, programs, found := strings.Cut(strings.TrimSuffix(line, "\n"), " lacks ")
		require.True(t, found, "%s: %q", file, line)
		list.programs[place] = programs
	}
	if *update {
		t.Cleanup(func() {
			var b strings.Builder
			for _, place := range slices.Sorted(maps.Keys(list.programs)) {
				fmt.Fprintf(&b, "%s lacks %s\n", place, list.programs[place])
			}
			assert.NoError(t, os.WriteFile(file, []byte(b.String()), 0o666))
		})
	}
	return list
}

// check holds what a place was not sent, of the programs that were tried there, against the list.
func (n *notSent) check(t *testing.T, place string, programs []string, tried func(program string) bool) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	text := strings.Join(programs, ", ")
	if !*update {
		var expected []string
		for _, name := range strings.Split(n.programs[place], ", ") {
			if name != "" && tried(name) {
				expected = append(expected, name)
			}
		}
		assert.Equal(t, expected, programs, "run with -update if that is as it should be")
		return
	}
	delete(n.programs, place)
	if text != "" {
		n.programs[place] = text
	}
}
