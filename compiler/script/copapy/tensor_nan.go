package copapy

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// nanRows are functions of arrays that leave out what is NaN.
func (m *Tracer) nanRows() []Row {
	return []Row{
		{Name: "nansum", Params: "x axis? keepdims?", Call: m.ofArray(nanReduced("sum", int64(0)))},
		{Name: "nanprod", Params: "x axis? keepdims?", Call: m.ofArray(nanReduced("prod", int64(1)))},
		{Name: "nanmin", Params: "x axis? keepdims?", Call: m.ofArray(nanExtremum("min", math.Inf(1)))},
		{Name: "nanmax", Params: "x axis? keepdims?", Call: m.ofArray(nanExtremum("max", math.Inf(-1)))},
		{Name: "nanmean", Params: "x axis? keepdims?", Call: m.ofArray((*Tensor).nanMean)},
		{Name: "nanvar", Params: "x axis? ddof? keepdims?", Call: m.ofArray((*Tensor).nanVar)},
		{Name: "nanstd", Params: "x axis? ddof? keepdims?", Call: m.ofArray((*Tensor).nanStd)},
		{Name: "nanargmin", Params: "x axis? keepdims?", Call: m.ofArray(nanPlace("argmin", "min", math.Inf(1)))},
		{Name: "nanargmax", Params: "x axis? keepdims?", Call: m.ofArray(nanPlace("argmax", "max", math.Inf(-1)))},
		{Name: "nancumsum", Params: "x axis?", Call: m.ofArray(nanRunning("nancumsum", vm.OpAdd, int64(0)))},
		{Name: "nancumprod", Params: "x axis?", Call: m.ofArray(nanRunning("nancumprod", vm.OpMul, int64(1)))},
		{Name: "cummax", Params: "x axis?", Call: m.ofArray(extreme("cummax", graph.OpMax))},
		{Name: "cummin", Params: "x axis?", Call: m.ofArray(extreme("cummin", graph.OpMin))},
	}
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
		return c.withoutNaN(x, neutral).reduce(t, name, args...)
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
			return x.reduce(t, name, args...)
		}
		r := c.reduce(name, c.withoutNaN(x, fill), args[0], keep)
		return c.done(c.orNaN(c.numbers(x, args[0], keep), r))
	}
}

func nanPlace(name, extremum string, fill float64) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	find := place(name, extremum)
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		c := x.m.calc(t)
		return find(c.withoutNaN(x, fill), t, args)
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
