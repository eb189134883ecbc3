package rv32

// pmpEntries is how many the unit has.
const pmpEntries = 16

// Bits of an entry's configuration.
const (
	pmpRead    = 1 << 0
	pmpWrite   = 1 << 1
	pmpExecute = 1 << 2
	pmpMode    = 3 << 3
	pmpLock    = 1 << 7
)

// Modes of matching.
const (
	pmpOff   = 0 << 3
	pmpTOR   = 1 << 3 // from the address of the entry before
	pmpNA4   = 2 << 3
	pmpNAPOT = 3 << 3
)

// A pmp is the unit of physical memory protection.
type pmp struct {
	config  [pmpEntries]uint8
	address [pmpEntries]uint32 // bits 33 to 2

	// Ranges of addresses that were found to allow an access, by mode, kind and number of the page; empty until then.
	known [2][3][knownCount]span
}

const knownCount = 64

// A span is first to last, both included; none if last is before first.
type span struct{ first, last uint64 }

func (s span) has(first, last uint64) bool { return first >= s.first && last <= s.last }

// forget is due when an entry changes.
func (c *CPU) forget() {
	for mode := range c.pmp.known {
		for kind := range c.pmp.known[mode] {
			for page := range c.pmp.known[mode][kind] {
				c.pmp.known[mode][kind][page] = span{1, 0}
			}
		}
	}
	c.windows = [2][windowCount]window{}
}

// bounds returns what an entry matches.
func (p *pmp) bounds(i int) (s span, on bool) {
	address := uint64(p.address[i])
	switch p.config[i] & pmpMode {
	case pmpTOR:
		from := uint64(0)
		if i > 0 {
			from = uint64(p.address[i-1]) << 2
		}
		return span{from, address<<2 - 1}, from < address<<2
	case pmpNA4:
		return span{address << 2, address<<2 + 3}, true
	case pmpNAPOT:
		ones := address ^ (address + 1) // those at the end, and the 0 above them
		from := address &^ ones << 2
		return span{from, from + ones<<2 + 3}, true
	}
	return span{}, false
}

// check decides about an access to first until last, and returns a span around it with the same result. Entries of lower numbers
// win; one that an access matches in part refuses it.
func (p *pmp) check(first, last uint64, kind uint8, mode uint8) (same span, ok bool) {
	same = span{0, 1<<34 - 1}
	for i := range p.config {
		s, on := p.bounds(i)
		switch {
		case !on:
		case last < s.first:
			same.last = min(same.last, s.first-1)
		case first > s.last:
			same.first = max(same.first, s.last+1)
		case s.has(first, last):
			same.first, same.last = max(same.first, s.first), min(same.last, s.last)
			bound := mode != Machine || p.config[i]&pmpLock != 0
			return same, !bound || p.config[i]&kind != 0
		default:
			return span{1, 0}, false
		}
	}
	return same, mode == Machine
}

// allows reports whether the mode of the CPU may access these bytes.
func (c *CPU) allows(address uint32, size int, kind uint8) bool {
	first := uint64(address)
	known := &c.pmp.known[c.Mode&1][kind>>1][address>>pageBits%knownCount]
	if known.has(first, first+uint64(size)-1) {
		return true
	}
	if size > 1 && address%uint32(size) != 0 { // several accesses
		for i := range size {
			if !c.allows(address+uint32(i), 1, kind) {
				return false
			}
		}
		return true
	}
	same, ok := c.pmp.check(first, first+uint64(size)-1, kind, c.Mode)
	if ok {
		*known = same
	}
	return ok
}

// pmpCSRs are pmpcfg0 to pmpcfg3, and pmpaddr0 to pmpaddr15.
func pmpCSRs() map[uint16]CSR {
	csrs := map[uint16]CSR{}
	for n := range pmpEntries / 4 {
		csrs[0x3a0+uint16(n)] = CSR{
			Read: func(c *CPU) (value uint32) {
				for i := range 4 {
					value |= uint32(c.pmp.config[4*n+i]) << (8 * i)
				}
				return value
			},
			Write: func(c *CPU, value uint32) {
				for i := range 4 {
					if entry := &c.pmp.config[4*n+i]; *entry&pmpLock == 0 {
						*entry = uint8(value>>(8*i)) & (pmpRead | pmpWrite | pmpExecute | pmpMode | pmpLock)
					}
				}
				c.forget()
			},
		}
	}
	for n := range pmpEntries {
		csrs[0x3b0+uint16(n)] = CSR{
			Read: func(c *CPU) uint32 { return c.pmp.address[n] },
			Write: func(c *CPU, value uint32) {
				if !c.pmp.locked(n) {
					c.pmp.address[n] = value
					c.forget()
				}
			},
		}
	}
	return csrs
}

// locked reports whether the address of an entry cannot be changed: its own lock, or one above it that begins there.
func (p *pmp) locked(i int) bool {
	if p.config[i]&pmpLock != 0 {
		return true
	}
	return i+1 < pmpEntries && p.config[i+1]&(pmpLock|pmpMode) == pmpLock|pmpTOR
}
