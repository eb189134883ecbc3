package esp

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// An Image is a program as it lies in flash.
type Image struct {
	ChipID   uint16
	Entry    uint32
	Segments []Segment
	Size     int // bytes, the digest included
}

// A Segment is what the ROM copies to memory.
type Segment struct {
	Address uint32
	Data    []byte
}

// header is the layout of the documentation. Parse shares nothing with Encode, numbers included, so that each checks the other.
type header struct {
	Magic    uint8
	Segments uint8
	Mode     uint8
	Flash    uint8 // size in the upper half, rate in the lower
	Entry    uint32
	WP       uint8
	Drive    [3]uint8
	Chip     uint16
	MinRev   uint8
	Revs     [2]uint16
	Reserved [4]uint8
	Hash     uint8
}

// Parse reads the image with which some memory begins, and checks its sum and digest. What follows it is passed over, as in flash.
func Parse(file []byte) (*Image, error) {
	r := bytes.NewReader(file)
	var h header
	if err := binary.Read(r, binary.LittleEndian, &h); err != nil {
		return nil, fmt.Errorf("esp: header: %w", err)
	}
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("esp: header: %w", err)
	}
	m := &Image{ChipID: h.Chip, Entry: h.Entry}
	sum := byte(0xef)
	for i := range h.Segments {
		s, err := parseSegment(r)
		if err != nil {
			return nil, fmt.Errorf("esp: segment %d: %w", i, err)
		}
		for _, b := range s.Data {
			sum ^= b
		}
		m.Segments = append(m.Segments, s)
	}
	at := len(file) - r.Len()
	end := at + 16 - at%16
	if end+sha256.Size > len(file) {
		return nil, fmt.Errorf("esp: sum and digest: %d bytes behind the segments, want %d", r.Len(), end+sha256.Size-at)
	}
	if got := file[end-1]; got != sum {
		return nil, fmt.Errorf("esp: sum %#02x, want %#02x", got, sum)
	}
	m.Size = end + sha256.Size
	if want := sha256.Sum256(file[:end]); !bytes.Equal(file[end:m.Size], want[:]) {
		return nil, fmt.Errorf("esp: digest %x, want %x", file[end:m.Size], want)
	}
	return m, nil
}

func (h *header) check() error {
	switch {
	case h.Magic != 0xe9:
		return fmt.Errorf("begins with %#02x, want 0xe9", h.Magic)
	case h.Segments == 0 || h.Segments > 16:
		return fmt.Errorf("%d segments, want 1 to 16", h.Segments)
	case h.Mode > 3:
		return fmt.Errorf("flash mode %d, want 0 to 3", h.Mode)
	case h.Flash>>4 > 4:
		return fmt.Errorf("flash size %d, want 0 to 4", h.Flash>>4)
	case h.Flash&15 > 2 && h.Flash&15 != 15:
		return fmt.Errorf("flash rate %d, want 0, 1, 2 or 15", h.Flash&15)
	case h.Hash != 1:
		return fmt.Errorf("digest %d, want 1: there is one", h.Hash)
	}
	return nil
}

func parseSegment(r *bytes.Reader) (Segment, error) {
	var h struct{ Address, Size uint32 }
	if err := binary.Read(r, binary.LittleEndian, &h); err != nil {
		return Segment{}, err
	}
	switch {
	case h.Address%4 != 0 || h.Size%4 != 0:
		return Segment{}, fmt.Errorf("%d bytes at %#x are not whole words", h.Size, h.Address)
	case uint64(h.Size) > uint64(r.Len()):
		return Segment{}, fmt.Errorf("%d bytes, but there are %d", h.Size, r.Len())
	case uint64(h.Address)+uint64(h.Size) > 1<<32:
		return Segment{}, fmt.Errorf("%d bytes at %#x go beyond 32 bits", h.Size, h.Address)
	}
	s := Segment{h.Address, make([]byte, h.Size)}
	_, err := r.Read(s.Data)
	if h.Size == 0 {
		err = nil // nothing was to be read
	}
	return s, err
}
