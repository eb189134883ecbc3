package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/transport"
)

func storeCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "store",
		Short: "Programs that a board keeps in its flash: show, forget, or keep the one that is there with its tuned parameters",
		Long: `A board with a store keeps one program in its flash, with the values of its parameters, and
loads it by itself after each reset; with --autostart it starts the loop, too. There are
two slots, of which the older one is written: when power fails meanwhile, the program of
before is still there, whole.

copaflash deploy --store keeps a program. A button held at reset, or a break on the line,
keeps the board from carrying it out: docs/stored-programs.md says which button.`,
		Example: `  copaflash deploy pid.py --rate 1kHz --store --autostart --port /dev/ttyACM0
  copaflash store list
  copaflash store save --autostart --restart
  copaflash store clear`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.askForVerb(c) },
	}
	c.AddCommand(storeClearCommand(a), storeListCommand(a), storeSaveCommand(a))
	return c
}

// storeResult is the JSON document of store list and store clear.
type storeResult struct {
	document
	Target string     `json:"target"`
	Board  string     `json:"board,omitempty"`
	Store  *storeInfo `json:"store"`
}

// onStore opens a board with a store, does something, and shows what is stored then.
func (a *app) onStore(c *cobra.Command, flags *targetFlags, do func(context.Context, *target.Runner) error) error {
	at, err := flags.need(c.Context(), a)
	if err != nil {
		return err
	}
	r, err := a.openStore(c.Context(), at)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := do(c.Context(), r); err != nil {
		return err
	}
	info, err := lookStore(c.Context(), r.Session())
	if err != nil {
		return err
	}
	if a.ui.json {
		return a.ui.doc(&storeResult{okDocument("store " + c.Name()), r.Name(), r.Board(), info})
	}
	return a.ui.table(append([][]string{{"board", r.Board()}}, info.rows()...))
}

func storeListCommand(a *app) *cobra.Command {
	var flags targetFlags
	c := &cobra.Command{
		Use:   "list",
		Short: "Show what a board keeps, and what became of it at the last reset",
		Example: `  copaflash store list --port /dev/ttyACM0
  copaflash store list --json`,
		Args: cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.onStore(c, &flags, func(context.Context, *target.Runner) error { return nil })
	}
	flags.add(c)
	return c
}

func storeClearCommand(a *app) *cobra.Command {
	var flags targetFlags
	var hold time.Duration
	c := &cobra.Command{
		Use:   "clear",
		Short: "Have a board forget the program that it keeps; what is loaded stays until the next reset",
		Long: `Have a board forget the program that it keeps. What is loaded stays until the next reset.

A program that takes the board down as soon as it starts is kept from that by a break on the
line: with --hold 10s there is one for so long, in which the board is to be reset.`,
		Example: `  copaflash store clear --port /dev/ttyACM0
  copaflash stop && copaflash store clear
  copaflash store clear --hold 10s --port /dev/ttyUSB0`,
		Args: cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if c.Flags().Changed("hold") {
			if err := a.holdLine(c.Context(), &flags, hold); err != nil {
				return err
			}
		}
		return a.onStore(c, &flags, func(ctx context.Context, r *target.Runner) error { return r.Session().ClearStore(ctx) })
	}
	flags.add(c)
	c.Flags().DurationVar(&hold, "hold", 0, "first keep the serial line in a break for so long, such as 10s, in which the board is to be reset")
	return c
}

const longestHold = 10 * time.Minute

// holdLine keeps a serial line in a break while somebody resets the board.
func (a *app) holdLine(ctx context.Context, flags *targetFlags, d time.Duration) error {
	at, err := flags.need(ctx, a)
	if err != nil {
		return err
	}
	if d <= 0 || d > longestHold {
		return &failure{Code: exitUsage, Message: fmt.Sprintf("--hold %v: want a time up to %v", d, longestHold), Hint: "for example: --hold 10s"}
	}
	if !target.IsSerial(at.name) {
		return &failure{Code: exitUsage, Message: "--hold: " + at.name + " is no serial port", Hint: "hold the button of the board while you reset it, or start its runner without --store"}
	}
	a.ui.note("press the board's reset button now: the line is held for %v", d)
	done := make(chan error, 1)
	go func() { done <- transport.Break(at.name, cmp.Or(at.baud, target.DefaultBaud), d) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done(): // the break ends with this process
		return ctx.Err()
	}
}

func storeSaveCommand(a *app) *cobra.Command {
	var flags loopFlags
	var store storeFlags
	var how pace
	var start loopStart
	var restart bool
	var limit time.Duration
	c := &cobra.Command{
		Use:   "save",
		Short: "Have a board keep the program that is on it, with the values that its parameters have there",
		Long: `Have a board keep the program that is on it, with the values that its parameters have by now.

Flash cannot be written while a loop runs. --restart stops the loop, so that its outputs
take their safe values for some seconds, and starts it again with its states as they are.`,
		Example: `  copaflash set kp=2.5 && copaflash store save --autostart --restart
  copaflash store save --rate 1kHz --port /dev/ttyACM0`,
		Args: cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		store.store, store.watchdog = true, c.Flags().Changed("hardware-watchdog")
		at, err := flags.need(c.Context(), a)
		if err == nil {
			err = start.check()
		}
		if err == nil {
			at, err = at.limited(limit)
		}
		j := loopJob{command: "store save", at: at, start: &start, store: &store}
		if err == nil {
			j.hz, err = how.hz()
		}
		if err != nil {
			return err
		}
		return a.saveStore(c.Context(), &j, flags.image, restart)
	}
	flags.add(c)
	store.addAutostart(c)
	how.addFor(c, "ticks a second, such as 1kHz (default: those of the loop, or of the program's tasks)")
	c.Flags().DurationVar(&limit, "limit", 0, loopLimitUsage)
	start.addBoard(c)
	c.Flags().BoolVar(&restart, "restart", false, "stop a loop that runs for the time that it takes, and start it again")
	return c
}

// saveStore has a board keep the program that is on it.
func (a *app) saveStore(ctx context.Context, j *loopJob, file string, restart bool) error {
	r, err := a.openStore(ctx, j.at)
	if err != nil {
		return err
	}
	defer r.Close()
	digest, usable, err := r.Resident(ctx)
	if err != nil {
		return err
	}
	if len(digest) == 0 {
		return noProgram(r)
	}
	img, err := a.imageOf(ctx, r, digest, file)
	if err != nil {
		return err
	}
	running, err := r.Running(ctx)
	if err != nil {
		return err
	}
	var changes []change
	switch {
	case running != nil:
		changes, err = a.stopForStore(ctx, r, img, j, restart)
	case !usable:
		return &failure{Code: exitFault, Message: "the program on " + r.Name() + " has faulted: its values are not kept", Hint: "start it again, then save it; or store it anew with copaflash deploy --store"}
	default:
		changes, err = tuned(img, func(spans []device.Span) ([][]byte, error) {
			got, err := r.Call(ctx, device.Call{Reads: spans})
			return got.Data, err
		})
	}
	if err != nil {
		return err
	}
	if err := a.keepProgram(ctx, r, img, j, changes); err != nil {
		return err
	}
	p, err := r.Adopt(ctx, img)
	if err != nil {
		return err
	}
	if running == nil {
		return a.showStored(ctx, r, p, img, j)
	}
	loop, err := a.begin(ctx, p, img, j)
	if err != nil {
		return j.afterStore(err)
	}
	return a.attend(ctx, context.WithoutCancel(ctx), r, img, loop, j)
}

// rated is a loop that knows its rate exactly.
type rated interface {
	Rate(ctx context.Context) (float64, error)
}

// stopForStore reads what was tuned in a loop, and stops it.
func (a *app) stopForStore(ctx context.Context, r *target.Runner, img *image.Image, j *loopJob, restart bool) ([]change, error) {
	if !restart {
		return nil, &failure{Code: exitBusy, Message: "a loop runs on " + r.Name() + ", and flash cannot be written meanwhile",
			Hint: "copaflash store save --restart stops it for some seconds, with safe outputs, and starts it again"}
	}
	loop, err := r.Attach(ctx, img)
	if err != nil {
		return nil, err
	}
	if l, ok := loop.(rated); ok && j.hz == 0 {
		if j.hz, err = l.Rate(ctx); err != nil {
			return nil, err
		}
	}
	changes, err := tuned(img, func(spans []device.Span) ([][]byte, error) {
		data, _, err := loop.Read(ctx, spans)
		return data, err
	})
	if err != nil {
		return nil, err
	}
	_, err = loop.Stop(ctx)
	return changes, err
}

// tuned are the parameters whose values are not those that the program gives them.
func tuned(img *image.Image, read func([]device.Span) ([][]byte, error)) ([]change, error) {
	var parameters []*image.Symbol
	var spans []device.Span
	for i := range img.Symbols {
		if s := &img.Symbols[i]; s.Kind == image.Input && s.About().Role != graph.RoleInput {
			parameters, spans = append(parameters, s), append(spans, device.SpanOf(s))
		}
	}
	data, err := read(spans)
	if err != nil {
		return nil, err
	}
	var changes []change
	for i, s := range parameters {
		if !bytes.Equal(data[i], device.InitialOf(img, s)) {
			changes = append(changes, change{s, device.Piece{Offset: s.Offset, Bytes: data[i]}})
		}
	}
	return changes, nil
}
