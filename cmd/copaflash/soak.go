package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/hil/soak"
	"github.com/copaflash/copaflash/hil/target"
)

func hilSoakCommand(a *app) *cobra.Command {
	var flags targetFlags
	var rate pace
	opt := soak.Options{Trial: 5}
	c := &cobra.Command{
		Use:   "soak",
		Short: "Endurance test of a target's loop: every record of it is compared with the oracle",
		Long: `Run a cascaded controller of a simulated motor as a loop, while parameters change, the
program is swapped for another one, and eight variables are sent as telemetry. No record
may get lost without being reported, no set of parameters may take effect in parts, and
every value must have the bits that the oracle gives. The report has the timing, measured
by the target itself. Boards without hot swap are tested with --swaps 0.`,
		Example: `  copaflash hil soak --target local:sandbox
  copaflash hil soak --port /dev/ttyACM0 --rate 1kHz --for 60s
  copaflash hil soak --port /dev/ttyACM0 --rate 250Hz --swaps 0 --json`,
		Args: cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if opt.For < time.Second || opt.Sets < 0 || opt.Swaps < 0 || opt.Every < 0 || opt.Trial < 0 {
			return &failure{Code: exitUsage, Message: "--for must be 1s or more, and --sets, --swaps, --every and --trial not be negative", Hint: c.Example}
		}
		hz, err := rate.hz()
		if err != nil {
			return err
		}
		if opt.Rate = hz; hz == 0 {
			opt.Rate = 1000
		}
		if err := opt.Check(); err != nil {
			return err
		}
		at, err := flags.resolve(c.Context(), a)
		if err != nil {
			return err
		}
		if at.name == "" {
			at.name = target.LocalName
		}
		dev, err := a.open(c.Context(), at)
		if err != nil {
			return err
		}
		defer dev.Close()
		opt.Progress = func(ticks, of int) { a.ui.steps("soak", ticks, of) }
		r, err := soak.Run(c.Context(), dev, opt)
		a.ui.finish()
		if err != nil {
			return err
		}
		return a.showSoak(dev, r)
	}
	flags.add(c)
	rate.addFor(c, "ticks a second, such as 1kHz; 1 kHz where neither this nor --period is given")
	c.Flags().DurationVar(&opt.For, "for", 10*time.Second, "how long the loop runs, by the target's time")
	c.Flags().IntVar(&opt.Sets, "sets", 100, "changes of the parameters in that time")
	c.Flags().IntVar(&opt.Swaps, "swaps", 10, "changes of the program in that time")
	c.Flags().IntVar(&opt.Every, "every", 0, "ticks from one record of telemetry to the next; 0: as few as the link carries")
	c.Flags().IntVar(&opt.Trial, "trial", opt.Trial, "ticks after a swap within which a fault or a missed tick fails the test")
	return c
}

// soakInfo is the report as JSON.
type soakInfo struct {
	document
	Error    *failure  `json:"error,omitempty"`
	Target   string    `json:"target"`
	Board    string    `json:"board"`
	Every    int       `json:"every"`
	Records  int       `json:"records"`
	Drops    int       `json:"drops"`
	Compared int       `json:"words_compared"`
	Sets     int       `json:"sets"`
	Swaps    int       `json:"swaps"`
	Failures []string  `json:"failures"`
	Loop     *loopInfo `json:"loop"`
}

func (a *app) showSoak(dev target.Target, r *soak.Report) error {
	d := soakInfo{document: okDocument("hil soak"), Target: dev.Name(), Board: dev.Board(), Every: r.Every, Records: r.Records, Drops: r.Drops,
		Compared: r.Compared, Sets: r.Sets, Swaps: r.Swaps, Failures: append([]string{}, r.Failures...), Loop: loopInfoOf(r.Status)}
	if len(r.Failures) > 0 {
		d.OK = false
		d.Error = &failure{Code: exitVerify, Message: fmt.Sprintf("%s failed the test: %s", dev.Name(), r.Failures[0]), Hint: "the report lists what was found"}
	}
	if a.ui.json {
		if err := a.ui.doc(d); err != nil {
			return err
		}
		if d.Error != nil {
			return &alreadyShown{d.Error}
		}
		return nil
	}
	head, table := d.Loop.rows()
	a.ui.out("%s\n", strings.Join(head, "\n"))
	if err := a.ui.table(table); err != nil {
		return err
	}
	a.ui.out("%s, one every %s; %d lost and reported; %s changed, %s swapped\n", plural(r.Records, "record"), plural(r.Every, "tick"), r.Drops,
		plural(r.Sets, "set"), plural(r.Swaps, "program"))
	for _, f := range r.Failures {
		a.ui.out("FAIL: %s\n", f)
	}
	if d.Error != nil {
		return d.Error
	}
	a.ui.out("%s compared with the oracle: all bits are the same\n", plural(r.Compared, "word"))
	return nil
}
