package script_test

import "testing"

// inverses compares inverses of traced numbers, which are loops from some size on, with those of
// plain ones, which are computed step by step in float64.
const inverses = show + `
import math
def traced(a, dtype=cp.f32):
    return cp.matrix([[cp.value(x, dtype=dtype) for x in row] for row in a])
def error(a, dtype=cp.f32):
    x = cp.inv(traced(a, dtype))
    tg = cp.Target()
    tg.compile(x)
    tg.run()
    want = [[float(e) for e in row] for row in cp.inv(a)]
    most = max(abs(e) for row in want for e in row)
    return max(abs(g - w) for r, s in zip(tg.read_value(x), want) for g, w in zip(r, s)) / most
def waves(n, diagonal=0.0):
    return [[math.sin(1.7 * i * i + 2.3 * k + 0.9 * i * k) + diagonal * (i == k) for k in range(n)] for i in range(n)]
def permutation(n):
    return [[float((3 * i + 1) % n == k) * (i + 1) for k in range(n)] for i in range(n)]
`

func TestInverses(t *testing.T) {
	checkPrograms(t, inverses, []scriptCase{
		{"sizes", "print([n for n in range(1, 17) if not error(waves(n, n)) < 1e-6])", "[]\n"},
		{"pivots that are not on the diagonal", "print([n for n in (7, 8, 11, 13, 16) if not error(waves(n)) < 1e-3])", "[]\n"},
		{"permutations", "print([n for n in (7, 8, 10, 16) if error(permutation(n)) > 1e-7])", "[]\n"},
		{"float64", "print([n for n in (7, 12) if not error(waves(n), cp.f64) < 1e-11])", "[]\n"},
		{"rows and columns of very different sizes", "w = waves(9, 9.0)\nprint(error([[x * 2.0 ** (6 * i - 27) for x in row] for i, row in enumerate(w)]) < 1e-5)", "True\n"},
		{"singular", "a = waves(8, 8.0)\na[3] = [2 * x for x in a[5]]\na[6] = [0.0] * 8\nx = cp.inv(traced(a))\ntg = cp.Target()\ntg.compile(x)\ntg.run()\nprint(any(e * 0 == 0 for row in tg.read_value(x) for e in row))", "False\n"},
		{"ints", "a = cp.matrix([[cp.value(9 * (i == k) + (i * k) % 4) for k in range(7)] for i in range(7)])\nx = cp.inv(a) @ a - cp.identity(7)\nrun(abs(x).max() < 1e-5)", "True\n"},
		{"gradient", `a = waves(7, 4.0)
x = cp.value(a)
tg = cp.Target()
g = cp.grad((cp.inv(x) ** 2).sum(), x)
tg.compile(g)
tg.run()
g = tg.read_value(g)
def loss(i, k, h):
    b = [list(row) for row in a]
    b[i][k] += h
    return sum(float(e) ** 2 for row in cp.inv(b) for e in row)
print(max(abs(g[i][k] - (loss(i, k, 1e-5) - loss(i, k, -1e-5)) / 2e-5) for i in range(7) for k in range(7)) < 1e-4)`, "True\n"},
	})
}
