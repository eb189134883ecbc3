package lir

import (
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
	// Address gives the offset of Addr in the data block.
	Address
	// AddConst gives A + Imm.
	AddConst
	// SinCos gives the sine of A as D and the cosine as E.
	SinCos

	// Move, Load and LoopEnd exist only behind register allocation: a copy, the
	// word at an Addr, and the end of a loop.
	Move
	Load
	LoopEnd
	endOps
)

// The numbers of the graph's ops must stay below those of the machine ops.
var _ [Store - graph.NumOps]struct{}

// NumOps bounds the numbers of Op, for tables.
const NumOps = 4 << opBits

const opBits = 8

// Of is the Op of a graph or machine op on operands of type t.
func Of(op graph.Op, t graph.DType) Op { return Op(t)<<opBits | Op(op) }

// Code is the graph or machine op.
func (o Op) Code() graph.Op { return graph.Op(o & (1<<opBits - 1)) }

// DType is the type of the operands.
func (o Op) DType() graph.DType { return graph.DType(o >> opBits) }

// machineNames are the names of the stencils of the machine ops, from Store on.
var machineNames = [...]string{"st", "ldx", "stx", "imm", "addi", "sincos", "mov", "ld", "loop"}

// MachineOps calls do for every machine op, with the types that it is used on.
func MachineOps(do func(Op)) {
	for c := Store; c < endOps; c++ {
		switch c {
		case Address, AddConst, LoopEnd:
			do(Of(c, graph.I32))
		case SinCos:
			do(Of(c, graph.F32))
		default:
			do(Of(c, graph.F32))
			do(Of(c, graph.I32))
		}
	}
}

// Name is the name of the op's stencil or kernel, without the type.
func (o Op) Name() string {
	if c := o.Code(); c >= Store && c < endOps {
		return machineNames[c-Store]
	}
	return o.Code().String()
}

// String is the name with the type: "add.f32".
func (o Op) String() string { return o.Name() + "." + o.DType().String() }

// Class is the kind of register a value needs.
type Class uint8

// Register classes.
const (
	Float Class = iota // float32
	Int                // int32, bool as 0 or 1, offsets in the data block
	NumClasses
)

// ClassOf is the class of values of type t.
func ClassOf(t graph.DType) Class {
	if t == graph.F32 {
		return Float
	}
	return Int
}

// ResultType is the type of the value that an elementwise op on operands of
// type t gives.
func ResultType(op graph.Op, t graph.DType) graph.DType {
	switch op.Info().Sig {
	case graph.SigOrder, graph.SigEqual, graph.SigToBool, graph.SigTest:
		return graph.Bool
	case graph.SigToF32:
		return graph.F32
	case graph.SigToI32:
		return graph.I32
	}
	return t
}
