// Package model computes what a runner must answer to any sequence of packets. It is SPEC.md as
// an executable model, against which the core in C is tested.
//
// Its input is requests, decoded or marked as malformed; the only bytes it handles are those of
// memory. Time and programs are those of the test bench of the core
// (firmware/test/core/bench.h).
package model

import (
	"slices"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A Bench is what the platform of the core is made of.
type Bench struct {
	Arch              packet.Arch
	Features          packet.Features
	Board, Firmware   string
	CodeSize          uint32 // bytes
	DataSize          uint32
	MaxPacket, Window uint32
	Samples           uint32
	LiveSize          uint32
	LoopFeatures      packet.LoopFeatures
	Guard             uint32
	TimerHz           uint64
	Bauds             []uint32
	CodeAddress       uint64
	DataAddress       uint64
	Services          []uint64
	Overruns          uint32
	Windows           []Window // of registers; each read of the last one's adds 1 to what it reads as
}

// A Window is registers that lists may access.
type Window struct {
	Address, Length uint32
	Bits            uint32 // that may change
}

// A Packet is one that is due from the runner.
type Packet struct {
	frame.Header
	Body Map    // of a response
	Data []byte // the body of telemetry
	Ack  packet.Ack
}

// Malformed stands for a body that cannot be a request. Code is what of its
// message code can be read, else 0.
type Malformed struct{ Code uint32 }

// Any is a value that the model does not foretell.
type Any struct{}

// A Runner is the model.
type Runner struct {
	Bench
	now, calls uint64 // of the bench
	starts     uint32

	open          bool
	session, next uint16
	received      uint32 // bit i: next+1+i
	nonce         uint32
	chunks        int
	reply         *Packet // to the last ordered request
	counters      packet.Counters

	state packet.State
	image image
	code  []byte // memory, which outlives an image
	data  []byte
	live  []byte
	job   job
	fault *packet.Fault // the pc is absolute
	out   []Packet

	loop     loop
	lost     *packet.Fault // what has ended the ticks, unless a tick tells
	stream   stream
	beside   beside
	swapping bool // a swap is pending or on trial

	registers []byte // of all windows

	// Recorded are requests that may be stored, by their bodies: what hosts check of one a runner finds out later.
	Recorded map[string]packet.Request
	slots    [2][]byte // which outlive everything
	stored   stored
}

// Restart is a start of the runner: memory keeps what it has.
func (r *Runner) Restart() {
	starts := r.starts + 1
	code, data, live, slots := r.code, r.data, r.live, r.slots
	if code == nil {
		slots = erased()
		code, data, live = make([]byte, r.CodeSize), make([]byte, r.DataSize), make([]byte, r.LiveSize)
	}
	*r = Runner{Bench: r.Bench, starts: starts, code: code, data: data, live: live, Recorded: r.Recorded, slots: slots, session: uint16(starts)}
	for _, w := range r.Windows {
		r.registers = append(r.registers, make([]byte, w.Length)...)
	}
	r.startStored()
}

// State tells the state.
func (r *Runner) State() packet.State { return r.state }

// Memory is data memory, of which the program that is loaded has so many bytes from `at` on, and live memory.
func (r *Runner) Memory() (data []byte, at, length uint32, live []byte) {
	if r.state != packet.StateIdle && r.state != packet.StateLoading {
		b := r.current().block()
		at, length = b.at, b.length
	}
	return r.data, at, length, r.live
}

// Registers are those of all windows, one after the other.
func (r *Runner) Registers() []byte { return r.registers }

// Session tells the id of the present session and the next sequence number.
func (r *Runner) Session() (id, next uint16) { return r.session, r.next }

// Damaged counts a frame with a wrong checksum, Garbage one that is none.
func (r *Runner) Damaged() { r.counters.CRCErrors++ }

// Garbage is bytes up to a delimiter that are no frame.
func (r *Runner) Garbage() { r.counters.FramingErrors++ }

// Take takes a packet, whose body is a packet.Request or Malformed.
func (r *Runner) Take(h frame.Header, body any) {
	r.counters.FramesOK++
	r.loop.heard = true
	if h.Kind != packet.KindReq {
		return
	}
	if h.Session == 0 && h.Seq == 0 {
		r.hello(h, body)
		return
	}
	if h.Version != packet.ProtocolVersion || !r.open || h.Session != r.session || r.state == packet.StateRunning {
		return
	}
	chunk, isChunk := body.(*packet.ChunkRequest)
	ahead := h.Seq - r.next
	seen := ahead >= 1<<15 || ahead >= 1 && ahead <= packet.SequenceWindow && r.received>>(ahead-1)&1 != 0
	switch {
	case seen:
		r.counters.Duplicates++
		if !isChunk && r.reply != nil && r.reply.Seq == h.Seq && h.Seq+1 == r.next {
			r.out = append(r.out, *r.reply)
		}
	case ahead == 0:
		r.next++
		for more := true; more; {
			more = r.received&1 != 0
			r.received >>= 1
			if more {
				r.next++
			}
		}
		if isChunk {
			r.chunk(h.Seq, chunk)
		} else {
			r.ordered(h.Seq, body)
		}
	case isChunk && ahead <= packet.SequenceWindow:
		r.received |= 1 << (ahead - 1)
		r.chunk(h.Seq, chunk)
	default:
		return
	}
	if isChunk {
		if r.chunks++; r.chunks == packet.AckInterval {
			r.acknowledge()
		}
	}
}

// End lets a RUN come to its end, and returns what is due.
func (r *Runner) End() []Packet {
	if r.state == packet.StateRunning {
		r.run()
	}
	out := r.out
	r.out = nil
	return out
}

// Idle lets the runner do what there is to do when nothing comes, and returns what is due then: telemetry, then an
// acknowledgement.
func (r *Runner) Idle() []Packet {
	r.notice()
	for r.sendTelemetry() {
	}
	if r.chunks > 0 {
		r.acknowledge()
	}
	return r.End()
}

func (r *Runner) header(kind packet.Kind, session, seq uint16) frame.Header {
	return frame.Header{Kind: kind, Version: packet.ProtocolVersion, Session: session, Seq: seq, Ack: r.next}
}

func (r *Runner) acknowledge() {
	r.chunks = 0
	r.out = append(r.out, Packet{Header: r.header(packet.KindAck, r.session, 0), Ack: packet.Ack{Bitmap: r.received, Window: r.Window}})
}

func (r *Runner) answer(session, seq uint16, body Map) Packet {
	p := Packet{Header: r.header(packet.KindRsp, session, seq), Body: body}
	r.out = append(r.out, p)
	return p
}

func (r *Runner) hello(h frame.Header, body any) {
	refuse := func(status packet.Status) {
		r.answer(0, 0, Map{0, packet.MsgHello, 1, status, 2, packet.ProtocolVersion})
	}
	q, ok := body.(*packet.HelloRequest)
	bad, malformed := body.(Malformed)
	switch {
	case h.Version != packet.ProtocolVersion:
		refuse(packet.StatusBadVersion)
		return
	case malformed && bad.Code == uint32(packet.MsgHello):
		refuse(packet.StatusBadMessage)
		return
	case !ok:
		return
	case q.Version != packet.ProtocolVersion:
		refuse(packet.StatusBadVersion)
		return
	}
	if !r.open || r.nonce != q.Nonce {
		r.session = max(r.session+1, 1)
		r.open, r.nonce, r.next, r.received, r.chunks, r.reply = true, q.Nonce, 1, 0, 0, nil
		if r.state == packet.StateRunning {
			r.stop()
		}
		r.stream.on, r.loop.program.telemetry, r.loop.other.telemetry = false, 0, 0
	}
	bauds := words()
	for _, b := range r.Bauds {
		bauds = append(bauds, words(b)...)
	}
	r.answer(0, 0, Map{
		0, packet.MsgHello, 1, packet.StatusOK, 2, packet.ProtocolVersion,
		3, words(uint32(r.session), r.nonce, r.starts, uint32(r.state), uint32(r.TimerHz), r.Guard, uint32(r.LoopFeatures)),
		4, words(uint32(r.Arch), uint32(r.Features), r.CodeSize, r.DataSize, r.MaxPacket, r.Window, r.Samples, r.LiveSize),
		5, []byte(r.Board + "\n" + r.Firmware), 6, bauds, 7, r.digest(),
	})
}

// digest is that of what is loaded, or was announced last.
func (r *Runner) digest() []byte {
	if d := r.current().Digest; d != nil {
		return d
	}
	return make([]byte, packet.DigestLength)
}

// ordered carries out a request in its turn.
func (r *Runner) ordered(seq uint16, body any) {
	r.notice()
	r.chunks, r.reply = 0, nil
	if bad, malformed := body.(Malformed); malformed {
		code := packet.Message(0)
		if bad.Code <= uint32(packet.MsgStore) {
			code = packet.Message(bad.Code)
		}
		r.answered(seq, code, packet.StatusBadMessage, nil)
		return
	}
	if q, ok := body.(*packet.RunRequest); ok {
		if status := r.start(seq, q); status != packet.StatusOK { // else it is answered when it has ended
			r.answered(seq, q.Code(), status, nil)
		}
		return
	}
	status, more := r.perform(body)
	r.answered(seq, body.(packet.Request).Code(), status, more)
}

// perform carries out a request that is answered at once.
func (r *Runner) perform(body any) (status packet.Status, more []any) {
	switch q := body.(type) {
	case *packet.BeginRequest:
		status, more = r.begin(q)
	case *packet.SealRequest:
		status, more = r.seal()
	case *packet.ReadRequest:
		status, more = r.read(q)
	case *packet.WriteRequest:
		status = r.write(q)
	case *packet.StatusRequest:
		more = r.status()
	case *packet.DropRequest:
		status = r.drop()
	case *packet.BaudRequest:
		if !slices.Contains(r.Bauds, q.Baud) {
			status = packet.StatusUnsupported
		}
	case *packet.StartRequest:
		status, more = r.startLoop(q)
	case *packet.StopRequest:
		status, more = r.stopLoop()
	case *packet.LiveRequest:
		status, more = r.liveAnswer()
	case *packet.ApplyRequest:
		status, more = r.apply(q)
	case *packet.SubscribeRequest:
		status, more = r.subscribe(q)
	case *packet.CaptureRequest:
		status = r.planCapture(q)
	case *packet.SwapRequest:
		status, more = r.swap(q)
	case *packet.StoreRequest:
		status, more = r.storeRequest(q)
	case *packet.HelloRequest: // not within a session
		status = packet.StatusBadMessage
	}
	return status, more
}

// answered sends the answer to an ordered request, and keeps it. What does not fit a packet is refused here and not before,
// since the answer to a record is not sent.
func (r *Runner) answered(seq uint16, code any, status packet.Status, more []any) {
	body := append(Map{0, code, 1, status}, more...)
	if status == packet.StatusOK && packet.HeaderLength+len(Append(nil, body))+packet.TrailerLength > int(r.MaxPacket) {
		body = Map{0, code, 1, packet.StatusBadLength}
	}
	p := r.answer(r.session, seq, body)
	r.reply = &p
}

func (r *Runner) status() []any {
	c := r.counters
	more := []any{2, words(c.FramesOK, c.CRCErrors, c.FramingErrors, r.Overruns, c.Duplicates, uint32(r.state)), 3, r.digest()}
	if r.fault != nil {
		more = append(more, 4, r.faultRecord(r.fault))
	}
	return more
}
