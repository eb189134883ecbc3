package rv32

import "encoding/binary"

// PageSize is the unit of Map, in bytes.
const PageSize = 1 << pageBits

const pageBits = 12

// A Page is memory, with the decoded form of instructions that were executed there. It may be seen at several addresses.
type Page struct {
	Data [PageSize]byte
	code *[PageSize / 2]instruction // by halfword; nil until something was executed
}

// An Access says what memory can be used for at an address.
type Access struct {
	Code bool // instructions can be fetched
	// Words says that data is read and written by aligned words only: the bus is asked for anything else.
	Words bool
}

type mapping struct {
	page   *Page
	base   uint32
	access Access
}

// Map makes pages seen from address on, which is the start of a page.
func (c *CPU) Map(address uint32, pages []*Page, access Access) {
	for i, p := range pages {
		base := address + uint32(i)<<pageBits
		c.pages[base>>pageBits] = &mapping{page: p, base: base, access: access}
	}
	c.windows = [2][windowCount]window{}
}

// load reads size bytes, for a program that runs in the mode of the CPU. Misaligned data takes several accesses, as on the
// chip, where it needs no handler.
func (c *CPU) load(address uint32, size int) (value uint32, ok bool) {
	if !c.allows(address, size, pmpRead) {
		return 0, false
	}
	m := c.pages[address>>pageBits]
	at := address % PageSize
	if m == nil || m.access.Words && (size != 4 || at%4 != 0) {
		return c.bus.Load(address, size)
	}
	if at+uint32(size) > PageSize {
		for i := range size {
			b, ok := c.load(address+uint32(i), 1)
			if !ok {
				return 0, false
			}
			value |= b << (8 * i)
		}
		return value, true
	}
	switch size {
	case 1:
		return uint32(m.page.Data[at]), true
	case 2:
		return uint32(binary.LittleEndian.Uint16(m.page.Data[at:])), true
	default:
		return binary.LittleEndian.Uint32(m.page.Data[at:]), true
	}
}

// store writes size bytes of value.
func (c *CPU) store(address uint32, size int, value uint32) (ok bool) {
	if !c.allows(address, size, pmpWrite) {
		return false
	}
	m := c.pages[address>>pageBits]
	at := address % PageSize
	if m == nil || m.access.Words && (size != 4 || at%4 != 0) {
		return c.bus.Store(address, size, value)
	}
	if at+uint32(size) > PageSize {
		for i := range size {
			if !c.store(address+uint32(i), 1, value>>(8*i)&0xff) {
				return false
			}
		}
		return true
	}
	switch size {
	case 1:
		m.page.Data[at] = byte(value)
	case 2:
		binary.LittleEndian.PutUint16(m.page.Data[at:], uint16(value))
	default:
		binary.LittleEndian.PutUint32(m.page.Data[at:], value)
	}
	m.page.Changed(at, size)
	return true
}

// Changed is to be called after bytes of the page were changed from outside of the CPU.
func (p *Page) Changed(at uint32, size int) {
	if p.code == nil {
		return
	}
	first := at / 2
	if first > 0 {
		first-- // an instruction of four bytes
	}
	for i := first; i <= (at+uint32(size)-1)/2 && i < PageSize/2; i++ {
		p.code[i].op = opNone
	}
}

// A window is the part of a page from which any instruction of four bytes may be fetched without a further look. There are some, by
// mode and by the number of the page.
type window struct {
	first, size uint32 // bytes
	code        *[PageSize / 2]instruction
}

const windowCount = 16

// fetch returns the instruction at PC, decoded. What lies across the end of a page is decoded each time, into spare: a page knows
// only its own changes.
func (c *CPU) fetch(spare *instruction) (in *instruction, ok bool) {
	if !c.allows(c.PC, 2, pmpExecute) {
		return nil, false
	}
	page := c.codePage(c.PC)
	if page == nil {
		return nil, false
	}
	at := c.PC % PageSize
	if page.code == nil {
		page.code = new([PageSize / 2]instruction)
	}
	half := uint32(binary.LittleEndian.Uint16(page.Data[at:]))
	size := uint32(2)
	if half&3 == 3 {
		size = 4
	}
	if !c.allows(c.PC, int(size), pmpExecute) {
		return nil, false
	}
	c.open(c.PC-at, page)
	in = &page.code[at/2]
	switch {
	case in.op != opNone:
	case size == 2:
		*in = decodeCompressed(uint16(half))
	case at+4 <= PageSize:
		*in = decode(binary.LittleEndian.Uint32(page.Data[at:]))
	default:
		next := c.codePage(c.PC + 2)
		if next == nil {
			return nil, false
		}
		*spare = decode(half | uint32(binary.LittleEndian.Uint16(next.Data[:]))<<16)
		return spare, true
	}
	return in, true
}

// open sets the window, within a page at base and what is known to be open to execution.
func (c *CPU) open(base uint32, page *Page) {
	known := c.pmp.known[c.Mode&1][pmpExecute>>1][base>>pageBits%knownCount]
	first, last := max(uint64(base), known.first), min(uint64(base)+PageSize-1, known.last)
	if first+3 <= last {
		c.windows[c.Mode&1][base>>pageBits%windowCount] = window{first: uint32(first), size: uint32(last - first - 2), code: page.code}
	}
}

func (c *CPU) codePage(address uint32) *Page {
	if m := c.pages[address>>pageBits]; m != nil && m.access.Code {
		return m.page
	}
	c.bus.NoCode(address)
	return nil
}
