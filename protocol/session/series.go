package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A step is an ordered request of a series.
type step struct {
	request packet.Request
	run     *Run          // that the request is made of; nil: it is none
	reply   int           // longest answer expected, bytes
	work    time.Duration // that the runner may need for it, deaf
	span    time.Duration // that it may take in all, answering HELLO
	alone   bool          // several runs: nothing is sent behind it until it is answered
	mortal  bool          // they end when this host is gone

	frame  []byte
	answer packet.Response
	err    error // what the answer says against it
}

// lost reports whether the answer of a step that was carried out did not arrive.
func (st *step) lost() bool { return st.answer == nil && st.err == nil }

// A series is requests that are sent back to back, without waiting for each one's
// answer. The runner carries out an ordered request only when it has carried out
// all before it, so a lost one holds up those behind it until it is repeated,
// and an answer says that everything before it was carried out. It keeps its
// last answer alone: earlier ones may be lost for good.
type series struct {
	s     *Session
	steps []*step
	next  int // the first without an answer, whose number is s.seq
	sent  int // the first not sent yet
	q     question
}

// series carries out steps in order. Afterwards each of them has its answer or
// the error that it stands for, or was carried out and its answer lost; the last
// one's is never lost. The caller holds the busy token and has a session. Where
// series fails, it is unknown which steps were carried out, and the session is stale.
func (s *Session) series(ctx context.Context, limit time.Duration, steps ...*step) error {
	r := &series{s: s, steps: steps}
	for i, st := range steps {
		var err error
		if st.run != nil {
			st.request = s.runRequest(st.run, 0)
		}
		if st.frame, err = s.encode(s.seq+uint16(i), st.request); err != nil {
			return err
		}
		if st.mortal {
			st.request = s.runRequest(st.run, s.silence(st, limit))
			if st.frame, err = s.encode(s.seq+uint16(i), st.request); err != nil {
				return err
			}
		}
		st.answer, st.err = nil, nil
	}
	r.q = question{knock: s.knock, limit: limit, match: r.take, repeat: r.repeat}
	if steps[0].work == 0 {
		r.q.timed = len(steps[0].frame)
	}
	r.advance()
	s.stale = true
	sent, err := s.ask(ctx, &r.q)
	s.nameDrivers(steps)
	if err == nil || !sent && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		s.stale = false
	}
	return err
}

// advance gives the question what may be sent now, and what is waited for.
func (r *series) advance() {
	window, flying := int(r.s.Info().Window), 0
	q := &r.q
	q.work, q.span, q.several = 0, 0, r.steps[r.next].alone
	for _, st := range r.steps[r.next:r.sent] {
		flying += len(st.frame)
		q.work += st.work
		q.span += st.span
	}
	for ; r.sent < len(r.steps); r.sent++ {
		st := r.steps[r.sent]
		if r.sent > r.next && (r.steps[r.sent-1].alone || r.sent-r.next == packet.SequenceWindow || flying+len(st.frame) > window) {
			break
		}
		q.frame = append(q.frame, st.frame...)
		flying += len(st.frame)
		q.work += st.work
		q.span += st.span
	}
	q.op = r.steps[r.next].request.Code()
	// Where one answer is lost, the one behind it tells.
	q.bytes = flying
	if r.s.link.feed.Load() != nil { // a packet of telemetry may be under way, and another one behind it
		q.bytes += 2 * int(r.s.Info().MaxPacket)
	}
	for _, st := range r.steps[r.next:min(r.next+2, r.sent)] {
		q.bytes += st.reply
	}
}

// repeat returns what is unanswered.
func (r *series) repeat() []byte {
	var frames [][]byte
	for _, st := range r.steps[r.next:r.sent] {
		frames = append(frames, st.frame)
	}
	return slices.Concat(frames...)
}

// take takes a packet.
func (r *series) take(p frame.Packet) (done bool, err error) {
	s := r.s
	if isHello(p) {
		return s.knocked(&r.q, p)
	}
	if p.Session != s.id {
		r.q.others++
		return false, nil
	}
	r.q.ours = true
	if p.Kind != packet.KindRsp || p.Version != packet.ProtocolVersion {
		return false, nil
	}
	passed := int(p.Seq - s.seq) // steps whose answers were lost
	if passed >= r.sent-r.next {
		return false, nil // the answer to a repetition of one that is done
	}
	if passed > 0 {
		r.q.timed = 0
	}
	r.steps[r.next+passed].settle(p)
	r.next += passed + 1
	s.seq = p.Seq + 1
	r.q.moved = true
	if r.next == len(r.steps) {
		return true, nil
	}
	r.advance()
	return false, nil
}

// settle takes the answer to a step.
func (st *step) settle(p frame.Packet) {
	code := st.request.Code()
	if packet.PeekCode(p.Body) != code {
		// A runner that cannot read a request cannot name it either.
		st.err = &RemoteError{Op: code, Status: packet.StatusBadMessage}
		return
	}
	answer, err := packet.DecodeResponse(p.Body)
	if err == nil {
		err = st.answers(answer)
	}
	if err != nil {
		st.err = &AnswerError{code, err}
		return
	}
	st.answer, st.err = answer, refusal(answer)
}

// answers reports what is wrong with an answer that was decoded, held against its
// request: later code need not check lengths and counts again.
func (st *step) answers(answer packet.Response) error {
	q := st.request
	ok := answer.Result() == packet.StatusOK
	switch a := answer.(type) {
	case *packet.ReadResponse:
		if n := q.(*packet.ReadRequest).Length; ok && uint64(len(a.Bytes)) != uint64(n) {
			return fmt.Errorf("%d bytes instead of %d", len(a.Bytes), n)
		}
	case *packet.RunResponse:
		n := st.run.Count
		switch {
		case ok && (a.Runs != n || a.Fault != nil), a.Runs > n, a.Fault != nil && a.Runs == n:
			return fmt.Errorf("%v with %d runs of %d", a.Status, a.Runs, n)
		case a.Runs > 0 && (a.Min > a.Max || a.Max > a.Total || a.Late > a.Runs):
			return fmt.Errorf("%d runs of %d to %d ticks, %d in all, %d late", a.Runs, a.Min, a.Max, a.Total, a.Late)
		}
	case *packet.LiveResponse:
		return checkLoop(a.Status, a.Counts)
	case *packet.StopResponse:
		return checkLoop(a.Status, a.Counts)
	case *packet.StatusResponse:
		if ok && !a.State.Valid() {
			return fmt.Errorf("no such state: %d", a.State)
		}
	}
	return nil
}

func checkLoop(status packet.Status, c packet.LoopCounts) error {
	if status == packet.StatusOK && !(c.End.Valid() && c.Capture.Valid() && c.Swap.Valid()) {
		return fmt.Errorf("no such states of a loop: %d, %d, %d", c.End, c.Capture, c.Swap)
	}
	return nil
}

// insist carries out steps that may be repeated, until each has its answer. It
// returns the first error that an answer stands for.
func (s *Session) insist(ctx context.Context, steps []*step) error {
	for {
		var open []*step
		for _, st := range steps {
			if st.lost() || st.follows(open) {
				open = append(open, st)
			}
		}
		if len(open) == 0 {
			return firstRefusal(steps)
		}
		if err := s.series(ctx, s.opt.Timeout, open...); err != nil {
			return err
		}
	}
}

// follows reports whether st writes where one of the steps before it, which are to be repeated, does: what it wrote would be
// written over.
func (st *step) follows(repeated []*step) bool {
	w, ok := st.request.(*packet.WriteRequest)
	return ok && slices.ContainsFunc(repeated, func(before *step) bool {
		b, ok := before.request.(*packet.WriteRequest)
		return ok && uint64(b.Offset) < uint64(w.Offset)+uint64(len(w.Bytes)) && uint64(w.Offset) < uint64(b.Offset)+uint64(len(b.Bytes))
	})
}

func firstRefusal(steps []*step) error {
	for _, st := range steps {
		if st.err != nil {
			return st.err
		}
	}
	return nil
}
