package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/boards/usb"
	"github.com/copaflash/copaflash/protocol/transport"
)

// knownPort is a port with what its USB identity tells.
type knownPort struct {
	transport.PortInfo
	Device string   `json:"device,omitempty"`
	Boards []string `json:"boards,omitempty"` // that it is likely to be
}

func knownPorts(ports []transport.PortInfo) []knownPort {
	known := make([]knownPort, len(ports))
	for i, p := range ports {
		known[i].PortInfo = p
		if d := usb.Find(p.VID, p.PID); d != nil {
			known[i].Device, known[i].Boards = d.Name, d.Boards
		}
	}
	return known
}

// portRows is the table of ports for people.
func portRows(ports []knownPort) [][]string {
	rows := [][]string{{"PORT", "USB", "DEVICE", "LIKELY BOARD", "PRODUCT", "SERIAL"}}
	for _, p := range ports {
		id := ""
		if p.VID != "" {
			id = p.VID + ":" + p.PID
		}
		rows = append(rows, []string{p.Name, id, p.Device, strings.Join(p.Boards, ", "), p.Product, p.Serial})
	}
	return rows
}

func portsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "ports",
		Short: "List the serial ports of this machine, and what is probably connected to them",
		Long: `List the serial ports of this machine, with the USB identity of the adapter or
board if the system knows it. To ask the board itself, run: copaflash info --port
PORT.`,
		Example: "  copaflash ports\n  copaflash ports --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ports, err := transport.Ports()
			if err != nil {
				return err
			}
			known := knownPorts(ports)
			if a.ui.json {
				return a.ui.doc(struct {
					document
					Ports []knownPort `json:"ports"`
				}{okDocument("ports"), known})
			}
			if len(ports) == 0 {
				a.ui.note("no serial ports found; plug in a board, or try an emulated one: copaflash emulate rpi3")
				return nil
			}
			return a.ui.table(portRows(known))
		},
	}
}
