package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	files, err := generate(root)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(have), "%s is out of date: go run ./protocol/gen", name)
	}
}

func TestParse(t *testing.T) {
	s, err := parse(`; file head

limit-a = 0x10 ; sixteen

; colours
; of things
colour = &(
  red: 1,      ; like fire
  dark-blue: -2, ; like night
)
u8 = 0..255
list = [0*16 u8]
box = {
  &(colour: 0) => colour,
  ? &(text: 1) => tstr .size (0..64), ; a "label"
}
`)
	require.NoError(t, err)
	assert.Equal(t, &schema{
		consts: []entry{{"limit-a", 16, "sixteen"}},
		enums: []group{{"colour", "colours of things", []entry{
			{"red", 1, "like fire"}, {"dark-blue", -2, "like night"},
		}}},
		maps: []group{{"box", "", []entry{{"colour", 0, ""}, {"text", 1, `a "label"`}}}},
	}, s)
}

func TestParseErrors(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"rule twice":   {"a = 1 ; x\na = 2 ; y", "line 2"},
		"number twice": {"a = &( b: 1, c: 1 )", "repeats"},
		"name twice":   {"a = &( b: 1, b: 2 )", "repeats"},
		"no number":    {"a = &( b: c )", "want name: number"},
		"bad key":      {"a = { &(b: 1, c) => d }", "a key must be"},
		"open text":    {`a = "b`, "not closed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(c.src)
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}

func TestCheckWantsDocsAndRows(t *testing.T) {
	for name, src := range map[string]string{
		"constant without comment": "a = 1",
		"entry without comment":    "kind = &( req: 1 )",
		"unknown enumeration":      "colour = &( red: 1 ) ; x",
	} {
		t.Run(name, func(t *testing.T) {
			s, err := parse(src)
			require.NoError(t, err)
			require.Error(t, check(s))
		})
	}
}
