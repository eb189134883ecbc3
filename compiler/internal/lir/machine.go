package lir

// Machine is what scheduling and register allocation need to know about an
// architecture.
type Machine struct {
	Regs      [NumClasses]int    // registers that programs may use, at most 32
	Preserved [NumClasses]uint32 // registers that survive a kernel call, by bit
	Ops       [NumOps]OpInfo     // by Op
	Vectors   bool               // all VectorOps are valid; no value of F32x4 survives a kernel call
	// InOrder says that typical cores start instructions in the order of the code
	// and wait for operands, so that it pays to keep uses away from definitions.
	InOrder bool
}

// OpInfo describes the code of one Op.
type OpInfo struct {
	Valid    bool
	Kernel   bool // a call: operands and results in the float registers 0 and 1
	Tied     bool // the result takes the register of the first operand
	Mem      bool // the last operand may be a word of the data block
	Commutes bool // the first two operands may be exchanged
	Operands uint8
	Latency  uint8  // rough time until the result can be used, in cycles
	Insns    uint16 // bound on the machine instructions carried out
}
