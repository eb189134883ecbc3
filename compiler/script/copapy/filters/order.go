package filters

import (
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Rows are filters, and what puts the elements along an axis in order. NaNs come last.
func Rows(tracer *array.Tracer) []array.Row {
	m := sorter{tracer}
	return []array.Row{
		{Name: "argsort", Params: "input_vector axis?", Call: m.ordering(int64(-1), (*ordered).indices)},
		{Name: "sort", Params: "input_vector axis?", Call: m.ordering(int64(-1), (*ordered).values)},
		{Name: "convolve", Params: "a v mode?", Call: m.Computed(convolve, 2, true)},
		{Name: "median", Params: "input_vector axis? keepdims?", Call: m.ordering(vm.None, (*ordered).median)},
		{Name: "nanmedian", Params: "x axis? keepdims?", Call: m.OfArray(m.nanMedian)},
	}
}

// sorter has the functions for the values of one script.
type sorter struct{ *array.Tracer }

// ordered are the lines of an array along an axis, each put in order by itself.
type ordered struct {
	*array.Calc
	x     *array.Tensor // a line in each row
	lines int           // rows
	n     int           // elements of a line
	order []int         // of plain lines: which element comes at each place, counted row by row
	rank  vm.Value      // of traced ones of f64: the place of each element
}

func (m sorter) ordering(byDefault vm.Value, f func(*ordered) vm.Value) array.Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		whole, err := m.NestedTensor(t, fn, args[0])
		if err != nil {
			return nil, err
		}
		if args[1] == nil {
			args[1] = byDefault
		}
		keep := false
		if len(args) > 2 && args[2] != nil {
			if keep, err = t.Truth(args[2]); err != nil {
				return nil, err
			}
		}
		x, axis, err := whole.OneAxis(fn, args[1])
		if err != nil {
			return nil, err
		}
		o, err := m.ordered(t, x, axis)
		if err != nil {
			return nil, err
		}
		if o.n == 0 && fn == "median" {
			return nil, vm.ValueErrorf("median: the vector has no elements")
		}
		r, err := o.Done(f(o))
		if err != nil {
			return nil, err
		}
		y, err := o.back(r.(*array.Tensor), x.Shape(), axis)
		if err != nil || fn != "median" {
			return y, err
		}
		if !keep {
			return y.(*array.Tensor).WithoutAxis(axis)
		}
		if len(whole.Shape()) != len(x.Shape()) { // was flattened
			return y.(*array.Tensor).Reshaped(slices.Repeat(graph.Shape{1}, len(whole.Shape())))
		}
		return y, nil
	}
}

// ordered finds the order of the lines of x along an axis.
func (m sorter) ordered(t *vm.Thread, x *array.Tensor, axis int) (*ordered, error) {
	n := x.Shape()[axis]
	o := &ordered{Calc: m.Calc(t), n: n, lines: 1}
	for i, d := range x.Shape() {
		if i != axis {
			o.lines *= d
		}
	}
	moved, err := x.Permuted(t, array.ToBack(len(x.Shape()), axis))
	if err == nil {
		moved, err = moved.(*array.Tensor).Reshaped(graph.Shape{o.lines, n})
	}
	if err != nil {
		return nil, err
	}
	o.x = moved.(*array.Tensor)
	switch {
	case !o.x.Traced():
		o.sortPlain()
	case !graph.OpSort.Takes(o.x.Node.DType()):
		o.rankTraced()
	}
	return o, o.Err
}

// back gives lines the shape of the array that they come from, but for the length
// along their axis.
func (o *ordered) back(lines *array.Tensor, s graph.Shape, axis int) (vm.Value, error) {
	order := array.ToBack(len(s), axis)
	var dims graph.Shape
	inverse := make([]int, len(s))
	for at, i := range order {
		dims = append(dims, s[i])
		inverse[i] = at
	}
	dims[len(dims)-1] = lines.Shape()[1]
	y, err := lines.Reshaped(dims)
	if err != nil {
		return nil, err
	}
	return y.(*array.Tensor).Permuted(o.Thread, inverse)
}

func (o *ordered) sortPlain() {
	o.order = make([]int, len(o.x.Plain))
	for i := range o.order {
		o.order[i] = i
	}
	for i := range o.lines {
		slices.SortStableFunc(o.order[i*o.n:(i+1)*o.n], o.comparePlain)
	}
}

func (o *ordered) comparePlain(i, j int) int {
	a, b := o.x.Plain[i], o.x.Plain[j]
	switch {
	case isNaN(a) && isNaN(b):
		return 0
	case isNaN(a):
		return 1
	case isNaN(b):
		return -1
	case o.Compare(vm.OpLt, a, b) == true:
		return -1
	case o.Compare(vm.OpLt, b, a) == true:
		return 1
	}
	return 0
}

func isNaN(v vm.Value) bool {
	f, ok := v.(float64)
	return ok && math.IsNaN(f)
}

// rankTraced counts, for each element, those that come before it: the smaller
// ones, and the equal ones at lower indices. There is no branch, so the time is
// the same for all numbers.
func (o *ordered) rankTraced() {
	column, row := o.reshape(o.x, graph.Shape{o.lines, o.n, 1}), o.reshape(o.x, graph.Shape{o.lines, 1, o.n})
	less, greater := o.Compare(vm.OpLt, row, column), o.Compare(vm.OpGt, row, column)
	if o.x.Node.DType().IsFloat() {
		nanColumn, nanRow := o.Compare(vm.OpNe, column, column), o.Compare(vm.OpNe, row, row)
		less = o.Binary(vm.OpBitOr, less, o.Compare(vm.OpGt, nanColumn, nanRow))
		greater = o.Binary(vm.OpBitOr, greater, o.Compare(vm.OpGt, nanRow, nanColumn))
	}
	// true where the element of the row stands before that of the column
	earlier := o.Compare(vm.OpLt, o.reshape(o.counting(), graph.Shape{1, o.n}), o.reshape(o.counting(), graph.Shape{o.n, 1}))
	before := o.Iif(earlier, o.Compare(vm.OpEq, greater, false), less)
	o.rank = o.sumRows(before)
}

// counting is 0, 1, ... n-1.
func (o *ordered) counting() *array.Tensor {
	return o.Tracer.PlainVector(array.Counted(o.n))
}

func (o *ordered) reshape(x vm.Value, s graph.Shape) vm.Value {
	v, ok := x.(*array.Tensor)
	if !ok || o.Err != nil {
		return int64(0)
	}
	return o.Keep(v.Reshaped(s))
}

// sumRows adds along the last of three axes.
func (o *ordered) sumRows(x vm.Value) vm.Value {
	v, ok := x.(*array.Tensor)
	if !ok || o.Err != nil {
		return int64(0)
	}
	return o.Keep(v.ReduceAxes(o.Thread, "sum", []int{2}))
}

// byOp reports whether an op of the graph sorts the lines.
func (o *ordered) byOp() bool { return o.rank == nil && o.order == nil }

// op is the lines, or their places, in order.
func (o *ordered) op(op graph.Op) vm.Value {
	return o.Keep(o.Tracer.Wrap(o.Tracer.Graph.Apply(op, o.x.Node)))
}

// column is one element of each line.
func (o *ordered) column(lines vm.Value, at int) vm.Value {
	x, ok := lines.(*array.Tensor)
	if !ok || o.Err != nil {
		return int64(0)
	}
	column, err := x.Slice(o.Thread, 1, at, at+1)
	return o.Keep(column, err)
}

// float is a tensor as floats.
func (o *ordered) float(x vm.Value) vm.Value {
	v, ok := x.(*array.Tensor)
	if !ok || o.Err != nil {
		return int64(0)
	}
	return o.Floats(v)
}

// at picks, for each line and each of some places, what stands in v, numbers of
// one line or of all, at the element that comes there.
func (o *ordered) at(places []int, v *array.Tensor) vm.Value {
	// What is not picked adds nothing, not even the sign of a zero.
	var nothing vm.Value = int64(0)
	if v.Traced() && v.Node.DType().IsFloat() {
		nothing = math.Copysign(0, -1)
	}
	wanted := make([]vm.Value, len(places))
	for i, p := range places {
		wanted[i] = int64(p)
	}
	column := o.Tracer.PlainTensor(graph.Shape{len(places), 1}, wanted)
	row := o.reshape(v, graph.Shape{v.Shape().Elements() / o.n, 1, o.n})
	picked := o.sumRows(o.Iif(o.Compare(vm.OpEq, o.reshape(o.rank, graph.Shape{o.lines, 1, o.n}), column), row, nothing))
	if d, _ := array.TracedType(v); d == graph.Bool {
		return o.Compare(vm.OpNe, picked, int64(0))
	}
	return picked
}

// places are all of a line.
func (o *ordered) places() []int {
	out := make([]int, o.n)
	for i := range out {
		out[i] = i
	}
	return out
}

// plainAt makes lines of plain elements out of those that f gives for each line.
func (o *ordered) plainAt(length int, f func(order []int) []vm.Value) vm.Value {
	var out []vm.Value
	for i := range o.lines {
		out = append(out, f(o.order[i*o.n:(i+1)*o.n])...)
	}
	return o.Tracer.PlainTensor(graph.Shape{o.lines, length}, out)
}

func (o *ordered) indices() vm.Value {
	if o.byOp() {
		return o.op(graph.OpArgsort)
	}
	if o.rank != nil {
		return o.at(o.places(), o.counting())
	}
	return o.plainAt(o.n, func(order []int) []vm.Value {
		out := make([]vm.Value, o.n)
		for i, k := range order {
			out[i] = int64(k % o.n)
		}
		return out
	})
}

func (o *ordered) values() vm.Value {
	if o.byOp() {
		return o.op(graph.OpSort)
	}
	if o.rank != nil {
		return o.at(o.places(), o.x)
	}
	return o.plainAt(o.n, func(order []int) []vm.Value {
		out := make([]vm.Value, o.n)
		for i, k := range order {
			out[i] = o.x.Plain[k]
		}
		return out
	})
}

// median is the element in the middle, or the mean of the two in the middle.
func (o *ordered) median() vm.Value {
	low, high := (o.n-1)/2, o.n/2
	if o.byOp() {
		lines := o.op(graph.OpSort)
		if low == high {
			return o.column(lines, low)
		}
		return o.Div(o.Add(o.float(o.column(lines, low)), o.float(o.column(lines, high))), int64(2))
	}
	if o.rank != nil {
		if low == high {
			return o.at([]int{low}, o.x)
		}
		x := o.Floats(o.x)
		return o.Div(o.Add(o.at([]int{low}, x), o.at([]int{high}, x)), int64(2))
	}
	return o.plainAt(1, func(order []int) []vm.Value {
		if low == high {
			return []vm.Value{o.x.Plain[order[low]]}
		}
		return []vm.Value{o.Div(o.Add(o.x.Plain[order[low]], o.x.Plain[order[high]]), int64(2))}
	})
}
