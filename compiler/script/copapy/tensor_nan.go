package copapy

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// nanFuncs are functions of arrays that leave out what is NaN.
var nanFuncs = map[string]arrayFunc{
	"nansum":     {nanReduced("sum", int64(0)), []string{"axis?", "keepdims?"}, false},
	"nanprod":    {nanReduced("prod", int64(1)), []string{"axis?", "keepdims?"}, false},
	"nanmin":     {nanExtremum("min", math.Inf(1)), []string{"axis?", "keepdims?"}, false},
	"nanmax":     {nanExtremum("max", math.Inf(-1)), []string{"axis?", "keepdims?"}, false},
	"nanmean":    {(*Tensor).nanMean, []string{"axis?", "keepdims?"}, false},
	"nanvar":     {(*Tensor).nanVar, []string{"axis?", "ddof?", "keepdims?"}, false},
	"nanstd":     {(*Tensor).nanStd, []string{"axis?", "ddof?", "keepdims?"}, false},
	"nanmedian":  {(*Tensor).nanMedian, []string{"axis?", "keepdims?"}, false},
	"nanargmin":  {nanPlace("argmin", math.Inf(1)), []string{"axis?", "keepdims?"}, false},
	"nanargmax":  {nanPlace("argmax", math.Inf(-1)), []string{"axis?", "keepdims?"}, false},
	"nancumsum":  {nanRunning("nancumsum", vm.OpAdd, int64(0)), []string{"axis?"}, false},
	"nancumprod": {nanRunning("nancumprod", vm.OpMul, int64(1)), []string{"axis?"}, false},
	"cummax":     {extreme("cummax", graph.OpMax), []string{"axis?"}, false},
	"cummin":     {extreme("cummin", graph.OpMin), []string{"axis?"}, false},
}

// withoutNaN has a number instead of each NaN.
func (c *calc) withoutNaN(x *Tensor, fill vm.Value) *Tensor {
	if !isFloat(x) {
		return x
	}
	r, ok := c.where(c.compare(vm.OpNe, x, x), fill, x).(*Tensor)
	if !ok || c.err != nil {
		return x
	}
	return r
}

// numbers counts what is no NaN along axes.
func (c *calc) numbers(x *Tensor, axis vm.Value, keep bool) vm.Value {
	return c.reduce("sum", c.compare(vm.OpEq, x, x), axis, keep)
}

func nanReduced(name string, neutral vm.Value) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		c := x.m.calc(t)
		return c.withoutNaN(x, neutral).reduce(t, name, present(args...))
	}
}

// orNaN is r where there are numbers.
func (c *calc) orNaN(count, r vm.Value) vm.Value {
	c.double = isDouble(r)
	return c.where(c.compare(vm.OpEq, count, int64(0)), math.NaN(), r)
}

func nanExtremum(name string, fill float64) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		keep, err := boolArg(t, args[1])
		if err != nil {
			return nil, err
		}
		c := x.m.calc(t)
		if !isFloat(x) {
			return x.reduce(t, name, present(args...))
		}
		r := c.reduce(name, c.withoutNaN(x, fill), args[0], keep)
		return c.done(c.orNaN(c.numbers(x, args[0], keep), r))
	}
}

func nanPlace(name string, fill float64) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		c := x.m.calc(t)
		return tensorMethods[name](t, c.withoutNaN(x, fill), present(args...))
	}
}

func nanRunning(fn string, op vm.BinaryOp, neutral vm.Value) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		c := x.m.calc(t)
		return c.withoutNaN(x, neutral).running(t, fn, op, args[0])
	}
}

// over is a sum divided by a count, NaN for a count of 0 or less.
func (c *calc) over(sum, count vm.Value) vm.Value {
	some := c.compare(vm.OpGt, count, int64(0))
	c.double = isDouble(sum)
	return c.where(some, c.div(sum, c.where(some, count, int64(1))), math.NaN())
}

func (x *Tensor) nanMean(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	keep, err := boolArg(t, args[1])
	if err != nil {
		return nil, err
	}
	c := x.m.calc(t)
	x = c.floats(x)
	return c.done(c.over(c.reduce("sum", c.withoutNaN(x, int64(0)), args[0], keep), c.numbers(x, args[0], keep)))
}

func (x *Tensor) nanVar(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	ddof, err := intArg("nanvar", "ddof", args[1], 0)
	if err != nil {
		return nil, err
	}
	keep, err := boolArg(t, args[2])
	if err != nil {
		return nil, err
	}
	mean, err := x.nanMean(t, []vm.Value{args[0], true})
	if err != nil {
		return nil, err
	}
	c := x.m.calc(t)
	x = c.floats(x)
	d, ok := c.sub(x, mean).(*Tensor)
	if !ok {
		return c.done(nil)
	}
	d = c.withoutNaN(d, int64(0))
	return c.done(c.over(c.reduce("sum", c.mul(d, d), args[0], keep), c.sub(c.numbers(x, args[0], keep), int64(ddof))))
}

func (x *Tensor) nanStd(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	v, err := x.nanVar(t, args)
	if err != nil {
		return nil, err
	}
	c := x.m.calc(t)
	return c.done(c.root(v))
}

// nanMedian is the middle of the numbers, which stand before each NaN in the sorted array.
func (x *Tensor) nanMedian(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	keep, err := boolArg(t, args[1])
	if err != nil {
		return nil, err
	}
	rank := len(x.shape())
	x, axis, err := x.oneAxis("nanmedian", args[0])
	if err != nil {
		return nil, err
	}
	at := vm.Value(int64(axis))
	sorted, err := x.m.ordering("sort", int64(-1), (*ordered).values)(t, vm.Args{Pos: []vm.Value{x, at}})
	if err != nil {
		return nil, err
	}
	c := x.m.calc(t)
	count := c.numbers(x, at, true)
	dims := make(graph.Shape, len(x.shape()))
	for i := range dims {
		dims[i] = 1
	}
	dims[axis] = x.shape()[axis]
	places := x.m.plainTensor(dims, counted(dims[axis]))
	middle := func(place vm.Value) vm.Value {
		here := c.compare(vm.OpEq, places, place)
		return c.reduce("sum", c.where(here, sorted, int64(0)), at, true)
	}
	low := c.binary(vm.OpFloorDiv, c.sub(count, int64(1)), int64(2))
	high := c.binary(vm.OpFloorDiv, count, int64(2))
	r, ok := c.orNaN(count, c.div(c.add(middle(low), middle(high)), int64(2))).(*Tensor)
	switch {
	case !ok || c.err != nil:
		return c.done(nil)
	case !keep:
		return r.without(axis)
	case len(x.shape()) != rank:
		whole := make(graph.Shape, rank)
		for i := range whole {
			whole[i] = 1
		}
		return r.reshaped(whole)
	}
	return r, nil
}

// extreme is each element or the largest or smallest of those before it. A NaN stays.
func extreme(fn string, op graph.Op) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		return x.runningBy(t, fn, args[0], func(c *calc, before, next vm.Value) vm.Value {
			if before == nil {
				return next
			}
			return c.extremum(fn, op, before, next)
		})
	}
}

// nanToNum is cp.nan_to_num(x, nan=0.0, posinf=None, neginf=None): infinities become the
// largest numbers of the type.
func nanToNum(c *calc, a []vm.Value) vm.Value {
	x := a[0]
	if !isFloat(x) {
		return x
	}
	largest := formats[!isTraced(x) || isDouble(x)].largest
	choice := func(v vm.Value, byDefault float64) vm.Value {
		if isNone(v) {
			return byDefault
		}
		return v
	}
	r := c.where(c.compare(vm.OpNe, x, x), choice(a[1], 0), x)
	r = c.where(c.compare(vm.OpEq, x, math.Inf(1)), choice(a[2], largest), r)
	return c.where(c.compare(vm.OpEq, x, math.Inf(-1)), choice(a[3], -largest), r)
}
