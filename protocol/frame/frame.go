// Package frame turns packets into bytes on a line and back.
//
// A packet is a header, a body and a CRC-32C over both; on the line it is COBS
// encoded and ended by a zero byte, so that a receiver finds the next packet
// after any garbage (protocol/SPEC.md, frames). The package knows neither what
// a body means nor which sequence number is due; it must not import transport
// or session.
package frame

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/copaflash/copaflash/protocol/packet"
)

const (
	delimiter = 0x00
	// maxRun is the longest run of non-zero bytes in one COBS block.
	maxRun = 254
	// overhead is what a packet has beside its body, in bytes.
	overhead = packet.HeaderLength + packet.TrailerLength
)

// castagnoli is made when it is first needed, as only some commands send anything.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// A Header is the first eight bytes of a packet.
type Header struct {
	Kind    packet.Kind
	Version uint8  // packet.ProtocolVersion, but for HELLO from another version
	Session uint16 // 0 only for HELLO
	Seq     uint16
	Ack     uint16 // lowest sequence number not received; from the runner only
}

// A Packet is a header with its body.
type Packet struct {
	Header
	Body []byte
}

// Append appends the frame of a packet to dst, delimiter included.
func Append(dst []byte, h Header, body []byte) []byte {
	var head [packet.HeaderLength]byte
	head[0] = byte(h.Kind)
	head[1] = h.Version
	binary.LittleEndian.PutUint16(head[2:], h.Session)
	binary.LittleEndian.PutUint16(head[4:], h.Seq)
	binary.LittleEndian.PutUint16(head[6:], h.Ack)
	sum := crc32.Update(crc32.Checksum(head[:], castagnoli()), castagnoli(), body)
	var tail [packet.TrailerLength]byte
	binary.LittleEndian.PutUint32(tail[:], sum)

	e := newStuffer(dst)
	e.write(head[:])
	e.write(body)
	e.write(tail[:])
	return e.end()
}

// EncodedLength returns the greatest length of a frame whose packet has the
// given length, delimiter included.
func EncodedLength(packetLength int) int {
	return packetLength + (packetLength+maxRun-1)/maxRun + 1
}

// BodyLength returns the longest body of a packet of at most the given length.
func BodyLength(packetLength int) int { return packetLength - overhead }

// A stuffer encodes a stream of bytes as COBS.
type stuffer struct {
	out  []byte
	code int // index of the open block's code byte
	full bool
}

func newStuffer(dst []byte) *stuffer {
	return &stuffer{out: append(dst, 0), code: len(dst)}
}

func (s *stuffer) write(p []byte) {
	for len(p) > 0 {
		if s.full {
			s.open()
		}
		if p[0] == 0 {
			s.close()
			s.open()
			p = p[1:]
			continue
		}
		room := maxRun + 1 - (len(s.out) - s.code)
		run := p[:min(room, len(p))]
		if zero := bytes.IndexByte(run, 0); zero > 0 {
			run = run[:zero]
		}
		s.out = append(s.out, run...)
		p = p[len(run):]
		if len(run) == room {
			// Opening the next block waits for a byte to put in it: a packet
			// that ends here needs none.
			s.close()
			s.full = true
		}
	}
}

func (s *stuffer) open() {
	s.code = len(s.out)
	s.out = append(s.out, 0)
	s.full = false
}

func (s *stuffer) close() { s.out[s.code] = byte(len(s.out) - s.code) }

func (s *stuffer) end() []byte {
	if !s.full {
		s.close()
	}
	return append(s.out, delimiter)
}
