package copapy

import "github.com/copaflash/copaflash/compiler/script/python/vm"

// vectorMethods are those that only vectors have.
var vectorMethods = map[string]vm.GoMethod{
	"magnitude": geometry("magnitude", func(c *calc, v []*Tensor) vm.Value { return c.magnitude(v[0]) }),
	"normalize": geometry("normalize", func(c *calc, v []*Tensor) vm.Value { return c.normalize(v[0]) }),
	"cross":     geometry("cross", func(c *calc, v []*Tensor) vm.Value { return c.cross(v[0], v[1]) }, "other"),
}

// vectorFunctions are functions of two vectors.
var vectorFunctions = map[string]func(c *calc, v []*Tensor) vm.Value{
	"cross_product":     func(c *calc, v []*Tensor) vm.Value { return c.cross(v[0], v[1]) },
	"dot_product":       func(c *calc, v []*Tensor) vm.Value { return c.dot(v[0], v[1]) },
	"distance":          func(c *calc, v []*Tensor) vm.Value { return c.distance(v[0], v[1]) },
	"scalar_projection": func(c *calc, v []*Tensor) vm.Value { return c.scalarProjection(v[0], v[1]) },
	"vector_projection": func(c *calc, v []*Tensor) vm.Value { return c.vectorProjection(v[0], v[1]) },
	"angle_between":     func(c *calc, v []*Tensor) vm.Value { return c.angleBetween(v[0], v[1]) },
}

// geometry makes a method of a vector whose parameters are vectors.
func geometry(name string, f func(c *calc, v []*Tensor) vm.Value, params ...string) vm.GoMethod {
	return func(t *vm.Thread, self vm.Value, a vm.Args) (vm.Value, error) {
		args, err := a.Bind(name, params...)
		if err != nil {
			return nil, err
		}
		m := self.(*Tensor).m
		v, err := m.vectors(t, name, append([]vm.Value{self}, args...))
		if err != nil {
			return nil, err
		}
		c := m.calc(t)
		c.alikeTensors(v...)
		return c.done(f(c, v))
	}
}

// geometryFunc makes a function of two vectors.
func (m *module) geometryFunc(name string, f func(c *calc, v []*Tensor) vm.Value) vm.GoFunc {
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		args, err := a.Bind(name, "v1", "v2")
		if err != nil {
			return nil, err
		}
		v, err := m.vectors(t, name, args)
		if err != nil {
			return nil, err
		}
		c := m.calc(t)
		c.alikeTensors(v...)
		return c.done(f(c, v))
	}
}

// vectors takes vectors, or lists that make some.
func (m *module) vectors(t *vm.Thread, fn string, xs []vm.Value) ([]*Tensor, error) {
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
func (m *module) rotateVector(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("rotate_vector", "v", "axis", "angle")
	if err != nil {
		return nil, err
	}
	v, err := m.vectors(t, "rotate_vector", args[:2])
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
