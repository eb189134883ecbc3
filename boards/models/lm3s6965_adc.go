package models

import "fmt"

// lm3sADC is sequencer 3 of the converter, which takes one sample.
type lm3sADC struct {
	rcgc0, active, raw, emux, mux, control *cell

	enabled, begun int // in accesses
	busy           bool
	fifo           []uint32 // at most one
}

const (
	// 8 us (125 000 samples a second, the rate after reset) are 400 cycles of 50 MHz.
	lm3sConversion = 40
	lm3sReference  = 3.0
)

func (m *LM3S6965) converter() {
	const base = 0x40038000
	a := &m.adc
	// PWM, ADC, its speed, hibernation (on after reset), the watchdog, which is the runner's.
	a.rcgc0 = m.add(0x400fe100, cell{name: "RCGC0", bits: 0x00110348, reset: 0x40})
	a.rcgc0.value |= 8
	a.rcgc0.write = func(old uint32) {
		if a.rcgc0.value&8 == 0 {
			m.fault("the clock of the watchdog is off")
		}
		if (a.rcgc0.value&^old)>>16&1 != 0 {
			a.enabled = m.accesses
		}
	}
	on := func() bool { return a.rcgc0.value>>16&1 != 0 && m.accesses-a.enabled >= 2 }
	reg := func(offset uint32, name string, bits uint32) *cell {
		return m.add(base+offset, cell{name: "ADC " + name, bits: bits, on: on})
	}
	a.active = reg(0x00, "ACTSS", 0xf)
	a.raw = reg(0x04, "RIS", 0)
	a.raw.read = func() uint32 { m.finish(); return a.raw.value }
	clearing := reg(0x0c, "ISC", 0xf)
	clearing.write = func(uint32) { a.raw.value &^= clearing.value; clearing.value = 0 }
	a.emux = reg(0x14, "EMUX", 0xffff)
	start := reg(0x28, "PSSI", 0xf)
	start.read = func() uint32 { m.fault("read of PSSI, which is write-only"); return 0 }
	start.write = func(uint32) { m.sample(start.value); start.value = 0 }
	a.mux, a.control = reg(0xa0, "SSMUX3", 3), reg(0xa4, "SSCTL3", 0xf)
	idle := func(uint32) {
		if a.active.value&8 != 0 {
			m.fault("change of a sequence that is active")
		}
	}
	a.mux.write, a.control.write, a.emux.write = idle, idle, idle
	reg(0xa8, "SSFIFO3", 0).read = func() uint32 {
		m.finish()
		if len(a.fifo) == 0 {
			return 0 // and a bit in USTAT
		}
		v := a.fifo[0]
		a.fifo = nil
		return v
	}
}

func (m *LM3S6965) sample(sequencers uint32) {
	a := &m.adc
	switch {
	case sequencers != 8:
		m.fault("PSSI %#x: want sequencer 3", sequencers)
	case a.active.value&8 == 0:
		m.fault("a sequence that is not active")
	case a.emux.value>>12 != 0:
		m.fault("a sequence that the processor does not start")
	case a.control.value&2 == 0:
		m.fault("a sequence without an end")
	case a.control.value&9 != 0:
		m.fault("the thermometer, or a difference")
	case a.raw.value&8 != 0:
		m.fault("the flag of the conversion before")
	}
	a.busy, a.begun = true, m.accesses
}

func (m *LM3S6965) finish() {
	a := &m.adc
	if !a.busy || m.accesses-a.begun < lm3sConversion {
		return
	}
	a.busy = false
	a.raw.value |= a.control.value << 1 & 8
	if len(a.fifo) == 0 { // else it is lost
		volts := m.volts[fmt.Sprintf("ADC%d", a.mux.value)]
		a.fifo = []uint32{min(uint32(volts/lm3sReference*1024), 1023)}
	}
}
