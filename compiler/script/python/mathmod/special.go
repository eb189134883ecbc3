package mathmod

import (
	"math"
	"math/big"

	"github.com/copaflash/copaflash/compiler/script/python/libm"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

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
