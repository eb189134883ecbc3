package volume

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFATMounts(t *testing.T) {
	table := `/dev/sda1 /boot/efi vfat rw 0 0
/dev/sda2 / ext4 rw 0 0
/dev/sdb1 /media/me/RPI-RP2 vfat rw,nosuid 0 0
/dev/mmcblk0p1 /media/me/my\040card\134x vfat rw 0 0
short
`
	require.Equal(t, []string{"/media/me/RPI-RP2", `/media/me/my card\x`}, fatMounts(strings.NewReader(table)))
}

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
