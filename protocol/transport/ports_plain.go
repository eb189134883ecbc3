//go:build darwin && !cgo

package transport

import "go.bug.st/serial"

// listPorts gives names only: the USB identity needs cgo on macOS.
func listPorts(string) ([]PortInfo, error) {
	names, err := serial.GetPortsList()
	if err != nil {
		return nil, err
	}
	out := make([]PortInfo, 0, len(names))
	for _, n := range names {
		out = append(out, PortInfo{Name: n})
	}
	return out, nil
}
