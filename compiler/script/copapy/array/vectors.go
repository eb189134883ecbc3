package array

import "github.com/copaflash/copaflash/compiler/script/python/vm"

// VectorRows are the methods that only vectors have.
func (m *Tracer) VectorRows() []Row {
	return []Row{
		{Name: "magnitude", Params: "x", Call: m.ofVectors(func(c *Calc, v []*Tensor) vm.Value { return c.Magnitude(v[0]) }), Is: Method},
		{Name: "normalize", Params: "x", Call: m.ofVectors(func(c *Calc, v []*Tensor) vm.Value { return c.Normalize(v[0]) }), Is: Method},
		{Name: "cross", Params: "x other", Call: m.ofVectors(func(c *Calc, v []*Tensor) vm.Value { return c.Cross(v[0], v[1]) }), Is: Method},
	}
}

// geometryRows are functions of vectors.
func (m *Tracer) geometryRows() []Row {
	return []Row{
		{Name: "cross_product", Params: "v1 v2", Call: m.ofVectors(func(c *Calc, v []*Tensor) vm.Value { return c.Cross(v[0], v[1]) })},
		{Name: "dot_product", Params: "v1 v2", Call: m.ofVectors(func(c *Calc, v []*Tensor) vm.Value { return c.dot(v[0], v[1]) })},
		{Name: "distance", Params: "v1 v2", Call: m.ofVectors(func(c *Calc, v []*Tensor) vm.Value { return c.distance(v[0], v[1]) })},
		{Name: "scalar_projection", Params: "v1 v2", Call: m.ofVectors(func(c *Calc, v []*Tensor) vm.Value { return c.scalarProjection(v[0], v[1]) })},
		{Name: "vector_projection", Params: "v1 v2", Call: m.ofVectors(func(c *Calc, v []*Tensor) vm.Value { return c.vectorProjection(v[0], v[1]) })},
		{Name: "angle_between", Params: "v1 v2", Call: m.ofVectors(func(c *Calc, v []*Tensor) vm.Value { return c.angleBetween(v[0], v[1]) })},
		{Name: "rotate_vector", Params: "v axis angle", Call: m.rotateVector},
	}
}

// ofVectors makes a handler of a function of vectors.
func (m *Tracer) ofVectors(f func(c *Calc, v []*Tensor) vm.Value) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		v, err := m.Vectors(t, fn, args)
		if err != nil {
			return nil, err
		}
		c := m.Calc(t)
		c.AlikeTensors(v...)
		return c.Done(f(c, v))
	}
}

// Vectors takes vectors, or lists that make some.
func (m *Tracer) Vectors(t *vm.Thread, fn string, xs []vm.Value) ([]*Tensor, error) {
	out := make([]*Tensor, len(xs))
	for i, x := range xs {
		v, err := m.NestedTensor(t, fn, x)
		if err != nil {
			return nil, err
		}
		if len(v.Shape()) != 1 {
			return nil, vm.TypeErrorf("%s: must be a vector, not a tensor of shape %v", fn, v.Shape())
		}
		out[i] = v
	}
	return out, nil
}

// Three returns the elements of a vector in space.
func (c *Calc) Three(fn string, v *Tensor) (x, y, z vm.Value) {
	if v.length() != 3 {
		c.Keep(nil, vm.ValueErrorf("%s: needs vectors of 3 elements, not %d", fn, v.length()))
		return int64(0), int64(0), int64(0)
	}
	e, err := v.Elements()
	if err != nil {
		c.Keep(nil, err)
		return int64(0), int64(0), int64(0)
	}
	return e[0], e[1], e[2]
}

// Cross is that of two vectors, or of the vectors along the last axes of stacks of them,
// which broadcast.
func (c *Calc) Cross(a, b *Tensor) vm.Value {
	if len(a.Shape()) > 1 || len(b.Shape()) > 1 {
		return c.crossStacks(a, b)
	}
	ax, ay, az := c.Three("cross", a)
	bx, by, bz := c.Three("cross", b)
	return c.Vector(
		c.Sub(c.Mul(ay, bz), c.Mul(az, by)),
		c.Sub(c.Mul(az, bx), c.Mul(ax, bz)),
		c.Sub(c.Mul(ax, by), c.Mul(ay, bx)))
}

func (c *Calc) crossStacks(a, b *Tensor) vm.Value {
	part := func(x *Tensor, i int) vm.Value {
		last := len(x.Shape()) - 1
		if n := x.Shape()[last]; n != 3 {
			return c.Keep(nil, vm.ValueErrorf("cross: needs vectors of 3 elements, not %d", n))
		}
		row, err := x.Slice(c.Thread, last, i, i+1)
		if err != nil {
			return c.Keep(nil, err)
		}
		return row
	}
	var parts []*Tensor
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		r, ok := c.Sub(c.Mul(part(a, j), part(b, k)), c.Mul(part(a, k), part(b, j))).(*Tensor)
		if !ok || c.Err != nil {
			return int64(0)
		}
		parts = append(parts, r)
	}
	return c.Keep(c.Tracer.Concat(c.Thread, "cross", parts, len(parts[0].Shape())-1))
}

// Normalize gives a vector the length 1, and leaves a zero vector as it is.
func (c *Calc) Normalize(v *Tensor) vm.Value {
	v = c.Floats(v)
	return c.Div(v, c.Divisor(c.Magnitude(v)))
}

// Divisor is a length to divide a vector by that has it: 1 where it is 0, since the vector is
// 0 then.
func (c *Calc) Divisor(length vm.Value) vm.Value {
	length = c.Float(length)
	return c.Iif(c.Compare(vm.OpEq, length, 0.0), 1.0, length)
}

func (c *Calc) distance(a, b *Tensor) vm.Value {
	d, ok := c.Sub(c.Floats(a), c.Floats(b)).(*Tensor)
	if !ok {
		return int64(0)
	}
	return c.Magnitude(d)
}

// scalarProjection is the length of a along b.
func (c *Calc) scalarProjection(a, b *Tensor) vm.Value {
	a, b = c.Floats(a), c.Floats(b)
	return c.Div(c.dot(a, b), c.Divisor(c.Magnitude(b)))
}

// vectorProjection is the part of a along b.
func (c *Calc) vectorProjection(a, b *Tensor) vm.Value {
	a, b = c.Floats(a), c.Floats(b)
	return c.Mul(b, c.Div(c.dot(a, b), c.Divisor(c.dot(b, b))))
}

// angleBetween is in radians, 0 to pi: twice that whose tangent is the length of the difference
// of both vectors, brought to length 1, over that of their sum. So it is as exact near 0 and pi,
// where a cosine hardly changes, as elsewhere. Beside a zero vector it is a right angle.
func (c *Calc) angleBetween(a, b *Tensor) vm.Value {
	x, ok1 := c.Normalize(a).(*Tensor)
	y, ok2 := c.Normalize(b).(*Tensor)
	if !ok1 || !ok2 || c.Err != nil {
		return int64(0)
	}
	apart, ok1 := c.Sub(x, y).(*Tensor)
	along, ok2 := c.Add(x, y).(*Tensor)
	if !ok1 || !ok2 || c.Err != nil {
		return int64(0)
	}
	return c.Mul(2.0, c.Atan2(c.Magnitude(apart), c.Magnitude(along)))
}

// rotateVector is cp.rotate_vector(v, axis, angle): v turned about axis by an
// angle in radians, by Rodrigues' formula.
func (m *Tracer) rotateVector(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	v, err := m.Vectors(t, fn, args[:2])
	if err != nil {
		return nil, err
	}
	c := m.Calc(t)
	all := []vm.Value{v[0], v[1], args[2]}
	c.Alike(all...)
	if c.Err != nil {
		return nil, c.Err
	}
	v[0], v[1], args[2] = all[0].(*Tensor), all[1].(*Tensor), all[2]
	k, ok := c.Normalize(v[1]).(*Tensor)
	if !ok {
		return c.Done(nil)
	}
	cosine, sine := c.Call("cos", args[2]), c.Call("sin", args[2])
	along := c.Mul(k, c.Mul(c.dot(k, v[0]), c.Sub(1.0, cosine)))
	return c.Done(c.Sum(c.Mul(v[0], cosine), c.Mul(c.Cross(k, v[0]), sine), along))
}
