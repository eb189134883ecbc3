package copapy

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// neutral is what changes nothing in a reduction; min and max have no such number.
var neutral = map[string]vm.Value{"sum": int64(0), "prod": int64(1), "any": false, "all": true}

// combining is how a reduction takes one number more.
var combining = map[string]func(c *calc, x, y vm.Value) vm.Value{
	"sum":  (*calc).add,
	"prod": (*calc).mul,
	"min":  func(c *calc, x, y vm.Value) vm.Value { return c.extremum("min", graph.OpMin, x, y) },
	"max":  func(c *calc, x, y vm.Value) vm.Value { return c.extremum("max", graph.OpMax, x, y) },
}

// reduceWhere is reduce of the elements where a mask is true, from a first number on.
func (x *Tensor) reduceWhere(t *vm.Thread, name string, args []vm.Value) (vm.Value, error) {
	initial, where := args[2], args[3]
	combine := combining[name]
	if !isNone(initial) && combine == nil {
		return nil, vm.TypeErrorf("%s() takes no argument 'initial'", name)
	}
	if !isNone(initial) && (!fits(initial) || len(shapeOf(initial)) > 0) {
		return nil, vm.TypeErrorf("%s: initial must be a number or a traced scalar, not '%s'", name, vm.TypeName(initial))
	}
	c := x.m.calc(t)
	keep, err := boolArg(t, args[1])
	if err != nil {
		return nil, err
	}
	if !isNone(where) && where != true {
		mask, err := x.maskArg(t, name, where)
		if err != nil {
			return nil, err
		}
		fill, ok := neutral[name]
		if !ok {
			if fill = initial; isNone(initial) {
				return nil, vm.WithHint(vm.ValueErrorf("%s: of no elements there is no result, so where needs initial", name), "give what counts where the mask takes nothing: initial=0.0")
			}
		}
		r, err := c.done(c.iif(mask, x, fill))
		if err != nil {
			return nil, err
		}
		x = r.(*Tensor)
	}
	if isNone(initial) {
		return x.reduce(t, name, args[0], keep)
	}
	axes, err := x.axesOf(name, args[0])
	if err != nil {
		return nil, err
	}
	if x.countAlong(axes) == 0 { // the first number alone
		sum := c.reduce("sum", x, args[0], keep)
		return c.done(c.add(c.mul(sum, int64(0)), initial))
	}
	return c.done(combine(c, c.reduce(name, x, args[0], keep), initial))
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
	r, err := mask.broadcastTo(t, fn, x.shape())
	if err != nil {
		return nil, err
	}
	return r.(*Tensor), nil
}

// meanWhere is the mean of the elements where a mask is true; of none it is NaN.
func (x *Tensor) meanWhere(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	keep, err := boolArg(t, args[1])
	if err != nil {
		return nil, err
	}
	mask, err := x.maskArg(t, "mean", args[2])
	if err != nil {
		return nil, err
	}
	c := x.m.calc(t)
	x = c.floats(x)
	sum, err := x.reduceWhere(t, "sum", []vm.Value{args[0], keep, nil, mask})
	if err != nil {
		return nil, err
	}
	r := c.over(sum, c.reduce("sum", mask, args[0], keep))
	return c.done(r)
}
