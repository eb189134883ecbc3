package models

// Pulses is what a timer gives at a pin: the part of the time that it is high, and its frequency; ok is false for
// a pin that shows none.
func (m *stm32Timers) Pulses(pin string) (duty, hz float64, ok bool) {
	t, channel := m.connected(pin)
	if t == nil || t.cr1.value&timCEN == 0 || t.channelMode(channel) != 0x68 || t.enable.value>>(4*channel)&0xf != 1 || !m.outputs(pin) || t.output != nil && t.output.value&timMOE == 0 {
		return 0, 0, false
	}
	period := float64(t.arr.value) + 1
	return min(float64(t.compare[channel])/period, 1), t.internal / float64(t.prescaler+1) / period, true
}

// edges connects a pin to a level from outside, and has timers see the edge.
func (m *stm32Timers) edges(pin string, high bool) {
	before := m.outer(pin)
	m.machine.Drive(pin, high)
	if t, channel := m.connected(pin); t != nil && before != high && m.runs(t) {
		m.edge(t, channel, high)
	}
}

// Wait lets time pass for counters that run on the internal clock.
func (m *stm32Timers) Wait(seconds float64) {
	for _, t := range m.all {
		if t.cr1.value&timCEN == 0 || t.smcr != nil && t.slaveMode() != 0 && t.slaveMode() != timReset {
			continue
		}
		t.fraction += seconds * t.internal / float64(t.prescaler+1)
		whole := uint64(t.fraction)
		t.fraction -= float64(whole)
		t.cnt.value = uint32((uint64(t.cnt.value) + whole) % (uint64(t.arr.value) + 1))
	}
}

// edge is one at the input of a channel.
func (m *stm32Timers) edge(t *stm32Timer, channel int, rising bool) {
	if channel > 1 || t.channelMode(channel)&3 != 1 {
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
	switch t.slaveMode() {
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
		m.fault("TIM%d: slave mode %d", t.number, t.slaveMode())
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
func (m *stm32Timers) level(t *stm32Timer, channel int) bool {
	found, high := 0, false
	for _, pin := range m.pins {
		if other, c := m.connected(pin); other == t && c == channel {
			found++
			high = m.outer(pin)
		}
	}
	if found != 1 || t.channelMode(channel)&3 != 1 {
		m.fault("TIM%d: channel %d is connected to %d pins", t.number, channel+1, found)
	}
	return high
}

// results are SR and DR of an ADC: flags are cleared by writing zeros, and that of the end
// of a conversion by reading what has come of it.
func (m *machine) results(sr, dr *cell, finish func()) {
	sr.read = func() uint32 { finish(); return sr.value }
	sr.write = func(old uint32) { sr.value &= old }
	dr.read = func() uint32 {
		finish()
		if sr.value&2 == 0 {
			m.fault("ADC1_DR read before the end of a conversion")
		}
		sr.value &^= 2
		return dr.value
	}
}
