package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/record"
	"github.com/copaflash/copaflash/protocol/session"
)

// recordFlags say what is recorded, and where to.
type recordFlags struct {
	loopFlags
	pace
	start  loopStart // of --start
	file   string    // program to start; empty: a loop that runs
	sets   []string
	output string
	udp    string
	every  int
	lasts  time.Duration
	inputs bool
}

// recordResult is the JSON document of record.
type recordResult struct {
	document
	File      string           `json:"file,omitempty"`
	Records   int              `json:"records"`
	Lost      uint64           `json:"lost"` // records that are missing between them
	FirstTick uint32           `json:"first_tick"`
	LastTick  uint32           `json:"last_tick"`
	Every     int              `json:"every"`
	Variables []capturedSymbol `json:"variables"`
	Loop      *loopInfo        `json:"loop"`
}

func recordCommand(a *app) *cobra.Command {
	var f recordFlags
	c := &cobra.Command{
		Use:   "record [NAME...]",
		Short: "Record variables of the loop on a board into a file: CSV, NumPy, or one that can be replayed",
		Long: `Record variables of the loop that runs on a board while it goes on, until --for is over,
the loop ends, or Ctrl-C; the file is complete in each case. Without names, the
variables are those that watch shows.

  .csv   a line for each record: tick, time_s, lateness_s, drops, and the variables
         with their units
  .npz   the same as arrays for numpy.load
  .cbor  the same with the program's metadata; with --inputs all that replay needs

Where every variable is a log of its script with every=N, one tick in N is recorded, or
in the greatest common divisor of them; --every tells otherwise. With --inputs, and of
other variables, it is every tick.

Records that were lost on the way are part of the data: drops is how many are missing
directly before a record. The loop itself is never delayed.

--start runs a program for the time of the recording, here (--target local) or on a
board. --udp sends each record as JSON to PlotJuggler's UDP server as well.`,
		Example: `  copaflash record -o run.csv --for 60s
  copaflash record err u --every 10 -o run.npz
  copaflash record --inputs -o run.cbor --start pid.py --rate 1kHz --target local --for 10s
  copaflash record err u --udp localhost:9870`,
		Args: cobra.ArbitraryArgs,
	}
	c.RunE = func(c *cobra.Command, names []string) error {
		if err := f.check(c); err != nil {
			return err
		}
		// The target outlives an interrupt: that ends the recording only.
		ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context()))
		defer cancel()
		opened := context.AfterFunc(c.Context(), cancel)
		l, err := a.toRecord(ctx, &f)
		if err != nil {
			return err
		}
		defer l.dev.Close()
		opened()
		return a.record(c.Context(), ctx, l, names, &f)
	}
	f.loopFlags.add(c)
	f.pace.addFor(c, "ticks a second of the program of --start, such as 1kHz (default: that of its tasks)")
	c.Flags().StringVarP(&f.output, "output", "o", "", "file to write: .csv, .npz or .cbor")
	c.Flags().IntVar(&f.every, "every", 0, "ticks from one record to the next (default: as the logs among the variables say, else 1)")
	c.Flags().DurationVar(&f.lasts, "for", 0, "end after this time (default: at Ctrl-C, or when the loop ends)")
	c.Flags().BoolVar(&f.inputs, "inputs", false, "record all inputs and states, and the program, so that copaflash replay can compute it again (.cbor)")
	c.Flags().StringVar(&f.udp, "udp", "", udpUsage)
	c.Flags().StringVar(&f.file, "start", "", "run this program for the time of the recording: a script, graph file or image file")
	c.Flags().StringArrayVar(&f.sets, "set", nil, setUsage)
	f.start.source.add(c)
	f.start.source.host.bind.add(a, c)
	return c
}

const udpUsage = "send each record as JSON in a datagram to HOST:PORT, as PlotJuggler's UDP server reads it"

func (f *recordFlags) check(c *cobra.Command) error {
	form := filepath.Ext(f.output)
	switch {
	case f.output == "" && f.udp == "":
		return &failure{Code: exitUsage, Message: "record needs a file", Hint: "for example: copaflash record -o run.csv --for 60s"}
	case f.output != "" && sinks[form] == nil:
		return &failure{Code: exitUsage, Message: f.output + ": recordings are written as " + strings.Join(slices.Sorted(maps.Keys(sinks)), ", "), Hint: "for example: -o run.csv", File: f.output}
	case f.inputs && form != ".cbor":
		return &failure{Code: exitUsage, Message: "--inputs is for files that can be replayed", Hint: "for example: -o run.cbor"}
	case f.inputs && f.file == "" && f.image == "":
		return &failure{Code: exitUsage, Message: "--inputs needs the program that runs, to compute it again", Hint: "name its script or graph file with --image, or start it with --start"}
	case f.inputs && (filepath.Ext(f.file) == imageSuffix || filepath.Ext(f.image) == imageSuffix):
		return &failure{Code: exitUsage, Message: "--inputs: an image file has the code of the program alone, of which nothing can be computed again", Hint: "name its script or graph file"}
	case f.every < 0 || int64(f.every) > math.MaxInt32 || f.every == 0 && c.Flags().Changed("every"):
		return &failure{Code: exitUsage, Message: fmt.Sprintf("--every %d: want a number of ticks from 1 to %d", f.every, math.MaxInt32), Hint: "1 records every tick"}
	case f.lasts < 0:
		return &failure{Code: exitUsage, Message: "--for must not be negative", Hint: "leave it out to record until Ctrl-C"}
	case f.file != "" && f.image != "":
		return &failure{Code: exitUsage, Message: "--start and --image: the program that is started is known", Hint: "leave out --image"}
	}
	if f.file == "" {
		return refuseFlags(c, slices.Concat(aboutProgram, aboutStart), "is for the program of --start", "change a loop that runs with copaflash set or swap")
	}
	return nil
}

// recorded is a loop to record.
type recorded struct {
	attached
	program *compiler.Program // nil: only its image is known
	config  device.LoopConfig
	initial []record.Value // where it was started for the recording
	own     bool           // it ends with the recording
}

// toRecord finds the loop that runs, or starts one.
func (a *app) toRecord(ctx context.Context, f *recordFlags) (*recorded, error) {
	if f.file != "" {
		return a.startToRecord(ctx, f)
	}
	l, err := a.attach(ctx, &f.loopFlags)
	if err != nil {
		return nil, err
	}
	r := &recorded{attached: *l, program: programOf(l.img)}
	s, err := l.Status(ctx)
	if err == nil && s.Period <= 0 {
		err = session.ErrNoNote
	}
	if err == nil && f.inputs {
		r.program, err = a.compileFor(ctx, l.dev, f.image, programSource{})
	}
	if err != nil {
		l.dev.Close()
		return nil, err
	}
	r.config = device.LoopConfig{Period: s.Period, Tasks: device.TasksOf(l.img)}
	if hz := l.img.TickRate(); hz > 0 && math.Abs(float64(time.Second)/hz-float64(s.Period)) < 1 {
		r.config.Hz = hz
	}
	return r, nil
}

func (a *app) startToRecord(ctx context.Context, f *recordFlags) (_ *recorded, err error) {
	at, err := f.need(ctx, a)
	if err != nil {
		return nil, err
	}
	j := &loopJob{command: "record", file: f.file, at: at, sets: f.sets, start: &f.start}
	j.at.runner = strings.HasSuffix(f.file, imageSuffix) // nothing from elsewhere runs in this process
	if j.hz, err = f.pace.hz(); err != nil {
		return nil, err
	}
	f.start.source.host.bind.rate = j.hz
	dev, err := a.openTarget(ctx, j.at)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			dev.Close()
		}
	}()
	if err := j.free(ctx, dev); err != nil {
		return nil, err
	}
	p, err := a.compileFor(ctx, dev, f.file, f.start.source)
	if err != nil {
		return nil, err
	}
	loaded, err := dev.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	j.at.keep(p.Image)
	r := &recorded{program: p, own: true}
	if r.config, err = device.LoopOf(p.Image, j.hz); err != nil {
		return nil, err
	}
	if f.inputs {
		var h record.Header
		if err := j.preset(ctx, loaded, p.Image); err != nil {
			return nil, err
		}
		if err := h.Fresh(ctx, loaded, p.Image); err != nil {
			return nil, err
		}
		r.initial = h.Initial
	}
	loop, err := a.begin(ctx, loaded, p.Image, j)
	if err != nil {
		return nil, err
	}
	r.attached = attached{loop, dev, p.Image}
	return r, nil
}

// record records until the loop ends or until is done; work is what the target lives by.
func (a *app) record(until, work context.Context, l *recorded, names []string, f *recordFlags) (err error) {
	end := l.Status
	if l.own {
		end = l.Stop
		defer func() {
			if err != nil {
				_, _ = l.Stop(work) // it may have ended; the error is what matters
			}
		}()
	}
	symbols, err := a.watched(l.img, names)
	if err != nil {
		return err
	}
	every := f.every
	if every == 0 {
		every = 1
		if !f.inputs {
			every = image.EveryOf(symbols)
		}
	}
	h, err := record.Begin(l.program, valuesOf(symbols), l.config, every, f.inputs)
	if err != nil {
		return err
	}
	h.Target, h.Board, h.Initial = l.dev.Name(), l.dev.Board(), l.initial
	all := pointersTo(h.Variables)
	sub := device.Subscription{Spans: spansOf(all), Every: every}
	stream, err := l.Subscribe(work, sub)
	if err != nil {
		return err // and a file of before stays as it is
	}
	defer stream.Close()
	to, err := a.sinks(f, h, all)
	if err != nil {
		return err
	}
	if f.lasts > 0 {
		var over context.CancelFunc
		until, over = context.WithTimeout(until, f.lasts)
		defer over()
	}
	r := &recordResult{document: okDocument("record"), File: f.output, Every: every}
	for _, s := range all {
		r.Variables = append(r.Variables, capturedSymbol{s.Name, s.About().Unit})
	}
	broken := r.take(until, stream, to)
	_ = stream.Close()
	s, lost := end(work)
	if err := errors.Join(to.End(s), broken, lost); err != nil {
		return err
	}
	r.Loop = loopInfoOf(s)
	return a.tellRecord(r, s, h.Period)
}

// take takes records until the stream ends, or until is done.
func (r *recordResult) take(until context.Context, stream device.Stream, to sink) error {
	for {
		rec, err := stream.Next(until)
		if until.Err() != nil {
			return nil
		}
		if errors.Is(err, io.EOF) {
			if r.Records > 0 {
				r.Lost += uint64(rec.Drops) // after the last one
			}
			return nil
		}
		if err != nil {
			return err
		}
		if r.Records == 0 {
			r.FirstTick = rec.Tick
			rec.Drops = 0 // what was lost before the recording is no gap in it
		}
		r.Records++
		r.Lost += uint64(rec.Drops)
		r.LastTick = rec.Tick
		if err := to.Record(rec); err != nil {
			return err
		}
	}
}

func (a *app) tellRecord(r *recordResult, s *device.LoopStatus, period time.Duration) error {
	if a.ui.json {
		if end := endFailure(s); end != nil {
			return end
		}
		return a.ui.doc(r)
	}
	what := "sent"
	if r.File != "" {
		what = r.File
	}
	span := time.Duration(r.LastTick-r.FirstTick) * period
	a.ui.out("%s: %s in %s, ticks %d to %d, %d lost on the way, %d ticks missed by the loop since its start\n",
		what, plural(r.Records, "record"), seconds(span), r.FirstTick, r.LastTick, r.Lost, s.Missed)
	if r.Lost > 0 {
		a.warn(fmt.Sprintf("%s lost on the way: the column drops says where; a greater --every or fewer variables need less of the link", plural(int(min(r.Lost, math.MaxInt32)), "record")))
	}
	return endFailure(s)
}

func valuesOf(symbols []*image.Symbol) []image.Symbol {
	out := make([]image.Symbol, len(symbols))
	for i, s := range symbols {
		out[i] = *s
	}
	return out
}

func pointersTo(symbols []image.Symbol) []*image.Symbol {
	out := make([]*image.Symbol, len(symbols))
	for i := range symbols {
		out[i] = &symbols[i]
	}
	return out
}
