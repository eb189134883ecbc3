package packet

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// The answers below are sent as byte strings of numbers, little endian, without anything between them: nothing is cheaper to
// write for a runner. Each has a form that hosts use, and the one here that it has on the wire.

// A sent is a response in the form that it has on the wire.
type sent interface {
	// received returns it in the form that hosts use. Keys that a failure does not have are nil.
	received() (Response, error)
}

// A sendable is a response that has another form on the wire.
type sendable interface{ body() any }

// HelloBody is a HelloResponse on the wire.
type HelloBody struct {
	Status  Status `cbor:"1,keyasint"`
	Version uint8  `cbor:"2,keyasint"`
	Now     []byte `cbor:"3,keyasint"`
	Limits  []byte `cbor:"4,keyasint"`
	About   []byte `cbor:"5,keyasint"`
	Bauds   []byte `cbor:"6,keyasint"`
	Digest  []byte `cbor:"7,keyasint"`

	Conditions uint32 `cbor:"8,keyasint,omitempty"`
}

// helloNow is HelloBody.Now.
type helloNow struct{ Session, Nonce, BootNonce, State, TimerHz, Guard, LoopFeatures uint32 }

// helloLimits is HelloBody.Limits.
type helloLimits struct {
	Arch, Features, CodeCapacity, DataCapacity, MaxPacket, Window, SampleCapacity, LiveCapacity uint32
}

func (r *HelloResponse) body() any {
	return &HelloBody{
		Status: r.Status, Version: r.Version,
		Now: pack(&helloNow{uint32(r.Session), r.Nonce, r.BootNonce, uint32(r.State), uint32(r.TimerHz), r.Guard, uint32(r.LoopFeatures)}),
		Limits: pack(&helloLimits{
			uint32(r.Arch), uint32(r.Features), r.CodeCapacity, r.DataCapacity, r.MaxPacket, r.Window, r.SampleCapacity, r.LiveCapacity,
		}),
		About: []byte(r.Board + "\n" + r.Firmware), Bauds: pack(r.Bauds), Digest: sendDigest(r.Digest),
		Conditions: uint32(r.Conditions),
	}
}

func (b *HelloBody) received() (Response, error) {
	r := &HelloResponse{Status: b.Status, Version: b.Version}
	if b.Status != StatusOK {
		return r, nil
	}
	var now helloNow
	var limits helloLimits
	r.Bauds = make([]uint32, len(b.Bauds)/4)
	if err := unpack(b.Now, &now, b.Limits, &limits, b.Bauds, r.Bauds); err != nil {
		return nil, err
	}
	if now.Session > 0xffff || now.State > 0xff || limits.Arch > 0xff {
		return nil, fmt.Errorf("session %d, state %d or arch %d is out of range", now.Session, now.State, limits.Arch)
	}
	board, firmware, ok := strings.Cut(string(b.About), "\n")
	if !ok || !utf8.Valid(b.About) {
		return nil, fmt.Errorf("%q is no name and firmware", b.About)
	}
	r.Session, r.Nonce, r.BootNonce, r.State = uint16(now.Session), now.Nonce, now.BootNonce, State(now.State)
	r.TimerHz, r.Guard, r.LoopFeatures = uint64(now.TimerHz), now.Guard, LoopFeatures(now.LoopFeatures)
	r.Arch, r.Features, r.Board, r.Firmware = Arch(limits.Arch), Features(limits.Features), board, firmware
	r.CodeCapacity, r.DataCapacity, r.LiveCapacity = limits.CodeCapacity, limits.DataCapacity, limits.LiveCapacity
	r.Conditions = Conditions(b.Conditions)
	r.MaxPacket, r.Window, r.SampleCapacity = limits.MaxPacket, limits.Window, limits.SampleCapacity
	var err error
	r.Digest, err = takeDigest(b.Digest, r.State)
	return r, err
}

// RunBody is a RunResponse on the wire.
type RunBody struct {
	Status Status `cbor:"1,keyasint"`
	Runs   []byte `cbor:"2,keyasint"`
	Fault  []byte `cbor:"3,keyasint,omitempty"`
}

// runs is RunBody.Runs.
type runs struct {
	Total, Min, Max     uint64
	Ended, Late, Sticky uint32
}

func (r *RunResponse) body() any {
	return &RunBody{Status: r.Status, Runs: pack(&runs{r.Total, r.Min, r.Max, r.Runs, r.Late, r.Sticky}), Fault: sendFault(r.Fault)}
}

func (b *RunBody) received() (Response, error) {
	r := &RunResponse{Status: b.Status}
	if b.Runs != nil {
		var n runs
		if err := unpack(b.Runs, &n); err != nil {
			return nil, err
		}
		r.Runs, r.Total, r.Min, r.Max, r.Late, r.Sticky = n.Ended, n.Total, n.Min, n.Max, n.Late, n.Sticky
	}
	var err error
	r.Fault, err = takeFault(b.Fault)
	return r, err
}

// StatusBody is a StatusResponse on the wire.
type StatusBody struct {
	Status   Status `cbor:"1,keyasint"`
	Counters []byte `cbor:"2,keyasint"`
	Digest   []byte `cbor:"3,keyasint"`
	Fault    []byte `cbor:"4,keyasint,omitempty"`
}

// statusCounters is StatusBody.Counters.
type statusCounters struct{ FramesOK, CRCErrors, FramingErrors, Overruns, Duplicates, State uint32 }

func (r *StatusResponse) body() any {
	c := &r.Counters
	return &StatusBody{
		Status: r.Status, Digest: sendDigest(r.Digest), Fault: sendFault(r.Fault),
		Counters: pack(&statusCounters{c.FramesOK, c.CRCErrors, c.FramingErrors, c.Overruns, c.Duplicates, uint32(r.State)}),
	}
}

func (b *StatusBody) received() (Response, error) {
	r := &StatusResponse{Status: b.Status}
	if b.Status != StatusOK {
		return r, nil
	}
	var c statusCounters
	if err := unpack(b.Counters, &c); err != nil {
		return nil, err
	}
	if c.State > 0xff {
		return nil, fmt.Errorf("state %d is out of range", c.State)
	}
	r.State = State(c.State)
	r.Counters = Counters{FramesOK: c.FramesOK, CRCErrors: c.CRCErrors, FramingErrors: c.FramingErrors, Overruns: c.Overruns, Duplicates: c.Duplicates}
	var err error
	if r.Digest, err = takeDigest(b.Digest, r.State); err != nil {
		return nil, err
	}
	r.Fault, err = takeFault(b.Fault)
	return r, err
}

// StartBody is a StartResponse on the wire.
type StartBody struct {
	Status Status `cbor:"1,keyasint"`
	Start  any    `cbor:"2,keyasint"` // a byte string; the detail, a number, of a failure that has one
}

func (r *StartResponse) body() any { return &StartBody{Status: r.Status, Start: pack(r.Start)} }

func (b *StartBody) received() (Response, error) {
	r := &StartResponse{Status: b.Status}
	switch start := b.Start.(type) {
	case nil:
		return r, nil
	case []byte:
		if r.Status == StatusOK {
			return r, unpack(start, &r.Start)
		}
	case uint64:
		if r.Status != StatusOK && start <= math.MaxUint32 {
			r.Detail = uint32(start)
			return r, nil
		}
	}
	return nil, fmt.Errorf("key 2 does not belong to status %v", b.Status)
}

// StopBody is a StopResponse on the wire.
type StopBody struct {
	Status Status `cbor:"1,keyasint"`
	Report []byte `cbor:"2,keyasint"`
	Fault  []byte `cbor:"3,keyasint,omitempty"`
}

// LiveBody is a LiveResponse on the wire.
type LiveBody StopBody

// loopReport is StopBody.Report.
type loopReport struct {
	Counts  LoopCounts
	Sticky  uint32
	Start   uint64
	Figures [3 * figureLength]byte
}

func (r *StopResponse) body() any {
	n := loopReport{Counts: r.Counts, Sticky: r.Sticky, Start: r.Start}
	copy(n.Figures[:], r.Figures)
	return &StopBody{Status: r.Status, Report: pack(&n), Fault: sendFault(r.Fault)}
}

func (b *StopBody) received() (Response, error) {
	r := &StopResponse{Status: b.Status}
	if b.Report == nil {
		return r, nil
	}
	var n loopReport
	if err := unpack(b.Report, &n); err != nil {
		return nil, err
	}
	r.Counts, r.Sticky, r.Start, r.Figures = n.Counts, n.Sticky, n.Start, n.Figures[:]
	var err error
	r.Fault, err = takeFault(b.Fault)
	return r, err
}

func (r *LiveResponse) body() any { return (*LiveBody)((*StopResponse)(r).body().(*StopBody)) }

func (b *LiveBody) received() (Response, error) {
	r, err := (*StopBody)(b).received()
	if err != nil {
		return nil, err
	}
	return (*LiveResponse)(r.(*StopResponse)), nil
}

// faultNumbers is a Fault on the wire, each of its numbers with 32 or 64 bits.
type faultNumbers[T uint32 | uint64] struct{ Kind, Cause, PC, Address, Entry, Run, Inside T }

func sendFault(f *Fault) []byte {
	if f == nil {
		return nil
	}
	n := faultNumbers[uint64]{uint64(f.Kind), f.Cause, f.PC, f.Address, uint64(f.Entry), uint64(f.Run), 0}
	if f.Inside {
		n.Inside = 1
	}
	return pack(&n)
}

// takeFault returns nil for no bytes.
func takeFault(b []byte) (*Fault, error) {
	var n faultNumbers[uint64]
	var short faultNumbers[uint32]
	switch len(b) {
	case 0:
		return nil, nil
	case binary.Size(&short):
		if err := unpack(b, &short); err != nil {
			return nil, err
		}
		n = faultNumbers[uint64]{
			uint64(short.Kind), uint64(short.Cause), uint64(short.PC), uint64(short.Address), uint64(short.Entry), uint64(short.Run), uint64(short.Inside),
		}
	default:
		if err := unpack(b, &n); err != nil {
			return nil, err
		}
	}
	if n.Kind > 0xff || n.Entry|n.Run > 0xffff_ffff || n.Inside > 1 {
		return nil, fmt.Errorf("kind %d, entry %d, run %d or inside %d of a fault is out of range", n.Kind, n.Entry, n.Run, n.Inside)
	}
	return &Fault{
		Kind: FaultKind(n.Kind), PC: n.PC, Address: n.Address, Entry: uint32(n.Entry), Run: uint32(n.Run), Cause: n.Cause, Inside: n.Inside == 1,
	}, nil
}

func sendDigest(digest []byte) []byte {
	if len(digest) == 0 {
		return make([]byte, DigestLength)
	}
	return digest
}

// takeDigest returns what a runner in this state has loaded, empty if that is nothing.
func takeDigest(b []byte, state State) ([]byte, error) {
	if len(b) != DigestLength {
		return nil, fmt.Errorf("digest of %d bytes, want %d", len(b), DigestLength)
	}
	if state == StateIdle || state == StateLoading {
		return []byte{}, nil
	}
	return b, nil
}

// pack returns the numbers of a struct or slice of them.
func pack(v any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err) // only for types that are no numbers
	}
	return b
}

// unpack takes the numbers of byte strings, each of which is followed by a pointer to a struct, or a slice, of as many bytes.
func unpack(pairs ...any) error {
	for ; len(pairs) > 0; pairs = pairs[2:] {
		b, want := pairs[0].([]byte), binary.Size(pairs[1])
		if len(b) != want {
			return fmt.Errorf("%d bytes of numbers, want %d", len(b), want)
		}
		if _, err := binary.Decode(b, binary.LittleEndian, pairs[1]); err != nil {
			return err
		}
	}
	return nil
}

// Code returns MsgHello.
func (*HelloBody) Code() Message { return MsgHello }

// Result returns the status.
func (b *HelloBody) Result() Status { return b.Status }

// Code returns MsgRun.
func (*RunBody) Code() Message { return MsgRun }

// Result returns the status.
func (b *RunBody) Result() Status { return b.Status }

// Code returns MsgStatus.
func (*StatusBody) Code() Message { return MsgStatus }

// Result returns the status.
func (b *StatusBody) Result() Status { return b.Status }

// Code returns MsgStart.
func (*StartBody) Code() Message { return MsgStart }

// Result returns the status.
func (b *StartBody) Result() Status { return b.Status }

// Code returns MsgStop.
func (*StopBody) Code() Message { return MsgStop }

// Result returns the status.
func (b *StopBody) Result() Status { return b.Status }

// Code returns MsgLive.
func (*LiveBody) Code() Message { return MsgLive }

// Result returns the status.
func (b *LiveBody) Result() Status { return b.Status }
