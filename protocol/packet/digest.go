package packet

import (
	"crypto/sha256"
	"encoding/binary"
)

// Sum computes the digest of an image: SHA-256 over "copa1", the figures of
// BEGIN as little-endian words, the entries, and the bytes of code, data and
// patches. The lengths come from the slices, so that a digest never describes
// bytes it has not seen.
func (r *BeginRequest) Sum(code, data, patches []byte) [DigestLength]byte {
	h := sha256.New()
	h.Write([]byte("copa1"))
	words := []uint32{
		uint32(r.Arch), uint32(r.Features), uint32(r.Features >> 32),
		uint32(len(code)), uint32(len(data)), r.BSSLength, uint32(len(patches)), uint32(len(r.Entries)),
	}
	var b [4]byte
	for _, w := range append(words, r.Entries...) {
		binary.LittleEndian.PutUint32(b[:], w)
		h.Write(b[:])
	}
	h.Write(code)
	h.Write(data)
	h.Write(patches)
	return [DigestLength]byte(h.Sum(nil))
}
