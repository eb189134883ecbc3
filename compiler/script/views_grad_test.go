package script_test

import "testing"

// TestGradientsByViews: the derivative by elements of an array counts every use of them,
// whether the part that is named was made before the result or after it.
func TestGradientsByViews(t *testing.T) {
	const head = show + `
def g(y, x): run(cp.grad(y, x))
def parts(xs): # what one may name of a vector of 4
    return [xs[0], xs[-1], xs[:2], xs[::-2], xs[1:][1:], xs[[2, 0]], list(xs), xs.reshape(2, 2), xs.reshape(2, 2).T, xs.reshape(2, 2).T[0],
        xs.flatten(), cp.flip(xs), cp.roll(xs, 1), cp.stack([xs[1], xs[1]]), cp.vector([xs[3], xs[0]]), [[xs[0], xs[1]], [xs[2], xs[3]]], cp.concat([xs[2:], xs[:2]])]
def same(a, b):
    if isinstance(a, list): return all([same(p, q) for p, q in zip(a, b)])
    return a == b if isinstance(a, float) else a.flatten().tolist() == b.flatten().tolist()
`
	checkPrograms(t, head, []scriptCase{
		{"each way to name elements, before and after", `
for made in ("array", "values", "computed"):
    u = cp.value([1.0, 2.0, 3.0, 4.0]) if made == "array" else cp.vector([cp.value(float(i + 1)) for i in range(4)])
    if made == "computed": u = u * 1.0
    before = parts(u)
    y = (u * u * u).sum() + u[0] * u[3] + sum([e * e for e in list(u)]) + u.reshape(2, 2).T[0, 1]
    after = parts(u)
    whole = cp.grad(y, u)
    wants = parts(whole)
    tg = cp.Target()
    got = [cp.grad(y, x) for x in before] + [cp.grad(y, x) for x in after]
    tg.compile(whole, got, wants)
    tg.run()
    got, wants = tg.read_value(got), tg.read_value(wants)
    print(tg.read_value(whole).tolist(), [i for i in range(len(got)) if not same(got[i], wants[i % len(wants)])])
`, "[9.0, 16.0, 34.0, 57.0] []\n[9.0, 16.0, 34.0, 57.0] []\n[9.0, 16.0, 34.0, 57.0] []\n"},
		{"unpacked", "a, b, *c = cp.value([1.0, 2.0, 3.0])\ng(a * b * c[0], [a, b, c])", "[6.0, 3.0, [2.0]]\n"},
		{"unpacked afterwards", "u = cp.value([1.0, 2.0])\ny = (u * u).sum()\na, b = u\ng(y, a); g(y, (b, u)); g(y, [e for e in u])", "2.0\n(4.0, vector([2.0, 4.0]))\n[2.0, 4.0]\n"},
		{"an element used both ways", "u = cp.value([1.0, 2.0])\na = u[0]\ng(a * a + u.sum() * u.sum(), a); g(a * a + u.sum() * u.sum(), [a, u])", "8.0\n[8.0, vector([8.0, 6.0])]\n"},
		{"overlapping parts", "u = cp.value([1.0, 2.0, 3.0])\np, q = u[:2], u[1:]\ng((p * p).sum() + (q * q).sum(), [p, q])", "[vector([2.0, 8.0]), vector([8.0, 6.0])]\n"},
		{"an array made of what was used", "a, b = cp.value(2.0), cp.value(3.0)\ny = a * b * b\ng(y, cp.vector([a, b])); g(y, cp.vector([b, a])); g(y, cp.matrix([[a, b]]).T); g(y, cp.concat([cp.vector([a]), [7.0]])); g(y, cp.pad(cp.vector([b]), 1))",
			"[9.0, 12.0]\n[12.0, 9.0]\n[[9.0], [12.0]]\n[9.0, 0.0]\n[0.0, 12.0, 0.0]\n"},
		{"a constant among variables", "v = cp.vector([cp.value(2.0), 0.5])\ng((v * v).sum(), v)", "[4.0, 0.0]\n"},
		{"a row, a column, an element of a matrix", "m = cp.value([[1.0, 2.0], [3.0, 4.0]])\ny = cp.det(m)\ng(y, m[0]); g(y, m[:, 1]); g(y, m[1, 0]); g(y, m.T[0]); g(y, cp.diag(m))",
			"[4.0, -3.0]\n[-3.0, 1.0]\n-2.0\n[4.0, -2.0]\n[4.0, 1.0]\n"},
		{"repeated, and used that way only", "a = cp.value(2.0)\nv = cp.full(3, a)\ng((v * v).sum(), v); g((v * [1.0, 2.0, 3.0]).sum(), v)", "[4.0, 4.0, 4.0]\n[1.0, 2.0, 3.0]\n"},
		{"a traced index", "u, i = cp.value([1.0, 2.0, 3.0]), cp.value(2)\ne = u[i]\ng(e * e, e); g((u * u).sum(), u)", "6.0\n[2.0, 4.0, 6.0]\n"},
		{"the others", `
u = cp.value([1.0, 2.0, 3.0])
y = (u * u).sum()
run(cp.value_and_grad(y, u[1]), cp.jacobian(u * u, u[:2]), cp.jacobian(u, u[::-1]), cp.hessian(y * u[0], u[:2]), cp.hessian(y, u[2]))
run(cp.jvp(u * u, u[1:], cp.vector([1.0, 10.0])), cp.vjp(u * u, u[1:], cp.vector([1.0, 10.0, 100.0])), cp.vjp(u * u, u, u), cp.jvp(u * u, u, u))`,
			"(14.0, 4.0)\n[[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]]\n[[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]\n[[6.0, 4.0], [4.0, 2.0]]\n2.0\n[0.0, 4.0, 60.0]\n[40.0, 600.0]\n[2.0, 8.0, 18.0]\n[2.0, 8.0, 18.0]\n"},
		{"in a loop", "u = cp.value([1.0, 2.0])\nr = cp.fori(3, lambda i, v: v - 0.25 * cp.grad((v * v).sum(), v.reshape(2, 1)).flatten(), u)\nrun(r)", "[0.125, 0.25]\n"},
	})
	checkMistakes(t, []mistake{
		{"by repetitions", "a = cp.value(2.0)\nv = cp.full(3, a)\ncp.grad((v * v).sum() + a, v)", "ValueError", "repetitions of a value", "that was repeated", 4},
		{"by what a traced index takes", "u, i = cp.value([1.0, 2.0]), cp.value(1)\ncp.grad((u * u).sum(), u[i])", "ValueError", "traced index", "cp.grad(y, x)[i]", 3},
		{"in a Jacobian", "u, i = cp.value([1.0, 2.0]), cp.value(1)\ncp.jacobian(u * u, u[i])", "ValueError", "traced index", "cp.grad(y, x)[i]", 3},
	})
}
