package numfmt

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of package vm's testdata/python/formatspec.py compares all
// formats with CPython; here are the corners of each function.
func TestRepr(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0.0", 1: "1.0", -1.5: "-1.5", 1e15: "1000000000000000.0", 1e16: "1e+16", 123456789012345678: "1.2345678901234568e+17",
		1e-4: "0.0001", 1e-5: "1e-05", 5e-324: "5e-324", math.MaxFloat64: "1.7976931348623157e+308", math.Inf(-1): "-inf",
	} {
		require.Equal(t, want, Repr(f))
	}
	require.Equal(t, "-0.0", Repr(math.Copysign(0, -1)))
	require.Equal(t, "nan", Repr(math.NaN()))
}

func TestSpec(t *testing.T) {
	for spec, want := range map[string]string{
		"": "-1234567", "+,": "-1,234,567", "015,d": "-00,001,234,567", "_x": "-12_d687", "#b": "-0b100101101011010000111",
		"*^13": "**-1234567***", "=12": "-    1234567", "é<10": "-1234567éé",
	} {
		s, err := Parse(spec)
		require.NoError(t, err, spec)
		got, err := s.Int(big.NewInt(-1234567))
		require.NoError(t, err, spec)
		require.Equal(t, want, got, spec)
	}
	for _, spec := range []string{"5z5", ".", ",_", "99999999999999999999", "dd"} {
		_, err := Parse(spec)
		require.Error(t, err, spec)
	}
}

func FuzzRepr(f *testing.F) {
	for _, x := range []float64{0, 1, 0.1, 1e16, 1e-5, math.Pi, 5e-324, math.MaxFloat64} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if math.IsNaN(x) {
			return
		}
		y, err := strconv.ParseFloat(Repr(x), 64)
		if err != nil || math.Float64bits(x) != math.Float64bits(y) {
			t.Fatalf("%v is written %s and read back %v (%v)", x, Repr(x), y, err)
		}
	})
}

func FuzzSpec(f *testing.F) {
	for _, spec := range []string{"", ">10.3f", "+#010x", "é^5", "015,.2f", "=_b", "z.0e", "%", "c"} {
		f.Add(spec, 1.5)
	}
	f.Fuzz(func(t *testing.T, text string, x float64) {
		s, err := Parse(text)
		if err != nil || s.Width > 10_000 || s.Precision > 10_000 {
			return
		}
		for _, out := range []func() (string, error){
			func() (string, error) { return s.Float(x) },
			func() (string, error) { return s.Int(big.NewInt(int64(math.Mod(x, 1e9)))) },
			func() (string, error) { return s.Str(text) },
		} {
			if got, err := out(); err == nil && len([]rune(got)) < s.Width {
				t.Fatalf("%q is shorter than %d", got, s.Width)
			}
		}
	})
}
