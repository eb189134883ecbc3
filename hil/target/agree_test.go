package target_test

import (
	"bufio"
	"encoding/hex"
	"os"
	"strconv"
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

// TestPatches applies the protocol's vectors with the compiler's reference of
// the patch section.
func TestPatches(t *testing.T) {
	f, err := os.Open("../../protocol/testdata/vectors/patches.txt")
	require.NoError(t, err)
	defer f.Close()
	bytes := func(s string) []byte {
		if s == "-" {
			return nil
		}
		b, err := hex.DecodeString(s)
		require.NoError(t, err, s)
		return b
	}
	number := func(s string) uint64 {
		n, err := strconv.ParseUint(s, 0, 64)
		require.NoError(t, err, s)
		return n
	}
	good, bad := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") || lines.Text() == "" {
			continue
		}
		v := strings.Split(lines.Text(), " | ")
		require.Len(t, v, 10, lines.Text())
		at := image.Addresses{Code: number(v[1]), Data: number(v[2])}
		if v[5] != "-" {
			for _, s := range strings.Split(v[5], ",") {
				at.Services = append(at.Services, number("0x"+s))
			}
		}
		code, data := bytes(v[3]), bytes(v[4])
		err := image.Apply(bytes(v[6]), code, data, 0, at)
		if v[7] == "bad" {
			bad++
			assert.Error(t, err, v[0])
			continue
		}
		good++
		if assert.NoError(t, err, v[0]) {
			assert.Equal(t, bytes(v[8]), code, v[0])
			assert.Equal(t, bytes(v[9]), data, v[0])
		}
	}
	assert.Greater(t, good, 10)
	assert.Greater(t, bad, 10)
}
