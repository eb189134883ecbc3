package rv32

// A CSR is a control and status register. A nil Write ignores what is written.
type CSR struct {
	Read  func(*CPU) uint32
	Write func(*CPU, uint32)
}

// Numbers that a core is known by: those of Espressif's, as the ESP32-C3 has them.
const (
	vendorID       = 0x612
	architectureID = 0x8000_0001
	implementation = 1
	isa            = 1<<30 | 1<<('I'-'A') | 1<<('M'-'A') | 1<<('C'-'A') | 1<<('U'-'A')
)

// vectored is the one mode of mtvec that there is; the base is aligned to 256 bytes.
const (
	vectored   = 1
	vectorBase = ^uint32(255)
)

func fixed(value uint32) CSR { return CSR{Read: func(*CPU) uint32 { return value }} }

// field is a register that keeps the bits of a mask.
func field(at func(*CPU) *uint32, mask uint32) CSR {
	return CSR{
		Read:  func(c *CPU) uint32 { return *at(c) },
		Write: func(c *CPU, value uint32) { *at(c) = value & mask },
	}
}

func baseCSRs() map[uint16]CSR {
	return map[uint16]CSR{
		0xf11: fixed(vendorID),
		0xf12: fixed(architectureID),
		0xf13: fixed(implementation),
		0xf14: fixed(0), // hart
		0x300: {Read: func(c *CPU) uint32 { return c.status }, Write: writeStatus},
		0x301: fixed(isa),
		0x305: {
			Read:  func(c *CPU) uint32 { return c.vector },
			Write: func(c *CPU, value uint32) { c.vector = value&vectorBase | vectored },
		},
		0x340: field(func(c *CPU) *uint32 { return &c.scratch }, ^uint32(0)),
		0x341: field(func(c *CPU) *uint32 { return &c.epc }, ^uint32(1)),
		0x342: field(func(c *CPU) *uint32 { return &c.cause }, CauseInterrupt|31),
		0x343: field(func(c *CPU) *uint32 { return &c.value }, ^uint32(0)),
	}
}

// writeStatus keeps MPP where there is no such mode.
func writeStatus(c *CPU, value uint32) {
	mask := uint32(statusMIE | statusMPIE | statusTW)
	if mode := value & statusMPP >> 11; mode == User || mode == Machine {
		mask |= statusMPP
	}
	c.status = c.status&^mask | value&mask
}

// Kinds of CSR instructions, and the bit of those with an immediate.
const (
	csrWrite = 1 + iota
	csrSet
	csrClear
	csrImmediate = 4
)

// accessCSR carries out a CSR instruction, and reports whether it is legal.
func (c *CPU) accessCSR(in *instruction) (ok bool) {
	number := uint16(in.imm & 0xfff)
	csr := &c.csrs[number]
	kind := in.rs2
	writes := kind&3 == csrWrite || in.rs1 != 0
	readOnly := number>>10 == 3
	if csr.Read == nil || uint8(number>>8&3) > c.Mode || writes && readOnly {
		return false
	}
	operand := uint32(in.rs1)
	if kind&csrImmediate == 0 {
		operand = c.X[in.rs1]
	}
	old := uint32(0)
	if kind&3 != csrWrite || in.rd != 0 {
		old = csr.Read(c)
	}
	if writes && csr.Write != nil {
		switch kind & 3 {
		case csrSet:
			operand |= old
		case csrClear:
			operand = old &^ operand
		}
		csr.Write(c, operand)
	}
	if in.rd != 0 {
		c.X[in.rd] = old
	}
	return true
}
