package models

import "fmt"

// NRF51 is a model by the nRF51 Series Reference Manual 3.0: GPIO (chapter 14), GPIOTE (15), PPI (16), TIMER (18)
// and ADC (31), of a nRF51822 with pins P0.00 to P0.30.
type NRF51 struct {
	machine
	out, dir *cell
	cnf      [32]*cell
	adc      nrf51ADC
	gpiote   [4]*cell // CONFIG
	links    struct {
		enabled     *cell
		event, task [16]*cell
	}
	timers []*nrf51Timer
	tasks  map[uint32]func() // by their registers
}

type nrf51ADC struct {
	end, busy, enable, config, result *cell

	begun int // in accesses
}

const (
	nrf51Pins = 31
	// 68 us of 10 bits (product specification of the nRF51822, table of the ADC): 109 accesses of 10 cycles at 16 MHz.
	nrf51Conversion = 109
	nrf51Reference  = 1.2
)

// NewNRF51 returns the chip after the runner's start: UART0 sends on P0.24, which is an output, and the events
// IN[0] and IN[1] of GPIOTE count in TIMER1 and TIMER2.
func NewNRF51() *NRF51 {
	m := &NRF51{machine: newMachine(), tasks: map[uint32]func(){}}
	m.gpio()
	m.converter()
	m.connections()
	for n := range uint32(2) {
		timer := 0x40009000 + 0x1000*n
		m.timer(n+1, timer)
		m.Write(32, nrf51PPI+0x510+8*n, nrf51GPIOTE+0x100+4*n)
		m.Write(32, nrf51PPI+0x514+8*n, timer+0x008)
	}
	m.Write(32, nrf51PPI+0x504, 3)
	m.Write(32, 0x50000508, 1<<24)
	m.Write(32, 0x50000518, 1<<24)
	m.accesses = 0
	return m
}

func nrf51Pin(n int) string { return fmt.Sprintf("P0.%02d", n) }

func (m *NRF51) gpio() {
	const base, all = 0x50000000, 1<<nrf51Pins - 1
	m.out = m.add(base+0x504, cell{name: "OUT", bits: all, write: func(uint32) { m.outputs() }})
	m.dir = m.add(base+0x514, cell{name: "DIR", bits: all})
	m.dir.write = func(uint32) { m.directions() }
	// 14.2.
	m.setAndClear("OUT", base+0x508, base+0x50c, all, m.out, m.out.write)
	m.setAndClear("DIR", base+0x518, base+0x51c, all, m.dir, m.dir.write)
	m.add(base+0x510, cell{name: "IN", read: m.levels})
	for n := range m.cnf {
		// DIR, INPUT, PULL, DRIVE, SENSE; the input is not connected after reset.
		c := m.add(base+0x700+4*uint32(n), cell{name: fmt.Sprintf("PIN_CNF[%d]", n), bits: 0x3070f, reset: 2})
		m.cnf[n] = c
		c.write = func(uint32) {
			if c.value>>2&3 == 2 {
				m.fault("PULL of %s is 2, which is reserved", c.name)
			}
			if n == 24 || n == 25 || n >= nrf51Pins {
				m.fault("write of %s, which belongs to the UART or is not there", c.name)
			}
			m.dir.value = m.dir.value&^(1<<n) | c.value&1<<n
			m.outputs()
		}
	}
}

// directions are in DIR and in PIN_CNF, the same bits.
func (m *NRF51) directions() {
	for n, c := range m.cnf {
		c.value = c.value&^1 | m.dir.value>>n&1
	}
	m.outputs()
}

func (m *NRF51) outputs() {
	for n, c := range m.cnf {
		if c.value&1 != 0 && c.value>>8&7 < 4 {
			if m.held(n) {
				m.fault("%s is an output, and GPIOTE has it", nrf51Pin(n))
			}
			m.drive(nrf51Pin(n), m.out.value>>n&1 != 0)
		}
	}
}

// levels are what IN shows.
func (m *NRF51) levels() uint32 {
	all := uint32(0)
	for n := range m.cnf {
		if m.level(n, nrf51Pin(n)) {
			all |= 1 << n
		}
	}
	return all
}

// level is that of a connected input; others are low.
func (m *NRF51) level(n int, pin string) bool {
	c := m.cnf[n].value
	high, driven := m.outside[pin]
	switch {
	case c>>1&1 != 0:
		return false
	case c&1 != 0:
		return m.out.value>>n&1 != 0
	case !driven:
		return c>>2&3 == 3
	}
	return high
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
			volts = m.volts[nrf51Pin(n)]
			if m.cnf[n].value&0xf != 2 {
				m.fault("conversion of %s, which is digital or has a resistor", nrf51Pin(n))
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
