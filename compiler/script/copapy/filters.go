package copapy

import (
	"cmp"
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// filterModule is `copapy.filters`.
func (m *module) filterModule() *vm.Module {
	f := vm.NewModule("copapy.filters")
	for name, g := range m.orderFunctions() {
		f.Func(name, g)
	}
	f.Func("mean", m.methodFunc("mean"))
	return f
}

// orderFunctions put the elements of a vector in order. NaNs come last.
func (m *module) orderFunctions() map[string]vm.GoFunc {
	return map[string]vm.GoFunc{
		"argsort": m.ordering("argsort", (*ordered).indices),
		"sort":    m.ordering("sort", (*ordered).values),
		"median":  m.ordering("median", (*ordered).median),
	}
}

// ordered is a vector with the place of each element in the order.
type ordered struct {
	*calc
	x     *Tensor
	order []int    // of a plain vector: which element comes at each place
	rank  vm.Value // of a traced one: the place of each element
	n     int
}

func (m *module) ordering(name string, f func(*ordered) vm.Value) vm.GoFunc {
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		args, err := a.Bind(name, "input_vector")
		if err != nil {
			return nil, err
		}
		v, err := m.vectors(t, name, args)
		if err != nil {
			return nil, err
		}
		o := &ordered{calc: m.calc(t), x: v[0], n: v[0].length()}
		switch {
		case o.n == 0 && name == "median":
			return nil, vm.ValueErrorf("median: the vector has no elements")
		case o.x.traced():
			o.rankTraced()
		default:
			o.sortPlain()
		}
		if o.err != nil {
			return nil, o.err
		}
		return o.done(f(o))
	}
}

func (o *ordered) sortPlain() {
	for i := range o.x.plain {
		o.order = append(o.order, i)
	}
	slices.SortStableFunc(o.order, func(i, j int) int {
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
	})
}

func isNaN(v vm.Value) bool {
	f, ok := v.(float64)
	return ok && math.IsNaN(f)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rankTraced counts, for each element, those that come before it: the smaller
// ones, and the equal ones at lower indices. There is no branch, so the time is
// the same for all numbers.
func (o *ordered) rankTraced() {
	column, row := o.reshape(o.x, graph.Shape{o.n, 1}), o.reshape(o.x, graph.Shape{1, o.n})
	less, greater := o.compare(vm.OpLt, row, column), o.compare(vm.OpGt, row, column)
	if o.x.array.DType() == graph.F32 {
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

func (o *ordered) sumRows(x vm.Value) vm.Value {
	v, ok := x.(*Tensor)
	if !ok || o.err != nil {
		return int64(0)
	}
	return o.keep(v.reduceAxes(o.t, "sum", []int{1}))
}

// at picks, for each place, what stands in v at the element that comes there.
func (o *ordered) at(places, v vm.Value) vm.Value {
	// What is not picked adds nothing, not even the sign of a zero.
	var nothing vm.Value = int64(0)
	if x, ok := v.(*Tensor); ok && x.traced() && x.array.DType() == graph.F32 {
		nothing = math.Copysign(0, -1)
	}
	return o.sumRows(o.iif(o.compare(vm.OpEq, o.reshape(o.rank, graph.Shape{1, o.n}), places), v, nothing))
}

func (o *ordered) indices() vm.Value {
	if o.rank == nil {
		out := make([]vm.Value, o.n)
		for i, k := range o.order {
			out[i] = int64(k)
		}
		return o.m.plainVector(out)
	}
	return o.at(o.reshape(o.counting(), graph.Shape{o.n, 1}), o.counting())
}

func (o *ordered) values() vm.Value {
	if o.rank == nil {
		out := make([]vm.Value, o.n)
		for i, k := range o.order {
			out[i] = o.x.plain[k]
		}
		return o.m.plainVector(out)
	}
	return o.at(o.reshape(o.counting(), graph.Shape{o.n, 1}), o.x)
}

// median is the element in the middle, or the mean of the two in the middle.
func (o *ordered) median() vm.Value {
	middle := []int{(o.n - 1) / 2, o.n / 2}
	var e [2]vm.Value
	for i, k := range middle {
		if o.rank == nil {
			e[i] = o.x.plain[o.order[k]]
			continue
		}
		one, ok := o.at(o.m.plainTensor(graph.Shape{1, 1}, []vm.Value{int64(k)}), o.x).(*Tensor)
		if !ok || o.err != nil {
			return int64(0)
		}
		e[i] = o.keep(one.element(0))
	}
	if o.n%2 == 1 {
		return e[0]
	}
	return o.div(o.add(e[0], e[1]), int64(2))
}
