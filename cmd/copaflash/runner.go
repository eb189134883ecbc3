package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/firmware/images"
	"github.com/copaflash/copaflash/firmware/local"
)

// A runnerRow is one of the runners for Linux.
type runnerRow struct {
	Arch  string `json:"arch"`
	Bytes int    `json:"bytes"`
	Runs  bool   `json:"runs_here"`
}

// runnerResult is what runner prints with --json.
type runnerResult struct {
	document
	Runners []runnerRow `json:"runners"`
}

func runnerCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "runner",
		Short: "List the realtime runners for Linux; runner run runs one, install makes it a service, channels lists inputs and outputs",
		Long: `The runner for Linux makes a Linux machine a board: programs run in it as they do on a
microcontroller, every tick by a realtime thread, and go on when the host that started
them hangs up. It is one static program without any dependencies.

Without a verb of its own, list the architectures that there are runners for.`,
		Example: `  copaflash runner
  copaflash runner run --priority 80 --lock
  copaflash runner install --arch aarch64 --to /media/me/rootfs/usr/local/bin --service`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listRunners() },
	}
	c.AddCommand(runnerRunCommand(a), runnerInstallCommand(a), runnerChannelsCommand(a))
	return c
}

func (a *app) listRunners() error {
	r := &runnerResult{document: okDocument("runner")}
	rows := [][]string{{"ARCHITECTURE", "BYTES", "RUNS HERE"}}
	for _, arch := range images.LinuxArchs() {
		image, err := images.Linux(arch)
		if err != nil {
			return err
		}
		row := runnerRow{arch, len(image), slices.Contains(local.HostArchs(), arch)}
		r.Runners = append(r.Runners, row)
		rows = append(rows, []string{row.Arch, fmt.Sprint(row.Bytes), map[bool]string{true: "yes", false: "no"}[row.Runs]})
	}
	if a.ui.json {
		return a.ui.doc(r)
	}
	return a.ui.table(rows)
}

// serviceFlags are those that a runner and the verbs about it have in common.
func serviceFlags(c *cobra.Command, s *local.Service, listen string) {
	c.Flags().StringVar(&s.Listen, "listen", listen, "where hosts reach it: unix:PATH, tcp:ADDRESS:PORT or serial:DEVICE@BAUD")
	c.Flags().BoolVar(&s.Remote, "remote", false, "with tcp: let other machines in; whoever reaches the port controls the outputs")
	c.Flags().IntVar(&s.Priority, "priority", 0, "realtime priority of the ticks (SCHED_FIFO), 1 to 99; 0: as other programs")
	c.Flags().IntVar(&s.CPU, "cpu", -1, "processor of the ticks, best an isolated one; -1: any")
	c.Flags().StringArrayVar(&s.Allow, "allow", nil, "let programs use a driver of the machine: gpiochip0/17, gpio/LINE, iio0/in_voltage0, pwmchip0/1, hwmon0/temp1 or can0/123, and =in or =out behind it for no more; may be repeated (copaflash runner channels lists them)")
	c.Flags().StringVar(&s.Root, "root", "", "folder in front of /sys and /dev, for tests")
	_ = c.Flags().MarkHidden("root")
	c.Flags().BoolVar(&s.Lock, "lock", false, "keep its memory in RAM, all of it from the start on")
	c.Flags().StringVar(&s.Store, "store", "", "file to keep a program in that starts by itself with the runner, as deploy --store gives it; it is made if it is not there")
}

// checkService refuses what the runner would refuse, as far as no system is asked.
func checkService(s *local.Service) error {
	usage := func(hint, format string, args ...any) error {
		return &failure{Code: exitUsage, Message: fmt.Sprintf(format, args...), Hint: hint}
	}
	kind, rest, _ := strings.Cut(s.Listen, ":")
	switch {
	case !slices.Contains([]string{"unix", "tcp", "serial"}, kind) || rest == "":
		return usage("as in unix:/run/copaflash.sock, tcp:127.0.0.1:7000 or serial:/dev/ttyAMA0@115200",
			"--listen %s names no place to listen at", s.Listen)
	case strings.ContainsAny(s.Listen, " \t\n\"'\\%$"):
		return usage("use a plain name", "--listen %q has a character that a service file cannot hold", s.Listen)
	case strings.ContainsAny(s.Store, " \t\n\"'\\%$"):
		return usage("use a plain name", "--store %q has a character that a service file cannot hold", s.Store)
	case s.Remote && kind != "tcp":
		return usage("it is for --listen tcp:...", "--remote does not apply to %s", kind)
	case s.Priority < 0 || s.Priority > 99:
		return usage("80 leaves room for more urgent threads of the kernel", "--priority %d: want 1 to 99, or 0", s.Priority)
	case len(s.Allow) > maxAllowed:
		return usage("list those that the programs need", "--allow: %d of them, and there is room for %d", len(s.Allow), maxAllowed)
	case slices.ContainsFunc(s.Allow, func(n string) bool { return !allowable().MatchString(n) }):
		return usage("copaflash runner channels lists what this machine has", "--allow: want gpiochip0/17, gpio/LINE, iio0/in_voltage0, pwmchip0/1, hwmon0/temp1 or can0/123, with =in or =out behind it for no more")
	case s.CPU < -1:
		return usage("processors are counted from 0", "--cpu %d: want the number of a processor", s.CPU)
	}
	return nil
}

// maxAllowed is how many drivers a runner has room for.
const maxAllowed = 64

var allowable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_+][A-Za-z0-9_.+-]*(/[A-Za-z0-9_+][A-Za-z0-9_.+-]*){1,2}(=in|=out)?$`)
})

// socketOf is where runner run listens if nothing else is said: in a folder that is the user's own.
func socketOf() string {
	folder := cmp.Or(os.Getenv("XDG_RUNTIME_DIR"), os.TempDir())
	if os.Geteuid() == 0 {
		folder = "/run"
	}
	return "unix:" + filepath.Join(folder, "copaflash.sock")
}

// runnerRunResult is what --json prints once hosts can connect.
type runnerRunResult struct {
	document
	Arch   string   `json:"arch"`
	Listen string   `json:"listen"`          // but for a serial device what --port takes
	Notes  []string `json:"notes,omitempty"` // rights that it lacks, and what that costs
}

func runnerRunCommand(a *app) *cobra.Command {
	var s local.Service
	c := &cobra.Command{
		Use:   "run",
		Short: "Run the runner for this machine in the foreground",
		Long: `Run the runner for this machine until Ctrl-C. It says which rights it lacks, and what
that costs. Hosts connect one after the other; a loop goes on without one.

Programs use nothing of the machine but what --allow names: GPIO lines, IIO and hwmon inputs,
PWM outputs, identifiers of a CAN bus. Variables are bound to these by --bind, under the same names.`,
		Example: `  copaflash runner run
  sudo copaflash runner run --listen unix:/run/copaflash.sock --priority 80 --cpu 3 --lock
  copaflash runner run --allow gpiochip0/17 --allow hwmon0/temp1 --allow can0/123=in
  copaflash runner run --store ~/.local/share/copaflash.store
  copaflash info --port unix:/run/copaflash.sock          # in another terminal`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.runRunner(c.Context(), s) },
	}
	serviceFlags(c, &s, socketOf())
	return c
}

func (a *app) runRunner(ctx context.Context, s local.Service) error {
	if err := checkService(&s); err != nil {
		return err
	}
	var notes []string // before it listens: the last one may be why it does not
	var failed error
	err := local.Serve(ctx, s, func(line string) {
		if !strings.HasPrefix(line, "listens at ") {
			notes = append(notes, line)
			return
		}
		for _, note := range notes {
			if !a.ui.json {
				a.ui.note("%s", note)
			}
		}
		if a.ui.json {
			failed = a.ui.doc(runnerRunResult{okDocument("runner run"), local.HostArchs()[0], s.Listen, notes})
			return
		}
		a.ui.out("%s\n", line)
		if !strings.HasPrefix(s.Listen, "serial:") {
			a.ui.note("use it with --port %s; Ctrl-C ends it", s.Listen)
		}
	})
	var ended *local.ServiceError
	switch {
	case errors.Is(err, local.ErrUnsupported):
		return &failure{Code: exitIncompatible, Message: "there is no runner for " + runtime.GOOS + " on " + runtime.GOARCH,
			Hint: "copaflash runner install writes one for another machine"}
	case errors.As(err, &ended):
		return &failure{Code: exitFailed, Message: ended.Error(), Hint: "see copaflash runner run --help"}
	}
	return errors.Join(err, failed)
}
