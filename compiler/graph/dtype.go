package graph

import (
	"encoding/binary"
	"fmt"
	"math"
)

// DType is the type of the elements of a value. The order is the order of
// promotion: of two operand types the larger one wins.
type DType uint8

// The element types. The zero DType is invalid. F32 and F64 are never brought
// together but by a cast that the program asks for.
const (
	Bool DType = 1 + iota
	I32
	F32
	F64
	numDTypes
)

var dtypeNames = [numDTypes]string{"invalid", "bool", "i32", "f32", "f64"}

// String returns "bool", "i32", "f32" or "f64".
func (t DType) String() string {
	if t < numDTypes {
		return dtypeNames[t]
	}
	return fmt.Sprintf("dtype(%d)", uint8(t))
}

// Valid reports whether t is one of the element types.
func (t DType) Valid() bool { return t > 0 && t < numDTypes }

// ParseDType is the inverse of String.
func ParseDType(s string) (DType, error) {
	for t := Bool; t < numDTypes; t++ {
		if dtypeNames[t] == s {
			return t, nil
		}
	}
	return 0, fmt.Errorf("unknown dtype %q", s)
}

// Words is the number of 32-bit words that an element takes.
func (t DType) Words() int {
	if t == F64 {
		return 2
	}
	return 1
}

// WordSize is the number of bytes of a word in files and on targets.
const WordSize = 4

// Size is the number of bytes that an element takes, and what it is aligned to.
func (t DType) Size() int { return t.Words() * WordSize }

// AppendWords appends words as files and targets keep them, little endian.
func AppendWords(b []byte, words ...uint32) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// Words reads what AppendWords has written.
func Words(raw []byte) []uint32 {
	words := make([]uint32, len(raw)/WordSize)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(raw[i*WordSize:])
	}
	return words
}

// IsFloat reports whether t is one of the floating-point types.
func (t DType) IsFloat() bool { return t == F32 || t == F64 }

// At is the bits of element i of words that hold elements of type t, the low
// word of a double first.
func (t DType) At(words []uint32, i int) uint64 {
	if t == F64 {
		return uint64(words[2*i]) | uint64(words[2*i+1])<<32
	}
	return uint64(words[i])
}

// Put sets element i of words that hold elements of type t.
func (t DType) Put(words []uint32, i int, bits uint64) {
	if t == F64 {
		words[2*i], words[2*i+1] = uint32(bits), uint32(bits>>32)
		return
	}
	words[i] = uint32(bits)
}

// Load reads the first element of type t from bytes as files and targets keep them.
func (t DType) Load(raw []byte) uint64 {
	if t == F64 {
		return binary.LittleEndian.Uint64(raw)
	}
	return uint64(binary.LittleEndian.Uint32(raw))
}

// Store writes what Load reads.
func (t DType) Store(raw []byte, bits uint64) {
	if t == F64 {
		binary.LittleEndian.PutUint64(raw, bits)
		return
	}
	binary.LittleEndian.PutUint32(raw, uint32(bits))
}

// NaN and NaN64 are the bit patterns of every NaN that leaves a program.
const (
	NaN   uint32 = 0x7fc00000
	NaN64 uint64 = 0x7ff8000000000000
)

// Canonical returns the bits of an element as they are kept for type t: any NaN
// as NaN or NaN64, any true as 1.
func Canonical(t DType, bits uint64) uint64 {
	switch {
	case t == F32 && bits&0x7fffffff > 0x7f800000:
		return uint64(NaN)
	case t == F64 && bits&(1<<63-1) > 0x7ff<<52:
		return NaN64
	case t == Bool && bits != 0:
		return 1
	}
	return bits
}

// convertConst converts a constant's bits where operands are promoted: to a
// wider type only, never from one float to the other.
func convertConst(to DType, bits uint64) uint64 {
	switch to {
	case F32:
		return uint64(math.Float32bits(float32(int32(bits))))
	case F64:
		return math.Float64bits(float64(int32(bits)))
	}
	return bits
}
