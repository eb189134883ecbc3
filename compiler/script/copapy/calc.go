package copapy

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// calc computes with numbers, traced scalars and tensors as a script would, and
// keeps the first error; after one its results mean nothing.
type calc struct {
	m   *module
	t   *vm.Thread
	err error
}

func (m *module) calc(t *vm.Thread) *calc {
	m.at(t)
	return &calc{m: m, t: t}
}

func (c *calc) keep(v vm.Value, err error) vm.Value {
	if err == nil {
		return v
	}
	if c.err == nil {
		c.err = err
	}
	return int64(0)
}

// done gives the result, or the first error.
func (c *calc) done(v vm.Value) (vm.Value, error) {
	if c.err != nil {
		return nil, c.err
	}
	return v, nil
}

func (c *calc) binary(op vm.BinaryOp, a, b vm.Value) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.t.Binary(op, a, b))
}

func (c *calc) add(a, b vm.Value) vm.Value { return c.binary(vm.OpAdd, a, b) }
func (c *calc) sub(a, b vm.Value) vm.Value { return c.binary(vm.OpSub, a, b) }
func (c *calc) mul(a, b vm.Value) vm.Value { return c.binary(vm.OpMul, a, b) }
func (c *calc) div(a, b vm.Value) vm.Value { return c.binary(vm.OpDiv, a, b) }

// sum adds from left to right.
func (c *calc) sum(first vm.Value, rest ...vm.Value) vm.Value {
	for _, x := range rest {
		first = c.add(first, x)
	}
	return first
}

func (c *calc) unary(op vm.UnaryOp, a vm.Value) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.t.Unary(op, a))
}

func (c *calc) neg(a vm.Value) vm.Value { return c.unary(vm.OpNeg, a) }
func (c *calc) abs(a vm.Value) vm.Value { return c.unary(vm.OpAbs, a) }

func (c *calc) compare(op vm.CompareOp, a, b vm.Value) vm.Value {
	if c.err != nil {
		return false
	}
	return c.keep(c.t.Compare(op, a, b))
}

// call is a function of one argument, such as sqrt.
func (c *calc) call(name string, x vm.Value) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.m.call1(c.t, name, x))
}

func (c *calc) atan2(y, x vm.Value) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.m.both(c.t, "atan2", y, x, plainPair(python("atan2")), func(a, b graph.Value) (graph.Value, error) {
		return c.m.g.Apply(graph.OpAtan2, a, b)
	}))
}

func (c *calc) clamp(x, lo, hi vm.Value) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.m.clampFunc(c.t, vm.Args{Pos: []vm.Value{x, lo, hi}}))
}

func (c *calc) iif(cond, a, b vm.Value) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.m.iif(c.t, cond, a, b))
}

// reduce makes one number of those along axes; keep leaves these axes there, with
// length 1. A number is left as it is.
func (c *calc) reduce(name string, x, axis vm.Value, keep bool) vm.Value {
	a, ok := x.(*Tensor)
	if !ok || c.err != nil {
		return c.keep(x, nil)
	}
	return c.keep(a.reduce(c.t, name, present(axis, keep)))
}

func (c *calc) dot(x, y *Tensor) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.m.matmul(c.t, x, y))
}

func (c *calc) magnitude(x *Tensor) vm.Value { return c.root(c.dot(x, x)) }

// root is the square root of a sum of squares. Its derivative where that is 0 is 0
// instead of infinite, so that those of the terms are 0 and not NaN.
func (c *calc) root(q vm.Value) vm.Value {
	if !isTraced(q) {
		return c.call("sqrt", q)
	}
	return c.unlessZero(q, func(q vm.Value) vm.Value { return c.call("sqrt", q) })
}

// unlessZero is f(q) where q is not 0, and q where it is: of a function with f(0) = 0
// whose derivative is infinite there, f with the derivative 0 by the terms of q. The
// optimiser knows that of a root, which costs nothing more.
func (c *calc) unlessZero(q vm.Value, f func(q vm.Value) vm.Value) vm.Value {
	q = c.float(q)
	return c.iif(c.compare(vm.OpEq, q, 0.0), q, f(q))
}

// float makes floats of ints and bools.
func (c *calc) float(x vm.Value) vm.Value {
	switch v := x.(type) {
	case *Value:
		if v.v.DType().IsFloat() {
			return x
		}
	case *Tensor:
		if v.traced() && v.array.DType().IsFloat() {
			return x
		}
	}
	return c.unary(vm.OpToFloat, x)
}

// vector makes a vector of scalars.
func (c *calc) vector(elems ...vm.Value) vm.Value {
	return c.tensor(graph.Shape{len(elems)}, elems)
}

func (c *calc) tensor(s graph.Shape, elems []vm.Value) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.m.fromElements(c.t, "tensor", s, elems))
}

func (c *calc) matmul(a, b vm.Value) vm.Value { return c.binary(vm.OpMatMul, a, b) }
