package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/table/udp"
)

// watchRate is how many records a second watch asks for by itself.
const watchRate = 10

// Bounds of what is watched when no names are given.
const (
	watchedRows     = 24 // lines of the table
	watchedElements = 8  // of an array
)

func watchCommand(a *app) *cobra.Command {
	var flags loopFlags
	var every int
	var lasts time.Duration
	var to string
	c := &cobra.Command{
		Use:   "watch [NAME...]",
		Short: "Show variables of the loop on a board while it runs: live values, late and lost ticks",
		Long: `Show variables of the loop that runs on a board: a table with the last values drawn as
a line, units and limits, that is drawn anew about ten times a second. Without a
terminal, a line is printed for each record; with --json, a document for each record.

A value beyond its limits is marked with !. Drops are records that were lost because
the link or this program was too slow; the loop itself is never delayed. Ctrl-C ends
the watching, not the loop.`,
		Example: `  copaflash watch
  copaflash watch err u --every 10
  copaflash watch err --json --for 5s
  copaflash watch gains[1] theta
  copaflash watch err u --every 1 --udp localhost:9870   # PlotJuggler: UDP server, JSON`,
	}
	c.RunE = func(c *cobra.Command, names []string) error {
		if every < 0 || int64(every) > math.MaxInt32 || c.Flags().Changed("every") && every == 0 {
			return &failure{Code: exitUsage, Message: fmt.Sprintf("--every %d: want a number of ticks from 1 to %d", every, math.MaxInt32), Hint: "leave it out for about ten records a second"}
		}
		if lasts < 0 {
			return &failure{Code: exitUsage, Message: "--for must not be negative", Hint: "leave it out to watch until Ctrl-C"}
		}
		// The target outlives an interrupt: that ends the watching only.
		ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context()))
		defer cancel()
		opened := context.AfterFunc(c.Context(), cancel)
		l, err := a.attach(ctx, &flags)
		if err != nil {
			return err
		}
		defer l.dev.Close()
		opened()
		until := c.Context()
		if lasts > 0 {
			var over context.CancelFunc
			until, over = context.WithTimeout(until, lasts)
			defer over()
		}
		return a.watch(until, ctx, l, names, every, to)
	}
	flags.add(c)
	c.Flags().StringVar(&to, "udp", "", udpUsage)
	c.Flags().IntVar(&every, "every", 0, "ticks from one record to the next (default: about ten records a second, and no more than logs have)")
	c.Flags().DurationVar(&lasts, "for", 0, "end after this time (default: at Ctrl-C, or when the loop ends)")
	return c
}

// watch shows records, and sends them to a receiver of datagrams if one is named, until the loop ends or until is done;
// work is what the target lives by.
func (a *app) watch(until, work context.Context, l *attached, names []string, every int, to string) error {
	symbols, err := a.watched(l.img, names)
	if err != nil {
		return err
	}
	first, err := l.Status(work)
	if err != nil {
		return err
	}
	sub := device.Subscription{Spans: spansOf(symbols), Every: every}
	if every == 0 {
		sub.Every = l.defaultEvery(sub, first.Period, image.EveryOf(symbols))
	}
	stream, err := l.Subscribe(work, sub)
	if err != nil {
		return err
	}
	end := sync.OnceValue(stream.Close)
	defer end()
	state, stop := l.askOn(work, first)
	defer stop()
	show := a.viewer(symbols, first.Period)
	if to != "" {
		s, err := udp.Dial(to, symbols)
		if err != nil {
			return noReceiver(err)
		}
		defer a.endSending(s, to)
		show = &sendingView{show, s}
	}
	var lost uint64
	for {
		r, err := stream.Next(until)
		if until.Err() == nil {
			lost += uint64(r.Drops)
		}
		if until.Err() != nil || errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := show.record(r, cut(r.Data, sub.Spans), lost, state.Load()); err != nil {
			return err
		}
	}
	stop()
	if err := end(); err != nil && until.Err() == nil {
		return err
	}
	if lost > 0 {
		a.ui.note("%s lost: the link or this program was too slow", plural(int(lost), "record"))
	}
	return a.leave(work, l)
}

// leave says what becomes of a loop that nobody watches any more.
func (a *app) leave(ctx context.Context, l *attached) error {
	s, err := l.Status(ctx)
	if err != nil {
		return err
	}
	if s.Running {
		a.ui.note("the loop on %s goes on; copaflash stop ends it", l.dev.Name())
		return nil
	}
	if err := endFailure(s); err != nil {
		return err
	}
	a.ui.note("the loop on %s has been stopped", l.dev.Name())
	return nil
}

// askOn asks for the state of the loop every second, beside what else is done with it, until stop.
func (l *attached) askOn(ctx context.Context, first *device.LoopStatus) (state *atomic.Pointer[device.LoopStatus], stop func()) {
	state = new(atomic.Pointer[device.LoopStatus])
	state.Store(first)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
				if s, err := l.Status(ctx); err == nil {
					state.Store(s)
				}
			}
		}
	}()
	return state, func() { cancel(); <-ended }
}

// defaultEvery is what comes near watchRate records a second, and fits the link, in ticks of which logs have records.
func (l *attached) defaultEvery(s device.Subscription, period time.Duration, logs int) int {
	up := func(every int) int { return min((every+logs-1)/logs, math.MaxInt32/logs) * logs }
	s.Every = 1
	if period > 0 {
		s.Every = int(min(max(time.Second/watchRate/period, 1), math.MaxInt32))
	}
	s.Every = up(s.Every)
	return max(s.Every, up(l.Budget(s).LeastEvery))
}

// cut takes the values of a record apart.
func cut(data []byte, spans []device.Span) [][]byte {
	parts := make([][]byte, len(spans))
	for i, s := range spans {
		n := min(int(s.Length), len(data))
		parts[i], data = data[:n], data[n:]
	}
	return parts
}

// watched finds the variables to be watched: those named, or what is most worth watching, as much
// as a screen holds.
func (a *app) watched(img *image.Image, names []string) ([]*image.Symbol, error) {
	if len(names) > 0 {
		return pickVariables(img, names)
	}
	all, err := pickSymbols(img, nil)
	if err != nil {
		return nil, err
	}
	// What has a role comes first: the others are intermediate results and constants.
	rank := func(s *image.Symbol) int {
		if i := slices.Index([]graph.Role{graph.RoleOutput, graph.RoleLog, graph.RoleInput, graph.RoleParam}, s.About().Role); i >= 0 {
			return i
		}
		return 4 + slices.Index([]image.Kind{image.Output, image.State, image.Input}, s.Kind)
	}
	slices.SortStableFunc(all, func(a, b *image.Symbol) int { return rank(a) - rank(b) })
	var list []*image.Symbol
	rows, left := 0, 0
	seen := map[uint32]bool{}
	for _, s := range all {
		n := s.Len()
		if n == 0 || seen[s.Offset] {
			continue
		}
		if n > watchedElements || rows+n > watchedRows {
			left++
			continue
		}
		seen[s.Offset] = true
		rows += n
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, &failure{Code: exitUsage, Message: "the program has no variable that fits a line", Hint: "name elements of arrays: copaflash watch 'v[0]' 'v[1]'"}
	}
	if left > 0 {
		a.ui.note("%s left out: name what you want to see", plural(left, "variable"))
	}
	return list, nil
}

// viewer shows records.
type viewer interface {
	record(r device.Record, values [][]byte, lost uint64, s *device.LoopStatus) error
}

func (a *app) viewer(symbols []*image.Symbol, period time.Duration) viewer {
	switch {
	case a.ui.json:
		return &jsonView{a.ui, symbols}
	case a.ui.stdout.screen && os.Getenv("TERM") != "dumb":
		return newTableView(a.ui, symbols, period)
	}
	return &lineView{a.ui, symbols}
}

// sendingView sends records on besides.
type sendingView struct {
	viewer
	to *udp.Sender
}

func (v *sendingView) record(r device.Record, values [][]byte, lost uint64, s *device.LoopStatus) error {
	if err := v.to.Send(r); err != nil {
		return err
	}
	return v.viewer.record(r, values, lost, s)
}

// endSending ends a sender, and tells of what nobody has received.
func (a *app) endSending(s *udp.Sender, to string) {
	if n := s.Failed(); n > 0 {
		a.warn(fmt.Sprintf("%s refused by %s: start the receiver first, such as PlotJuggler's UDP server", plural(int(min(n, math.MaxInt32)), "datagram"), to))
	}
	_ = s.Close() // nothing waits there
}

// watchRecord is the JSON document of one record of watch.
type watchRecord struct {
	Tick   uint32      `json:"tick"`
	TimeS  float64     `json:"time_s"` // of the start of the tick, since tick 0 was due
	Values namedValues `json:"values"`
	Drops  uint32      `json:"drops"`  // records lost directly before this one
	Missed uint32      `json:"missed"` // ticks since the start, as known when the record came
}

// namedValues is a JSON object whose keys stand in the order of the variables.
type namedValues []outputValue

// MarshalJSON implements json.Marshaler.
func (n namedValues) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(v.Name)
		if err != nil {
			return nil, err
		}
		text, err := v.Value.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), text...)
	}
	return append(b, '}'), nil
}

type jsonView struct {
	ui      *ui
	symbols []*image.Symbol
}

func (v *jsonView) record(r device.Record, values [][]byte, _ uint64, s *device.LoopStatus) error {
	d := watchRecord{Tick: r.Tick, TimeS: r.Time.Seconds(), Drops: r.Drops, Missed: s.Missed}
	for i, sym := range v.symbols {
		d.Values = append(d.Values, outputValue{sym.Name, value(sym.Decode(values[i]))})
	}
	return v.ui.doc(d)
}

// lineView prints a line for each record.
type lineView struct {
	ui      *ui
	symbols []*image.Symbol
}

func (v *lineView) record(r device.Record, values [][]byte, _ uint64, s *device.LoopStatus) error {
	var line bytes.Buffer
	fmt.Fprintf(&line, "%d  %.6f s", r.Tick, r.Time.Seconds())
	for i, sym := range v.symbols {
		raw := values[i]
		fmt.Fprintf(&line, "  %s=%s%s%s", sym.Name, value(sym.Decode(raw)), unitText(sym.About().Unit), beyond(sym, raw))
	}
	if s.Missed > 0 {
		fmt.Fprintf(&line, "  missed %d", s.Missed)
	}
	if r.Drops > 0 {
		fmt.Fprintf(&line, "  lost %d before", r.Drops)
	}
	v.ui.out("%s\n", line.String())
	return v.ui.err
}

// beyond marks a value that is not within the limits of its variable.
func beyond(s *image.Symbol, raw []byte) string {
	if s.Check(s.Decode(raw).Bits) != nil {
		return " !"
	}
	return ""
}
