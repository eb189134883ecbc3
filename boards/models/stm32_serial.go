package models

import (
	"fmt"
	"math"
)

// stm32Pins are the pins of the buses and their alternate functions, by the data sheets of the STM32F405,
// STM32F446, STM32F401 and STM32F411.
var stm32Pins = map[string]struct {
	function uint32
	pins     map[string][]string
}{
	"SPI1": {5, map[string][]string{"sck": {"PA5", "PB3"}, "miso": {"PA6", "PB4"}, "mosi": {"PA7", "PB5"}}},
	"SPI2": {5, map[string][]string{"sck": {"PB10", "PB13"}, "miso": {"PB14", "PC2"}, "mosi": {"PB15", "PC3"}}},
	"I2C1": {4, map[string][]string{"scl": {"PB6", "PB8"}, "sda": {"PB7", "PB9"}}},
	"I2C2": {4, map[string][]string{"scl": {"PB10"}, "sda": {"PB11"}}},
}

// serials adds SPI1 and SPI2 (RM0090, 28), and the I2Cs (27).
func (m *STM32F4) serials() {
	m.serial = newSerial()
	m.spi("SPI1", 0x40013000, 1, 12)
	m.spi("SPI2", 0x40003800, 0, 14)
	m.i2c("I2C1", 0x40005400, 21)
	if m.chip.i2c2 {
		m.i2c("I2C2", 0x40005800, 22)
	}
}

// routed tells what is wrong with the pins of a bus.
func (m *STM32F4) routed(bus string) string {
	for line, pins := range stm32Pins[bus].pins {
		found := 0
		for _, pin := range pins {
			port, n := int(pin[1]-'A'), 0
			_, _ = fmt.Sscanf(pin[2:], "%d", &n)
			p := &m.gpio.ports[port]
			if m.gpio.mode(port, n) != 2 || p.afr[n/8].value>>(4*(n%8))&15 != stm32Pins[bus].function {
				continue
			}
			found++
			drain, pull := p.otyper.value>>n&1 != 0, p.pupdr.value>>(2*n)&3
			if i2c := bus[0] == 'I'; drain != i2c && line != "miso" || i2c && pull != 1 {
				return fmt.Sprintf("%s at %s: open drain %v, resistor %d", line, pin, drain, pull)
			}
		}
		if found > 1 || found == 0 && line != "miso" {
			return fmt.Sprintf("%s is at %d pins", line, found)
		}
	}
	return ""
}

// spi adds an SPI of APB1 (0) or APB2 (1): 28.5.
func (m *STM32F4) spi(name string, base uint32, apb, bit int) {
	reg := func(offset uint32, register string, bits uint32) *cell {
		return m.add(base+offset, cell{name: name + "_" + register, bits: bits, on: func() bool { return m.apb[apb].runs(bit) }})
	}
	cr1, cr2, sr, dr := reg(0, "CR1", 0xffff), reg(4, "CR2", 0xf7), reg(8, "SR", 0), reg(0xc, "DR", 0xffff)
	s := &spiBus{m: &m.machine, name: name, txMost: 2, rxMost: 1, accessRate: m.chip.core / 10, mode: func() int { return int(cr1.value & 3) }}
	s.hz = func() float64 { return m.chip.buses[apb] / float64(int(2)<<(cr1.value>>3&7)) }
	s.mode = func() int { return int(cr1.value>>1&1)<<1 | int(cr1.value&1) }
	s.lines = func() string { return m.routed(name) }
	const enabled = 1 << 6
	cr1.write = func(old uint32) {
		s.step()
		v := cr1.value
		switch {
		case old&enabled != 0 && (old^v)&^enabled != 0:
			m.fault("%s: CR1 changes from %#x to %#x while it is enabled", name, old, v)
		case v&enabled == 0 && s.moving:
			m.fault("%s is switched off while a byte moves", name)
		case v&^0x7f != 1<<9|1<<8 || v&4 == 0: // 28.3.3: a master whose NSS is software's
			m.fault("%s: CR1 of %#x", name, v)
		case cr2.value != 0:
			m.fault("%s: CR2 of %#x", name, cr2.value)
		}
	}
	dr.write = func(uint32) {
		if cr1.value&enabled == 0 {
			m.fault("%s sends while it is switched off", name)
		}
		if dr.value > 0xff {
			m.fault("%s: %#x is no byte", name, dr.value)
		}
		s.push(byte(dr.value))
	}
	dr.read = s.pop
	sr.read = func() uint32 {
		s.step()
		v := uint32(0)
		if len(s.rx) > 0 {
			v |= 1
		}
		if len(s.tx) < 2 {
			v |= 2
		}
		if s.moving {
			v |= 1 << 7
		}
		return v
	}
	m.spis[name] = s
	m.resets = append(m.resets, stm32Reset{apb, bit, func() { cr1.value, cr2.value = 0, 0; s.reset() }})
}

// stm32Reset is a device that its bit of RCC_APBxRSTR resets.
type stm32Reset struct {
	apb, bit int
	clear    func()
}

// stm32I2C is a master by 27.3.3 and 27.6.
type stm32I2C struct {
	m                                     *STM32F4
	name                                  string
	wires                                 *i2cBus
	cr1, cr2, dr, sr1, sr2, ccr, trise    *cell
	state                                 i2cState
	due                                   int // accesses when what goes on is done
	sb, addr, btf, rxne, txe, af, sawAddr bool
	receiving                             bool
	waiting                               []byte // in DR, and in the shift register
	next, moves                           byte   // of DR, when it sends, and of the shift register
	full                                  bool   // next has one
	acks                                  bool   // of POS: whether the byte that moves is acknowledged
	bytes                                 int    // received since the address
	stopped                               bool   // the last byte was not acknowledged
}

type i2cState int

const (
	i2cIdle i2cState = iota
	i2cStarting
	i2cAddressing
	i2cHeld // between bytes
	i2cByte
	i2cStopping
)

const (
	i2cPE, i2cSTART, i2cSTOP, i2cACK, i2cPOS, i2cSWRST = 1, 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 15
)

func (m *STM32F4) i2c(name string, base uint32, bit int) {
	b := &stm32I2C{m: m, name: name, wires: &i2cBus{}}
	reg := func(offset uint32, register string, bits, reset uint32) *cell {
		return m.add(base+offset, cell{name: name + "_" + register, bits: bits, reset: reset, on: func() bool { return m.apb[0].runs(bit) }})
	}
	b.cr1, b.cr2, b.dr = reg(0, "CR1", 0xbffb, 0), reg(4, "CR2", 0x1f3f, 0), reg(0x10, "DR", 0xff, 0)
	b.sr1, b.sr2 = reg(0x14, "SR1", 0, 0), reg(0x18, "SR2", 0, 0)
	b.ccr, b.trise = reg(0x1c, "CCR", 0xcfff, 0), reg(0x20, "TRISE", 0x3f, 2)
	b.cr1.write = b.control
	b.cr1.read = func() uint32 { b.step(); return b.cr1.value }
	off := func(c *cell) {
		c.write = func(uint32) {
			if b.cr1.value&i2cPE != 0 {
				m.fault("%s changes while the I2C is enabled", c.name)
			}
		}
	}
	off(b.ccr)
	off(b.trise)
	b.dr.write = func(uint32) { b.send(byte(b.dr.value)) }
	b.dr.read = b.receive
	b.sr1.read = b.status
	b.sr2.read = func() uint32 {
		b.step()
		if b.addr && b.sawAddr {
			b.addr, b.sawAddr = false, false
			if b.receiving {
				b.acks = b.cr1.value&i2cACK != 0
				b.shift()
			} else {
				b.txe = true
			}
		}
		v := uint32(0)
		if b.state != i2cIdle {
			v = 3
		}
		return v
	}
	m.i2cs[name] = b.wires
	m.resets = append(m.resets, stm32Reset{0, bit, b.reset})
}

func (b *stm32I2C) reset() {
	if b.state != i2cIdle { // the lines go up
		b.wires.stop()
	}
	b.cr1.value, b.cr2.value, b.ccr.value, b.trise.value = 0, 0, 0, 2
	*b = stm32I2C{m: b.m, name: b.name, wires: b.wires, cr1: b.cr1, cr2: b.cr2, dr: b.dr, sr1: b.sr1, sr2: b.sr2, ccr: b.ccr, trise: b.trise}
}

// bit is the accesses that a bit takes: 27.6.8.
func (b *stm32I2C) bits(n float64) int {
	count, parts := float64(b.ccr.value&0xfff), 2.0
	if b.ccr.value>>15 != 0 {
		parts = 3
	}
	return int(math.Ceil(n * parts * max(count, 1) / b.m.chip.buses[0] * b.m.chip.core / 10))
}

// Hz is the clock.
func (b *stm32I2C) hz() float64 { return b.m.chip.core / 10 / float64(b.bits(1000)) * 1000 }

func (b *stm32I2C) control(old uint32) {
	b.step()
	v := b.cr1.value
	mhz := uint32(b.m.chip.buses[0] / 1e6)
	rise := mhz + 1 // 27.6.9: of 1000 ns, or 300
	if b.ccr.value>>15 != 0 {
		rise = mhz*3/10 + 1
	}
	switch {
	case v&i2cSWRST != 0:
		swrst := b.cr1.value
		b.reset()
		b.cr1.value = swrst
		return
	case old&(i2cSTART|i2cSTOP) != 0 && old&i2cSWRST == 0 && b.cr1.value != old:
		b.m.fault("%s: CR1 is written while START or STOP is pending", b.name) // 27.6.1, note
	case v&^(i2cPE|i2cSTART|i2cSTOP|i2cACK|i2cPOS) != 0:
		b.m.fault("%s: CR1 of %#x", b.name, v)
	case v&i2cPE != 0 && (b.cr2.value != mhz || b.hz() > 400001 || b.trise.value != rise):
		b.m.fault("%s: CR2 %d, CCR %#x, TRISE %d", b.name, b.cr2.value, b.ccr.value, b.trise.value)
	}
	if v&i2cSTART != 0 {
		if wrong := b.m.routed(b.name); wrong != "" {
			b.m.fault("%s: %s", b.name, wrong)
		}
		if b.rxne || len(b.waiting) > 0 || b.state != i2cIdle && !b.btf {
			b.m.fault("%s: START in the middle of a transfer", b.name)
		}
		b.state, b.due = i2cStarting, b.m.accesses+b.bits(2)
		b.btf, b.txe = false, false
	}
	if v&i2cSTOP != 0 && b.state == i2cHeld && b.receiving && !b.stopped {
		b.m.fault("%s: STOP behind a byte that was acknowledged", b.name)
	}
	if v&i2cSTOP != 0 && (b.state == i2cHeld || b.state == i2cAddressing && b.af) {
		b.stop()
	}
}

func (b *stm32I2C) stop() {
	b.state, b.due = i2cStopping, b.m.accesses+b.bits(1)
	b.txe = false
	if !b.receiving {
		b.btf = false
	}
}

// status is a read of SR1.
func (b *stm32I2C) status() uint32 {
	b.step()
	b.sawAddr = b.addr
	v := uint32(0)
	for bit, set := range map[int]bool{0: b.sb, 1: b.addr, 2: b.btf, 6: b.rxne, 7: b.txe, 10: b.af} {
		if set {
			v |= 1 << bit
		}
	}
	return v
}

// send is a write of DR.
func (b *stm32I2C) send(v byte) {
	b.step()
	switch {
	case b.sb:
		b.sb = false
		b.receiving = v&1 != 0
		b.next = v
		b.state, b.due = i2cAddressing, b.m.accesses+b.bits(9)
	case b.addr:
		b.m.fault("%s: DR is written before ADDR is cleared", b.name)
	case b.receiving || !b.txe:
		b.m.fault("%s: DR is written, and TXE is 0", b.name)
	default:
		b.next, b.full, b.txe, b.btf = v, true, false, false
		if b.state == i2cHeld {
			b.shift()
		}
	}
}

// shift begins a byte.
func (b *stm32I2C) shift() {
	b.state, b.due = i2cByte, b.m.accesses+b.bits(9)
	if !b.receiving {
		b.moves, b.full, b.txe = b.next, false, true
	}
}

// receive is a read of DR.
func (b *stm32I2C) receive() uint32 {
	b.step()
	if len(b.waiting) == 0 {
		b.m.fault("%s: DR is read without a byte", b.name)
		return 0
	}
	v := b.waiting[0]
	b.waiting = b.waiting[1:]
	b.rxne, b.btf = len(b.waiting) > 0, false
	if b.state == i2cHeld && !b.stopped {
		b.shift()
	}
	return uint32(v)
}

func (b *stm32I2C) step() {
	for b.state != i2cIdle && b.state != i2cHeld && b.m.accesses >= b.due {
		switch b.state {
		case i2cStarting:
			b.cr1.value &^= i2cSTART
			b.sb, b.af, b.bytes, b.stopped = true, false, 0, false
			b.state = i2cHeld
		case i2cAddressing:
			b.state = i2cHeld
			if b.wires.start(b.next>>1, b.receiving) {
				b.addr = true
			} else {
				b.af = true
			}
		case i2cStopping:
			b.wires.stop()
			b.cr1.value &^= i2cSTOP
			b.state = i2cIdle
		case i2cByte:
			b.state = i2cHeld
			if b.receiving {
				b.got()
			} else {
				b.sent()
			}
		}
	}
}

func (b *stm32I2C) sent() {
	if !b.wires.write(b.moves) {
		b.af = true
		return
	}
	if b.full {
		b.shift()
		return
	}
	b.btf = true
}

// got ends a byte that was received. POS has the bit ACK be that of the byte behind the one that moves.
func (b *stm32I2C) got() {
	b.bytes++
	ack := b.cr1.value&i2cACK != 0
	if b.cr1.value&i2cPOS != 0 {
		ack, b.acks = b.acks, ack
	}
	b.waiting = append(b.waiting, b.wires.read())
	b.rxne = true
	b.stopped = !ack
	if len(b.waiting) == 2 {
		b.btf = true
	}
	switch {
	case b.cr1.value&i2cSTOP != 0:
		if ack {
			b.m.fault("%s: STOP behind a byte that was acknowledged", b.name)
		}
		b.stop()
	case ack && len(b.waiting) < 2:
		b.shift()
	}
}
