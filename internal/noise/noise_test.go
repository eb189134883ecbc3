package noise

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
)

func program(t *testing.T, arch string, seed uint64, number int, harmless bool) []byte {
	t.Helper()
	code, err := Program(arch, seed, number, harmless)
	require.NoError(t, err)
	return code
}

func TestProgramsRepeatAndDiffer(t *testing.T) {
	for _, a := range packet.Archs() {
		arch := a.String()
		seen := map[string]bool{}
		for i := range 1000 {
			p := program(t, arch, 1, i, false)
			require.Equal(t, p, program(t, arch, 1, i, false))
			require.NotEmpty(t, p)
			require.Less(t, len(p), 16*longest+4)
			seen[string(p)] = true
		}
		require.Greater(t, len(seen), 900, arch)
		require.NotEqual(t, program(t, arch, 1, 5, false), program(t, arch, 2, 5, false))
	}
}

func TestHarmlessProgramsHaveNoSystemCall(t *testing.T) {
	found := 0
	for i := range 10_000 {
		for at, p := 0, program(t, "aarch64", 3, i, true); at+4 <= len(p); at += 4 {
			require.False(t, p[at]&0x1f == 1 && p[at+2]&0xe0 == 0 && p[at+3] == 0xd4, "%x", p)
		}
		for at, p := 0, program(t, "aarch64", 3, i, false); at+4 <= len(p); at += 4 {
			if p[at]&0x1f == 1 && p[at+2]&0xe0 == 0 && p[at+3] == 0xd4 {
				found++
			}
		}
	}
	require.NotZero(t, found)
}

func TestUnknownArchitecture(t *testing.T) {
	_, err := Program("a32", 1, 0, false)
	require.EqualError(t, err, `no random machine code for architecture "a32": it needs a row in encodings`)
}
