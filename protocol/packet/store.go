package packet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
)

// A StoreRequest is about the program in the runner's flash. What an action has no use for is 0 or empty.
type StoreRequest struct {
	Action StoreAction `cbor:"1,keyasint"`
	Offset uint32      `cbor:"2,keyasint"`           // of a page to erase or of bytes to write, from the slot's start
	Bytes  []byte      `cbor:"3,keyasint"`           // to write; with StoreCommit StoreDigest of the records
	Length uint32      `cbor:"4,keyasint,omitempty"` // of all records, bytes, with StoreCommit
	Flags  StoreFlags  `cbor:"5,keyasint,omitempty"` // with StoreCommit
}

// StoreResponse tells what the store is, and what is in it. Lengths are in bytes.
type StoreResponse struct {
	Status     Status
	SlotLength uint32 // its header included
	Page       uint32 // erased at once
	Unit       uint32 // what is written is multiples of this
	EraseMS    uint32 // that erasing a page may take
	State      StoreState
	Sequence   uint32 // of the current program; 0: there is none
	Flags      StoreFlags
	Length     uint32 // of its records
	Digest     [DigestLength]byte
	Record     uint32 // that was refused, from 1 on
	Refusal    Status // of it
}

// StoreBody is a StoreResponse on the wire.
type StoreBody struct {
	Status Status `cbor:"1,keyasint"`
	Store  []byte `cbor:"2,keyasint"`
}

// storeNumbers is StoreBody.Store.
type storeNumbers struct {
	SlotLength, Page, Unit, EraseMS, State, Sequence, Flags, Length uint32
	Digest                                                          [DigestLength]byte
	Record                                                          uint32
	Refusal                                                         int32
}

func (r *StoreResponse) body() any {
	return &StoreBody{Status: r.Status, Store: pack(&storeNumbers{
		r.SlotLength, r.Page, r.Unit, r.EraseMS, uint32(r.State), r.Sequence, uint32(r.Flags), r.Length, r.Digest, r.Record, int32(r.Refusal),
	})}
}

func (b *StoreBody) received() (Response, error) {
	r := &StoreResponse{Status: b.Status}
	if b.Store == nil {
		return r, nil
	}
	var n storeNumbers
	if err := unpack(b.Store, &n); err != nil {
		return nil, err
	}
	if n.Refusal > 0 || n.Refusal < math.MinInt8 {
		return nil, fmt.Errorf("a status of %d", n.Refusal)
	}
	r.SlotLength, r.Page, r.Unit, r.EraseMS, r.State, r.Sequence = n.SlotLength, n.Page, n.Unit, n.EraseMS, StoreState(n.State), n.Sequence
	r.Flags, r.Length, r.Digest, r.Record, r.Refusal = StoreFlags(n.Flags), n.Length, n.Digest, n.Record, Status(n.Refusal)
	return r, nil
}

// storeHeader is what a slot's header has, in bytes.
const storeHeader = 32

// Header is where the records of a slot begin: the header takes whole units.
func (r *StoreResponse) Header() uint32 { return (storeHeader + r.Unit - 1) / r.Unit * r.Unit }

// Capacity is how many bytes of records a slot has room for.
func (r *StoreResponse) Capacity() uint32 { return r.SlotLength - r.Header() }

// Code returns MsgStore.
func (*StoreRequest) Code() Message { return MsgStore }

// Code returns MsgStore.
func (*StoreResponse) Code() Message { return MsgStore }

// Code returns MsgStore.
func (*StoreBody) Code() Message { return MsgStore }

// Result returns the status.
func (r *StoreResponse) Result() Status { return r.Status }

// Result returns the status.
func (b *StoreBody) Result() Status { return b.Status }

func (r *StoreRequest) check() error {
	if n := len(r.Bytes); r.Action == StoreCommit && n != DigestLength {
		return fmt.Errorf("digest of %d bytes, want %d", n, DigestLength)
	}
	return nil
}

// check makes sure that what is computed with the answer does not go wrong.
func (r *StoreResponse) check() error {
	switch {
	case r.Unit == 0 || r.Unit > MaxPacketLength || r.Page == 0 || r.Page%r.Unit != 0 || r.SlotLength%r.Page != 0 || r.Header() >= r.SlotLength || r.Header() > r.Page:
		return fmt.Errorf("slots of %d bytes in pages of %d and units of %d", r.SlotLength, r.Page, r.Unit)
	case !r.State.Valid():
		return fmt.Errorf("no such state of a store: %d", r.State)
	case r.Length > r.Capacity():
		return fmt.Errorf("%d bytes of records in a slot with room for %d", r.Length, r.Capacity())
	}
	return nil
}

// StoreDigest is the digest of a stored program's records: FNV-1a of 64 bits, in little endian.
func StoreDigest(records []byte) []byte {
	h := fnv.New64a()
	h.Write(records)
	return binary.LittleEndian.AppendUint64(nil, h.Sum64())
}

// recordHead is what a record has before its body, in bytes: the body's length.
const recordHead = 2

// AppendRecord appends a record of a stored program: the body of a request, or a note.
func AppendRecord(dst, body []byte) []byte {
	return append(binary.LittleEndian.AppendUint16(dst, uint16(len(body))), body...)
}

// ErrRecordCut says that bytes end within a record.
var ErrRecordCut = errors.New("the last record is cut")

// Records are the bodies of a stored program's records. Of bytes that end within one it returns the whole ones, and ErrRecordCut.
func Records(b []byte) (bodies [][]byte, err error) {
	for len(b) > 0 {
		if len(b) < recordHead {
			return bodies, ErrRecordCut
		}
		n := int(binary.LittleEndian.Uint16(b))
		if n == 0 {
			return bodies, nil
		}
		if b = b[recordHead:]; len(b) < n {
			return bodies, ErrRecordCut
		}
		bodies, b = append(bodies, b[:n]), b[n:]
	}
	return bodies, nil
}

// A StoreNote is what a host says of the program that it stores, to people. It is a record that runners pass over: its message code is 0.
type StoreNote struct {
	Version []byte `cbor:"1,keyasint"` // of the host's program
	Name    []byte `cbor:"2,keyasint"` // of the stored program
	Rate    []byte `cbor:"3,keyasint"` // ticks a second, a decimal number; empty: it is not started
	Values  []byte `cbor:"4,keyasint"` // NAME=VALUE of what was set, a line each
}

// EncodeStoreNote returns the body of a note.
func EncodeStoreNote(n *StoreNote) ([]byte, error) { return encode(0, n) }

// DecodeStoreNote decodes the body of a note; nil for other records.
func DecodeStoreNote(body []byte) *StoreNote {
	if len(body) < 3 || body[1] != 0 || body[2] != 0 {
		return nil
	}
	if _, _, err := scanBody(body); err != nil {
		return nil
	}
	var n StoreNote
	if decMode.Unmarshal(body, &n) != nil {
		return nil
	}
	return &n
}
