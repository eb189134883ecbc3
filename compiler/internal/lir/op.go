package lir

import (
	"fmt"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Op is an operation on scalars of one type: an elementwise op of the graph or
// a machine op, with the type of its operands.
type Op uint16

// NumOps bounds the numbers of Op, for tables.
const NumOps = int(F32x8+1) << opBits

const opBits = 8

// Types of four and of eight words in one register of class Float: neighbours in
// memory, or copies of one word. They exist only in inner loops and what has become of those that run once, beside the types of
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
