package vm

import "github.com/copaflash/copaflash/compiler/script/python/syntax"

// The operators that host values see.
type (
	BinaryOp  = syntax.BinaryOp
	UnaryOp   = syntax.UnaryOp
	CompareOp = syntax.CompareOp
)

// Binary operators: + - * / // % ** @ & | ^ << >>.
const (
	OpAdd      = syntax.Add
	OpSub      = syntax.Sub
	OpMul      = syntax.Mul
	OpDiv      = syntax.Div
	OpFloorDiv = syntax.FloorDiv
	OpMod      = syntax.Mod
	OpPow      = syntax.Pow
	OpMatMul   = syntax.MatMul
	OpBitAnd   = syntax.BitAnd
	OpBitOr    = syntax.BitOr
	OpBitXor   = syntax.BitXor
	OpLShift   = syntax.LShift
	OpRShift   = syntax.RShift
)

// Unary operators - + ~, and the conversions abs, int, float, round, floor,
// ceil, trunc, which a host value may define to give a value of its own.
const (
	OpNeg     = syntax.Neg
	OpPlus    = syntax.Plus
	OpInvert  = syntax.Invert
	OpAbs     = syntax.Abs
	OpToInt   = syntax.ToInt
	OpToFloat = syntax.ToFloat
	OpRound   = syntax.Round
	OpFloor   = syntax.Floor
	OpCeil    = syntax.Ceil
	OpTrunc   = syntax.Trunc
)

// Comparisons: == != < <= > >=.
const (
	OpEq = syntax.Eq
	OpNe = syntax.Ne
	OpLt = syntax.Lt
	OpLe = syntax.Le
	OpGt = syntax.Gt
	OpGe = syntax.Ge
)
