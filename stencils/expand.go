package stencils

import (
	"sync"

	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

// code is what the dtypes of a stencil share. A program uses a few of some hundred
// stencils, so each one is expanded at its first use: packed fields become
// windows with lookup tables by register. The fields below once are there after that only.
type code struct {
	expander *expander
	packed   *libfile.Stencil // checked when the library was read: to expand it cannot fail

	once      sync.Once
	templates []template
	classes   []uint8 // template by operand key; nil when there is only one
	high      [4]uint32
	pairs     []pair // operands whose equality counts; none where it does not
}

// expanded is the code, ready for use. Many goroutines may call it.
func (c *code) expanded() *code {
	c.once.Do(c.expand)
	return c
}

func (c *code) expand() {
	c.templates = make([]template, len(c.packed.Templates))
	for i := range c.templates {
		c.templates[i] = c.template(&c.packed.Templates[i])
	}
	if len(c.packed.Classes) == 0 {
		return
	}
	keys := classCount(c.packed.Classes)
	c.classes = make([]uint8, 0, keys)
	for p := c.packed.Classes; len(p) > 0; p = p[2:] {
		for range int(p[0]) + 1 {
			c.classes = append(c.classes, p[1])
		}
	}
	for i, p := range operandPairs {
		if class := c.class(p[0]); keys == pairKeys && class != None && class == c.class(p[1]) {
			c.pairs = append(c.pairs, pair{p[0], p[1], 1 << (4 + i)})
		}
	}
	for i := range c.high {
		for r, n := range c.expander.numbers[c.class(uint8(i))] {
			c.high[i] |= uint32(n>>c.expander.highBit&1) << r
		}
	}
}

// class is the register class of operand i: 0 is the result, 1 to 3 are a to c.
func (c *code) class(i uint8) Class {
	if i == 0 {
		return Class(c.packed.Dst)
	}
	return Class(c.packed.Src[i-1])
}

// packedTemplate is the index of the template for a combination of registers, as pick finds it, without
// the tables that only code which is used is worth.
func (c *code) packedTemplate(registers [4]uint8) int {
	packed := c.packed.Classes
	if len(packed) == 0 {
		return 0
	}
	key := 0
	for i, r := range registers {
		if numbers := c.expander.numbers[c.class(uint8(i))]; int(r) < len(numbers) {
			key |= int(numbers[r]>>c.expander.highBit&1) << i
		}
	}
	if classCount(packed) == pairKeys {
		for i, p := range operandPairs {
			if class := c.class(p[0]); class != None && class == c.class(p[1]) && registers[p[0]] == registers[p[1]] {
				key |= 1 << (4 + i)
			}
		}
	}
	for key > int(packed[0]) {
		key -= int(packed[0]) + 1
		packed = packed[2:]
	}
	return int(packed[1])
}

// template turns the register fields of the code into sites, and the others into holes.
func (c *code) template(f *libfile.Template) template {
	const window = 4
	size := len(f.Code)
	t := template{size: size, origin: f.Origin, code: append(append(make([]byte, 0, size+window-1), f.Code...), make([]byte, window-1)...)}
	type siteTables struct {
		at  int
		xor [4][32]uint32
	}
	var sites []siteTables
	for packed := f.Fields; len(packed) > 0; packed = packed[libfile.FieldSize:] {
		fd := libfile.UnpackField(packed)
		at := int(fd.Dst) / 8
		if size >= window {
			at = min(at, size-window) // a branch is aimed in code without padding
		}
		shift := int(fd.Dst) - 8*at
		mask := uint32(1)<<fd.Len - 1
		h := hole{at: at, src: fd.Src, dst: uint8(shift), mask: mask}
		switch fd.Operand {
		case libfile.OperandImm:
			t.holes = append(t.holes, h)
			continue
		case libfile.OperandImm2:
			h.value = 1
			t.holes = append(t.holes, h)
			continue
		case libfile.OperandBranch:
			t.branch = append(t.branch, h)
			continue
		}
		i := 0
		for i < len(sites) && !(sites[i].at <= at && int(fd.Dst)+int(fd.Len) <= 8*(sites[i].at+window)) {
			i++
		}
		if i == len(sites) {
			// word-aligned windows where possible: all fields of a fixed-width instruction share one
			start := at
			if aligned := at &^ 3; int(fd.Dst)+int(fd.Len) <= 8*(aligned+window) && aligned+window <= size {
				start = aligned
			}
			sites = append(sites, siteTables{at: start})
		}
		for r, n := range c.expander.numbers[c.class(fd.Operand)] {
			sites[i].xor[fd.Operand][r] ^= uint32(n) >> fd.Src & mask << (int(fd.Dst) - 8*sites[i].at)
		}
	}
	for i := range sites {
		t.sites = append(t.sites, site{at: sites[i].at, xor: c.expander.shared(&sites[i].xor)})
	}
	return t
}

// expander is what the stencils of a library are expanded with. Equal lookup tables are
// shared: there are only a few dozen ways to place a register number.
type expander struct {
	highBit uint8
	numbers [5][]uint8 // hardware numbers of registers, by Class
	unit    int        // see unitOf

	lock   sync.Mutex
	tables map[[32]uint32]*[32]uint32
}

// shared is the one copy of each table.
func (x *expander) shared(tables *[4][32]uint32) (out [4]*[32]uint32) {
	x.lock.Lock()
	defer x.lock.Unlock()
	for i := range tables {
		p := x.tables[tables[i]]
		if p == nil {
			p = new([32]uint32)
			*p = tables[i]
			x.tables[*p] = p
		}
		out[i] = p
	}
	return out
}
