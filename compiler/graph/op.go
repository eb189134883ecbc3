package graph

import "fmt"

// Op is a row of the table Ops.
type Op uint8

// Variadic is the Arity of ops that take any number of operands, one at least.
const Variadic = -1

// Sig says which operand types an op takes, how unlike operands are brought
// together, and the type of the result.
type Sig uint8

// The signatures. "Common" is the larger operand type in the order bool, i32,
// f32 or f64; f32 beside f64 is refused.
const (
	SigSource Sig = iota // no operands; the type is given
	SigArith             // common type, at least i32; gives the same
	SigFloat             // f64 stays, everything else becomes f32; gives the same
	SigRound             // f32 to f32, f64 to f64; applied to an integer it is that integer
	SigBits              // bool or i32, common type; gives the same
	SigShift             // i32; gives i32
	SigOrder             // common type, at least i32; gives bool
	SigEqual             // common type; gives bool
	SigToF32             // bool, i32 or f64; gives f32
	SigToF64             // bool, i32 or f32; gives f64
	SigToI32             // bool, f32 or f64; gives i32
	SigToBool            // i32, f32 or f64; gives bool
	SigTest              // f64, or everything becomes f32; gives bool
	SigSelect            // bool, then two of the common type; gives the common type
	SigStack             // scalars of the common type; gives a vector
	SigConcat            // arrays of the common type; gives the same
	SigMove              // any type; gives the same
	SigTake              // any type, then an i32; gives the first
	SigSort              // bool, i32 or f32; gives the same
	SigPlaces            // bool, i32 or f32; gives i32
	SigReduce            // as SigArith, with a shape rule of its own
	SigScan              // the types are those of the loop
)

// AttrUse says what the attribute word of a node holds.
type AttrUse uint8

// The uses of the attribute word.
const (
	AttrNone  AttrUse = iota // always 0
	AttrConst                // scalar: the word; array: its index for Graph.ArrayBits
	AttrInput                // index for Graph.InputInfo
	AttrState                // index for Graph.StateInfo
	AttrIndex                // the element or row, from 0
	AttrSlice                // first row and step; see Node.SliceRange
	AttrAxis                 // 0: all axes; otherwise the axis + 1
	AttrParam                // its number in the body of the loop, from 0
	AttrScan                 // index for Graph.Scans and number of the result; see ScanAttr
)

// Sticky arithmetic flags: raised by a run, never lowered by one. A program
// collects them in the first word of its data block.
const (
	FlagDivide uint32 = 1 << 0 // integer // or % by zero, or MIN // -1
	FlagShift  uint32 = 1 << 1 // negative shift count
)

// FlagInfo describes a sticky flag.
type FlagInfo struct {
	Bit  uint32
	Name string // as in JSON documents
	Ops  string // the ops that raise it, for people
	Text string // what has happened, and what the result was
}

// Flags lists the sticky flags in order of their bits.
var Flags = []FlagInfo{
	{FlagDivide, "divide", "divisions", "an integer was divided by zero, or the smallest one by -1: the result was 0, or the number itself"},
	{FlagShift, "shift", "shifts", "a shift count was negative: the result was 0"},
}

// Info is a row of the op table.
type Info struct {
	Name        string
	Arity       int // number of operands, or Variadic
	Sig         Sig
	Attr        AttrUse
	Elementwise bool   // operands and result have one shape
	Commutative bool   // f(a, b) and f(b, a) have the same bits
	Associative bool   // exactly so for integers and bools; for floats only where Meaning says so
	Flags       uint32 // sticky flags that it may raise
	Doc         string // one line for people who write programs
	Meaning     string // exact: what eval, the folding and every stencil compute
	// Derivative by each operand, x or a, b, c, as expressions that a test holds
	// against package autodiff ("d/da = b; d/db = a"), or in words. Of integers and bools it is 0.
	Derivative string
	// Adjoint is what each operand gets of the adjoint adj of the result y, as expressions in the order of
	// the operands ("adj * b; adj * a"), from which gen makes the rule of package autodiff, operation by operation.
	// Empty where the derivative is 0 or the rule is written there by hand.
	Adjoint string
}

// String returns the op's name, which also names its stencils.
func (op Op) String() string {
	if op < NumOps {
		return Ops[op].Name
	}
	return fmt.Sprintf("op(%d)", uint8(op))
}

// Info returns the op's row.
func (op Op) Info() *Info { return &Ops[op] }

var opsByName = func() map[string]Op {
	m := make(map[string]Op, NumOps)
	for op := range NumOps {
		m[Ops[op].Name] = op
	}
	return m
}()

// ParseOp is the inverse of String.
func ParseOp(name string) (Op, error) {
	if op, ok := opsByName[name]; ok {
		return op, nil
	}
	return 0, fmt.Errorf("unknown op %.60q", name) // names come from files
}
