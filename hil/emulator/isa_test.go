//go:build linux

package emulator_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Where programs find words of the data block that belong to them.
const (
	resultAt = 16 // bytes
	paramAt  = 20
)

// An isa is what the tests need to know of an architecture: small programs,
// assembled by hand, and the registers a debugger counts.
type isa struct {
	arch    packet.Arch
	counter []byte // adds one to the result word
	spin    []byte // never ends
	// registers returns a program that fills every register an interrupt handler
	// might use, counts the parameter word down to 0, and stores the sum of them:
	// if one of them changed meanwhile, the sum is wrong.
	registers func() (code []byte, sum uint32)
	// faults returns programs that do not end well.
	faults func(place) []faultCase

	// setMode leaves the floating-point mode other than it was; getMode stores 1
	// plus the mode. nil without floating-point registers.
	setMode, getMode []byte

	gdb gdbRegisters
}

// gdbRegisters are numbers and width, in bytes, in QEMU's description.
type gdbRegisters struct {
	sp, pc, width int
	pushes        bool // the processor itself uses the stack, and notices that it is lost
}

// isas by name of architecture.
var isas = map[string]*isa{
	"aarch64": &a64,
	"armv7a":  &armv7a,
	"armv6":   &armv6,
	"rv64gc":  &rv64gc,

	"thumbv6m":     thumb(packet.ArchThumbv6m, false),
	"thumbv7m":     thumb(packet.ArchThumbv7m, false),
	"thumbv7em-sp": thumb(packet.ArchThumbv7emSp, true),
	"thumbv7em-dp": thumb(packet.ArchThumbv7emDp, true),

	"rv32imafc": &rv32imafc,
	"rv32imac":  &rv32imac,
}

// isaOf returns the programs for a board.
func isaOf(t *testing.T, b boards.Board) *isa {
	t.Helper()
	require.Contains(t, isas, b.Arch, "no test programs for the architecture of %s", b.Name)
	return isas[b.Arch]
}

// A place is where a chip has what programs must not touch.
type place struct {
	runner, uart uint32
	// QEMU 7.2 looks for alignment checks of user mode in the register of the
	// non-secure side, also when a core has only been on the secure one.
	secure bool
	// Nothing keeps a program from the runner and from devices.
	open bool
	// What the bus refuses goes unnoticed in QEMU's model.
	patient bool
	// The emulator takes ten times as long as the chip.
	slow bool
	// The core has fewer extensions than the architecture that the board is of.
	noAtomics bool
	// Where code lies, data is read by aligned words only.
	codeByWords bool
}

// places wants a line for every chip that is emulated.
var places = map[string]place{
	"riscv_virt":  {runner: 0x80000000, uart: 0x10000000},
	"sifive_e":    {runner: 0x20400000, uart: 0x10013000},
	"fe310_g002":  {runner: 0x20010000, uart: 0x10013000},
	"qemu_virt":   {runner: 0x40080000, uart: 0x09000000},
	"bcm2835":     {runner: 0x00008000, uart: 0x20201000, secure: true},
	"bcm2836":     {runner: 0x00080000, uart: 0x3f201000, secure: true},
	"bcm2711":     {runner: 0x00080000, uart: 0xfe201000},
	"vexpress_a9": {runner: 0x60010000, uart: 0x10009000, secure: true},

	"lm3s6965":         {runner: 0, uart: 0x4000c000, patient: true},
	"nrf51":            {runner: 0, uart: 0x40002000, open: true},
	"mps2":             {runner: 0, uart: 0x40004000},
	"mps2_an505":       {runner: 0x10000000, uart: 0x50200000},
	"mps3_an547":       {runner: 0x10000000, uart: 0x59303000},
	"esp32c3":          {runner: 0x3fc80000, uart: 0x60043000, noAtomics: true, codeByWords: true},
	"rp2040":           {runner: 0x20038000, uart: 0x40034000, slow: true},
	"stm32f100":        {runner: 0x08000000, uart: 0x40013800, open: true},
	"stm32l475":        {runner: 0x08000000, uart: 0x40013800},
	"stm32f405_usart6": {runner: 0x08000000, uart: 0x40011400},
}

func placeOf(t *testing.T, name string) place {
	t.Helper()
	b, err := boards.Find(name)
	require.NoError(t, err)
	require.Contains(t, places, b.Chip, "where are runner and UART of %s?", name)
	p := places[b.Chip]
	p.secure = p.secure && b.QEMU != nil && b.QEMU.Binary == "qemu-system-arm" // that for AArch64 enters below it
	return p
}

// image returns 32-bit instructions as bytes.
func image(words ...uint32) []byte {
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}
