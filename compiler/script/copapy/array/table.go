package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// arrayRows are what has NumPy's names and an array as its first argument.
func (m *Tracer) arrayRows() []Row {
	return []Row{
		// Other shapes and orders.
		{Name: "ravel", Params: "x", Call: m.OfArray((*Tensor).ravel), Is: Both, part: &part{maybe: contiguous}},
		{Name: "squeeze", Params: "x axis?", Call: m.OfArray((*Tensor).Squeeze), Is: Both, part: anyPart},
		{Name: "expand_dims", Params: "x axis", Call: m.OfArray((*Tensor).expandDims), part: anyPart},
		{Name: "flatten", Params: "x", Call: m.OfArray((*Tensor).flatten), Is: Both},
		{Name: "reshape", Params: "x *shape", Free: m.ofOne("reshape", (*Tensor).reshape), Is: Both, part: &part{maybe: strided}},
		{Name: "transpose", Params: "x *axes", Free: m.ofOne("transpose", (*Tensor).transpose), Is: Both, part: anyPart},
		{Name: "swapaxes", Params: "x axis1 axis2", Call: m.OfArray((*Tensor).swapAxes), Is: Both, part: anyPart},
		{Name: "moveaxis", Params: "x source destination", Call: m.OfArray((*Tensor).moveAxis), part: anyPart},
		{Name: "broadcast_to", Params: "x shape", Call: m.OfArray((*Tensor).broadcastArg), part: &part{locked: "one element stands in several places of it: write x = x.copy() first"}},
		{Name: "flip", Params: "x axis?", Call: m.OfArray((*Tensor).flip), part: anyPart},
		{Name: "fliplr", Params: "x", Call: m.OfArray(flipAxis("fliplr", 1)), part: anyPart},
		{Name: "flipud", Params: "x", Call: m.OfArray(flipAxis("flipud", 0)), part: anyPart},
		{Name: "roll", Params: "x shift axis?", Call: m.OfArray((*Tensor).roll)},
		{Name: "tile", Params: "x reps", Call: m.OfArray((*Tensor).tile)},
		{Name: "repeat", Params: "x repeats axis?", Call: m.OfArray((*Tensor).repeat), Is: Both},
		{Name: "take", Params: "x indices axis?", Call: m.OfArray((*Tensor).take), Is: Both},
		{Name: "tril", Params: "x k?", Call: m.OfArray(triangle("tril", vm.OpLe))},
		{Name: "triu", Params: "x k?", Call: m.OfArray(triangle("triu", vm.OpGe))},
		{Name: "pad", Params: "x pad_width mode? constant_values? end_values? stat_length?", Call: m.OfArray((*Tensor).Pad)},
		{Name: "split", Params: "x indices_or_sections axis?", Call: m.OfArray(splitting("split", true)), part: anyPart},
		{Name: "array_split", Params: "x indices_or_sections axis?", Call: m.OfArray(splitting("array_split", false)), part: anyPart},
		{Name: "hsplit", Params: "x indices_or_sections", Call: m.OfArray((*Tensor).hsplit), part: anyPart},
		{Name: "vsplit", Params: "x indices_or_sections", Call: m.OfArray((*Tensor).vsplit), part: anyPart},

		// One number of many, or each of those up to it.
		{Name: "sum", Params: "x axis? keepdims? initial? where?", Call: m.OfArray(reducer("sum")), Is: Both},
		{Name: "min", Params: "x axis? keepdims? initial? where?", Call: m.OfArray(reducer("min")), Is: Method},
		{Name: "max", Params: "x axis? keepdims? initial? where?", Call: m.OfArray(reducer("max")), Is: Method},
		{Name: "mean", Params: "x axis? keepdims? where?", Call: m.OfArray((*Tensor).mean), Is: Both},
		{Name: "argmax", Params: "x axis? keepdims?", Call: m.OfArray(place("argmax", "max")), Is: Both},
		{Name: "argmin", Params: "x axis? keepdims?", Call: m.OfArray(place("argmin", "min")), Is: Both},
		{Name: "trace", Params: "x", Call: m.OfArray((*Tensor).trace), Is: Both},
		{Name: "prod", Params: "x axis? keepdims? initial? where?", Call: m.OfArray(reducer("prod")), Is: Both},
		{Name: "any", Params: "x axis? keepdims? where?", Call: m.OfArray(reducer("any")), Is: Both},
		{Name: "all", Params: "x axis? keepdims? where?", Call: m.OfArray(reducer("all")), Is: Both},
		{Name: "amin", Params: "x axis? keepdims? initial? where?", Call: m.OfArray(reducer("min"))},
		{Name: "amax", Params: "x axis? keepdims? initial? where?", Call: m.OfArray(reducer("max"))},
		{Name: "searchsorted", Params: "x v side?", Call: m.OfArray((*Tensor).searchSorted), Is: Both},
		{Name: "count_nonzero", Params: "x axis? keepdims?", Call: m.OfArray((*Tensor).countNonzero)},
		{Name: "ptp", Params: "x axis? keepdims?", Call: m.OfArray((*Tensor).peakToPeak), Is: Both},
		{Name: "var", Params: "x axis? ddof? keepdims?", Call: m.OfArray((*Tensor).variance), Is: Both},
		{Name: "std", Params: "x axis? ddof? keepdims?", Call: m.OfArray((*Tensor).deviation), Is: Both},
		{Name: "average", Params: "x axis? weights?", Call: m.OfArray((*Tensor).average)},
		{Name: "cumsum", Params: "x axis?", Call: m.OfArray((*Tensor).cumsum), Is: Both},
		{Name: "cumprod", Params: "x axis?", Call: m.OfArray((*Tensor).cumprod), Is: Both},
		{Name: "diff", Params: "x n? axis?", Call: m.OfArray((*Tensor).diff)},
		{Name: "trapezoid", Params: "y x? dx? axis?", Call: m.OfArray(integral("trapezoid"))},
		{Name: "trapz", Params: "y x? dx? axis?", Call: m.OfArray(integral("trapz"))},

		// Arrays like another.
		{Name: "zeros_like", Params: "x dtype?", Call: m.OfArray(like("zeros_like", 0))},
		{Name: "ones_like", Params: "x dtype?", Call: m.OfArray(like("ones_like", 1))},
		{Name: "empty_like", Params: "x dtype?", Call: m.OfArray(like("empty_like", 0))},
		{Name: "full_like", Params: "x fill_value dtype?", Call: m.OfArray((*Tensor).fullLike)},
	}
}

// OfArray makes a handler of a function of an array, or of nested lists that make one.
func (m *Tracer) OfArray(f func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error)) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		x, err := m.arrayArg(t, fn, args[0])
		if err != nil {
			return nil, err
		}
		m.At(t)
		return f(x, t, args[1:])
	}
}

// ofOne is ofArray where the other arguments are not bound by name.
func (m *Tracer) ofOne(fn string, f func(x *Tensor, t *vm.Thread, a vm.Args) (vm.Value, error)) vm.GoFunc {
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		first, rest, err := firstArgument(fn, a)
		if err != nil {
			return nil, err
		}
		x, err := m.arrayArg(t, fn, first)
		if err != nil {
			return nil, err
		}
		m.At(t)
		return f(x, t, rest)
	}
}

// firstArgument takes the array by position, or by the keyword x.
func firstArgument(fn string, a vm.Args) (x vm.Value, rest vm.Args, err error) {
	if len(a.Pos) > 0 {
		return a.Pos[0], vm.Args{Pos: a.Pos[1:], Kw: a.Kw}, nil
	}
	for i, k := range a.Kw {
		if k.Name == "x" {
			return k.Value, vm.Args{Kw: slices.Delete(slices.Clone(a.Kw), i, i+1)}, nil
		}
	}
	return nil, a, vm.TypeErrorf("%s() missing 1 required positional argument: 'x'", fn)
}

// arrayArg is an argument as an array: nested lists make one, and a number or
// traced scalar is a vector of one element.
func (m *Tracer) arrayArg(t *vm.Thread, fn string, v vm.Value) (*Tensor, error) {
	if _, isScalar := v.(*Value); isScalar || IsNumber(v) {
		return m.Vector(t, []vm.Value{v})
	}
	return m.NestedTensor(t, fn, v)
}

// listArg makes an array of a list or tuple and leaves everything else as it is.
func (m *Tracer) listArg(t *vm.Thread, fn string, v vm.Value) (vm.Value, error) {
	switch v.(type) {
	case *vm.List, *vm.Tuple:
		return m.NestedTensor(t, fn, v)
	}
	return v, nil
}

// IntArg is a plain integer argument; byDefault where it is left out.
func IntArg(fn, name string, v vm.Value, byDefault int) (int, error) {
	if v == nil || v == vm.None {
		return byDefault, nil
	}
	i, ok := vm.AsInt(v)
	if !ok {
		return 0, vm.TypeErrorf("%s: %s must be an integer, not '%s'", fn, name, vm.TypeName(v))
	}
	if i < -graph.MaxElements || i > graph.MaxElements {
		return 0, vm.ValueErrorf("%s: %s must be from %d to %d, not %d", fn, name, -graph.MaxElements, graph.MaxElements, i)
	}
	return int(i), nil
}

// IntsArg is an integer or a sequence of them.
func IntsArg(fn, name string, v vm.Value) ([]int, error) {
	elems, _, ok := Sequence(v)
	if x, isArray := v.(*Tensor); isArray && !x.Traced() {
		elems, ok = x.Plain, true
	}
	if !ok {
		elems = []vm.Value{v}
	}
	out := make([]int, len(elems))
	for i, e := range elems {
		var err error
		if e == vm.None {
			e = "" // no integer
		}
		if out[i], err = IntArg(fn, name, e, 0); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// BoolArg is a plain bool argument, false where it is left out.
func BoolArg(t *vm.Thread, v vm.Value) (bool, error) {
	if v == nil {
		return false, nil
	}
	return t.Truth(v)
}

// AxisArg is one axis of an array with rank axes; byDefault where it is left out.
func AxisArg(fn string, v vm.Value, byDefault, rank int) (int, error) {
	if v == nil {
		v = int64(byDefault)
	}
	axes, err := IntsArg(fn, "an axis", v)
	if err == nil && len(axes) != 1 {
		err = vm.ValueErrorf("%s: works along one axis, not %d", fn, len(axes))
	}
	if err != nil {
		return 0, err
	}
	return wrapAxis(fn, axes[0], rank)
}

// wrapAxis counts a negative axis from the end.
func wrapAxis(fn string, axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, vm.ValueErrorf("%s: axis %d is out of range for an array with %d axes", fn, axis, rank)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}
