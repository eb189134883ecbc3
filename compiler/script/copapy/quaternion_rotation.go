package copapy

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Rows have the names of the ancestor of this project.
func (m *Class) Rows() []Row {
	return []Row{
		{Name: "conjugate", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.conjugate(q) }), Is: Method},
		{Name: "inverse", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.inverse(q) }), Is: Method},
		{Name: "norm", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.norm(q) }), Is: Method},
		{Name: "normalize", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.normalized(q) }), Is: Method},
		{Name: "homogenize", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.homogenized(q) }), Is: Method},
		{Name: "toRotationMatrix", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.rotationMatrix(q) }), Is: Method},
		{Name: "toEulerAngles", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.eulerAngles(q) }), Is: Method},
		{Name: "toAxisAngle", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.axisAngle(q) }), Is: Method},
		{Name: "rotate_vector", Params: "q vec", Call: onQuaternion((*algebra).rotated), Is: Method},
		{Name: "slerp", Params: "q other t", Call: onQuaternion((*algebra).slerp), Is: Method},
		{Name: "map", Params: "q func", Call: onQuaternion(func(c *algebra, q *Quaternion, args []vm.Value) vm.Value {
			out, err := c.class.newQuaternion(c.t, vm.Args{Pos: []vm.Value{
				c.apply(args[0], q.parts[0]), c.apply(args[0], q.parts[1]), c.apply(args[0], q.parts[2]), c.apply(args[0], q.parts[3]),
			}})
			return c.keep(out, err)
		}), Is: Method},
		{Name: "identity", Params: "", Call: m.maker(func(c *algebra, _ []vm.Value) vm.Value { return c.quaternion(1.0, 0.0, 0.0, 0.0) }), Is: Maker},
		{Name: "from_euler", Params: "roll pitch yaw", Call: m.maker((*algebra).fromEuler), Is: Maker},
		{Name: "from_axis_angle", Params: "axis angle", Call: m.maker((*algebra).fromAxisAngle), Is: Maker},
		{Name: "from_rotation_matrix", Params: "matrix", Call: m.maker((*algebra).fromRotationMatrix), Is: Maker},
	}
}

// onQuaternion makes a handler of a method.
func onQuaternion(f func(c *algebra, q *Quaternion, args []vm.Value) vm.Value) Handler {
	return func(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
		q := args[0].(*Quaternion)
		c := q.m.algebra(t)
		c.alikeDeep(args[1:])
		return c.done(f(c, c.alikeParts(q), args[1:]))
	}
}

func (c *algebra) apply(f, x vm.Value) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.t.Call(f, x))
}

// maker makes a handler of a function that makes a quaternion.
func (m *Class) maker(f func(c *algebra, args []vm.Value) vm.Value) Handler {
	return func(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
		c := m.algebra(t)
		c.alikeDeep(args)
		c.alike(args...)
		return c.done(f(c, args))
	}
}

// alikeDeep finds out whether there is a double among the elements of arguments.
func (c *algebra) alikeDeep(args []vm.Value) {
	for _, x := range args {
		elems, _, _ := sequence(x)
		c.alikeDeep(elems)
		c.double = c.double || isDouble(x)
	}
}

// fromEuler turns by roll about x, then by pitch about y, then by yaw about z, in
// radians.
func (c *algebra) fromEuler(args []vm.Value) vm.Value {
	var cosine, sine [3]vm.Value
	for i, angle := range args {
		half := c.mul(angle, 0.5)
		cosine[i], sine[i] = c.call("cos", half), c.call("sin", half)
	}
	about := func(axis int) *Quaternion {
		q := c.quaternion(cosine[axis], 0.0, 0.0, 0.0)
		q.parts[1+axis] = sine[axis]
		return q
	}
	// The product of the three, without the terms that are 0.
	r, p, y := about(0).parts, about(1).parts, about(2).parts
	three := func(a, b, d vm.Value) vm.Value { return c.mul(c.mul(a, b), d) }
	return c.quaternion(
		c.add(three(r[0], p[0], y[0]), three(r[1], p[2], y[3])),
		c.sub(three(r[1], p[0], y[0]), three(r[0], p[2], y[3])),
		c.add(three(r[0], p[2], y[0]), three(r[1], p[0], y[3])),
		c.sub(three(r[0], p[0], y[3]), three(r[1], p[2], y[0])))
}

// fromAxisAngle turns about an axis of any length by an angle in radians.
func (c *algebra) fromAxisAngle(args []vm.Value) vm.Value {
	v, err := c.m.vectors(c.t, "from_axis_angle", args[:1])
	if err != nil {
		return c.keep(nil, err)
	}
	c.alikeTensors(v...)
	axis, ok := c.normalize(v[0]).(*Tensor)
	if !ok {
		return int64(0)
	}
	x, y, z := c.three("from_axis_angle", axis)
	half := c.mul(args[1], 0.5)
	s := c.call("sin", half)
	return c.quaternion(c.call("cos", half), c.mul(x, s), c.mul(y, s), c.mul(z, s))
}

// fromRotationMatrix takes a rotation matrix of 3 or 4 rows and columns. There are
// four formulas, each good where its component is large; the one with the largest
// is picked by selects.
func (c *algebra) fromRotationMatrix(args []vm.Value) vm.Value {
	m, err := Square(c.m, c.t, "from_rotation_matrix", args[0])
	if err != nil {
		return c.keep(nil, err)
	}
	if len(m) != 3 && len(m) != 4 {
		return c.keep(nil, vm.ValueErrorf("from_rotation_matrix: needs 3 or 4 rows and columns, not %d", len(m)))
	}
	x, y, z := c.sub(m[2][1], m[1][2]), c.sub(m[0][2], m[2][0]), c.sub(m[1][0], m[0][1])
	xy, xz, yz := c.add(m[1][0], m[0][1]), c.add(m[0][2], m[2][0]), c.add(m[2][1], m[1][2])
	square := func(a, b, d vm.Value) vm.Value { return c.sum(1.0, a, b, d) } // 4 times that of a component
	neg := func(i int) vm.Value { return c.neg(m[i][i]) }
	candidates := [4][4]vm.Value{
		{square(m[0][0], m[1][1], m[2][2]), x, y, z},
		{x, square(m[0][0], neg(1), neg(2)), xy, xz},
		{y, xy, square(neg(0), m[1][1], neg(2)), yz},
		{z, xz, yz, square(neg(0), neg(1), m[2][2])},
	}
	best, largest := candidates[0], candidates[0][0]
	for i := 1; i < 4; i++ {
		larger := c.compare(vm.OpGt, candidates[i][i], largest)
		largest = c.iif(larger, candidates[i][i], largest)
		for k := range best {
			best[k] = c.iif(larger, candidates[i][k], best[k])
		}
	}
	f := c.div(0.5, c.call("sqrt", largest))
	return c.each(&Quaternion{m: c.class, parts: best}, func(p vm.Value) vm.Value { return c.mul(p, f) })
}

// eulerAngles are roll, pitch and yaw in radians. Half the sum of yaw and roll and half their
// difference are angles of points (a, b) and (c, d), whose lengths give the pitch: all of it is
// as exact near a right angle of the pitch as elsewhere (Bernardes and Viollet, 2022). There
// roll and yaw turn about one axis, and one of the points is 0: the yaw is 0 then.
func (c *algebra) eulerAngles(q *Quaternion) vm.Value {
	w, x, y, z := q.parts[0], q.parts[1], q.parts[2], q.parts[3]
	a, b := c.sub(w, y), c.add(x, z)
	d, e := c.add(w, y), c.sub(z, x)
	sum, difference := c.root(c.squares([]vm.Value{a, b})), c.root(c.squares([]vm.Value{d, e}))
	pitch := c.sub(c.mul(2.0, c.atan2(difference, sum)), math.Pi/2)
	near := nearLock
	if kind := kindOf(sum); kind == graph.F32 && isTraced(sum) {
		near = nearLock32
	}
	up := c.compare(vm.OpLe, sum, c.mul(near, difference))
	down := c.compare(vm.OpLe, difference, c.mul(near, sum))
	a, b, d, e = c.iif(up, d, a), c.iif(up, c.neg(e), b), c.iif(down, a, d), c.iif(down, c.neg(b), e)
	roll := c.atan2(c.sub(c.mul(b, d), c.mul(a, e)), c.add(c.mul(a, d), c.mul(b, e)))
	yaw := c.atan2(c.add(c.mul(b, d), c.mul(a, e)), c.sub(c.mul(a, d), c.mul(b, e)))
	return c.vector(roll, pitch, yaw)
}

// nearLock is below which part of its counterpart a point of eulerAngles is rounding.
const nearLock, nearLock32 = 1e-14, 1e-6

// nearIdentity is the length of the imaginary part below which there is no axis.
const nearIdentity = 1e-12

// axisAngle is a tuple of a vector of length 1 and an angle from 0 to 2 pi; the
// axis of the identity is (1, 0, 0).
func (c *algebra) axisAngle(q *Quaternion) vm.Value {
	p := q.parts
	s := c.call("sqrt", c.squares(p[1:]))
	none := c.compare(vm.OpLt, s, nearIdentity)
	divisor := c.iif(none, 1.0, s)
	var axis [3]vm.Value
	for i, e := range p[1:] {
		axis[i] = c.iif(none, []vm.Value{1.0, 0.0, 0.0}[i], c.div(e, divisor))
	}
	return vm.NewTuple(c.vector(axis[:]...), c.mul(2.0, c.atan2(s, p[0])))
}

// rotated turns a vector: v + w*t + u x t with t = 2 (u x v) / |q|^2, where u is
// the imaginary part. The quaternion may have any length but 0.
func (c *algebra) rotated(q *Quaternion, args []vm.Value) vm.Value {
	v, err := c.m.vectors(c.t, "rotate_vector", args[:1])
	if err != nil {
		return c.keep(nil, err)
	}
	c.alikeTensors(v...)
	q = c.alikeParts(q)
	u, ok := c.vector(q.parts[1:]...).(*Tensor)
	if !ok {
		return int64(0)
	}
	t, ok := c.mul(c.cross(u, v[0]), c.div(2.0, c.squares(q.parts[:]))).(*Tensor)
	if !ok {
		return int64(0)
	}
	return c.sum(v[0], c.mul(t, q.parts[0]), c.cross(u, t))
}

// slerp goes from q (t = 0) to other (t = 1) with constant angular speed on the
// shorter way; both have length 1. Where they nearly agree it goes straight.
func (c *algebra) slerp(q *Quaternion, args []vm.Value) vm.Value {
	other, ok := args[0].(*Quaternion)
	if !ok {
		return c.keep(nil, vm.TypeErrorf("slerp: must be a quaternion, not '%s'", vm.TypeName(args[0])))
	}
	q, other = c.alikeParts(q), c.alikeParts(other)
	q = c.alikeParts(q)
	t := args[1]
	if d, traced := tracedType(t); traced && !d.IsFloat() {
		t = c.float(t)
	}
	var cosine vm.Value = c.mul(q.parts[0], other.parts[0])
	for i := 1; i < 4; i++ {
		cosine = c.add(cosine, c.mul(q.parts[i], other.parts[i]))
	}
	flip := c.iif(c.compare(vm.OpLt, cosine, 0.0), -1.0, 1.0)
	cosine = c.clamp(c.mul(cosine, flip), 0.0, 1.0)
	angle, near := c.call("acos", cosine), c.compare(vm.OpGt, cosine, 0.9995)
	divisor := c.iif(near, 1.0, c.call("sin", angle))
	weight := func(t vm.Value) vm.Value { return c.iif(near, t, c.div(c.call("sin", c.mul(t, angle)), divisor)) }
	a, b := weight(c.sub(1.0, t)), c.mul(flip, weight(t))
	out := &Quaternion{m: c.class}
	for i := range out.parts {
		out.parts[i] = c.add(c.mul(a, q.parts[i]), c.mul(b, other.parts[i]))
	}
	return c.normalized(out)
}
