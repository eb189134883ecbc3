package esp32c3

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// Registers of programs.
const (
	zero = 0
	ra   = 1
	sp   = 2
	t0   = 5
	t1   = 6
	t2   = 7
	s0   = 8
	s1   = 9
	a0   = 10
	a1   = 11
)

// Where programs lie.
const (
	codeAt = instructionBus + 0x1_0000
	loadAt = dataBus + 0x1_0000
	// resultAt is where programs leave what they found.
	resultAt = dataBus + 0x2_0000
)

// A program is words of machine code.
type program []uint32

func (p *program) emit(words ...uint32) *program {
	*p = append(*p, words...)
	return p
}

// li is LUI and ADDI.
func (p *program) li(rd, value uint32) *program {
	return p.emit((value+0x800)&^0xfff|rd<<7|0x37, value<<20|rd<<15|rd<<7|0x13)
}

func (p *program) lw(rd, offset, rs1 uint32) *program {
	return p.emit(offset<<20 | rs1<<15 | 2<<12 | rd<<7 | 0x03)
}

func (p *program) sw(rs2, offset, rs1 uint32) *program {
	return p.emit(offset>>5<<25 | rs2<<20 | rs1<<15 | 2<<12 | offset&31<<7 | 0x23)
}

// store writes a word; it uses t0 and t1.
func (p *program) store(address, value uint32) *program {
	return p.li(t0, address).li(t1, value).sw(t1, 0, t0)
}

// load reads a word into a register; it uses t0.
func (p *program) load(rd, address uint32) *program { return p.li(t0, address).lw(rd, 0, t0) }

// keep stores a register to the result of this number.
func (p *program) keep(rs, n uint32) *program { return p.li(t0, resultAt+4*n).sw(rs, 0, t0) }

// loop is j .
func (p *program) loop() *program { return p.emit(0x0000006f) }

// wfi sleeps.
func (p *program) wfi() *program { return p.emit(0x10500073) }

// csrw writes a CSR.
func (p *program) csrw(csr, rs1 uint32) *program { return p.emit(csr<<20 | rs1<<15 | 1<<12 | 0x73) }

// csrr reads a CSR.
func (p *program) csrr(rd, csr uint32) *program { return p.emit(csr<<20 | 2<<12 | rd<<7 | 0x73) }

// branch jumps back to the instruction of this number while two registers differ.
func (p *program) bne(rs1, rs2 uint32, to int) *program {
	offset := uint32((to - len(*p)) * 4)
	return p.emit(offset>>12&1<<31 | offset>>5&63<<25 | rs2<<20 | rs1<<15 | 1<<12 | offset>>1&15<<8 | offset>>11&1<<7 | 0x63)
}

func (p *program) image() Image {
	var data []byte
	for _, w := range *p {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return Image{Entry: codeAt, Address: loadAt, Data: data}
}

// quiet switches off the watchdogs that the boot ROM leaves running.
func (p *program) quiet() *program {
	return p.store(0x600080a8, watchdogKey).store(0x60008090, 0).store(0x600080b0, swdKey).store(0x600080ac, 300<<18|swdDisable).
		store(0x6001f064, watchdogKey).store(0x6001f048, mwdtUpdate)
}

// boot makes a chip of a program.
func boot(t testing.TB, p *program) *Chip {
	t.Helper()
	c, err := New(p.image())
	require.NoError(t, err)
	return c
}

// result reads what a program has kept.
func (c *Chip) result(n uint32) uint32 {
	at := resultAt + 4*n - dataBus
	return binary.LittleEndian.Uint32(c.sram[at/4096].Data[at%4096:])
}
