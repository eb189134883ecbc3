package script_test

import "testing"

// TestLookups takes elements by traced indices: within, from the end, and beyond the
// ends of arrays of many lengths.
func TestLookups(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"every index of every length", `
i = cp.value(0)
wrong = []
for n in list(range(1, 18)) + [31, 32, 33, 100]:
    plain = cp.arange(n) * 3 + 1
    traced = plain + cp.value(0.5)
    p, q = plain[i], traced[i]
    tg = cp.Target()
    tg.compile(p, q)
    for k in [*range(-n - 2, n + 2), 2**31 - 1, -2**31]:
        at = min(max(k + n if k < 0 else k, 0), n - 1)
        tg.write_value(i, k)
        tg.run()
        if tg.read_value([p, q]) != [3 * at + 1, 3 * at + 1.5]:
            wrong.append((n, k, tg.read_value([p, q])))
print(wrong)`, "[]\n"},
		{"axes", `
m = cp.arange(24).reshape(2, 3, 4)
i, j, k = cp.value(1), cp.value(2), cp.value(-1)
a = [m[i, j, k], m[i], m[:, j], m[..., k], m[1, j, 0], m[i, 1:, k], m[0, j, None], m[[1, 0], j, k]]
b = [m[1, 2, -1], m[1], m[:, 2], m[..., -1], m[1, 2, 0], m[1, 1:, -1], m[0, 2, None], m[[1, 0], 2, -1]]
c = [(m + cp.value(0))[i, j, k], (m + cp.value(0))[:, j]]
tg = cp.Target()
tg.compile(a, c)
tg.run()
print([tg.read_value(x) == y if k == 0 or k == 4 else cp.array_equal(tg.read_value(x), y) for k, (x, y) in enumerate(zip(a, b))])
print(tg.read_value(c))`, "[True, True, True, True, True, True, True, True]\n[23, matrix([[8, 9, 10, 11], [20, 21, 22, 23]])]\n"},
		{"bits stay", "u = cp.vector([-0.0, float('nan'), float('inf')])\nrun(u[cp.value(0)], u[cp.value(2)], cp.f64([0.1, 0.2])[cp.value(1)], cp.vector([True, False])[cp.value(0)])", "-0.0\ninf\n0.2\nTrue\n"},
		{"gradient", "w = cp.value([1.0, 2.0, 3.0])\ni = cp.value(2)\nrun(cp.grad(w[i] ** 2, w), cp.take(w, i), cp.take([[1, 2], [3, 4]], i - 1, axis=1))", "[0.0, 0.0, 6.0]\n3.0\n[2, 4]\n"},
		{"in a loop", "w = cp.value([1.0, 2.0, 3.0])\nrun(cp.fori(5, lambda i, s: s * 10 + w[i], 0.0))", "12333.0\n"},
	})
}
