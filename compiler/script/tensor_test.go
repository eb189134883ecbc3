package script_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// both runs a script twice: with traced elements, where V is cp.value, and with
// plain ones, where V gives its argument. `out` prints in both cases.
const (
	tracedHead = `import copapy as cp
V = cp.value
def out(*values):
    tg = cp.Target()
    tg.compile(*values)
    tg.run()
    for v in values:
        print(tg.read_value(v))
`
	plainHead = `import copapy as cp
V = lambda x: x
def out(*values):
    for v in values:
        print(v)
`
	tensors = `m = cp.matrix([[V(1), V(2), V(3)], [V(4), V(5), V(6)]])
f = cp.matrix([[V(1.0), V(2.0)], [V(3.0), V(5.0)]])
t = cp.tensor([[[V(100 * i + 10 * j + k) for k in range(4)] for j in range(3)] for i in range(2)])
v = cp.vector([V(1), V(2), V(3)])
`
)

// scriptCase is a script, without its head, and what it prints.
type scriptCase struct{ name, text, want string }

func runBoth(t *testing.T, head string, cases []scriptCase) {
	t.Helper()
	for _, c := range cases {
		for _, kind := range []struct{ name, head string }{{"traced", tracedHead}, {"plain", plainHead}} {
			t.Run(c.name+"/"+kind.name, func(t *testing.T) {
				got, err := runText(t, kind.head+head+c.text)
				require.NoError(t, err)
				assert.Equal(t, c.want, got)
			})
		}
	}
}

func TestTensors(t *testing.T) {
	runBoth(t, tensors, []scriptCase{
		{"arithmetic", "out(m + 1, 10 - m, m * m, -m, m // 2, m % 4, f / 2, 2 / cp.matrix([[V(1.0), V(4.0)]]), f ** 2, abs(-m))",
			"[[2, 3, 4], [5, 6, 7]]\n[[9, 8, 7], [6, 5, 4]]\n[[1, 4, 9], [16, 25, 36]]\n[[-1, -2, -3], [-4, -5, -6]]\n[[0, 1, 1], [2, 2, 3]]\n" +
				"[[1, 2, 3], [0, 1, 2]]\n[[0.5, 1.0], [1.5, 2.5]]\n[[2.0, 0.5]]\n[[1.0, 4.0], [9.0, 25.0]]\n[[1, 2, 3], [4, 5, 6]]\n"},
		{"broadcasting", "out(m + v, v - m, m * cp.matrix([[V(10)], [V(20)]]), t[:, :, 0] * v, t + cp.vector([1, 2, 3, 4]))",
			"[[2, 4, 6], [5, 7, 9]]\n[[0, 0, 0], [-3, -3, -3]]\n[[10, 20, 30], [80, 100, 120]]\n[[0, 20, 60], [100, 220, 360]]\n" +
				"[[[1, 3, 5, 7], [11, 13, 15, 17], [21, 23, 25, 27]], [[101, 103, 105, 107], [111, 113, 115, 117], [121, 123, 125, 127]]]\n"},
		{"indices", "out(m[0], m[-1], m[1, 2], m[1][2], m[-2, -3], t[1, 2, 3], t[1][0], t[0, 1])",
			"[1, 2, 3]\n[4, 5, 6]\n6\n6\n1\n123\n[100, 101, 102, 103]\n[10, 11, 12, 13]\n"},
		{"slices", "out(m[:, 1], m[1:, ::2], m[::-1], m[:, ::-1], m[:, 1:][0], t[:, 1, ::3], t[::-1, 2:0:-1, -1], t[1, :, 1:3])",
			"[2, 5]\n[[4, 6]]\n[[4, 5, 6], [1, 2, 3]]\n[[3, 2, 1], [6, 5, 4]]\n[2, 3]\n[[10, 13], [110, 113]]\n[[123, 113], [23, 13]]\n[[101, 102], [111, 112], [121, 122]]\n"},
		{"shapes", "out(m.T, m.reshape(3, 2), m.reshape((-1,)), m.reshape(3, -1), m.flatten(), m.transpose())\nprint(m.shape, m.ndim, m.size, len(m), t.shape, t.T.shape, v.T.shape, v.shape)",
			"[[1, 4], [2, 5], [3, 6]]\n[[1, 2], [3, 4], [5, 6]]\n[1, 2, 3, 4, 5, 6]\n[[1, 2], [3, 4], [5, 6]]\n[1, 2, 3, 4, 5, 6]\n[[1, 4], [2, 5], [3, 6]]\n" +
				"(2, 3) 2 6 2 (2, 3, 4) (4, 3, 2) (3,) (3,)\n"},
		{"transposed tensors", "out(t.T[3, 2, 1], t.T[1], t.transpose(1, 0, 2)[2, 1], t.transpose(2, 0, 1)[3], t.transpose(0, 2, 1)[1])",
			"123\n[[1, 101], [11, 111], [21, 121]]\n[120, 121, 122, 123]\n[[3, 13, 23], [103, 113, 123]]\n[[100, 110, 120], [101, 111, 121], [102, 112, 122], [103, 113, 123]]\n"},
		{"products", "out(m @ v, m @ m.T, v @ v, cp.vector([V(1), V(10)]) @ m, m.T @ m, m.dot(v), m.matmul(m.T))",
			"[14, 32]\n[[14, 32], [32, 77]]\n14\n[41, 52, 63]\n[[17, 22, 27], [22, 29, 36], [27, 36, 45]]\n[14, 32]\n[[14, 32], [32, 77]]\n"},
		{"sums", "out(m.sum(), m.sum(axis=0), m.sum(1), m.sum(axis=-1, keepdims=True), m.sum(keepdims=True), t.sum(axis=(0, 2)), t.sum(1), m.mean(), m.mean(axis=0), f.trace(), v.sum(), v.mean())",
			"21\n[5, 7, 9]\n[6, 15]\n[[6], [15]]\n[[21]]\n[412, 492, 572]\n[[30, 33, 36, 39], [330, 333, 336, 339]]\n3.5\n[2.5, 3.5, 4.5]\n6.0\n6\n2.0\n"},
		{"extremes", "out(m.min(), m.max(), m.max(axis=0), m.min(axis=1), t.max(axis=1), t.min(axis=(0, 1), keepdims=True), (v * v - 4 * v).min())",
			"1\n6\n[4, 5, 6]\n[1, 4]\n[[20, 21, 22, 23], [120, 121, 122, 123]]\n[[[0, 1, 2, 3]]]\n-4\n"},
		{"comparisons", "out(m > 2, m == m.T.T, m != cp.vector([1, 5, 3]), cp.iif(m > 2, m, 0), cp.min(m, 3), cp.max(v, m))",
			"[[False, False, True], [True, True, True]]\n[[True, True, True], [True, True, True]]\n[[False, True, False], [True, False, True]]\n[[0, 0, 3], [4, 5, 6]]\n" +
				"[[1, 2, 3], [3, 3, 3]]\n[[1, 2, 3], [4, 5, 6]]\n"},
		{"iteration", "out([r.sum() for r in m], [a * b for (a, b) in f], m.map(lambda e: e * e))\nfor row in m.T: print(row.shape)",
			"[6, 15]\n[2.0, 15.0]\n[[1, 4, 9], [16, 25, 36]]\n(2,)\n(2,)\n(2,)\n"},
		{"classes", "print(isinstance(m, cp.matrix), isinstance(m, cp.tensor), isinstance(m, cp.vector), isinstance(t, cp.matrix), isinstance(v, cp.tensor), isinstance(m[0], cp.vector), type(t).__name__)",
			"True True False False True True tensor\n"},
		{"made of parts", "out(cp.tensor([v, m[1]]), cp.tensor([1, 2, 3, V(4)], (2, 2)), cp.tensor(([V(1.0), 2.0], (3.0, 4.5))), cp.matrix(r * 2 for r in m))",
			"[[1, 2, 3], [4, 5, 6]]\n[[1, 2], [3, 4]]\n[[1.0, 2.0], [3.0, 4.5]]\n[[2, 4, 6], [8, 10, 12]]\n"},
	})
}

// TestTensorNumbers has what only traced or only plain tensors do.
func TestTensorNumbers(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"plain stays plain", "m = cp.matrix([[1, 2], [3, 4]])\nprint(m, repr(m), (m @ m)[0, 0] / 3, m.values, list(m))\nprint(cp.tensor([[[1]]]))",
			"[[1, 2], [3, 4]] matrix([[1, 2], [3, 4]]) 2.3333333333333335 (1, 2, 3, 4) [vector([1, 2]), vector([3, 4])]\n[[[1]]]\n"},
		{"plain meets traced", "a = cp.value(2.0)\nm = cp.matrix([[1, 2], [3, 4]])\nrun(m * a, m @ cp.vector([a, 1]), a - m)",
			"[[2.0, 4.0], [6.0, 8.0]]\n[4.0, 10.0]\n[[1.0, 0.0], [-1.0, -2.0]]\n"},
		{"read gives plain", "m = cp.matrix([[cp.value(1.5), 2.0]])\ntg = cp.Target()\ntg.compile(m * 2)\ntg.run()\nr = tg.read_value(m * 2)\nprint(type(r).__name__, r.shape, r[0, 1] + 1, isinstance(r[0, 1], float))",
			"matrix (1, 2) 5.0 True\n"},
		{"write", "m = cp.matrix([[cp.value(0.0) for _ in range(2)] for _ in range(2)])\ny = m @ cp.vector([1, 10])\ntg = cp.Target()\ntg.compile(y)\ntg.write_value(m, [[1, 2], [3, 4]])\ntg.run()\nprint(tg.read_value(y), tg.read_value(m))\ntg.write_value(m, cp.matrix([[0, 1], [0, 1]]))\ntg.run()\nprint(tg.read_value(y))",
			"[21.0, 43.0] [[1.0, 2.0], [3.0, 4.0]]\n[10.0, 10.0]\n"},
		{"gradients", "m = cp.matrix([[cp.value(1.0), cp.value(2.0)], [cp.value(3.0), cp.value(4.0)]])\nx = cp.vector([cp.value(1.0), cp.value(10.0)])\nrun(cp.grad((m @ x).sum(), m), cp.grad((m @ x).sum(), x), cp.grad(m[0, 1] * m[1, 1] + m[:, 0].sum(), m), cp.grad((m.T * m).sum(), m), cp.grad(m.max(), m), cp.grad(m.mean(axis=0)[1], m))",
			"[[1.0, 10.0], [1.0, 10.0]]\n[4.0, 6.0]\n[[1.0, 4.0], [1.0, 2.0]]\n[[2.0, 6.0], [4.0, 8.0]]\n[[0.0, 0.0], [0.0, 1.0]]\n[[0.0, 0.5], [0.0, 0.5]]\n"},
		{"gradient of a row", "m = cp.matrix([[cp.value(1.0), cp.value(2.0)], [cp.value(3.0), cp.value(4.0)]])\ng = [cp.grad(r @ r, m) for r in m]\nrun(*g)",
			"[[2.0, 4.0], [0.0, 0.0]]\n[[0.0, 0.0], [6.0, 8.0]]\n"},
		{"jit", "n = 0\n@cp.jit\ndef f(a, b):\n    global n\n    n += 1\n    return a @ b, (a + b).sum(axis=0)\nprint(f(cp.matrix([[1.0, 2.0], [3.0, 4.0]]), cp.matrix([[1.0, 0.0], [0.0, 1.0]])), n)\nprint(f(cp.matrix([[2.0, 2.0], [2.0, 2.0]]), cp.matrix([[1.0, 1.0], [0.0, 1.0]]))[0], n)\nprint(f(cp.matrix([[1, 2]]), cp.matrix([[5], [6]]))[0], n)",
			"(matrix([[1.0, 2.0], [3.0, 4.0]]), vector([5.0, 7.0])) 1\n[[2.0, 4.0], [2.0, 4.0]] 1\n[[17]] 2\n"},
		{"functions", "m = cp.matrix([[cp.value(4.0), 9.0]])\nrun(cp.sqrt(m), cp.atan2(m, m), cp.clamp(m, 5, 6))", "[[2.0, 3.0]]\n[[0.7853981852531433, 0.7853981852531433]]\n[[5.0, 6.0]]\n"},
		{"large", "m = cp.matrix([[cp.value(1.0 * i * j) for j in range(20)] for i in range(20)])\nrun(m.sum(), m.max(axis=0)[19], m[3:5, ::7], m.T[2, 3], (m @ m)[1, 1])",
			"36100.0\n361.0\n[[0.0, 21.0, 42.0], [0.0, 28.0, 56.0]]\n6.0\n2470.0\n"},
		{"empty", "m = cp.matrix([[1, 2], [3, 4]])\nprint(m[2:], m[:, 2:], m[2:].sum(), m[2:].shape, m[2:].sum(axis=0))", "[] [[], []] 0 (0, 2) [0, 0]\n"},
	})
}

// TestTensorMistakes checks that wrong uses name the line and say what is wrong.
func TestTensorMistakes(t *testing.T) {
	const head = "import copapy as cp\nm = cp.matrix([[cp.value(1.0), 2.0, 3.0], [4.0, 5.0, 6.0]])\nv = cp.vector([1, 2])\n"
	for _, c := range []struct{ name, text, kind, message, hint string }{
		{"ragged", "cp.matrix([[1, 2], [3]])", "ValueError", "row 1 has shape (1,), the rows before it have (2,)", ""},
		{"not two axes", "cp.matrix([1, 2])", "ValueError", "two axes, not shape (2,)", "list of rows"},
		{"text", "cp.tensor([['a']])", "TypeError", "'str'", ""},
		{"truth", "if m == m: pass", "TypeError", "ambiguous", "len"},
		{"broadcast", "m + v", "ValueError", "shapes (2, 3) and (2,) do not match", "aligned at the end"},
		{"product", "m @ v", "ValueError", "3 columns meet 2 rows", "last axis"},
		{"product of a stack", "cp.tensor([[[1]]]) @ v", "ValueError", "shapes (1, 1, 1) and (2,) do not match: 1 columns meet 2 rows", "last but one"},
		{"stacks", "cp.ones((2, 1, 1)) @ cp.ones((3, 1, 1))", "ValueError", "stacks of matrices of shapes (2, 1, 1) and (3, 1, 1)", "before the last two"},
		{"two ellipses", "m[..., ...]", "IndexError", "single ellipsis", ":"},
		{"lists of indices", "m[[0, 1], [0, 1, 1]]", "IndexError", "of shapes (2,) and (3,) do not match", "one shape"},
		{"list apart from an index", "m[0, :, None, [1]]", "IndexError", "too many indices", ""},
		{"index of a list", "m[[0, 2]]", "IndexError", "index 2 is out of range for axis 0", ""},
		{"length of a mask", "m[[True]]", "IndexError", "1 bools index axis 0, which has 2 rows", ""},
		{"traced mask", "len(m[0][m[0] > 1])", "TypeError", "known only on the target", "cp.where"},
		{"traced mask in a list", "m[[m[0, 0] > 1, True]]", "TypeError", "must be an int, not a bool", "cp.where"},
		{"axis twice", "m.sum(axis=(0, -2))", "ValueError", "axis 0 is named twice", ""},
		{"too many axes", "cp.ones((1,) * 8)[None]", "ValueError", "at most 8 axes", ""},
		{"too many indices", "m[0, 0, 0]", "IndexError", "2 axes, but 3", ""},
		{"out of range", "m[0, 3]", "IndexError", "index 3 is out of range for axis 1", ""},
		{"float index", "m[0.5]", "TypeError", "must be integers or slices, not float", ""},
		{"traced float index", "m[0, cp.value(1.0)]", "TypeError", "must be an int, not a float", "int(x)"},
		{"traced bool index", "m[cp.value(True)]", "TypeError", "must be an int, not a bool", "cp.where"},
		{"traced list of floats", "m[[cp.value(1.0), 0]]", "TypeError", "must be an int, not a float", "int(x)"},
		{"traced index of nothing", "cp.zeros((2, 0))[0, cp.value(1)]", "IndexError", "without rows", ""},
		{"reshape", "m.reshape(4, 2)", "ValueError", "6 elements of shape (2, 3) do not fill shape (4, 2)", ""},
		{"two open lengths", "m.reshape(-1, -1)", "ValueError", "only one length", ""},
		{"axis", "m.sum(axis=2)", "ValueError", "axis 2 is out of range for shape (2, 3)", ""},
		{"order of axes", "m.transpose(0, 0)", "ValueError", "not an order of the 2 axes", ""},
		{"trace", "v.trace()", "ValueError", "needs a matrix", ""},
		{"empty maximum", "m[2:].max()", "ValueError", "no elements", ""},
		{"unhashable", "{m: 1}", "TypeError", "unhashable type: 'matrix'", ""},
		{"huge", "cp.tensor([1], (100000, 100000))", "ValueError", "at most", ""},
		{"sides of a select", "cp.iif(m > 1, v, 0)", "ValueError", "do not match", ""},
		{"shape of numbers to write", "tg = cp.Target(); tg.compile(m * 2); tg.write_value(m, [[1, 2]])", "ValueError", "numbers of shape (1, 2) for variables of shape (2, 3)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := runText(t, head+c.text)
			var e *vm.Error
			require.True(t, errors.As(err, &e), "%v", err)
			assert.Equal(t, c.kind, e.Kind, e.Message)
			assert.Contains(t, e.Message, c.message)
			assert.Contains(t, e.Hint, c.hint)
			assert.Equal(t, 4, e.Line)
			assert.Positive(t, e.Column)
		})
	}
}
