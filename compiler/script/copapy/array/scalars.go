package array

import (
	"math"
	"math/big"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/mathmod"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// plainFunc computes a function of plain numbers.
type plainFunc func(t *vm.Thread, x ...vm.Value) (vm.Value, error)

// unaryFunc is a function of one argument: an op for traced arguments, and what
// Python computes for plain numbers.
type unaryFunc struct {
	op    graph.Op
	plain plainFunc
}

// python is the function of Python's math module.
func python(name string) plainFunc {
	f := mathmod.Function(name)
	if f == nil {
		panic("copapy: module math has no " + name)
	}
	return func(t *vm.Thread, x ...vm.Value) (vm.Value, error) { return f(t, vm.Args{Pos: x}) }
}

var unaryFuncs = map[string]unaryFunc{
	"sqrt":  {graph.OpSqrt, python("sqrt")},
	"cbrt":  {graph.OpCbrt, python("cbrt")},
	"sin":   {graph.OpSin, python("sin")},
	"cos":   {graph.OpCos, python("cos")},
	"tan":   {graph.OpTan, python("tan")},
	"asin":  {graph.OpAsin, python("asin")},
	"acos":  {graph.OpAcos, python("acos")},
	"atan":  {graph.OpAtan, python("atan")},
	"sinh":  {graph.OpSinh, python("sinh")},
	"cosh":  {graph.OpCosh, python("cosh")},
	"tanh":  {graph.OpTanh, python("tanh")},
	"exp":   {graph.OpExp, python("exp")},
	"exp2":  {graph.OpExp2, python("exp2")},
	"expm1": {graph.OpExpm1, python("expm1")},
	"log":   {graph.OpLog, python("log")},
	"log2":  {graph.OpLog2, python("log2")},
	"log10": {graph.OpLog10, python("log10")},
	"log1p": {graph.OpLog1p, python("log1p")},

	"isnan":    {graph.OpIsNaN, python("isnan")},
	"isfinite": {graph.OpIsFinite, python("isfinite")},

	// In the type of the argument; math.floor and so on give integers.
	"floor": {graph.OpFloor, rounded(math.Floor)},
	"ceil":  {graph.OpCeil, rounded(math.Ceil)},
	"trunc": {graph.OpTrunc, rounded(math.Trunc)},
	"round": {graph.OpRound, rounded(math.RoundToEven)},

	// NumPy's names.
	"arcsin": {graph.OpAsin, python("asin")},
	"arccos": {graph.OpAcos, python("acos")},
	"arctan": {graph.OpAtan, python("atan")},
	"rint":   {graph.OpRound, rounded(math.RoundToEven)},
	"fix":    {graph.OpTrunc, rounded(math.Trunc)},

	"stop_gradient": {graph.OpStop, func(_ *vm.Thread, x ...vm.Value) (vm.Value, error) { return x[0], nil }},
}

// rounded makes a function that leaves integers as they are.
func rounded(f func(float64) float64) plainFunc {
	return func(t *vm.Thread, x ...vm.Value) (vm.Value, error) {
		if v, ok := x[0].(float64); ok {
			return f(v), nil
		}
		return t.Unary(vm.OpPlus, x[0])
	}
}

// scalarRows are the functions of numbers, applied to tensors element by element.
func (m *Tracer) scalarRows() []Row {
	rows := []Row{
		{Name: "relu", Params: "x", Call: m.composed(relu)},
		{Name: "sigmoid", Params: "x", Call: m.composed(sigmoid)},
		{Name: "isinf", Params: "x", Call: m.composed(isInf)},
		{Name: "arcsinh", Params: "x", Call: m.composed(inverseSinh)},
		{Name: "arccosh", Params: "x", Call: m.composed(inverseCosh)},
		{Name: "arctanh", Params: "x", Call: m.composed(inverseTanh)},
		{Name: "sincos", Params: "x", Call: m.sincosFunc},
		{Name: "stop_gradient", Params: "x", Call: m.stopFunc},
		{Name: "hypot", Params: "x y", Call: m.binaryFunc(graph.OpHypot, plainPair(python("hypot")))},
		{Name: "fmod", Params: "x y", Call: m.binaryFunc(graph.OpFmod, plainPair(python("fmod")))},
	}
	for _, name := range []string{"atan2", "arctan2"} {
		f := m.binaryFunc(graph.OpAtan2, plainPair(python("atan2")))
		rows = append(rows, Row{Name: name, Params: "y x", Free: func(t *vm.Thread, a vm.Args) (vm.Value, error) {
			args, err := InOrder(name, "y", "x", a)
			if err != nil {
				return nil, err
			}
			return f(t, name, args)
		}})
	}
	for name := range unaryFuncs {
		if name != "round" && name != "stop_gradient" { // which have rows of their own
			rows = append(rows, Row{Name: name, Params: "x", Call: m.unaryFunc})
		}
	}
	return rows
}

func plainPair(f plainFunc) func(t *vm.Thread, x, y vm.Value) (vm.Value, error) {
	return func(t *vm.Thread, x, y vm.Value) (vm.Value, error) { return f(t, x, y) }
}

func (m *Tracer) unaryFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	return m.call1(t, fn, args[0])
}

// call1 applies a function of one argument to a number, traced scalar or tensor.
func (m *Tracer) call1(t *vm.Thread, name string, x vm.Value) (vm.Value, error) {
	f := unaryFuncs[name]
	return m.each(t, name, x, f.op, func(e vm.Value) (vm.Value, error) { return f.plain(t, e) })
}

// stopFunc is cp.stop_gradient(x), of sequences and quaternions too.
func (m *Tracer) stopFunc(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
	return m.stop(t, args[0])
}

func (m *Tracer) stop(t *vm.Thread, x vm.Value) (vm.Value, error) {
	elems, like, ok := Sequence(x)
	if !ok {
		return m.call1(t, "stop_gradient", x)
	}
	out := make([]vm.Value, len(elems))
	for i, e := range elems {
		var err error
		if out[i], err = m.stop(t, e); err != nil {
			return nil, err
		}
	}
	return Rebuild(out, like), nil
}

// sincosFunc is cp.sincos(x): sine and cosine, which share their work on the
// target.
func (m *Tracer) sincosFunc(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
	sin, err := m.call1(t, "sin", args[0])
	if err != nil {
		return nil, err
	}
	cos, err := m.call1(t, "cos", args[0])
	if err != nil {
		return nil, err
	}
	return vm.NewTuple(sin, cos), nil
}

// composed makes a function of one argument that is several ops. Plain numbers
// are computed in double precision by the same steps.
func (m *Tracer) composed(f func(c *Calc, x vm.Value) vm.Value) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		x, err := m.listArg(t, fn, args[0])
		if err != nil {
			return nil, err
		}
		switch v := x.(type) {
		case *Value:
		case *Tensor:
			if !v.Traced() {
				return v.mapPlain(func(_ int, e vm.Value) (vm.Value, error) {
					c := m.Calc(t)
					return c.Done(f(c, e))
				})
			}
		case bool:
			x, _ = t.Unary(vm.OpPlus, v)
		case int64, *big.Int, float64:
		default:
			return nil, vm.TypeErrorf("%s: must be a number, a traced value or a tensor, not '%s'", fn, vm.TypeName(x))
		}
		c := m.Calc(t)
		return c.Done(f(c, x))
	}
}

// relu is 0 below 0, in the type of x. At 0 its derivative is 0; a NaN stays.
func relu(c *Calc, x vm.Value) vm.Value {
	zero := vm.Value(int64(0))
	if _, ok := x.(float64); ok {
		zero = 0.0
	}
	return c.Iif(c.Compare(vm.OpLe, x, zero), zero, x)
}

// sigmoid is 1 / (1 + exp(-x)), taking the power of a number that is not
// positive: nothing overflows, neither here nor in the derivative.
func sigmoid(c *Calc, x vm.Value) vm.Value {
	negative := c.Compare(vm.OpLt, x, int64(0))
	e := c.Call("exp", c.Iif(negative, x, c.Neg(x)))
	return c.Div(c.Iif(negative, e, 1.0), c.Add(1.0, e))
}

func isInf(c *Calc, x vm.Value) vm.Value {
	return c.Compare(vm.OpEq, c.Abs(x), math.Inf(1))
}
