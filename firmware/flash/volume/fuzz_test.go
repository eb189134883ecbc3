package volume

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzBoardID(f *testing.F) {
	f.Add("UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n")
	f.Add("Board-ID:")
	f.Add(strings.Repeat("Board-ID", 1000))
	f.Fuzz(func(t *testing.T, text string) {
		id := boardID(text)
		require.NotContains(t, id, "\n")
		require.Contains(t, text, id)
	})
}

func FuzzCode(f *testing.F) {
	f.Add("Unique ID: 9904360254974e45\n")
	f.Add("?code=0777")
	f.Fuzz(func(t *testing.T, text string) {
		for name := range codeFiles() {
			if code := codeIn(name, text); code != "" {
				require.Len(t, code, 4)
				require.Contains(t, strings.ToUpper(text), code)
			}
		}
	})
}
