package transport

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A tree is made as sysfs is: files by their content, links where the content begins with "->".
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		if len(content) > 2 && content[:2] == "->" {
			require.NoError(t, os.Symlink(content[2:], path))
			continue
		}
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	return root
}

func TestPortsOfSysfs(t *testing.T) {
	const (
		probe   = "sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/"
		adapter = "sys/devices/pci0000:00/0000:00:14.0/usb1/1-3/1-3.4/"
		spare   = "sys/devices/platform/serial8250/tty/"
		spare6  = "sys/devices/platform/serial8250/serial8250:0/serial8250:0.2/tty/ttyS2/"
		pnp     = "sys/devices/pnp0/00:05/tty/ttyS0/"
		soc     = "sys/devices/platform/soc/fe201000.serial/tty/ttyAMA0/"
	)
	root := tree(t, map[string]string{
		// A DAPLink: CDC ACM, the interface is the device of the tty.
		probe + "idVendor": "0D28\n", probe + "idProduct": "0204\n", probe + "product": "BBC micro:bit CMSIS-DAP\n", probe + "serial": "9900000051864e45\n",
		probe + "1-2:1.1/tty/ttyACM0/device": "->../../../1-2:1.1",
		"sys/class/tty/ttyACM0":              "->../../devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.1/tty/ttyACM0",
		"dev/ttyACM0":                        "",
		// An adapter behind a hub, which has numbers of its own: a port of usb-serial in between.
		"sys/devices/pci0000:00/0000:00:14.0/usb1/1-3/idVendor": "1a40\n",
		adapter + "idVendor": "0403\n", adapter + "idProduct": "6001\n", adapter + "serial": "\n",
		adapter + "1-3.4:1.0/ttyUSB0/tty/ttyUSB0/device": "->../../../ttyUSB0",
		"sys/class/tty/ttyUSB0":                          "->../../devices/pci0000:00/0000:00:14.0/usb1/1-3/1-3.4/1-3.4:1.0/ttyUSB0/tty/ttyUSB0",
		"dev/ttyUSB0":                                    "",
		// Serial ports of the machine, and spare ones of the driver: by their type, and where that is not told by their place.
		pnp + "device": "->../../../00:05", pnp + "type": "4\n", "sys/class/tty/ttyS0": "->../../devices/pnp0/00:05/tty/ttyS0", "dev/ttyS0": "",
		spare + "ttyS1/device": "->../../../serial8250", spare + "ttyS1/type": "0\n", "sys/class/tty/ttyS1": "->../../devices/platform/serial8250/tty/ttyS1", "dev/ttyS1": "",
		spare6 + "device": "->../../../serial8250:0.2", "sys/class/tty/ttyS2": "->../../devices/platform/serial8250/serial8250:0/serial8250:0.2/tty/ttyS2", "dev/ttyS2": "",
		// One of a virtual machine, found by its address: the driver's own device, but real.
		spare + "ttyS3/device": "->../../../serial8250", spare + "ttyS3/type": "4\n", "sys/class/tty/ttyS3": "->../../devices/platform/serial8250/tty/ttyS3", "dev/ttyS3": "",
		soc + "device": "->../../../fe201000.serial", soc + "type": "32\n", "sys/class/tty/ttyAMA0": "->../../devices/platform/soc/fe201000.serial/tty/ttyAMA0", "dev/ttyAMA0": "",
		// A console; and a port of the machine that this container does not have.
		"sys/devices/virtual/tty/tty1/dev": "4:1\n", "sys/class/tty/tty1": "->../../devices/virtual/tty/tty1", "dev/tty1": "",
		"sys/devices/pnp0/00:06/tty/ttyS7/device": "->../../../00:06", "sys/class/tty/ttyS7": "->../../devices/pnp0/00:06/tty/ttyS7",
	})
	top, err := filepath.EvalSymlinks(root)
	require.NoError(t, err)
	ports, err := PortsBelow(root)
	require.NoError(t, err)
	name := func(n string) string { return filepath.Join(root, "dev", n) }
	require.Equal(t, []PortInfo{
		{Name: name("ttyACM0"), VID: "0d28", PID: "0204", Product: "BBC micro:bit CMSIS-DAP", Serial: "9900000051864e45", USB: filepath.Join(top, probe)},
		{Name: name("ttyUSB0"), VID: "0403", PID: "6001", USB: filepath.Join(top, adapter)},
		{Name: name("ttyAMA0")},
		{Name: name("ttyS0")},
		{Name: name("ttyS1"), Phantom: true},
		{Name: name("ttyS2"), Phantom: true},
		{Name: name("ttyS3")},
	}, ports)

	// A machine without any, and one without sysfs.
	none, err := PortsBelow(t.TempDir())
	require.NoError(t, err)
	require.Empty(t, none)
}
