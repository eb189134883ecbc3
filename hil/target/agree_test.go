package target_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// The compiler's image and the protocol know nothing of each other. What they
// both say must be the same.

func TestArchitectures(t *testing.T) {
	n := 0
	for code := range 256 {
		a, b := image.Arch(code), packet.Arch(code)
		assert.Equal(t, b.Valid(), a.Valid(), "code %d", code)
		if a.Valid() {
			n++
			assert.Equal(t, b.String(), a.String())
		}
	}
	assert.GreaterOrEqual(t, n, 12)
}

func TestFeatures(t *testing.T) {
	all := packet.Features(1<<64 - 1)
	known := image.FeatureNames(uint64(all))
	require.NotEmpty(t, known)
	assert.True(t, strings.HasPrefix(all.String(), strings.Join(known, ",")+",feature"), "%s", all)
}

func TestDigests(t *testing.T) {
	for _, img := range []image.Image{
		{Arch: image.X8664, Code: []byte{0xc3}, Entries: []image.Entry{{Name: "run"}}},
		{Arch: image.AArch64, Features: 1<<40 | 4, Code: make([]byte, 65), Data: []byte{1, 2, 3}, BSS: 1 << 20,
			Patches: []byte{0}, Entries: []image.Entry{{Name: "a", Offset: 4}, {Name: "b", Offset: 64}}},
	} {
		m := session.Image{Arch: packet.Arch(img.Arch), Features: packet.Features(img.Features), Code: img.Code,
			Data: img.Data, BSS: img.BSS, Patches: img.Patches}
		for _, e := range img.Entries {
			m.Entries = append(m.Entries, e.Offset)
		}
		assert.Equal(t, m.Digest(), img.Digest())
	}
}
