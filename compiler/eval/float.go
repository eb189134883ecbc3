package eval

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
)

func sign(x float32) float32 {
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

func floor(x float32) float32         { return float32(math.Floor(float64(x))) }
func trunc(x float32) float32         { return float32(math.Trunc(float64(x))) }
func ceil(x float32) float32          { return float32(math.Ceil(float64(x))) }
func round(x float32) float32         { return float32(math.RoundToEven(float64(x))) }
func fmod(x, y float32) float32       { return float32(math.Mod(float64(x), float64(y))) }
func copysign(x, y float32) float32   { return float32(math.Copysign(float64(x), float64(y))) }
func isNaN(x float32) bool            { return x != x }
func oppositeSigns(m, y float32) bool { return (y < 0) != (m < 0) }

func floorDiv(x, y float32) float32 {
	if y == 0 {
		return float32(x / y)
	}
	m := fmod(x, y)
	d := float32(float32(x-m) / y)
	if m != 0 && oppositeSigns(m, y) {
		d = float32(d - 1)
	}
	if d == 0 {
		return copysign(0, float32(x/y))
	}
	q := floor(d)
	if float32(d-q) > 0.5 {
		q = float32(q + 1)
	}
	return q
}

func mod(x, y float32) float32 {
	if y == 0 {
		return math.Float32frombits(graph.NaN)
	}
	m := fmod(x, y)
	if m == 0 {
		return copysign(0, y)
	}
	if oppositeSigns(m, y) {
		m = float32(m + y)
	}
	return m
}

func minimum(x, y float32) float32 {
	switch {
	case isNaN(x) || x < y:
		return x
	case isNaN(y) || y < x:
		return y
	}
	// Equal, so that only zeros can differ: the sign bit of either one counts.
	return math.Float32frombits(math.Float32bits(x) | math.Float32bits(y))
}

func maximum(x, y float32) float32 {
	switch {
	case isNaN(x) || x > y:
		return x
	case isNaN(y) || y > x:
		return y
	}
	return math.Float32frombits(math.Float32bits(x) & math.Float32bits(y))
}

func toFloat(a, _, _ uint32) (uint32, uint32) {
	return math.Float32bits(float32(int32(a))), 0
}

func floatToInt(a, _, _ uint32) (uint32, uint32) {
	x := float64(math.Float32frombits(a))
	switch {
	case x != x:
		return 0, 0
	case x >= math.MaxInt32:
		return math.MaxInt32, 0
	case x <= math.MinInt32:
		return 1 << 31, 0
	}
	return uint32(int32(x)), 0
}
