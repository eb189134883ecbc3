package array

import (
	"slices"

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
	for i := range n - 1 {
		slope := c.Div(c.Sub(fp[i+1], fp[i]), c.Sub(xp[i+1], xp[i]))
		line := c.Add(c.Mul(slope, c.Sub(x, xp[i])), fp[i])
		y = c.Iif(c.Compare(vm.OpGe, x, xp[i]), line, y)
	}
	y = c.Iif(c.Compare(vm.OpGe, x, xp[n-1]), c.Float(fp[n-1]), y)
	if !IsNone(a[4]) {
		y = c.Iif(c.Compare(vm.OpGt, x, xp[n-1]), c.Float(a[4]), y)
	}
	return c.Iif(c.Compare(vm.OpNe, x, x), x, y)
}

// copied are the elements of an array in a list of their own.
func copied(x *Tensor) ([]vm.Value, error) {
	elems, err := x.Elements()
	return slices.Clone(elems), err
}
