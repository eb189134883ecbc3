package models

// NRF51 is a model by the nRF51 Series Reference Manual 3.0, of a nRF51822 with pins P0.00 to P0.30: beside what is in nordic the
// ADC (chapter 31).
type NRF51 struct {
	nordic
	adc nrf51ADC
}

type nrf51ADC struct {
	end, busy, enable, config, result *cell

	begun int // in accesses
}

const (
	// 68 us of 10 bits (product specification of the nRF51822, table of the ADC): 109 accesses of 10 cycles at 16 MHz.
	nrf51Conversion = 109
	nrf51Reference  = 1.2
)

// NewNRF51 returns the chip after the runner's start: UART0 on P0.24 and P0.25. Timers have 16 bits (product specification of the
// nRF51822, 4.1.3).
func NewNRF51() *NRF51 {
	m := &NRF51{}
	m.build(nordicKind{
		pins: []int{31}, txd: 24, rxd: 25, events: 4, channels: 16, config: 0x131f03, timers: []uint32{0x40009000, 0x4000a000}, counter: 0xffff,
	})
	m.converter()
	return m
}

func (m *NRF51) converter() {
	const base = 0x40007000
	a := &m.adc
	m.task(base+0x000, "ADC START", m.begin)
	m.task(base+0x004, "ADC STOP", func() { a.busy.value = 0 })
	a.end = m.add(base+0x100, cell{name: "ADC END", bits: 1})
	a.end.read = func() uint32 { m.finish(); return a.end.value }
	a.end.write = func(uint32) {
		if a.end.value != 0 {
			m.fault("write of 1 to an event")
		}
	}
	a.busy = m.add(base+0x400, cell{name: "ADC BUSY"})
	a.busy.read = func() uint32 { m.finish(); return a.busy.value }
	a.enable = m.add(base+0x500, cell{name: "ADC ENABLE", bits: 3})
	a.enable.write = func(uint32) {
		if a.enable.value > 1 {
			m.fault("ENABLE of %d", a.enable.value)
		}
	}
	// RES, INPSEL, REFSEL, PSEL, EXTREFSEL.
	a.config = m.add(base+0x504, cell{name: "ADC CONFIG", bits: 0x3ff7f, reset: 0x18})
	a.config.write = func(uint32) {
		if a.busy.value != 0 {
			m.fault("CONFIG during a conversion")
		}
	}
	a.result = m.add(base+0x508, cell{name: "ADC RESULT"})
	a.result.read = func() uint32 {
		m.finish()
		if a.end.value == 0 {
			m.fault("RESULT before the end of a conversion")
		}
		return a.result.value
	}
}

func (m *NRF51) begin() {
	a := &m.adc
	switch c := a.config.value; {
	case a.enable.value != 1:
		m.fault("START of an ADC that is off")
	case a.busy.value != 0:
		m.fault("START during a conversion")
	case a.end.value != 0:
		m.fault("START with an event that is not cleared")
	case c&3 == 3, c>>2&7 > 2 && c>>2&7 != 5 && c>>2&7 != 6:
		m.fault("RES or INPSEL of CONFIG %#x is reserved", c)
	}
	a.busy.value, a.begun = 1, m.accesses
}

// nrf51Analogue has the pins of the inputs (product specification, pin assignments).
var nrf51Analogue = [8]int{26, 27, 1, 2, 3, 4, 5, 6}

// finish ends a conversion whose time is over.
func (m *NRF51) finish() {
	a := &m.adc
	if a.busy.value == 0 || m.accesses-a.begun < nrf51Conversion {
		return
	}
	c := a.config.value
	a.busy.value, a.end.value = 0, 1
	full := 1<<(8+c&3) - 1
	volts := 0.0
	for i, n := range nrf51Analogue {
		if c>>8&0xff == 1<<i {
			volts = m.volts[nordicPin(n)]
			if m.ports[0].cnf[n].value&0xf != 2 {
				m.fault("conversion of %s, which is digital or has a resistor", nordicPin(n))
			}
		}
	}
	switch {
	case c>>8&(c>>8-1)&0xff != 0 || c>>8&0xff == 0:
		m.fault("PSEL %#x: want one input", c>>8&0xff)
	case c>>5&3 != 0:
		m.fault("a reference that is not the internal one")
	}
	scale := map[uint32]float64{0: 1, 1: 2.0 / 3, 2: 1.0 / 3}[c>>2&7]
	a.result.value = min(uint32(volts*scale/nrf51Reference*float64(full+1)), uint32(full))
}
