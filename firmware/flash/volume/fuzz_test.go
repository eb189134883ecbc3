package volume

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzBoardID(f *testing.F) {
	f.Add([]byte("UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n"))
	f.Add([]byte("Board-ID:"))
	f.Add(bytes.Repeat([]byte("Board-ID"), 1000))
	f.Fuzz(func(t *testing.T, text []byte) {
		id := boardID(bytes.NewReader(text))
		require.LessOrEqual(t, len(id), maxInfo)
		require.NotContains(t, id, "\n")
		require.Contains(t, string(text), id)
	})
}

func FuzzMounts(f *testing.F) {
	f.Add("/dev/sdb1 /media/me/my\\040card vfat rw 0 0\n")
	f.Add("a \\ vfat\na \\777 vfat\na \\1 msdos\n")
	f.Fuzz(func(t *testing.T, table string) {
		found := fatMounts(strings.NewReader(table))
		require.LessOrEqual(t, len(found), strings.Count(table, "vfat")+strings.Count(table, "msdos"))
		for _, folder := range found {
			require.NotEmpty(t, folder)
		}
	})
}
