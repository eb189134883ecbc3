package models

import (
	"fmt"
	"math"
)

// stm32g4ADC is ADC1 or ADC2, which share their clock and their reset.
type stm32g4ADC struct {
	name                         string
	isr, cr, cfgr, sqr1, dr      *cell
	smpr                         [2]*cell
	all                          []*cell
	inputs                       map[int]string
	regulator, begun, calibrated int // accesses at which the regulator was switched on, a task begun, the calibration ended
	latest                       int // access at which the calibration or a conversion ended
	doing                        stm32g4Task
	results                      []uint32 // of the sequence that is going on
	cycles                       int      // of the core, that the task takes
}

type stm32g4Task int

const (
	stm32g4Idle stm32g4Task = iota
	stm32g4Calibrates
	stm32g4Enables
	stm32g4Converts
)

const (
	stm32g4ADCBit = 13

	adcADRDY, adcEOC, adcEOS, adcOVR            = 1 << 0, 1 << 2, 1 << 3, 1 << 4 // ISR
	adcADEN, adcADSTART, adcADVREGEN, adcDEEPWD = 1 << 0, 1 << 2, 1 << 28, 1 << 29
	adcADCAL                                    = 1 << 31
	adcOVRMOD, adcJQDIS                         = 1 << 12, 1 << 31 // CFGR
	// Those that software sets and hardware clears.
	stm32g4Sticky = adcADEN | 1<<1 | adcADSTART | 1<<3 | 1<<4 | 1<<5 | adcADCAL
)

// Times in seconds and clocks in Hz. The data sheet was not read: they are what drivers take them for that run on the chip: embassy's
// (pull request 4024: 20 us), stm32g4xx-hal (issue 124: 60 MHz), stm32g4xx_hal_adc.c (ADC_Enable: 4 cycles), MicroPython (pull requests
// 11966 and 17230: of conversions more than 1 ms apart the first result may be wrong). How long calibration takes is a guess.
const (
	stm32g4Regulator   = 20e-6
	stm32g4ADCFastest  = 60e6
	stm32g4Rest        = 4 // cycles of the ADC's clock between calibration and ADEN
	stm32g4Pause       = 1e-3
	stm32g4Calibration = 116 // cycles of the ADC's clock
)

// stm32g4Sampling is in halves of a cycle of the ADC's clock: LL_ADC_SAMPLINGTIME_2CYCLES_5 and so on.
var stm32g4Sampling = [8]int{5, 13, 25, 49, 95, 185, 495, 1281}

func (m *STM32G4) converters() {
	const base = 0x50000000
	on := func() bool { return m.buses[ahb2].runs(stm32g4ADCBit) }
	for i := range m.adcs {
		a := &m.adcs[i]
		*a = stm32g4ADC{name: fmt.Sprintf("ADC%d", i+1), inputs: m.chip.inputs[i]}
		reg := func(offset uint32, name string, bits, reset uint32) *cell {
			c := m.add(base+0x100*uint32(i)+offset, cell{name: a.name + "_" + name, bits: bits, reset: reset, on: on})
			a.all = append(a.all, c)
			return c
		}
		a.isr = reg(0x00, "ISR", 0x7ff, 0)
		a.cr = reg(0x08, "CR", 0xf000003f, adcDEEPWD)
		a.cfgr = reg(0x0c, "CFGR", 0xfffffffb, adcJQDIS)
		a.smpr = [2]*cell{reg(0x14, "SMPR1", 0xbfffffff, 0), reg(0x18, "SMPR2", 0x07ffffff, 0)}
		a.sqr1 = reg(0x30, "SQR1", 0x1f7df7cf, 0)
		a.dr = reg(0x40, "DR", 0, 0)
		a.isr.read = func() uint32 { m.finish(a); return a.isr.value }
		a.isr.write = func(old uint32) { m.finish(a); a.isr.value = old &^ a.isr.value }
		a.cr.read = func() uint32 { m.finish(a); return a.cr.value }
		a.cr.write = func(old uint32) { m.control(a, old) }
		a.dr.read = func() uint32 {
			m.finish(a)
			if a.isr.value&adcEOC == 0 {
				m.fault("%s_DR read before the end of a conversion", a.name)
			}
			a.isr.value &^= adcEOC
			return a.dr.value
		}
		for _, c := range []*cell{a.cfgr, a.smpr[0], a.smpr[1], a.sqr1} {
			c.write = func(uint32) {
				m.finish(a)
				if a.doing == stm32g4Converts {
					m.fault("%s changes during a conversion", c.name)
				}
				if v := a.cfgr.value; v&^adcOVRMOD != adcJQDIS {
					m.fault("%s_CFGR of %#x: no plain conversions", a.name, v)
				}
			}
		}
	}
	m.common = m.add(base+0x308, cell{name: "ADC12_CCR", bits: 0x01ffef1f, on: on})
	m.common.write = func(uint32) {
		if (m.adcs[0].cr.value|m.adcs[1].cr.value)&stm32g4Sticky != 0 {
			m.fault("ADC12_CCR changes while an ADC is on")
		}
		if m.common.value&^0x30000 != 0 || m.common.value == 0 {
			m.fault("ADC12_CCR of %#x: want the clock of the bus", m.common.value)
		}
	}
}

func (m *STM32G4) resetADCs() {
	m.common.value = 0
	for i := range m.adcs {
		a := &m.adcs[i]
		for _, c := range a.all {
			c.value = c.reset
		}
		a.doing, a.calibrated, a.results = stm32g4Idle, 0, nil
	}
}

// divisor is that of the ADCs' clock: CKMODE, LL_ADC_CLOCK_SYNC_PCLK_DIV1 and so on.
func (m *STM32G4) divisor() int { return [4]int{math.MaxInt32, 1, 2, 4}[m.common.value>>16&3] }

// control is a write to CR.
func (m *STM32G4) control(a *stm32g4ADC, old uint32) {
	wanted := a.cr.value
	a.cr.value = old
	m.finish(a)
	old = a.cr.value
	set := wanted &^ old
	a.cr.value = wanted | old&stm32g4Sticky
	begin := func(task stm32g4Task, cycles int) {
		if a.doing != stm32g4Idle {
			m.fault("%s is given another task before it has ended one", a.name)
		}
		a.doing, a.begun, a.cycles = task, m.accesses, cycles
	}
	ready := wanted&adcADVREGEN != 0 && float64(m.since(a.regulator)) >= stm32g4Regulator*stm32g4Core
	switch {
	case set&^(adcADEN|adcADSTART|adcADVREGEN|adcADCAL) != 0:
		m.fault("%s_CR of %#x is not modelled", a.name, wanted)
	case wanted&adcADVREGEN == 0:
		if a.cr.value&stm32g4Sticky != 0 {
			m.fault("%s loses its regulator while it is on", a.name)
		}
	case set&adcADVREGEN != 0:
		a.regulator = m.accesses
		if old&adcDEEPWD != 0 || set != adcADVREGEN {
			m.fault("%s_CR of %#x, from %#x: the regulator comes on alone, behind deep power-down", a.name, wanted, old)
		}
	case set&adcADCAL != 0:
		if !ready || old&adcADEN != 0 || m.divisor() > stm32g4Core || stm32g4Core/float64(m.divisor()) > stm32g4ADCFastest {
			m.fault("%s: calibration before the regulator is ready, with an ADC that is on, or without a fit clock", a.name)
		}
		begin(stm32g4Calibrates, stm32g4Calibration*m.divisor())
	case set&adcADEN != 0:
		if a.calibrated == 0 || m.since(a.calibrated) < stm32g4Rest*m.divisor() {
			m.fault("%s: ADEN before calibration, or at once behind it", a.name)
		}
		begin(stm32g4Enables, m.divisor())
	case wanted&adcADSTART != 0:
		if old&adcADEN == 0 || a.isr.value&adcADRDY == 0 {
			m.fault("%s: ADSTART before the ADC is ready", a.name)
		}
		begin(stm32g4Converts, 0)
		m.sequence(a)
	}
}

// sequence begins conversions: 12.5 cycles of the ADC's clock each, and those of sampling. What is at the pin when it begins is what counts.
func (m *STM32G4) sequence(a *stm32g4ADC) {
	a.results = nil
	for i := range int(a.sqr1.value&0xf) + 1 {
		if i > 1 {
			m.fault("%s: more than two conversions in the sequence", a.name)
			return
		}
		channel := int(a.sqr1.value >> (6 + 6*i) & 31)
		pin, ok := a.inputs[channel]
		if !ok || !m.gpio.analogue(pin) {
			m.fault("%s: conversion of channel %d, of %q, which is not analogue", a.name, channel, pin)
		}
		result := min(uint32(m.volts[pin]/stm32Supply*4096), 4095)
		if i == 0 && float64(m.since(a.latest)) > stm32g4Pause*stm32g4Core {
			result ^= 0x555
		}
		a.results = append(a.results, result)
		a.cycles += (stm32g4Sampling[a.smpr[channel/10].value>>(3*(channel%10))&7] + 25) * m.divisor() / 2
	}
}

// finish ends a task whose time is over.
func (m *STM32G4) finish(a *stm32g4ADC) {
	if a.doing == stm32g4Idle || m.since(a.begun) < a.cycles {
		return
	}
	switch a.doing {
	case stm32g4Calibrates:
		a.cr.value &^= adcADCAL
		a.calibrated, a.latest = m.accesses, m.accesses
	case stm32g4Enables:
		a.isr.value |= adcADRDY
	case stm32g4Converts:
		a.cr.value &^= adcADSTART
		for _, result := range a.results {
			// An overrun keeps the result that nobody has read, unless OVRMOD says otherwise.
			if a.isr.value&adcEOC != 0 {
				a.isr.value |= adcOVR
			}
			if a.isr.value&adcEOC == 0 || a.cfgr.value&adcOVRMOD != 0 {
				a.dr.value = result
			}
			a.isr.value |= adcEOC
		}
		a.isr.value |= adcEOS
		a.latest = m.accesses
	}
	a.doing = stm32g4Idle
}
