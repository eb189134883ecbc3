package dfu

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The descriptors of an STM32F405 in its boot loader: device, configuration, interface, DFU.
var descriptors = []byte{
	18, 1, 0, 1, 0, 0, 0, 64, 0x83, 0x04, 0x11, 0xdf, 0, 0x22, 1, 2, 3, 1,
	9, 2, 27, 0, 1, 1, 0, 0xc0, 50,
	9, 4, 0, 0, 0, 0xfe, 1, 2, 4,
	9, 0x21, 0x0b, 0xff, 0, 0, 8, 0x1a, 1,
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	put := func(name string, text []byte) {
		path := filepath.Join(root, "sys/bus/usb/devices", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	none, err := Find(root)
	require.NoError(t, err)
	require.Empty(t, none)
	for name, text := range map[string]string{
		"1-1/idVendor": "0483\n", "1-1/idProduct": "374b\n",
		"1-2/idVendor": "0483\n", "1-2/idProduct": "df11\n", "1-2/busnum": "1\n", "1-2/devnum": "7\n", "1-2/serial": "3576384F3235\n",
		"1-2/1-2:1.0/bInterfaceClass": "fe\n", "1-2/1-2:1.0/bInterfaceSubClass": "01\n", "1-2/1-2:1.0/bInterfaceProtocol": "02\n",
		"1-2/1-2:1.0/bInterfaceNumber": "00\n", "1-2/1-2:1.0/interface": "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,07*128Kg\n",
		"1-2/descriptors": string(descriptors),
	} {
		put(name, []byte(text))
	}
	found, err := Find(root)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, filepath.Join(root, "dev/bus/usb/001/007"), found[0].Path)
	require.Equal(t, 2048, found[0].Transfer)
	require.Len(t, found[0].Flash.Sectors, 12)
	require.Equal(t, "3576384F3235", found[0].Serial)

	put("1-2/descriptors", descriptors[:40])
	_, err = Find(root)
	require.ErrorContains(t, err, "size of its blocks")
	put("1-2/descriptors", append([]byte{0, 0}, descriptors...))
	_, err = Find(root)
	require.ErrorContains(t, err, "size of its blocks")
}

// The kernel's numbers on machines of 64 bits, as linux/usbdevice_fs.h gives them.
func TestRequestNumbers(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 {
		require.EqualValues(t, 0xc0185500, uintptr(ioControl))
	} else {
		require.EqualValues(t, 0xc0105500, uintptr(ioControl))
	}
	require.EqualValues(t, 0x80085504, uintptr(ioSetting))
	require.EqualValues(t, 0x8004550f, uintptr(ioClaim))
	require.ErrorIs(t, translate(unix.EPIPE), ErrStall)
	require.ErrorIs(t, translate(unix.ENODEV), ErrGone)
	require.False(t, errors.Is(translate(unix.ETIMEDOUT), ErrGone))
}

// A file that is no USB device is refused by the kernel, not by luck.
func TestOpenOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := Open(Device{Path: path})
	require.ErrorIs(t, err, unix.ENOTTY)
	_, err = Open(Device{Path: path + "y"})
	require.ErrorIs(t, err, os.ErrNotExist)
}
