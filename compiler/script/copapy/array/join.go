package array

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// joinRows join arrays and bring them to a number of axes.
func (m *Tracer) joinRows() []Row {
	return []Row{
		{Name: "hstack", Params: "tensors", Call: m.joining(func(rank int) int { return min(rank-1, 1) }, (*Tensor).itself)},
		{Name: "vstack", Params: "tensors", Call: m.joining(func(int) int { return 0 }, (*Tensor).asRow)},
		{Name: "dstack", Params: "tensors", Call: m.joining(func(int) int { return 2 }, (*Tensor).asDepth)},
		{Name: "column_stack", Params: "tensors", Call: m.joining(func(int) int { return 1 }, (*Tensor).asColumn)},
		{Name: "append", Params: "x values axis?", Call: m.appendFunc},
		{Name: "atleast_1d", Params: "x", Call: m.atLeast((*Tensor).itself), part: anyPart},
		{Name: "atleast_2d", Params: "x", Call: m.atLeast((*Tensor).asRow), part: anyPart},
		{Name: "meshgrid", Params: "x y", Call: m.meshgridFunc},
	}
}

// itself, asRow, asColumn and asDepth give an array as many axes as joining needs.
func (x *Tensor) itself() (vm.Value, error) { return x, nil }

func (x *Tensor) asRow() (vm.Value, error) {
	if s := x.Shape(); len(s) == 1 {
		return x.Reshaped(graph.Shape{1, s[0]})
	}
	return x, nil
}

func (x *Tensor) asColumn() (vm.Value, error) {
	if s := x.Shape(); len(s) == 1 {
		return x.Reshaped(graph.Shape{s[0], 1})
	}
	return x, nil
}

func (x *Tensor) asDepth() (vm.Value, error) {
	switch s := x.Shape(); len(s) {
	case 1:
		return x.Reshaped(graph.Shape{1, s[0], 1})
	case 2:
		return x.Reshaped(graph.Shape{s[0], s[1], 1})
	}
	return x, nil
}

// joining makes a function that joins a list of arrays along an axis, each
// brought to the axes that are needed first.
func (m *Tracer) joining(axis func(rank int) int, prepare func(*Tensor) (vm.Value, error)) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		list, err := t.Collect(args[0])
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, vm.ValueErrorf("%s: needs at least one tensor", fn)
		}
		xs := make([]*Tensor, len(list))
		for i, e := range list {
			x, err := m.arrayArg(t, fn, e)
			if err != nil {
				return nil, err
			}
			r, err := prepare(x)
			if err != nil {
				return nil, err
			}
			xs[i] = r.(*Tensor)
		}
		return m.Concat(t, fn, xs, axis(len(xs[0].Shape())))
	}
}

// atLeast makes a function of arrays, each brought to a number of axes.
func (m *Tracer) atLeast(prepare func(*Tensor) (vm.Value, error)) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		x, err := m.arrayArg(t, fn, args[0])
		if err != nil {
			return nil, err
		}
		return prepare(x)
	}
}

// appendFunc is cp.append(x, values, axis=None), a new array.
func (m *Tracer) appendFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	var err error
	var xs [2]*Tensor
	for i := range xs {
		if xs[i], err = m.arrayArg(t, fn, args[i]); err != nil {
			return nil, err
		}
		if args[2] == nil || args[2] == vm.None {
			if xs[i], _, err = xs[i].OneAxis(fn, nil); err != nil {
				return nil, err
			}
		}
	}
	axis := 0
	if args[2] != vm.None {
		if axis, err = AxisArg(fn, args[2], 0, len(xs[0].Shape())); err != nil {
			return nil, err
		}
	}
	return m.Concat(t, fn, xs[:], axis)
}

// meshgridFunc is cp.meshgrid(x, y): the coordinates of all points of a grid, as
// matrices with a row for each y and a column for each x.
func (m *Tracer) meshgridFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	v, err := m.Vectors(t, fn, args)
	if err != nil {
		return nil, err
	}
	dims := graph.Shape{v[1].length(), v[0].length()}
	if int64(dims[0])*int64(dims[1]) > graph.MaxElements {
		return nil, vm.ValueErrorf("meshgrid: at most %d elements are supported", graph.MaxElements)
	}
	column, err := v[1].asColumn()
	if err != nil {
		return nil, err
	}
	out := make([]vm.Value, 2)
	for i, x := range []*Tensor{v[0], column.(*Tensor)} {
		if out[i], err = x.BroadcastTo(t, fn, dims); err != nil {
			return nil, err
		}
	}
	return vm.NewList(out), nil
}

// splitting is cp.split(x, n, axis=0), into n parts, or at places. Where equal is set
// all parts must have one length; otherwise the first ones are longer by one row.
func splitting(fn string, equal bool) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		axis, err := AxisArg(fn, args[1], 0, len(x.Shape()))
		if err != nil {
			return nil, err
		}
		return x.splitAt(t, fn, args[0], axis, equal)
	}
}

func (x *Tensor) splitAt(t *vm.Thread, fn string, places vm.Value, axis int, equal bool) (vm.Value, error) {
	n := x.Shape()[axis]
	at, err := IntsArg(fn, "a number of parts or a place", places)
	if err != nil {
		return nil, err
	}
	if _, one := vm.AsInt(places); one {
		parts := at[0]
		if parts < 1 {
			return nil, vm.ValueErrorf("%s: the number of parts must be 1 or more, not %d", fn, parts)
		}
		if equal && n%parts != 0 {
			return nil, vm.WithHint(vm.ValueErrorf("%s: %d rows make no %d parts of one length", fn, n, parts), "cp.array_split makes parts that differ by one row")
		}
		if at, err = partEnds(t, n, parts); err != nil {
			return nil, err
		}
	}
	out := make([]vm.Value, 0, len(at)+1)
	from := 0
	for _, to := range append(at, n) {
		if to < 0 {
			to += n
		}
		to = min(max(to, 0), n)
		part, err := x.Slice(t, axis, min(from, n), max(to, from))
		if err != nil {
			return nil, err
		}
		out = append(out, part)
		from = to
	}
	return vm.NewList(out), nil
}

// partEnds are the ends of all parts but the last, the first ones longer by one row.
func partEnds(t *vm.Thread, n, parts int) ([]int, error) {
	if err := t.Charge(64 * int64(parts)); err != nil {
		return nil, err
	}
	at := make([]int, parts-1)
	end := 0
	for i := range at {
		end += n / parts
		if i < n%parts {
			end++
		}
		at[i] = end
	}
	return at, nil
}

func (x *Tensor) hsplit(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return x.splitAt(t, "hsplit", args[0], min(len(x.Shape())-1, 1), true)
}

func (x *Tensor) vsplit(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	if len(x.Shape()) < 2 {
		return nil, vm.ValueErrorf("vsplit: needs two axes or more, not shape %v", x.Shape())
	}
	return x.splitAt(t, "vsplit", args[0], 0, true)
}
