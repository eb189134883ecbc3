package copapy

import "github.com/copaflash/copaflash/compiler/script/python/vm"

// vectorRows are the methods that only vectors have.
func (m *Tracer) vectorRows() []Row {
	return []Row{
		{Name: "magnitude", Params: "x", Call: m.ofVectors(func(c *calc, v []*Tensor) vm.Value { return c.magnitude(v[0]) }), Is: Method},
		{Name: "normalize", Params: "x", Call: m.ofVectors(func(c *calc, v []*Tensor) vm.Value { return c.normalize(v[0]) }), Is: Method},
		{Name: "cross", Params: "x other", Call: m.ofVectors(func(c *calc, v []*Tensor) vm.Value { return c.cross(v[0], v[1]) }), Is: Method},
	}
}

// geometryRows are functions of vectors.
func (m *Tracer) geometryRows() []Row {
	return []Row{
		{Name: "cross_product", Params: "v1 v2", Call: m.ofVectors(func(c *calc, v []*Tensor) vm.Value { return c.cross(v[0], v[1]) })},
		{Name: "dot_product", Params: "v1 v2", Call: m.ofVectors(func(c *calc, v []*Tensor) vm.Value { return c.dot(v[0], v[1]) })},
		{Name: "distance", Params: "v1 v2", Call: m.ofVectors(func(c *calc, v []*Tensor) vm.Value { return c.distance(v[0], v[1]) })},
		{Name: "scalar_projection", Params: "v1 v2", Call: m.ofVectors(func(c *calc, v []*Tensor) vm.Value { return c.scalarProjection(v[0], v[1]) })},
		{Name: "vector_projection", Params: "v1 v2", Call: m.ofVectors(func(c *calc, v []*Tensor) vm.Value { return c.vectorProjection(v[0], v[1]) })},
		{Name: "angle_between", Params: "v1 v2", Call: m.ofVectors(func(c *calc, v []*Tensor) vm.Value { return c.angleBetween(v[0], v[1]) })},
		{Name: "rotate_vector", Params: "v axis angle", Call: m.rotateVector},
	}
}

// ofVectors makes a handler of a function of vectors.
func (m *Tracer) ofVectors(f func(c *calc, v []*Tensor) vm.Value) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		v, err := m.vectors(t, fn, args)
		if err != nil {
			return nil, err
		}
		c := m.calc(t)
		c.alikeTensors(v...)
		return c.done(f(c, v))
	}
}

// vectors takes vectors, or lists that make some.
func (m *Tracer) vectors(t *vm.Thread, fn string, xs []vm.Value) ([]*Tensor, error) {
	out := make([]*Tensor, len(xs))
	for i, x := range xs {
		v, err := m.nestedTensor(t, fn, x)
		if err != nil {
			return nil, err
		}
		if len(v.shape()) != 1 {
			return nil, vm.TypeErrorf("%s: must be a vector, not a tensor of shape %v", fn, v.shape())
		}
		out[i] = v
	}
	return out, nil
}

// three returns the elements of a vector in space.
func (c *calc) three(fn string, v *Tensor) (x, y, z vm.Value) {
	if v.length() != 3 {
		c.keep(nil, vm.ValueErrorf("%s: needs vectors of 3 elements, not %d", fn, v.length()))
		return int64(0), int64(0), int64(0)
	}
	e, err := v.elements()
	if err != nil {
		c.keep(nil, err)
		return int64(0), int64(0), int64(0)
	}
	return e[0], e[1], e[2]
}

// cross is that of two vectors, or of the vectors along the last axes of stacks of them,
// which broadcast.
func (c *calc) cross(a, b *Tensor) vm.Value {
	if len(a.shape()) > 1 || len(b.shape()) > 1 {
		return c.crossStacks(a, b)
	}
	ax, ay, az := c.three("cross", a)
	bx, by, bz := c.three("cross", b)
	return c.vector(
		c.sub(c.mul(ay, bz), c.mul(az, by)),
		c.sub(c.mul(az, bx), c.mul(ax, bz)),
		c.sub(c.mul(ax, by), c.mul(ay, bx)))
}

func (c *calc) crossStacks(a, b *Tensor) vm.Value {
	part := func(x *Tensor, i int) vm.Value {
		last := len(x.shape()) - 1
		if n := x.shape()[last]; n != 3 {
			return c.keep(nil, vm.ValueErrorf("cross: needs vectors of 3 elements, not %d", n))
		}
		row, err := x.along(c.t, last, span(i, i+1))
		if err != nil {
			return c.keep(nil, err)
		}
		return row
	}
	var parts []*Tensor
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		r, ok := c.sub(c.mul(part(a, j), part(b, k)), c.mul(part(a, k), part(b, j))).(*Tensor)
		if !ok || c.err != nil {
			return int64(0)
		}
		parts = append(parts, r)
	}
	return c.keep(c.m.concat(c.t, "cross", parts, len(parts[0].shape())-1))
}

// normalize gives a vector the length 1, and leaves a zero vector as it is.
func (c *calc) normalize(v *Tensor) vm.Value {
	v = c.floats(v)
	return c.div(v, c.divisor(c.magnitude(v)))
}

// divisor is a length to divide a vector by that has it: 1 where it is 0, since the vector is
// 0 then.
func (c *calc) divisor(length vm.Value) vm.Value {
	length = c.float(length)
	return c.iif(c.compare(vm.OpEq, length, 0.0), 1.0, length)
}

func (c *calc) distance(a, b *Tensor) vm.Value {
	d, ok := c.sub(c.floats(a), c.floats(b)).(*Tensor)
	if !ok {
		return int64(0)
	}
	return c.magnitude(d)
}

// scalarProjection is the length of a along b.
func (c *calc) scalarProjection(a, b *Tensor) vm.Value {
	a, b = c.floats(a), c.floats(b)
	return c.div(c.dot(a, b), c.divisor(c.magnitude(b)))
}

// vectorProjection is the part of a along b.
func (c *calc) vectorProjection(a, b *Tensor) vm.Value {
	a, b = c.floats(a), c.floats(b)
	return c.mul(b, c.div(c.dot(a, b), c.divisor(c.dot(b, b))))
}

// angleBetween is in radians, 0 to pi: twice that whose tangent is the length of the difference
// of both vectors, brought to length 1, over that of their sum. So it is as exact near 0 and pi,
// where a cosine hardly changes, as elsewhere. Beside a zero vector it is a right angle.
func (c *calc) angleBetween(a, b *Tensor) vm.Value {
	x, ok1 := c.normalize(a).(*Tensor)
	y, ok2 := c.normalize(b).(*Tensor)
	if !ok1 || !ok2 || c.err != nil {
		return int64(0)
	}
	apart, ok1 := c.sub(x, y).(*Tensor)
	along, ok2 := c.add(x, y).(*Tensor)
	if !ok1 || !ok2 || c.err != nil {
		return int64(0)
	}
	return c.mul(2.0, c.atan2(c.magnitude(apart), c.magnitude(along)))
}

// rotateVector is cp.rotate_vector(v, axis, angle): v turned about axis by an
// angle in radians, by Rodrigues' formula.
func (m *Tracer) rotateVector(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	v, err := m.vectors(t, fn, args[:2])
	if err != nil {
		return nil, err
	}
	c := m.calc(t)
	all := []vm.Value{v[0], v[1], args[2]}
	c.alike(all...)
	if c.err != nil {
		return nil, c.err
	}
	v[0], v[1], args[2] = all[0].(*Tensor), all[1].(*Tensor), all[2]
	k, ok := c.normalize(v[1]).(*Tensor)
	if !ok {
		return c.done(nil)
	}
	cosine, sine := c.call("cos", args[2]), c.call("sin", args[2])
	along := c.mul(k, c.mul(c.dot(k, v[0]), c.sub(1.0, cosine)))
	return c.done(c.sum(c.mul(v[0], cosine), c.mul(c.cross(k, v[0]), sine), along))
}
