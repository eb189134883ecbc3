package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	columns "github.com/copaflash/copaflash/hil/table"
)

// captureFlags say what is captured.
type captureFlags struct {
	loopFlags
	when          string
	before, after int
	output        string
	wait          time.Duration
}

func captureCommand(a *app) *cobra.Command {
	var f captureFlags
	c := &cobra.Command{
		Use:   "capture [NAME...]",
		Short: "Record every tick around an event of the loop on a board, into the board's memory",
		Long: `Record variables of the loop that runs on a board, in every tick, into the board's own
memory, and read them when the event has come: the ticks before it and after it.

--when says what the event is. Numbers may have the variable's unit.

  err>0.1  err>=0.1  u<-2rad  u<=-2   the variable is beyond a bound
  rising(x>0.5)  rising(x)            it has become greater than 0.5, or than 0, with this tick
  falling(x<0.5)  falling(x)          it has become less
  enabled                             a bool is True
  fault                               the loop ends by itself: a fault, missed ticks

Without it, recording starts at once. Without names, the variables are those that
watch shows, and that of the event. Without -o the table goes to stdout, as CSV.`,
		Example: `  copaflash capture --when 'err>0.1' --before 200 --after 800 -o overshoot.csv
  copaflash capture err u --when 'rising(setpoint>1rad)' -o step.json
  copaflash capture --when fault --before 500 --after 0 -o crash.csv`,
	}
	c.RunE = func(c *cobra.Command, names []string) error {
		if err := f.check(); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context()))
		defer cancel()
		opened := context.AfterFunc(c.Context(), cancel)
		l, err := a.attach(ctx, &f.loopFlags)
		if err != nil {
			return err
		}
		defer l.dev.Close()
		opened()
		return a.capture(c.Context(), ctx, l, names, &f)
	}
	f.add(c)
	c.Flags().StringVar(&f.when, "when", "", "the event, such as 'err>0.1' (default: at once)")
	c.Flags().IntVar(&f.before, "before", 0, "ticks to keep from before the event")
	c.Flags().IntVar(&f.after, "after", 1000, "ticks to record after it")
	c.Flags().StringVarP(&f.output, "output", "o", "", "file to write: .csv or .json (default: CSV on stdout)")
	c.Flags().DurationVar(&f.wait, "wait", 0, "how long to wait for the event (default: until Ctrl-C)")
	return c
}

// captureForms write captures, by the end of the file's name.
var captureForms = map[string]func(*captured) ([]byte, error){
	".csv":  (*captured).csv,
	".json": (*captured).json,
}

func (f *captureFlags) check() error {
	switch {
	case f.before < 0 || f.after < 0 || f.before+f.after < 0:
		return &failure{Code: exitUsage, Message: fmt.Sprintf("--before %d --after %d: numbers of ticks must not be negative", f.before, f.after), Hint: "for example: --before 200 --after 800"}
	case f.wait < 0:
		return &failure{Code: exitUsage, Message: "--wait must not be negative", Hint: "leave it out to wait until Ctrl-C"}
	case f.output != "" && captureForms[filepath.Ext(f.output)] == nil:
		return &failure{Code: exitUsage, Message: f.output + ": captures are written as .csv or .json", Hint: "for example: -o capture.csv", File: f.output}
	}
	return nil
}

// captured is a capture that was read.
type captured struct {
	document
	File      string            `json:"file,omitempty"`
	When      string            `json:"when,omitempty"`
	Trigger   uint32            `json:"trigger_tick"`
	PeriodNS  int64             `json:"period_ns"`
	Count     int               `json:"records"`
	Variables []capturedSymbol  `json:"variables"`
	Ticks     []uint32          `json:"ticks,omitempty"`
	TimesS    []float64         `json:"times_s,omitempty"`
	Values    map[string]values `json:"values,omitempty"` // of each variable, tick by tick

	symbols []*image.Symbol
	records []device.Record
}

// values are a variable's, tick by tick.
type values []value

type capturedSymbol struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
}

// capture waits for the event, or until is done; work is what the target lives by.
func (a *app) capture(until, work context.Context, l *attached, names []string, f *captureFlags) error {
	trigger, about, err := parseCondition(l.img, f.when)
	if err != nil {
		return err
	}
	symbols, err := a.watched(l.img, names)
	if err != nil {
		return err
	}
	if about != nil && !slices.ContainsFunc(symbols, func(s *image.Symbol) bool {
		return s.Offset <= about.Offset && about.Offset < s.Offset+uint32(s.Size())
	}) {
		symbols = append(symbols, about)
	}
	s, err := l.Status(work)
	if err != nil {
		return err
	}
	c, err := l.Capture(work, device.CaptureConfig{Spans: spansOf(symbols), Before: f.before, After: f.after, Trigger: trigger})
	if err != nil {
		return err
	}
	if f.when != "" {
		a.ui.note("waiting for %s", f.when)
	}
	if f.wait > 0 {
		var over context.CancelFunc
		until, over = context.WithTimeout(until, f.wait)
		defer over()
	}
	records, tick, err := c.Wait(until)
	if err != nil {
		if cancelErr := c.Cancel(work); cancelErr != nil && until.Err() != nil {
			return cancelErr
		}
		if errors.Is(until.Err(), context.DeadlineExceeded) && f.wait > 0 {
			return f.notCome()
		}
		return err
	}
	r := &captured{document: okDocument("capture"), File: f.output, When: f.when, Trigger: tick, PeriodNS: s.Period.Nanoseconds(),
		Count: len(records), symbols: symbols, records: records}
	for _, s := range symbols {
		r.Variables = append(r.Variables, capturedSymbol{s.Name, s.About().Unit})
	}
	return a.tellCapture(r)
}

// notCome is the error of a capture that was not complete in time.
func (f *captureFlags) notCome() error {
	missing := "the event " + f.when + " has not come"
	if f.when == "" {
		missing = plural(f.after+1, "record") + " have not come"
	}
	return &failure{Code: exitTransport, Message: fmt.Sprintf("%s within %v", missing, f.wait), Hint: "the loop goes on; give a longer --wait, another --when or a smaller --after"}
}

func (a *app) tellCapture(r *captured) error {
	if r.File != "" {
		data, err := captureForms[filepath.Ext(r.File)](r)
		if err != nil {
			return err
		}
		if err := writeFile(r.File, data); err != nil {
			return err
		}
		a.ui.note("%s: %s, the event at tick %d", r.File, plural(r.Count, "record"), r.Trigger)
		if a.ui.json {
			return a.ui.doc(r)
		}
		return nil
	}
	if a.ui.json {
		r.fill()
		return a.ui.doc(r)
	}
	data, err := r.csv()
	if err != nil {
		return err
	}
	a.ui.out("%s", data)
	a.ui.note("%s, the event at tick %d", plural(r.Count, "record"), r.Trigger)
	return nil
}

// csv is a table with a line for each tick; the event is at tick 0 of its first column.
func (r *captured) csv() ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	head := []string{"tick", "time_s", "from_event"}
	for _, s := range r.symbols {
		for n := range s.Len() {
			name := s.Name
			if len(s.Shape) > 0 {
				name += columns.Index(s.Shape, n)
			}
			if s.About().Unit != "" {
				name += " (" + s.About().Unit + ")"
			}
			head = append(head, name)
		}
	}
	_ = w.Write(head)
	spans := spansOf(r.symbols)
	for _, rec := range r.records {
		line := []string{strconv.FormatUint(uint64(rec.Tick), 10), strconv.FormatFloat(rec.Time.Seconds(), 'f', 9, 64), strconv.FormatInt(int64(int32(rec.Tick-r.Trigger)), 10)}
		for i, raw := range cut(rec.Data, spans) {
			s := r.symbols[i]
			v := s.Decode(raw)
			for n := range v.Len() {
				line = append(line, elementValue(v.DType.At(v.Bits, n), s).String())
			}
		}
		_ = w.Write(line)
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// fill puts the records into the document.
func (r *captured) fill() {
	spans := spansOf(r.symbols)
	r.Values = map[string]values{}
	for _, rec := range r.records {
		r.Ticks, r.TimesS = append(r.Ticks, rec.Tick), append(r.TimesS, rec.Time.Seconds())
		for i, raw := range cut(rec.Data, spans) {
			s := r.symbols[i]
			r.Values[s.Name] = append(r.Values[s.Name], value(s.Decode(raw)))
		}
	}
}

// json is the same as one document.
func (r *captured) json() ([]byte, error) {
	whole := *r
	whole.fill()
	b, err := json.Marshal(&whole)
	return append(b, '\n'), err
}
