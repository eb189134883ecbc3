package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// polyval is the polynomial whose coefficients, that of the highest power first, are
// the elements of p, by Horner's rule.
func polyval(c *Calc, a []vm.Value) vm.Value {
	p, err := c.Tracer.Vectors(c.Thread, "polyval", a[:1])
	if err != nil {
		return c.Keep(nil, err)
	}
	coefficients, err := p[0].Elements()
	if err != nil {
		return c.Keep(nil, err)
	}
	if len(coefficients) == 0 {
		coefficients = []vm.Value{int64(0)}
	}
	y := c.floatBeside(coefficients[0], p[0])
	if len(coefficients) == 1 { // which has the type and shape of x all the same
		y = c.widened(c.floatBeside(y, a[1]), ShapeOf(a[1]))
	}
	for _, k := range coefficients[1:] {
		y = c.Add(c.Mul(y, a[1]), k)
	}
	return y
}

// interp goes in straight lines from point to point (xp[i], fp[i]), in the order of
// rising xp; before the first one and behind the last it stays as there, or is left
// and right.
func interp(c *Calc, a []vm.Value) vm.Value {
	points, err := c.Tracer.Vectors(c.Thread, "interp", a[1:3])
	if err != nil {
		return c.Keep(nil, err)
	}
	n := points[0].length()
	if n == 0 || n != points[1].length() {
		return c.Keep(nil, vm.ValueErrorf("interp: %d places for %d values", n, points[1].length()))
	}
	xp, err := copied(points[0])
	if err != nil {
		return c.Keep(nil, err)
	}
	fp, err := copied(points[1])
	if err != nil {
		return c.Keep(nil, err)
	}
	for i := range n - 1 {
		if c.Compare(vm.OpLe, xp[i+1], xp[i]) == true {
			return c.Keep(nil, vm.WithHint(vm.ValueErrorf("interp: xp must be increasing, but its element %d is not above the one before", i+1), "sort the points by place"))
		}
	}
	x := a[0]
	c.Double = c.Double || IsDouble(x) || IsDouble(points[0]) || IsDouble(points[1])
	for _, list := range [][]vm.Value{xp, fp} {
		for i, e := range list {
			list[i] = c.Float(e)
		}
	}
	if d, traced := TracedType(x); traced && !d.IsFloat() {
		x = c.Float(x)
	}
	y := fp[0]
	if !IsNone(a[3]) {
		y = c.Float(a[3])
	}
	if n >= minSearch && (IsTraced(x) || points[0].Traced()) {
		y = c.Iif(c.Compare(vm.OpGe, x, xp[0]), c.segment(points, xp, fp, x), y)
	} else {
		for i := range n - 1 {
			line := c.line(x, xp[i], fp[i], c.Sub(xp[i+1], xp[i]), c.Sub(fp[i+1], fp[i]))
			y = c.Iif(c.Compare(vm.OpGe, x, xp[i]), line, y)
		}
	}
	y = c.Iif(c.Compare(vm.OpGe, x, xp[n-1]), c.Float(fp[n-1]), y)
	if !IsNone(a[4]) {
		y = c.Iif(c.Compare(vm.OpGt, x, xp[n-1]), c.Float(a[4]), y)
	}
	return c.Iif(c.Compare(vm.OpNe, x, x), x, y)
}

// line goes through a point, with a slope of dy by dx.
func (c *Calc) line(x, x0, y0, dx, dy vm.Value) vm.Value {
	return c.Add(c.Mul(c.Div(dy, dx), c.Sub(x, x0)), y0)
}

// segment is the value at x of the line between those of the points xp, fp that x lies between,
// found by halves; before the second point and behind the last but one those at the ends count.
func (c *Calc) segment(points []*Tensor, xp, fp []vm.Value, x vm.Value) vm.Value {
	n := len(xp)
	places, values := c.samples(points[0], xp), c.samples(points[1], fp)
	inner := c.Keep(places.table.Index(c.Thread, vm.NewTuple(&vm.Slice{Start: int64(1), Stop: int64(n - 1), Step: vm.None})))
	if c.Err != nil {
		return inner
	}
	at := c.search(inner.(*Tensor).Node, func(c *Calc, e vm.Value) vm.Value { return c.Compare(vm.OpLe, e, x) })
	var slope vm.Value
	if dy, dx := values.steps, places.steps; dy != nil && dx != nil {
		slopes := make([]vm.Value, n-1)
		for i := range slopes {
			slopes[i] = c.Div(dy[i], dx[i])
		}
		slope = c.of(c.tableOf(slopes), at)
	} else {
		slope = c.Div(values.step(c, at), places.step(c, at))
	}
	return c.Add(c.Mul(slope, c.Sub(x, c.of(places.table, at))), c.of(values.table, at))
}

// samples are the elements of a vector to take from, and where they are numbers, the steps
// between them.
type samples struct {
	table *Tensor
	steps []vm.Value
}

func (c *Calc) samples(x *Tensor, elems []vm.Value) samples {
	if !slices.ContainsFunc(elems, IsTraced) {
		steps := make([]vm.Value, len(elems)-1)
		for i := range steps {
			steps[i] = c.Sub(elems[i+1], elems[i])
		}
		return samples{c.tableOf(elems), steps}
	}
	if x.Traced() && x.Node.DType().IsFloat() {
		return samples{table: x}
	}
	return samples{table: c.tableOf(elems)}
}

// step is the step behind the element at an index.
func (s *samples) step(c *Calc, at vm.Value) vm.Value {
	if s.steps != nil {
		return c.of(c.tableOf(s.steps), at)
	}
	return c.Sub(c.of(s.table, c.Add(at, int64(1))), c.of(s.table, at))
}

// tableOf are floats as a traced vector.
func (c *Calc) tableOf(elems []vm.Value) *Tensor {
	like := graph.F32
	if c.Double {
		like = graph.F64
	}
	x, ok := c.Vector(elems...).(*Tensor)
	if !ok || c.Err != nil {
		return &Tensor{m: c.Tracer}
	}
	v, err := x.Lift(c.Thread, like)
	if c.Keep(nil, err); err != nil {
		return x
	}
	return &Tensor{m: c.Tracer, Node: v, scope: c.Tracer.Scope()}
}

// of is the element, or the elements, of a traced vector at an index within it.
func (c *Calc) of(x *Tensor, at vm.Value) vm.Value {
	if c.Err != nil {
		return int64(0)
	}
	by, err := c.Tracer.Lift(c.Thread, "interp", at, NoFloat)
	if c.Keep(nil, err); err != nil {
		return int64(0)
	}
	return c.Keep(c.Tracer.Wrap(c.Tracer.Graph.Apply(graph.OpTake, x.Node, by)))
}

// copied are the elements of an array in a list of their own.
func copied(x *Tensor) ([]vm.Value, error) {
	elems, err := x.Elements()
	return slices.Clone(elems), err
}
