package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/hil/target"
)

const imageSuffix = ".copa"

func deployCommand(a *app) *cobra.Command {
	var flags targetFlags
	var how howFlags
	var todo job
	var limit time.Duration
	var host scriptHost
	var loop loopStart
	var store storeFlags
	c := &cobra.Command{
		Use:   "deploy SCRIPT|GRAPH|FILE.copa",
		Short: "Load a program onto a board and run it; print results, link rate and timing",
		Long: `Load a program onto a board and run it there.

A script is run here, with each cp.Target() on the board. An image file or a graph
file (.json, .cbor) is loaded, run, and its outputs are printed. Either way the
program stays on the board, where read and write access its variables. With --runs the
last program of a script is run that many more times after the script has ended, and
with --rate or --period and --ticks as ticks that start that far apart.

With --rate or --period alone the program is started as a loop: it runs every tick by
the board's own timer, what the script itself would run is left out, the first
statistics are printed, and the loop is left running. watch, set, capture, swap and
stop reach it from any terminal; see also copaflash start --help.

With --store the board also keeps the program in its flash, with the values of --set, and
loads it by itself after each reset; with --autostart it starts the loop then, too, and at
once, with the hardware watchdog where the board has one. The older one of two slots is
written: power may fail at any time. See copaflash store --help.

The target "local" is always the sandboxed process, as "local:sandbox" is: whatever
an image file holds, it does not run inside copaflash.` + bindHelp(),
		Example: `  copaflash deploy --port /dev/ttyACM0 examples/inverse_kinematics.py
  copaflash deploy --port /dev/ttyACM0 pid.copa --runs 1000
  copaflash deploy --port /dev/ttyACM0 pid.py --rate 1kHz
  copaflash deploy --port /dev/ttyACM0 pid.py --rate 1kHz --store --autostart --set kp=2
  copaflash deploy --port /dev/ttyACM0 pid.copa --ticks 5000 --rate 1kHz
  COPAFLASH_PORT=/dev/ttyACM0 copaflash deploy examples/pid.py --json`,
		Args: scriptArg,
		RunE: func(c *cobra.Command, args []string) error {
			if err := store.check(c); err != nil {
				return err
			}
			loops := todo.loops(c) || store.store
			if !loops {
				if err := todo.forFile(c, args[0]); err != nil {
					return err
				}
			}
			at, err := flags.need(c.Context(), a)
			if err != nil {
				return err
			}
			at.runner = true
			if loops {
				loop.source.how, loop.source.host = how, host
				j := loopJob{command: "deploy", file: args[0], at: at, start: &loop}
				if store.store {
					j.store = &store
				}
				return a.startFile(c, j, &todo, limit)
			}
			if at, err = at.limited(limit); err != nil {
				return err
			}
			if host.bind.rate, err = todo.pace.hz(); err != nil {
				return err
			}
			var r *runResult
			switch {
			case strings.HasSuffix(args[0], imageSuffix) && how != (howFlags{}):
				return compiledAlready(args[0])
			case strings.HasSuffix(args[0], imageSuffix):
				if err := host.bind.forImage(args[0]); err != nil {
					return err
				}
				r, err = a.deployImage(c.Context(), args[0], at, todo)
			case isGraph(args[0]):
				r, err = a.runGraph(c.Context(), "deploy", args[0], at, how.options(), todo, host)
			default:
				r, err = a.runScript(c.Context(), "deploy", args[0], at, how, todo, host)
			}
			if err != nil {
				return err
			}
			if a.ui.json {
				return a.ui.doc(r)
			}
			a.showDeployed(r)
			return nil
		},
	}
	flags.add(c)
	flags.addAllow(c)
	how.add(c)
	todo.add(c)
	limitFlag(c, &limit)
	loop.add(c)
	store.add(c)
	host.add(c)
	host.bind.add(a, c)
	return c
}

// deployImage loads an image file, runs it and reads its outputs.
func (a *app) deployImage(ctx context.Context, file string, at place, todo job) (*runResult, error) {
	img, err := a.readImage(file)
	if err != nil {
		return nil, err
	}
	dev, err := a.openRunner(ctx, at)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	p, err := dev.LoadImage(ctx, img)
	if err != nil {
		return nil, err
	}
	at.keep(img)
	r := &runResult{document: okDocument("deploy"), Target: dev.Name(), Board: dev.Board()}
	return r, r.carryOut(ctx, p, img, imageOutputs(img), todo)
}

func (a *app) showOutputs(r *runResult) {
	for _, o := range r.Outputs {
		a.ui.out("%s = %s\n", o.Name, o.Value)
	}
}

// showDeployed prints what deploy adds to what the script printed.
func (a *app) showDeployed(r *runResult) {
	a.showOutputs(r)
	for _, p := range r.Programs {
		rate := "-"
		if p.TransferNS > 0 {
			rate = rateText(float64(p.WireBytes) / (float64(p.TransferNS) / 1e9))
		}
		a.ui.note("%s on %s: %d ops, code %d B, data %d B, %d patches", p.archNote(), r.where(), p.Ops, p.CodeBytes, p.DataBytes, p.Patches)
		a.ui.note("  sent %d B in %s (%s)", p.WireBytes, duration(time.Duration(p.TransferNS)), rate)
		if p.Runs > 0 {
			a.ui.note("  %s: %s mean, %s min, %s max, by the target's timer", plural(p.Runs, "run"),
				duration(time.Duration(p.RunNS.Mean)), duration(time.Duration(p.RunNS.Min)), duration(time.Duration(p.RunNS.Max)))
		}
		if p.Timing != nil {
			a.ui.note("  %s", p.Timing)
		}
		if note := timingNote(r.Target); note != "" {
			a.ui.note("  %s", note)
		}
	}
}

// timingNote says what times are that are not those of code on the target's hardware.
func timingNote(name string) string {
	switch {
	case target.IsEmulated(name):
		return "times are QEMU's, by the emulated timer: they say nothing of hardware"
	case name == target.Oracle:
		return "times are those of evaluating: no code was run"
	}
	return ""
}

func (r *runResult) where() string {
	if r.Board != "" && r.Board != r.Target {
		return r.Board + " at " + r.Target
	}
	return r.Target
}
