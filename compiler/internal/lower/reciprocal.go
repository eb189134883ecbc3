package lower

import (
	"math"
	"math/bits"
)

// reciprocal stands for a divisor: t // n is t * factor >> shift, without a sign, for all t from 0 to some number.
type reciprocal struct {
	factor uint32
	shift  int  // at least 32 if the product is wide
	wide   bool // it has 64 bits
}

// reciprocalOf is that of n for all t up to most, which is at least n: with products up to narrow if it can, and the smallest
// factor.
//
// The factor f is 2**shift / n, rounded up, by e / n: of t = q * n + r, t * f / 2**shift is q + r / n + t * e / (n * 2**shift),
// less than q + 1 if t * e < 2**shift * (n - r). That is hardest to meet where r is n - 1: any other t up to most is larger by
// less than n, for which the right side is twice as large.
func reciprocalOf(n, most, narrow uint32) (reciprocal, bool) {
	last := uint64(most) - (uint64(most)+1)%uint64(n)
	var r reciprocal
	for ; r.shift < 64; r.shift++ {
		power := uint64(1) << r.shift
		factor := (power-1)/uint64(n) + 1
		if factor > math.MaxUint32 {
			break
		}
		r.factor = uint32(factor)
		rest := (uint64(n) - power%uint64(n)) % uint64(n)
		if rest*last >= power {
			continue
		}
		if high, low := bits.Mul64(factor, uint64(most)); high == 0 && low <= uint64(narrow) {
			return r, true
		}
		if r.wide = true; r.shift >= 32 {
			return r, true
		}
	}
	return r, false
}
