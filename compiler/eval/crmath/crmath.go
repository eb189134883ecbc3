// Package crmath computes the float32 functions of the language for the
// oracle, independently of the C kernels that targets run.
//
// The one-argument functions are correctly rounded: the exact value rounded to
// nearest even. Each takes a float64 approximation from package math, whose
// error is far below [relBound]; where that leaves the float32 result
// undecided, the functions of exact.go compute some 300 bits. Since a correctly
// rounded function has one right answer, the results equal those of every
// target's kernels, however those are written.
//
// Atan2, Pow and Hypot are not correctly rounded by contract: each has one definition
// in float64 arithmetic (two.go), shared with the C kernels operation by
// operation, at most 0.51 ULP off.
//
// Every NaN result is 0x7fc00000. There are no errors and no state.
package crmath

import (
	"math"
	"math/big"
)

// relBound bounds the relative error of every float64 approximation here. Those
// of package math stay below 2^-50 (checked against exact.go by the tests); the
// margin costs nothing, since about one argument in 2^21 becomes undecided.
const relBound = 0x1p-46

var nan = math.Float32frombits(0x7fc00000)

// finish rounds v, known within relBound, to float32; where a boundary between
// two float32 results is too near, exact(x) decides.
func finish(v float64, exact func(float32) *big.Float, x float32) float32 {
	r := float32(v * (1 - relBound))
	if r == float32(v*(1+relBound)) {
		return r
	}
	return round(exact(x))
}

func finite(x float32) bool {
	return math.Float32bits(x)&0x7f800000 != 0x7f800000
}
