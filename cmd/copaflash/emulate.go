package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/hil/target"
)

// emulateResult is what --json prints once the board can be reached.
type emulateResult struct {
	document
	Board string `json:"board"`
	TTY   string `json:"tty"`
}

func emulateCommand(a *app) *cobra.Command {
	var runner string
	c := &cobra.Command{
		Use:   "emulate BOARD",
		Short: "Boot a board's runner in QEMU and print a real tty to deploy to",
		Long: `Boot a board's runner in QEMU. The first line on stdout is the path of a tty that
behaves like the board's serial port. The command stays in the foreground; QEMU
ends with it, on Ctrl-C, and leaves nothing behind.`,
		Example: `  copaflash emulate rpi3
  copaflash deploy --port /dev/pts/7 examples/pid.py     # in another terminal
  copaflash emulate mps2-an386 --runner own.elf          # as firmware build has made it`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &failure{Code: exitUsage, Message: "emulate takes the name of one board", Hint: "see: copaflash boards"}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			b, err := findBoard(args[0])
			if err != nil {
				return err
			}
			if err := useRunner(b, runner); err != nil {
				return err
			}
			m, err := target.EmulateBoard(c.Context(), b)
			if err != nil {
				return err
			}
			defer m.Close()
			if a.ui.json {
				err = a.ui.doc(emulateResult{okDocument("emulate"), args[0], m.TTY()})
			} else {
				a.ui.out("%s\n", m.TTY())
				a.ui.note("%s is running in QEMU; deploy with --port %s; Ctrl-C ends it", args[0], m.TTY())
			}
			if err != nil {
				return err
			}
			select {
			case <-c.Context().Done():
				if errors.Is(context.Cause(c.Context()), context.Canceled) {
					return nil
				}
				return c.Context().Err()
			case <-m.Done():
				return m.Err()
			}
		},
	}
	runnerFlag(c, &runner)
	return c
}
