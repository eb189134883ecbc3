package models

import (
	"math"
)

// STM32F4 is a model by RM0090 (sections named here), RM0390, RM0368 and RM0383: RCC (7.3), GPIO (8.4), ADC1 (13.13),
// timers (18, 19) and DAC (14), as the runner leaves them. An STM32F767 has the same devices (stm32f7.go).
type STM32F4 struct {
	machine
	chip stm32f4
	gpio *stm32Ports
	ahb1 *cell
	late uint32 // bits of it whose clocks are not there yet
	apb  [2]stm32Bus
	adc  stm32ADC
	*stm32Timers
	*stm32DAC
	serial
	resets []stm32Reset
}

// stm32f4 is where the chips differ.
type stm32f4 struct {
	family          *stm32Family
	ahb1, ahb1Reset uint32    // bits of RCC_AHB1ENR (7.3.10), and its value after reset
	enables, resets [2]uint32 // of RCC_APB1ENR and RCC_APB2ENR (7.3.13, 7.3.14), of RCC_APB1RSTR and RCC_APB2RSTR (7.3.8, 7.3.9)
	uart            [2]uint32 // the USART of the runner in them
	port, pins      int       // the lower one of the USART's
	function        uint32    // of both
	functions       string
	i2c2            bool   // at PB10 and PB11
	common          uint32 // bits of ADC_CCR (13.13.16)

	core          float64    // Hz
	buses, timers [2]float64 // of APB1 and APB2, and of their timers (7.2), Hz
}

// stm32ADC counts the accesses since it was switched on and since a sequence of conversions began.
type stm32ADC struct {
	sr, cr1, cr2, sqr1, sqr3, dr, ccr *cell
	smpr                              [2]*cell
	on, begun                         int
	busy                              bool
	cycles                            int    // of the core, that the sequence takes
	result                            uint32 // of the last conversion of the sequence
}

const (
	// Data sheet of the STM32F405, table of the ADC's characteristics; the same in those of the others.
	stm32Settling = 3e-6 // tSTAB, s
	stm32Fastest  = 36e6 // of the ADC's clock, Hz
	stm32Supply   = 3.3
)

// accesses are how many take so many seconds, at the least: one has 10 cycles.
func (c *stm32f4) accesses(seconds float64) int { return int(math.Ceil(seconds * c.core / 10)) }

// NewSTM32F405 returns the chip after the runner's start: USART1 on PA9 and PA10.
func NewSTM32F405() *STM32F4 {
	return newSTM32F405(stm32f4{uart: [2]uint32{0, 1 << 4}, pins: 9, function: 7})
}

// NewNetduino returns the same chip with USART6 on PC6 and PC7.
func NewNetduino() *STM32F4 {
	return newSTM32F405(stm32f4{uart: [2]uint32{0, 1 << 5}, port: 2, pins: 6, function: 8})
}

func newSTM32F405(line stm32f4) *STM32F4 {
	return newSTM32F4(stm32f4{
		family: &stm32F4Family,
		// Ports A to I, CRC, BKPSRAM, CCMDATARAM, DMA1, DMA2, OTG HS x2.
		ahb1: 0x607411ff, ahb1Reset: 0x00100000,
		enables: [2]uint32{0x36fec9ff, 0x00075f33}, resets: [2]uint32{0x36fec9ff, 0x00075933},
		uart: line.uart, port: line.port, pins: line.pins, function: line.function, functions: stm32f405Functions, i2c2: true,
		common: 0x00c3ef1f, core: 168e6, buses: [2]float64{42e6, 84e6}, timers: [2]float64{84e6, 168e6},
	})
}

// NewSTM32F446 returns the chip after the runner's start: USART2 on PA2 and PA3.
func NewSTM32F446() *STM32F4 {
	return newSTM32F446(stm32f4{uart: [2]uint32{1 << 17, 0}, pins: 2, functions: stm32f446Functions})
}

// NewSTM32F446Z returns that chip in its package of 144 pins, with USART3 on PD8 and PD9.
func NewSTM32F446Z() *STM32F4 {
	return newSTM32F446(stm32f4{uart: [2]uint32{1 << 18, 0}, port: 3, pins: 8, functions: stm32f446zFunctions, i2c2: true})
}

func newSTM32F446(line stm32f4) *STM32F4 {
	return newSTM32F4(stm32f4{
		family: &stm32F4Family,
		// Ports A to H, CRC, BKPSRAM, DMA1, DMA2, OTG HS x2 (RM0390, 6.3.10).
		ahb1:    0x606410ff,
		enables: [2]uint32{0x3fffc9ff, 0x00c77f33}, resets: [2]uint32{0x3fffc9ff, 0x00c77933},
		uart: line.uart, port: line.port, pins: line.pins, function: 7, functions: line.functions, i2c2: line.i2c2,
		common: 0x00c3ef1f, core: 168e6, buses: [2]float64{42e6, 84e6}, timers: [2]float64{84e6, 168e6},
	})
}

// NewSTM32F401 returns the chip after the runner's start: USART2 on PA2 and PA3, and 84 MHz.
func NewSTM32F401() *STM32F4 {
	return newSTM32F401(0x00077931, 84e6)
}

// NewSTM32F411 returns the same with SPI5, and 100 MHz.
func NewSTM32F411() *STM32F4 {
	return newSTM32F401(0x00177931, 100e6)
}

// newSTM32F401 is one of the two by the bits of RCC_APB2ENR and RCC_APB2RSTR (6.3.12 and 6.3.8 of RM0368 and RM0383), and its clock.
// APB1 has half of that (6.2), and neither of the buses' timers more.
func newSTM32F401(apb2 uint32, core float64) *STM32F4 {
	return newSTM32F4(stm32f4{
		family: &stm32F4Family,
		// Ports A to E and H, CRC, DMA1, DMA2 (6.3.9).
		ahb1:    0x0060109f,
		enables: [2]uint32{0x10e2c80f, apb2}, resets: [2]uint32{0x10e2c80f, apb2}, // 6.3.11, 6.3.7
		uart: [2]uint32{1 << 17, 0}, pins: 2, function: 7, functions: stm32f401Functions,
		common: 0x00c30000, core: core, buses: [2]float64{core / 2, core}, timers: [2]float64{core, core}, // 11.12.15
	})
}

func newSTM32F4(c stm32f4) *STM32F4 {
	m := &STM32F4{machine: newMachine(), chip: c}
	m.gpio = &stm32Ports{bus: &m.machine, pads: parseFunctions(c.functions), line: c.port, pin: c.pins}
	needed := c.ahb1Reset | 1<<c.port // memory, and the port of the USART
	m.ahb1 = m.add(0x40023830, cell{name: "RCC_AHB1ENR", bits: c.ahb1, reset: c.ahb1Reset, value: needed})
	m.ahb1.write = func(uint32) {
		if m.ahb1.value&needed != needed {
			m.fault("the clock of what the runner needs is off")
		}
	}
	for i := range m.apb {
		m.bus(i)
	}
	ports := &m.gpio.ports
	for i := range ports {
		if c.ahb1>>i&1 != 0 {
			m.gpio.add(i, 0x40020000+0x400*uint32(i), func() bool { return (m.ahb1.value&^m.late)>>i&1 != 0 })
		}
	}
	// 8.4.1, 8.4.4: the debugger's pins. Those of the USART.
	ports[0].moder.value, ports[0].pupdr.value = 0xa8000000, 0x64000000
	ports[1].moder.value, ports[1].pupdr.value = 0x280, 0x100
	m.gpio.take(c.function)
	m.converter()
	m.addTimers()
	if c.family.serial {
		m.serials()
	}
	if c.enables[0]>>29&1 != 0 {
		m.stm32DAC = newSTM32DAC(&m.machine, func() bool { return m.apb[0].runs(29) }, func(n int) bool { return m.gpio.mode(0, n) == 3 })
	}
	return m
}

// Drive connects a pin to a level from outside.
func (m *STM32F4) Drive(pin string, high bool) { m.edges(pin, high) }

func (m *STM32F4) converter() {
	const base = 0x40012000
	on := func() bool { return m.apb[1].runs(8) }
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
	a.ccr = reg(0x304, "CCR", m.chip.common)
	m.results(a.sr, a.dr, m.finish) // 13.13.1, 13.13.14
	a.cr2.write = m.control
	for _, c := range []*cell{a.sqr1, a.sqr3} {
		c.write = func(uint32) { // 13.3.3: the conversion begins anew
			m.finish()
			if a.busy {
				m.fault("%s changes during a conversion", c.name)
			}
		}
	}
}

// control is a write to CR2: switching on, and starting (13.3.1, 13.3.5).
func (m *STM32F4) control(old uint32) {
	a := &m.adc
	switch {
	case a.cr2.value&1 == 0:
		a.busy = false
	case old&1 == 0:
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
	case a.sqr1.value>>20 > 1:
		m.fault("more than two conversions in the sequence")
	case m.adcClock() > stm32Fastest:
		m.fault("the ADC's clock is too fast")
	}
	a.busy, a.begun, a.cycles = true, m.accesses, 0
	a.cr2.value &^= 1 << 30
	for i := range min(a.sqr1.value>>20, 1) + 1 {
		m.convert(int(a.sqr3.value >> (5 * i) & 31))
	}
}

// sampling is in cycles of the ADC's clock, 13.13.4.
var sampling = [8]int{3, 15, 28, 56, 84, 112, 144, 480}

// adcClock is that of APB2, divided by ADCPRE (13.3.3, 13.13.16), Hz.
func (m *STM32F4) adcClock() float64 { return m.chip.buses[1] / float64(2*(m.adc.ccr.value>>16&3+1)) }

// convert adds a conversion to those that have begun: 12 cycles of the ADC's clock and those of sampling. What is at the
// pin when the sequence begins is what counts.
func (m *STM32F4) convert(channel int) {
	a := &m.adc
	code := a.smpr[1].value >> (3 * channel)
	if channel >= 10 {
		code = a.smpr[0].value >> (3 * (channel - 10))
	}
	a.result = 0xabc // of a conversion too early
	if a.begun+a.cycles/10-a.on >= m.chip.accesses(stm32Settling) {
		a.result = min(uint32(m.voltage(channel)/stm32Supply*4096), 4095)
	}
	a.cycles += int(float64(sampling[code&7]+12) * m.chip.core / m.adcClock())
}

// finish ends a sequence whose time is over.
func (m *STM32F4) finish() {
	a := &m.adc
	if !a.busy || (m.accesses-a.begun)*10 < a.cycles {
		return
	}
	a.busy = false
	a.sr.value |= 2
	a.dr.value = a.result
}

// Wait lets time pass.
func (m *STM32F4) Wait(seconds float64) {
	m.accesses += int(seconds * m.chip.core / 10)
	m.stm32Timers.Wait(seconds)
}

// voltage is that of the pin of a channel (data sheet, pin definitions), if it is analogue.
func (m *STM32F4) voltage(channel int) float64 {
	port, n := 0, channel
	switch {
	case channel >= 16:
		return 1.21 // the internal reference
	case channel >= 10:
		port, n = 2, channel-10
	case channel >= 8:
		port, n = 1, channel-8
	}
	if m.gpio.mode(port, n) != 3 {
		m.fault("conversion of %s, which is not analogue", pinName(port, n))
	}
	return m.volts[pinName(port, n)]
}
