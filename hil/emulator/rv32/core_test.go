package rv32

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// base is where programs of these tests lie, and beyond them memory for data.
const (
	base   = 0x0010_0000
	dataAt = base + 4*PageSize
	topAt  = base + 8*PageSize
)

// A core is a CPU with 32 KB of memory, on a bus that notes what it is asked for.
type core struct {
	*CPU
	pages []*Page
	notes []string
	stop  bool // at an exception from machine mode
	mmio  map[uint32]uint32
}

func (c *core) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

func (c *core) Load(address uint32, size int) (uint32, bool) {
	c.note("load %d at %#x", size, address)
	value, ok := c.mmio[address]
	return value, ok
}

func (c *core) Store(address uint32, size int, value uint32) bool {
	c.note("store %d at %#x: %#x", size, address, value)
	_, ok := c.mmio[address]
	return ok
}

func (c *core) NoCode(address uint32) { c.note("no code at %#x", address) }

func (c *core) Exception(cause, value uint32) {
	c.note("exception %d, %#x", cause, value)
	if c.stop {
		c.Limit = 0
	}
}

// newCore has words at base, where it is about to run.
func newCore(words ...uint32) *core {
	c := &core{stop: true}
	c.CPU = New(c, nil)
	for range 8 {
		c.pages = append(c.pages, &Page{})
	}
	c.Map(base, c.pages, Access{Code: true})
	for i, w := range words {
		c.put(base+4*uint32(i), w)
	}
	c.PC = base
	return c
}

func (c *core) put(address, word uint32) {
	page, at := c.pages[(address-base)/PageSize], address%PageSize
	binary.LittleEndian.PutUint32(page.Data[at:], word)
	page.Changed(at, 4)
}

// step runs a number of instructions.
func (c *core) step(n uint64) {
	c.Limit = c.Cycles + n
	c.Run()
}

// Formats of instructions.
func typeR(bits, rd, rs1, rs2 uint32) uint32 { return bits | rd<<7 | rs1<<15 | rs2<<20 }
func typeI(bits, rd, rs1, imm uint32) uint32 { return bits | rd<<7 | rs1<<15 | imm<<20 }
func typeS(bits, rs1, rs2, imm uint32) uint32 {
	return bits | imm&31<<7 | rs1<<15 | rs2<<20 | imm>>5<<25
}
func typeB(bits, rs1, rs2, offset uint32) uint32 {
	return bits | rs1<<15 | rs2<<20 | offset>>12&1<<31 | offset>>5&63<<25 | offset>>1&15<<8 | offset>>11&1<<7
}

const (
	least = 0x8000_0000
	most  = 0x7fff_ffff
	minus = 0xffff_ffff
)

// Instructions of two registers, or of one and an immediate: x3 = x1 op x2.
func TestArithmetic(t *testing.T) {
	for _, tt := range []struct {
		name       string
		word       uint32
		a, b, want uint32
	}{
		{"add", typeR(0x33, 3, 1, 2), most, 1, least},
		{"sub", typeR(0x4000_0033, 3, 1, 2), 0, 1, minus},
		{"sll by 31", typeR(0x1033, 3, 1, 2), 3, 31, least},
		{"sll by 32 is by 0", typeR(0x1033, 3, 1, 2), 3, 32, 3},
		{"slt", typeR(0x2033, 3, 1, 2), minus, 0, 1},
		{"slt of equals", typeR(0x2033, 3, 1, 2), 5, 5, 0},
		{"sltu", typeR(0x3033, 3, 1, 2), minus, 0, 0},
		{"sltu less", typeR(0x3033, 3, 1, 2), 0, minus, 1},
		{"xor", typeR(0x4033, 3, 1, 2), 0xff00, 0x0ff0, 0xf0f0},
		{"srl", typeR(0x5033, 3, 1, 2), least, 31, 1},
		{"srl by 33 is by 1", typeR(0x5033, 3, 1, 2), 2, 33, 1},
		{"sra", typeR(0x4000_5033, 3, 1, 2), least, 31, minus},
		{"or", typeR(0x6033, 3, 1, 2), 0xff00, 0x0ff0, 0xfff0},
		{"and", typeR(0x7033, 3, 1, 2), 0xff00, 0x0ff0, 0x0f00},
		{"mul", typeR(0x0200_0033, 3, 1, 2), 0x1_0001, 0x1_0001, 0x2_0001},
		{"mulh of the least", typeR(0x0200_1033, 3, 1, 2), least, least, 0x4000_0000},
		{"mulh of signs", typeR(0x0200_1033, 3, 1, 2), minus, 1, minus},
		{"mulhsu", typeR(0x0200_2033, 3, 1, 2), minus, minus, minus},
		{"mulhsu of a positive", typeR(0x0200_2033, 3, 1, 2), most, minus, most - 1},
		{"mulhu", typeR(0x0200_3033, 3, 1, 2), minus, minus, minus - 1},
		{"div rounds to 0", typeR(0x0200_4033, 3, 1, 2), minus - 6, 2, minus - 2},
		{"div by 0", typeR(0x0200_4033, 3, 1, 2), 5, 0, minus},
		{"div overflows", typeR(0x0200_4033, 3, 1, 2), least, minus, least},
		{"divu", typeR(0x0200_5033, 3, 1, 2), minus, 2, most},
		{"divu by 0", typeR(0x0200_5033, 3, 1, 2), 5, 0, minus},
		{"rem has the sign of the dividend", typeR(0x0200_6033, 3, 1, 2), minus - 6, 2, minus},
		{"rem by 0", typeR(0x0200_6033, 3, 1, 2), least, 0, least},
		{"rem overflows", typeR(0x0200_6033, 3, 1, 2), least, minus, 0},
		{"remu", typeR(0x0200_7033, 3, 1, 2), minus, 16, 15},
		{"remu by 0", typeR(0x0200_7033, 3, 1, 2), minus, 0, minus},
		{"addi", typeI(0x13, 3, 1, 0xfff), 0, 0, minus},
		{"slti", typeI(0x2013, 3, 1, 0x800), least, 0, 1},
		{"sltiu extends its sign first", typeI(0x3013, 3, 1, 0xfff), minus - 1, 0, 1},
		{"xori", typeI(0x4013, 3, 1, 0xfff), 0x1234, 0, ^uint32(0x1234)},
		{"ori", typeI(0x6013, 3, 1, 0x7ff), 0x1000, 0, 0x17ff},
		{"andi", typeI(0x7013, 3, 1, 0x800), minus, 0, 0xffff_f800},
		{"slli", typeI(0x1013, 3, 1, 31), 3, 0, least},
		{"srli", typeI(0x5013, 3, 1, 31), least, 0, 1},
		{"srai", typeI(0x4000_5013, 3, 1, 4), least, 0, 0xf800_0000},
		{"lui", 0xffff_f1b7, 0, 0, 0xffff_f000},
		{"auipc", 0xffff_f197, 0, 0, base - 0x1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCore(tt.word, tt.word&^(31<<7))
			c.X[1], c.X[2] = tt.a, tt.b
			c.step(2)
			require.Equal(t, tt.want, c.X[3])
			require.Zero(t, c.X[0], "x0 stays 0")
			require.EqualValues(t, base+8, c.PC)
			require.Empty(t, c.notes)
		})
	}
}

// Branches and jumps: where x1 and x2 are these, which instruction comes next.
func TestBranches(t *testing.T) {
	for _, tt := range []struct {
		name string
		word uint32
		a, b uint32
		want uint32
	}{
		{"beq", typeB(0x63, 1, 2, 16), 3, 3, base + 16},
		{"beq not", typeB(0x63, 1, 2, 16), 3, 4, base + 4},
		{"bne", typeB(0x1063, 1, 2, 0xff0), 3, 4, base + 0xff0},
		{"blt", typeB(0x4063, 1, 2, 16), minus, 0, base + 16},
		{"blt not", typeB(0x4063, 1, 2, 16), 0, minus, base + 4},
		{"bge of equals", typeB(0x5063, 1, 2, minus-15), 7, 7, base - 16},
		{"bltu", typeB(0x6063, 1, 2, 16), 0, minus, base + 16},
		{"bgeu", typeB(0x7063, 1, 2, 16), minus, 0, base + 16},
		{"bgeu not", typeB(0x7063, 1, 2, 16), 0, 1, base + 4},
		{"jal", 0x0000_0c6f | 1<<31, 0, 0, base - 1<<20},
		{"jalr clears the lowest bit", typeI(0x67, 24, 1, 0xfff), base + 16, 0, base + 14},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCore(tt.word)
			c.X[1], c.X[2] = tt.a, tt.b
			c.step(1)
			require.Equal(t, tt.want, c.PC)
			if tt.word&0x7f != 0x63 {
				require.EqualValues(t, base+4, c.X[24])
			}
		})
	}
	c := newCore(typeI(0x67, 1, 1, 4)) // the old value is what it jumps by
	c.X[1] = base + 8
	c.step(1)
	require.EqualValues(t, base+12, c.PC)
	require.EqualValues(t, base+4, c.X[1])
}

// Loads and stores, also of data that lie across words and pages.
func TestMemory(t *testing.T) {
	for _, at := range []uint32{dataAt, dataAt + 1, dataAt + 2, dataAt + 3, dataAt + PageSize - 1, dataAt + PageSize - 2, dataAt + PageSize - 3} {
		c := newCore(typeS(0x2023, 1, 2, 0xfff), typeI(0x2003, 3, 1, 0xfff), typeI(0x1003, 4, 1, 0xfff), typeI(0x5003, 5, 1, 0xfff),
			typeI(0x3, 6, 1, 0xfff), typeI(0x4003, 7, 1, 0xfff), typeS(0x1023, 1, 3, 0x001), typeI(0x2003, 8, 1, 0xfff),
			typeS(0x23, 1, 3, 0), typeI(0x2003, 9, 1, 0xfff))
		c.X[1], c.X[2] = at+1, 0x8182_8384
		c.step(10)
		require.Equal(t, []uint32{0x8182_8384, 0xffff_8384, 0x8384, 0xffff_ff84, 0x84, 0x8384_8384, 0x8384_8484}, c.X[3:10], "%#x", at)
		require.Empty(t, c.notes)
	}
}

// What is not in the map is asked of the bus; what that refuses is an access fault.
func TestBus(t *testing.T) {
	c := newCore(typeI(0x2003, 3, 1, 0), typeS(0x1023, 1, 3, 0), typeI(0x3, 4, 1, 4))
	c.mmio = map[uint32]uint32{0x6000_0000: 0x1234_5678}
	c.X[1] = 0x6000_0000
	c.step(3)
	require.EqualValues(t, 0x1234_5678, c.X[3])
	require.Equal(t, []string{"load 4 at 0x60000000", "store 2 at 0x60000000: 0x12345678", "load 1 at 0x60000004", "exception 5, 0x60000004"}, c.notes)

	c = newCore(typeS(0x2023, 1, 1, 0))
	c.step(1)
	require.Equal(t, []string{"store 4 at 0x0: 0x0", "exception 7, 0x0"}, c.notes)
	c = newCore(0x0000_0067) // jr x0
	c.step(2)
	require.Equal(t, []string{"no code at 0x0", "exception 1, 0x0"}, c.notes)
}

// Memory that takes data by words only asks the bus for everything else; memory that is not for code is none.
func TestAccess(t *testing.T) {
	c := newCore(typeI(0x2003, 3, 1, 0), typeI(0x2003, 4, 1, 2), typeI(0x67, 0, 2, 0))
	c.Map(0x4000_0000, c.pages[4:5], Access{Words: true})
	c.put(dataAt, 0xcafe_f00d)
	c.X[1], c.X[2] = 0x4000_0000, 0x4000_0000
	c.step(2)
	require.EqualValues(t, 0xcafe_f00d, c.X[3])
	require.Equal(t, []string{"load 4 at 0x40000002", "exception 5, 0x40000002"}, c.notes)
	c.PC = base + 8
	c.step(2)
	require.Equal(t, []string{"no code at 0x40000000", "exception 1, 0x40000000"}, c.notes[2:])
}

// Code that changes is decoded anew, at whatever address it is seen.
func TestChangingCode(t *testing.T) {
	c := newCore(0x0010_0093 /* addi x1, x0, 1 */, typeS(0x2023, 2, 3, 0), 0xff9f_f06f /* j . - 8 */)
	c.Map(0x5000_0000, c.pages, Access{})
	c.X[2], c.X[3] = 0x5000_0000, 0x0020_0093 // addi x1, x0, 2
	c.step(3)
	require.EqualValues(t, 1, c.X[1])
	c.step(1)
	require.EqualValues(t, 2, c.X[1])

	c = newCore(0x0010_0093, typeS(0x1023, 2, 3, 2), 0xff9f_f06f) // the second half of an instruction
	c.X[2], c.X[3] = base, 0x0030
	c.step(4)
	require.EqualValues(t, 3, c.X[1])

	c = newCore() // an instruction across two pages, of which the second changes
	c.PC = base + PageSize - 2
	c.put(base+PageSize-4, 0x0093_0000)
	for n := range uint32(3) {
		c.put(base+PageSize, n<<4)
		c.PC = base + PageSize - 2
		c.step(1)
		require.Equal(t, n, c.X[1])
	}
}
