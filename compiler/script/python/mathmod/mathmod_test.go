package mathmod

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// The values of the functions are compared with CPython by the programs
// mathmod.py and floats.py of package vm; here is what those cannot show.

// TestNames: the module has the names of CPython 3.11.
func TestNames(t *testing.T) {
	m, err := Module(nil)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "comb", "copysign",
		"cos", "cosh", "degrees", "dist", "e", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "factorial", "floor", "fmod", "frexp",
		"fsum", "gamma", "gcd", "hypot", "inf", "isclose", "isfinite", "isinf", "isnan", "isqrt", "lcm", "ldexp", "lgamma", "log",
		"log10", "log1p", "log2", "modf", "nan", "nextafter", "perm", "pi", "pow", "prod", "radians", "remainder", "sin", "sinh",
		"sqrt", "tan", "tanh", "tau", "trunc", "ulp"}, m.Names())
}

// traced is a host value with arithmetic.
type traced struct{}

var tracedClass = vm.NewClass("value", nil, nil)

func (*traced) PyClass() *vm.Class { return tracedClass }

func (*traced) Binary(*vm.Thread, vm.BinaryOp, vm.Value, bool) (vm.Value, error) {
	return vm.NotImplemented, nil
}

func TestTracedArgument(t *testing.T) {
	th := vm.NewThread(vm.Options{Modules: map[string]vm.ModuleFunc{"math": Module}, Builtins: map[string]vm.Value{"x": &traced{}}})
	_, err := th.Run("test.py", []byte("import math\nmath.sin(x)\n"))
	var e *vm.Error
	require.True(t, errors.As(err, &e))
	require.Equal(t, "must be real number, not value", e.Message)
	require.Equal(t, "math.sin takes plain numbers: use cp.sin for traced values", e.Hint)
}
