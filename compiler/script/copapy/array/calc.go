package array

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Calc computes with numbers, traced scalars and tensors as a script would, and
// keeps the first error; after one its results mean nothing.
type Calc struct {
	Tracer *Tracer
	Thread *vm.Thread
	Err    error
	Double bool // a choice between two plain numbers, and a float made of a traced int, is one of float64
}

// Calc begins to compute, at the line that is being executed.
func (m *Tracer) Calc(t *vm.Thread) *Calc {
	m.At(t)
	return &Calc{Tracer: m, Thread: t}
}

// Keep is v, or a number without meaning where there is an error, which is kept if it is the first.
func (c *Calc) Keep(v vm.Value, err error) vm.Value {
	if err == nil {
		return v
	}
	if c.Err == nil {
		c.Err = err
	}
	return int64(0)
}

// Done gives the result, or the first error.
func (c *Calc) Done(v vm.Value) (vm.Value, error) {
	if c.Err != nil {
		return nil, c.Err
	}
	return v, nil
}

// Binary is a op b.
func (c *Calc) Binary(op vm.BinaryOp, a, b vm.Value) vm.Value {
	if c.Err != nil {
		return int64(0)
	}
	return c.Keep(c.Thread.Binary(op, a, b))
}

// Add is a + b.
func (c *Calc) Add(a, b vm.Value) vm.Value { return c.Binary(vm.OpAdd, a, b) }

// Sub is a - b.
func (c *Calc) Sub(a, b vm.Value) vm.Value { return c.Binary(vm.OpSub, a, b) }

// Mul is a * b.
func (c *Calc) Mul(a, b vm.Value) vm.Value { return c.Binary(vm.OpMul, a, b) }

// Div is a / b.
func (c *Calc) Div(a, b vm.Value) vm.Value { return c.Binary(vm.OpDiv, a, b) }

// Sum adds from left to right.
func (c *Calc) Sum(first vm.Value, rest ...vm.Value) vm.Value {
	for _, x := range rest {
		first = c.Add(first, x)
	}
	return first
}

func (c *Calc) unary(op vm.UnaryOp, a vm.Value) vm.Value {
	if c.Err != nil {
		return int64(0)
	}
	return c.Keep(c.Thread.Unary(op, a))
}

// Neg is -a.
func (c *Calc) Neg(a vm.Value) vm.Value { return c.unary(vm.OpNeg, a) }

// Abs is abs(a).
func (c *Calc) Abs(a vm.Value) vm.Value { return c.unary(vm.OpAbs, a) }

// Compare is a op b, a bool.
func (c *Calc) Compare(op vm.CompareOp, a, b vm.Value) vm.Value {
	if c.Err != nil {
		return false
	}
	return c.Keep(c.Thread.Compare(op, a, b))
}

// Call is a function of one argument, such as sqrt.
func (c *Calc) Call(name string, x vm.Value) vm.Value {
	if c.Err != nil {
		return int64(0)
	}
	return c.Keep(c.Tracer.call1(c.Thread, name, x))
}

// Atan2 is the angle of the point (x, y), in radians.
func (c *Calc) Atan2(y, x vm.Value) vm.Value {
	if c.Err != nil {
		return int64(0)
	}
	return c.Keep(c.Tracer.both(c.Thread, "atan2", y, x, plainPair(python("atan2")), func(a, b graph.Value) (graph.Value, error) {
		return c.Tracer.Graph.Apply(graph.OpAtan2, a, b)
	}))
}

// Clamp is x within limits.
func (c *Calc) Clamp(x, lo, hi vm.Value) vm.Value {
	if c.Err != nil {
		return int64(0)
	}
	return c.Keep(c.Tracer.clampFunc(c.Thread, "clamp", []vm.Value{x, lo, hi}))
}

// Iif is a where cond is true, otherwise b.
func (c *Calc) Iif(cond, a, b vm.Value) vm.Value {
	if c.Err != nil {
		return int64(0)
	}
	if c.Double && IsTraced(cond) && fits(a) && fits(b) && !IsTraced(a) && !IsTraced(b) && (IsFloat(a) || IsFloat(b)) {
		a = c.Keep(c.Tracer.Cast(c.Thread, "iif", a, graph.F64))
	}
	return c.Keep(c.Tracer.iif(c.Thread, cond, a, b))
}

// Reduce makes one number of those along axes; keep leaves these axes there, with
// length 1. A number is left as it is.
func (c *Calc) Reduce(name string, x, axis vm.Value, keep bool) vm.Value {
	a, ok := x.(*Tensor)
	if !ok || c.Err != nil {
		return c.Keep(x, nil)
	}
	return c.Keep(a.reduce(c.Thread, name, axis, keep))
}

func (c *Calc) dot(x, y *Tensor) vm.Value {
	if c.Err != nil {
		return int64(0)
	}
	return c.Keep(c.Tracer.matmul(c.Thread, x, y))
}

// Magnitude is the length of a vector.
func (c *Calc) Magnitude(x *Tensor) vm.Value {
	x = c.Floats(x)
	return c.Root(c.dot(x, x))
}

// Floats is an array of traced ints as floats: sums, products and differences of ints
// wrap around, which is not what a mean or a length is made of.
func (c *Calc) Floats(x *Tensor) *Tensor {
	if d, _ := TracedType(x); d == graph.I32 {
		if y, ok := c.Float(x).(*Tensor); ok && c.Err == nil {
			return y
		}
	}
	return x
}

// Root is the square root of a sum of squares. Its derivative where that is 0 is 0
// instead of infinite, so that those of the terms are 0 and not NaN.
func (c *Calc) Root(q vm.Value) vm.Value {
	if !IsTraced(q) {
		return c.Call("sqrt", q)
	}
	return c.UnlessZero(q, func(q vm.Value) vm.Value { return c.Call("sqrt", q) })
}

// UnlessZero is f(q) where q is not 0, and q where it is: of a function with f(0) = 0
// whose derivative is infinite there, f with the derivative 0 by the terms of q. The
// optimiser knows that of a root, which costs nothing more.
func (c *Calc) UnlessZero(q vm.Value, f func(q vm.Value) vm.Value) vm.Value {
	q = c.Float(q)
	// The derivative of q itself is 0 there, its second one is not.
	return c.Iif(c.Compare(vm.OpEq, q, 0.0), c.Call("stop_gradient", q), f(q))
}

// TracedType is the type of what is traced.
func TracedType(x vm.Value) (graph.DType, bool) {
	switch v := x.(type) {
	case *Value:
		return v.Node.DType(), true
	case *Tensor:
		if v.Traced() {
			return v.Node.DType(), true
		}
	}
	return 0, false
}

// IsDouble reports whether x is float64, which only traced values are.
func IsDouble(x vm.Value) bool {
	d, traced := TracedType(x)
	return traced && d == graph.F64
}

// IsFloat reports whether a number, or the elements of an array, are floats.
func IsFloat(x vm.Value) bool {
	if d, traced := TracedType(x); traced {
		return d.IsFloat()
	}
	if a, ok := x.(*Tensor); ok {
		return a.elementType() == graph.F32
	}
	_, ok := x.(float64)
	return ok
}

// floatBeside is x as a float where y is one, of 64 bits where y has them.
func (c *Calc) floatBeside(x, y vm.Value) vm.Value {
	switch {
	case IsFloat(x) || !IsFloat(y) || c.Err != nil:
		return x
	case IsDouble(y):
		return c.Keep(c.Tracer.Cast(c.Thread, "float", x, graph.F64))
	}
	return c.Float(x)
}

// widened is a number or array repeated to a shape that it broadcasts to.
func (c *Calc) widened(x vm.Value, s graph.Shape) vm.Value {
	if c.Err != nil || ShapeOf(x).Equal(s) {
		return x
	}
	if a, ok := x.(*Tensor); ok {
		return c.Keep(a.BroadcastTo(c.Thread, "broadcast_to", s))
	}
	return c.Keep(c.Tracer.broadcast(c.Thread, "broadcast_to", x, s))
}

// Where chooses as iif does, and gives the common type and shape also where the
// condition is known.
func (c *Calc) Where(cond, a, b vm.Value) vm.Value {
	r := c.Iif(cond, a, b)
	if _, isArray := cond.(*Tensor); isArray || IsTraced(cond) {
		return r
	}
	s, err := commonShape(a, b)
	if err != nil {
		return c.Keep(nil, err)
	}
	return c.widened(c.floatBeside(c.floatBeside(r, a), b), s)
}

// Float makes floats of ints and bools.
func (c *Calc) Float(x vm.Value) vm.Value {
	d, traced := TracedType(x)
	switch {
	case traced && d.IsFloat():
		return x
	case traced && c.Double && c.Err == nil:
		return c.Keep(c.Tracer.Cast(c.Thread, "float", x, graph.F64))
	}
	return c.unary(vm.OpToFloat, x)
}

// Vector makes a vector of scalars.
func (c *Calc) Vector(elems ...vm.Value) vm.Value {
	return c.Tensor(graph.Shape{len(elems)}, elems)
}

// Tensor makes an array of its elements, row by row.
func (c *Calc) Tensor(s graph.Shape, elems []vm.Value) vm.Value {
	if c.Err != nil {
		return int64(0)
	}
	return c.Keep(c.Tracer.fromElements(c.Thread, "tensor", s, elems))
}

// Matmul is a @ b.
func (c *Calc) Matmul(a, b vm.Value) vm.Value { return c.Binary(vm.OpMatMul, a, b) }

// Squares is the sum of the squares of x, from the first on.
func (c *Calc) Squares(x []vm.Value) vm.Value {
	s := c.Mul(x[0], x[0])
	for _, e := range x[1:] {
		s = c.Add(s, c.Mul(e, e))
	}
	return s
}
