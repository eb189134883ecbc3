package models

import "math"

// nrf52SAADC converts one channel, and puts the result into RAM.
type nrf52SAADC struct {
	started, end, status         *cell
	enable, psel, config, result *cell
	resolution                   *cell
	doing                        nrf52Task
	begun                        int // in accesses
}

type nrf52Task int

const (
	nrf52Idle nrf52Task = iota
	nrf52Starting
	nrf52Started
	nrf52Samples
)

const (
	nrf52Reference  = 0.6  // V, the internal one
	nrf52Conversion = 2e-6 // s, behind the time of acquisition
	nrf52Start      = 40   // accesses, until STARTED
)

// nrf52Acquisition are the times of TACQ, s.
var nrf52Acquisition = [8]float64{3e-6, 5e-6, 10e-6, 15e-6, 20e-6, 40e-6}

// nrf52Gain are those of GAIN.
var nrf52Gain = [8]float64{1.0 / 6, 1.0 / 5, 1.0 / 4, 1.0 / 3, 1.0 / 2, 1, 2, 4}

// nrf52Analogue are the pins of AIN0 to AIN7 (pin assignments).
var nrf52Analogue = [8]int{2, 3, 4, 5, 28, 29, 30, 31}

func (m *NRF52) converter(ram uint32) {
	const base = 0x40007000
	a := &m.saadc
	still := func(offset uint32, name string, bits, reset uint32) *cell {
		c := m.add(base+offset, cell{name: "SAADC " + name, bits: bits, reset: reset})
		c.write = func(uint32) {
			m.convert()
			if a.doing != nrf52Idle {
				m.fault("%s is changed during a conversion", c.name)
			}
		}
		return c
	}
	m.task(base+0x000, "SAADC START", func() {
		m.convert()
		switch {
		case a.enable.value == 0:
			m.fault("START of a SAADC that is off")
		case a.doing != nrf52Idle:
			m.fault("START during a conversion")
		case a.started.value != 0 || a.end.value != 0:
			m.fault("START with an event that is not cleared")
		}
		a.doing, a.begun = nrf52Starting, m.accesses
	})
	m.task(base+0x004, "SAADC SAMPLE", func() {
		m.convert()
		if a.doing != nrf52Started {
			m.fault("SAMPLE of a SAADC that has not started")
		}
		a.doing, a.begun = nrf52Samples, m.accesses
	})
	a.started = m.event52(base+0x100, "SAADC STARTED")
	a.end = m.event52(base+0x104, "SAADC END")
	a.status = m.add(base+0x400, cell{name: "SAADC STATUS"})
	for _, c := range []*cell{a.started, a.end} {
		c.read = func() uint32 { m.convert(); return c.value }
	}
	a.status.read = func() uint32 {
		m.convert()
		if a.doing == nrf52Samples {
			return 1
		}
		return 0
	}
	a.enable = m.add(base+0x500, cell{name: "SAADC ENABLE", bits: 1})
	a.enable.write = func(uint32) {
		if a.enable.value == 0 {
			a.doing = nrf52Idle
		}
	}
	a.psel = still(0x510, "CH[0].PSELP", 0x1f, 0)
	still(0x514, "CH[0].PSELN", 0x1f, 0)
	a.config = still(0x518, "CH[0].CONFIG", 0x01171733, 0x00020000)
	a.resolution = still(0x5f0, "RESOLUTION", 3, 1)
	still(0x5f4, "OVERSAMPLE", 0xf, 0).write = func(uint32) { m.fault("a result of several samples") }
	still(0x5f8, "SAMPLERATE", 0x17ff, 0).write = func(uint32) { m.fault("samples by a timer") }
	m.fixed(base+0x62c, "SAADC RESULT.PTR", ram)
	m.fixed(base+0x630, "SAADC RESULT.MAXCNT", 1)
	a.result = m.add(ram, cell{name: "SAADC's word", width: 16, value: 0x5a5a})
	a.result.read = func() uint32 {
		m.convert()
		if a.end.value == 0 {
			m.fault("the SAADC's result before the end of a conversion")
		}
		return a.result.value
	}
}

// convert goes on with what has had its time.
func (m *NRF52) convert() {
	a := &m.saadc
	took := m.accesses - a.begun
	switch c := a.config.value; {
	case a.doing == nrf52Starting && took >= nrf52Start:
		a.doing, a.started.value = nrf52Started, 1
	case a.doing == nrf52Samples && float64(took) >= (nrf52Acquisition[c>>16&7]+nrf52Conversion)*nrf52Accesses:
		a.doing, a.end.value = nrf52Idle, 1
		volts := 0.0
		if n := a.psel.value; n >= 1 && n <= 8 {
			pin := nrf52Analogue[n-1]
			volts = m.volts[nordicPin(pin)]
			if m.ports[0].cnf[pin].value&0xf != 2 || m.driven(pin) {
				m.fault("conversion of %s, which is digital or has a resistor", nordicPin(pin))
			}
		} else {
			m.fault("PSELP of %d: want a pin", n)
		}
		if c&0x0110103f != 0 || c>>16&7 > 5 {
			m.fault("SAADC CONFIG of %#x: want the internal reference, no resistors, one pin, one sample", c)
		}
		full := float64(int(1) << (8 + 2*a.resolution.value))
		code := math.Round(volts * nrf52Gain[c>>8&7] / nrf52Reference * full)
		a.result.value = uint32(uint16(int16(min(max(code, -2), full-1))))
	}
}
