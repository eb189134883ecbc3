package rv32

// A short is a row of the compressed instructions: halfwords of these bits under the mask. The first row that matches is meant.
type short struct {
	mask, bits uint16
	expand     func(half uint32) instruction
}

const (
	ra = 1
	sp = 2
)

// shorts are RV32C without floating point; The RISC-V Instruction Set Manual, volume I chapter "RVC Instruction Set Listings". Rows of
// reserved encodings stand before those that they are taken from.
var shorts = []short{
	{0xffe3, 0x0000, reserved}, // ADDI4SPN of 0, and all zeros
	{0xe003, 0x0000, func(h uint32) instruction {
		return shortI(opADDI, low(h, 2), sp, h>>7&15<<6|h>>11&3<<4|h>>5&1<<3|h>>6&1<<2)
	}},
	{0xe003, 0x4000, func(h uint32) instruction { return shortI(opLW, low(h, 2), low(h, 7), wordOffset(h)) }},
	{0xe003, 0xc000, func(h uint32) instruction {
		return instruction{op: opSW, rs1: low(h, 7), rs2: low(h, 2), imm: wordOffset(h)}
	}},

	{0xe003, 0x0001, func(h uint32) instruction { return shortI(opADDI, full(h, 7), full(h, 7), six(h)) }},
	{0xe003, 0x2001, func(h uint32) instruction { return instruction{op: opJAL, rd: ra, imm: jumpOffset(h)} }},
	{0xe003, 0x4001, func(h uint32) instruction { return shortI(opADDI, full(h, 7), 0, six(h)) }},
	{0xf07f, 0x6001, reserved}, // LUI and ADDI16SP of 0
	{0xef83, 0x6101, func(h uint32) instruction {
		return shortI(opADDI, sp, sp, extend(h>>12&1<<9|h>>3&3<<7|h>>5&1<<6|h>>2&1<<5|h>>6&1<<4, 10))
	}},
	{0xe003, 0x6001, func(h uint32) instruction { return instruction{op: opLUI, rd: full(h, 7), imm: six(h) << 12} }},
	{0xfc03, 0x8001, func(h uint32) instruction { return shortI(opSRLI, low(h, 7), low(h, 7), h>>2&31) }},
	{0xfc03, 0x8401, func(h uint32) instruction { return shortI(opSRAI, low(h, 7), low(h, 7), h>>2&31) }},
	{0xec03, 0x8801, func(h uint32) instruction { return shortI(opANDI, low(h, 7), low(h, 7), six(h)) }},
	{0xfc63, 0x8c01, func(h uint32) instruction { return shortR(opSUB, low(h, 7), low(h, 2)) }},
	{0xfc63, 0x8c21, func(h uint32) instruction { return shortR(opXOR, low(h, 7), low(h, 2)) }},
	{0xfc63, 0x8c41, func(h uint32) instruction { return shortR(opOR, low(h, 7), low(h, 2)) }},
	{0xfc63, 0x8c61, func(h uint32) instruction { return shortR(opAND, low(h, 7), low(h, 2)) }},
	{0xe003, 0xa001, func(h uint32) instruction { return instruction{op: opJAL, imm: jumpOffset(h)} }},
	{0xe003, 0xc001, func(h uint32) instruction { return instruction{op: opBEQ, rs1: low(h, 7), imm: branchOffset(h)} }},
	{0xe003, 0xe001, func(h uint32) instruction { return instruction{op: opBNE, rs1: low(h, 7), imm: branchOffset(h)} }},

	{0xf003, 0x0002, func(h uint32) instruction { return shortI(opSLLI, full(h, 7), full(h, 7), h>>2&31) }},
	{0xef83, 0x4002, reserved}, // LWSP to x0
	{0xe003, 0x4002, func(h uint32) instruction {
		return shortI(opLW, full(h, 7), sp, h>>2&3<<6|h>>12&1<<5|h>>4&7<<2)
	}},
	{0xffff, 0x8002, reserved}, // JR to x0
	{0xf07f, 0x8002, func(h uint32) instruction { return shortI(opJALR, 0, full(h, 7), 0) }},
	{0xf003, 0x8002, func(h uint32) instruction { return instruction{op: opADD, rd: full(h, 7), rs2: full(h, 2)} }},
	{0xffff, 0x9002, func(uint32) instruction { return instruction{op: opEBREAK} }},
	{0xf07f, 0x9002, func(h uint32) instruction { return shortI(opJALR, ra, full(h, 7), 0) }},
	{0xf003, 0x9002, func(h uint32) instruction { return shortR(opADD, full(h, 7), full(h, 2)) }},
	{0xe003, 0xc002, func(h uint32) instruction {
		return instruction{op: opSW, rs1: sp, rs2: full(h, 2), imm: h>>7&3<<6 | h>>9&15<<2}
	}},
}

// decodeCompressed reads an instruction of two bytes.
func decodeCompressed(half uint16) instruction {
	for i := range shorts {
		if s := &shorts[i]; half&s.mask == s.bits {
			in := s.expand(uint32(half))
			in.size = 2
			return in
		}
	}
	in := reserved(uint32(half))
	in.size = 2
	return in
}

func reserved(h uint32) instruction { return instruction{op: opIllegal, imm: h} }

func shortI(op op, rd, rs1 uint8, imm uint32) instruction {
	return instruction{op: op, rd: rd, rs1: rs1, imm: imm}
}

func shortR(op op, rd, rs2 uint8) instruction { return instruction{op: op, rd: rd, rs1: rd, rs2: rs2} }

// low and full read the number of a register, of 3 bits and of 5.
func low(h uint32, at int) uint8  { return uint8(8 + h>>at&7) }
func full(h uint32, at int) uint8 { return uint8(h >> at & 31) }

func six(h uint32) uint32        { return extend(h>>12&1<<5|h>>2&31, 6) }
func wordOffset(h uint32) uint32 { return h>>5&1<<6 | h>>10&7<<3 | h>>6&1<<2 }

func jumpOffset(h uint32) uint32 {
	return extend(h>>12&1<<11|h>>8&1<<10|h>>9&3<<8|h>>6&1<<7|h>>7&1<<6|h>>2&1<<5|h>>11&1<<4|h>>3&7<<1, 12)
}

func branchOffset(h uint32) uint32 {
	return extend(h>>12&1<<8|h>>5&3<<6|h>>2&1<<5|h>>10&3<<3|h>>3&3<<1, 9)
}
