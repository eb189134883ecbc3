package models

import (
	"fmt"
	"math"
)

// rp2Serial is one SPI (RP2040 datasheet 4.4, chapter 12 of the RP2350's) or I2C (4.3; 12.2).
type rp2Serial struct {
	bit   uint32 // of RESETS
	began int    // accesses when it left reset
	clear func()
}

// serials adds the SPIs and I2Cs.
func (m *RP2) serials() {
	m.serial = newSerial()
	for n := range uint32(2) {
		m.spi(int(n), m.chip.spi+m.chip.spiStride*n, m.chip.spiReset<<n)
		m.i2c(int(n), m.chip.i2c+m.chip.i2cStride*n, m.chip.i2cReset<<n)
	}
}

// ready tells whether a device is out of reset.
func (m *RP2) ready(d *rp2Serial) bool {
	return m.resets.value&d.bit == 0 && m.accesses-d.began >= rp2Releasing
}

const rp2SPI, rp2I2C = 1, 3 // FUNCSEL

// routed tells what is wrong with the pins of lines, each of which is at every eighth or fourth pin from a first one on.
func (m *RP2) routed(function uint32, lines map[string]func(n int) bool) string {
	for line, can := range lines {
		found := 0
		for n := range m.pads {
			if can(n) && m.function(n) == function && !m.isolated(n) {
				found++
				if p := m.pad[n]; p&padIE == 0 || function == rp2I2C && p&padPUE == 0 || line != "miso" && p&padOD != 0 {
					return fmt.Sprintf("%s at %s: pad %#x", line, gp(n), p)
				}
			}
		}
		if found > 1 || found == 0 && line != "miso" {
			return fmt.Sprintf("%s is at %d pins", line, found)
		}
	}
	return ""
}

// spi adds a PL022: 4.4.4.
func (m *RP2) spi(n int, base, bit uint32) {
	d := &rp2Serial{bit: bit, began: -rp2Releasing}
	name := fmt.Sprintf("SPI%d", n)
	reg := func(offset uint32, register string, bits uint32) *cell {
		return m.add(base+offset, cell{name: name + "_" + register, bits: bits, on: func() bool { return m.ready(d) }})
	}
	cr0, cr1, dr, sr, cpsr := reg(0, "SSPCR0", 0xffff), reg(4, "SSPCR1", 0xf), reg(8, "SSPDR", 0xffff), reg(0xc, "SSPSR", 0), reg(0x10, "SSPCPSR", 0xff)
	at := func(role int) func(int) bool {
		return func(pin int) bool { return pin%4 == role && pin/8%2 == n }
	}
	s := &spiBus{m: &m.machine, name: name, txMost: 8, rxMost: 8, accessRate: m.chip.hz / 10}
	s.mode = func() int { return int(cr0.value>>6&1)<<1 | int(cr0.value>>7&1) }
	s.hz = func() float64 { return m.chip.hz / float64(max(cpsr.value, 2)) / float64(cr0.value>>8+1) }
	s.lines = func() string {
		return m.routed(rp2SPI, map[string]func(int) bool{"sck": at(2), "mosi": at(3), "miso": at(0)})
	}
	still := func(c *cell) func(uint32) {
		return func(old uint32) {
			if cr1.value&2 != 0 && c.value != old {
				m.fault("%s changes while the SPI is enabled", c.name)
			}
		}
	}
	cr0.write = still(cr0)
	cpsr.write = func(old uint32) {
		still(cpsr)(old)
		if cpsr.value&1 != 0 || cpsr.value < 2 {
			m.fault("%s of %d", cpsr.name, cpsr.value)
		}
	}
	cr1.write = func(uint32) {
		if s.step(); s.moving && cr1.value&2 == 0 {
			m.fault("%s is switched off while a byte moves", name)
		}
		if cr1.value&^2 != 0 || cr1.value != 0 && cr0.value&0x3f != 7 {
			m.fault("%s: SSPCR1 %#x, SSPCR0 %#x", name, cr1.value, cr0.value)
		}
	}
	dr.write = func(uint32) {
		if cr1.value&2 == 0 {
			m.fault("%s sends while it is switched off", name)
		}
		s.push(byte(dr.value))
	}
	dr.read = s.pop
	sr.read = func() uint32 {
		s.step()
		v := uint32(2) // TNF
		if len(s.rx) > 0 {
			v |= 1 << 2
		}
		if s.moving || len(s.tx) > 0 {
			v |= 1 << 4
		}
		return v
	}
	d.clear = func() { cr0.value, cr1.value, cpsr.value = 0, 0, 0; s.reset() }
	m.spis[name] = s
	m.blocks = append(m.blocks, d)
}

// rp2I2CBlock is a DW_apb_i2c as a master: 4.3.
type rp2I2CBlock struct {
	m                           *RP2
	wires                       *i2cBus
	name                        string
	con, tar, high, low, enable *cell
	tx                          []uint32
	rx                          []byte
	raw                         uint32 // RAW_INTR_STAT
	free                        int    // accesses when the command that moves is done
	moving, held                bool   // the bus is ours between bytes
	read                        bool
}

const rp2Abort, rp2Stopped = 1 << 6, 1 << 9

func (m *RP2) i2c(n int, base, bit uint32) {
	d := &rp2Serial{bit: bit, began: -rp2Releasing}
	b := &rp2I2CBlock{m: m, name: fmt.Sprintf("I2C%d", n), wires: &i2cBus{}}
	reg := func(offset uint32, register string, bits, reset uint32) *cell {
		return m.add(base+offset, cell{name: b.name + "_" + register, bits: bits, reset: reset, on: func() bool { return m.ready(d) }})
	}
	still := func(c *cell) *cell {
		c.write = func(uint32) {
			if b.enable.value&1 != 0 {
				m.fault("write of %s while the I2C is enabled", c.name)
			}
		}
		return c
	}
	b.con, b.tar = still(reg(0, "CON", 0x3ff, 0x65)), still(reg(4, "TAR", 0xfff, 0x55))
	b.high, b.low = still(reg(0x1c, "FS_SCL_HCNT", 0xffff, 6)), still(reg(0x20, "FS_SCL_LCNT", 0xffff, 0xd))
	hold, spikes := still(reg(0x7c, "SDA_HOLD", 0xffffff, 1)), still(reg(0xa0, "FS_SPKLEN", 0xff, 7))
	command := reg(0x10, "DATA_CMD", 0x7ff, 0)
	raw, clear := reg(0x34, "RAW_INTR_STAT", 0, 0), reg(0x40, "CLR_INTR", 0, 0)
	b.enable = reg(0x6c, "ENABLE", 7, 0)
	status := reg(0x9c, "ENABLE_STATUS", 0, 0)
	command.write = func(uint32) { b.command(command.value); command.value = 0 }
	command.read = func() uint32 {
		b.step()
		if len(b.rx) == 0 {
			m.fault("%s: read of DATA_CMD without a byte", b.name)
			return 0
		}
		v := b.rx[0]
		b.rx = b.rx[1:]
		return uint32(v)
	}
	raw.read = func() uint32 { b.step(); return b.raw }
	clear.read = func() uint32 { b.raw = 0; return 0 }
	b.enable.write = func(old uint32) {
		b.step()
		switch {
		case b.enable.value > 1:
			m.fault("%s: ENABLE %#x", b.name, b.enable.value)
		case b.enable.value == 0 && (b.moving || b.held):
			m.fault("%s is switched off during a transfer", b.name)
		case b.enable.value == 1 && (b.con.value != 0x65 || b.low.value < 8 || b.high.value < 6 || hold.value > b.low.value-2 || spikes.value == 0):
			m.fault("%s is enabled with CON %#x, counts %d and %d, hold %d, spikes %d", b.name, b.con.value, b.high.value, b.low.value, hold.value, spikes.value)
		}
		if b.enable.value == 0 {
			b.tx, b.rx = nil, nil
		}
	}
	status.read = func() uint32 { return b.enable.value & 1 }
	d.clear = func() {
		b.con.value, b.tar.value, b.high.value, b.low.value, hold.value, spikes.value, b.enable.value = 0x65, 0x55, 6, 0xd, 1, 7, 0
		b.tx, b.rx, b.raw, b.moving = nil, nil, 0, false
		if b.held { // the lines go up
			b.held = false
			b.wires.stop()
		}
	}
	role := n * 2
	b.m.i2cs[b.name] = b.wires
	m.i2cLines = append(m.i2cLines, func() string {
		return m.routed(rp2I2C, map[string]func(int) bool{
			"sda": func(pin int) bool { return pin%4 == role }, "scl": func(pin int) bool { return pin%4 == role+1 },
		})
	})
	m.blocks = append(m.blocks, d)
}

// command puts one into the FIFO, which has 16 places.
func (b *rp2I2CBlock) command(v uint32) {
	b.step()
	switch {
	case b.enable.value&1 == 0:
		b.m.fault("%s: a command while it is switched off", b.name)
	case b.raw&rp2Abort != 0: // 4.3.7: held in reset
	case len(b.tx) >= 16:
		b.m.fault("%s: more than 16 commands", b.name)
	default:
		b.tx = append(b.tx, v)
		b.next(b.m.accesses)
	}
}

// next begins a command.
func (b *rp2I2CBlock) next(at int) {
	if b.moving || len(b.tx) == 0 {
		return
	}
	bits := 9.0
	if read := b.tx[0]>>8&1 != 0; !b.held || b.tx[0]>>10&1 != 0 || read != b.read {
		bits += 10 // the address, with its START
	}
	period := float64(b.high.value + b.low.value)
	b.moving, b.free = true, at+int(math.Ceil(bits*period/10))
}

func (b *rp2I2CBlock) step() {
	for b.moving && b.m.accesses >= b.free {
		v := b.tx[0]
		b.tx, b.moving = b.tx[1:], false
		b.carry(v)
		b.next(b.free)
	}
}

func (b *rp2I2CBlock) carry(v uint32) {
	if wrong := b.m.i2cLines[int(b.name[3]-'0')](); wrong != "" {
		b.m.fault("%s: %s", b.name, wrong)
	}
	read := v>>8&1 != 0
	ok := true
	if !b.held || v>>10&1 != 0 || read != b.read {
		ok = b.wires.start(byte(b.tar.value), read)
		b.held, b.read = true, read
	}
	switch {
	case ok && read:
		if len(b.rx) >= 16 {
			b.m.fault("%s: more than 16 bytes received", b.name)
		}
		b.rx = append(b.rx, b.wires.read())
	case ok:
		ok = b.wires.write(byte(v))
	}
	if !ok {
		b.raw |= rp2Abort
		b.tx = nil
	}
	if !ok || v>>9&1 != 0 {
		b.wires.stop()
		b.held = false
		b.raw |= rp2Stopped
	}
}
