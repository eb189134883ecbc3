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
}

// Ports lists the serial ports, USB ones first, each group by name.
func Ports() ([]PortInfo, error) {
	ports, err := listPorts()
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
