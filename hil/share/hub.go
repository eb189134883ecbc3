package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
)

// hub spreads the records of one subscription on the board to its subscribers.
type hub struct {
	ctx  context.Context
	loop device.Loop

	changing sync.Mutex // held while the board's subscription is changed

	mu     sync.Mutex
	subs   []*subscriber
	source *source // nil: none
	held   bool    // the source is being replaced: its end is not that of the subscribers
}

// source is a subscription on the board.
type source struct {
	ctx    context.Context // of the pump
	cancel context.CancelFunc
	stream device.Stream
	union  *union
	pumped chan struct{} // closed when all of it was handed out
	over   bool          // it has ended
	lost   uint32        // records after the last one
}

// subscriber is a client's stream.
type subscriber struct {
	device.Subscription // in the program that runs
	portion             portion
	queue               *queue
}

func newHub(ctx context.Context, loop device.Loop) *hub { return &hub{ctx: ctx, loop: loop} }

func newSubscriber(s device.Subscription) *subscriber {
	return &subscriber{Subscription: s, portion: portion{every: uint32(s.Every), spans: s.Spans}, queue: newQueue()}
}

// wants are the subscriptions that there are, and one more.
func (h *hub) wants(more ...device.Subscription) []device.Subscription {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.subs {
		more = append(more, s.Subscription)
	}
	return more
}

// budget is what the board's subscription would cost with one more.
func (h *hub) budget(s device.Subscription) device.Budget {
	return h.loop.Budget(unite(h.wants(s)...).subscription())
}

// join adds a subscriber. The others lose nothing where the board's subscription has all that it asks for already.
func (h *hub) join(ctx context.Context, s *subscriber) error {
	h.changing.Lock()
	defer h.changing.Unlock()
	if h.serves(s) {
		return nil
	}
	wants := h.wants(s.Subscription)
	u := unite(wants...)
	if n := u.size(); n > maxRecord {
		return fmt.Errorf("a record of %d bytes, more than the %d of a share: name fewer variables", n, maxRecord)
	}
	if b := h.loop.Budget(u.subscription()); b.LinkBytes > 0 && b.BytesPerSec > b.LinkBytes {
		return together(&device.OversubscribedError{Budget: b}, len(wants)-1)
	}
	if err := h.subscribe(ctx, u); err != nil {
		return together(err, len(wants)-1)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs = append(h.subs, s)
	return nil
}

// serves adds a subscriber to the source that there is, if that has everything for it.
func (h *hub) serves(s *subscriber) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.source == nil {
		return false
	}
	if _, ok := h.source.union.places(s.Subscription); !ok {
		return false
	}
	h.subs = append(h.subs, s)
	return true
}

// together says that a subscription was refused because of others.
func together(err error, others int) error {
	var over *device.OversubscribedError
	if others == 0 || !errors.As(err, &over) {
		return err
	}
	return fmt.Errorf("together with %d other subscriptions at this share: %w", others, err)
}

// drainTime is how long an ended source may take to give its last records.
const drainTime = 200 * time.Millisecond

// hold keeps subscribers from ending with their source, until release. h.changing is held.
func (h *hub) hold() *source {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = true
	return h.source
}

// release ends the subscribers after all if their source has ended meanwhile, and no other one has come.
func (h *hub) release() {
	h.mu.Lock()
	h.held = false
	over := h.source != nil && h.source.over
	h.mu.Unlock()
	if over {
		h.endAll(nil)
	}
}

// subscribe changes the board's subscription, or leaves the one that there was. h.changing is held.
func (h *hub) subscribe(ctx context.Context, u *union) error {
	old := h.hold()
	defer h.release()
	stream, err := h.loop.Subscribe(ctx, u.subscription())
	if err == nil {
		h.replace(old, stream, u)
		return nil
	}
	if old == nil || !old.ended() {
		return err
	}
	// The refused one has ended the one before.
	again, lost := h.loop.Subscribe(h.ctx, old.union.subscription())
	if lost != nil {
		h.endAll(lost)
		return err
	}
	h.replace(old, again, old.union)
	return err
}

// replace goes on with another source. The one before is handed out to its end first.
func (h *hub) replace(old *source, stream device.Stream, u *union) {
	now := &source{stream: stream, union: u, pumped: make(chan struct{})}
	now.ctx, now.cancel = context.WithCancel(h.ctx)
	if old != nil {
		select {
		case <-old.pumped:
		case <-time.After(drainTime):
		}
		old.close() // the new subscription has ended it already
	}
	h.mu.Lock()
	h.source = now
	h.mu.Unlock()
	go h.pump(now)
}

// ended tells whether a source has given its last record.
func (s *source) ended() bool {
	select {
	case <-s.pumped:
		return true
	case <-time.After(drainTime):
		return false
	}
}

// close ends a source, and returns when no record of it will come any more, which might reach the next subscriber.
func (s *source) close() {
	_ = s.stream.Close()
	s.cancel()
	<-s.pumped
}

// pump hands out the records of a source until its end.
func (h *hub) pump(s *source) {
	defer close(s.pumped)
	defer s.cancel()
	for {
		r, err := s.stream.Next(s.ctx)
		if err == nil {
			err = h.handOut(s.union, r)
		}
		if err == nil {
			continue
		}
		h.mu.Lock()
		mine := h.source == s && !h.held
		s.over, s.lost = true, r.Drops
		h.mu.Unlock()
		if mine {
			if h.ctx.Err() != nil {
				err = errEnded
			}
			h.endAll(err)
			_ = s.stream.Close()
		}
		return
	}
}

func (h *hub) handOut(u *union, r device.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := u.size(); len(r.Data) != n {
		return fmt.Errorf("a record of %d bytes, not of %d", len(r.Data), n)
	}
	for _, s := range h.subs {
		if part, ok := s.portion.take(u, r); ok {
			s.queue.put(part)
		}
	}
	return nil
}

// endAll ends the streams of all clients.
func (h *hub) endAll(err error) {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.subs {
		lost := uint32(0)
		if h.source != nil {
			lost = s.portion.missing(h.source.union, h.source.lost)
		}
		s.queue.end(err, lost)
	}
	h.subs, h.source = nil, nil
}

// leave removes a subscriber. The board's subscription stays as it is while others need some of it: to change it
// would cost them records.
func (h *hub) leave(s *subscriber) {
	h.changing.Lock()
	defer h.changing.Unlock()
	h.mu.Lock()
	h.subs = slices.DeleteFunc(h.subs, func(o *subscriber) bool { return o == s })
	var last *source
	if len(h.subs) == 0 {
		last, h.source = h.source, nil
	}
	h.mu.Unlock()
	if last != nil {
		last.close()
	}
}

// swap has another program go on, and the subscribers with it whose variables it has.
func (h *hub) swap(ctx context.Context, from, to *image.Image, next device.Next) (*device.SwapReport, error) {
	h.changing.Lock()
	defer h.changing.Unlock()
	old := h.hold()
	defer h.release()
	next.Telemetry = h.telemetry(from, to)
	report, err := h.loop.Swap(ctx, next)
	if err == nil && !report.Back {
		h.move(from, to, next.Telemetry)
	}
	if old != nil && next.Telemetry == nil && old.ended() {
		h.resume(ctx)
	}
	return report, err
}

// move has the subscribers go on with their variables in another program; kept are the places of the union's.
func (h *hub) move(from, to *image.Image, kept []device.Span) {
	h.mu.Lock()
	defer h.mu.Unlock()
	subs := h.subs
	h.subs = nil
	for _, s := range subs {
		spans, err := movedAll(from, to, s.Spans)
		if err != nil {
			s.queue.end(err, s.portion.lost)
			continue
		}
		s.Spans, s.portion.spans = spans, spans
		h.subs = append(h.subs, s)
	}
	if kept != nil {
		// Records keep their layout, so the places in them that portions know stay right.
		h.source.union.spans = kept
	}
}

// resume subscribes again where the board's subscription has ended with a swap.
func (h *hub) resume(ctx context.Context) {
	wants := h.wants()
	if len(wants) == 0 {
		return
	}
	u := unite(wants...)
	stream, err := h.loop.Subscribe(ctx, u.subscription())
	if err != nil {
		h.endAll(err)
		return
	}
	h.replace(nil, stream, u)
}

// telemetry is where the union's spans lie in another program, nil where some do not.
func (h *hub) telemetry(from, to *image.Image) []device.Span {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.source == nil {
		return nil
	}
	spans, err := movedAll(from, to, h.source.union.spans)
	if err != nil {
		return nil
	}
	return spans
}
