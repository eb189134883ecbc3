package esp32c3

import "github.com/copaflash/copaflash/hil/emulator/rv32"

// What is not memory: the core asks for it here.

// Addresses of registers.
const (
	peripherals    = 0x6000_0000
	peripheralsEnd = 0x600d_1000
	icache         = 0x4037_c000 // SRAM0, which the boot ROM uses as a cache
	rom            = 0x4000_0000
	romEnd         = 0x4006_0000
)

// where names a part of the address space in complaints.
func where(address uint32) string {
	switch {
	case address >= peripherals && address < peripheralsEnd:
		return "registers"
	case address >= rom && address < romEnd:
		return "the boot ROM"
	case address >= icache && address < instructionBus:
		return "the cache of instructions"
	case address >= instructionBus && address < instructionBus+sram1Size:
		return "the instruction bus"
	}
	return "nothing"
}

// Load implements rv32.Bus. What was due has been done: the CPU stops for it.
func (c *Chip) Load(address uint32, size int) (value uint32, ok bool) {
	b, r := c.register(address, size, "load")
	if b == nil {
		return 0, false
	}
	value = b.read(r)
	if r != nil && r.takes {
		c.update()
	}
	return value, true
}

// Store implements rv32.Bus.
func (c *Chip) Store(address uint32, size int, value uint32) (ok bool) {
	b, r := c.register(address, size, "store")
	if b == nil {
		return false
	}
	b.write(r, value)
	if r != nil && !r.still {
		c.update()
	}
	return true
}

// register finds what an access is for. Registers are accessed by words: where one is not there the block is an empty one, which reads
// as 0; where there are none at all, or the instruction bus refuses, it is nil.
func (c *Chip) register(address uint32, size int, access string) (*block, *register) {
	if address < peripherals || address >= peripheralsEnd {
		c.fault("%s of %d bytes at %#x, %s", access, size, address, where(address))
		return nil, nil
	}
	if size != 4 || address%4 != 0 {
		c.complain("%s of %d bytes at %#x, where registers are", access, size, address)
	}
	address &^= 3
	b := c.blocks[(address-peripherals)/blockSize]
	if b == nil {
		c.complain("%s at %#x, where no device is known", access, address)
		return nowhere, nil
	}
	r := b.at(address - b.base)
	if r == nil {
		c.complain("%s at %#x: %s has no such register", access, address, b.name)
	}
	if !c.clocked(b) {
		c.complain("%s at %#x: %s is in reset, or without its clock", access, address, b.name)
		return nowhere, nil
	}
	return b, r
}

// clocked reports whether a device is out of reset and has its clock.
func (c *Chip) clocked(b *block) bool {
	return c.system.block == nil || c.system.enabled()&b.gate == b.gate && c.system.inReset()&b.gate == 0
}

// fault complains of what traps, unless a program does it, whose host hears of that.
func (c *Chip) fault(format string, args ...any) {
	if c.cpu.Mode == rv32.Machine {
		c.complain(format, args...)
	}
}

// NoCode implements rv32.Bus.
func (c *Chip) NoCode(address uint32) { c.fault("execution at %#x, %s", address, where(address)) }

// Exception implements rv32.Bus.
func (c *Chip) Exception(cause, value uint32) {
	c.complain("exception %d in machine mode, value %#x", cause, value)
}
