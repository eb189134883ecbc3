package rv32

// An op is what an instruction does.
type op uint8

const (
	opNone op = iota // not decoded
	opIllegal
	opLUI
	opAUIPC
	opJAL
	opJALR
	opBEQ
	opBNE
	opBLT
	opBGE
	opBLTU
	opBGEU
	opLB
	opLH
	opLW
	opLBU
	opLHU
	opSB
	opSH
	opSW
	opADDI
	opSLTI
	opSLTIU
	opXORI
	opORI
	opANDI
	opSLLI
	opSRLI
	opSRAI
	opADD
	opSUB
	opSLL
	opSLT
	opSLTU
	opXOR
	opSRL
	opSRA
	opOR
	opAND
	opMUL
	opMULH
	opMULHSU
	opMULHU
	opDIV
	opDIVU
	opREM
	opREMU
	opFENCE
	opECALL
	opEBREAK
	opMRET
	opWFI
	opCSR
)

// An instruction is decoded. Immediates are extended, those of jumps and branches relative to the instruction.
type instruction struct {
	op           op
	rd, rs1, rs2 uint8
	size         uint32 // bytes
	imm          uint32
}

// A format is where an instruction has its operands.
type format func(word uint32) instruction

// An encoding is a row of the instruction set: words of these bits under the mask.
type encoding struct {
	mask, bits uint32
	op         op
	format     format
}

const (
	maskOpcode = 0x0000_007f
	maskFunct3 = 0x0000_707f
	maskFunct7 = 0xfe00_707f
	maskAll    = 0xffff_ffff
)

// encodings are RV32IM, Zicsr and Zifencei, and what is privileged; The RISC-V Instruction Set Manual, volume I chapter "RV32/64G
// Instruction Set Listings", volume II.
var encodings = []encoding{
	{maskOpcode, 0x37, opLUI, formatU},
	{maskOpcode, 0x17, opAUIPC, formatU},
	{maskOpcode, 0x6f, opJAL, formatJ},
	{maskFunct3, 0x0067, opJALR, formatI},
	{maskFunct3, 0x0063, opBEQ, formatB},
	{maskFunct3, 0x1063, opBNE, formatB},
	{maskFunct3, 0x4063, opBLT, formatB},
	{maskFunct3, 0x5063, opBGE, formatB},
	{maskFunct3, 0x6063, opBLTU, formatB},
	{maskFunct3, 0x7063, opBGEU, formatB},
	{maskFunct3, 0x0003, opLB, formatI},
	{maskFunct3, 0x1003, opLH, formatI},
	{maskFunct3, 0x2003, opLW, formatI},
	{maskFunct3, 0x4003, opLBU, formatI},
	{maskFunct3, 0x5003, opLHU, formatI},
	{maskFunct3, 0x0023, opSB, formatS},
	{maskFunct3, 0x1023, opSH, formatS},
	{maskFunct3, 0x2023, opSW, formatS},
	{maskFunct3, 0x0013, opADDI, formatI},
	{maskFunct3, 0x2013, opSLTI, formatI},
	{maskFunct3, 0x3013, opSLTIU, formatI},
	{maskFunct3, 0x4013, opXORI, formatI},
	{maskFunct3, 0x6013, opORI, formatI},
	{maskFunct3, 0x7013, opANDI, formatI},
	{maskFunct7, 0x0000_1013, opSLLI, formatShift},
	{maskFunct7, 0x0000_5013, opSRLI, formatShift},
	{maskFunct7, 0x4000_5013, opSRAI, formatShift},
	{maskFunct7, 0x0000_0033, opADD, formatR},
	{maskFunct7, 0x4000_0033, opSUB, formatR},
	{maskFunct7, 0x0000_1033, opSLL, formatR},
	{maskFunct7, 0x0000_2033, opSLT, formatR},
	{maskFunct7, 0x0000_3033, opSLTU, formatR},
	{maskFunct7, 0x0000_4033, opXOR, formatR},
	{maskFunct7, 0x0000_5033, opSRL, formatR},
	{maskFunct7, 0x4000_5033, opSRA, formatR},
	{maskFunct7, 0x0000_6033, opOR, formatR},
	{maskFunct7, 0x0000_7033, opAND, formatR},
	{maskFunct7, 0x0200_0033, opMUL, formatR},
	{maskFunct7, 0x0200_1033, opMULH, formatR},
	{maskFunct7, 0x0200_2033, opMULHSU, formatR},
	{maskFunct7, 0x0200_3033, opMULHU, formatR},
	{maskFunct7, 0x0200_4033, opDIV, formatR},
	{maskFunct7, 0x0200_5033, opDIVU, formatR},
	{maskFunct7, 0x0200_6033, opREM, formatR},
	{maskFunct7, 0x0200_7033, opREMU, formatR},
	{maskFunct3, 0x000f, opFENCE, formatNone},
	{maskFunct3, 0x100f, opFENCE, formatNone}, // of instructions: a page knows its changes
	{maskAll, 0x0000_0073, opECALL, formatNone},
	{maskAll, 0x0010_0073, opEBREAK, formatNone},
	{maskAll, 0x3020_0073, opMRET, formatNone},
	{maskAll, 0x1050_0073, opWFI, formatNone},
	{maskFunct3, 0x1073, opCSR, formatCSR},
	{maskFunct3, 0x2073, opCSR, formatCSR},
	{maskFunct3, 0x3073, opCSR, formatCSR},
	{maskFunct3, 0x5073, opCSR, formatCSR},
	{maskFunct3, 0x6073, opCSR, formatCSR},
	{maskFunct3, 0x7073, opCSR, formatCSR},
}

// decode reads an instruction of four bytes. An illegal one keeps its bits, for mtval.
func decode(word uint32) instruction {
	for i := range encodings {
		if e := &encodings[i]; word&e.mask == e.bits {
			in := e.format(word)
			in.op, in.size = e.op, 4
			return in
		}
	}
	return instruction{op: opIllegal, size: 4, imm: word}
}

func operands(word uint32) instruction {
	return instruction{rd: uint8(word >> 7 & 31), rs1: uint8(word >> 15 & 31), rs2: uint8(word >> 20 & 31)}
}

func formatNone(uint32) instruction     { return instruction{} }
func formatR(word uint32) instruction   { return operands(word) }
func formatCSR(word uint32) instruction { return withImmediate(word, word>>20, uint8(word>>12&7)) }

func withImmediate(word, imm uint32, rs2 uint8) instruction {
	in := operands(word)
	in.imm, in.rs2 = imm, rs2
	return in
}

func formatI(word uint32) instruction     { return withImmediate(word, extend(word>>20, 12), 0) }
func formatShift(word uint32) instruction { return withImmediate(word, word>>20&31, 0) }

func formatU(word uint32) instruction {
	return instruction{rd: uint8(word >> 7 & 31), imm: word &^ 0xfff}
}

func formatS(word uint32) instruction {
	in := operands(word)
	in.rd, in.imm = 0, extend(word>>25<<5|word>>7&31, 12)
	return in
}

func formatB(word uint32) instruction {
	in := operands(word)
	in.rd, in.imm = 0, extend(word>>31<<12|word>>7&1<<11|word>>25&63<<5|word>>8&15<<1, 13)
	return in
}

func formatJ(word uint32) instruction {
	return instruction{rd: uint8(word >> 7 & 31), imm: extend(word>>31<<20|word>>12&255<<12|word>>20&1<<11|word>>21&1023<<1, 21)}
}

// extend repeats the sign, which is the highest of these bits.
func extend(value uint32, bits int) uint32 {
	return uint32(int32(value<<(32-bits)) >> (32 - bits))
}
