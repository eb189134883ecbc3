package array

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// nanRows are functions of arrays that leave out what is NaN.
func (m *Tracer) nanRows() []Row {
	return []Row{
		{Name: "nansum", Params: "x axis? keepdims?", Call: m.OfArray(nanReduced("sum", int64(0)))},
		{Name: "nanprod", Params: "x axis? keepdims?", Call: m.OfArray(nanReduced("prod", int64(1)))},
		{Name: "nanmin", Params: "x axis? keepdims?", Call: m.OfArray(nanExtremum("min", math.Inf(1)))},
		{Name: "nanmax", Params: "x axis? keepdims?", Call: m.OfArray(nanExtremum("max", math.Inf(-1)))},
		{Name: "nanmean", Params: "x axis? keepdims?", Call: m.OfArray((*Tensor).nanMean)},
		{Name: "nanvar", Params: "x axis? ddof? keepdims?", Call: m.OfArray((*Tensor).nanVar)},
		{Name: "nanstd", Params: "x axis? ddof? keepdims?", Call: m.OfArray((*Tensor).nanStd)},
		{Name: "nanargmin", Params: "x axis? keepdims?", Call: m.OfArray(nanPlace("argmin", "min", math.Inf(1)))},
		{Name: "nanargmax", Params: "x axis? keepdims?", Call: m.OfArray(nanPlace("argmax", "max", math.Inf(-1)))},
		{Name: "nancumsum", Params: "x axis?", Call: m.OfArray(nanRunning("nancumsum", graph.OpAdd, int64(0)))},
		{Name: "nancumprod", Params: "x axis?", Call: m.OfArray(nanRunning("nancumprod", graph.OpMul, int64(1)))},
		{Name: "cummax", Params: "x axis?", Call: m.OfArray(extreme("cummax", graph.OpMax))},
		{Name: "cummin", Params: "x axis?", Call: m.OfArray(extreme("cummin", graph.OpMin))},
	}
}

// withoutNaN has a number instead of each NaN.
func (c *Calc) withoutNaN(x *Tensor, fill vm.Value) *Tensor {
	if !IsFloat(x) {
		return x
	}
	r, ok := c.Where(c.Compare(vm.OpNe, x, x), fill, x).(*Tensor)
	if !ok || c.Err != nil {
		return x
	}
	return r
}

// Numbers counts what is no NaN along axes.
func (c *Calc) Numbers(x *Tensor, axis vm.Value, keep bool) vm.Value {
	return c.Reduce("sum", c.Compare(vm.OpEq, x, x), axis, keep)
}

func nanReduced(name string, neutral vm.Value) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		c := x.m.Calc(t)
		return c.withoutNaN(x, neutral).reduce(t, name, args...)
	}
}

// OrNaN is r where there are numbers.
func (c *Calc) OrNaN(count, r vm.Value) vm.Value {
	c.Double = IsDouble(r)
	return c.Where(c.Compare(vm.OpEq, count, int64(0)), math.NaN(), r)
}

func nanExtremum(name string, fill float64) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		keep, err := BoolArg(t, args[1])
		if err != nil {
			return nil, err
		}
		c := x.m.Calc(t)
		if !IsFloat(x) {
			return x.reduce(t, name, args...)
		}
		r := c.Reduce(name, c.withoutNaN(x, fill), args[0], keep)
		return c.Done(c.OrNaN(c.Numbers(x, args[0], keep), r))
	}
}

func nanPlace(name, extremum string, fill float64) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	find := place(name, extremum)
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		c := x.m.Calc(t)
		return find(c.withoutNaN(x, fill), t, args)
	}
}

func nanRunning(fn string, op graph.Op, neutral vm.Value) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		c := x.m.Calc(t)
		return c.withoutNaN(x, neutral).running(t, fn, op, args[0])
	}
}

// over is a sum divided by a count, NaN for a count of 0 or less.
func (c *Calc) over(sum, count vm.Value) vm.Value {
	some := c.Compare(vm.OpGt, count, int64(0))
	c.Double = IsDouble(sum)
	return c.Where(some, c.Div(sum, c.Where(some, count, int64(1))), math.NaN())
}

func (x *Tensor) nanMean(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	keep, err := BoolArg(t, args[1])
	if err != nil {
		return nil, err
	}
	c := x.m.Calc(t)
	x = c.Floats(x)
	return c.Done(c.over(c.Reduce("sum", c.withoutNaN(x, int64(0)), args[0], keep), c.Numbers(x, args[0], keep)))
}

func (x *Tensor) nanVar(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	ddof, err := IntArg("nanvar", "ddof", args[1], 0)
	if err != nil {
		return nil, err
	}
	keep, err := BoolArg(t, args[2])
	if err != nil {
		return nil, err
	}
	mean, err := x.nanMean(t, []vm.Value{args[0], true})
	if err != nil {
		return nil, err
	}
	c := x.m.Calc(t)
	x = c.Floats(x)
	d, ok := c.Sub(x, mean).(*Tensor)
	if !ok {
		return c.Done(nil)
	}
	d = c.withoutNaN(d, int64(0))
	return c.Done(c.over(c.Reduce("sum", c.Mul(d, d), args[0], keep), c.Sub(c.Numbers(x, args[0], keep), int64(ddof))))
}

func (x *Tensor) nanStd(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	v, err := x.nanVar(t, args)
	if err != nil {
		return nil, err
	}
	c := x.m.Calc(t)
	return c.Done(c.Root(v))
}

// nanToNum is cp.nan_to_num(x, nan=0.0, posinf=None, neginf=None): infinities become the
// largest numbers of the type.
func nanToNum(c *Calc, a []vm.Value) vm.Value {
	x := a[0]
	if !IsFloat(x) {
		return x
	}
	largest := formats[!IsTraced(x) || IsDouble(x)].largest
	choice := func(v vm.Value, byDefault float64) vm.Value {
		if IsNone(v) {
			return byDefault
		}
		return v
	}
	r := c.Where(c.Compare(vm.OpNe, x, x), choice(a[1], 0), x)
	r = c.Where(c.Compare(vm.OpEq, x, math.Inf(1)), choice(a[2], largest), r)
	return c.Where(c.Compare(vm.OpEq, x, math.Inf(-1)), choice(a[3], -largest), r)
}
