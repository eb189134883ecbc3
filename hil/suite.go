// Package hil runs programs on a target and checks them: what a script prints
// against the expected output, every result bit for bit against the oracle,
// and the run time by the target's own timer.
package hil

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/hil/timing"
	"github.com/copaflash/copaflash/protocol/session"
)

// DefaultRuns is how many runs are timed for each program.
const DefaultRuns = 1000

// Options say how a suite is run.
type Options struct {
	Runs     int                         // timed runs of each program; 0: DefaultRuns
	Budget   time.Duration               // the longest that a timed run may take; 0: no bound
	Progress func(name string, i, n int) // told before each case; may be nil
}

// Case is a script, and beside it, with the suffix .out, what it must print.
type Case struct {
	Name     string
	Script   string
	Expected string
}

// Result is the outcome of one case.
type Result struct {
	Name     string   `json:"name"`
	OK       bool     `json:"ok"`
	Failures []string `json:"failures,omitempty"`
	// NotSent says what a program needs and the target lacks, memory or float64.
	// Nothing was sent then, and nothing is wrong: the case belongs on another board.
	NotSent  string          `json:"not_sent,omitempty"`
	Stdout   string          `json:"stdout"`
	Programs []ProgramResult `json:"programs"`
	Elapsed  time.Duration   `json:"elapsed_ns"`

	err  error
	late bool
}

// Late reports whether nothing is wrong with the case but that a run took longer
// than the budget.
func (r *Result) Late() bool { return r.late && len(r.Failures) == 1 }

// Err is the error that ended the case early, or nil.
func (r *Result) Err() error { return r.err }

// ProgramResult describes one program of a case and its timed runs.
type ProgramResult struct {
	Ops       uint64         `json:"ops"`
	CodeBytes int            `json:"code_bytes"`
	Outputs   int            `json:"outputs_compared"` // words, over all runs
	Time      timing.Summary `json:"run_ns"`
}

// Report is the outcome of a suite.
type Report struct {
	Target   string   `json:"target"`
	Board    string   `json:"board"`
	Emulated bool     `json:"emulated"` // timing under QEMU is not that of hardware
	Passed   int      `json:"passed"`
	Failed   int      `json:"failed"`
	NotSent  int      `json:"not_sent"` // neither passed nor failed: the target has not what they need
	Results  []Result `json:"results"`
}

// Find lists the cases in a folder, or the one of a script file. Each must have
// its expected output.
func Find(path string) ([]Case, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("hil: %w", err)
	}
	files := []string{path}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.py")); err != nil {
			return nil, fmt.Errorf("hil: %w", err)
		}
		slices.Sort(files)
	}
	var cases []Case
	for _, f := range files {
		base := strings.TrimSuffix(f, ".py")
		text, err := os.ReadFile(base + ".out")
		switch {
		case errors.Is(err, fs.ErrNotExist) && info.IsDir():
			continue // a module that others import
		case err != nil:
			return nil, fmt.Errorf("hil: expected output of %s: %w", f, err)
		}
		cases = append(cases, Case{Name: filepath.Base(base), Script: f, Expected: string(text)})
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("hil: no cases in %s: a case is a script NAME.py with its expected output NAME.out", path)
	}
	return cases, nil
}

// Run runs cases on a target. The report is complete also where cases fail; the
// error is for a context that was cancelled.
func Run(ctx context.Context, dev target.Target, cases []Case, opt Options) (*Report, error) {
	if opt.Runs == 0 {
		opt.Runs = DefaultRuns
	}
	r := &Report{Target: dev.Name(), Board: dev.Board(), Emulated: target.IsEmulated(dev.Name())}
	for i, c := range cases {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if opt.Progress != nil {
			opt.Progress(c.Name, i, len(cases))
		}
		res := runCase(ctx, dev, c, opt)
		r.Results = append(r.Results, res)
		switch {
		case res.OK:
			r.Passed++
		case res.NotSent != "":
			r.NotSent++
		default:
			r.Failed++
		}
	}
	return r, nil
}

func runCase(ctx context.Context, dev target.Target, c Case, opt Options) Result {
	start := time.Now()
	res := Result{Name: c.Name, Programs: []ProgramResult{}}
	fail := func(format string, args ...any) {
		res.Failures = append(res.Failures, fmt.Sprintf(format, args...))
	}
	on, stdout, err := record(ctx, c.Script, dev)
	res.Stdout = stdout
	if res.NotSent = lacking(err); res.NotSent != "" {
		res.Elapsed = time.Since(start)
		return res
	}
	if err != nil {
		res.err = err
		fail("%v", err)
	}
	if err == nil {
		if stdout != c.Expected {
			fail("output differs from what is expected: %s", firstDifference(c.Expected, stdout))
		}
		ref, err := oracle.New(dev.Arch())
		if err != nil {
			fail("%v", err)
		} else if want, text, err := record(ctx, c.Script, ref); err != nil {
			fail("on the oracle: %v", err)
		} else {
			if text != stdout {
				fail("output differs from that on the oracle: %s", firstDifference(text, stdout))
			}
			compare(want, on, fail)
		}
		slowest := time.Duration(0)
		for _, p := range on.programs {
			pr, err := measure(ctx, p, opt.Runs)
			if err != nil {
				res.err = err
				fail("timing: %v", err)
				break
			}
			res.Programs = append(res.Programs, pr)
			slowest = max(slowest, time.Duration(pr.Time.Max))
		}
		if opt.Budget > 0 && slowest > opt.Budget {
			res.late = true
			fail("the longest run took %v, the budget is %v", slowest, opt.Budget)
		}
	}
	res.OK = len(res.Failures) == 0
	res.Elapsed = time.Since(start)
	return res
}

// lacking says what a program needs that the target lacks, if that is what its
// error is about.
func lacking(err error) string {
	if size := (*session.SizeError)(nil); errors.As(err, &size) {
		return size.Error()
	}
	if none := (*compiler.NoDoubles)(nil); errors.As(err, &none) {
		return fmt.Sprintf("needs float64 in hardware, which %s does not have", none.Arch)
	}
	return ""
}

// record runs a script on a device and notes every output.
func record(ctx context.Context, file string, dev device.Device) (*recorder, string, error) {
	r := &recorder{Device: dev}
	var stdout bytes.Buffer
	err := script.Run(ctx, file, script.Options{
		Stdout: &stdout,
		Open:   func(context.Context) (device.Device, error) { return r, nil },
	})
	return r, stdout.String(), err
}

// compare compares the bits of every output after every run with the oracle.
func compare(want, got *recorder, fail func(string, ...any)) {
	if len(want.programs) != len(got.programs) {
		fail("%d programs, the oracle has %d", len(got.programs), len(want.programs))
		return
	}
	const most = 5
	bad := 0
	for i, w := range want.programs {
		g := got.programs[i]
		if len(w.runs) != len(g.runs) {
			fail("program %d: %d runs, the oracle has %d", i+1, len(g.runs), len(w.runs))
			continue
		}
		for run := range w.runs {
			for name, words := range w.runs[run] {
				have := g.runs[run][name]
				for k, word := range words {
					if k < len(have) && have[k] == word {
						continue
					}
					if bad++; bad <= most {
						fail("program %d, run %d: %s[%d] differs from the oracle: want 0x%08x, got %s", i+1, run+1, name, k, word, wordText(have, k))
					}
				}
			}
		}
	}
	if bad > most {
		fail("and %d words more", bad-most)
	}
}

func wordText(words []uint32, i int) string {
	if i >= len(words) {
		return "nothing"
	}
	return fmt.Sprintf("0x%08x", words[i])
}

// measure times runs of a program and describes it.
func measure(ctx context.Context, p *recording, runs int) (ProgramResult, error) {
	img := p.source.Image
	pr := ProgramResult{Ops: img.Budget.TotalOps(), CodeBytes: len(img.Code)}
	for _, snap := range p.runs {
		for _, w := range snap {
			pr.Outputs += len(w)
		}
	}
	var times timing.Recorder
	if _, err := device.Ticks(ctx, p.Program, img, 0, device.Call{Runs: runs, Timed: times.Add}); err != nil {
		return pr, err
	}
	pr.Time = times.Summary()
	return pr, nil
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := "nothing", "nothing"
		if i < len(w) {
			a = fmt.Sprintf("%q", w[i])
		}
		if i < len(g) {
			b = fmt.Sprintf("%q", g[i])
		}
		if a != b {
			return fmt.Sprintf("line %d: want %s, got %s", i+1, a, b)
		}
	}
	return "the texts are the same"
}
