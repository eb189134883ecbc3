package compiler_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/image"
)

// TestArchitectures: every library is of an architecture that has a code, and
// those without a library say so.
func TestArchitectures(t *testing.T) {
	known := map[string]bool{}
	for _, a := range image.Archs() {
		known[a.String()] = true
		err := compiler.CheckArch(a.String())
		if slices.Contains(compiler.Archs(), a.String()) {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, "has no stencil library yet")
		}
	}
	for _, name := range compiler.Archs() {
		assert.True(t, known[name], "library %s belongs to no architecture of package image", name)
	}
	assert.ErrorContains(t, compiler.CheckArch("vax"), `unknown architecture "vax"`)
}
