package models

import "fmt"

// stm32Timers are the timers of a chip of the STM32F1, STM32F4, STM32F7, STM32H7, STM32L4 or STM32G4 families.
type stm32Timers struct {
	*machine
	all       map[int]*stm32Timer
	runs      func(t *stm32Timer) bool                      // clocked and out of reset
	connected func(pin string) (t *stm32Timer, channel int) // by the pin's function; nil: to none
	outputs   func(pin string) bool                         // push-pull
	outer     func(pin string) bool                         // level that an input sees
	pins      []string                                      // that can be connected
}

// stm32Kind is what timers of a group have: masks of the bits that are not reserved.
type stm32Kind struct {
	channels             int
	cr1, cr2, smcr, ccer uint32 // smcr is 0 for timers without that register
	dier, sr, egr        uint32
	ccmr                 [2]uint32
	counter              uint32 // of CNT, ARR and CCR
	bdtr, rcr            uint32 // 0 for timers without those registers
	bus, bit             int
	base                 uint32
	internal             float64 // Hz
}

var (
	stm32General = stm32Kind{channels: 4, cr1: 0x3ff, cr2: 0xf8, smcr: 0xfff7, ccer: 0xbbbb, dier: 0x5f5f, sr: 0x1e5f, egr: 0x5f, ccmr: [2]uint32{0xffff, 0xffff}, counter: 0xffff}
	// 17.4; with four channels and a main output enable.
	stm32Advanced = stm32Kind{channels: 4, cr1: 0x3ff, cr2: 0x7ffd, smcr: 0xfff7, ccer: 0x3fff, dier: 0x7fff, sr: 0x1eff, egr: 0xff, ccmr: [2]uint32{0xffff, 0xffff}, counter: 0xffff, bdtr: 0xffff, rcr: 0xff}
	stm32Two      = stm32Kind{channels: 2, cr1: 0x38f, smcr: 0xf7, ccer: 0xbb, dier: 0x47, sr: 0x647, egr: 0x47, ccmr: [2]uint32{0x7f7f}, counter: 0xffff}
	stm32One      = stm32Kind{channels: 1, cr1: 0x387, ccer: 0xb, dier: 0x3, sr: 0x203, egr: 0x3, ccmr: [2]uint32{0x7f}, counter: 0xffff}
)

// stm32Timer is a timer (18.4, 19.4, 19.5). What is preloaded holds from the next update event on.
type stm32Timer struct {
	stm32Kind
	number        int
	cr1, smcr, sr *cell
	mode          [2]*cell
	enable        *cell // CCER
	output        *cell // BDTR
	cnt, psc, arr *cell
	ccr           [4]*cell
	all           []*cell
	prescaler     uint32 // in use
	compare       [4]uint32
	fraction      float64 // of a count
	waiting       bool    // for an update event
}

// Fields of the registers.
const (
	timCEN, timARPE                   = 1 << 0, 1 << 7
	timEncoder, timReset, timExternal = 3, 4, 7 // SMS
	timMOE                            = 1 << 15
)

// addTimer adds a timer.
func (m *stm32Timers) addTimer(t *stm32Timer) {
	m.all[t.number] = t
	on := func() bool { return m.runs(t) }
	reg := func(offset uint32, name string, bits uint32) *cell {
		c := m.machine.add(t.base+offset, cell{name: fmt.Sprintf("TIM%d_%s", t.number, name), bits: bits, on: on})
		t.all = append(t.all, c)
		return c
	}
	t.cr1 = reg(0x00, "CR1", t.stm32Kind.cr1)
	if t.stm32Kind.smcr != 0 {
		t.smcr = reg(0x08, "SMCR", t.stm32Kind.smcr)
	}
	if t.channels == 4 {
		reg(0x04, "CR2", t.cr2)
	}
	reg(0x0c, "DIER", t.dier).write = func(uint32) { m.fault("TIM%d: interrupts are nobody's", t.number) }
	t.sr = reg(0x10, "SR", t.stm32Kind.sr)
	t.sr.write = func(old uint32) { t.sr.value &= old }
	events := reg(0x14, "EGR", t.egr)
	for i := range (t.channels + 1) / 2 {
		t.mode[i] = reg(0x18+4*uint32(i), fmt.Sprintf("CCMR%d", i+1), t.ccmr[i])
		t.mode[i].write = func(uint32) { m.modes(t, i) }
	}
	t.enable = reg(0x20, "CCER", t.ccer)
	t.cnt = reg(0x24, "CNT", t.counter)
	t.psc = reg(0x28, "PSC", 0xffff)
	t.arr = reg(0x2c, "ARR", t.counter)
	t.arr.reset, t.arr.value = t.counter, t.counter
	for i := range t.channels {
		t.ccr[i] = reg(0x34+4*uint32(i), fmt.Sprintf("CCR%d", i+1), t.counter)
		t.ccr[i].write = func(uint32) { t.written(i) }
		t.ccr[i].read = func() uint32 {
			t.sr.value &^= 2 << i // 18.4.5: reading clears CCxIF
			return t.ccr[i].value
		}
	}
	if t.stm32Kind.bdtr != 0 {
		reg(0x30, "RCR", t.rcr)
		t.output = reg(0x44, "BDTR", t.bdtr)
		t.output.write = func(uint32) {
			if t.output.value&^timMOE != 0 {
				m.fault("TIM%d_BDTR of %#x", t.number, t.output.value)
			}
		}
	}
	t.psc.write = func(uint32) { t.waiting = true }
	events.read = func() uint32 { m.fault("read of TIM%d_EGR, which is write-only", t.number); return 0 }
	events.write = func(uint32) {
		if events.value&^1 != 0 {
			m.fault("TIM%d_EGR of %#x", t.number, events.value)
		}
		events.value = 0
		t.update()
	}
	t.cr1.write = func(old uint32) { m.switched(t, old) }
}

// update is an update event: what is preloaded is in use, and the counter begins.
func (t *stm32Timer) update() {
	t.prescaler, t.waiting, t.cnt.value, t.fraction = t.psc.value, false, 0, 0
	for i := range t.channels {
		t.compare[i] = t.ccr[i].value
	}
	t.sr.value |= 1
}

// modes checks a write to CCMR: PWM with preload, or an input of its own.
func (m *stm32Timers) modes(t *stm32Timer, i int) {
	if v := t.mode[i].value; v>>16 != 0 { // of an STM32F7: the highest bits of modes that no channel has
		m.fault("TIM%d: CCMR%d of %#x", t.number, i+1, v)
	}
	for half := range 2 {
		switch v := t.mode[i].value >> (8 * half) & 0xff; {
		case v == 0 || v&3 == 1 && v&0xc == 0: // input on its own pin, each edge, some filter
		case v&3 == 0 && v == 0x68:
			t.waiting = true
		default:
			m.fault("TIM%d: channel %d gets the mode %#x", t.number, 2*i+half+1, v)
		}
		if t.enable.value>>(8*i+4*half)&1 != 0 && t.mode[i].value>>(8*half)&3 == 0 && t.mode[i].value>>(8*half)&8 == 0 {
			m.fault("TIM%d: channel %d changes while it is on", t.number, 2*i+half+1)
		}
	}
}

// slaveMode is SMS, whose highest bit is apart from the others, and on an STM32F7 only.
func (t *stm32Timer) slaveMode() uint32 { return t.smcr.value>>16&1<<3 | t.smcr.value&7 }

// channelMode is the mode of a channel, from 0 on.
func (t *stm32Timer) channelMode(channel int) uint32 {
	return t.mode[channel/2].value >> (8 * (channel % 2)) & 0xff
}

// written is a write to CCR: without preload it holds at once.
func (t *stm32Timer) written(channel int) {
	running := t.cr1.value&timCEN != 0
	if t.channelMode(channel)&8 == 0 || running { // running: from the next period on, which is all that tests see
		t.compare[channel] = t.ccr[channel].value
		return
	}
	t.waiting = true
}

// switched is a write to CR1.
func (m *stm32Timers) switched(t *stm32Timer, old uint32) {
	v := t.cr1.value
	if v&^(timCEN|timARPE) != 0 {
		m.fault("TIM%d: CR1 of %#x: no plain up-counter", t.number, v)
	}
	if v&timCEN != 0 && old&timCEN == 0 && t.waiting {
		m.fault("TIM%d starts without an update event behind what is preloaded", t.number)
	}
}

// reset puts timers of a bus back whose reset bit is set.
func (m *stm32Timers) reset(bus int, bits uint32) {
	for _, t := range m.all {
		if t.bus != bus || bits>>t.bit&1 == 0 {
			continue
		}
		for _, c := range t.all {
			c.value = c.reset
		}
		t.prescaler, t.compare, t.waiting, t.fraction = 0, [4]uint32{}, false, 0
	}
}
