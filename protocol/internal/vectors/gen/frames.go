package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// crc32c is CRC-32C (Castagnoli), a bit at a time.
func crc32c(p []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range p {
		crc ^= uint32(b)
		for range 8 {
			if crc&1 != 0 {
				crc = crc>>1 ^ 0x82f63b78
			} else {
				crc >>= 1
			}
		}
	}
	return ^crc
}

// sealed appends the checksum.
func sealed(packet []byte) []byte {
	return binary.LittleEndian.AppendUint32(bytes.Clone(packet), crc32c(packet))
}

// cobs encodes p by cutting it at its zeros; without delimiter.
func cobs(p []byte) []byte {
	var out []byte
	parts := bytes.Split(p, []byte{0})
	for i, part := range parts {
		for len(part) >= 254 {
			out = append(append(out, 0xff), part[:254]...)
			part = part[254:]
			if len(part) == 0 && i == len(parts)-1 {
				return out // nothing follows, not even an empty block
			}
		}
		out = append(append(out, byte(len(part)+1)), part...)
	}
	return out
}

// wire is the whole frame of a packet.
func wire(packet []byte) []byte { return append(cobs(sealed(packet)), 0) }

type frameCase struct {
	name    string
	max     int
	wire    []byte
	packets [][]byte
	crc     int
	framing int
}

func frames() string {
	status := join(header(1, 0x1234, 7, 0), unhex("a10009"))
	ack := join(header(3, 0x1234, 0, 9), unhex("0500000000400000"))
	flip := func(p []byte, at int, bit byte) []byte {
		q := bytes.Clone(p)
		q[at] ^= bit
		return q
	}
	run := func(n int, b byte) []byte { return bytes.Repeat([]byte{b}, n) }

	cases := []frameCase{
		{"request", 512, wire(status), list(status), 0, 0},
		{"acknowledgement", 512, wire(ack), list(ack), 0, 0},
		{"hello", 512, wire(hello), list(hello), 0, 0},
		{"no body", 512, wire(header(2, 1, 2, 3)), list(header(2, 1, 2, 3)), 0, 0},
		{"two packets", 512, join(wire(status), wire(ack)), list(status, ack), 0, 0},
		{"delimiters between", 512, join([]byte{0, 0}, wire(status), []byte{0, 0, 0}, wire(ack)), list(status, ack), 0, 0},
		{"delimiters only", 512, []byte{0, 0, 0, 0}, nil, 0, 0},
		{"no delimiter yet", 512, wire(status)[:len(wire(status))-1], nil, 0, 0},
		{"garbage first", 512, join(unhex("deadbeef00"), wire(status)), list(status), 0, 1},
		{"garbage joined to a frame", 512, join(unhex("deadbeef"), wire(status), wire(ack)), list(ack), 0, 1},
		{"wrong checksum", 512, join(cobs(flip(sealed(status), 14, 0x80)), []byte{0}, wire(ack)), list(ack), 1, 0},
		{"wrong header", 512, join(cobs(flip(sealed(status), 4, 1)), []byte{0}), nil, 1, 0},
		{"wrong body", 512, join(cobs(flip(sealed(status), 10, 1)), []byte{0}), nil, 1, 0},
		{"cut in a block", 512, join(wire(status)[:12], []byte{0}, wire(ack)), list(ack), 0, 1},
		{"block runs over", 512, unhex("0501020300"), nil, 0, 1},
		{"eleven bytes", 512, join(cobs(run(11, 7)), []byte{0}), nil, 0, 1},
		{"twelve bytes, wrong sum", 512, join(cobs(run(12, 7)), []byte{0}), nil, 1, 0},
		{"body of zeros", 512, wire(join(status, run(40, 0))), list(join(status, run(40, 0))), 0, 0},
		{"full block", 512, wire(join(run(8, 1), run(242, 9))), list(join(run(8, 1), run(242, 9))), 0, 0},
		{"longer than a block", 512, wire(join(run(8, 1), run(400, 9))), list(join(run(8, 1), run(400, 9))), 0, 0},
		{"zero after a full block", 1024, wire(join(run(254, 1), run(1, 0), run(300, 2))), list(join(run(254, 1), run(1, 0), run(300, 2))), 0, 0},
		{"empty last block", 512, join(cobs(sealed(fullBlock)), []byte{1, 0}), list(fullBlock), 0, 0},
		{"ends with a full block", 512, wire(fullBlock), list(fullBlock), 0, 0},
		{"longest packet", 256, wire(join(run(8, 1), run(244, 3))), list(join(run(8, 1), run(244, 3))), 0, 0},
		{"one byte too long", 256, join(wire(join(run(8, 1), run(245, 3))), wire(status)), list(status), 0, 1},
		{"far too long", 256, join(run(3000, 0x80), []byte{0}, wire(status)), list(status), 0, 1},
	}
	// A zero byte is decoded when the next block starts, so the length limit
	// must hold for it as well.
	cases = append(cases, frameCase{"zeros over the limit", 256, join(run(400, 1), []byte{0}, wire(ack)), list(ack), 0, 1})

	var b strings.Builder
	b.WriteString(banner + `#
# Bytes on the line and the packets in them. The decoder starts fresh for each row.
# name | longest packet accepted | bytes on the line | packets, header and body without checksum | wrong checksums | framing errors

`)
	for _, c := range cases {
		fmt.Fprintf(&b, "%s | %d | %x | %s | %d | %d\n", c.name, c.max, c.wire, hexList(c.packets), c.crc, c.framing)
	}
	return b.String()
}

var hello = join(header(1, 0, 0, 0), unhex("a3000101010"+"21aefbeadde"))

// fullBlock is a packet that has no zero and that makes 254 bytes with its
// checksum, none of them zero either.
var fullBlock = func() []byte {
	p := bytes.Repeat([]byte{0x5a}, 250)
	for bytes.IndexByte(sealed(p), 0) >= 0 {
		p[249]++
	}
	return p
}()

func header(kind byte, session, seq, ack uint16) []byte {
	b := []byte{kind, 1}
	b = binary.LittleEndian.AppendUint16(b, session)
	b = binary.LittleEndian.AppendUint16(b, seq)
	return binary.LittleEndian.AppendUint16(b, ack)
}

func list(p ...[]byte) [][]byte { return p }

func join(p ...[]byte) []byte { return bytes.Join(p, nil) }

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func hexText(p []byte) string {
	if len(p) == 0 {
		return "-"
	}
	return hex.EncodeToString(p)
}

func hexList(p [][]byte) string {
	if len(p) == 0 {
		return "-"
	}
	var s []string
	for _, b := range p {
		s = append(s, hexText(b))
	}
	return strings.Join(s, ",")
}
