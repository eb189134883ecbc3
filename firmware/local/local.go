// Package local starts the runner as a process of this machine, so that
// programs can be tried without a board. It is the same core as on boards. The
// process is confined to its one stream to the host, and runs each program in a
// child process without any rights (firmware/host).
package local

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/copaflash/copaflash/firmware/images"
	"github.com/copaflash/copaflash/protocol/transport"
)

// ErrUnsupported says that there is no runner for this system.
var ErrUnsupported = errors.New("the sandbox for programs is a process of Linux on x86 or ARM")

// CheckArch tells whether there is a runner for an architecture, on whatever machine.
func CheckArch(arch string) error {
	_, err := images.Linux(arch)
	return err
}

// reapTime bounds how long a reader waits for the cause of an end of stream.
const reapTime = time.Second

// leaveTime is what a runner has to end by itself when its stream is closed. One
// that waits for a program does not see that; its child then dies with it.
const leaveTime = 100 * time.Millisecond

// maxComplaint bounds what is kept of a runner's standard error, in bytes.
const maxComplaint = 4096

// Runner is a running runner and the stream to it. Reading, writing and closing
// may go on at the same time.
type Runner struct {
	stream    *os.File
	cmd       *exec.Cmd
	complaint complaint
	ended     chan struct{} // closed when the process is gone
	endErr    error         // how it ended; valid after ended
	closing   chan struct{}
	closeOnce sync.Once
	cleanup   func()
}

var _ transport.Transport = (*Runner)(nil)

// Read reads bytes from the runner. When the runner has ended by itself, the
// error says why and wraps transport.ErrHangup.
func (r *Runner) Read(p []byte) (int, error) {
	n, err := r.stream.Read(p)
	return n, r.explain(err)
}

// Write sends bytes to the runner.
func (r *Runner) Write(p []byte) (int, error) {
	n, err := r.stream.Write(p)
	return n, r.explain(err)
}

// SetReadDeadline bounds reads as for a net.Conn.
func (r *Runner) SetReadDeadline(t time.Time) error { return r.stream.SetReadDeadline(t) }

// SetWriteDeadline bounds writes as for a net.Conn.
func (r *Runner) SetWriteDeadline(t time.Time) error { return r.stream.SetWriteDeadline(t) }

// Baud returns 0: the stream has no line rate.
func (*Runner) Baud() int { return 0 }

// SetBaud fails with transport.ErrNotSerial.
func (*Runner) SetBaud(int) error { return transport.ErrNotSerial }

// String names the target.
func (*Runner) String() string { return "local" }

// PID returns the process ID of the runner.
func (r *Runner) PID() int { return r.cmd.Process.Pid }

// Close ends the runner, whatever it does, and waits until it is gone.
func (r *Runner) Close() error {
	r.closeOnce.Do(func() {
		close(r.closing)
		r.stream.Close()
		select {
		case <-r.ended: // it has seen the end of the stream, and collected its child
		case <-time.After(leaveTime):
			r.cmd.Process.Kill()
			<-r.ended
		}
		r.cleanup()
	})
	return nil
}

// explain turns the end of the stream into the cause of the runner's end.
func (r *Runner) explain(err error) error {
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	reaped := true
	select {
	case <-r.closing:
	case <-r.ended:
	case <-time.After(reapTime):
		reaped = false
	}
	select {
	case <-r.closing: // also when both have happened
		return transport.ErrClosed
	default:
	}
	if !reaped {
		return fmt.Errorf("local runner: %w: %w", transport.ErrHangup, err)
	}
	how := "exit status 0"
	if r.endErr != nil {
		how = r.endErr.Error()
	}
	if text := r.complaint.String(); text != "" {
		how += ": " + text
	}
	return fmt.Errorf("local runner ended (%s): %w", how, transport.ErrHangup)
}

// complaint keeps the beginning of what a runner says on standard error.
type complaint struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (c *complaint) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if room := maxComplaint - c.buf.Len(); room > 0 {
		c.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (c *complaint) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(bytes.TrimSpace(c.buf.Bytes()))
}
