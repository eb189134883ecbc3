package array

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// neutral is what changes nothing in a reduction; min and max have no such number.
var neutral = map[string]vm.Value{"sum": int64(0), "prod": int64(1), "any": false, "all": true}

// combining is how a reduction takes one number more.
var combining = map[string]func(c *Calc, x, y vm.Value) vm.Value{
	"sum":  (*Calc).Add,
	"prod": (*Calc).Mul,
	"min":  func(c *Calc, x, y vm.Value) vm.Value { return c.Extremum("min", graph.OpMin, x, y) },
	"max":  func(c *Calc, x, y vm.Value) vm.Value { return c.Extremum("max", graph.OpMax, x, y) },
}

// reduceWhere is reduce of the elements where a mask is true, from a first number on.
func (x *Tensor) reduceWhere(t *vm.Thread, name string, args []vm.Value) (vm.Value, error) {
	initial, where := args[2], args[3]
	combine := combining[name]
	if !IsNone(initial) && combine == nil {
		return nil, vm.TypeErrorf("%s() takes no argument 'initial'", name)
	}
	if !IsNone(initial) && (!fits(initial) || len(ShapeOf(initial)) > 0) {
		return nil, vm.TypeErrorf("%s: initial must be a number or a traced scalar, not '%s'", name, vm.TypeName(initial))
	}
	c := x.m.Calc(t)
	keep, err := BoolArg(t, args[1])
	if err != nil {
		return nil, err
	}
	if !IsNone(where) && where != true {
		mask, err := x.maskArg(t, name, where)
		if err != nil {
			return nil, err
		}
		fill, ok := neutral[name]
		if !ok {
			if fill = initial; IsNone(initial) {
				return nil, vm.WithHint(vm.ValueErrorf("%s: where needs initial, since it may select no element", name), "give what counts where the mask takes nothing: initial=0.0")
			}
		}
		r, err := c.Done(c.Iif(mask, x, fill))
		if err != nil {
			return nil, err
		}
		x = r.(*Tensor)
	}
	if IsNone(initial) {
		return x.reduce(t, name, args[0], keep)
	}
	axes, err := x.AxesOf(name, args[0])
	if err != nil {
		return nil, err
	}
	if x.countAlong(axes) == 0 { // the first number alone
		sum := c.Reduce("sum", x, args[0], keep)
		return c.Done(c.Add(c.Mul(sum, int64(0)), initial))
	}
	return c.Done(combine(c, c.Reduce(name, x, args[0], keep), initial))
}

// maskArg is a mask that is repeated to the shape of x.
func (x *Tensor) maskArg(t *vm.Thread, fn string, where vm.Value) (*Tensor, error) {
	mask, err := x.m.arrayArg(t, fn, where)
	if err != nil {
		return nil, err
	}
	if !mask.isBool() {
		return nil, vm.WithHint(vm.TypeErrorf("%s: where must be made of bools", fn), "compare: where=x != 0")
	}
	r, err := mask.BroadcastTo(t, fn, x.Shape())
	if err != nil {
		return nil, err
	}
	return r.(*Tensor), nil
}

// meanWhere is the mean of the elements where a mask is true; of none it is NaN.
func (x *Tensor) meanWhere(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	keep, err := BoolArg(t, args[1])
	if err != nil {
		return nil, err
	}
	mask, err := x.maskArg(t, "mean", args[2])
	if err != nil {
		return nil, err
	}
	c := x.m.Calc(t)
	x = c.Floats(x)
	sum, err := x.reduceWhere(t, "sum", []vm.Value{args[0], keep, nil, mask})
	if err != nil {
		return nil, err
	}
	r := c.over(sum, c.Reduce("sum", mask, args[0], keep))
	return c.Done(r)
}
