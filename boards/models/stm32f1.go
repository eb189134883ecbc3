package models

import "fmt"

// STM32F100 is a model by RM0041: RCC (6.3), GPIO (7.2), AFIO (7.4), ADC1 (10.11), TIM2 to TIM4 (13.4) and DAC (11.5), as
// the runner leaves them.
type STM32F100 struct {
	machine
	ports        [4]stm32f1Port
	reset, clock [2]*cell // of APB1 and APB2
	mapr         *cell
	adc          stm32f1ADC
	*stm32Timers
	*stm32DAC
}

type stm32f1Port struct {
	config [2]*cell // CRL, CRH
	odr    *cell
}

const (
	stm32f1USART  = 1 << 14 // in RCC_APB2ENR
	stm32f1Supply = 3.3
)

// NewSTM32F100 returns the chip after the runner's start: 24 MHz, USART1 on PA9 and PA10.
func NewSTM32F100() *STM32F100 {
	m := &STM32F100{machine: newMachine()}
	m.addClocks()
	for i := range m.ports {
		m.port(i)
	}
	a := &m.ports[0]
	a.config[1].value, a.odr.value = 0x444448b4, 1<<10
	m.mapr = m.add(0x40010004, cell{name: "AFIO_MAPR", bits: 0x07009fff, on: func() bool { return m.runs(1, 0) }})
	m.mapr.read = func() uint32 { return m.mapr.value | 7<<24 } // 7.4.2: SWJ_CFG is write-only, and undefined when read
	m.mapr.write = func(uint32) {
		if m.mapr.value&^(3<<10) != 0 {
			m.fault("AFIO_MAPR of %#x: pins of the debugger, the runner or nobody", m.mapr.value)
		}
	}
	m.converter()
	m.addTimers()
	m.stm32DAC = newSTM32DAC(&m.machine, func() bool { return m.runs(0, 29) }, func(n int) bool { return m.config(0, n) == 0 })
	return m
}

// runs tells whether a device of APB1 (0) or APB2 (1) has its clock and is out of reset.
func (m *STM32F100) runs(bus, bit int) bool {
	return m.clock[bus].value>>bit&1 != 0 && m.reset[bus].value>>bit&1 == 0
}

// addClocks adds RCC_APB1RSTR and RCC_APB2RSTR (6.3.4, 6.3.5), RCC_APB1ENR and RCC_APB2ENR (6.3.7, 6.3.8), as the chips of
// up to 128 KiB have them.
func (m *STM32F100) addClocks() {
	masks := [2]uint32{0x78664837, 0x00075a7d}
	running := [2]uint32{0, stm32f1USART | 1<<2}
	for i, mask := range masks {
		reset := m.add(0x40021010-4*uint32(i), cell{name: fmt.Sprintf("RCC_APB%dRSTR", i+1), bits: mask})
		clock := m.add(0x4002101c-4*uint32(i), cell{name: fmt.Sprintf("RCC_APB%dENR", i+1), bits: mask, value: running[i]})
		m.reset[i], m.clock[i] = reset, clock
		clock.write = func(uint32) {
			if clock.value&running[i] != running[i] {
				m.fault("the clock of a device of the runner is off")
			}
		}
		reset.write = func(uint32) {
			switch {
			case reset.value&running[i] != 0:
				m.fault("reset of a device of the runner")
			case i == 0:
				m.stm32Timers.reset(0, reset.value)
				if reset.value>>29&1 != 0 {
					m.stm32DAC.reset()
				}
			case reset.value>>9&1 != 0:
				m.adc.reset()
			}
		}
	}
}

func (m *STM32F100) port(i int) {
	base := 0x40010800 + 0x400*uint32(i)
	reg := func(offset uint32, name string, bits, reset uint32) *cell {
		return m.add(base+offset, cell{name: fmt.Sprintf("GPIO%c_%s", 'A'+i, name), bits: bits, reset: reset, on: func() bool { return m.runs(1, 2+i) }})
	}
	p := &m.ports[i]
	p.config = [2]*cell{reg(0x00, "CRL", 0xffffffff, 0x44444444), reg(0x04, "CRH", 0xffffffff, 0x44444444)}
	idr := reg(0x08, "IDR", 0, 0)
	p.odr = reg(0x0c, "ODR", 0xffff, 0)
	bsrr := reg(0x10, "BSRR", 0xffffffff, 0)
	for half, c := range p.config {
		c.write = func(old uint32) {
			if i == 0 && half == 1 && (old^c.value)&0xff0 != 0 {
				m.fault("PA9 or PA10 changes, which are the runner's")
			}
			for n := 8 * half; n < 8*half+8; n++ {
				if v := m.config(i, n); v == 0xc { // 7.2.1
					m.fault("%s gets the reserved mode 3 of inputs", pinName(i, n))
				}
			}
			m.outputs(i)
		}
	}
	changed := func(uint32) {
		if m.ports[0].odr.value>>10&1 == 0 {
			m.fault("the resistor of PA10, which receives for the runner, pulls down")
		}
		m.outputs(i)
	}
	p.odr.write = changed
	idr.read = func() uint32 { return m.levels(i) }
	bsrr.read = func() uint32 { m.fault("read of a BSRR, which is write-only"); return 0 }
	bsrr.write = func(old uint32) { // 7.2.5: setting wins
		p.odr.value = p.odr.value&^(bsrr.value>>16) | bsrr.value&0xffff
		bsrr.value = 0
		changed(old)
	}
}

// config is CNF and MODE of a pin.
func (m *STM32F100) config(port, n int) uint32 {
	return m.ports[port].config[n/8].value >> (4 * (n % 8)) & 0xf
}

// push tells whether a pin is a push-pull output: 0 of the port, 2 of a device.
func (m *STM32F100) push(port, n int, of uint32) bool {
	v := m.config(port, n)
	return v&3 != 0 && v>>2 == of
}

func (m *STM32F100) outputs(i int) {
	for n := range 16 {
		if m.push(i, n, 0) {
			m.drive(pinName(i, n), m.ports[i].odr.value>>n&1 != 0)
		}
	}
}

// outer is the level of an input.
func (m *STM32F100) outer(port, n int) bool {
	if high, driven := m.outside[pinName(port, n)]; driven {
		return high
	}
	return m.config(port, n) == 8 && m.ports[port].odr.value>>n&1 != 0
}

// levels are what IDR shows: nothing of analogue pins (7.1.10).
func (m *STM32F100) levels(i int) uint32 {
	all := uint32(0)
	for n := range 16 {
		high := m.outer(i, n)
		switch {
		case m.config(i, n) == 0:
			high = false
		case m.push(i, n, 0):
			high = m.ports[i].odr.value>>n&1 != 0
		}
		if high {
			all |= 1 << n
		}
	}
	return all
}

// Drive connects a pin to a level from outside.
func (m *STM32F100) Drive(pin string, high bool) { m.edges(pin, high) }

// stm32f1Timers are where channels of TIM2, TIM3 and TIM4 can be, by the bits of MAPR (7.3.7).
var stm32f1Timers = map[int]map[uint32][4]string{
	2: {0: {"PA0", "PA1", "PA2", "PA3"}},
	3: {0: {"PA6", "PA7", "PB0", "PB1"}, 2: {"PB4", "PB5", "PB0", "PB1"}, 3: {"PC6", "PC7", "PC8", "PC9"}},
	4: {0: {"PB6", "PB7", "PB8", "PB9"}},
}

func (m *STM32F100) addTimers() {
	m.stm32Timers = &stm32Timers{
		machine: &m.machine, all: map[int]*stm32Timer{},
		runs:      func(t *stm32Timer) bool { return m.runs(t.bus, t.bit) },
		connected: m.timer,
		outputs: func(pin string) bool {
			port, n := pinPlace(pin)
			return m.push(port, n, 2)
		},
		outer: func(pin string) bool { return m.outer(pinPlace(pin)) },
	}
	for number := 2; number <= 4; number++ {
		k := stm32General
		k.ccer = 0x3333 // 13.4.9
		k.bus, k.bit, k.base, k.internal = 0, number-2, 0x40000000+0x400*uint32(number-2), 24e6
		m.addTimer(&stm32Timer{stm32Kind: k, number: number})
		for _, place := range stm32f1Timers[number] {
			m.pins = append(m.pins, place[:]...)
		}
	}
}

// timer is the timer and the channel, from 0 on, of a pin that is a digital input or an output of a device.
func (m *STM32F100) timer(pin string) (t *stm32Timer, channel int) {
	port, n := pinPlace(pin)
	if v := m.config(port, n); v != 4 && v != 8 && !m.push(port, n, 2) {
		return nil, 0
	}
	places := map[int]uint32{2: m.mapr.value >> 8 & 3, 3: m.mapr.value >> 10 & 3, 4: m.mapr.value >> 12 & 1}
	for number, place := range places {
		for c, p := range stm32f1Timers[number][place] {
			if p == pin {
				return m.all[number], c
			}
		}
	}
	return nil, 0
}
