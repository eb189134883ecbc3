package models

import (
	"fmt"
	"math/bits"
)

// The counters of the nRF51 and nRF52, and what connects pins to them: GPIOTE (chapter 15 of the nRF51's manual), PPI (16) and
// TIMER (18). TIMER0 is the runner's.

type nordicTimer struct {
	name                     string
	mode, bitmode, prescaler *cell
	capture                  [4]*cell
	counter, most            uint32
	running                  bool
	fraction                 float64 // of a step, that time has gone on
}

const (
	nordicGPIOTE = 0x40006000
	nordicPPI    = 0x4001f000
	nordicClock  = 16e6
)

// task adds a register that does something when it is given 1, and is for nothing else.
func (m *nordic) task(address uint32, name string, do func()) {
	c := m.add(address, cell{name: name, bits: 1})
	c.read = func() uint32 { m.fault("read of the task %s", name); return 0 }
	c.write = func(uint32) {
		if c.value == 1 {
			do()
		}
		c.value = 0
	}
	m.tasks[address] = do
}

// timer adds one.
func (m *nordic) timer(number, base uint32) {
	t := &nordicTimer{name: fmt.Sprintf("TIMER%d", number), most: 0xffff}
	m.running = append(m.running, t)
	m.task(base+0x000, t.name+" START", func() { t.running = true })
	m.task(base+0x004, t.name+" STOP", func() { t.running = false })
	m.task(base+0x008, t.name+" COUNT", func() {
		if t.running && t.mode.value == 1 {
			t.counter = (t.counter + 1) & t.most
		}
	})
	m.task(base+0x00c, t.name+" CLEAR", func() { t.counter, t.fraction = 0, 0 })
	m.task(base+0x010, t.name+" SHUTDOWN", func() { t.running, t.counter = false, 0 })
	for i := range t.capture {
		n := uint32(i)
		m.task(base+0x040+4*n, fmt.Sprintf("%s CAPTURE[%d]", t.name, n), func() { t.capture[n].value = t.counter })
		t.capture[n] = m.add(base+0x540+4*n, cell{name: fmt.Sprintf("%s CC[%d]", t.name, n), bits: m.counter})
	}
	still := func() {
		if t.running {
			m.fault("%s is changed while it runs", t.name)
		}
	}
	t.mode = m.add(base+0x504, cell{name: t.name + " MODE", bits: 1, write: func(uint32) { still() }})
	t.bitmode = m.add(base+0x508, cell{name: t.name + " BITMODE", bits: 3})
	t.bitmode.write = func(uint32) {
		still()
		t.most = [4]uint32{0xffff, 0xff, 0xffffff, 0xffffffff}[t.bitmode.value]
		if t.most > m.counter {
			m.fault("%s has %d bits at most", t.name, bits.Len32(m.counter))
		}
	}
	t.prescaler = m.add(base+0x510, cell{name: t.name + " PRESCALER", bits: 0xf, reset: 4})
	t.prescaler.write = func(uint32) {
		still()
		if t.prescaler.value > 9 {
			m.fault("PRESCALER of %s is %d", t.name, t.prescaler.value)
		}
	}
}

// Wait lets time pass for the timers that count it.
func (m *nordic) Wait(seconds float64) {
	for _, t := range m.running {
		if !t.running || t.mode.value != 0 {
			continue
		}
		t.fraction += seconds * nordicClock / float64(uint32(1)<<t.prescaler.value)
		whole := uint64(t.fraction)
		t.fraction -= float64(whole)
		t.counter = uint32(uint64(t.counter)+whole) & t.most
	}
}

// connections adds GPIOTE and the channels of PPI that can be programmed.
func (m *nordic) connections() {
	m.gpiote = make([]*cell, m.events)
	for i := range m.gpiote {
		n := uint32(i)
		m.add(nordicGPIOTE+0x100+4*n, cell{name: fmt.Sprintf("GPIOTE IN[%d]", n), bits: 1})
		c := m.add(nordicGPIOTE+0x510+4*n, cell{name: fmt.Sprintf("GPIOTE CONFIG[%d]", n), bits: m.config})
		m.gpiote[n] = c
		c.write = func(uint32) {
			pin := int(c.value >> 8 & 63)
			if c.value&3 == 2 || c.value&3 == 1 && c.value>>16&3 == 0 {
				m.fault("MODE or POLARITY of %s is reserved", c.name)
			}
			if c.value&3 != 0 && !m.has(pin) {
				m.fault("%s has %s", c.name, nordicPin(pin))
			}
			for other, o := range m.gpiote {
				if o != c && o.value&3 != 0 && c.value&3 != 0 && int(o.value>>8&63) == pin {
					m.fault("%s and CONFIG[%d] have one pin", c.name, other)
				}
			}
			m.outputs()
		}
	}
	all := uint32(1<<m.channels - 1)
	enabled := m.add(nordicPPI+0x500, cell{name: "PPI CHEN", bits: all})
	m.setAndClear("PPI CHEN", nordicPPI+0x504, nordicPPI+0x508, all, enabled, func(uint32) {})
	m.links.enabled, m.links.event, m.links.task = enabled, make([]*cell, m.channels), make([]*cell, m.channels)
	for i := range m.links.event {
		n := uint32(i)
		m.links.event[n] = m.add(nordicPPI+0x510+8*n, cell{name: fmt.Sprintf("PPI CH[%d].EEP", n), bits: 0xffffffff})
		m.links.task[n] = m.add(nordicPPI+0x514+8*n, cell{name: fmt.Sprintf("PPI CH[%d].TEP", n), bits: 0xffffffff})
	}
}

// Drive connects a pin to a level from outside, and has GPIOTE see the edge.
func (m *nordic) Drive(pin string, high bool) {
	before := make([]bool, len(m.gpiote))
	selected := func(c *cell) int {
		if n := int(c.value >> 8 & 63); c.value&3 == 1 && nordicPin(n) == pin {
			return n
		}
		return -1
	}
	for i, c := range m.gpiote {
		if n := selected(c); n >= 0 {
			before[i] = m.level(n)
		}
	}
	m.machine.Drive(pin, high)
	for i, c := range m.gpiote {
		n := selected(c)
		if n < 0 || m.level(n) == before[i] {
			continue
		}
		edge := uint32(1) // POLARITY: rising, falling, or both
		if before[i] {
			edge = 2
		}
		if c.value>>16&edge != 0 {
			m.event(nordicGPIOTE + 0x100 + 4*uint32(i))
		}
	}
}

// event is one of a device: its register tells, and the channels of PPI that it is connected to start their tasks.
func (m *nordic) event(address uint32) {
	m.cells[address].value = 1
	for n, c := range m.links.event {
		if m.links.enabled.value>>n&1 != 0 && c.value == address {
			do := m.tasks[m.links.task[n].value]
			if do == nil {
				m.fault("PPI channel %d starts no task", n)
				continue
			}
			do()
		}
	}
}

// held tells whether GPIOTE has a pin, whose level GPIO does not set then.
func (m *nordic) held(pin int) bool {
	for _, c := range m.gpiote {
		if c.value&3 != 0 && int(c.value>>8&63) == pin {
			return true
		}
	}
	return false
}
