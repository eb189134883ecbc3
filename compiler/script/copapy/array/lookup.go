package array

import (
	"math"
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// lookup is an axis of which a traced index takes one row.
type lookup struct {
	axis int // among the axes that the rest of the subscript leaves
	by   graph.Value
}

// lookupIndex checks a traced index: n rows are there to be taken.
func lookupIndex(by graph.Value, n int) error {
	switch {
	case by.DType().IsFloat():
		return vm.WithHint(vm.TypeErrorf("an index must be an int, not a float"), "convert it: int(x) cuts off, round(x) rounds")
	case by.DType() == graph.Bool:
		return vm.WithHint(vm.TypeErrorf("an index must be an int, not a bool"), "choose with cp.where(condition, a, b), or give a mask of several elements, as in x[mask] = 0")
	case n == 0:
		return vm.WithHint(vm.Raise(vm.IndexError, "an axis without rows cannot be indexed"), "give it one element or more, or ask len(x) first")
	}
	return nil
}

// lookUp takes one row of each axis of ls, whose order is that of the axes.
func (m *Tracer) lookUp(t *vm.Thread, x vm.Value, ls []lookup) (vm.Value, error) {
	for taken, l := range ls {
		array, err := x.(*Tensor).Lift(t, NoFloat)
		if err != nil {
			return nil, err
		}
		c := m.chain(array)
		axis := l.axis - taken
		c.toFront(axis)
		rest := slices.Clone(c.shape()[1:])
		c.lookUp(l.by)
		c.fromFront(axis, 0, rest)
		if x, err = c.value(); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// Lookup says that a traced index took something from an array.
type Lookup struct{ Taken, From graph.Value }

// lookedUp notes that r was taken from an array by a traced index.
func (m *Tracer) lookedUp(r vm.Value, from graph.Value) {
	m.Lookups = append(m.Lookups, Lookup{TracedNode(r), from})
}

// lookUp takes one row of the first axis: a negative index counts from the end, and
// one beyond the ends takes the row at that end.
func (c *chain) lookUp(by graph.Value) { c.apply(graph.OpTake, by) }

// lookUpEach is lookUp at each index of a vector: of n rows with so many elements, as many as by has.
func (c *chain) lookUpEach(by graph.Value, n, elements int) {
	if c.err != nil {
		return
	}
	if elements == 1 {
		c.reshape(n)
		c.lookUp(by)
		return
	}
	c.reshape(n, elements)
	_, rows, err := c.m.Graph.Scan(by.Shape()[0], nil, []graph.Value{by}, func(_ graph.Value, _, at []graph.Value) (next, rows []graph.Value, err error) {
		row := c.v.Take(at[0])
		return nil, []graph.Value{row}, c.m.Graph.Err()
	})
	if err != nil {
		c.set(c.v, err)
		return
	}
	c.set(rows[0], nil)
}

// searchSorted is cp.searchsorted(x, v, side='left'): where v would stand in the sorted
// vector x, in front of equal elements or, on the right, behind them: how many stand before v,
// which are counted where there are few, and found by halves where there are more. A NaN stands
// behind all numbers.
func (x *Tensor) searchSorted(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	before := vm.OpLt
	switch args[1] {
	case nil, "left":
	case "right":
		before = vm.OpLe
	default:
		return nil, vm.WithHint(vm.ValueErrorf("searchsorted: side must be 'left' or 'right'"), "leave it out for 'left'")
	}
	if s := x.Shape(); len(s) != 1 {
		return nil, vm.WithHint(vm.ValueErrorf("searchsorted: needs a vector, not a tensor of shape %v", s), "take one row of it, x[0]")
	}
	v, err := x.m.listArg(t, "searchsorted", args[0])
	if err != nil {
		return nil, err
	}
	c := x.m.Calc(t)
	if n := x.length(); n >= minSearch && (x.Traced() || IsTraced(v)) && fits(v) && ShapeOf(v).Elements() > 0 {
		table, err := x.Lift(t, floatType(v))
		if err != nil {
			return nil, err
		}
		return c.Done(c.search(table, x.stands(before, v)))
	}
	axis := 0
	if array, ok := v.(*Tensor); ok {
		axis = len(array.Shape())
		if v, err = array.Reshaped(append(slices.Clone(array.Shape()), 1)); err != nil {
			return nil, err
		}
	} else if !fits(v) {
		return nil, vm.TypeErrorf("searchsorted: must be a number, a traced value or a tensor, not '%s'", vm.TypeName(v))
	}
	stands := c.Compare(before, x, v)
	if IsFloat(v) {
		last := c.Compare(vm.OpNe, v, v)
		if before == vm.OpLt && IsFloat(x) {
			last = c.Binary(vm.OpBitAnd, last, c.Compare(vm.OpEq, x, x))
		}
		stands = c.Binary(vm.OpBitOr, stands, last)
	}
	return c.Done(c.Reduce("sum", stands, int64(axis), false))
}

// minSearch is the number of elements from which it pays to search by halves.
const minSearch = 4

// floatType is the type of floats that numbers become beside v.
func floatType(v vm.Value) graph.DType {
	if d, traced := TracedType(v); traced && d.IsFloat() {
		return d
	}
	return NoFloat
}

// stands tells which elements of x stand before v in the order: smaller ones and, behind equal
// ones, those too. A NaN stands behind all numbers.
func (x *Tensor) stands(before vm.CompareOp, v vm.Value) func(c *Calc, e vm.Value) vm.Value {
	if !IsFloat(v) {
		return func(c *Calc, e vm.Value) vm.Value { return c.Compare(before, e, v) }
	}
	if !x.Traced() && !slices.ContainsFunc(x.Plain, func(e vm.Value) bool { f, ok := e.(float64); return ok && f != f }) {
		behind := vm.OpGe // which no number is beside a NaN
		if before == vm.OpLe {
			behind = vm.OpGt
		}
		return func(c *Calc, e vm.Value) vm.Value {
			return c.Iif(c.Compare(behind, e, v), false, true)
		}
	}
	var last vm.Value // of right: whether v is NaN; of left: what all numbers are at most then
	return func(c *Calc, e vm.Value) vm.Value {
		if last == nil {
			last = c.Compare(vm.OpNe, v, v)
			if before == vm.OpLt && IsFloat(e) {
				c.Double = c.Double || IsDouble(v) || IsDouble(e)
				last = c.Iif(last, math.Inf(1), math.NaN())
			}
		}
		end := last
		if before == vm.OpLt && IsFloat(e) {
			end = c.Compare(vm.OpLe, e, last)
		}
		return c.Binary(vm.OpBitOr, c.Compare(before, e, v), end)
	}
}

// search is the number of elements at the front of the vector x for which stands is true: behind
// the first for which it is not, it is not. Of n elements it asks the last of the largest power
// of two first; what is left on either side is halved from then on. No index leaves the vector.
func (c *Calc) search(x graph.Value, stands func(c *Calc, e vm.Value) vm.Value) vm.Value {
	m, g := c.Tracer, x.Graph()
	n := x.Shape()[0]
	half := 1 << (bits.Len(uint(n)) - 1)
	at := func(e graph.Value, err error) graph.Value { // 1 where e stands, otherwise 0
		e, err = m.Lift(c.Thread, "searchsorted", stands(c, c.Keep(m.Wrap(e, err))), NoFloat)
		c.Keep(nil, err)
		if c.Err != nil {
			return g.I32(0)
		}
		return e.ToI32()
	}
	place := at(g.Index(x, half-1)).Mul(g.I32(int32(n + 1 - half)))
	for shift := bits.Len(uint(half)) - 2; shift >= 0; shift-- {
		e, err := g.Apply(graph.OpTake, x, place.Add(g.I32(1<<shift-1)))
		place = place.Add(at(e, err).Shl(g.I32(int32(shift))))
	}
	return c.Keep(m.Wrap(place, g.Err()))
}
