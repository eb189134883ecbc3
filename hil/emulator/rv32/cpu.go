// Package rv32 interprets the machine code of a RISC-V core of 32 bits: RV32IMC, with machine and user mode, physical memory protection,
// and interrupts that a controller outside of it has chosen, as cores of Espressif have them.
//
// It is strict where silicon lets things pass: what an instruction set manual calls reserved is an illegal instruction. It knows
// no chip; memory is mapped by whoever makes the CPU, and everything else is asked of its Bus.
package rv32

// Modes of the privileged architecture.
const (
	User    = 0
	Machine = 3
)

// Causes of traps, as mcause has them.
const (
	CauseFetch       = 1 // access fault
	CauseIllegal     = 2
	CauseBreakpoint  = 3
	CauseLoad        = 5
	CauseStore       = 7
	CauseUserCall    = 8
	CauseMachineCall = 11

	// CauseInterrupt marks an interrupt, whose number is in the low bits.
	CauseInterrupt = 1 << 31
)

// A Bus is everything that is not memory of the CPU's own map. An access that it refuses is an access fault.
type Bus interface {
	Load(address uint32, size int) (value uint32, ok bool)
	Store(address uint32, size int, value uint32) (ok bool)
	// NoCode is told of an address that instructions cannot be fetched from.
	NoCode(address uint32)
	// Exception is told of one that comes from machine mode, at PC, before its handler is entered.
	Exception(cause, value uint32)
}

// A CPU is one core. Its fields may be set between calls of Run.
type CPU struct {
	X    [32]uint32 // X[0] is 0
	PC   uint32
	Mode uint8

	// Cycles counts instructions, each of which takes one, and what was slept.
	Cycles uint64
	// Limit is when Run returns, in cycles. The Bus may change it: at 0 the instruction that is under way is the last.
	Limit uint64
	// Interrupt is the one that is to be taken as soon as the core allows it; 0: none.
	Interrupt uint32
	// Waiting says that the core sleeps until there is an interrupt, after WFI.
	Waiting bool

	csrs    []CSR // by number; without Read there is none
	status  uint32
	vector  uint32
	scratch uint32
	epc     uint32
	cause   uint32
	value   uint32

	pmp     pmp
	bus     Bus
	pages   []*mapping // by number of the page
	windows [2][windowCount]window
}

// New returns a CPU on a bus, with these CSRs besides those of the package.
func New(bus Bus, more map[uint16]CSR) *CPU {
	c := &CPU{bus: bus, pages: make([]*mapping, 1<<(32-pageBits)), csrs: make([]CSR, 1<<12)}
	for _, table := range []map[uint16]CSR{baseCSRs(), pmpCSRs(), more} {
		for number, csr := range table {
			c.csrs[number] = csr
		}
	}
	c.Reset(0)
	return c
}

// Reset puts the core into the state that it has after reset, about to run at pc. General registers keep what they hold.
func (c *CPU) Reset(pc uint32) {
	c.PC, c.Mode = pc, Machine
	c.Interrupt, c.Waiting = 0, false
	c.status, c.vector, c.scratch, c.epc, c.cause, c.value = 0, vectored, 0, 0, 0, 0
	c.pmp = pmp{}
	c.forget()
}

// Bits of mstatus.
const (
	statusMIE  = 1 << 3
	statusMPIE = 1 << 7
	statusMPP  = 3 << 11
	statusTW   = 1 << 21
)

// Takes reports whether an interrupt would be taken now.
func (c *CPU) Takes() bool { return c.Mode != Machine || c.status&statusMIE != 0 }

// Masked reports whether interrupts are masked in machine mode.
func (c *CPU) Masked() bool { return c.status&statusMIE == 0 }

// trap enters the handler. Exceptions start at the base of the vector, interrupts at their own entries.
func (c *CPU) trap(cause, value uint32) {
	if c.Mode == Machine && cause&CauseInterrupt == 0 {
		c.bus.Exception(cause, value)
	}
	c.epc, c.cause, c.value = c.PC, cause, value
	previous := c.status & statusMIE << 4
	c.status = c.status&^(statusMIE|statusMPIE|statusMPP) | previous | uint32(c.Mode)<<11
	c.Mode = Machine
	c.PC = c.vector &^ 3
	if cause&CauseInterrupt != 0 && c.vector&vectored != 0 {
		c.PC += 4 * (cause &^ CauseInterrupt)
	}
}

// leave is MRET.
func (c *CPU) leave() {
	c.PC = c.epc
	c.Mode = uint8(c.status & statusMPP >> 11)
	mie := c.status & statusMPIE >> 4
	c.status = c.status&^(statusMIE|statusMPP) | mie | statusMPIE
}
