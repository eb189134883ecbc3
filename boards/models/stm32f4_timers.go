package models

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Alternate functions of the timers (data sheets, tables of alternate functions): pins, and of each the functions
// as NUMBER:TIMER.CHANNEL. Complementary outputs, TIM1 and TIM8 are not modelled.
const (
	stm32f4Functions = "PA0 1:2.1 2:5.1, PA1 1:2.2 2:5.2, PA2 1:2.3 2:5.3 3:9.1, PA3 1:2.4 2:5.4 3:9.2, PA5 1:2.1, PA6 2:3.1 9:13.1, " +
		"PA7 2:3.2 9:14.1, PA15 1:2.1, PB0 2:3.3, PB1 2:3.4, PB3 1:2.2, PB4 2:3.1, PB5 2:3.2, PB6 2:4.1, PB7 2:4.2, PB10 1:2.3, " +
		"PB14 9:12.1, PB15 9:12.2, PC6 2:3.1, PC7 2:3.2, PC8 2:3.3, PC9 2:3.4"
	stm32f405Functions = stm32f4Functions + ", PB8 2:4.3 3:10.1, PB9 2:4.4 3:11.1, PB11 1:2.4"
	stm32f446Functions = stm32f4Functions + ", PB2 1:2.4, PB8 1:2.1 2:4.3 3:10.1, PB9 1:2.2 2:4.4 3:11.1"
)

// stm32Kind is what timers of a group have: masks of the bits that are not reserved.
type stm32Kind struct {
	channels             int
	cr1, cr2, smcr, ccer uint32 // smcr is 0 for timers without that register
	dier, sr, egr        uint32
	ccmr                 [2]uint32
	counter              uint32 // of CNT, ARR and CCR
	bus, bit             int
	base                 uint32
	internal             float64 // Hz
}

var (
	stm32General = stm32Kind{channels: 4, cr1: 0x3ff, cr2: 0xf8, smcr: 0xfff7, ccer: 0xbbbb, dier: 0x5f5f, sr: 0x1e5f, egr: 0x5f, ccmr: [2]uint32{0xffff, 0xffff}, counter: 0xffff}
	stm32Two     = stm32Kind{channels: 2, cr1: 0x38f, smcr: 0xf7, ccer: 0xbb, dier: 0x47, sr: 0x647, egr: 0x47, ccmr: [2]uint32{0x7f7f}, counter: 0xffff}
	stm32One     = stm32Kind{channels: 1, cr1: 0x387, ccer: 0xb, dier: 0x3, sr: 0x203, egr: 0x3, ccmr: [2]uint32{0x7f}, counter: 0xffff}
)

// stm32Timer is a timer (18.4, 19.4, 19.5). What is preloaded holds from the next update event on.
type stm32Timer struct {
	stm32Kind
	number        int
	cr1, smcr, sr *cell
	mode          [2]*cell
	enable        *cell // CCER
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
	timCEN, timDirection, timCMS, timARPE = 1 << 0, 1 << 4, 3 << 5, 1 << 7
	timReset, timEncoder, timExternal     = 4, 3, 7 // SMS
)

func (m *STM32F4) addTimers() {
	m.timers = map[int]*stm32Timer{}
	add := func(number int, k stm32Kind, bus, bit int, base uint32) {
		k.bus, k.bit, k.base = bus, bit, base
		k.internal = 84e6 * float64(bus+1) // APB1 has a quarter of the core's clock, APB2 half, and timers twice that (7.2)
		m.addTimer(&stm32Timer{stm32Kind: k, number: number})
	}
	wide := stm32General
	wide.counter = math.MaxUint32
	add(2, wide, 0, 0, 0x40000000)
	add(3, stm32General, 0, 1, 0x40000400)
	add(4, stm32General, 0, 2, 0x40000800)
	add(5, wide, 0, 3, 0x40000c00)
	add(9, stm32Two, 1, 16, 0x40014000)
	add(10, stm32One, 1, 17, 0x40014400)
	add(11, stm32One, 1, 18, 0x40014800)
	add(12, stm32Two, 0, 6, 0x40001800)
	add(13, stm32One, 0, 7, 0x40001c00)
	add(14, stm32One, 0, 8, 0x40002000)
}

func (m *STM32F4) addTimer(t *stm32Timer) {
	m.timers[t.number] = t
	on := func() bool { return m.apb[t.bus].runs(t.bit) }
	reg := func(offset uint32, name string, bits uint32) *cell {
		c := m.add(t.base+offset, cell{name: fmt.Sprintf("TIM%d_%s", t.number, name), bits: bits, on: on})
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
func (m *STM32F4) modes(t *stm32Timer, i int) {
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

// output is the mode of a channel, from 0 on.
func (t *stm32Timer) output(channel int) uint32 {
	return t.mode[channel/2].value >> (8 * (channel % 2)) & 0xff
}

// written is a write to CCR: without preload it holds at once.
func (t *stm32Timer) written(channel int) {
	running := t.cr1.value&timCEN != 0
	if t.output(channel)&8 == 0 || running { // running: from the next period on, which is all that tests see
		t.compare[channel] = t.ccr[channel].value
		return
	}
	t.waiting = true
}

// switched is a write to CR1.
func (m *STM32F4) switched(t *stm32Timer, old uint32) {
	v := t.cr1.value
	if v&^(timCEN|timARPE) != 0 {
		m.fault("TIM%d: CR1 of %#x: no plain up-counter", t.number, v)
	}
	if v&timCEN != 0 && old&timCEN == 0 && t.waiting {
		m.fault("TIM%d starts without an update event behind what is preloaded", t.number)
	}
}

// resetTimers puts timers of a bus back whose reset bit is set.
func (m *STM32F4) resetTimers(bus int, bits uint32) {
	for _, t := range m.timers {
		if t.bus != bus || bits>>t.bit&1 == 0 {
			continue
		}
		for _, c := range t.all {
			c.value = c.reset
		}
		t.prescaler, t.compare, t.waiting, t.fraction = 0, [4]uint32{}, false, 0
	}
}

// stm32Pad is a pin, and the channels of timers that it can be connected to, by their functions.
type stm32Pad struct {
	port, n   int
	functions map[uint32]stm32Channel
}

// stm32Channel is a channel of a timer, from 0 on.
type stm32Channel struct{ timer, channel int }

// parseFunctions reads the table of alternate functions.
func parseFunctions(text string) map[string]stm32Pad {
	pads := map[string]stm32Pad{}
	for row := range strings.SplitSeq(text, ", ") {
		words := strings.Fields(row)
		p := stm32Pad{functions: map[uint32]stm32Channel{}}
		p.port, p.n = pinPlace(words[0])
		for _, word := range words[1:] {
			var function uint32
			var c stm32Channel
			if _, err := fmt.Sscanf(word, "%d:%d.%d", &function, &c.timer, &c.channel); err != nil {
				panic(word)
			}
			c.channel--
			p.functions[function] = c
		}
		pads[words[0]] = p
	}
	return pads
}

// pinPlace is the port and the number of a pin such as PA10.
func pinPlace(pin string) (port, n int) {
	n, err := strconv.Atoi(pin[2:])
	if err != nil {
		panic(pin)
	}
	return int(pin[1] - 'A'), n
}

// timer is the timer and the channel, from 0 on, that a pin is connected to, or nil.
func (m *STM32F4) timer(pin string) (t *stm32Timer, channel int) {
	pad, ok := m.pads[pin]
	if !ok {
		return nil, 0
	}
	p := &m.ports[pad.port]
	c, ok := pad.functions[p.afr[pad.n/8].value>>(4*(pad.n%8))&15]
	if !ok || p.moder.value>>(2*pad.n)&3 != 2 {
		return nil, 0
	}
	return m.timers[c.timer], c.channel
}
