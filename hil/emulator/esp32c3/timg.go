package esp32c3

// Registers of a timer group, of which the watchdog is what is known here.
const (
	timgConf0   = 0x48
	timgConf1   = 0x4c
	timgHold0   = 0x50 // the first of four
	timgFeed    = 0x60
	timgProtect = 0x64
	timgIntEna  = 0x70
	timgRegClk  = 0xfc
)

// Bits of WDTCONFIG0.
const (
	mwdtUpdate    = 1 << 22
	mwdtUseXTAL   = 1 << 21
	mwdtFlashBoot = 1 << 14
	mwdtEnable    = 1 << 31
)

// watchdogKey opens the registers of a watchdog, when it is in WDTWPROTECT.
const watchdogKey = 0x50d8_3aa1

// mwdtCauses are those of a reset by the watchdog of a group: of the CPU, of the core.
var mwdtCauses = [2][2]resetCause{{cpuMWDT0, coreMWDT0}, {cpuMWDT1, coreMWDT1}}

func (c *Chip) addTimerGroups() {
	for n, g := range []struct {
		name string
		base uint32
		gate uint32
	}{{"TIMG0", 0x6001_f000, gateGroup0}, {"TIMG1", 0x6002_0000, gateGroup1}} {
		c.timers[n] = c.addTimerGroup(&block{name: g.name, base: g.base, gate: g.gate}, n)
	}
}

func (c *Chip) addTimerGroup(b *block, n int) *watchdog {
	w := &watchdog{chip: c}
	// What is in effect: registers are taken over by WDT_CONF_UPDATE_EN, besides WDT_EN, as esp-idf's hal/esp32c3/mwdt_ll.h has it.
	active := map[uint32]uint32{}
	take := func() {
		for offset := uint32(timgConf0); offset <= timgHold0+12; offset += 4 {
			active[offset] = b.values[offset]
		}
	}
	open := func() bool { return b.values[timgProtect] == watchdogKey }
	row := func(offset uint32, name string, reset, rw, wo uint32, store func(uint32)) register {
		return register{offset: offset, name: name, reset: reset, rw: rw, wo: wo, open: open, store: store}
	}
	b.device = w
	c.add(b,
		row(timgConf0, "WDTCONFIG0", 0x0004_c000, ^uint32(mwdtUpdate)&^0xfff, mwdtUpdate, func(value uint32) {
			if value&mwdtUpdate != 0 {
				take()
			}
		}),
		row(timgConf1, "WDTCONFIG1", 1<<16, 0xffff_0000, 1, nil),
		row(timgHold0, "WDTCONFIG2", 26_000_000, ^uint32(0), 0, nil),
		row(timgHold0+4, "WDTCONFIG3", 0x07ff_ffff, ^uint32(0), 0, nil),
		row(timgHold0+8, "WDTCONFIG4", 0x000f_ffff, ^uint32(0), 0, nil),
		row(timgHold0+12, "WDTCONFIG5", 0x000f_ffff, ^uint32(0), 0, nil),
		row(timgFeed, "WDTFEED", 0, 0, ^uint32(0), func(uint32) {
			for offset, value := range active {
				if mask := ^uint32(mwdtEnable); w.conf().runs && value&mask != b.values[offset]&mask {
					c.complain("%s is fed, and its configuration at %#x was never taken over", b.name, offset)
				}
			}
			w.feed()
		}),
		all(timgProtect, "WDTWPROTECT", watchdogKey),
		register{offset: timgIntEna, name: "INT_ENA", rw: 3},
		register{offset: timgIntEna + 4, name: "INT_RAW", ro: 3, load: func() uint32 { return bit(w.level, 1) }},
		register{offset: timgIntEna + 8, name: "INT_ST", ro: 3, load: func() uint32 { return bit(w.level, 1) & b.values[timgIntEna] }},
		register{offset: timgIntEna + 12, name: "INT_CLR", wo: 3, store: func(value uint32) { w.level = w.level && value&2 == 0 }},
		register{offset: timgRegClk, name: "REGCLK", reset: 3 << 29, rw: 7 << 29},
	)
	w.take = take
	w.enabled = func() bool { return b.values[timgIntEna]&2 != 0 }
	take()
	w.conf = func() (conf watchdogConf) {
		flags := active[timgConf0]
		boot := n == 0 && flags&mwdtFlashBoot != 0 // only that of group 0 guards the boot
		conf.runs = (boot || b.values[timgConf0]&mwdtEnable != 0) && b.values[timgRegClk]&(1<<29) != 0 && c.clocked(b)
		conf.period = c.apbPeriod()
		if flags&mwdtUseXTAL != 0 {
			conf.period = xtalPeriod
		}
		conf.period *= uint64(active[timgConf1] >> 16)
		for i := range conf.hold {
			conf.hold[i] = uint64(active[timgHold0+4*uint32(i)])
			conf.action[i] = flags >> (29 - 2*i) & 3
		}
		if boot {
			conf.action[0] = stageCore
		}
		return conf
	}
	w.fired = func(action uint32) { c.pending = mwdtCauses[n][action-stageCPU] }
	c.handOver = append(c.handOver, func() {
		b.values[timgConf0] |= mwdtFlashBoot
		take()
		b.values[timgProtect] = 0
		w.reset()
	})
	return w
}

// bit is one of a register, at this place.
func bit(set bool, at int) uint32 {
	if set {
		return 1 << at
	}
	return 0
}
