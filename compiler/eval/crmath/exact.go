package crmath

import (
	"math"
	"math/big"
	"sync"
)

// The functions of this file leave no case open: the nearest any float32
// argument's result comes to a rounding boundary is about 2^-60 of its
// magnitude, and they have at least 140 right bits. They are called for one
// argument in a million: clarity over speed.

// workPrec also covers the cancellation in reducing the largest float32, 2^128,
// by a multiple of pi.
const workPrec = 512

// seriesEnd: terms below 2^-seriesEnd of the sum are dropped.
const seriesEnd = 300

// Computed when they are first needed: every command pays for what is made at its start.
var (
	ln2 = sync.OnceValue(func() *big.Float { return scale(atanhSeries(quo(integer(1), integer(3))), 1) })
	pi  = sync.OnceValue(machin)
)

// machin computes pi = 16 atan(1/5) - 4 atan(1/239).
func machin() *big.Float {
	a := atanSeries(quo(integer(1), integer(5)))
	b := atanSeries(quo(integer(1), integer(239)))
	return sub(scale(a, 4), scale(b, 2))
}

func number(x float32) *big.Float          { return newFloat().SetFloat64(float64(x)) }
func integer(n int64) *big.Float           { return newFloat().SetInt64(n) }
func newFloat() *big.Float                 { return new(big.Float).SetPrec(workPrec) }
func add(a, b *big.Float) *big.Float       { return newFloat().Add(a, b) }
func sub(a, b *big.Float) *big.Float       { return newFloat().Sub(a, b) }
func mul(a, b *big.Float) *big.Float       { return newFloat().Mul(a, b) }
func quo(a, b *big.Float) *big.Float       { return newFloat().Quo(a, b) }
func sqrt(a *big.Float) *big.Float         { return newFloat().Sqrt(a) }
func neg(a *big.Float) *big.Float          { return newFloat().Neg(a) }
func scale(a *big.Float, e int) *big.Float { return newFloat().SetMantExp(a, e) }

// round rounds once, to nearest even, subnormal results included.
func round(v *big.Float) float32 {
	f, _ := v.Float32()
	return f
}

// nearest returns a rounded to an integer.
func nearest(a *big.Float) *big.Int {
	half := 0.5
	if a.Sign() < 0 {
		half = -half
	}
	n, _ := add(a, newFloat().SetFloat64(half)).Int(nil)
	return n
}

// series sums first + first*z/d(1) + first*z*z/(d(1)*d(2)) + ...
func series(first, z *big.Float, d func(k int64) int64) *big.Float {
	sum, term := newFloat().Set(first), newFloat().Set(first)
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-seriesEnd; k++ {
		term = quo(mul(term, z), integer(d(k)))
		sum = add(sum, term)
	}
	return sum
}

// oddSeries sums x*(1 + z/3 + z*z/5 + ...).
func oddSeries(x, z *big.Float) *big.Float {
	sum, power := newFloat().Set(x), newFloat().Set(x)
	for k := int64(3); power.Sign() != 0 && power.MantExp(nil) > sum.MantExp(nil)-seriesEnd; k += 2 {
		power = mul(power, z)
		sum = add(sum, quo(power, integer(k)))
	}
	return sum
}

func atanhSeries(x *big.Float) *big.Float { return oddSeries(x, mul(x, x)) }
func atanSeries(x *big.Float) *big.Float  { return oddSeries(x, neg(mul(x, x))) }

// quarterTurns writes x as q*(pi/2) + r modulo 2*pi, |r| <= pi/4.
func quarterTurns(x *big.Float) (q int, r *big.Float) {
	half := scale(pi(), -1)
	n := nearest(quo(x, half))
	q = int(new(big.Int).And(n, big.NewInt(3)).Int64())
	// Exact product first: n has up to 128 bits.
	p := new(big.Float).SetPrec(workPrec+160).Mul(newFloat().SetInt(n), half)
	return q, sub(x, p)
}

func sinSeries(r *big.Float) *big.Float {
	return series(r, neg(mul(r, r)), func(k int64) int64 { return 2 * k * (2*k + 1) })
}

func cosSeries(r *big.Float) *big.Float {
	return series(integer(1), neg(mul(r, r)), func(k int64) int64 { return 2 * k * (2*k - 1) })
}

// bigSin returns sin(x + quarters*pi/2).
func bigSin(x *big.Float, quarters int) *big.Float {
	q, r := quarterTurns(x)
	q += quarters
	v := sinSeries(r)
	if q&1 != 0 {
		v = cosSeries(r)
	}
	if q&2 != 0 {
		v = neg(v)
	}
	return v
}

func bigExp(x *big.Float) *big.Float {
	n := nearest(quo(x, ln2()))
	r := sub(x, mul(newFloat().SetInt(n), ln2()))
	return scale(series(integer(1), r, func(k int64) int64 { return k }), int(n.Int64()))
}

// bigLog takes x > 0.
func bigLog(x *big.Float) *big.Float {
	m := newFloat()
	e := x.MantExp(m) // 0.5 <= m < 1
	if m.Cmp(newFloat().SetFloat64(math.Sqrt2/2)) < 0 {
		m, e = scale(m, 1), e-1
	}
	one := integer(1)
	l := scale(atanhSeries(quo(sub(m, one), add(m, one))), 1)
	return add(l, mul(integer(int64(e)), ln2()))
}

// bigAtan halves the angle four times: atan(x) = 2 atan(x / (1 + sqrt(1+x*x))).
func bigAtan(x *big.Float) *big.Float {
	const halvings = 4
	one := integer(1)
	for range halvings {
		x = quo(x, add(one, sqrt(add(one, mul(x, x)))))
	}
	return scale(atanSeries(x), halvings)
}

func exactSin(x float32) *big.Float  { return bigSin(number(x), 0) }
func exactCos(x float32) *big.Float  { return bigSin(number(x), 1) }
func exactTan(x float32) *big.Float  { return quo(exactSin(x), exactCos(x)) }
func exactExp(x float32) *big.Float  { return bigExp(number(x)) }
func exactLog(x float32) *big.Float  { return bigLog(number(x)) }
func exactAtan(x float32) *big.Float { return bigAtan(number(x)) }

// exactAsin takes |x| < 1.
func exactAsin(x float32) *big.Float {
	v, one := number(x), integer(1)
	return bigAtan(quo(v, sqrt(mul(sub(one, v), add(one, v)))))
}

// exactAcos takes -1 < x <= 1.
func exactAcos(x float32) *big.Float {
	v, one := number(x), integer(1)
	return scale(bigAtan(sqrt(quo(sub(one, v), add(one, v)))), 1)
}

// exactExp2 splits off the integer, so that powers of two are exact: 2**-150 is
// the middle between two float32.
func exactExp2(x float32) *big.Float {
	v := number(x)
	n := nearest(v)
	r := sub(v, newFloat().SetInt(n))
	return scale(bigExp(mul(r, ln2())), int(n.Int64()))
}

// exactExpm1 subtracts 1; what cancels, 149 bits at most, is to spare.
func exactExpm1(x float32) *big.Float { return sub(exactExp(x), integer(1)) }

func exactSinh(x float32) *big.Float {
	e := exactExp(x)
	return scale(sub(e, quo(integer(1), e)), -1)
}

func exactCosh(x float32) *big.Float {
	e := exactExp(x)
	return scale(add(e, quo(integer(1), e)), -1)
}

func exactTanh(x float32) *big.Float { return quo(exactSinh(x), exactCosh(x)) }

func exactLog2(x float32) *big.Float  { return quo(exactLog(x), ln2()) }
func exactLog10(x float32) *big.Float { return quo(exactLog(x), bigLog(integer(10))) }
func exactLog1p(x float32) *big.Float { return bigLog(add(integer(1), number(x))) }

// exactCbrt takes x not 0 and not infinite: Newton's iteration, which doubles the
// 50 right bits of the start each time.
func exactCbrt(x float32) *big.Float {
	v, y := number(x), newFloat().SetFloat64(math.Cbrt(float64(x)))
	for range 4 {
		y = quo(add(scale(y, 1), quo(v, mul(y, y))), integer(3))
	}
	return y
}
