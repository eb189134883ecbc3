package models

import (
	"fmt"
	"math"
	"slices"
)

const bcmAccesses = 1e6 * bcmMicrosecond // per second

// bcmLines are SPI0 and BSC1 at the pins that the boards have on their headers; function ALT0 (6.2).
var bcmLines = map[string][]int{"SPI0": {9, 10, 11}, "I2C1": {2, 3}}

const bcmAlt0 = 4

// serials adds SPI0 (BCM2835 ARM Peripherals, 10.5) and BSC1 (3.2).
func (m *BCM) serials() {
	m.serial = newSerial()
	m.spi(m.chip.base + 0x204000)
	m.bsc(m.chip.base + 0x804000)
}

// bcmSerial tells whether a pin is one of a bus with function ALT0.
func bcmSerial(n int) bool {
	return slices.Contains(bcmLines["SPI0"], n) || slices.Contains(bcmLines["I2C1"], n)
}

func (m *BCM) routed(bus string) string {
	for _, n := range bcmLines[bus] {
		if m.function(n) != bcmAlt0 && n != 9 { // nothing needs to be received
			return fmt.Sprintf("%s has function %d", bcmPin(n), m.function(n))
		}
	}
	return ""
}

func (m *BCM) spi(base uint32) {
	const active, clear = 1 << 7, 3 << 4
	cs := m.add(base, cell{name: "SPI0_CS", bits: 0x03ffffff, reset: 0x00041000})
	fifo := m.add(base+4, cell{name: "SPI0_FIFO", bits: 0xffffffff})
	clk := m.add(base+8, cell{name: "SPI0_CLK", bits: 0xffff})
	s := &spiBus{m: &m.machine, name: "SPI0", txMost: 64, rxMost: 64, accessRate: bcmAccesses}
	s.mode = func() int { return int(cs.value>>3&1)<<1 | int(cs.value>>2&1) }
	s.hz = func() float64 { // 0 is 65536
		if clk.value == 0 {
			return m.chip.core / 65536
		}
		return m.chip.core / float64(clk.value)
	}
	s.lines = func() string { return m.routed("SPI0") }
	clk.write = func(uint32) {
		if cs.value&active != 0 || clk.value&1 != 0 {
			m.fault("SPI0_CLK of %d, CS %#x", clk.value, cs.value)
		}
	}
	cs.write = func(old uint32) {
		s.step()
		v := cs.value
		switch {
		case v&^(active|clear|0xc) != 0:
			m.fault("SPI0_CS of %#x", v)
		case s.moving && (v&active == 0 || v&clear != 0):
			m.fault("SPI0 ends while a byte moves")
		case v&active != 0 && old&active == 0 && len(s.rx) > 0:
			m.fault("SPI0 begins with %d bytes that nobody has read", len(s.rx))
		}
		if v&clear != 0 {
			s.reset()
		}
		cs.value &= active | 0xc
	}
	cs.read = func() uint32 {
		s.step()
		v := cs.value | 1<<18
		if len(s.rx) > 0 {
			v |= 1 << 17
		}
		if cs.value&active != 0 && !s.moving {
			v |= 1 << 16
		}
		return v
	}
	fifo.write = func(uint32) {
		if cs.value&active == 0 || fifo.value > 0xff {
			m.fault("SPI0_FIFO gets %#x, CS is %#x", fifo.value, cs.value)
		}
		s.push(byte(fifo.value))
	}
	fifo.read = s.pop
	m.spis["SPI0"] = s
}

// bcmBSC is BSC1.
type bcmBSC struct {
	m                        *BCM
	wires                    *i2cBus
	c, s, dlen, a, div, clkt *cell
	fifo                     []byte
	status                   uint32 // DONE, ERR, CLKT
	moving                   bool
	due                      int
}

func (m *BCM) bsc(base uint32) {
	const st, read, enabled, clear = 1 << 7, 1, 1 << 15, 3 << 4
	b := &bcmBSC{m: m, wires: &i2cBus{}}
	still := func(offset uint32, name string, bits, reset uint32) *cell {
		c := m.add(base+offset, cell{name: "BSC1_" + name, bits: bits, reset: reset})
		c.write = func(uint32) {
			if b.step(); b.moving {
				m.fault("write of %s during a transfer", c.name)
			}
		}
		return c
	}
	b.c = m.add(base, cell{name: "BSC1_C", bits: 0x87b1})
	b.s = m.add(base+4, cell{name: "BSC1_S", bits: 0x3ff, reset: 0x50})
	b.dlen, b.a = still(8, "DLEN", 0xffff, 0), still(0xc, "A", 0x7f, 0)
	fifo := m.add(base+0x10, cell{name: "BSC1_FIFO", bits: 0xff})
	b.div, b.clkt = still(0x14, "DIV", 0xffff, 0x5dc), still(0x1c, "CLKT", 0xffff, 0x40)
	del := still(0x18, "DEL", 0xffffffff, 0x00300030)
	b.s.read = func() uint32 {
		b.step()
		v := b.status
		if b.moving {
			v |= 1
		}
		return v
	}
	b.s.write = func(uint32) { b.step(); b.status &^= b.s.value; b.s.value = 0x50 }
	b.c.write = func(uint32) {
		b.step()
		v := b.c.value
		if v&clear != 0 {
			if b.moving {
				m.fault("the FIFO of BSC1 is cleared during a transfer")
			}
			b.fifo = nil
		}
		if v&st != 0 {
			switch half := b.div.value / 2; {
			case b.moving || v&enabled == 0 || v&clear != 0:
				m.fault("BSC1 is started with C of %#x", v)
			case b.status&2 != 0:
				m.fault("BSC1 is started with DONE")
			case del.value>>16 >= half || del.value&0xffff >= half: // 3.2: less than half a clock
				m.fault("BSC1: DEL of %#x", del.value)
			case v&read == 0 && len(b.fifo) != int(b.dlen.value) || b.dlen.value > 16:
				m.fault("BSC1: %d bytes in the FIFO, DLEN %d", len(b.fifo), b.dlen.value)
			case m.routed("I2C1") != "":
				m.fault("BSC1: %s", m.routed("I2C1"))
			}
			period := float64(b.div.value) / m.chip.core
			b.moving, b.due = true, m.accesses+int(math.Ceil(float64(9*(1+b.dlen.value)+2)*period*bcmAccesses))
		}
		b.c.value &= enabled | read
	}
	fifo.write = func(uint32) {
		if len(b.fifo) >= 16 {
			m.fault("BSC1: more than 16 bytes")
		}
		b.fifo = append(b.fifo, byte(fifo.value))
	}
	fifo.read = func() uint32 {
		b.step()
		if len(b.fifo) == 0 {
			m.fault("BSC1: the FIFO is read, and has nothing")
			return 0
		}
		v := b.fifo[0]
		b.fifo = b.fifo[1:]
		return uint32(v)
	}
	m.i2cs["I2C1"] = b.wires
}

func (b *bcmBSC) step() {
	if !b.moving || b.m.accesses < b.due {
		return
	}
	b.moving = false
	b.status |= 2
	read := b.c.value&1 != 0
	ok := b.wires.start(byte(b.a.value), read)
	for range b.dlen.value {
		switch {
		case !ok:
		case read:
			b.fifo = append(b.fifo, b.wires.read())
		default:
			ok = b.wires.write(b.fifo[0])
			b.fifo = b.fifo[1:]
		}
	}
	b.wires.stop()
	if !ok {
		b.status |= 1 << 8
	}
}
