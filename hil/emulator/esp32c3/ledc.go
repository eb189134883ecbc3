package esp32c3

// Registers of LEDC; esp-idf's soc/esp32c3/register/soc/ledc_reg.h, and hal/esp32c3/include/hal/ledc_ll.h for what takes effect when.
const (
	ledcConf0    = 0x00 // of channel 0
	ledcHPoint   = 0x04
	ledcDuty     = 0x08
	ledcConf1    = 0x0c
	ledcDutyNow  = 0x10
	ledcChannel  = 0x14 // from one channel to the next
	ledcTimer    = 0xa0 // of timer 0; then its count
	ledcIntRaw   = 0xc0
	ledcConf     = 0xd0
	ledcChannels = 6
	ledcTimers   = 4
	ledcSignal   = 45 // of channel 0, for the matrix of pins
)

// Bits of them.
const (
	ledcUpdate      = 1 << 4 // CONF0
	ledcOut         = 1 << 2
	ledcStart       = 1 << 31 // CONF1
	ledcTimerUpdate = 1 << 25 // TIMER_CONF
	ledcTimerReset  = 1 << 23
	ledcTimerPause  = 1 << 22
)

const gateLEDC = 1 << 11

// A ledc makes pulses. What is written takes effect when the channel, or the timer, is updated.
type ledc struct {
	chip     *Chip
	block    *block
	channels [ledcChannels]struct{ conf, duty uint32 } // in effect; duty in sixteenths of a count
	timers   [ledcTimers]uint32
}

func (c *Chip) addLEDC() {
	l := &ledc{chip: c}
	c.pins.ledc = l
	b := &block{name: "LEDC", base: 0x6001_9000, gate: gateLEDC, device: l}
	l.block = b
	rows := []register{
		{offset: ledcIntRaw, name: "INT_RAW", ro: 0xffff},
		{offset: ledcIntRaw + 4, name: "INT_ST", ro: 0xffff},
		{offset: ledcIntRaw + 8, name: "INT_ENA", rw: 0xffff},
		{offset: ledcIntRaw + 12, name: "INT_CLR", wo: 0xffff},
		{offset: ledcConf, name: "CONF", rw: 1<<31 | 3},
		all(0xfc, "DATE", 0x19061700),
	}
	for n := range uint32(ledcChannels) {
		at, ch := ledcChannel*n, &l.channels[n]
		rows = append(rows,
			register{offset: at + ledcConf0, name: "CONF0", rw: 0xffef, wo: 1<<16 | ledcUpdate, store: func(value uint32) {
				if value&ledcUpdate == 0 {
					return
				}
				ch.conf = b.values[at+ledcConf0]
				if b.values[at+ledcConf1]&ledcStart != 0 {
					ch.duty = b.values[at+ledcDuty]
					b.values[at+ledcConf1] &^= ledcStart // there is nothing to fade
				}
			}},
			register{offset: at + ledcHPoint, name: "HPOINT", rw: 0x3fff},
			register{offset: at + ledcDuty, name: "DUTY", rw: 0x7ffff},
			register{offset: at + ledcConf1, name: "CONF1", reset: 1 << 30, rw: ^uint32(0)},
			register{offset: at + ledcDutyNow, name: "DUTY_R", ro: 0x7ffff, load: func() uint32 { return ch.duty }})
	}
	for n := range uint32(ledcTimers) {
		at := ledcTimer + 8*n
		rows = append(rows,
			register{offset: at, name: "TIMER_CONF", reset: ledcTimerReset, rw: 0x1ff_ffff, wo: ledcTimerUpdate, store: func(value uint32) {
				if value&ledcTimerUpdate != 0 {
					l.timers[n] = b.values[at]
				}
			}},
			register{offset: at + 4, name: "TIMER_VALUE", ro: 0x3fff})
	}
	c.add(b, rows...)
}

func (l *ledc) reset() {
	*l = ledc{chip: l.chip, block: l.block}
}

func (l *ledc) advance(uint64) (next uint64) { return never }

// pulses are what a channel makes: their frequency in Hz, and the share of the time that they are high.
func (l *ledc) pulses(channel uint32) (hz, duty float64) {
	ch := l.channels[channel]
	conf := l.block.values[ledcTimer+8*(ch.conf&3)]
	active := l.timers[ch.conf&3]
	divider := float64(active>>4&0x3ffff) / 256
	if conf&(ledcTimerReset|ledcTimerPause) != 0 || divider < 1 || ch.conf&ledcOut == 0 || l.block.values[ledcConf]&3 == 0 {
		return 0, 0
	}
	period := float64(uint32(1) << (active & 15))
	source := second / float64(l.chip.apbPeriod())
	if l.block.values[ledcConf]&3 == 3 {
		source = second / float64(xtalPeriod)
	}
	return source / divider / period, min(1, float64(ch.duty)/16/period)
}
