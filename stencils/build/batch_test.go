package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testParts are parts of rows with these texts.
func testParts(a *arch, texts ...string) (parts []part) {
	for _, text := range texts {
		r := &row{op: "test", dtypes: "f32", pattern: "F=FF", text: text}
		j := r.jobs(a)[0]
		parts = append(parts, part{&j, j.variants()[:40]})
	}
	return parts
}

// Parts that are compiled together give the code of each, and an error is of the part that has it.
func TestBatch(t *testing.T) {
	a, _, err := loadArch("..", "x86_64")
	require.NoError(t, err)
	src, err := filepath.Abs("../src")
	require.NoError(t, err)
	w := &workshop{src: src, tmp: t.TempDir(), few: true}
	parts := testParts(a, "D = A + B", "D = A * B", "D = nothing")
	assert.Equal(t, [][]int{{0, 1, 2}}, w.batches(parts))
	assert.Equal(t, [][]int{{0}, {1}, {2}}, (&workshop{}).batches(parts))

	together, errs := w.compileBatch(parts, []int{0, 1})
	for i := range 2 {
		require.NoError(t, errs[i])
		single, errs := w.compileBatch(parts, []int{i})
		require.NoError(t, errs[0])
		for n := range single[0] {
			require.Equal(t, single[0][n].code, together[i][n].code, "part %d, sample %d", i, n)
		}
	}
	some, errs := w.compileBatch(parts, []int{0, 2, 1})
	require.NoError(t, errs[0])
	require.ErrorContains(t, errs[1], "nothing")
	require.NoError(t, errs[2])
	require.Equal(t, together[0][3].code, some[0][3].code)
	require.Equal(t, together[1][3].code, some[2][3].code)
}
