package models

import "fmt"

// STM32F405 is a model by RM0090: RCC (7.3), GPIO (8.4), ADC1 (13.13), as the runner
// leaves them.
type STM32F405 struct {
	machine
	ports [8]stm32Port
	ahb1  *cell
	apb2  *cell
	adc   stm32ADC
}

type stm32Port struct{ moder, otyper, pupdr, odr *cell }

// stm32ADC counts the accesses since it was switched on and since a conversion began.
type stm32ADC struct {
	sr, cr1, cr2, sqr1, sqr3, dr, ccr *cell
	smpr                              [2]*cell
	on, begun                         int
	busy, exact                       bool
}

const (
	// tSTAB is 3 us (data sheet of the STM32F405, table of the ADC's characteristics): 50 accesses of 10
	// cycles at 168 MHz, rounded up.
	stm32Settling = 51
	stm32Supply   = 3.3
)

// NewSTM32F405 returns the chip after the runner's start: USART1 on PA9 and PA10.
func NewSTM32F405() *STM32F405 {
	m := &STM32F405{machine: newMachine()}
	// RCC_AHB1ENR, 7.3.10: ports A to I, CRC, BKPSRAM, CCMDATARAM, DMA1, DMA2, ETH x4, OTG HS x2.
	m.ahb1 = m.add(0x40023830, cell{name: "RCC_AHB1ENR", bits: 0x7e7411ff, reset: 0x00100000, value: 0x00100001})
	// RCC_APB2ENR, 7.3.14.
	m.apb2 = m.add(0x40023844, cell{name: "RCC_APB2ENR", bits: 0x00075f33, value: 1 << 4})
	for i := range m.ports {
		m.port(i)
	}
	m.ports[0].moder.value = 0xa8280000 // 8.4.1: the debugger's pins, and PA9, PA10 of the USART
	m.ports[0].pupdr.value = 0x64000000
	m.converter()
	return m
}

func (m *STM32F405) port(i int) {
	base := 0x40020000 + 0x400*uint32(i)
	on := func() bool { return m.ahb1.value>>i&1 != 0 }
	reg := func(offset uint32, name string, bits uint32) *cell {
		return m.add(base+offset, cell{name: fmt.Sprintf("GPIO%c_%s", 'A'+i, name), bits: bits, on: on})
	}
	p := &m.ports[i]
	p.moder = reg(0x00, "MODER", 0xffffffff)
	p.otyper = reg(0x04, "OTYPER", 0xffff)
	reg(0x08, "OSPEEDR", 0xffffffff)
	p.pupdr = reg(0x0c, "PUPDR", 0xffffffff)
	idr := reg(0x10, "IDR", 0) // 8.4.5: read-only
	p.odr = reg(0x14, "ODR", 0xffff)
	bsrr := reg(0x18, "BSRR", 0xffffffff)
	p.pupdr.write = func(uint32) {
		for n := range 16 {
			if p.pupdr.value>>(2*n)&3 == 3 {
				m.fault("PUPDR of P%c%d is 3, which is reserved", 'A'+i, n)
			}
		}
	}
	update := func(uint32) { m.outputs(i) }
	p.moder.write, p.otyper.write, p.odr.write = update, update, update
	idr.read = func() uint32 { return m.levels(i) }
	bsrr.read = func() uint32 { m.fault("read of a BSRR, which is write-only"); return 0 }
	bsrr.write = func(uint32) { // 8.4.7: setting wins
		p.odr.value = p.odr.value&^(bsrr.value>>16) | bsrr.value&0xffff
		bsrr.value = 0
		m.outputs(i)
	}
}

func pinName(port, n int) string { return fmt.Sprintf("P%c%d", 'A'+port, n) }

func (m *STM32F405) outputs(i int) {
	p := &m.ports[i]
	for n := range 16 {
		if p.moder.value>>(2*n)&3 == 1 && p.otyper.value>>n&1 == 0 {
			m.drive(pinName(i, n), p.odr.value>>n&1 != 0)
		}
	}
}

// levels are what IDR shows: nothing of pins in analogue mode.
func (m *STM32F405) levels(i int) uint32 {
	p, all := &m.ports[i], uint32(0)
	for n := range 16 {
		mode := p.moder.value >> (2 * n) & 3
		high, driven := m.outside[pinName(i, n)]
		switch {
		case mode == 3:
			high = false
		case mode == 1:
			high = p.odr.value>>n&1 != 0
		case !driven:
			high = p.pupdr.value>>(2*n)&3 == 1
		}
		if high {
			all |= 1 << n
		}
	}
	return all
}

func (m *STM32F405) converter() {
	const base = 0x40012000
	on := func() bool { return m.apb2.value>>8&1 != 0 }
	reg := func(offset uint32, name string, bits uint32) *cell {
		return m.add(base+offset, cell{name: "ADC1_" + name, bits: bits, on: on})
	}
	a := &m.adc
	a.sr = reg(0x00, "SR", 0x3f)
	a.cr1 = reg(0x04, "CR1", 0x07c0ffff)
	a.cr2 = reg(0x08, "CR2", 0x7f7f0f03)
	a.smpr[0] = reg(0x0c, "SMPR1", 0x07ffffff)
	a.smpr[1] = reg(0x10, "SMPR2", 0x3fffffff)
	a.sqr1 = reg(0x2c, "SQR1", 0x00ffffff)
	a.sqr3 = reg(0x34, "SQR3", 0x3fffffff)
	a.dr = reg(0x4c, "DR", 0)
	a.ccr = reg(0x304, "CCR", 0x00c3ef1f)
	a.sr.read = func() uint32 { m.finish(); return a.sr.value }
	a.sr.write = func(old uint32) { a.sr.value &= old } // 13.13.1: rc_w0
	a.cr2.write = m.control
	a.dr.read = func() uint32 {
		m.finish()
		if a.sr.value&2 == 0 {
			m.fault("ADC1_DR read before the end of a conversion")
		}
		a.sr.value &^= 2
		return a.dr.value
	}
}

// control is a write to CR2: switching on, and starting (13.3.1, 13.3.5).
func (m *STM32F405) control(old uint32) {
	a := &m.adc
	if a.cr2.value&1 != 0 && old&1 == 0 {
		a.on = m.accesses
	}
	if a.cr2.value>>30&1 == 0 {
		return
	}
	switch {
	case old&1 == 0:
		m.fault("SWSTART of an ADC that is off")
	case a.busy:
		m.fault("SWSTART during a conversion")
	case a.sqr1.value>>20 != 0:
		m.fault("more than one conversion in the sequence")
	case a.ccr.value>>16&3 == 0: // 84 MHz halved is above the 36 MHz of the data sheet
		m.fault("the ADC's clock is too fast")
	}
	a.busy, a.begun, a.exact = true, m.accesses, m.accesses-a.on >= stm32Settling
	a.cr2.value &^= 1 << 30
}

// sampling is in cycles of the ADC's clock, 13.13.4.
var sampling = [8]int{3, 15, 28, 56, 84, 112, 144, 480}

// finish ends a conversion whose time is over: 12 cycles and those of sampling, of 21 MHz, which is 8 of the core.
func (m *STM32F405) finish() {
	a := &m.adc
	channel := int(a.sqr3.value & 31)
	code := a.smpr[1].value >> (3 * channel)
	if channel >= 10 {
		code = a.smpr[0].value >> (3 * (channel - 10))
	}
	if !a.busy || (m.accesses-a.begun)*10 < (sampling[code&7]+12)*8 {
		return
	}
	a.busy = false
	a.sr.value |= 2
	a.dr.value = 0xabc // of a conversion too early
	if a.exact {
		a.dr.value = uint32(m.voltage(channel) / stm32Supply * 4096)
		a.dr.value = min(a.dr.value, 4095)
	}
}

// voltage is that of the pin of a channel (data sheet, pin definitions), if it is analogue.
func (m *STM32F405) voltage(channel int) float64 {
	port, n := 0, channel
	switch {
	case channel >= 16:
		return 1.21 // the internal reference
	case channel >= 10:
		port, n = 2, channel-10
	case channel >= 8:
		port, n = 1, channel-8
	}
	if m.ports[port].moder.value>>(2*n)&3 != 3 {
		m.fault("conversion of %s, which is not analogue", pinName(port, n))
	}
	return m.volts[pinName(port, n)]
}
