package loop

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
)

// What the ring of a subscription holds.
const (
	ringTime  = time.Second // of records, within these bounds
	ringLeast = 64          // records
	ringMost  = 16 << 20    // bytes of them
)

// A stream is a ring of records, which one goroutine, the loop's, writes and one reads.
type stream struct {
	l       *Loop
	spans   []device.Span // of the program that runs
	size    int           // of a record
	every   uint32
	heads   []head
	bytes   []byte
	dropped uint32 // since the last record that found room
	put     atomic.Uint64
	got     atomic.Uint64

	reading sync.Mutex  // for Next
	waiting atomic.Bool // somebody wants to be woken
	wake    chan struct{}
	closed  chan struct{}
}

// head is of a record.
type head struct {
	tick, drops uint32
	time        time.Duration
}

// Subscribe has records taken.
func (l *Loop) Subscribe(ctx context.Context, s device.Subscription) (device.Stream, error) {
	every := max(s.Every, 1)
	r := &stream{l: l, spans: append([]device.Span(nil), s.Spans...), every: uint32(every), wake: make(chan struct{}, 1), closed: make(chan struct{})}
	n := int(max(ringTime/l.period/time.Duration(every), ringLeast))
	r.size = int(device.LengthOf(s.Spans))
	if r.size > 0 {
		n = max(min(n, ringMost/r.size), 2)
	}
	n = min(n, 1<<17)
	r.heads, r.bytes = make([]head, n), make([]byte, n*r.size)
	var bad error
	err := l.between(ctx, 0, func() {
		if bad = l.tick.ended(); bad == nil {
			bad = inside(r.spans, len(l.tick.memory))
		}
		if bad == nil {
			if l.tick.stream != nil {
				l.tick.stream.end()
			}
			l.tick.stream = r
		}
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// record takes the records of a tick that started then.
func (s *state) record(now time.Duration) {
	if r := s.stream; r != nil && s.n%r.every == 0 && !r.take(s.memory, s.n, now-s.first) {
		s.drops++
	}
	if c := s.capture; c != nil && !c.over {
		c.take(s.memory, s.n, now-s.first)
	}
}

// take puts a record into the ring, if there is room.
func (r *stream) take(memory []byte, tick uint32, now time.Duration) bool {
	put := r.put.Load()
	if put-r.got.Load() == uint64(len(r.heads)) {
		r.dropped++
		return false
	}
	i := int(put % uint64(len(r.heads)))
	r.heads[i] = head{tick, r.dropped, now}
	gather(r.bytes[i*r.size:][:r.size], memory, r.spans)
	r.dropped = 0
	r.put.Store(put + 1)
	return true
}

func gather(to, memory []byte, spans []device.Span) {
	for _, s := range spans {
		to = to[copy(to, memory[s.Offset:][:s.Length]):]
	}
}

// tell wakes the reader, after a tick.
func (r *stream) tell() {
	if r.put.Load() != r.got.Load() && r.waiting.CompareAndSwap(true, false) {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

// end is called between two ticks.
func (r *stream) end() {
	select {
	case <-r.closed:
	default:
		close(r.closed)
	}
}

// Next waits for a record.
func (r *stream) Next(ctx context.Context) (device.Record, error) {
	r.reading.Lock()
	defer r.reading.Unlock()
	for {
		r.l.heard.Add(1)
		if err := ctx.Err(); err != nil {
			return device.Record{}, err
		}
		over := false
		select {
		case <-r.closed:
			over = true // and nothing comes after what is there now
		default:
		}
		if got := r.got.Load(); got != r.put.Load() {
			i := int(got % uint64(len(r.heads)))
			h := r.heads[i]
			record := device.Record{Tick: h.tick, Time: h.time, Drops: h.drops, Data: append([]byte(nil), r.bytes[i*r.size:][:r.size]...)}
			r.got.Store(got + 1)
			return record, nil
		}
		if over {
			return device.Record{Drops: r.dropped}, io.EOF // lost after the last one
		}
		r.waiting.Store(true)
		if r.got.Load() != r.put.Load() {
			continue
		}
		select {
		case <-r.wake:
		case <-r.closed:
		case <-ctx.Done():
			return device.Record{}, ctx.Err()
		}
	}
}

// Close ends the subscription. What was taken until then can still be read.
func (r *stream) Close() error {
	return r.l.between(context.Background(), 0, func() {
		if r.l.tick.stream == r {
			r.l.tick.stream = nil
		}
		r.end()
	})
}
