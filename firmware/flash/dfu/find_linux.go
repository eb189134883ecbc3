package dfu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The numbers of ST's boot loader, and the interface by which a device says that it is in one (DFU 1.1, table 4.4).
const (
	vendorST  = "0483"
	productST = "df11"

	classApplication = "fe"
	subclassDFU      = "01"
	protocolDFU      = "02"
)

// A Device is a boot loader that is connected.
type Device struct {
	Path      string // of usbfs
	Serial    string
	Interface int
	Flash     Layout
	Transfer  int // bytes of a block
}

// Find lists the boot loaders of STM32 chips by sysfs of the folder where the file system begins: "/", or one of a test.
func Find(root string) ([]Device, error) {
	devices := filepath.Join(root, "sys/bus/usb/devices")
	entries, err := os.ReadDir(devices)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []Device
	for _, e := range entries {
		dir := filepath.Join(devices, e.Name())
		if attribute(dir, "idVendor") != vendorST || attribute(dir, "idProduct") != productST {
			continue
		}
		d, err := describe(root, dir)
		if err != nil {
			return nil, fmt.Errorf("USB device %s: %w", e.Name(), err)
		}
		found = append(found, d)
	}
	return found, nil
}

// describe reads what sysfs has of a boot loader. The kernel sets the first setting of each interface, which on STM32 chips is the
// flash of the chip; its text is the layout.
func describe(root, dir string) (Device, error) {
	bus, err := strconv.Atoi(attribute(dir, "busnum"))
	if err != nil {
		return Device{}, err
	}
	number, err := strconv.Atoi(attribute(dir, "devnum"))
	if err != nil {
		return Device{}, err
	}
	d := Device{Path: filepath.Join(root, fmt.Sprintf("dev/bus/usb/%03d/%03d", bus, number)), Serial: attribute(dir, "serial")}
	interfaces, err := filepath.Glob(filepath.Join(dir, "*:*.*"))
	if err != nil {
		return Device{}, err
	}
	for _, i := range interfaces {
		if attribute(i, "bInterfaceClass") != classApplication || attribute(i, "bInterfaceSubClass") != subclassDFU || attribute(i, "bInterfaceProtocol") != protocolDFU {
			continue
		}
		n, err := strconv.ParseUint(attribute(i, "bInterfaceNumber"), 16, 8)
		if err != nil {
			return Device{}, err
		}
		d.Interface = int(n)
		if d.Flash, err = ParseLayout(attribute(i, "interface")); err != nil {
			return Device{}, err
		}
		raw, err := os.ReadFile(filepath.Join(dir, "descriptors"))
		if err != nil {
			return Device{}, err
		}
		d.Transfer, err = transferSize(raw)
		return d, err
	}
	return Device{}, errors.New("it has no DFU interface")
}

// transferSize finds the functional descriptor, DFU 1.1, table 4.2, among those of a device.
func transferSize(raw []byte) (int, error) {
	const kind, length = 0x21, 9
	for len(raw) >= 2 && raw[0] >= 2 && int(raw[0]) <= len(raw) {
		if raw[1] == kind && raw[0] >= length {
			return int(raw[5]) | int(raw[6])<<8, nil
		}
		raw = raw[raw[0]:]
	}
	return 0, errors.New("it does not tell the size of its blocks")
}

// attribute reads a file of sysfs, which has one line; it is empty if there is none.
func attribute(dir, name string) string {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
