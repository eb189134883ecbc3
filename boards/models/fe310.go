package models

import (
	"fmt"
	"strconv"
)

// FE310 is a model by the FE310-G000 manual of SiFive: GPIO (chapter 17).
type FE310 struct {
	machine
	inputEnable, outputEnable, value, pull, functions, invert *cell
}

// fe310Pins are those that the package has.
const fe310Pins = 0x00ff3e3f

// NewFE310 returns the chip after the runner's start: UART0 on GPIO 16 and 17.
func NewFE310() *FE310 {
	m := &FE310{machine: newMachine()}
	reg := func(offset uint32, name string) *cell {
		c := &cell{name: name, bits: fe310Pins}
		c.write = func(old uint32) {
			if (old^c.value)>>16&3 != 0 {
				m.fault("%s: %#x changes the UART's pins", name, c.value)
			}
			m.outputs()
		}
		m.cells[0x10012000+offset] = c
		return c
	}
	m.inputEnable, m.outputEnable = reg(0x04, "input_en"), reg(0x08, "output_en")
	m.value, m.pull = reg(0x0c, "output_val"), reg(0x10, "pue")
	reg(0x14, "ds")
	m.functions = reg(0x38, "iof_en")
	reg(0x3c, "iof_sel")
	m.invert = reg(0x40, "out_xor")
	m.cells[0x10012000] = &cell{name: "input_val", read: m.levels}
	m.functions.value = 3 << 16
	return m
}

func (m *FE310) outputs() {
	for n := range 32 {
		if m.outputEnable.value&^m.functions.value>>n&1 != 0 {
			m.drive(fmt.Sprintf("GPIO%d", n), (m.value.value^m.invert.value)>>n&1 != 0)
		}
	}
}

func (m *FE310) levels() uint32 {
	all := uint32(0)
	for n := range 32 {
		high, driven := m.outside[fmt.Sprintf("GPIO%d", n)]
		switch {
		case m.outputEnable.value>>n&1 != 0:
			high = (m.value.value^m.invert.value)>>n&1 != 0
		case !driven:
			high = m.pull.value>>n&1 != 0
		}
		if high {
			all |= 1 << n
		}
	}
	return all & m.inputEnable.value
}

// Pad tells how a pin is set up.
func (m *FE310) Pad(pin string) string {
	n, _ := strconv.Atoi(pin[len("GPIO"):])
	return pad(byte(n), []trait{{m.inputEnable, "in"}, {m.outputEnable, "out"}, {m.functions, "function"}, {m.invert, "inverted"}, {m.pull, "up"}})
}
