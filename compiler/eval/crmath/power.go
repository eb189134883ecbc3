package crmath

import (
	"math"
	"math/big"
)

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
	return finish(math.Exp(float64(x)), exactExp, x)
}

// Exp2 returns 2**x, 0 and +Inf where the result leaves the range of float32.
func Exp2(x float32) float32 {
	switch {
	case x != x:
		return nan
	case x < -151:
		return 0
	case x > 129:
		return float32(math.Inf(1))
	}
	return finish(math.Exp2(float64(x)), exactExp2, x)
}

// Expm1 returns e**x - 1, accurate near 0 too.
func Expm1(x float32) float32 {
	switch {
	case x != x:
		return nan
	case x < -104:
		return -1
	case x > 89:
		return float32(math.Inf(1))
	}
	return finish(math.Expm1(float64(x)), exactExpm1, x)
}

// Sinh returns the hyperbolic sine of x.
func Sinh(x float32) float32 {
	if x != x {
		return nan
	}
	// Not math.Sinh, which subtracts from 1/2 up: both terms have x's sign.
	e := math.Expm1(min(math.Abs(float64(x)), 100))
	return finish(math.Copysign((e+e/(e+1))/2, float64(x)), exactSinh, x)
}

// Cosh returns the hyperbolic cosine of x.
func Cosh(x float32) float32 {
	if x != x {
		return nan
	}
	e := math.Exp(min(math.Abs(float64(x)), 100))
	return finish((e+1/e)/2, exactCosh, x)
}

// Tanh returns the hyperbolic tangent of x.
func Tanh(x float32) float32 {
	if x != x {
		return nan
	}
	e := math.Expm1(2 * min(math.Abs(float64(x)), 20))
	return finish(math.Copysign(e/(e+2), float64(x)), exactTanh, x)
}

// Log returns the natural logarithm of x; -Inf for ±0, NaN below 0.
func Log(x float32) float32 {
	return logarithm(x, math.Log(float64(x)), exactLog)
}

// logarithm finishes a logarithm of x to any base above 1, approximately v.
func logarithm(x float32, v float64, exact func(float32) *big.Float) float32 {
	switch {
	case x != x || x < 0:
		return nan
	case x == 0:
		return float32(math.Inf(-1))
	case x > math.MaxFloat32:
		return x
	}
	return finish(v, exact, x)
}

// Log2 returns the binary logarithm of x; -Inf for ±0, NaN below 0.
func Log2(x float32) float32 {
	return logarithm(x, math.Log(float64(x))/math.Ln2, exactLog2)
}

// Log10 returns the decimal logarithm of x; -Inf for ±0, NaN below 0.
func Log10(x float32) float32 {
	return logarithm(x, math.Log(float64(x))/math.Ln10, exactLog10)
}

// Log1p returns the logarithm of 1+x, accurate near 0 too; -Inf for -1, NaN below.
func Log1p(x float32) float32 {
	switch {
	case x != x || x < -1:
		return nan
	case x == -1:
		return float32(math.Inf(-1))
	case x > math.MaxFloat32:
		return x
	}
	return finish(math.Log1p(float64(x)), exactLog1p, x)
}

// Cbrt returns the cube root of x.
func Cbrt(x float32) float32 {
	if x != x {
		return nan
	}
	return finish(math.Cbrt(float64(x)), exactCbrt, x)
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
