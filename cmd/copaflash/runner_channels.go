package main

import (
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/boards/machine"
	"github.com/copaflash/copaflash/hil/target"
)

func runnerChannelsCommand(a *app) *cobra.Command {
	var flags targetFlags
	root := "/"
	c := &cobra.Command{
		Use:   "channels",
		Short: "List what this machine has for --allow, or what a runner allows",
		Long: `List the inputs and outputs of this Linux machine by the names that --allow takes: GPIO
lines, IIO and hwmon inputs, PWM outputs, CAN interfaces; who has them, and which rights
are missing.

With --port or --target, list what the runner there allows: the channels that variables
of programs can be bound to by --bind, as copaflash boards BOARD --channels does for boards.`,
		Example: `  copaflash runner channels
  copaflash runner channels --port unix:/run/copaflash.sock --json`,
		Args: cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if !c.Flags().Changed("port") && !c.Flags().Changed("target") {
			return a.listDrivers(root)
		}
		at, err := flags.need(c.Context(), a)
		if err != nil {
			return err
		}
		at.runner = true
		dev, err := a.openTarget(c.Context(), at)
		if err != nil {
			return err
		}
		defer dev.Close()
		return a.listAllowed(dev)
	}
	flags.add(c)
	c.Flags().StringVar(&root, "root", root, "folder in front of /sys and /dev, for tests")
	_ = c.Flags().MarkHidden("root")
	return c
}

// driversResult is what --json prints of this machine.
type driversResult struct {
	document
	Drivers []machine.Found `json:"drivers"`
}

func (a *app) listDrivers(root string) error {
	if runtime.GOOS != "linux" {
		return &failure{Code: exitIncompatible, Message: "this machine does not run Linux", Hint: "name a runner on one: --port unix:PATH or tcp:HOST:PORT"}
	}
	found, err := machine.Scan(root)
	if err != nil {
		return err
	}
	if a.ui.json {
		return a.ui.doc(driversResult{okDocument("runner channels"), append([]machine.Found{}, found...)})
	}
	if len(found) == 0 {
		a.ui.note("this machine has no GPIO chip, no IIO, hwmon or PWM device, and no CAN interface")
		return nil
	}
	rows := [][]string{{"FOR --allow", "KINDS", "NAME", "STATE"}}
	for _, f := range found {
		state := "free"
		switch {
		case f.Taken != "":
			state = "in use by " + f.Taken
		case f.Lacks != "":
			state = f.Lacks
		}
		rows = append(rows, []string{f.Name, strings.Join(f.Kinds, ", "), f.Title, state})
	}
	return a.ui.table(rows)
}

// listAllowed lists the channels of a runner, a board's too.
func (a *app) listAllowed(dev target.Target) error {
	p, ok := dev.(pinned)
	if !ok {
		return &failure{Code: exitIncompatible, Message: dev.Name() + " has no channels", Hint: "name a runner: --port unix:PATH or tcp:HOST:PORT"}
	}
	b, err := p.Pins()
	if err != nil {
		return &failure{Code: exitFailed, Message: err.Error(), Hint: "copaflash runner run --allow NAME lets programs use a driver; copaflash runner channels lists those of this machine"}
	}
	return a.printChannels(b, "runner channels")
}
