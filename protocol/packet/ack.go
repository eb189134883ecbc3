package packet

import (
	"encoding/binary"
	"fmt"
)

// Ack is the body of an acknowledgement. It has a fixed form, so that a runner
// can send one without an encoder. The header's ack field is the lowest
// sequence number not received.
type Ack struct {
	Bitmap uint32 // bit i set: ack+1+i was received
	Window uint32 // encoded bytes that may be unacknowledged
}

// Append appends the body to dst.
func (a Ack) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, a.Bitmap)
	return binary.LittleEndian.AppendUint32(dst, a.Window)
}

// DecodeAck decodes the body of an acknowledgement. Bytes beyond AckLength are
// reserved and ignored.
func DecodeAck(body []byte) (Ack, error) {
	if len(body) < AckLength {
		return Ack{}, fmt.Errorf("%w: acknowledgement of %d bytes, want %d", ErrMalformed, len(body), AckLength)
	}
	return Ack{
		Bitmap: binary.LittleEndian.Uint32(body),
		Window: binary.LittleEndian.Uint32(body[4:]),
	}, nil
}
