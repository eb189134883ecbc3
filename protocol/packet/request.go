package packet

import "fmt"

// A Request goes from the host to the runner.
type Request interface {
	// Code returns the message code, key 0 of the body.
	Code() Message
	// check reports values that the types alone do not rule out.
	check() error
}

// HelloRequest opens a session.
type HelloRequest struct {
	Version uint32 `cbor:"1,keyasint"` // protocol version of the host
	Nonce   uint32 `cbor:"2,keyasint"` // the same again asks for the same session
}

// BeginRequest announces an image. Lengths are in bytes.
type BeginRequest struct {
	Arch        Arch     `cbor:"1,keyasint"`
	Features    Features `cbor:"2,keyasint"` // features the code needs
	CodeLength  uint32   `cbor:"3,keyasint"`
	DataLength  uint32   `cbor:"4,keyasint"` // initialised part of the data block
	BSSLength   uint32   `cbor:"5,keyasint"` // zeroed part after it
	PatchLength uint32   `cbor:"6,keyasint"`
	Entries     []uint32 `cbor:"7,keyasint"` // offsets in the code
	Digest      []byte   `cbor:"8,keyasint"` // DigestLength bytes; see [BeginRequest.Sum]
}

// ChunkRequest carries a piece of a region.
type ChunkRequest struct {
	Region Region `cbor:"1,keyasint"`
	Offset uint32 `cbor:"2,keyasint"` // of Bytes[0] in the region
	Bytes  []byte `cbor:"3,keyasint"` // at least one, else a runner refuses it
}

// SealRequest ends a load.
type SealRequest struct{}

// RunRequest calls an entry Count times. Times are in counts of the runner's timer.
type RunRequest struct {
	Entry   uint32 `cbor:"1,keyasint"` // index into BeginRequest.Entries
	Count   uint32 `cbor:"2,keyasint"` // at least 1
	Period  uint64 `cbor:"3,keyasint"` // from start to start
	Rest    uint32 `cbor:"4,keyasint"` // and 2^-32 counts; both 0: back to back
	Limit   uint64 `cbor:"5,keyasint"` // for each run, at most RunLimitS seconds; 0: as long as that
	Silence uint64 `cbor:"6,keyasint"` // without a frame from the host that ends the runs; 0: any
}

// ReadRequest asks for bytes of the data block, of live memory or of samples.
type ReadRequest struct {
	Offset uint32  `cbor:"1,keyasint"`
	Length uint32  `cbor:"2,keyasint"`
	Region *Region `cbor:"3,keyasint,omitempty"` // RegionLive, RegionSamples; nil: the data block
}

// WriteRequest replaces bytes of the data block or of live memory.
type WriteRequest struct {
	Offset uint32  `cbor:"1,keyasint"`
	Bytes  []byte  `cbor:"2,keyasint"`
	Region *Region `cbor:"3,keyasint,omitempty"` // RegionLive; nil: the data block
}

// StatusRequest asks for the runner's state.
type StatusRequest struct{}

// DropRequest unloads the image.
type DropRequest struct{}

// BaudRequest asks for another line rate.
type BaudRequest struct {
	Baud uint32 `cbor:"1,keyasint"` // bits per second
}

// Code returns MsgHello.
func (*HelloRequest) Code() Message { return MsgHello }

// Code returns MsgBegin.
func (*BeginRequest) Code() Message { return MsgBegin }

// Code returns MsgChunk.
func (*ChunkRequest) Code() Message { return MsgChunk }

// Code returns MsgSeal.
func (*SealRequest) Code() Message { return MsgSeal }

// Code returns MsgRun.
func (*RunRequest) Code() Message { return MsgRun }

// Code returns MsgRead.
func (*ReadRequest) Code() Message { return MsgRead }

// Code returns MsgWrite.
func (*WriteRequest) Code() Message { return MsgWrite }

// Code returns MsgStatus.
func (*StatusRequest) Code() Message { return MsgStatus }

// Code returns MsgDrop.
func (*DropRequest) Code() Message { return MsgDrop }

// Code returns MsgBaud.
func (*BaudRequest) Code() Message { return MsgBaud }

func (*HelloRequest) check() error { return nil }

func (r *BeginRequest) check() error {
	if len(r.Entries) < 1 || len(r.Entries) > MaxEntries {
		return fmt.Errorf("%d entries, want 1 to %d", len(r.Entries), MaxEntries)
	}
	if len(r.Digest) != DigestLength {
		return fmt.Errorf("digest of %d bytes, want %d", len(r.Digest), DigestLength)
	}
	return nil
}

// A region that there is not and a CHUNK without bytes have statuses of their own.
func (*ChunkRequest) check() error  { return nil }
func (*SealRequest) check() error   { return nil }
func (*RunRequest) check() error    { return nil }
func (*ReadRequest) check() error   { return nil }
func (*WriteRequest) check() error  { return nil }
func (*StatusRequest) check() error { return nil }
func (*DropRequest) check() error   { return nil }
func (*BaudRequest) check() error   { return nil }
