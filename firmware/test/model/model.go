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
}

// Restart is a start of the runner: memory keeps what it has.
func (r *Runner) Restart() {
	starts := r.starts + 1
	code, data, live := r.code, r.data, r.live
	if code == nil {
		code, data, live = make([]byte, r.CodeSize), make([]byte, r.DataSize), make([]byte, r.LiveSize)
	}
	*r = Runner{Bench: r.Bench, starts: starts, code: code, data: data, live: live, session: uint16(starts)}
	for _, w := range r.Windows {
		r.registers = append(r.registers, make([]byte, w.Length)...)
	}
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
	refuse := func(status packet.Status, more ...any) {
		r.answer(0, 0, append(Map{0, packet.MsgHello, 1, status}, more...))
	}
	q, ok := body.(*packet.HelloRequest)
	bad, malformed := body.(Malformed)
	switch {
	case h.Version != packet.ProtocolVersion:
		refuse(packet.StatusBadVersion, 2, packet.ProtocolVersion)
		return
	case malformed && bad.Code == uint32(packet.MsgHello):
		refuse(packet.StatusBadMessage)
		return
	case !ok:
		return
	case q.Version != packet.ProtocolVersion:
		refuse(packet.StatusBadVersion, 2, packet.ProtocolVersion)
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
	bauds := []any{}
	for _, b := range r.Bauds {
		bauds = append(bauds, b)
	}
	r.answer(0, 0, Map{
		0, packet.MsgHello, 1, packet.StatusOK, 2, packet.ProtocolVersion, 3, r.session, 4, r.Arch, 5, r.Features, 6, r.Board, 7, r.Firmware,
		8, r.starts, 9, r.CodeSize, 10, r.DataSize, 11, r.MaxPacket, 12, r.Window, 13, r.Samples, 14, r.TimerHz, 15, bauds, 16, r.state, 17, r.digest(), 18, r.nonce,
		19, r.LoopFeatures, 20, r.LiveSize, 21, r.Guard,
	})
}

// digest is that of what is loaded.
func (r *Runner) digest() []byte {
	if r.state == packet.StateIdle || r.state == packet.StateLoading {
		return []byte{}
	}
	return r.current().Digest
}

// ordered carries out a request in its turn.
func (r *Runner) ordered(seq uint16, body any) {
	r.notice()
	r.chunks, r.reply = 0, nil
	var status packet.Status
	var more []any
	code := packet.Message(0)
	switch q := body.(type) {
	case *packet.BeginRequest:
		status, more = r.begin(q)
		code = q.Code()
	case *packet.SealRequest:
		status, more = r.seal()
		code = q.Code()
	case *packet.RunRequest:
		if status = r.start(seq, q); status == packet.StatusOK {
			return // it is answered when it has ended
		}
		code = q.Code()
	case *packet.ReadRequest:
		status, more = r.read(q)
		code = q.Code()
	case *packet.WriteRequest:
		status = r.write(q)
		code = q.Code()
	case *packet.StatusRequest:
		more = r.status()
		code = q.Code()
	case *packet.DropRequest:
		status = r.drop()
		code = q.Code()
	case *packet.BaudRequest:
		if !slices.Contains(r.Bauds, q.Baud) {
			status = packet.StatusUnsupported
		}
		code = q.Code()
	case *packet.StartRequest:
		status, more = r.startLoop(q)
		code = q.Code()
	case *packet.StopRequest:
		status, more = r.stopLoop()
		code = q.Code()
	case *packet.LiveRequest:
		status, more = r.liveAnswer()
		code = q.Code()
	case *packet.ApplyRequest:
		status, more = r.apply(q)
		code = q.Code()
	case *packet.SubscribeRequest:
		status, more = r.subscribe(q)
		code = q.Code()
	case *packet.CaptureRequest:
		status = r.planCapture(q)
		code = q.Code()
	case *packet.SwapRequest:
		status, more = r.swap(q)
		code = q.Code()
	case *packet.HelloRequest: // not within a session
		status, code = packet.StatusBadMessage, q.Code()
	case Malformed:
		r.answered(seq, q.Code, packet.StatusBadMessage, nil)
		return
	}
	r.answered(seq, code, status, more)
}

// answered sends the answer to an ordered request, and keeps it.
func (r *Runner) answered(seq uint16, code any, status packet.Status, more []any) {
	p := r.answer(r.session, seq, append(Map{0, code, 1, status}, more...))
	r.reply = &p
}

func (r *Runner) status() []any {
	more := []any{2, r.state, 3, r.digest()}
	if r.fault != nil {
		more = append(more, 4, r.faultRecord(r.fault))
	}
	c := r.counters
	return append(more, 5, []any{c.FramesOK, c.CRCErrors, c.FramingErrors, r.Overruns, c.Duplicates})
}
