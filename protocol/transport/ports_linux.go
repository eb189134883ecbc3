package transport

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// listPorts reads /sys/class/tty, described in Documentation/ABI of the kernel. A tty with a device is a serial port; consoles
// and pseudo terminals have none. No port is opened: that alone would move the modem lines of a board.
func listPorts(root string) ([]PortInfo, error) {
	class := filepath.Join(root, "sys/class/tty")
	entries, err := os.ReadDir(class)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no sysfs, as in some containers
	}
	if err != nil {
		return nil, err
	}
	var ports []PortInfo
	for _, e := range entries {
		tty := filepath.Join(class, e.Name())
		device, err := filepath.EvalSymlinks(filepath.Join(tty, "device"))
		if err != nil {
			continue // none, or unplugged meanwhile
		}
		name := filepath.Join(root, "dev", e.Name())
		if _, err := os.Stat(name); err != nil {
			continue // known to the kernel, but not given to this container
		}
		p := PortInfo{Name: name, Phantom: isPhantom(tty, device)}
		p.describeUSB(device, filepath.Join(root, "sys"))
		ports = append(ports, p)
	}
	return ports, nil
}

// isPhantom tells a port of the 8250 driver for which no hardware was found. Its type is 0, PORT_UNKNOWN of linux/serial_core.h;
// where only root may read that, the ports that belong to no device but to the driver itself are passed over.
func isPhantom(tty, device string) bool {
	if kind := attribute(tty, "type"); kind != "" {
		return kind == "0"
	}
	for part := range strings.SplitSeq(device, string(filepath.Separator)) {
		if part == "serial8250" {
			return true
		}
	}
	return false
}

// describeUSB looks for the USB device that a port is a part of: the folder above it that has numbers.
func (p *PortInfo) describeUSB(device, sysfs string) {
	top, err := filepath.EvalSymlinks(sysfs)
	if err != nil {
		return
	}
	for dir := device; strings.HasPrefix(dir, top) && dir != top; dir = filepath.Dir(dir) {
		if vid := attribute(dir, "idVendor"); vid != "" {
			p.VID, p.PID = strings.ToLower(vid), strings.ToLower(attribute(dir, "idProduct"))
			p.Product, p.Serial, p.USB = attribute(dir, "product"), attribute(dir, "serial"), dir
			return
		}
	}
}

// attribute reads a file of sysfs, which has one line; it is empty if there is none.
func attribute(dir, name string) string {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
