package graph

// LaneTree is the order in which sum, dot and matmul add n terms, the same for
// every length and on every target, so that SIMD width never shows in a result.
const LaneTree = `Lane j of 8 is the sum of terms j, j+8, j+16, ... in rising order, starting from term j itself (not from 0).
Then for w = 4, 2, 1: for j < w, if lane j+w has terms: lane j = lane j + lane j+w. The result is lane 0; 0 where n = 0.`

// Ops is the op table, indexed by Op. "Rounded" means to float32, to nearest,
// ties to even, subnormals kept; nothing is ever fused. A NaN result is NaN
// (0x7fc00000) wherever bits leave the program.
var Ops = [NumOps]Info{
	OpConst: {Name: "const", Sig: SigSource, Attr: AttrConst,
		Doc: "a number or array known when the graph is built", Meaning: "The stored words."},
	OpInput: {Name: "input", Sig: SigSource, Attr: AttrInput,
		Doc: "a variable with an initial value that the host may write before each run", Meaning: "The words in the input's place in data memory; no op writes them."},
	OpState: {Name: "state", Sig: SigSource, Attr: AttrState,
		Doc: "a variable that keeps a value from one run to the next", Meaning: "The words that the last run left, the initial ones in the first. When a run has computed everything, all states take their next values at once."},

	OpNeg: {Name: "neg", Arity: 1, Sig: SigArith, Elementwise: true, Doc: "-x",
		Meaning: "i32: 0 - x, wrapping (-MIN = MIN). f32: the sign bit flipped, also of zero."},
	OpAbs: {Name: "abs", Arity: 1, Sig: SigArith, Elementwise: true, Doc: "absolute value",
		Meaning: "i32: x < 0 ? 0 - x : x, wrapping (|MIN| = MIN). f32: the sign bit cleared."},
	OpSign: {Name: "sign", Arity: 1, Sig: SigArith, Elementwise: true, Doc: "-1, 0 or 1",
		Meaning: "i32: -1, 0 or 1. f32: x > 0 gives 1, x < 0 gives -1, anything else gives x (so -0 stays -0 and NaN stays NaN)."},
	OpNot: {Name: "not", Arity: 1, Sig: SigBits, Elementwise: true, Doc: "bitwise complement; logical not of a bool",
		Meaning: "bool: 1 - x. i32: every bit flipped."},
	OpSqrt: {Name: "sqrt", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "square root",
		Meaning: "Correctly rounded; sqrt(-0) = -0, x < 0 gives NaN."},
	OpSin:   {Name: "sin", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "sine of an angle in radians", Meaning: "Correctly rounded; sin(-0) = -0, an infinity gives NaN."},
	OpCos:   {Name: "cos", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "cosine of an angle in radians", Meaning: "Correctly rounded; an infinity gives NaN."},
	OpTan:   {Name: "tan", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "tangent of an angle in radians", Meaning: "Correctly rounded; tan(-0) = -0, an infinity gives NaN."},
	OpAsin:  {Name: "asin", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "arc sine, -pi/2 to pi/2", Meaning: "Correctly rounded; asin(-0) = -0, |x| > 1 gives NaN."},
	OpAcos:  {Name: "acos", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "arc cosine, 0 to pi", Meaning: "Correctly rounded; |x| > 1 gives NaN."},
	OpAtan:  {Name: "atan", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "arc tangent, -pi/2 to pi/2", Meaning: "Correctly rounded; atan(-0) = -0."},
	OpExp:   {Name: "exp", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "e to the power x", Meaning: "Correctly rounded; exp(-inf) = +0."},
	OpLog:   {Name: "log", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "natural logarithm", Meaning: "Correctly rounded; log(+-0) = -inf, x < 0 gives NaN."},
	OpExp2:  {Name: "exp2", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "2 to the power x", Meaning: "Correctly rounded; exp2(-inf) = +0."},
	OpExpm1: {Name: "expm1", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "e to the power x, minus 1, accurate near 0 too", Meaning: "Correctly rounded; expm1(-0) = -0, expm1(-inf) = -1."},
	OpSinh:  {Name: "sinh", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "hyperbolic sine", Meaning: "Correctly rounded; sinh(-0) = -0."},
	OpCosh:  {Name: "cosh", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "hyperbolic cosine", Meaning: "Correctly rounded."},
	OpTanh:  {Name: "tanh", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "hyperbolic tangent", Meaning: "Correctly rounded; tanh(-0) = -0."},
	OpLog2:  {Name: "log2", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "binary logarithm", Meaning: "Correctly rounded; log2(+-0) = -inf, x < 0 gives NaN."},
	OpLog10: {Name: "log10", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "decimal logarithm", Meaning: "Correctly rounded; log10(+-0) = -inf, x < 0 gives NaN."},
	OpLog1p: {Name: "log1p", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "natural logarithm of 1 + x, accurate near 0 too", Meaning: "Correctly rounded; log1p(-0) = -0, log1p(-1) = -inf, x < -1 gives NaN."},
	OpCbrt:  {Name: "cbrt", Arity: 1, Sig: SigFloat, Elementwise: true, Doc: "cube root", Meaning: "Correctly rounded; cbrt(-0) = -0, the sign of x is kept."},
	OpFloor: {Name: "floor", Arity: 1, Sig: SigRound, Elementwise: true, Doc: "largest integer not above x, in the type of x",
		Meaning: "The largest integer <= x, with the sign of x where that is zero (floor(-0) = -0); infinities stay."},
	OpTrunc: {Name: "trunc", Arity: 1, Sig: SigRound, Elementwise: true, Doc: "x without its fraction, in the type of x",
		Meaning: "x rounded toward zero, with the sign of x where that is zero (trunc(-0.5) = -0); infinities stay."},
	OpCeil: {Name: "ceil", Arity: 1, Sig: SigRound, Elementwise: true, Doc: "smallest integer not below x, in the type of x",
		Meaning: "The smallest integer >= x, with the sign of x where that is zero (ceil(-0.5) = -0); infinities stay."},
	OpRound: {Name: "round", Arity: 1, Sig: SigRound, Elementwise: true, Doc: "nearest integer, halves to the even one, in the type of x",
		Meaning: "The nearest integer, of two equally near ones the even one, with the sign of x where that is zero (round(-0.5) = -0); infinities stay."},
	OpIsNaN:    {Name: "isnan", Arity: 1, Sig: SigTest, Elementwise: true, Doc: "whether x is no number", Meaning: "True for every NaN."},
	OpIsFinite: {Name: "isfinite", Arity: 1, Sig: SigTest, Elementwise: true, Doc: "whether x is neither infinite nor NaN", Meaning: "False for infinities and NaN."},
	OpStop: {Name: "stop", Arity: 1, Sig: SigMove, Elementwise: true, Doc: "x as a constant for gradients",
		Meaning: "x itself, but its derivative is 0."},
	OpToF32: {Name: "to_f32", Arity: 1, Sig: SigToF32, Elementwise: true, Doc: "as a float",
		Meaning: "bool: 0 or 1. i32: x rounded."},
	OpToI32: {Name: "to_i32", Arity: 1, Sig: SigToI32, Elementwise: true, Doc: "as an integer",
		Meaning: "bool: 0 or 1. f32: rounded toward zero; x >= 2^31 gives MAX, x < -2^31 gives MIN, NaN gives 0. No flag."},
	OpToBool: {Name: "to_bool", Arity: 1, Sig: SigToBool, Elementwise: true, Doc: "whether x differs from zero",
		Meaning: "x != 0; -0 gives false, NaN gives true."},

	OpAdd: {Name: "add", Arity: 2, Sig: SigArith, Elementwise: true, Commutative: true, Associative: true, Doc: "a + b",
		Meaning: "i32: wrapping. f32: rounded."},
	OpSub: {Name: "sub", Arity: 2, Sig: SigArith, Elementwise: true, Doc: "a - b",
		Meaning: "i32: wrapping. f32: rounded."},
	OpMul: {Name: "mul", Arity: 2, Sig: SigArith, Elementwise: true, Commutative: true, Associative: true, Doc: "a * b",
		Meaning: "i32: wrapping. f32: rounded."},
	OpDiv: {Name: "div", Arity: 2, Sig: SigFloat, Elementwise: true, Doc: "a / b, always a float",
		Meaning: "Rounded; a / 0 is an infinity of the product of the signs, 0 / 0 is NaN. No flag."},
	OpFloorDiv: {Name: "floordiv", Arity: 2, Sig: SigArith, Elementwise: true, Flags: FlagDivide, Doc: "a // b, rounded down as in Python",
		Meaning: `i32: floor of the quotient; a // 0 = 0 and MIN // -1 = MIN, both raise FlagDivide.
f32, every step rounded:
 1. b == 0 (or -0): the result is a / b.
 2. m = fmod(a, b): exact, the sign of a; a if |b| is infinite and a finite; NaN if a is infinite or an operand is NaN.
 3. d = (a - m) / b: a subtraction, then a division.
 4. If m != 0 and (b < 0) != (m < 0): d = d - 1.
 5. If d == 0: the result is zero with the sign of a / b (rounded; the sign bit also of a zero quotient).
 6. q = floor(d); if d - q > 0.5: q = q + 1. The result is q.
A NaN compares as C does: != is true, the others false. No flag.`},
	OpMod: {Name: "mod", Arity: 2, Sig: SigArith, Elementwise: true, Flags: FlagDivide, Doc: "a % b, with the sign of b as in Python",
		Meaning: `i32: a - b * floor(a / b); a % 0 = a raises FlagDivide; MIN % -1 = 0, which is exact, raises nothing.
f32:
 1. b == 0 (or -0): the result is NaN.
 2. m = fmod(a, b), as in floordiv.
 3. If m == 0: the result is zero with the sign of b.
 4. If (b < 0) != (m < 0): m = m + b, rounded. The result is m.
A NaN compares as C does. No flag.`},
	OpPow: {Name: "pow", Arity: 2, Sig: SigFloat, Elementwise: true, Doc: "a ** b",
		Meaning: "The shared pow kernel (at most 0.51 ULP) with the special values of C99: pow(x, +-0) = 1 and pow(1, y) = 1 even for NaN; a < 0 with b not an integer gives NaN. Powers with a known integer exponent are not this op: they are expanded into multiplications, see Value.Pow."},
	OpAtan2: {Name: "atan2", Arity: 2, Sig: SigFloat, Elementwise: true, Doc: "angle of the point (b, a), -pi to pi",
		Meaning: "The shared atan2(y = a, x = b) kernel (at most 0.51 ULP) with the special values of C99."},
	OpHypot: {Name: "hypot", Arity: 2, Sig: SigFloat, Elementwise: true, Commutative: true, Doc: "length of the vector (a, b)",
		Meaning: "In double arithmetic: sqrt(a * a + b * b), squares exact, sum and root rounded, then rounded to f32 (at most 0.51 ULP). An infinite operand gives +inf even beside NaN."},
	OpFmod: {Name: "fmod", Arity: 2, Sig: SigFloat, Elementwise: true, Doc: "remainder of a / b with the sign of a, as in C",
		Meaning: "a - b * trunc(a / b), exact; zero has the sign of a. b = 0, an infinite a or a NaN give NaN; an infinite b and a finite a give a."},
	OpMin: {Name: "min", Arity: 2, Sig: SigArith, Elementwise: true, Commutative: true, Associative: true, Doc: "the smaller of a and b",
		Meaning: "i32: signed. f32: NaN if an operand is NaN; -0 is below +0; also associative."},
	OpMax: {Name: "max", Arity: 2, Sig: SigArith, Elementwise: true, Commutative: true, Associative: true, Doc: "the larger of a and b",
		Meaning: "i32: signed. f32: NaN if an operand is NaN; -0 is below +0; also associative."},
	OpAnd: {Name: "and", Arity: 2, Sig: SigBits, Elementwise: true, Commutative: true, Associative: true, Doc: "a & b", Meaning: "Bit by bit."},
	OpOr:  {Name: "or", Arity: 2, Sig: SigBits, Elementwise: true, Commutative: true, Associative: true, Doc: "a | b", Meaning: "Bit by bit."},
	OpXor: {Name: "xor", Arity: 2, Sig: SigBits, Elementwise: true, Commutative: true, Associative: true, Doc: "a ^ b", Meaning: "Bit by bit."},
	OpShl: {Name: "shl", Arity: 2, Sig: SigShift, Elementwise: true, Flags: FlagShift, Doc: "a << b",
		Meaning: "Zeros shifted in; b >= 32 gives 0; b < 0 gives 0 and raises FlagShift."},
	OpShr: {Name: "shr", Arity: 2, Sig: SigShift, Elementwise: true, Flags: FlagShift, Doc: "a >> b, keeping the sign",
		Meaning: "Sign bits shifted in; b >= 32 gives 0 or -1 by the sign of a; b < 0 gives 0 and raises FlagShift."},
	OpLt: {Name: "lt", Arity: 2, Sig: SigOrder, Elementwise: true, Doc: "a < b", Meaning: "i32: signed. f32: false if an operand is NaN; -0 equals +0."},
	OpLe: {Name: "le", Arity: 2, Sig: SigOrder, Elementwise: true, Doc: "a <= b", Meaning: "i32: signed. f32: false if an operand is NaN; -0 equals +0."},
	OpGt: {Name: "gt", Arity: 2, Sig: SigOrder, Elementwise: true, Doc: "a > b", Meaning: "i32: signed. f32: false if an operand is NaN; -0 equals +0."},
	OpGe: {Name: "ge", Arity: 2, Sig: SigOrder, Elementwise: true, Doc: "a >= b", Meaning: "i32: signed. f32: false if an operand is NaN; -0 equals +0."},
	OpEq: {Name: "eq", Arity: 2, Sig: SigEqual, Elementwise: true, Commutative: true, Doc: "a == b", Meaning: "f32: false if an operand is NaN; -0 equals +0."},
	OpNe: {Name: "ne", Arity: 2, Sig: SigEqual, Elementwise: true, Commutative: true, Doc: "a != b", Meaning: "f32: true if an operand is NaN; -0 equals +0."},

	OpSelect: {Name: "select", Arity: 3, Sig: SigSelect, Elementwise: true, Doc: "b where the condition a is true, otherwise c",
		Meaning: "The words of b where a is 1, those of c where it is 0. Both are computed (and may raise flags), but nothing else of the side not taken shows."},

	OpStack: {Name: "stack", Arity: Variadic, Sig: SigStack, Doc: "a vector made of scalars", Meaning: "Element i is operand i."},
	OpIndex: {Name: "index", Arity: 1, Sig: SigMove, Attr: AttrIndex, Doc: "one element of a vector, one row of an array",
		Meaning: "Row i of axis 0, i known when the graph is built; the result has one axis less."},
	OpSlice: {Name: "slice", Arity: 1, Sig: SigMove, Attr: AttrSlice, Doc: "some rows of an array",
		Meaning: "Row k of the result is row start + k * step of axis 0; the number of rows is in the shape; step may be negative."},
	OpConcat: {Name: "concat", Arity: Variadic, Sig: SigConcat, Doc: "arrays one after the other along axis 0",
		Meaning: "The rows of each operand in turn; all axes but the first agree."},
	OpReshape:   {Name: "reshape", Arity: 1, Sig: SigMove, Doc: "the same elements in another shape", Meaning: "The elements in row-major order, unchanged; as many as before."},
	OpTranspose: {Name: "transpose", Arity: 1, Sig: SigMove, Doc: "rows and columns exchanged", Meaning: "For two axes: element (i, j) is element (j, i) of the operand."},
	OpBroadcast: {Name: "broadcast", Arity: 1, Sig: SigMove, Doc: "repeated along missing axes and axes of length 1",
		Meaning: "Axes are aligned at the end; a missing axis or one of length 1 is repeated to the length in the result's shape."},
	OpSum: {Name: "sum", Arity: 1, Sig: SigReduce, Attr: AttrAxis, Doc: "sum of all elements, or along one axis",
		Meaning: "Over all axes: the terms are the elements in row-major order, the result is a scalar. Along one axis: that axis disappears, each result is the sum of the elements along it. Terms are added (i32: wrapping, f32: rounded) in this order:\n" + LaneTree},
	OpDot: {Name: "dot", Arity: 2, Sig: SigReduce, Commutative: true, Doc: "inner product of two vectors of one length",
		Meaning: "Term k is a[k] * b[k] (rounded by itself for f32); the terms are added as by sum."},
	OpMatMul: {Name: "matmul", Arity: 2, Sig: SigReduce, Doc: "matrix product of matrix and vector, vector and matrix, or two matrices",
		Meaning: "(m, n) @ (n): row i is dot(a[i, :], b). (n) @ (n, p): element j is dot(a, b[:, j]). (m, n) @ (n, p): element (i, j) is dot(a[i, :], b[:, j])."},
}
