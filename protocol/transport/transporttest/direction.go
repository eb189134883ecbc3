package transporttest

import (
	"sync"
	"time"

	"github.com/copaflash/copaflash/protocol/transport"
)

// piece is how many bytes arrive at a time on a paced line.
const piece = 16

// A direction carries bytes one way.
type direction struct {
	pace     bool
	rate     int // bits per second; 0: by the baud rate
	latency  time.Duration
	queue    int // bytes a writer may leave behind
	receiver int // bytes that may have arrived unread; 0: any
	gone     chan struct{}
	once     sync.Once
	arrival  chan struct{} // holds a token after put

	mu    sync.Mutex
	spoil *spoiler
	free  time.Time // when the line will have sent everything
	baud  int       // of the last put
	sent  []burst
	Tally
}

// A burst is a few bytes with the time at which they have arrived.
type burst struct {
	at    time.Time
	baud  int
	bytes []byte
}

// Tally counts what happened in one direction.
type Tally struct {
	Bytes    int // put on the line, lost ones included
	Frames   int // delimiters met
	Dropped  int // frames or bytes left out
	Spoiled  int // frames or bytes changed
	Doubled  int // frames sent twice
	Overruns int // bytes that found the receiver's queue full
}

func newDirection(c Config, f Faults, receiver int) *direction {
	return &direction{
		pace: c.Baud > 0, rate: c.Pace, latency: c.Latency, queue: c.Queue, receiver: receiver,
		gone: make(chan struct{}), arrival: make(chan struct{}, 1), spoil: newSpoiler(f),
	}
}

func (d *direction) cut() { d.once.Do(func() { close(d.gone) }) }

func (d *direction) tally() Tally {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.Tally
}

// room returns how long a writer must wait for the queue to have room.
func (d *direction) room() (time.Duration, error) {
	select {
	case <-d.gone:
		return 0, transport.ErrHangup
	default:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.pace || d.baud == 0 {
		return 0, nil
	}
	return time.Until(d.free) - d.duration(d.queue, d.baud), nil
}

// put sends p, as the faults let it.
func (d *direction) put(p []byte, baud int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.baud = baud
	d.Bytes += len(p)
	now := time.Now()
	if d.free.Before(now) {
		d.free = now
	}
	// Bytes that are lost take their time on the line too.
	left := len(p)
	p = d.spoil.pass(p, &d.Tally)
	for len(p) > 0 {
		n := len(p)
		if d.pace {
			n = min(piece, n)
			d.free = d.free.Add(d.duration(n, baud))
		}
		d.sent = append(d.sent, burst{d.free.Add(d.latency), baud, p[:n]})
		p, left = p[n:], left-n
	}
	if d.pace && left > 0 {
		d.free = d.free.Add(d.duration(left, baud))
	}
	select {
	case d.arrival <- struct{}{}:
	default:
	}
}

// take moves bytes that have arrived to p. If there are none it returns how
// long it will be until there are, negative if nothing is on its way.
func (d *direction) take(p []byte, baud int) (int, time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	d.overrun(now)
	n := 0
	for n < len(p) && len(d.sent) > 0 && !d.sent[0].at.After(now) {
		b := &d.sent[0]
		m := copy(p[n:], b.bytes)
		if b.baud != baud {
			for i := range p[n : n+m] {
				p[n+i] ^= 0xa5
			}
		}
		n += m
		if b.bytes = b.bytes[m:]; len(b.bytes) == 0 {
			d.sent = d.sent[1:]
		}
	}
	if n > 0 {
		return n, 0, nil
	}
	if len(d.sent) > 0 {
		return 0, d.sent[0].at.Sub(now), nil
	}
	select {
	case <-d.gone:
		return 0, 0, transport.ErrHangup
	default:
		return 0, -1, nil
	}
}

// overrun loses what arrived while the receiver's queue was full.
func (d *direction) overrun(now time.Time) {
	if d.receiver == 0 {
		return
	}
	unread := 0
	for i := 0; i < len(d.sent) && !d.sent[i].at.After(now); {
		b := &d.sent[i]
		kept := min(len(b.bytes), d.receiver-unread)
		d.Overruns += len(b.bytes) - kept
		b.bytes = b.bytes[:kept]
		if unread += kept; kept > 0 {
			i++
		} else {
			d.sent = append(d.sent[:i], d.sent[i+1:]...)
		}
	}
}

func (d *direction) duration(bytes, baud int) time.Duration {
	if d.rate != 0 {
		baud = d.rate
	}
	return time.Duration(bytes) * bitsPerByte * time.Second / time.Duration(baud)
}
