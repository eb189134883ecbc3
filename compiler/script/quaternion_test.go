package script_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// TestQuaternions has known answers: products of the units, turns by right angles
// and by 120 degrees about the diagonal, and conversions there and back.
func TestQuaternions(t *testing.T) {
	const head = near + `
p = cp.quaternion(V(1.0), V(2.0), V(3.0), V(4.0))
q = cp.quaternion([V(0.5), V(-1.0), V(0.0), V(2.0)])
i, j, k = cp.quaternion(V(0.0), 1.0, 0, 0), cp.quaternion(V(0.0), 0, 1.0, 0), cp.quaternion(V(0.0), 0, 0, 1.0)
turn = cp.quaternion(V(0.5), 0.5, 0.5, 0.5)      # x to y to z, about (1, 1, 1)
right = 3.141592653589793 / 2
v = cp.vector([V(1.0), V(2.0), V(3.0)])
def vec(q): return cp.vector(q)
`
	runBoth(t, head, []scriptCase{
		{"units", "near(vec(i @ j), vec(j @ i), vec(i * i), vec(j @ k))", "[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]\n"},
		{"arithmetic", "near(vec(p + q), vec(p - q), vec(p @ q), vec(p * 2), vec(2 * p), vec(p / 2), vec(-p))\nnear(vec(p + 1), vec(1 - p))",
			"[1.5, 1.0, 3.0, 6.0, 0.5, 3.0, 3.0, 2.0, -5.5, 6.0, -6.5, 7.0, 2.0, 4.0, 6.0, 8.0, 2.0, 4.0, 6.0, 8.0, 0.5, 1.0, 1.5, 2.0, -1.0, -2.0, -3.0, -4.0]\n[2.0, 3.0, 4.0, 5.0, 0.0, -1.0, -2.0, -3.0]\n"},
		{"inverse", "near(vec(p @ p.inverse()), vec(p / p), vec(q.inverse()), vec((p / q) * q), vec(p.conjugate()))",
			"[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0952, 0.1905, 0.0, -0.381, 1.0, 2.0, 3.0, 4.0, 1.0, -2.0, -3.0, -4.0]\n"},
		{"norm", "near(p.norm(), abs(p), q.norm(), p.normalize().norm(), (p * 0.0).normalize().norm())", "[5.4772, 5.4772, 2.2913, 1.0, 1.0]\n"},
		{"rotation", "near(turn.rotate_vector(v), (turn * 3.0).rotate_vector(v), turn.toRotationMatrix()[:3, :3] @ v, turn.inverse().rotate_vector(v))",
			"[3.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0, 2.0, 2.0, 3.0, 1.0]\n"},
		{"euler", "near(vec(cp.quaternion.from_euler(V(0.0), 0.0, right)), cp.quaternion.from_euler(V(0.1), V(-0.2), V(2.5)).toEulerAngles(), cp.quaternion.from_euler(0.0, V(right), 0.0).toEulerAngles()[1])",
			"[0.7071, 0.0, 0.0, 0.7071, 0.1, -0.2, 2.5, 1.5708]\n"},
		{"euler is yaw after pitch after roll", "a = cp.quaternion.from_euler(V(0.1), V(0.2), V(0.3))\nb = cp.quaternion.from_euler(0, 0, V(0.3)) @ cp.quaternion.from_euler(0, V(0.2), 0) @ cp.quaternion.from_euler(V(0.1), 0, 0)\nnear(vec(a - b))", "[0.0, 0.0, 0.0, 0.0]\n"},
		{"axis and angle", "axis, angle = turn.toAxisAngle()\nnear(axis, angle, vec(cp.quaternion.from_axis_angle([V(2.0), V(2.0), V(2.0)], 4 * right / 3)))\naxis, angle = cp.quaternion(V(1.0), V(0.0), V(0.0), V(0.0)).toAxisAngle()\nnear(axis, angle)\naxis, angle = cp.quaternion.from_axis_angle([0.0, 0.0, 1.0], V(0.0001)).toAxisAngle()\nnear(axis, angle * 10000)",
			"[0.5774, 0.5774, 0.5774, 2.0944, 0.5, 0.5, 0.5, 0.5]\n[1.0, 0.0, 0.0, 0.0]\n[0.0, 0.0, 1.0, 1.0]\n"},
		{"matrix", "near(turn.toRotationMatrix())\nfor r in [turn, p.normalize(), q.normalize(), i, j, k]:\n    back = cp.quaternion.from_rotation_matrix(r.toRotationMatrix())\n    near(vec(back @ r.inverse()))",
			"[0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]\n" +
				"[1.0, 0.0, 0.0, 0.0]\n[1.0, 0.0, 0.0, 0.0]\n[1.0, 0.0, 0.0, 0.0]\n[1.0, 0.0, 0.0, 0.0]\n[1.0, 0.0, 0.0, 0.0]\n[1.0, 0.0, 0.0, 0.0]\n"},
		{"slerp", "z = lambda a: cp.quaternion.from_euler(0.0, 0.0, a)\nnear(*[z(V(0.2)).slerp(z(V(1.4)), t).toEulerAngles()[2] for t in [0.0, 0.25, V(0.5), 1.0]])\nnear(z(V(0.2)).slerp(-z(V(1.4)), 0.25).toEulerAngles()[2], z(V(0.2)).slerp(z(V(0.2002)), 0.5).toEulerAngles()[2], z(V(0.2)).slerp(z(V(0.2)), 0.5).toEulerAngles()[2])",
			"[0.2, 0.5, 0.8, 1.4]\n[0.5, 0.2001, 0.2]\n"},
		{"parts", "near(p.w, p.x, p.y, p.z, p[1], p[-1], p[1:], vec(p.map(lambda e: e * e)), sum(p), len(p))\nnear(cp.iif(p == q, 1.0, 0.0), cp.iif(p != [V(1.0), 2.0, 0.0, 4.0], 1.0, 0.0))",
			"[1.0, 2.0, 3.0, 4.0, 2.0, 4.0, 2.0, 3.0, 4.0, 1.0, 4.0, 9.0, 16.0, 10.0, 4.0]\n[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]\n"},
	})
}

func TestQuaternionsOnTheTarget(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"plain", "q = cp.quaternion(1, 2.5)\nprint(q, cp.quaternion(), cp.quaternion.identity(), q.values, isinstance(q, cp.quaternion), cp.quaternion(0, 0, 0, 0).inverse())",
			"quaternion(w=1, x=2.5, y=0.0, z=0.0) quaternion(w=1.0, x=0.0, y=0.0, z=0.0) quaternion(w=1.0, x=0.0, y=0.0, z=0.0) (1, 2.5, 0.0, 0.0) True quaternion(w=1.0, x=0.0, y=0.0, z=0.0)\n"},
		{"read", "q = cp.quaternion([cp.value(1.0), 2.0, 0.0, 0.0])\nrun(q * 2, q)", "quaternion(w=2.0, x=4.0, y=0.0, z=0.0)\nquaternion(w=1.0, x=2.0, y=0.0, z=0.0)\n"},
		{"write", "q = cp.quaternion(cp.value(e) for e in [1.0, 0.0, 0.0, 0.0])\nr = q @ q\ntg = cp.Target()\ntg.compile(r)\ntg.write_value(q, cp.quaternion(0.0, 2.0, 0.0, 0.0))\ntg.run()\nprint(tg.read_value(r))", "quaternion(w=-4.0, x=0.0, y=0.0, z=0.0)\n"},
		{"gradient", "q = cp.quaternion(cp.value(e) for e in [1.0, 2.0, 3.0, 4.0])\ng = cp.grad(q.norm() ** 2 + q.x, q)\nprint(type(g).__name__)\nrun(cp.vector(g))", "quaternion\n[2.0, 5.0, 6.0, 8.0]\n"},
		{"jit", "@cp.jit\ndef f(q, v):\n    return q.rotate_vector(v), q.conjugate()\nprint(f(cp.quaternion(0.5, 0.5, 0.5, 0.5), cp.vector([1.0, 2.0, 3.0])))", "(vector([3.0, 1.0, 2.0]), quaternion(w=0.5, x=-0.5, y=-0.5, z=-0.5))\n"},
		{"select", "q = cp.iif(cp.value(1.0) > 0, cp.quaternion(1.0, 2.0, 3.0, 4.0), cp.quaternion())\nrun(q)", "quaternion(w=1.0, x=2.0, y=3.0, z=4.0)\n"},
	})
}

func TestQuaternionMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, kind, message string }{
		{"three", "cp.quaternion([1, 2, 3])", "ValueError", "4 components, not 3"},
		{"text", "cp.quaternion('abcd')", "TypeError", "not 'str'"},
		{"vector", "cp.quaternion().rotate_vector([1, 2])", "ValueError", "3 elements, not 2"},
		{"truth", "if cp.quaternion(): pass", "TypeError", "ambiguous"},
		{"key", "{cp.quaternion(): 1}", "TypeError", "unhashable"},
		{"order", "cp.quaternion() < cp.quaternion()", "TypeError", "not supported"},
		{"divisor", "1 / cp.quaternion()", "TypeError", "unsupported operand"},
		{"matrix", "cp.quaternion.from_rotation_matrix([[1, 0], [0, 1]])", "ValueError", "3 or 4 rows"},
		{"slerp", "cp.quaternion().slerp(1.0, 0.5)", "TypeError", "must be a quaternion"},
		{"compared with a pair", "cp.quaternion() == [1, 2]", "ValueError", "4 components, not 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := runText(t, "import copapy as cp\n"+c.text)
			var e *vm.Error
			require.True(t, errors.As(err, &e), "%v", err)
			assert.Equal(t, c.kind, e.Kind, e.Message)
			assert.Contains(t, e.Message, c.message)
			assert.Equal(t, 2, e.Line)
		})
	}
}
