package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// reducer is x.sum(axis=None, keepdims=False) and its like, of bound arguments.
func reducer(name string) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		if combining[name] == nil { // which have no initial
			args = slices.Insert(slices.Clone(args), 2, vm.Value(nil))
		}
		return x.reduce(t, name, args...)
	}
}

// countNonzero is cp.count_nonzero(x, axis=None, keepdims=False).
func (x *Tensor) countNonzero(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	c := x.m.Calc(t)
	other, err := c.Done(c.Compare(vm.OpNe, x, int64(0)))
	if err != nil {
		return nil, err
	}
	return other.(*Tensor).reduce(t, "sum", args...)
}

// peakToPeak is x.ptp(axis=None, keepdims=False): the largest element less the smallest.
func (x *Tensor) peakToPeak(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	high, err := x.reduce(t, "max", args...)
	if err != nil {
		return nil, err
	}
	low, err := x.reduce(t, "min", args...)
	if err != nil {
		return nil, err
	}
	return t.Binary(vm.OpSub, high, low)
}

// variance is x.var(axis=None, ddof=0, keepdims=False): the mean square of what the
// elements differ from their mean, over n - ddof instead of n.
func (x *Tensor) variance(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return x.spread2(t, "var", args)
}

// deviation is x.std: the root of x.var.
func (x *Tensor) deviation(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	v, err := x.spread2(t, "std", args)
	if err != nil {
		return nil, err
	}
	c := x.m.Calc(t)
	return c.Done(c.Root(v))
}

func (x *Tensor) spread2(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	axes, err := x.AxesOf(fn, args[0])
	if err != nil {
		return nil, err
	}
	ddof, err := IntArg(fn, "ddof", args[1], 0)
	if err != nil {
		return nil, err
	}
	n := x.countAlong(axes)
	if n == 0 {
		return nil, vm.ValueErrorf("%s: shape %v has no elements", fn, x.Shape())
	}
	if n <= ddof {
		return nil, vm.WithHint(vm.ValueErrorf("%s: %d elements less ddof %d leave nothing to divide by", fn, n, ddof), "ddof must be below the number of elements")
	}
	mean, err := x.mean(t, []vm.Value{args[0], true, nil})
	if err != nil {
		return nil, err
	}
	c := x.m.Calc(t)
	d := c.Sub(x, mean)
	squares, ok := c.Mul(d, d).(*Tensor)
	if !ok || c.Err != nil {
		return c.Done(nil)
	}
	sum, err := squares.reduce(t, "sum", args[0], args[2])
	if err != nil {
		return nil, err
	}
	return t.Binary(vm.OpDiv, sum, int64(n-ddof))
}

// countAlong is how many elements one of the result is made of.
func (x *Tensor) countAlong(axes []int) int {
	n := 1
	for _, axis := range axes {
		n *= x.Shape()[axis]
	}
	return n
}

// average is cp.average(x, axis=None, weights=None).
func (x *Tensor) average(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	if args[1] == nil || args[1] == vm.None {
		return x.mean(t, []vm.Value{args[0], nil, nil})
	}
	w, err := x.m.arrayArg(t, "average", args[1])
	if err != nil {
		return nil, err
	}
	if s := x.Shape(); !w.Shape().Equal(s) {
		if len(w.Shape()) != 1 || args[0] == nil || args[0] == vm.None {
			return nil, vm.ValueErrorf("average: weights of shape %v do not fit shape %v", w.Shape(), s)
		}
		if w, err = x.weightsAlong(w, args[0]); err != nil {
			return nil, err
		}
	}
	c := x.m.Calc(t)
	both := []*Tensor{x, w}
	c.AlikeTensors(both...)
	x, w = c.Floats(both[0]), c.Floats(both[1])
	weighed, ok := c.Mul(x, w).(*Tensor)
	if !ok || c.Err != nil {
		return c.Done(nil)
	}
	sum, err := weighed.reduce(t, "sum", args[0])
	if err != nil {
		return nil, err
	}
	total, err := w.reduce(t, "sum", args[0])
	if err != nil {
		return nil, err
	}
	return t.Binary(vm.OpDiv, sum, total)
}

// weightsAlong brings a vector of weights to the axis that it is for.
func (x *Tensor) weightsAlong(w *Tensor, axis vm.Value) (*Tensor, error) {
	s := x.Shape()
	at, err := AxisArg("average", axis, 0, len(s))
	if err != nil {
		return nil, err
	}
	if w.length() != s[at] {
		return nil, vm.ValueErrorf("average: %d weights for axis %d, which has %d rows", w.length(), at, s[at])
	}
	dims := slices.Repeat(graph.Shape{1}, len(s))
	dims[at] = s[at]
	r, err := w.Reshaped(dims)
	if err != nil {
		return nil, err
	}
	return r.(*Tensor), nil
}

// diff is cp.diff(x, n=1, axis=-1): each row less the one before it, n times.
func (x *Tensor) diff(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	times, err := IntArg("diff", "n", args[0], 1)
	if err != nil {
		return nil, err
	}
	if times < 0 {
		return nil, vm.ValueErrorf("diff: n must be 0 or more, not %d", times)
	}
	axis, err := AxisArg("diff", args[1], -1, len(x.Shape()))
	if err != nil {
		return nil, err
	}
	for range min(times, x.Shape()[axis]) {
		n := x.Shape()[axis]
		later, err := x.Slice(t, axis, 1, n)
		if err != nil {
			return nil, err
		}
		earlier, err := x.Slice(t, axis, 0, n-1)
		if err != nil {
			return nil, err
		}
		c := x.m.Calc(t)
		d := c.Sub(later, earlier)
		if x.isBool() { // NumPy's rule for bools
			d = c.Compare(vm.OpNe, later, earlier)
		}
		if c.Err != nil {
			return nil, c.Err
		}
		x = d.(*Tensor)
	}
	return x, nil
}

// isBool tells arrays of bools.
func (x *Tensor) isBool() bool {
	if x.Traced() {
		return x.Node.DType() == graph.Bool
	}
	return x.elementType() == graph.Bool
}

// integral is cp.trapezoid(y, x=None, dx=1.0, axis=-1): the integral of samples, of
// which each two are joined by a straight line.
func integral(fn string) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(y *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) { return y.trapezoid(t, fn, args) }
}

func (x *Tensor) trapezoid(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	s := x.Shape()
	axis, err := AxisArg(fn, args[2], -1, len(s))
	if err != nil {
		return nil, err
	}
	n := s[axis]
	width := args[1]
	if width == nil {
		width = 1.0
	}
	if args[0] != nil && args[0] != vm.None {
		at, err := x.m.arrayArg(t, fn, args[0])
		if err != nil {
			return nil, err
		}
		if len(at.Shape()) == 1 && len(s) > 1 {
			dims := slices.Repeat(graph.Shape{1}, len(s))
			dims[axis] = -1
			r, err := at.Reshaped(dims)
			if err != nil {
				return nil, err
			}
			at = r.(*Tensor)
		}
		c, both := x.m.Calc(t), []*Tensor{x, at}
		if c.AlikeTensors(both...); c.Err != nil {
			return nil, c.Err
		}
		x, at = both[0], c.Floats(both[1])
		if len(at.Shape()) != len(s) || at.Shape()[axis] != n {
			return nil, vm.ValueErrorf("%s: places of shape %v do not fit samples of shape %v", fn, at.Shape(), s)
		}
		if width, err = at.diff(t, []vm.Value{nil, int64(axis)}); err != nil {
			return nil, err
		}
	}
	c := x.m.Calc(t)
	one := []vm.Value{x, width}
	if c.Alike(one...); c.Err != nil {
		return nil, c.Err
	}
	x, width = c.Floats(one[0].(*Tensor)), one[1]
	later, err := x.Slice(t, axis, min(n, 1), n)
	if err != nil {
		return nil, err
	}
	earlier, err := x.Slice(t, axis, 0, max(n-1, 0))
	if err != nil {
		return nil, err
	}
	areas, ok := c.Div(c.Mul(width, c.Add(later, earlier)), 2.0).(*Tensor)
	if !ok || c.Err != nil {
		return c.Done(nil)
	}
	return c.Done(c.Float(c.Keep(areas.ReduceAxes(t, "sum", []int{axis}))))
}
