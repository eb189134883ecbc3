package models

import "math"

// Alternate functions of the timers (data sheets, tables of alternate functions): pins, and of each the functions
// as NUMBER:TIMER.CHANNEL. Complementary outputs and TIM8 are not modelled.
const (
	stm32f401Functions = "PA0 1:2.1 2:5.1, PA1 1:2.2 2:5.2, PA2 1:2.3 2:5.3 3:9.1, PA3 1:2.4 2:5.4 3:9.2, PA5 1:2.1, PA6 2:3.1, " +
		"PA7 2:3.2, PA15 1:2.1, PB0 2:3.3, PB1 2:3.4, PB3 1:2.2, PB4 2:3.1, PB5 2:3.2, PB6 2:4.1, PB7 2:4.2, PB8 2:4.3 3:10.1, PB9 2:4.4 3:11.1, " +
		"PB10 1:2.3, PA8 1:1.1, PA9 1:1.2, PA10 1:1.3, PA11 1:1.4, PC6 2:3.1, PC7 2:3.2, PC8 2:3.3, PC9 2:3.4"
	stm32f4Functions   = stm32f401Functions + ", PA6 9:13.1, PA7 9:14.1, PB14 9:12.1, PB15 9:12.2"
	stm32f405Functions = stm32f4Functions + ", PB11 1:2.4"
	stm32f446Functions = stm32f4Functions + ", PB2 1:2.4, PB8 1:2.1, PB9 1:2.2"
	// The packages of 144 pins.
	stm32zFunctions = "PD12 2:4.1, PD13 2:4.2, PD14 2:4.3, PD15 2:4.4, PE5 3:9.1, PE6 3:9.2, " +
		"PE9 1:1.1, PE11 1:1.2, PE13 1:1.3, PE14 1:1.4, PF6 3:10.1, PF7 3:11.1, PF8 9:13.1, PF9 9:14.1"
	stm32f446zFunctions = stm32f446Functions + ", PB11 1:2.4, " + stm32zFunctions
)

// stm32Family is what the chips of a family have in common.
type stm32Family struct {
	advanced, general, two, one stm32Kind
	serial                      bool // SPI and I2C are those of the STM32F4, which are modelled
}

var stm32F4Family = stm32Family{advanced: stm32Advanced, general: stm32General, two: stm32Two, one: stm32One, serial: true}

func (m *STM32F4) addTimers() {
	m.stm32Timers = m.gpio.timers(func(t *stm32Timer) bool { return m.apb[t.bus].runs(t.bit) })
	add := func(number int, k stm32Kind, bus, bit int, base uint32) {
		k.bus, k.bit, k.base = bus, bit, base
		if m.chip.enables[bus]>>bit&1 == 0 {
			return
		}
		k.internal = m.chip.timers[bus]
		m.addTimer(&stm32Timer{stm32Kind: k, number: number})
	}
	f := m.chip.family
	wide := f.general
	wide.counter = math.MaxUint32
	add(1, f.advanced, 1, 0, 0x40010000)
	add(2, wide, 0, 0, 0x40000000)
	add(3, f.general, 0, 1, 0x40000400)
	add(4, f.general, 0, 2, 0x40000800)
	add(5, wide, 0, 3, 0x40000c00)
	add(9, f.two, 1, 16, 0x40014000)
	add(10, f.one, 1, 17, 0x40014400)
	add(11, f.one, 1, 18, 0x40014800)
	add(12, f.two, 0, 6, 0x40001800)
	add(13, f.one, 0, 7, 0x40001c00)
	add(14, f.one, 0, 8, 0x40002000)
}
