package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/protocol/transport"
)

// driveWait is how long a system may take to mount the drive of a boot loader.
const driveWait = 20 * time.Second

// touchRunner has the board's runner start the boot loader, by the port of --port or the only one over USB with the board's name, and
// waits for the drive, for which find looks. Without such a port there is none to wait for.
func (a *app) touchRunner(ctx context.Context, b *boards.Board, flags flashFlags, find func() []string) ([]string, error) {
	port := flags.port
	if port == "" {
		runners := a.desk.portsOf(b, "")
		switch len(runners) {
		case 0:
			return nil, nil // then the user presses the button
		case 1:
			port = runners[0].Name
		default:
			var names []string
			for _, p := range runners {
				names = append(names, p.Name)
			}
			return nil, &failure{Code: exitUsage, Message: fmt.Sprintf("there are %d runners of %s: %s", len(names), b.Name, strings.Join(names, ", ")),
				Hint: "name the one to write to with --port"}
		}
	}
	if err := transport.Touch(port); err != nil {
		return nil, err
	}
	a.ui.note("asked the runner at %s for its boot loader; waiting for the drive", port)
	for end := time.Now().Add(driveWait); time.Now().Before(end); {
		if drives := find(); len(drives) > 0 {
			return drives, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return nil, &failure{Code: exitNoDevice, Message: "no drive of the boot loader has appeared",
		Hint: "if there is one now, mount it and run this again; a loop keeps the runner (stop it: copaflash stop), and only its port over USB heeds this; " +
			"otherwise " + b.Flash.UF2.Enter}
}
