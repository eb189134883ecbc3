package script_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// floats runs an expression of v, an array of the type, and returns its elements.
func floats(t *testing.T, dtype, expression string, xs, ys []float64) []float64 {
	t.Helper()
	list := func(xs []float64) string {
		text := make([]string, len(xs))
		for i, x := range xs {
			text[i] = fmt.Sprintf("float('%v')", x)
		}
		return "[" + strings.Join(text, ",") + "]"
	}
	out, err := runText(t, fmt.Sprintf(`import copapy as cp
v, w = cp.value(%s, dtype=%s), cp.value(%s, dtype=%[2]s)
r = %[4]s
tg = cp.Target()
tg.compile(r)
tg.run()
for e in tg.read_value(r): print(e)
`, list(xs), dtype, list(ys), expression))
	require.NoError(t, err)
	lines := strings.Fields(out)
	require.Len(t, lines, len(xs))
	got := make([]float64, len(xs))
	for i, line := range lines {
		got[i], err = strconv.ParseFloat(line, 64)
		require.NoError(t, err)
	}
	return got
}

// TestErrorFunction measures erf and erfc in units of the last digit of the exact results,
// in both types, over all of their range.
func TestErrorFunction(t *testing.T) {
	var xs []float64
	for x := -6.0; x < 9; x += 0.0103 {
		xs = append(xs, float64(float32(x)))
	}
	xs = append(xs, 1e-30, -1e-5, 0.5, 1, -1, 0.49999997, 0.99999994, math.Inf(1), math.Inf(-1))
	for _, c := range []struct {
		dtype, f string
		exact    func(float64) float64
		most     float64
	}{
		{"cp.f32", "erf", math.Erf, 2.5}, {"cp.f32", "erfc", math.Erfc, 4.5}, {"cp.f64", "erf", math.Erf, 4}, {"cp.f64", "erfc", math.Erfc, 6},
	} {
		got := floats(t, c.dtype, "cp."+c.f+"(v)", xs, xs)
		worst, at := 0.0, 0.0
		for i, x := range xs {
			want := c.exact(x)
			size := math.Abs(want)
			unit := math.Nextafter(size, math.Inf(1)) - size
			if c.dtype == "cp.f32" {
				unit = float64(math.Nextafter32(float32(size), float32(math.Inf(1)))) - float64(float32(size))
			}
			if off := math.Abs(got[i]-want) / unit; off > worst {
				worst, at = off, x
			}
		}
		t.Logf("%s of %s: %.2f ULP, at %v", c.f, c.dtype, worst, at)
		assert.LessOrEqual(t, worst, c.most, "%s of %s at %v", c.f, c.dtype, at)
	}
}

// TestPartsOfFloats compares nextafter, ldexp and frexp with Go's, bit by bit, at powers of
// two, subnormals, limits and infinities.
func TestPartsOfFloats(t *testing.T) {
	inf := math.Inf(1)
	corners := map[string][]float64{
		"cp.f32": {0, math.Copysign(0, -1), 1, 1.5, 2, 0.5, 3e-39, 1e-45, math.SmallestNonzeroFloat32 * 3, 0x1p-126, 0x1.8p-126, 0x1.fffffep-127, math.MaxFloat32, 0x1p127, 0x1.fffffep100, inf, 7.25, 0.1},
		"cp.f64": {0, math.Copysign(0, -1), 1, 1.5, 2, 0.5, 5e-324, 1e-310, 0x1p-1022, 0x1.8p-1022, math.MaxFloat64, 0x1p1023, inf, 7.25, 0.1},
	}
	for dtype, list := range corners {
		var xs, ys, ns []float64
		for _, x := range list {
			for _, sign := range []float64{1, -1} {
				for k, y := range []float64{inf, -inf, 0, 1.5} {
					x := x
					if dtype == "cp.f32" {
						x = float64(float32(x))
					}
					xs, ys = append(xs, sign*x), append(ys, y)
					ns = append(ns, float64([]int{-149, 130, 3, -30}[k]*int(1+7*float64(len(dtype)%2))))
				}
			}
		}
		for i := range ns {
			if dtype == "cp.f64" {
				ns[i] *= 7
			}
		}
		small := dtype == "cp.f32"
		next := floats(t, dtype, "cp.nextafter(v, w)", xs, ys)
		scaled := floats(t, dtype, "cp.ldexp(v, w.astype(int))", xs, ns)
		m, e := floats(t, dtype, "cp.frexp(v)[0]", xs, ys), floats(t, dtype, "cp.frexp(v)[1] * 1.0", xs, ys)
		for i, x := range xs {
			want, power := math.Nextafter(x, ys[i]), math.Ldexp(x, int(ns[i]))
			if small {
				want, power = float64(math.Nextafter32(float32(x), float32(ys[i]))), float64(float32(power))
			}
			if x == ys[i] {
				want = ys[i] // as in C
			}
			assert.Equal(t, math.Float64bits(want), math.Float64bits(next[i]), "%s nextafter(%v, %v): %v, not %v", dtype, x, ys[i], next[i], want)
			assert.Equal(t, math.Float64bits(power), math.Float64bits(scaled[i]), "%s ldexp(%v, %v): %v, not %v", dtype, x, ns[i], scaled[i], power)
			wantM, wantE := math.Frexp(x)
			assert.Equal(t, math.Float64bits(wantM), math.Float64bits(m[i]), "%s frexp(%v)", dtype, x)
			assert.Equal(t, float64(wantE), e[i], "%s frexp(%v)", dtype, x)
		}
	}
}

// TestWanted has what NumPy 1.24 has not, and derivatives.
func TestWanted(t *testing.T) {
	const head = `
def run(*values):
    tg = cp.Target()
    tg.compile(*values)
    tg.run()
    print(*map(tg.read_value, values))
x, n, i = cp.value(0.5), cp.value(-2), cp.value(1)
v = cp.value([1.0, 2.0, 3.0, 4.0, 5.0])
m = cp.value([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
g = lambda y, x: run(cp.grad(y, x))
`
	checkPrograms(t, show+head, []scriptCase{
		{"bits", "b = cp.value([0, 1, -1, 255, -2147483648, 2147483647, 65536])\nrun(cp.popcount(b), cp.clz(b), cp.bitwise_count(b))\nprint(cp.popcount(0xffffffff), cp.clz(1), cp.popcount(cp.vector([7, -1])), cp.bitwise_count(-7), cp.clz(0))",
			"[0, 1, 32, 8, 1, 31, 1] [32, 31, 0, 24, 0, 1, 15] [0, 1, 1, 8, 1, 31, 1]\n32 31 [3, 32] 3 32\n"},
		{"masks of 32 bits", "run(n & 0xffffffff, n & 0xfffffffe, n ^ 0xffffffff, 0x80000000 | n, cp.vector([n, 3]) & 0xffffffff)", "-2 -2 1 -2 [-2, 3]\n"},
		{"running extremes", "run(cp.cummax(cp.value([3.0, 1.0, 4.0, cp.nan, 9.0])), cp.cummin(m, axis=1), cp.cummax(cp.value([2, 5, 3])))\nprint(cp.cummin([3, 1, 2]), cp.cummax([[1, 2], [0, 3]], axis=0))", "[3.0, 3.0, 4.0, nan, nan] [[1.0, 1.0, 1.0], [4.0, 4.0, 4.0]] [2, 5, 5]\n[3, 1, 1] [[1, 2], [1, 3]]\n"},
		{"slices", "run(v[i:i + 3], v[i - 1:i + 1], m[:, i:i + 2], v[i + 8:i + 10], v[n:n + 2], v[n - 9:n - 7])\nrun(m[i, i:i + 1], v[i:i + 5], m[None, ..., i:i + 2].sum())", "[2.0, 3.0, 4.0] [1.0, 2.0] [[2.0, 3.0], [5.0, 6.0]] [4.0, 5.0] [4.0, 5.0] [1.0, 2.0]\n[5.0] [1.0, 2.0, 3.0, 4.0, 5.0] 16.0\n"},
		{"assigned slices", "a, b = v.copy(), m.copy()\na[i:i + 2] = [20.0, 30.0]\na[i + 2:i + 4] *= -1\nb[:, i:i + 2] = b[:, i - 1:i + 1]\nrun(a, b)\ng((a * a).sum() + (b * b).sum(), [v, m])", "[1.0, 20.0, 30.0, -4.0, -5.0] [[1.0, 1.0, 2.0], [4.0, 4.0, 5.0]]\n[vector([2.0, 0.0, 0.0, 8.0, 10.0]), matrix([[4.0, 4.0, 0.0], [16.0, 10.0, 0.0]])]\n"},
		{"slices in a loop", "def body(k, c, row):\n    w = v[k:k + 2]\n    return c + w.sum() * row, w\nlast, ws = cp.scan(3, body, 0.0, cp.vector([1.0, 10.0, 100.0]))\nrun(last, ws)", "753.0 [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]\n"},
		{"many gathered", "w = cp.value([[10.0 * i + k for k in range(3)] for i in range(30)])\nk = cp.value([(7 * i) % 70 - 35 for i in range(25)])\np = [min(max(i + 30 if i < 0 else i, 0), 29) for i in [(7 * i) % 70 - 35 for i in range(25)]]\nr = cp.tensor([[10.0 * i + k for k in range(3)] for i in range(30)])\nrun(abs(w[k] - r[p]).max(), abs(w[:, 1][k] - r[p, 1]).max(), abs(w[k, cp.value([1] * 25)] - r[p, 1]).max(), abs(w.T[:, k] - r.T[:, p]).max(), abs(w[k.reshape(5, 5)] - r[p].reshape(5, 5, 3)).max(), abs(cp.take_along_axis(w, k.reshape(25, 1), axis=0) - r[p]).max())", "0.0 0.0 0.0 0.0 0.0 0.0\n"},
		{"an element at two indices", "n, f = cp.value([i * 4 - 9 for i in range(6)]), cp.tensor([[[100 * i + 10 * k + j for j in range(5)] for k in range(4)] for i in range(3)])\nx, at = f + cp.value(0), lambda i, n: min(max(i + n if i < 0 else i, 0), n - 1)\nd = [i * 4 - 9 for i in range(6)]\nrun(*(x[n[i], n[5 - i], n[(i + 2) % 6]] - f[at(d[i], 3), at(d[5 - i], 4), at(d[(i + 2) % 6], 5)] for i in range(6)))\nrun(*(abs(y - z).max() for y, z in ((x[:, n[4], n[3]], f[:, 3, 3]), (x[n[1], :, n[2]], f[0, :, 4]), (x[n[2], n[5]], f[2, 3]))), x[2, n[3], n[0]] - f[2, 3, 0])", "0 0 0 0 0 0\n0 0 0 0\n"},
		{"assigned by many indices", "d = [(7 * i) % 70 - 35 for i in range(25)]\nk, p = cp.value(d), [min(max(i + 30 if i < 0 else i, 0), 29) for i in d]\nw, r = cp.value([0.0] * 30), [0.0] * 30\nu, q = cp.value([[0.0] * 3] * 30), [[0.0] * 3 for _ in range(30)]\nz, o = cp.value([[0] * 30] * 4), [[0] * 30 for _ in range(4)]\nx = [float(i) for i in range(25)]\nw[k] = x\nu[k] = cp.value([[e, 2 * e, x[0]] for e in x])\nz[:, k] = 7\nz[cp.value([9] * 25), k] = cp.value(list(range(25)))\nfor i, e in zip(p, x):\n    r[i] = e\n    q[i] = [e, 2 * e, x[0]]\n    for row in o:\n        row[i] = 7\nfor i, e in zip(p, x):\n    o[3][i] = int(e)\nrun(abs(w - cp.tensor(r)).max(), abs(u - cp.tensor(q)).max(), abs(z - cp.tensor(o)).max())", "0.0 0.0 0\n"},
		{"gathered", "k = cp.value([3, 0, 3, -1])\nrun(v[k], m[:, cp.value([2, 0])], m[cp.value([1, 9]), cp.value([0, -3])])\ng((v[k] ** 2).sum(), v)\ng(cp.take_along_axis(m, cp.value([[2, 0], [1, 1]]), axis=1).prod(), m)", "[4.0, 1.0, 4.0, 5.0] [[3.0, 1.0], [6.0, 4.0]] [4.0, 4.0]\n[2.0, 0.0, 0.0, 16.0, 10.0]\n[[75.0, 0.0, 25.0], [0.0, 30.0, 0.0]]\n"},
		{"gathered doubles and ints", "d = cp.f64(v)\nk = cp.value([1, 2])\nrun(d[k], cp.value([5, 6, 7])[k], cp.value([True, False, True])[k], d[i:i + 2])", "[2.0, 3.0] [6, 7] [False, True] [2.0, 3.0]\n"},
		{"vmap", "f = cp.vmap(lambda r, s: (r @ r, r * s))\nrun(*f(m, [10.0, 100.0]))\nrun(cp.vmap(lambda a, b: a + b, in_axes=(1, None), out_axes=1)(m, v[:2]))\nrun(cp.vmap(cp.vmap(lambda e: e + 1))(m))\nprint(cp.vmap(lambda e: 2 * e)([1, 2, 3]))\ng(cp.vmap(lambda r: r[0] * r[2])(m).sum(), m)", "[14.0, 77.0] [[10.0, 20.0, 30.0], [400.0, 500.0, 600.0]]\n[[2.0, 3.0, 4.0], [6.0, 7.0, 8.0]]\n[[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]]\n[2, 4, 6]\n[[3.0, 0.0, 1.0], [6.0, 0.0, 4.0]]\n"},
		{"derivatives of numbers", "g(cp.copysign(x, -1.0) + cp.ldexp(x, 3) + cp.nextafter(x, 9.0), x); g(cp.frexp(x * 6)[0], x)", "8.0\n1.5\n"},
		{"derivative of erf", "run(abs(cp.grad(cp.erf(x), x) - 2 / cp.pi ** 0.5 * cp.exp(-x * x)) < 1e-6, abs(cp.grad(cp.erfc(x * 4), x) + 8 / cp.pi ** 0.5 * cp.exp(-4.0)) < 1e-6)\nd = cp.value(1.25, dtype=cp.f64)\nrun(abs(cp.grad(cp.erf(d), d) - 2 / cp.pi ** 0.5 * cp.exp(-d * d)) < 1e-13)", "True True\nTrue\n"},
		{"derivatives without NaN", "q = cp.value([1.0, cp.nan, 3.0])\ng(cp.nansum(q * q), q); g(cp.nanmean(q), q); g(cp.nanvar(q), q); g(cp.nanmax(q), q); g(cp.nanmedian(q), q); g(cp.nan_to_num(q).sum(), q)", "[2.0, 0.0, 6.0]\n[0.5, 0.0, 0.5]\n[-1.0, 0.0, 1.0]\n[0.0, 0.0, 1.0]\n[0.5, 0.0, 0.5]\n[1.0, 0.0, 1.0]\n"},
		{"derivatives of masked sums", "g(cp.sum(v, where=v > 2) + cp.prod(v, where=v < 3, initial=2) + cp.mean(v, where=v > 3) + cp.max(v, initial=9.0), v)", "[4.0, 2.0, 1.0, 1.5, 1.5]\n"},
		{"derivatives of what is moved", "g(cp.pad(v, 2, 'linear_ramp').sum(), v); g(cp.pad(v, 2, 'reflect').sum(), v); g(cp.pad(v, 2, 'wrap').sum(), v); g(cp.cummax(v[::-1])[-1], v); g(cp.cross(m, m[::-1])[0, 0], m); g(cp.einsum('...i,...i', m, m).sum(), m)", "[1.5, 1.0, 1.0, 1.0, 1.5]\n[1.0, 2.0, 3.0, 2.0, 1.0]\n[2.0, 2.0, 1.0, 2.0, 2.0]\n[0.0, 0.0, 0.0, 0.0, 1.0]\n[[0.0, 6.0, -5.0], [0.0, -3.0, 2.0]]\n[[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]\n"},
		{"derivatives of stacks of matrices", "s = cp.value([[[2.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 4.0]]])\ng(cp.det(s).sum(), s); g(cp.inv(s)[1].sum(), s); g(cp.solve(s, [1.0, 1.0])[1].sum(), s)", "[[[3.0, -1.0], [-1.0, 2.0]], [[4.0, -0.0], [-0.0, 1.0]]]\n[[[0.0, 0.0], [0.0, 0.0]], [[-1.0, -0.25], [-0.25, -0.0625]]]\n[[[0.0, 0.0], [0.0, 0.0]], [[-1.0, -0.25], [-0.25, -0.0625]]]\n"},
		{"doubles", "d = cp.value([1.5, -2.5], dtype=cp.f64)\nrun(cp.copysign(d, [-1, 1]), cp.nansum(d), cp.nanmean(d), cp.sum(d, where=d > 0, initial=1), cp.cummax(d), cp.pad(d, 1, 'reflect'), cp.det(cp.stack([cp.diag(d), cp.diag(d)])))", "[-1.5, 2.5] -1.0 -0.5 2.5 [1.5, 1.5] [-2.5, 1.5, -2.5, 1.5] [-3.75, -3.75]\n"},
		{"wide qr", "a = cp.value([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])\nq, r = cp.qr(a)\nrun(abs(q @ r - a).max() < 1e-5, abs(q @ q.T - cp.eye(2)).max() < 1e-6, r[1, 0])\nprint(q.shape, r.shape)", "True True 0.0\n(2, 2) (2, 3)\n"},
	})
}
