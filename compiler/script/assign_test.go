package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNumPyAssign compares programs that assign to elements of arrays with what NumPy
// gives, as testdata/numpy_assign.txt has it: of plain arrays, of arrays of traced
// elements, and of arrays that are variables.
func TestNumPyAssign(t *testing.T) {
	setup, sources, wants := numpyAnswers(t, "testdata/numpy_assign.txt")
	for _, kind := range []struct{ name, head string }{
		{"plain", "V, A = lambda x: x, cp.tensor\n"},
		{"traced", "V = cp.value\nE = lambda x: [E(e) for e in x] if isinstance(x, list) else V(x)\nA = lambda x: cp.tensor(E(x))\n"},
		{"variables", "V = A = cp.value\n"},
	} {
		t.Run(kind.name, func(t *testing.T) {
			script := strings.Builder{}
			script.WriteString("import copapy as cp\n" + kind.head + numpyHead + strings.Join(setup, "\n") + "\n")
			for _, source := range sources {
				lines := strings.Split(strings.ReplaceAll(source, `\n`, "\n"), ";; ")
				lines[len(lines)-1] = "out([" + lines[len(lines)-1] + "])"
				body := strings.ReplaceAll("\n"+strings.Join(lines, "\n"), "\n", "\n    ")
				fmt.Fprintf(&script, "def program():%s\ntry: program()\nexcept Exception as e: print(type(e).__name__, e)\n", body)
			}
			got, err := runText(t, script.String())
			require.NoError(t, err)
			lines := strings.Split(strings.TrimSpace(got), "\n")
			require.Len(t, lines, len(sources))
			for i, line := range lines {
				assert.True(t, sameNumbers(wants[i], line), "%s\nNumPy: %s\nhere:  %s", sources[i], wants[i], line)
			}
		})
	}
}

// TestAssignPrograms has what NumPy has not: gradients through assignments, bodies of
// loops, functions under jit, states, types of 64 bits, and indices beyond the ends.
func TestAssignPrograms(t *testing.T) {
	const head = `
def run(*values):
    tg = cp.Target()
    tg.compile(*values)
    tg.run()
    print(*map(tg.read_value, values))
x, y = cp.value(3.0), cp.value(4.0)
u = cp.vector([x, y])
g = lambda y, x: run(cp.grad(y, x))
`
	checkPrograms(t, show+head, []scriptCase{
		{"gradient by what was assigned", "a = cp.zeros(3)\na[1] = x\na[2] = a[1] * y\ng((a * a).sum(), [x, y]); g((a * a).sum(), a)", "[102.0, 72.0]\n[0.0, 6.0, 24.0]\n"},
		{"gradient of what was replaced", "v = cp.value([1.0, 2.0, 3.0])\nw = v.copy()\nw[1] = x\ng((w * w).sum(), v); g((w * w).sum(), x)", "[2.0, 0.0, 6.0]\n6.0\n"},
		{"gradient through masks and indices", "v = cp.value([-1.0, 2.0, -3.0])\nw = v.copy()\nw[w < 0] *= 10\nw[cp.value(1)] = x * 2\nw[cp.value([0, 0])] += y\ng((w * w).sum(), v); g((w * w).sum(), [x, y])", "[-120.0, 0.0, -600.0]\n[24.0, -12.0]\n"},
		{"gradient through a mask of columns", "v = cp.value([[-1.0, 2.0], [3.0, 4.0]])\nw = v.copy()\nw[:, v[0] < 0] *= 10\nw[v[:, 0] > 0, 1] = x\ng((w * w).sum(), v); g((w * w).sum(), x)", "[[-200.0, 4.0], [600.0, 0.0]]\n6.0\n"},
		{"a mask of columns of doubles", "d = cp.value([[1.5, 2.5]], dtype=cp.f64)\nm = cp.value([True, False])\nd[:, m] = 0.1\nz = cp.zeros((2, 2))\nz[m, :] = cp.value(0.1, dtype=cp.f64)\nz[:, m] += 1\nrun(d * 1.0 - 1e-12, z + 1e-12)", "[[0.099999999999, 2.499999999999]] [[1.1000000000010002, 0.10000000000100001], [1.000000000001, 1e-12]]\n"},
		{"gradient through a block", "v = cp.value([float(i) for i in range(300)])\nw = v.copy()\nw[100:200] = v[:100] * 2\nd = cp.grad((w * w).sum(), v)\nrun(d[1], d[150], d[250])", "10.0 0.0 500.0\n"},
		{"other derivatives of what was before", `
v = cp.value([1.0, 2.0])
x, one = v * 1.0, cp.ones(2)
sq, y = x * x, (x * x).sum()
x[0] = 5.0
for f in (lambda: cp.jacobian(sq, x), lambda: cp.jacobian([v, sq], [v, x]), lambda: cp.jacobian(sq, x[:1]), lambda: cp.vjp(sq, x, one),
          lambda: cp.jvp(sq, x, one), lambda: cp.hessian(y, x), lambda: cp.value_and_grad(y, x)):
    try: print(f())
    except ValueError as e: print(e)
run(cp.jacobian(x, v), cp.hessian(x.sum(), x), cp.hessian(x[1] * x[1], x), cp.vjp(x * x, x, one), cp.jvp(x[1], x, one))
`, former("jacobian", "jacobian", "jacobian", "vjp", "jvp", "grad", "grad") + "[[0.0, 0.0], [0.0, 1.0]] [[0.0, 0.0], [0.0, 0.0]] [[0.0, 0.0], [0.0, 2.0]] [0.0, 4.0] 1.0\n"},
		{"gradient of what was before", "v = cp.value([1.0, 2.0])\nq = (v * v).sum()\nv[0] = 5.0\ntry: cp.grad(q, v)\nexcept ValueError as e: print(e)\ng(q + v.sum(), v)", "grad: the array was assigned to after this was computed from it\n[0.0, 5.0]\n"},
		{"hessian", "a = u.copy()\na[0] = a[0] * a[1]\nrun(cp.hessian(a.sum() * a[0], [x, y]))", "[[32.0, 56.0], [56.0, 24.0]]\n"},
		{"body of fori", "def body(i, c):\n    c[0] += c[1]\n    c[1] = c[0] * 0.5\n    return c\nr = cp.fori(3, body, u)\nrun(r, u)\ng(r.sum(), u)", "[15.75, 7.875] [3.0, 4.0]\n[3.375, 3.375]\n"},
		{"new array in a body", "def body(i, c):\n    b = cp.zeros(2)\n    b[1] = c\n    b[i] += 10.0\n    return b.sum()\nrun(cp.fori(2, body, x))", "23.0\n"},
		{"traced index in a body", "def body(i, c):\n    c[i] = c[i - 1] + 1\n    return c\nrun(cp.fori(4, body, cp.zeros(4)))", "[1.0, 2.0, 3.0, 4.0]\n"},
		{"body of scan", "def body(i, c, row):\n    row[0] = c\n    c = row.sum()\n    return c, row\nrun(*cp.scan(2, body, 1.0, cp.matrix([[5.0, 2.0], [6.0, 3.0]])))", "6.0 [[1.0, 2.0], [3.0, 3.0]]\n"},
		{"jit", "@cp.jit\ndef f(v):\n    w = v.copy()\n    w[0] = w[1]\n    b = cp.zeros(3)\n    b[:2] = w\n    return b\nv = cp.vector([1.0, 2.0])\nprint(f(v), f(cp.vector([5.0, 6.0])), v)", "[2.0, 2.0, 0.0] [6.0, 6.0, 0.0] [1.0, 2.0]\n"},
		{"plain result of jit", "@cp.jit\ndef f(v): return cp.zeros(2)\na = f(1.0)\na[0] = 5.0\nprint(a, f(1.0))", "[5.0, 0.0] [0.0, 0.0]\n"},
		{"next of a state", "s = cp.state([1.0, 2.0, 3.0])\nn = s.copy()\nn[1:] = s[:-1]\nn[0] = x\ns.next = n\ntg = cp.Target()\ntg.compile(s)\ntg.run(2)\nprint(tg.read_value(s))", "[3.0, 3.0, 1.0]\n"},
		{"plain floats become doubles", "a = cp.zeros(2)\na[0] = cp.value(0.1, dtype=cp.f64)\nrun(a + 1e-9)", "[0.100000001, 1e-09]\n"},
		{"ints are cut off on the target", "a = cp.arange(3)\na[0], a[1], a[2] = x / 2, -x / 2, cp.value(cp.nan)\nrun(a)\nprint(a.dtype)", "[1, -1, 0]\nint\n"},
		{"beyond the ends", "a = cp.arange(3)\na[cp.value(7)] = 10\na[cp.value(-9)] = 20\nrun(a)", "[20, 1, 10]\n"},
		{"a view follows", "a = cp.value([1.0, 2.0, 3.0, 4.0])\nb = a[1:3]\na[1] = x\nb[1] = y\nrun(a, b, b.sum())", "[1.0, 3.0, 4.0, 4.0] [3.0, 4.0] 7.0\n"},
		{"in place on views", "m = cp.matrix([[x, 1.0], [2.0, 3.0]])\nfor row in m: row += 1\nb = m[0]\nb *= 2\nc = m\nc += 100\nrun(m, b)", "[[8.0, 4.0], [3.0, 4.0]] [8.0, 4.0]\n"},
		{"in place where types differ", "a = cp.arange(4).reshape(2, 2)\nb = a[0]\nb += 0.5\nprint(a, b)", "[[0, 1], [2, 3]] [0.5, 1.5]\n"},
		{"elements of an object", "class Filter:\n    def __init__(self): self.taps = cp.zeros(3)\n    def push(self, v):\n        self.taps[1:] = self.taps[:-1]\n        self.taps[0] = v\nf = Filter()\nf.push(x)\nf.push(y)\nrun(f.taps)", "[4.0, 3.0, 0.0]\n"},
		{"read by name", "v = cp.value([1.0, 2.0])\nv[0] = 5.0\ntg = cp.Target()\ntg.compile(v)\ntg.run()\nprint(tg.read_value(v))\ntry: tg.write_value(v, [1.0, 1.0])\nexcept ValueError as e: print(e)", "[5.0, 2.0]\nwrite_value: element 0 is a constant of the program\n"},
		{"plain numbers read are a copy", "a = cp.vector([1.0, 2.0])\ntg = cp.Target()\ntg.compile(x)\nb = tg.read_value(a)\nb[0] = 9.0\nprint(a)", "[1.0, 2.0]\n"},
		{"many", "a = cp.zeros(2000)\nfor i in range(2000): a[i] = i\nb = cp.zeros(400)\nfor i in range(400): b[i] = x * i\nrun(b.sum())\nprint(a.sum())", "239400.0\n1999000.0\n"},
	})
}

// former is what derivatives by an array print that was assigned to meanwhile.
func former(functions ...string) (text string) {
	for _, f := range functions {
		text += f + ": the array was assigned to after this was computed from it\n"
	}
	return text
}
