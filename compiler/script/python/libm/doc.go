// Package libm has the elementary functions of float64 for scripts. They are
// computed in double-double arithmetic, with an error before the last
// rounding below 2^-80 of the result, so that constants computed in a script
// have the digits that CPython gives with a good C library. Speed is not a goal:
// a call takes about a microsecond.
//
// Special values (infinities, NaN, zeros, and results that overflow or are
// subnormal) are left to package math.
package libm
