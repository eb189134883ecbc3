package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// besideDoubles are calls of functions of several arguments: n is an int, d a float64, iv, im, i2
// arrays of ints, dv, dm, d2 of float64.
var besideDoubles = strings.Split(`solve(im, d2);solve(dm, i2);lstsq(im, d2);lstsq(dm, i2);average(iv, weights=dv);average(dv, weights=iv)
interp(n, dv, iv);interp(d, iv, dv);interp(d, iv, iv);interp(n, iv, dv);interp(dv, iv, iv, n, d);linspace(n, d, 4);linspace(d, n, 4);logspace(n, d, 3)
distance(iv, dv);distance(dv, iv);angle_between(iv, dv);scalar_projection(iv, dv);vector_projection(dv, iv);cross(iv, dv);dot(iv, dv);inner(dv, iv);vdot(iv, dv)
quaternion.from_euler(n, d, 0.1);quaternion.from_axis_angle(iv, d);quaternion.from_axis_angle(dv, n);rotate_vector(iv, dv, n);rotate_vector(iv, iv, d)
quaternion(n, d, 1, 0.5).normalize();quaternion(n, d, 1, 0.5).inverse();quaternion(n, 1, 0, 0) * quaternion(d, d, 0, 1);quaternion(n, 1, 0, 0).rotate_vector(dv);quaternion(d, 1, 0, 0).rotate_vector(iv)
quaternion(1.0, 0, 0, 0).slerp(quaternion(d, d, d, d), 0.5);quaternion(d, d, d, d).slerp(quaternion(1, 0, 0, 0), n);quaternion(d, n, 1, 0).toEulerAngles();quaternion(d, n, 1, 0).toRotationMatrix()
quaternion.from_rotation_matrix(cp.matrix([[n, d, 0], [0, n, 0], [d, 0, 1]]));trapezoid(iv, dv);trapezoid(dv, iv);trapezoid(iv, dx=d);convolve(iv, d2);convolve(dv, i2, 'same')
polyval(iv, d);polyval(dv, n);polyval([3, 2.5], d);heaviside(n, d);heaviside(d, n);clip(iv, d, 3.0);clip(n, 0.5, d);where(iv > 1, iv, dv);where(iv > 1, n, d);select([iv > 1, iv > 3], [iv, dv], 0)
select([iv > 1, iv > 3], [[0.1, 0.2, 0.3], [0.1, 0.1, 0.1]], d);minimum(iv, d);maximum(d, n);min(n, 2.1, d);max(n, 0.1, d);clamp(n, d, 2.1);kron(iv, d2);outer(iv, d2);einsum('i,i,i->', iv, iv, dv);einsum('i,ij,j->', i2, im, d2)
atan2(n, d);hypot(n, d);fmod(n, d);pow(n, d);pow(d, n);full_like(dv, n);concat([iv, dv]);stack([iv, dv]);hstack([iv, dv]);append(iv, d);pad(dv, 1, constant_values=n);norm(cp.stack([n, d]));std(cp.stack([n, d]))
softmax(cp.stack([n, d]));median(cp.stack([n, d]));qr(cp.matrix([[n, d], [1, 2]]))[1];det(cp.matrix([[n, d], [1, 2]]));inv(cp.matrix([[n, d], [1, 2]]));cholesky(cp.matrix([[n, d], [d, 2]]));matrix_power(cp.matrix([[n, d], [1, 2]]), -2)
add(iv, d);floor_divide(iv, dv);mod(iv, dv);iif(n > 1, n, d);round(d * n, 1);arcsinh(d * n);cumsum(cp.stack([n, d]));ptp(cp.stack([n, d]));tensor([n, d, 0.1]) / 3;quaternion(d, d, d, d) / n`, "\n")

// TestIntsBesideDoubles compares what is traced with Python's doubles: an int that became a
// float32 on the way would be off by 1e-8, or refused.
func TestIntsBesideDoubles(t *testing.T) {
	const head = "import copapy as cp\ntg = cp.Target()\nquaternion = cp.quaternion\n" + `
def flat(x):
    if isinstance(x, cp.tensor): return [float(e) for e in x.flatten().tolist()]
    if isinstance(x, (list, tuple, cp.quaternion)): return sum([flat(e) for e in x], [])
    return [float(x)]
def names(I, D): return [I(3), D(0.7), I([1, 2, 4]), D([1.0, 2.0, 4.3]), I([[2, 1], [1, 3]]), D([[2.0, 1.0], [1.0, 3.1]]), I([1, 2]), D([1.0, 2.1])]
def plain(x): return cp.array(x) if isinstance(x, list) else x
def check(name, f):
    want = flat(f(*names(plain, plain)))
    made = f(*names(cp.value, lambda x: cp.value(x, dtype=cp.f64)))
    tg.compile(made)
    tg.run()
    got = flat(tg.read_value(made))
    print(name, len(got) == len(want) and max([abs(a - b) / (1 + abs(b)) for a, b in zip(got, want)]) < 1e-13)
`
	script := head
	var calls []string
	for _, line := range besideDoubles {
		calls = append(calls, strings.Split(line, ";")...)
	}
	for i, call := range calls {
		script += fmt.Sprintf("try: check(%d, lambda n, d, iv, dv, im, dm, i2, d2: cp.%s)\nexcept Exception as e: print(%d, e)\n", i, call, i)
	}
	got, err := runText(t, script)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	require.Len(t, lines, len(calls))
	for i, line := range lines {
		assert.Equal(t, fmt.Sprintf("%d True", i), line, calls[i])
	}
}

// TestLoopsThatBecomeDouble: a plain number that a loop starts with takes the type of what the
// body adds to it, also where float32 beside float64 would be refused.
func TestLoopsThatBecomeDouble(t *testing.T) {
	const head = show + "d = cp.value(0.7, dtype=cp.f64)\nf = cp.value(0.5)\ndef same(x, want): run(cp.abs(x - want) < 1e-15)\n"
	checkPrograms(t, head, []scriptCase{
		{"a number", "same(cp.fori(3, lambda i, c: c + d, 0.1), 0.1 + 0.7 * 3)\nsame(cp.fori(3, lambda i, c: c * d, 1), 0.7 ** 3)", "True\nTrue\n"},
		{"an array", "same(cp.fori(3, lambda i, c: c + i * d, cp.vector([0.1, 0.2])), cp.vector([2.2, 2.3]))", "[True, True]\n"},
		{"one of several", "a, b, c = cp.fori(3, lambda i, c: (c[0] * 2.0 + f, c[1] * d, c[2] + f), (0.1, 0.1, 0.2))\nprint(a.dtype, b.dtype, c.dtype)\nsame(b, 0.1 * 0.7 ** 3)",
			"float float64 float\nTrue\n"},
		{"a scan", "c, ys = cp.scan(3, lambda i, c: (c + d, c * d), 0.1)\nsame(c, 0.1 + 0.7 * 3)\nprint(ys.dtype)", "True\nfloat64\n"},
	})
	checkMistakes(t, []mistake{
		{"one that cannot be", "d, f = cp.value(0.7, dtype=cp.f64), cp.value(0.5)\ncp.fori(3, lambda i, c: c + d + f, 0.1)", "TypeError", "operands are f32 and f64", "cp.f64(x)", 3},
	})
}

// TestCopiesOfStates: what gives a state as it is stands for its value in the run, and the
// state itself for what it has behind it.
func TestCopiesOfStates(t *testing.T) {
	checkPrograms(t, "import copapy as cp\ntg = cp.Target()\n", []scriptCase{
		{"all ways to copy", `
s, v, m = cp.state(1.0), cp.state([1.0, 2.0]), cp.state([[1, 2], [3, 4]])
alias = s
scalars = [+s, s * 1.0, cp.f32(s), float(s), cp.array(s), cp.positive(s), cp.vector([s, s])[0]]
vectors = [+v, v.copy(), v[:], v[...], cp.array(v), cp.vector(v), v.flatten(), v.ravel(), v.reshape(2), v.T, v.squeeze(), v.astype(cp.f32), cp.concat([v]), cp.atleast_1d(v[:]), cp.broadcast_to(v, (2,))]
matrices = [+m, m.copy(), m[:, :], m.T.T, cp.matrix(m), m.astype(int), m.reshape(2, 2)]
s.next, v.next, m.next = s + 1, v * 2, m + 1
tg.compile(s, scalars, vectors, matrices)
for _ in range(2):
    tg.run()
    xs, vs, ms = tg.read_value([scalars, vectors, matrices])
    print(tg.read_value([s, alias]), set(xs), set([tuple(x.tolist()) for x in vs]), set([str(x.tolist()) for x in ms]))
`, "[2.0, 2.0] {1.0} {(1.0, 2.0)} {'[[1, 2], [3, 4]]'}\n[3.0, 3.0] {2.0} {(2.0, 4.0)} {'[[2, 3], [4, 5]]'}\n"},
		{"the next value of another state", "a, b = cp.state(1.0), cp.state(10.0)\na.next, b.next = +b, a\nwas = +a\ntg.compile(was, a, b)\ntg.run(3)\nprint(tg.read_value([was, a, b]))", "[1.0, 10.0, 1.0]\n"},
	})
}
