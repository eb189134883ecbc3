package session

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/transport"
)

// A link moves frames over a transport in both directions at once. It has a
// goroutine that reads all the time, because a pseudo terminal stalls its
// other end when nobody does, and one that writes, because a write to a serial
// port cannot be interrupted.
type link struct {
	t  transport.Transport
	tx chan []byte       // frames to write
	rx chan frame.Packet // packets from the runner

	max     atomic.Int32 // longest packet accepted
	feed    atomic.Pointer[feed]
	noise   atomic.Uint64 // bytes since the last good packet
	good    atomic.Uint64
	bad     atomic.Uint64 // frames dropped
	sent    atomic.Uint64 // bytes
	heard   atomic.Uint64 // bytes
	begun   time.Time
	last    atomic.Int64  // when the last byte came, nanoseconds since begun
	stopped chan struct{} // closed at the first failure
	once    sync.Once
	err     error // why; set before stopped is closed
}

// rxQueue is how many packets may wait for someone to ask for them. More are
// dropped, as on a bad line: they belong to nothing that is under way.
const rxQueue = 256

func newLink(t transport.Transport) *link {
	l := &link{
		t:       t,
		tx:      make(chan []byte),
		rx:      make(chan frame.Packet, rxQueue),
		stopped: make(chan struct{}),
		begun:   time.Now(),
	}
	l.max.Store(packet.InitialPacketLength)
	go l.read()
	go l.write()
	return l
}

func (l *link) read() {
	d := frame.NewDecoder(packet.InitialPacketLength)
	buf := make([]byte, 16<<10)
	for {
		n, err := l.t.Read(buf)
		l.heard.Add(uint64(n))
		if n > 0 {
			l.last.Store(int64(time.Since(l.begun)))
		}
		l.noise.Add(uint64(n))
		d.SetMax(int(l.max.Load()))
		d.Feed(buf[:n], l.deliver)
		l.good.Store(d.Frames)
		l.bad.Store(d.CRCErrors + d.FramingErrors)
		if err != nil {
			l.stop(err)
			return
		}
	}
}

func (l *link) deliver(p frame.Packet) {
	l.noise.Store(0)
	if p.Kind == packet.KindTel {
		l.feed.Load().put(p)
		return
	}
	if p.Kind != packet.KindRsp && p.Kind != packet.KindAck {
		return
	}
	p.Body = bytes.Clone(p.Body)
	select {
	case l.rx <- p:
	default:
	}
}

func (l *link) write() {
	for {
		select {
		case f := <-l.tx:
			if _, err := l.t.Write(f); err != nil {
				l.stop(err)
				return
			}
			l.sent.Add(uint64(len(f)))
		case <-l.stopped:
			return
		}
	}
}

func (l *link) stop(err error) {
	l.once.Do(func() {
		if errors.Is(err, transport.ErrClosed) {
			err = fmt.Errorf("%w: %w", ErrClosed, err)
		}
		l.err = err
		close(l.stopped)
	})
}

// isStopped reports whether the link has failed.
func (l *link) isStopped() bool {
	select {
	case <-l.stopped:
		return true
	default:
		return false
	}
}

// quiet is how long nothing has been heard.
func (l *link) quiet() time.Duration {
	return time.Since(l.begun) - time.Duration(l.last.Load())
}

// drain discards unsolicited packets.
func (l *link) drain() {
	for {
		select {
		case <-l.rx:
		default:
			return
		}
	}
}

func (l *link) close() error {
	l.stop(transport.ErrClosed)
	return l.t.Close()
}
