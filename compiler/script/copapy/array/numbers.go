package array

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// numberRows are functions of numbers, of the elements of arrays, and of conditions.
func (m *Tracer) numberRows() []Row {
	return []Row{
		{Name: "abs", Params: "x", Call: m.absFunc},
		{Name: "absolute", Params: "x", Call: m.absFunc},
		{Name: "sign", Params: "x", Call: m.signFunc},
		{Name: "pow", Params: "x y", Call: m.powFunc},
		{Name: "power", Params: "x y", Call: m.powFunc},
		{Name: "min", Params: "*values axis? keepdims? initial? where?", Free: m.orAlongAxes("min", m.extremum("min", graph.OpMin))},
		{Name: "max", Params: "*values axis? keepdims? initial? where?", Free: m.orAlongAxes("max", m.extremum("max", graph.OpMax))},
		{Name: "minimum", Params: "*values", Free: m.extremum("minimum", graph.OpMin)},
		{Name: "maximum", Params: "*values", Free: m.extremum("maximum", graph.OpMax)},
		{Name: "clamp", Params: "x min_value max_value", Call: m.clampFunc},
		{Name: "iif", Params: "expression true_result false_result", Call: m.iifFunc},
		{Name: "cast", Params: "x dtype", Call: func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
			return m.Typed(t, fn, args[0], args[1])
		}},
		{Name: "to_float", Params: "x", Call: m.castTo(vm.FloatClass)},
		{Name: "to_int", Params: "x", Call: m.castTo(vm.IntClass)},
		{Name: "to_bool", Params: "x", Call: m.castTo(vm.BoolClass)},
	}
}

// each applies an op to traced scalars and tensors, and plain to plain numbers.
// A list or tuple is taken as an array.
func (m *Tracer) each(t *vm.Thread, name string, x vm.Value, op graph.Op, plain func(vm.Value) (vm.Value, error)) (vm.Value, error) {
	x, err := m.listArg(t, name, x)
	if err != nil {
		return nil, err
	}
	m.At(t)
	switch x := x.(type) {
	case *Value:
		r, err := m.Graph.Apply(op, x.Node)
		if err != nil {
			return nil, m.TraceError(err)
		}
		return m.Scalar(r), nil
	case *Tensor:
		if !x.Traced() {
			return x.mapPlain(func(_ int, e vm.Value) (vm.Value, error) { return plain(e) })
		}
		r, err := m.Graph.Apply(op, x.Node)
		if err != nil {
			return nil, m.TraceError(err)
		}
		return &Tensor{m: m, Node: r, scope: m.Scope()}, nil
	}
	if !IsNumber(x) {
		return nil, vm.TypeErrorf("%s: must be a number, a traced value or a tensor, not '%s'", name, vm.TypeName(x))
	}
	return plain(x)
}

func (m *Tracer) absFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	return m.each(t, fn, args[0], graph.OpAbs, func(e vm.Value) (vm.Value, error) { return t.Unary(vm.OpAbs, e) })
}

func (m *Tracer) signFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	return m.each(t, fn, args[0], graph.OpSign, func(e vm.Value) (vm.Value, error) {
		if f, ok := e.(float64); ok {
			switch {
			case f > 0:
				return 1.0, nil
			case f < 0:
				return -1.0, nil
			}
			return f, nil
		}
		pos, err := t.Compare(vm.OpGt, e, int64(0))
		if err != nil {
			return nil, err
		}
		neg, err := t.Compare(vm.OpLt, e, int64(0))
		if err != nil {
			return nil, err
		}
		switch {
		case pos == true:
			return int64(1), nil
		case neg == true:
			return int64(-1), nil
		}
		return int64(0), nil
	})
}

// IsTraced tells traced scalars and tensors with traced elements.
func IsTraced(v vm.Value) bool {
	switch v := v.(type) {
	case *Value:
		return true
	case *Tensor:
		return v.Traced()
	}
	return false
}

// Lift converts numbers, traced scalars and tensors to nodes.
func (m *Tracer) Lift(t *vm.Thread, fn string, x vm.Value, like graph.DType) (graph.Value, error) {
	switch x := x.(type) {
	case *Value:
		return x.Node, nil
	case *Tensor:
		return x.Lift(t, like)
	}
	if !IsNumber(x) {
		return graph.Value{}, vm.TypeErrorf("%s: must be a number, a traced value or a tensor, not '%s'", fn, vm.TypeName(x))
	}
	return m.Constant(x, like)
}

// liftAll lifts operands that meet in one op: where one of them is a float, the
// plain numbers become floats of its type.
func (m *Tracer) liftAll(t *vm.Thread, fn string, xs ...vm.Value) ([]graph.Value, error) {
	if _, err := commonShape(xs...); err != nil && fn != "@" {
		return nil, err
	}
	m.At(t)
	like := NoFloat
	for _, x := range xs {
		switch x := x.(type) {
		case *Value:
			like = max(like, FloatType(x.Node.DType()))
		case *Tensor:
			if x.Traced() {
				like = max(like, FloatType(x.Node.DType()))
			}
		case float64:
			like = max(like, graph.F32)
		}
	}
	out := make([]graph.Value, len(xs))
	for i, x := range xs {
		v, err := m.Lift(t, fn, x, like)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func (m *Tracer) binaryFunc(op graph.Op, plain func(t *vm.Thread, x, y vm.Value) (vm.Value, error)) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		return m.both(t, fn, args[0], args[1], plain, func(x, y graph.Value) (graph.Value, error) {
			return m.Graph.Apply(op, x, y)
		})
	}
}

func (m *Tracer) powFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	return m.both(t, fn, args[0], args[1], func(t *vm.Thread, x, y vm.Value) (vm.Value, error) {
		return t.Binary(vm.OpPow, x, y)
	}, m.Graph.Pow)
}

// orAlongAxes is the method of arrays of this name where axis or keepdims is given, and
// of one array that is traced or has several axes.
func (m *Tracer) orAlongAxes(name string, f vm.GoFunc) vm.GoFunc {
	along := Row{Name: name, Params: "x axis? keepdims? initial? where?", Call: m.OfArray(reducer(name))}
	reduced := m.function(&along)
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		if len(a.Kw) > 0 || len(a.Pos) == 1 && hasRows(a.Pos[0]) {
			return reduced(t, a)
		}
		return f(t, a)
	}
}

// hasRows tells arrays that are traced or have several axes, and lists of lists that make one.
func hasRows(v vm.Value) bool {
	if x, ok := v.(*Tensor); ok {
		return len(x.Shape()) > 1 || x.Traced()
	}
	list, ok := v.(*vm.List)
	if !ok || len(list.Elems) == 0 {
		return false
	}
	_, ok = list.Elems[0].(*vm.List)
	return ok
}

// extremum is min or max of two or more arguments, or of the elements of one.
func (m *Tracer) extremum(name string, op graph.Op) vm.GoFunc {
	plain := func(t *vm.Thread, x, y vm.Value) (vm.Value, error) {
		// NaN wins, as it does on the target.
		if f, ok := x.(float64); ok && math.IsNaN(f) {
			return x, nil
		}
		if f, ok := y.(float64); ok && math.IsNaN(f) {
			return y, nil
		}
		cmp := vm.OpLt
		if op == graph.OpMax {
			cmp = vm.OpGt
		}
		second, err := t.Compare(cmp, y, x)
		if err != nil {
			return nil, err
		}
		if second == true {
			return y, nil
		}
		return x, nil
	}
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		if len(a.Kw) > 0 {
			both, err := a.Bind(name, "x", "y")
			if err != nil {
				return nil, err
			}
			a = vm.Args{Pos: both}
		}
		xs := append([]vm.Value(nil), a.Pos...)
		if len(xs) == 1 {
			elems, err := t.Collect(xs[0])
			if err != nil {
				return nil, err
			}
			xs = elems
		}
		if len(xs) == 0 {
			return nil, vm.ValueErrorf("%s() needs at least one value", name)
		}
		c := m.Calc(t)
		if c.Alike(xs...); c.Err != nil {
			return nil, c.Err
		}
		r := xs[0]
		for _, x := range xs[1:] {
			var err error
			r, err = m.pairs(t, name, r, x, true, plain, func(x, y graph.Value) (graph.Value, error) { return m.Graph.Apply(op, x, y) })
			if err != nil {
				return nil, err
			}
		}
		return r, nil
	}
}

func (m *Tracer) clampFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	c := m.Calc(t)
	if c.Alike(args...); c.Err != nil {
		return nil, c.Err
	}
	low, err := m.extremum(fn, graph.OpMin)(t, vm.Args{Pos: []vm.Value{args[0], args[2]}})
	if err != nil {
		return nil, err
	}
	return m.extremum(fn, graph.OpMax)(t, vm.Args{Pos: []vm.Value{low, args[1]}})
}

func (m *Tracer) iifFunc(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
	return m.iif(t, args[0], args[1], args[2])
}

// iif is a where c is true, otherwise b. A condition that is known picks; a
// traced one becomes a select of both sides, by element in lists and tuples.
func (m *Tracer) iif(t *vm.Thread, c, a, b vm.Value) (vm.Value, error) {
	if _, isTensor := c.(*Tensor); !IsTraced(c) && isTensor {
		if fits(a) && fits(b) && !IsTraced(a) && !IsTraced(b) {
			sides := []vm.Value{a, b}
			if err := together(t, sides...); err != nil {
				return nil, err
			}
			return m.plainEach(t, []vm.Value{c, sides[0], sides[1]}, func(e []vm.Value) (vm.Value, error) { return m.iif(t, e[0], e[1], e[2]) })
		}
	} else if !IsTraced(c) {
		known, err := t.Truth(c)
		if err != nil {
			return nil, err
		}
		if known {
			return a, nil
		}
		return b, nil
	}
	if r, ok, err := m.iifSequence(t, c, a, b); ok || err != nil {
		return r, err
	}
	if _, err := commonShape(c, a, b); err != nil {
		return nil, err
	}
	cond, err := m.Lift(t, "iif", c, NoFloat)
	if err != nil {
		return nil, err
	}
	v, err := m.liftAll(t, "iif", a, b)
	if err != nil {
		return nil, err
	}
	return m.Wrap(m.Graph.Apply(graph.OpSelect, cond, v[0], v[1]))
}

func (m *Tracer) iifSequence(t *vm.Thread, c, a, b vm.Value) (r vm.Value, ok bool, err error) {
	x, like, ok1 := Sequence(a)
	y, _, ok2 := Sequence(b)
	if !ok1 || !ok2 {
		return nil, false, nil
	}
	if err := CheckNesting(t, []vm.Value{a, b}); err != nil {
		return nil, false, err
	}
	if len(x) != len(y) {
		return nil, false, vm.ValueErrorf("iif: the sides have %d and %d elements", len(x), len(y))
	}
	out := make([]vm.Value, len(x))
	for i := range x {
		if out[i], err = m.iif(t, c, x[i], y[i]); err != nil {
			return nil, false, err
		}
	}
	return Rebuild(out, like), true, nil
}
