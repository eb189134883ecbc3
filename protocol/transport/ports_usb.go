//go:build !linux && (!darwin || cgo)

package transport

import (
	"strings"

	"go.bug.st/serial/enumerator"
)

func listPorts(string) ([]PortInfo, error) {
	list, err := enumerator.GetDetailedPortsList()
	if err != nil {
		return nil, err
	}
	out := make([]PortInfo, 0, len(list))
	for _, p := range list {
		info := PortInfo{Name: p.Name}
		if p.IsUSB {
			info.VID, info.PID = strings.ToLower(p.VID), strings.ToLower(p.PID)
			info.Product, info.Serial = p.Product, p.SerialNumber
		}
		out = append(out, info)
	}
	return out, nil
}
