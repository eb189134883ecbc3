// Package flat turns the ELF file of a runner into the bytes that a boot loader
// stores: one contiguous block of memory with its address.
package flat

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
)

// maxBytes bounds an image: a gap between segments is no reason to fill memory.
const maxBytes = 16 << 20

// An Image is what lies in the board's memory before it starts.
type Image struct {
	Address uint64 // of the first byte: the load address, not where it is copied to at start
	Entry   uint64 // where it starts, as the processor sees that
	Data    []byte
}

// FromELF returns the loaded bytes of an ELF file from the lowest load address
// on, gaps filled with zeros.
func FromELF(file []byte) (*Image, error) {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	var loaded []*elf.Prog
	low, high := ^uint64(0), uint64(0)
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Filesz == 0 {
			continue
		}
		if p.Paddr+p.Filesz < p.Paddr {
			return nil, fmt.Errorf("segment at %#x wraps around", p.Paddr)
		}
		loaded = append(loaded, p)
		low, high = min(low, p.Paddr), max(high, p.Paddr+p.Filesz)
	}
	if len(loaded) == 0 {
		return nil, errors.New("nothing to load")
	}
	if high-low > maxBytes {
		return nil, fmt.Errorf("segments spread over %d bytes, want at most %d", high-low, maxBytes)
	}
	data := make([]byte, high-low)
	for _, p := range loaded {
		start := p.Paddr - low
		if _, err := io.ReadFull(p.Open(), data[start:start+p.Filesz]); err != nil {
			return nil, fmt.Errorf("segment at %#x: %w", p.Paddr, err)
		}
	}
	return &Image{Address: low, Entry: f.Entry, Data: data}, nil
}
