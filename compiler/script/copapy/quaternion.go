package copapy

import (
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
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
	*Tracer
	class *vm.Class
}

// NewClass makes the class quaternion.
func NewClass(tracer *Tracer) *Class {
	m := &Class{Tracer: tracer}
	m.class = vm.NewClass("quaternion", nil, m.newQuaternion)
	for i, name := range []string{"w", "x", "y", "z"} {
		m.class.SetProperty(name, func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
			return self.(*Quaternion).parts[i], nil
		}, nil)
	}
	m.class.SetProperty("values", func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
		return vm.NewTuple(self.(*Quaternion).list()...), nil
	}, nil)
	m.class.SetProperty("shape", func(*vm.Thread, vm.Value, vm.Args) (vm.Value, error) { return vm.NewTuple(int64(4)), nil }, nil)
	for name, f := range Methods(m.Rows()) {
		m.class.SetMethod(name, f)
	}
	for name, f := range Makers(m.Rows()) {
		m.class.Set(name, vm.NewBuiltin(name, f))
	}
	return m
}

// algebra computes with quaternions.
type algebra struct {
	*calc
	class *Class
}

// Set gives a module the class.
func (m *Class) Set(mod *vm.Module) { mod.Set("quaternion", m.class) }

func (m *Class) algebra(t *vm.Thread) *algebra { return &algebra{m.calc(t), m} }

// Parts are w, x, y and z.
func (q *Quaternion) Parts() []vm.Value { return q.parts[:] }

// WithParts is a quaternion of other parts.
func (q *Quaternion) WithParts(parts []vm.Value) vm.Value {
	return &Quaternion{m: q.m, parts: [4]vm.Value(parts)}
}

// newQuaternion is cp.quaternion(w, x, y, z), or of an iterable of the four.
func (m *Class) newQuaternion(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("quaternion", "w?", "x?", "y?", "z?")
	if err != nil {
		return nil, err
	}
	if args[0] != nil && !isNumber(args[0]) && !isScalar(args[0]) {
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
		if !isNumber(x) && !isScalar(x) {
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
		return q.m.vector(t, elems.Elems)
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
	elems, _, ok := sequence(other)
	if x, isTensor := other.(*Tensor); isTensor {
		var err error
		if elems, err = x.elements(); err != nil {
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
		out[i] = c.compare(op, q.parts[i], e)
	}
	return c.done(c.vector(out[:]...))
}

// Unary has -q, +q and abs(q), which is the norm.
func (q *Quaternion) Unary(t *vm.Thread, op vm.UnaryOp) (vm.Value, error) {
	c := q.m.algebra(t)
	switch op {
	case vm.OpNeg:
		return c.done(c.each(q, c.neg))
	case vm.OpPlus:
		return q, nil
	case vm.OpAbs:
		return c.done(c.norm(q))
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
				out.parts[i] = c.binary(op, q.parts[i], r.parts[i])
			}
			return c.done(out)
		case vm.OpMul, vm.OpMatMul:
			return c.done(c.product(q, r))
		case vm.OpDiv:
			return c.done(c.product(q, c.inverse(r)))
		}
		return vm.NotImplemented, nil
	}
	if !isNumber(other) && !isScalar(other) {
		return vm.NotImplemented, nil
	}
	switch {
	case op == vm.OpAdd, op == vm.OpSub, op == vm.OpMul, op == vm.OpDiv && !reflected:
		return c.done(c.each(q, func(x vm.Value) vm.Value {
			if reflected {
				return c.binary(op, other, x)
			}
			return c.binary(op, x, other)
		}))
	}
	return vm.NotImplemented, nil
}

// product is Hamilton's product.
func (c *algebra) product(a, b *Quaternion) *Quaternion {
	p, q := a.parts, b.parts
	w := c.sub(c.sub(c.sub(c.mul(p[0], q[0]), c.mul(p[1], q[1])), c.mul(p[2], q[2])), c.mul(p[3], q[3]))
	return c.quaternion(w,
		c.sub(c.sum(c.mul(p[0], q[1]), c.mul(p[1], q[0]), c.mul(p[2], q[3])), c.mul(p[3], q[2])),
		c.sum(c.sub(c.mul(p[0], q[2]), c.mul(p[1], q[3])), c.mul(p[2], q[0]), c.mul(p[3], q[1])),
		c.sum(c.sub(c.sum(c.mul(p[0], q[3]), c.mul(p[1], q[2])), c.mul(p[2], q[1])), c.mul(p[3], q[0])))
}

// norm is the length.
func (c *algebra) norm(q *Quaternion) vm.Value { return c.root(c.squares(q.parts[:])) }

func (c *algebra) conjugate(q *Quaternion) *Quaternion {
	return c.quaternion(q.parts[0], c.neg(q.parts[1]), c.neg(q.parts[2]), c.neg(q.parts[3]))
}

// inverse is the conjugate divided by the square of the norm; of a plain 0 it is
// the identity.
func (c *algebra) inverse(q *Quaternion) *Quaternion {
	q = c.alikeParts(q)
	square := c.squares(q.parts[:])
	if zero := !isScalar(square) && c.compare(vm.OpEq, square, int64(0)) == true; zero {
		return c.quaternion(1.0, 0.0, 0.0, 0.0)
	}
	return c.each(c.conjugate(q), func(x vm.Value) vm.Value { return c.div(x, square) })
}

// normalized has the length 1; of a zero quaternion it is the identity.
func (c *algebra) normalized(q *Quaternion) *Quaternion {
	q = c.alikeParts(q)
	n := c.float(c.norm(q))
	zero, divisor := c.compare(vm.OpEq, n, 0.0), c.divisor(n)
	unit := c.each(q, func(x vm.Value) vm.Value { return c.div(x, divisor) })
	unit.parts[0] = c.iif(zero, 1.0, unit.parts[0])
	return unit
}

// alikeParts is q with its ints as doubles where one part is a double.
func (c *algebra) alikeParts(q *Quaternion) *Quaternion {
	parts := q.parts
	c.alike(parts[:]...)
	return &Quaternion{m: q.m, parts: parts}
}

// rotationMatrix is the rotation as a 4x4 matrix of homogeneous coordinates.
func (c *algebra) rotationMatrix(q *Quaternion) vm.Value {
	q = c.alikeParts(q)
	w, p := q.parts[0], q.parts[1:]
	two := func(a, b vm.Value) vm.Value { return c.mul(c.add(a, a), b) }
	xx, yy, zz := two(p[0], p[0]), two(p[1], p[1]), two(p[2], p[2])
	xy, xz, yz := two(p[0], p[1]), two(p[0], p[2]), two(p[1], p[2])
	wx, wy, wz := two(p[0], w), two(p[1], w), two(p[2], w)
	return c.tensor(graph.Shape{4, 4}, []vm.Value{
		c.sub(1.0, c.add(yy, zz)), c.sub(xy, wz), c.add(xz, wy), 0.0,
		c.add(xy, wz), c.sub(1.0, c.add(xx, zz)), c.sub(yz, wx), 0.0,
		c.sub(xz, wy), c.add(yz, wx), c.sub(1.0, c.add(xx, yy)), 0.0,
		0.0, 0.0, 0.0, 1.0,
	})
}

// homogenized makes constants of the plain components of a quaternion where some are traced.
func (c *algebra) homogenized(q *Quaternion) vm.Value {
	if !slices.ContainsFunc(q.parts[:], isScalar) {
		return q
	}
	return c.each(q, func(x vm.Value) vm.Value {
		v, err := c.m.constant(x, graph.F32)
		if err != nil {
			return c.keep(nil, err)
		}
		return c.m.scalar(v)
	})
}
