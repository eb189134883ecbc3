package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// sideRows makes n rows of an axis before those of x (side 0) or behind them (side 1).
type sideRows func(x *Tensor, axis, side, n int) (*Tensor, error)

// Pad is cp.Pad(x, pad_width, mode='constant', ...): more rows before and behind those of each axis.
func (x *Tensor) Pad(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	mode := args[1]
	if mode == nil {
		mode = "constant"
	}
	beside, err := x.padding(t, mode, args)
	if err != nil {
		return nil, err
	}
	widths, err := x.eachSide("a width", args[0])
	if err != nil {
		return nil, err
	}
	for axis, w := range widths {
		n := x.Shape()[axis]
		if n == 0 && w[0]+w[1] > 0 && mode != "constant" {
			return nil, vm.ValueErrorf("pad: shape %v has no rows to extend", x.Shape())
		}
		dims := slices.Clone(x.Shape())
		if dims[axis] += w[0] + w[1]; dims.Elements() > graph.MaxElements {
			return nil, vm.ValueErrorf("pad: at most %d elements are supported", graph.MaxElements)
		}
		parts := []*Tensor{nil, x, nil}
		for side, rows := range w {
			if rows == 0 {
				continue
			}
			if err := t.Charge(16 * int64(rows)); err != nil {
				return nil, err
			}
			if parts[2*side], err = beside(x, axis, side, rows); err != nil {
				return nil, err
			}
		}
		r, err := x.m.Concat(t, "pad", slices.DeleteFunc(parts, func(p *Tensor) bool { return p == nil }), axis)
		if err != nil {
			return nil, err
		}
		x = r.(*Tensor)
	}
	return x, nil
}

// padding is what a mode puts beside an array.
func (x *Tensor) padding(t *vm.Thread, mode vm.Value, args []vm.Value) (sideRows, error) {
	switch name, _ := mode.(string); name {
	case "constant":
		return x.constantRows(t, args[2])
	case "edge":
		return func(x *Tensor, axis, side, n int) (*Tensor, error) {
			row, err := x.edge(t, axis, side, 1)
			if err != nil {
				return nil, err
			}
			return row.repeated(t, x.Shape(), axis, n)
		}, nil
	case "linear_ramp":
		return x.rampRows(t, args[3])
	case "maximum", "mean", "minimum":
		return x.statisticRows(t, name, args[4])
	case "reflect", "symmetric", "wrap":
		return func(x *Tensor, axis, side, n int) (*Tensor, error) {
			rows, of := make([]int, n), x.Shape()[axis]
			for i := range rows {
				rows[i] = mirrors[name](side*of+(side-1)*n+i, of)
			}
			return x.along(t, axis, pick{list: rows, count: n})
		}, nil
	}
	return nil, vm.WithHint(vm.ValueErrorf("pad: the mode must be 'constant', 'edge', 'linear_ramp', 'maximum', 'mean', 'minimum', 'reflect', 'symmetric' or 'wrap'"),
		"join other parts with cp.concat")
}

// edge is the n rows of an axis at one end.
func (x *Tensor) edge(t *vm.Thread, axis, side, n int) (*Tensor, error) {
	first := side * (x.Shape()[axis] - n)
	return x.Slice(t, axis, first, first+n)
}

// repeated is x in a shape that has n rows along an axis.
func (x *Tensor) repeated(t *vm.Thread, s graph.Shape, axis, n int) (*Tensor, error) {
	dims := slices.Clone(s)
	dims[axis] = n
	r, err := x.BroadcastTo(t, "pad", dims)
	if err != nil {
		return nil, err
	}
	return r.(*Tensor), nil
}

// constantRows are of one number.
func (x *Tensor) constantRows(t *vm.Thread, fill vm.Value) (sideRows, error) {
	if fill == nil {
		var err error
		if fill, err = x.m.ofType(t, int64(0), x.elementType()); err != nil {
			return nil, err
		}
	}
	if _, isScalar := fill.(*Value); !isScalar && !IsNumber(fill) {
		return nil, vm.TypeErrorf("pad: constant_values must be one number, not '%s'", vm.TypeName(fill))
	}
	one, err := x.m.arrayArg(t, "pad", fill)
	return func(x *Tensor, axis, _, n int) (*Tensor, error) { return one.repeated(t, x.Shape(), axis, n) }, err
}

// statisticRows are the mean, maximum or minimum of the rows that are there, or of those
// at the end.
func (x *Tensor) statisticRows(t *vm.Thread, mode string, length vm.Value) (sideRows, error) {
	var lengths [][2]int
	if !IsNone(length) {
		var err error
		if lengths, err = x.eachSide("stat_length", length); err != nil {
			return nil, err
		}
		for _, l := range lengths {
			if min(l[0], l[1]) == 0 {
				return nil, vm.ValueErrorf("pad: a stat_length of 0 yields no value for padding")
			}
		}
	}
	return func(x *Tensor, axis, side, n int) (*Tensor, error) {
		count := x.Shape()[axis]
		if lengths != nil {
			count = min(count, lengths[axis][side])
		}
		rows, err := x.edge(t, axis, side, count)
		if err != nil {
			return nil, err
		}
		one, err := rows.statistic(t, mode, axis)
		if err != nil {
			return nil, err
		}
		return one.repeated(t, x.Shape(), axis, n)
	}, nil
}

// statistic is one row of the mean, maximum or minimum along an axis, in the type of x:
// the mean of ints is rounded to even, that of bools is whether one is true.
func (x *Tensor) statistic(t *vm.Thread, mode string, axis int) (*Tensor, error) {
	c := x.m.Calc(t)
	var r vm.Value
	switch is := x.elementType(); {
	case mode == "mean" && is == graph.I32:
		r = c.unary(vm.OpToInt, c.Call("round", c.Keep(x.mean(t, []vm.Value{int64(axis), true, nil}))))
	case mode == "mean" && is.IsFloat():
		r = c.Keep(x.mean(t, []vm.Value{int64(axis), true, nil}))
	case is == graph.Bool && mode == "minimum":
		r = c.Reduce("all", x, int64(axis), true)
	case is == graph.Bool:
		r = c.Reduce("any", x, int64(axis), true)
	case mode == "minimum":
		r = c.Reduce("min", x, int64(axis), true)
	default:
		r = c.Reduce("max", x, int64(axis), true)
	}
	if c.Err != nil {
		return nil, c.Err
	}
	return x.m.arrayArg(t, "pad", r)
}

// mirrors are the modes of cp.pad that go on with rows of the array: which of n rows stands
// at place i, which may be below 0 or beyond the last.
var mirrors = map[string]func(i, n int) int{
	"wrap":      modulo,
	"symmetric": func(i, n int) int { return folded(i, n, 2*n) },
	"reflect":   func(i, n int) int { return folded(i, n, max(2*n-2, 1)) },
}

func modulo(i, n int) int { return (i%n + n) % n }

// folded goes forwards and backwards through n rows, in a period of 2*n, which repeats the
// ends, or of 2*n - 2, which does not.
func folded(i, n, period int) int {
	if i = modulo(i, period); i >= n {
		return n - 1 - (i - n) - (2*n-period)/2
	}
	return i
}

// rampRows go from the rows at the ends on in equal steps to one number, or to one before
// and one behind. Ints are rounded down.
func (x *Tensor) rampRows(t *vm.Thread, ends vm.Value) (sideRows, error) {
	if x.elementType() == graph.Bool {
		return nil, vm.WithHint(vm.TypeErrorf("pad: there are no steps between bools"), "use mode='edge'")
	}
	if ends == nil {
		ends = int64(0)
	}
	both, _, isPair := Sequence(ends)
	if !isPair {
		both = []vm.Value{ends, ends}
	}
	for _, end := range both {
		if _, isScalar := end.(*Value); len(both) != 2 || !isScalar && !IsNumber(end) {
			return nil, vm.TypeErrorf("pad: end_values must be a number, or a pair of them")
		}
		if isFloat := floatEnd(end); isFloat && !x.elementType().IsFloat() {
			return nil, vm.WithHint(vm.TypeErrorf("pad: end_values of an array of ints must be ints"), "make the array one of floats: x.astype(float)")
		}
	}
	return func(x *Tensor, axis, side, n int) (*Tensor, error) {
		row, err := x.edge(t, axis, side, 1)
		if err != nil {
			return nil, err
		}
		return row.ramp(t, axis, n, both[side], side == 1)
	}, nil
}

func floatEnd(v vm.Value) bool {
	if x, ok := v.(*Value); ok {
		return x.Node.DType().IsFloat()
	}
	_, ok := v.(float64)
	return ok
}

// ramp is n rows from a number to what x, one row, has, without it; behind it the other way round.
func (x *Tensor) ramp(t *vm.Thread, axis, n int, end vm.Value, behind bool) (*Tensor, error) {
	steps := make([]vm.Value, n)
	for i := range steps {
		steps[i] = int64(i)
		if behind {
			steps[i] = int64(n - 1 - i)
		}
	}
	dims := slices.Repeat(graph.Shape{1}, len(x.Shape()))
	dims[axis] = n
	over := vm.OpDiv
	if !x.elementType().IsFloat() {
		over = vm.OpFloorDiv
	}
	var r vm.Value = x
	for _, by := range []struct {
		op vm.BinaryOp
		v  vm.Value
	}{{vm.OpSub, end}, {vm.OpMul, x.m.PlainTensor(dims, steps)}, {over, int64(n)}, {vm.OpAdd, end}} {
		var err error
		if r, err = t.Binary(by.op, r, by.v); err != nil {
			return nil, err
		}
	}
	return r.(*Tensor), nil
}

// eachSide is a number of rows before and one behind those of each axis: of n, (before, behind), or one pair for each axis.
func (x *Tensor) eachSide(name string, v vm.Value) ([][2]int, error) {
	out := make([][2]int, len(x.Shape()))
	elems, _, _ := Sequence(v)
	perAxis := len(elems) > 0
	for _, e := range elems {
		_, _, isPair := Sequence(e)
		perAxis = perAxis && isPair
	}
	if perAxis && len(elems) != len(out) && len(elems) != 1 {
		return nil, vm.ValueErrorf("pad: %s of %d axes for an array with %d", name, len(elems), len(out))
	}
	for axis := range out {
		one := v
		if perAxis {
			one = elems[min(axis, len(elems)-1)]
		}
		w, err := IntsArg("pad", name, one)
		if err != nil {
			return nil, err
		}
		if len(w) < 1 || len(w) > 2 || slices.Min(w) < 0 {
			return nil, vm.ValueErrorf("pad: %s is a number of rows, or a pair of them, of 0 or more", name)
		}
		out[axis] = [2]int{w[0], w[len(w)-1]}
	}
	return out, nil
}
