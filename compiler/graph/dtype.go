package graph

import (
	"fmt"
	"math"
)

// DType is the type of the elements of a value. The order is the order of
// promotion: of two operand types the larger one wins.
type DType uint8

// The element types; each takes one 32-bit word. The zero DType is invalid.
const (
	Bool DType = 1 + iota
	I32
	F32
	numDTypes
)

var dtypeNames = [numDTypes]string{"invalid", "bool", "i32", "f32"}

// String returns "bool", "i32" or "f32".
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

// NaN is the bit pattern of every NaN that leaves a program.
const NaN uint32 = 0x7fc00000

// Canonical returns the word as it is kept for a value of type t: any NaN as
// NaN, any true as 1.
func Canonical(t DType, word uint32) uint32 {
	switch {
	case t == F32 && word&0x7fffffff > 0x7f800000:
		return NaN
	case t == Bool && word != 0:
		return 1
	}
	return word
}

// convertConst converts a constant's word where operands are promoted: to a
// wider type only.
func convertConst(from, to DType, word uint32) uint32 {
	if to == F32 && from != F32 {
		return math.Float32bits(float32(int32(word)))
	}
	return word
}
