package session

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/transport"
)

// A Recorder is a transport to a runner that carries nothing out: it takes what the runner would that it stands for,
// says that it is done, and keeps the requests. So what is stored for a runner to carry out by itself is what a host
// would have sent it.
type Recorder struct {
	hello   packet.HelloResponse
	decoder *frame.Decoder

	mu     sync.Mutex
	more   *sync.Cond
	out    []byte // for Read
	closed bool
	next   uint16 // sequence number
	bodies [][]byte
	begun  bool // START was recorded: what follows belongs to the loop that the host has
	other  error
}

// recordWindow is how many of the longest packets may be unacknowledged: nothing is lost on this line.
const recordWindow = 4

// NewRecorder stands for a runner that has said this about itself.
func NewRecorder(of packet.HelloResponse) *Recorder {
	r := &Recorder{hello: of, decoder: frame.NewDecoder(int(of.MaxPacket))}
	r.more = sync.NewCond(&r.mu)
	r.hello.Status, r.hello.Session, r.hello.State, r.hello.Digest = packet.StatusOK, 1, packet.StateIdle, nil
	r.hello.Window = recordWindow * of.MaxPacket
	return r
}

// Bodies are those of the requests up to START, in order. It fails where something was asked for that cannot be recorded.
func (r *Recorder) Bodies() ([][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bodies, r.other
}

// Read returns answers.
func (r *Recorder) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.out) == 0 && !r.closed {
		r.more.Wait()
	}
	if r.closed {
		return 0, transport.ErrClosed
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// Write takes frames.
func (r *Recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, transport.ErrClosed
	}
	r.decoder.Feed(p, r.take)
	r.more.Broadcast()
	return len(p), nil
}

// Close ends it. What was recorded stays.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.more.Broadcast()
	return nil
}

// Baud returns 0: there is no line.
func (*Recorder) Baud() int { return 0 }

// SetBaud fails.
func (*Recorder) SetBaud(int) error { return transport.ErrNotSerial }

func (*Recorder) String() string { return "recording" }

// take takes a packet of the host, none of which is lost or repeated.
func (r *Recorder) take(p frame.Packet) {
	q, err := packet.DecodeRequest(p.Body)
	if err != nil {
		r.other = err
		return
	}
	if hello, ok := q.(*packet.HelloRequest); ok {
		r.next = 1
		answer := r.hello
		answer.Nonce = hello.Nonce
		r.send(0, 0, &answer)
		return
	}
	if p.Seq != r.next { // repeated, since this process had to wait for its processor
		return
	}
	r.next++
	if r.keeps(q) {
		r.bodies = append(r.bodies, bytes.Clone(p.Body))
	}
	if _, ok := q.(*packet.ChunkRequest); ok {
		r.frame(packet.KindAck, r.hello.Session, 0, packet.Ack{Window: r.hello.Window}.Append(nil))
		return
	}
	if answer := r.answer(q); answer != nil {
		r.send(r.hello.Session, p.Seq, answer)
		return
	}
	body, err := packet.Refusal(q.Code(), packet.StatusUnsupported)
	if err != nil {
		r.other = err
	}
	r.frame(packet.KindRsp, r.hello.Session, p.Seq, body)
}

// keeps reports whether a request is part of the recording.
func (r *Recorder) keeps(q packet.Request) bool {
	switch q.(type) {
	case *packet.StatusRequest:
		return false
	case *packet.StartRequest:
		keep := !r.begun
		r.begun = true
		return keep
	case *packet.BeginRequest, *packet.ChunkRequest, *packet.SealRequest, *packet.WriteRequest:
		return !r.begun
	}
	r.other = fmt.Errorf("%v cannot be part of a stored program", q.Code())
	return false
}

// answer says that a request was carried out; nil: it cannot be.
func (r *Recorder) answer(q packet.Request) packet.Response {
	switch q := q.(type) {
	case *packet.StatusRequest:
		return &packet.StatusResponse{State: r.hello.State, Digest: r.hello.Digest}
	case *packet.BeginRequest:
		r.hello.State, r.hello.Digest = packet.StateLoading, q.Digest
		return &packet.BeginResponse{}
	case *packet.SealRequest:
		r.hello.State = packet.StateReady
		return &packet.SealResponse{}
	case *packet.WriteRequest:
		return &packet.WriteResponse{}
	case *packet.StartRequest:
		return &packet.StartResponse{}
	}
	return nil
}

func (r *Recorder) send(session, seq uint16, answer packet.Response) {
	body, err := packet.EncodeResponse(answer)
	if err != nil {
		r.other = err
		return
	}
	r.frame(packet.KindRsp, session, seq, body)
}

func (r *Recorder) frame(kind packet.Kind, session, seq uint16, body []byte) {
	r.out = frame.Append(r.out, frame.Header{Kind: kind, Version: packet.ProtocolVersion, Session: session, Seq: seq, Ack: r.next}, body)
}
