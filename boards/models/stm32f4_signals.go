package models

import "fmt"

// Pulses is what a timer gives at a pin: the part of the time that it is high, and its frequency; ok is false for
// a pin that shows none.
func (m *STM32F4) Pulses(pin string) (duty, hz float64, ok bool) {
	t, channel := m.timer(pin)
	if t == nil || t.cr1.value&timCEN == 0 || t.output(channel) != 0x68 || t.enable.value>>(4*channel)&0xf != 1 || m.openDrain(pin) {
		return 0, 0, false
	}
	period := float64(t.arr.value) + 1
	return min(float64(t.compare[channel])/period, 1), t.internal / float64(t.prescaler+1) / period, true
}

func (m *STM32F4) openDrain(pin string) bool {
	port, n := pinPlace(pin)
	return m.ports[port].otyper.value>>n&1 != 0
}

// outer is the level of a pin that an input of a timer sees.
func (m *STM32F4) outer(pin string) bool {
	if high, driven := m.outside[pin]; driven {
		return high
	}
	port, n := pinPlace(pin)
	return m.ports[port].pupdr.value>>(2*n)&3 == 1
}

// Drive connects a pin to a level from outside. Timers see the edge.
func (m *STM32F4) Drive(pin string, high bool) {
	before := m.outer(pin)
	m.machine.Drive(pin, high)
	if t, channel := m.timer(pin); t != nil && before != high && m.apb[t.bus].runs(t.bit) {
		m.edge(t, channel, high)
	}
}

// Wait lets time pass for counters that run on the internal clock.
func (m *STM32F4) Wait(seconds float64) {
	for _, t := range m.timers {
		if t.cr1.value&timCEN == 0 || t.smcr != nil && t.smcr.value&7 != 0 && t.smcr.value&7 != timReset {
			continue
		}
		t.fraction += seconds * t.internal / float64(t.prescaler+1)
		whole := uint64(t.fraction)
		t.fraction -= float64(whole)
		t.cnt.value = uint32((uint64(t.cnt.value) + whole) % (uint64(t.arr.value) + 1))
	}
}

// edge is one at the input of a channel.
func (m *STM32F4) edge(t *stm32Timer, channel int, rising bool) {
	if channel > 1 || t.output(channel)&3 != 1 {
		return
	}
	if t.enable.value>>(4*channel)&0xa != 0 {
		m.fault("TIM%d: channel %d has another polarity", t.number, channel+1)
	}
	if rising && t.enable.value>>(4*channel)&1 != 0 {
		t.ccr[channel].value = t.cnt.value
		t.sr.value |= 2 << channel
	}
	if t.smcr == nil || t.cr1.value&timCEN == 0 {
		return
	}
	selected := t.smcr.value>>4&7 == uint32(5+channel)
	switch t.smcr.value & 7 {
	case timReset:
		if selected && rising {
			t.update()
		}
	case timExternal:
		if selected && rising {
			t.count(true)
		}
	case timEncoder:
		other := m.level(t, 1-channel)
		// 18.3.12, table of the counting direction: up while A leads.
		t.count((rising != other) == (channel == 0))
	case 0:
	default:
		m.fault("TIM%d: slave mode %d", t.number, t.smcr.value&7)
	}
}

func (t *stm32Timer) count(up bool) {
	switch {
	case up && t.cnt.value == t.arr.value:
		t.cnt.value = 0
	case up:
		t.cnt.value++
	case t.cnt.value == 0:
		t.cnt.value = t.arr.value
	default:
		t.cnt.value--
	}
}

// level is that of the input of a channel, which exactly one pin has to be connected to.
func (m *STM32F4) level(t *stm32Timer, channel int) bool {
	found, high := 0, false
	for pin := range m.pads {
		if other, c := m.timer(pin); other == t && c == channel {
			found++
			high = m.outer(pin)
		}
	}
	if found != 1 || t.output(channel)&3 != 1 {
		m.fault("TIM%d: channel %d is connected to %d pins", t.number, channel+1, found)
	}
	return high
}

// stm32DAC is the converter (14.5).
type stm32DAC struct {
	cr   *cell
	data [2]*cell
}

func (m *STM32F4) addDAC() {
	const base = 0x40007400
	on := func() bool { return m.apb[0].runs(29) }
	m.dac.cr = m.add(base, cell{name: "DAC_CR", bits: 0x3fff3fff, on: on})
	for i := range m.dac.data {
		m.dac.data[i] = m.add(base+8+12*uint32(i), cell{name: fmt.Sprintf("DAC_DHR12R%d", i+1), bits: 0xfff, on: on})
	}
	m.dac.cr.write = func(uint32) {
		for i := range m.dac.data {
			switch v := m.dac.cr.value >> (16 * i) & 0xffff; {
			case v&^1 != 0:
				m.fault("DAC %d: CR of %#x", i+1, v)
			case v != 0 && m.ports[0].moder.value>>(2*(4+i))&3 != 3:
				m.fault("DAC %d is on while PA%d is not analogue (14.3.1)", i+1, 4+i)
			}
		}
	}
}

func (m *STM32F4) resetDAC() {
	m.dac.cr.value, m.dac.data[0].value, m.dac.data[1].value = 0, 0, 0
}

// Converted is the voltage that the DAC gives at a pin; ok is false for a pin that it does not drive.
func (m *STM32F4) Converted(pin string) (volts float64, ok bool) {
	for i, c := range m.dac.data {
		if pin == pinName(0, 4+i) && m.dac.cr.value>>(16*i)&1 != 0 && m.ports[0].moder.value>>(2*(4+i))&3 == 3 {
			return float64(c.value) / 4095 * stm32Supply, true
		}
	}
	return 0, false
}
