package array

import (
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// arrayFunc is cp.array(values, dtype=None), which is cp.tensor.
func (m *Tracer) arrayFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	return m.newTensor(t, fn, []vm.Value{args[0], nil, args[1]})
}

// repeated makes a plain tensor of one number.
func (m *Tracer) repeated(t *vm.Thread, s graph.Shape, v vm.Value) (vm.Value, error) {
	if err := t.Charge(16 * int64(s.Elements())); err != nil {
		return nil, err
	}
	return m.PlainTensor(s, slices.Repeat([]vm.Value{v}, s.Elements())), nil
}

func (m *Tracer) filled(v vm.Value) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		s, err := lengths(fn, args[:1])
		if err != nil {
			return nil, err
		}
		x, err := m.repeated(t, s, v)
		if err != nil {
			return nil, err
		}
		return m.Typed(t, fn, x, args[1])
	}
}

func (m *Tracer) fullFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	s, err := lengths(fn, args[:1])
	if err != nil {
		return nil, err
	}
	if _, isScalar := args[1].(*Value); !isScalar && !IsNumber(args[1]) {
		return nil, vm.TypeErrorf("full: must be a number or a traced scalar, not '%s'", vm.TypeName(args[1]))
	}
	v, err := m.Typed(t, fn, args[1], args[2])
	if err != nil {
		return nil, err
	}
	return m.broadcast(t, fn, v, s)
}

// broadcast repeats a number or a traced scalar to a shape.
func (m *Tracer) broadcast(t *vm.Thread, fn string, v vm.Value, s graph.Shape) (vm.Value, error) {
	x, ok := v.(*Value)
	if !ok {
		return m.repeated(t, s, v)
	}
	if s.Elements() == 0 {
		return m.PlainTensor(s, nil), nil
	}
	m.At(t)
	return m.Wrap(m.Graph.Broadcast(x.Node, s))
}

func (m *Tracer) eyeFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	if IsNone(args[1]) {
		args[1] = args[0]
	}
	k, err := IntArg(fn, "k", args[2], 0)
	if err != nil {
		return nil, err
	}
	return m.Unit(t, fn, args[:2], k, args[3])
}

func (m *Tracer) identityFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	return m.Unit(t, fn, []vm.Value{args[0], args[0]}, 0, args[1])
}

// Unit is a matrix with ones where the column is k more than the row.
func (m *Tracer) Unit(t *vm.Thread, name string, dims []vm.Value, k int, dtype vm.Value) (vm.Value, error) {
	s, err := lengths(name, dims)
	if err != nil {
		return nil, err
	}
	x, err := m.repeated(t, s, 0.0)
	if err != nil {
		return nil, err
	}
	for i := max(-k, 0); i < s[0] && i+k < s[1]; i++ {
		x.(*Tensor).Plain[i*s[1]+i+k] = 1.0
	}
	return m.Typed(t, name, x, dtype)
}

// arangeFunc counts from start to below stop: start + i*step, each rounded once. One
// float among them makes floats of all.
func (m *Tracer) arangeFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	start, stop, step := args[0], args[1], args[2]
	if stop == nil || stop == vm.None {
		start, stop = int64(0), start
	}
	if step == nil {
		step = int64(1)
	}
	var f [3]float64
	for i, x := range []vm.Value{start, stop, step} {
		if !IsNumber(x) {
			return nil, vm.TypeErrorf("arange: must be a number, not '%s'", vm.TypeName(x))
		}
		f[i], _ = vm.AsFloat(x)
	}
	if f[2] == 0 {
		return nil, vm.ValueErrorf("arange: the step cannot be zero")
	}
	count := math.Ceil((f[1] - f[0]) / f[2])
	if !(count <= graph.MaxElements) {
		return nil, vm.ValueErrorf("arange: at most %d elements are supported", graph.MaxElements)
	}
	n := max(int(count), 0)
	if err := t.Charge(32 * int64(n)); err != nil {
		return nil, err
	}
	c := m.Calc(t)
	if _, isFloat := stop.(float64); isFloat {
		start = c.Float(start)
	}
	out := make([]vm.Value, n)
	for i := range out {
		out[i] = c.Add(start, c.Mul(int64(i), step))
	}
	if c.Err != nil {
		return nil, c.Err
	}
	return m.Typed(t, fn, m.PlainVector(out), args[3])
}

// linspaceFunc gives num numbers from start to stop, both included unless endpoint is
// false.
func (m *Tracer) linspaceFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	n := int64(50)
	if args[2] != nil {
		var ok bool
		if n, ok = vm.AsInt(args[2]); !ok || n < 0 || n > graph.MaxElements {
			return nil, vm.ValueErrorf("linspace: the number of elements must be an integer from 0 to %d", graph.MaxElements)
		}
	}
	if err := t.Charge(32 * n); err != nil {
		return nil, err
	}
	steps := n - 1
	if args[3] != nil {
		endpoint, err := t.Truth(args[3])
		if err != nil {
			return nil, err
		}
		if !endpoint {
			steps = n
		}
	}
	c := m.Calc(t)
	c.Alike(args[:2]...)
	out := make([]vm.Value, n)
	for i := range out {
		switch {
		case i == 0:
			out[i] = c.Mul(args[0], 1.0)
		case int64(i) == steps:
			out[i] = c.Mul(args[1], 1.0)
		default:
			out[i] = c.Add(args[0], c.Mul(c.Sub(args[1], args[0]), float64(i)/float64(steps)))
		}
	}
	x, err := c.Done(c.Vector(out...))
	if err != nil {
		return nil, err
	}
	return m.Typed(t, fn, x, args[4])
}

// logspaceFunc is cp.logspace(start, stop, num=50, base=10.0): powers of base, whose
// exponents have equal distances.
func (m *Tracer) logspaceFunc(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
	base := args[3]
	if base == nil {
		base = 10.0
	}
	num := args[2]
	if num == nil {
		num = int64(50)
	}
	exponents, err := m.linspaceFunc(t, "linspace", []vm.Value{args[0], args[1], num, nil, nil})
	if err != nil {
		return nil, err
	}
	c := m.Calc(t)
	return c.Done(c.Binary(vm.OpPow, base, exponents))
}
