package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/hil/target"
)

// loopState is the JSON document of status and stop.
type loopState struct {
	document
	Target string    `json:"target"`
	Board  string    `json:"board,omitempty"`
	Digest string    `json:"digest,omitempty"` // of the program
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
		l, err := a.lastLoop(c.Context(), dev, to, flags.image)
		if err != nil {
			return err
		}
		s, err := l.Status(c.Context())
		if err != nil {
			return err
		}
		return a.tellLoop("status", l, s)
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
		l, err := a.attach(c.Context(), &flags)
		if err != nil {
			return err
		}
		defer l.dev.Close()
		s, err := l.Stop(c.Context())
		if err != nil {
			return err
		}
		return a.tellLoop("stop", l, s)
	}
	flags.add(c)
	return c
}

// lastLoop is the loop that runs on a target, or the last one that did.
func (a *app) lastLoop(ctx context.Context, dev target.Target, to device.Attacher, file string) (*attached, error) {
	l, err := a.attachTo(ctx, dev, to, file)
	k, ok := dev.(keeper)
	if !ok || !errors.As(err, new(*noLoop)) {
		return l, err
	}
	img, restErr := a.atRest(ctx, dev, k, file)
	if restErr != nil {
		return nil, err
	}
	loop, restErr := to.Attach(ctx, img)
	if restErr != nil {
		return nil, err
	}
	return &attached{loop, dev, img}, nil
}

// tellLoop prints how a loop goes, and the next step where it has ended by itself.
func (a *app) tellLoop(command string, l *attached, s *device.LoopStatus) error {
	d := loopState{document: okDocument(command), Target: l.dev.Name(), Board: l.dev.Board(),
		Digest: digestText(l.img), Source: l.img.Source, Loop: loopInfoOf(s)}
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
