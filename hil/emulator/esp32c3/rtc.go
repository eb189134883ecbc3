package esp32c3

// Registers of RTC_CNTL.
const (
	rtcOptions0   = 0x00
	rtcTimeUpdate = 0x0c
	rtcTimeLow    = 0x10
	rtcTimeHigh   = 0x14
	rtcResetState = 0x38
	rtcIntEna     = 0x40
	rtcIntRaw     = 0x44
	rtcConf0      = 0x90
	rtcHold0      = 0x94 // the first of four
	rtcFeed       = 0xa4
	rtcProtect    = 0xa8
	rtcSWDConf    = 0xac
	rtcSWDProtect = 0xb0
)

// Bits of them.
const (
	softwareReset    = 1 << 31 // OPTIONS0
	softwareCPUReset = 1 << 5
	pllForcedOff     = 1<<10 | 1<<8 | 1<<6

	rwdtEnable    = 1 << 31 // WDTCONFIG0
	rwdtFlashBoot = 1 << 12
	rwdtInterrupt = 3 // of INT_ENA and the others

	swdAutoFeed = 1 << 31 // SWD_CONF
	swdDisable  = 1 << 30
	swdFeed     = 1 << 29
)

const swdKey = 0x8f1d_312a // in SWD_WPROTECT

// slowPeriod is that of RTC_SLOW_CLK, an RC oscillator of about 136 kHz.
const slowPeriod = second / 136_000

// swdPeriod is how long the super watchdog waits to be fed, about.
const swdPeriod = second

// A resetCause is what RESET_STATE has after a reset; esp-idf's soc/esp32c3/include/soc/reset_reasons.h.
type resetCause uint32

const (
	powerOn     resetCause = 0x01
	coreSW      resetCause = 0x03
	coreMWDT0   resetCause = 0x07
	coreMWDT1   resetCause = 0x08
	coreRWDT    resetCause = 0x09
	cpuMWDT0    resetCause = 0x0b
	cpuSW       resetCause = 0x0c
	cpuRWDT     resetCause = 0x0d
	systemRWDT  resetCause = 0x10
	cpuMWDT1    resetCause = 0x11
	systemSWD   resetCause = 0x12
	coreUSBUART resetCause = 0x15
)

// cpuOnly are causes that leave devices as they are; deep are those that reset the RTC's registers, too.
var (
	cpuOnly = map[resetCause]bool{cpuMWDT0: true, cpuSW: true, cpuRWDT: true, cpuMWDT1: true}
	deep    = map[resetCause]bool{powerOn: true, systemRWDT: true, systemSWD: true}
)

// An rtcControl is the block RTC_CNTL.
type rtcControl struct {
	block    *block
	watchdog *watchdog
	super    *watchdog
	latched  uint64 // ticks of the slow clock
}

func (r *rtcControl) pllOff() bool { return r.block.values[rtcOptions0]&pllForcedOff != 0 }

func (c *Chip) addControl() {
	r := &c.control
	b := &block{name: "RTC_CNTL", base: 0x6000_8000, keeps: true}
	r.block = b
	r.watchdog, r.super = &watchdog{chip: c}, &watchdog{chip: c}
	open := func() bool { return b.values[rtcProtect] == watchdogKey }
	openSWD := func() bool { return b.values[rtcSWDProtect] == swdKey }
	hold := func(offset uint32, name string, reset uint32) register {
		return register{offset: offset, name: name, reset: reset, rw: ^uint32(0), open: open}
	}
	const interrupts = 0x0019_860b
	rows := []register{
		{
			offset: rtcOptions0, name: "OPTIONS0", reset: 0x1c00_a000, rw: 0x7ff3_ffcf, wo: softwareReset | softwareCPUReset | 1<<4,
			store: c.options,
		},
		{offset: rtcTimeUpdate, name: "TIME_UPDATE", rw: 7 << 27, wo: 1 << 31, store: func(value uint32) {
			if value>>31 != 0 {
				r.latched = c.now() / slowPeriod
			}
		}},
		{offset: rtcTimeLow, name: "TIME_LOW0", ro: ^uint32(0), load: func() uint32 { return uint32(r.latched) }},
		{offset: rtcTimeHigh, name: "TIME_HIGH0", ro: 0xffff, load: func() uint32 { return uint32(r.latched >> 32) }},
		{offset: 0x1c, name: "TIMER1", reset: 40<<24 | 80<<14 | 0x10<<6 | 3, rw: ^uint32(0)},
		{offset: 0x34, name: "ANA_CONF", reset: 1<<23 | 1<<22 | 1<<18, rw: 0xdfdc_0000},
		{offset: rtcResetState, name: "RESET_STATE", reset: 3 << 12, rw: 0x030c_3000, ro: 0x0030_cfff, wo: 0x00c3_0000},
		{offset: rtcIntEna, name: "INT_ENA", rw: interrupts},
		{offset: rtcIntRaw, name: "INT_RAW", ro: interrupts, load: func() uint32 { return bit(r.watchdog.level, rwdtInterrupt) }},
		{offset: rtcIntRaw + 4, name: "INT_ST", ro: interrupts, load: func() uint32 { return bit(r.interrupt(), rwdtInterrupt) }},
		{offset: rtcIntRaw + 8, name: "INT_CLR", wo: interrupts, store: func(value uint32) {
			r.watchdog.level = r.watchdog.level && value>>rwdtInterrupt&1 == 0
		}},
		{offset: 0x6c, name: "CPU_PERIOD_CONF", rw: 7 << 29},
		{offset: 0x70, name: "CLK_CONF", reset: 1<<28 | 172<<17 | 3<<12 | 1<<9 | 1<<4 | 1<<3, rw: 0xffff_f7fe},
		{offset: 0x74, name: "SLOW_CLK_CONF", reset: 1 << 22, rw: 0xffc0_0000},
		{offset: 0x80, name: "RTC_CNTL", reset: 1<<31 | 1<<29, rw: 0xf03f_c080},
		{offset: 0x88, name: "DIG_PWC", reset: 1<<22 | 1<<20 | 1<<18 | 1<<16 | 1<<14 | 1<<12 | 1<<4, rw: 0xf87f_f81f},
		{offset: rtcConf0, name: "WDTCONFIG0", reset: 1<<16 | 1<<13 | rwdtFlashBoot | 1<<9 | 20, rw: ^uint32(0), open: open},
		hold(rtcHold0, "WDTCONFIG1", 200_000),
		hold(rtcHold0+4, "WDTCONFIG2", 80_000),
		hold(rtcHold0+8, "WDTCONFIG3", 0xfff),
		hold(rtcHold0+12, "WDTCONFIG4", 0xfff),
		{offset: rtcFeed, name: "WDTFEED", wo: 1 << 31, open: open, store: func(uint32) { r.watchdog.feed() }},
		all(rtcProtect, "WDTWPROTECT", watchdogKey),
		{
			offset: rtcSWDConf, name: "SWD_CONF", reset: 300 << 18, rw: 3<<30 | 0x3ff<<18 | 1<<17, ro: 3, wo: 3 << 28, open: openSWD,
			store: func(value uint32) {
				if value&swdFeed != 0 {
					r.super.feed()
				}
			},
		},
		all(rtcSWDProtect, "SWD_WPROTECT", swdKey),
		{offset: 0xd8, name: "BROWN_OUT", reset: 1<<30 | 1<<16 | 1<<4, rw: 0x5fff_fff0, ro: 1 << 31, wo: 1 << 29},
	}
	for i := range uint32(4) {
		rows = append(rows, all(0x50+4*i, "STORE0", 0), all(0xb8+4*i, "STORE4", 0))
	}
	c.add(b, rows...)
	c.devices = append(c.devices, r.watchdog, r.super)
	r.watchdog.conf, r.watchdog.fired = r.watchdogConf, func(action uint32) {
		c.pending = map[uint32]resetCause{stageCPU: cpuRWDT, stageCore: coreRWDT, stageRTC: systemRWDT}[action]
	}
	r.super.conf, r.super.fired = r.superConf, func(uint32) { c.pending = systemSWD }
	c.handOver = append(c.handOver, func() {
		b.values[rtcConf0] |= rwdtFlashBoot
		b.values[rtcProtect], b.values[rtcSWDProtect] = 0, 0
		r.watchdog.reset()
		r.super.reset()
	})
}

// interrupt is whether that of the block is asserted.
func (r *rtcControl) interrupt() bool {
	return r.watchdog.level && r.block.values[rtcIntEna]>>rwdtInterrupt&1 != 0
}

func (r *rtcControl) watchdogConf() (conf watchdogConf) {
	flags := r.block.values[rtcConf0]
	conf.runs = flags&(rwdtEnable|rwdtFlashBoot) != 0
	conf.period = slowPeriod
	for i := range conf.hold {
		conf.hold[i] = uint64(r.block.values[rtcHold0+4*uint32(i)])
		conf.action[i] = flags >> (28 - 3*i) & 7
	}
	conf.hold[0] *= 2 // by eFuse WDT_DELAY_SEL of 0, as esp-idf's hal/esp32c3/rwdt_ll.h has it
	if flags&rwdtFlashBoot != 0 {
		conf.action[0] = stageRTC
	}
	return conf
}

func (r *rtcControl) superConf() (conf watchdogConf) {
	conf.runs = r.block.values[rtcSWDConf]&(swdDisable|swdAutoFeed) == 0
	conf.period = swdPeriod
	conf.hold[0], conf.action[0] = 1, stageRTC
	return conf
}

// options follows OPTIONS0.
func (c *Chip) options(value uint32) {
	if c.control.pllOff() {
		c.complain("OPTIONS0 %#x: the PLL is switched off, which USB needs", value)
	}
	switch {
	case value&softwareReset != 0:
		c.pending = coreSW
	case value&softwareCPUReset != 0:
		c.pending = cpuSW
	}
}
