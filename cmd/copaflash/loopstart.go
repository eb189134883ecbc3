package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/target"
)

// loopStart says how a loop is started, and whether its command stays with it.
type loopStart struct {
	watchdog, hardware time.Duration
	misses             int
	detach             bool
	lasts              time.Duration // 0: until somebody stops it
	source             programSource
}

// loopOnly are the flags of it, which mean nothing for a number of runs.
var loopOnly = []string{"watchdog", "hardware-watchdog", "misses", "detach", "for", "program"}

// add adds them. How programs are compiled, and what scripts see, the verb has its own flags for.
func (l *loopStart) add(c *cobra.Command) {
	f := c.Flags()
	f.DurationVar(&l.watchdog, "watchdog", 0, "end the loop, with safe outputs, when the host is silent for so long, such as 500ms (default: it goes on alone)")
	l.addBoard(c)
	f.BoolVar(&l.detach, "detach", false, "leave the loop running on the board (default there, unless --watchdog is given); --detach=false stays until Ctrl-C")
	f.DurationVar(&l.lasts, "for", 0, "stop the loop after this time")
	l.source.addPick(c)
}

// addBoard adds those that a board looks after by itself.
func (l *loopStart) addBoard(c *cobra.Command) {
	c.Flags().DurationVar(&l.hardware, "hardware-watchdog", 0, "have the chip's watchdog reset a board whose ticks or whose runner hang for so long, such as 500ms; what a board's reaches its runner knows")
	c.Flags().IntVar(&l.misses, "misses", 0, "end the loop, with safe outputs, after this many due times missed in a row (default: count them)")
}

// check refuses what no loop can be started with.
func (l *loopStart) check() error {
	for _, d := range []struct {
		flag  string
		value time.Duration
	}{{"watchdog", l.watchdog}, {"hardware-watchdog", l.hardware}, {"for", l.lasts}} {
		if d.value < 0 {
			return &failure{Code: exitUsage, Message: fmt.Sprintf("--%s %v: a time must not be negative", d.flag, d.value), Hint: "leave it out, or give a time such as 500ms"}
		}
	}
	if l.misses < 0 || l.misses > math.MaxInt32 {
		return &failure{Code: exitUsage, Message: fmt.Sprintf("--misses %d: want a number of ticks", l.misses), Hint: "0, the default, only counts them"}
	}
	return nil
}

// stays decides whether the command stays with the loop on a target.
func (l *loopStart) stays(c *cobra.Command, at place) (bool, error) {
	lasting := target.IsLasting(at.name)
	switch {
	case !c.Flags().Changed("detach"):
		// Nobody would be there to break the silence.
		return !lasting || l.watchdog > 0 || l.lasts > 0, nil
	case l.detach && !lasting:
		return false, &failure{Code: exitUsage, Message: "--detach: a loop on " + at.name + " ends with this command",
			Hint: "leave out --detach, or name a board with --port"}
	case l.detach && l.lasts > 0:
		return false, &failure{Code: exitUsage, Message: "--detach and --for: nobody would be there to stop the loop", Hint: "give one of them"}
	}
	return !l.detach, nil
}

// loopJob is a loop that a verb starts.
type loopJob struct {
	command string
	file    string // empty: the program that is on the board
	at      place
	hz      float64 // 0: as the program says
	sets    []string
	start   *loopStart
	stays   bool
	store   *storeFlags // nil: the program is not stored
	stored  *storeInfo  // what is stored then
}

// loopResult is the JSON document of verbs that start a loop.
type loopResult struct {
	document
	Target   string       `json:"target"`
	Board    string       `json:"board,omitempty"`
	Digest   string       `json:"digest"`
	Program  *programInfo `json:"program,omitempty"`
	Stored   *storeInfo   `json:"stored,omitempty"`
	Detached bool         `json:"detached"`       // it goes on without this command
	Loop     *loopInfo    `json:"loop,omitempty"` // missing: the program is loaded, and not started
}

func startCommand(a *app) *cobra.Command {
	var flags targetFlags
	var how pace
	var start loopStart
	var sets []string
	var limit time.Duration
	c := &cobra.Command{
		Use:   "start [PROGRAM]",
		Short: "Run a program as a loop on a board: every tick, by the board's own timer",
		Long: `Start a loop: the program runs every tick, by the board's own timer.

PROGRAM is a script, a graph file or an image file; it is compiled and loaded. Without
it, the program that is on the board starts with the values that its variables have
there. The rate is --rate or --period, or what the program's tasks or the script's
tg.start say.

After a second the first statistics are printed. On a board the loop goes on alone;
watch, set, capture and swap work on it from any terminal, and stop ends it. With
--watchdog it ends when no command talks to it, so that this one stays until Ctrl-C.
On this machine (--target local) a loop ends with this command.` + bindHelp(),
		Example: `  copaflash start pid.py --rate 1kHz --port /dev/ttyACM0
  copaflash start pid.copa --rate 200Hz --set kp=2 --misses 10
  copaflash start --rate 1kHz
  copaflash start pid.py --rate 1kHz --bind speed=sim:sine,freq=2Hz
  copaflash start pid.py --period 1ms --target local --for 10s`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &failure{Code: exitUsage, Message: c.CommandPath() + " takes one program", Hint: "for example: " + c.CommandPath() + " pid.py --rate 1kHz"}
			}
			return nil
		},
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			if err := refuseFlags(c, aboutProgram, "is for a PROGRAM to compile", "name it: copaflash start PROGRAM"); err != nil {
				return err
			}
		}
		at, err := flags.need(c.Context(), a)
		if err != nil {
			return err
		}
		at.runner = len(args) == 1 && strings.HasSuffix(args[0], imageSuffix) // nothing from elsewhere runs in this process
		j := loopJob{command: "start", at: at, sets: sets, start: &start}
		if len(args) == 1 {
			j.file = args[0]
		}
		return a.startLoop(c, j, &how, limit)
	}
	flags.add(c)
	flags.addAllow(c)
	how.addFor(c, "ticks a second, such as 1kHz or 50Hz (default: that of the program's tasks)")
	c.Flags().StringArrayVar(&sets, "set", nil, setUsage)
	c.Flags().DurationVar(&limit, "limit", 0, loopLimitUsage)
	start.source.how.add(c)
	start.add(c)
	start.source.host.add(c)
	start.source.host.bind.add(a, c)
	return c
}

const (
	setUsage       = "give a variable a value before the first tick, as NAME=VALUE; may be repeated"
	loopLimitUsage = "how long a tick may take before the loop ends with a fault (default: four periods)"
)

// startFile is what run and deploy do with a rate and no number of ticks.
func (a *app) startFile(c *cobra.Command, j loopJob, todo *job, limit time.Duration) error {
	if c.Flags().Changed("get") {
		return &failure{Code: exitUsage, Message: "--get is for a number of runs, and not for a loop", Hint: "see a loop with copaflash watch or get, or give --ticks"}
	}
	j.sets = todo.sets
	return a.startLoop(c, j, &todo.pace, limit)
}

// startLoop completes a job by what the flags say, and carries it out.
func (a *app) startLoop(c *cobra.Command, j loopJob, how *pace, limit time.Duration) error {
	err := j.start.check()
	if err == nil {
		j.at, err = j.at.limited(limit)
	}
	if err == nil {
		j.hz, err = how.hz()
	}
	if err == nil {
		j.stays, err = j.start.stays(c, j.at)
	}
	if err != nil {
		return err
	}
	// The target outlives an interrupt: the loop is stopped over it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context()))
	defer cancel()
	began := context.AfterFunc(c.Context(), cancel)
	dev, err := a.openFor(ctx, &j)
	if err != nil {
		return err
	}
	defer dev.Close()
	p, img, err := a.loadLoop(ctx, dev, &j)
	if err != nil {
		return err
	}
	if j.store != nil {
		if err := a.storeLoaded(ctx, dev.(*target.Runner), img, &j); err != nil {
			return err
		}
		if !j.store.starts {
			return a.showStored(ctx, dev, p, img, &j)
		}
	}
	loop, err := a.begin(ctx, p, img, &j)
	if err != nil {
		return j.afterStore(err)
	}
	if !began() && target.IsLasting(j.at.name) {
		a.ui.note("%s", j.leaving(dev))
	}
	return a.attend(c.Context(), ctx, dev, img, loop, &j)
}

// keeper is a target on which a program stays when nobody is connected.
type keeper interface {
	Resident(ctx context.Context) (digest []byte, usable bool, err error)
	Adopt(ctx context.Context, m *image.Image) (device.Program, error)
}

// free fails where a loop runs on the target.
func (j *loopJob) free(ctx context.Context, dev target.Target) error {
	to, ok := dev.(device.Attacher)
	if !ok {
		return nil
	}
	digest, err := to.Running(ctx)
	if err != nil || len(digest) == 0 {
		return err
	}
	return &failure{Code: exitBusy, Message: "a loop runs on " + dev.Name() + " already",
		Hint: "replace its program without stopping it: copaflash swap " + cmp.Or(j.file, "PROGRAM") + "; or stop it: copaflash stop"}
}

// loadLoop brings the program to the target.
func (a *app) loadLoop(ctx context.Context, dev target.Target, j *loopJob) (device.Program, *image.Image, error) {
	if err := j.free(ctx, dev); err != nil {
		return nil, nil, err
	}
	if j.file != "" {
		j.start.source.host.bind.rate = j.hz
		p, err := a.compileFor(ctx, dev, j.file, j.start.source)
		if err != nil {
			return nil, nil, err
		}
		loaded, err := dev.Load(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		j.at.keep(p.Image)
		return loaded, p.Image, nil
	}
	k, ok := dev.(keeper)
	if !ok || !target.IsLasting(j.at.name) {
		return nil, nil, &failure{Code: exitUsage, Message: "no program stays on " + dev.Name() + ": there is none to start", Hint: "name one: copaflash start PROGRAM --rate 1kHz"}
	}
	digest, usable, err := k.Resident(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(digest) == 0 {
		return nil, nil, noProgram(dev)
	}
	img, err := a.imageOf(ctx, dev, digest, "")
	if err != nil {
		return nil, nil, &failure{Code: exitUsage, Message: "the program on " + dev.Name() + " was not sent from here, so its variables are not known",
			Hint: "name it: copaflash start PROGRAM --rate 1kHz"}
	}
	if usable {
		p, err := k.Adopt(ctx, img)
		return p, img, err
	}
	a.ui.note("the program has faulted, and is loaded again: its variables have their first values")
	loaded, err := dev.Load(ctx, programOf(img))
	return loaded, img, err
}

// begin starts the loop of a loaded program.
func (a *app) begin(ctx context.Context, p device.Program, img *image.Image, j *loopJob) (device.Loop, error) {
	l, ok := p.(device.Looper)
	if !ok {
		return nil, &failure{Code: exitIncompatible, Message: j.at.name + " cannot run this program as a loop", Hint: "run a number of ticks with --ticks, or use --target local:sandbox"}
	}
	c, err := j.config(img)
	if err != nil {
		return nil, err
	}
	if own := img.TickRate(); own != 0 && math.Abs(c.Hz/own-1) > 1e-9 {
		a.warn(fmt.Sprintf("the program is made for %s, and runs at %s: what it computes with time is off by that", hertz(own), hertz(c.Hz)))
	}
	if err := j.preset(ctx, p, img); err != nil {
		return nil, err
	}
	return l.StartLoop(ctx, c)
}

// config is how the loop of a program is started.
func (j *loopJob) config(img *image.Image) (device.LoopConfig, error) {
	c, err := device.LoopOf(img, j.hz)
	c.Limit, c.Misses, c.Silence, c.Watchdog = j.at.limit, j.start.misses, j.start.watchdog, j.start.hardware
	return c, err
}

// preset gives variables the values that they have in the first tick.
func (j *loopJob) preset(ctx context.Context, p device.Program, img *image.Image) error {
	writes, err := parseSets(img, j.sets)
	if err != nil || len(writes) == 0 {
		return err
	}
	_, err = p.Call(ctx, device.Call{Writes: writes})
	return err
}

// firstStatistics is how long a loop runs before they are told.
const firstStatistics = time.Second

// attend tells the first statistics of a loop, and stays with it if it has to. ctx is done at an
// interrupt, work is what the target lives by.
func (a *app) attend(ctx, work context.Context, dev target.Target, img *image.Image, loop device.Loop, j *loopJob) error {
	first := a.settle
	if j.start.lasts > 0 {
		first = min(first, j.start.lasts)
	}
	s, err := j.watchOver(ctx, work, loop, first)
	if err != nil {
		return err
	}
	r := &loopResult{document: okDocument(j.command), Target: dev.Name(), Board: dev.Board(), Digest: digestText(img), Stored: j.stored, Detached: true}
	info := imageInfo(img)
	r.Program, r.Loop = &info, loopInfoOf(s)
	alone := target.IsLasting(j.at.name)
	if j.stays && s.Running {
		if !a.ui.json && ctx.Err() == nil && j.start.lasts != first {
			if err := a.showLoop(r.Loop); err != nil {
				return err
			}
			a.ui.note("the loop runs; Ctrl-C %s", map[bool]string{true: "leaves it", false: "stops it"}[alone])
		}
		left := time.Duration(math.MaxInt64)
		if j.start.lasts > 0 {
			left = j.start.lasts - first
		}
		if s, err = j.watchOver(ctx, work, loop, left); err != nil {
			return err
		}
		// An interrupt leaves a board alone with its loop: it may hold a machine.
		if s.Running && (ctx.Err() == nil || !alone) {
			if s, err = loop.Stop(work); err != nil {
				return err
			}
		}
		r.Loop = loopInfoOf(s)
	}
	r.Detached = s.Running
	end := endFailure(s)
	switch {
	case a.ui.json && end == nil:
		return a.ui.doc(r)
	case !a.ui.json:
		if err := a.showLoop(r.Loop); err != nil {
			return err
		}
	}
	if end != nil {
		return end
	}
	if s.Running {
		a.ui.note("%s", j.leaving(dev))
	}
	return nil
}

// leaving says what becomes of a loop that goes on.
func (j *loopJob) leaving(dev target.Target) string {
	if j.start.watchdog > 0 {
		return fmt.Sprintf("the loop ends, with safe outputs, when no command has talked to it for %v", j.start.watchdog)
	}
	return "the loop goes on: see it with copaflash watch, stop it with copaflash stop (on " + dev.Name() + ")"
}

// watchOver stays with a loop for a time, or until it ends or ctx is done, and breaks the silence
// that would end it.
func (j *loopJob) watchOver(ctx, work context.Context, loop device.Loop, d time.Duration) (*device.LoopStatus, error) {
	every := 250 * time.Millisecond
	if w := j.start.watchdog; w > 0 {
		every = min(every, max(w/4, time.Millisecond))
	}
	over := time.NewTimer(d)
	defer over.Stop()
	for {
		next := time.NewTimer(every)
		last := false
		select {
		case <-ctx.Done():
			last = true
		case <-over.C:
			last = true
		case <-next.C:
		}
		next.Stop()
		s, err := loop.Status(work)
		if err != nil || last || !s.Running {
			return s, err
		}
	}
}
