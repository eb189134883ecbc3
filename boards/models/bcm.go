package models

import "fmt"

// BCM is a model of the BCM2835, the BCM2836 (and 2837) and the BCM2711 by the manuals "BCM2835 ARM Peripherals" (sections
// named here) and "BCM2711 ARM Peripherals": GPIO (6.1), PWM (9) with its clock (6.3), and the system timer (12), as the
// runner leaves them.
type BCM struct {
	machine
	chip        bcmChip
	selects     [6]*cell
	out         [bcmPins]bool
	pull        [bcmPins]uint32 // 0 none, 1 down, 2 up
	pud         *cell
	pudSince    int    // accesses when GPPUD was written
	clocked     uint32 // pins of the first bank whose GPPUDCLK is 1
	clockSince  int
	pullControl [4]*cell
	clock       bcmClock
	pwm         bcmPWM
	serial
}

// bcmChip is where the chips differ.
type bcmChip struct {
	base     uint32
	pins     int
	byPin    bool    // resistors have registers of their own (BCM2711, 5.2)
	crystal  float64 // Hz
	lastMask uint32  // of GPFSEL5
	core     float64 // the slowest clock of it that boards have, Hz
}

// bcmClock is CM_PWMCTL and CM_PWMDIV.
type bcmClock struct {
	ctl, div *cell
	stopped  int // accesses when it was switched off, or when it was switched on
}

type bcmPWM struct {
	ctl      *cell
	rng, dat [2]*cell
}

const (
	bcmPins = 58
	bcmSend = 14 // and the next one: UART0

	// Time of the model: an access to a peripheral takes 40 ns at least.
	bcmMicrosecond = 25
	bcmHold        = 15 // accesses in 150 cycles of 250 MHz (6.1, GPPUDCLK)
	bcmStopping    = 40 // accesses until a clock has stopped or runs

	bcmPassword                      = 0x5a << 24
	bcmENAB, bcmKILL, bcmBUSY, bcmGO = 1 << 4, 1 << 5, 1 << 7, 0x81 // of CM_PWMCTL; MSEN and PWEN
	bcmInput, bcmOutput              = 0, 1
)

// bcmPWMFunctions are the channels, from 0 on, at pins, and the function that has them (6.2).
var bcmPWMFunctions = map[int]struct {
	channel  int
	function uint32
}{12: {0, 4}, 13: {1, 4}, 18: {0, 2}, 19: {1, 2}}

// NewBCM2835 returns the chip after the runner's start: UART0 on GPIO14 and GPIO15.
func NewBCM2835() *BCM {
	return newBCM(bcmChip{base: 0x20000000, pins: 54, crystal: 19.2e6, lastMask: 0xfff, core: 250e6})
}

// NewBCM2836 returns the chip after the runner's start: UART0 on GPIO14 and GPIO15.
func NewBCM2836() *BCM {
	return newBCM(bcmChip{base: 0x3f000000, pins: 54, crystal: 19.2e6, lastMask: 0xfff, core: 250e6})
}

// NewBCM2711 returns the chip after the runner's start: UART0 on GPIO14 and GPIO15.
func NewBCM2711() *BCM {
	return newBCM(bcmChip{base: 0xfe000000, pins: 58, crystal: 54e6, lastMask: 0xffffff, byPin: true, core: 400e6})
}

func newBCM(c bcmChip) *BCM {
	m := &BCM{machine: newMachine(), chip: c}
	gpio := c.base + 0x200000
	for i := range m.selects {
		m.selects[i] = m.functions(gpio, i)
	}
	m.selects[1].value = 4<<12 | 4<<15
	for n := range m.pull { // 6.2: the default of most pins from 0 to 8 is up, that of the others down
		m.pull[n] = 1
		if n < 9 || n == 15 {
			m.pull[n] = 2
		}
	}
	for bank, bits := range [2]uint32{0xffffffff, 1<<(c.pins-32) - 1} {
		m.bank(gpio+4*uint32(bank), bank, bits)
	}
	if c.byPin {
		m.pulls(gpio)
	} else {
		m.clockedPulls(gpio)
		m.add(c.base+0x3004, cell{name: "CLO"}).read = func() uint32 { return uint32(m.accesses / bcmMicrosecond) }
	}
	m.addClock()
	m.addPWM()
	m.serials()
	return m
}

func bcmPin(n int) string { return fmt.Sprintf("GPIO%d", n) }

func (m *BCM) function(n int) uint32 { return m.selects[n/10].value >> (3 * (n % 10)) & 7 }

// functions adds a GPFSEL.
func (m *BCM) functions(gpio uint32, i int) *cell {
	bits := uint32(0x3fffffff)
	if i == 5 {
		bits = m.chip.lastMask
	}
	c := m.add(gpio+4*uint32(i), cell{name: fmt.Sprintf("GPFSEL%d", i), bits: bits})
	c.write = func(old uint32) {
		for n := 10 * i; n < min(10*i+10, m.chip.pins); n++ {
			now, before := c.value>>(3*(n%10))&7, old>>(3*(n%10))&7
			pwm, has := bcmPWMFunctions[n]
			switch {
			case now == before:
			case n == bcmSend || n == bcmSend+1:
				m.fault("%s changes, which is the runner's", bcmPin(n))
			case now != bcmInput && now != bcmOutput && !(has && now == pwm.function) && !(now == bcmAlt0 && bcmSerial(n)):
				m.fault("%s gets function %d", bcmPin(n), now)
			}
			m.drives(n)
		}
	}
	return c
}

func (m *BCM) drives(n int) {
	if m.function(n) == bcmOutput {
		m.drive(bcmPin(n), m.out[n])
	}
}

// bank adds GPSET, GPCLR and GPLEV of pins from 32*bank on.
func (m *BCM) bank(at uint32, bank int, bits uint32) {
	only := func(offset uint32, name string, level bool) {
		c := m.add(at+offset, cell{name: fmt.Sprintf("%s%d", name, bank), bits: bits})
		c.read = func() uint32 { m.fault("read of %s, which is write-only", c.name); return 0 }
		c.write = func(uint32) {
			for n := range min(32, m.chip.pins-32*bank) {
				if c.value>>n&1 != 0 {
					m.out[32*bank+n] = level
					m.drives(32*bank + n)
				}
			}
			c.value = 0
		}
	}
	only(0x1c, "GPSET", true)
	only(0x28, "GPCLR", false)
	m.add(at+0x34, cell{name: fmt.Sprintf("GPLEV%d", bank)}).read = func() uint32 {
		all := uint32(0)
		for n := range min(32, m.chip.pins-32*bank) {
			if m.level(32*bank + n) {
				all |= 1 << n
			}
		}
		return all
	}
}

func (m *BCM) level(n int) bool {
	high, driven := m.outside[bcmPin(n)]
	switch {
	case m.function(n) == bcmOutput:
		return m.out[n]
	case driven:
		return high
	}
	return m.pull[n] == 2
}

// clockedPulls adds GPPUD and GPPUDCLK (6.1): a value is set up, held for 150 cycles, and clocked in for 150 cycles.
func (m *BCM) clockedPulls(gpio uint32) {
	m.pud = m.add(gpio+0x94, cell{name: "GPPUD", bits: 3})
	m.pud.write = func(uint32) {
		m.pudSince = m.accesses
		if m.clocked != 0 && m.accesses-m.clockSince < bcmHold {
			m.fault("GPPUD changes 150 cycles or less after its clock began")
		}
	}
	for bank, bits := range [2]uint32{0xffffffff, 1<<(m.chip.pins-32) - 1} {
		c := m.add(gpio+0x98+4*uint32(bank), cell{name: fmt.Sprintf("GPPUDCLK%d", bank), bits: bits})
		c.write = func(old uint32) {
			if bank == 0 && c.value&(3<<bcmSend) != 0 {
				m.fault("resistors of the runner's pins change")
			}
			switch {
			case c.value != 0 && old != 0:
				m.fault("GPPUDCLK%d of %#x while it is %#x", bank, c.value, old)
			case c.value != 0 && m.accesses-m.pudSince < bcmHold:
				m.fault("GPPUDCLK%d is set 150 cycles or less after GPPUD", bank)
			case c.value != 0 && m.pud.value == 3:
				m.fault("GPPUD of 3, which is reserved")
			case c.value == 0 && old != 0 && m.accesses-m.clockSince < bcmHold:
				m.fault("GPPUDCLK%d is cleared after 150 cycles or less", bank)
			}
			m.clocked, m.clockSince = c.value, m.accesses
			for n := range min(32, m.chip.pins-32*bank) {
				if c.value>>n&1 != 0 {
					m.pull[32*bank+n] = m.pud.value
				}
			}
		}
	}
}

// pulls adds the registers of resistors of the BCM2711, which have up and down the other way round.
func (m *BCM) pulls(gpio uint32) {
	for i := range m.pullControl {
		bits := uint32(0xffffffff)
		if i == 3 {
			bits = 1<<20 - 1
		}
		c := m.add(gpio+0xe4+4*uint32(i), cell{name: fmt.Sprintf("GPIO_PUP_PDN_CNTRL_REG%d", i), bits: bits})
		for n := 16 * i; n < min(16*i+16, m.chip.pins); n++ {
			c.value |= (3 - m.pull[n]) << (2 * (n % 16))
		}
		c.write = func(old uint32) {
			for n := 16 * i; n < min(16*i+16, m.chip.pins); n++ {
				v := c.value >> (2 * (n % 16)) & 3
				switch {
				case v == 3:
					m.fault("resistor of %s: 3 is reserved", bcmPin(n))
				case (n == bcmSend || n == bcmSend+1) && v != old>>(2*(n%16))&3:
					m.fault("resistors of the runner's pins change")
				}
				m.pull[n] = [4]uint32{0, 2, 1, 0}[v]
			}
		}
		m.pullControl[i] = c
	}
}

// addClock adds the clock of the PWM (6.3).
func (m *BCM) addClock() {
	k := &m.clock
	k.stopped = -bcmStopping
	k.ctl = m.add(m.chip.base+0x1010a0, cell{name: "CM_PWMCTL", bits: 0xff0007bf})
	k.div = m.add(m.chip.base+0x1010a4, cell{name: "CM_PWMDIV", bits: 0xffffffff})
	k.ctl.read = func() uint32 {
		v := k.ctl.value
		if m.busy() {
			v |= bcmBUSY
		}
		return v
	}
	k.ctl.write = func(old uint32) {
		v := k.ctl.value
		busy := m.busyWith(old)
		switch {
		case v&0xff000000 != bcmPassword:
			m.fault("CM_PWMCTL without the password")
			k.ctl.value = old
			return
		case v&bcmKILL != 0 || v>>8&7 != 0:
			m.fault("CM_PWMCTL of %#x", v)
		case (v^old)&0xf != 0 && busy:
			m.fault("the source of the PWM's clock changes while it runs")
		case (v^old)&0xf != 0 && v&bcmENAB != 0:
			m.fault("the source of the PWM's clock changes while it is switched on")
		case v&bcmENAB != 0 && v&0xf != 1:
			m.fault("source %d of the PWM's clock", v&0xf)
		case v&bcmENAB == 0 && old&bcmENAB != 0 && m.pwm.ctl.value != 0:
			m.fault("the clock of the PWM stops before it does")
		}
		if (v^old)&bcmENAB != 0 {
			k.stopped = m.accesses
		}
		k.ctl.value &= 0x00ffffff &^ bcmBUSY
	}
	k.div.write = func(old uint32) {
		v := k.div.value
		switch {
		case v&0xff000000 != bcmPassword:
			m.fault("CM_PWMDIV without the password")
			v = old
		case m.busy():
			m.fault("the divider of the PWM's clock changes while it runs")
		case v>>12&0xfff < 2 || v&0xfff != 0:
			m.fault("CM_PWMDIV of %#x", v)
		}
		k.div.value = v & 0x00ffffff
	}
}

func (m *BCM) busy() bool { return m.busyWith(m.clock.ctl.value) }

// busyWith tells whether the clock runs: it starts and stops a while after ENAB changes.
func (m *BCM) busyWith(ctl uint32) bool {
	return (ctl&bcmENAB != 0) == (m.accesses-m.clock.stopped >= bcmStopping)
}

// addPWM adds the registers of the PWM (9.6).
func (m *BCM) addPWM() {
	base, p := m.chip.base+0x20c000, &m.pwm
	p.ctl = m.add(base, cell{name: "PWM_CTL", bits: 0xbfff})
	for i := range p.rng {
		p.rng[i] = m.add(base+0x10+0x10*uint32(i), cell{name: fmt.Sprintf("PWM_RNG%d", i+1), bits: 0xffffffff, value: 32})
		p.dat[i] = m.add(base+0x14+0x10*uint32(i), cell{name: fmt.Sprintf("PWM_DAT%d", i+1), bits: 0xffffffff})
	}
	p.ctl.write = func(old uint32) {
		for i := range p.rng {
			switch v := p.ctl.value >> (8 * i) & 0xff; {
			case v != 0 && v != bcmGO:
				m.fault("PWM channel %d: CTL of %#x", i+1, v)
			case v != 0 && !m.busy():
				m.fault("PWM channel %d is on before its clock runs", i+1)
			}
		}
	}
}

// Used leaves the chip as another program might: the PWM on another clock, pins driven and pulled.
func (m *BCM) Used() *BCM {
	m.accesses += 2 * bcmStopping
	m.clock.ctl.value, m.clock.div.value, m.clock.stopped = bcmENAB|6, 500<<12, 0
	m.pwm.ctl.value = bcmGO<<8 | bcmGO
	for _, n := range []int{4, 12, 18, 27} {
		m.selects[n/10].value |= 1 << (3 * (n % 10))
		m.pull[n], m.out[n] = 2, true
	}
	return m
}

// Pull is the resistor of a pin: none, up or down.
func (m *BCM) Pull(pin string) string {
	for n, p := range m.pull {
		if bcmPin(n) == pin {
			return [3]string{"none", "down", "up"}[p]
		}
	}
	return ""
}

// Pulses is what the PWM gives at a pin: the part of the time that it is high, and its frequency; ok is false for a
// pin that shows none.
func (m *BCM) Pulses(pin string) (duty, hz float64, ok bool) {
	for n, f := range bcmPWMFunctions {
		if bcmPin(n) != pin || m.function(n) != f.function || m.pwm.ctl.value>>(8*f.channel)&0xff != bcmGO || !m.busy() {
			continue
		}
		period := float64(m.pwm.rng[f.channel].value)
		divider := float64(m.clock.div.value >> 12)
		return min(float64(m.pwm.dat[f.channel].value)/period, 1), m.chip.crystal / divider / period, true
	}
	return 0, 0, false
}
