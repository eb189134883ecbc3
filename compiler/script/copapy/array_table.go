package copapy

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// arrayFunc is a function of an array, or of nested lists that make one, and of
// what params names.
type arrayFunc struct {
	f      func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error)
	params []string // behind the array, as vm.Args.Bind takes them
	method bool     // arrays have it as a method too
}

// samples are the functions whose array is y, since x is something else.
var samples = []string{"trapezoid", "trapz"}

// arrayFuncs are the functions with NumPy's names whose first argument is an array.
var arrayFuncs = map[string]arrayFunc{
	// Other shapes and orders.
	"ravel":        {(*Tensor).ravel, nil, true},
	"squeeze":      {(*Tensor).squeeze, []string{"axis?"}, true},
	"expand_dims":  {(*Tensor).expandDims, []string{"axis"}, false},
	"swapaxes":     {(*Tensor).swapAxes, []string{"axis1", "axis2"}, true},
	"moveaxis":     {(*Tensor).moveAxis, []string{"source", "destination"}, false},
	"broadcast_to": {(*Tensor).broadcastArg, []string{"shape"}, false},
	"flip":         {(*Tensor).flip, []string{"axis?"}, false},
	"fliplr":       {flipAxis("fliplr", 1), nil, false},
	"flipud":       {flipAxis("flipud", 0), nil, false},
	"roll":         {(*Tensor).roll, []string{"shift", "axis?"}, false},
	"tile":         {(*Tensor).tile, []string{"reps"}, false},
	"repeat":       {(*Tensor).repeat, []string{"repeats", "axis?"}, true},
	"take":         {(*Tensor).take, []string{"indices", "axis?"}, true},
	"tril":         {triangle("tril", vm.OpLe), []string{"k?"}, false},
	"triu":         {triangle("triu", vm.OpGe), []string{"k?"}, false},
	"pad":          {(*Tensor).pad, []string{"pad_width", "mode?", "constant_values?", "end_values?", "stat_length?"}, false},
	"split":        {splitting("split", true), []string{"indices_or_sections", "axis?"}, false},
	"array_split":  {splitting("array_split", false), []string{"indices_or_sections", "axis?"}, false},
	"hsplit":       {(*Tensor).hsplit, []string{"indices_or_sections"}, false},
	"vsplit":       {(*Tensor).vsplit, []string{"indices_or_sections"}, false},

	// One number of many, or each of those up to it.
	"prod":          {reducer("prod"), []string{"axis?", "keepdims?", "initial?", "where?"}, true},
	"any":           {reducer("any"), []string{"axis?", "keepdims?", "where?"}, true},
	"all":           {reducer("all"), []string{"axis?", "keepdims?", "where?"}, true},
	"amin":          {reducer("min"), []string{"axis?", "keepdims?", "initial?", "where?"}, false},
	"amax":          {reducer("max"), []string{"axis?", "keepdims?", "initial?", "where?"}, false},
	"searchsorted":  {(*Tensor).searchSorted, []string{"v", "side?"}, true},
	"count_nonzero": {(*Tensor).countNonzero, []string{"axis?", "keepdims?"}, false},
	"ptp":           {(*Tensor).peakToPeak, []string{"axis?", "keepdims?"}, true},
	"var":           {(*Tensor).variance, []string{"axis?", "ddof?", "keepdims?"}, true},
	"std":           {(*Tensor).deviation, []string{"axis?", "ddof?", "keepdims?"}, true},
	"average":       {(*Tensor).average, []string{"axis?", "weights?"}, false},
	"norm":          {(*Tensor).norm, []string{"ord?", "axis?", "keepdims?"}, false},
	"cumprod":       {(*Tensor).cumprod, []string{"axis?"}, true},
	"diff":          {(*Tensor).diff, []string{"n?", "axis?"}, false},
	"trapezoid":     {integral("trapezoid"), []string{"x?", "dx?", "axis?"}, false},
	"trapz":         {integral("trapz"), []string{"x?", "dx?", "axis?"}, false},

	// Arrays like another.
	"zeros_like": {like("zeros_like", 0), []string{"dtype?"}, false},
	"ones_like":  {like("ones_like", 1), []string{"dtype?"}, false},
	"empty_like": {like("empty_like", 0), []string{"dtype?"}, false},
	"full_like":  {(*Tensor).fullLike, []string{"fill_value", "dtype?"}, false},
}

// allArrayFuncs are arrayFuncs and the tables of functions of one kind.
func allArrayFuncs() map[string]arrayFunc {
	return unite(arrayFuncs, nanFuncs, gatherFuncs)
}

// tableFunctions are the functions of arrayFuncs.
func (m *module) tableFunctions() map[string]vm.GoFunc {
	out := map[string]vm.GoFunc{}
	for name, f := range allArrayFuncs() {
		first := "x"
		if slices.Contains(samples, name) {
			first = "y"
		}
		params := slices.Concat([]string{first}, f.params)
		out[name] = func(t *vm.Thread, a vm.Args) (vm.Value, error) {
			args, err := a.Bind(name, params...)
			if err != nil {
				return nil, err
			}
			x, err := m.arrayArg(t, name, args[0])
			if err != nil {
				return nil, err
			}
			m.at(t)
			return viewOf(name, x, args[1:], func(of *Tensor, args []vm.Value) (vm.Value, error) { return f.f(of, t, args) })
		}
	}
	return out
}

// tableMethods are those of them that arrays have as methods.
func tableMethods() map[string]vm.GoMethod {
	out := map[string]vm.GoMethod{}
	for name, f := range arrayFuncs {
		if f.method {
			out[name] = onTensor(func(x *Tensor, t *vm.Thread, a vm.Args) (vm.Value, error) {
				args, err := a.Bind(name, f.params...)
				if err != nil {
					return nil, err
				}
				return viewOf(name, x, args, func(of *Tensor, args []vm.Value) (vm.Value, error) { return f.f(of, t, args) })
			})
		}
	}
	return out
}

// arrayArg is an argument as an array: nested lists make one, and a number or
// traced scalar is a vector of one element.
func (m *module) arrayArg(t *vm.Thread, fn string, v vm.Value) (*Tensor, error) {
	if _, isScalar := v.(*Value); isScalar || isNumber(v) {
		return m.vector(t, []vm.Value{v})
	}
	return m.nestedTensor(t, fn, v)
}

// listArg makes an array of a list or tuple and leaves everything else as it is.
func (m *module) listArg(t *vm.Thread, fn string, v vm.Value) (vm.Value, error) {
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
