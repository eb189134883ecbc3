package esp32c3

// Registers of SYSTIMER.
const (
	tmConf    = 0x00
	tmOp      = 0x04 // of unit 0
	tmLoadHi  = 0x0c // of unit 0; then the low half, unit 1
	tmTarget  = 0x1c // of comparator 0: high half, low half
	tmCompare = 0x34
	tmValue   = 0x40 // of unit 0: high half, low half
	tmApply   = 0x50 // of comparator 0
	tmLoad    = 0x5c // of unit 0
	tmIntEna  = 0x64
	tmIntRaw  = 0x68
	tmIntClr  = 0x6c
	tmIntSt   = 0x70
)

// Bits of them.
const (
	tmUpdate     = 1 << 30 // UNIT_OP
	tmValid      = 1 << 29
	tmPeriodMode = 1 << 30 // TARGET_CONF
	tmUnit1      = 1 << 31
)

const (
	tickPeriod = second / 16_000_000
	// latchDelay is how long a value takes to become valid after UPDATE: some cycles of two clocks.
	latchDelay = 200_000 // ps
	countMask  = 1<<52 - 1
)

// A sysTimer has two counters of 52 bits at 16 MHz, and three comparators.
type sysTimer struct {
	chip        *Chip
	block       *block
	units       [2]unit
	comparators [3]comparator
	raw         uint32
}

type unit struct {
	base   uint64 // count at the time of since
	since  uint64
	runs   bool
	latch  uint64
	ready  uint64 // when the latch is valid
	asked  bool   // and not found valid yet
	loaded bool   // the latch has a value
}

// A comparator has what was loaded into it last.
type comparator struct {
	target uint64
	armed  bool
}

func (c *Chip) addSysTimer() {
	t := &sysTimer{chip: c}
	c.clock = t
	b := &block{name: "SYSTIMER", base: 0x6002_3000, gate: gateSysTimer, device: t}
	t.block = b
	rows := []register{
		{offset: tmConf, name: "CONF", reset: 1<<30 | 1<<26 | 1<<25, rw: 0xffc0_0001, store: func(uint32) { t.configure() }},
		{offset: tmIntEna, name: "INT_ENA", rw: 7},
		{offset: tmIntRaw, name: "INT_RAW", ro: 7, load: func() uint32 { return t.raw }},
		{offset: tmIntClr, name: "INT_CLR", wo: 7, store: func(value uint32) { t.raw &^= value }},
		{offset: tmIntSt, name: "INT_ST", ro: 7, load: func() uint32 { return t.raw & b.values[tmIntEna] }},
		all(0xfc, "DATE", 33579377),
	}
	for n := range uint32(2) {
		u := &t.units[n]
		rows = append(rows,
			register{
				offset: tmOp + 4*n, name: "UNIT_OP", ro: tmValid, wo: tmUpdate, still: true,
				load: func() uint32 { return t.valid(u) },
				store: func(value uint32) {
					if value&tmUpdate != 0 {
						u.ready, u.asked = c.now()+latchDelay, true
					}
				},
			},
			register{offset: tmLoadHi + 8*n, name: "UNIT_LOAD_HI", rw: 0xfffff},
			all(tmLoadHi+8*n+4, "UNIT_LOAD_LO", 0),
			register{offset: tmValue + 8*n, name: "UNIT_VALUE_HI", ro: 0xfffff, load: func() uint32 { return uint32(t.latched(u) >> 32) }},
			register{offset: tmValue + 8*n + 4, name: "UNIT_VALUE_LO", ro: ^uint32(0), load: func() uint32 { return uint32(t.latched(u)) }},
			register{offset: tmLoad + 4*n, name: "UNIT_LOAD", wo: 1, store: func(uint32) {
				u.base = uint64(b.values[tmLoadHi+8*n])<<32 | uint64(b.values[tmLoadHi+8*n+4])
				u.since = c.now()
			}},
		)
	}
	for n := range uint32(3) {
		rows = append(rows,
			register{offset: tmTarget + 8*n, name: "TARGET_HI", rw: 0xfffff},
			all(tmTarget+8*n+4, "TARGET_LO", 0),
			register{offset: tmCompare + 4*n, name: "TARGET_CONF", rw: 0xc3ff_ffff},
			register{offset: tmApply + 4*n, name: "COMP_LOAD", wo: 1, store: func(uint32) { t.apply(n) }},
		)
	}
	c.add(b, rows...)
	t.reset()
}

func (t *sysTimer) reset() {
	now := t.chip.now()
	t.units = [2]unit{{since: now}, {since: now}}
	t.comparators = [3]comparator{}
	t.raw = 0
	t.configure()
}

// count is that of a unit now.
func (t *sysTimer) count(u *unit) uint64 { return t.countAt(u, t.chip.now()) }

func (t *sysTimer) countAt(u *unit, now uint64) uint64 {
	if !u.runs {
		return u.base
	}
	return (u.base + (now-u.since)/tickPeriod) & countMask
}

// configure starts and stops units.
func (t *sysTimer) configure() {
	for n := range t.units {
		u := &t.units[n]
		runs := t.block.values[tmConf]>>(30-n)&1 != 0
		if runs != u.runs {
			u.base, u.since, u.runs = t.count(u), t.chip.now(), runs
		}
	}
}

// valid is UNIT_OP: whether what UPDATE has asked for can be read.
func (t *sysTimer) valid(u *unit) uint32 {
	if now := t.chip.now(); u.asked && now >= u.ready {
		u.latch, u.asked, u.loaded = t.countAt(u, u.ready), false, true
	}
	return bit(!u.asked && u.loaded, 29)
}

func (t *sysTimer) latched(u *unit) uint64 {
	if t.valid(u) == 0 {
		t.chip.complain("a value of SYSTIMER is read before it is valid")
	}
	return u.latch
}

// unit is the one that a comparator looks at.
func (t *sysTimer) unit(n uint32) *unit { return &t.units[t.block.values[tmCompare+4*n]>>31] }

// apply loads a comparator: its registers have no effect before.
func (t *sysTimer) apply(n uint32) {
	k := &t.comparators[n]
	k.armed = true
	k.target = uint64(t.block.values[tmTarget+8*n])<<32 | uint64(t.block.values[tmTarget+8*n+4])
	if conf := t.block.values[tmCompare+4*n]; conf&tmPeriodMode != 0 {
		period := uint64(conf & 0x3ff_ffff)
		if period == 0 {
			t.chip.complain("comparator %d of SYSTIMER has a period of 0", n)
			k.armed = false
			return
		}
		k.target = (t.count(t.unit(n)) + period) & countMask
	}
}

func (t *sysTimer) advance(now uint64) (next uint64) {
	next = never
	for n := range uint32(3) {
		k, u := &t.comparators[n], t.unit(n)
		works := t.block.values[tmConf]>>(24-n)&1 != 0
		conf := t.block.values[tmCompare+4*n]
		for k.armed && works && u.runs {
			count := t.countAt(u, now)
			if ahead := (k.target - count) & countMask; ahead != 0 && ahead < 1<<51 {
				ticks := (now-u.since)/tickPeriod + ahead
				next = min(next, u.since+ticks*tickPeriod)
				break
			}
			// A target that has passed is reached at once.
			t.raw |= 1 << n
			if conf&tmPeriodMode == 0 {
				k.armed = false
				break
			}
			k.target = (k.target + uint64(conf&0x3ff_ffff)) & countMask
		}
	}
	return next
}
