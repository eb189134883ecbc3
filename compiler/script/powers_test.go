package script_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPowersOfKnownExponents compares x ** n with the exact value: at most 7 units in the last
// place off where it is multiplied out, and the same bits for a known and a traced exponent
// everywhere else. Nothing overflows on the way to a result that is there.
func TestPowersOfKnownExponents(t *testing.T) {
	bases := []float64{2.5, 1.0000100135803223, 1e5, 1e-5, -3, -1, 7, 0.1, 1e19, 1e-19, 3e38, 1e-40}
	exponents := []int{-97, -64, -9, -8, -7, -5, -4, -3, -2, -1, 0, 1, 2, 3, 5, 7, 8, 9, 12, 97, 1000000}
	script := "import copapy as cp\ntg = cp.Target()\n"
	var names []string
	for i, x := range bases {
		script += fmt.Sprintf("x%d = cp.value(%v, dtype=float)\n", i, float32(x))
		for k, n := range exponents {
			script += fmt.Sprintf("a%d_%d, b%d_%d, c%d_%d = x%d ** %d, x%d ** %d.0, x%d ** cp.value(%d.0)\n", i, k, i, k, i, k, i, n, i, n, i, n)
			names = append(names, fmt.Sprintf("a%d_%d, b%d_%d, c%d_%d", i, k, i, k, i, k))
		}
	}
	all := strings.Join(names, ", ")
	script += "tg.compile(" + all + ")\ntg.run()\nfor r in tg.read_value([" + all + "]): print(float(r))\n"
	got, err := runText(t, script)
	require.NoError(t, err)
	lines := strings.Fields(got)
	for i, x := range bases {
		for k, n := range exponents {
			at := 3 * (i*len(exponents) + k)
			name := fmt.Sprintf("%v ** %d", float32(x), n)
			assert.Equal(t, lines[at], lines[at+1], name)
			if n < -8 || n > 8 {
				assert.Equal(t, lines[at], lines[at+2], name)
			}
			want := math.Pow(float64(float32(x)), float64(n))
			var r float64
			_, err := fmt.Sscan(lines[at], &r)
			require.NoError(t, err)
			rounded := float64(float32(want))
			if math.IsInf(rounded, 0) || rounded == 0 {
				assert.Equal(t, rounded, r, name)
				continue
			}
			assert.Equal(t, math.Signbit(want), math.Signbit(r), name)
			ulp := math.Max(math.Exp2(float64(math.Ilogb(rounded)-23)), 0x1p-149)
			most := 7.0
			if n < -8 || n > 8 {
				most = 1.01
			}
			assert.LessOrEqual(t, math.Abs(r-want), most*ulp, "%s = %v instead of %v", name, r, want)
		}
	}
}

// TestPowerTypes: one float makes a float of a power, as of every other operation.
func TestPowerTypes(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"ints", "n = cp.value(50000)\nrun(n ** 2.0, cp.pow(n, 2.0), pow(n, 2.0), cp.power(n, 2.0), n ** 1.0, n ** 0.0, n ** 2)",
			"2500000000.0\n2500000000.0\n2500000000.0\n2500000000.0\n50000.0\n1.0\n-1794967296\n"},
		{"arrays", "v = cp.vector([cp.value(50000), cp.value(-3)])\nrun(v ** 2.0, v ** 2, cp.square(v) ** 1.0, [50000, 1] ** v)",
			"[2500000000.0, 9.0]\n[-1794967296, 9]\n[-1794967296.0, 9.0]\n[inf, 1.0]\n"},
		{"bools", "b = cp.value(True)\nrun(b ** 2, b ** 2.0, b ** -1)", "1\n1.0\n1.0\n"},
		{"beside a double", "n = cp.value(50000)\nrun(n ** cp.f64(2.0), cp.f64(n) ** 2, cp.f64(n) ** 9)", "2500000000.0\n2500000000.0\n1.953125e+42\n"},
		{"their derivatives", "x = cp.value(2.0)\nfor n in (-9, -8, -2, -1, 0, 1, 8, 9, 2.5): run(cp.grad(x ** n, x) - n * 2.0 ** (n - 1))",
			"0.0\n0.0\n0.0\n0.0\n0.0\n0.0\n0.0\n0.0\n0.0\n"},
	})
}
