package script_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// near is a script function that prints numbers of tensors to 4 digits.
const near = `
def near(*xs):
    flat = []
    for x in xs:
        flat.extend(x.flatten().values if isinstance(x, cp.tensor) else [x])
    if any(isinstance(e, cp.value) for e in flat):
        tg = cp.Target()
        tg.compile(flat)
        tg.run()
        flat = tg.read_value(flat)
    print([round(e, 4) + 0.0 for e in flat])
`

// TestLinearAlgebra has systems whose solutions were found by hand, or multiplies
// the factors again.
func TestLinearAlgebra(t *testing.T) {
	const head = near + `
a = cp.matrix([[V(0.0), V(2.0), V(1.0)], [V(4.0), V(1.0), V(-1.0)], [V(-2.0), V(3.0), V(5.0)]])
x = cp.vector([V(1.0), V(-2.0), V(3.0)])
s = cp.matrix([[V(4.0), V(2.0), V(-2.0)], [V(2.0), V(5.0), V(3.0)], [V(-2.0), V(3.0), V(14.0)]])
b = cp.matrix([[V(float((3 * i * i + 5 * j + i * j) % 7 + (4 if i == j else 0))) for j in range(4)] for i in range(4)])
`
	runBoth(t, head, []scriptCase{
		{"solve", "near(cp.solve(a, a @ x), cp.solve(a, cp.stack([a @ x, a @ -x], axis=1)), cp.solve(b, b @ cp.vector([V(1.0), V(2.0), V(3.0), V(4.0)])))",
			"[1.0, -2.0, 3.0, 1.0, -1.0, -2.0, 2.0, 3.0, -3.0, 1.0, 2.0, 3.0, 4.0]\n"},
		{"solve without pivoting", "near(cp.solve(s, s @ x, pivot=False), cp.solve(s, s @ x))", "[1.0, -2.0, 3.0, 1.0, -2.0, 3.0]\n"},
		{"inverse", "near(cp.inv(cp.matrix([[V(1.0), V(2.0)], [V(3.0), V(4.0)]])), a @ cp.inv(a), cp.inv([[V(4)]]))",
			"[-2.0, 1.0, 1.5, -0.5, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.25]\n"},
		{"determinant", "near(cp.det(a), cp.det(s), cp.det([[V(3)]]), cp.det([[V(1), V(2)], [V(3), V(4)]]), cp.det(b), cp.det(cp.matrix([[V(float(i + j)) for j in range(4)] for i in range(4)])))",
			"[-22.0, 144.0, 3.0, -2.0, 312.0, 0.0]\n"},
		{"determinant with exchanges", "near(cp.det([[V(0), V(1), V(0), V(0)], [V(1), V(0), V(0), V(0)], [V(0), V(0), V(0), V(2)], [V(0), V(0), V(3), V(0)]]))", "[6.0]\n"},
		{"cholesky", "l = cp.cholesky(s)\nnear(l, l @ l.T - s)", "[2.0, 0.0, 0.0, 1.0, 2.0, 0.0, -1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]\n"},
		{"qr", "q, r = cp.qr(a)\nnear(q @ r - a, q.T @ q - cp.identity(3), r[1, 0], r[2, 0], r[2, 1], r[0, 0] ** 2)\nq, r = cp.qr(a[:, :2])\nnear(q @ r - a[:, :2], q.T @ q)\nprint(q.shape, r.shape)",
			"[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 20.0]\n[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]\n(3, 2) (2, 2)\n"},
		{"qr of zeros", "q, r = cp.qr([[V(0.0), V(1.0)], [V(0.0), V(1.0)]])\nnear(r)", "[0.0, 1.0, 0.0, 1.0]\n"},
		{"lengths of ints, whose squares have more than 32 bits", "v, w = cp.vector([V(60000), V(-80000)]), cp.vector([V(2 ** 30), V(-(2 ** 30))])\nnear(v.magnitude(), cp.distance(v, -v), v.normalize(), cp.angle_between(v, v * 2), cp.scalar_projection(v, v), cp.vector_projection(v, v), cp.softmax(w))",
			"[100000.0, 200000.0, 0.6, -0.8, 0.0, 100000.0, 60000.0, -80000.0, 1.0, 0.0]\n"},
		// The line through (0, 1), (1, 3), (2, 4), (3, 4) by least squares is 1.5 + t.
		{"least squares", "t = [0.0, 1.0, 2.0, 3.0]\nnear(cp.lstsq(cp.matrix([[V(1.0), V(e)] for e in t]), cp.vector([V(1.0), V(3.0), V(4.0), V(4.0)])))", "[1.5, 1.0]\n"},
	})
	runBoth(t, near, []scriptCase{
		// d det / da = det * inv(a).T
		{"gradient of a determinant", "a = cp.value([[2.0, 1.0], [3.0, 4.0]])\nnear(cp.grad(cp.det(a), a), cp.grad(cp.det(cp.concat([cp.concat([a, cp.zeros((2, 2))], 1), cp.concat([cp.zeros((2, 2)), cp.eye(2) * 3.0], 1)])), a))",
			"[4.0, -3.0, -1.0, 2.0, 36.0, -27.0, -9.0, 18.0]\n"},
		// x = inv(a) b: dx0/db = first row of inv(a)
		{"gradient of a solution", "b = cp.vector([cp.value(1.0), cp.value(2.0)])\nnear(cp.grad(cp.solve([[1.0, 2.0], [3.0, 4.0]], b)[0], b))", "[-2.0, 1.0]\n"},
		{"singular", "a = cp.matrix([[cp.value(1.0), 2.0], [2.0, 4.0]])\nx = cp.solve(a, [1.0, 1.0])\ntg = cp.Target()\ntg.compile(x)\ntg.run()\nprint([e * 0 == 0 for e in tg.read_value(x)])", "[False, False]\n"},
	})
}

func TestLinearAlgebraMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, message string }{
		{"not square", "cp.solve([[1, 2]], [1])", "square matrix, not one of shape (1, 2)"},
		{"vector", "cp.inv([1, 2])", "needs a matrix"},
		{"right-hand side", "cp.solve([[1, 2], [3, 4]], [1, 2, 3])", "shape (3,) does not fit 2 equations"},
		{"singular", "cp.inv([[1, 2], [2, 4]])", "inv: the matrix is singular"},
		{"zero pivot", "cp.solve([[0, 1], [1, 0]], [1, 2], pivot=False)", "singular"},
		{"not positive definite", "cp.cholesky([[1, 2], [2, 1]])", "not positive definite"},
		{"wide", "cp.lstsq([[1, 2, 3]], [1])", "at least as many rows"},
		{"rank", "cp.lstsq([[1, 0], [1, 0], [1, 0]], [1, 2, 3])", "singular"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := runText(t, "import copapy as cp\n"+c.text)
			var e *vm.Error
			require.True(t, errors.As(err, &e), "%v", err)
			assert.Equal(t, "ValueError", e.Kind, e.Message)
			assert.Contains(t, e.Message, c.message)
			assert.Equal(t, 2, e.Line)
		})
	}
}

// TestLinearAlgebraInDouble has systems that float32 cannot tell from others: the results,
// and all that is on the way to them, are float64.
func TestLinearAlgebraInDouble(t *testing.T) {
	const head = show + `
e = 2.0 ** -30
D = lambda *rows: cp.f64(cp.tensor([[cp.value(x, dtype=cp.f64) for x in row] for row in rows]))
a, b = D([1.0, 1.0], [1.0, 1.0 + e]), D([2.0, 2.0 + e])[0]
big = cp.concat([cp.concat([a, a * 0], 1), cp.concat([a * 0, cp.eye(2) * a[0, 0]], 1)])
`
	checkPrograms(t, head, []scriptCase{
		{"determinant", "run(cp.det(a) * 2.0 ** 30, cp.det(big) * 2.0 ** 30)", "1.0\n1.0\n"},
		{"solutions", "run(cp.solve(a, b), cp.solve([[1.0, 1.0], [1.0, 2.0]], b)[1] * 2.0 ** 30, cp.inv(a)[1, 1] * e, cp.inv(big)[1, 1] * e)", "[1.0, 1.0]\n1.0\n1.0\n1.0\n"},
		{"factors", "run((cp.cholesky(a)[1, 1] * 2.0 ** 15), abs(cp.qr(a)[1][1, 1]) * 2 ** 0.5 * 2.0 ** 30 - 1 < 1e-6, cp.matrix_power(a, 2)[0, 1] - 2)", "1.0\nTrue\n9.313225746154785e-10\n"},
		{"types", "print(*(x.dtype for x in (cp.lstsq(a, b), cp.lstsq([[1.0], [2.0]], b), cp.qr(a)[0], cp.heaviside(a, 0.5), cp.interp(b, [1.0], [2.0]), cp.polyval([2], b))))",
			"float64 float64 float64 float64 float64 float64\n"},
	})
}
