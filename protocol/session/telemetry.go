package session

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session/live"
)

// A Record is values of a tick.
type Record struct {
	Tick  uint32
	Time  int64  // at which it started, in counts since tick 0 was due
	Data  []byte // of the spans, one after the other
	Drops uint32 // records that were lost directly before it
}

// Telemetry is a subscription. Next is for one goroutine at a time; Close may come from another.
type Telemetry struct {
	l      *Loop
	cost   live.Cost
	feed   *feed
	closed chan struct{}
	once   sync.Once

	// Guarded by the session's token.
	request packet.SubscribeRequest

	// Guarded by the loop's mutex.
	list, ring live.Block

	// Of Next.
	book    ledger
	waiting []arrival
	at      arrival // whose records are given out
	given   uint32  // of them
	lost    uint32  // before the next one
	final   bool
}

// An OversubscribedError says that the line cannot carry a subscription.
type OversubscribedError struct{ Cost live.Cost }

func (e *OversubscribedError) Error() string {
	return fmt.Sprintf("telemetry of %.0f bytes a second does not fit a line of %.0f", e.Cost.Bytes, e.Cost.Line)
}

// Hint says what to do next.
func (e *OversubscribedError) Hint() string {
	return fmt.Sprintf("a record every %d ticks fits (%.4g a second), or name fewer variables", e.Cost.LeastEvery, e.Cost.Greatest)
}

// plan computes what a subscription costs, and how long its ring should be. Where there may be captures or swaps, half of the
// memory is left to them.
func (l *Loop) plan(spans []Span, every uint32) (cost live.Cost, ring int, err error) {
	if err := l.mapped(); err != nil {
		return cost, 0, err
	}
	joined := live.Join(spans)
	free := l.arena.Clone()
	if t := l.stream; t != nil {
		free.Give(t.list, t.ring)
	}
	room := free.Largest() - live.ListLength(joined)
	record := live.Bytes(joined)
	if l.s.Info().LoopFeatures&(packet.LoopCapture|packet.LoopSwap) != 0 {
		room = max(room/2, min(room, 2*(live.RecordHead+record)))
	}
	info := l.s.Info()
	hz := float64(info.TimerHz) / (float64(l.note.Period) + float64(l.note.Rest)/(1<<32))
	demand := live.Demand{Record: record, Rate: hz, Every: every}
	cost, err = demand.Cost(live.Carrier{Baud: l.s.link.t.Baud(), MaxPacket: min(int(info.MaxPacket), sampleLength*int(info.SampleCapacity)), Ring: room})
	if err != nil {
		return cost, 0, err
	}
	return cost, demand.RingLength(cost.Batch, room), nil
}

// sampleLength is that of a sample, whose memory packets of telemetry are made in, in bytes.
const sampleLength = 4

// Cost tells what a subscription would cost.
func (l *Loop) Cost(spans []Span, every uint32) (live.Cost, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	cost, _, err := l.plan(spans, every)
	return cost, err
}

// Subscribe has a record of variables sent every so many ticks, and ends an earlier subscription.
func (l *Loop) Subscribe(ctx context.Context, spans []Span, every uint32) (*Telemetry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := live.CheckSpans(spans, l.dataLength()); err != nil {
		return nil, err
	}
	cost, length, err := l.plan(spans, every)
	if err != nil {
		return nil, err
	}
	if !cost.Fits() {
		return nil, &OversubscribedError{cost}
	}
	if l.stream != nil {
		if err := l.unsubscribe(ctx, l.stream); err != nil {
			return nil, err
		}
	}
	joined := live.Join(spans)
	t := &Telemetry{
		l: l, cost: cost, closed: make(chan struct{}),
		book: ledger{every: every, batch: uint32(cost.Batch)},
	}
	if t.list, err = l.arena.Take("the list of telemetry", live.ListLength(joined)); err != nil {
		return nil, err
	}
	if t.ring, err = l.arena.Take("telemetry", length); err != nil {
		l.arena.Give(t.list)
		return nil, err
	}
	t.request = packet.SubscribeRequest{List: t.list.At, Every: every, Ring: t.ring.At, Length: t.ring.Length, Batch: uint32(cost.Batch)}
	err = l.carry(ctx, func() error {
		if err := l.s.insist(ctx, l.s.writeTo(&regionLive, []Piece{{Offset: t.list.At, Bytes: live.List(joined)}})); err != nil {
			return err
		}
		t.feed = newFeed(l.s.id, live.Bytes(joined))
		l.s.link.feed.Store(t.feed)
		if err := t.open(ctx); err != nil {
			l.s.link.feed.Store(nil)
			return err
		}
		l.stream = t
		return nil
	})
	if err != nil {
		l.arena.Give(t.list, t.ring)
		return nil, err
	}
	return t, nil
}

// open asks for telemetry. The caller holds the session's token.
func (t *Telemetry) open(ctx context.Context) error {
	request := t.request
	ask := &step{request: &request, reply: smallReply}
	if err := t.l.s.series(ctx, t.l.s.opt.Timeout, ask); err != nil {
		return err
	}
	return ask.err
}

// follow opens the subscription again if its session is not the present one: a new session ends it. The caller holds the session's token.
func (t *Telemetry) follow(ctx context.Context) error {
	if t == nil || t.feed.current() == t.l.s.id {
		return nil
	}
	t.feed.renew(t.l.s.id)
	var refused *RemoteError
	if err := t.open(ctx); err != nil && !errors.As(err, &refused) {
		return err
	}
	return nil // where the loop has ended there is nothing to be sent any more
}

// unsubscribe ends a subscription. The caller holds the loop's mutex.
func (l *Loop) unsubscribe(ctx context.Context, t *Telemetry) error {
	if l.stream != t {
		return nil
	}
	off := &step{request: &packet.SubscribeRequest{Every: 1, Batch: 1}, reply: smallReply}
	err := l.s.exclusive(ctx, func() error {
		if err := l.s.insist(ctx, []*step{off}); err != nil {
			return err
		}
		l.s.link.feed.CompareAndSwap(t.feed, nil)
		l.stream = nil
		return nil
	})
	var refused *RemoteError
	if errors.As(err, &refused) { // the loop has ended, and the subscription with it
		err = l.s.exclusive(ctx, func() error {
			l.s.link.feed.CompareAndSwap(t.feed, nil)
			l.stream = nil
			return nil
		})
	}
	if err == nil {
		t.finish()
		l.arena.Give(t.list, t.ring)
	}
	return err
}

func (t *Telemetry) finish() { t.once.Do(func() { close(t.closed) }) }

// Close ends the subscription. What has arrived can still be read.
func (t *Telemetry) Close(ctx context.Context) error {
	t.finish()
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	return t.l.unsubscribe(ctx, t)
}

// Cost tells what the subscription costs.
func (t *Telemetry) Cost() live.Cost { return t.cost }

// Lost is how many records of those that Next has come by were lost.
func (t *Telemetry) Lost() uint32 { return t.book.lost }

const (
	// idle is how long nothing may come, beyond the time that packets are apart, before the runner is asked whether the loop goes on.
	idle = 500 * time.Millisecond
	// afterEnd is how long nothing may come after the loop has ended, beyond the time that a packet takes.
	afterEnd = 300 * time.Millisecond
)

// Next waits for a record. After the last one it returns io.EOF, with the records that were lost after that one in
// the Drops of a record that has nothing else. No loss goes untold, and what is told is exact but where ticks were missed between
// packets that were lost: then it is the greatest number that there can have been.
func (t *Telemetry) Next(ctx context.Context) (Record, error) {
	var ended *packet.LoopCounts
	for {
		if r, ok := t.cut(); ok {
			return r, nil
		}
		if t.waiting = append(t.waiting, t.feed.take()...); len(t.waiting) > 0 {
			t.unpack()
			continue
		}
		if t.final {
			return Record{}, io.EOF
		}
		if ended != nil && t.complete(ended) {
			return t.end(ended)
		}
		wait := idle + 2*t.l.due(t.request.Every*uint32(t.cost.Batch))
		if ended != nil {
			wait = afterEnd + 2*t.packetTime()
		}
		timer := time.NewTimer(wait)
		select {
		case <-t.feed.wake:
			timer.Stop()
			continue
		case <-ctx.Done():
			timer.Stop()
			return Record{}, context.Cause(ctx)
		case <-t.closed:
			timer.Stop()
			if t.waiting = t.feed.take(); len(t.waiting) == 0 {
				t.final = true
			}
			continue
		case <-timer.C:
		}
		if ended != nil {
			return t.end(ended)
		}
		r, err := t.l.counts(ctx)
		if err != nil {
			return Record{}, err
		}
		if r.Counts.End != packet.LoopEndNone {
			ended = &r.Counts
		}
	}
}

// unpack takes the next packet.
func (t *Telemetry) unpack() {
	a := t.waiting[0]
	t.waiting = t.waiting[1:]
	if a.renewed {
		t.book.renew()
		return
	}
	records := uint32(len(a.Values) / t.feed.record)
	lost, again := t.book.enter(a, records)
	if !again {
		t.at, t.given, t.lost = a, 0, t.lost+lost
	}
}

// cut gives out the next record of a packet.
func (t *Telemetry) cut() (Record, bool) {
	n := t.feed.record
	from := int(t.given) * n
	if from >= len(t.at.Values) {
		return Record{}, false
	}
	tick := t.at.Tick + t.given*t.book.every
	r := Record{Tick: tick, Time: t.l.since(t.at.Tick, t.at.Time) + t.l.between(t.at.Tick, tick), Data: t.at.Values[from : from+n : from+n], Drops: t.lost}
	t.given++
	t.lost = 0
	return r, true
}

// complete tells whether all records of a loop that has ended are there.
func (t *Telemetry) complete(c *packet.LoopCounts) bool {
	return t.book.begun && int32(c.Ticks+c.Missed-t.book.last) > 0 && t.book.missing(c.Ticks+c.Missed) == 0
}

// packetTime is how long the longest packet is on the line.
func (t *Telemetry) packetTime() time.Duration {
	line := timing{baud: t.l.s.link.t.Baud()}
	return line.line(int(t.l.s.Info().MaxPacket))
}

func (t *Telemetry) end(c *packet.LoopCounts) (Record, error) {
	t.final = true
	t.lost += t.book.end(c.Ticks+c.Missed, c.Drops, t.feed.beyond(), t.l.s.link.t.Baud() == 0)
	return Record{Drops: t.lost}, io.EOF
}

// nominal is when a tick is due, in counts since tick 0 was.
func (l *Loop) nominal(tick uint32) int64 {
	return int64(uint64(tick)*l.note.Period + uint64(tick)*uint64(l.note.Rest)>>32)
}

// since is when a tick started, of which the low bits of the runner's timer are known, in counts since tick 0 was due.
func (l *Loop) since(tick, low uint32) int64 {
	due := l.nominal(tick)
	return due + int64(int32(low-uint32(l.note.Start+uint64(due))))
}

func (l *Loop) between(from, to uint32) int64 { return l.nominal(to) - l.nominal(from) }

// records cuts records as they lie in a ring.
func (l *Loop) records(ring []byte, record int) []Record {
	var all []Record
	for ; len(ring) >= record; ring = ring[record:] {
		tick := binary.LittleEndian.Uint32(ring)
		all = append(all, Record{
			Tick: tick, Time: l.since(tick, binary.LittleEndian.Uint32(ring[4:])), Data: ring[live.RecordHead:record:record],
		})
	}
	return all
}
