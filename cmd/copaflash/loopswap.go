package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/protocol/packet"
)

// swapResult is the JSON document of swap.
type swapResult struct {
	document
	Target  string     `json:"target"`
	Digest  string     `json:"digest"` // of the new program
	Carried []string   `json:"carried"`
	Lost    []lostInfo `json:"lost"`
	Dry     bool       `json:"dry_run,omitempty"`
	Tick    uint32     `json:"tick"` // first of the new program
}

// lostInfo is a variable that the new program does not take over.
type lostInfo struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func swapCommand(a *app) *cobra.Command {
	var flags loopFlags
	var source programSource
	var trial int
	var dry bool
	c := &cobra.Command{
		Use:   "swap PROGRAM",
		Short: "Replace the program of the loop on a board between two ticks, without stopping it",
		Long: `Replace the program of the loop that runs on a board. The new one, a script, graph
file or image file, is loaded beside the old one while that goes on, and takes over
between two ticks.

States of the same name, type and shape are carried over, and so are parameters to
which the new program gives the value that they had in the old one: what was set
while it ran stays. What is not carried is said before the switch. --dry-run says only
that, and whether the board has memory for both programs.

If a tick of the new program faults, or a due time is missed, within its first
--trial ticks, the board goes back to the old program with its states.` + bindHelp(),
		Example: `  copaflash swap pid2.py --port /dev/ttyACM0
  copaflash swap pid2.copa --trial 1000
  copaflash swap pid2.py --dry-run`,
		Args: scriptArg,
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if trial < 0 || trial > math.MaxInt32 {
			return &failure{Code: exitUsage, Message: fmt.Sprintf("--trial %d: want a number of ticks", trial), Hint: "0 never goes back"}
		}
		l, err := a.attach(c.Context(), &flags)
		if err != nil {
			return err
		}
		defer l.dev.Close()
		s, err := l.Status(c.Context())
		if err != nil {
			return err
		}
		if s.Period > 0 {
			source.host.bind.rate = float64(time.Second) / float64(s.Period)
		}
		p, err := a.compileFor(c.Context(), l.dev, args[0], source)
		if err != nil {
			return err
		}
		return a.swap(c.Context(), l, p, trial, dry)
	}
	flags.add(c)
	source.add(c)
	source.host.bind.add(a, c)
	c.Flags().IntVar(&trial, "trial", 100, "ticks in which a fault or a missed due time brings the old program back; 0: none")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would be carried over")
	return c
}

// besides is a loop that knows in advance whether there is room for a program beside the running one.
type besides interface {
	FitsBeside(m *packet.Image) error
}

// swap goes on with another program.
func (a *app) swap(ctx context.Context, l *attached, p *compiler.Program, trial int, dry bool) error {
	next, plan := device.NextOf(l.img, p, trial)
	r := &swapResult{document: okDocument("swap"), Target: l.dev.Name(), Digest: digestText(p.Image), Dry: dry,
		Carried: append([]string{}, plan.Carried...), Lost: []lostInfo{}}
	for _, lost := range plan.Lost {
		r.Lost = append(r.Lost, lostInfo(lost))
	}
	a.ui.note("carried over: %s", listOr(plan.Carried, "nothing"))
	for _, lost := range plan.Lost {
		a.ui.note("not carried: %s", lost)
	}
	status, err := l.Status(ctx)
	if err != nil {
		return err
	}
	if hz := p.Image.TickRate(); hz != 0 && status.Period > 0 && math.Abs(hz*status.Period.Seconds()-1) > 1e-3 {
		a.warn(fmt.Sprintf("the new program is made for %s, and the loop goes on at %s", hertz(hz), hertz(1/status.Period.Seconds())))
	}
	if fit, ok := l.Loop.(besides); ok && dry {
		if err := fit.FitsBeside(p.Image.Loaded()); err != nil {
			return err
		}
	}
	if !dry {
		place{name: l.dev.Name()}.keep(p.Image)
		report, err := l.Swap(ctx, next)
		if err != nil {
			return inDoubt(ctx, err, "before it was known which program goes on: copaflash status tells what became of the swap")
		}
		if report.Back {
			return wentBack(report, trial)
		}
		r.Tick = report.Tick
	}
	if a.ui.json {
		return a.ui.doc(r)
	}
	if !dry {
		a.ui.out("the new program runs since tick %d\n", r.Tick)
	}
	return nil
}

// inDoubt says of an error, if an interrupt was the reason, what may have happened all the same.
func inDoubt(ctx context.Context, err error, doubt string) error {
	if ctx.Err() == nil {
		return err
	}
	return &failure{Code: exitFailed, Message: err.Error(), Came: doubt}
}

// wentBack is the error of a swap that failed its trial.
func wentBack(r *device.SwapReport, trial int) error {
	f := &failure{Code: exitBudget, Message: fmt.Sprintf("the new program failed within its first %s, from tick %d on; the old one goes on with its states", plural(trial, "tick"), r.Tick),
		Hint: "a tick was missed: make the program shorter, or lower the rate"}
	if r.Cause != nil {
		f.Message += ": " + r.Cause.Error()
		if codeOf(r.Cause) == exitFault {
			f.Code, f.Hint = exitFault, "try the program alone first: copaflash run PROGRAM --target local:sandbox"
		}
	}
	return f
}
