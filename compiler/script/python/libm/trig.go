package libm

import (
	"math"
	"math/big"
	"sync"
)

// reduce gives r and the quadrant q with x = q pi/2 + r, |r| at most pi/4.
func reduce(x float64) (r dd, q int) {
	if math.Abs(x) >= 1<<20 {
		return reduceBig(x)
	}
	k := math.Round(x / halfPi[0])
	r = dd{x, 0}
	for _, part := range halfPi {
		r = r.sub(prod(k, part))
	}
	return r, int(int64(k) & 3)
}

// piBits is enough for the remainder of any float64 to 120 bits and more.
const piBits = 1400

// bigHalfPi is pi/2 by Machin's formula.
var bigHalfPi = sync.OnceValue(func() *big.Float {
	scale := new(big.Int).Lsh(big.NewInt(1), piBits)
	arccot := func(n int64) *big.Int {
		term := new(big.Int).Quo(scale, big.NewInt(n))
		total := new(big.Int).Set(term)
		for i := int64(3); term.Sign() != 0; i += 2 {
			term.Quo(term, big.NewInt(-n*n))
			total.Add(total, new(big.Int).Quo(term, big.NewInt(i)))
		}
		return total
	}
	v := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(8), arccot(5)), new(big.Int).Mul(big.NewInt(2), arccot(239)))
	f := new(big.Float).SetPrec(piBits).SetInt(v)
	return f.SetMantExp(f, -piBits)
})

func reduceBig(x float64) (r dd, q int) {
	pi := bigHalfPi()
	f := new(big.Float).SetPrec(piBits).SetFloat64(x)
	k := new(big.Float).SetPrec(piBits).Quo(f, pi)
	half := 0.5
	if x < 0 {
		half = -0.5
	}
	n, _ := k.Add(k, big.NewFloat(half)).Int(nil)
	multiple := new(big.Float).SetPrec(piBits).SetInt(n)
	f.Sub(f, multiple.Mul(multiple, pi))
	h, _ := f.Float64()
	l, _ := f.Sub(f, new(big.Float).SetFloat64(h)).Float64()
	return dd{h, l}, int(n.And(n, big.NewInt(3)).Int64())
}

// sinCos is for |r| at most pi/4.
func sinCos(r dd) (s, c dd) {
	r2 := r.mul(r).neg()
	s, c = one, one
	for i := 26; i >= 2; i -= 2 {
		c = one.add(c.mul(r2).div(dd{float64(i * (i - 1)), 0}))
		s = one.add(s.mul(r2).div(dd{float64(i * (i + 1)), 0}))
	}
	return s.mul(r), c
}

// circle is sine and cosine of any finite x.
func circle(x float64) (s, c dd) {
	r, q := reduce(x)
	s, c = sinCos(r)
	switch q {
	case 1:
		return c, s.neg()
	case 2:
		return s.neg(), c.neg()
	case 3:
		return c.neg(), s
	}
	return s, c
}

func trig(x float64, plain func(float64) float64, f func(s, c dd) dd) float64 {
	if y := plain(x); !normal(x) && math.Abs(x) < 1 || math.IsNaN(y) {
		return y
	}
	return f(circle(x)).float()
}

// Sin is the sine.
func Sin(x float64) float64 { return trig(x, math.Sin, func(s, _ dd) dd { return s }) }

// Cos is the cosine.
func Cos(x float64) float64 { return trig(x, math.Cos, func(_, c dd) dd { return c }) }

// Tan is the tangent.
func Tan(x float64) float64 { return trig(x, math.Tan, func(s, c dd) dd { return s.div(c) }) }

// angle improves a: it is the angle of the point (x, y) to 53 bits.
func angle(y, x dd, a float64) float64 {
	s, c := circle(a)
	d := y.mul(c).sub(x.mul(s)).div(x.mul(c).add(y.mul(s)))
	return sum(a, d.h).float()
}

// Atan2 is the angle of the point (x, y).
func Atan2(y, x float64) float64 {
	a := math.Atan2(y, x)
	if !normal(a) || !normal(y) || !normal(x) {
		return a
	}
	_, e := math.Frexp(math.Max(math.Abs(x), math.Abs(y)))
	y, x = math.Ldexp(y, -e), math.Ldexp(x, -e)
	if !normal(y) || !normal(x) {
		return a
	}
	return angle(dd{y, 0}, dd{x, 0}, a)
}

// Atan is the arc tangent.
func Atan(x float64) float64 { return Atan2(x, 1) }

// leg is sqrt(1 - x^2).
func leg(x float64) dd { return sum(1, -x).mul(sum(1, x)).sqrt() }

// Asin is the arc sine.
func Asin(x float64) float64 {
	a := math.Asin(x)
	if !normal(a) || math.Abs(x) == 1 {
		return a
	}
	return angle(dd{x, 0}, leg(x), a)
}

// Acos is the arc cosine.
func Acos(x float64) float64 {
	a := math.Acos(x)
	if !normal(a) || math.Abs(x) == 1 {
		return a
	}
	return angle(leg(x), dd{x, 0}, a)
}
