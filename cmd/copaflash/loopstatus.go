package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/hil/share"
	"github.com/copaflash/copaflash/hil/target"
)

// loopState is the JSON document of status and stop.
type loopState struct {
	document
	Target string    `json:"target"`
	Board  string    `json:"board,omitempty"`
	Digest string    `json:"digest,omitempty"` // of the program; missing: it is not known here
	Source string    `json:"source,omitempty"` // name of the file that it was made of
	Loop   *loopInfo `json:"loop,omitempty"`   // missing: there is none
	Hint   string    `json:"hint,omitempty"`   // next step after an end that nobody asked for
}

func statusCommand(a *app) *cobra.Command {
	var flags loopFlags
	c := &cobra.Command{
		Use:   "status",
		Short: "Show how the loop on a board goes: ticks, missed ones, timing, last fault",
		Long: `Show how the loop on a board goes, or how it ended.

Lateness is the start of a tick less its due time, execution how long it took, slack
what was left of the period then; all of them by the board's timer, over all ticks
since the start. A missed tick is a due time that passed while another tick ran.`,
		Example: `  copaflash status --port /dev/ttyACM0
  copaflash status --json`,
		Args: cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		dev, to, err := a.openLoops(c.Context(), &flags.targetFlags)
		if err != nil {
			return err
		}
		defer dev.Close()
		return a.askLast(c, dev, to, &flags, device.Loop.Status)
	}
	flags.add(c)
	return c
}

func stopCommand(a *app) *cobra.Command {
	var flags loopFlags
	c := &cobra.Command{
		Use:   "stop",
		Short: "End the loop on a board between two ticks; outputs take their safe values",
		Example: `  copaflash stop --port /dev/ttyACM0
  copaflash stop --json`,
		Args: cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		dev, to, err := a.openLoops(c.Context(), &flags.targetFlags)
		if err != nil {
			return err
		}
		defer dev.Close()
		digest, err := to.Running(c.Context())
		if err == nil && len(digest) == 0 {
			err = noLoopOn(dev)
		}
		if err != nil {
			return err
		}
		return a.askLast(c, dev, to, &flags, device.Loop.Stop)
	}
	flags.add(c)
	return c
}

// askLast asks the last loop of a target, and tells how it goes.
func (a *app) askLast(c *cobra.Command, dev target.Target, to device.Attacher, flags *loopFlags,
	ask func(device.Loop, context.Context) (*device.LoopStatus, error)) error {
	l, err := a.lastLoop(c.Context(), dev, to, flags.image)
	if err != nil {
		return err
	}
	s, err := ask(l.Loop, c.Context())
	if err != nil {
		return err
	}
	return a.tellLoop(c.Name(), l, s)
}

// stranger is a target whose loop can be stopped, and asked how it goes, without knowing its program.
type stranger interface {
	AttachStranger(ctx context.Context) (device.Loop, error)
}

// lastLoop is the loop that runs on a target, or the last one that did. Where its program is not
// known, and none was named, it has no image.
func (a *app) lastLoop(ctx context.Context, dev target.Target, to device.Attacher, file string) (*attached, error) {
	l, err := a.attachTo(ctx, dev, to, file)
	if err == nil || file != "" {
		return l, err
	}
	if c, ok := dev.(*share.Client); ok && errors.As(err, new(*noLoop)) {
		return lastShared(ctx, c, err)
	}
	if k, ok := dev.(keeper); ok && errors.As(err, new(*noLoop)) {
		img, unknown := a.atRest(ctx, dev, k, file)
		if unknown == nil {
			loop, attachErr := to.Attach(ctx, img)
			if attachErr == nil {
				return &attached{loop, dev, img}, nil
			}
			if codeOf(attachErr) == exitIncompatible { // there are no loops
				err = attachErr
			}
			return nil, err
		}
		if !errors.As(unknown, new(*notSaved)) {
			return nil, err
		}
	} else if !errors.As(err, new(*notSaved)) {
		return nil, err
	}
	if s, ok := dev.(stranger); ok {
		if loop, attachErr := s.AttachStranger(ctx); attachErr == nil {
			return &attached{loop, dev, nil}, nil
		}
	}
	return nil, err
}

// lastShared is the last loop of a share, whose program is known there; none is the error where there was no loop.
func lastShared(ctx context.Context, c *share.Client, none error) (*attached, error) {
	img, err := c.Image(ctx)
	if err != nil {
		return nil, none
	}
	loop, err := c.Attach(ctx, img)
	if err != nil {
		return nil, none
	}
	return &attached{loop, c, img}, nil
}

// tellLoop prints how a loop goes, and the next step where it has ended by itself.
func (a *app) tellLoop(command string, l *attached, s *device.LoopStatus) error {
	d := loopState{document: okDocument(command), Target: l.dev.Name(), Board: l.dev.Board(), Loop: loopInfoOf(s)}
	if l.img != nil {
		d.Digest, d.Source = digestText(l.img), l.img.Source
	} else {
		a.ui.note("the program was not sent from here: to see its variables, give it with --image FILE")
	}
	var end *failure
	if errors.As(endFailure(s), &end) {
		d.Hint = end.Hint
	}
	if a.ui.json {
		return a.ui.doc(d)
	}
	if err := a.showLoop(d.Loop); err != nil {
		return err
	}
	if end != nil {
		a.ui.note("%s\nhint: %s", end.Message, end.Hint)
	}
	return nil
}
