package frame

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/copaflash/copaflash/protocol/packet"
)

// Counters says what a Decoder has seen.
type Counters struct {
	Frames        uint64 // good ones
	CRCErrors     uint64 // whole frames with a wrong checksum
	FramingErrors uint64 // frames cut short, too short, too long or not COBS
}

// A Decoder finds packets in a stream of bytes. It never holds more than one
// packet of the greatest length. Bad frames are dropped and counted.
type Decoder struct {
	Counters
	max     int // longest packet
	buf     []byte
	left    int  // bytes still to come in the open COBS block
	zero    bool // a zero stands between the last block and the next
	started bool // inside a frame
	bad     bool // drop everything up to the next delimiter
}

// NewDecoder returns a decoder for packets of at most max bytes.
func NewDecoder(max int) *Decoder { return &Decoder{max: max} }

// SetMax changes the longest packet accepted, from the next frame on.
func (d *Decoder) SetMax(max int) { d.max = max }

// Feed decodes the next bytes of the stream and calls deliver for every good
// packet. The body is only valid during the call.
func (d *Decoder) Feed(p []byte, deliver func(Packet)) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, delimiter)
		if end < 0 {
			d.take(p)
			return
		}
		d.take(p[:end])
		d.finish(deliver)
		p = p[end+1:]
	}
}

// take decodes COBS bytes, none of them a delimiter.
func (d *Decoder) take(p []byte) {
	for len(p) > 0 && !d.bad {
		d.started = true
		if d.left > 0 {
			n := min(d.left, len(p))
			d.append(p[:n])
			d.left -= n
			p = p[n:]
			continue
		}
		if d.zero {
			d.append([]byte{0})
		}
		d.left = int(p[0]) - 1
		d.zero = p[0] != maxRun+1
		p = p[1:]
	}
}

func (d *Decoder) append(p []byte) {
	if len(d.buf)+len(p) > d.max {
		d.bad = true
		return
	}
	d.buf = append(d.buf, p...)
}

// finish handles a delimiter.
func (d *Decoder) finish(deliver func(Packet)) {
	raw := d.buf
	whole := !d.bad && d.left == 0 && len(raw) >= overhead
	idle := !d.started
	d.buf, d.left, d.zero, d.started, d.bad = d.buf[:0], 0, false, false, false
	if idle {
		return
	}
	if !whole {
		d.FramingErrors++
		return
	}
	n := len(raw) - packet.TrailerLength
	if crc32.Checksum(raw[:n], castagnoli()) != binary.LittleEndian.Uint32(raw[n:]) {
		d.CRCErrors++
		return
	}
	d.Frames++
	deliver(Packet{
		Header: Header{
			Kind:    packet.Kind(raw[0]),
			Version: raw[1],
			Session: binary.LittleEndian.Uint16(raw[2:]),
			Seq:     binary.LittleEndian.Uint16(raw[4:]),
			Ack:     binary.LittleEndian.Uint16(raw[6:]),
		},
		Body: raw[packet.HeaderLength:n],
	})
}
