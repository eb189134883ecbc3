package mathmod

import (
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
	for _, table := range tables {
		m.Define(table...)
	}
	return m, nil
}

// tables are all functions of the module.
var tables = [][]*vm.Builtin{oneTable, twoTable, testTable, roundTable, specialTable, integerTable}

// Function returns the module's function of that name, nil where there is none.
func Function(name string) vm.GoFunc { return byName[name] }

var byName = func() map[string]vm.GoFunc {
	fs := make(map[string]vm.GoFunc, 64)
	for _, table := range tables {
		for _, f := range table {
			if fs[f.Name] != nil {
				panic("math." + f.Name + " is defined twice")
			}
			fs[f.Name] = f.Fn
		}
	}
	return fs
}()

// oneTable has the functions of one float. A NaN from a number is a domain error. An infinity
// from a finite number is an overflow where the row says so, else a pole and so a domain error.
var oneTable = []*vm.Builtin{
	unary("acos", libm.Acos, false),
	unary("acosh", math.Acosh, false),
	unary("asin", libm.Asin, false),
	unary("asinh", math.Asinh, false),
	unary("atan", libm.Atan, false),
	unary("atanh", math.Atanh, false),
	unary("cbrt", libm.Cbrt, false),
	unary("cos", libm.Cos, false),
	unary("cosh", libm.Cosh, true),
	unary("degrees", degrees, true),
	unary("erf", math.Erf, false),
	unary("erfc", math.Erfc, false),
	unary("exp", libm.Exp, true),
	unary("exp2", libm.Exp2, true),
	unary("expm1", math.Expm1, true),
	unary("fabs", math.Abs, false),
	unary("gamma", gamma, true),
	unary("lgamma", lgamma, true),
	unary("log1p", math.Log1p, false),
	unary("radians", radians, false),
	unary("sin", libm.Sin, false),
	unary("sinh", libm.Sinh, true),
	unary("sqrt", math.Sqrt, false),
	unary("tan", libm.Tan, false),
	unary("tanh", libm.Tanh, false),
	unary("ulp", ulp, false),
}

var twoTable = []*vm.Builtin{
	binary("atan2", atan2),
	binary("copysign", copysign),
	binary("fmod", fmod),
	binary("nextafter", nextafter),
	binary("pow", pow),
	binary("remainder", remainder),
}

var testTable = []*vm.Builtin{
	test("isnan", math.IsNaN),
	test("isinf", isInf),
	test("isfinite", isFinite),
}

var roundTable = []*vm.Builtin{
	vm.DefFunc("floor", floor, "x", "/"),
	vm.DefFunc("ceil", ceil, "x", "/"),
	vm.DefFunc("trunc", trunc, "x", "/"),
}

func degrees(x float64) float64 { return x * (180 / math.Pi) }

func radians(x float64) float64 { return x * (math.Pi / 180) }

func isInf(x float64) bool { return math.IsInf(x, 0) }

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func floor(t *vm.Thread, vs []vm.Value) (vm.Value, error) { return t.Unary(vm.OpFloor, vs[0]) }

func ceil(t *vm.Thread, vs []vm.Value) (vm.Value, error) { return t.Unary(vm.OpCeil, vs[0]) }

func trunc(t *vm.Thread, vs []vm.Value) (vm.Value, error) { return t.Unary(vm.OpTrunc, vs[0]) }

func atan2(y, x float64) (float64, error) { return libm.Atan2(y, x), nil }

func copysign(x, y float64) (float64, error) { return math.Copysign(x, y), nil }

func nextafter(x, y float64) (float64, error) { return math.Nextafter(x, y), nil }

func fmod(x, y float64) (float64, error) {
	if (math.IsInf(x, 0) || y == 0) && !math.IsNaN(x) && !math.IsNaN(y) {
		return 0, domainError()
	}
	return math.Mod(x, y), nil
}

func remainder(x, y float64) (float64, error) {
	if (math.IsInf(x, 0) || y == 0) && !math.IsNaN(x) && !math.IsNaN(y) {
		return 0, domainError()
	}
	return math.Remainder(x, y), nil
}

func pow(x, y float64) (float64, error) {
	r := libm.Pow(x, y)
	switch finite := isFinite(x) && isFinite(y); {
	case finite && (math.IsNaN(r) || x == 0 && y < 0):
		return 0, domainError()
	case finite && math.IsInf(r, 0):
		return 0, rangeError()
	}
	return r, nil
}

func domainError() error { return vm.ValueErrorf("math domain error") }
func rangeError() error  { return vm.Raise(vm.OverflowError, "math range error") }

func unary(name string, f func(float64) float64, overflows bool) *vm.Builtin {
	return vm.DefFunc(name, func(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
		x, err := real(t, name, vs[0])
		if err != nil {
			return nil, err
		}
		y := f(x)
		switch {
		case math.IsNaN(y) && !math.IsNaN(x):
			return nil, domainError()
		case math.IsInf(y, 0) && !math.IsInf(x, 0) && overflows:
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
	}, "x", "/")
}

func binary(name string, f func(x, y float64) (float64, error)) *vm.Builtin {
	return vm.DefFunc(name, func(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
		x, err := real(t, name, vs[0])
		if err != nil {
			return nil, err
		}
		y, err := real(t, name, vs[1])
		if err != nil {
			return nil, err
		}
		return number(f(x, y))
	}, "x", "y", "/")
}

func test(name string, f func(x float64) bool) *vm.Builtin {
	return vm.DefFunc(name, func(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
		x, err := real(t, name, vs[0])
		if err != nil {
			return nil, err
		}
		return f(x), nil
	}, "x", "/")
}

func number(f float64, err error) (vm.Value, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
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
