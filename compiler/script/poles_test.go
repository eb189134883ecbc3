package script_test

import "testing"

// TestPoles: functions where their formula divides by what is 0, squares what is large, or takes
// the difference of what is nearly equal.
func TestPoles(t *testing.T) {
	const head = show + `
import math
tg = cp.Target()
Q = cp.quaternion
def number(x):
    tg.compile(x)
    tg.run()
    return tg.read_value(x)
def near(x, want, tolerance): print(max([abs(a - b) for a, b in zip(list(x), want)]) < tolerance)
`
	checkPrograms(t, head, []scriptCase{
		{"Euler angles at gimbal lock", `
for V, tolerance in ((cp.value, 2e-6), (lambda x: cp.value(x, dtype=cp.f64), 1e-13)):
    worst, back = 0.0, 0.0
    for pitch in (math.pi / 2, -math.pi / 2, 1.5707, -1.57079, 1.57, 0.3):
        for roll, yaw in ((0.3, 0.2), (-2.0, 0.0), (3.0, -1.0), (0.0, 0.0)):
            q = Q.from_euler(V(roll), V(pitch), V(yaw))
            e = q.toEulerAngles()
            again, sides = number([sum([a * b for a, b in zip(Q.from_euler(*e), q)]), e])
            back = max(back, abs(abs(again) - 1))
            worst = max(worst, abs(sides[1] - pitch))
            if abs(pitch) == math.pi / 2:
                together = roll - yaw if pitch > 0 else roll + yaw
                worst = max(worst, abs(math.sin((sides[0] - together) / 2)), abs(sides[2]))
    print(worst < tolerance, back < tolerance)
print([round(e, 12) for e in Q.from_euler(0.3, math.pi / 2, 0.0).toEulerAngles()] == [0.3, round(math.pi / 2, 12), 0.0])
`, "True True\nTrue True\nTrue\n"},
		{"nearly parallel vectors", `
for V, tolerance in ((cp.value, 1e-6), (lambda x: cp.value(x, dtype=cp.f64), 1e-14)):
    worst = 0.0
    for angle in (1e-4, 1e-3, 0.1, 1.0, 3.0, math.pi - 1e-3):
        got = number(cp.angle_between(V([2.0, 0.0]), cp.vector([cp.cos(V(angle)), cp.sin(V(angle))])))
        worst = max(worst, abs(got - angle))
    print(worst < tolerance, number(cp.angle_between(V([1.0, 2.0]), V([1.0, 2.0]))), number(cp.angle_between(V([0.0, 0.0]), V([1.0, 2.0]))) - math.pi / 2 < 1e-7)
`, "True 0.0 True\nTrue 0.0 True\n"},
		{"lengths to divide by", `
z, small = cp.value([0.0, 0.0]), cp.value([3e-18, 4e-18])
near(number(small.normalize()), [0.6, 0.8], 1e-7)
run(z.normalize(), cp.vector([3, 4]).normalize(), cp.value([3, 4]).normalize(), cp.scalar_projection([1.0, 2.0], z), cp.vector_projection([1.0, 2.0], z))
zero = Q(cp.value(0.0), 0.0, 0.0, 0.0).normalize()
run(zero.w, zero.x)
print(Q(0, 0, 0, 0).normalize(), Q(0.0, 0.0, 0.0, 0.0).inverse())
`, "True\n[0.0, 0.0]\n[0.6, 0.8]\n[0.6000000238418579, 0.800000011920929]\n0.0\n[0.0, 0.0]\n1.0\n0.0\nquaternion(w=1.0, x=0.0, y=0.0, z=0.0) quaternion(w=1.0, x=0.0, y=0.0, z=0.0)\n"},
		{"second derivatives of lengths", `
z = cp.value([0.0, 0.0])
for y in (cp.norm(z), z.magnitude(), cp.distance(z, z * 1.0), z.std(), cp.norm(z, 3)): print(number(cp.hessian(y, z)).flatten().tolist())
u = cp.value([3.0, 4.0])
near(number(cp.hessian(cp.norm(u), u)).flatten(), [0.128, -0.096, -0.096, 0.072], 1e-7)
`, "[0.0, 0.0, 0.0, 0.0]\n[0.0, 0.0, 0.0, 0.0]\n[0.0, 0.0, 0.0, 0.0]\n[0.0, 0.0, 0.0, 0.0]\n[0.0, 0.0, 0.0, 0.0]\nTrue\n"},
		{"large and small matrices", `
for size in (1.0, 1e25, 1e-25, 1e37, 1e-37):
    a = cp.value([[3.0 * size, size], [4 * size, 2 * size], [0.0, 5 * size]])
    q, r = cp.qr(a)
    x = cp.lstsq(a, cp.value([size, 2.0 * size, 3.0 * size]))
    q, r, x = number([q, r, x])
    near(x, [0.17488076311605726, 0.6025437201907791], 1e-6)
    near((r / size).flatten(), [-5.0, -2.2, 0.0, -5.015974481593781], 1e-5)
    near((q.T @ q).flatten(), [1.0, 0.0, 0.0, 1.0], 1e-6)
`, "True\nTrue\nTrue\nTrue\nTrue\nTrue\nTrue\nTrue\nTrue\nTrue\nTrue\nTrue\nTrue\nTrue\nTrue\n"},
		{"inverse hyperbolic functions", `
size = [10.0 ** (k / 8) for k in range(-160, 300)]
for V, unit in ((lambda x: cp.value(x, dtype=cp.f32), 2.0 ** 29), (lambda x: cp.value(x, dtype=cp.f64), 1.0)):
    x, y, z = V(size + [-s for s in size]), V([1.0 + s for s in size]), V([1 - 2.0 ** -k for k in range(1, 24)] + [s - 0.999 for s in size if s < 1.9])
    xs, ys, zs, a, b, c = number([x, y, z, cp.arcsinh(x), cp.arccosh(y), cp.arctanh(z)])
    worst = 0.0
    for f, args, got in ((math.asinh, xs, a), (math.acosh, ys, b), (math.atanh, zs, c)):
        for p, g in zip(args, got): worst = max(worst, abs(g - f(p)) / (math.ulp(f(p)) * unit))
    print(worst <= 3 or worst)
s = cp.value([0.0, 2.0, 0.5])
run(cp.arcsinh(s), cp.arctanh(cp.value([1.0, -1.0, 2.0])), cp.arccosh(cp.value([1.0, 0.5])), cp.arcsinh(cp.value([cp.inf, -cp.inf, cp.nan])))
near(number([cp.grad(cp.arcsinh(s[0]), s[0]), cp.grad(cp.arctanh(s[2]), s[2]), cp.grad(cp.arccosh(s[1]), s[1])]), [1.0, 4 / 3, 3 ** -0.5], 1e-6)
print(cp.arcsinh(1), cp.arccosh(2.0) == math.acosh(2.0), cp.arctanh([0.5])[0] == math.atanh(0.5))
`, "True\nTrue\n[0.0, 1.4436354637145996, 0.4812118411064148]\n[inf, -inf, nan]\n[0.0, nan]\n[inf, -inf, nan]\nTrue\n0.881373587019543 True True\n"},
		{"a weight that meets no sample", "run(cp.convolve(cp.value([cp.inf, 1.0]), [1.0, 2.0, 3.0]), cp.convolve(cp.value([1.0, 2.0, 3.0]), cp.value([cp.inf, 1.0]), 'same'), cp.convolve(cp.value([1.0, 2.0]), cp.value([1.0, 2.0, 4.0])))\nprint(cp.convolve([cp.inf, 1.0], [1.0, 2.0]))",
			"[inf, inf, inf, 3.0]\n[inf, inf, inf]\n[1.0, 4.0, 8.0, 8.0]\n[inf, inf, 2.0]\n"},
		{"slerp of doubles", `
d = lambda x: cp.value(x, dtype=cp.f64)
p, q = Q(d(1.0), 0.0, 0.0, 0.0), Q.from_axis_angle([0.0, 0.0, 1.0], d(1.2))
for t in (0.0, 0.25, 1.0, d(0.5), cp.value(1)): near(number(p.slerp(q, t)), list(Q.from_axis_angle([0.0, 0.0, 1.0], 1.2 * (0.5 if isinstance(t, cp.value) and t.dtype == 'float64' else 1.0 if isinstance(t, cp.value) else t))), 1e-14)
near(number(p.slerp(-q, 0.25)), list(Q.from_axis_angle([0.0, 0.0, 1.0], 0.3)), 1e-14)
`, "True\nTrue\nTrue\nTrue\nTrue\nTrue\n"},
	})
}
