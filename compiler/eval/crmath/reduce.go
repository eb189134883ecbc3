package crmath

import (
	"math"
	"math/big"
	"math/bits"
	"sync"
)

// twoOverPi holds 64 zero bits and then the fraction bits of 2/pi, most
// significant first: enough for a 192-bit window at any float32 exponent.
var twoOverPi = sync.OnceValue(func() []uint64 {
	return fractionWords(new(big.Float).SetPrec(workPrec).Quo(integer(2), pi()), 6)
})

// fractionWords returns a zero word and the first n words of v's fraction, v < 1.
func fractionWords(v *big.Float, n int) []uint64 {
	words := make([]uint64, n+1)
	scaled, _ := new(big.Float).SetMantExp(v, 64*n).Int(nil)
	mask := new(big.Int).SetUint64(math.MaxUint64)
	for i := n; i > 0; i-- {
		words[i] = new(big.Int).And(scaled, mask).Uint64()
		scaled.Rsh(scaled, 64)
	}
	return words
}

// reduce writes a finite x as q*(pi/2) + r modulo 2*pi, |r| <= pi/4; r is within
// a relative 2^-51 however close x is to a multiple of pi/2.
func reduce(x float32) (q int, r float64) {
	d := float64(x)
	if math.Abs(d) <= math.Pi/4 {
		return 0, d
	}
	b := math.Float32bits(x)
	m := uint64(b&0x7fffff | 0x800000)
	e := int(b>>23&0xff) - 150 // |x| = m * 2^e, -24 <= e <= 104

	// Bits of 2/pi whose product with m*2^e is a multiple of 4 quarter turns are
	// skipped; of the next 192 bits at least 190-24 matter for the fraction.
	at := 64 + e - 2
	w := twoOverPi()[at/64:]
	s := uint(at % 64)
	word := func(i int) uint64 { return w[i]<<s | w[i+1]>>1>>(63-s) }
	h2, lo := bits.Mul64(m, word(2))
	h1, l1 := bits.Mul64(m, word(1))
	mid, carry := bits.Add64(l1, h2, 0)
	top := m*word(0) + h1 + carry

	q = int(top >> 62)
	hi, lo := top<<2|mid>>62, mid<<2|lo>>62
	negative := hi>>63 != 0
	if negative { // nearest quarter turn is the next one
		q++
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	// No float32 comes closer to a multiple of pi/2 than 2^-31 quarter turns, so
	// hi is not 0 and its leading 53 bits are right.
	z := bits.LeadingZeros64(hi)
	r = math.Ldexp(float64(hi<<z|lo>>1>>(63-z)), -64-z) * (math.Pi / 2)
	if negative != (x < 0) {
		r = -r
	}
	if x < 0 {
		q = -q
	}
	return q & 3, r
}
