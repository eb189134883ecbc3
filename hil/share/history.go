package share

import (
	"errors"
	"fmt"
	"slices"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
)

// ErrChanged says that a client's program is not the one that runs, and nothing tells what became of a variable.
var ErrChanged = errors.New("another program runs now")

// keptImages is how many programs a share remembers that ran before.
const keptImages = 16

type digest = [packet.DigestLength]byte

// history knows the program that runs and those before it, so that a client that has not heard of a
// swap goes on with its variables by their names.
type history struct {
	images  []*image.Image // the last one runs
	digests []digest
}

func (h *history) now() *image.Image {
	if len(h.images) == 0 {
		return nil
	}
	return h.images[len(h.images)-1]
}

// digest is that of the program that runs; nil: none.
func (h *history) digest() []byte {
	if len(h.digests) == 0 {
		return nil
	}
	d := h.digests[len(h.digests)-1]
	return d[:]
}

func (h *history) add(m *image.Image) {
	d := m.Digest()
	if i := slices.Index(h.digests, d); i >= 0 {
		h.images, h.digests = slices.Delete(h.images, i, i+1), slices.Delete(h.digests, i, i+1)
	}
	h.images, h.digests = append(h.images, m), append(h.digests, d)
	if n := len(h.images) - keptImages; n > 0 {
		h.images, h.digests = slices.Delete(h.images, 0, n), slices.Delete(h.digests, 0, n)
	}
}

// of is the program that a client means.
func (h *history) of(d []byte) (*image.Image, error) {
	if len(d) == packet.DigestLength {
		if i := slices.Index(h.digests, digest(d)); i >= 0 {
			return h.images[i], nil
		}
	}
	return nil, fmt.Errorf("%w than the one that this client knows: connect again", ErrChanged)
}

// spans finds the places in the running program of what lies at some places of another one.
func (h *history) spans(of *image.Image, spans []device.Span) ([]device.Span, error) {
	return movedAll(of, h.now(), spans)
}

// movedAll is where parts of variables lie in another program.
func movedAll(from, to *image.Image, spans []device.Span) ([]device.Span, error) {
	out := make([]device.Span, len(spans))
	for i, s := range spans {
		if end := uint64(s.Offset) + uint64(s.Length); end > from.DataSize() {
			return nil, fmt.Errorf("bytes %d to %d are outside of the program's data of %d bytes", s.Offset, end, from.DataSize())
		}
		var err error
		if out[i], err = moved(from, to, s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// moved is where a part of a variable lies in another program.
func moved(from, to *image.Image, s device.Span) (device.Span, error) {
	if from == to || s.Offset == image.FlagsOffset && s.Length <= 4 {
		return s, nil
	}
	for i := range from.Symbols {
		old := &from.Symbols[i]
		if s.Offset < old.Offset || uint64(s.Offset)+uint64(s.Length) > uint64(old.Offset)+uint64(old.Size()) {
			continue
		}
		now, ok := to.Symbol(old.Kind, old.Name)
		if !ok || now.DType != old.DType || !slices.Equal(now.Shape, old.Shape) {
			return s, fmt.Errorf("%w, which has no %v %s of the same type and shape", ErrChanged, old.Kind, old.Name)
		}
		return device.Span{Offset: now.Offset + s.Offset - old.Offset, Length: s.Length}, nil
	}
	return s, fmt.Errorf("%w, and bytes %d to %d of the one before are no variable's", ErrChanged, s.Offset, s.Offset+s.Length)
}

// pieces are writes at their places in the running program.
func (h *history) pieces(of *image.Image, writes []device.Piece) ([]device.Piece, error) {
	spans := make([]device.Span, len(writes))
	for i, w := range writes {
		spans[i] = device.Span{Offset: w.Offset, Length: uint32(len(w.Bytes))}
	}
	at, err := h.spans(of, spans)
	if err != nil {
		return nil, err
	}
	out := make([]device.Piece, len(writes))
	for i, w := range writes {
		out[i] = device.Piece{Offset: at[i].Offset, Bytes: w.Bytes}
	}
	return out, nil
}
