package jit

import (
	"encoding/binary"
	"unsafe"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Elements are in a data block as they are in Go, little endian, but for two things: a bool takes a word, and there
// is one NaN. So arrays are copied, and mended where the copy has found a NaN.

// store copies elements from Go's memory into a data block.
func store(t graph.DType, to []byte, from unsafe.Pointer) {
	if t == graph.Bool {
		words := unsafe.Slice((*uint32)(unsafe.Pointer(&to[0])), len(to)/graph.WordSize)
		for i, b := range unsafe.Slice((*uint8)(from), len(words)) {
			words[i] = uint32(b)
		}
		return
	}
	move(t, to, unsafe.Slice((*byte)(from), len(to)))
}

// load copies elements from a data block into Go's memory.
func load(t graph.DType, to unsafe.Pointer, from []byte) {
	if t == graph.Bool {
		words := unsafe.Slice((*uint32)(unsafe.Pointer(&from[0])), len(from)/graph.WordSize)
		bools := unsafe.Slice((*bool)(to), len(words))
		for i, w := range words {
			bools[i] = w != 0
		}
		return
	}
	move(t, unsafe.Slice((*byte)(to), len(from)), from)
}

// move copies elements of one or two words, of which there is one at least; any NaN becomes the canonical one.
func move(t graph.DType, to, from []byte) {
	switch t {
	case graph.F32:
		n, nan := 0, false
		if wide > 0 && len(from) >= wide {
			n = len(from) &^ (wide - 1)
			nan = copy32(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0]), n)
		}
		if copy(to[n:], from[n:]); hasNaN32(from[n:]) || nan {
			for ; len(to) >= 4; to = to[4:] {
				binary.LittleEndian.PutUint32(to, uint32(graph.Canonical(t, uint64(binary.LittleEndian.Uint32(to)))))
			}
		}
	case graph.F64:
		n, nan := 0, false
		if wide > 0 && len(from) >= wide {
			n = len(from) &^ (wide - 1)
			nan = copy64(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0]), n)
		}
		if copy(to[n:], from[n:]); hasNaN64(from[n:]) || nan {
			for ; len(to) >= 8; to = to[8:] {
				binary.LittleEndian.PutUint64(to, graph.Canonical(t, binary.LittleEndian.Uint64(to)))
			}
		}
	default:
		copy(to, from)
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
	for ; len(b) >= 8; b = b[8:] {
		x |= binary.LittleEndian.Uint64(b)&rest32 + fraction32
	}
	if len(b) >= 4 {
		x |= uint64(binary.LittleEndian.Uint32(b))&(rest32>>32) + fraction32>>32
	}
	return x&sign32 != 0
}

func hasNaN64(b []byte) bool {
	var x uint64
	for ; len(b) >= 8; b = b[8:] {
		x |= binary.LittleEndian.Uint64(b)&rest64 + fraction64
	}
	return x&sign64 != 0
}
