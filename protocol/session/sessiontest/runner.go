// Package sessiontest is a runner in Go, for tests of whatever talks to one.
// It follows protocol/SPEC.md and shares no code with the runner in C. Programs
// are Go functions; code is only stored, patched and checked.
package sessiontest

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/transport"
)

// A Runner is a simulated runner. Set the exported fields before Serve; the
// methods may be called at any time.
type Runner struct {
	// Hello is what it says about itself; status, session, state and digest
	// are filled in.
	Hello packet.HelloResponse
	// Version is the protocol version that it speaks; 0: the current one.
	Version uint8
	// Program is called for every run with the data block. Its ticks are
	// those of the run; a fault ends the request.
	Program func(entry uint32, data []byte) (ticks uint64, fault *packet.Fault)
	// Work is how long it takes to carry out a message, beside Program.
	Work map[packet.Message]time.Duration
	// Watchdog is what it says to a START with a hardware watchdog.
	Watchdog packet.Status
	// Pins is what it says to a START or SWAP with lists for the pins, about this entry.
	Pins      packet.Status
	PinsEntry uint32
	// Tick, if set, is how long a tick takes beside its program.
	Tick func(number uint32) time.Duration
	// Store keeps programs over restarts; nil: there is none.
	Store *Flash
	// StuckAt is a rate at which it hears nothing, as over a bad adapter.
	StuckAt int

	mu       sync.Mutex
	t        transport.Transport
	link     link
	image    image
	state    packet.State
	fault    *packet.Fault
	samples  []uint32
	counters packet.Counters
	done     map[packet.Message]int
	baud     baud
	job      *job // the RUN under way

	born   time.Time
	live   []byte
	loop   *loop        // the last one; nil: none since BEGIN
	beside packet.State // of the image, while the loop runs
	hungUp chan struct{}
	held   time.Time // until then no telemetry is sent

	outcome packet.StoreResponse // of what was stored, at the start
}

// link is the state of the session.
type link struct {
	open     bool
	session  uint16
	nonce    uint32
	next     uint16
	received uint32
	reply    []byte // frame of the last ordered answer
	replySeq uint16
	chunks   int // since the last acknowledgement
	ackDue   bool
}

// New returns a runner like a small board's.
func New() *Runner {
	return &Runner{Hello: packet.HelloResponse{
		Arch: packet.ArchAarch64, Features: packet.FeatNeon, Board: "simulated", Firmware: "test",
		BootNonce: 1, CodeCapacity: 1 << 20, DataCapacity: 1 << 20, MaxPacket: 2048, Window: 8192,
		SampleCapacity: 1000, TimerHz: 1_000_000, Bauds: []uint32{115200, 921600},
		LoopFeatures: packet.LoopCapture | packet.LoopSwap, LiveCapacity: 16 << 10, Guard: 10,
	}}
}

// Serve talks over t until the other end is gone.
func (r *Runner) Serve(t transport.Transport) error {
	r.mu.Lock()
	r.t = t
	r.done = map[packet.Message]int{}
	if r.Version == 0 {
		r.Version = packet.ProtocolVersion
	}
	r.born, r.hungUp = time.Now(), make(chan struct{})
	defer close(r.hungUp)
	r.live = make([]byte, r.Hello.LiveCapacity)
	for i := range r.live {
		r.live[i] = byte(i * 37) // it holds anything
	}
	if r.Store != nil {
		r.Hello.LoopFeatures |= packet.LoopStore
	}
	r.boot()
	r.mu.Unlock()
	d := frame.NewDecoder(int(r.Hello.MaxPacket))
	buf := make([]byte, 4096)
	for {
		n, err := t.Read(buf)
		r.mu.Lock()
		for b := range slices.Chunk(buf[:n], packet.ReceiveBatch) {
			if t.Baud() != r.StuckAt || r.StuckAt == 0 {
				d.Feed(b, r.packet)
			}
			r.goOn()
		}
		r.counters.CRCErrors, r.counters.FramingErrors = uint32(d.CRCErrors), uint32(d.FramingErrors)
		if r.link.ackDue {
			r.acknowledge()
		}
		if err != nil {
			r.stopRun()
			r.halt()
		}
		r.mu.Unlock()
		switch {
		case errors.Is(err, transport.ErrHangup), errors.Is(err, transport.ErrClosed):
			return nil
		case err != nil:
			return err
		}
	}
}

// Flash starts it with another protocol version.
func (r *Runner) Flash(version uint8) {
	r.Restart()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Version = version
}

// Restart forgets everything, as a reset does.
func (r *Runner) Restart() { r.RestartAt(100) }

// RestartAt does the same. The id of the next session is so much beyond that of the
// present one: 0 is the same again.
func (r *Runner) RestartAt(beyond uint16) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Hello.BootNonce++
	r.stopRun()
	r.halt()
	r.link, r.image, r.state, r.fault, r.samples = link{session: r.link.session + beyond - 1}, image{}, packet.StateIdle, nil, nil
	r.boot()
}

// halt ends a loop without a word.
func (r *Runner) halt() {
	if l := r.loop; l != nil && l.counts.End == packet.LoopEndNone {
		l.counts.End = packet.LoopEndStopped
		close(l.stopped)
	}
	r.loop = nil
}

// Live returns a copy of live memory.
func (r *Runner) Live() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.live)
}

// Done returns how often a message was carried out, repetitions not counted.
func (r *Runner) Done(m packet.Message) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done[m]
}

// Counters returns the link counters.
func (r *Runner) Counters() packet.Counters {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counters
}

// State returns the state.
func (r *Runner) State() packet.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// packet takes one good packet.
func (r *Runner) packet(p frame.Packet) {
	r.counters.FramesOK++
	r.baud.confirm()
	r.job.heard()
	switch {
	case p.Kind != packet.KindReq:
	case p.Session == 0 && p.Seq == 0:
		r.hello(p)
	case p.Version == r.Version && r.link.open && p.Session == r.link.session:
		r.request(p)
	}
}

func (r *Runner) hello(p frame.Packet) {
	answer := packet.HelloResponse{Status: packet.StatusBadVersion, Version: r.Version}
	req, err := packet.DecodeRequest(p.Body)
	h, ok := req.(*packet.HelloRequest)
	if err == nil && !ok {
		return
	}
	switch {
	case p.Version != r.Version || err == nil && h.Version != uint32(r.Version):
	case err != nil:
		answer.Status = packet.StatusBadMessage
	default:
		if !r.link.open || r.link.nonce != h.Nonce {
			r.link = link{open: true, session: max(r.link.session+1, 1), nonce: h.Nonce, next: 1}
			r.done[packet.MsgHello]++
			r.stopRun()
		}
		answer = r.Hello
		answer.Version, answer.Session, answer.State, answer.Digest = r.Version, r.link.session, r.state, r.digest()
		answer.Nonce = h.Nonce
	}
	body, err := packet.EncodeResponse(&answer)
	if err != nil {
		panic(err)
	}
	r.send(packet.KindRsp, 0, 0, body)
}

func (r *Runner) request(p frame.Packet) {
	if r.state == packet.StateRunning {
		return // the host waits, and will ask again
	}
	req, err := packet.DecodeRequest(p.Body)
	chunk, isChunk := req.(*packet.ChunkRequest)
	ahead := int16(p.Seq - r.link.next)
	switch {
	case ahead < 0 || ahead > 0 && ahead <= packet.SequenceWindow && r.link.received>>(ahead-1)&1 != 0:
		r.counters.Duplicates++
		if isChunk {
			r.link.ackDue = true
		} else if r.link.reply != nil && r.link.replySeq == p.Seq && p.Seq+1 == r.link.next {
			r.transmit(r.link.reply)
		}
		return
	case ahead > packet.SequenceWindow || ahead > 0 && !isChunk:
		return
	case ahead > 0:
		r.link.received |= 1 << (ahead - 1)
	default:
		for more := uint32(1); more != 0; r.link.received >>= 1 {
			r.link.next++
			more = r.link.received & 1
		}
	}
	if isChunk {
		r.done[packet.MsgChunk]++
		r.sleep(r.Work[packet.MsgChunk])
		if answer := r.chunk(chunk); answer != nil {
			r.send(packet.KindRsp, r.link.session, p.Seq, r.encode(answer))
		}
		r.link.ackDue = true
		if r.link.chunks++; r.link.chunks >= packet.AckInterval {
			r.acknowledge()
		}
		return
	}
	r.link.replySeq, r.link.reply = p.Seq, nil
	if err != nil {
		body, _ := packet.Refusal(packet.PeekCode(p.Body), packet.StatusBadMessage)
		r.reply(body)
		return
	}
	r.done[req.Code()]++
	if run, ok := req.(*packet.RunRequest); ok {
		r.accept(run)
		return
	}
	r.sleep(r.Work[req.Code()])
	r.reply(r.encode(r.carryOut(req)))
	r.baud.apply(r)
}

// reply answers the last ordered request and keeps the answer.
func (r *Runner) reply(body []byte) {
	if len(body) > frame.BodyLength(int(r.Hello.MaxPacket)) {
		body, _ = packet.Refusal(packet.PeekCode(body), packet.StatusBadLength)
	}
	r.link.reply = r.send(packet.KindRsp, r.link.session, r.link.replySeq, body)
}

// sleep passes time without the lock.
func (r *Runner) sleep(d time.Duration) {
	if d > 0 {
		r.mu.Unlock()
		time.Sleep(d)
		r.mu.Lock()
	}
}

func (r *Runner) encode(answer packet.Response) []byte {
	body, err := packet.EncodeResponse(answer)
	if err != nil {
		panic(err)
	}
	return body
}

func (r *Runner) acknowledge() {
	a := packet.Ack{Bitmap: r.link.received, Window: r.Hello.Window}
	r.send(packet.KindAck, r.link.session, 0, a.Append(nil))
	r.link.ackDue, r.link.chunks = false, 0
}

func (r *Runner) send(kind packet.Kind, session, seq uint16, body []byte) []byte {
	f := frame.Append(nil, frame.Header{Kind: kind, Version: r.Version, Session: session, Seq: seq, Ack: r.link.next}, body)
	r.transmit(f)
	return f
}

// transmit sends without the lock. A peer that is gone is met by the next Read.
func (r *Runner) transmit(f []byte) {
	t := r.t
	r.mu.Unlock()
	_, _ = t.Write(f)
	r.mu.Lock()
}
