// Package crmath computes the float32 functions of the language for the
// reference interpreter, independently of the C kernels that targets run.
//
// The one-argument functions are correctly rounded: the exact value rounded to
// nearest even. Each takes a float64 approximation from package math, whose
// error is far below [relBound]; where that leaves the float32 result
// undecided, the exact.go functions compute it to 256 bits. Since a correctly
// rounded function has one right answer, the results equal those of every
// target's kernels, however those are written.
//
// Atan2 and Pow are not correctly rounded by contract: they have one definition
// in float64 arithmetic (two.go), shared with the C kernels operation by
// operation, at most 0.51 ULP off.
//
// Every NaN result is 0x7fc00000. There are no errors and no state.
package crmath

import "math"

// relBound bounds the relative error of every float64 approximation here. Those
// of package math stay below 2^-50 (checked against exact.go by the tests); the
// margin costs nothing, since about one argument in 2^21 becomes undecided.
const relBound = 0x1p-46

var nan = math.Float32frombits(0x7fc00000)

// decide rounds v, known within relBound. ok is false when a boundary between
// two float32 results is too near.
func decide(v float64) (r float32, ok bool) {
	r = float32(v * (1 - relBound))
	return r, r == float32(v*(1+relBound))
}

// Sin returns the sine of x radians; NaN for infinities.
func Sin(x float32) float32 {
	s, _ := Sincos(x)
	return s
}

// Cos returns the cosine of x radians; NaN for infinities.
func Cos(x float32) float32 {
	_, c := Sincos(x)
	return c
}

// Sincos returns Sin(x) and Cos(x), sharing the argument reduction.
func Sincos(x float32) (sin, cos float32) {
	if !finite(x) {
		return nan, nan
	}
	q, r := reduce(x)
	s, c := math.Sin(r), math.Cos(r)
	if q&1 != 0 {
		s, c = c, -s
	}
	if q&2 != 0 {
		s, c = -s, -c
	}
	var ok bool
	if sin, ok = decide(s); !ok {
		sin = round(exactSin(x))
	}
	if cos, ok = decide(c); !ok {
		cos = round(exactCos(x))
	}
	return sin, cos
}

// Tan returns the tangent of x radians; NaN for infinities.
func Tan(x float32) float32 {
	if !finite(x) {
		return nan
	}
	q, r := reduce(x)
	t := math.Tan(r)
	if q&1 != 0 {
		t = -1 / t
	}
	if v, ok := decide(t); ok {
		return v
	}
	return round(exactTan(x))
}

// Asin returns the arc sine of x in radians; NaN where |x| > 1.
func Asin(x float32) float32 {
	if !(-1 <= x && x <= 1) {
		return nan
	}
	if v, ok := decide(math.Asin(float64(x))); ok {
		return v
	}
	return round(exactAsin(x))
}

// Acos returns the arc cosine of x in radians; NaN where |x| > 1.
func Acos(x float32) float32 {
	if !(-1 <= x && x <= 1) {
		return nan
	}
	// Not math.Acos: it subtracts from pi/2, which cancels near x = 1.
	d := float64(x)
	if v, ok := decide(math.Atan2(math.Sqrt((1-d)*(1+d)), d)); ok {
		return v
	}
	return round(exactAcos(x))
}

// Atan returns the arc tangent of x in radians.
func Atan(x float32) float32 {
	if x != x {
		return nan
	}
	if v, ok := decide(math.Atan(float64(x))); ok {
		return v
	}
	return round(exactAtan(x))
}

// Exp returns e**x, 0 and +Inf where the result leaves the range of float32.
func Exp(x float32) float32 {
	switch {
	case x != x:
		return nan
	case x < -104:
		return 0
	case x > 89:
		return float32(math.Inf(1))
	}
	if v, ok := decide(math.Exp(float64(x))); ok {
		return v
	}
	return round(exactExp(x))
}

// Log returns the natural logarithm of x; -Inf for ±0, NaN below 0.
func Log(x float32) float32 {
	switch {
	case x != x || x < 0:
		return nan
	case x == 0:
		return float32(math.Inf(-1))
	case x > math.MaxFloat32:
		return x
	}
	if v, ok := decide(math.Log(float64(x))); ok {
		return v
	}
	return round(exactLog(x))
}

// Sqrt returns the square root of x, -0 for -0, NaN below 0. The float64 square
// root of a float32 never lies so near a float32 boundary that rounding twice
// differs from rounding once (53 >= 2*24+2 bits).
func Sqrt(x float32) float32 {
	if x != x || x < 0 {
		return nan
	}
	return float32(math.Sqrt(float64(x)))
}

func finite(x float32) bool {
	return math.Float32bits(x)&0x7f800000 != 0x7f800000
}
