package models

import (
	"fmt"
	"math"
)

// STM32G4 is a model of the STM32G474 and the STM32G431 by STMicroelectronics' headers stm32g474xx.h and stm32g431xx.h, as the runner
// leaves them. What ports and timers share with the STM32F4 is its model; bits that came with this family (more modes of the
// timers' channels and slaves, dithering) count as reserved, since nobody is to set them.
type STM32G4 struct {
	machine
	chip  stm32g4
	gpio  *stm32Ports
	buses [3]stm32Bus // by APB1 and APB2, as timers name them, and AHB2
	cr3   *cell       // of PWR
	*stm32Timers
	delay  stm32g4Delay
	common *cell // CCR of ADC1 and ADC2
	adcs   [2]stm32g4ADC
	dacs   []*stm32g4DAC
}

// stm32g4 is where the chips differ.
type stm32g4 struct {
	enables, resets [3]uint32 // bits of RCC_APB1ENR1, RCC_APB2ENR and RCC_AHB2ENR, of RCC_APB1RSTR1, RCC_APB2RSTR and RCC_AHB2RSTR
	functions       string
	inputs          [2]map[int]string // of ADC1 and ADC2
	outputs         [][2]string       // of DAC1 and DAC2, by channel
}

const (
	stm32g4Core = 170e6 // Hz, of the core, of all buses and timers

	apb1, apb2, ahb2 = 0, 1, 2
)

// Alternate functions of the timers by mbed-os, PeripheralPins.c of NUCLEO_G474RE and NUCLEO_G431KB, as NUMBER:TIMER.CHANNEL. Complementary outputs,
// TIM8 and TIM20 are not modelled.
const (
	stm32g431Functions = "PA0 1:2.1, PA1 1:2.2, PA4 2:3.2, PA5 1:2.1, PA6 2:3.1 1:16.1, PA7 2:3.2 1:17.1, PA8 6:1.1, PA9 6:1.2 10:2.3, PA10 6:1.3 10:2.4, " +
		"PA11 11:1.4 10:4.1, PA12 10:4.2 1:16.1, PA15 1:2.1, PB0 2:3.3, PB3 1:2.2, PB4 2:3.1 1:16.1, PB5 2:3.2 10:17.1, PB6 2:4.1, PB7 2:4.2 10:3.4, PB8 2:4.3 1:16.1"
	stm32g474Functions = stm32g431Functions + ", PA0 2:5.1, PA1 2:5.2, PB1 2:3.4, PB2 2:5.1, PB9 2:4.4 1:17.1, PB10 1:2.3, PB11 1:2.4, PB14 1:15.1, PB15 1:15.2, " +
		"PC0 2:1.1, PC1 2:1.2, PC2 2:1.3, PC3 2:1.4, PC6 2:3.1, PC7 2:3.2, PC8 2:3.3, PC9 2:3.4, PC12 1:5.2"
)

// NewSTM32G474 returns the chip in its package of 64 pins after the runner's start: USART2 on PA2 and PA3.
func NewSTM32G474() *STM32G4 {
	return newSTM32G4(stm32g4{
		enables: [3]uint32{0xd2fecd3f, 0x0437f801, 0x040f607f}, resets: [3]uint32{0xd2fec13f, 0x0437f801, 0x040f607f},
		functions: stm32g474Functions,
		inputs: [2]map[int]string{
			{1: "PA0", 2: "PA1", 3: "PA2", 4: "PA3", 5: "PB14", 6: "PC0", 7: "PC1", 8: "PC2", 9: "PC3", 10: "PF0", 11: "PB12", 12: "PB1", 14: "PB11", 15: "PB0"},
			{1: "PA0", 2: "PA1", 3: "PA6", 4: "PA7", 5: "PC4", 6: "PC0", 7: "PC1", 8: "PC2", 9: "PC3", 10: "PF1", 11: "PC5", 12: "PB2", 13: "PA5", 14: "PB11", 15: "PB15", 17: "PA4"},
		},
		outputs: [][2]string{{"PA4", "PA5"}, {"PA6"}},
	})
}

// NewSTM32G431 returns the chip in its package of 32 pins, with the same USART. It has no TIM5, and DAC2 neither.
func NewSTM32G431() *STM32G4 {
	return newSTM32G4(stm32g4{
		enables: [3]uint32{0xd2eecd37, 0x00277801, 0x0405207f}, resets: [3]uint32{0xd2eec137, 0x00277801, 0x0405207f},
		functions: stm32g431Functions,
		inputs: [2]map[int]string{
			{1: "PA0", 2: "PA1", 3: "PA2", 4: "PA3", 10: "PF0", 15: "PB0"},
			{1: "PA0", 2: "PA1", 3: "PA6", 4: "PA7", 10: "PF1", 13: "PA5", 17: "PA4"},
		},
		outputs: [][2]string{{"PA4", "PA5"}},
	})
}

func newSTM32G4(c stm32g4) *STM32G4 {
	m := &STM32G4{machine: newMachine(), chip: c}
	m.gpio = &stm32Ports{bus: &m.machine, pads: parseFunctions(c.functions), pin: 2}
	m.clocks("APB1", apb1, 0x40021058, 0x40021038, 1<<28|1<<17) // PWR, USART2
	m.clocks("APB2", apb2, 0x40021060, 0x40021040, 0)
	m.clocks("AHB2", ahb2, 0x4002104c, 0x4002102c, 1) // GPIOA
	for i := range 6 {
		m.gpio.add(i, 0x48000000+0x400*uint32(i), func() bool { return m.buses[ahb2].runs(i) })
		m.gpio.ports[i].moder.value = math.MaxUint32 // analogue
	}
	// The debugger's pins.
	a, b := &m.gpio.ports[0], &m.gpio.ports[1]
	a.moder.value, a.pupdr.value = 0xabffffff, 0x64000000
	b.moder.value, b.pupdr.value = 0xfffffebf, 0x100
	m.gpio.take(7)
	m.power()
	m.addTimers()
	m.addDelay()
	m.converters()
	for i, pins := range c.outputs {
		m.dacs = append(m.dacs, newSTM32G4DAC(m, i, pins))
	}
	return m
}

// power adds PWR_CR3. Reset leaves resistors of 5.1 kOhm at PB4 and PB6, which a USB-C port with an empty battery has.
func (m *STM32G4) power() {
	const disabled = 1 << 14
	m.cr3 = m.add(0x40007008, cell{name: "PWR_CR3", bits: 0xe51f, reset: 1 << 15})
	m.cr3.write = func(old uint32) {
		if (old^m.cr3.value)&^disabled != 0 {
			m.fault("PWR_CR3 of %#x", m.cr3.value)
		}
	}
	m.gpio.sunk = func(pin string) bool { return (pin == "PB4" || pin == "PB6") && m.cr3.value&disabled == 0 }
}

// clocks adds the clocks and resets of the devices of a bus. running are those of the runner.
func (m *STM32G4) clocks(name string, i int, enable, reset, running uint32) {
	b := &m.buses[i]
	b.enable = m.add(enable, cell{name: "RCC_" + name + "ENR", bits: m.chip.enables[i], value: running})
	b.reset = m.add(reset, cell{name: "RCC_" + name + "RSTR", bits: m.chip.resets[i]})
	b.enable.write = func(uint32) {
		if b.enable.value&running != running {
			m.fault("the clock of a device of the runner is off")
		}
	}
	b.reset.write = func(uint32) {
		bits := b.reset.value
		switch {
		case bits&running != 0:
			m.fault("reset of a device of the runner")
		case i != ahb2:
			m.stm32Timers.reset(i, bits)
			if i == apb1 && bits>>stm32g4DelayBit&1 != 0 {
				m.delay.reset()
			}
			return
		case bits&0x7f != 0:
			m.fault("reset of a port, which is not modelled")
		}
		if bits>>stm32g4ADCBit&1 != 0 {
			m.resetADCs()
		}
		for n, d := range m.dacs {
			if bits>>(stm32g4DACBit+n)&1 != 0 {
				d.reset()
			}
		}
	}
}

func (m *STM32G4) addTimers() {
	m.stm32Timers = m.gpio.timers(func(t *stm32Timer) bool { return m.buses[t.bus].runs(t.bit) })
	add := func(number int, k stm32Kind, bus, bit int, base uint32) {
		if m.chip.enables[bus]>>bit&1 != 0 {
			k.bus, k.bit, k.base, k.internal = bus, bit, base, stm32g4Core
			m.addTimer(&stm32Timer{stm32Kind: k, number: number})
		}
	}
	wide := wideTimer()
	two, one := outputTimers()
	add(1, stm32Advanced, apb2, 11, 0x40012c00)
	add(2, wide, apb1, 0, 0x40000000)
	add(3, stm32General, apb1, 1, 0x40000400)
	add(4, stm32General, apb1, 2, 0x40000800)
	add(5, wide, apb1, 3, 0x40000c00)
	add(15, two, apb2, 16, 0x40014000)
	add(16, one, apb2, 17, 0x40014400)
	add(17, one, apb2, 18, 0x40014800)
}

// Drive connects a pin to a level from outside.
func (m *STM32G4) Drive(pin string, high bool) { m.edges(pin, high) }

// Wait lets time pass.
func (m *STM32G4) Wait(seconds float64) {
	m.accesses += int(seconds * stm32g4Core / 10)
	m.stm32Timers.Wait(seconds)
}

// since is the cycles of the core since an access, at the least.
func (m *STM32G4) since(access int) int { return 10 * (m.accesses - access) }

// stm32g4Delay is TIM6, which counts up by the core's clock.
type stm32g4Delay struct {
	cr1, sr, arr *cell
	begun        int
}

const stm32g4DelayBit = 4

func (m *STM32G4) addDelay() {
	d := &m.delay
	reg := func(offset uint32, name string, bits, reset uint32) *cell {
		return m.add(0x40001000+offset, cell{name: "TIM6_" + name, bits: bits, reset: reset, on: func() bool { return m.buses[apb1].runs(stm32g4DelayBit) }})
	}
	d.cr1 = reg(0x00, "CR1", 0x8f, 0)
	d.sr = reg(0x10, "SR", 1, 0)
	d.arr = reg(0x2c, "ARR", 0xffff, 0xffff)
	d.cr1.write = func(old uint32) {
		if d.cr1.value&^9 != 0 || d.cr1.value == 1 {
			m.fault("TIM6_CR1 of %#x: want one pulse", d.cr1.value)
		}
		if d.cr1.value&^old&1 != 0 {
			d.begun = m.accesses
		}
	}
	d.sr.read = func() uint32 {
		if d.cr1.value&1 != 0 && m.since(d.begun) > int(d.arr.value) {
			d.cr1.value &^= 1
			d.sr.value = 1
		}
		return d.sr.value
	}
	d.sr.write = func(old uint32) { d.sr.value &= old }
}

func (d *stm32g4Delay) reset() {
	for _, c := range []*cell{d.cr1, d.sr, d.arr} {
		c.value = c.reset
	}
}

// stm32g4DAC is DAC1 (0) or DAC2.
type stm32g4DAC struct {
	cr, mcr *cell
	data    [2]*cell
	pins    [2]string
}

const stm32g4DACBit = 16

func newSTM32G4DAC(m *STM32G4, i int, pins [2]string) *stm32g4DAC {
	name := fmt.Sprintf("DAC%d", i+1)
	reg := func(offset uint32, register string, bits uint32) *cell {
		return m.add(0x50000800+0x400*uint32(i)+offset, cell{name: name + "_" + register, bits: bits, on: func() bool { return m.buses[ahb2].runs(stm32g4DACBit + i) }})
	}
	d := &stm32g4DAC{cr: reg(0x00, "CR", 0x7fff7fff), mcr: reg(0x3c, "MCR", 0x0307c307), pins: pins}
	d.data = [2]*cell{reg(0x08, "DHR12R1", 0xfff), reg(0x14, "DHR12R2", 0xfff)}
	d.mcr.write = func(uint32) {
		if d.cr.value&0x10001 != 0 {
			m.fault("%s: MCR changes while a channel is on", name)
		}
		if d.mcr.value&^0xc000 != 0 {
			m.fault("%s: MCR of %#x: want a buffer to the pin", name, d.mcr.value)
		}
	}
	d.cr.write = func(uint32) {
		for n, pin := range d.pins {
			switch v := d.cr.value >> (16 * n) & 0xffff; {
			case v == 0:
			case v != 1 || pin == "":
				m.fault("%s channel %d: CR of %#x", name, n+1, v)
			case !m.gpio.analogue(pin):
				m.fault("%s channel %d is on while %s is not analogue", name, n+1, pin)
			case d.mcr.value>>14 != 2: // LL_DAC_HIGH_FREQ_MODE_ABOVE_160MHZ
				m.fault("%s: HFSEL does not suit 170 MHz", name)
			}
		}
	}
	return d
}

func (d *stm32g4DAC) reset() {
	for _, c := range []*cell{d.cr, d.mcr, d.data[0], d.data[1]} {
		c.value = 0
	}
}

// Converted is the voltage that a DAC gives at a pin; ok is false for a pin that none drives.
func (m *STM32G4) Converted(pin string) (volts float64, ok bool) {
	for _, d := range m.dacs {
		for n, p := range d.pins {
			if p == pin && d.cr.value>>(16*n)&1 != 0 && m.gpio.analogue(pin) {
				return float64(d.data[n].value) / 4095 * stm32Supply, true
			}
		}
	}
	return 0, false
}
