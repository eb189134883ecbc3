package copapy

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// polyval is the polynomial whose coefficients, that of the highest power first, are
// the elements of p, by Horner's rule.
func polyval(c *calc, a []vm.Value) vm.Value {
	p, err := c.m.vectors(c.t, "polyval", a[:1])
	if err != nil {
		return c.keep(nil, err)
	}
	coefficients, err := p[0].elements()
	if err != nil {
		return c.keep(nil, err)
	}
	if len(coefficients) == 0 {
		coefficients = []vm.Value{int64(0)}
	}
	y := c.floatBeside(coefficients[0], p[0])
	if len(coefficients) == 1 { // which has the type and shape of x all the same
		y = c.widened(c.floatBeside(y, a[1]), shapeOf(a[1]))
	}
	for _, k := range coefficients[1:] {
		y = c.add(c.mul(y, a[1]), k)
	}
	return y
}

// interp goes in straight lines from point to point (xp[i], fp[i]), in the order of
// rising xp; before the first one and behind the last it stays as there, or is left
// and right.
func interp(c *calc, a []vm.Value) vm.Value {
	points, err := c.m.vectors(c.t, "interp", a[1:3])
	if err != nil {
		return c.keep(nil, err)
	}
	n := points[0].length()
	if n == 0 || n != points[1].length() {
		return c.keep(nil, vm.ValueErrorf("interp: %d places for %d values", n, points[1].length()))
	}
	xp, err := copied(points[0])
	if err != nil {
		return c.keep(nil, err)
	}
	fp, err := copied(points[1])
	if err != nil {
		return c.keep(nil, err)
	}
	for i := range n - 1 {
		if c.compare(vm.OpLe, xp[i+1], xp[i]) == true {
			return c.keep(nil, vm.WithHint(vm.ValueErrorf("interp: xp must be increasing, but its element %d is not above the one before", i+1), "sort the points by place"))
		}
	}
	x := a[0]
	c.double = c.double || isDouble(x) || isDouble(points[0]) || isDouble(points[1])
	for _, list := range [][]vm.Value{xp, fp} {
		for i, e := range list {
			list[i] = c.float(e)
		}
	}
	if d, traced := tracedType(x); traced && !d.IsFloat() {
		x = c.float(x)
	}
	y := fp[0]
	if !isNone(a[3]) {
		y = c.float(a[3])
	}
	for i := range n - 1 {
		slope := c.div(c.sub(fp[i+1], fp[i]), c.sub(xp[i+1], xp[i]))
		line := c.add(c.mul(slope, c.sub(x, xp[i])), fp[i])
		y = c.iif(c.compare(vm.OpGe, x, xp[i]), line, y)
	}
	y = c.iif(c.compare(vm.OpGe, x, xp[n-1]), c.float(fp[n-1]), y)
	if !isNone(a[4]) {
		y = c.iif(c.compare(vm.OpGt, x, xp[n-1]), c.float(a[4]), y)
	}
	return c.iif(c.compare(vm.OpNe, x, x), x, y)
}

// copied are the elements of an array in a list of their own.
func copied(x *Tensor) ([]vm.Value, error) {
	elems, err := x.elements()
	return slices.Clone(elems), err
}

// convolve is the sum of a, shifted by k and times v[k], over all k: an FIR filter v
// along the samples a. mode says what stays of it: 'full', 'same' (as long as the
// longer one) or 'valid' (where they overlap completely).
func convolve(c *calc, a []vm.Value) vm.Value {
	both, err := c.m.vectors(c.t, "convolve", a[:2])
	if err != nil {
		return c.keep(nil, err)
	}
	x, v, mode := both[0], both[1], a[2]
	if isNone(mode) {
		mode = "full"
	}
	n, k := x.length(), v.length()
	if n == 0 || k == 0 {
		return c.keep(nil, vm.ValueErrorf("convolve: a vector has no elements"))
	}
	if n < k {
		x, v, n, k = v, x, k, n
	}
	from, count := 0, n+k-1
	switch mode {
	case "full":
	case "same":
		from, count = (k-1)/2, n
	case "valid":
		from, count = k-1, n-k+1
	default:
		return c.keep(nil, vm.ValueErrorf("convolve: the mode must be 'full', 'same' or 'valid'"))
	}
	weights, err := v.elements()
	if err != nil {
		return c.keep(nil, err)
	}
	f := &fir{c, x, weights}
	// The middle, where all weights meet a sample, is one long loop without zeros.
	var parts []*Tensor
	for _, p := range [][2]int{{0, k - 1}, {k - 1, n}, {n, n + k - 1}} {
		low, high := max(p[0], from), min(p[1], from+count)
		if low >= high {
			continue
		}
		part, ok := f.outputs(low, high).(*Tensor)
		if !ok || c.err != nil {
			return int64(0)
		}
		parts = append(parts, part)
	}
	return c.keep(c.m.concat(c.t, "convolve", parts, 0))
}

// fir is samples and the weights that run along them.
type fir struct {
	*calc
	x       *Tensor
	weights []vm.Value
}

// outputs are those from low to below high of the full convolution. Where a weight meets no
// sample nothing is added: a zero in its place would make NaN of an infinite weight.
func (f *fir) outputs(low, high int) vm.Value {
	var sum vm.Value
	for i, w := range f.weights {
		first, last := max(low-i, 0), min(high-i, f.x.length()) // of the samples that it meets
		if first >= last {
			continue
		}
		part := f.mul(f.keep(f.x.along(f.t, 0, span(first, last))), w)
		if before, behind := first-(low-i), high-i-last; before+behind > 0 {
			p, ok := part.(*Tensor)
			if !ok || f.err != nil {
				return int64(0)
			}
			part = f.keep(p.pad(f.t, []vm.Value{vm.NewTuple(int64(before), int64(behind)), nil, nil}))
		}
		if sum != nil {
			part = f.add(sum, part)
		}
		sum = part
	}
	return sum
}
