package copapy

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// The inverse hyperbolic functions are made of log and log1p; plain numbers are computed as
// Python does. In float32 they are at most 3 units in the last place off.

// far is from where on log(2x) is the inverse of cosh and sinh, as far as the type tells.
func far(x vm.Value) float64 {
	if kindOf(x) == graph.F64 {
		return 1 << 28
	}
	return 1 << 13
}

// odd is f(|x|) with the sign of x. Its derivative at 0 is that of f.
func odd(c *calc, x vm.Value, f func(size vm.Value) vm.Value) vm.Value {
	negative := c.compare(vm.OpLt, x, 0.0)
	y := f(c.iif(negative, c.neg(x), x))
	return c.iif(negative, c.neg(y), y)
}

// logTwice is log(2x), also where 2x is beyond all floats.
func logTwice(c *calc, x vm.Value) vm.Value { return c.add(c.call("log", x), math.Ln2) }

func inverseSinh(c *calc, x vm.Value) vm.Value {
	if !isTraced(x) {
		return c.python("asinh", x)
	}
	x = c.float(x)
	return odd(c, x, func(x vm.Value) vm.Value {
		square := c.mul(x, x)
		near := c.call("log1p", c.add(x, c.div(square, c.add(1.0, c.call("sqrt", c.add(1.0, square))))))
		return c.iif(c.compare(vm.OpGt, x, far(x)), logTwice(c, x), near)
	})
}

func inverseCosh(c *calc, x vm.Value) vm.Value {
	if !isTraced(x) {
		return c.python("acosh", x)
	}
	x = c.float(x)
	above := c.sub(x, 1.0)
	near := c.call("log1p", c.add(above, c.call("sqrt", c.mul(above, c.add(x, 1.0)))))
	return c.iif(c.compare(vm.OpGt, x, far(x)), logTwice(c, x), near)
}

func inverseTanh(c *calc, x vm.Value) vm.Value {
	if !isTraced(x) {
		return c.python("atanh", x)
	}
	return odd(c, c.float(x), func(x vm.Value) vm.Value {
		return c.mul(0.5, c.call("log1p", c.div(c.add(x, x), c.sub(1.0, x))))
	})
}

// python is a function of Python's module math, of a plain number.
func (c *calc) python(name string, x vm.Value) vm.Value {
	if c.err != nil {
		return 0.0
	}
	return c.keep(python(name)(c.t, x))
}
