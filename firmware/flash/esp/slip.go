package esp

import "bytes"

// Bytes of SLIP (RFC 1055).
const (
	slipEnd       = 0xC0
	slipEscape    = 0xDB
	slipEscapeEnd = 0xDC
	slipEscapeEsc = 0xDD
)

// maxFrame bounds a frame: more than the answer to any command here. A longer one is noise.
const maxFrame = 1 << 10

// maxText bounds what is kept of bytes between frames.
const maxText = 1 << 11

// frame packs bytes.
func frame(p []byte) []byte {
	out := []byte{slipEnd}
	for _, b := range p {
		switch b {
		case slipEnd:
			out = append(out, slipEscape, slipEscapeEnd)
		case slipEscape:
			out = append(out, slipEscape, slipEscapeEsc)
		default:
			out = append(out, b)
		}
	}
	return append(out, slipEnd)
}

// A deframer splits what comes at the ends of frames. Whether a piece is a frame or what lies between two, its content shows:
// noise may look like an end, and none of the frames after it may be missed.
type deframer struct {
	piece []byte
	long  bool // the piece is too long, and is passed over
}

// take adds bytes and returns the pieces that are complete, which are not empty and still escaped.
func (d *deframer) take(p []byte) (pieces [][]byte) {
	for _, b := range p {
		switch {
		case b != slipEnd && len(d.piece) == maxFrame:
			d.long = true
		case b != slipEnd:
			d.piece = append(d.piece, b)
		default:
			if len(d.piece) > 0 && !d.long {
				pieces = append(pieces, d.piece)
			}
			d.piece, d.long = nil, false
		}
	}
	return pieces
}

// unescape returns the content of a piece; it is not ok where that is no frame's.
func unescape(piece []byte) (content []byte, ok bool) {
	if !bytes.Contains(piece, []byte{slipEscape}) {
		return piece, true
	}
	for i := 0; i < len(piece); i++ {
		b := piece[i]
		if b == slipEscape {
			i++
			switch {
			case i < len(piece) && piece[i] == slipEscapeEnd:
				b = slipEnd
			case i < len(piece) && piece[i] == slipEscapeEsc:
				b = slipEscape
			default:
				return nil, false
			}
		}
		content = append(content, b)
	}
	return content, true
}
