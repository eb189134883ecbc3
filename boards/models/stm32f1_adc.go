package models

// stm32f1ADC counts the accesses since what it does began.
type stm32f1ADC struct {
	sr, cr1, cr2, sqr1, sqr3, dr *cell
	smpr                         [2]*cell
	all                          []*cell
	on, begun                    int
	doing                        stm32f1Task
	calibrated                   bool
}

type stm32f1Task int

const (
	stm32f1Idle stm32f1Task = iota
	stm32f1Resets
	stm32f1Calibrates
	stm32f1Converts
)

const (
	adcADON, adcCAL, adcRSTCAL, adcSWSTART, adcSoftware = 1 << 0, 1 << 2, 1 << 3, 1 << 22, 7<<17 | 1<<20

	// Data sheet of the STM32F100, table of the ADC's characteristics. The ADC has 12 MHz, half of the core's clock.
	stm32f1Settling    = 3  // accesses of 10 cycles in tSTAB, 1 us
	stm32f1Calibration = 83 // cycles of the ADC's clock
)

// stm32f1Sampling is in halves of a cycle of the ADC's clock (10.11.4).
var stm32f1Sampling = [8]int{3, 15, 27, 57, 83, 111, 143, 479}

func (a *stm32f1ADC) reset() {
	for _, c := range a.all {
		c.value = c.reset
	}
	a.doing, a.calibrated = stm32f1Idle, false
}

func (m *STM32F100) converter() {
	const base = 0x40012400
	a := &m.adc
	reg := func(offset uint32, name string, bits uint32) *cell {
		c := m.add(base+offset, cell{name: "ADC1_" + name, bits: bits, on: func() bool { return m.runs(1, 9) }})
		a.all = append(a.all, c)
		return c
	}
	a.sr = reg(0x00, "SR", 0x1f)
	a.cr1 = reg(0x04, "CR1", 0x00c0ffff)
	a.cr2 = reg(0x08, "CR2", 0x00fef90f)
	a.smpr = [2]*cell{reg(0x0c, "SMPR1", 0x00ffffff), reg(0x10, "SMPR2", 0x3fffffff)}
	a.sqr1 = reg(0x2c, "SQR1", 0x00ffffff)
	reg(0x30, "SQR2", 0x3fffffff)
	a.sqr3 = reg(0x34, "SQR3", 0x3fffffff)
	a.dr = reg(0x4c, "DR", 0)
	m.results(a.sr, a.dr, m.finish) // 10.11.1, 10.11.14
	a.cr2.read = func() uint32 { m.finish(); return a.cr2.value }
	a.cr2.write = m.control
}

// control is a write to CR2 (10.3.1, 10.4, 10.11.3).
func (m *STM32F100) control(old uint32) {
	a := &m.adc
	v, set := a.cr2.value, a.cr2.value&^old
	begin := func(task stm32f1Task) {
		if a.doing != stm32f1Idle {
			m.fault("the ADC is given another task before it has ended one")
		}
		a.doing, a.begun = task, m.accesses
	}
	switch {
	case set&adcADON != 0:
		a.on = m.accesses
		if v != adcADON {
			m.fault("ADC1_CR2 of %#x while it is switched on", v)
		}
	case v&adcADON == 0:
		m.fault("ADC1_CR2 of %#x while the ADC is off", v)
	case v == old:
		m.fault("ADON is written once more, which starts a conversion")
	case set&adcRSTCAL != 0:
		begin(stm32f1Resets)
	case set&adcCAL != 0:
		begin(stm32f1Calibrates)
	case set&adcSWSTART != 0:
		switch {
		case v&adcSoftware != adcSoftware:
			m.fault("SWSTART without EXTTRIG and EXTSEL of 7")
		case !a.calibrated || m.accesses-a.on < stm32f1Settling:
			m.fault("SWSTART before the ADC is ready")
		case a.sqr1.value>>20 != 0:
			m.fault("more than one conversion in the sequence")
		}
		begin(stm32f1Converts)
		a.cr2.value &^= adcSWSTART
	}
}

// finish ends what has had its time, which a cycle of the ADC's clock is 2 of the core's.
func (m *STM32F100) finish() {
	a := &m.adc
	channel := int(a.sqr3.value & 31)
	code := a.smpr[1].value >> (3 * channel)
	if channel >= 10 {
		code = a.smpr[0].value >> (3 * (channel - 10))
	}
	halves := map[stm32f1Task]int{stm32f1Resets: 4, stm32f1Calibrates: 2 * stm32f1Calibration, stm32f1Converts: stm32f1Sampling[code&7] + 25}
	if a.doing == stm32f1Idle || (m.accesses-a.begun)*10 < halves[a.doing] {
		return
	}
	switch a.doing {
	case stm32f1Resets:
		a.cr2.value &^= adcRSTCAL
		a.calibrated = false
	case stm32f1Calibrates:
		a.cr2.value &^= adcCAL
		a.calibrated = true
	case stm32f1Converts:
		a.sr.value |= 2
		a.dr.value = min(uint32(m.voltage(channel)/stm32f1Supply*4096), 4095)
	}
	a.doing = stm32f1Idle
}

// voltage is that of the pin of a channel (data sheet, pin definitions), if it is analogue.
func (m *STM32F100) voltage(channel int) float64 {
	port, n := 0, channel
	switch {
	case channel >= 16:
		return 1.2 // the internal reference
	case channel >= 10:
		port, n = 2, channel-10
	case channel >= 8:
		port, n = 1, channel-8
	}
	if m.config(port, n) != 0 {
		m.fault("conversion of %s, which is not analogue", pinName(port, n))
	}
	return m.volts[pinName(port, n)]
}
