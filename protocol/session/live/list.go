// Package live is what a host makes of a runner's live memory (protocol/SPEC.md, live memory): lists, rings, the
// histograms' block, the note that another host finds its way by, and which place is whose. It does no input or
// output.
package live

import (
	"encoding/binary"
	"fmt"
)

// A Piece is bytes of a program's data and where they lie.
type Piece struct {
	Offset uint32
	Bytes  []byte
}

// A Span is a place in a program's data.
type Span struct {
	Offset uint32
	Length int
}

// word is what everything in live memory is made of, in bytes.
const word = 4

// RecordHead is what a record in a ring has before its values, in bytes: tick and time.
const RecordHead = 2 * word

// Bytes is the length of all spans.
func Bytes(spans []Span) int {
	n := 0
	for _, s := range spans {
		n += s.Length
	}
	return n
}

// Join makes one of spans that follow each other, and leaves empty ones out. Values in the order of the spans are in the
// order of the joined ones, too.
func Join(spans []Span) []Span {
	var joined []Span
	for _, s := range spans {
		if s.Length == 0 {
			continue
		}
		if n := len(joined); n > 0 && uint64(joined[n-1].Offset)+uint64(joined[n-1].Length) == uint64(s.Offset) {
			joined[n-1].Length += s.Length
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// CheckSpans refuses what a runner would: spans that are not whole words of a data block of so many bytes.
func CheckSpans(spans []Span, data uint64) error {
	for _, s := range spans {
		if s.Offset%word != 0 || s.Length%word != 0 || s.Length < 0 {
			return fmt.Errorf("%d bytes at %d: a loop's variables are whole words of %d bytes", s.Length, s.Offset, word)
		}
		if end := uint64(s.Offset) + uint64(s.Length); end > data {
			return fmt.Errorf("bytes %d to %d are outside the data block of %d bytes", s.Offset, end, data)
		}
	}
	return nil
}

// SpansOf are the places of pieces.
func SpansOf(pieces []Piece) []Span {
	spans := make([]Span, len(pieces))
	for i, p := range pieces {
		spans[i] = Span{p.Offset, len(p.Bytes)}
	}
	return spans
}

// ListLength is the length of a list without values.
func ListLength(spans []Span) int { return word + 2*word*len(spans) }

// List is the list of some spans, as it lies in live memory.
func List(spans []Span) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(spans)))
	for _, s := range spans {
		b = binary.LittleEndian.AppendUint32(b, s.Offset)
		b = binary.LittleEndian.AppendUint32(b, uint32(s.Length))
	}
	return b
}

// Set is the list of some pieces with their values behind it. Later pieces win over earlier ones that they overlap.
func Set(pieces []Piece) []byte {
	joined := joinPieces(pieces)
	b := List(SpansOf(joined))
	for _, p := range joined {
		b = append(b, p.Bytes...)
	}
	return b
}

// joinPieces makes one of pieces that follow each other.
func joinPieces(pieces []Piece) []Piece {
	var joined []Piece
	for _, p := range pieces {
		if len(p.Bytes) == 0 {
			continue
		}
		if n := len(joined); n > 0 && uint64(joined[n-1].Offset)+uint64(len(joined[n-1].Bytes)) == uint64(p.Offset) {
			last := &joined[n-1]
			last.Bytes = append(last.Bytes[:len(last.Bytes):len(last.Bytes)], p.Bytes...)
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

// Tasks is a loop's tasks as the note refers to them.
func Tasks(tasks []uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(tasks)/2))
	for _, v := range tasks {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}
