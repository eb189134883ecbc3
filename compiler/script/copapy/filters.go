package copapy

import (
	"cmp"
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// orderRows put the elements along an axis in order. NaNs come last.
func orderRows(tracer *Tracer) []Row {
	m := sorter{tracer}
	return []Row{
		{Name: "argsort", Params: "input_vector axis?", Call: m.ordering(int64(-1), (*ordered).indices)},
		{Name: "sort", Params: "input_vector axis?", Call: m.ordering(int64(-1), (*ordered).values)},
		{Name: "nanmedian", Params: "x axis? keepdims?", Call: m.ofArray(m.nanMedian)},
		{Name: "median", Params: "input_vector axis? keepdims?", Call: m.ordering(vm.None, (*ordered).median)},
	}
}

// sorter has the functions for the values of one script.
type sorter struct{ *Tracer }

// ordered are the lines of an array along an axis, each put in order by itself.
type ordered struct {
	*calc
	x     *Tensor  // a line in each row
	lines int      // rows
	n     int      // elements of a line
	order []int    // of plain lines: which element comes at each place, counted row by row
	rank  vm.Value // of traced ones: the place of each element
}

func (m sorter) ordering(byDefault vm.Value, f func(*ordered) vm.Value) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		whole, err := m.nestedTensor(t, fn, args[0])
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
		x, axis, err := whole.oneAxis(fn, args[1])
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
		r, err := o.done(f(o))
		if err != nil {
			return nil, err
		}
		y, err := o.back(r.(*Tensor), x.shape(), axis)
		if err != nil || fn != "median" {
			return y, err
		}
		if !keep {
			return y.(*Tensor).without(axis)
		}
		if len(whole.shape()) != len(x.shape()) { // was flattened
			return y.(*Tensor).reshaped(slices.Repeat(graph.Shape{1}, len(whole.shape())))
		}
		return y, nil
	}
}

// ordered finds the order of the lines of x along an axis.
func (m sorter) ordered(t *vm.Thread, x *Tensor, axis int) (*ordered, error) {
	n := x.shape()[axis]
	o := &ordered{calc: m.calc(t), n: n, lines: 1}
	for i, d := range x.shape() {
		if i != axis {
			o.lines *= d
		}
	}
	moved, err := x.permuted(t, toBack(len(x.shape()), axis))
	if err == nil {
		moved, err = moved.(*Tensor).reshaped(graph.Shape{o.lines, n})
	}
	if err != nil {
		return nil, err
	}
	o.x = moved.(*Tensor)
	if o.x.traced() {
		o.rankTraced()
	} else {
		o.sortPlain()
	}
	return o, o.err
}

// back gives lines the shape of the array that they come from, but for the length
// along their axis.
func (o *ordered) back(lines *Tensor, s graph.Shape, axis int) (vm.Value, error) {
	order := toBack(len(s), axis)
	var dims graph.Shape
	inverse := make([]int, len(s))
	for at, i := range order {
		dims = append(dims, s[i])
		inverse[i] = at
	}
	dims[len(dims)-1] = lines.shape()[1]
	y, err := lines.reshaped(dims)
	if err != nil {
		return nil, err
	}
	return y.(*Tensor).permuted(o.t, inverse)
}

func (o *ordered) sortPlain() {
	o.order = make([]int, len(o.x.plain))
	for i := range o.order {
		o.order[i] = i
	}
	for i := range o.lines {
		slices.SortStableFunc(o.order[i*o.n:(i+1)*o.n], o.comparePlain)
	}
}

func (o *ordered) comparePlain(i, j int) int {
	a, b := o.x.plain[i], o.x.plain[j]
	if fa, fb := isNaN(a), isNaN(b); fa || fb {
		return cmp.Compare(boolInt(fa), boolInt(fb))
	}
	switch {
	case o.compare(vm.OpLt, a, b) == true:
		return -1
	case o.compare(vm.OpLt, b, a) == true:
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
	less, greater := o.compare(vm.OpLt, row, column), o.compare(vm.OpGt, row, column)
	if o.x.array.DType().IsFloat() {
		nanColumn, nanRow := o.compare(vm.OpNe, column, column), o.compare(vm.OpNe, row, row)
		less = o.binary(vm.OpBitOr, less, o.compare(vm.OpGt, nanColumn, nanRow))
		greater = o.binary(vm.OpBitOr, greater, o.compare(vm.OpGt, nanRow, nanColumn))
	}
	// true where the element of the row stands before that of the column
	earlier := o.compare(vm.OpLt, o.reshape(o.counting(), graph.Shape{1, o.n}), o.reshape(o.counting(), graph.Shape{o.n, 1}))
	before := o.iif(earlier, o.compare(vm.OpEq, greater, false), less)
	o.rank = o.sumRows(before)
}

// counting is 0, 1, ... n-1.
func (o *ordered) counting() *Tensor {
	return o.m.plainVector(counted(o.n))
}

func (o *ordered) reshape(x vm.Value, s graph.Shape) vm.Value {
	v, ok := x.(*Tensor)
	if !ok || o.err != nil {
		return int64(0)
	}
	return o.keep(v.reshaped(s))
}

// sumRows adds along the last of three axes.
func (o *ordered) sumRows(x vm.Value) vm.Value {
	v, ok := x.(*Tensor)
	if !ok || o.err != nil {
		return int64(0)
	}
	return o.keep(v.reduceAxes(o.t, "sum", []int{2}))
}

// at picks, for each line and each of some places, what stands in v, numbers of
// one line or of all, at the element that comes there.
func (o *ordered) at(places []int, v *Tensor) vm.Value {
	// What is not picked adds nothing, not even the sign of a zero.
	var nothing vm.Value = int64(0)
	if v.traced() && v.array.DType().IsFloat() {
		nothing = math.Copysign(0, -1)
	}
	wanted := make([]vm.Value, len(places))
	for i, p := range places {
		wanted[i] = int64(p)
	}
	column := o.m.plainTensor(graph.Shape{len(places), 1}, wanted)
	row := o.reshape(v, graph.Shape{v.shape().Elements() / o.n, 1, o.n})
	picked := o.sumRows(o.iif(o.compare(vm.OpEq, o.reshape(o.rank, graph.Shape{o.lines, 1, o.n}), column), row, nothing))
	if d, _ := tracedType(v); d == graph.Bool {
		return o.compare(vm.OpNe, picked, int64(0))
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
	return o.m.plainTensor(graph.Shape{o.lines, length}, out)
}

func (o *ordered) indices() vm.Value {
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
	if o.rank != nil {
		return o.at(o.places(), o.x)
	}
	return o.plainAt(o.n, func(order []int) []vm.Value {
		out := make([]vm.Value, o.n)
		for i, k := range order {
			out[i] = o.x.plain[k]
		}
		return out
	})
}

// median is the element in the middle, or the mean of the two in the middle.
func (o *ordered) median() vm.Value {
	low, high := (o.n-1)/2, o.n/2
	if o.rank != nil {
		if low == high {
			return o.at([]int{low}, o.x)
		}
		x := o.floats(o.x)
		return o.div(o.add(o.at([]int{low}, x), o.at([]int{high}, x)), int64(2))
	}
	return o.plainAt(1, func(order []int) []vm.Value {
		if low == high {
			return []vm.Value{o.x.plain[order[low]]}
		}
		return []vm.Value{o.div(o.add(o.x.plain[order[low]], o.x.plain[order[high]]), int64(2))}
	})
}
