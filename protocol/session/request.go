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

// errRenewed says that the session id was wrong and has been put right.
var errRenewed = errors.New("session id was replaced")

// request carries out one ordered request. reply is the longest answer
// expected in bytes, work the time that the runner may need for it. The caller
// holds the busy token. A refusal comes back as an error with the answer.
func (s *Session) request(ctx context.Context, r packet.Request, reply int, work time.Duration) (packet.Response, error) {
	if s.stale {
		if err := s.greet(ctx); err != nil {
			return nil, err
		}
	}
	for {
		answer, err := s.try(ctx, r, question{op: r.Code(), reply: reply, work: work, limit: s.opt.Timeout})
		if !errors.Is(err, errRenewed) {
			return answer, err
		}
	}
}

// try sends one request in the present session until it is answered. Without
// an answer nobody knows whether it was taken, and the session is stale.
func (s *Session) try(ctx context.Context, r packet.Request, q question) (packet.Response, error) {
	var err error
	if q.frame, err = s.encode(s.seq, r); err != nil {
		return nil, err
	}
	q.knock = s.knock
	var answer packet.Response
	q.match = func(p frame.Packet) (bool, error) {
		if isHello(p) {
			return s.knocked(&q, p)
		}
		if p.Kind != packet.KindRsp || p.Version != packet.ProtocolVersion || p.Session != s.id || p.Seq != s.seq {
			return false, nil
		}
		s.seq, s.stale = s.seq+1, false
		if packet.PeekCode(p.Body) != r.Code() {
			// A runner that cannot read a request cannot name it either.
			return true, &RemoteError{Op: r.Code(), Status: packet.StatusBadMessage}
		}
		var err error
		if answer, err = packet.DecodeResponse(p.Body); err != nil {
			return true, fmt.Errorf("answer to %v: %w", r.Code(), err)
		}
		return true, refusal(answer)
	}
	s.stale = true
	err = s.ask(ctx, &q)
	return answer, err
}

// knocked takes an answer to HELLO that comes while a request waits for its
// own. It tells that the runner is there, or that it is not the same any more.
func (s *Session) knocked(q *question, p frame.Packet) (bool, error) {
	info, err := readHello(p)
	if err != nil {
		return false, nil
	}
	if info.Session == s.id {
		q.living = true
		return false, nil
	}
	first := s.seq == 1
	switch err := s.adopt(info); {
	case err != nil:
		return true, err
	case first:
		// The session id in use came from an answer that was left in a queue by
		// the runner's talk with an earlier program. The last one is right,
		// since HELLO was the last thing sent before.
		return true, errRenewed
	}
	return true, ErrTaken
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
	h := frame.Header{Kind: packet.KindReq, Version: packet.ProtocolVersion, Session: s.id, Seq: seq}
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
	case *packet.RunResponse:
		if r.Fault != nil {
			return &FaultError{Fault: *r.Fault, Runs: r.Runs}
		}
	}
	return e
}

// call is request for those who do not hold the busy token yet.
func (s *Session) call(ctx context.Context, r packet.Request, reply int, work time.Duration) (packet.Response, error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	return s.request(ctx, r, reply, work)
}
