package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/hil/timing"
	"github.com/copaflash/copaflash/protocol/session"
)

func runCommand(a *app) *cobra.Command {
	var flags targetFlags
	var how howFlags
	var todo job
	var limit time.Duration
	var host scriptHost
	var loop loopStart
	c := &cobra.Command{
		Use:   "run SCRIPT|GRAPH|-",
		Short: "Run a script; its programs run on the host, or on the target that --target names",
		Long: `Run a script. Each cp.Target() in it is this machine, unless --target or --port
names another place. The script "-" is read from standard input.

On this machine programs run inside copaflash itself; long ones, and those with a
tight --limit, run in a sandboxed process of their own (Linux). For scripts of
people whom you do not trust, --target local:sandbox runs every program there.

A graph file (.json, .cbor) is compiled and run, and its outputs are printed.

With --rate or --period the program of the script runs as a loop, and with --ticks as
many ticks as that; what the script itself would run is left out in a loop. On this
machine a loop ends with Ctrl-C, or after --for; its outputs take their safe values.

The target "oracle" evaluates programs instead of running their code: it is what
every other target is tested against, slow, but available on every operating system.` + bindHelp(),
		Example: `  copaflash run examples/first_steps.py
  copaflash run examples/pid.py --target qemu:rpi3
  copaflash run examples/pid.py --json
  copaflash run graph.json --set a=1.5 --get c
  copaflash run examples/pid.py --rate 1kHz --for 5s
  copaflash run log.py --out results -- first second`,
		Args: scriptArg,
		RunE: func(c *cobra.Command, args []string) error {
			loops := todo.loops(c)
			err := notCompiled(args[0])
			if err == nil && !loops {
				err = todo.forFile(c, args[0])
			}
			if err != nil {
				return err
			}
			at, err := flags.resolve(c.Context(), a)
			if err != nil {
				return err
			}
			if at.name == "" {
				at.name = target.LocalName
			}
			if loops {
				loop.source.how, loop.source.host = how, host
				return a.startFile(c, loopJob{command: "run", file: args[0], at: at, start: &loop}, &todo, limit)
			}
			if at, err = at.limited(limit); err != nil {
				return err
			}
			if host.bind.rate, err = todo.pace.hz(); err != nil {
				return err
			}
			var r *runResult
			if isGraph(args[0]) {
				r, err = a.runGraph(c.Context(), "run", args[0], at, how.options(), todo, host)
			} else {
				r, err = a.runScript(c.Context(), "run", args[0], at, how, todo, host)
			}
			if err != nil {
				return err
			}
			if a.ui.json {
				return a.ui.doc(r)
			}
			a.showOutputs(r)
			for _, p := range r.Programs {
				if p.Timing != nil {
					a.ui.note("%s", p.Timing)
				}
			}
			return nil
		},
	}
	flags.add(c)
	todo.add(c)
	how.add(c)
	limitFlag(c, &limit)
	loop.add(c)
	host.add(c)
	host.bind.add(a, c)
	return c
}

// howFlags say how programs are compiled.
type howFlags struct{ unroll, fast bool }

func (h *howFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&h.unroll, "unroll", false, "compile arrays of every size to straight code instead of loops")
	fastFlag(c, &h.fast)
}

func fastFlag(c *cobra.Command, p *bool) {
	c.Flags().BoolVar(p, "fast", false, "regroup sums and constants of floats, which changes rounding (docs/fast.md)")
}

func (h *howFlags) options() compiler.Options {
	opt := compiler.Options{Fast: h.fast}
	if h.unroll {
		opt.Unroll = compiler.UnrollAlways
	}
	return opt
}

// notCompiled refuses an image file where a script or graph file is needed.
func notCompiled(file string) error {
	if !strings.HasSuffix(file, imageSuffix) {
		return nil
	}
	return &failure{Code: exitUsage, Message: file + " is compiled already", File: file,
		Hint: "run it with: copaflash deploy --target local " + file + ", or see what is in it with: copaflash inspect " + file}
}

// scriptArg asks for exactly one file name.
func scriptArg(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return &failure{Code: exitUsage, Message: c.CommandPath() + " takes one file",
			Hint: "for example: " + c.CommandPath() + " examples/first_steps.py"}
	}
	return nil
}

// runResult is the JSON document of run and deploy.
type runResult struct {
	document
	Target   string        `json:"target"`
	Board    string        `json:"board,omitempty"`
	Stdout   string        `json:"stdout"`
	Outputs  []outputValue `json:"outputs,omitempty"` // of a graph or image file
	Programs []programInfo `json:"programs"`
}

// programInfo describes one compiled program and its runs.
type programInfo struct {
	Arch       string     `json:"arch"`
	Needs      []string   `json:"needs,omitempty"` // features beyond the architecture's base
	Fast       string     `json:"fast,omitempty"`  // "whole" or "parts"; missing: results are exactly those of the program as written
	Ops        uint64     `json:"ops"`
	CodeBytes  int        `json:"code_bytes"`
	DataBytes  uint64     `json:"data_bytes"`
	StackBytes uint32     `json:"stack_bytes"`
	Patches    int        `json:"patches"`
	WireBytes  int        `json:"wire_bytes"`
	TraceNS    int64      `json:"trace_ns"`
	CompileNS  int64      `json:"compile_ns"`
	TransferNS int64      `json:"transfer_ns"`
	Runs       int        `json:"runs"`
	RunNS      runSummary `json:"run_ns"`
	// Timing is that of --runs with a rate or a period.
	Timing *tickTiming `json:"timing,omitempty"`
}

type runSummary struct {
	Min  int64   `json:"min"`
	Mean float64 `json:"mean"`
	P99  int64   `json:"p99"`
	Max  int64   `json:"max"`
}

func summary(s timing.Summary) runSummary {
	return runSummary{Min: s.Min, Mean: s.Mean, P99: s.P99, Max: s.Max}
}

// stdinScript stands for the script on standard input.
const stdinScript = "-"

// runSource runs the script in a file, or the one on standard input.
func runSource(ctx context.Context, file string, opt script.Options) error {
	if file == stdinScript {
		return script.RunReader(ctx, "<stdin>", os.Stdin, opt)
	}
	return script.Run(ctx, file, opt)
}

// runScript runs a script on a target. What it prints goes to stdout at once,
// or with --json into the result.
func (a *app) runScript(ctx context.Context, command, file string, at place, how howFlags, todo job, host scriptHost) (*runResult, error) {
	var captured bytes.Buffer
	var stdout io.Writer = a.ui.plain
	if a.ui.json {
		stdout = &captured
	}
	dev := lazyTarget{app: a, at: at}
	defer dev.close()
	var programs []timedProgram
	opt := script.Options{
		Stdout: stdout,
		Compiled: func(s *copapy.Stats) {
			p := timedProgram{Stats: s, times: new(timing.Recorder)}
			s.Timed = p.times.Add
			programs = append(programs, p)
			at.keep(s.Program.Image)
		},
		Warn:     a.warn,
		Open:     dev.open,
		Compiler: how.options(),
	}
	if err := host.give(ctx, &opt, a.ui.stderr); err != nil {
		return nil, err
	}
	if err := runSource(ctx, file, opt); err != nil {
		return nil, scriptFailure(file, err)
	}
	if err := host.bind.check(); err != nil {
		return nil, err
	}
	if err := todo.runAgain(ctx, programs); err != nil {
		return nil, err
	}
	r := &runResult{document: okDocument(command), Stdout: captured.String(), Programs: []programInfo{}}
	r.Target, r.Board = dev.names()
	for _, p := range programs {
		r.Programs = append(r.Programs, p.describe())
	}
	return r, nil
}

// scriptFailure is what script.Run gives: an error of the script, or that there is
// none to read.
func scriptFailure(file string, err error) error {
	var inScript *vm.Error
	if errors.As(err, &inScript) {
		return err
	}
	return &failure{Code: exitUsage, Message: err.Error(), Hint: "name a file in Python syntax, such as examples/first_steps.py", File: file}
}

// timedProgram is a program of a script and the times of its runs.
type timedProgram struct {
	*copapy.Stats
	times  *timing.Recorder
	timing *tickTiming
}

func (s timedProgram) describe() programInfo {
	img := s.Program.Image
	p := imageInfo(img)
	p.WireBytes = s.Wire
	p.TraceNS, p.CompileNS, p.TransferNS = s.Trace.Nanoseconds(), s.Compile.Nanoseconds(), s.Transfer.Nanoseconds()
	p.Runs = s.Runs
	p.RunNS = summary(s.times.Summary())
	p.Timing = s.timing
	return p
}

// lazyTarget is a target that is opened when it is first needed.
type lazyTarget struct {
	app    *app
	at     place
	target target.Target // nil: not needed yet
}

func (l *lazyTarget) open(ctx context.Context) (_ device.Device, err error) {
	l.target, err = l.app.open(ctx, l.at)
	return l.target, err
}

// names are those of the target and of the board, as far as known.
func (l *lazyTarget) names() (target, board string) {
	if l.target == nil {
		return l.at.name, ""
	}
	return l.target.Name(), l.target.Board()
}

func (l *lazyTarget) close() {
	if l.target != nil {
		l.target.Close()
	}
}

// warn tells of something that does not end the command.
func (a *app) warn(text string) { a.ui.note("warning: %s", text) }

// open opens a target with progress and notes on stderr.
func (a *app) open(ctx context.Context, at place) (target.Target, error) {
	if at.runner && at.name != target.Oracle {
		r, err := a.openRunner(ctx, at)
		if err != nil {
			return nil, err // and no interface around a nil pointer
		}
		return r, nil
	}
	return target.Open(ctx, at.name, a.openOptions(at))
}

// openRunner opens one for what only a runner can do.
func (a *app) openRunner(ctx context.Context, at place) (*target.Runner, error) {
	r, err := target.OpenRunner(ctx, at.name, a.openOptions(at))
	if err == nil {
		for _, text := range conditionTexts(r.Hello()) {
			a.warn(text)
		}
	}
	return r, err
}

func (a *app) openOptions(at place) target.Options {
	if at.warning != "" {
		a.warn(at.warning)
	}
	return target.Options{
		Baud:        at.baud,
		Limit:       at.limit,
		Progress:    func(done, total int) { a.ui.progress("sending", done, total) },
		Warn:        a.warn,
		GuardFaults: true,
		Allow:       at.allow,
		Session:     session.Options{Timeout: at.timeout, Notice: func(text string) { a.ui.note("%s", text) }},
	}
}
