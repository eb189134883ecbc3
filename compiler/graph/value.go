package graph

import "strconv"

// Value is a node of a graph, or invalid after an error. It is comparable: equal
// values are the same node.
type Value struct {
	g  *Graph
	id ID
}

// Value returns the value of a node.
func (g *Graph) Value(id ID) Value { return Value{g, id} }

// ID returns the node's ID, or None.
func (v Value) ID() ID { return v.id }

// Graph returns the graph that v belongs to; nil for the zero Value.
func (v Value) Graph() *Graph { return v.g }

// Valid reports whether v is a node.
func (v Value) Valid() bool { return v.g != nil && v.id >= 0 }

// String returns the node's number as Dump writes it.
func (v Value) String() string {
	if !v.Valid() {
		return "%invalid"
	}
	return "%" + strconv.Itoa(int(v.id))
}

// Op returns the op of a valid value.
func (v Value) Op() Op { return v.g.nodes[v.id].Op }

// DType returns the element type of a valid value.
func (v Value) DType() DType { return v.g.nodes[v.id].DType }

// Shape returns the shape of a valid value. It must not be changed.
func (v Value) Shape() Shape { return v.g.ShapeOf(v.id) }

// keep records the first error in the graph, for the methods of Value.
func (g *Graph) keep(v Value, err error) Value {
	if err != nil {
		if g.err == nil {
			g.err = err
		}
		return Value{g, None}
	}
	return v
}

// apply1 and its kin pass invalid operands on: their error is recorded already.
func (v Value) apply1(op Op) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Apply(op, v))
}

func (v Value) apply2(op Op, w Value) Value {
	switch {
	case v.id < 0:
		return v
	case w.g == v.g && w.id < 0:
		return w
	case w.g != v.g:
		return v.g.keep(v.g.Apply(op, v, w))
	}
	return v.g.keep(v.g.binary(op, v.id, w.id))
}

// The methods below are the ops of the table, which says what each means.

// Neg is -v.
func (v Value) Neg() Value { return v.apply1(OpNeg) }

// Abs is the absolute value.
func (v Value) Abs() Value { return v.apply1(OpAbs) }

// Sign is -1, 0 or 1.
func (v Value) Sign() Value { return v.apply1(OpSign) }

// Not is the complement: bitwise of an integer, logical of a bool.
func (v Value) Not() Value { return v.apply1(OpNot) }

// Sqrt is the square root.
func (v Value) Sqrt() Value { return v.apply1(OpSqrt) }

// Sin is the sine.
func (v Value) Sin() Value { return v.apply1(OpSin) }

// Cos is the cosine.
func (v Value) Cos() Value { return v.apply1(OpCos) }

// Tan is the tangent.
func (v Value) Tan() Value { return v.apply1(OpTan) }

// Asin is the arc sine.
func (v Value) Asin() Value { return v.apply1(OpAsin) }

// Acos is the arc cosine.
func (v Value) Acos() Value { return v.apply1(OpAcos) }

// Atan is the arc tangent.
func (v Value) Atan() Value { return v.apply1(OpAtan) }

// Exp is e to the power v.
func (v Value) Exp() Value { return v.apply1(OpExp) }

// Log is the natural logarithm.
func (v Value) Log() Value { return v.apply1(OpLog) }

// Exp2 is 2 to the power v.
func (v Value) Exp2() Value { return v.apply1(OpExp2) }

// Expm1 is e to the power v, minus 1.
func (v Value) Expm1() Value { return v.apply1(OpExpm1) }

// Sinh is the hyperbolic sine.
func (v Value) Sinh() Value { return v.apply1(OpSinh) }

// Cosh is the hyperbolic cosine.
func (v Value) Cosh() Value { return v.apply1(OpCosh) }

// Tanh is the hyperbolic tangent.
func (v Value) Tanh() Value { return v.apply1(OpTanh) }

// Log2 is the binary logarithm.
func (v Value) Log2() Value { return v.apply1(OpLog2) }

// Log10 is the decimal logarithm.
func (v Value) Log10() Value { return v.apply1(OpLog10) }

// Log1p is the natural logarithm of 1 + v.
func (v Value) Log1p() Value { return v.apply1(OpLog1p) }

// Cbrt is the cube root.
func (v Value) Cbrt() Value { return v.apply1(OpCbrt) }

// Floor rounds down.
func (v Value) Floor() Value { return v.apply1(OpFloor) }

// Trunc rounds toward zero.
func (v Value) Trunc() Value { return v.apply1(OpTrunc) }

// Ceil rounds up.
func (v Value) Ceil() Value { return v.apply1(OpCeil) }

// Round rounds to the nearest integer, halves to the even one.
func (v Value) Round() Value { return v.apply1(OpRound) }

// IsNaN tells whether v is no number.
func (v Value) IsNaN() Value { return v.apply1(OpIsNaN) }

// IsFinite tells whether v is neither infinite nor NaN.
func (v Value) IsFinite() Value { return v.apply1(OpIsFinite) }

// Stop is v, but a constant for gradients.
func (v Value) Stop() Value { return v.apply1(OpStop) }

// ToF32 converts to float.
func (v Value) ToF32() Value { return v.apply1(OpToF32) }

// ToF64 converts to double.
func (v Value) ToF64() Value { return v.apply1(OpToF64) }

// ToI32 converts to integer.
func (v Value) ToI32() Value { return v.apply1(OpToI32) }

// ToBool is v != 0.
func (v Value) ToBool() Value { return v.apply1(OpToBool) }

// Add is v + w.
func (v Value) Add(w Value) Value { return v.apply2(OpAdd, w) }

// Sub is v - w.
func (v Value) Sub(w Value) Value { return v.apply2(OpSub, w) }

// Mul is v * w.
func (v Value) Mul(w Value) Value { return v.apply2(OpMul, w) }

// Div is v / w, always a float.
func (v Value) Div(w Value) Value { return v.apply2(OpDiv, w) }

// FloorDiv is v // w.
func (v Value) FloorDiv(w Value) Value { return v.apply2(OpFloorDiv, w) }

// Mod is v % w, with the sign of w.
func (v Value) Mod(w Value) Value { return v.apply2(OpMod, w) }

// Atan2 is the angle of the point (w, v).
func (v Value) Atan2(w Value) Value { return v.apply2(OpAtan2, w) }

// Hypot is the length of the vector (v, w).
func (v Value) Hypot(w Value) Value { return v.apply2(OpHypot, w) }

// Fmod is the remainder of v / w, with the sign of v.
func (v Value) Fmod(w Value) Value { return v.apply2(OpFmod, w) }

// Min is the smaller of the two.
func (v Value) Min(w Value) Value { return v.apply2(OpMin, w) }

// Max is the larger of the two.
func (v Value) Max(w Value) Value { return v.apply2(OpMax, w) }

// And is v & w.
func (v Value) And(w Value) Value { return v.apply2(OpAnd, w) }

// Or is v | w.
func (v Value) Or(w Value) Value { return v.apply2(OpOr, w) }

// Xor is v ^ w.
func (v Value) Xor(w Value) Value { return v.apply2(OpXor, w) }

// Shl is v << w.
func (v Value) Shl(w Value) Value { return v.apply2(OpShl, w) }

// Shr is v >> w.
func (v Value) Shr(w Value) Value { return v.apply2(OpShr, w) }

// Lt is v < w.
func (v Value) Lt(w Value) Value { return v.apply2(OpLt, w) }

// Le is v <= w.
func (v Value) Le(w Value) Value { return v.apply2(OpLe, w) }

// Gt is v > w.
func (v Value) Gt(w Value) Value { return v.apply2(OpGt, w) }

// Ge is v >= w.
func (v Value) Ge(w Value) Value { return v.apply2(OpGe, w) }

// Eq is v == w, element by element.
func (v Value) Eq(w Value) Value { return v.apply2(OpEq, w) }

// Ne is v != w, element by element.
func (v Value) Ne(w Value) Value { return v.apply2(OpNe, w) }

// Dot is the inner product of two vectors.
func (v Value) Dot(w Value) Value { return v.apply2(OpDot, w) }

// MatMul is v @ w.
func (v Value) MatMul(w Value) Value {
	if v.id < 0 {
		return v
	}
	if w.g == v.g && w.id < 0 {
		return w
	}
	return v.g.keep(v.g.MatMul(v, w))
}

// Select is a where the condition v is true, otherwise b.
func (v Value) Select(a, b Value) Value {
	for _, x := range [...]Value{v, a, b} {
		if x.id < 0 && x.g == v.g {
			return x
		}
	}
	return v.g.keep(v.g.Apply(OpSelect, v, a, b))
}

// Clamp is max(min(v, hi), lo): within lo and hi, NaN where one of them is.
func (v Value) Clamp(lo, hi Value) Value { return v.Min(hi).Max(lo) }

// Norm is the length of a vector, the root of its inner product with itself. Its
// derivative is 0 where the length is 0, at no cost to the length (see opt).
func (v Value) Norm() Value {
	q := v.Dot(v)
	if q.id < 0 {
		return q
	}
	if !q.DType().IsFloat() {
		q = q.ToF32()
	}
	return q.Eq(v.g.Number(q.DType(), 0)).Select(q, q.Sqrt())
}

// Index is row i of axis 0; negative i counts from the end.
func (v Value) Index(i int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Index(v, i))
}

// Slice is count rows of axis 0 from start by step.
func (v Value) Slice(start, count, step int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Slice(v, start, count, step))
}

// Reshape gives the elements another shape.
func (v Value) Reshape(s ...int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Reshape(v, s))
}

// Transpose exchanges the axes of a matrix.
func (v Value) Transpose() Value { return v.apply1(OpTranspose) }

// Broadcast repeats v to a larger shape.
func (v Value) Broadcast(s ...int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Broadcast(v, s))
}

// Sum is the sum of all elements.
func (v Value) Sum() Value { return v.apply1(OpSum) }

// SumAxis is the sum along one axis.
func (v Value) SumAxis(axis int) Value {
	if v.id < 0 {
		return v
	}
	return v.g.keep(v.g.Sum(v, axis))
}

// StackOf makes a vector of scalars of this graph.
func (g *Graph) StackOf(vs ...Value) Value {
	for _, v := range vs {
		if v.g == g && v.id < 0 {
			return v
		}
	}
	return g.keep(g.Stack(vs...))
}

// ConcatOf joins arrays of this graph along axis 0.
func (g *Graph) ConcatOf(vs ...Value) Value {
	for _, v := range vs {
		if v.g == g && v.id < 0 {
			return v
		}
	}
	return g.keep(g.Concat(vs...))
}
