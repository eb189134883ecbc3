package eval

import "math"

// float is the Go type of f32 or f64. Every step is rounded to it: no product
// is added to anything here, so that Go has nothing to fuse.
type float interface{ float32 | float64 }

func neg[T float](x T) T                { return -x }
func add[T float](x, y T) T             { return x + y }
func sub[T float](x, y T) T             { return x - y }
func mul[T float](x, y T) T             { return x * y }
func div[T float](x, y T) T             { return x / y }
func less[T float](x, y T) bool         { return x < y }
func lessEqual[T float](x, y T) bool    { return x <= y }
func greater[T float](x, y T) bool      { return x > y }
func greaterEqual[T float](x, y T) bool { return x >= y }
func equals[T float](x, y T) bool       { return x == y }
func differs[T float](x, y T) bool      { return x != y }
func isNaN[T float](x, _ T) bool        { return x != x }
func isFinite[T float](x, _ T) bool     { return x-x == 0 }
func nonZero[T float](x, _ T) bool      { return x != 0 }

func sign[T float](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// The float64 functions below are exact on float32 operands, and their results
// are float32 numbers again.

func floor(x float32) float32            { return float32(math.Floor(float64(x))) }
func trunc(x float32) float32            { return float32(math.Trunc(float64(x))) }
func ceil(x float32) float32             { return float32(math.Ceil(float64(x))) }
func round(x float32) float32            { return float32(math.RoundToEven(float64(x))) }
func abs(x float32) float32              { return float32(math.Abs(float64(x))) }
func fmod[T float](x, y T) T             { return T(math.Mod(float64(x), float64(y))) }
func oppositeSigns[T float](m, y T) bool { return (y < 0) != (m < 0) }

// zeroLike is a zero with the sign of x.
func zeroLike[T float](x T) T { return T(math.Copysign(0, float64(x))) }

func floorDiv[T float](x, y T) T {
	if y == 0 {
		return x / y
	}
	m := fmod(x, y)
	d := (x - m) / y
	if m != 0 && oppositeSigns(m, y) {
		d--
	}
	if d == 0 {
		return zeroLike(x / y)
	}
	q := T(math.Floor(float64(d)))
	if d-q > 0.5 {
		q++
	}
	return q
}

func mod[T float](x, y T) T {
	if y == 0 {
		return T(math.NaN())
	}
	m := fmod(x, y)
	if m == 0 {
		return zeroLike(y)
	}
	if oppositeSigns(m, y) {
		m += y
	}
	return m
}

// minimum and maximum order the zeros by their signs.

func minimum[T float](x, y T) T {
	switch {
	case x != x || x < y:
		return x
	case y != y || y < x:
		return y
	case math.Signbit(float64(x)):
		return x
	}
	return y
}

func maximum[T float](x, y T) T {
	switch {
	case x != x || x > y:
		return x
	case y != y || y > x:
		return y
	case math.Signbit(float64(x)):
		return y
	}
	return x
}

func toFloat(a, _, _ uint64) (uint64, uint32) {
	return floatWord(float32(int32(a))), 0
}

func floatToInt(a, _, _ uint64) (uint64, uint32) {
	return intWord(saturate(float64(floatOf(a)))), 0
}

// saturate rounds toward zero; what no i32 can be becomes the nearest one, NaN 0.
func saturate(x float64) int32 {
	switch {
	case x != x:
		return 0
	case x >= math.MaxInt32:
		return math.MaxInt32
	case x <= math.MinInt32:
		return math.MinInt32
	}
	return int32(x)
}

func toDouble(a, _, _ uint64) (uint64, uint32) {
	return doubleWord(float64(int32(a))), 0
}

func floatToDouble(a, _, _ uint64) (uint64, uint32) {
	return doubleWord(float64(floatOf(a))), 0
}

func doubleToFloat(a, _, _ uint64) (uint64, uint32) {
	return floatWord(float32(math.Float64frombits(a))), 0
}

func doubleToInt(a, _, _ uint64) (uint64, uint32) {
	return intWord(saturate(math.Float64frombits(a))), 0
}
