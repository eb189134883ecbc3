package volume

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFATMounts(t *testing.T) {
	table := `22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw
36 22 8:1 / /boot/efi rw - vfat /dev/sda1 rw
99 22 8:16 / /media/me/RPI-RP2 rw,nosuid shared:5 master:2 - vfat /dev/sdb rw
98 22 179:1 / /media/me/my\040card\134x rw - vfat /dev/mmcblk0p1 rw
97 22 8:32 /sub /mnt rw - msdos /dev/sdc rw
short
short - vfat
`
	require.Equal(t, []Drive{
		{Folder: "/media/me/RPI-RP2", Device: "/dev/sdb"}, {Folder: `/media/me/my card\x`, Device: "/dev/mmcblk0p1"}, {Folder: "/mnt", Device: "/dev/sdc"},
	}, fatMounts(strings.NewReader(table)))
}

// Drives of a machine with a debug probe whose drive is mounted, one whose drive is not, and a disk that is no USB device.
func TestDrives(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	link := func(name, to string) {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.Symlink(to, path))
	}
	for device, disk := range map[string]string{"1-2": "sdb", "1-3": "sdc"} {
		put("sys/devices/usb1/"+device+"/idVendor", "0483\n")
		put("sys/devices/usb1/"+device+"/"+device+":1.1/host6/block/"+disk+"/size", "1\n")
		link("sys/class/block/"+disk, "../../devices/usb1/"+device+"/"+device+":1.1/host6/block/"+disk)
	}
	put("sys/devices/ata1/block/sda/sda3/size", "1\n")
	link("sys/class/block/sda3", "../../devices/ata1/block/sda/sda3")
	link("dev/disk/by-label/NODE_F446RE", "../../sdb")
	link(`dev/disk/by-label/MY\x20BIT`, "../../sdc")
	link("dev/disk/by-label/RECOVERY", "../../sda3")
	put("proc/self/mountinfo", "99 22 8:16 / /media/me/NODE_F446RE rw - vfat /dev/sdb rw\n")
	drives := Below(root)
	slices.SortFunc(drives, func(a, b Drive) int { return strings.Compare(a.Device, b.Device) })
	top, err := filepath.EvalSymlinks(root)
	require.NoError(t, err)
	require.Equal(t, []Drive{
		{Folder: "/media/me/NODE_F446RE", Device: filepath.Join(root, "dev/sdb"), Label: "NODE_F446RE", USB: filepath.Join(top, "sys/devices/usb1/1-2")},
		{Device: filepath.Join(root, "dev/sdc"), Label: "MY BIT", USB: filepath.Join(top, "sys/devices/usb1/1-3")},
	}, drives)
	require.Equal(t, []string{"/media/me/NODE_F446RE"}, Folders(drives))
	require.Empty(t, Below(t.TempDir()))
}

func FuzzMounts(f *testing.F) {
	f.Add("99 22 8:16 / /media/me/my\\040card rw - vfat /dev/sdb rw\n")
	f.Add("a \\ b c d - vfat\na b c d \\777 - vfat x\na - msdos \\1\n - \n")
	f.Fuzz(func(t *testing.T, table string) {
		found := fatMounts(strings.NewReader(table))
		require.LessOrEqual(t, len(found), strings.Count(table, "vfat")+strings.Count(table, "msdos"))
		for _, d := range found {
			require.NotEmpty(t, d.Folder)
			require.NotEmpty(t, d.Device)
		}
	})
}
