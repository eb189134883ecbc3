package regalloc

import "github.com/copaflash/copaflash/compiler/internal/lir"

// Inst is one stencil or kernel call with its operands.
type Inst struct {
	Op         lir.Op
	D, A, B, C uint8 // registers
	Mem        bool  // the last operand is the word at the Addr in Imm
	// Imm is a constant or, where Mem is set and for Load, Store and Address, a
	// lir.Addr; for LoopEnd the index of the End.
	Imm uint32
}

// End is the end of a loop: the register of the instruction grows by Step and
// the code goes on at Head, until the register has grown by Length from the
// offset of From, or from 0 where From is NoAddr.
type End struct {
	Head   int // index of an instruction
	Step   int32
	Length int32
	From   lir.Addr
	Turns  uint64 // how often the instructions between Head and here run, per visit
}

// Code is a program in machine registers.
type Code struct {
	Insts []Inst
	Ends  []End
}
