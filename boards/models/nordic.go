package models

import "fmt"

// nordic is what chips of the nRF51 and nRF52 families share: GPIO, GPIOTE, PPI and TIMER, by the nRF51 Series Reference Manual 3.0
// (chapters 14, 15, 16 and 18), and the chapters of these names in the product specifications of nRF52833 1.6 and nRF52840 1.7.
type nordic struct {
	machine
	nordicKind
	ports  []*nordicPort
	gpiote []*cell // CONFIG
	links  struct {
		enabled     *cell
		event, task []*cell
	}
	running []*nordicTimer    // and those that stand still
	tasks   map[uint32]func() // by their registers
	// driven tells whether a device drives a pin, which GPIO has no part in then.
	driven func(n int) bool
}

// nordicKind is where the chips differ.
type nordicKind struct {
	pins     []int // how many each port has
	txd, rxd int   // of the runner's UART; 32 and more are pins of port 1
	events   int   // of GPIOTE
	channels int   // of PPI
	config   uint32
	timers   []uint32 // bases of TIMER1 and those behind it
	counter  uint32   // what they can count to
}

type nordicPort struct {
	out, dir *cell
	cnf      [32]*cell
}

// build adds the devices, as they are after the runner's start: its UART sends on a pin that is an output, and the events IN[0] and
// IN[1] of GPIOTE count in TIMER1 and TIMER2.
func (m *nordic) build(kind nordicKind) {
	m.machine, m.nordicKind, m.tasks = newMachine(), kind, map[uint32]func(){}
	for i := range kind.pins {
		m.gpio(i)
	}
	m.connections()
	for n, base := range kind.timers {
		m.timer(uint32(n)+1, base)
		if n < 2 {
			m.Write(32, nordicPPI+0x510+8*uint32(n), nordicGPIOTE+0x100+4*uint32(n))
			m.Write(32, nordicPPI+0x514+8*uint32(n), base+0x008)
		}
	}
	m.Write(32, nordicPPI+0x504, 3)
	m.Write(32, 0x50000508, 1<<kind.txd)
	m.Write(32, 0x50000518, 1<<kind.txd)
	m.accesses = 0
}

// nordicPin is the name of a pin, of which those of port 1 begin at 32.
func nordicPin(n int) string { return fmt.Sprintf("P%d.%02d", n/32, n%32) }

// has tells whether there is such a pin, and it is not the UART's.
func (m *nordic) has(n int) bool {
	return n/32 < len(m.pins) && n%32 < m.pins[n/32] && n != m.txd && n != m.rxd
}

func (m *nordic) gpio(i int) {
	base := 0x50000000 + 0x300*uint32(i)
	all := uint32(1<<m.pins[i] - 1)
	p := &nordicPort{}
	m.ports = append(m.ports, p)
	name := map[bool]string{false: "", true: fmt.Sprintf("P%d ", i)}[len(m.pins) > 1]
	p.out = m.add(base+0x504, cell{name: name + "OUT", bits: all, write: func(uint32) { m.outputs() }})
	p.dir = m.add(base+0x514, cell{name: name + "DIR", bits: all})
	p.dir.write = func(uint32) { // in DIR and in PIN_CNF are the same bits
		for n, c := range p.cnf {
			c.value = c.value&^1 | p.dir.value>>n&1
		}
		m.outputs()
	}
	// 14.2.
	m.setAndClear(name+"OUT", base+0x508, base+0x50c, all, p.out, p.out.write)
	m.setAndClear(name+"DIR", base+0x518, base+0x51c, all, p.dir, p.dir.write)
	m.add(base+0x510, cell{name: name + "IN", read: func() uint32 { return m.levels(i) }})
	for n := range p.cnf {
		// DIR, INPUT, PULL, DRIVE, SENSE; the input is not connected after reset.
		c := m.add(base+0x700+4*uint32(n), cell{name: fmt.Sprintf("%sPIN_CNF[%d]", name, n), bits: 0x3070f, reset: 2})
		p.cnf[n] = c
		c.write = func(uint32) {
			if c.value>>2&3 == 2 {
				m.fault("PULL of %s is 2, which is reserved", c.name)
			}
			if !m.has(32*i + n) {
				m.fault("write of %s, which belongs to the UART or is not there", c.name)
			}
			p.dir.value = p.dir.value&^(1<<n) | c.value&1<<n
			m.outputs()
		}
	}
}

func (m *nordic) outputs() {
	for i, p := range m.ports {
		for n, c := range p.cnf {
			if c.value&1 != 0 && c.value>>8&7 < 4 {
				if m.held(32*i + n) {
					m.fault("%s is an output, and GPIOTE has it", nordicPin(32*i+n))
				}
				if m.driven != nil && m.driven(32*i+n) {
					continue
				}
				m.drive(nordicPin(32*i+n), p.out.value>>n&1 != 0)
			}
		}
	}
}

// levels are what IN shows.
func (m *nordic) levels(port int) uint32 {
	all := uint32(0)
	for n := range 32 {
		if m.level(32*port + n) {
			all |= 1 << n
		}
	}
	return all
}

// level is that of a connected input; others are low.
func (m *nordic) level(n int) bool {
	p := m.ports[n/32]
	c := p.cnf[n%32].value
	high, driven := m.outside[nordicPin(n)]
	switch {
	case c>>1&1 != 0:
		return false
	case m.driven != nil && m.driven(n):
		return false
	case c&1 != 0:
		return p.out.value>>(n%32)&1 != 0
	case !driven:
		return c>>2&3 == 3
	}
	return high
}
