package uf2

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// A File is what a UF2 file stores.
type File struct {
	Family  uint32
	Address uint32
	Data    []byte
}

// block is the layout of the specification. Parse shares nothing with Encode,
// numbers included, so that each checks the other.
type block struct {
	Start    [8]byte
	Flags    uint32
	Target   uint32
	Size     uint32
	Number   uint32
	Count    uint32
	Family   uint32
	Content  [476]byte
	EndMagic [4]byte
}

// Parse checks a file by the rules that the boot ROMs of the Pico family have,
// and returns what it stores: every block is whole, of one family, in order, 256
// bytes long, and the blocks cover whole sectors of 4 KiB without a gap.
func Parse(file []byte) (*File, error) {
	if len(file) == 0 || len(file)%512 != 0 {
		return nil, fmt.Errorf("uf2: %d bytes are not a whole number of 512-byte blocks", len(file))
	}
	r := bytes.NewReader(file)
	f := &File{}
	for i := range uint32(len(file) / 512) {
		var b block
		if err := binary.Read(r, binary.LittleEndian, &b); err != nil {
			return nil, fmt.Errorf("uf2: block %d: %w", i, err)
		}
		if i == 0 {
			f.Family, f.Address = b.Family, b.Target
		}
		if err := f.check(i, uint32(len(file)/512), &b); err != nil {
			return nil, fmt.Errorf("uf2: block %d: %w", i, err)
		}
		f.Data = append(f.Data, b.Content[:b.Size]...)
	}
	if f.Address%0x1000 != 0 || len(f.Data)%0x1000 != 0 {
		return nil, fmt.Errorf("uf2: %d bytes at %#x are not whole sectors of 4 KiB", len(f.Data), f.Address)
	}
	return f, nil
}

func (f *File) check(i, count uint32, b *block) error {
	switch {
	case string(b.Start[:]) != "UF2\nWQ]\x9e" || string(b.EndMagic[:]) != "\x30\x6f\xb1\x0a":
		return fmt.Errorf("not a UF2 block")
	case b.Flags != 1<<13:
		return fmt.Errorf("flags %#x, want only that of a family", b.Flags)
	case b.Family != f.Family:
		return fmt.Errorf("family %#x among blocks of %#x", b.Family, f.Family)
	case b.Size != 256:
		return fmt.Errorf("%d bytes, want 256", b.Size)
	case b.Number != i || b.Count != count:
		return fmt.Errorf("says that it is block %d of %d, want %d of %d", b.Number, b.Count, i, count)
	case uint64(b.Target) != uint64(f.Address)+256*uint64(i):
		return fmt.Errorf("address %#x, want %#x", b.Target, uint64(f.Address)+256*uint64(i))
	}
	return nil
}
