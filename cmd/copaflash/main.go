// Command copaflash compiles scripts to machine code and runs them on the host
// and on boards. This file is the table of its verbs; each verb has a file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/heap"
	"github.com/copaflash/copaflash/protocol/transport"
)

// verbs in the order of the help text.
var verbs = []struct {
	name    string
	command func(*app) *cobra.Command
}{
	{"run", runCommand},
	{"compile", compileCommand},
	{"inspect", inspectCommand},
	{"deploy", deployCommand},
	{"sweep", sweepCommand},
	{"serve", serveCommand},
	{"doc", docCommand},
	{"emulate", emulateCommand},
	{"flash", flashCommand},
	{"runner", runnerCommand},
	{"firmware", firmwareCommand},
	{"ports", portsCommand},
	{"boards", boardsCommand},
	{"info", infoCommand},
	{"read", readCommand},
	{"write", writeCommand},
	{"start", startCommand},
	{"stop", stopCommand},
	{"status", statusCommand},
	{"set", setCommand},
	{"get", getCommand},
	{"watch", watchCommand},
	{"capture", captureCommand},
	{"record", recordCommand},
	{"plot", plotCommand},
	{"swap", swapCommand},
	{"store", storeCommand},
	{"replay", replayCommand},
	{"pil", pilCommand},
	{"share", shareCommand},
	{"hil", hilCommand},
	{"doctor", doctorCommand},
	{"version", versionCommand},
}

func main() { os.Exit(int(start(theDesk))) }

// start carries out the command line of this process, on a desk.
func start(on desk) exitCode {
	heap.Begin()
	runtime.MemProfileRate = 0 // no verb shows such a profile, and each sample walks a stack
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first interrupt asks the command to end; a second one ends it.
	context.AfterFunc(ctx, stop)
	defer stop()
	a := &app{ui: newUI(os.Stdout, os.Stderr), settle: firstStatistics, desk: on}
	return a.run(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

// run carries out one command line and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) exitCode {
	return (&app{ui: newUI(stdout, stderr), settle: firstStatistics, desk: theDesk}).run(ctx, args, stdout, stderr)
}

func (a *app) run(ctx context.Context, args []string, stdout, stderr io.Writer) exitCode {
	root := &cobra.Command{
		Use:   "copaflash",
		Short: "Numeric and control programs in Python syntax, running on boards in milliseconds",
		Long: `Copaflash compiles numeric and control programs, written in plain Python syntax,
to machine code without any toolchain, and runs them on the host or on a board.

Exit codes: 0 ok, 1 other, 2 usage or script error, 3 no device, 4 busy,
5 transport or timeout, 6 incompatible, 7 verification failed,
8 program fault on the target, 9 timing budget missed.`,
		Example: `  copaflash run examples/inverse_kinematics.py
  copaflash emulate rpi3
  copaflash deploy --port /dev/ttyACM0 examples/pid.py`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          a.knownVerb,
	}
	version := root.Flags().Bool("version", false, "the same as the command version")
	root.RunE = func(c *cobra.Command, _ []string) error {
		if *version {
			return a.showVersion()
		}
		return a.askForVerb(c)
	}
	flags := root.PersistentFlags()
	flags.BoolVar(&a.ui.json, "json", false, "print exactly one JSON document on stdout")
	flags.BoolVarP(&a.ui.quiet, "quiet", "q", false, "no progress on stderr")
	for _, command := range wanted(args) {
		root.AddCommand(command(a))
	}
	if err := complete(root, a.desk); err != nil {
		panic(err) // a flag that a table names twice
	}
	begun := false
	noteBegin(root, &begun)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		f := &failure{Code: exitUsage, Message: err.Error(), Hint: "see " + c.CommandPath() + " --help"}
		f.suggest(nearFlag(c, f.Message))
		return f
	})
	// Flags may be wrong before cobra has parsed --json: an error must be JSON then, too.
	for _, arg := range args {
		if arg == "--json" {
			a.ui.json = true
		}
	}
	cmd, err := root.ExecuteContextC(ctx)
	a.ui.finish()
	if err == nil {
		err = a.ui.err
	}
	if err == nil {
		return exitOK
	}
	f := classify(err)
	if ctx.Err() != nil {
		f = f.interrupted()
	}
	if !begun && f.Code == exitFailed {
		// Refused by the command line's own rules, before a verb got to work.
		f.Code, f.Hint = exitUsage, "see "+cmd.CommandPath()+" --help"
	}
	// What a script names is the script's matter, but for the device that it was given. A board
	// that QEMU does not emulate was not misspelt.
	misspelt := f.Code == exitUsage || f.Code == exitNoDevice
	if misspelt && (f.File == "" || errors.Is(err, transport.ErrNoDevice)) && !errors.Is(err, target.ErrNotEmulated) {
		f.suggest(nearChoice(cmd, f.Message))
	}
	var shown *alreadyShown
	if !errors.As(err, &shown) {
		a.ui.fail(strings.TrimPrefix(cmd.CommandPath(), root.Name()+" "), f)
	}
	return f.Code
}

// wanted are the verbs that a command line needs: one that begins with a verb is about no other, and to
// make all of them with their flags takes longer than to compile a small program.
func wanted(args []string) []func(*app) *cobra.Command {
	var all []func(*app) *cobra.Command
	for _, v := range verbs {
		if len(args) > 0 && args[0] == v.name {
			return []func(*app) *cobra.Command{v.command}
		}
		all = append(all, v.command)
	}
	return all
}

// otherWords leads from words that other tools use to verbs.
var otherWords = map[string]string{
	"build": "compile", "cc": "compile", "upload": "deploy", "load": "deploy", "send": "deploy", "exec": "run",
	"devices": "ports", "list": "ports", "check": "doctor", "install": "flash", "burn": "flash", "program": "flash",
	"show": "inspect", "tune": "set", "poke": "set", "peek": "get", "monitor": "watch", "top": "watch", "trigger": "capture", "scope": "capture", "halt": "stop", "replace": "swap", "stats": "status", "persist": "store", "save": "store save", "erase": "store clear",
	"dump": "inspect", "objdump": "inspect", "man": "doc", "docs": "doc", "reference": "doc",
	"simulate": "emulate", "qemu": "emulate", "test": "hil run",
}

// knownVerb refuses a word that is no verb, and says which ones are near.
func (a *app) knownVerb(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	near := c.SuggestionsFor(args[0])
	if w, ok := otherWords[args[0]]; ok {
		near = []string{w}
	}
	f := &failure{Code: exitUsage, Message: fmt.Sprintf("unknown command %q", args[0]), Hint: "see " + c.CommandPath() + " --help"}
	switch {
	case len(near) > 0:
		f.Hint = "did you mean " + c.CommandPath() + " " + strings.Join(near, " or ") + "? " + f.Hint
	case isScript(args[0]):
		f.Hint = "to run a script: " + c.CommandPath() + " run " + args[0]
	}
	return f
}

// isScript reports whether a word looks like the name of a file that can be run.
func isScript(word string) bool { return strings.HasSuffix(word, ".py") || isGraph(word) }

// askForVerb is what a command does that only holds others: help for people, an
// error for programs.
func (a *app) askForVerb(c *cobra.Command) error {
	if a.ui.json {
		return &failure{Code: exitUsage, Message: c.CommandPath() + " takes a command", Hint: "see " + c.CommandPath() + " --help"}
	}
	return c.Help()
}

// noteBegin has every command say when it gets to work.
func noteBegin(c *cobra.Command, begun *bool) {
	if work := c.RunE; work != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			*begun = true
			return work(c, args)
		}
	}
	for _, sub := range c.Commands() {
		noteBegin(sub, begun)
	}
}

// alreadyShown is a failure that is part of what the command has printed.
type alreadyShown struct{ *failure }

func (s *alreadyShown) Unwrap() error { return s.failure }

// app is what the verbs share.
type app struct {
	ui *ui
	// opener opens targets in tests; nil: by their names.
	opener func(context.Context, place) (target.Target, error)
	settle time.Duration // before the first statistics of a loop
	desk   desk
}
