package lir

import (
	"math/bits"

	"github.com/copaflash/copaflash/compiler/graph"
)

// RowOp is the op that finds the row of a table of n rows that an index takes, one that may be
// negative or not, with its Imm: the result is in units of 1 << shift bytes, which any op has for a power of two of
// rows, and for others up to a shift of 3.
func (m *Machine) RowOp(n, shift int, negative bool) (op Op, imm uint32, ok bool) {
	any, power := Of(RowUp, graph.I32), Of(RowUp2, graph.I32)
	if negative {
		any, power = Of(Row, graph.I32), Of(Row2, graph.I32)
	}
	if n > 1 && n&(n-1) == 0 && bits.Len(uint(n))+shift < 32 && m.Ops[power].Valid {
		return power, Rows2Imm(n, shift), true
	}
	if shift > mostRowShift {
		return 0, 0, false
	}
	imm = RowsImm(n, shift)
	return any, imm, m.Ops[any].Valid && imm <= m.MaxRows
}

const mostRowShift = 3

// RowsImm is the Imm of Row for a table of n rows of 1 << shift bytes.
func RowsImm(n, shift int) uint32 { return uint32(n-1)<<2 | uint32(shift) }

// Rows2Imm is that of Row2: n is a power of two, and not 1.
func Rows2Imm(n, shift int) uint32 {
	k, s := uint32(bits.TrailingZeros(uint(n))), uint32(shift)
	return (-s&31)<<20 | s<<15 | (32-k-s)<<10 | (k-1)<<5 | k
}
