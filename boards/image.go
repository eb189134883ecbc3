package boards

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"strings"
)

// maxRaw bounds a raw image: a gap between segments is no reason to fill memory.
const maxRaw = 16 << 20 // bytes

// Bytes returns the runner's image in the given form.
func (b *Board) Bytes(form Form) ([]byte, error) {
	if form == FormELF {
		return b.Image, nil
	}
	raw, err := flatten(b.Image)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.ImageFile, err)
	}
	return raw, nil
}

// Content returns what is to be written to a file of Flash.
func (b *Board) Content(f FlashFile) ([]byte, error) {
	if f.Image != "" {
		return b.Bytes(f.Image)
	}
	return []byte(strings.Join(f.Text, "\n") + "\n"), nil
}

// flatten returns the loaded bytes of an ELF file from the lowest address on,
// gaps filled with zeros.
func flatten(image []byte) ([]byte, error) {
	f, err := elf.NewFile(bytes.NewReader(image))
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
		return nil, fmt.Errorf("nothing to load")
	}
	if high-low > maxRaw {
		return nil, fmt.Errorf("segments spread over %d bytes, want at most %d", high-low, maxRaw)
	}
	raw := make([]byte, high-low)
	for _, p := range loaded {
		start := p.Paddr - low
		if _, err := io.ReadFull(p.Open(), raw[start:start+p.Filesz]); err != nil {
			return nil, fmt.Errorf("segment at %#x: %w", p.Paddr, err)
		}
	}
	return raw, nil
}
