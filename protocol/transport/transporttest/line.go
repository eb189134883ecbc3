// Package transporttest is a serial line in memory for tests: it is as slow
// as a real one, and loses and corrupts bytes on request.
//
// Time is taken from package time, so that a line inside a testing/synctest
// bubble runs on virtual time.
package transporttest

import (
	"fmt"
	"sync"
	"time"

	"github.com/copaflash/copaflash/protocol/transport"
)

// bitsPerByte is what a byte takes on the line: start, 8 data, stop.
const bitsPerByte = 10

// Config describes a line.
type Config struct {
	Baud     int           // bits per second in both directions; 0: no pacing
	Pace     int           // bits per second that really pass, as before an emulator; 0: Baud
	Latency  time.Duration // added to every byte on its way, as by a USB adapter
	Queue    int           // bytes that a Write may leave in the sender's queue; 0: 4096, as on Linux
	Receiver int           // bytes that the runner's receive queue holds; more are lost; 0: no limit
	ToRunner Faults
	ToHost   Faults
}

// A Line is two connected ends.
type Line struct {
	Host, Runner *End
	toRunner     *direction
	toHost       *direction
}

// New returns a line with both ends open.
func New(c Config) *Line {
	if c.Queue == 0 {
		c.Queue = 4096
	}
	l := &Line{
		toRunner: newDirection(c, c.ToRunner, c.Receiver),
		toHost:   newDirection(c, c.ToHost, 0),
	}
	l.Host = newEnd("host end", c.Baud, l.toHost, l.toRunner)
	l.Runner = newEnd("runner end", c.Baud, l.toRunner, l.toHost)
	return l
}

// Cut pulls the cable: both ends see a hang-up.
func (l *Line) Cut() {
	l.toRunner.cut()
	l.toHost.cut()
}

// ToRunner and ToHost say what happened on the way.
func (l *Line) ToRunner() Tally { return l.toRunner.tally() }

// ToHost is like ToRunner, for the other direction.
func (l *Line) ToHost() Tally { return l.toHost.tally() }

// An End is one end of a line.
type End struct {
	name    string
	in, out *direction
	mu      sync.Mutex
	baud    int
	closed  chan struct{}
	once    sync.Once
}

var _ transport.Transport = (*End)(nil)

func newEnd(name string, baud int, in, out *direction) *End {
	return &End{name: name, in: in, out: out, baud: baud, closed: make(chan struct{})}
}

// Read returns bytes as they come in.
func (e *End) Read(p []byte) (int, error) {
	for {
		n, wait, err := e.in.take(p, e.Baud())
		if n > 0 || err != nil {
			return n, e.wrap(err)
		}
		if err := e.sleep(e.in, wait); err != nil {
			return 0, err
		}
	}
}

// Write queues p and returns when no more than the queue's length is left to send.
func (e *End) Write(p []byte) (int, error) {
	select {
	case <-e.closed:
		return 0, e.wrap(transport.ErrClosed)
	default:
	}
	for {
		wait, err := e.out.room()
		if err != nil {
			return 0, e.wrap(err)
		}
		if wait <= 0 {
			break
		}
		if err := e.sleep(e.out, wait); err != nil {
			return 0, err
		}
	}
	e.out.put(p, e.Baud())
	return len(p), nil
}

// sleep waits for the time to pass, for bytes to be put on d, or for d or the
// end to be closed. wait < 0 has no limit.
func (e *End) sleep(d *direction, wait time.Duration) error {
	var due <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
	case <-d.arrival:
	case <-d.gone:
		return e.wrap(transport.ErrHangup)
	case <-e.closed:
		return e.wrap(transport.ErrClosed)
	}
	return nil
}

// Close closes this end; the other one sees a hang-up.
func (e *End) Close() error {
	e.once.Do(func() {
		close(e.closed)
		e.in.cut()
		e.out.cut()
	})
	return nil
}

// Baud returns the rate that this end is set to.
func (e *End) Baud() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.baud
}

// SetBaud sets this end. What was sent at another rate arrives spoiled.
func (e *End) SetBaud(baud int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.baud == 0 {
		return transport.ErrNotSerial
	}
	e.baud = baud
	return nil
}

func (e *End) String() string { return e.name }

func (e *End) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", e.name, err)
}
