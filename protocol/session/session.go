// Package session talks to a runner: it opens the link, loads images, runs
// them and reads and writes their data. It is the only owner of the link's
// state: sequence numbers, credit, repetition and line rate.
//
// Errors have types that a caller can tell apart, each with a Hint method that
// says what to do next. After a request that failed or was cancelled the
// session stays usable unless the transport is gone.
//
// The package takes plain data; it must not import the compiler.
package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/transport"
)

// Options adjust a session. The zero value is fit for use.
type Options struct {
	// Timeout is how long the runner may be silent when an answer is due,
	// beside the time that its work and the line take. 0: 5 s.
	Timeout time.Duration
	// Greeting is the same for the first answer, to Open. 0: Timeout, and if that is
	// 0, too, MayBeDeaf where a runner inside a run is silent like this.
	Greeting time.Duration
	// Notice, if not nil, is called with messages for a user who waits.
	Notice func(text string)
}

const (
	// DefaultTimeout stands for an Options.Timeout of 0.
	DefaultTimeout = 5 * time.Second
	// MayBeDeaf is how long a runner may hear nothing that another host has left inside a run, with
	// time to answer afterwards.
	MayBeDeaf      = runnerLimit + time.Second
	longestTimeout = 365 * 24 * time.Hour // multiples of it are times, too
)

// DeafNotice tells a user why it is waited for longer than usual.
const DeafNotice = "the board does not answer yet: it may be in a run, which takes up to 10 s"

// A Session is an open link to a runner. Its methods may be called from
// several goroutines; requests are carried out one after the other.
type Session struct {
	link   *link
	opt    Options
	busy   chan struct{} // holds a token while a request is under way
	timing timing

	info  atomic.Pointer[packet.HelloResponse] // of the last HELLO
	knock []byte                               // frame of the last HELLO
	nonce uint32                               // of the last HELLO
	asked int                                  // nonces that were used since a session was opened
	id    uint16                               // session id of the headers
	seq   uint16                               // of the next request
	stale bool                                 // a request was left without an answer: open anew before the next
	deaf  time.Time                            // until then the runner may be at work that was cancelled, and hear nothing

	looped  atomic.Bool            // a loop was started or met in this session
	guarded atomic.Bool            // one runs that was started in this session, with a hardware watchdog
	change  *change                // of rate, whose outcome is unknown
	program program                // what this session has loaded
	drivers atomic.Pointer[string] // table of the runner's; nil: not read
}

// Stats counts what went over the link.
type Stats struct {
	BytesSent, BytesReceived uint64
	Frames                   uint64 // good ones received
	BadFrames                uint64 // dropped: wrong checksum, cut short, noise
}

// Open greets the runner behind t and takes t over: Close closes it, and so
// does Open when it fails. It fails with a TimeoutError when nobody answers,
// and with a VersionError when the runner speaks another protocol version.
func Open(ctx context.Context, t transport.Transport, opt Options) (*Session, error) {
	longest := opt.Greeting
	if opt.Timeout == 0 {
		opt.Timeout = DefaultTimeout
		if opt.Greeting == 0 {
			longest = MayBeDeaf
		}
	}
	if opt.Greeting == 0 {
		opt.Greeting = opt.Timeout
	}
	opt.Timeout, opt.Greeting = min(opt.Timeout, longestTimeout), min(opt.Greeting, longestTimeout)
	s := &Session{
		link:   newLink(t),
		opt:    opt,
		busy:   make(chan struct{}, 1),
		timing: timing{baud: t.Baud()},
	}
	if err := s.greetFor(ctx, opt.Greeting, longest); err != nil {
		return nil, errors.Join(err, s.link.close())
	}
	return s, nil
}

// Info returns what the runner said about itself when the session was opened.
func (s *Session) Info() packet.HelloResponse { return *s.info.Load() }

// Ticks turns ticks of the runner's timer into time.
func (s *Session) Ticks(n uint64) time.Duration {
	hz := s.Info().TimerHz
	return time.Duration(n/hz)*time.Second + time.Duration(float64(n%hz)/float64(hz)*float64(time.Second))
}

// Stats returns the counters of the link.
func (s *Session) Stats() Stats {
	return Stats{s.link.sent.Load(), s.link.heard.Load(), s.link.good.Load(), s.link.bad.Load()}
}

// Close closes the transport. Requests under way fail with ErrClosed. A loaded
// program stays loaded.
func (s *Session) Close() error { return s.link.close() }

// acquire waits for the request under way to end.
func (s *Session) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) release() { <-s.busy }

// ready sees to it that a session is open, at a rate that is known.
func (s *Session) ready(ctx context.Context) error {
	if s.change != nil {
		if err := s.settle(ctx); err != nil {
			return err
		}
	}
	if s.stale {
		return s.greet(ctx)
	}
	return nil
}

// greet opens a session with a new nonce.
func (s *Session) greet(ctx context.Context) error { return s.greetFor(ctx, s.opt.Timeout, 0) }

// greetFor does so, and gives up after the usual silence, or the longest one where the runner may be deaf.
func (s *Session) greetFor(ctx context.Context, usual, longest time.Duration) error {
	s.nonce = rand.Uint32()
	s.asked++
	body, err := packet.EncodeRequest(&packet.HelloRequest{Version: packet.ProtocolVersion, Nonce: s.nonce})
	if err != nil {
		return err
	}
	// The delimiter ends whatever garbage the runner has heard before.
	s.knock = frame.Append([]byte{0}, frame.Header{Kind: packet.KindReq, Version: packet.ProtocolVersion}, body)
	info, err := s.firstHello(ctx, usual, longest)
	if err != nil {
		return err
	}
	return s.adopt(info)
}

// firstHello sends a HELLO that is new. A runner that is deaf inside a run and one that is not there are both silent.
func (s *Session) firstHello(ctx context.Context, usual, longest time.Duration) (*packet.HelloResponse, error) {
	info, _, err := s.hello(ctx, usual)
	var silent, again *TimeoutError
	if usual >= longest || !errors.As(err, &silent) || !silent.MayBeDeaf() {
		return info, err
	}
	if s.opt.Notice != nil {
		s.opt.Notice(DeafNotice)
	}
	info, _, err = s.hello(ctx, longest-usual)
	if errors.As(err, &again) {
		again.Wait += silent.Wait
		again.Tries += silent.Tries
		again.Others += silent.Others
	}
	return info, err
}

// adopt starts with the session that a HELLO was answered with.
func (s *Session) adopt(info *packet.HelloResponse) error {
	before, steps := s.info.Swap(info), distance(s.id, info.Session)
	between := before != nil && steps > s.asked
	s.id, s.seq, s.asked, s.stale = info.Session, 1, 0, false
	replaced := s.program.digest != nil && (between || !bytes.Equal(info.Digest, s.program.digest))
	if replaced || !bytes.Equal(info.Digest, s.program.digest) {
		s.program = program{}
	}
	s.link.max.Store(int32(info.MaxPacket))
	if before != nil && before.BootNonce != info.BootNonce {
		return &RestartError{Target: s.link.t.String(), Watchdog: s.guarded.Swap(false)}
	}
	if between || replaced {
		return ErrTaken
	}
	return nil
}

// distance is how many sessions a runner has opened since the one with the id from: ids follow each other, and none is 0.
func distance(from, to uint16) int {
	n := int(to) - int(from)
	if n < 0 {
		n += 1<<16 - 1
	}
	return n
}

// lose notes that another host has opened a session with this id, which ends the one in use.
func (s *Session) lose(id uint16) error {
	s.id, s.asked, s.stale = id, 0, true
	s.program = program{}
	return ErrTaken
}

// hello sends the last HELLO until the runner answers. When it was answered
// before, the session stays the same and nothing changes. next is the lowest
// sequence number that the runner has not received.
func (s *Session) hello(ctx context.Context, limit time.Duration) (info *packet.HelloResponse, next uint16, err error) {
	q := question{
		op: packet.MsgHello, frame: s.knock, repeat: func() []byte { return s.knock },
		bytes: len(s.knock) + packet.InitialPacketLength, timed: len(s.knock), limit: limit,
		work: max(time.Until(s.deaf), 0),
	}
	if q.work > 0 {
		q.timed = 0
	}
	var refused error
	q.match = func(p frame.Packet) (bool, error) {
		if !isHello(p) {
			q.others++
			return false, nil
		}
		var version *VersionError
		switch info, err = s.readHello(p); {
		case errors.As(err, &version):
			return true, err
		case err != nil: // perhaps it was somebody else's HELLO
			refused = err
			return false, nil
		case !s.own(info):
			q.others++
			return false, nil
		}
		q.moved = true
		next = p.Ack
		return true, nil
	}
	s.link.drain()
	if _, err := s.ask(ctx, &q); err != nil {
		var silent *TimeoutError
		if refused != nil && errors.As(err, &silent) {
			err = refused
		}
		return nil, 0, err
	}
	s.deaf = time.Time{}
	return info, next, nil
}

// own reports whether an answer to HELLO is to this host's, as far as that can be told.
func (s *Session) own(info *packet.HelloResponse) bool {
	return info.Nonce == s.nonce
}

// isHello reports whether p answers a HELLO. The version in its header may be
// any: a runner of another version has to be able to say so.
func isHello(p frame.Packet) bool {
	return p.Kind == packet.KindRsp && p.Session == 0 && p.Seq == 0 && packet.PeekCode(p.Body) == packet.MsgHello
}

// errForeign says that an answer to HELLO is for a host of another version.
var errForeign = errors.New("answer for a host of another version")

func (s *Session) readHello(p frame.Packet) (*packet.HelloResponse, error) {
	r, err := packet.DecodeResponse(p.Body)
	if err != nil {
		return nil, &AnswerError{packet.MsgHello, err}
	}
	info := r.(*packet.HelloResponse)
	switch {
	case info.Status == packet.StatusBadVersion && info.Version == packet.ProtocolVersion:
		return nil, errForeign
	case info.Status == packet.StatusBadVersion, info.Status == packet.StatusOK && info.Version != packet.ProtocolVersion:
		return nil, &VersionError{Host: packet.ProtocolVersion, Runner: info.Version}
	case info.Status != packet.StatusOK:
		return nil, &RemoteError{Op: packet.MsgHello, Status: info.Status}
	}
	return info, nil
}

func (s *Session) timeout(op packet.Message, wait time.Duration, tries, others, heard int) error {
	return &TimeoutError{op.String(), s.link.t.String(), wait, tries, s.link.noise.Load(), others, heard, s.link.quiet()}
}

// ask sends a question, again and again if need be, until its last answer matches. It reports whether anything of it was sent.
func (s *Session) ask(ctx context.Context, q *question) (sent bool, err error) {
	i := s.timing.inquire(q, time.Now())
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		due.Reset(time.Until(i.next()))
		tx := s.link.tx
		if i.out == nil {
			tx = nil
		}
		select {
		case tx <- i.out:
			i.sent(time.Now())
		case p := <-s.link.rx:
			if done, err := i.take(p, time.Now()); done {
				return i.begun, err
			}
		case <-due.C:
			if over, heard := i.tick(time.Now()); over {
				return i.begun, s.timeout(q.op, time.Since(i.start), i.tries, q.others, heard)
			}
		case <-s.link.stopped:
			return i.begun, fmt.Errorf("%v: %w", q.op, s.link.err)
		case <-ctx.Done():
			if q.op != packet.MsgHello && i.begun {
				s.deaf = time.Now().Add(q.work)
			}
			return i.begun, fmt.Errorf("%v: %w", q.op, context.Cause(ctx))
		}
	}
}
