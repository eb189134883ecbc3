// Package target opens the places where programs run, by name: this process, the host runner,
// a board emulated in QEMU, a serial port, a socket, or the oracle. It loads
// compiled programs there and keeps track of which one is on the board.
package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/machine"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/native"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

// ErrUnknown says that a name is not that of a target.
var ErrUnknown = errors.New("unknown target")

// ErrNoRunner says that something was asked of the oracle that only a runner can do.
var ErrNoRunner = errors.New("the oracle has no runner, which keeps a program and runs machine code")

// ErrNotEmulated says that QEMU has no machine like a board.
var ErrNotEmulated = errors.New("QEMU does not emulate this board")

// ErrNoEmulatedWatchdog says that QEMU's model of a board has no watchdog, or another one than the board.
var ErrNoEmulatedWatchdog = errors.New("QEMU does not emulate the hardware watchdog of this board: leave it out there")

// DefaultBaud is the rate of serial ports where none is given. Every runner starts
// with it.
const DefaultBaud = 115200

// emulatedTimeout is how long an emulator may be silent: on a busy machine it may hardly get
// its processor, and if it ends, that is seen at once.
const emulatedTimeout = 30 * time.Second

// Options vary how a target is opened; the zero value is right for most.
type Options struct {
	Baud     int                   // to change a serial line to, bits per second; 0: DefaultBaud
	Progress func(done, total int) // told of loading, in bytes; may be nil
	Warn     func(text string)     // told what went wrong in a run without ending it; may be nil
	Limit    time.Duration         // of each run that states none; 0: the runner's own
	Session  session.Options
	// GuardFaults makes errors of faults of programs in this process, which would end it otherwise, where the
	// system allows that (Linux). It changes the handlers of signals of the process.
	GuardFaults bool
	// Allow are drivers of this machine that programs may use, such as gpiochip0/17: of LocalName, which is
	// SandboxName then, and of that.
	Allow []string
}

// Target is an open target. Its methods must not be called concurrently.
type Target interface {
	device.Device
	// Name is the name that the target was opened by.
	Name() string
	// Board is the name that the runner gives its board; empty where there is none.
	Board() string
	// Close ends the target. Programs stay on boards, and loops go on there; emulated boards and host
	// runners end, and with them what runs there.
	Close()
}

// Runner is a target with a runner at the other end, as all have but this process and the oracle.
type Runner struct {
	name    string
	opt     Options
	instead error // why programs of the target "local" do not run in this process; nil: nobody asked for that

	// start opens a link to another runner of the same kind, where there can be
	// several; nil where there is one board with room for one program.
	start func(ctx context.Context) (transport.Transport, error)

	drivers string // table of those that its pins stand for; empty: of a chip

	mu      sync.Mutex // for Close, which may come from another goroutine
	links   []*link
	raised  bool // the first link is at another rate than DefaultBaud
	closers []func()
	closed  bool
}

// link is a session with one runner and the program that is on it.
type link struct {
	*session.Session
	resident *Program    // nil: none, or one that this process did not load
	looping  *remoteLoop // nil: none that is known of
}

// Names of the targets of this machine: programs that are made here run the fastest safe way, or in a process of
// their own, which may do nothing else.
const (
	LocalName   = "local"
	SandboxName = "local:sandbox"
)

// HostArch is the architecture of programs for the local target.
func HostArch() string {
	switch runtime.GOARCH {
	case "arm64":
		return "aarch64"
	case "386":
		return "x86_32"
	}
	return "x86_64"
}

// IsEmulated reports whether a target's timing is QEMU's.
func IsEmulated(name string) bool {
	return strings.HasPrefix(name, "qemu:") || strings.HasPrefix(name, "user:")
}

// IsLasting reports whether a program stays where it was loaded when the target is closed:
// on boards and behind sockets, not where the target is a process of its own.
func IsLasting(name string) bool {
	kind, _, _ := strings.Cut(name, ":")
	return kind != "local" && kind != Oracle && !IsEmulated(name)
}

// IsSerial reports whether a target's name is that of a serial port.
func IsSerial(name string) bool {
	kind, _, _ := strings.Cut(name, ":")
	return IsLasting(name) && kind != "tcp" && kind != "unix"
}

// Emulate boots a board in QEMU.
func Emulate(ctx context.Context, board string) (*emulator.Machine, error) {
	if err := Check("qemu:" + board); err != nil {
		return nil, err
	}
	b, err := boards.Find(board)
	if err != nil {
		return nil, err
	}
	return EmulateBoard(ctx, &b)
}

// EmulateBoard boots the image that a board has, its own or another one.
func EmulateBoard(ctx context.Context, b *boards.Board) (*emulator.Machine, error) {
	if b.QEMU == nil {
		return nil, fmt.Errorf("%w: %s", ErrNotEmulated, b.Name)
	}
	return emulator.Start(ctx, *b, emulator.Options{})
}

// Open opens a target by name:
//
//	local            this process (InProcess), or local:sandbox where the system forbids that
//	local:sandbox    the host runner, a process that may do nothing but run programs (Linux)
//	local:ARCH       that of another architecture that the machine runs: x86_32 on x86_64
//	qemu:BOARD       a board emulated in QEMU, for as long as the target is open
//	user:ARCH        the host runner of another architecture, under QEMU user mode
//	tcp:HOST:PORT    a runner behind a TCP port
//	unix:PATH        a runner behind a unix socket
//	oracle           compiler/eval, which runs no code; "reference" is taken for it, too
//	anything else    the name of a serial port
//
// The target ends with ctx.
func Open(ctx context.Context, name string, opt Options) (Target, error) {
	if Canonical(name) == Oracle {
		return openOracle(opt)
	}
	var none error
	if name == LocalName && len(opt.Allow) == 0 {
		t, err := openInProcess(ctx, opt)
		if err == nil {
			return t, nil
		}
		if !errors.Is(err, native.ErrUnsupported) {
			return nil, err
		}
		none = err
	}
	r, err := OpenRunner(ctx, name, opt)
	if err != nil && none != nil {
		err = fmt.Errorf("%w; %w", none, err)
	}
	if err != nil {
		return nil, err
	}
	r.instead = none
	return r, nil
}

// OpenRunner opens a target that must have a runner: "local" is "local:sandbox" here.
func OpenRunner(ctx context.Context, name string, opt Options) (*Runner, error) {
	if Canonical(name) == Oracle {
		return nil, ErrNoRunner
	}
	if opt.Baud == 0 {
		opt.Baud = DefaultBaud
	}
	if opt.Session.Timeout == 0 && IsEmulated(name) {
		opt.Session.Timeout = emulatedTimeout
	}
	t := &Runner{name: name, opt: opt}
	open, err := t.connect(ctx)
	if err == nil {
		err = t.meet(ctx, open)
	}
	if err == nil {
		t.drivers, err = t.links[0].Drivers(ctx)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Check tells whether a name can be that of a target, before anything is opened.
func Check(name string) error {
	kind, rest, _ := strings.Cut(name, ":")
	var err error
	switch {
	case name == "":
		err = errors.New("the name is empty")
	case name == LocalName, name == SandboxName, Canonical(name) == Oracle:
	case kind == "local", kind == "user":
		err = local.CheckArch(rest)
	case kind == "qemu":
		var b boards.Board
		if b, err = boards.Find(rest); err == nil && b.QEMU == nil {
			return fmt.Errorf("%w: %s", ErrNotEmulated, rest)
		}
	case kind == "tcp":
		_, _, err = net.SplitHostPort(rest)
	case kind == "unix":
	case rest != "" && !strings.ContainsAny(kind, `/\`):
		err = errors.New(name)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return nil
}

// connect finds what the name stands for. The result opens the first connection,
// at a rate if it is a serial line.
func (t *Runner) connect(ctx context.Context) (opener, error) {
	if err := Check(t.name); err != nil {
		return nil, err
	}
	kind, rest, _ := strings.Cut(t.name, ":")
	switch {
	case t.name == LocalName, t.name == SandboxName:
		t.start = func(ctx context.Context) (transport.Transport, error) { return startLocal(ctx, t.opt.Allow) }
	case kind == "local":
		t.start = func(ctx context.Context) (transport.Transport, error) { return startArch(ctx, rest) }
	case kind == "user":
		t.start = func(ctx context.Context) (transport.Transport, error) { return startUnder(ctx, rest) }
	case kind == "qemu":
		m, err := Emulate(ctx, rest)
		if err != nil {
			return nil, err
		}
		t.closers = append(t.closers, func() { m.Close() })
		return func(baud int) (transport.Transport, error) { return transport.OpenSerial(m.TTY(), baud) }, nil
	case kind == "tcp":
		return func(int) (transport.Transport, error) { return transport.DialTCP(ctx, rest) }, nil
	case kind == "unix":
		return func(int) (transport.Transport, error) { return transport.DialUnix(ctx, rest) }, nil
	default:
		return func(baud int) (transport.Transport, error) { return transport.OpenSerial(t.name, baud) }, nil
	}
	return func(int) (transport.Transport, error) { return t.start(ctx) }, nil
}

func startLocal(ctx context.Context, allow []string) (transport.Transport, error) {
	r, err := local.StartAllowed(ctx, allow)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func startArch(ctx context.Context, arch string) (transport.Transport, error) {
	r, err := local.StartArch(ctx, arch)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// UserEmulator is QEMU's user mode for an architecture: the name of a program.
func UserEmulator(arch string) string {
	names := map[string]string{"x86_32": "i386", "armv7a": "arm"} // those of QEMU that differ
	return "qemu-" + cmp.Or(names[arch], arch) + "-static"
}

func startUnder(ctx context.Context, arch string) (transport.Transport, error) {
	r, err := local.StartUnder(ctx, arch, UserEmulator(arch))
	if err != nil {
		return nil, err
	}
	return r, nil
}

// greet opens a session over a connection, which it owns from then on.
func (t *Runner) greet(ctx context.Context, conn transport.Transport, opt session.Options) error {
	s, err := session.Open(ctx, conn, opt)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errors.Join(transport.ErrClosed, s.Close())
	}
	t.links = append(t.links, &link{Session: s})
	return nil
}

// Close ends the target.
func (t *Runner) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.closed = true
	t.lower()
	for _, l := range t.links {
		_ = l.Close()
	}
	for _, f := range t.closers {
		f()
	}
}

// Name is the name that the target was opened by.
func (t *Runner) Name() string { return t.name }

// Hello is what the runner said of itself.
func (t *Runner) Hello() *packet.HelloResponse {
	info := t.links[0].Info()
	return &info
}

// Instead tells why programs of the target "local" do not run in this process; nil where the
// sandbox is what was asked for.
func (t *Runner) Instead() error { return t.instead }

// Board is the name that the runner gives its board.
func (t *Runner) Board() string { return t.Hello().Board }

// Arch is the architecture to compile for.
func (t *Runner) Arch() string { return t.Hello().Arch.String() }

// Features are the optional instruction sets that the processor has.
func (t *Runner) Features() packet.Features { return t.Hello().Features }

// Status asks the runner for its state.
func (t *Runner) Status(ctx context.Context) (*packet.StatusResponse, error) {
	s, err := t.links[0].Status(ctx)
	return &s, err
}

// errNotAllowed is why programs on this machine have no channels.
var errNotAllowed = errors.New("programs on local use nothing of this machine but what start or deploy is told by --allow NAME; copaflash runner channels lists names")

// Pins is the board whose channels the runner connects variables to in loops; the error is why there is none.
func (t *Runner) Pins() (*boards.Board, error) {
	if t.Hello().LoopFeatures&packet.LoopPins == 0 {
		switch t.Board() {
		case LocalName:
			return nil, errNotAllowed
		case machine.Name:
			return nil, fmt.Errorf("the runner on %s allows no channels: start it with copaflash runner run --allow NAME; copaflash runner channels lists names", t.Board())
		}
		return nil, fmt.Errorf("the runner on %s uses no pins", t.Board())
	}
	if t.drivers == "" {
		b, err := boards.Find(t.Board())
		return &b, err
	}
	drivers, err := machine.Parse(t.drivers)
	if err != nil {
		return nil, fmt.Errorf("the runner on %s: %w", t.Board(), err)
	}
	return machine.Board(t.Board(), drivers)
}

// Drivers is the table of the drivers that the runner's pins stand for; empty where they are those of a chip.
func (t *Runner) Drivers() string { return t.drivers }

// Session is the link to the runner, for what this package has no method for.
func (t *Runner) Session() *session.Session { return t.links[0].Session }
