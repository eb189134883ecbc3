package array

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// The inverse hyperbolic functions are made of log and log1p; plain numbers are computed as
// Python does. In float32 they are at most 3 units in the last place off.

// far is from where on log(2x) is the inverse of cosh and sinh, as far as the type tells.
func far(x vm.Value) float64 {
	if KindOf(x) == graph.F64 {
		return 1 << 28
	}
	return 1 << 13
}

// odd is f(|x|) with the sign of x. Its derivative at 0 is that of f.
func odd(c *Calc, x vm.Value, f func(size vm.Value) vm.Value) vm.Value {
	negative := c.Compare(vm.OpLt, x, 0.0)
	y := f(c.Iif(negative, c.Neg(x), x))
	return c.Iif(negative, c.Neg(y), y)
}

// logTwice is log(2x), also where 2x is beyond all floats.
func logTwice(c *Calc, x vm.Value) vm.Value { return c.Add(c.Call("log", x), math.Ln2) }

func inverseSinh(c *Calc, x vm.Value) vm.Value {
	if !IsTraced(x) {
		return c.python("asinh", x)
	}
	x = c.Float(x)
	return odd(c, x, func(x vm.Value) vm.Value {
		square := c.Mul(x, x)
		near := c.Call("log1p", c.Add(x, c.Div(square, c.Add(1.0, c.Call("sqrt", c.Add(1.0, square))))))
		return c.Iif(c.Compare(vm.OpGt, x, far(x)), logTwice(c, x), near)
	})
}

func inverseCosh(c *Calc, x vm.Value) vm.Value {
	if !IsTraced(x) {
		return c.python("acosh", x)
	}
	x = c.Float(x)
	above := c.Sub(x, 1.0)
	near := c.Call("log1p", c.Add(above, c.Call("sqrt", c.Mul(above, c.Add(x, 1.0)))))
	return c.Iif(c.Compare(vm.OpGt, x, far(x)), logTwice(c, x), near)
}

func inverseTanh(c *Calc, x vm.Value) vm.Value {
	if !IsTraced(x) {
		return c.python("atanh", x)
	}
	return odd(c, c.Float(x), func(x vm.Value) vm.Value {
		return c.Mul(0.5, c.Call("log1p", c.Div(c.Add(x, x), c.Sub(1.0, x))))
	})
}

// python is a function of Python's module math, of a plain number.
func (c *Calc) python(name string, x vm.Value) vm.Value {
	if c.Err != nil {
		return 0.0
	}
	return c.Keep(python(name)(c.Thread, x))
}
