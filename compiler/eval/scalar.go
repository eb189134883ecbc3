package eval

import (
	"fmt"
	"math"

	"github.com/copaflash/copaflash/compiler/eval/crmath"
	"github.com/copaflash/copaflash/compiler/graph"
)

// kernel computes one op on words; unused operands are 0. It returns the result
// and the sticky flags raised.
type kernel func(a, b, c uint32) (word, flags uint32)

// row has the kernels of one op by the type of its operands; for select that is
// the type of the two values.
type row struct{ bool, i32, f32 kernel }

var scalars = [graph.NumOps]row{
	graph.OpNeg:  {i32: int1(func(a int32) int32 { return -a }), f32: float1(func(a float32) float32 { return -a })},
	graph.OpAbs:  {i32: int1(absInt), f32: float1(func(a float32) float32 { return copysign(a, 1) })},
	graph.OpSign: {i32: int1(signInt), f32: float1(sign)},
	graph.OpNot:  {bool: word1(func(a uint32) uint32 { return 1 - a }), i32: word1(func(a uint32) uint32 { return ^a })},

	graph.OpSqrt:     {f32: float1(crmath.Sqrt)},
	graph.OpSin:      {f32: float1(crmath.Sin)},
	graph.OpCos:      {f32: float1(crmath.Cos)},
	graph.OpTan:      {f32: float1(crmath.Tan)},
	graph.OpAsin:     {f32: float1(crmath.Asin)},
	graph.OpAcos:     {f32: float1(crmath.Acos)},
	graph.OpAtan:     {f32: float1(crmath.Atan)},
	graph.OpExp:      {f32: float1(crmath.Exp)},
	graph.OpLog:      {f32: float1(crmath.Log)},
	graph.OpExp2:     {f32: float1(crmath.Exp2)},
	graph.OpExpm1:    {f32: float1(crmath.Expm1)},
	graph.OpSinh:     {f32: float1(crmath.Sinh)},
	graph.OpCosh:     {f32: float1(crmath.Cosh)},
	graph.OpTanh:     {f32: float1(crmath.Tanh)},
	graph.OpLog2:     {f32: float1(crmath.Log2)},
	graph.OpLog10:    {f32: float1(crmath.Log10)},
	graph.OpLog1p:    {f32: float1(crmath.Log1p)},
	graph.OpCbrt:     {f32: float1(crmath.Cbrt)},
	graph.OpFloor:    {f32: float1(floor)},
	graph.OpTrunc:    {f32: float1(trunc)},
	graph.OpCeil:     {f32: float1(ceil)},
	graph.OpRound:    {f32: float1(round)},
	graph.OpIsNaN:    {f32: floatCompare(func(a, _ float32) bool { return isNaN(a) })},
	graph.OpIsFinite: {f32: floatCompare(func(a, _ float32) bool { return float32(a-a) == 0 })},
	graph.OpStop:     {bool: same, i32: same, f32: same},

	graph.OpToF32:  {bool: toFloat, i32: toFloat},
	graph.OpToI32:  {bool: same, f32: floatToInt},
	graph.OpToBool: {i32: intCompare(func(a, _ int32) bool { return a != 0 }), f32: floatCompare(func(a, _ float32) bool { return a != 0 })},

	graph.OpAdd:      {i32: int2(func(a, b int32) int32 { return a + b }), f32: float2(func(a, b float32) float32 { return float32(a + b) })},
	graph.OpSub:      {i32: int2(func(a, b int32) int32 { return a - b }), f32: float2(func(a, b float32) float32 { return float32(a - b) })},
	graph.OpMul:      {i32: int2(func(a, b int32) int32 { return a * b }), f32: float2(func(a, b float32) float32 { return float32(a * b) })},
	graph.OpDiv:      {f32: float2(func(a, b float32) float32 { return float32(a / b) })},
	graph.OpFloorDiv: {i32: floorDivInt, f32: float2(floorDiv)},
	graph.OpMod:      {i32: modInt, f32: float2(mod)},
	graph.OpPow:      {f32: float2(crmath.Pow)},
	graph.OpAtan2:    {f32: float2(crmath.Atan2)},
	graph.OpHypot:    {f32: float2(crmath.Hypot)},
	graph.OpFmod:     {f32: float2(fmod)},
	graph.OpMin:      {i32: int2(func(a, b int32) int32 { return min(a, b) }), f32: float2(minimum)},
	graph.OpMax:      {i32: int2(func(a, b int32) int32 { return max(a, b) }), f32: float2(maximum)},

	graph.OpAnd: {bool: and, i32: and},
	graph.OpOr:  {bool: or, i32: or},
	graph.OpXor: {bool: xor, i32: xor},
	graph.OpShl: {i32: shl},
	graph.OpShr: {i32: shr},

	graph.OpLt: {i32: intCompare(func(a, b int32) bool { return a < b }), f32: floatCompare(func(a, b float32) bool { return a < b })},
	graph.OpLe: {i32: intCompare(func(a, b int32) bool { return a <= b }), f32: floatCompare(func(a, b float32) bool { return a <= b })},
	graph.OpGt: {i32: intCompare(func(a, b int32) bool { return a > b }), f32: floatCompare(func(a, b float32) bool { return a > b })},
	graph.OpGe: {i32: intCompare(func(a, b int32) bool { return a >= b }), f32: floatCompare(func(a, b float32) bool { return a >= b })},
	graph.OpEq: {bool: equal, i32: equal, f32: floatCompare(func(a, b float32) bool { return a == b })},
	graph.OpNe: {bool: unequal, i32: unequal, f32: floatCompare(func(a, b float32) bool { return a != b })},

	graph.OpSelect: {bool: choose, i32: choose, f32: choose},
}

func (r *row) kernel(t graph.DType) kernel {
	switch t {
	case graph.Bool:
		return r.bool
	case graph.I32:
		return r.i32
	case graph.F32:
		return r.f32
	}
	return nil
}

// Scalar computes an elementwise op on canonical words of operand type t (for
// select: the type of the two values, after the condition). It returns the
// result's word and the sticky flags raised. It panics if the op has no such
// meaning, which no checked graph contains.
func Scalar(op graph.Op, t graph.DType, words ...uint32) (word, flags uint32) {
	k := scalars[op].kernel(t)
	if k == nil || len(words) != op.Info().Arity {
		panic(fmt.Sprintf("eval: no scalar meaning of %v on %d operands of type %v", op, len(words), t))
	}
	var w [3]uint32
	copy(w[:], words)
	return k(w[0], w[1], w[2])
}

var same = word1(func(a uint32) uint32 { return a })

// The adapters from plain functions to kernels.

func word1(f func(uint32) uint32) kernel {
	return func(a, _, _ uint32) (uint32, uint32) { return f(a), 0 }
}

func int1(f func(int32) int32) kernel {
	return func(a, _, _ uint32) (uint32, uint32) { return uint32(f(int32(a))), 0 }
}

func int2(f func(a, b int32) int32) kernel {
	return func(a, b, _ uint32) (uint32, uint32) { return uint32(f(int32(a), int32(b))), 0 }
}

func float1(f func(float32) float32) kernel {
	return func(a, _, _ uint32) (uint32, uint32) { return floatWord(f(math.Float32frombits(a))), 0 }
}

func float2(f func(a, b float32) float32) kernel {
	return func(a, b, _ uint32) (uint32, uint32) {
		return floatWord(f(math.Float32frombits(a), math.Float32frombits(b))), 0
	}
}

func intCompare(f func(a, b int32) bool) kernel {
	return func(a, b, _ uint32) (uint32, uint32) { return boolWord(f(int32(a), int32(b))), 0 }
}

func floatCompare(f func(a, b float32) bool) kernel {
	return func(a, b, _ uint32) (uint32, uint32) {
		return boolWord(f(math.Float32frombits(a), math.Float32frombits(b))), 0
	}
}

func floatWord(x float32) uint32 { return graph.Canonical(graph.F32, math.Float32bits(x)) }

func boolWord(x bool) uint32 {
	if x {
		return 1
	}
	return 0
}
