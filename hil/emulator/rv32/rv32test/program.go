// Package rv32test assembles small programs for tests of what interprets them.
package rv32test

import "encoding/binary"

// Registers of programs. T0 and T1 are used by some of the methods.
const (
	Zero = 0
	RA   = 1
	SP   = 2
	T0   = 5
	T1   = 6
	T2   = 7
	S0   = 8
	S1   = 9
	A0   = 10
	A1   = 11
)

// A Program is words of machine code, in order.
type Program []uint32

// Emit appends words.
func (p *Program) Emit(words ...uint32) *Program {
	*p = append(*p, words...)
	return p
}

// LI sets a register, by LUI and ADDI.
func (p *Program) LI(rd, value uint32) *Program {
	return p.Emit((value+0x800)&^0xfff|rd<<7|0x37, value<<20|rd<<15|rd<<7|0x13)
}

// ADDI adds a constant of 12 bits.
func (p *Program) ADDI(rd, rs1, value uint32) *Program {
	return p.Emit(value<<20 | rs1<<15 | rd<<7 | 0x13)
}

// ANDI keeps the bits of a constant of 12 bits.
func (p *Program) ANDI(rd, rs1, value uint32) *Program {
	return p.Emit(value<<20 | rs1<<15 | 7<<12 | rd<<7 | 0x13)
}

// LW reads a word.
func (p *Program) LW(rd, offset, rs1 uint32) *Program {
	return p.Emit(offset<<20 | rs1<<15 | 2<<12 | rd<<7 | 0x03)
}

// SW writes a word.
func (p *Program) SW(rs2, offset, rs1 uint32) *Program {
	return p.Emit(offset>>5<<25 | rs2<<20 | rs1<<15 | 2<<12 | offset&31<<7 | 0x23)
}

// Store writes a word to an address.
func (p *Program) Store(address, value uint32) *Program {
	return p.LI(T0, address).LI(T1, value).SW(T1, 0, T0)
}

// Load reads a word from an address.
func (p *Program) Load(rd, address uint32) *Program { return p.LI(T0, address).LW(rd, 0, T0) }

// Keep writes a register to an address.
func (p *Program) Keep(rs, address uint32) *Program { return p.LI(T0, address).SW(rs, 0, T0) }

// Loop ends the program.
func (p *Program) Loop() *Program { return p.Emit(0x0000006f) }

// WFI waits for an interrupt.
func (p *Program) WFI() *Program { return p.Emit(0x10500073) }

// MRET returns from a trap.
func (p *Program) MRET() *Program { return p.Emit(0x30200073) }

// CSRW writes a control and status register.
func (p *Program) CSRW(csr, rs1 uint32) *Program { return p.Emit(csr<<20 | rs1<<15 | 1<<12 | 0x73) }

// CSRR reads one.
func (p *Program) CSRR(rd, csr uint32) *Program { return p.Emit(csr<<20 | 2<<12 | rd<<7 | 0x73) }

// BEQ and BNE branch to the word of this number, back or ahead.
func (p *Program) BEQ(rs1, rs2 uint32, to int) *Program { return p.branch(0, rs1, rs2, to) }

// BNE is the other one.
func (p *Program) BNE(rs1, rs2 uint32, to int) *Program { return p.branch(1, rs1, rs2, to) }

func (p *Program) branch(kind, rs1, rs2 uint32, to int) *Program {
	offset := uint32((to - len(*p)) * 4)
	return p.Emit(offset>>12&1<<31 | offset>>5&63<<25 | rs2<<20 | rs1<<15 | kind<<12 | offset>>1&15<<8 | offset>>11&1<<7 | 0x63)
}

// J jumps to the word of this number.
func (p *Program) J(to int) *Program {
	offset := uint32((to - len(*p)) * 4)
	return p.Emit(offset>>20&1<<31 | offset>>1&1023<<21 | offset>>11&1<<20 | offset>>12&255<<12 | 0x6f)
}

// Here is the number of the word that comes next.
func (p *Program) Here() int { return len(*p) }

// Bytes are those in memory.
func (p *Program) Bytes() (data []byte) {
	for _, w := range *p {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}
