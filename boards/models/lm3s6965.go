package models

import "fmt"

// LM3S6965 is a model by the data sheet of the LM3S6965: clocks of the GPIO ports (System Control, RCGC2), and
// the ports (General-Purpose Input/Outputs).
type LM3S6965 struct {
	machine
	rcgc2   *cell
	enabled [7]int // when each port's clock was switched on, in accesses
	ports   [7]lm3sPort
	adc     lm3sADC
}

type lm3sPort struct{ data, dir, afsel, odr, pur, pdr, den *cell }

var (
	lm3sBases = [7]uint32{0x40004000, 0x40005000, 0x40006000, 0x40007000, 0x40024000, 0x40025000, 0x40026000}
	lm3sPins  = [7]int{8, 8, 8, 8, 4, 4, 2}
)

// NewLM3S6965 returns the chip after the runner's start: UART0 on PA0 and PA1, the debugger on PB7, PC0 to PC3.
func NewLM3S6965() *LM3S6965 {
	m := &LM3S6965{machine: newMachine()}
	m.rcgc2 = m.add(0x400fe108, cell{name: "RCGC2", bits: 0x5000007f, reset: 0})
	m.rcgc2.write = func(old uint32) {
		if m.rcgc2.value&1 == 0 {
			m.fault("the clock of port A, which has the UART, is off")
		}
		for i := range m.enabled {
			if (m.rcgc2.value&^old)>>i&1 != 0 {
				m.enabled[i] = m.accesses
			}
		}
	}
	for i := range m.ports {
		m.port(i)
	}
	m.converter()
	m.rcgc2.value, m.accesses = 1, 10
	m.ports[0].afsel.value, m.ports[0].den.value = 3, 3
	// After reset these are the debugger's, with their resistors.
	m.ports[1].afsel.value, m.ports[1].den.value, m.ports[1].pur.value = 0x80, 0x80, 0x80
	m.ports[2].afsel.value, m.ports[2].den.value, m.ports[2].pur.value = 0xf, 0xf, 0xf
	return m
}

func (m *LM3S6965) port(i int) {
	p := &m.ports[i]
	// A port answers 3 clocks after its own was switched on: one access later.
	on := func() bool { return m.rcgc2.value>>i&1 != 0 && m.accesses-m.enabled[i] >= 2 }
	// GPIOLOCK and GPIOCR keep the debugger's pins; port A's are the runner's.
	held := [7]uint32{0: 3, 1: 0x80, 2: 0xf}[i]
	reg := func(offset uint32, name string) *cell {
		c := m.add(lm3sBases[i]+offset, cell{name: fmt.Sprintf("GPIO%c %s", 'A'+i, name), bits: 1<<lm3sPins[i] - 1, on: on})
		c.write = func(old uint32) {
			if (old^c.value)&held != 0 {
				m.fault("%s: %#x changes pins of the runner or the debugger", c.name, c.value)
			}
			m.outputs(i)
		}
		return c
	}
	p.data = &cell{}
	p.dir, p.afsel = reg(0x400, "DIR"), reg(0x420, "AFSEL")
	p.odr, p.pur, p.pdr = reg(0x50c, "ODR"), reg(0x510, "PUR"), reg(0x514, "PDR")
	p.den = reg(0x51c, "DEN")
	exclude(p.pur, p.pdr)
	exclude(p.pdr, p.pur)
	for mask := range uint32(256) {
		// Bits 9 to 2 of the address are the mask.
		c := m.add(lm3sBases[i]+4*mask, cell{name: fmt.Sprintf("GPIO%c DATA[%#x]", 'A'+i, mask), bits: 0xff, on: on})
		c.read = func() uint32 { return m.levels(i) & mask }
		c.write = func(uint32) {
			if mask>>lm3sPins[i] != 0 {
				m.fault("%s: a pin that is not there", c.name)
			}
			to := mask & p.dir.value // inputs keep nothing of it
			p.data.value = p.data.value&^to | c.value&to
			c.value = 0
			m.outputs(i)
		}
	}
}

// exclude has the bits that are set in one register cleared in another: a pin has one resistor.
func exclude(one, other *cell) {
	write := one.write
	one.write = func(old uint32) {
		other.value &^= one.value &^ old
		write(old)
	}
}

func (m *LM3S6965) outputs(i int) {
	p := &m.ports[i]
	for n := range lm3sPins[i] {
		if p.den.value&p.dir.value&^p.afsel.value&^p.odr.value>>n&1 != 0 {
			m.drive(pinName(i, n), p.data.value>>n&1 != 0)
		}
	}
}

func (m *LM3S6965) levels(i int) uint32 {
	p, all := &m.ports[i], uint32(0)
	for n := range lm3sPins[i] {
		high, driven := m.outside[pinName(i, n)]
		switch {
		case p.den.value>>n&1 == 0:
			high = false
		case p.dir.value>>n&1 != 0:
			high = p.data.value>>n&1 != 0
		case !driven:
			high = p.pur.value>>n&1 != 0
		}
		if high {
			all |= 1 << n
		}
	}
	return all
}

// Pad tells how a pin is set up.
func (m *LM3S6965) Pad(pin string) string {
	p, n := &m.ports[pin[1]-'A'], pin[2]-'0'
	return pad(n, []trait{{p.den, "digital"}, {p.dir, "out"}, {p.afsel, "alternate"}, {p.odr, "open drain"}, {p.pur, "up"}, {p.pdr, "down"}})
}
