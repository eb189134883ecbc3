// Package models has models of the registers of chips, for tests of lists of
// operations. Each is written from the manual of its chip and knows nothing of
// chip.json, so that a number that is wrong there shows. A model notes what the
// manual forbids: accesses of other widths, writes to reserved bits, devices
// without a clock, wrong order.
package models

import (
	"fmt"
	"strings"

	"github.com/copaflash/copaflash/boards/registers"
)

// A Chip is a model as tests see it: registers, and the outer ends of pins.
type Chip interface {
	registers.Bus
	Errors() []string
	Drive(pin string, high bool)
	Volts(pin string, v float64)
	History(pin string) []bool
}

// A cell is a register of a model.
type cell struct {
	name  string
	bits  uint32 // those that are not reserved
	reset uint32 // reserved bits keep this
	value uint32
	on    func() bool      // clocked and out of reset; nil: always
	read  func() uint32    // nil: value
	write func(old uint32) // after value has changed; nil: nothing happens
	width registers.Width  // 0: 32
}

// A machine is registers, and pins with what is connected to them.
type machine struct {
	cells  map[uint32]*cell
	errors []string
	// Accesses are the time of a model: one takes at least 10 cycles of the core.
	accesses int

	outside map[string]bool    // level that something drives
	volts   map[string]float64 // of analogue inputs
	// Levels that the chip has driven a pin to, each change of them.
	history map[string][]bool
	// watchers see the levels that a pin is driven to.
	watchers map[string][]func(high bool)
}

func newMachine() machine {
	return machine{cells: map[uint32]*cell{}, outside: map[string]bool{}, volts: map[string]float64{}, history: map[string][]bool{}}
}

func (m *machine) fault(format string, args ...any) {
	m.errors = append(m.errors, fmt.Sprintf(format, args...))
}

// Errors are what the manual forbids and was done all the same.
func (m *machine) Errors() []string { return m.errors }

// Drive connects a pin to a level from outside.
func (m *machine) Drive(pin string, high bool) { m.outside[pin] = high }

// Release disconnects a pin.
func (m *machine) Release(pin string) { delete(m.outside, pin) }

// Volts sets the voltage at a pin.
func (m *machine) Volts(pin string, v float64) { m.volts[pin] = v }

// History is the levels that the chip has driven a pin to.
func (m *machine) History(pin string) []bool { return m.history[pin] }

// drive notes the level of an output.
func (m *machine) drive(pin string, high bool) {
	if h := m.history[pin]; len(h) == 0 || h[len(h)-1] != high {
		m.history[pin] = append(h, high)
		for _, f := range m.watchers[pin] {
			f(high)
		}
	}
}

func (m *machine) find(what string, width registers.Width, address uint32) *cell {
	m.accesses++
	c := m.cells[address]
	want := registers.Width(32)
	if c != nil && c.width != 0 {
		want = c.width
	}
	switch {
	case c == nil:
		m.fault("%s of %#x, where the manual has no register", what, address)
		return nil
	case width != want:
		m.fault("%s of %s with %d bits", what, c.name, width)
		return nil
	case c.on != nil && !c.on():
		m.fault("%s of %s, which has no clock or is in reset", what, c.name)
		return nil
	}
	return c
}

// Read is that of a bus.
func (m *machine) Read(width registers.Width, address uint32) uint32 {
	c := m.find("read", width, address)
	switch {
	case c == nil:
		return 0
	case c.read != nil:
		return c.read()
	}
	return c.value
}

// Write is that of a bus.
func (m *machine) Write(width registers.Width, address, value uint32) {
	c := m.find("write", width, address)
	if c == nil {
		return
	}
	if (value^c.reset)&^c.bits != 0 {
		m.fault("write of %#x to %s changes reserved bits", value, c.name)
		return
	}
	old := c.value
	c.value = value
	if c.write != nil {
		c.write(old)
	}
}

// add adds a register, which has its value of reset unless it is given another one.
func (m *machine) add(address uint32, c cell) *cell {
	if c.value == 0 {
		c.value = c.reset
	}
	m.cells[address] = &c
	return &c
}

// setAndClear adds the two registers that set and clear bits of another one where a 1 is written, and read as that one does.
func (m *machine) setAndClear(name string, set, clear, bits uint32, of *cell, changed func(old uint32)) {
	alias := func(suffix string, address uint32, apply func(value, ones uint32) uint32) {
		c := m.add(address, cell{name: name + suffix, bits: bits, read: func() uint32 { return of.value }})
		c.write = func(uint32) {
			old := of.value
			of.value = apply(old, c.value)
			c.value = 0
			changed(old)
		}
	}
	alias("SET", set, func(value, ones uint32) uint32 { return value | ones })
	alias("CLR", clear, func(value, ones uint32) uint32 { return value &^ ones })
}

// A trait is what a bit of a register makes of its pin.
type trait struct {
	register *cell
	name     string
}

// pad names the traits of a pin.
func pad(n byte, traits []trait) string {
	var all []string
	for _, t := range traits {
		if t.register.value>>n&1 != 0 {
			all = append(all, t.name)
		}
	}
	return strings.Join(all, " ")
}
