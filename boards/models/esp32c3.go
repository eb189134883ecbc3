package models

import (
	"fmt"
	"strconv"
	"strings"
)

// ESP32C3 is a model by the registers of esp-idf (gpio_reg.h, io_mux_reg.h of the ESP32-C3): GPIO, its matrix for outputs, and the pads.
type ESP32C3 struct {
	machine
	out, enable *cell
	// By pin.
	pins, matrix, pads map[int]*cell
	ledc               *cell // CONF
	timers             [4]*cell
	channels           [6]esp32c3Channel
}

// An esp32c3Channel is one of LEDC: what its registers have, and what is in use.
type esp32c3Channel struct {
	conf0, hpoint, duty, conf1 *cell
	timer                      uint32
	width                      uint32 // of the pulse, in 1/16 of the timer's counts
	on                         bool
}

// What a pin has as its function, and as its signal, when it is a plain one.
const (
	esp32c3Plain  = 1 << 12
	esp32c3Signal = 128
)

// Those that USB and flash memory need.
const esp32c3Taken = 0x3f<<12 | 1<<11 | 3<<18

// NewESP32C3 returns the chip after the runner's start: as after a reset.
func NewESP32C3() *ESP32C3 {
	m := &ESP32C3{machine: newMachine(), pins: map[int]*cell{}, matrix: map[int]*cell{}, pads: map[int]*cell{}}
	register := func(address uint32, name string, bits, reset uint32) *cell {
		c := &cell{name: name, bits: bits, reset: reset, value: reset, write: func(uint32) { m.outputs() }}
		m.cells[address] = c
		return c
	}
	m.out = register(0x60004004, "GPIO_OUT", 0x03ffffff, 0)
	m.enable = register(0x60004020, "GPIO_ENABLE", 0x03ffffff, 0)
	for _, c := range []*cell{m.out, m.enable} {
		c.write = func(old uint32) {
			if (old^c.value)&esp32c3Taken != 0 {
				m.fault("%s: %#x changes a pin of USB or flash memory", c.name, c.value)
			}
			m.outputs()
		}
	}
	m.cells[0x6000403c] = &cell{name: "GPIO_IN", read: m.levels}
	for n := range 22 {
		at := uint32(4 * n)
		m.pins[n] = register(0x60004074+at, fmt.Sprintf("GPIO_PIN%d", n), 0x0003ff9f, 0)
		m.matrix[n] = register(0x60004554+at, fmt.Sprintf("GPIO_FUNC%d_OUT_SEL_CFG", n), 0x7ff, 0x80)
		m.pads[n] = register(0x60009004+at, fmt.Sprintf("IO_MUX_GPIO%d", n), 0xffff, 0x0800)
	}
	m.addLEDC(register)
	return m
}

func (m *ESP32C3) addLEDC(register func(address uint32, name string, bits, reset uint32) *cell) {
	const base = 0x60019000
	m.ledc = register(base+0xd0, "LEDC_CONF", 1<<31|3, 0)
	on := func() bool { return m.ledc.value&3 == 1 }
	for i := range m.timers {
		c := register(base+0xa0+8*uint32(i), fmt.Sprintf("LEDC_LSTIMER%d_CONF", i), 0x03ffffff, 1<<23)
		c.on = on
		c.write = func(uint32) {
			if c.value>>4&0x3ffff < 256 {
				m.fault("%s: a divider of less than 1", c.name)
			}
		}
		m.timers[i] = c
	}
	for i := range m.channels {
		ch, at := &m.channels[i], base+0x14*uint32(i)
		ch.conf0 = register(at, fmt.Sprintf("LEDC_LSCH%d_CONF0", i), 0x1ffff, 0)
		ch.hpoint = register(at+4, fmt.Sprintf("LEDC_LSCH%d_HPOINT", i), 0x3fff, 0)
		ch.duty = register(at+8, fmt.Sprintf("LEDC_LSCH%d_DUTY", i), 0x7ffff, 0)
		ch.conf1 = register(at+0xc, fmt.Sprintf("LEDC_LSCH%d_CONF1", i), 0xffffffff, 1<<30)
		for _, c := range []*cell{ch.conf0, ch.hpoint, ch.duty, ch.conf1} {
			c.on = on
			c.write = func(uint32) {}
		}
		// Taken over with PARA_UP, the width if DUTY_START is there.
		ch.conf0.write = func(uint32) {
			if ch.conf0.value&(1<<4) == 0 {
				return
			}
			ch.conf0.value &^= 1 << 4
			ch.timer, ch.on = ch.conf0.value&3, ch.conf0.value&(1<<2) != 0
			if ch.conf1.value>>31 != 0 {
				ch.conf1.value &^= 1 << 31
				ch.width = ch.duty.value
			}
		}
	}
}

// Pulses tells what LEDC gives a pin.
func (m *ESP32C3) Pulses(pin string) (duty, hz float64, ok bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(pin, "GPIO"))
	if err != nil || m.enable.value>>n&1 == 0 || m.pads[n].value>>12 != esp32c3Plain>>12 || m.matrix[n].value&(1<<9) == 0 {
		return 0, 0, false
	}
	i := int(m.matrix[n].value&0xff) - 45
	if i < 0 || i >= len(m.channels) {
		return 0, 0, false
	}
	ch := &m.channels[i]
	timer := m.timers[ch.timer].value
	if !ch.on || ch.hpoint.value != 0 || timer&(3<<22) != 0 {
		return 0, 0, false
	}
	counts := float64(uint32(1) << (timer & 15))
	return float64(ch.width) / 16 / counts, 80e6 * 256 / float64(timer>>4&0x3ffff) / counts, true
}

// drives tells whether a pin is an output of its own level.
func (m *ESP32C3) drives(n int) bool {
	return m.enable.value>>n&1 != 0 && m.matrix[n].value&0x1ff == esp32c3Signal && m.pads[n].value>>12 == esp32c3Plain>>12
}

func (m *ESP32C3) outputs() {
	for n := range 22 {
		if m.drives(n) {
			m.drive(fmt.Sprintf("GPIO%d", n), m.out.value>>n&1 != 0)
		}
	}
}

func (m *ESP32C3) levels() uint32 {
	all := uint32(0)
	for n := range 22 {
		high, driven := m.outside[fmt.Sprintf("GPIO%d", n)]
		switch pad := m.pads[n].value; {
		case pad&(1<<9) == 0:
			continue
		case m.drives(n):
			high = m.out.value>>n&1 != 0
		case !driven:
			high = pad>>8&1 != 0
		}
		if high {
			all |= 1 << n
		}
	}
	return all
}

// Pad tells how a pin is set up.
func (m *ESP32C3) Pad(pin string) string {
	n, _ := strconv.Atoi(strings.TrimPrefix(pin, "GPIO"))
	var says []string
	for _, c := range []struct {
		says string
		of   bool
	}{
		{"in", m.pads[n].value&(1<<9) != 0},
		{"out", m.drives(n)},
		{"up", m.pads[n].value&(1<<8) != 0},
		{"down", m.pads[n].value&(1<<7) != 0},
		{"open drain", m.pins[n].value&(1<<2) != 0},
		{"not plain", m.pads[n].value>>12 != esp32c3Plain>>12 || m.matrix[n].value&0x1ff != esp32c3Signal},
	} {
		if c.of {
			says = append(says, c.says)
		}
	}
	return strings.Join(says, " ")
}
