package quaternion

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/copapy/linalg"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Rows have the names of the ancestor of this project.
func (m *Class) Rows() []array.Row {
	return []array.Row{
		{Name: "quaternion", Params: "w? x? y? z?", Call: m.newQuaternion, Is: array.Constructor},
		{Name: "conjugate", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.conjugate(q) }), Is: array.Method},
		{Name: "inverse", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.inverse(q) }), Is: array.Method},
		{Name: "norm", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.norm(q) }), Is: array.Method},
		{Name: "normalize", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.normalized(q) }), Is: array.Method},
		{Name: "homogenize", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.homogenized(q) }), Is: array.Method},
		{Name: "toRotationMatrix", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.rotationMatrix(q) }), Is: array.Method},
		{Name: "toEulerAngles", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.eulerAngles(q) }), Is: array.Method},
		{Name: "toAxisAngle", Params: "q", Call: onQuaternion(func(c *algebra, q *Quaternion, _ []vm.Value) vm.Value { return c.axisAngle(q) }), Is: array.Method},
		{Name: "rotate_vector", Params: "q vec", Call: onQuaternion((*algebra).rotated), Is: array.Method},
		{Name: "slerp", Params: "q other t", Call: onQuaternion((*algebra).slerp), Is: array.Method},
		{Name: "map", Params: "q func", Call: onQuaternion(func(c *algebra, q *Quaternion, args []vm.Value) vm.Value {
			out, err := c.class.newQuaternion(c.Thread, "quaternion", []vm.Value{
				c.apply(args[0], q.parts[0]), c.apply(args[0], q.parts[1]), c.apply(args[0], q.parts[2]), c.apply(args[0], q.parts[3]),
			})
			return c.Keep(out, err)
		}), Is: array.Method},
		{Name: "identity", Params: "", Call: m.maker(func(c *algebra, _ []vm.Value) vm.Value { return c.quaternion(1.0, 0.0, 0.0, 0.0) }), Is: array.Maker},
		{Name: "from_euler", Params: "roll pitch yaw", Call: m.maker((*algebra).fromEuler), Is: array.Maker},
		{Name: "from_axis_angle", Params: "axis angle", Call: m.maker((*algebra).fromAxisAngle), Is: array.Maker},
		{Name: "from_rotation_matrix", Params: "matrix", Call: m.maker((*algebra).fromRotationMatrix), Is: array.Maker},
	}
}

// onQuaternion makes a handler of a method.
func onQuaternion(f func(c *algebra, q *Quaternion, args []vm.Value) vm.Value) array.Handler {
	return func(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
		q := args[0].(*Quaternion)
		c := q.m.algebra(t)
		c.alikeDeep(args[1:])
		return c.Done(f(c, c.alikeParts(q), args[1:]))
	}
}

func (c *algebra) apply(f, x vm.Value) vm.Value {
	if c.Err != nil {
		return int64(0)
	}
	return c.Keep(c.Thread.Call(f, x))
}

// maker makes a handler of a function that makes a quaternion.
func (m *Class) maker(f func(c *algebra, args []vm.Value) vm.Value) array.Handler {
	return func(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
		c := m.algebra(t)
		c.alikeDeep(args)
		c.Alike(args...)
		return c.Done(f(c, args))
	}
}

// alikeDeep finds out whether there is a double among the elements of arguments.
func (c *algebra) alikeDeep(args []vm.Value) {
	for _, x := range args {
		elems, _, _ := array.Sequence(x)
		c.alikeDeep(elems)
		c.Double = c.Double || array.IsDouble(x)
	}
}

// fromEuler turns by roll about x, then by pitch about y, then by yaw about z, in
// radians.
func (c *algebra) fromEuler(args []vm.Value) vm.Value {
	var cosine, sine [3]vm.Value
	for i, angle := range args {
		half := c.Mul(angle, 0.5)
		cosine[i], sine[i] = c.Call("cos", half), c.Call("sin", half)
	}
	about := func(axis int) *Quaternion {
		q := c.quaternion(cosine[axis], 0.0, 0.0, 0.0)
		q.parts[1+axis] = sine[axis]
		return q
	}
	// The product of the three, without the terms that are 0.
	r, p, y := about(0).parts, about(1).parts, about(2).parts
	three := func(a, b, d vm.Value) vm.Value { return c.Mul(c.Mul(a, b), d) }
	return c.quaternion(
		c.Add(three(r[0], p[0], y[0]), three(r[1], p[2], y[3])),
		c.Sub(three(r[1], p[0], y[0]), three(r[0], p[2], y[3])),
		c.Add(three(r[0], p[2], y[0]), three(r[1], p[0], y[3])),
		c.Sub(three(r[0], p[0], y[3]), three(r[1], p[2], y[0])))
}

// fromAxisAngle turns about an axis of any length by an angle in radians.
func (c *algebra) fromAxisAngle(args []vm.Value) vm.Value {
	v, err := c.Tracer.Vectors(c.Thread, "from_axis_angle", args[:1])
	if err != nil {
		return c.Keep(nil, err)
	}
	c.AlikeTensors(v...)
	axis, ok := c.Normalize(v[0]).(*array.Tensor)
	if !ok {
		return int64(0)
	}
	x, y, z := c.Three("from_axis_angle", axis)
	half := c.Mul(args[1], 0.5)
	s := c.Call("sin", half)
	return c.quaternion(c.Call("cos", half), c.Mul(x, s), c.Mul(y, s), c.Mul(z, s))
}

// fromRotationMatrix takes a rotation matrix of 3 or 4 rows and columns. There are
// four formulas, each good where its component is large; the one with the largest
// is picked by selects.
func (c *algebra) fromRotationMatrix(args []vm.Value) vm.Value {
	m, err := linalg.Square(c.Tracer, c.Thread, "from_rotation_matrix", args[0])
	if err != nil {
		return c.Keep(nil, err)
	}
	if len(m) != 3 && len(m) != 4 {
		return c.Keep(nil, vm.ValueErrorf("from_rotation_matrix: needs 3 or 4 rows and columns, not %d", len(m)))
	}
	x, y, z := c.Sub(m[2][1], m[1][2]), c.Sub(m[0][2], m[2][0]), c.Sub(m[1][0], m[0][1])
	xy, xz, yz := c.Add(m[1][0], m[0][1]), c.Add(m[0][2], m[2][0]), c.Add(m[2][1], m[1][2])
	square := func(a, b, d vm.Value) vm.Value { return c.Sum(1.0, a, b, d) } // 4 times that of a component
	neg := func(i int) vm.Value { return c.Neg(m[i][i]) }
	candidates := [4][4]vm.Value{
		{square(m[0][0], m[1][1], m[2][2]), x, y, z},
		{x, square(m[0][0], neg(1), neg(2)), xy, xz},
		{y, xy, square(neg(0), m[1][1], neg(2)), yz},
		{z, xz, yz, square(neg(0), neg(1), m[2][2])},
	}
	best, largest := candidates[0], candidates[0][0]
	for i := 1; i < 4; i++ {
		larger := c.Compare(vm.OpGt, candidates[i][i], largest)
		largest = c.Iif(larger, candidates[i][i], largest)
		for k := range best {
			best[k] = c.Iif(larger, candidates[i][k], best[k])
		}
	}
	f := c.Div(0.5, c.Call("sqrt", largest))
	return c.each(&Quaternion{m: c.class, parts: best}, func(p vm.Value) vm.Value { return c.Mul(p, f) })
}

// eulerAngles are roll, pitch and yaw in radians. Half the sum of yaw and roll and half their
// difference are angles of points (a, b) and (c, d), whose lengths give the pitch: all of it is
// as exact near a right angle of the pitch as elsewhere (Bernardes and Viollet, 2022). There
// roll and yaw turn about one axis, and one of the points is 0: the yaw is 0 then.
func (c *algebra) eulerAngles(q *Quaternion) vm.Value {
	w, x, y, z := q.parts[0], q.parts[1], q.parts[2], q.parts[3]
	a, b := c.Sub(w, y), c.Add(x, z)
	d, e := c.Add(w, y), c.Sub(z, x)
	sum, difference := c.Root(c.Squares([]vm.Value{a, b})), c.Root(c.Squares([]vm.Value{d, e}))
	pitch := c.Sub(c.Mul(2.0, c.Atan2(difference, sum)), math.Pi/2)
	near := nearLock
	if kind := array.KindOf(sum); kind == graph.F32 && array.IsTraced(sum) {
		near = nearLock32
	}
	up := c.Compare(vm.OpLe, sum, c.Mul(near, difference))
	down := c.Compare(vm.OpLe, difference, c.Mul(near, sum))
	a, b, d, e = c.Iif(up, d, a), c.Iif(up, c.Neg(e), b), c.Iif(down, a, d), c.Iif(down, c.Neg(b), e)
	roll := c.Atan2(c.Sub(c.Mul(b, d), c.Mul(a, e)), c.Add(c.Mul(a, d), c.Mul(b, e)))
	yaw := c.Atan2(c.Add(c.Mul(b, d), c.Mul(a, e)), c.Sub(c.Mul(a, d), c.Mul(b, e)))
	return c.Vector(roll, pitch, yaw)
}

// nearLock is below which part of its counterpart a point of eulerAngles is rounding.
const nearLock, nearLock32 = 1e-14, 1e-6

// nearIdentity is the length of the imaginary part below which there is no axis.
const nearIdentity = 1e-12

// axisAngle is a tuple of a vector of length 1 and an angle from 0 to 2 pi; the
// axis of the identity is (1, 0, 0).
func (c *algebra) axisAngle(q *Quaternion) vm.Value {
	p := q.parts
	s := c.Call("sqrt", c.Squares(p[1:]))
	none := c.Compare(vm.OpLt, s, nearIdentity)
	divisor := c.Iif(none, 1.0, s)
	var axis [3]vm.Value
	for i, e := range p[1:] {
		axis[i] = c.Iif(none, []vm.Value{1.0, 0.0, 0.0}[i], c.Div(e, divisor))
	}
	return vm.NewTuple(c.Vector(axis[:]...), c.Mul(2.0, c.Atan2(s, p[0])))
}

// rotated turns a vector: v + w*t + u x t with t = 2 (u x v) / |q|^2, where u is
// the imaginary part. The quaternion may have any length but 0.
func (c *algebra) rotated(q *Quaternion, args []vm.Value) vm.Value {
	v, err := c.Tracer.Vectors(c.Thread, "rotate_vector", args[:1])
	if err != nil {
		return c.Keep(nil, err)
	}
	c.AlikeTensors(v...)
	q = c.alikeParts(q)
	u, ok := c.Vector(q.parts[1:]...).(*array.Tensor)
	if !ok {
		return int64(0)
	}
	t, ok := c.Mul(c.Cross(u, v[0]), c.Div(2.0, c.Squares(q.parts[:]))).(*array.Tensor)
	if !ok {
		return int64(0)
	}
	return c.Sum(v[0], c.Mul(t, q.parts[0]), c.Cross(u, t))
}

// slerp goes from q (t = 0) to other (t = 1) with constant angular speed on the
// shorter way; both have length 1. Where they nearly agree it goes straight.
func (c *algebra) slerp(q *Quaternion, args []vm.Value) vm.Value {
	other, ok := args[0].(*Quaternion)
	if !ok {
		return c.Keep(nil, vm.TypeErrorf("slerp: must be a quaternion, not '%s'", vm.TypeName(args[0])))
	}
	q, other = c.alikeParts(q), c.alikeParts(other)
	q = c.alikeParts(q)
	t := args[1]
	if d, traced := array.TracedType(t); traced && !d.IsFloat() {
		t = c.Float(t)
	}
	var cosine vm.Value = c.Mul(q.parts[0], other.parts[0])
	for i := 1; i < 4; i++ {
		cosine = c.Add(cosine, c.Mul(q.parts[i], other.parts[i]))
	}
	flip := c.Iif(c.Compare(vm.OpLt, cosine, 0.0), -1.0, 1.0)
	cosine = c.Clamp(c.Mul(cosine, flip), 0.0, 1.0)
	angle, near := c.Call("acos", cosine), c.Compare(vm.OpGt, cosine, 0.9995)
	divisor := c.Iif(near, 1.0, c.Call("sin", angle))
	weight := func(t vm.Value) vm.Value { return c.Iif(near, t, c.Div(c.Call("sin", c.Mul(t, angle)), divisor)) }
	a, b := weight(c.Sub(1.0, t)), c.Mul(flip, weight(t))
	out := &Quaternion{m: c.class}
	for i := range out.parts {
		out.parts[i] = c.Add(c.Mul(a, q.parts[i]), c.Mul(b, other.parts[i]))
	}
	return c.normalized(out)
}
