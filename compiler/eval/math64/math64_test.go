package math64

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

var ones = []struct {
	name      string
	ours, std func(float64) float64
}{
	{"sin", Sin, math.Sin}, {"cos", Cos, math.Cos}, {"tan", Tan, math.Tan}, {"asin", Asin, math.Asin}, {"acos", Acos, math.Acos},
	{"atan", Atan, math.Atan}, {"exp", Exp, math.Exp}, {"exp2", Exp2, math.Exp2}, {"expm1", Expm1, math.Expm1}, {"sinh", Sinh, math.Sinh},
	{"cosh", Cosh, math.Cosh}, {"tanh", Tanh, math.Tanh}, {"log", Log, math.Log}, {"log2", Log2, math.Log2}, {"log10", Log10, math.Log10},
	{"log1p", Log1p, math.Log1p}, {"cbrt", Cbrt, math.Cbrt},
}

var twos = []struct {
	name      string
	ours, std func(x, y float64) float64
}{
	{"pow", Pow, math.Pow}, {"atan2", Atan2, math.Atan2}, {"hypot", Hypot, math.Hypot},
}

func draw(rng *rand.Rand) float64 {
	x := math.Float64frombits(rng.Uint64())
	switch rng.IntN(4) {
	case 0:
		x = rng.NormFloat64()
	case 1:
		x = math.Exp(8*rng.Float64()-2) * math.Copysign(1, x)
	case 2:
		x = 1 + rng.NormFloat64()*math.Exp2(-float64(rng.IntN(53)))
	}
	if math.Abs(x) < 0x1p-1022 {
		return 1 // some functions of package math are wrong for subnormals
	}
	return x
}

// near allows what the functions of package math are off, and what they do to subnormals.
func near(a, b float64) bool {
	return a == b || a != a && b != b || math.Abs(a-b) <= 1e-9*math.Abs(b)+1e-12
}

// TestNearPackageMath finds gross faults; that the error is below 1 ULP is measured
// against MPFR, see stencils/proof/kernels64.c.
func TestNearPackageMath(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		x, y := draw(rng), draw(rng)
		if y/x == 0 || x/y == 0 {
			y = x // where a quotient underflows, math.Atan2 has the wrong sign
		}
		if math.Abs(y) > 1e3 {
			y = math.Mod(y, 1e3) // math.Pow loses digits with the size of the exponent
		}
		for _, f := range ones {
			require.True(t, near(f.ours(x), f.std(x)), "%s(%v) = %v, not %v", f.name, x, f.ours(x), f.std(x))
		}
		for _, f := range twos {
			require.True(t, near(f.ours(x, y), f.std(x, y)), "%s(%v, %v) = %v, not %v", f.name, x, y, f.ours(x, y), f.std(x, y))
		}
	}
}

// TestSpecialValues: zeros keep their signs, and infinities and NaN are as in package math,
// which follows C99.
func TestSpecialValues(t *testing.T) {
	specials := []float64{0, math.Copysign(0, -1), 0.5, -0.5, 1, -1, 2, -3, 1e150, -1e150, 1e-150, -1e-150, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, x := range specials {
		for _, f := range ones {
			got, want := f.ours(x), f.std(x)
			require.True(t, near(got, want), "%s(%v) = %v, not %v", f.name, x, got, want)
			require.True(t, want != want || math.Signbit(got) == math.Signbit(want), "sign of %s(%v)", f.name, x)
		}
		for _, y := range specials {
			for _, f := range twos {
				got, want := f.ours(x, y), f.std(x, y)
				require.True(t, near(got, want), "%s(%v, %v) = %v, not %v", f.name, x, y, got, want)
				require.True(t, want != want || math.Signbit(got) == math.Signbit(want), "sign of %s(%v, %v)", f.name, x, y)
			}
		}
	}
}

// TestKnownValues: numbers that are known to all digits, some of which took care.
func TestKnownValues(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{Sin(math.Float64frombits(0x7506ac5b262ca1ff)), 1},                      // the double nearest to an odd multiple of pi/2
		{Cos(math.Float64frombits(0x7506ac5b262ca1ff)), -4.687165924254628e-19}, // within 2^-60 of it
		{Sin(math.Pi), 1.2246467991473532e-16},
		{Sin(1e22), -0.8522008497671888},
		{Tan(math.Pi / 2), 1.633123935319537e16},
		{Log(5e-324), -744.4400719213812}, {Exp(1), math.E}, {Exp2(-1074), 5e-324}, {Log(math.E), 1}, {Log2(8), 3}, {Log10(1e15), 15},
		{Pow(2, 0.5), math.Sqrt2}, {Pow(10, 22), 1e22}, {Cbrt(27), 3}, {Cbrt(-1e-300), -1e-100}, {Hypot(0x3p600, 0x4p600), 0x5p600},
		{Atan2(1, -1), 3 * math.Pi / 4}, {Asin(1), math.Pi / 2}, {Acos(-1), math.Pi}, {Tanh(1e-10), 1e-10}, {Expm1(1e-20), 1e-20},
	} {
		require.Equal(t, c.want, c.got)
	}
}
