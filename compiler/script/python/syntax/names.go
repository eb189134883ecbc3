package syntax

import (
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/runenames"
)

// runeNamed finds a character by its Unicode name, for \N{...}.
func runeNamed(name string) (rune, bool) {
	r, ok := runesByName()[strings.ToUpper(name)]
	return r, ok
}

// runesByName is made at the first escape that needs it.
var runesByName = sync.OnceValue(func() map[string]rune {
	m := make(map[string]rune, 1<<15)
	for r := rune(' '); r <= utf8.MaxRune; r++ {
		if name := runenames.Name(r); name != "" && name[0] != '<' {
			m[name] = r
		}
	}
	return m
})
