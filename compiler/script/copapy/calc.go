package copapy

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// calc computes with numbers, traced scalars and tensors as a script would, and
// keeps the first error; after one its results mean nothing.
type calc struct {
	m      *Tracer
	t      *vm.Thread
	err    error
	double bool // a choice between two plain numbers, and a float made of a traced int, is one of float64
}

func (m *Tracer) calc(t *vm.Thread) *calc {
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
	return c.keep(c.m.clampFunc(c.t, "clamp", []vm.Value{x, lo, hi}))
}

func (c *calc) iif(cond, a, b vm.Value) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	if c.double && isTraced(cond) && fits(a) && fits(b) && !isTraced(a) && !isTraced(b) && (isFloat(a) || isFloat(b)) {
		a = c.keep(c.m.cast(c.t, "iif", a, graph.F64))
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
	return c.keep(a.reduce(c.t, name, axis, keep))
}

func (c *calc) dot(x, y *Tensor) vm.Value {
	if c.err != nil {
		return int64(0)
	}
	return c.keep(c.m.matmul(c.t, x, y))
}

func (c *calc) magnitude(x *Tensor) vm.Value {
	x = c.floats(x)
	return c.root(c.dot(x, x))
}

// floats is an array of traced ints as floats: sums, products and differences of ints
// wrap around, which is not what a mean or a length is made of.
func (c *calc) floats(x *Tensor) *Tensor {
	if d, _ := tracedType(x); d == graph.I32 {
		if y, ok := c.float(x).(*Tensor); ok && c.err == nil {
			return y
		}
	}
	return x
}

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
	// The derivative of q itself is 0 there, its second one is not.
	return c.iif(c.compare(vm.OpEq, q, 0.0), c.call("stop_gradient", q), f(q))
}

// tracedType is the type of what is traced.
func tracedType(x vm.Value) (graph.DType, bool) {
	switch v := x.(type) {
	case *Value:
		return v.v.DType(), true
	case *Tensor:
		if v.traced() {
			return v.array.DType(), true
		}
	}
	return 0, false
}

// isDouble reports whether x is float64, which only traced values are.
func isDouble(x vm.Value) bool {
	d, traced := tracedType(x)
	return traced && d == graph.F64
}

// isFloat reports whether a number, or the elements of an array, are floats.
func isFloat(x vm.Value) bool {
	if d, traced := tracedType(x); traced {
		return d.IsFloat()
	}
	if a, ok := x.(*Tensor); ok {
		return a.elementType() == graph.F32
	}
	_, ok := x.(float64)
	return ok
}

// floatBeside is x as a float where y is one, of 64 bits where y has them.
func (c *calc) floatBeside(x, y vm.Value) vm.Value {
	switch {
	case isFloat(x) || !isFloat(y) || c.err != nil:
		return x
	case isDouble(y):
		return c.keep(c.m.cast(c.t, "float", x, graph.F64))
	}
	return c.float(x)
}

// widened is a number or array repeated to a shape that it broadcasts to.
func (c *calc) widened(x vm.Value, s graph.Shape) vm.Value {
	if c.err != nil || shapeOf(x).Equal(s) {
		return x
	}
	if a, ok := x.(*Tensor); ok {
		return c.keep(a.broadcastTo(c.t, "broadcast_to", s))
	}
	return c.keep(c.m.broadcast(c.t, "broadcast_to", x, s))
}

// where chooses as iif does, and gives the common type and shape also where the
// condition is known.
func (c *calc) where(cond, a, b vm.Value) vm.Value {
	r := c.iif(cond, a, b)
	if _, isArray := cond.(*Tensor); isArray || isTraced(cond) {
		return r
	}
	s, err := commonShape(a, b)
	if err != nil {
		return c.keep(nil, err)
	}
	return c.widened(c.floatBeside(c.floatBeside(r, a), b), s)
}

// float makes floats of ints and bools.
func (c *calc) float(x vm.Value) vm.Value {
	d, traced := tracedType(x)
	switch {
	case traced && d.IsFloat():
		return x
	case traced && c.double && c.err == nil:
		return c.keep(c.m.cast(c.t, "float", x, graph.F64))
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

func (c *calc) squares(x []vm.Value) vm.Value {
	s := c.mul(x[0], x[0])
	for _, e := range x[1:] {
		s = c.add(s, c.mul(e, e))
	}
	return s
}
