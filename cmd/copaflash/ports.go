package main

import (
	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/protocol/transport"
)

func portsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "ports",
		Short: "List the serial ports of this machine",
		Long: `List the serial ports of this machine, with the USB identity of the adapter or
board behind them where the system tells it.`,
		Example: "  copaflash ports\n  copaflash ports --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ports, err := transport.Ports()
			if err != nil {
				return err
			}
			if a.ui.json {
				return a.ui.doc(struct {
					document
					Ports []transport.PortInfo `json:"ports"`
				}{okDocument("ports"), append([]transport.PortInfo{}, ports...)})
			}
			if len(ports) == 0 {
				a.ui.note("no serial ports found; plug in a board, or try an emulated one: copaflash emulate rpi3")
				return nil
			}
			rows := [][]string{{"PORT", "USB", "PRODUCT", "SERIAL"}}
			for _, p := range ports {
				usb := ""
				if p.VID != "" {
					usb = p.VID + ":" + p.PID
				}
				rows = append(rows, []string{p.Name, usb, p.Product, p.Serial})
			}
			return a.ui.table(rows)
		},
	}
}
