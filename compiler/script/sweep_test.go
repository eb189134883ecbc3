package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSweep: cp.sweep gives what a loop of write, run and read gives, and leaves the target as it was.
func TestSweep(t *testing.T) {
	out, err := runText(t, `
import copapy as cp
kp = cp.value(2.0)
gains = cp.value([1.0, 2.0, 3.0])
n = cp.value(3)
total = cp.state(1.0)
total.next = total + kp
y = cp.vector([kp * gains.sum(), kp // n])
tg = cp.Target()
tg.compile(y, total)
tg.write_value(kp, 7.0)
tg.run()
before = tg.read_value(y)
table = cp.sweep(tg, {"kp": cp.linspace(0.1, 1, 4), "gains[1]": (0, cp.inf), "n": 2}, get=["y", "total"], runs=3)
print(list(table) == ["kp", "gains[1]", "n", "y[0]", "y[1]", "total"], table["n"])
i = 0
for k in cp.linspace(0.1, 1, 4):
    for g in (0, cp.inf):
        tg.reset()
        tg.write_value(kp, k)
        tg.write_value(gains[1], g)
        tg.write_value(n, 2)
        tg.run(3)
        want = [tg.read_value(kp), tg.read_value(gains[1]), *tg.read_value(y), tg.read_value(total)]
        got = [table[c][i] for c in ("kp", "gains[1]", "y[0]", "y[1]", "total")]
        if got != want: print(i, got, want)
        i += 1
print(i, before)
`)
	require.NoError(t, err)
	assert.Equal(t, "True [2, 2, 2, 2, 2, 2, 2, 2]\n8 [42.0, 2.0]\n", out)

	for call, says := range map[string]string{
		`cp.sweep(tg, {"z": [1]})`:                                       `no variable "z"`,
		`cp.sweep(tg, {"x": []})`:                                        "x has no values",
		`cp.sweep(tg, {"x": ["a"]})`:                                     "'str' is none",
		`cp.sweep(tg, {"x": [x]})`:                                       "is none",
		`cp.sweep(tg, {1: [1]})`:                                         "name of a variable",
		`cp.sweep(tg, [1])`:                                              "the grid is a dict",
		`cp.sweep(tg, {})`:                                               "needs a parameter",
		`cp.sweep(x, {"x": [1]})`:                                        "cp.Target()",
		`cp.sweep(cp.Target(), {"x": [1]})`:                              "no program on this target",
		`cp.sweep(tg, {"x": [1]}, runs=0)`:                               "positive integer",
		`cp.sweep(tg, {"x": [1]}, get=3)`:                                "list of names",
		`cp.sweep(tg, {"x": [1]}, get="q")`:                              `no variable "q"`,
		`cp.sweep(tg, {"x": "12"})`:                                      "'str' is none",
		`cp.sweep(tg, {n: list(range(10000)) for n in ("x", "y", "z")})`: "more than 1000000000 runs",
		`cp.sweep(tg, {n: list(range(5000)) for n in ("x", "z")})`:       "no variable",
	} {
		_, err := runText(t, "import copapy as cp\nx = cp.value(1.0)\ny = x * 2\ntg = cp.Target()\ntg.compile(y)\n"+call+"\n")
		require.ErrorContains(t, err, says, call)
	}
}
