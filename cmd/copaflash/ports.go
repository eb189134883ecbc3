package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// portsDocument is the JSON document of ports.
type portsDocument struct {
	document
	Ports []knownPort `json:"ports"`
}

// portRows is the table of ports for people.
func portRows(ports []knownPort, asked bool) [][]string {
	head := []string{"PORT", "USB", "DEVICE", "BOARD", "PRODUCT", "SERIAL"}
	if asked {
		head = []string{"PORT", "USB", "DEVICE", "BOARD", "RUNNER", "MEMORY"}
	}
	rows := [][]string{head}
	for i := range ports {
		p := &ports[i]
		id := ""
		if p.VID != "" {
			id = p.VID + ":" + p.PID
		}
		row := []string{p.Name, id, p.Device, p.likely(), p.Product, p.Serial}
		if p.Phantom {
			row[2] = "no hardware"
		}
		if asked {
			row = append(row[:3], answerCells(p)...)
		}
		rows = append(rows, row)
	}
	return rows
}

// answerCells are the board, the runner and its memory.
func answerCells(p *knownPort) []string {
	switch r := p.Answer; {
	case r == nil:
		return []string{p.likely(), "not asked", ""}
	case r.Error != nil:
		return []string{p.likely(), r.String(), ""}
	default:
		return []string{r.Board, r.Firmware, fmt.Sprintf("code %s, data %s", bytesText(uint64(r.CodeBytes)), bytesText(uint64(r.DataBytes)))}
	}
}

func portsCommand(a *app) *cobra.Command {
	var all, probe, watch bool
	c := &cobra.Command{
		Use:   "ports",
		Short: "List the serial ports of this machine, and which boards are connected to them",
		Long: `List the serial ports of this machine, with the USB identity of the adapter or
board if the system knows it, and the board that this means: by numbers and texts of
the USB device, and by what the drive of the same device tells. A question mark is
behind boards that are only likely. Nothing is sent.

With --probe boards, debug probes and serial adapters are asked by a HELLO of the
runner's protocol, and show board, version and memory. Other ports may be anything's,
and are asked only with --all, too.

Ports that the system has a name for and no hardware, such as ttyS1 to ttyS31 on
Linux, are left out without --all, and are never asked.`,
		Example: "  copaflash ports\n  copaflash ports --probe\n  copaflash ports --watch --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if watch {
				return a.watchPorts(c.Context(), all)
			}
			ports, err := a.desk.ports()
			if err != nil {
				return err
			}
			if !all {
				ports = slices.DeleteFunc(ports, func(p knownPort) bool { return p.Phantom })
			}
			if probe {
				var ask []*knownPort
				for i := range ports {
					if p := &ports[i]; p.candidate || all && !p.Phantom {
						ask = append(ask, p)
					}
				}
				a.desk.ask(c.Context(), ask)
			}
			if a.ui.json {
				return a.ui.doc(portsDocument{okDocument("ports"), ports})
			}
			if len(ports) == 0 {
				a.ui.note("no serial ports found; plug in a board, or try an emulated one: copaflash emulate rpi3")
				return nil
			}
			return a.ui.table(portRows(ports, probe))
		},
	}
	c.Flags().BoolVar(&all, "all", false, "also ports without hardware; with --probe ask ports that may be anything's, too")
	c.Flags().BoolVar(&probe, "probe", false, "ask the boards what they are")
	c.Flags().BoolVar(&watch, "watch", false, "go on, and tell what is plugged in and unplugged, until Ctrl-C")
	c.MarkFlagsMutuallyExclusive("probe", "watch")
	return c
}
