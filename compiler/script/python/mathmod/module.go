package mathmod

import (
	"maps"
	"math"

	"github.com/copaflash/copaflash/compiler/script/python/libm"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Module makes the module. It fits vm.Options.Modules under the name "math".
func Module(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("math")
	m.Set("pi", math.Pi)
	m.Set("e", math.E)
	m.Set("tau", 2*math.Pi)
	m.Set("inf", math.Inf(1))
	m.Set("nan", math.NaN())
	for name, f := range functions {
		m.Func(name, f)
	}
	return m, nil
}

// Function returns the module's function of that name, nil where there is none.
func Function(name string) vm.GoFunc { return functions[name] }

var functions = func() map[string]vm.GoFunc {
	fs := map[string]vm.GoFunc{}
	for name, f := range oneArg {
		fs[name] = unary(name, f)
	}
	for name, f := range twoArgs {
		fs[name] = binary(name, f)
	}
	for name, test := range tests {
		fs[name] = func(t *vm.Thread, a vm.Args) (vm.Value, error) {
			x, err := reals(t, name, a, "x", "/")
			if err != nil {
				return nil, err
			}
			return test(x[0]), nil
		}
	}
	for name, op := range map[string]vm.UnaryOp{"floor": vm.OpFloor, "ceil": vm.OpCeil, "trunc": vm.OpTrunc} {
		fs[name] = func(t *vm.Thread, a vm.Args) (vm.Value, error) {
			vs, err := a.Bind(name, "x", "/")
			if err != nil {
				return nil, err
			}
			return t.Unary(op, vs[0])
		}
	}
	maps.Copy(fs, special)
	maps.Copy(fs, integer)
	return fs
}()

var tests = map[string]func(x float64) bool{
	"isnan":    math.IsNaN,
	"isinf":    func(x float64) bool { return math.IsInf(x, 0) },
	"isfinite": func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) },
}

// oneArg are the functions of one float. A NaN from a number is a domain
// error, an infinity from a finite number is named by the row.
var oneArg = map[string]row{
	"acos": {libm.Acos, false}, "acosh": {math.Acosh, false}, "asin": {libm.Asin, false}, "asinh": {math.Asinh, false},
	"atan": {libm.Atan, false}, "atanh": {math.Atanh, false}, "cbrt": {libm.Cbrt, false}, "cos": {libm.Cos, false},
	"cosh": {libm.Cosh, true}, "degrees": {func(x float64) float64 { return x * (180 / math.Pi) }, true},
	"erf": {math.Erf, false}, "erfc": {math.Erfc, false}, "exp": {libm.Exp, true}, "exp2": {libm.Exp2, true},
	"expm1": {math.Expm1, true}, "fabs": {math.Abs, false}, "log1p": {math.Log1p, false},
	"radians": {func(x float64) float64 { return x * (math.Pi / 180) }, false}, "sin": {libm.Sin, false},
	"sinh": {libm.Sinh, true}, "sqrt": {math.Sqrt, false}, "tan": {libm.Tan, false}, "tanh": {libm.Tanh, false},
	"gamma": {gamma, true}, "lgamma": {lgamma, true}, "ulp": {ulp, false},
}

// row is a function and whether it can overflow; where it cannot, an infinite
// result of a finite argument is a pole and so a domain error.
type row struct {
	f         func(float64) float64
	overflows bool
}

var twoArgs = map[string]func(x, y float64) (float64, error){
	"atan2":     func(y, x float64) (float64, error) { return libm.Atan2(y, x), nil },
	"copysign":  func(x, y float64) (float64, error) { return math.Copysign(x, y), nil },
	"nextafter": func(x, y float64) (float64, error) { return math.Nextafter(x, y), nil },
	"fmod": func(x, y float64) (float64, error) {
		if (math.IsInf(x, 0) || y == 0) && !math.IsNaN(x) && !math.IsNaN(y) {
			return 0, domainError()
		}
		return math.Mod(x, y), nil
	},
	"remainder": func(x, y float64) (float64, error) {
		if (math.IsInf(x, 0) || y == 0) && !math.IsNaN(x) && !math.IsNaN(y) {
			return 0, domainError()
		}
		return math.Remainder(x, y), nil
	},
	"pow": func(x, y float64) (float64, error) {
		r := libm.Pow(x, y)
		switch finite := !math.IsInf(x, 0) && !math.IsInf(y, 0) && !math.IsNaN(x) && !math.IsNaN(y); {
		case finite && (math.IsNaN(r) || x == 0 && y < 0):
			return 0, domainError()
		case finite && math.IsInf(r, 0):
			return 0, rangeError()
		}
		return r, nil
	},
}

func domainError() error { return vm.ValueErrorf("math domain error") }
func rangeError() error  { return vm.Raise(vm.OverflowError, "math range error") }

func unary(name string, r row) vm.GoFunc {
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		xs, err := reals(t, name, a, "x", "/")
		if err != nil {
			return nil, err
		}
		x := xs[0]
		y := r.f(x)
		switch {
		case math.IsNaN(y) && !math.IsNaN(x):
			return nil, domainError()
		case math.IsInf(y, 0) && !math.IsInf(x, 0) && r.overflows:
			if name == "gamma" || name == "lgamma" {
				if x <= 0 && x == math.Floor(x) {
					return nil, domainError()
				}
			}
			return nil, rangeError()
		case math.IsInf(y, 0) && !math.IsInf(x, 0):
			return nil, domainError()
		}
		return y, nil
	}
}

func binary(name string, f func(x, y float64) (float64, error)) vm.GoFunc {
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		xs, err := reals(t, name, a, "x", "y", "/")
		if err != nil {
			return nil, err
		}
		return number(f(xs[0], xs[1]))
	}
}

func number(f float64, err error) (vm.Value, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// reals binds arguments and converts them to float64.
func reals(t *vm.Thread, name string, a vm.Args, params ...string) ([]float64, error) {
	vs, err := a.Bind(name, params...)
	if err != nil {
		return nil, err
	}
	xs := make([]float64, len(vs))
	for i, v := range vs {
		if xs[i], err = real(t, name, v); err != nil {
			return nil, err
		}
	}
	return xs, nil
}

// onTarget are the functions that copapy has for traced values as well.
var onTarget = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range []string{
		"sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2", "expm1",
		"copysign", "erf", "erfc", "frexp", "ldexp", "nextafter", "log", "log2", "log10", "log1p", "pow", "hypot", "fmod", "isnan", "isinf", "isfinite", "isclose", "fabs", "degrees", "radians",
	} {
		m[name] = true
	}
	return m
}()

// real converts one argument.
func real(t *vm.Thread, name string, v vm.Value) (float64, error) {
	switch x := v.(type) {
	case float64:
		return x, nil
	case int64:
		return float64(x), nil
	case vm.Operand:
		hint := "math." + name + " takes plain numbers: "
		if onTarget[name] {
			hint += "use cp." + name + " for traced values"
		} else {
			hint += "there is no such function for traced values"
		}
		return 0, vm.WithHint(vm.TypeErrorf("must be real number, not %s", vm.TypeName(v)), hint)
	case string:
		return 0, vm.TypeErrorf("must be real number, not str")
	}
	f, err := t.Unary(vm.OpToFloat, v)
	if err != nil {
		if vm.ExceptionClass(err) == vm.TypeError {
			return 0, vm.TypeErrorf("must be real number, not %s", vm.TypeName(v))
		}
		return 0, err
	}
	x, ok := f.(float64)
	if !ok {
		return 0, vm.TypeErrorf("must be real number, not %s", vm.TypeName(v))
	}
	return x, nil
}

func gamma(x float64) float64 {
	if x == math.Floor(x) && (x <= 0) && !math.IsInf(x, 0) || math.IsInf(x, -1) {
		return math.NaN()
	}
	return math.Gamma(x)
}

func lgamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}

// ulp is the value of the last bit of x.
func ulp(x float64) float64 {
	x = math.Abs(x)
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	if x == math.MaxFloat64 {
		return x - math.Nextafter(x, 0)
	}
	return math.Nextafter(x, math.Inf(1)) - x
}
