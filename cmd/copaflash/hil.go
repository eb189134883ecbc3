package main

import (
	"bytes"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/hil"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/packet"
)

func hilCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "hil",
		Short: "Test programs on boards: results, timing, jitter",
		Args:  a.knownVerb,
		RunE:  func(c *cobra.Command, _ []string) error { return a.askForVerb(c) },
	}
	c.AddCommand(hilRunCommand(a), hilSoakCommand(a))
	return c
}

func hilRunCommand(a *app) *cobra.Command {
	var flags targetFlags
	var runs int
	var junit string
	var histogram bool
	var budget time.Duration
	c := &cobra.Command{
		Use:   "run FOLDER|SCRIPT",
		Short: "Run scripts on a target; check what they print, every bit, and the time of a run",
		Long: `Run each script that has its expected output beside it (NAME.py and NAME.out) on a
target. A case passes when it prints exactly that, and when every output of its
programs has the same bits as on the oracle. Then each program is
run many times, and the time of a run and its jitter are measured by the
target's own timer. With --budget a case also fails if a run takes longer. A
program that needs more memory than the target has, or float64 on a target without
it, is not sent: the report lists what it needs, and its case neither passes nor
fails. The target "local" is the sandboxed process, a runner like those of boards.`,
		Example: `  copaflash hil run examples/
  copaflash hil run examples/ --target qemu:rpi3
  copaflash hil run examples/ --port /dev/ttyACM0 --junit report.xml
  copaflash hil run tick.py --port /dev/ttyACM0 --budget 50us`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &failure{Code: exitUsage, Message: "hil run takes one folder or script", Hint: "for example: copaflash hil run examples/"}
			}
			return nil
		},
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		at, err := flags.resolve(c.Context(), a)
		if err != nil {
			return err
		}
		if at.name == "" {
			at.name = target.LocalName
		}
		at.runner = true
		cases, err := hil.Find(args[0])
		if err != nil {
			return &failure{Code: exitUsage, Message: err.Error(), Hint: "try: copaflash hil run examples/"}
		}
		if junit != "" {
			// Before hours of runs, whose results would be lost.
			if err := writeFile(junit, nil); err != nil {
				return err
			}
		}
		dev, err := a.open(c.Context(), at)
		if err != nil {
			return err
		}
		defer dev.Close()
		report, err := hil.Run(c.Context(), dev, cases, hil.Options{
			Runs:     runs,
			Budget:   budget,
			Progress: func(name string, i, n int) { a.ui.steps("case "+name, i, n) },
		})
		if err != nil {
			return err
		}
		if junit != "" {
			if err := writeJUnit(junit, report); err != nil {
				return err
			}
		}
		failed := hilFailure(report)
		hello := &packet.HelloResponse{}
		if r, ok := dev.(*target.Runner); ok {
			hello = r.Hello()
		}
		if a.ui.json {
			d := struct {
				document
				Error *failure `json:"error,omitempty"`
				*hil.Report
				Conditions []string `json:"conditions"` // as in info
			}{okDocument("hil run"), failed, report, conditionNames(hello)}
			d.OK = failed == nil
			if err := a.ui.doc(d); err != nil {
				return err
			}
			if failed != nil {
				return &alreadyShown{failed}
			}
			return nil
		}
		if err := a.showReport(report, conditionTexts(hello), histogram); err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
		return nil
	}
	flags.add(c)
	c.Flags().IntVar(&runs, "runs", hil.DefaultRuns, "timed runs of each program")
	c.Flags().StringVar(&junit, "junit", "", "also write a JUnit report to this file")
	c.Flags().DurationVar(&budget, "budget", 0, "the longest that a timed run may take, such as 50us")
	c.Flags().BoolVar(&histogram, "histogram", false, "show the distribution of run times")
	return c
}

// hilFailure is nil where every case passed. A target that was lost counts more
// than a wrong result.
func hilFailure(r *hil.Report) *failure {
	if r.Failed == 0 {
		if r.Passed == 0 {
			return &failure{Code: exitIncompatible, Message: fmt.Sprintf("none of %s can run on %s", plural(len(r.Results), "case"), r.Target),
				Hint: "the report says what each of them needs: take a board that has it"}
		}
		return nil
	}
	f := &failure{Code: exitVerify, Message: fmt.Sprintf("%d of %s failed on %s", r.Failed, plural(len(r.Results), "case"), r.Target)}
	late := 0
	for i := range r.Results {
		if r.Results[i].Late() {
			late++
		}
	}
	if late == r.Failed {
		f.Code = exitBudget
		f.Hint = "allow more time with --budget, or see where it goes with --histogram and copaflash inspect"
	}
	for i := range r.Results {
		if err := r.Results[i].Err(); err != nil {
			cause := classify(err)
			f.Code, f.Hint = cause.Code, cause.Hint
			break
		}
	}
	return f
}

func writeJUnit(file string, r *hil.Report) error {
	var b bytes.Buffer
	if err := r.WriteJUnit(&b); err != nil {
		return err
	}
	return writeFile(file, b.Bytes())
}

// showReport prints a report, with what is to be minded of its times.
func (a *app) showReport(r *hil.Report, mind []string, histogram bool) error {
	rows := [][]string{{"CASE", "RESULT", "OPS", "CODE", "WORDS", "RUNS", "MIN", "MEAN", "P50", "P99", "MAX"}}
	for _, c := range r.Results {
		result := "pass"
		switch {
		case c.NotSent != "":
			result = "not sent"
		case !c.OK:
			result = "FAIL"
		}
		if len(c.Programs) == 0 {
			rows = append(rows, []string{c.Name, result})
		}
		for _, p := range c.Programs {
			t := p.Time
			rows = append(rows, []string{c.Name, result, fmt.Sprint(p.Ops), fmt.Sprint(p.CodeBytes), fmt.Sprint(p.Outputs), fmt.Sprint(t.Runs),
				duration(time.Duration(t.Min)), duration(time.Duration(t.Mean)), duration(time.Duration(t.P50)),
				duration(time.Duration(t.P99)), duration(time.Duration(t.Max))})
		}
	}
	if err := a.ui.table(rows); err != nil {
		return err
	}
	for _, c := range r.Results {
		for _, f := range c.Failures {
			a.ui.out("%s: %s\n", c.Name, f)
		}
		if c.NotSent != "" {
			a.ui.out("%s: not sent: %s\n", c.Name, c.NotSent)
		}
		if histogram {
			for _, p := range c.Programs {
				a.ui.out("\n%s, %d runs:\n%s", c.Name, p.Time.Runs, p.Time.Draw(50))
			}
		}
	}
	where := r.Target
	if r.Board != "" && r.Board != r.Target {
		where += " (" + r.Board + ")"
	}
	notSent := ""
	if r.NotSent > 0 {
		notSent = fmt.Sprintf(", %d not sent", r.NotSent)
	}
	a.ui.out("\n%d passed, %d failed on %s%s\n", r.Passed, r.Failed, where, notSent)
	if note := timingNote(r.Target); note != "" {
		a.ui.out("%s\n", note)
	}
	for _, text := range mind {
		a.ui.out("mind: %s\n", text)
	}
	return nil
}
