package packet

import (
	"encoding/binary"
	"hash/fnv"
	"io"
)

// Sum computes the digest of an image: FNV-1a of 64 bits, in little endian, over
// what Covered writes. It finds errors and names a program; it is no proof against
// forgery.
func (r *BeginRequest) Sum(code, data, patches []byte) [DigestLength]byte {
	h := fnv.New64a()
	r.Covered(h, code, data, patches)
	var sum [DigestLength]byte
	binary.LittleEndian.PutUint64(sum[:], h.Sum64())
	return sum
}

// Covered writes what a digest covers to a hash, which takes everything: the figures
// of BEGIN as little-endian words, the entries, and the bytes of code, data and
// patches. The lengths come from the slices, so that a digest never describes bytes
// it has not seen.
func (r *BeginRequest) Covered(h io.Writer, code, data, patches []byte) {
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
}
