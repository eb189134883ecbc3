package script_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// runText runs a script on the oracle and returns what it printed.
func runText(t *testing.T, text string) (string, error) {
	t.Helper()
	var stdout bytes.Buffer
	err := script.Run(t.Context(), writeScript(t, text), script.Options{
		Stdout: &stdout,
		Open:   func(context.Context) (device.Device, error) { return oracle.New("x86_64") },
	})
	return stdout.String(), err
}

// show is the head of the test scripts: run compiles, runs and reads.
const show = `import copapy as cp
def run(*values):
    tg = cp.Target()
    tg.compile(*values)
    tg.run()
    for v in values:
        print(tg.read_value(v))
`

// checkPrograms runs scripts behind a common head.
func checkPrograms(t *testing.T, head string, cases []scriptCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, err := runText(t, head+c.text)
			require.NoError(t, err)
			assert.Equal(t, c.want, out)
		})
	}
}

// mistake is a wrong script, and parts of the error that it must end with. The
// line counts the import in front of the text.
type mistake struct {
	name, text, kind, message, hint string
	line                            int
}

func checkMistakes(t *testing.T, cases []mistake) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := runText(t, "import copapy as cp\n"+c.text)
			var e *vm.Error
			require.True(t, errors.As(err, &e), "%v", err)
			assert.Equal(t, c.kind, e.Kind, e.Message)
			assert.Contains(t, e.Message, c.message)
			assert.Contains(t, e.Hint, c.hint)
			assert.Equal(t, c.line, e.Line)
			assert.Positive(t, e.Column)
		})
	}
}

func TestValues(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"types", "run(cp.value(1), cp.value(1.5), cp.value(True))", "1\n1.5\nTrue\n"},
		{"integers", "a = cp.value(-7)\nrun(a // 2, a % 2, a + 1, -a, abs(a), a * a, a << 1, a >> 1, a & 5, a | 1, a ^ 3, ~a)",
			"-4\n1\n-6\n7\n7\n49\n-14\n-4\n1\n-7\n-6\n6\n"},
		{"division", "a = cp.value(7)\nrun(a / 2, a // 2.0, 7 / a, a % 2.5)", "3.5\n3.0\n1.0\n2.0\n"},
		{"weak literals", "a = cp.value(0.5)\nrun(a + 1, 1 - a, 2 * a, a / 2, a + True)", "1.5\n0.5\n1.0\n0.25\n1.5\n"},
		{"wrapping", "a = cp.value(2147483647)\nrun(a + 1)", "-2147483648\n"},
		{"powers", "a = cp.value(3.0)\nb = cp.value(3)\nrun(a ** 2, a ** 0, a ** -1, b ** 3, 2.0 ** a, cp.pow(a, 2))",
			"9.0\n1.0\n0.3333333432674408\n27\n8.0\n9.0\n"},
		{"comparisons", "a = cp.value(2.0)\nrun(a < 3, a > 3, a == 2, a != 2, 1 < a, 1 < a < 3, (1 < a) & (a < 2))",
			"True\nFalse\nTrue\nFalse\nTrue\nTrue\nFalse\n"},
		{"selects", "a = cp.value(-2.0)\nrun(cp.iif(a > 0, a, -a), a if a > 0 else 0.5)\nprint(cp.iif(True, 1, 2))", "2.0\n0.5\n1\n"},
		{"no NaN from the other side", "a = cp.value(4.0)\nrun(cp.iif(a > 0, a, cp.sqrt(-a)))", "4.0\n"},
		{"functions", "a = cp.value(0.0)\nrun(cp.sin(a), cp.cos(a), cp.exp(a), cp.sqrt(a + 4), cp.log(a + 1), cp.atan2(a, a + 1))",
			"0.0\n1.0\n1.0\n2.0\n0.0\n0.0\n"},
		{"functions of plain numbers", "print(cp.sqrt(4), cp.acos(1.0), cp.abs(-3), cp.sign(-2.5), cp.clamp(5, 0, 1), cp.min(3, 2), cp.maximum(1, 2.5))",
			"2.0 0.0 3 -1.0 1 2 2.5\n"},
		{"extremes", "a = cp.value(3.0)\nb = cp.value(-1.0)\nrun(cp.min(a, b), cp.max(a, b, 5), cp.clamp(a, 0, 1), cp.sign(b), cp.clamp(cp.value(float('inf')), 0, 1))",
			"-1.0\n5.0\n1.0\n-1.0\n1.0\n"},
		{"conversions", "a = cp.value(-2.7)\nrun(int(a), float(cp.value(3)))", "-2\n3.0\n"},
		{"same value twice", "a = cp.value(2.0)\nb = a * 3\nrun(b, b, [b, a])", "6.0\n6.0\n[6.0, 2.0]\n"},
	})
}

func TestVectors(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"plain stays plain", "v = cp.vector([1, 2, 3])\nprint(v + 1, v.sum(), v @ v, v.dot([1][0] * v), len(v), v[1], v[-1], v[::2], list(v))",
			"[2, 3, 4] 6 14 14 3 2 3 [1, 3] [1, 2, 3]\n"},
		{"traced", "v = cp.vector([cp.value(1.0), 2, 3])\nrun(v, v * 2, 1 / v, v + v, v.sum(), v @ v, v[1:], v[2], v.magnitude())",
			"[1.0, 2.0, 3.0]\n[2.0, 4.0, 6.0]\n[1.0, 0.5, 0.3333333432674408]\n[2.0, 4.0, 6.0]\n6.0\n14.0\n[2.0, 3.0]\n3.0\n3.7416574954986572\n"},
		{"plain and traced", "v = cp.vector([1, 2])\na = cp.value(0.5)\nrun(v + a, a * v, v @ cp.vector([a, a]))", "[1.5, 2.5]\n[0.5, 1.0]\n1.5\n"},
		{"functions", "v = cp.vector([cp.value(4.0), 9.0])\nrun(cp.sqrt(v), cp.min(v, 5), cp.iif(v > 5, v, 0), v.map(lambda e: e + 1))",
			"[2.0, 3.0]\n[4.0, 5.0]\n[0.0, 9.0]\n[5.0, 10.0]\n"},
		{"iteration", "v = cp.vector(cp.value(i) for i in range(4))\na, b, c, d = v\nrun(a + d, sum(v), cp.vector(e * e for e in v))", "3\n6\n[0, 1, 4, 9]\n"},
		{"values", "v = cp.vector([1.5, 2.5])\nprint(v.values, isinstance(v, cp.vector), isinstance(v.sum(), cp.value))", "(1.5, 2.5) True False\n"},
		{"long", "v = cp.vector(cp.value(i * 1.0) for i in range(100))\nrun((v * 2).sum(), v[10] + v[99], (v @ v))", "9900.0\n109.0\n328350.0\n"},
	})
}

func TestGradients(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"square", "x = cp.value(3.0)\nrun(cp.grad(x * x, x))", "6.0\n"},
		{"unused", "x, y = cp.value(3.0), cp.value(1.0)\nrun(cp.grad(x * 2, [x, y])[0] + 0, cp.grad(x * 2, y))", "2.0\n0.0\n"},
		{"plain", "x = cp.value(3.0)\nrun(cp.grad(5.0, x))", "0.0\n"},
		{"vector", "v = cp.vector([cp.value(1.0), cp.value(2.0)])\nrun(cp.grad((v * v).sum() + v[0], v))", "[3.0, 4.0]\n"},
		{"same number twice in a vector", "a = cp.value(2.0)\nv = cp.vector([a, a, 2.0])\nrun(cp.grad(v[0] * 5 + v[2] * 7, v))", "[5.0, 0.0, 0.0]\n"},
		{"steps", "v = cp.vector([cp.value(1.0), cp.value(2.0)])\nw = v - 0.5 * cp.grad((v * v).sum(), v)\nrun(w, cp.grad(w.sum(), w))", "[0.0, 0.0]\n[1.0, 1.0]\n"},
		{"kinks", "x = cp.value(0.0)\nrun(cp.grad(abs(x), x), cp.grad(cp.max(x, 0.0), x), cp.grad(cp.sign(x), x))", "0.0\n0.5\n0.0\n"},
		{"structure", "x, y = cp.value(2.0), cp.value(3.0)\ng = cp.grad(x * y, (x, [y]))\nprint(type(g).__name__, type(g[1]).__name__)\nrun(g[0], g[1][0])", "tuple list\n3.0\n2.0\n"},
	})
}

func TestTarget(t *testing.T) {
	checkPrograms(t, "import copapy as cp\n", []scriptCase{
		{"write", "x = cp.value(1.0)\ny = x + 1\ntg = cp.Target()\ntg.compile(y)\ntg.run()\ntg.write_value(x, 5)\ntg.run()\nprint(tg.read_value(y), tg.read_value(x))", "6.0 5.0\n"},
		{"write a vector", "v = cp.vector([cp.value(1.0), cp.value(2.0)])\ny = v.sum()\ntg = cp.Target()\ntg.compile(y)\ntg.write_value(v, [10, 20])\ntg.run(3)\nprint(tg.read_value(y), tg.read_value(v))", "30.0 [10.0, 20.0]\n"},
		{"read what was not compiled", "x = cp.value(2.0)\ndef f():\n    h = x * 3\n    return h, h + 1\nh, y = f()\nother = x - 1\ntg = cp.Target()\ntg.compile(y)\ntg.write_value(x, 4.0)\ntg.run()\nprint(tg.read_value(y), tg.read_value(h), tg.read_value(other), tg.read_value(3), tg.read_value(cp.vector([1, 2])))", "13.0 12.0 3.0 3 [1, 2]\n"},
		{"parameters of the ancestor", "tg = cp.Target('native', 'O3')\ntg.compile(cp.value(2.0) * 2)\ntg.run()\nprint('ok')", "ok\n"},
	})
}

func TestJit(t *testing.T) {
	out, err := runText(t, `import copapy as cp
traced = 0

@cp.jit
def f(x, y):
    global traced
    traced += 1
    return x * y + 1

print(f(2.0, 3.0), f(4.0, 5.0), traced)
print(f(2, 3), traced)               # other types: traced again
print(f(cp.vector([1.0, 2.0]), 2.0), traced)

@cp.jit
def g(pairs):
    (a, b), c = pairs
    return [a + b, (b * c, cp.vector([a, c]))]

print(g([(1, 2), 3]))
print(g([(10, 20), 30]))
print(cp.jit(lambda x: 5)(1))

@cp.jit
def double(v):
    "Twice as much."
    return v * 2

@cp.jit
def twice(x):
    return double(x) + double([x, 1])[0] + double(cp.vector([x]))[0]  # part of this one

print(twice(3.0), double(3.0), double.__name__)
print(cp.jit(lambda x: cp.grad(double(x) ** 2, x))(1.0))
help(double)
`)
	require.NoError(t, err)
	assert.Equal(t, "7.0 21.0 1\n7 2\n[3.0, 5.0] 3\n[3, (6, vector([1, 3]))]\n[30, (600, vector([10, 30]))]\n5\n"+
		"15.0 6.0 double\n8.0\nTwice as much.\n", out)
}

// TestMistakes checks that wrong uses name the line and say what to do.
func TestMistakes(t *testing.T) {
	checkMistakes(t, []mistake{
		{"if", "x = cp.value(1.0)\nif x > 0: pass", "TypeError", "not known while", "cp.iif", 3},
		{"while", "x = cp.value(1.0)\nwhile x: pass", "TypeError", "not known while", "cp.iif", 3},
		{"and", "x = cp.value(1.0)\ny = x > 0 and x < 1", "TypeError", "not known while", "cp.iif", 3},
		{"not", "x = cp.value(1.0)\ny = not x", "TypeError", "not known while", "cp.iif", 3},
		{"bool", "x = cp.value(1.0)\ny = bool(x)", "TypeError", "not known while", "cp.iif", 3},
		{"builtin min", "x = cp.value(1.0)\ny = min(x, 2)", "TypeError", "not known while", "cp.iif", 3},
		{"format", "x = cp.value(1.0)\nprint(f'{x:.2f}')", "TypeError", "no number to format", "read_value", 3},
		{"text", "x = cp.value('a')", "TypeError", "must be a number or an array of numbers, not 'str'", "", 2},
		{"added to text", "x = cp.value(1.0) + 'a'", "TypeError", "unsupported operand", "", 2},
		{"bits of a float", "x = cp.value(1.0) & 1", "TypeError", "and: ", "", 2},
		{"too large", "x = cp.value(1) + 2 ** 40", "OverflowError", "32 bits", "float", 2},
		{"lengths", "v = cp.vector([cp.value(1.0), 2.0])\nw = v + cp.vector([1, 2, 3])", "ValueError", "2 and 3 elements", "", 3},
		{"element", "v = cp.vector([1, 'a'])", "TypeError", "element 1 is a 'str'", "", 2},
		{"index", "v = cp.vector([cp.value(1.0)])\nv[1]", "IndexError", "out of range", "", 3},
		{"float index", "v = cp.vector([1, 2])\nv[cp.value(1.0)]", "TypeError", "must be an int, not a float", "int(x)", 3},
		{"bits of 32", "n = cp.value(1)\nm = n + 0xFFFFFFFF", "OverflowError", "32 bits", "-1 for 0xFFFFFFFF", 3},
		{"vector truth", "v = cp.vector([cp.value(1.0)])\nif v: pass", "TypeError", "ambiguous", "elements", 3},
		{"gradient of a vector", "v = cp.vector([cp.value(1.0)])\ncp.grad(v, v)", "TypeError", "must be a traced scalar", ".sum()", 3},
		{"gradient by a number", "x = cp.value(1.0)\ncp.grad(x, 2.0)", "TypeError", "with respect to a 'float'", "", 3},
		{"gradient by plain numbers", "u = cp.zeros(3)\ncp.grad(u @ u, u)", "TypeError", "with respect to plain numbers", "cp.value(", 3},
		{"gradient of a function alone", "cp.grad(lambda x: x * x)", "TypeError", "missing", "cp.grad(f(x), x)", 2},
		{"read before a run", "x = cp.value(1.0)\ny = x * 2\ntg = cp.Target()\ntg.compile(y)\nprint(tg.read_value(x))\ntg.read_value(y)", "RuntimeError", "has not run", "tg.run()", 7},
		{"nothing to compile", "cp.Target().compile(1)", "ValueError", "nothing to compute", "cp.value", 2},
		{"text to compile", "cp.Target().compile('a')", "TypeError", "cannot compute a 'str'", "", 2},
		{"run before compile", "cp.Target().run()", "RuntimeError", "no program", "tg.compile", 2},
		{"read before compile", "cp.Target().read_value(1)", "RuntimeError", "no program", "tg.compile", 2},
		{"write a number to an array", "v = cp.value([1.0, 2.0])\ntg = cp.Target()\ntg.compile(v + 1)\ntg.write_value(v, 3.0)", "ValueError", "one number for variables of shape (2,)", "an array of that shape", 5},
		{"write a number to a list", "v = cp.value(1.0)\ntg = cp.Target()\ntg.compile(v + 1)\ntg.write_value([v, v], 3.0)", "ValueError", "one number for 2 variables", "", 5},
		{"read a dict in a list", "v = cp.value(1.0)\ntg = cp.Target()\ntg.compile(v + 1)\ntg.read_value([v, [v, {}]])", "TypeError", "cannot read a 'dict'", "lists and tuples", 5},
		{"a limit that no runner takes", "v = cp.value(1.0)\ntg = cp.Target()\ntg.compile(v + 1)\ntg.run(limit=11)", "ValueError", "from 0.000001 to 10", "several runs", 5},
		{"a ramp of bools", "cp.pad([True], 1, 'linear_ramp')", "TypeError", "no steps between bools", "edge", 2},
		{"a ramp of ints to a float", "cp.pad([1], 1, 'linear_ramp', end_values=0.5)", "TypeError", "must be ints", "astype", 2},
		{"three ends of a ramp", "cp.pad([1], 1, 'linear_ramp', end_values=(1, 2, 3))", "TypeError", "or a pair of them", "", 2},
		{"a ramp from nothing", "cp.pad(cp.zeros(0), 1, 'linear_ramp')", "ValueError", "no rows to extend", "", 2},
		{"an array mirrored beyond its bound", "m = cp.zeros((1, 60000))\nfor mode in 'wrap', 'symmetric':\n    try: cp.pad(m, ((0, 1000000), (0, 0)), mode)\n    except ValueError as e: print(e)\ncp.pad(m, ((0, 1000000), (0, 0)), 'reflect')", "ValueError", "at most 16777216 elements", "", 6},
		{"a statistic of nothing", "cp.pad(cp.ones(3), 1, 'mean', stat_length=(1, 0))", "ValueError", "stat_length of 0", "", 2},
		{"a statistic of too many axes", "cp.pad(cp.ones(3), 1, 'mean', stat_length=((1, 1), (2, 2)))", "ValueError", "stat_length of 2 axes", "", 2},
		{"as many columns as a traced mask takes", "m = cp.value([[1.0, 2.0]])\nm[:, cp.value([True, False])] = [1.0, 2.0]", "ValueError", "known only on the target", "one value for all", 3},
		{"rows for a traced mask of columns", "m = cp.zeros((2, 3))\nm[:, cp.value([True, False, True])] = [[1], [2], [3]]", "ValueError", "from shape (3, 1) into shape (2, 1)", "aligned at the end", 3},
		{"a traced mask of other columns", "m = cp.zeros((2, 3))\nm[:, cp.value([True, False])] = 0", "IndexError", "shape (2,) does not fit an array of shape (2, 3)", "", 3},
		{"a traced mask beside a list", "m = cp.zeros((2, 3))\nm[[0, 1], cp.value([True, False, True])] = 0", "TypeError", "only with slices and single indices", "cp.where", 3},
		{"two traced masks", "m = cp.zeros((2, 2))\nb = cp.value([True, False])\nm[b, b] = 0", "TypeError", "only with slices and single indices", "cp.where", 4},
		{"a traced bool as an index", "m = cp.value([1.0, 2.0])\nm[cp.value(True)] = 0", "TypeError", "not a bool", "a mask of several elements", 3},
		{"write a result", "x = cp.value(1.0)\ny = x + 1\ntg = cp.Target()\ntg.compile(y)\ntg.write_value(y, 1)", "ValueError", "computed value", "cp.value", 6},
		{"write a large number to an int", "x = cp.value(1)\ntg = cp.Target()\ntg.compile(x + 1)\ntg.write_value(x, 1.5e10)", "ValueError", "not a 32-bit integer", "", 5},
		{"architecture", "cp.Target('armv7').compile(cp.value(1.0))", "ValueError", "the target is x86_64", "command line", 2},
		{"arity", "cp.sin()", "TypeError", "missing", "", 2},
		{"unknown name", "cp.sinus(1)", "AttributeError", "sinus", "", 2},
		{"jit of text", "cp.jit(lambda x: x)('a')", "TypeError", "cannot take a 'str'", "numbers", 2},
		{"domain", "cp.sqrt(-1)", "ValueError", "math domain", "", 2},
	})
}

// TestErrorsOfTheDevice keeps what went wrong, past the script's own handlers.
func TestErrorsOfTheDevice(t *testing.T) {
	broken := errors.New("cable cut")
	file := filepath.Join(t.TempDir(), "prog.py")
	require.NoError(t, os.WriteFile(file, []byte(`import copapy as cp
try:
    cp.Target().compile(cp.value(1.0) * 2)
except Exception:
    print("caught")
`), 0o600))
	var stdout bytes.Buffer
	err := script.Run(t.Context(), file, script.Options{
		Stdout: &stdout,
		Open:   func(context.Context) (device.Device, error) { return nil, broken },
	})
	require.ErrorIs(t, err, broken)
	assert.Empty(t, stdout.String())
}

// TestNesting: a list within itself ends no function of the module but with an error,
// and one that is shared many times over takes steps of the script.
func TestNesting(t *testing.T) {
	const within, shared = "l = []\nl.append(l)\n", "l = [1]\nfor _ in range(60): l = [l, l]\n"
	for _, use := range []string{
		"cp.jit(lambda x: 1)(l)", "cp.jit(lambda x: l)(1)", "cp.stop_gradient(l)", "cp.grad(x, l)", "cp.grad(l, x)",
		"cp.iif(x > 0, l, l)", "l if x > 0 else l", "cp.jacobian(l, x)", "cp.jvp(x, x, v=l)", "cp.vjp(l, x, l)",
		"tg.compile(l)", "tg.read_value(l)", "tg.write_value(l, l)", "cp.min(l)",
	} {
		head := "import copapy as cp\nx = cp.value(1.0)\ntg = cp.Target()\ntg.compile(x)\n"
		_, err := runText(t, head+within+use)
		require.ErrorContains(t, err, "nested more than 100 deep", use)
		err = script.Run(t.Context(), writeScript(t, head+shared+use), script.Options{
			Limits: vm.Limits{Steps: 100_000},
			Open:   func(context.Context) (device.Device, error) { return oracle.New("x86_64") },
		})
		require.ErrorContains(t, err, "more than 100000 steps", use)
	}
}

func writeScript(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "prog.py")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}
