package script_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

func TestArrayFunctions(t *testing.T) {
	runBoth(t, tensors, []scriptCase{
		{"diagonal", "out(cp.diagonal(v), cp.diagonal(m), cp.diagonal(f), cp.trace(f))", "[[1, 0, 0], [0, 2, 0], [0, 0, 3]]\n[1, 5]\n[1.0, 5.0]\n6.0\n"},
		{"concat", "out(cp.concat([v, v * 10]), cp.concat([m, m + 10]), cp.concat([m, t[:, 0, :2] + 1], axis=1)[:, 2:4], cp.concat([t, -t], axis=-1)[1, 2], cp.concat((v, [7])))",
			"[1, 2, 3, 10, 20, 30]\n[[1, 2, 3], [4, 5, 6], [11, 12, 13], [14, 15, 16]]\n" + "[[3, 1], [6, 101]]\n" + "[120, 121, 122, 123, -120, -121, -122, -123]\n[1, 2, 3, 7]\n"},
		{"stack", "out(cp.stack([v, v * 2]), cp.stack([v, v * 2], axis=1), cp.stack([V(1), V(2)]), cp.stack([m, m], axis=1)[1], cp.stack([v, v], -1))",
			"[[1, 2, 3], [2, 4, 6]]\n[[1, 2], [2, 4], [3, 6]]\n[1, 2]\n[[4, 5, 6], [4, 5, 6]]\n[[1, 1], [2, 2], [3, 3]]\n"},
		{"products", "out(cp.outer(v, [V(1), V(10)]), cp.dot(m, v), cp.dot(v, v), cp.cross(v, [V(4), V(5), V(6)]), v.cross(v))", "[[1, 10], [2, 20], [3, 30]]\n[14, 32]\n14\n[-3, 6, -3]\n[0, 0, 0]\n"},
		{"where", "out(cp.where(v > 1, v, -v), cp.where(m > v, 1, 0), cp.where([True, False, True], v, 9), cp.mean(m), cp.mean(m, axis=1), cp.flatten(m), cp.transpose(m))",
			"[-1, 2, 3]\n[[0, 0, 0], [1, 1, 1]]\n[1, 9, 3]\n3.5\n[2.0, 5.0]\n[1, 2, 3, 4, 5, 6]\n[[1, 4], [2, 5], [3, 6]]\n"},
		{"order", "w = cp.vector([V(3), V(-1), V(3), V(7), V(0)])\nout(cp.argsort(w), cp.sort(w), cp.median(w), cp.filters.median(w[:4]), cp.filters.mean(w[:4]), cp.filters.argsort(-w))",
			"[1, 4, 0, 2, 3]\n[-1, 0, 3, 3, 7]\n3\n3.0\n3.0\n[3, 0, 2, 4, 1]\n"},
		{"order along axes", "w = cp.tensor([[[V(3), V(1)], [V(2), V(9)], [V(2), V(0)]], [[V(5), V(4)], [V(4), V(4)], [V(6), V(7)]]])\n" +
			"out(cp.sort(w)[0], cp.sort(w, axis=1)[0], cp.sort(w, axis=0)[1], cp.sort(w, axis=None)[:4], cp.argsort(w, axis=1)[0], cp.argsort(w, 0)[0], cp.median(w), cp.median(w, axis=1), cp.median(w, axis=0, keepdims=True), cp.median(w, keepdims=True).shape)",
			"[[1, 3], [2, 9], [0, 2]]\n[[2, 0], [2, 1], [3, 9]]\n[[5, 4], [4, 9], [6, 7]]\n[0, 1, 2, 2]\n[[1, 2], [2, 0], [0, 1]]\n[[0, 0], [0, 1], [0, 0]]\n4.0\n[[2, 1], [5, 4]]\n[[[4.0, 2.5], [3.0, 6.5], [4.0, 3.5]]]\n(1, 1, 1)\n"},
		{"kept axes", "out(m.argmax(axis=1, keepdims=True), m.argmin(keepdims=True), cp.argmax(t, 0, True).shape, cp.sum(m), cp.sum(m, axis=0), cp.sum(m, axis=1, keepdims=True), cp.min(m, axis=0), cp.max(m, axis=-1, keepdims=True), cp.max(m, axis=None))",
			"[[2], [2]]\n[[0]]\n(1, 3, 4)\n21\n[5, 7, 9]\n[[6], [15]]\n[1, 2, 3]\n[[3], [6]]\n6\n"},
		{"places", "out(m.argmax(), (-m).argmax(axis=0), m.argmin(axis=1), cp.argmax(v * 0), t.argmax(1), cp.argmax([V(1.0), V(float('nan')), V(3.0)]), cp.argmin(f))",
			"5\n[0, 0, 0]\n[0, 0]\n0\n[[2, 2, 2, 2], [2, 2, 2, 2]]\n1\n0\n"},
		{"running sums", "out(v.cumsum(), m.cumsum(), m.cumsum(axis=0), m.cumsum(1), cp.cumsum(t, axis=1)[1])",
			"[1, 3, 6]\n[1, 3, 6, 10, 15, 21]\n[[1, 2, 3], [5, 7, 9]]\n[[1, 3, 6], [4, 9, 15]]\n[[100, 101, 102, 103], [210, 212, 214, 216], [330, 333, 336, 339]]\n"},
		{"order of floats", "w = cp.vector([V(0.5), V(float('nan')), V(-float('inf')), V(-0.0), V(0.5), V(1e-40)])\nout(cp.sort(w)[:2], cp.sort(w)[3:], cp.argsort(w), cp.median(cp.vector([V(2.5), V(1.5)])))",
			"[-inf, -0.0]\n[0.5, 0.5, nan]\n[2, 3, 5, 0, 4, 1]\n2.0\n"},
	})
}

// TestGeometry compares with figures of Python's math in float64, to 6 digits.
func TestGeometry(t *testing.T) {
	runBoth(t, "def show(*xs):\n    tg = cp.Target()\n    try:\n        tg.compile(*xs)\n        tg.run()\n    except ValueError: pass\n    for x in xs:\n        try: x = tg.read_value(x)\n        except RuntimeError: pass\n        print([round(float(e), 5) + 0.0 for e in x] if isinstance(x, cp.vector) else round(x, 5))\n"+
		"a = cp.vector([V(1.0), V(2.0), V(2.0)])\nb = cp.vector([V(3.0), V(0.0), V(4.0)])\n", []scriptCase{
		// e^0 : e^ln 3 is 1 : 3, whatever is added to both
		{"softmax", "show(cp.softmax([V(0.0), V(1.0986122886681098)]), cp.softmax([V(1000.0), V(1000.0)]), cp.softmax(cp.matrix([[V(0.0), V(1.0)], [V(0.0), V(1.0)]]), axis=0)[0])", "[0.25, 0.75]\n[0.5, 0.5]\n[0.5, 0.5]\n"},
		{"lengths", "show(a.magnitude(), a.normalize(), cp.distance(a, b), (a * 0.0).normalize())", "3.0\n[0.33333, 0.66667, 0.66667]\n3.4641\n[0.0, 0.0, 0.0]\n"},
		{"projections", "show(cp.scalar_projection(a, b), cp.vector_projection(a, b))", "2.2\n[1.32, 0.0, 1.76]\n"},
		{"angles", "show(cp.angle_between(a, b), cp.angle_between(a, a), cp.angle_between(a, -a), cp.angle_between([V(1.0), 0.0], [0.0, V(2.0)]))", "0.74758\n0.0\n3.14159\n1.5708\n"},
		{"rotation", "show(cp.rotate_vector(b, [V(0.0), V(0.0), V(2.0)], V(1.5707963267948966)), cp.rotate_vector(a, b, V(0.5)))", "[0.0, 3.0, 4.0]\n[0.27209, 1.56339, 2.54593]\n"},
	})
}

func TestPlainArrays(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"made", "print(cp.zeros(3), cp.zeros((1, 2)), cp.ones([2, 1]), cp.full((1, 2), 0.5), cp.eye(2), cp.eye(1, 3), cp.identity(2))",
			"[0.0, 0.0, 0.0] [[0.0, 0.0]] [[1.0], [1.0]] [[0.5, 0.5]] [[1.0, 0.0], [0.0, 1.0]] [[1.0, 0.0, 0.0]] [[1.0, 0.0], [0.0, 1.0]]\n"},
		{"ints on demand", "print(cp.zeros(2, dtype=int), cp.ones(2, int), cp.eye(2, dtype=int), cp.identity(2, int), cp.empty(1), cp.arange(2.0), cp.arange(0, 2, 1.0))",
			"[0, 0] [1, 1] [[1, 0], [0, 1]] [[1, 0], [0, 1]] [0.0] [0.0, 1.0] [0.0, 1.0]\n"},
		{"states", "s = cp.state(cp.zeros(2))\nP = cp.state(1000 * cp.eye(2))\ns.next = s + 0.5\nP.next = P / 4\ntg = cp.Target()\ntg.compile(s, P)\ntg.run(2)\nprint(tg.read_value([s, P]))",
			"[vector([1.0, 1.0]), matrix([[62.5, 0.0], [0.0, 62.5]])]\n"},
		{"counted", "print(cp.arange(3), cp.arange(1, 7, 2), cp.arange(0.0, 0.35, 0.1), cp.arange(3, 0, -2), cp.arange(2, 1), cp.linspace(0, 1, 5), cp.linspace(2, 3, 1), len(cp.linspace(0, 1)))",
			"[0, 1, 2] [1, 3, 5] [0.0, 0.1, 0.2, 0.30000000000000004] [3, 1] [] [0.0, 0.25, 0.5, 0.75, 1.0] [2.0] 50\n"},
		{"traced", "a = cp.value(2.0)\nrun(cp.full((2, 2), a), cp.linspace(a, 4.0, 3), cp.identity(2) * a, cp.diagonal([a, -0.0]))",
			"[[2.0, 2.0], [2.0, 2.0]]\n[2.0, 3.0, 4.0]\n[[2.0, 0.0], [0.0, 2.0]]\n[[2.0, 0.0], [0.0, -0.0]]\n"},
		{"gradients", "v = cp.vector([cp.value(3.0), cp.value(1.0), cp.value(2.0)])\nrun(cp.grad(cp.median(v), v), cp.grad(cp.sort(v)[0] * 5, v), cp.grad(cp.diagonal(v).trace(), v), cp.grad(cp.outer(v, v).sum(), v))",
			"[0.0, 0.0, 1.0]\n[0.0, 5.0, 0.0]\n[1.0, 1.0, 1.0]\n[12.0, 12.0, 12.0]\n"},
		{"imports", "import copapy.filters\nfrom copapy import filters\nfrom copapy.filters import median as md\nimport copapy.filters as cf\nprint(filters.median([3, 1, 2]), md([1, 2]), cf.mean([1, 2, 3]), copapy.filters.argsort([2, 1]), cf is cp.filters)",
			"2 1.5 2.0 [1, 0] True\n"},
	})
}

// TestListsBesideArrays: a list or tuple beside an array counts as one, as in NumPy.
func TestListsBesideArrays(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"plain", "a = cp.array([1, 2])\nprint(a + [3, 4.5], [3, 4] - a, (2, 3) * a, a @ [1, 1], [[1, 0], [1, 1]] @ a, a == [1, 3], (1, 2) == a, a < [[2, 2], [0, 5]])",
			"[4.0, 6.5] [2, 2] [2, 6] 3 [1, 3] [True, False] [True, True] [[True, False], [False, True]]\n"},
		{"traced", "x = cp.value(2.0)\nv = cp.value([1.0, -2.0])\nrun(v + [x, 1], [1, 1] - v, v * (2, 3), [x, 0] @ v, v > [0, 0], v ** [2, 2])",
			"[3.0, -1.0]\n[0.0, 3.0]\n[2.0, -6.0]\n2.0\n[True, False]\n[1.0, 4.0]\n"},
		{"lists stay lists", "l = [0] + [cp.array([1])]\nl += cp.array([2, 3])\nprint(l, cp.array([1]) in ['a'])", "[0, vector([1]), 2, 3] False\n"},
	})
}

func TestArrayVariables(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"vector", "v = cp.value([1.0, 2.0])\nrun(v, v * 2, v[1], cp.grad(v @ v, v))", "[1.0, 2.0]\n[2.0, 4.0]\n2.0\n[2.0, 4.0]\n"},
		{"types", "print(cp.value([1, 2]).dtype, cp.value([True, False]).dtype, cp.value([1, 2.5]).dtype, cp.value([1], dtype=cp.f64).dtype, cp.value(cp.eye(2)).dtype, cp.value(cp.f64([1])).dtype)",
			"int bool float float64 float float64\n"},
		{"written", "A = cp.value(cp.zeros((2, 2)))\ntg = cp.Target()\ntg.compile(A.T)\ntg.write_value(A, [[1, 2], [3, 4.5]])\ntg.run()\nprint(tg.read_value(A.T), tg.read_value(A))",
			"[[1.0, 3.0], [2.0, 4.5]] [[1.0, 2.0], [3.0, 4.5]]\n"},
		{"traced is itself", "v = cp.value((1.0, 2.0))\nw = v + 1\nprint(cp.value(v) is v, cp.value(w) is w, cp.value(w, dtype=cp.f64).dtype)", "True True float64\n"},
		{"in a type of Python", "x, v = cp.value(1, dtype=float), cp.value([1, 2], dtype=float)\nprint(x.dtype, v.dtype, cp.value(2.0, dtype=int).dtype, cp.value([0, 2], dtype=bool).dtype)\nrun(x / 2, v + 0.5)", "float float int bool\n0.5\n[1.5, 2.5]\n"},
		{"one variable", "v = cp.value(cp.ones(100))\nprint(len(v), v.shape, isinstance(v, cp.vector))\nrun(v.sum())", "100 (100,) True\n100.0\n"},
	})
}

func TestArrayMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, kind, message string }{
		{"negative length", "cp.zeros(-1)", "ValueError", "length -1"},
		{"huge", "cp.zeros((10000, 10000))", "ValueError", "at most"},
		{"float length", "cp.eye(1.5)", "TypeError", "made of integers"},
		{"no step", "cp.arange(0, 1, 0)", "ValueError", "step"},
		{"too many", "cp.arange(1e12)", "ValueError", "at most"},
		{"unlike shapes", "cp.concat([[1, 2], [[1]]])", "ValueError", "differ beyond axis 0"},
		{"list of another length", "cp.array([1, 2]) + [1, 2, 3]", "ValueError", "2 and 3 elements"},
		{"list of texts", "cp.array([1]) + ['a']", "TypeError", "is a 'str'"},
		{"shape without parentheses", "cp.zeros(2, 3)", "TypeError", "must be a type"},
		{"variable of nothing", "cp.value([])", "ValueError", "no elements"},
		{"variable of traced", "cp.value([cp.value(1.0), 2.0])", "TypeError", "plain numbers"},
		{"variable of texts", "cp.value(['a'])", "TypeError", "is a 'str'"},
		{"nothing", "cp.concat([])", "ValueError", "at least one"},
		{"axis", "cp.stack([[1, 2]], axis=3)", "ValueError", "out of range"},
		{"plane", "cp.cross([1, 2], [3, 4])", "ValueError", "3 elements, not 2"},
		{"matrix for a vector", "cp.distance([[1]], [[2]])", "TypeError", "must be a vector"},
		{"median of nothing", "cp.median([])", "ValueError", "no elements"},
		{"diagonal", "cp.diagonal([[[1]]])", "ValueError", "needs a vector or a matrix"},
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
