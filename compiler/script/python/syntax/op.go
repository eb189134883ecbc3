package syntax

// BinaryOp is an arithmetic or bit operator with two operands.
type BinaryOp uint8

// The binary operators.
const (
	Add BinaryOp = iota
	Sub
	Mul
	Div
	FloorDiv
	Mod
	Pow
	MatMul
	BitAnd
	BitOr
	BitXor
	LShift
	RShift
	NumBinaryOps = iota
)

var binaryOps = [NumBinaryOps]struct{ symbol, method string }{
	Add: {"+", "add"}, Sub: {"-", "sub"}, Mul: {"*", "mul"}, Div: {"/", "truediv"},
	FloorDiv: {"//", "floordiv"}, Mod: {"%", "mod"}, Pow: {"**", "pow"}, MatMul: {"@", "matmul"},
	BitAnd: {"&", "and"}, BitOr: {"|", "or"}, BitXor: {"^", "xor"},
	LShift: {"<<", "lshift"}, RShift: {">>", "rshift"},
}

// String returns the operator as it is written.
func (op BinaryOp) String() string { return binaryOps[op].symbol }

// Method returns the name within the special methods: "add" for __add__, __radd__ and __iadd__.
func (op BinaryOp) Method() string { return binaryOps[op].method }

// UnaryOp is an operator with one operand, or one of the conversions that a
// host value treats like one.
type UnaryOp uint8

// The unary operators and conversions.
const (
	Neg         UnaryOp = iota // -x
	Plus                       // +x
	Invert                     // ~x
	Abs                        // abs(x)
	ToInt                      // int(x)
	ToFloat                    // float(x)
	Round                      // round(x) without digits
	Floor                      // math.floor(x)
	Ceil                       // math.ceil(x)
	Trunc                      // math.trunc(x)
	NumUnaryOps = iota
)

var unaryOps = [NumUnaryOps]struct{ symbol, method string }{
	Neg: {"unary -", "__neg__"}, Plus: {"unary +", "__pos__"}, Invert: {"unary ~", "__invert__"},
	Abs: {"abs()", "__abs__"}, ToInt: {"int()", "__int__"}, ToFloat: {"float()", "__float__"},
	Round: {"round()", "__round__"}, Floor: {"floor()", "__floor__"}, Ceil: {"ceil()", "__ceil__"},
	Trunc: {"trunc()", "__trunc__"},
}

// String returns the operator as error messages name it.
func (op UnaryOp) String() string { return unaryOps[op].symbol }

// Method returns the special method of the operator.
func (op UnaryOp) Method() string { return unaryOps[op].method }

// CompareOp is a comparison that values can define.
type CompareOp uint8

// The comparisons.
const (
	Eq CompareOp = iota
	Ne
	Lt
	Le
	Gt
	Ge
	NumCompareOps = iota
)

var compareOps = [NumCompareOps]struct {
	symbol, method string
	mirror         CompareOp
}{
	Eq: {"==", "__eq__", Eq}, Ne: {"!=", "__ne__", Ne}, Lt: {"<", "__lt__", Gt},
	Le: {"<=", "__le__", Ge}, Gt: {">", "__gt__", Lt}, Ge: {">=", "__ge__", Le},
}

// String returns the comparison as it is written.
func (op CompareOp) String() string { return compareOps[op].symbol }

// Method returns the special method of the comparison.
func (op CompareOp) Method() string { return compareOps[op].method }

// Mirror returns the comparison with its operands exchanged: > for <.
func (op CompareOp) Mirror() CompareOp { return compareOps[op].mirror }
