package array

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// makeTypeClasses makes cp.f32 and cp.f64: types for dtype=, which convert when
// they are called.
func (m *Tracer) makeTypeClasses() {
	m.dtypes = map[*vm.Class]graph.DType{}
	rows := m.ClassRows()
	for _, d := range []graph.DType{graph.F32, graph.F64} {
		m.dtypes[m.NewClass(d.String(), nil, rows)] = d
	}
}

// castFunc is cp.f32(x) or cp.f64(x).
func (m *Tracer) castFunc(d graph.DType) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) { return m.Cast(t, fn, args[0], d) }
}

// dtype is what is given as dtype=.
func (m *Tracer) dtype(fn string, v vm.Value) (graph.DType, error) {
	if c, ok := v.(*vm.Class); ok && m.dtypes[c] != NoFloat {
		return m.dtypes[c], nil
	}
	return NoFloat, vm.WithHint(vm.TypeErrorf("%s: dtype must be cp.f32, cp.f64, float, int or bool", fn), "write dtype=cp.f64, without quotes; without dtype a float is cp.f32")
}

// conversions are Python's types as dtype=: what makes their elements.
var conversions = map[*vm.Class]func(c *Calc, x vm.Value) vm.Value{
	vm.FloatClass: func(c *Calc, x vm.Value) vm.Value { return c.Float(x) },
	vm.IntClass:   func(c *Calc, x vm.Value) vm.Value { return c.unary(vm.OpToInt, x) },
	vm.BoolClass:  func(c *Calc, x vm.Value) vm.Value { return c.Compare(vm.OpNe, x, int64(0)) },
}

// Typed is x in the type given as dtype=, or as it is where none is given: cp.f32 or
// cp.f64, which make traced values, or one of Python's types.
func (m *Tracer) Typed(t *vm.Thread, fn string, x, dtype vm.Value) (vm.Value, error) {
	if IsNone(dtype) {
		return x, nil
	}
	dtype = m.dtypeNamed(dtype)
	if class, ok := dtype.(*vm.Class); ok && conversions[class] != nil {
		if !fits(x) {
			array, err := m.NestedTensor(t, fn, x)
			if err != nil {
				return nil, err
			}
			x = array
		}
		c := m.Calc(t)
		return c.Done(conversions[class](c, x))
	}
	d, err := m.dtype(fn, dtype)
	if _, isLength := dtype.(int64); isLength {
		return nil, vm.WithHint(vm.TypeErrorf("%s: dtype must be a type, not an int", fn), "the shape of an array with several axes is one tuple: cp.zeros((2, 3))")
	}
	if err != nil {
		return nil, vm.WithHint(vm.TypeErrorf("%s: dtype must be cp.f32, cp.f64, float, int or bool", fn), "write dtype=float, without quotes")
	}
	return m.Cast(t, fn, x, d)
}

// OfType is x in one of Python's types given as dtype=, or x as it is and the type of floats
// that is asked for.
func (m *Tracer) OfType(t *vm.Thread, fn string, x, dtype vm.Value) (vm.Value, graph.DType, error) {
	if IsNone(dtype) {
		return x, NoFloat, nil
	}
	dtype = m.dtypeNamed(dtype)
	if class, ok := dtype.(*vm.Class); ok && conversions[class] != nil {
		x, err := m.Typed(t, fn, x, class)
		return x, NoFloat, err
	}
	d, err := m.dtype(fn, dtype)
	return x, d, err
}

// Cast makes values of type d of a number, a traced value, or an array or list of
// them. Those of plain numbers are constants.
func (m *Tracer) Cast(t *vm.Thread, fn string, x vm.Value, d graph.DType) (vm.Value, error) {
	if !IsNumber(x) && !IsTraced(x) && HasElements(x) {
		array, err := m.NestedTensor(t, fn, x)
		if err != nil {
			return nil, err
		}
		x = array
	}
	v, err := m.Lift(t, fn, x, d)
	if err != nil {
		return nil, err
	}
	m.At(t)
	switch {
	case v.DType() == d:
		return m.Wrap(v, nil)
	case d == graph.F64:
		return m.Wrap(m.Graph.Apply(graph.OpToF64, v))
	}
	return m.Wrap(m.Graph.Apply(graph.OpToF32, v))
}

func (m *Tracer) castTo(class *vm.Class) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		return m.Typed(t, fn, args[0], class)
	}
}

// dtypeNamed is the class of a type that is given by its name, as x.dtype has it.
func (m *Tracer) dtypeNamed(v vm.Value) vm.Value {
	switch v {
	case "float":
		return vm.FloatClass
	case "int":
		return vm.IntClass
	case "bool":
		return vm.BoolClass
	}
	for class, d := range m.dtypes {
		if v == d.String() || v == PyType(d) {
			return class
		}
	}
	return v
}

// Widened converts a value to a type that has all of its numbers: a bool to an
// int, and either to a float. What would lose something stays as it is.
func (m *Tracer) Widened(v graph.Value, d graph.DType) (graph.Value, error) {
	switch {
	case v.DType().IsFloat():
	case d == graph.F32:
		return m.Graph.Apply(graph.OpToF32, v)
	case d == graph.F64:
		return m.Graph.Apply(graph.OpToF64, v)
	case d == graph.I32 && v.DType() == graph.Bool:
		return m.Graph.Apply(graph.OpToI32, v)
	}
	return v, nil
}
