package filters

import (
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// convolve is the sum of a, shifted by k and times v[k], over all k: an FIR filter v
// along the samples a. mode says what stays of it: 'full', 'same' (as long as the
// longer one) or 'valid' (where they overlap completely).
func convolve(c *array.Calc, a []vm.Value) vm.Value {
	both, err := c.Tracer.Vectors(c.Thread, "convolve", a[:2])
	if err != nil {
		return c.Keep(nil, err)
	}
	x, v, mode := both[0], both[1], a[2]
	if array.IsNone(mode) {
		mode = "full"
	}
	n, k := x.Shape()[0], v.Shape()[0]
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
	var parts []*array.Tensor
	for _, p := range [][2]int{{0, k - 1}, {k - 1, n}, {n, n + k - 1}} {
		low, high := max(p[0], from), min(p[1], from+count)
		if low >= high {
			continue
		}
		part, ok := f.outputs(low, high).(*array.Tensor)
		if !ok || c.Err != nil {
			return int64(0)
		}
		parts = append(parts, part)
	}
	return c.Keep(c.Tracer.Concat(c.Thread, "convolve", parts, 0))
}

// fir is samples and the weights that run along them.
type fir struct {
	*array.Calc
	x       *array.Tensor
	weights []vm.Value
}

// outputs are those from low to below high of the full convolution. Where a weight meets no
// sample nothing is added: a zero in its place would make NaN of an infinite weight.
func (f *fir) outputs(low, high int) vm.Value {
	var sum vm.Value
	for i, w := range f.weights {
		first, last := max(low-i, 0), min(high-i, f.x.Shape()[0]) // of the samples that it meets
		if first >= last {
			continue
		}
		part := f.Mul(f.Keep(f.x.Slice(f.Thread, 0, first, last)), w)
		if before, behind := first-(low-i), high-i-last; before+behind > 0 {
			p, ok := part.(*array.Tensor)
			if !ok || f.Err != nil {
				return int64(0)
			}
			part = f.Keep(p.Pad(f.Thread, []vm.Value{vm.NewTuple(int64(before), int64(behind)), nil, nil}))
		}
		if sum != nil {
			part = f.Add(sum, part)
		}
		sum = part
	}
	return sum
}
