package rv32

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const handlerAt = base + PageSize

// inUserMode runs words without privileges, with all memory open to them, and a vector of handlers.
func inUserMode(words ...uint32) *core {
	c := newCore(words...)
	c.vector = handlerAt | vectored
	c.Mode = User
	c.pmp.address[15], c.pmp.config[15] = minus, pmpNAPOT|pmpRead|pmpWrite|pmpExecute
	c.forget()
	return c
}

// A trap notes where, why, and what was; MRET goes back.
func TestTraps(t *testing.T) {
	for _, tt := range []struct {
		name         string
		word         uint32
		mode         uint8
		cause, value uint32
	}{
		{"ecall of a user", 0x73, User, CauseUserCall, 0},
		{"ecall of the machine", 0x73, Machine, CauseMachineCall, 0},
		{"ebreak", 0x0010_0073, User, CauseBreakpoint, base},
		{"illegal", 0, User, CauseIllegal, 0},
		{"load", typeI(0x2003, 1, 0, 4), User, CauseLoad, 4},
		{"store", typeS(0x2023, 0, 0, 8), Machine, CauseStore, 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := inUserMode(tt.word)
			c.stop, c.Mode, c.status = false, tt.mode, statusMIE
			c.put(handlerAt, 0x3020_0073)
			c.step(1)
			require.EqualValues(t, handlerAt, c.PC, "exceptions do not use the vector")
			require.Equal(t, []uint32{base, tt.cause, tt.value}, []uint32{c.epc, c.cause, c.value})
			require.EqualValues(t, Machine, c.Mode)
			require.EqualValues(t, statusMPIE|uint32(tt.mode)<<11, c.status)
			require.False(t, c.Takes())
			c.step(1)
			require.EqualValues(t, base, c.PC)
			require.Equal(t, tt.mode, c.Mode)
			require.EqualValues(t, statusMIE|statusMPIE, c.status)
		})
	}
}

// Interrupts are taken in user mode always, in machine mode when they are not masked, each at its own entry.
func TestInterrupts(t *testing.T) {
	const nop = 0x13
	for _, tt := range []struct {
		name   string
		mode   uint8
		status uint32
		taken  bool
	}{
		{"user", User, 0, true},
		{"machine", Machine, statusMIE, true},
		{"machine, masked", Machine, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := inUserMode(nop, nop, nop)
			c.Mode, c.status = tt.mode, tt.status
			c.put(handlerAt+4*7, nop)
			c.step(1)
			c.Interrupt = 7
			c.step(1)
			require.Empty(t, c.notes)
			if !tt.taken {
				require.EqualValues(t, base+8, c.PC)
				return
			}
			require.EqualValues(t, handlerAt+4*7+4, c.PC, "after the first instruction of its entry")
			require.Equal(t, []uint32{base + 4, CauseInterrupt | 7, 0}, []uint32{c.epc, c.cause, c.value})
			require.EqualValues(t, uint32(tt.mode)<<11|tt.status<<4, c.status)
		})
	}
}

// WFI sleeps until there is an interrupt, which need not be taken.
func TestWaiting(t *testing.T) {
	const wfi, nop = 0x1050_0073, 0x13
	c := newCore(wfi, nop)
	c.step(5)
	require.True(t, c.Waiting)
	require.EqualValues(t, base+4, c.PC)
	c.step(5)
	require.EqualValues(t, base+4, c.PC, "it sleeps on")
	c.Interrupt = 3
	c.step(1)
	require.False(t, c.Waiting)
	require.EqualValues(t, base+8, c.PC, "interrupts are masked: it goes on")

	c = newCore(wfi, nop)
	c.Interrupt = 3
	c.step(1)
	require.False(t, c.Waiting, "there is one already")

	c = newCore(wfi, nop)
	c.vector, c.status = handlerAt|vectored, statusMIE
	c.put(handlerAt+12, nop)
	c.step(1)
	c.Interrupt = 3
	c.step(1)
	require.EqualValues(t, handlerAt+16, c.PC)
	require.EqualValues(t, base+4, c.epc)
	require.EqualValues(t, uint32(CauseInterrupt|3), c.cause)
}

// CSR instructions, on mscratch: which of them read and write, and what.
func TestCSRs(t *testing.T) {
	for _, tt := range []struct {
		name string
		word uint32
		want uint32
	}{
		{"csrrw", 0x3400_91f3, 0x0f0f},
		{"csrrs", 0x3400_a1f3, 0xffff},
		{"csrrc", 0x3400_b1f3, 0xf0f0},
		{"csrrwi", 0x340f_d1f3, 31},
		{"csrrsi", 0x340f_e1f3, 0xf0ff},
		{"csrrci", 0x3407_f1f3, 0xf0f0},
		{"csrrs of x0", 0x3400_21f3, 0xf0f0},
		{"csrrc of x0", 0x3400_31f3, 0xf0f0},
		{"csrrw of x0", 0x3400_11f3, 0},
	} {
		c := newCore(tt.word)
		c.scratch, c.X[1] = 0xf0f0, 0x0f0f
		c.step(1)
		require.EqualValues(t, 0xf0f0, c.X[3], tt.name)
		require.Equal(t, tt.want, c.scratch, tt.name)
		require.Empty(t, c.notes)
	}
	for _, tt := range []struct {
		name          string
		csr           uint32
		written, read uint32
	}{
		{"mtvec is aligned to 256 bytes and vectored", 0x305, 0x4038_04fc, 0x4038_0401},
		{"mepc is even", 0x341, minus, minus - 1},
		{"mstatus has what a core with two modes needs", 0x300, minus, statusMIE | statusMPIE | statusMPP | statusTW},
		{"misa", 0x301, 0, 0x4010_1104},
		{"pmpaddr0", 0x3b0, minus, minus},
		{"pmpcfg0 without reserved bits", 0x3a0, 0x7f7f_7f7f, 0x1f1f_1f1f},
	} {
		c := newCore(typeI(0x1073, 0, 1, tt.csr), typeI(0x2073, 3, 0, tt.csr))
		c.X[1] = tt.written
		c.step(2)
		require.Equal(t, tt.read, c.X[3], tt.name)
	}
	c := newCore(typeI(0x1073, 0, 1, 0x300))
	c.status, c.X[1] = statusMPP, 1<<11
	c.step(1)
	require.EqualValues(t, statusMPP, c.status, "there is no supervisor")
}

// Reset masks interrupts, and opens all memory.
func TestReset(t *testing.T) {
	c := inUserMode(0x13)
	c.pmp.config[15] |= pmpLock
	c.step(1)
	c.X[5] = 5
	c.CPU.Reset(base + 8)
	require.EqualValues(t, Machine, c.Mode)
	require.EqualValues(t, base+8, c.PC)
	require.False(t, c.Takes())
	require.Equal(t, [pmpEntries]uint8{}, c.pmp.config)
	require.EqualValues(t, 5, c.X[5])
}
