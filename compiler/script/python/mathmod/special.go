package mathmod

import (
	"math"
	"math/big"

	"github.com/copaflash/copaflash/compiler/script/python/libm"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// specialTable has the functions with other signatures.
var specialTable = []*vm.Builtin{
	vm.DefFunc("log", log, "x", "base?", "/"),
	vm.DefFunc("log2", log2, "x", "/"),
	vm.DefFunc("log10", log10, "x", "/"),
	vm.DefFunc("frexp", frexp, "x", "/"),
	vm.DefFunc("ldexp", ldexp, "x", "i", "/"),
	vm.DefFunc("modf", modf, "x", "/"),
	vm.NewBuiltin("hypot", hypot),
	vm.DefFunc("dist", dist, "p", "q", "/"),
	vm.DefFunc("fsum", fsum, "seq", "/"),
	vm.DefFunc("isclose", isclose, "a", "b", "*", "rel_tol?", "abs_tol?"),
	vm.DefFunc("prod", prod, "iterable", "/", "*", "start?"),
}

func log(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
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
}

func log2(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	return number(logarithm(t, "log2", vs[0], libm.Log2))
}

func log10(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	return number(logarithm(t, "log10", vs[0], libm.Log10))
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

func frexp(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	x, err := real(t, "frexp", vs[0])
	if err != nil {
		return nil, err
	}
	m, e := math.Frexp(x)
	return vm.NewTuple(m, int64(e)), nil
}

func ldexp(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
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
}

func modf(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	x, err := real(t, "modf", vs[0])
	if err != nil {
		return nil, err
	}
	if math.IsInf(x, 0) {
		return vm.NewTuple(math.Copysign(0, x), x), nil
	}
	whole, frac := math.Modf(x)
	return vm.NewTuple(math.Copysign(frac, x), math.Copysign(whole, x)), nil
}

func hypot(t *vm.Thread, a vm.Args) (vm.Value, error) {
	xs := make([]float64, len(a.Pos))
	for i, v := range a.Pos {
		var err error
		if xs[i], err = real(t, "hypot", v); err != nil {
			return nil, err
		}
	}
	return norm(xs), nil
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

func dist(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
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

func fsum(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	xs, err := realsOf(t, "fsum", vs[0])
	if err != nil {
		return nil, err
	}
	return number(exactSum(xs))
}

func prod(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
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
}

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

func isclose(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	x := [4]float64{2: 1e-9}
	for i, v := range vs {
		if v != nil {
			var err error
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
