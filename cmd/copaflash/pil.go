package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/pil"
	"github.com/copaflash/copaflash/hil/record"
	"github.com/copaflash/copaflash/hil/target"
)

// pilFlags are what the user asks of a run in lockstep.
type pilFlags struct {
	at              targetFlags
	how             pace
	source          programSource
	ticks           int
	connect         []string
	sets, plantSets []string
	gets            []string
	every           int
	output, plant   string // recordings
	unchecked       bool
	limit           time.Duration
}

func pilCommand(a *app) *cobra.Command {
	f := pilFlags{}
	c := &cobra.Command{
		Use:   "pil CONTROLLER PLANT",
		Short: "Run a controller on a target in lockstep with a model of its plant on this machine",
		Long: `Processor in the loop: the controller runs on the target, tick by tick, and the model of
its plant on this machine. Both are scripts or graph files. In each tick the controller
gets what the plant has left, and the plant goes on with what the controller puts out.

An output goes to the input that has its name on the other side; --connect pairs others,
the controller's variable first: --connect u=voltage,y=speed. In tick 0 the controller's
inputs have their own values, unless what they are connected to is a state of the plant.

The same two programs run on the oracle, too, and after each tick all their variables are
compared bit for bit: the exit code is 7 if one differs. The ticks follow each other as
fast as the link allows, or at --rate. -o records the controller, for copaflash replay.`,
		Example: `  copaflash pil examples/pil/speed_controller.py examples/pil/motor.py --ticks 1000
  copaflash pil controller.py plant.py --target qemu:rpi3 --ticks 5000 --connect u=voltage -o run.cbor
  copaflash pil controller.py plant.py --port /dev/ttyACM0 --every 100 --get y,u`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &failure{Code: exitUsage, Message: c.CommandPath() + " takes two files, the controller and the plant",
					Hint: "for example: " + c.CommandPath() + " controller.py plant.py --ticks 1000"}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.pil(c.Context(), args[0], args[1], &f) },
	}
	flags := c.Flags()
	flags.IntVar(&f.ticks, "ticks", 1000, "how many ticks to run")
	flags.StringSliceVar(&f.connect, "connect", nil, "connect variables of other names, as CONTROLLER=PLANT; several separated by commas, or repeated")
	flags.StringArrayVar(&f.sets, "set", nil, "give a variable of the controller a value before tick 0, as NAME=VALUE; may be repeated")
	flags.StringArrayVar(&f.plantSets, "set-plant", nil, "the same for the plant; may be repeated")
	flags.StringSliceVar(&f.gets, "get", nil, "variables to print, as NAME, controller.NAME or plant.NAME (default: all outputs)")
	flags.IntVar(&f.every, "every", 0, "print a line of CSV every so many ticks (default: the values at the end)")
	flags.StringVarP(&f.output, "output", "o", "", "record the controller into this file (.cbor)")
	flags.StringVar(&f.plant, "plant-output", "", "record the plant into this file (.cbor)")
	flags.BoolVar(&f.unchecked, "unchecked", false, "do not compare with the oracle, which is slow for large programs")
	f.how.addFor(c, "run at this many ticks a second of real time, such as 1kHz (default: as fast as the link allows)")
	f.at.add(c)
	limitFlag(c, &f.limit)
	f.source.how.add(c)
	f.source.host.add(c)
	return c
}

// pilResult is the JSON document of pil.
type pilResult struct {
	document
	Error       *failure       `json:"error,omitempty"`
	Target      string         `json:"target"`
	Board       string         `json:"board,omitempty"`
	Ticks       int            `json:"ticks"`
	TookNS      int64          `json:"took_ns"`
	TicksPerSec float64        `json:"ticks_per_s"`
	RealTime    float64        `json:"real_time,omitempty"` // as fast as the controller's own rate: 1
	ExecutionNS runSummary     `json:"execution_ns"`        // of the controller, by the target's timer
	Connected   []string       `json:"connected"`
	Checked     bool           `json:"checked"`
	Difference  *pilDifference `json:"difference,omitempty"`
	Outputs     []outputValue  `json:"outputs,omitempty"`
	Rows        [][]any        `json:"rows,omitempty"` // with --every: tick and values
	Files       []string       `json:"files,omitempty"`
}

// pilDifference is the first value that differs from the oracle's.
type pilDifference struct {
	Side   string `json:"side"`
	Tick   uint32 `json:"tick"`
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Elem   int    `json:"element"`
	Target string `json:"target"`
	Oracle string `json:"oracle"`
}

// check refuses what makes no sense.
func (f *pilFlags) check() error {
	switch {
	case f.ticks < 1:
		return &failure{Code: exitUsage, Message: "--ticks must be at least 1", Hint: "leave it out for 1000 ticks"}
	case f.every < 0:
		return &failure{Code: exitUsage, Message: "--every must not be negative", Hint: "0, the default, prints the values at the end"}
	}
	if f.output != "" && f.output == f.plant {
		return &failure{Code: exitUsage, Message: "--output and --plant-output name the same file", Hint: "give the plant's recording a file of its own", File: f.output}
	}
	for _, file := range []string{f.output, f.plant} {
		if file != "" && filepath.Ext(file) != ".cbor" {
			return &failure{Code: exitUsage, Message: file + ": recordings are .cbor files", Hint: "for example: -o run.cbor", File: file}
		}
	}
	return nil
}

// connections reads --connect.
func (f *pilFlags) connections() (list []pil.Connection, err error) {
	for _, text := range f.connect {
		controller, plant, ok := strings.Cut(text, "=")
		if !ok || controller == "" || plant == "" {
			return nil, &failure{Code: exitUsage, Message: "--connect " + text + ": this is not CONTROLLER=PLANT", Hint: "for example: --connect u=voltage,y=speed"}
		}
		list = append(list, pil.Connection{Controller: controller, Plant: plant})
	}
	return list, nil
}

func (a *app) pil(ctx context.Context, controller, plant string, f *pilFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	at, err := f.at.resolve(ctx, a)
	if err == nil {
		at, err = at.limited(f.limit)
	}
	if err != nil {
		return err
	}
	if at.name == "" {
		at.name = target.LocalName
	}
	config := pil.Config{Ticks: f.ticks, Unchecked: f.unchecked, Progress: func(n int) { a.ui.steps("ticks", n, f.ticks) }}
	if config.Connections, err = f.connections(); err != nil {
		return err
	}
	hz, err := f.how.hz()
	if err != nil {
		return err
	}
	if hz > 0 {
		config.Pace = time.Duration(float64(time.Second) / hz)
	}
	there, err := a.open(ctx, at)
	if err != nil {
		return err
	}
	defer there.Close()
	here, err := a.open(ctx, place{name: target.LocalName})
	if err != nil {
		return err
	}
	defer here.Close()
	if config.Controller, err = a.pilSide(ctx, there, controller, f.sets, f.source); err != nil {
		return err
	}
	if config.Plant, err = a.pilSide(ctx, here, plant, f.plantSets, f.source); err != nil {
		return err
	}
	printer := pilPrinter{app: a, every: f.every}
	if printer.shown, err = f.shown(config.Controller.Program.Image, config.Plant.Program.Image); err != nil {
		return err
	}
	config.Each = printer.tick
	r, err := pil.Run(ctx, config)
	a.ui.bar.clear()
	if err != nil {
		return pilFailure(err)
	}
	result := &pilResult{document: okDocument("pil"), Target: there.Name(), Board: there.Board(), Connected: r.Wires, Checked: !f.unchecked}
	result.fill(r, config.Controller.Program.Image, &printer)
	if err := result.write(map[string]*record.Recording{f.output: r.Controller, f.plant: r.Plant}); err != nil {
		return err
	}
	return a.showPil(result, f.every == 0)
}

// write writes recordings into the files that are named.
func (r *pilResult) write(recordings map[string]*record.Recording) error {
	for _, file := range slices.Sorted(maps.Keys(recordings)) {
		if file == "" {
			continue
		}
		of := recordings[file]
		of.Target, of.Board = r.Target, r.Board
		var data bytes.Buffer
		if err := of.Write(&data); err != nil {
			return err
		}
		if err := writeFile(file, data.Bytes()); err != nil {
			return err
		}
		r.Files = append(r.Files, file)
	}
	return nil
}

// pilSide compiles a program for a device.
func (a *app) pilSide(ctx context.Context, dev target.Target, file string, sets []string, source programSource) (s pil.Side, err error) {
	if strings.HasSuffix(file, imageSuffix) {
		return s, &failure{Code: exitUsage, Message: file + " is compiled already: the oracle evaluates scripts and graph files", File: file,
			Hint: "give the script, or export its graph with: copaflash compile SCRIPT --graph FILE.json"}
	}
	s.Device = dev
	if s.Program, err = a.compileFor(ctx, dev, file, source); err != nil {
		return s, err
	}
	s.Set, err = parseSets(s.Program.Image, sets)
	return s, err
}

// pilFailure is an error of two programs that do not fit each other, or of a target.
func pilFailure(err error) error {
	var wiring *pil.WiringError
	if errors.As(err, &wiring) {
		return &failure{Code: exitUsage, Message: err.Error(), Hint: "name pairs, the controller's variable first: --connect u=voltage,y=speed"}
	}
	return err
}

// A shownVariable is one to print.
type shownVariable struct {
	name, variable string
	plant          bool
}

// shown finds the variables of --get, or all outputs.
func (f *pilFlags) shown(controller, plant *image.Image) (list []shownVariable, err error) {
	if len(f.gets) == 0 {
		taken := map[string]bool{}
		for i, m := range []*image.Image{controller, plant} {
			for k := range m.Symbols {
				s := &m.Symbols[k]
				if s.Kind != image.Output || s.Size() == 0 {
					continue
				}
				name := s.Name
				if taken[name] {
					name = "plant." + name
				}
				taken[name] = true
				list = append(list, shownVariable{name, s.Name, i == 1})
			}
		}
		return list, nil
	}
	for _, name := range f.gets {
		side, variable, ok := strings.Cut(name, ".")
		images := []*image.Image{controller, plant}
		if ok && side == "controller" {
			images[1] = nil
		} else if ok && side == "plant" {
			images[0] = nil
		} else {
			variable = name
		}
		at := slices.IndexFunc(images, func(m *image.Image) bool {
			return m != nil && slices.ContainsFunc(m.Symbols, func(s image.Symbol) bool { return s.Name == variable && s.Size() > 0 })
		})
		if at < 0 {
			return nil, &failure{Code: exitUsage, Message: fmt.Sprintf("--get %s: neither program has such a variable", name),
				Hint: fmt.Sprintf("the controller has %s, the plant %s", namesOfAll(controller), namesOfAll(plant))}
		}
		list = append(list, shownVariable{name, variable, at == 1})
	}
	return list, nil
}

// namesOfAll lists the variables of an image.
func namesOfAll(m *image.Image) string {
	var names []string
	for i := range m.Symbols {
		if name := m.Symbols[i].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// pilPrinter prints values as they come.
type pilPrinter struct {
	app   *app
	every int // 0: at the end only
	shown []shownVariable
	last  []outputValue
	rows  [][]any
}

// tick takes the values of a tick.
func (p *pilPrinter) tick(tick uint32, v pil.Values) error {
	p.last = p.last[:0]
	for _, s := range p.shown {
		of := v.Controller
		if s.plant {
			of = v.Plant
		}
		symbol, data, err := of(s.variable)
		if err != nil {
			return err
		}
		p.last = append(p.last, outputValue{Name: s.name, Value: value(symbol.Decode(data))})
	}
	if p.every == 0 || tick%uint32(p.every) != 0 {
		return nil
	}
	if p.app.ui.json {
		row := []any{tick}
		for _, o := range p.last {
			row = append(row, o.Value)
		}
		p.rows = append(p.rows, row)
		return nil
	}
	if tick == 0 {
		names := []string{"tick"}
		for _, s := range p.shown {
			names = append(names, s.name)
		}
		p.app.ui.out("%s\n", strings.Join(names, ","))
	}
	cells := []string{fmt.Sprint(tick)}
	for _, o := range p.last {
		cells = append(cells, o.Value.String())
	}
	p.app.ui.out("%s\n", strings.Join(cells, ","))
	return nil
}

// fill takes the report over.
func (r *pilResult) fill(from *pil.Report, controller *image.Image, p *pilPrinter) {
	r.Ticks, r.TookNS, r.ExecutionNS = from.Ticks, from.Took.Nanoseconds(), summary(from.Execution)
	r.TicksPerSec = float64(from.Ticks) / max(from.Took, 1).Seconds()
	if hz := controller.TickRate(); hz > 0 {
		r.RealTime = r.TicksPerSec / hz
	}
	r.Outputs, r.Rows = p.last, p.rows
	if d := from.Difference; d != nil {
		r.OK, r.Outputs = false, nil
		r.Difference = &pilDifference{d.Side, d.Tick, d.Variable.Kind.String(), d.Variable.Name, d.Element, d.Number(d.Recorded), d.Number(d.Computed)}
		r.Error = &failure{Code: exitVerify, Message: d.String(), Hint: "record it with -o run.cbor, and report it: targets agree on every bit"}
	}
}

func (a *app) showPil(r *pilResult, values bool) error {
	if a.ui.json {
		if err := a.ui.doc(r); err != nil || r.Error == nil {
			return err
		}
		return &alreadyShown{r.Error}
	}
	if values {
		for _, o := range r.Outputs {
			a.ui.out("%s = %s\n", o.Name, o.Value)
		}
	}
	if r.Error != nil {
		return r.Error
	}
	checked := "not compared with the oracle"
	if r.Checked {
		checked = "equal to the oracle, bit for bit"
	}
	speed := ""
	if r.RealTime > 0 {
		speed = fmt.Sprintf(", %.3g times real time", r.RealTime)
	}
	e := r.ExecutionNS
	a.ui.note("%s on %s: %s; %s ticks/s%s; execution %s min, %s mean, %s max", plural(r.Ticks, "tick"), r.Target, checked, countText(r.TicksPerSec), speed,
		duration(time.Duration(e.Min)), duration(time.Duration(e.Mean)), duration(time.Duration(e.Max)))
	for _, w := range r.Connected {
		a.ui.note("  %s", w)
	}
	return nil
}
