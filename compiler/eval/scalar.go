package eval

import (
	"fmt"
	"math"

	"github.com/copaflash/copaflash/compiler/eval/crmath"
	"github.com/copaflash/copaflash/compiler/eval/math64"
	"github.com/copaflash/copaflash/compiler/graph"
)

// kernel computes one op on the bits of its operands; unused ones are 0. It
// returns those of the result and the sticky flags raised.
type kernel func(a, b, c uint64) (bits uint64, flags uint32)

// row has the kernels of one op by the type of its operands; for select that is
// the type of the two values.
type row struct{ bool, i32, f32, f64 kernel }

var scalars = [graph.NumOps]row{
	graph.OpNeg:  {i32: int1(func(a int32) int32 { return -a }), f32: float1(neg[float32]), f64: double1(neg[float64])},
	graph.OpAbs:  {i32: int1(absInt), f32: float1(abs), f64: double1(math.Abs)},
	graph.OpSign: {i32: int1(signInt), f32: float1(sign[float32]), f64: double1(sign[float64])},
	graph.OpNot:  {bool: word1(func(a uint32) uint32 { return 1 - a }), i32: word1(func(a uint32) uint32 { return ^a })},

	graph.OpSqrt:     {f32: float1(crmath.Sqrt), f64: double1(math.Sqrt)},
	graph.OpSin:      {f32: float1(crmath.Sin), f64: double1(math64.Sin)},
	graph.OpCos:      {f32: float1(crmath.Cos), f64: double1(math64.Cos)},
	graph.OpTan:      {f32: float1(crmath.Tan), f64: double1(math64.Tan)},
	graph.OpAsin:     {f32: float1(crmath.Asin), f64: double1(math64.Asin)},
	graph.OpAcos:     {f32: float1(crmath.Acos), f64: double1(math64.Acos)},
	graph.OpAtan:     {f32: float1(crmath.Atan), f64: double1(math64.Atan)},
	graph.OpExp:      {f32: float1(crmath.Exp), f64: double1(math64.Exp)},
	graph.OpLog:      {f32: float1(crmath.Log), f64: double1(math64.Log)},
	graph.OpExp2:     {f32: float1(crmath.Exp2), f64: double1(math64.Exp2)},
	graph.OpExpm1:    {f32: float1(crmath.Expm1), f64: double1(math64.Expm1)},
	graph.OpSinh:     {f32: float1(crmath.Sinh), f64: double1(math64.Sinh)},
	graph.OpCosh:     {f32: float1(crmath.Cosh), f64: double1(math64.Cosh)},
	graph.OpTanh:     {f32: float1(crmath.Tanh), f64: double1(math64.Tanh)},
	graph.OpLog2:     {f32: float1(crmath.Log2), f64: double1(math64.Log2)},
	graph.OpLog10:    {f32: float1(crmath.Log10), f64: double1(math64.Log10)},
	graph.OpLog1p:    {f32: float1(crmath.Log1p), f64: double1(math64.Log1p)},
	graph.OpCbrt:     {f32: float1(crmath.Cbrt), f64: double1(math64.Cbrt)},
	graph.OpFloor:    {f32: float1(floor), f64: double1(math.Floor)},
	graph.OpTrunc:    {f32: float1(trunc), f64: double1(math.Trunc)},
	graph.OpCeil:     {f32: float1(ceil), f64: double1(math.Ceil)},
	graph.OpRound:    {f32: float1(round), f64: double1(math.RoundToEven)},
	graph.OpIsNaN:    {f32: floatCompare(isNaN[float32]), f64: doubleCompare(isNaN[float64])},
	graph.OpIsFinite: {f32: floatCompare(isFinite[float32]), f64: doubleCompare(isFinite[float64])},
	graph.OpStop:     {bool: same, i32: same, f32: same, f64: same},

	graph.OpToF32:  {bool: toFloat, i32: toFloat, f64: doubleToFloat},
	graph.OpToF64:  {bool: toDouble, i32: toDouble, f32: floatToDouble},
	graph.OpToI32:  {bool: same, f32: floatToInt, f64: doubleToInt},
	graph.OpToBool: {i32: intCompare(func(a, _ int32) bool { return a != 0 }), f32: floatCompare(nonZero[float32]), f64: doubleCompare(nonZero[float64])},

	graph.OpAdd:      {i32: int2(func(a, b int32) int32 { return a + b }), f32: float2(add[float32]), f64: double2(add[float64])},
	graph.OpSub:      {i32: int2(func(a, b int32) int32 { return a - b }), f32: float2(sub[float32]), f64: double2(sub[float64])},
	graph.OpMul:      {i32: int2(func(a, b int32) int32 { return a * b }), f32: float2(mul[float32]), f64: double2(mul[float64])},
	graph.OpDiv:      {f32: float2(div[float32]), f64: double2(div[float64])},
	graph.OpFloorDiv: {i32: floorDivInt, f32: float2(floorDiv[float32]), f64: double2(floorDiv[float64])},
	graph.OpMod:      {i32: modInt, f32: float2(mod[float32]), f64: double2(mod[float64])},
	graph.OpPow:      {f32: float2(crmath.Pow), f64: double2(math64.Pow)},
	graph.OpAtan2:    {f32: float2(crmath.Atan2), f64: double2(math64.Atan2)},
	graph.OpHypot:    {f32: float2(crmath.Hypot), f64: double2(math64.Hypot)},
	graph.OpFmod:     {f32: float2(fmod[float32]), f64: double2(fmod[float64])},
	graph.OpMin:      {i32: int2(func(a, b int32) int32 { return min(a, b) }), f32: float2(minimum[float32]), f64: double2(minimum[float64])},
	graph.OpMax:      {i32: int2(func(a, b int32) int32 { return max(a, b) }), f32: float2(maximum[float32]), f64: double2(maximum[float64])},

	graph.OpAnd: {bool: and, i32: and},
	graph.OpOr:  {bool: or, i32: or},
	graph.OpXor: {bool: xor, i32: xor},
	graph.OpShl: {i32: shl},
	graph.OpShr: {i32: shr},

	graph.OpLt: {i32: intCompare(func(a, b int32) bool { return a < b }), f32: floatCompare(less[float32]), f64: doubleCompare(less[float64])},
	graph.OpLe: {i32: intCompare(func(a, b int32) bool { return a <= b }), f32: floatCompare(lessEqual[float32]), f64: doubleCompare(lessEqual[float64])},
	graph.OpGt: {i32: intCompare(func(a, b int32) bool { return a > b }), f32: floatCompare(greater[float32]), f64: doubleCompare(greater[float64])},
	graph.OpGe: {i32: intCompare(func(a, b int32) bool { return a >= b }), f32: floatCompare(greaterEqual[float32]), f64: doubleCompare(greaterEqual[float64])},
	graph.OpEq: {bool: equal, i32: equal, f32: floatCompare(equals[float32]), f64: doubleCompare(equals[float64])},
	graph.OpNe: {bool: unequal, i32: unequal, f32: floatCompare(differs[float32]), f64: doubleCompare(differs[float64])},

	graph.OpSelect: {bool: choose, i32: choose, f32: choose, f64: choose},
}

func (r *row) kernel(t graph.DType) kernel {
	switch t {
	case graph.Bool:
		return r.bool
	case graph.I32:
		return r.i32
	case graph.F32:
		return r.f32
	case graph.F64:
		return r.f64
	}
	return nil
}

// Scalar computes an elementwise op on the canonical bits of operands of type t
// (for select: the type of the two values, after the condition). It returns the
// result's bits and the sticky flags raised. It panics if the op has no such
// meaning, which no checked graph contains.
func Scalar(op graph.Op, t graph.DType, words ...uint64) (bits uint64, flags uint32) {
	k := scalars[op].kernel(t)
	if k == nil || len(words) != op.Info().Arity {
		panic(fmt.Sprintf("eval: no scalar meaning of %v on %d operands of type %v", op, len(words), t))
	}
	var w [3]uint64
	copy(w[:], words)
	return k(w[0], w[1], w[2])
}

var same kernel = func(a, _, _ uint64) (uint64, uint32) { return a, 0 }

// The adapters from plain functions to kernels.

func word1(f func(uint32) uint32) kernel {
	return func(a, _, _ uint64) (uint64, uint32) { return uint64(f(uint32(a))), 0 }
}

func int1(f func(int32) int32) kernel {
	return func(a, _, _ uint64) (uint64, uint32) { return intWord(f(int32(a))), 0 }
}

func int2(f func(a, b int32) int32) kernel {
	return func(a, b, _ uint64) (uint64, uint32) { return intWord(f(int32(a), int32(b))), 0 }
}

func float1(f func(float32) float32) kernel {
	return func(a, _, _ uint64) (uint64, uint32) { return floatWord(f(floatOf(a))), 0 }
}

func float2(f func(a, b float32) float32) kernel {
	return func(a, b, _ uint64) (uint64, uint32) { return floatWord(f(floatOf(a), floatOf(b))), 0 }
}

func double1(f func(float64) float64) kernel {
	return func(a, _, _ uint64) (uint64, uint32) { return doubleWord(f(math.Float64frombits(a))), 0 }
}

func double2(f func(a, b float64) float64) kernel {
	return func(a, b, _ uint64) (uint64, uint32) {
		return doubleWord(f(math.Float64frombits(a), math.Float64frombits(b))), 0
	}
}

func intCompare(f func(a, b int32) bool) kernel {
	return func(a, b, _ uint64) (uint64, uint32) { return boolWord(f(int32(a), int32(b))), 0 }
}

func floatCompare(f func(a, b float32) bool) kernel {
	return func(a, b, _ uint64) (uint64, uint32) { return boolWord(f(floatOf(a), floatOf(b))), 0 }
}

func doubleCompare(f func(a, b float64) bool) kernel {
	return func(a, b, _ uint64) (uint64, uint32) {
		return boolWord(f(math.Float64frombits(a), math.Float64frombits(b))), 0
	}
}

func floatOf(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }

func floatWord(x float32) uint64 { return graph.Canonical(graph.F32, uint64(math.Float32bits(x))) }

func doubleWord(x float64) uint64 { return graph.Canonical(graph.F64, math.Float64bits(x)) }

func intWord(x int32) uint64 { return uint64(uint32(x)) }

func boolWord(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}
