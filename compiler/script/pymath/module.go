package pymath

import (
	"math"
	"math/big"

	"github.com/copaflash/copaflash/compiler/script/libm"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// Module makes the module. It fits vm.Options.Modules under the name "math".
func Module(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("math")
	m.Set("pi", math.Pi)
	m.Set("e", math.E)
	m.Set("tau", 2*math.Pi)
	m.Set("inf", math.Inf(1))
	m.Set("nan", math.NaN())
	for name, f := range oneArg {
		m.Func(name, unary(name, f))
	}
	for name, f := range twoArgs {
		m.Func(name, binary(name, f))
	}
	for name, test := range tests {
		m.Func(name, func(t *vm.Thread, a vm.Args) (vm.Value, error) {
			x, err := reals(t, name, a, "x", "/")
			if err != nil {
				return nil, err
			}
			return test(x[0]), nil
		})
	}
	for name, op := range map[string]vm.UnaryOp{"floor": vm.OpFloor, "ceil": vm.OpCeil, "trunc": vm.OpTrunc} {
		m.Func(name, func(t *vm.Thread, a vm.Args) (vm.Value, error) {
			vs, err := a.Bind(name, "x", "/")
			if err != nil {
				return nil, err
			}
			return t.Unary(op, vs[0])
		})
	}
	for name, f := range special {
		m.Func(name, f)
	}
	for name, f := range integer {
		m.Func(name, f)
	}
	return m, nil
}

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

// real converts one argument.
func real(t *vm.Thread, name string, v vm.Value) (float64, error) {
	switch x := v.(type) {
	case float64:
		return x, nil
	case int64:
		return float64(x), nil
	case vm.Operand:
		return 0, vm.WithHint(vm.TypeErrorf("must be real number, not %s", vm.TypeName(v)),
			"math."+name+" takes plain numbers: use cp."+name+" for traced values")
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

// special are the functions with other signatures.
var special = map[string]vm.GoFunc{
	"log": func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		vs, err := a.Bind("log", "x", "base?", "/")
		if err != nil {
			return nil, err
		}
		x, err := logarithm(t, "log", vs[0], libm.Log)
		if err != nil || vs[1] == nil {
			return number(x, err)
		}
		b, err := logarithm(t, "log", vs[1], libm.Log)
		if err != nil {
			return nil, err
		}
		if b == 0 {
			return nil, vm.Raise(vm.ZeroDivisionError, "float division by zero")
		}
		return x / b, nil
	},
	"log2":  logFunc("log2", libm.Log2),
	"log10": logFunc("log10", libm.Log10),
	"frexp": func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		xs, err := reals(t, "frexp", a, "x", "/")
		if err != nil {
			return nil, err
		}
		m, e := math.Frexp(xs[0])
		return vm.NewTuple(m, int64(e)), nil
	},
	"ldexp": func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		vs, err := a.Bind("ldexp", "x", "i", "/")
		if err != nil {
			return nil, err
		}
		x, err := real(t, "ldexp", vs[0])
		if err != nil {
			return nil, err
		}
		i, err := wantBig(vs[1])
		if err != nil {
			return nil, vm.TypeErrorf("Expected an int as second argument to ldexp.")
		}
		e := 5000 * int64(i.Sign())
		if i.IsInt64() {
			e = max(min(i.Int64(), 5000), -5000)
		}
		y := math.Ldexp(x, int(e))
		if math.IsInf(y, 0) && !math.IsInf(x, 0) {
			return nil, rangeError()
		}
		return y, nil
	},
	"modf": func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		xs, err := reals(t, "modf", a, "x", "/")
		if err != nil {
			return nil, err
		}
		if math.IsInf(xs[0], 0) {
			return vm.NewTuple(math.Copysign(0, xs[0]), xs[0]), nil
		}
		whole, frac := math.Modf(xs[0])
		return vm.NewTuple(math.Copysign(frac, xs[0]), math.Copysign(whole, xs[0])), nil
	},
	"hypot": func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		xs := make([]float64, len(a.Pos))
		for i, v := range a.Pos {
			var err error
			if xs[i], err = real(t, "hypot", v); err != nil {
				return nil, err
			}
		}
		return norm(xs), nil
	},
	"dist": dist,
	"fsum": func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		vs, err := a.Bind("fsum", "seq", "/")
		if err != nil {
			return nil, err
		}
		xs, err := realsOf(t, "fsum", vs[0])
		if err != nil {
			return nil, err
		}
		return number(exactSum(xs))
	},
	"isclose": isclose,
	"prod": func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		vs, err := a.Bind("prod", "iterable", "/", "*", "start?")
		if err != nil {
			return nil, err
		}
		var p vm.Value = int64(1)
		if vs[1] != nil {
			p = vs[1]
		}
		elems, err := t.Collect(vs[0])
		for _, x := range elems {
			if err != nil {
				break
			}
			p, err = t.Binary(vm.OpMul, p, x)
		}
		return p, err
	},
}

func logFunc(name string, f func(float64) float64) vm.GoFunc {
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		vs, err := a.Bind(name, "x", "/")
		if err != nil {
			return nil, err
		}
		return number(logarithm(t, name, vs[0], f))
	}
}

// logarithm also takes ints that are too large for a float.
func logarithm(t *vm.Thread, name string, v vm.Value, f func(float64) float64) (float64, error) {
	if b, ok := vm.Unwrap(v).(*big.Int); ok && b.Sign() > 0 {
		m := new(big.Float)
		exp := new(big.Float).SetInt(b).MantExp(m)
		x, _ := m.Float64()
		return f(x) + f(2)*float64(exp), nil
	}
	x, err := real(t, name, v)
	if err != nil {
		return 0, err
	}
	if x <= 0 {
		return 0, domainError()
	}
	return f(x), nil
}

func realsOf(t *vm.Thread, name string, v vm.Value) ([]float64, error) {
	elems, err := t.Collect(v)
	if err != nil {
		return nil, err
	}
	xs := make([]float64, len(elems))
	for i, e := range elems {
		if xs[i], err = real(t, name, e); err != nil {
			return nil, err
		}
	}
	return xs, nil
}

func dist(t *vm.Thread, a vm.Args) (vm.Value, error) {
	vs, err := a.Bind("dist", "p", "q", "/")
	if err != nil {
		return nil, err
	}
	p, err := realsOf(t, "dist", vs[0])
	if err != nil {
		return nil, err
	}
	q, err := realsOf(t, "dist", vs[1])
	if err != nil {
		return nil, err
	}
	if len(p) != len(q) {
		return nil, vm.ValueErrorf("both points must have the same number of dimensions")
	}
	for i := range p {
		p[i] -= q[i]
	}
	return norm(p), nil
}

// norm is the correctly rounded Euclidean length.
func norm(xs []float64) float64 {
	sum := new(big.Float).SetPrec(normPrec)
	nan := false
	for _, x := range xs {
		if math.IsInf(x, 0) {
			return math.Inf(1)
		}
		if math.IsNaN(x) {
			nan = true
			continue
		}
		f := new(big.Float).SetPrec(normPrec).SetFloat64(x)
		sum.Add(sum, f.Mul(f, f))
	}
	if nan {
		return math.NaN()
	}
	r, _ := sum.Sqrt(sum).Float64()
	return r
}

// normPrec holds the square of any float64 exactly, and sums of many.
const normPrec = 256

// exactSum adds without intermediate rounding.
func exactSum(xs []float64) (float64, error) {
	sum := new(big.Float).SetPrec(2200) // every float64 is a multiple of 2^-1074 below 2^1024
	special := 0.0
	for _, x := range xs {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			if math.IsInf(x, 0) && math.IsInf(special, 0) && x != special {
				return 0, vm.ValueErrorf("-inf + inf in fsum")
			}
			special += x
			continue
		}
		sum.Add(sum, new(big.Float).SetFloat64(x))
	}
	if special != 0 || math.IsNaN(special) {
		return special, nil
	}
	r, _ := sum.Float64()
	if math.IsInf(r, 0) {
		return 0, vm.Raise(vm.OverflowError, "intermediate overflow in fsum")
	}
	return r, nil
}

func isclose(t *vm.Thread, a vm.Args) (vm.Value, error) {
	vs, err := a.Bind("isclose", "a", "b", "*", "rel_tol?", "abs_tol?")
	if err != nil {
		return nil, err
	}
	x := [4]float64{2: 1e-9}
	for i, v := range vs {
		if v != nil {
			if x[i], err = real(t, "isclose", v); err != nil {
				return nil, err
			}
		}
	}
	p, q, rel, abs := x[0], x[1], x[2], x[3]
	if rel < 0 || abs < 0 {
		return nil, vm.ValueErrorf("tolerances must be non-negative")
	}
	if p == q {
		return true, nil
	}
	if math.IsInf(p, 0) || math.IsInf(q, 0) {
		return false, nil
	}
	d := math.Abs(p - q)
	return d <= math.Abs(rel*q) || d <= math.Abs(rel*p) || d <= abs, nil
}
