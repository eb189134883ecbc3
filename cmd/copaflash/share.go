package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/share"
	"github.com/copaflash/copaflash/hil/target"
)

// shareResult is what --json prints once others can use the share.
type shareResult struct {
	document
	Target string `json:"target"`
	Board  string `json:"board,omitempty"`
	Digest string `json:"digest,omitempty"` // of the program whose loop runs
	Socket string `json:"socket"`
	Tune   bool   `json:"tune"`
}

// shareFlags say what is shared.
type shareFlags struct {
	loopFlags
	pace
	start loopStart
	sets  []string
	tune  bool
}

func shareCommand(a *app) *cobra.Command {
	var f shareFlags
	c := &cobra.Command{
		Use:   "share [PROGRAM]",
		Short: "Hold the port of a board and let other copaflash commands use the loop on it, side by side",
		Long: `Let several commands use one loop: a serial port is open in one process only, so this one
holds it, and watch, record, capture, status, get, set, swap and stop find it by
themselves, by the same --port or, where only one target is shared, without any.
They run in any terminal of the same user, as many as you like.

Commands may watch; with --tune they may also set, stop, start and swap. Telemetry of
all of them is one subscription on the board, whose budget is checked before another
one is let in. A command that is slow loses records, which it is told; it delays
neither the others nor the loop.

With PROGRAM the loop is started first, which is how a loop in this process
(--target local) is shared. Ctrl-C ends the sharing; a loop on a board goes on.`,
		Example: `  copaflash share --port /dev/ttyACM0 --tune
  copaflash share pid.py --rate 1kHz --target local
  copaflash watch                    # in another terminal
  copaflash set kp=2                 # in a third one`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &failure{Code: exitUsage, Message: c.CommandPath() + " takes one program", Hint: "for example: " + c.CommandPath() + " pid.py --rate 1kHz --target local"}
			}
			return nil
		},
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.check(c, args); err != nil {
			return err
		}
		return a.startSharing(c, args, &f)
	}
	f.loopFlags.add(c)
	f.pace.addFor(c, "ticks a second of PROGRAM, such as 1kHz (default: that of its tasks)")
	c.Flags().StringArrayVar(&f.sets, "set", nil, setUsage)
	c.Flags().BoolVar(&f.tune, "tune", false, "let others set variables, and start, stop and swap programs (default: they watch)")
	f.start.source.add(c)
	return c
}

// check refuses what would have no effect.
func (f *shareFlags) check(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return refuseFlags(c, slices.Concat(aboutProgram, aboutStart), "is for a PROGRAM to start", "name it: copaflash share PROGRAM; a loop that runs is changed with copaflash set or swap")
	case f.image != "":
		return &failure{Code: exitUsage, Message: "--image and a PROGRAM: the program that is started is known", Hint: "leave out --image"}
	}
	return nil
}

// startSharing opens the target, starts the loop if a program is named, and shares it until an interrupt.
func (a *app) startSharing(c *cobra.Command, args []string, f *shareFlags) error {
	at, err := f.need(c.Context(), a)
	if err != nil {
		return err
	}
	j := &loopJob{command: "share", at: at, sets: f.sets, start: &f.start}
	if j.hz, err = f.pace.hz(); err != nil {
		return err
	}
	if len(args) == 1 {
		j.file = args[0]
		j.at.runner = strings.HasSuffix(j.file, imageSuffix) // nothing from elsewhere runs in this process
	} else if !target.IsLasting(at.name) {
		return &failure{Code: exitUsage, Message: "a loop on " + at.name + " runs in the command that started it: there is none to share",
			Hint: "name its program: copaflash share PROGRAM --target " + at.name}
	}
	// The target outlives an interrupt: a loop of this process is stopped over it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context()))
	defer cancel()
	began := context.AfterFunc(c.Context(), cancel)
	if shared, err := share.Dial(ctx, at.name); err == nil {
		return fmt.Errorf("%s: %w", shared.Name(), share.ErrTaken)
	}
	dev, err := a.openDirectly(ctx, at)
	if err != nil {
		return err
	}
	defer dev.Close()
	loop, img, err := a.toShare(ctx, dev, j, f.image, f.tune)
	if err != nil {
		return err
	}
	began()
	return a.share(c.Context(), ctx, dev, at, loop, img, f.tune)
}

// toShare is the loop that runs, or one that is started; nil where none runs and others may start one.
func (a *app) toShare(ctx context.Context, dev target.Target, j *loopJob, file string, tune bool) (device.Loop, *image.Image, error) {
	if j.file != "" {
		p, img, err := a.loadLoop(ctx, dev, j)
		if err != nil {
			return nil, nil, err
		}
		loop, err := a.begin(ctx, p, img, j)
		return loop, img, err
	}
	to, ok := dev.(device.Attacher)
	if !ok {
		return nil, nil, cannotLoop(dev)
	}
	l, err := a.attachTo(ctx, dev, to, file)
	var none *noLoop
	if errors.As(err, &none) && tune {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return l.Loop, l.img, nil
}

// share serves until is done; work is what the target lives by.
func (a *app) share(until, work context.Context, dev target.Target, at place, loop device.Loop, img *image.Image, tune bool) error {
	cfg := share.Config{Name: at.name, Board: dev.Board(), Arch: dev.Arch(), Features: dev.Features(), Loop: loop, Image: img, Tune: tune,
		Joined: func(streams int) { a.ui.note("%s", plural(streams, "command")+" with telemetry") }}
	if r, ok := dev.(*target.Runner); ok {
		_, err := r.Pins()
		cfg.Pins, cfg.Drivers = err == nil, r.Drivers()
	}
	if target.IsLasting(at.name) {
		// What others send runs on the board alone.
		cfg.Load = func(ctx context.Context, m *image.Image) (device.Looper, error) {
			p, err := dev.Load(ctx, programOf(m))
			if err != nil {
				return nil, err
			}
			at.keep(m)
			l, ok := p.(device.Looper)
			if !ok {
				return nil, cannotLoop(dev)
			}
			return l, nil
		}
	}
	s, err := share.Listen(cfg)
	if err != nil {
		return err
	}
	r := shareResult{document: okDocument("share"), Target: at.name, Board: dev.Board(), Socket: s.Path(), Tune: tune}
	if img != nil {
		r.Digest = digestText(img)
	}
	if a.ui.json {
		err = a.ui.doc(r)
	} else {
		a.ui.out("%s\n", at.name)
		a.ui.note("%s is shared, %s; Ctrl-C ends that", at.name, map[bool]string{true: "to watch and to tune", false: "to watch"}[tune])
	}
	if err != nil {
		return errors.Join(err, s.Close())
	}
	if err := s.Serve(until); err != nil {
		return err
	}
	if loop != nil && !target.IsLasting(at.name) {
		_, err = loop.Stop(work)
	}
	return err
}

// shared finds the share of a target; nil: there is none.
func (a *app) shared(ctx context.Context, name string) (*share.Client, error) {
	c, err := share.Dial(ctx, name)
	switch {
	case err == nil:
		a.ui.note("through the share of %s", c.Name())
		return c, nil
	case errors.Is(err, share.ErrNone), errors.Is(err, share.ErrFolder) && name != "":
		return nil, nil // the port itself says what is wrong
	}
	return nil, err
}
