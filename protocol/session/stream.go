package session

import (
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A flight is a CHUNK from its first sending to its acknowledgement.
type flight struct {
	seq   uint16
	bytes int    // of the image
	frame []byte // on the line
	order uint64 // number of its last sending, from 1
	// earliest is the number of the first of its sendings that may have arrived: not the
	// last one where only time told that it was lost.
	earliest uint64
	state    flightState
	tries    int
	// doubted: an acknowledgement came that is of a later sending, or of an earlier one
	// of the same CHUNK. If this one is not acknowledged soon, it was lost.
	doubted bool
	// For who knows time: when the earliest was, how much was under way then, and how long
	// it took until an acknowledgement came.
	sentAt time.Time
	behind int
	took   time.Duration
}

// A flightState says where a CHUNK is that was not acknowledged.
type flightState uint8

const (
	underway flightState = iota // on the line or in the runner's queue
	lost                        // to be sent again
	// overdue: no acknowledgement came in time. Perhaps it arrived; the
	// acknowledgement of a later one will tell.
	overdue
)

// A stream decides which CHUNK to send next. It does no input or output and
// knows no time.
//
// The line keeps the order of what it carries. So when a CHUNK is acknowledged,
// every one sent before it and not acknowledged with it was lost, and only
// those are sent again. Of a CHUNK that was sent again since time ran out, the
// acknowledgement may be of the first sending, and tells of the others nothing yet:
// on a line that is slow they would all be sent twice, which makes it slower.
type stream struct {
	seq       uint16 // of the next new CHUNK
	window    int    // encoded bytes that may be under way
	underway  int    // encoded bytes that are
	sendings  uint64
	resent    int
	delivered int // bytes of the image
	flights   []*flight
	// unclear is the last CHUNK that was acknowledged after it had been sent again because
	// time ran out. The runner acknowledges what it has already, too; if it does, time
	// ran out too soon.
	unclear *flight
	// more returns the next new CHUNK, nil if there is none.
	more    func(seq uint16) (*flight, error)
	pending *flight // got from more, not sent yet
	drained bool    // more has no more
}

// next returns the CHUNK to send now, nil if none may be sent.
func (s *stream) next() (*flight, error) {
	waiting := false
	for _, f := range s.flights {
		if f.state == lost {
			return s.allowed(f), nil
		}
		waiting = waiting || f.state == overdue
	}
	if waiting {
		return nil, nil // first find out what has become of the others
	}
	if s.pending == nil && !s.drained {
		f, err := s.more(s.seq)
		if err != nil {
			return nil, err
		}
		s.pending, s.drained = f, f == nil
	}
	if s.pending == nil || len(s.flights) > 0 && s.seq-s.flights[0].seq >= packet.SequenceWindow {
		return nil, nil
	}
	return s.allowed(s.pending), nil
}

// allowed returns f if the window has room for it. One CHUNK may always be
// under way, or a window that has shrunk below it would stop the stream.
func (s *stream) allowed(f *flight) *flight {
	if s.underway > 0 && s.underway+len(f.frame) > s.window {
		return nil
	}
	return f
}

// sent notes that f, which next returned, is under way.
func (s *stream) sent(f *flight) {
	s.sendings++
	s.underway += len(f.frame)
	f.order = s.sendings
	if f.earliest == 0 {
		f.earliest, f.behind = f.order, s.underway
	}
	f.doubted = false
	f.tries++
	if f.state == lost {
		f.state = underway
		s.resent++
		return
	}
	s.flights = append(s.flights, f)
	s.pending = nil
	s.seq++
}

// acknowledge takes an ACK: everything before next has arrived, and next+1+i if
// bit i is set. It returns the CHUNK sent last of those newly acknowledged, nil if
// there is none.
func (s *stream) acknowledge(next uint16, bitmap uint32) *flight {
	if len(s.flights) == 0 || next-s.flights[0].seq > s.seq-s.flights[0].seq {
		return nil // from before, or of what was never sent
	}
	var last *flight
	var passed, perhaps uint64 // sendings that certainly, and perhaps, have arrived
	left := s.flights[:0]
	for _, f := range s.flights {
		ahead := int16(f.seq - next)
		if ahead >= 0 && (ahead == 0 || ahead > 32 || bitmap>>(ahead-1)&1 == 0) {
			left = append(left, f)
			continue
		}
		if last == nil || f.order > last.order {
			last = f
		}
		passed, perhaps = max(passed, f.earliest), max(perhaps, f.order)
		s.delivered += f.bytes
		s.land(f, underway)
	}
	clear(s.flights[len(left):])
	s.flights = left
	for _, f := range s.flights {
		if f.order < passed {
			s.land(f, lost)
			f.earliest = 0
		} else if f.order < perhaps {
			f.doubted = true
		}
	}
	return last
}

// expire notes that no acknowledgement came in time. Nothing should be on the
// line any more. The oldest CHUNK is sent again: either it was lost, or the
// acknowledgement was, which this arrival brings back, or the line is slower
// than it should be. So the others are sent again only if they are in doubt.
func (s *stream) expire() {
	for i, f := range s.flights {
		if i == 0 || f.doubted {
			s.land(f, lost)
		} else if f.state == underway {
			s.land(f, overdue)
		}
	}
}

// land takes a CHUNK off the line.
func (s *stream) land(f *flight, state flightState) {
	if f.state == underway {
		s.underway -= len(f.frame)
	}
	f.state = state
}

// worst returns how often the CHUNK sent most often was sent.
func (s *stream) worst() int {
	n := 0
	for _, f := range s.flights {
		n = max(n, f.tries)
	}
	return n
}

// done reports whether everything was sent and acknowledged.
func (s *stream) done() bool { return s.drained && s.pending == nil && len(s.flights) == 0 }
