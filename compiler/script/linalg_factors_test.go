package script_test

import "testing"

// factors compares functions of traced matrices, which are loops from some size on, with those of
// plain ones, which are computed step by step in float64.
const factors = show + `
import math
def flat(x):
    if isinstance(x, (int, float)):
        return [float(x)]
    return [e for row in x for e in flat(row)]
def parts(r):
    return list(r) if isinstance(r, tuple) else [r]
def results(f, *args):
    tg = cp.Target()
    out = parts(f(*args))
    tg.compile(*out)
    tg.run()
    return [e for x in out for e in flat(tg.read_value(x))]
def error(f, *args, dtype=cp.f32, known=()):
    got = results(f, *(x if k in known else cp.value(x, dtype=dtype) for k, x in enumerate(args)))
    want = [e for x in parts(f(*(cp.tensor(x) for x in args))) for e in flat(x)]
    return max(abs(g - w) for g, w in zip(got, want)) / max(abs(e) for e in want) + 1.0 * (len(got) != len(want))
def waves(n, m=None, diagonal=0.0):
    return [[math.sin(1.7 * i * i + 2.3 * k + 0.9 * i * k) + diagonal * (i == k) for k in range(m or n)] for i in range(n)]
def vector(n):
    return [math.cos(1.1 * i * i + 0.3) for i in range(n)]
def permutation(n):
    return [[float((3 * i + 1) % n == k) * (i + 1) for k in range(n)] for i in range(n)]
def positive(n):
    w = cp.tensor(waves(n))
    return [[float(e) for e in row] for row in w @ w.T + cp.identity(n) * float(n)]
def slopes(f, x, others=()):
    v = cp.value(x)
    tg = cp.Target()
    g = cp.grad(f(v, *others), v)
    tg.compile(g)
    tg.run()
    def loss(k, h):
        y = flat(x)
        y[k] += h
        return float(f(cp.tensor(y).reshape(v.shape), *others))
    return max(abs(e - (loss(k, 1e-5) - loss(k, -1e-5)) / 2e-5) for k, e in enumerate(flat(tg.read_value(g))))
`

func TestSolutions(t *testing.T) {
	checkPrograms(t, factors, []scriptCase{
		{"vectors", "print([n for n in range(1, 15) if not error(cp.solve, waves(n, n, n), vector(n)) < 1e-6])", "[]\n"},
		{"matrices", "print([(n, m) for n in (3, 6, 7, 12) for m in (1, 2, 5, 40) if not error(cp.solve, waves(n, n, n), waves(n, m)) < 1e-6])", "[]\n"},
		{"pivots that are not on the diagonal", "print([n for n in (7, 8, 11, 13, 16) if not error(cp.solve, waves(n), vector(n)) < 1e-3])", "[]\n"},
		{"permutations", "print([n for n in (7, 8, 10, 16) if error(cp.solve, permutation(n), vector(n)) > 1e-7])", "[]\n"},
		{"without pivoting", "f = lambda a, b: cp.solve(a, b, pivot=False)\nprint([n for n in (7, 12) if not error(f, waves(n, n, n), waves(n, 2)) < 1e-6])", "[]\n"},
		{"float64", "print(error(cp.solve, waves(9, 9, 9), vector(9), dtype=cp.f64) < 1e-14, results(lambda a, b: cp.solve(a, b) - cp.solve(a, cp.f64(b)), cp.value(waves(7), dtype=cp.f64), cp.value([1, 0, 2, 0, 3, 0, 4])) == [0.0] * 7)", "True True\n"},
		{"a side that is known", "print([k for k in (0, 1) for b in (vector(9), waves(9, 3)) if not error(cp.solve, waves(9, 9, 9), b, known=(k,)) < 1e-6])", "[]\n"},
		{"three known diagonals", "a = [[float(i == k) * 4 - float(abs(i - k) == 1) for k in range(20)] for i in range(20)]\nprint(error(cp.solve, a, vector(20), known=(0,)) < 1e-6)", "True\n"},
		{"ints", "a = cp.matrix([[cp.value(9 * (i == k) + (i * k) % 4) for k in range(7)] for i in range(7)])\nb = cp.vector([cp.value(i) for i in range(7)])\nrun(abs(a @ cp.solve(a, b) - b).max() < 1e-5)", "True\n"},
		{"rows and columns of very different sizes", "w = waves(9, 9, 9.0)\nprint(error(cp.solve, [[x * 2.0 ** (6 * i - 27) for x in row] for i, row in enumerate(w)], [x * 2.0 ** (6 * i - 27) for i, x in enumerate(vector(9))]) < 1e-4)", "True\n"},
		{"singular", "a = waves(8, 8, 8.0)\na[3] = [2 * x for x in a[5]]\na[6] = [0.0] * 8\nprint(any(e * 0 == 0 for e in results(cp.solve, cp.value(a), cp.value(vector(8)))))", "False\n"},
		{"stacks", "f = lambda a, b: cp.solve(cp.stack([a * (k + 1.0) + cp.identity(7) for k in range(5)]), cp.stack([b, b * 2.0, b - 1.0, b, -b]))\nprint(error(f, waves(7, 7, 7), vector(7)) < 1e-6, error(f, waves(7, 7, 7), waves(7, 2)) < 1e-6)\n" +
			"g = lambda a: cp.inv(cp.stack([a * (k + 1.0) + cp.identity(3) for k in range(20)]).reshape(4, 5, 3, 3))\nprint(error(g, waves(3, 3, 3)) < 1e-6)", "True True\nTrue\n"},
		{"gradients", "f = lambda a, b: (cp.solve(a, b) ** 2).sum()\na, b = waves(7, 7, 4.0), vector(7)\nprint(slopes(f, a, (b,)) < 1e-4, slopes(lambda b, a: f(a, b), b, (a,)) < 1e-4, slopes(f, a, (waves(7, 2),)) < 1e-4)", "True True True\n"},
	})
}

func TestFactors(t *testing.T) {
	checkPrograms(t, factors, []scriptCase{
		{"determinants", "print([n for n in range(1, 14) if not error(cp.det, waves(n, n, 2.0)) < 1e-5])", "[]\n"},
		{"determinants of permutations", "print([results(cp.det, cp.value(permutation(n))) == [float(cp.det(permutation(n)))] for n in (7, 8, 10)])", "[True, True, True]\n"},
		{"determinants of singular matrices", "a = waves(8, 8, 8.0)\na[6] = [0.0] * 8\nb = waves(8, 8, 8.0)\nb[2] = b[7]\nprint(results(cp.det, cp.value(a)), abs(results(cp.det, cp.value(b))[0]) < 1)", "[0.0] True\n"},
		{"determinants of a stack", "f = lambda a: cp.det(cp.stack([a * (k + 1.0) for k in range(10)]))\nprint(error(f, waves(4, 4, 2.0)) < 1e-5, error(f, waves(7, 7, 2.0)) < 1e-5)", "True True\n"},
		{"roots", "print([n for n in range(1, 14) if not error(cp.cholesky, positive(n)) < 1e-6])", "[]\n"},
		{"roots read the lower half", "a = positive(8)\nfor i in range(8):\n    for k in range(i + 1, 8):\n        a[i][k] = math.nan\nprint(error(lambda x: cp.cholesky(x), positive(8)) < 1e-6, all(e * 0 == 0 for e in results(cp.cholesky, cp.value(a))))", "True True\n"},
		{"no roots", "a = positive(8)\na[7][7] = -1.0\nx = results(cp.cholesky, cp.value(a))\nprint([k for k, e in enumerate(x) if e != e])", "[63]\n"},
		{"q and r", "print([s for s in ((7, 7), (12, 12), (9, 7), (7, 9), (40, 2), (2, 40), (13, 4)) if not error(cp.qr, waves(*s)) < 2e-6])", "[]\n"},
		{"columns of zeros", "a = [[x * (k not in (2, 3)) * (i > 0 or k != 1) for k, x in enumerate(row)] for i, row in enumerate(waves(8, 7))]\nq, r = cp.qr(cp.value(a))\nrun(abs(q @ r - a).max() < 1e-6, abs(q.T @ q - cp.identity(7)).max() < 1e-6)", "True\nTrue\n"},
		{"sizes whose squares are no floats", "a, b = ([[x * s for x in row] for row in waves(8)] for s in (1e30, 1e-30))\nprint(*(error(f, x) < 2e-6 for f in (lambda x: cp.qr(x)[0], lambda x: cp.qr(x)[1]) for x in (a, b)))", "True True True True\n"},
		{"least squares", "print([(s, k) for s in ((7, 7), (12, 12), (20, 3), (40, 2), (9, 8)) for k in (0, 1) if not error(cp.lstsq, waves(*s, diagonal=3.0), waves(s[0], k) if k else vector(s[0])) < 1e-5])", "[]\n"},
		{"least squares with a side that is known", "print([k for k in (0, 1) for b in (vector(20), waves(20, 30)) if not error(cp.lstsq, waves(20, 4), b, known=(k,)) < 1e-5])", "[]\n"},
		{"least squares of columns that are not independent", "a = [row[:3] + [row[0] * 0.0] for row in waves(12)]\nprint(any(e * 0 == 0 for e in results(cp.lstsq, cp.value(a), cp.value(vector(12)))))", "False\n"},
		{"float64", "print(all(error(f, *a, dtype=cp.f64) < 1e-13 for f, *a in ((cp.det, waves(8, 8, 2.0)), (cp.cholesky, positive(8)), (cp.qr, waves(9, 7)), (cp.lstsq, waves(9, 7, 4.0), vector(9)))))", "True\n"},
		{"gradients", "a = waves(7, 7, 4.0)\nprint(slopes(lambda x: cp.det(x * 0.2), a) < 1e-3, slopes(lambda x: (cp.cholesky(x) ** 3).sum(), positive(7)) < 1e-3, slopes(lambda x: (cp.qr(x)[1] ** 3).sum() * 0.1, a) < 2e-3, slopes(lambda x: (cp.qr(x)[0] ** 3).sum(), waves(9, 7, 4.0)) < 1e-3)\n" +
			"print(slopes(lambda x, b: (cp.lstsq(x, b) ** 2).sum(), waves(20, 2, 4.0), (vector(20),)) < 1e-3, slopes(lambda b, x: (cp.lstsq(x, b) ** 2).sum(), vector(9), (waves(9, 7, 4.0),)) < 1e-3)", "True True True True\nTrue True\n"},
	})
}
