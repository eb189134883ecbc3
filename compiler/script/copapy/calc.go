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

func (c *calc) neg(a vm.Value) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.t.Unary(vm.OpNeg, a))
}

func (c *calc) abs(a vm.Value) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.t.Unary(vm.OpAbs, a))
}

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

func (c *calc) dot(x, y *Tensor) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.m.matmul(c.t, x, y))
}

func (c *calc) magnitude(x *Tensor) vm.Value { return c.call("sqrt", c.dot(x, x)) }

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
