package copapy

import "github.com/copaflash/copaflash/compiler/script/vm"

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
	y := coefficients[0]
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
	xp, err := points[0].elements()
	if err != nil {
		return c.keep(nil, err)
	}
	fp, err := points[1].elements()
	if err != nil {
		return c.keep(nil, err)
	}
	for i := range n - 1 {
		if c.compare(vm.OpLe, xp[i+1], xp[i]) == true {
			return c.keep(nil, vm.WithHint(vm.ValueErrorf("interp: xp must rise, but its element %d is not above the one before", i+1), "sort the points by place"))
		}
	}
	x, y := a[0], c.float(fp[0])
	c.double = isDouble(x)
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
	r := c.keep(x.pad(c.t, []vm.Value{int64(k - 1), nil, nil}))
	padded, ok := r.(*Tensor)
	if !ok || c.err != nil {
		return r
	}
	weights, err := v.elements()
	if err != nil {
		return c.keep(nil, err)
	}
	var sum vm.Value
	for i, w := range weights {
		start := from + k - 1 - i
		part := c.keep(padded.along(c.t, 0, span(start, start+count)))
		if part = c.mul(part, w); sum != nil {
			part = c.add(sum, part)
		}
		sum = part
	}
	return sum
}
