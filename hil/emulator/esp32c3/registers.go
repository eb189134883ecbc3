package esp32c3

import "fmt"

// blockSize divides the address space so that no part has registers of two devices, in bytes.
const blockSize = 0x800

// A register is a row of a device's table. Bits that are in none of its masks are reserved.
type register struct {
	offset uint32
	name   string
	reset  uint32
	rw     uint32 // bits that keep what is written
	ro     uint32 // bits that only the chip changes; writing them does nothing
	wo     uint32 // bits that do something when a 1 is written, and read as 0

	// load is asked instead of the value that is kept; nil: that.
	load  func() uint32
	takes bool // a load changes something
	still bool // a store changes nothing that happens by itself
	// open reports whether the register may be written; nil: always.
	open func() bool
	// store is told of what was written, after rw bits have been kept; nil: nothing else happens.
	store func(value uint32)
}

// A block is the registers of a device.
type block struct {
	chip      *Chip
	name      string
	base      uint32
	gate      uint32      // its bits in PERIP_CLK_EN0 and PERIP_RST_EN0
	keeps     bool        // what it has is kept when the digital core is reset
	device    device      // nil: none
	registers []*register // by offset
	values    []uint32    // by offset
}

// nowhere is what answers where there is no device.
var nowhere = &block{name: "nothing"}

// add makes a device known. Two rows of one address are a mistake of this package.
func (c *Chip) add(b *block, rows ...register) *block {
	size := uint32(0)
	for _, r := range rows {
		size = max(size, r.offset+1)
	}
	b.chip, b.registers, b.values = c, make([]*register, size), make([]uint32, size)
	for i := range rows {
		r := &rows[i]
		if b.registers[r.offset] != nil {
			panic(fmt.Sprintf("esp32c3: two registers at %#x of %s", r.offset, b.name))
		}
		b.registers[r.offset] = r
		for at := (b.base + r.offset - peripherals) / blockSize; c.blocks[at] != b; {
			if c.blocks[at] != nil {
				panic(fmt.Sprintf("esp32c3: %s and %s share addresses", b.name, c.blocks[at].name))
			}
			c.blocks[at] = b
		}
	}
	b.reset()
	if b.device != nil {
		c.devices = append(c.devices, b.device)
	}
	return b
}

// reset gives all registers their first values.
func (b *block) reset() {
	for offset, r := range b.registers {
		if r != nil {
			b.values[offset] = r.reset
		}
	}
}

// at returns the register at an offset; nil: there is none.
func (b *block) at(offset uint32) *register {
	if offset >= uint32(len(b.registers)) {
		return nil
	}
	return b.registers[offset]
}

func (b *block) read(r *register) uint32 {
	switch {
	case r == nil:
		return 0
	case r.load != nil:
		return r.load()
	case r.rw|r.ro == 0:
		b.chip.complain("load of %s %s, which is only written", b.name, r.name)
	}
	return b.values[r.offset]
}

func (b *block) write(r *register, value uint32) {
	if r == nil {
		return
	}
	c := b.chip
	switch known := r.rw | r.ro | r.wo; {
	case r.rw|r.wo == 0:
		c.complain("store to %s %s, which is only read", b.name, r.name)
		return
	case value&^known != 0:
		c.complain("store of %#x to %s %s: bits %#x are reserved", value, b.name, r.name, value&^known)
	}
	if r.open != nil && !r.open() {
		c.complain("store to %s %s, which is protected", b.name, r.name)
		return
	}
	b.values[r.offset] = b.values[r.offset]&^r.rw | value&r.rw
	if r.store != nil {
		r.store(value)
	}
}

// all is a register of 32 bits without any meaning of its own.
func all(offset uint32, name string, reset uint32) register {
	return register{offset: offset, name: name, reset: reset, rw: ^uint32(0)}
}
