package models

import "fmt"

// NRF52 is a model by the product specifications of nRF52833 1.6 and nRF52840 1.7, chapters of the devices' names: beside what is in
// nordic SAADC, PWM, QDEC and the words of RAM that they have by EasyDMA.
type NRF52 struct {
	nordic
	saadc nrf52SAADC
	pwms  []*nrf52PWM
	qdec  nrf52QDEC
}

const (
	nrf52Core     = 64e6 // Hz
	nrf52Accesses = nrf52Core / 10
)

// NewNRF52833 returns the chip of a micro:bit after the runner's start: UART0 on P0.06 and P1.08; PWM0 has P0.02, P0.03, P0.04 and
// P0.12, and PWM1 P0.17, P0.01, P0.13 and P1.02.
func NewNRF52833() *NRF52 {
	return newNRF52(10, 40, 0x2001ffc0, [2][4]uint32{{2, 3, 4, 12}, {17, 1, 13, 34}})
}

// NewNRF52840 returns the chip of a development kit after the runner's start: UART0 on P0.06 and P0.08; PWM0 has P0.13 to P0.16, and
// PWM1 P1.04, P1.06, P1.07 and P1.11.
func NewNRF52840() *NRF52 {
	return newNRF52(16, 8, 0x2003ffc0, [2][4]uint32{{13, 14, 15, 16}, {36, 38, 39, 43}})
}

func newNRF52(port1, rxd int, ram uint32, pwm [2][4]uint32) *NRF52 {
	m := &NRF52{}
	m.build(nordicKind{
		pins: []int{32, port1}, txd: 6, rxd: rxd, events: 8, channels: 20, config: 0x133f03,
		timers: []uint32{0x40009000, 0x4000a000, 0x4001a000, 0x4001b000}, counter: 0xffffffff,
	})
	m.converter(ram)
	for i, base := range []uint32{0x4001c000, 0x40021000} {
		m.pulses(i, base, ram+8+8*uint32(i), pwm[i])
	}
	m.decoder()
	m.driven = func(n int) bool { p, _ := m.generator(n); return p != nil }
	return m
}

// event52 adds the register of an event, which is cleared by 0.
func (m *NRF52) event52(address uint32, name string) *cell {
	c := m.add(address, cell{name: name, bits: 1})
	c.write = func(uint32) {
		if c.value != 0 {
			m.fault("write of 1 to the event %s", name)
		}
	}
	return c
}

// fixed adds a register that is the runner's.
func (m *NRF52) fixed(address uint32, name string, value uint32) {
	m.add(address, cell{name: name, bits: 0xffffffff, value: value, write: func(uint32) { m.fault("%s is the runner's", name) }})
}

// nrf52PWM is a generator with four channels, whose sequences 0 and 1 are the same four words of RAM, played in turn for ever.
type nrf52PWM struct {
	name                                  string
	enable, mode, top, prescaler, decoder *cell
	loop, shorts                          *cell
	out                                   [4]*cell
	duty                                  [4]*cell
	running                               bool
	pins                                  [4]uint32
}

func (m *NRF52) pulses(number int, base, ram uint32, pins [4]uint32) {
	p := &nrf52PWM{name: fmt.Sprintf("PWM%d", number), pins: pins}
	m.pwms = append(m.pwms, p)
	off := func(offset uint32, name string, bits, reset uint32) *cell {
		c := m.add(base+offset, cell{name: p.name + " " + name, bits: bits, reset: reset})
		c.write = func(uint32) {
			if p.enable.value != 0 {
				m.fault("%s is changed while the PWM is on", c.name)
			}
		}
		return c
	}
	m.task(base+0x004, p.name+" STOP", func() { p.running = false })
	m.task(base+0x008, p.name+" SEQSTART[0]", func() { m.play(p) })
	p.enable = m.add(base+0x500, cell{name: p.name + " ENABLE", bits: 1})
	p.enable.write = func(uint32) {
		p.running = p.running && p.enable.value != 0
		m.outputs()
	}
	p.shorts = off(0x200, "SHORTS", 0x1f, 0)
	p.mode = off(0x504, "MODE", 1, 0)
	p.top = off(0x508, "COUNTERTOP", 0x7fff, 0x3ff)
	p.prescaler = off(0x50c, "PRESCALER", 7, 0)
	p.decoder = off(0x510, "DECODER", 0x107, 0)
	p.loop = off(0x514, "LOOP", 0xffff, 0)
	for n := range uint32(2) {
		m.fixed(base+0x520+0x20*n, fmt.Sprintf("%s SEQ[%d].PTR", p.name, n), ram)
		m.fixed(base+0x524+0x20*n, fmt.Sprintf("%s SEQ[%d].CNT", p.name, n), 4)
	}
	for n := range uint32(4) {
		p.duty[n] = m.add(ram+2*n, cell{name: fmt.Sprintf("%s word %d", p.name, n), bits: 0xffff, width: 16, value: 0x5a5a})
		c := off(0x560+4*n, fmt.Sprintf("PSEL.OUT[%d]", n), 0x8000003f, 0x80000000)
		c.value = 1<<31 | pins[n]
		p.out[n] = c
		changed := c.write
		c.write = func(old uint32) {
			changed(old)
			if c.value&0x3f != pins[n] {
				m.fault("%s gets another pin", c.name)
			}
		}
	}
}

// play starts the sequences.
func (m *NRF52) play(p *nrf52PWM) {
	switch {
	case p.enable.value == 0:
		m.fault("SEQSTART of %s, which is off", p.name)
	case p.mode.value != 0, p.decoder.value != 2:
		m.fault("%s: MODE %d, DECODER %#x: want an up-counter, and a word for each channel", p.name, p.mode.value, p.decoder.value)
	case p.top.value < 3:
		m.fault("%s: COUNTERTOP of %d", p.name, p.top.value)
	case p.loop.value == 0 || p.shorts.value != 1<<2:
		m.fault("%s: LOOP %d, SHORTS %#x: it ends", p.name, p.loop.value, p.shorts.value)
	}
	p.running = true
}

// generator is the one that drives a pin, and which of its channels does; nil: none.
func (m *NRF52) generator(pin int) (p *nrf52PWM, channel int) {
	for _, p := range m.pwms {
		for n, c := range p.out {
			if int(p.pins[n]) == pin && c.value>>31 == 0 && p.running {
				return p, n
			}
		}
	}
	return nil, 0
}

// Pulses is what a generator gives at a pin: the part of the time that it is high, and its frequency; ok is false for a pin that shows none.
func (m *NRF52) Pulses(pin string) (duty, hz float64, ok bool) {
	at := m.place(pin)
	p, n := m.generator(at)
	if p == nil || m.ports[at/32].cnf[at%32].value&1 == 0 {
		return 0, 0, false
	}
	word, top := p.duty[n].value, p.top.value
	duty = float64(min(word&0x7fff, top)) / float64(top)
	if word>>15 == 0 { // the first edge is a rising one
		duty = 1 - duty
	}
	return duty, nordicClock / float64(uint32(1)<<p.prescaler.value) / float64(top), true
}

// place is the number of a pin such as P1.02.
func (m *NRF52) place(pin string) int {
	for n := range 64 {
		if nordicPin(n) == pin {
			return n
		}
	}
	panic(pin)
}

// nrf52QDEC samples two pins; here it sees every edge.
type nrf52QDEC struct {
	enable, acc, read *cell
	pins              [2]*cell // PSEL.A and PSEL.B
	running           bool
	levels            [2]bool
}

func (m *NRF52) decoder() {
	const base = 0x40012000
	q := &m.qdec
	off := func(offset uint32, name string, bits, reset uint32) *cell {
		c := m.add(base+offset, cell{name: "QDEC " + name, bits: bits, reset: reset})
		c.write = func(uint32) {
			if q.enable.value != 0 {
				m.fault("%s is changed while the QDEC is on", c.name)
			}
		}
		return c
	}
	m.task(base+0x000, "QDEC START", func() {
		for i, c := range q.pins {
			n := int(c.value & 0x3f)
			if q.enable.value == 0 || c.value>>31 != 0 || !m.has(n) || m.driven(n) || m.ports[n/32].cnf[n%32].value&2 != 0 {
				m.fault("START of a QDEC that is off, or has no inputs")
				return
			}
			q.levels[i] = m.level(n)
		}
		q.running = true
	})
	m.task(base+0x004, "QDEC STOP", func() { q.running = false })
	m.task(base+0x008, "QDEC READCLRACC", func() { q.read.value, q.acc.value = q.acc.value, 0 })
	q.enable = m.add(base+0x500, cell{name: "QDEC ENABLE", bits: 1})
	q.enable.write = func(uint32) { q.running = q.running && q.enable.value != 0 }
	sample := off(0x508, "SAMPLEPER", 0xf, 0)
	check := sample.write
	sample.write = func(old uint32) {
		check(old)
		if sample.value > 10 {
			m.fault("SAMPLEPER of %d", sample.value)
		}
	}
	q.acc = m.add(base+0x514, cell{name: "QDEC ACC"})
	q.read = m.add(base+0x518, cell{name: "QDEC ACCREAD"})
	q.pins = [2]*cell{off(0x520, "PSEL.A", 0x8000003f, 0xffffffff), off(0x524, "PSEL.B", 0x8000003f, 0xffffffff)}
	for _, c := range q.pins {
		c.reset, c.value = 0, 0xffffffff
	}
	off(0x528, "DBFEN", 1, 0)
}

// Drive connects a pin to a level from outside, and has GPIOTE and QDEC see the edge.
func (m *NRF52) Drive(pin string, high bool) {
	m.nordic.Drive(pin, high)
	q := &m.qdec
	if !q.running {
		return
	}
	var now [2]bool
	for i, c := range q.pins {
		now[i] = m.level(int(c.value & 0x3f))
	}
	// Table of the values of samples: with B ahead of A it counts up.
	step := map[[4]bool]int32{
		{false, false, false, true}: 1, {false, true, true, true}: 1, {true, true, true, false}: 1, {true, false, false, false}: 1,
		{false, false, true, false}: -1, {true, false, true, true}: -1, {true, true, false, true}: -1, {false, true, false, false}: -1,
	}[[4]bool{q.levels[0], q.levels[1], now[0], now[1]}]
	q.levels = now
	acc := int32(q.acc.value) + step
	if acc > 1023 || acc < -1024 {
		m.fault("ACC overflows")
		return
	}
	q.acc.value = uint32(acc)
}
