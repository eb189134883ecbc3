package eval

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
)

func and(a, b, _ uint64) (uint64, uint32)     { return a & b, 0 }
func or(a, b, _ uint64) (uint64, uint32)      { return a | b, 0 }
func xor(a, b, _ uint64) (uint64, uint32)     { return a ^ b, 0 }
func equal(a, b, _ uint64) (uint64, uint32)   { return boolWord(a == b), 0 }
func unequal(a, b, _ uint64) (uint64, uint32) { return boolWord(a != b), 0 }

func choose(c, a, b uint64) (uint64, uint32) {
	if c != 0 {
		return a, 0
	}
	return b, 0
}

func absInt(a int32) int32 {
	if a < 0 {
		return -a
	}
	return a
}

func signInt(a int32) int32 {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return -1
	}
	return 0
}

func floorDivInt(a, b, _ uint64) (uint64, uint32) {
	x, y := int32(a), int32(b)
	switch {
	case y == 0:
		return 0, graph.FlagDivide
	case x == math.MinInt32 && y == -1:
		return a, graph.FlagDivide
	}
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return intWord(q), 0
}

func modInt(a, b, _ uint64) (uint64, uint32) {
	x, y := int32(a), int32(b)
	switch {
	case y == 0:
		return a, graph.FlagDivide
	case y == -1:
		return 0, 0
	}
	m := x % y
	if m != 0 && (m < 0) != (y < 0) {
		m += y
	}
	return intWord(m), 0
}

func shl(a, b, _ uint64) (uint64, uint32) {
	n := int32(b)
	if n < 0 {
		return 0, graph.FlagShift
	}
	return uint64(uint32(a) << uint32(n)), 0 // Go shifts all bits out where n >= 32
}

func shr(a, b, _ uint64) (uint64, uint32) {
	n := int32(b)
	if n < 0 {
		return 0, graph.FlagShift
	}
	return intWord(int32(a) >> uint32(n)), 0 // Go fills with the sign where n >= 32
}
