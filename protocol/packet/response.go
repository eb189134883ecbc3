package packet

import "fmt"

// A Response goes from the runner to the host.
type Response interface {
	// Code returns the code of the message that is answered, key 0 of the body.
	Code() Message
	// Result returns the outcome, key 1 of the body.
	Result() Status
	// check reports values that the types alone do not rule out; it is asked
	// only when the status is StatusOK.
	check() error
}

// HelloResponse describes the runner. Capacities are in bytes. It has a form of its own on the wire, like others without tags (body.go).
type HelloResponse struct {
	Status         Status
	Version        uint8  // protocol version of the runner
	Session        uint16 // id for the headers that follow; not 0
	Arch           Arch
	Features       Features
	Board          string
	Firmware       string
	BootNonce      uint32 // differs after every start of the runner
	CodeCapacity   uint32
	DataCapacity   uint32   // data, bss and patches share it while loading
	MaxPacket      uint32   // longest packet either way
	Window         uint32   // encoded bytes that may be unacknowledged
	SampleCapacity uint32   // runs whose ticks are kept
	TimerHz        uint64   // ticks per second
	Bauds          []uint32 // empty: not a serial line
	State          State
	Digest         []byte // of the loaded image; empty: none
	Nonce          uint32 // of the HELLO answered
	LoopFeatures   LoopFeatures
	LiveCapacity   uint32 // bytes of live memory
	Guard          uint32 // timer ticks that a tick's interrupt comes early
	Conditions     Conditions
}

// BeginResponse answers BEGIN.
type BeginResponse struct {
	Status Status `cbor:"1,keyasint"`
	Detail uint32 `cbor:"2,keyasint,omitempty"`
}

// ChunkResponse reports a CHUNK that could not be taken.
type ChunkResponse struct {
	Status Status `cbor:"1,keyasint"`
	Detail uint32 `cbor:"2,keyasint,omitempty"`
}

// SealResponse answers SEAL.
type SealResponse struct {
	Status Status `cbor:"1,keyasint"`
	Detail uint32 `cbor:"2,keyasint,omitempty"`
}

// RunResponse answers RUN. Times are in ticks of the runner's timer.
type RunResponse struct {
	Status Status
	Runs   uint32 // that ended normally
	Total  uint64
	Min    uint64
	Max    uint64
	Late   uint32 // started after their period's mark
	Sticky uint32 // sticky arithmetic flags, data word 0
	Fault  *Fault
}

// ReadResponse answers READ.
type ReadResponse struct {
	Status Status `cbor:"1,keyasint"`
	Bytes  []byte `cbor:"2,keyasint"`
	// Tick is how many ticks had ended when the bytes of the data block were like this; nil: no loop ran.
	Tick *uint32 `cbor:"3,keyasint,omitempty"`
}

// WriteResponse answers WRITE.
type WriteResponse struct {
	Status Status `cbor:"1,keyasint"`
}

// StatusResponse answers STATUS.
type StatusResponse struct {
	Status   Status
	State    State
	Digest   []byte // of the loaded image; empty: none
	Fault    *Fault // last fault since BEGIN
	Counters Counters
}

// DropResponse answers DROP.
type DropResponse struct {
	Status Status `cbor:"1,keyasint"`
}

// BaudResponse answers BAUD, at the old rate.
type BaudResponse struct {
	Status Status `cbor:"1,keyasint"`
}

// Fault says what stopped a program.
type Fault struct {
	Kind    FaultKind
	PC      uint64 // offset in the code block if Inside, else absolute
	Address uint64 // of the access; 0: none
	Entry   uint32 // index of the entry that ran
	Run     uint32 // index of the run within RUN, from 0
	Cause   uint64 // raw cause of the platform
	Inside  bool   // PC lies inside the code block
	Device  string `json:",omitempty"` // that has failed, if a session knows its name; it does not travel
}

// Counters are the runner's link counters since it started.
type Counters struct {
	_             struct{} `cbor:",toarray"`
	FramesOK      uint32
	CRCErrors     uint32
	FramingErrors uint32
	Overruns      uint32
	Duplicates    uint32
}

// Code returns MsgHello.
func (*HelloResponse) Code() Message { return MsgHello }

// Code returns MsgBegin.
func (*BeginResponse) Code() Message { return MsgBegin }

// Code returns MsgChunk.
func (*ChunkResponse) Code() Message { return MsgChunk }

// Code returns MsgSeal.
func (*SealResponse) Code() Message { return MsgSeal }

// Code returns MsgRun.
func (*RunResponse) Code() Message { return MsgRun }

// Code returns MsgRead.
func (*ReadResponse) Code() Message { return MsgRead }

// Code returns MsgWrite.
func (*WriteResponse) Code() Message { return MsgWrite }

// Code returns MsgStatus.
func (*StatusResponse) Code() Message { return MsgStatus }

// Code returns MsgDrop.
func (*DropResponse) Code() Message { return MsgDrop }

// Code returns MsgBaud.
func (*BaudResponse) Code() Message { return MsgBaud }

// Result returns the status.
func (r *HelloResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *BeginResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *ChunkResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *SealResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *RunResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *ReadResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *WriteResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *StatusResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *DropResponse) Result() Status { return r.Status }

// Result returns the status.
func (r *BaudResponse) Result() Status { return r.Status }

func (r *HelloResponse) check() error {
	switch {
	case r.Session == 0:
		return fmt.Errorf("session id 0")
	case r.MaxPacket < MinPacketLength || r.MaxPacket > MaxPacketLength:
		return fmt.Errorf("longest packet %d, want %d to %d", r.MaxPacket, MinPacketLength, MaxPacketLength)
	case r.Window < r.MaxPacket:
		return fmt.Errorf("window of %d bytes is shorter than one packet of %d", r.Window, r.MaxPacket)
	case r.TimerHz == 0:
		return fmt.Errorf("timer of 0 Hz")
	case len(r.Board) > MaxText || len(r.Firmware) > MaxText:
		return fmt.Errorf("text longer than %d bytes", MaxText)
	case len(r.Bauds) > MaxBauds:
		return fmt.Errorf("%d baud rates, want at most %d", len(r.Bauds), MaxBauds)
	}
	return checkLoaded(r.Digest)
}

func (*BeginResponse) check() error { return nil }
func (*ChunkResponse) check() error { return nil }
func (*SealResponse) check() error  { return nil }
func (*RunResponse) check() error   { return nil }
func (*ReadResponse) check() error  { return nil }
func (*WriteResponse) check() error { return nil }

func (r *StatusResponse) check() error { return checkLoaded(r.Digest) }
func (*DropResponse) check() error     { return nil }
func (*BaudResponse) check() error     { return nil }

func checkLoaded(digest []byte) error {
	if n := len(digest); n != 0 && n != DigestLength {
		return fmt.Errorf("digest of %d bytes, want 0 or %d", n, DigestLength)
	}
	return nil
}
