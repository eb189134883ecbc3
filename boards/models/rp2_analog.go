package models

import (
	"strconv"
	"strings"
)

// rp2ADC is the ADC of both chips (4.9, 12.4): single conversions whose results go
// into the FIFO.
type rp2ADC struct {
	cs, fcs *cell
	on      int // accesses when it was switched on
	begun   int // and when the conversion began
	busy    bool
	ended   int // accesses when it ended
	fifo    []uint32
	result  uint32
}

// rp2Slice is a slice of the PWM (4.5, 12.5) without phase correction.
type rp2Slice struct {
	csr, div, ctr, cc, top *cell
	topped                 bool // TOP has been written since the reset
}

const (
	rp2Cycles   = 96 // of clk_adc for a conversion (4.9.3, 12.4.3)
	rp2PowerUp  = 8  // accesses: "a few cycles", 12.4.3
	rp2Lag      = 4  // accesses that READY may come behind the result: nothing is said of it
	rp2FIFO     = 4  // results: the RP2040 has 4, the RP2350 8
	rp2Supply   = 3.3
	rp2PerEntry = 10 // cycles of the core that an access takes at least

	rp2Counts = 2<<4 | 1 // CSR: on, by rising edges at pin B (4.5.2.5, 12.5.2.5)

	csEN, csTS, csOnce, csMany, csREADY, csERR, csSticky = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 8, 1 << 9, 1 << 10
	fcsEN, fcsEMPTY                                      = 1 << 0, 1 << 8
)

func (a *rp2ADC) clear() {
	a.cs.value, a.fcs.value, a.busy, a.fifo, a.ended = 0, 0, false, nil, -rp2Lag
}

func (m *RP2) converter() {
	a := &m.adc
	on := func() bool { return m.released(rp2ADCBlock) }
	base := m.chip.adc
	a.cs = m.add(base, cell{name: "ADC_CS", bits: m.chip.csBits, on: on})
	a.fcs = m.add(base+8, cell{name: "ADC_FCS", bits: 0x0f0f0f0f, on: on})
	result := m.add(base+4, cell{name: "ADC_RESULT", on: on})
	fifo := m.add(base+0xc, cell{name: "ADC_FIFO", on: on})
	a.cs.read = func() uint32 {
		m.finish()
		v := a.cs.value
		if m.Ready() {
			v |= csREADY
		}
		return v
	}
	a.cs.write = m.convert
	a.fcs.read = func() uint32 {
		m.finish()
		v := a.fcs.value | uint32(len(a.fifo))<<16
		if len(a.fifo) == 0 {
			v |= fcsEMPTY
		}
		return v
	}
	a.fcs.write = func(uint32) {
		if a.fcs.value&^fcsEN != 0 {
			m.fault("ADC_FCS of %#x", a.fcs.value)
		}
		a.fcs.value &= fcsEN
	}
	result.read = func() uint32 { m.finish(); return a.result }
	fifo.read = func() uint32 {
		m.finish()
		if len(a.fifo) == 0 {
			m.fault("ADC_FIFO read while it is empty")
			return 0xabc
		}
		v := a.fifo[0]
		a.fifo = a.fifo[1:]
		return v
	}
}

// Ready tells whether the ADC can begin a conversion.
func (m *RP2) Ready() bool {
	a := &m.adc
	return a.cs.value&csEN != 0 && !a.busy && m.accesses-a.ended > rp2Lag && m.adcHz() > 0 && m.accesses-a.on > rp2PowerUp
}

// convert is a write to CS.
func (m *RP2) convert(old uint32) {
	a := &m.adc
	v := a.cs.value
	a.cs.value &^= csOnce | csREADY | csERR | csSticky
	if v&csEN != 0 && old&csEN == 0 {
		a.on = m.accesses
	}
	switch input := v >> 12 & 15; {
	case v&(csTS|csMany) != 0 || v>>16 != 0:
		m.fault("ADC_CS of %#x: more than single conversions", v)
	case v&csOnce == 0:
		if a.busy {
			m.fault("ADC_CS changes during a conversion")
		}
	case old&csEN == 0:
		m.fault("conversion by an ADC that is off")
	case !m.Ready():
		m.fault("conversion by an ADC that is not ready")
	case input >= m.chip.selects-1:
		m.fault("conversion of input %d, which is no pin", input)
	default:
		if n := 26 + int(input); m.function(n) != rp2None || m.isolated(n) || m.pad[n]&(padOD|padIE|padPUE|padPDE) != padOD {
			m.fault("conversion of %s, whose pad is not left to the ADC: %#x", gp(n), m.pad[n])
		}
		a.busy, a.begun = true, m.accesses
	}
}

// finish ends a conversion whose time is over.
func (m *RP2) finish() {
	a := &m.adc
	if !a.busy || float64((m.accesses-a.begun)*rp2PerEntry)/m.chip.hz < rp2Cycles/m.adcHz() {
		return
	}
	a.busy, a.ended = false, m.accesses
	a.result = min(uint32(m.volts[gp(26+int(a.cs.value>>12&15))]/rp2Supply*4096), 4095)
	if a.fcs.value&fcsEN == 0 {
		return
	}
	if len(a.fifo) == rp2FIFO {
		m.fault("ADC_FIFO overflows")
		return
	}
	a.fifo = append(a.fifo, a.result)
}

// pulses are the slices of the PWM that GP0 to GP29 can show.
func (m *RP2) pulses() {
	on := func() bool { return m.released(rp2PWMBlock) }
	for i := range m.slices {
		s := &m.slices[i]
		reg := func(offset uint32, name string, bits, reset uint32) *cell {
			return m.add(m.chip.pwm+0x14*uint32(i)+offset, cell{name: name, bits: bits, reset: reset, on: on})
		}
		s.csr = reg(0x00, "PWM_CSR", 0xff, 0)
		s.div = reg(0x04, "PWM_DIV", 0xfff, 0x10)
		s.ctr = reg(0x08, "PWM_CTR", 0xffff, 0)
		s.cc = reg(0x0c, "PWM_CC", 0xffffffff, 0)
		s.top = reg(0x10, "PWM_TOP", 0xffff, 0xffff)
		s.top.write = func(uint32) { s.topped = true }
		s.csr.write = func(uint32) {
			switch {
			case s.csr.value&^1 != 0 && s.csr.value != rp2Counts:
				m.fault("PWM slice %d: CSR of %#x: no plain up-counter", i, s.csr.value)
			case s.csr.value != 0 && !s.topped:
				m.fault("PWM slice %d is enabled before it has a TOP", i)
			case s.csr.value != 0 && s.ctr.value > s.top.value:
				m.fault("PWM slice %d counts from %d, beyond its TOP", i, s.ctr.value)
			case s.csr.value != 0 && s.div.value < 16 && s.div.value != 0:
				m.fault("PWM slice %d divides by a fraction and 256", i)
			}
		}
	}
}

func (m *RP2) clearSlices() {
	for i := range m.slices {
		s := &m.slices[i]
		for _, c := range []*cell{s.csr, s.div, s.ctr, s.cc, s.top} {
			c.value = c.reset
		}
		s.topped = false
	}
}

// Pulses is what the PWM gives at a pin: the part of the time that it is high, and
// its frequency; ok is false for a pin that shows none.
func (m *RP2) Pulses(n int) (duty, hz float64, ok bool) {
	s := &m.slices[n/2%8]
	if m.function(n) != rp2PWM || m.isolated(n) || m.pad[n]&padOD != 0 || s.csr.value != 1 {
		return 0, 0, false
	}
	period := float64(s.top.value + 1)
	level := s.cc.value >> (16 * (n % 2)) & 0xffff
	div := float64(s.div.value) / 16
	if div == 0 {
		div = 256
	}
	return min(float64(level)/period, 1), m.chip.hz / div / period, true
}

// ConversionTime is that of the ADC with its clock, in seconds.
func (m *RP2) ConversionTime() float64 { return rp2Cycles / m.adcHz() }

// Drive connects a pin to a level from outside. A slice that counts edges at its pin B sees them.
func (m *RP2) Drive(pin string, high bool) {
	before := m.outside[pin]
	m.machine.Drive(pin, high)
	n, err := strconv.Atoi(strings.TrimPrefix(pin, "GP"))
	if err != nil || n%2 == 0 || !high || before || m.function(n) != rp2PWM || m.isolated(n) || m.pad[n]&padIE == 0 {
		return
	}
	s := &m.slices[n/2%8]
	switch {
	case s.csr.value != rp2Counts:
		return
	case s.div.value != 1<<4:
		m.fault("PWM slice %d divides the edges", n/2%8)
	}
	if s.ctr.value++; s.ctr.value > s.top.value {
		s.ctr.value = 0
	}
}
