package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/pool"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/sweep"
	"github.com/copaflash/copaflash/compiler/sweep/plot"
	"github.com/copaflash/copaflash/hil/target"
)

// sweepFlags are what the user asks of a sweep.
type sweepFlags struct {
	at      targetFlags
	spec    sweep.Spec
	output  string // file of the table; "": stdout, or with --json the document
	plot    string // file of the plot; "": none
	labels  []string
	workers int
	pick    int
	fast    bool
	limit   time.Duration
	host    scriptHost
	nats    natsFlags
}

func sweepCommand(a *app) *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep SCRIPT|GRAPH",
		Short: "Run a program on a grid of parameters, or on random draws, and make a table and a plot",
		Long: `Compile the program of a script or graph file once, and run it for every
combination of the values of its parameters. Each run starts from the values that
the program was compiled with, states included; it is independent of the others.

--set NAME=VALUES names a variable of the program, or an element as gains[2].
VALUES are START:STOP:COUNT, which is COUNT points at equal distances with both
ends among them, or a list as 0,0.1,0.5. Runs are in the order of nested loops:
the first --set is the outermost, the last one changes from run to run. With
--random N each of N runs draws its parameters: from uniform(LOW,HIGH) and
normal(MEAN,SIGMA), or any point of a list or range with the same probability.

The table is CSV: index, parameters, results. Every number has the digits that it
takes to read the same bits back; nan, inf and -inf are written so. Where the
program has operations on integers that may raise a sticky flag, the column flags
has those that a run raised: 1 for a division, 2 for a shift. The table is the same
for any number of workers, and for those of other machines.

The script runs once, on the oracle, to compile its program; what it does with the
program itself is not part of the sweep. --runs N runs the program N times for each
point before it is read, as for a controller with states.

With --nats URL the runs are spread over machines, each with
"copaflash sweep worker --nats URL", by way of a NATS server with JetStream;
"--nats embedded" starts such a server here (docs/sweep.md).`,
		Example: `  copaflash sweep examples/tuning.py --set kp=0.5:8:60 --get cost
  copaflash sweep examples/tuning.py --set kp=0.5:8:60 --set ki=0:4:60 --get cost -o sweep.csv --plot sweep.svg
  copaflash sweep examples/tuning.py --random 10000 --set 'kp=normal(3,0.3)' --set 'ki=uniform(0.5,2)' --get cost --plot cost.svg
  copaflash sweep examples/tuning.py --set kp=0:8:1000 --set ki=0:4:1000 -o big.csv --nats nats://server:4222`,
		Args: scriptArg,
		RunE: func(c *cobra.Command, args []string) error { return a.sweep(c.Context(), args[0], &f) },
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.spec.Sets, "set", nil, "a parameter and its values: NAME=START:STOP:COUNT, NAME=V1,V2,... or NAME=uniform(LOW,HIGH); may be repeated")
	flags.StringArrayVar(&f.spec.Gets, "get", nil, "a result for the table (default: all outputs); may be repeated")
	flags.IntVar(&f.spec.Draws, "random", 0, "draw the parameters of so many runs instead of running the grid")
	flags.Uint64Var(&f.spec.Seed, "seed", 1, "seed of --random: the same one draws the same")
	flags.IntVar(&f.spec.Ticks, "runs", 1, "how often each run calls the program before its results are read")
	flags.StringVarP(&f.output, "output", "o", "", "file of the table, - for stdout (default: stdout)")
	flags.StringVar(&f.plot, "plot", "", "file of a plot (SVG): curves over one parameter, colours over two, histograms of draws")
	flags.StringArrayVar(&f.labels, "label", nil, `text for an axis of the plot, as --label "kp=gain [V/rad]"; may be repeated`)
	flags.IntVar(&f.workers, "workers", 0, "workers at a time (default: one for each processor)")
	flags.IntVar(&f.pick, "program", 0, "which program of the script, from 1 (default: the only one)")
	f.at.add(c)
	fastFlag(c, &f.fast)
	limitFlag(c, &f.limit)
	f.nats.add(c, true)
	f.host.add(c)
	c.AddCommand(sweepWorkerCommand(a))
	return c
}

// check refuses flags that make no sense, and finds the target.
func (f *sweepFlags) check(ctx context.Context, a *app, file string) (place, error) {
	if err := notCompiled(file); err != nil {
		return place{}, err
	}
	usage := func(message, hint string) (place, error) {
		return place{}, &failure{Code: exitUsage, Message: message, Hint: hint}
	}
	switch {
	case f.workers < 0:
		return usage("--workers must not be negative", "0, the default, is one for each processor")
	case f.plot != "" && !strings.EqualFold(filepath.Ext(f.plot), ".svg"):
		return usage("--plot "+f.plot+": plots are SVG", "name the file with .svg at the end")
	case len(f.labels) > 0 && f.plot == "":
		return usage("--label is for plots", "name the file of one with --plot")
	case f.output == stdinScript && a.ui.json:
		return usage("with --json stdout is one document, so the table cannot go there", "name a file with -o, or leave -o out: the document has the rows then")
	}
	at, err := f.at.resolve(ctx, a)
	if err != nil {
		return at, err
	}
	if err := f.nats.check(&f.at); err != nil {
		return at, err
	}
	if at.name == "" {
		at.name = "local"
	}
	return at.limited(f.limit)
}

// sweepResult is the JSON document of sweep.
type sweepResult struct {
	document
	Target  string   `json:"target"`
	Runs    int      `json:"runs"`
	TookNS  int64    `json:"took_ns"`
	Columns []string `json:"columns"`
	File    string   `json:"file,omitempty"`
	Plot    string   `json:"plot,omitempty"`
	Rows    rows     `json:"rows,omitempty"` // where no file was named
}

func (a *app) sweep(ctx context.Context, file string, f *sweepFlags) error {
	at, err := f.check(ctx, a, file)
	if err != nil {
		return err
	}
	labels, err := parseLabels(f.labels)
	if err != nil {
		return err
	}
	var s *sweep.Sweep
	var work func(done func(sweep.Chunk) error) error
	if f.nats.url != "" {
		s, work, err = a.sweepCluster(ctx, file, at, f)
	} else {
		var dev target.Target
		if dev, err = a.open(ctx, at); err != nil {
			return err
		}
		defer dev.Close()
		s, work, err = a.sweepHere(ctx, file, dev, f)
	}
	if err != nil {
		return err
	}
	var picture *plot.Plot
	if f.plot != "" {
		if picture, err = plot.New(s, filepath.Base(file), labels); err != nil {
			return err
		}
	}
	table, err := a.newTable(s, f.output)
	if err != nil {
		return err
	}
	flagged := raised{}
	begun := time.Now()
	err = work(func(c sweep.Chunk) error {
		if picture != nil || s.Flags() {
			for i := range c.Len {
				values := s.Values(c.First+i, c.Rows[i*s.Width():][:s.Width()])
				if picture != nil {
					picture.Add(values)
				}
				if s.Flags() {
					flagged.note(device.Flags(values[len(values)-1]))
				}
			}
		}
		if c.CSV == nil {
			c.CSV = s.AppendCSV(nil, c.First, c.Rows)
		}
		err := table.add(c)
		if !a.ui.quiet {
			a.ui.bar.show("sweep", table.done, s.Len(), inSteps, func(perSecond float64) string { return countText(perSecond) + " runs/s" })
		}
		return err
	})
	took := time.Since(begun)
	if e := table.close(); err == nil {
		err = e
	}
	a.ui.bar.clear()
	flagged.warn(a)
	if err != nil {
		return table.ended(err, s.Len())
	}
	if picture != nil {
		var svg bytes.Buffer
		if err := picture.WriteSVG(&svg); err != nil {
			return fmt.Errorf("plot: %w", err)
		}
		if err := writeFile(f.plot, svg.Bytes()); err != nil {
			return err
		}
	}
	if a.ui.json {
		return a.ui.doc(sweepResult{okDocument("sweep"), f.nats.place(at), s.Len(), took.Nanoseconds(), s.Columns(), table.name(), f.plot, table.rows})
	}
	a.ui.note("%s in %s (%s runs/s)", plural(s.Len(), "run"), duration(took), countText(float64(s.Len())/took.Seconds()))
	return nil
}

// sweepHere computes on a target of this machine.
func (a *app) sweepHere(ctx context.Context, file string, dev target.Target, f *sweepFlags) (*sweep.Sweep, func(func(sweep.Chunk) error) error, error) {
	p, _, err := compileFile(ctx, file, f.pick, compiler.Options{Arch: dev.Arch(), Features: dev.Features(), Fast: f.fast}, f.host)
	if err != nil {
		return nil, nil, err
	}
	s, err := sweep.Bind(p, f.spec)
	if err != nil {
		return nil, nil, err
	}
	return s, func(done func(sweep.Chunk) error) error {
		workers, err := pool.New(ctx, dev, p, min(s.Len(), workersOr(f.workers)))
		if err != nil {
			return err
		}
		defer workers.Close()
		return s.Each(ctx, workers, 0, s.Len(), true, done)
	}, nil
}

func workersOr(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// sweptGraph is the graph of the program that is swept, for other machines to compile.
func sweptGraph(ctx context.Context, file string, f *sweepFlags) (*graphfile.File, error) {
	p, g, err := compileFile(ctx, file, f.pick, compiler.Options{Arch: target.HostArch(), Fast: f.fast}, f.host)
	if err != nil || g != nil {
		return g, err
	}
	return p.File()
}

func parseLabels(texts []string) (plot.Labels, error) {
	labels := plot.Labels{}
	for _, text := range texts {
		name, label, ok := strings.Cut(text, "=")
		if !ok || name == "" || label == "" {
			return nil, &failure{Code: exitUsage, Message: "--label " + text + ": this is not NAME=TEXT", Hint: `for example: --label "kp=gain [V/rad]"`}
		}
		labels[name] = label
	}
	return labels, nil
}

// raised counts the runs that raised flags.
type raised map[device.Flags]int

func (r raised) note(f device.Flags) {
	if f != 0 {
		r[f]++
	}
}

func (r raised) warn(a *app) {
	texts := map[string]int{}
	for flags, n := range r {
		for _, text := range flags.Texts() {
			texts[text] += n
		}
	}
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		a.warn(fmt.Sprintf("in %s %s", plural(texts[text], "run"), text))
	}
}

// countText shows a number of things with three digits.
func countText(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.3g million", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.3g", n)
}
