package models

import (
	"fmt"
	"slices"
)

// MPS2 is a model of the FPGA images' I/O: FPGAIO by the application notes of Arm (LED, BUTTON, SWITCH),
// and AHB GPIO by the technical reference manual of the Cortex-M System Design Kit, DDI 0479.
type MPS2 struct {
	machine
	ports []mps2Port
}

type mps2Port struct {
	first               int // of its pins, EXP16
	out, enable, alters *cell
}

// NewMPS2 returns that of AN385, AN386 and AN500.
func NewMPS2() *MPS2 { return newMPS2(0x40028000, 2, 0, 0x40010000) }

// NewAN505 returns that of AN505 in the secure address space.
func NewAN505() *MPS2 { return newMPS2(0x50302000, 2, 0, 0x50100000) }

// NewAN547 returns that of AN547 in the secure address space, without its GPIO.
func NewAN547() *MPS2 { return newMPS2(0x59302000, 10, 8, 0) }

func newMPS2(fpgaio uint32, leds, switches int, gpio uint32) *MPS2 {
	m := &MPS2{machine: newMachine()}
	led := m.add(fpgaio, cell{name: "FPGAIO LED", bits: 1<<leds - 1})
	led.write = func(old uint32) {
		for i := range leds {
			// Those that change; a LED is off after reset.
			if name := fmt.Sprintf("LED%d", i); (old^led.value)>>i&1 != 0 || len(m.history[name]) == 0 {
				m.drive(name, led.value>>i&1 != 0)
			}
		}
	}
	m.inputs(fpgaio+0x08, "BUTTON", 2)
	if switches > 0 {
		m.inputs(fpgaio+0x28, "SWITCH", switches)
	}
	if gpio != 0 {
		// EXP48 to EXP51 are all that GPIO3 has.
		for i, pins := range []int{16, 16, 16, 4} {
			m.port(gpio+0x1000*uint32(i), 16*i, pins)
		}
	}
	return m
}

func (m *MPS2) inputs(address uint32, name string, pins int) {
	m.add(address, cell{name: name, read: func() uint32 {
		all := uint32(0)
		for i := range pins {
			if m.outside[fmt.Sprintf("%s%d", name, i)] {
				all |= 1 << i
			}
		}
		return all
	}})
}

func (m *MPS2) port(base uint32, first, pins int) {
	all := uint32(1<<pins - 1)
	p := mps2Port{first: first}
	update := func(uint32) { m.outputs(&p, pins) }
	p.out = m.add(base+0x004, cell{name: "DATAOUT", bits: all, write: update})
	p.enable = &cell{}
	p.alters = &cell{value: all} // as some other program may have left it
	m.add(base, cell{name: "DATA", bits: all, read: func() uint32 { return m.levels(&p, pins) }}).write = func(uint32) {
		m.fault("write of DATA, which is DATAOUT elsewhere")
	}
	m.setAndClear("OUTENABLE", base+0x010, base+0x014, all, p.enable, update)
	m.setAndClear("ALTFUNC", base+0x018, base+0x01c, all, p.alters, update)
	// Bits 9 to 2 of the address are the mask of a byte, and the data is in that byte's place.
	for mask := range uint32(256) {
		for offset, shift := range map[uint32]uint32{0x400: 0, 0x800: 8} {
			c := m.add(base+offset+4*mask, cell{name: fmt.Sprintf("MASKED %#x", offset+4*mask), bits: 0xff << shift})
			c.read = func() uint32 { return m.levels(&p, pins) & (mask << shift) }
			c.write = func(uint32) {
				if mask<<shift&^all != 0 {
					m.fault("a pin that is not there")
				}
				p.out.value = p.out.value&^(mask<<shift) | c.value&(mask<<shift)
				c.value = 0
				update(0)
			}
		}
	}
	m.ports = append(m.ports, p)
}

func (m *MPS2) outputs(p *mps2Port, pins int) {
	for n := range pins {
		if p.enable.value>>n&1 == 0 {
			continue
		}
		if p.alters.value>>n&1 != 0 {
			m.fault("EXP%d is an output of something else", p.first+n)
		}
		m.drive(fmt.Sprintf("EXP%d", p.first+n), p.out.value>>n&1 != 0)
	}
}

func (m *MPS2) levels(p *mps2Port, pins int) uint32 {
	all := uint32(0)
	for n := range pins {
		high := m.outside[fmt.Sprintf("EXP%d", p.first+n)]
		if p.enable.value>>n&1 != 0 {
			high = p.out.value>>n&1 != 0
		}
		if high {
			all |= 1 << n
		}
	}
	return all
}

// Inputs tells whether pins of the expansion are inputs of the GPIO and nothing else's.
func (m *MPS2) Inputs(pins ...int) bool {
	return !slices.ContainsFunc(pins, func(n int) bool {
		p := &m.ports[n/16]
		return (p.enable.value|p.alters.value)>>(n%16)&1 != 0
	})
}
