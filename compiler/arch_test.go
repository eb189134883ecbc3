package compiler_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/protocol/packet"
)

// TestArchitectures: every library is of an architecture that has a code, and
// those without a library say so.
func TestArchitectures(t *testing.T) {
	known := map[string]bool{}
	for _, a := range packet.Archs() {
		known[a.String()] = true
		err := compiler.CheckArch(a.String())
		if slices.Contains(compiler.Archs(), a.String()) {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, "has no stencil library yet")
		}
	}
	for _, name := range compiler.Archs() {
		assert.True(t, known[name], "library %s belongs to no architecture of the protocol", name)
	}
	assert.ErrorContains(t, compiler.CheckArch("vax"), `unknown architecture "vax"`)
}

// TestFeatures: what libraries can use are features that the protocol knows.
func TestFeatures(t *testing.T) {
	for _, name := range compiler.Archs() {
		_, err := packet.ParseArch(name)
		assert.NoError(t, err)
		for _, f := range compiler.Features(name) {
			bits, err := compiler.ParseFeatures(name, []string{f})
			assert.NoError(t, err)
			assert.NotZero(t, bits, "%s on %s", f, name)
		}
	}
	bits, err := compiler.ParseFeatures("x86_64", []string{"avx2"})
	assert.NoError(t, err)
	assert.Equal(t, packet.FeatSSE41|packet.FeatAVX2, bits, "a processor with AVX2 has SSE4.1")
	bits, err = compiler.ParseFeatures("x86_64", nil)
	assert.NoError(t, err)
	assert.Zero(t, bits)
	_, err = compiler.ParseFeatures("aarch64", []string{"avx2"})
	assert.Error(t, err)
}
