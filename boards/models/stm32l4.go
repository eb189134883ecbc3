package models

import "math"

// STM32L4 is a model of the STM32L475 by STMicroelectronics' header stm32l475xx.h, as the runner leaves it, and of chips that
// have other addresses and clocks only. What ports, timers and DAC share with the STM32F4 is its model; bits that came with this
// family (more modes of the timers' channels and slaves, modes of the DAC) count as reserved, since nobody is to set them.
type STM32L4 struct {
	machine
	gpio  *stm32Ports
	buses [3]stm32Bus // of APB1, APB2 and the ports
	*stm32Timers
	*stm32DAC
}

// stm32l4 is where the chips differ.
type stm32l4 struct {
	clocks    [3]stm32Clocks // of APB1, APB2 and the ports
	late      bool           // a clock is there once RCC has been read, and not before
	ports     uint32         // base of port A
	count     int            // of ports
	port, pin int            // of the runner's USART, whose alternate function is 7
	functions string
	timers    []stm32Place
	hz        float64 // of all timers
}

// stm32Clocks are the registers of RCC for a bus.
type stm32Clocks struct {
	names         [2]string // of the one that enables and the one that resets
	enable, reset uint32    // their addresses
	bits          [2]uint32 // of both that are not reserved
	running       uint32    // what the runner has turned on
}

// stm32Place is a timer, its bit in the registers of its bus, and its address.
type stm32Place struct {
	number   int
	kind     stm32Kind
	bus, bit int
	base     uint32
}

const (
	portBus    = 2  // of buses
	stm32l4DAC = 29 // of APB1
)

// wideTimer is a general timer with 32 bits.
func wideTimer() stm32Kind {
	k := stm32General
	k.counter = math.MaxUint32
	return k
}

// outputTimers are TIM15 and its siblings, which have a main output enable, too: IS_TIM_BREAK_INSTANCE.
func outputTimers() (two, one stm32Kind) {
	two, one = stm32Two, stm32One
	two.ccer, two.bdtr, one.ccer, one.bdtr = 0xbf, 0xffff, 0xf, 0xffff
	return two, one
}

// Alternate functions of the timers by mbed-os, PeripheralPins.c of DISCO_L475VG_IOT01A, as NUMBER:TIMER.CHANNEL. Complementary
// outputs and TIM8 are not modelled.
const stm32l475Functions = "PA0 1:2.1 2:5.1, PA1 1:2.2 2:5.2, PA2 1:2.3 2:5.3 14:15.1, PA3 1:2.4 2:5.4 14:15.2, PA5 1:2.1, PA6 2:3.1 14:16.1, " +
	"PA7 2:3.2 14:17.1, PA8 1:1.1, PA9 1:1.2, PA10 1:1.3, PA11 1:1.4, PA15 1:2.1, PB0 2:3.3, PB1 2:3.4, PB3 1:2.2, PB4 2:3.1, PB5 2:3.2, " +
	"PB6 2:4.1, PB7 2:4.2, PB8 2:4.3 14:16.1, PB9 2:4.4 14:17.1, PB10 1:2.3, PB11 1:2.4, PB14 14:15.1, PB15 14:15.2, " +
	"PC6 2:3.1, PC7 2:3.2, PC8 2:3.3, PC9 2:3.4, PD12 2:4.1, PD13 2:4.2, PD14 2:4.3, PD15 2:4.4, PE0 14:16.1, PE1 14:17.1, " +
	"PE3 2:3.1, PE4 2:3.2, PE5 2:3.3, PE6 2:3.4, PE9 1:1.1, PE11 1:1.2, PE13 1:1.3, PE14 1:1.4"

// NewSTM32L475 returns the chip in its package of 100 pins after the runner's start: USART1 on PB6 and PB7, 80 MHz everywhere.
func NewSTM32L475() *STM32L4 {
	two, one := outputTimers()
	return newSTM32L4(stm32l4{
		clocks: [3]stm32Clocks{
			{names: [2]string{"APB1ENR1", "APB1RSTR1"}, enable: 0x40021058, reset: 0x40021038, bits: [2]uint32{0xf2fec83f, 0xf2fec03f}, running: 1 << 28}, // PWR
			{names: [2]string{"APB2ENR", "APB2RSTR"}, enable: 0x40021060, reset: 0x40021040, bits: [2]uint32{0x01677c81, 0x01677c01}, running: 1 << 14},   // USART1
			{names: [2]string{"AHB2ENR", "AHB2RSTR"}, enable: 0x4002104c, reset: 0x4002102c, bits: [2]uint32{0x000430ff, 0x000430ff}, running: 1 << 1},    // GPIOB
		},
		ports: 0x48000000, count: 8, port: 1, pin: 6, functions: stm32l475Functions,
		timers: []stm32Place{
			{1, stm32Advanced, apb2, 11, 0x40012c00},
			{2, wideTimer(), apb1, 0, 0x40000000},
			{3, stm32General, apb1, 1, 0x40000400},
			{4, stm32General, apb1, 2, 0x40000800},
			{5, wideTimer(), apb1, 3, 0x40000c00},
			{15, two, apb2, 16, 0x40014000},
			{16, one, apb2, 17, 0x40014400},
			{17, one, apb2, 18, 0x40014800},
		},
		hz: 80e6,
	})
}

func newSTM32L4(c stm32l4) *STM32L4 {
	m := &STM32L4{machine: newMachine()}
	m.gpio = &stm32Ports{bus: &m.machine, pads: parseFunctions(c.functions), line: c.port, pin: c.pin}
	for i := range c.clocks {
		m.clocks(i, c.clocks[i], c.late)
	}
	for i := range c.count {
		m.gpio.add(i, c.ports+0x400*uint32(i), func() bool { return m.buses[portBus].runs(i) })
		m.gpio.ports[i].moder.value = math.MaxUint32 // analogue
	}
	// The debugger's pins.
	a, b := &m.gpio.ports[0], &m.gpio.ports[1]
	a.moder.value, a.pupdr.value = 0xabffffff, 0x64000000
	b.moder.value, b.pupdr.value = 0xfffffebf, 0x100
	m.gpio.take(7)
	m.stm32Timers = m.gpio.timers(func(t *stm32Timer) bool { return m.buses[t.bus].runs(t.bit) })
	for _, p := range c.timers {
		k := p.kind
		k.bus, k.bit, k.base, k.internal = p.bus, p.bit, p.base, c.hz
		m.addTimer(&stm32Timer{stm32Kind: k, number: p.number})
	}
	m.stm32DAC = newSTM32DAC(&m.machine, func() bool { return m.buses[apb1].runs(stm32l4DAC) }, func(n int) bool { return m.gpio.mode(0, n) == 3 })
	return m
}

// clocks adds the clocks and resets of the devices of a bus.
func (m *STM32L4) clocks(i int, c stm32Clocks, late bool) {
	b := &m.buses[i]
	b.enable = m.add(c.enable, cell{name: "RCC_" + c.names[0], bits: c.bits[0], value: c.running})
	b.reset = m.add(c.reset, cell{name: "RCC_" + c.names[1], bits: c.bits[1]})
	b.enable.write = func(old uint32) {
		if late {
			b.late |= b.enable.value &^ old
		}
		if b.enable.value&c.running != c.running {
			m.fault("the clock of a device of the runner is off")
		}
	}
	b.reset.write = func(uint32) {
		bits := b.reset.value
		switch {
		case bits&c.running != 0:
			m.fault("reset of a device of the runner")
		case i == portBus && bits != 0:
			m.fault("reset of a port, or of another device of its bus, which is not modelled")
		}
		m.stm32Timers.reset(i, bits)
		if i == apb1 && bits>>stm32l4DAC&1 != 0 {
			m.stm32DAC.reset()
		}
	}
	for _, r := range []*cell{b.enable, b.reset} {
		r.read = func() uint32 {
			for n := range m.buses {
				m.buses[n].late = 0
			}
			return r.value
		}
	}
}

// Drive connects a pin to a level from outside.
func (m *STM32L4) Drive(pin string, high bool) { m.edges(pin, high) }
