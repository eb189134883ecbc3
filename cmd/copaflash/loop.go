package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/share"
	"github.com/copaflash/copaflash/hil/target"
)

// programSource says how a loop's program is made of a file.
type programSource struct {
	how  howFlags
	host scriptHost
	pick int // of the programs of a script, from 1; 0: the only one
}

func (s *programSource) add(c *cobra.Command) {
	s.how.add(c)
	s.addPick(c)
	s.host.add(c)
}

func (s *programSource) addPick(c *cobra.Command) {
	c.Flags().IntVar(&s.pick, "program", 0, "which program of the script runs as a loop, from 1 (default: the only one)")
}

// aboutProgram are flags that mean something where a program is compiled, aboutStart where it is started.
var (
	aboutProgram = []string{"program", "unroll", "fast", "out", "bind"}
	aboutStart   = []string{"rate", "period", "set"}
)

// refuseFlags refuses flags that would have no effect.
func refuseFlags(c *cobra.Command, names []string, why, hint string) error {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return &failure{Code: exitUsage, Message: "--" + name + " " + why, Hint: hint}
		}
	}
	return nil
}

// compileFor makes the program of a script, graph or image file that is to run on a device.
func (a *app) compileFor(ctx context.Context, dev device.Device, file string, s programSource) (*compiler.Program, error) {
	if strings.HasSuffix(file, imageSuffix) {
		if s.how != (howFlags{}) {
			return nil, compiledAlready(file)
		}
		if err := s.host.bind.forImage(file); err != nil {
			return nil, err
		}
		img, err := a.readImage(file)
		if err != nil {
			return nil, err
		}
		return programOf(img), nil
	}
	opt := s.how.options()
	opt.Arch, opt.Features = dev.Arch(), dev.Features()
	s.host.bind.dev = dev
	p, _, err := compileFile(ctx, file, s.pick, opt, s.host)
	return p, err
}

// compiledAlready refuses --unroll and --fast for an image file.
func compiledAlready(file string) error {
	return &failure{Code: exitUsage, Message: file + " is compiled already: --unroll and --fast are for scripts and graph files",
		Hint: "make the image with: copaflash compile SCRIPT --fast"}
}

// loopFlags are those of verbs that reach a loop that runs already.
type loopFlags struct {
	targetFlags
	image string
}

func (f *loopFlags) add(c *cobra.Command) {
	f.targetFlags.add(c)
	c.Flags().StringVar(&f.image, "image", "", "the program that runs there: its image file (.copa), script or graph file (default: known if it was sent from here)")
}

// attached is a loop that runs, and the program that it runs.
type attached struct {
	device.Loop
	dev target.Target
	img *image.Image
}

// attach opens a target and takes over the loop that runs there. Whoever calls it closes dev.
func (a *app) attach(ctx context.Context, f *loopFlags) (*attached, error) {
	dev, to, err := a.openLoops(ctx, &f.targetFlags)
	if err != nil {
		return nil, err
	}
	l, err := a.attachTo(ctx, dev, to, f.image)
	if err != nil {
		dev.Close()
		return nil, err
	}
	return l, nil
}

func (a *app) attachTo(ctx context.Context, dev target.Target, to device.Attacher, file string) (*attached, error) {
	digest, err := to.Running(ctx)
	if err != nil {
		return nil, err
	}
	if len(digest) == 0 {
		return nil, noLoopOn(dev)
	}
	img, err := a.imageOf(ctx, dev, digest, file)
	if err != nil {
		return nil, err
	}
	loop, err := to.Attach(ctx, img)
	if err != nil {
		return nil, err
	}
	return &attached{loop, dev, img}, nil
}

// openLoops opens a target whose loops outlive the commands that start them. Where none is named,
// it is the one that another copaflash shares.
func (a *app) openLoops(ctx context.Context, f *targetFlags) (target.Target, device.Attacher, error) {
	at, err := f.settle()
	if err != nil {
		return nil, nil, err
	}
	if at.name == autoPort {
		at.name = "" // who shares a board holds its port
	} else if at.name != "" {
		if err := target.Check(at.name); err != nil {
			return nil, nil, err
		}
	}
	if c, err := a.shared(ctx, at.name); err != nil {
		return nil, nil, err
	} else if c != nil {
		return c, c, nil
	}
	if at, err = f.need(ctx, a); err != nil {
		return nil, nil, err
	}
	if !target.IsLasting(at.name) {
		return nil, nil, &failure{Code: exitUsage, Message: "a loop on " + at.name + " ends with the command that started it: there is none to reach",
			Hint: "name a board with --port, or a runner with --target unix:PATH or tcp:HOST:PORT; for this machine there is copaflash run SCRIPT --rate 1kHz"}
	}
	dev, err := a.openDirectly(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	to, ok := dev.(device.Attacher)
	if !ok {
		dev.Close()
		return nil, nil, cannotLoop(dev)
	}
	return dev, to, nil
}

// openTarget opens a target, through the process that shares it if one does.
func (a *app) openTarget(ctx context.Context, at place) (target.Target, error) {
	if target.IsLasting(at.name) { // of others, everybody has one of their own
		if c, err := a.shared(ctx, at.name); err != nil {
			return nil, err
		} else if c != nil {
			return c, nil
		}
	}
	return a.openDirectly(ctx, at)
}

// openDirectly opens a target itself; tests put theirs in its place.
func (a *app) openDirectly(ctx context.Context, at place) (target.Target, error) {
	if a.opener != nil {
		return a.opener(ctx, at)
	}
	return a.open(ctx, at)
}

func cannotLoop(dev target.Target) error {
	return &failure{Code: exitIncompatible, Message: dev.Name() + " cannot run a program as a loop",
		Hint: "update the board's runner: copaflash flash BOARD; or run a number of ticks with --ticks"}
}

// noLoop is the error where no loop runs.
type noLoop struct{ *failure }

func (n *noLoop) Unwrap() error { return n.failure }

func noLoopOn(dev target.Target) error {
	return &noLoop{&failure{Code: exitFailed, Message: "no loop runs on " + dev.Name(), Hint: "start one: copaflash start PROGRAM --rate 1kHz"}}
}

func noProgram(dev target.Target) error {
	return &failure{Code: exitFailed, Message: "there is no program on " + dev.Name(), Hint: "send one: copaflash start PROGRAM --rate 1kHz"}
}

// imageOf is the image of a program on a target: the one that somebody named, whose digest must be
// right, or the one that was sent from here.
func (a *app) imageOf(ctx context.Context, dev target.Target, digest []byte, file string) (*image.Image, error) {
	text := hex.EncodeToString(digest)
	if c, ok := dev.(*share.Client); ok && file == "" {
		return c.Image(ctx)
	}
	if file == "" {
		return savedImage(text)
	}
	p, err := a.compileFor(ctx, dev, file, programSource{})
	if err != nil {
		return nil, err
	}
	if digestText(p.Image) != text {
		return nil, &failure{Code: exitVerify, Message: file + " is not the program that is on " + dev.Name(), File: file,
			Hint: "leave out --image, replace the program with: copaflash swap " + file + ", or stop the loop and deploy it again"}
	}
	return p.Image, nil
}

// loopInfo is how a loop goes, in JSON documents.
type loopInfo struct {
	Running      bool       `json:"running"`
	End          string     `json:"end,omitempty"`
	Fault        string     `json:"fault,omitempty"`
	RateHz       float64    `json:"rate_hz"`   // 0: only who started the loop knows it
	PeriodNS     int64      `json:"period_ns"` // likewise
	Ticks        uint32     `json:"ticks"`
	Missed       uint32     `json:"missed"`
	Applied      uint32     `json:"sets"`
	Drops        uint32     `json:"drops"`
	Flags        []string   `json:"flags"`
	Swap         string     `json:"swap"`
	Lateness     spreadInfo `json:"lateness_ns"`
	Execution    spreadInfo `json:"execution_ns"`
	Slack        spreadInfo `json:"slack_ns"`
	ResolutionNS float64    `json:"resolution_ns"`
}

// spreadInfo is in nanoseconds. Percentiles are missing where the board had no room for a histogram.
type spreadInfo struct {
	Min  int64  `json:"min"`
	Mean int64  `json:"mean"`
	P50  *int64 `json:"p50,omitempty"`
	P99  *int64 `json:"p99,omitempty"`
	P999 *int64 `json:"p999,omitempty"`
	Max  int64  `json:"max"`
}

func loopInfoOf(s *device.LoopStatus) *loopInfo {
	i := &loopInfo{
		Running: s.Running, End: s.End, PeriodNS: s.Period.Nanoseconds(), Ticks: s.Ticks, Missed: s.Missed, Applied: s.Applied,
		Drops: s.Drops, Flags: append([]string{}, s.Flags.Names()...), Swap: s.Swap, ResolutionNS: float64(s.Resolution),
		Lateness: spreadOf(&s.Lateness), Execution: spreadOf(&s.Execution), Slack: spreadOf(&s.Slack),
	}
	if s.Period > 0 {
		i.RateHz = sixDigits(float64(time.Second) / float64(s.Period)) // a period is rounded to nanoseconds
	}
	if s.Fault != nil {
		i.Fault = s.Fault.Error()
	}
	return i
}

func spreadOf(s *device.Spread) spreadInfo {
	i := spreadInfo{Min: s.Min.Nanoseconds(), Mean: s.Mean.Nanoseconds(), Max: s.Max.Nanoseconds()}
	if len(s.Buckets) > 0 || s.P50 != 0 || s.P99 != 0 || s.P999 != 0 {
		p50, p99, p999 := s.P50.Nanoseconds(), s.P99.Nanoseconds(), s.P999.Nanoseconds()
		i.P50, i.P99, i.P999 = &p50, &p99, &p999
	}
	return i
}

// rows are what people are told: the loop in a line, and a table of times.
func (i *loopInfo) rows() (head []string, table [][]string) {
	state := "running"
	if !i.Running {
		state = "ended (" + i.End + ")"
	}
	rate, took := "at a rate that is not known here", ""
	if i.PeriodNS > 0 {
		rate = hertz(i.RateHz)
		took = " in " + seconds((time.Duration(i.Ticks)+time.Duration(i.Missed))*time.Duration(i.PeriodNS))
	}
	head = append(head, fmt.Sprintf("%s, %s: %s%s, %d missed", state, rate, plural(int(i.Ticks), "tick"), took, i.Missed))
	note := fmt.Sprintf("%s, %d telemetry records dropped, flags: %s", plural(int(i.Applied), "set"), i.Drops, listOr(i.Flags, "none"))
	if i.Swap != "" && i.Swap != "none" {
		note += ", last swap: " + swapTexts[i.Swap]
	}
	head = append(head, note)
	if i.Fault != "" {
		head = append(head, "fault: "+i.Fault)
	}
	table = [][]string{{"", "min", "mean", "p50", "p99", "p99.9", "max"}}
	for _, row := range []struct {
		name string
		s    spreadInfo
	}{{"lateness", i.Lateness}, {"execution", i.Execution}, {"slack", i.Slack}} {
		cells := []string{row.name, duration(time.Duration(row.s.Min)), duration(time.Duration(row.s.Mean))}
		for _, p := range []*int64{row.s.P50, row.s.P99, row.s.P999} {
			if p == nil {
				cells = append(cells, "-")
				continue
			}
			cells = append(cells, duration(time.Duration(*p)))
		}
		table = append(table, append(cells, duration(time.Duration(row.s.Max))))
	}
	return head, table
}

// swapTexts say the states of a swap.
var swapTexts = map[string]string{
	"pending": "at the next tick",
	"trial":   "within its trial ticks",
	"kept":    "kept",
	"back":    "went back to the program of before",
}

func listOr(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}

// sixDigits rounds to as many significant digits.
func sixDigits(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}

// hertz shows a rate.
func hertz(hz float64) string {
	switch {
	case hz >= 1e6:
		return fmt.Sprintf("%.4g MHz", hz/1e6)
	case hz >= 1e3:
		return fmt.Sprintf("%.4g kHz", hz/1e3)
	}
	return fmt.Sprintf("%.4g Hz", hz)
}

// seconds shows a time that a loop has run.
func seconds(d time.Duration) string {
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}

// loopEnds say why a loop ended that nobody had stopped, and what to do next.
var loopEnds = map[string]struct {
	code    exitCode
	message string
	hint    string
}{
	"fault":      {exitFault, "the program faulted", "outputs have their safe values; copaflash get shows the variables as they were then; copaflash start begins again"},
	"time-limit": {exitFault, "a tick took longer than its limit", "outputs have their safe values; give a lower --rate or a longer --limit"},
	"misses":     {exitBudget, "too many due times in a row were missed", "outputs have their safe values; give a lower --rate or more --misses"},
	"silence":    {exitTransport, "the host was silent for longer than --watchdog", "outputs have their safe values; keep copaflash watch connected, or give a longer --watchdog"},
	"wait":       {exitFault, "a register did not get the value that the pins wait for", "outputs have their safe values; check what is connected, and start the loop again"},
	"plan":       {exitFailed, "a list of the loop in the board's memory was damaged", "outputs may not have their safe values: reset the board, and start the loop again"},
}

// endFailure is the error of a loop that has ended by itself; nil for others.
func endFailure(s *device.LoopStatus) error {
	end, ok := loopEnds[s.End]
	if s.Running || !ok {
		return nil
	}
	f := &failure{Code: end.code, Message: fmt.Sprintf("the loop ended after %s: %s", plural(int(s.Ticks), "tick"), end.message), Hint: end.hint}
	if s.Fault != nil {
		f.Message += ": " + s.Fault.Error()
	}
	return f
}

// showLoop prints how a loop goes.
func (a *app) showLoop(i *loopInfo) error {
	head, table := i.rows()
	for _, line := range head {
		a.ui.out("%s\n", line)
	}
	return a.ui.table(table)
}

// programOf is the program of an image, of which no graph is known.
func programOf(img *image.Image) *compiler.Program { return &compiler.Program{Image: img} }
