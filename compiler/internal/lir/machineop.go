package lir

import (
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Machine ops, numbered behind those of the graph.
const (
	// Store writes A to the word at Addr.
	Store = graph.NumOps + iota
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
	// ShlBy, ShrBy and UshrBy shift A by Imm, 1 to 31: to the left, to the right with copies
	// of the sign, and to the right with zeros.
	ShlBy
	ShrBy
	UshrBy
	// AddBy and SubBy give A + Imm and A - Imm, where Imm is at most what the machine has room for in the instruction; AndBy, OrBy and
	// XorBy give A & Imm, A | Imm and A ^ Imm; LtBy, GeBy, EqBy and NeBy compare A with such a number.
	AddBy
	SubBy
	AndBy
	OrBy
	XorBy
	LtBy
	GeBy
	EqBy
	NeBy
	// IsZero gives whether A is 0.
	IsZero
	// AddShl and so on give what Add, Sub, And, Or or Xor does of A and of B shifted by Imm, 1 to 31.
	AddShl
	AddShr
	AddUshr
	SubShl
	SubShr
	SubUshr
	AndShl
	AndShr
	AndUshr
	OrShl
	OrShr
	OrUshr
	XorShl
	XorShr
	XorUshr
	// MulAdd gives A + B * C, MulSub A - B * C, of integers.
	MulAdd
	MulSub
	// MulHigh gives the upper 32 bits of A * B, numbers without a sign; MulShr gives these shifted to the right by Imm, 0 to 31.
	MulHigh
	MulShr
	// Quotient gives A / B, integers, toward zero: 0 where B is 0.
	Quotient
	// AbsDiff gives the magnitude of A - B, of floats.
	AbsDiff
	// Rest gives the remainder of A by B, which is greater than 0; RestUp does so for an A that is not negative.
	Rest
	RestUp
	// Spread gives all ones where bit Imm of A is set, and 0 elsewhere.
	Spread
	// Saturate gives the integer from -2^Imm to 2^Imm - 1 that is nearest to A, SaturateUp the one from 0 on.
	Saturate
	SaturateUp
	// Row gives how far, in bytes, the row of a table that index A takes is behind the first
	// one; RowUp does so for an index that is not negative. Imm is RowsImm of the table. Row2
	// and RowUp2 are for tables of a power of two of rows, with Rows2Imm.
	Row
	RowUp
	Row2
	RowUp2
	// Bits gives the bits of a float as an integer, OfBits those as a float.
	Bits
	OfBits
	// Key gives, for the bits of a float, an integer of the same order, and for such an
	// integer the bits.
	Key
	// FromInt gives as a float the integer whose bits A holds, ToInt the bits of the integer that
	// A becomes: casts of words on their way from or to memory.
	FromInt
	ToInt
	// FloorToInt, CeilToInt and RoundToInt give as an integer, like the cast, the float A rounded: down, up, or to the
	// nearest integer.
	FloorToInt
	CeilToInt
	RoundToInt
	// SinCos gives the sine of A as D and the cosine as E.
	SinCos

	// AtMost and AtLeast give B, but no more or no less than A, a limit that is neither
	// zero nor NaN; a limit of zero gives a zero of some sign.
	AtMost
	AtLeast

	// Lesser and Greater give A where it is less or greater than B, and B elsewhere: for zeros of both signs and NaNs, too.
	Lesser
	Greater

	// LtMask, LeMask, EqMask, NeMask and GtMask compare as the ops of the graph do, NgtMask as GtMask does not. They give
	// masks, all ones or zeros in each lane, for SelMask as Select has a bool, for KeepMask, which gives B where A is set and
	// zero elsewhere, and for DropMask, which gives zero where A is set and B elsewhere.
	LtMask
	LeMask
	EqMask
	NeMask
	GtMask
	NgtMask
	SelMask
	KeepMask
	DropMask

	// FlagLT, FlagLE and FlagEQ give an integer that is negative where A is less than B, no more, or equal.
	// IfFlag gives B where A, such an integer, is negative, C elsewhere.
	FlagLT
	FlagLE
	FlagEQ
	IfFlag
	// Test compares A with B, for the picks right behind it: PickGT gives A where the first was greater, B elsewhere, PickGE
	// where it was no less, PickEQ where they were equal. TestBy compares A with Imm.
	Test
	TestBy
	PickGT
	PickGE
	PickEQ
	// PutGT and so on give Imm where the first was greater, no less, equal, or not so, and A elsewhere. Put gives Imm and may stand
	// between a test and its picks.
	PutGT
	PutGE
	PutEQ
	PutLE
	PutLT
	PutNE
	Put
	// MinNum and MaxNum give the smaller and the larger number, with -0 below +0: a NaN only where both are, or one of
	// them is a signalling one.
	MinNum
	MaxNum
	// ShrBack shifts lanes to the right by 32 - Imm, with copies of the sign, AddShrBack gives A and B shifted so.
	ShrBack
	AddShrBack
	// Below gives the largest float below A: NaN below -infinity, infinity below NaN.
	Below

	// SplatAt gives copies of the word at A + Imm.
	SplatAt
	// AddIn, SubIn and MulIn have A and what LoadIn of B gives as operands.
	AddIn
	SubIn
	MulIn
	// MulSingle gives A times B, which is one word; MulLane A times lane Imm of B.
	MulSingle
	MulLane
	// Fold4 gives the sums of the halves of A, and those of B, of eight lanes. Fold2 does so
	// in each half, or with four lanes: a0 + a2, a1 + a3, b0 + b2, b1 + b3. Fold1 adds
	// neighbours there: a0 + a1, a2 + a3, b0 + b1, b2 + b3.
	Fold4
	Fold2
	Fold1
	// Even gives every other lane of A and B, from the first on, Odd from the second on.
	Even
	Odd
	// LoadEvery2, LoadEvery3 and LoadEvery4 give every other, third or fourth word from A + Imm on, in as many registers in a
	// row: D is the first of them, what Beside of it gives, for an Imm from 1 on, another one.
	LoadEvery2
	LoadEvery3
	LoadEvery4
	Beside
	// WeaveLow gives the first two lanes of A and B in turn, WeaveHigh the last two.
	WeaveLow
	WeaveHigh
	// Even4, Odd4, WeaveLow4 and WeaveHigh4 do so in each half of eight lanes. LowHalves gives the first halves of A and B,
	// HighHalves the last ones.
	Even4
	Odd4
	WeaveLow4
	WeaveHigh4
	LowHalves
	HighHalves
	// Reverse gives the lanes of A from last to first.
	Reverse

	// InsertInts and InsertFloats, SortInts, SortFloats, OrderInts and OrderFloats are kernels that work in the data block: A
	// is the offset of a line of results, B that of its description, Imm the number of its
	// elements. See Sorting.
	InsertInts
	InsertFloats
	SortInts
	SortFloats
	OrderInts
	OrderFloats

	// LargestFloat, SmallestFloat, LargestInt and SmallestInt are kernels that find the first of the largest
	// or smallest elements of a line: A is the offset of the line, B that of the result, behind which the
	// number of elements lies, Imm that number.
	LargestFloat
	SmallestFloat
	LargestInt
	SmallestInt

	// Fence is no code: what stands before it is done before what stands behind it. There is none behind scheduling.
	Fence

	// Move, Load, LoopEnd and Splat exist only behind register allocation: a copy,
	// the word at an Addr, the end of a loop, and copies of the word at an Addr.
	Move
	Load
	LoopEnd
	Splat
	// Narrow stands behind a loop on values of F32x8.
	Narrow
	// LoadBy, StoreBy, SplatBy and so on are LoadAt, StoreAt, SplatAt and so on with a pointer in the place of the offset:
	// what Pointer makes of one. StepPointer moves it on by Imm, StepBack back by what the machine has room for in
	// the instruction. A pointer may have more bits
	// than a word, and never leaves its register.
	LoadBy
	StoreBy
	SplatBy
	LoadEvery2By
	LoadEvery3By
	LoadEvery4By
	Pointer
	StepPointer
	StepBack
	// LoadInBy and StoreInBy are LoadIn and StoreIn with a pointer.
	LoadInBy
	StoreInBy
	// AddressBy gives a place as a pointer.
	AddressBy
	// ShlPointer gives what ShlBy does as a pointer, for an Imm of up to 4; RowBy and so on give the row as a pointer.
	ShlPointer
	RowBy
	RowUpBy
	Row2By
	RowUp2By
	// Set gives Imm, CountEnd is the end of a loop whose register counts down to 0, UntilEnd of one that ends where pointer A
	// has become what register D holds.
	Set
	CountEnd
	UntilEnd
	// Load2 and Store2 are two of Load or Store at once: registers A and B are the words at an Addr and
	// behind it. See Machine.Paired.
	Load2
	Store2
	// LoadBy2 and so on are two of LoadBy or StoreBy, LoadInBy or StoreInBy: A is the pointer, B and C are the values at
	// Imm from it and behind that.
	LoadBy2
	StoreBy2
	LoadInBy2
	StoreInBy2
	// SkipGT and so on go on Imm instructions further down where the Test before them found the first operand greater, no less,
	// equal, or not so.
	SkipGT
	SkipGE
	SkipEQ
	SkipLE
	SkipLT
	SkipNE
	// SkipZero and SkipAny do so where A is 0 or anything else, SkipLess, SkipNoLess, SkipEqual and SkipOther by A and B.
	SkipZero
	SkipAny
	SkipLess
	SkipNoLess
	SkipEqual
	SkipOther
	// SkipNegative and so on do so by the sign of A.
	SkipNegative
	SkipNoNegative
	SkipPositive
	SkipNoPositive
	// Skip does so in any case.
	Skip
	endOps
)

// The numbers of the graph's ops must stay below those of the machine ops.
var _ [Store - graph.NumOps]struct{}

// Imm is what the Imm of an instruction holds.
type Imm uint8

// The kinds. That of a loop's end is known to register allocation alone.
const (
	NoImm  Imm = iota
	Number     // an int32
	Place      // the Addr of what is read or written
	Offset     // an Addr whose offset in the data block is the result
)

// access is what an op does with the data block.
type access uint8

const (
	reads  access = 1 + iota // at Place, or at the index among its operands and Imm
	writes                   // likewise
)

func (o Op) row() *machineOp { return &machineOps[o.Code()] }

// MachineOps calls do for every machine op with the types that it is used on. must says
// whether all architectures have it that have the type: a word, a double, or several lanes.
func MachineOps(do func(op Op, must bool)) {
	for c := Store; c < endOps; c++ {
		for _, t := range machineOps[c].types {
			do(Of(c, t), true)
		}
		for _, t := range machineOps[c].also {
			do(Of(c, t), false)
		}
	}
}

// Imm is what the op's immediate is.
func (o Op) Imm() Imm { return o.row().imm }

// EndsLoop reports whether the op is the end of a loop.
func (o Op) EndsLoop() bool {
	return o.Code() == LoopEnd || o.Code() == CountEnd || o.Code() == UntilEnd
}

// InARow is how many registers in a row the result of the op takes.
func (o Op) InARow() int { return max(1, int(o.row().inARow)) }

// TakesAddr reports whether Imm is an Addr.
func (o Op) TakesAddr() bool { return o.row().imm >= Place }

// Loads reports whether the op gives what lies in memory, and does nothing else.
func (o Op) Loads() bool { return o.row().memory == reads && o.row().of == 0 }

// Writes reports whether the op writes memory: at Imm, an Addr, or at an index, of which
// nobody knows where that is.
func (o Op) Writes() (writing, anywhere bool) {
	r := o.row()
	return r.memory == writes, r.memory == writes && r.anywhere()
}

// Reads reports likewise whether the op reads memory.
func (o Op) Reads() (reading, anywhere bool) {
	r := o.row()
	return r.memory == reads, r.memory == reads && r.anywhere()
}

// anywhere reports whether an op that accesses memory does so elsewhere than at Imm.
func (r *machineOp) anywhere() bool { return r.imm != Place || strings.Contains(r.operands, "i") }

// Operands is the number of operands of a machine op.
func (o Op) Operands() int { return len(o.row().operands) }

// Name is the name of the op's stencil or kernel, without the type.
func (o Op) Name() string {
	if r := o.row(); r.name != "" {
		return r.name
	}
	return o.Code().String()
}

// latencies of the graph's ops on floats: typical cycles from operands to result on current cores.
var latencies = [graph.NumOps]uint8{
	graph.OpAdd: 4, graph.OpSub: 4, graph.OpMul: 4, graph.OpDiv: 12, graph.OpSqrt: 14, graph.OpMin: 5, graph.OpMax: 5,
}

// Latency is how many cycles the result takes, roughly, of an op whose code has so many
// instructions. It orders instructions; nothing depends on its being right.
func (o Op) Latency(insns int) uint8 {
	l := o.row().latency
	if c := o.Code(); c < graph.NumOps {
		if l = latencies[c]; ClassOf(o.DType()) == Int {
			return uint8(min(insns, 30))
		}
	}
	if l != 0 {
		return l
	}
	return uint8(min(2+insns, 30))
}
