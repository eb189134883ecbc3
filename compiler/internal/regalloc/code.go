package regalloc

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Inst is one stencil or kernel call with its operands.
type Inst struct {
	Op         lir.Op
	D, A, B, C uint8 // registers
	Mem        bool  // the last operand is the word at the Addr in Imm
	// Imm is a constant or, where Mem is set and for Load, Store and Address, a
	// lir.Addr; for the end of a loop the index of the End.
	Imm uint32
}

// End is the end of a loop: the register of the instruction grows by Step and
// the code goes on at Head, until the register has grown by Length from the
// offset of From, or from 0 where From is NoAddr. One that counts falls by 1 from Iterations
// to 0 instead, or holds from the start what the pointer By becomes in the end.
type End struct {
	Head       int // index of an instruction
	Counts     bool
	By         int // index of a phi, or 0: the register just counts
	Step       int32
	Length     int32
	From       lir.Addr
	Iterations uint64 // how often the instructions between Head and here run, per visit
	// For an inner loop, where its phis and the words that it keeps in registers are
	// at Head: what Check needs to know.
	Phis  []Place
	Words []Place
}

// Place is where a value is: in register Reg, or in memory at Home if that is
// not NoAddr.
type Place struct {
	Val  lir.Val
	Reg  uint8
	Home lir.Addr
	// Pointer: the register holds what Pointer makes of the value.
	Pointer bool
}

// Code is a program in machine registers.
type Code struct {
	Insts []Inst
	Ends  []End
}

var (
	addressOp = lir.Of(lir.Address, graph.I32)
	loopEndOp = lir.Of(lir.LoopEnd, graph.I32)

	countEndOp = lir.Of(lir.CountEnd, graph.I32)
	untilEndOp = lir.Of(lir.UntilEnd, graph.I32)
	setOp      = lir.Of(lir.Set, graph.I32)
	addOp      = lir.Of(lir.AddConst, graph.I32)
	pointerOp  = lir.Of(lir.Pointer, graph.I32)
	placeOp    = lir.Of(lir.AddressBy, graph.I32)
	stepOp     = lir.Of(lir.StepPointer, graph.I32)
	backOp     = lir.Of(lir.StepBack, graph.I32)

	storeInt, loadInt = lir.Of(lir.Store, graph.I32), lir.Of(lir.Load, graph.I32)
	load2Int          = lir.Of(lir.Load2, graph.I32)
	narrowOp          = lir.Of(lir.Narrow, lir.F32x8)
)
