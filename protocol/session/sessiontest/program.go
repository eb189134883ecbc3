package sessiontest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/patch"
)

// image is what BEGIN announced and what has arrived of it.
type image struct {
	begin   packet.BeginRequest
	code    []byte
	data    []byte // initialised part, then zeros
	patches []byte
	missing int // bytes
}

// Addresses at which a simulated program sees its memory.
const (
	codeAddress = 0x10000
	dataAddress = 0x20000000
)

// Memory returns copies of code and data as they are.
func (r *Runner) Memory() (code, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.image.code), bytes.Clone(r.image.data)
}

func (r *Runner) digest() []byte {
	if r.state == packet.StateTicking {
		return r.loop.image.begin.Digest
	}
	if r.state != packet.StateIdle && r.state != packet.StateLoading {
		return r.image.begin.Digest
	}
	return []byte{}
}

func (r *Runner) carryOut(req packet.Request) packet.Response {
	switch q := req.(type) {
	case *packet.BeginRequest:
		return r.begin(q)
	case *packet.SealRequest:
		return r.seal()
	case *packet.StartRequest, *packet.StopRequest, *packet.LiveRequest, *packet.ApplyRequest, *packet.SubscribeRequest,
		*packet.CaptureRequest, *packet.SwapRequest:
		return r.carryOutLoop(req)
	case *packet.ReadRequest:
		if q.Region != nil && *q.Region == packet.RegionLive {
			b, status := r.liveMemory(q.Offset, uint64(q.Length))
			return &packet.ReadResponse{Status: status, Bytes: bytes.Clone(b)}
		}
		if q.Region != nil && *q.Region == packet.RegionSamples {
			return r.sample(q)
		}
		if q.Region != nil && *q.Region == packet.RegionStore {
			return r.readStore(q)
		}
		if r.state == packet.StateTicking {
			l := r.loop
			if uint64(q.Offset)+uint64(q.Length) > uint64(len(l.image.data)) {
				return &packet.ReadResponse{Status: packet.StatusOutOfRange}
			}
			tick := l.counts.Ticks
			return &packet.ReadResponse{Bytes: bytes.Clone(l.image.data[q.Offset : q.Offset+q.Length]), Tick: &tick}
		}
		b, status := r.span(q.Offset, uint64(q.Length))
		return &packet.ReadResponse{Status: status, Bytes: bytes.Clone(b)}
	case *packet.WriteRequest:
		if q.Region != nil && *q.Region == packet.RegionLive {
			b, status := r.liveMemory(q.Offset, uint64(len(q.Bytes)))
			copy(b, q.Bytes)
			return &packet.WriteResponse{Status: status}
		}
		if q.Region != nil && *q.Region != packet.RegionData {
			return &packet.WriteResponse{Status: packet.StatusOutOfRange}
		}
		if r.state == packet.StateFaulted {
			return &packet.WriteResponse{Status: packet.StatusBadState}
		}
		b, status := r.span(q.Offset, uint64(len(q.Bytes)))
		copy(b, q.Bytes)
		return &packet.WriteResponse{Status: status}
	case *packet.StatusRequest:
		return &packet.StatusResponse{State: r.state, Digest: r.digest(), Fault: r.fault, Counters: r.counters}
	case *packet.DropRequest:
		if r.state == packet.StateTicking {
			r.beside = packet.StateIdle
			return &packet.DropResponse{}
		}
		r.halt()
		r.image, r.state, r.samples = image{}, packet.StateIdle, nil
		return &packet.DropResponse{}
	case *packet.BaudRequest:
		return r.baud.request(r, int(q.Baud))
	case *packet.StoreRequest:
		return r.carryOutStore(q)
	}
	panic("no such request")
}

func (r *Runner) begin(q *packet.BeginRequest) packet.Response {
	state := &r.beside
	if r.state != packet.StateTicking {
		r.halt()
		state, r.fault, r.samples = &r.state, nil, nil
	}
	r.image, *state = image{}, packet.StateIdle
	data := uint64(q.DataLength) + uint64(q.BSSLength) + uint64(q.PatchLength)
	switch {
	case q.Arch != r.Hello.Arch:
		return &packet.BeginResponse{Status: packet.StatusWrongArch, Detail: uint32(r.Hello.Arch)}
	case q.Features&^r.Hello.Features != 0:
		return &packet.BeginResponse{Status: packet.StatusMissingFeature, Detail: uint32(q.Features &^ r.Hello.Features)}
	case q.CodeLength > r.Hello.CodeCapacity:
		return &packet.BeginResponse{Status: packet.StatusNoMemory, Detail: r.Hello.CodeCapacity}
	case data > uint64(r.Hello.DataCapacity):
		return &packet.BeginResponse{Status: packet.StatusNoMemory, Detail: r.Hello.DataCapacity}
	case q.CodeLength == 0:
		return &packet.BeginResponse{Status: packet.StatusBadLength}
	}
	for _, e := range q.Entries {
		if e >= q.CodeLength {
			return &packet.BeginResponse{Status: packet.StatusOutOfRange, Detail: e}
		}
	}
	r.image = image{
		begin: *q, code: make([]byte, q.CodeLength), data: make([]byte, q.DataLength+q.BSSLength), patches: make([]byte, q.PatchLength),
		missing: int(q.CodeLength + q.DataLength + q.PatchLength),
	}
	*state = packet.StateLoading
	return &packet.BeginResponse{}
}

// chunk returns nil, or the answer of one that could not be taken.
func (r *Runner) chunk(q *packet.ChunkRequest) *packet.ChunkResponse {
	m := &r.image
	if *r.loading() != packet.StateLoading {
		return &packet.ChunkResponse{Status: packet.StatusBadState, Detail: q.Offset}
	}
	var into []byte
	if q.Region <= packet.RegionPatches {
		into = [][]byte{m.code, m.data[:m.begin.DataLength], m.patches}[min(int(q.Region), 2)]
	}
	if q.Region > packet.RegionPatches || uint64(q.Offset)+uint64(len(q.Bytes)) > uint64(len(into)) {
		return &packet.ChunkResponse{Status: packet.StatusOutOfRange, Detail: q.Offset}
	}
	copy(into[q.Offset:], q.Bytes)
	m.missing -= len(q.Bytes)
	return nil
}

// loading is the state of what is being loaded: the image, or the one beside the one that runs.
func (r *Runner) loading() *packet.State {
	if r.state == packet.StateTicking {
		return &r.beside
	}
	return &r.state
}

func (r *Runner) seal() packet.Response {
	m, state := &r.image, r.loading()
	switch {
	case *state != packet.StateLoading:
		return &packet.SealResponse{Status: packet.StatusBadState}
	case m.missing > 0:
		return &packet.SealResponse{Status: packet.StatusIncomplete, Detail: uint32(m.missing)}
	}
	*state = packet.StateIdle
	sum := m.begin.Sum(m.code, m.data[:m.begin.DataLength], m.patches)
	if !bytes.Equal(sum[:], m.begin.Digest) {
		return &packet.SealResponse{Status: packet.StatusDigestMismatch}
	}
	err := patch.Apply(m.patches, patch.Memory{Code: patch.Region{Bytes: m.code, Address: codeAddress}, Data: patch.Region{Bytes: m.data, Address: dataAddress}})
	var bad *patch.Error
	if errors.As(err, &bad) {
		return &packet.SealResponse{Status: packet.StatusBadPatch, Detail: uint32(bad.Offset)}
	}
	*state = packet.StateReady
	return &packet.SealResponse{}
}

// A job is a RUN under way.
type job struct {
	request *packet.RunRequest
	begun   time.Time
	end     *time.Timer // of several runs that take time
	silence *time.Timer // of a host that may be silent for so long only

	patience time.Duration
}

func (j *job) stop() {
	for _, t := range []*time.Timer{j.end, j.silence} {
		if t != nil {
			t.Stop()
		}
	}
}

// heard notes a good frame.
func (j *job) heard() {
	if j != nil && j.silence != nil {
		j.silence.Reset(j.patience)
	}
}

// accept takes a RUN, which begins after the batch of bytes that it ends in.
func (r *Runner) accept(q *packet.RunRequest) {
	var status packet.Status
	switch {
	case r.state != packet.StateReady:
		status = packet.StatusBadState
	case q.Entry >= uint32(len(r.image.begin.Entries)):
		status = packet.StatusOutOfRange
	case q.Count == 0, q.Limit > packet.RunLimitS*r.Hello.TimerHz:
		status = packet.StatusBadLength
	}
	if status != packet.StatusOK {
		r.reply(r.encode(&packet.RunResponse{Status: status}))
		return
	}
	r.samples, r.state, r.job = nil, packet.StateRunning, &job{request: q}
}

// goOn begins the RUN that was taken. During a single run nothing is heard, and between
// several HELLO.
func (r *Runner) goOn() {
	j := r.job
	if j == nil || !j.begun.IsZero() {
		return
	}
	j.begun = time.Now()
	work := r.Work[packet.MsgRun]
	if work == 0 || j.request.Count == 1 {
		r.sleep(work)
		r.finish(j, j.request.Count)
		return
	}
	j.end = time.AfterFunc(work, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.finish(j, j.request.Count)
	})
	if j.request.Silence != 0 {
		j.patience = time.Duration(float64(j.request.Silence) / float64(r.Hello.TimerHz) * float64(time.Second))
		j.silence = time.AfterFunc(j.patience, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			begun := 1 + uint32(time.Since(j.begun).Seconds()/work.Seconds()*float64(j.request.Count)) // the last one comes to its end
			r.finish(j, min(begun, j.request.Count))
		})
	}
}

// finish answers a RUN after so many runs, unless it was stopped.
func (r *Runner) finish(j *job, runs uint32) {
	if j != r.job {
		return
	}
	j.stop()
	r.state, r.job = packet.StateReady, nil
	done := *j.request
	done.Count = runs
	answer := r.run(&done)
	if answer.Status == packet.StatusOK && runs < j.request.Count {
		answer.Status = packet.StatusSilence
	}
	r.reply(r.encode(answer))
}

// stopRun ends a RUN that nobody waits for any more.
func (r *Runner) stopRun() {
	if r.job == nil {
		return
	}
	r.job.stop()
	r.state, r.job = packet.StateReady, nil
}

func (r *Runner) run(q *packet.RunRequest) *packet.RunResponse {
	answer := &packet.RunResponse{}
	sticky := r.image.data[:min(4, len(r.image.data))]
	clear(sticky)
	for ; answer.Runs < q.Count; answer.Runs++ {
		ticks, fault := r.Program(q.Entry, r.image.data)
		if fault != nil {
			fault.Entry, fault.Run = q.Entry, answer.Runs
			r.state, r.fault = packet.StateFaulted, fault
			answer.Status, answer.Fault = packet.StatusFault, fault
			if fault.Kind == packet.FaultTimeLimit {
				answer.Status = packet.StatusTimeLimit
			}
			break
		}
		if answer.Runs == 0 || ticks < answer.Min {
			answer.Min = ticks
		}
		answer.Max = max(answer.Max, ticks)
		answer.Total += ticks
		if len(r.samples) < int(r.Hello.SampleCapacity) {
			r.samples = append(r.samples, uint32(ticks))
		}
	}
	if len(sticky) == 4 {
		answer.Sticky = binary.LittleEndian.Uint32(sticky)
	}
	return answer
}

// span returns n bytes of the data block.
func (r *Runner) span(offset uint32, n uint64) ([]byte, packet.Status) {
	return r.part(r.image.data, offset, n)
}

// part returns n bytes of what a loaded program has.
func (r *Runner) part(of []byte, offset uint32, n uint64) ([]byte, packet.Status) {
	switch {
	case r.state != packet.StateReady && r.state != packet.StateFaulted:
		return nil, packet.StatusBadState
	case uint64(offset)+n > uint64(len(of)):
		return nil, packet.StatusOutOfRange
	}
	return of[offset : uint64(offset)+n], packet.StatusOK
}

func (r *Runner) sample(q *packet.ReadRequest) packet.Response {
	var all []byte
	for _, s := range r.samples {
		all = binary.LittleEndian.AppendUint32(all, s)
	}
	b, status := r.part(all, q.Offset, uint64(q.Length))
	return &packet.ReadResponse{Status: status, Bytes: b}
}
