package lir

import (
	"fmt"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Op is an operation on scalars of one type: an elementwise op of the graph or
// a machine op, with the type of its operands.
type Op uint16

// Machine ops, numbered behind those of the graph.
const (
	// Store writes A to the word at Addr.
	Store graph.Op = 128 + iota
	// LoadAt gives the word at A + Imm, A being a byte offset in the data block.
	LoadAt
	// StoreAt writes A to the word at B + Imm.
	StoreAt
	// LoadIn and StoreIn are LoadAt and StoreAt with an Addr as Imm, whose offset in the
	// data block counts: the pointer is an index, which several arrays can share.
	LoadIn
	StoreIn
	// Address gives the offset of Addr in the data block.
	Address
	// AddConst gives A + Imm.
	AddConst
	// SinCos gives the sine of A as D and the cosine as E.
	SinCos

	// AtMost and AtLeast give B, but no more or no less than A, a limit that is neither
	// zero nor NaN; a limit of zero gives a zero of some sign.
	AtMost
	AtLeast

	// SplatAt gives copies of the word at A + Imm.
	SplatAt
	// AddIn, SubIn and MulIn have A and what LoadIn of B gives as operands.
	AddIn
	SubIn
	MulIn

	// Move, Load, LoopEnd and Splat exist only behind register allocation: a copy,
	// the word at an Addr, the end of a loop, and copies of the word at an Addr.
	Move
	Load
	LoopEnd
	Splat
	// Narrow stands behind a loop on values of F32x8.
	Narrow
	endOps
)

// The numbers of the graph's ops must stay below those of the machine ops.
var _ [Store - graph.NumOps]struct{}

// NumOps bounds the numbers of Op, for tables.
const NumOps = int(F32x8+1) << opBits

const opBits = 8

// Types of four and of eight words in one register of class Float: neighbours in
// memory, or copies of one word. They exist only in inner loops, beside the types of
// the graph. Bools are 0 or 1 in every lane. Machine ops, which move or copy, have the
// types of floats for all.
const (
	Boolx4 = graph.F64 + 1 + iota
	I32x4
	F32x4
	Boolx8
	I32x8
	F32x8
)

// VectorOf is the type of values with elements of type t, which has one word, in so many lanes;
// t for one.
func VectorOf(t graph.DType, lanes int) graph.DType {
	switch lanes {
	case 4:
		return Boolx4 + t - graph.Bool
	case 8:
		return Boolx8 + t - graph.Bool
	}
	return t
}

// Vector is the type for moving values of so many lanes; F32 for one.
func Vector(lanes int) graph.DType { return VectorOf(graph.F32, lanes) }

// Element is the type of the elements of a value of type t.
func Element(t graph.DType) graph.DType {
	switch {
	case t >= Boolx8:
		return t - Boolx8 + graph.Bool
	case t >= Boolx4:
		return t - Boolx4 + graph.Bool
	}
	return t
}

// Widths are the numbers of lanes that vectors may have, MaxLanes first.
var Widths = [...]int{MaxLanes, 4}

// MaxLanes is the largest number of lanes.
const MaxLanes = 8

// Lanes is the number of elements in a value of type t.
func Lanes(t graph.DType) int {
	switch {
	case t >= Boolx8:
		return 8
	case t >= Boolx4:
		return 4
	}
	return 1
}

// WordsOf is the number of words in a value of type t.
func WordsOf(t graph.DType) int {
	if n := Lanes(t); n > 1 {
		return n
	}
	return t.Words()
}

// Of is the Op of a graph or machine op on operands of type t.
func Of(op graph.Op, t graph.DType) Op { return Op(t)<<opBits | Op(op) }

// Code is the graph or machine op.
func (o Op) Code() graph.Op { return graph.Op(o & (1<<opBits - 1)) }

// DType is the type of the operands.
func (o Op) DType() graph.DType { return graph.DType(o >> opBits) }

// machineNames are the names of the stencils of the machine ops, from Store on.
var machineNames = [...]string{"st", "ldx", "stx", "ldx", "stx", "imm", "addi", "sincos", "atmost", "atleast", "splatx", "addx", "subx", "mulx", "mov", "ld", "loop", "splat", "narrow"}

// MachineOps calls do for every machine op on single words, with the types that
// it is used on: what every architecture has.
func MachineOps(do func(Op)) {
	for c := Store; c < endOps; c++ {
		switch c {
		case Address, AddConst, LoopEnd:
			do(Of(c, graph.I32))
		case SinCos:
			do(Of(c, graph.F32))
		case Splat, SplatAt, AddIn, SubIn, MulIn, Narrow, AtMost, AtLeast:
		default:
			do(Of(c, graph.F32))
			do(Of(c, graph.I32))
		}
	}
}

// LimitOps calls do for the machine ops that an architecture has where they are shorter
// than what they stand for.
func LimitOps(do func(Op)) {
	for _, t := range []graph.DType{graph.F32, graph.F64} {
		do(Of(AtMost, t))
		do(Of(AtLeast, t))
	}
}

// DoubleOps calls do for every machine op on F64.
func DoubleOps(do func(Op)) {
	for _, c := range []graph.Op{Store, LoadAt, StoreAt, LoadIn, StoreIn, Move, Load} {
		do(Of(c, graph.F64))
	}
}

// VectorOps calls do for every machine op on values of the given number of lanes.
func VectorOps(lanes int, do func(Op)) {
	for _, c := range []graph.Op{Store, LoadAt, StoreAt, LoadIn, StoreIn, SplatAt, Move, Load, Splat} {
		do(Of(c, Vector(lanes)))
	}
	if lanes == MaxLanes {
		for _, c := range []graph.Op{AddIn, SubIn, MulIn, Narrow} {
			do(Of(c, Vector(lanes)))
		}
	}
}

// TakesAddr reports whether Imm is an Addr. That of a machine op behind register
// allocation is one too where it moves a word.
func (o Op) TakesAddr() bool {
	switch o.Code() {
	case Store, Address, LoadIn, StoreIn, AddIn, SubIn, MulIn, Load, Splat:
		return true
	}
	return false
}

// FromMemory is the op that takes its last operand from memory, as LoadIn would give it.
func (o Op) FromMemory() (Op, bool) {
	switch o.Code() {
	case graph.OpAdd:
		return Of(AddIn, o.DType()), true
	case graph.OpSub:
		return Of(SubIn, o.DType()), true
	case graph.OpMul:
		return Of(MulIn, o.DType()), true
	}
	return o, false
}

// Counted is the op of the graph that o carries out, or o itself.
func (o Op) Counted() graph.Op {
	switch o.Code() {
	case AddIn:
		return graph.OpAdd
	case SubIn:
		return graph.OpSub
	case MulIn:
		return graph.OpMul
	}
	return o.Code()
}

// Name is the name of the op's stencil or kernel, without the type.
func (o Op) Name() string {
	if c := o.Code(); c >= Store && c < endOps {
		return machineNames[c-Store]
	}
	return o.Code().String()
}

// String is the name with the type: "add.f32".
func (o Op) String() string { return o.Name() + "." + o.TypeName() }

// TypeName is the name of the type of the operands: "f32", "f32x4".
func (o Op) TypeName() string {
	t := o.DType()
	if n := Lanes(t); n > 1 {
		return fmt.Sprintf("%sx%d", Element(t), n)
	}
	return t.String()
}

// Class is the kind of register a value needs.
type Class uint8

// Register classes.
const (
	Float  Class = iota // float32, or several of them, or of other words
	Int                 // int32, bool as 0 or 1, offsets in the data block
	Double              // float64; see Machine.Bank
	NumClasses
)

// ClassOf is the class of values of type t.
func ClassOf(t graph.DType) Class {
	switch {
	case t == graph.F32 || Lanes(t) > 1:
		return Float
	case t == graph.F64:
		return Double
	}
	return Int
}

// Type is the type for moving single values of a class: bools move as integers.
func (c Class) Type() graph.DType {
	return [NumClasses]graph.DType{Float: graph.F32, Int: graph.I32, Double: graph.F64}[c]
}

// Bytes is the size and alignment of a single value in the data block.
func (c Class) Bytes() int { return 4 * c.Type().Words() }

// ResultType is the type of the value that an elementwise op on operands of
// type t gives.
func ResultType(op graph.Op, t graph.DType) graph.DType {
	switch op.Info().Sig {
	case graph.SigOrder, graph.SigEqual, graph.SigToBool, graph.SigTest:
		return graph.Bool
	case graph.SigToF32:
		return graph.F32
	case graph.SigToF64:
		return graph.F64
	case graph.SigToI32:
		return graph.I32
	}
	return t
}
