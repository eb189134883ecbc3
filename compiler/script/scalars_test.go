package script_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// TestScalarFunctions: functions of traced numbers, of vectors and of plain
// numbers. What is expected of traced numbers is the correctly rounded float.
func TestScalarFunctions(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"exponentials", "x = cp.value(1.25)\nrun(cp.exp2(x * 0 + 0.3), cp.expm1(x * 0 + 1e-4), cp.sinh(x), cp.cosh(x), cp.tanh(x - 0.5))",
			"1.2311444282531738\n0.00010000499605666846\n1.6019190549850464\n1.8884239196777344\n0.6351489424705505\n"},
		{"logarithms and roots", "x = cp.value(10.0)\nrun(cp.log2(x), cp.log10(x * 5), cp.log1p(x * 0 + 1e-3), cp.cbrt(x * 2.75), cp.cbrt(-x))",
			"3.321928024291992\n1.6989699602127075\n0.00099950039293617\n3.0184054374694824\n-2.1544346809387207\n"},
		{"of vectors", "v = cp.vector([cp.value(0.0), 3.0])\nrun(cp.exp2(v), cp.log1p(v * 0), cp.isnan(v / v), cp.hypot(v, 4))",
			"[1.0, 8.0]\n[0.0, 0.0]\n[True, False]\n[4.0, 5.0]\n"},
		{"of integers", "n = cp.value(3)\nrun(cp.exp2(n), cp.isnan(n), cp.isfinite(n), cp.hypot(n, 4), cp.floor(n), cp.round(n))", "8.0\nFalse\nTrue\n5.0\n3\n3\n"},
		{"plain numbers are Python's", "print(cp.exp2(3), cp.log2(8), cp.cbrt(27), cp.hypot(3, 4), cp.fmod(-7, 3), cp.isnan(2), cp.isinf(float('-inf')), cp.sincos(0), cp.acos(1))",
			"8.0 3.0 3.0 5.0 -1.0 False True (0.0, 1.0) 0.0\n"},
		{"rounding keeps the type", "x = cp.value(-2.5)\nrun(cp.floor(x), cp.ceil(x), cp.trunc(x), cp.round(x), cp.round(x - 1), cp.ceil(x + 2))",
			"-3.0\n-2.0\n-2.0\n-2.0\n-4.0\n-0.0\n"},
		{"rounding to integers", "import math\nx = cp.value(-2.5)\nrun(math.floor(x), math.ceil(x), math.trunc(x), round(x), int(x), round(x * 1e20))",
			"-3\n-2\n-2\n-2\n-2\n-2147483648\n"},
		{"rounding plain numbers", "print(cp.floor(2.5), cp.ceil(2.5), cp.trunc(-2.5), cp.round(2.5), cp.round(7), cp.floor(cp.vector([1.5, 2])))",
			"2.0 3.0 -2.0 2.0 7 [1.0, 2.0]\n"},
		{"tests of numbers", "x = cp.value(1.0)\nrun(cp.isnan(x), cp.isnan((x - 1) / (x - 1)), cp.isfinite(x / 0), cp.isinf(x / 0), cp.isinf(x))", "False\nTrue\nFalse\nTrue\nFalse\n"},
		{"remainders", "x = cp.value(-7.5)\nn = cp.value(-7)\nrun(cp.fmod(x, 2), x % 2, cp.fmod(n, 3), n % 3, cp.fmod(x, 0) == 0)", "-1.5\n0.5\n-1.0\n2\nFalse\n"},
		{"hypot does not overflow", "x = cp.value(3e30)\nrun(cp.hypot(x, 4e30), cp.hypot(x * 1e-30, 4))", "4.9999999241216036e+30\n5.0\n"},
		{"sine and cosine", "x = cp.value(0.5)\ns, c = cp.sincos(x)\nrun(s, c, s - cp.sin(x))", "0.4794255495071411\n0.8775825500488281\n0.0\n"},
		{"relu", "x = cp.value(-2.0)\nn = cp.value(-3)\nrun(cp.relu(x), cp.relu(-x), cp.relu(n), cp.relu(-n), cp.relu(x / 0), cp.relu(cp.vector([x, 1.5])))\nprint(cp.relu(-2), cp.relu(1.5), cp.relu(True), cp.relu(float('-inf')))",
			"0.0\n2.0\n0\n3\n0.0\n[0.0, 1.5]\n0 1.5 1 0.0\n"},
		{"sigmoid", "x = cp.value(1000.0)\nrun(cp.sigmoid(x), cp.sigmoid(-x), cp.sigmoid(x * 0), cp.sigmoid(cp.vector([x, -1.0])))\nprint(cp.sigmoid(-1000.0), cp.sigmoid(0), cp.sigmoid(1000))",
			"1.0\n0.0\n0.5\n[1.0, 0.2689414322376251]\n0.0 0.5 1.0\n"},
	})
}

func TestScalarGradients(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"relu", "x = cp.value(0.0)\nrun(cp.grad(cp.relu(x), x), cp.grad(cp.relu(x + 1), x), cp.grad(cp.relu(x - 1), x))", "0.0\n1.0\n0.0\n"},
		{"sigmoid", "x = cp.value(0.0)\nrun(cp.grad(cp.sigmoid(x), x), cp.grad(cp.sigmoid(x + 1000), x), cp.grad(cp.sigmoid(x - 1000), x), cp.grad(cp.sigmoid(x - 10), x))",
			"0.25\n0.0\n0.0\n4.539580550044775e-05\n"},
		{"stop", "x = cp.value(3.0)\nrun(cp.grad(x * cp.stop_gradient(x), x), cp.stop_gradient(x))\nprint(cp.stop_gradient(2))", "3.0\n3.0\n2\n"},
		{"stop in a structure", "x = cp.value(3.0)\na, (b, c) = cp.stop_gradient([x, (x * 2, 5)])\nrun(cp.grad(a * b * x, x), b)\nprint(c)", "18.0\n6.0\n5\n"},
		{"value and gradient", "x = cp.value(3.0)\ny, g = cp.value_and_grad(x * x, x)\nrun(y, g)\nz, (a, b) = cp.value_and_grad(x ** 3, [x, cp.value(1.0)])\nrun(z, a, b)", "9.0\n6.0\n27.0\n27.0\n0.0\n"},
		{"hypot", "x = cp.value(0.0)\nrun(cp.grad(cp.hypot(x, x), x), cp.grad(cp.hypot(x + 3, 4), x))", "0.0\n0.6000000238418579\n"},
		{"jacobian", "x = cp.value(2.0)\nw = cp.value(3.0)\nv = cp.vector([cp.value(1.0), 2.0])\nrun(cp.jacobian(v * v.sum(), v), cp.jacobian([x * w, x], [x, w]), cp.jacobian(v * x, x), cp.jacobian(5, x))",
			"[[4.0, 0.0], [2.0, 0.0]]\n[[3.0, 2.0], [1.0, 0.0]]\n[1.0, 2.0]\n0.0\n"},
		{"hessian", "x = cp.value(2.0)\nw = cp.value(3.0)\nv = cp.vector([cp.value(1.0), 2.0])\nrun(cp.hessian(x * x * w, [x, w]), cp.hessian((v * v * v).sum(), v), cp.hessian(x ** 3, x))",
			"[[6.0, 4.0], [4.0, 0.0]]\n[[6.0, 0.0], [0.0, 0.0]]\n12.0\n"},
		{"products with the jacobian", "x = cp.value(2.0)\nw = cp.value(3.0)\nv = cp.vector([cp.value(1.0), 2.0])\nf = v * v.sum()\nd = cp.vector([1.0, 0.0])\nrun(cp.vjp(f, v, d), cp.jvp(f, v, d), cp.jvp([x * w, x], [x, w], (1, 2.0)), cp.vjp([x * w, x], [x, w], [1.0, 2.0]))",
			"[4.0, 0.0]\n[4.0, 2.0]\n[7.0, 1.0]\n[5.0, 2.0]\n"},
		{"jacobian by a quaternion", "q = cp.quaternion(cp.value(1.0), cp.value(2.0), cp.value(3.0), cp.value(4.0))\nrun(cp.jacobian(q * q, q)[0][0], cp.jacobian(q.norm(), q)[0] > 0)", "2.0\nTrue\n"},
		{"nothing leaks from a test", "x = cp.value(-4.0)\ny = cp.sqrt(x)\nrun(cp.grad(cp.iif(cp.isnan(y), x * x, y), x))", "-8.0\n"},
	})
}

// TestFaultsOfTheAncestor: what the project's Python ancestor computed wrongly
// or crashed on, each with the right answer.
func TestFaultsOfTheAncestor(t *testing.T) {
	checkPrograms(t, show, []scriptCase{
		{"gradient of -x", "x = cp.value(3.0)\nrun(cp.grad(-x, x), cp.grad(-(x * x), x))", "-1.0\n-6.0\n"},
		{"gradient of atan2", "y, x = cp.value(1.0), cp.value(2.0)\nrun(*cp.grad(cp.atan2(y, x), [y, x]))", "0.4000000059604645\n-0.20000000298023224\n"},
		{"gradient of %", "x, y = cp.value(-7.0), cp.value(2.0)\nrun(*cp.grad(x % y, [x, y]))", "1.0\n4.0\n"},
		{"gradient of iif", "x, y = cp.value(2.0), cp.value(5.0)\nrun(*cp.grad(cp.iif(x > 0, x * y, y), [x, y]), *cp.grad(cp.iif(x < 0, x * y, y), [x, y]))", "5.0\n2.0\n0.0\n1.0\n"},
		{"gradient of clamp", "x = cp.value(0.5)\nrun(cp.grad(cp.clamp(x, 0, 1), x), cp.grad(cp.clamp(x + 1, 0, 1), x), cp.grad(cp.clamp(x - 1, 0, 1), x))", "1.0\n0.0\n0.0\n"},
		{"gradients of min and max", "x, y = cp.value(1.0), cp.value(2.0)\nrun(*cp.grad(cp.min(x, y), [x, y]), *cp.grad(cp.max(x, y), [x, y]), *cp.grad(cp.minimum(x, x * 1.0), [x]))", "1.0\n0.0\n0.0\n1.0\n1.0\n"},
		{"gradient of sign", "x = cp.value(-2.0)\nrun(cp.grad(cp.sign(x), x), cp.grad(cp.sign(x) * x, x))", "0.0\n-1.0\n"},
		{"gradient of a square by a scalar", "x = cp.value(3.0)\nrun(cp.grad(x * x, x))", "6.0\n"},
		{"gradient by what is not used", "x, y = cp.value(3.0), cp.value(4.0)\nrun(*cp.grad(x * x, [x, y]))", "6.0\n0.0\n"},
		{"division by zero", "a, z = cp.value(7), cp.value(0)\nrun(a // z, a % z, a / z, -a % z)", "0\n7\ninf\n-7\n"},
		{"the smallest integer by -1", "a, b = cp.value(-2 ** 31), cp.value(-1)\nrun(a // b, a % b)", "-2147483648\n0\n"},
		{"remainder of a negative", "a = cp.value(-7)\nrun(a % 2, a // 2, a % -2, a % 2.0)", "1\n-4\n-1\n1.0\n"},
		{"shift by more than the width", "a, n = cp.value(1), cp.value(33)\nrun(a << n, a << 33, -a >> n, a << (n - 35))", "0\n0\n-1\n0\n"},
		{"root on the side not taken", "x = cp.value(2.0)\nrun(cp.iif(x > 0, x, cp.sqrt(x * 0 - 1)), cp.grad(cp.iif(x > 0, x * x, cp.sqrt(-x)), x))", "2.0\n4.0\n"},
		{"clamp of infinity", "x = cp.value(float('inf'))\nrun(cp.clamp(x, 0, 1), cp.clamp(-x, 0, 1), cp.clamp(x - x, 0, 1))", "1.0\n0.0\nnan\n"},
		{"relu of minus infinity", "x = cp.value(float('-inf'))\nrun(cp.relu(x))", "0.0\n"},
		{"acos of a plain number", "print(cp.acos(0.5))", "1.0471975511965979\n"},
		{"jit with another type and length", "@cp.jit\ndef f(x):\n    return x * 2\nprint(f(1), f(1.5), f(True), f(cp.vector([1.0])), f(cp.vector([1.0, 2.0])))", "2 3.0 2 [2.0] [2.0, 4.0]\n"},
	})
}

func TestScalarMistakes(t *testing.T) {
	for _, c := range []struct{ text, kind, message, hint string }{
		{"cp.hypot(1)", "TypeError", "missing", ""},
		{"cp.exp2('a')", "TypeError", "exp2: must be a number", ""},
		{"cp.relu({1: 2})", "TypeError", "relu: must be a number, a traced value or a tensor, not 'dict'", ""},
		{"cp.log2(0)", "ValueError", "math domain error", ""},
		{"cp.exp(1000)", "OverflowError", "math range error", ""},
		{"cp.fmod(1, 0)", "ValueError", "math domain error", ""},
		{"math.tanh(x)", "TypeError", "must be real number, not value", "use cp.tanh"},
		{"math.gamma(x)", "TypeError", "must be real number, not value", "no such function for traced values"},
		{"round(x, 2)", "TypeError", "__round__", ""},
		{"cp.jacobian(x, 2)", "TypeError", "with respect to a 'int'", "traced"},
		{"cp.vjp(x, x, cp.vector([1.0, 2.0]))", "ValueError", "vjp: value 0 has shape (2,) instead of ()", ""},
		{"cp.jvp(x, x, [])", "ValueError", "jvp: 0 values for 1", ""},
		{"cp.hessian(cp.vector([x, x]), x)", "TypeError", "must be a traced scalar", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			_, err := runText(t, "import copapy as cp\nimport math\nx = cp.value(1.0)\n"+c.text)
			var e *vm.Error
			require.True(t, errors.As(err, &e), "%v", err)
			assert.Equal(t, c.kind, e.Kind, e.Message)
			assert.Contains(t, e.Message, c.message)
			assert.Contains(t, e.Hint, c.hint)
			assert.Equal(t, 4, e.Line)
		})
	}
}

// TestMathPointsToTheTarget: where a function of math refuses a traced value, the
// hint names the function of copapy if and only if there is one.
func TestMathPointsToTheTarget(t *testing.T) {
	names, err := runText(t, "import math\nprint(*[n for n in dir(math) if callable(getattr(math, n)) and not n.startswith('_')])")
	require.NoError(t, err)
	hints := 0
	for _, name := range strings.Fields(names) {
		known, err := runText(t, "import copapy as cp\nprint(hasattr(cp, '"+name+"'))")
		require.NoError(t, err)
		for _, args := range []string{"(x)", "(x, 1.0)"} {
			_, err := runText(t, "import copapy as cp\nimport math\nx = cp.value(1.0)\nmath."+name+args)
			var e *vm.Error
			if !errors.As(err, &e) || !strings.Contains(e.Hint, "takes plain numbers") {
				continue // such as too many arguments
			}
			want := "there is no such function"
			if known == "True\n" && name != "remainder" { // that of NumPy is another
				want = "use cp." + name + " "
			}
			assert.Contains(t, e.Hint, want)
			hints++
		}
	}
	assert.Greater(t, hints, 30)
}
