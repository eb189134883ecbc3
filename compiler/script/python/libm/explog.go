package libm

import "math"

// normal reports whether a result is an ordinary number, for which the
// double-double path is right; the others are left to package math.
func normal(y float64) bool {
	a := math.Abs(y)
	return a > 1e-290 && a < 1e300
}

// expm1 is e^x - 1 for |x| below 0.4.
func expm1(x dd) dd {
	const halvings = 8
	r := x.scale(-halvings) // below 2^-9: ten terms of the series give 2^-115
	term, s := r, r
	for i := 2; i <= 11; i++ {
		term = term.mul(r).div(dd{float64(i), 0})
		s = s.add(term)
	}
	for range halvings { // (1+s)^2 - 1
		s = s.scale(1).add(s.mul(s))
	}
	return s
}

// expParts gives m and k with e^x = (1+m) 2^k.
func expParts(x dd) (m dd, k int) {
	n := math.Round(x.h / ln2.h)
	return expm1(x.sub(ln2.mulF(n))), int(n)
}

func exp(x dd) dd {
	m, k := expParts(x)
	return one.add(m).scale(k)
}

// log is the natural logarithm of a positive x.
func log(x float64) dd {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	// log m = 2 atanh s with |s| < 0.172
	s := sum(m, -1).div(sum(m, 1))
	s2 := s.mul(s)
	acc := dd{}
	for i := 45; i >= 1; i -= 2 {
		acc = acc.mul(s2).add(one.div(dd{float64(i), 0}))
	}
	return acc.mul(s).scale(1).add(ln2.mulF(float64(e)))
}

// Exp is e^x.
func Exp(x float64) float64 {
	y := math.Exp(x)
	if !normal(y) {
		return y
	}
	return exp(dd{x, 0}).float()
}

// Exp2 is 2^x.
func Exp2(x float64) float64 {
	y := math.Exp2(x)
	if !normal(y) || x == math.Floor(x) {
		return y
	}
	return exp(ln2.mulF(x)).float()
}

// Log is the natural logarithm.
func Log(x float64) float64 { return logBase(x, math.Log, one) }

// Log2 is the logarithm to base 2.
func Log2(x float64) float64 { return logBase(x, math.Log2, ln2) }

// Log10 is the logarithm to base 10.
func Log10(x float64) float64 { return logBase(x, math.Log10, ln10) }

func logBase(x float64, plain func(float64) float64, base dd) float64 {
	if y := plain(x); !normal(y) {
		return y
	}
	return log(x).div(base).float()
}

// Pow is x^y.
func Pow(x, y float64) float64 {
	z := math.Pow(x, y)
	if !normal(z) || math.Abs(x) == 1 || y == 0 || y == 1 {
		return z
	}
	r := exp(log(math.Abs(x)).mulF(y)).float()
	return math.Copysign(r, z)
}

// Sinh is the hyperbolic sine.
func Sinh(x float64) float64 {
	y := math.Sinh(x)
	if !normal(y) || math.Abs(x) < 1e-8 {
		return y
	}
	if math.Abs(x) > 0.3 {
		e := exp(dd{x, 0})
		return e.sub(one.div(e)).scale(-1).float()
	}
	m := expm1(dd{x, 0})
	return m.add(m.div(m.add(one))).scale(-1).float()
}

// Cosh is the hyperbolic cosine.
func Cosh(x float64) float64 {
	y := math.Cosh(x)
	if !normal(y) {
		return y
	}
	e := exp(dd{x, 0})
	return e.add(one.div(e)).scale(-1).float()
}

// Tanh is the hyperbolic tangent.
func Tanh(x float64) float64 {
	y := math.Tanh(x)
	if !normal(y) || math.Abs(x) < 1e-8 || math.Abs(x) > 20 {
		return y
	}
	var m dd
	if math.Abs(x) > 0.15 {
		m = exp(dd{2 * x, 0}).sub(one)
	} else {
		m = expm1(dd{2 * x, 0})
	}
	return m.div(m.add(dd{2, 0})).float()
}

// Cbrt is the cube root.
func Cbrt(x float64) float64 {
	y := math.Cbrt(x)
	if !normal(x) || !normal(y) {
		return y
	}
	y2 := prod(y, y)
	d := y2.mulF(y).sub(dd{x, 0})
	return y - d.h/(3*y2.h)
}
