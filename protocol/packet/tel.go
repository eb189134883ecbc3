package packet

import (
	"encoding/binary"
	"fmt"
)

// Tel is the body of a packet of telemetry: values of consecutive records. Like an Ack it has a fixed form. Its
// packet has a sequence number of its own kind, from 0 on after each SUBSCRIBE, and is not acknowledged.
type Tel struct {
	Tick  uint32 // of the first record
	Time  uint32 // at which that tick started: the low 32 bits of the runner's timer
	Drops uint32 // records since SUBSCRIBE that found no room on the runner
	// Values of the first record, of the next one, and so on: each belongs to as many ticks later as
	// SubscribeRequest.Every says. How long one record is, the list of the subscription tells.
	Values []byte
}

// TelHead is the length of what comes before the values, in bytes.
const TelHead = 12

// Append appends the body to dst.
func (t Tel) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, t.Tick)
	dst = binary.LittleEndian.AppendUint32(dst, t.Time)
	dst = binary.LittleEndian.AppendUint32(dst, t.Drops)
	return append(dst, t.Values...)
}

// DecodeTel decodes a body with records of the given length, of which it has at least one. The values
// are not copied.
func DecodeTel(body []byte, record int) (Tel, error) {
	if record <= 0 || record%4 != 0 {
		return Tel{}, fmt.Errorf("records of %d bytes, want a multiple of 4", record)
	}
	if n := len(body) - TelHead; n <= 0 || n%record != 0 {
		return Tel{}, fmt.Errorf("%w: telemetry of %d bytes, want %d and records of %d", ErrMalformed, len(body), TelHead, record)
	}
	return Tel{
		Tick: binary.LittleEndian.Uint32(body), Time: binary.LittleEndian.Uint32(body[4:]), Drops: binary.LittleEndian.Uint32(body[8:]),
		Values: body[TelHead:],
	}, nil
}
