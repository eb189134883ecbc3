package jit

import (
	"encoding/binary"
	"unsafe"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Elements are in a data block as they are in Go, little endian, but for two things: a bool takes a word, and there
// is one NaN. So arrays are copied, and looked through for others.

// store copies n elements from Go's memory into a data block.
func store(t graph.DType, to []byte, from unsafe.Pointer, n int) {
	if t == graph.Bool {
		for i, b := range unsafe.Slice((*byte)(from), n) {
			binary.LittleEndian.PutUint32(to[4*i:], uint32(b))
		}
		return
	}
	copy(to, unsafe.Slice((*byte)(from), len(to)))
	canonical(t, to)
}

// load copies n elements from a data block into Go's memory.
func load(t graph.DType, to unsafe.Pointer, n int, from []byte) {
	if t == graph.Bool {
		bools := unsafe.Slice((*bool)(to), n)
		for i := range bools {
			bools[i] = binary.LittleEndian.Uint32(from[4*i:]) != 0
		}
		return
	}
	bytes := unsafe.Slice((*byte)(to), len(from))
	copy(bytes, from)
	canonical(t, bytes)
}

// canonical makes the canonical one of each NaN.
func canonical(t graph.DType, b []byte) {
	switch {
	case t == graph.F32 && hasNaN32(b):
		for ; len(b) >= 4; b = b[4:] {
			binary.LittleEndian.PutUint32(b, uint32(graph.Canonical(t, uint64(binary.LittleEndian.Uint32(b)))))
		}
	case t == graph.F64 && hasNaN64(b):
		for ; len(b) >= 8; b = b[8:] {
			binary.LittleEndian.PutUint64(b, graph.Canonical(t, binary.LittleEndian.Uint64(b)))
		}
	}
}

// A float is a NaN where its bits but for the sign are above those of infinity: then, and only then,
// adding all ones of the fraction reaches the sign. Two floats are looked at together, since none carries
// into the other.
const (
	rest32, fraction32 = 0x7fffffff_7fffffff, 0x007fffff_007fffff
	sign32             = 0x80000000_80000000
	rest64, fraction64 = 1<<63 - 1, 1<<52 - 1
	sign64             = 1 << 63
)

func hasNaN32(b []byte) bool {
	var x uint64
	for ; len(b) >= 32; b = b[32:] {
		x |= (binary.LittleEndian.Uint64(b)&rest32 + fraction32) |
			(binary.LittleEndian.Uint64(b[8:])&rest32 + fraction32) |
			(binary.LittleEndian.Uint64(b[16:])&rest32 + fraction32) |
			(binary.LittleEndian.Uint64(b[24:])&rest32 + fraction32)
	}
	for ; len(b) >= 4; b = b[4:] {
		x |= uint64(binary.LittleEndian.Uint32(b))&(rest32>>32) + fraction32>>32
	}
	return x&sign32 != 0
}

func hasNaN64(b []byte) bool {
	var x uint64
	for ; len(b) >= 32; b = b[32:] {
		x |= (binary.LittleEndian.Uint64(b)&rest64 + fraction64) |
			(binary.LittleEndian.Uint64(b[8:])&rest64 + fraction64) |
			(binary.LittleEndian.Uint64(b[16:])&rest64 + fraction64) |
			(binary.LittleEndian.Uint64(b[24:])&rest64 + fraction64)
	}
	for ; len(b) >= 8; b = b[8:] {
		x |= binary.LittleEndian.Uint64(b)&rest64 + fraction64
	}
	return x&sign64 != 0
}
