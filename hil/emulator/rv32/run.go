package rv32

import "math/bits"

// Run carries out instructions until Limit, or until the core waits for an interrupt. One that is due is taken first.
func (c *CPU) Run() {
	var spare instruction
	x := &c.X
	if c.Interrupt != 0 {
		c.Waiting = false
	}
	for c.Cycles < c.Limit && !c.Waiting {
		if c.Interrupt != 0 && c.Takes() {
			c.trap(CauseInterrupt|c.Interrupt, 0)
		}
		pc := c.PC
		var in *instruction
		if w := &c.windows[c.Mode&1][pc>>pageBits%windowCount]; pc-w.first < w.size {
			in = &w.code[pc%PageSize/2]
		}
		if in == nil || in.op == opNone {
			var ok bool
			if in, ok = c.fetch(&spare); !ok {
				c.trap(CauseFetch, pc)
				c.Cycles++
				continue
			}
		}
		a, b := x[in.rs1&31], x[in.rs2&31]
		next := pc + in.size
		c.Cycles++
		var result uint32
		switch in.op {
		case opADDI:
			result = a + in.imm
		case opADD:
			result = a + b
		case opLW, opLH, opLHU, opLB, opLBU:
			value, ok := c.load(a+in.imm, sizes[in.op])
			if !ok {
				c.trap(CauseLoad, a+in.imm)
				continue
			}
			switch in.op {
			case opLB:
				value = uint32(int32(int8(value)))
			case opLH:
				value = uint32(int32(int16(value)))
			}
			result = value
		case opSW, opSH, opSB:
			if !c.store(a+in.imm, sizes[in.op], b) {
				c.trap(CauseStore, a+in.imm)
				continue
			}
			c.PC = next
			continue
		case opBEQ:
			c.PC = branch(a == b, pc, next, in.imm)
			continue
		case opBNE:
			c.PC = branch(a != b, pc, next, in.imm)
			continue
		case opBLT:
			c.PC = branch(int32(a) < int32(b), pc, next, in.imm)
			continue
		case opBGE:
			c.PC = branch(int32(a) >= int32(b), pc, next, in.imm)
			continue
		case opBLTU:
			c.PC = branch(a < b, pc, next, in.imm)
			continue
		case opBGEU:
			c.PC = branch(a >= b, pc, next, in.imm)
			continue
		case opJAL:
			result, next = next, pc+in.imm
		case opJALR:
			result, next = next, (a+in.imm)&^1
		case opLUI:
			result = in.imm
		case opAUIPC:
			result = pc + in.imm
		case opSLTI:
			result = one(int32(a) < int32(in.imm))
		case opSLTIU:
			result = one(a < in.imm)
		case opXORI:
			result = a ^ in.imm
		case opORI:
			result = a | in.imm
		case opANDI:
			result = a & in.imm
		case opSLLI:
			result = a << (in.imm & 31)
		case opSRLI:
			result = a >> (in.imm & 31)
		case opSRAI:
			result = uint32(int32(a) >> (in.imm & 31))
		case opSUB:
			result = a - b
		case opSLL:
			result = a << (b & 31)
		case opSLT:
			result = one(int32(a) < int32(b))
		case opSLTU:
			result = one(a < b)
		case opXOR:
			result = a ^ b
		case opSRL:
			result = a >> (b & 31)
		case opSRA:
			result = uint32(int32(a) >> (b & 31))
		case opOR:
			result = a | b
		case opAND:
			result = a & b
		case opMUL:
			result = a * b
		case opMULH:
			result = uint32(int64(int32(a)) * int64(int32(b)) >> 32)
		case opMULHSU:
			result = uint32(int64(int32(a)) * int64(b) >> 32)
		case opMULHU:
			result, _ = bits.Mul32(a, b)
		case opDIV, opREM:
			quotient, remainder := divide(int32(a), int32(b))
			result = uint32(quotient)
			if in.op == opREM {
				result = uint32(remainder)
			}
		case opDIVU:
			result = ^uint32(0)
			if b != 0 {
				result = a / b
			}
		case opREMU:
			result = a
			if b != 0 {
				result = a % b
			}
		case opFENCE:
		case opECALL:
			c.trap(CauseUserCall+uint32(c.Mode), 0)
			continue
		case opEBREAK:
			c.trap(CauseBreakpoint, pc)
			continue
		case opMRET, opWFI, opCSR:
			if !c.system(in) {
				c.trap(CauseIllegal, c.bits(in))
				continue
			}
			if in.op != opMRET {
				c.PC = next
			}
			continue
		default:
			c.trap(CauseIllegal, in.imm)
			continue
		}
		x[in.rd&31] = result
		x[0] = 0
		c.PC = next
	}
}

// sizes are those of accesses by op, in bytes.
var sizes = [...]int{opLB: 1, opLH: 2, opLW: 4, opLBU: 1, opLHU: 2, opSB: 1, opSH: 2, opSW: 4}

func branch(taken bool, pc, next, offset uint32) uint32 {
	if taken {
		return pc + offset
	}
	return next
}

func one(condition bool) uint32 {
	if condition {
		return 1
	}
	return 0
}

// divide rounds towards 0; there is no trap.
func divide(a, b int32) (quotient, remainder int32) {
	switch {
	case b == 0:
		return -1, a
	case b == -1:
		return -a, 0 // which is a again for the least one
	}
	return a / b, a % b
}

// system carries out an instruction that depends on the mode, and reports whether it is legal.
func (c *CPU) system(in *instruction) (ok bool) {
	switch in.op {
	case opMRET:
		if c.Mode != Machine {
			return false
		}
		c.leave()
	case opWFI:
		if c.Mode != Machine && c.status&statusTW != 0 {
			return false
		}
		c.Waiting = c.Interrupt == 0
	default:
		return c.accessCSR(in)
	}
	return true
}

// bits are those of the instruction at PC, which was legal to fetch.
func (c *CPU) bits(in *instruction) (value uint32) {
	for i := range in.size {
		address := c.PC + i
		if m := c.pages[address>>pageBits]; m != nil {
			value |= uint32(m.page.Data[address%PageSize]) << (8 * i)
		}
	}
	return value
}
