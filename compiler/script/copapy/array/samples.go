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
			return c.Keep(nil, vm.WithHint(vm.ValueErrorf("interp: xp must rise, but its element %d is not above the one before", i+1), "sort the points by place"))
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

// convolve is the sum of a, shifted by k and times v[k], over all k: an FIR filter v
// along the samples a. mode says what stays of it: 'full', 'same' (as long as the
// longer one) or 'valid' (where they overlap completely).
func convolve(c *Calc, a []vm.Value) vm.Value {
	both, err := c.Tracer.Vectors(c.Thread, "convolve", a[:2])
	if err != nil {
		return c.Keep(nil, err)
	}
	x, v, mode := both[0], both[1], a[2]
	if IsNone(mode) {
		mode = "full"
	}
	n, k := x.length(), v.length()
	if n == 0 || k == 0 {
		return c.Keep(nil, vm.ValueErrorf("convolve: a vector has no elements"))
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
		return c.Keep(nil, vm.ValueErrorf("convolve: the mode must be 'full', 'same' or 'valid'"))
	}
	weights, err := v.Elements()
	if err != nil {
		return c.Keep(nil, err)
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
		if !ok || c.Err != nil {
			return int64(0)
		}
		parts = append(parts, part)
	}
	return c.Keep(c.Tracer.concat(c.Thread, "convolve", parts, 0))
}

// fir is samples and the weights that run along them.
type fir struct {
	*Calc
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
		part := f.Mul(f.Keep(f.x.Along(f.Thread, 0, Span(first, last))), w)
		if before, behind := first-(low-i), high-i-last; before+behind > 0 {
			p, ok := part.(*Tensor)
			if !ok || f.Err != nil {
				return int64(0)
			}
			part = f.Keep(p.pad(f.Thread, []vm.Value{vm.NewTuple(int64(before), int64(behind)), nil, nil}))
		}
		if sum != nil {
			part = f.Add(sum, part)
		}
		sum = part
	}
	return sum
}
