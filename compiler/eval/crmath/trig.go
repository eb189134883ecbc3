package crmath

import "math"

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
	return finish(s, exactSin, x), finish(c, exactCos, x)
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
	return finish(t, exactTan, x)
}

// Asin returns the arc sine of x in radians; NaN where |x| > 1.
func Asin(x float32) float32 {
	if !(-1 <= x && x <= 1) {
		return nan
	}
	return finish(math.Asin(float64(x)), exactAsin, x)
}

// Acos returns the arc cosine of x in radians; NaN where |x| > 1.
func Acos(x float32) float32 {
	if !(-1 <= x && x <= 1) {
		return nan
	}
	// Not math.Acos: it subtracts from pi/2, which cancels near x = 1.
	d := float64(x)
	return finish(math.Atan2(math.Sqrt((1-d)*(1+d)), d), exactAcos, x)
}

// Atan returns the arc tangent of x in radians.
func Atan(x float32) float32 {
	if x != x {
		return nan
	}
	return finish(math.Atan(float64(x)), exactAtan, x)
}
