package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/timing"
)

// graphForms are the forms of graph files, by the end of the file's name.
var graphForms = map[string]func(*graphfile.File) ([]byte, error){
	".json": (*graphfile.File).JSON,
	".cbor": (*graphfile.File).CBOR,
}

func isGraph(file string) bool { return graphForms[filepath.Ext(file)] != nil }

// job is what to do with a program that has no script of its own: a graph or an
// image file.
type job struct {
	sets  []string // NAME=VALUE, before the first run
	gets  []string // names to read afterwards; none: all outputs
	runs  int      // 0: not said
	ticks int      // the same, with a pace
	pace  pace
	// period is from start to start of the runs; 0: back to back.
	period time.Duration
}

func (j *job) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&j.sets, "set", nil, "give a variable of a graph or image file a value, as NAME=VALUE; may be repeated")
	c.Flags().StringArrayVar(&j.gets, "get", nil, "print this variable of a graph or image file (default: all outputs); may be repeated")
	c.Flags().IntVar(&j.runs, "runs", 1, "how often to run the program of a graph or image file, or at the end the last one of a script, back to back")
	c.Flags().IntVarP(&j.ticks, "ticks", "n", 0, "with --rate or --period: run so many ticks, and end (default: a loop)")
	j.pace.addFor(c, "run the program as a loop with so many ticks a second, such as 1kHz; with --ticks or --runs only so many, and tell their timing")
}

// loops reports whether the program is to run as a loop: it has a rate, and no number of ticks.
func (j *job) loops(c *cobra.Command) bool {
	return j.pace.given() && !c.Flags().Changed("runs") && !c.Flags().Changed("ticks")
}

// count settles how many runs there are, where their number is stated.
func (j *job) count(c *cobra.Command) error {
	switch {
	case !c.Flags().Changed("ticks"):
		return nil
	case c.Flags().Changed("runs"):
		return &failure{Code: exitUsage, Message: "--ticks and --runs say the same", Hint: "give one of them"}
	case !j.pace.given():
		return &failure{Code: exitUsage, Message: "--ticks needs --rate or --period", Hint: "without a rate, runs are back to back: --runs " + strconv.Itoa(max(j.ticks, 1))}
	case j.ticks < 1:
		return &failure{Code: exitUsage, Message: "--ticks must be at least 1", Hint: "leave it out for a loop without an end"}
	}
	j.runs = j.ticks
	return c.Flags().Set("runs", strconv.Itoa(j.ticks))
}

// forFile refuses what makes no sense, and all of it for a script.
func (j *job) forFile(c *cobra.Command, file string) error {
	if err := j.count(c); err != nil {
		return err
	}
	if name := changedFlag(c, loopOnly); name != "" {
		return &failure{Code: exitUsage, Message: "--" + name + " is for loops", Hint: "give --rate or --period, and no number of runs"}
	}
	if j.runs < 1 {
		return &failure{Code: exitUsage, Message: "--runs must be at least 1"}
	}
	var err error
	if j.period, err = j.pace.of("runs", c.Flags().Changed("runs")); err != nil {
		return err
	}
	if isGraph(file) || strings.HasSuffix(file, imageSuffix) {
		return nil
	}
	if !c.Flags().Changed("runs") {
		j.runs = 0
	}
	for _, name := range []string{"set", "get"} {
		if c.Flags().Changed(name) {
			return &failure{Code: exitUsage, Message: "--" + name + " is for graph and image files: a script says itself what it runs",
				Hint: "export what a script computes with: copaflash compile SCRIPT --graph FILE.json"}
		}
	}
	return nil
}

// changedFlag is the first of some flags that was given; empty for none.
func changedFlag(c *cobra.Command, names []string) string {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

func readGraph(file string) (*graphfile.File, error) {
	refuse := func(err error) error {
		return &failure{Code: exitUsage, Message: err.Error(), Hint: "the format is described in docs/graph-file.md", File: file}
	}
	data, err := readFile(file, graphfile.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &failure{Code: exitUsage, Message: err.Error(), Hint: "check the name", File: file}
	case errors.Is(err, errTooLong):
		return nil, &failure{Code: exitUsage, Message: file + " is too long for a graph file", File: file}
	case err != nil:
		return nil, refuse(err)
	}
	f, err := graphfile.Decode(data)
	if err != nil {
		return nil, refuse(err)
	}
	return f, nil
}

// writeGraph writes a graph file in the form that its name asks for.
func writeGraph(file string, f *graphfile.File) error {
	form := graphForms[filepath.Ext(file)]
	if form == nil {
		return &failure{Code: exitUsage, Message: file + ": the name of a graph file ends in .json or .cbor"}
	}
	data, err := form(f)
	if err != nil {
		return err
	}
	return writeFile(file, data)
}

// compileGraph compiles a graph file.
func compileGraph(f *graphfile.File, file string, opt compiler.Options) (*compiler.Program, error) {
	opt.Source = cmp.Or(f.Source, filepath.Base(file))
	prog, err := compiler.CompileFile(f, opt)
	if refused := (*graph.Error)(nil); errors.As(err, &refused) {
		return nil, &failure{Code: exitUsage, Message: err.Error(), File: file}
	}
	return prog, err
}

// runGraph compiles a graph file for a target, runs it there and reads its outputs.
func (a *app) runGraph(ctx context.Context, command, file string, at place, opt compiler.Options, todo job, host scriptHost) (*runResult, error) {
	f, err := readGraph(file)
	if err != nil {
		return nil, err
	}
	dev, err := a.open(ctx, at)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	opt.Arch, opt.Features = dev.Arch(), dev.Features()
	if err := host.bind.give(ctx, &opt); err != nil {
		return nil, err
	}
	prog, err := compileGraph(f, file, opt)
	if err == nil {
		err = host.bind.check()
	}
	if err != nil {
		return nil, err
	}
	p, err := dev.Load(ctx, prog)
	if err != nil {
		return nil, err
	}
	at.keep(prog.Image)
	r := &runResult{document: okDocument(command), Target: dev.Name(), Board: dev.Board()}
	outputs := make([]variable, len(prog.Outputs))
	for i, o := range prog.Outputs {
		outputs[i] = variable{o.Name, prog.Output(i)}
	}
	if err := r.carryOut(ctx, p, prog.Image, outputs, todo); err != nil {
		return nil, err
	}
	r.Programs[0].CompileNS = prog.Report.Total().Nanoseconds()
	return r, nil
}

// variable is a place in the data block under the name that it is asked for by.
type variable struct {
	name   string
	symbol *image.Symbol
}

// carryOut sets variables of a loaded program, runs it, and reads what was asked
// for, or the outputs.
func (r *runResult) carryOut(ctx context.Context, p device.Program, img *image.Image, outputs []variable, todo job) error {
	// All names are checked before anything happens.
	stores, err := parseStores(img, todo.sets)
	if err != nil {
		return err
	}
	wanted, err := todo.wanted(img, outputs)
	if err != nil {
		return err
	}
	var times timing.Recorder
	c := device.Call{Writes: stores, Runs: todo.runs, Period: todo.period, Timed: times.Add}
	for _, v := range wanted {
		c.Reads = append(c.Reads, device.SpanOf(v.symbol))
	}
	done, err := device.Ticks(ctx, p, img, 0, c)
	if err != nil {
		return err
	}
	for i, v := range wanted {
		r.Outputs = append(r.Outputs, outputValue{Name: v.name, Value: value(v.symbol.Decode(done.Data[i]))})
	}
	info := imageInfo(img)
	wire, d := p.Transfer()
	info.WireBytes, info.TransferNS = wire, d.Nanoseconds()
	info.Runs, info.RunNS = todo.runs, summary(times.Summary())
	info.Timing = tickTimingOf(done.Timing)
	r.Programs = []programInfo{info}
	return nil
}

// runAgain runs the last program of a script as often as --runs says.
func (j *job) runAgain(ctx context.Context, programs []timedProgram) error {
	switch {
	case j.runs == 0:
		return nil
	case len(programs) == 0:
		return &failure{Code: exitUsage, Message: "--runs: the script has compiled no program that could be run"}
	}
	last := &programs[len(programs)-1]
	timing, err := last.Again(ctx, j.runs, j.period)
	last.timing = tickTimingOf(timing)
	return err
}

// wanted finds what to read afterwards: outputs before other variables.
func (j *job) wanted(img *image.Image, outputs []variable) ([]variable, error) {
	if len(j.gets) == 0 {
		return outputs, nil
	}
	var list []variable
	for _, name := range j.gets {
		if i := slices.IndexFunc(outputs, func(v variable) bool { return v.name == name }); i >= 0 {
			list = append(list, outputs[i])
			continue
		}
		s, err := pickSymbols(img, []string{name})
		if err != nil {
			return nil, err
		}
		list = append(list, variable{name, s[0]})
	}
	return list, nil
}

// imageOutputs are what an image file's program computes, each once.
func imageOutputs(img *image.Image) []variable {
	var list []variable
	seen := map[uint32]bool{} // places
	for i := range img.Symbols {
		s := &img.Symbols[i]
		if s.Kind != image.Output || seen[s.Offset] && s.Size() > 0 {
			continue
		}
		seen[s.Offset] = true
		list = append(list, variable{s.Name, s})
	}
	return list
}
