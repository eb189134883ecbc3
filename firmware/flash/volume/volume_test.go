package volume

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFolders(t *testing.T) {
	drive, card, other := t.TempDir(), t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(drive, UF2Info), []byte("UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(card, "start4.elf"), nil, 0o600))
	all := []string{drive, card, other, filepath.Join(other, "gone")}
	require.Equal(t, []string{drive}, With(all, UF2Info))
	require.Equal(t, []string{card}, With(all, "start.elf", "start4.elf"))
	require.Equal(t, "RPI-RP2", BoardID(drive))
	require.Empty(t, BoardID(card))
	require.NoError(t, os.WriteFile(filepath.Join(other, UF2Info), []byte(strings.Repeat("x", maxInfo)+"\nBoard-ID: far\n"), 0o600))
	require.Empty(t, BoardID(other))
}

// What the drives of debug probes say, in the words of a DAPLink and of an ST-Link.
func TestProbeDrives(t *testing.T) {
	for _, tt := range []struct{ name, file, text, code string }{
		{"DAPLink", "DETAILS.TXT", "# DAPLink Firmware - see https://mbed.com/daplink\r\nUnique ID: 9904360254974e450043700f00000020000000009796990b\r\nHIC ID: 9796990b\r\n", "9904"},
		{"its page", "MBED.HTM", "<!-- mbed Microcontroller Website and Authentication Shortcut -->\r\n<script>window.location.replace(\"https://mbed.com/device/?code=9900360254974e45\");</script>", "9900"},
		{"ST-Link", "MBED.HTM", `<meta http-equiv="refresh" content="0; url=https://os.mbed.com/platforms/?code=0777abcd0012">`, "0777"},
		{"ST-Link, which says no board there", "DETAILS.TXT", "Version: 0221\r\nBuild: Jan  7 2020 14:58:07\r\n", ""},
		{"too short", "DETAILS.TXT", "Unique ID: 99", ""},
		{"in the middle of a line", "DETAILS.TXT", "No Unique ID: 9900", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			require.False(t, IsProbe(dir))
			require.NoError(t, os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.text), 0o600))
			require.Equal(t, tt.code, Code(dir))
			require.True(t, IsProbe(dir))
			require.Empty(t, Failure(dir))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "FAIL.TXT"), []byte("error: The transfer timed out.\r\ntype: transient, user\r\n"), 0o600))
			require.Equal(t, "error: The transfer timed out. type: transient, user", Failure(dir))
		})
	}
}
