package models

import "fmt"

// RP2 is a model of the RP2040 and the RP2350 by their datasheets: resets, clocks,
// GPIO, ADC and PWM, as the runner leaves them.
type RP2 struct {
	machine
	chip             rp2Chip
	resets, adcClock *cell
	stopped          int    // accesses when the ADC's clock was stopped
	onCrystal        bool   // the PLL has not come up
	began            [2]int // accesses when ADC and PWM left reset
	out, enable      uint32 // SIO
	pads, control    [30]*cell
	pad              [30]uint32 // what holds at the pad: not what an isolated pad's register says
	adc              rp2ADC
	slices           [8]rp2Slice
	serial
	blocks   []*rp2Serial
	i2cLines []func() string // what is wrong with the pins of each I2C
}

// rp2Chip is where the two differ. Sections: RP2040, RP2350.
type rp2Chip struct {
	clocks, resets, io, pads, adc, pwm uint32 // addresses (2.2, 2.2)
	allResets, pwmReset, running       uint32 // bits of RESETS (2.14.3, 7.5.3); those that the runner has cleared
	adcCtrl, adcDiv                    uint32 // offsets in CLOCKS (2.15.7, 8.1.7)
	adcCtrlBits, enabled               uint32 // of CLK_ADC_CTRL; enabled can only be read
	adcDivBits, adcDivReset            uint32
	ctrlBits, padBits, padReset        uint32 // 2.19.6, 9.11
	set, clear, oeSet, oeClear         uint32 // offsets in SIO (2.3.1.7, 3.1.11)
	outputs                            uint32 // bits of SIO's registers
	csBits, selects                    uint32 // ADC_CS (4.9.6, 12.4.7); how many inputs AINSEL can name
	isolates                           bool   // pads have bit 8, ISO (9.7)
	spi, spiStride, spiReset           uint32 // addresses, and bits of RESETS, of the first one
	i2c, i2cStride, i2cReset           uint32
	hz                                 float64
}

var rp2040 = rp2Chip{
	clocks: 0x40008000, resets: 0x4000c000, io: 0x40014000, pads: 0x4001c000, adc: 0x4004c000, pwm: 0x40050000,
	allResets: 0x01ffffff, pwmReset: 1 << 14, running: 1<<5 | 1<<8 | 1<<12 | 1<<22,
	adcCtrl: 0x60, adcDiv: 0x64, adcCtrlBits: 0x00130ce0, adcDivBits: 0x300, adcDivReset: 0x100,
	ctrlBits: 0x3003331f, padBits: 0xff, padReset: 0x56,
	set: 0x14, clear: 0x18, oeSet: 0x24, oeClear: 0x28, outputs: 0x3fffffff,
	csBits: 0x001f770f, selects: 5, hz: 125e6,
	spi: 0x4003c000, spiStride: 0x4000, spiReset: 1 << 16, i2c: 0x40044000, i2cStride: 0x4000, i2cReset: 1 << 3,
}

var rp2350 = rp2Chip{
	clocks: 0x40010000, resets: 0x40020000, io: 0x40028000, pads: 0x40038000, adc: 0x400a0000, pwm: 0x400a8000,
	allResets: 0x1fffffff, pwmReset: 1 << 16, running: 1<<6 | 1<<9 | 1<<14 | 1<<26,
	adcCtrl: 0x6c, adcDiv: 0x70, adcCtrlBits: 0x10130ce0, enabled: 1 << 28, adcDivBits: 0x000f0000, adcDivReset: 0x00010000,
	ctrlBits: 0x3003f01f, padBits: 0x1ff, padReset: 0x116,
	set: 0x18, clear: 0x20, oeSet: 0x38, oeClear: 0x40, outputs: 0xffffffff,
	csBits: 0x01fff70f, selects: 5, isolates: true, hz: 150e6,
	spi: 0x40080000, spiStride: 0x8000, spiReset: 1 << 18, i2c: 0x40090000, i2cStride: 0x8000, i2cReset: 1 << 4,
}

const (
	rp2SIO       = 0xd0000000
	rp2ADCReset  = 1 << 0
	rp2Releasing = 3 // accesses until RESET_DONE says that a device can be used
	rp2Stopping  = 5 // accesses until a clock that is disabled has stopped
	rp2ADCBlock  = 0 // of began
	rp2PWMBlock  = 1

	clockEnable, clockKill, clockSource = 1 << 11, 1 << 10, 7 << 5

	padOD, padIE, padPUE, padPDE, padISO = 1 << 7, 1 << 6, 1 << 3, 1 << 2, 1 << 8

	rp2UART, rp2PWM, rp2GPIO, rp2None = 2, 4, 5, 31 // FUNCSEL (2.19.2, 9.4)
)

// NewRP2040 returns the chip after the runner's start: 125 MHz, UART 0 on GP0 and GP1.
func NewRP2040() *RP2 { return newRP2(rp2040) }

// NewRP2350 returns the chip after the runner's start: 150 MHz, UART 0 on GP0 and GP1.
func NewRP2350() *RP2 { return newRP2(rp2350) }

func newRP2(c rp2Chip) *RP2 {
	m := &RP2{machine: newMachine(), chip: c}
	m.resetting()
	m.clocks()
	for n := range m.pads {
		m.pin(n)
	}
	for n := range 2 {
		m.control[n].value, m.pads[n].value, m.pad[n] = rp2UART, 0x5a, 0x5a
	}
	m.sio()
	m.converter()
	m.pulses()
	m.serials()
	m.stopped = -rp2Stopping
	return m
}

// Used leaves the chip as another program might: the ADC on another clock with a
// result that nobody has read, slices of the PWM beyond what a short period
// reaches, all pins driven.
func (m *RP2) Used() *RP2 {
	m.resets.value &^= rp2ADCReset | m.chip.pwmReset
	m.began = [2]int{-rp2Releasing, -rp2Releasing}
	m.adcClock.value = clockEnable | 1<<5
	m.cells[m.chip.clocks+m.chip.adcDiv].value = 3 * m.chip.adcDivReset
	m.adc.cs.value, m.adc.fcs.value, m.adc.fifo = csEN, fcsEN, []uint32{0x123}
	for i := range m.slices {
		s := &m.slices[i]
		s.csr.value, s.div.value, s.ctr.value, s.cc.value, s.top.value, s.topped = 3, 0x200, 0xfffe, 0x70007000, 0xffff, true
	}
	for n := 2; n < len(m.pads); n++ {
		m.control[n].value, m.pads[n].value, m.pad[n] = rp2PWM, 0x5a, 0x5a
		m.out |= 1 << n
		m.enable |= 1 << n
	}
	return m
}

// OnCrystal leaves the system's clock where it is if the PLL does not come up.
func (m *RP2) OnCrystal() *RP2 {
	m.onCrystal, m.chip.hz = true, 12e6
	return m
}

// resetting is RESETS: RESET and RESET_DONE. What a device had is lost in reset.
func (m *RP2) resetting() {
	m.resets = m.add(m.chip.resets, cell{name: "RESET", bits: m.chip.allResets, reset: m.chip.allResets})
	m.resets.value &^= m.chip.running
	m.resets.write = func(old uint32) {
		if cleared := m.resets.value &^ m.chip.running; cleared != m.resets.value {
			m.fault("reset of a device of the runner")
		}
		for i, bit := range []uint32{rp2ADCReset, m.chip.pwmReset} {
			if old&bit != 0 && m.resets.value&bit == 0 {
				m.began[i] = m.accesses
			}
		}
		for _, d := range m.blocks {
			if old&d.bit != 0 && m.resets.value&d.bit == 0 {
				d.began = m.accesses
			}
			if m.resets.value&d.bit != 0 {
				d.clear()
			}
		}
		if m.resets.value&rp2ADCReset != 0 {
			m.adc.clear()
		}
		if m.resets.value&m.chip.pwmReset != 0 {
			m.clearSlices()
		}
	}
	done := m.add(m.chip.resets+8, cell{name: "RESET_DONE"})
	done.read = func() uint32 {
		all := m.chip.running
		for _, d := range m.blocks {
			if m.ready(d) {
				all |= d.bit
			}
		}
		if m.released(rp2ADCBlock) {
			all |= rp2ADCReset
		}
		if m.released(rp2PWMBlock) {
			all |= m.chip.pwmReset
		}
		return all
	}
}

// released tells whether ADC or PWM can be used. The ADC's reset ends on its own clock.
func (m *RP2) released(block int) bool {
	bit := uint32(rp2ADCReset)
	if block == rp2PWMBlock {
		bit = m.chip.pwmReset
	}
	return m.resets.value&bit == 0 && m.accesses-m.began[block] >= rp2Releasing && (block == rp2PWMBlock || m.adcHz() > 0)
}

// clocks has the ADC's clock (2.15.3.4, 8.1.3), and tells that the system's is the PLL's.
func (m *RP2) clocks() {
	c := &m.chip
	selected := m.add(c.clocks+0x44, cell{name: "CLK_SYS_SELECTED"})
	selected.read = func() uint32 {
		if m.onCrystal {
			return 1 << 0 // clk_ref
		}
		return 1 << 1
	}
	m.adcClock = m.add(c.clocks+c.adcCtrl, cell{name: "CLK_ADC_CTRL", bits: c.adcCtrlBits})
	m.adcClock.read = func() uint32 {
		if v := m.adcClock.value; v&clockEnable != 0 || m.accesses-m.stopped < rp2Stopping {
			return v | c.enabled
		}
		return m.adcClock.value
	}
	m.adcClock.write = func(old uint32) {
		v := m.adcClock.value
		if old&clockEnable != 0 && v&clockEnable == 0 {
			m.stopped = m.accesses
		}
		running := (old|v)&clockEnable != 0 || c.enabled != 0 && m.accesses-m.stopped < rp2Stopping
		if running && (old^v)&clockSource != 0 {
			m.fault("the source of clk_adc changes while it runs")
		}
		if v&clockKill != 0 {
			m.fault("clk_adc is killed")
		}
		m.adcClock.value &^= c.enabled
	}
	m.add(c.clocks+c.adcDiv, cell{name: "CLK_ADC_DIV", bits: c.adcDivBits, reset: c.adcDivReset})
}

// adcHz is 0 without a clock: of the sources only the 12 MHz crystal and the system's PLL run.
func (m *RP2) adcHz() float64 {
	v := m.adcClock.value
	divider := m.cells[m.chip.clocks+m.chip.adcDiv].value / m.chip.adcDivReset
	hz := map[uint32]float64{1: m.chip.hz, 3: 12e6}[v>>5&7]
	if v&clockEnable == 0 || divider == 0 || v&clockSource == 1<<5 && m.onCrystal {
		return 0
	}
	return hz / float64(divider)
}

func gp(n int) string { return fmt.Sprintf("GP%d", n) }

// pin adds the control register (2.19.6.1, 9.11.1) and the pad (2.19.6.3, 9.11.3) of one pin.
func (m *RP2) pin(n int) {
	ctrl := m.add(m.chip.io+8*uint32(n)+4, cell{name: gp(n) + "_CTRL", bits: m.chip.ctrlBits, reset: rp2None})
	ctrl.write = func(old uint32) {
		switch f := ctrl.value & 31; {
		case n < 2:
			m.fault("%s is the runner's", gp(n))
		case f != rp2GPIO && f != rp2PWM && f != rp2SPI && f != rp2I2C && f != rp2None:
			m.fault("%s gets function %d", gp(n), f)
		case ctrl.value != f:
			m.fault("%s has overrides: %#x", gp(n), ctrl.value)
		case f == rp2PWM && m.slices[n/2%8].csr.value&1 == 0 && m.pad[n]&padOD == 0:
			m.fault("%s shows PWM slice %d, which stands", gp(n), n/2%8)
		}
		m.drives(n)
	}
	pad := m.add(m.chip.pads+4*uint32(n)+4, cell{name: gp(n), bits: m.chip.padBits, reset: m.chip.padReset})
	pad.write = func(old uint32) {
		v := pad.value
		switch {
		case n < 2:
			m.fault("%s is the runner's", gp(n))
		case v&padPUE != 0 && v&padPDE != 0:
			m.fault("%s is pulled up and down", gp(n))
		}
		if v&padISO == 0 {
			m.pad[n] = v
		}
		m.drives(n)
	}
	m.control[n], m.pads[n], m.pad[n] = ctrl, pad, m.chip.padReset
}

func (m *RP2) function(n int) uint32 { return m.control[n].value & 31 }

func (m *RP2) isolated(n int) bool { return m.pads[n].value&padISO != 0 }

// drives notes what a pin is driven to by SIO.
func (m *RP2) drives(n int) {
	if m.function(n) == rp2GPIO && m.enable>>n&1 != 0 && m.pad[n]&padOD == 0 && !m.isolated(n) {
		m.drive(gp(n), m.out>>n&1 != 0)
	}
}

// sio is the part of SIO (2.3.1.2, 3.1.3) for GP0 to GP29.
func (m *RP2) sio() {
	in := m.add(rp2SIO+4, cell{name: "GPIO_IN"})
	in.read = m.levels
	only := func(offset uint32, name string, change func(uint32)) {
		c := m.add(rp2SIO+offset, cell{name: name, bits: m.chip.outputs})
		c.read = func() uint32 { m.fault("read of %s, which is write-only", name); return 0 }
		c.write = func(uint32) {
			change(c.value)
			c.value = 0
			for n := range m.pads {
				m.drives(n)
			}
		}
	}
	level := func(v uint32) {
		for n := range m.pads {
			if v>>n&1 != 0 && m.enable>>n&1 != 0 && m.isolated(n) {
				m.fault("output on %s, which is isolated", gp(n))
			}
		}
	}
	only(m.chip.set, "GPIO_OUT_SET", func(v uint32) { level(v); m.out |= v })
	only(m.chip.clear, "GPIO_OUT_CLR", func(v uint32) { level(v); m.out &^= v })
	only(m.chip.oeSet, "GPIO_OE_SET", func(v uint32) { m.enable |= v })
	only(m.chip.oeClear, "GPIO_OE_CLR", func(v uint32) { m.enable &^= v })
}

// levels are what GPIO_IN shows: nothing of pads whose input is off. The pad of a
// pin that nothing drives follows its resistor; without one it reads as low here.
func (m *RP2) levels() uint32 {
	all := uint32(0)
	for n := range m.pads {
		high, driven := m.outside[gp(n)]
		switch {
		case m.function(n) == rp2GPIO && m.enable>>n&1 != 0 && m.pad[n]&padOD == 0:
			high = m.out>>n&1 != 0
		case m.function(n) == rp2PWM && m.pad[n]&padOD == 0:
			high = false // between two pulses
		case !driven:
			high = m.pad[n]&padPUE != 0
		}
		if high && m.pad[n]&padIE != 0 {
			all |= 1 << n
		}
	}
	return all
}

// Pull is the resistor of a pin: none, up or down.
func (m *RP2) Pull(pin string) string {
	for n := range m.pads {
		switch {
		case gp(n) != pin || m.pad[n]&(padPUE|padPDE) == 0:
		case m.pad[n]&padPUE != 0:
			return "up"
		default:
			return "down"
		}
	}
	return "none"
}

// Milliamperes is what the pad of a pin can drive (4 after a reset), and whether its
// input has hysteresis.
func (m *RP2) Milliamperes(n int) (current int, hysteresis bool) {
	return []int{2, 4, 8, 12}[m.pad[n]>>4&3], m.pad[n]&2 != 0
}

// Isolates tells whether pads are isolated from the chip after a reset.
func (m *RP2) Isolates() bool { return m.chip.isolates }
