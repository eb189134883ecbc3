// Package emulator boots a board's runner in QEMU and offers its serial line as
// a real tty.
//
// Nothing outlives the caller: QEMU ends with Close, with the context, and on
// Linux with the process that started it, however that dies. The package knows
// nothing of the protocol.
package emulator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/copaflash/copaflash/boards"
)

// DefaultTimeout bounds the time from starting QEMU to knowing the tty.
const DefaultTimeout = time.Minute

// Options vary how a board is emulated; the zero value is right for most.
type Options struct {
	Binary  string        // QEMU to run instead of the board's
	Args    []string      // further arguments for QEMU
	Image   []byte        // runner to boot instead of the board's
	Timeout time.Duration // instead of DefaultTimeout
	// PlainLine hands single bytes to UARTs that take no more, see serialArgs. Under -icount
	// the board's time runs on while bytes lie in a buffer.
	PlainLine bool
}

// A Machine is a running QEMU, or another emulator.
type Machine struct {
	name    string // of the emulator
	tty     string
	release func() // lets go of the tty, see connect; nil before
	pid     int

	kill    context.CancelFunc
	remove  func() // what was given to QEMU
	output  *output
	done    chan struct{}
	exit    error // valid once done is closed
	closing sync.Once
}

// Start boots the board and returns once its tty is known. The machine ends
// when ctx does.
func Start(ctx context.Context, board boards.Board, opts Options) (*Machine, error) {
	if board.QEMU == nil {
		return nil, fmt.Errorf("emulator: QEMU does not know %s", board.Name)
	}
	if err := supported(); err != nil {
		return nil, err
	}
	wanted := *board.QEMU
	if opts.Binary != "" {
		wanted.Binary, wanted.Least = opts.Binary, ""
	}
	binary, err := Find(&wanted)
	if err != nil {
		return nil, err
	}
	image := opts.Image
	if image == nil {
		if image, err = board.Bytes(board.QEMU.Load); err != nil {
			return nil, fmt.Errorf("emulator: %w", err)
		}
	}
	if len(image) == 0 {
		return nil, fmt.Errorf("emulator: no runner image for %s", board.Name)
	}
	kernel, err := imageFile(image)
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	defer kernel.Close()

	running, kill := context.WithCancel(ctx)
	m := &Machine{name: "QEMU", kill: kill, output: newOutput(), done: make(chan struct{})}
	cmd := exec.CommandContext(running, binary, board.QEMU.Args...)
	m.remove = give(cmd, kernel)
	cmd.Args = append(cmd.Args, "-display", "none", "-monitor", "none")
	cmd.Args = append(cmd.Args, serialArgs(board.QEMU.Serial, board.QEMU.SingleByte && !opts.PlainLine)...)
	if board.QEMU.Deaf {
		cmd.Args = append(cmd.Args, wakeArgs...)
	}
	cmd.Args = append(cmd.Args, opts.Args...)
	cmd.Stdout, cmd.Stderr = m.output, m.output
	// A child of QEMU that held its output open must not hold up Close.
	cmd.WaitDelay = time.Second
	if err := m.start(cmd); err != nil {
		kill()
		m.remove()
		return nil, fmt.Errorf("emulator: starting %s: %w", binary, err)
	}
	timeout := opts.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	if err := m.connect(ctx, timeout); err != nil {
		m.Close()
		return nil, fmt.Errorf("emulator: %s: %w", board.Name, err)
	}
	return m, nil
}

// serialArgs makes one of the board's serial lines a pty. A multiplexer with one user has room
// for 32 bytes, and hands the next one over as soon as the guest has read one: UARTs that take
// single bytes get twice as many a second. Nothing may escape to it: no byte is 256.
func serialArgs(line int, buffered bool) []string {
	var args []string
	for range line {
		args = append(args, "-serial", "null")
	}
	if !buffered {
		return append(args, "-serial", "pty")
	}
	return append(args, "-chardev", "pty,id=line,mux=on", "-serial", "chardev:line", "-echr", "256")
}

// wakeArgs have QEMU's main loop look at all lines once in the time of a byte at 115 200 baud, 87 us of the guest's time: a
// buffer of a network that nobody uses is emptied as often. Of what QEMU can be told without a device it is the one timer that
// goes on by itself. A monitor or a debugger would wake it, too, from outside.
var wakeArgs = []string{"-netdev", "hubport,id=wake,hubid=0", "-object", "filter-buffer,id=waker,netdev=wake,interval=87"}

// connect waits for the tty's name and opens it. QEMU looks only once a second
// whether anyone has the other side of a pty open, and drops what the guest
// sends meanwhile; with the tty held open from here on, a client is heard at
// once.
func (m *Machine) connect(ctx context.Context, timeout time.Duration) error {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case m.tty = <-m.output.tty:
	case <-m.done:
		return m.Err()
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fmt.Errorf("QEMU named no tty within %v%s", timeout, m.output.quote())
	}
	release, err := holdTTY(m.tty)
	if err == nil {
		m.release = release
		return nil
	}
	// QEMU makes the tty before it checks everything else: a tty that is gone
	// again has its reason in QEMU's last words.
	select {
	case <-m.done:
		return m.Err()
	case <-time.After(time.Second):
		return err
	}
}

// start starts the command and a goroutine that waits for its end.
func (m *Machine) start(cmd *exec.Cmd) error {
	started := make(chan error, 1)
	go func() {
		unbind := bindToThread(cmd)
		defer unbind()
		err := cmd.Start()
		if err == nil {
			m.pid = cmd.Process.Pid
		}
		started <- err
		if err != nil {
			return
		}
		m.exit = cmd.Wait()
		close(m.done)
	}()
	return <-started
}

// TTY returns the path of the board's serial line.
func (m *Machine) TTY() string { return m.tty }

// PID returns the process id of QEMU.
func (m *Machine) PID() int { return m.pid }

// Done is closed when QEMU has ended.
func (m *Machine) Done() <-chan struct{} { return m.done }

// Err says why the emulator ended, with what it printed; nil while it runs.
func (m *Machine) Err() error {
	select {
	case <-m.done:
	default:
		return nil
	}
	if m.exit == nil {
		return fmt.Errorf("%s ended%s", m.name, m.output.quote())
	}
	return fmt.Errorf("%s ended: %w%s", m.name, m.exit, m.output.quote())
}

// Close ends QEMU and waits until it is gone. It may be called more than once.
func (m *Machine) Close() error {
	m.closing.Do(func() {
		m.kill()
		<-m.done
		m.remove()
		if m.release != nil {
			m.release()
		}
	})
	return nil
}

// imageFile returns a new open file with that content.
func imageFile(content []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "runner-*")
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(content); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}
