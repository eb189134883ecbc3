package array

import (
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// operatorFuncs are the operators as functions, with NumPy's names.
var operatorFuncs = map[string]vm.BinaryOp{
	"add": vm.OpAdd, "subtract": vm.OpSub, "multiply": vm.OpMul, "divide": vm.OpDiv, "true_divide": vm.OpDiv,
	"floor_divide": vm.OpFloorDiv, "mod": vm.OpMod, "remainder": vm.OpMod, "matmul": vm.OpMatMul,
	"bitwise_and": vm.OpBitAnd, "bitwise_or": vm.OpBitOr, "bitwise_xor": vm.OpBitXor,
	"left_shift": vm.OpLShift, "right_shift": vm.OpRShift,
}

var comparisonFuncs = map[string]vm.CompareOp{
	"equal": vm.OpEq, "not_equal": vm.OpNe, "less": vm.OpLt, "less_equal": vm.OpLe, "greater": vm.OpGt, "greater_equal": vm.OpGe,
}

var operatorUnaries = map[string]vm.UnaryOp{"negative": vm.OpNeg, "positive": vm.OpPlus, "invert": vm.OpInvert}

// logicalFuncs take what is not 0 as true.
var logicalFuncs = map[string]vm.BinaryOp{"logical_and": vm.OpBitAnd, "logical_or": vm.OpBitOr, "logical_xor": vm.OpBitXor}

const degree = math.Pi / 180

// computedRows compute with numbers and arrays as a script would.
func (m *Tracer) computedRows() []Row {
	return []Row{
		{Name: "square", Params: "x", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return c.Mul(a[0], a[0]) })},
		{Name: "reciprocal", Params: "x", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return c.Div(1.0, a[0]) })},
		{Name: "fabs", Params: "x", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return c.Abs(c.Float(a[0])) })},
		{Name: "logical_not", Params: "x", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return c.Compare(vm.OpEq, a[0], int64(0)) })},
		{Name: "deg2rad", Params: "x", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return c.Mul(a[0], degree) })},
		{Name: "radians", Params: "x", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return c.Mul(a[0], degree) })},
		{Name: "rad2deg", Params: "x", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return c.Mul(a[0], 1/degree) })},
		{Name: "degrees", Params: "x", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return c.Mul(a[0], 1/degree) })},
		{Name: "round", Params: "x decimals?", Call: m.numbers(roundTo), Is: Both},
		{Name: "around", Params: "x decimals?", Call: m.numbers(roundTo)},
		{Name: "clip", Params: "x a_min? a_max?", Call: m.numbers(clip)},
		{Name: "clip", Params: "x min? max?", Call: m.numbers(clip), Is: Method},
		{Name: "heaviside", Params: "x at_zero", Call: m.numbers(heaviside)},
		{Name: "isclose", Params: "a b rtol? atol?", Call: m.numbers(isClose)},
		{Name: "allclose", Params: "a b rtol? atol?", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value {
			return c.Reduce("all", isClose(c, a), nil, false)
		})},
		{Name: "array_equal", Params: "a b", Call: m.numbers(arrayEqual)},
		{Name: "inner", Params: "a b", Call: m.numbers(inner)},
		{Name: "cross", Params: "v1 v2", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value {
			x, ok1 := a[0].(*Tensor)
			y, ok2 := a[1].(*Tensor)
			if !ok1 || !ok2 {
				return c.Keep(nil, vm.ValueErrorf("cross: needs vectors of 3 elements"))
			}
			return c.Cross(x, y)
		})},
		{Name: "vdot", Params: "a b", Call: m.numbers(vdot)},
		{Name: "kron", Params: "a b", Call: m.numbers(kron)},
		{Name: "polyval", Params: "p x", Call: m.numbers(polyval)},
		{Name: "interp", Params: "x xp fp left? right?", Call: m.numbers(interp)},
		{Name: "lerp", Params: "v1 v2 t", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value {
			return c.Add(c.Mul(a[0], c.Sub(int64(1), a[2])), c.Mul(a[1], a[2]))
		})},
		{Name: "select", Params: "conditions choices default?", Call: m.selectFunc},
	}
}

// operatorRows are the operators as functions.
func (m *Tracer) operatorRows() []Row {
	var rows []Row
	two := func(name string, f func(c *Calc, x, y vm.Value) vm.Value) {
		rows = append(rows, Row{Name: name, Params: "x1 x2", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return f(c, a[0], a[1]) })})
	}
	for name, op := range operatorFuncs {
		two(name, func(c *Calc, x, y vm.Value) vm.Value { return c.Binary(op, x, y) })
	}
	for name, op := range comparisonFuncs {
		two(name, func(c *Calc, x, y vm.Value) vm.Value { return c.Compare(op, x, y) })
	}
	for name, op := range logicalFuncs {
		two(name, func(c *Calc, x, y vm.Value) vm.Value {
			return c.Binary(op, c.Compare(vm.OpNe, x, int64(0)), c.Compare(vm.OpNe, y, int64(0)))
		})
	}
	for name, op := range operatorUnaries {
		rows = append(rows, Row{Name: name, Params: "x", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value {
			if b, ok := a[0].(bool); ok && op == vm.OpInvert {
				return !b
			}
			return c.unary(op, a[0])
		})})
	}
	return rows
}

// numbers makes a handler of what computes with numbers and arrays as a script would; of a
// list or tuple there is an array.
func (m *Tracer) numbers(f func(c *Calc, a []vm.Value) vm.Value) Handler {
	return m.Computed(f, math.MaxInt, true)
}

// Computed is numbers where only the first of the arguments are numbers, or where an int beside
// a float is taken for what it is.
func (m *Tracer) Computed(f func(c *Calc, a []vm.Value) vm.Value, first int, alike bool) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		for i, x := range args {
			var err error
			if args[i], err = m.listArg(t, fn, x); err != nil {
				return nil, err
			}
			if x := args[i]; !IsNone(x) && !fits(x) && i < first {
				return nil, vm.TypeErrorf("%s: must be a number, a traced value or a tensor, not '%s'", fn, vm.TypeName(x))
			}
		}
		c := m.Calc(t)
		if alike {
			c.Alike(args...)
		}
		return c.Done(f(c, args))
	}
}

// roundTo rounds to a number of digits behind the point, or before it.
func roundTo(c *Calc, a []vm.Value) vm.Value {
	digits, err := IntArg("round", "decimals", a[1], 0)
	if err != nil {
		return c.Keep(nil, err)
	}
	switch {
	case digits > 0:
		scale := math.Pow(10, float64(digits))
		return c.Div(c.Call("round", c.Mul(a[0], scale)), scale)
	case digits < 0:
		scale := math.Pow(10, float64(-digits))
		return c.Mul(c.Call("round", c.Div(a[0], scale)), scale)
	}
	return c.Call("round", a[0])
}

// clip limits to what is given of a smallest and a largest number.
func clip(c *Calc, a []vm.Value) vm.Value {
	x, low, high := a[0], a[1], a[2]
	if IsNone(low) && IsNone(high) {
		return c.Keep(nil, vm.WithHint(vm.ValueErrorf("clip: one of the limits must be given"), "call it as cp.clip(x, low, high)"))
	}
	if !IsNone(high) {
		x = c.Extremum("clip", graph.OpMin, x, high)
	}
	if !IsNone(low) {
		x = c.Extremum("clip", graph.OpMax, x, low)
	}
	return x
}

// IsNone tells arguments that are None or left out.
func IsNone(v vm.Value) bool { return v == nil || v == vm.None }

// Extremum is the smaller (OpMin) or larger (OpMax) of x and y; a NaN wins.
func (c *Calc) Extremum(fn string, op graph.Op, x, y vm.Value) vm.Value {
	if c.Err != nil {
		return int64(0)
	}
	return c.Keep(c.Tracer.extremum(fn, op)(c.Thread, vm.Args{Pos: []vm.Value{x, y}}))
}

// heaviside is 0 below 0, 1 above it, and at 0 what is given; a NaN stays.
func heaviside(c *Calc, a []vm.Value) vm.Value {
	x := a[0]
	c.Double = IsDouble(x)
	step := c.Where(c.Compare(vm.OpLt, x, int64(0)), 0.0, c.Where(c.Compare(vm.OpGt, x, int64(0)), 1.0, a[1]))
	return c.Where(c.Compare(vm.OpNe, x, x), x, step)
}

// isClose is |a - b| <= atol + rtol * |b|, and a == b where b is infinite.
func isClose(c *Calc, a []vm.Value) vm.Value {
	rtol, atol := a[2], a[3]
	if rtol == nil {
		rtol = 1e-5
	}
	if atol == nil {
		atol = 1e-8
	}
	x, y := a[0], a[1]
	near := c.Compare(vm.OpLe, c.Abs(c.Sub(x, y)), c.Add(atol, c.Mul(rtol, c.Abs(y))))
	return c.Iif(c.Call("isfinite", y), near, c.Compare(vm.OpEq, x, y))
}

// arrayEqual is false for arrays of different shapes.
func arrayEqual(c *Calc, a []vm.Value) vm.Value {
	if !ShapeOf(a[0]).Equal(ShapeOf(a[1])) {
		return false
	}
	return c.Reduce("all", c.Compare(vm.OpEq, a[0], a[1]), nil, false)
}

// inner adds the products along the last axes.
func inner(c *Calc, a []vm.Value) vm.Value {
	x, ok1 := a[0].(*Tensor)
	y, ok2 := a[1].(*Tensor)
	if !ok1 || !ok2 {
		return c.Mul(a[0], a[1])
	}
	return c.contracted(x, y, len(y.Shape())-1)
}

// contracted adds the products along the last axis of x and one of y: the other axes of x and
// then those of y are those of the result.
func (c *Calc) contracted(x, y *Tensor, axis int) vm.Value {
	if len(x.Shape()) <= 2 && len(y.Shape()) <= 2 && axis == max(len(y.Shape())-2, 0) || c.Err != nil {
		return c.Matmul(x, y)
	}
	a, b := x.Shape(), slices.Clone(y.Shape())
	k := b[axis]
	if n := a[len(a)-1]; n != k {
		return c.Keep(nil, vm.ValueErrorf("dot: shapes %v and %v do not match: %d elements meet %d", a, b, n, k))
	}
	b = slices.Delete(b, axis, axis+1)
	dims := slices.Concat(a[:len(a)-1], b)
	if len(dims) > graph.MaxRank {
		return c.Keep(nil, vm.ValueErrorf("dot: at most %d axes are supported", graph.MaxRank))
	}
	moved, ok := c.Keep(y.moveAxis(c.Thread, []vm.Value{int64(axis), int64(0)})).(*Tensor)
	if !ok {
		return int64(0)
	}
	columns := c.Keep(moved.Reshaped(graph.Shape{k, b.Elements()}))
	rows := c.Keep(x.Reshaped(graph.Shape{a[:len(a)-1].Elements(), k}))
	r, ok := c.Matmul(rows, columns).(*Tensor)
	if !ok || c.Err != nil {
		return int64(0)
	}
	return c.Keep(r.Reshaped(dims))
}

// vdot is the inner product of the elements, row by row.
func vdot(c *Calc, a []vm.Value) vm.Value {
	var flat [2]vm.Value
	for i, v := range a {
		x, err := c.Tracer.arrayArg(c.Thread, "vdot", v)
		if err != nil {
			return c.Keep(nil, err)
		}
		flat[i] = c.Keep(x.Reshaped(graph.Shape{-1}))
	}
	return c.Matmul(flat[0], flat[1])
}

// kron has the product of each element of a with all of b in its place.
func kron(c *Calc, a []vm.Value) vm.Value {
	x, err := c.Tracer.arrayArg(c.Thread, "kron", a[0])
	if err != nil {
		return c.Keep(nil, err)
	}
	y, err := c.Tracer.arrayArg(c.Thread, "kron", a[1])
	if err != nil {
		return c.Keep(nil, err)
	}
	s, r := slices.Clone(x.Shape()), slices.Clone(y.Shape())
	for len(s) < len(r) {
		s = slices.Insert(s, 0, 1)
	}
	for len(r) < len(s) {
		r = slices.Insert(r, 0, 1)
	}
	if 2*len(s) > graph.MaxRank {
		return c.Keep(nil, vm.ValueErrorf("kron: at most %d axes are supported", graph.MaxRank/2))
	}
	var outer, own, dims graph.Shape
	for i := range s {
		outer, own, dims = append(outer, s[i], 1), append(own, 1, r[i]), append(dims, s[i]*r[i])
	}
	p, ok := c.Mul(c.Keep(x.Reshaped(outer)), c.Keep(y.Reshaped(own))).(*Tensor)
	if !ok {
		return int64(0)
	}
	return c.Keep(p.Reshaped(dims))
}

// selectFunc is cp.select(conditions, choices, default=0): the choice of the first
// condition that is true.
func (m *Tracer) selectFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	conditions, err := t.Collect(args[0])
	if err != nil {
		return nil, err
	}
	choices, err := t.Collect(args[1])
	if err != nil {
		return nil, err
	}
	if len(conditions) != len(choices) || len(choices) == 0 {
		return nil, vm.ValueErrorf("select: %d conditions for %d choices", len(conditions), len(choices))
	}
	r := args[2]
	if r == nil {
		r = int64(0)
	}
	c := m.Calc(t)
	all := append(slices.Clone(choices), r)
	for i, choice := range all {
		if all[i], err = m.listArg(t, fn, choice); err != nil {
			return nil, err
		}
	}
	c.Alike(all...)
	r = all[len(choices)]
	for i := len(choices) - 1; i >= 0; i-- {
		condition, err := m.listArg(t, fn, conditions[i])
		if err != nil {
			return nil, err
		}
		r = c.Where(condition, all[i], r)
	}
	return c.Done(r)
}
