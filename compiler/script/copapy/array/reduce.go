package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// reduction is a way to make one number of many.
type reduction struct {
	empty   bool // of no numbers there is a result
	numbers bool // the result has the type of what is reduced
	plain   func(m *Tracer, t *vm.Thread, xs []vm.Value) (vm.Value, error)
	traced  func(c *chain, axis int) // along one axis, which disappears
	// prepare makes traced elements those that are reduced; nil if they are.
	prepare func(c *Calc, x *Tensor) vm.Value
}

var reductions = map[string]reduction{
	"sum":  {true, true, plainFold(vm.OpAdd, 0), func(c *chain, axis int) { c.set(c.m.Graph.Sum(c.v, axis)) }, nil},
	"prod": {true, true, plainFold(vm.OpMul, 1), folding(graph.OpMul), boolsAsInts},
	"min":  {false, true, plainExtremum("min", graph.OpMin), func(c *chain, axis int) { c.set(c.m.Graph.AMin(c.v, axis)) }, nil},
	"max":  {false, true, plainExtremum("max", graph.OpMax), func(c *chain, axis int) { c.set(c.m.Graph.AMax(c.v, axis)) }, nil},
	"any": {true, false, plainUntil(true), func(c *chain, axis int) {
		c.count(graph.OpOr, graph.OpNe, axis, func(int) int { return 0 })
	}, nonzero},
	"all": {true, false, plainUntil(false), func(c *chain, axis int) {
		c.count(graph.OpAnd, graph.OpEq, axis, func(n int) int { return n })
	}, nonzero},
}

func folding(op graph.Op) func(c *chain, axis int) {
	return func(c *chain, axis int) { c.fold(op, axis) }
}

func nonzero(c *Calc, x *Tensor) vm.Value { return c.Compare(vm.OpNe, x, int64(0)) }

func boolsAsInts(c *Calc, x *Tensor) vm.Value {
	if x.isBool() {
		return c.Add(x, int64(0))
	}
	return x
}

// few is how many rows are rather combined one by one than in a loop.
const few = 16

// count compares how many bools along an axis are true with a number that depends on how many
// there are. It gives what the op does that combines few of them.
func (c *chain) count(op, compare graph.Op, axis int, wanted func(n int) int) {
	n := c.shape()[axis]
	if n > 0 && n <= few {
		c.fold(op, axis)
		return
	}
	c.set(c.m.Graph.Sum(c.v, axis))
	if c.err == nil {
		c.apply(compare, c.m.Graph.I32(int32(wanted(n))))
	}
}

// fold combines the rows along an axis with an associative op, halving their
// number in each step.
func (c *chain) fold(op graph.Op, axis int) {
	c.toFront(axis)
	for c.err == nil && c.shape()[0] > 1 {
		n := c.shape()[0]
		whole := c.v
		half := c.m.chain(whole)
		half.slice(n/2, n/2, 1)
		c.slice(0, n/2, 1)
		c.apply(op, half.v)
		if n%2 == 1 && c.err == nil {
			last := c.m.chain(whole)
			last.slice(n-1, 1, 1)
			c.set(c.m.Graph.Concat(c.v, last.v))
		}
		if c.err == nil {
			c.err = half.err
		}
	}
	if c.err == nil {
		rest := c.shape()[1:]
		c.index(0)
		c.fromFront(axis, 0, rest)
	}
}

// plainFold combines numbers from the first on by Python's arithmetic; of none
// there is start.
func plainFold(op vm.BinaryOp, start int64) func(m *Tracer, t *vm.Thread, xs []vm.Value) (vm.Value, error) {
	return func(_ *Tracer, t *vm.Thread, xs []vm.Value) (vm.Value, error) {
		var s vm.Value = start
		for _, x := range xs {
			var err error
			if s, err = t.Binary(op, s, x); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
}

// plainUntil is found if one of the numbers counts as it: true of any, false of all.
func plainUntil(found bool) func(m *Tracer, t *vm.Thread, xs []vm.Value) (vm.Value, error) {
	return func(_ *Tracer, t *vm.Thread, xs []vm.Value) (vm.Value, error) {
		for _, x := range xs {
			if is, err := t.Truth(x); is == found || err != nil {
				return found, err
			}
		}
		return !found, nil
	}
}

func plainExtremum(name string, op graph.Op) func(m *Tracer, t *vm.Thread, xs []vm.Value) (vm.Value, error) {
	return func(m *Tracer, t *vm.Thread, xs []vm.Value) (vm.Value, error) {
		return m.extremum(name, op)(t, vm.Args{Pos: []vm.Value{vm.NewList(xs)}})
	}
}

// AxesOf resolves axis=None, an int, or a tuple of ints, in rising order.
func (x *Tensor) AxesOf(fn string, axis vm.Value) ([]int, error) {
	rank := len(x.Shape())
	var axes []int
	if axis == nil || axis == vm.None {
		for i := range rank {
			axes = append(axes, i)
		}
		return axes, nil
	}
	elems, _, ok := Sequence(axis)
	if !ok {
		elems = []vm.Value{axis}
	}
	for _, e := range elems {
		i, ok := vm.AsInt(e)
		if !ok {
			return nil, vm.TypeErrorf("%s: an axis is an integer, not '%s'", fn, vm.TypeName(e))
		}
		if i < -int64(rank) || i >= int64(rank) {
			return nil, vm.ValueErrorf("%s: axis %d is out of range for shape %v", fn, i, x.Shape())
		}
		if i < 0 {
			i += int64(rank)
		}
		if slices.Contains(axes, int(i)) {
			return nil, vm.ValueErrorf("%s: axis %d is named twice", fn, i)
		}
		axes = append(axes, int(i))
	}
	slices.Sort(axes)
	return axes, nil
}

// reduce is x.sum(axis=None, keepdims=False, initial=None, where=True) and its like; the last
// arguments may be left out.
func (x *Tensor) reduce(t *vm.Thread, name string, given ...vm.Value) (vm.Value, error) {
	var args [4]vm.Value
	copy(args[:], given)
	if !IsNone(args[2]) || !IsNone(args[3]) && args[3] != true {
		return x.reduceWhere(t, name, args[:])
	}
	axes, err := x.AxesOf(name, args[0])
	if err != nil {
		return nil, err
	}
	r, err := x.ReduceAxes(t, name, axes)
	if err != nil || args[1] == nil {
		return r, err
	}
	keep, err := t.Truth(args[1])
	if err != nil || !keep {
		return r, err
	}
	dims := slices.Clone(x.Shape())
	for _, axis := range axes {
		dims[axis] = 1
	}
	return x.m.withShape(r, dims)
}

// ReduceAxes makes one number, as name says, of those along axes, which go.
func (x *Tensor) ReduceAxes(t *vm.Thread, name string, axes []int) (vm.Value, error) {
	how, s := reductions[name], x.Shape()
	for _, axis := range axes {
		if s[axis] == 0 && !how.empty {
			return nil, vm.ValueErrorf("%s: shape %v has no elements", name, s)
		}
	}
	if !x.Traced() {
		return x.reducePlain(t, how, axes)
	}
	x.m.At(t)
	if how.prepare != nil {
		c := x.m.Calc(t)
		r, err := c.Done(how.prepare(c, x))
		if err != nil {
			return nil, err
		}
		x = r.(*Tensor)
	}
	c := x.m.chain(x.Node)
	if len(axes) == len(s) {
		c.reshape(s.Elements())
		axes = []int{0}
	}
	for _, axis := range slices.Backward(axes) {
		how.traced(c, axis)
	}
	return c.value()
}

func (x *Tensor) reducePlain(t *vm.Thread, how reduction, axes []int) (vm.Value, error) {
	// The axes that stay to the front, the others behind them.
	var order []int
	dims, n := graph.Shape{}, 1
	for axis, d := range x.dims {
		if slices.Contains(axes, axis) {
			n *= d
			continue
		}
		order = append(order, axis)
		dims = append(dims, d)
	}
	moved, err := x.Permuted(t, append(order, axes...))
	if err != nil {
		return nil, err
	}
	out := make([]vm.Value, dims.Elements())
	for i := range out {
		if out[i], err = how.plain(x.m, t, moved.(*Tensor).Plain[i*n:(i+1)*n]); err != nil {
			return nil, err
		}
	}
	if n == 0 && how.numbers && x.elementType().IsFloat() {
		for i := range out {
			if out[i], err = asKind(t, out[i], graph.F32); err != nil {
				return nil, err
			}
		}
	}
	return emptyLike(x.m.PlainTensor(dims, out), x), nil
}

// mean is the sum divided by the number of terms.
func (x *Tensor) mean(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	if !IsNone(args[2]) && args[2] != true {
		return x.meanWhere(t, args)
	}
	axes, err := x.AxesOf("mean", args[0])
	if err != nil {
		return nil, err
	}
	n := x.countAlong(axes)
	if n == 0 {
		return nil, vm.ValueErrorf("mean: shape %v has no elements", x.Shape())
	}
	c := x.m.Calc(t)
	if x = c.Floats(x); c.Err != nil {
		return nil, c.Err
	}
	s, err := x.reduce(t, "sum", args[:2]...)
	if err != nil {
		return nil, err
	}
	return t.Binary(vm.OpDiv, s, int64(n))
}
