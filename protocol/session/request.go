package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

// smallReply bounds the answers that carry no bytes of memory.
const smallReply = 160

// errRenewed says that the session id was wrong, so that a session is to be opened anew.
var errRenewed = errors.New("session id was wrong")

// exclusive carries out do in an open session with the busy token, and again
// if it turns out that the session id was another one, with which the
// runner has taken nothing.
func (s *Session) exclusive(ctx context.Context, do func() error) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	return s.inSession(ctx, do)
}

// inSession is exclusive for those who hold the busy token.
func (s *Session) inSession(ctx context.Context, do func() error) error {
	for range greetings {
		if err := s.ready(ctx); err != nil {
			return err
		}
		if err := do(); !errors.Is(err, errRenewed) {
			return err
		}
	}
	return ErrTaken
}

// request carries out one request. work is the time that the runner may need for
// it. The caller holds the busy token. A refusal comes back as an error with
// the answer.
func (s *Session) request(ctx context.Context, r packet.Request, work time.Duration) (packet.Response, error) {
	st := &step{request: r, reply: smallReply, work: work}
	if err := s.inSession(ctx, func() error { return s.series(ctx, s.opt.Timeout, st) }); err != nil {
		return nil, err
	}
	return st.answer, st.err
}

// knocked takes an answer to HELLO that comes while a request waits for its
// own. It tells that the runner is there, or that it is not the same any more, or
// that another host has opened a session.
func (s *Session) knocked(q *question, p frame.Packet) (bool, error) {
	info, err := s.readHello(p)
	if err != nil {
		return false, nil
	}
	if !s.own(info) {
		return true, s.lose(info.Session)
	}
	if s.current(info) {
		q.living, q.atWork = true, info.State == packet.StateRunning
		return false, nil
	}
	if info.Nonce == nil && s.seq == 1 && s.Info().BootNonce == info.BootNonce {
		// The session id in use came from an answer to somebody else, perhaps in
		// an earlier life. The runner has taken nothing.
		s.stale = true
		return true, errRenewed
	}
	if err := s.adopt(info); err != nil {
		return true, err
	}
	s.program = program{}
	return true, ErrTaken
}

// current reports whether an answer to HELLO is that of the session's own runner. One
// that has restarted may give out the same id again.
func (s *Session) current(info *packet.HelloResponse) bool {
	return info.Session == s.id && info.BootNonce == s.Info().BootNonce
}

// encode returns the frame of a request.
func (s *Session) encode(seq uint16, r packet.Request) ([]byte, error) {
	body, err := packet.EncodeRequest(r)
	if err != nil {
		return nil, err
	}
	if room := frame.BodyLength(int(s.Info().MaxPacket)); len(body) > room {
		return nil, fmt.Errorf("%v of %d bytes, the runner takes at most %d", r.Code(), len(body), room)
	}
	h := frame.Header{Kind: packet.KindReq, Version: s.speak, Session: s.id, Seq: seq}
	return frame.Append(nil, h, body), nil
}

// refusal returns the error that an answer stands for, nil if it is a good one.
func refusal(r packet.Response) error {
	if r.Result() == packet.StatusOK {
		return nil
	}
	e := &RemoteError{Op: r.Code(), Status: r.Result()}
	switch r := r.(type) {
	case *packet.BeginResponse:
		e.Detail = r.Detail
	case *packet.ChunkResponse:
		e.Detail = r.Detail
	case *packet.SealResponse:
		e.Detail = r.Detail
	case *packet.SubscribeResponse:
		e.Detail = r.Detail
	case *packet.CaptureResponse:
		e.Detail = r.Detail
	case *packet.SwapResponse:
		e.Detail = r.Detail
	case *packet.StartResponse:
		e.Detail = uint32(r.Start)
	case *packet.RunResponse:
		if r.Fault != nil {
			return &FaultError{Fault: *r.Fault, Runs: r.Runs}
		}
	}
	return e
}
