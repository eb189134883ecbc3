package copapy

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// arrayRows are what has NumPy's names and an array as its first argument.
func (m *Tracer) arrayRows() []Row {
	return []Row{
		// Other shapes and orders.
		{Name: "ravel", Params: "x", Call: m.ofArray((*Tensor).ravel), Is: Both},
		{Name: "squeeze", Params: "x axis?", Call: m.ofArray((*Tensor).squeeze), Is: Both},
		{Name: "expand_dims", Params: "x axis", Call: m.ofArray((*Tensor).expandDims)},
		{Name: "flatten", Params: "x", Call: m.ofArray((*Tensor).flatten), Is: Both},
		{Name: "reshape", Params: "x *shape", Free: m.ofOne("reshape", (*Tensor).reshapedTo), Is: Both},
		{Name: "transpose", Params: "x *axes", Free: m.ofOne("transpose", (*Tensor).transposed), Is: Both},
		{Name: "swapaxes", Params: "x axis1 axis2", Call: m.ofArray((*Tensor).swapAxes), Is: Both},
		{Name: "moveaxis", Params: "x source destination", Call: m.ofArray((*Tensor).moveAxis)},
		{Name: "broadcast_to", Params: "x shape", Call: m.ofArray((*Tensor).broadcastArg)},
		{Name: "flip", Params: "x axis?", Call: m.ofArray((*Tensor).flip)},
		{Name: "fliplr", Params: "x", Call: m.ofArray(flipAxis("fliplr", 1))},
		{Name: "flipud", Params: "x", Call: m.ofArray(flipAxis("flipud", 0))},
		{Name: "roll", Params: "x shift axis?", Call: m.ofArray((*Tensor).roll)},
		{Name: "tile", Params: "x reps", Call: m.ofArray((*Tensor).tile)},
		{Name: "repeat", Params: "x repeats axis?", Call: m.ofArray((*Tensor).repeat), Is: Both},
		{Name: "take", Params: "x indices axis?", Call: m.ofArray((*Tensor).take), Is: Both},
		{Name: "tril", Params: "x k?", Call: m.ofArray(triangle("tril", vm.OpLe))},
		{Name: "triu", Params: "x k?", Call: m.ofArray(triangle("triu", vm.OpGe))},
		{Name: "pad", Params: "x pad_width mode? constant_values? end_values? stat_length?", Call: m.ofArray((*Tensor).pad)},
		{Name: "split", Params: "x indices_or_sections axis?", Call: m.ofArray(splitting("split", true))},
		{Name: "array_split", Params: "x indices_or_sections axis?", Call: m.ofArray(splitting("array_split", false))},
		{Name: "hsplit", Params: "x indices_or_sections", Call: m.ofArray((*Tensor).hsplit)},
		{Name: "vsplit", Params: "x indices_or_sections", Call: m.ofArray((*Tensor).vsplit)},

		// One number of many, or each of those up to it.
		{Name: "sum", Params: "x axis? keepdims? initial? where?", Call: m.ofArray(reducer("sum")), Is: Both},
		{Name: "min", Params: "x axis? keepdims? initial? where?", Call: m.ofArray(reducer("min")), Is: Method},
		{Name: "max", Params: "x axis? keepdims? initial? where?", Call: m.ofArray(reducer("max")), Is: Method},
		{Name: "mean", Params: "x axis? keepdims? where?", Call: m.ofArray((*Tensor).mean), Is: Both},
		{Name: "argmax", Params: "x axis? keepdims?", Call: m.ofArray(place("argmax", "max")), Is: Both},
		{Name: "argmin", Params: "x axis? keepdims?", Call: m.ofArray(place("argmin", "min")), Is: Both},
		{Name: "trace", Params: "x", Call: m.ofArray((*Tensor).trace), Is: Both},
		{Name: "prod", Params: "x axis? keepdims? initial? where?", Call: m.ofArray(reducer("prod")), Is: Both},
		{Name: "any", Params: "x axis? keepdims? where?", Call: m.ofArray(reducer("any")), Is: Both},
		{Name: "all", Params: "x axis? keepdims? where?", Call: m.ofArray(reducer("all")), Is: Both},
		{Name: "amin", Params: "x axis? keepdims? initial? where?", Call: m.ofArray(reducer("min"))},
		{Name: "amax", Params: "x axis? keepdims? initial? where?", Call: m.ofArray(reducer("max"))},
		{Name: "searchsorted", Params: "x v side?", Call: m.ofArray((*Tensor).searchSorted), Is: Both},
		{Name: "count_nonzero", Params: "x axis? keepdims?", Call: m.ofArray((*Tensor).countNonzero)},
		{Name: "ptp", Params: "x axis? keepdims?", Call: m.ofArray((*Tensor).peakToPeak), Is: Both},
		{Name: "var", Params: "x axis? ddof? keepdims?", Call: m.ofArray((*Tensor).variance), Is: Both},
		{Name: "std", Params: "x axis? ddof? keepdims?", Call: m.ofArray((*Tensor).deviation), Is: Both},
		{Name: "average", Params: "x axis? weights?", Call: m.ofArray((*Tensor).average)},
		{Name: "cumsum", Params: "x axis?", Call: m.ofArray((*Tensor).cumsum), Is: Both},
		{Name: "cumprod", Params: "x axis?", Call: m.ofArray((*Tensor).cumprod), Is: Both},
		{Name: "diff", Params: "x n? axis?", Call: m.ofArray((*Tensor).diff)},
		{Name: "trapezoid", Params: "y x? dx? axis?", Call: m.ofArray(integral("trapezoid"))},
		{Name: "trapz", Params: "y x? dx? axis?", Call: m.ofArray(integral("trapz"))},

		// Arrays like another.
		{Name: "zeros_like", Params: "x dtype?", Call: m.ofArray(like("zeros_like", 0))},
		{Name: "ones_like", Params: "x dtype?", Call: m.ofArray(like("ones_like", 1))},
		{Name: "empty_like", Params: "x dtype?", Call: m.ofArray(like("empty_like", 0))},
		{Name: "full_like", Params: "x fill_value dtype?", Call: m.ofArray((*Tensor).fullLike)},
	}
}

// ofArray makes a handler of a function of an array, or of nested lists that make one.
func (m *Tracer) ofArray(f func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error)) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		x, err := m.arrayArg(t, fn, args[0])
		if err != nil {
			return nil, err
		}
		m.at(t)
		return viewOf(fn, x, args[1:], func(of *Tensor, args []vm.Value) (vm.Value, error) { return f(of, t, args) })
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
		m.at(t)
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
	if _, isScalar := v.(*Value); isScalar || isNumber(v) {
		return m.vector(t, []vm.Value{v})
	}
	return m.nestedTensor(t, fn, v)
}

// listArg makes an array of a list or tuple and leaves everything else as it is.
func (m *Tracer) listArg(t *vm.Thread, fn string, v vm.Value) (vm.Value, error) {
	switch v.(type) {
	case *vm.List, *vm.Tuple:
		return m.nestedTensor(t, fn, v)
	}
	return v, nil
}

// intArg is a plain integer argument; byDefault where it is left out.
func intArg(fn, name string, v vm.Value, byDefault int) (int, error) {
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

// intsArg is an integer or a sequence of them.
func intsArg(fn, name string, v vm.Value) ([]int, error) {
	elems, _, ok := sequence(v)
	if x, isArray := v.(*Tensor); isArray && !x.traced() {
		elems, ok = x.plain, true
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
		if out[i], err = intArg(fn, name, e, 0); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// boolArg is a plain bool argument, false where it is left out.
func boolArg(t *vm.Thread, v vm.Value) (bool, error) {
	if v == nil {
		return false, nil
	}
	return t.Truth(v)
}

// axisArg is one axis of an array with rank axes; byDefault where it is left out.
func axisArg(fn string, v vm.Value, byDefault, rank int) (int, error) {
	if v == nil {
		v = int64(byDefault)
	}
	axes, err := intsArg(fn, "an axis", v)
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
