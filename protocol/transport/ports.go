package transport

import (
	"fmt"
	"slices"
	"strings"
)

// PortInfo describes a serial port of this machine. The USB fields are empty
// for other ports, and where the system does not tell.
type PortInfo struct {
	Name    string `json:"name"`              // as OpenSerial takes it
	VID     string `json:"vid,omitempty"`     // USB vendor, four hexadecimal digits
	PID     string `json:"pid,omitempty"`     // USB product, four hexadecimal digits
	Product string `json:"product,omitempty"` // text of the device
	Serial  string `json:"serial,omitempty"`  // serial number of the device
	// Phantom is a port that the system has a name for and no hardware: the spare ones of Linux' 8250 driver.
	Phantom bool `json:"phantom,omitempty"`
	// USB is where the system describes the device (Linux: a folder of sysfs), which tells what else belongs to it; else empty.
	USB string `json:"-"`
}

// Ports lists the serial ports behind which there is hardware, USB ones first, each group by name.
func Ports() ([]PortInfo, error) {
	ports, err := PortsBelow("/")
	return slices.DeleteFunc(ports, func(p PortInfo) bool { return p.Phantom }), err
}

// PortsBelow lists all ports in the same order, on Linux those of the folder where the file system begins: "/", or one of a
// test. Other systems are asked for theirs.
func PortsBelow(root string) ([]PortInfo, error) {
	ports, err := listPorts(root)
	if err != nil {
		return nil, fmt.Errorf("list serial ports: %w", err)
	}
	slices.SortFunc(ports, usbFirst)
	return ports, nil
}

// usbFirst is the order of ports.
func usbFirst(a, b PortInfo) int {
	if (a.VID != "") != (b.VID != "") {
		if a.VID != "" {
			return -1
		}
		return 1
	}
	return strings.Compare(a.Name, b.Name)
}
