package image

import (
	"crypto/sha256"
	"encoding/binary"
)

// Digest identifies what a runner executes: SHA-256 over "copa1", the
// architecture, feature words, lengths and entry offsets as little-endian
// 32-bit words, then code, data and patches. Names, symbols and the budget are
// not part of it: a runner never sees them. A file has a sum over all of it besides.
func (m *Image) Digest() [sha256.Size]byte {
	head := []byte("copa1")
	word := func(v uint32) { head = binary.LittleEndian.AppendUint32(head, v) }
	word(uint32(m.Arch))
	word(uint32(m.Features))
	word(uint32(m.Features >> 32))
	word(uint32(len(m.Code)))
	word(uint32(len(m.Data)))
	word(m.BSS)
	word(uint32(len(m.Patches)))
	word(uint32(len(m.Entries)))
	for _, e := range m.Entries {
		word(e.Offset)
	}
	h := sha256.New()
	h.Write(head)
	h.Write(m.Code)
	h.Write(m.Data)
	h.Write(m.Patches)
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	return sum
}
