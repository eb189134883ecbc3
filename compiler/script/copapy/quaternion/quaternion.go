package quaternion

import (
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Quaternion is w + xi + yj + zk, of numbers and traced scalars. One of length 1
// stands for a rotation in space.
type Quaternion struct {
	m     *Class
	parts [4]vm.Value // w, x, y, z
}

// PyClass returns the class `quaternion`.
func (q *Quaternion) PyClass() *vm.Class { return q.m.class }

// Class is the class quaternion, for the values of one script.
type Class struct {
	*array.Tracer
	class *vm.Class
}

// NewClass makes the class quaternion.
func NewClass(tracer *array.Tracer) *Class {
	m := &Class{Tracer: tracer}
	rows := m.Rows()
	m.class = m.NewClass("quaternion", nil, rows)
	for i, name := range []string{"w", "x", "y", "z"} {
		m.class.SetProperty(name, func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
			return self.(*Quaternion).parts[i], nil
		}, nil)
	}
	m.class.SetProperty("values", func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
		return vm.NewTuple(self.(*Quaternion).list()...), nil
	}, nil)
	m.class.SetProperty("shape", func(*vm.Thread, vm.Value, vm.Args) (vm.Value, error) { return vm.NewTuple(int64(4)), nil }, nil)
	for name, f := range m.Methods(rows) {
		m.class.SetMethod(name, f)
	}
	for name, f := range m.Makers(rows) {
		m.class.Set(name, vm.NewBuiltin(name, f))
	}
	return m
}

// algebra computes with quaternions.
type algebra struct {
	*array.Calc
	class *Class
}

// Set gives a module the class.
func (m *Class) Set(mod *vm.Module) { mod.Set("quaternion", m.class) }

func (m *Class) algebra(t *vm.Thread) *algebra { return &algebra{m.Calc(t), m} }

// Parts are w, x, y and z.
func (q *Quaternion) Parts() []vm.Value { return q.parts[:] }

// WithParts is a quaternion of other parts.
func (q *Quaternion) WithParts(parts []vm.Value) vm.Value {
	return &Quaternion{m: q.m, parts: [4]vm.Value(parts)}
}

// newQuaternion is cp.quaternion(w, x, y, z), or of an iterable of the four.
func (m *Class) newQuaternion(t *vm.Thread, _ string, args []vm.Value) (_ vm.Value, err error) {
	if args[0] != nil && !array.IsNumber(args[0]) && !array.IsScalar(args[0]) {
		if args, err = t.Collect(args[0]); err != nil {
			return nil, err
		}
		if len(args) != 4 {
			return nil, vm.ValueErrorf("quaternion: needs 4 components, not %d", len(args))
		}
	}
	q := &Quaternion{m: m, parts: [4]vm.Value{1.0, 0.0, 0.0, 0.0}}
	for i, x := range args {
		if x == nil {
			continue
		}
		if !array.IsNumber(x) && !array.IsScalar(x) {
			return nil, vm.TypeErrorf("quaternion: components must be numbers or traced scalars, not '%s'", vm.TypeName(x))
		}
		q.parts[i] = x
	}
	return q, nil
}

func (q *Quaternion) list() []vm.Value { return append([]vm.Value(nil), q.parts[:]...) }

func (c *algebra) quaternion(w, x, y, z vm.Value) *Quaternion {
	return &Quaternion{m: c.class, parts: [4]vm.Value{w, x, y, z}}
}

// Len is 4.
func (q *Quaternion) Len(*vm.Thread) (int, error) { return 4, nil }

// Iter yields w, x, y and z.
func (q *Quaternion) Iter(t *vm.Thread) (vm.Iterator, error) { return t.Iter(vm.NewTuple(q.list()...)) }

// Index gives a component, or for a slice a vector.
func (q *Quaternion) Index(t *vm.Thread, key vm.Value) (vm.Value, error) {
	r, err := t.Index(vm.NewTuple(q.list()...), key)
	if err != nil {
		return nil, err
	}
	if elems, ok := r.(*vm.Tuple); ok {
		return q.m.Vector(t, elems.Elems)
	}
	return r, nil
}

// Repr shows the components.
func (q *Quaternion) Repr(t *vm.Thread) (string, error) {
	var b strings.Builder
	for i, name := range []string{"quaternion(w=", ", x=", ", y=", ", z="} {
		s, err := t.Repr(q.parts[i])
		if err != nil {
			return "", err
		}
		b.WriteString(name + s)
	}
	return b.String() + ")", nil
}

// Hash refuses, since == works by component.
func (q *Quaternion) Hash(*vm.Thread) (uint64, error) {
	return 0, vm.TypeErrorf("unhashable type: 'quaternion'")
}

// Truth refuses, since a quaternion may be traced.
func (q *Quaternion) Truth(*vm.Thread) (bool, error) {
	return false, vm.WithHint(vm.TypeErrorf("the truth value of a quaternion is ambiguous"), "compare its components or its norm()")
}

// Compare gives a vector of 4 bools for == and !=.
func (q *Quaternion) Compare(t *vm.Thread, op vm.CompareOp, other vm.Value) (vm.Value, error) {
	if op != vm.OpEq && op != vm.OpNe {
		return vm.NotImplemented, nil
	}
	elems, _, ok := array.Sequence(other)
	if x, isTensor := other.(*array.Tensor); isTensor {
		var err error
		if elems, err = x.Elements(); err != nil {
			return nil, err
		}
		ok = true
	}
	switch {
	case !ok:
		return vm.NotImplemented, nil
	case len(elems) != 4:
		return nil, vm.ValueErrorf("a quaternion has 4 components, not %d", len(elems))
	}
	c := q.m.algebra(t)
	var out [4]vm.Value
	for i, e := range elems {
		out[i] = c.Compare(op, q.parts[i], e)
	}
	return c.Done(c.Vector(out[:]...))
}

// Unary has -q, +q and abs(q), which is the norm.
func (q *Quaternion) Unary(t *vm.Thread, op vm.UnaryOp) (vm.Value, error) {
	c := q.m.algebra(t)
	switch op {
	case vm.OpNeg:
		return c.Done(c.each(q, c.Neg))
	case vm.OpPlus:
		return q, nil
	case vm.OpAbs:
		return c.Done(c.norm(q))
	}
	return vm.NotImplemented, nil
}

// each applies a function to the components.
func (c *algebra) each(q *Quaternion, f func(vm.Value) vm.Value) *Quaternion {
	return c.quaternion(f(q.parts[0]), f(q.parts[1]), f(q.parts[2]), f(q.parts[3]))
}

// Binary has sums, differences, products (* or @) and quotients of quaternions,
// and all of them with a number, which goes to each component.
func (q *Quaternion) Binary(t *vm.Thread, op vm.BinaryOp, other vm.Value, reflected bool) (vm.Value, error) {
	c := q.m.algebra(t)
	q = c.alikeParts(q)
	if r, ok := other.(*Quaternion); ok {
		r = c.alikeParts(r)
		q = c.alikeParts(q)
		switch op {
		case vm.OpAdd, vm.OpSub:
			out := c.each(q, func(x vm.Value) vm.Value { return x })
			for i := range out.parts {
				out.parts[i] = c.Binary(op, q.parts[i], r.parts[i])
			}
			return c.Done(out)
		case vm.OpMul, vm.OpMatMul:
			return c.Done(c.product(q, r))
		case vm.OpDiv:
			return c.Done(c.product(q, c.inverse(r)))
		}
		return vm.NotImplemented, nil
	}
	if !array.IsNumber(other) && !array.IsScalar(other) {
		return vm.NotImplemented, nil
	}
	switch {
	case op == vm.OpAdd, op == vm.OpSub, op == vm.OpMul, op == vm.OpDiv && !reflected:
		return c.Done(c.each(q, func(x vm.Value) vm.Value {
			if reflected {
				return c.Binary(op, other, x)
			}
			return c.Binary(op, x, other)
		}))
	}
	return vm.NotImplemented, nil
}

// product is Hamilton's product.
func (c *algebra) product(a, b *Quaternion) *Quaternion {
	p, q := a.parts, b.parts
	w := c.Sub(c.Sub(c.Sub(c.Mul(p[0], q[0]), c.Mul(p[1], q[1])), c.Mul(p[2], q[2])), c.Mul(p[3], q[3]))
	return c.quaternion(w,
		c.Sub(c.Sum(c.Mul(p[0], q[1]), c.Mul(p[1], q[0]), c.Mul(p[2], q[3])), c.Mul(p[3], q[2])),
		c.Sum(c.Sub(c.Mul(p[0], q[2]), c.Mul(p[1], q[3])), c.Mul(p[2], q[0]), c.Mul(p[3], q[1])),
		c.Sum(c.Sub(c.Sum(c.Mul(p[0], q[3]), c.Mul(p[1], q[2])), c.Mul(p[2], q[1])), c.Mul(p[3], q[0])))
}

// norm is the length.
func (c *algebra) norm(q *Quaternion) vm.Value { return c.Root(c.Squares(q.parts[:])) }

func (c *algebra) conjugate(q *Quaternion) *Quaternion {
	return c.quaternion(q.parts[0], c.Neg(q.parts[1]), c.Neg(q.parts[2]), c.Neg(q.parts[3]))
}

// inverse is the conjugate divided by the square of the norm; of a plain 0 it is
// the identity.
func (c *algebra) inverse(q *Quaternion) *Quaternion {
	q = c.alikeParts(q)
	square := c.Squares(q.parts[:])
	if zero := !array.IsScalar(square) && c.Compare(vm.OpEq, square, int64(0)) == true; zero {
		return c.quaternion(1.0, 0.0, 0.0, 0.0)
	}
	return c.each(c.conjugate(q), func(x vm.Value) vm.Value { return c.Div(x, square) })
}

// normalized has the length 1; of a zero quaternion it is the identity.
func (c *algebra) normalized(q *Quaternion) *Quaternion {
	q = c.alikeParts(q)
	n := c.Float(c.norm(q))
	zero, divisor := c.Compare(vm.OpEq, n, 0.0), c.Divisor(n)
	unit := c.each(q, func(x vm.Value) vm.Value { return c.Div(x, divisor) })
	unit.parts[0] = c.Iif(zero, 1.0, unit.parts[0])
	return unit
}

// alikeParts is q with its ints as doubles where one part is a double.
func (c *algebra) alikeParts(q *Quaternion) *Quaternion {
	parts := q.parts
	c.Alike(parts[:]...)
	return &Quaternion{m: q.m, parts: parts}
}

// rotationMatrix is the rotation as a 4x4 matrix of homogeneous coordinates.
func (c *algebra) rotationMatrix(q *Quaternion) vm.Value {
	q = c.alikeParts(q)
	w, p := q.parts[0], q.parts[1:]
	two := func(a, b vm.Value) vm.Value { return c.Mul(c.Add(a, a), b) }
	xx, yy, zz := two(p[0], p[0]), two(p[1], p[1]), two(p[2], p[2])
	xy, xz, yz := two(p[0], p[1]), two(p[0], p[2]), two(p[1], p[2])
	wx, wy, wz := two(p[0], w), two(p[1], w), two(p[2], w)
	return c.Tensor(graph.Shape{4, 4}, []vm.Value{
		c.Sub(1.0, c.Add(yy, zz)), c.Sub(xy, wz), c.Add(xz, wy), 0.0,
		c.Add(xy, wz), c.Sub(1.0, c.Add(xx, zz)), c.Sub(yz, wx), 0.0,
		c.Sub(xz, wy), c.Add(yz, wx), c.Sub(1.0, c.Add(xx, yy)), 0.0,
		0.0, 0.0, 0.0, 1.0,
	})
}

// homogenized makes constants of the plain components of a quaternion where some are traced.
func (c *algebra) homogenized(q *Quaternion) vm.Value {
	if !slices.ContainsFunc(q.parts[:], array.IsScalar) {
		return q
	}
	return c.each(q, func(x vm.Value) vm.Value {
		v, err := c.Tracer.Constant(x, graph.F32)
		if err != nil {
			return c.Keep(nil, err)
		}
		return c.Tracer.Scalar(v)
	})
}
