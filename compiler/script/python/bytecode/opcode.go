package bytecode

// Op is an instruction code.
type Op uint8

// Instr is an instruction: the Op in the low byte, its argument above.
type Instr uint32

// MaxArg bounds the argument of an instruction and so the size of a code object.
const MaxArg = 1<<24 - 1

// Op returns the instruction code.
func (i Instr) Op() Op { return Op(i) }

// Arg returns the argument.
func (i Instr) Arg() int { return int(i >> 8) }

// The instructions. Stack effects are written bottom first: "a b -> c".
const (
	Nop Op = iota

	// Variables. The argument is a slot, or an index into Names.
	LoadConst
	LoadLocal
	StoreLocal
	DelLocal
	LoadCell
	StoreCell
	DelCell
	LoadGlobal
	StoreGlobal
	DelGlobal
	LoadName // class bodies: the class's own names, then globals
	StoreName
	DelName

	// Stack.
	Pop      // a ->
	PopUnder // a b -> b
	Dup      // a -> a a
	Dup2     // a b -> a b a b
	Rot2     // a b -> b a
	Rot3     // a b c -> c a b

	// Operators. The argument is the syntax operator.
	UnaryOp
	Not
	BinaryOp
	InplaceOp // InplaceElement in the argument: container key a b -> container key x
	CompareOp
	Is       // a b -> bool; argument 1 negates
	Contains // x container -> bool; argument 1 negates

	// Comparison chains: the accumulator below the operands holds what traced
	// comparisons gave so far.
	ChainBegin // a -> acc a
	ChainNext  // acc a b -> acc b, or -> result and jump; followed by a ChainOp word
	ChainEnd   // acc result -> result
	ChainOp    // operand word of ChainNext: the comparison

	// Jumps. The argument is the target.
	Jump
	JumpIfFalse     // a ->
	JumpIfTrue      // a ->
	JumpIfFalseKeep // a -> a if taken, else ->
	JumpIfTrueKeep  // a -> a if taken, else ->

	// Conditional expressions; the condition or a mark stays below the sides.
	CondBegin // c -> mark, or -> mark filler and jump if false
	CondElse  // mark a -> a and jump if the condition was true; else -> c a
	CondEnd   // mark filler b -> b, or c a b -> select(c, a, b)

	// Iteration.
	GetIter // a -> iterator
	ForIter // it -> it x, or it -> and jump at the end
	Unpack  // seq -> xn ... x1
	UnpackStar

	// Containers.
	BuildTuple
	BuildList
	BuildSet
	BuildDict
	BuildSlice  // a b -> slice, with argument 3 a b c -> slice
	BuildString // concatenates n strings
	Format      // x [spec] -> str; argument: conversion letter | 256 with spec
	ListAppend  // argument n: the list is n below the value
	ListExtend
	SetAdd
	SetUpdate
	DictSet
	DictUpdate
	ListToTuple

	// Attributes and subscripts.
	LoadAttr
	StoreAttr // value object ->
	DelAttr
	LoadIndex
	StoreIndex // value object key ->
	DelIndex

	// Calls. The argument is an index into Calls.
	LoadMethod // object -> function self-or-nil
	CallFunc   // f args... -> result
	CallMethod // f self args... -> result
	CallSpread // f list dict -> result

	// Definitions. The argument is an index into Children.
	MakeFunction // defaults... -> function
	MakeClass    // list of bases, dict of keywords -> class

	// Leaving a frame.
	Return
	Yield
	YieldFrom // iterator value -> result; repeats while the iterator yields

	// Exceptions. A handler is entered with previous exc on the stack.
	Raise          // argument: 0 re-raises, 1 exc ->, 2 exc cause ->
	MatchExc       // exc type -> exc bool
	PopExc         // prev exc -> ; argument 1 keeps a value above them
	Reraise        // prev exc -> raises
	CleanupExc     // prev exc prev2 exc2 -> raises exc2 with prev restored
	EndFinally     // prev payload kind -> ; argument: index into Exits
	PopFinally     // prev payload kind -> ; argument 1 keeps a value above them
	CleanupFinally // prev payload kind prev2 exc2 -> raises exc2
	WithEnter      // manager -> exit entered
	WithExit       // exit -> ; argument 1 keeps a value above it
	WithExitExc    // exit prev exc -> , or raises
	AssertFail     // argument 1: message ->

	// Patterns. The argument is an index into Patterns.
	Match // subject values... -> subject captures bool

	// Modules. The argument is an index into Names.
	Import
	ImportFrom // module -> module x
	ImportStar // module ->

	NumOps
)

// InplaceElement is the bit in the argument of InplaceOp that says that the result goes
// into a container: x[key] op= y.
const InplaceElement = 1 << 8
