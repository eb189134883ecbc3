package esp32c3

// What a stage of a watchdog does when its time is over.
const (
	stageOff = iota
	stageInterrupt
	stageCPU
	stageCore
	stageRTC // only of the RTC's
)

// A watchdog goes through stages. Feeding it starts anew at the first.
type watchdog struct {
	chip *Chip
	// conf returns whether it runs, and how.
	conf    func() watchdogConf
	fired   func(action uint32)
	take    func() // after a reset; nil: nothing to do
	level   bool   // of its interrupt
	enabled func() bool

	stage int
	ticks uint64 // in the stage
	until uint64 // time up to which ticks are counted
}

type watchdogConf struct {
	runs   bool
	period uint64 // of a tick
	hold   [4]uint64
	action [4]uint32
}

func (w *watchdog) feed() { w.stage, w.ticks, w.until = 0, 0, w.chip.now() }

func (w *watchdog) reset() {
	w.level = false
	if w.take != nil {
		w.take()
	}
	w.feed()
}

func (w *watchdog) advance(now uint64) (next uint64) {
	conf := w.conf()
	if !conf.runs || conf.period == 0 {
		w.until = now
		return never
	}
	count := (now - w.until) / conf.period
	w.ticks += count
	w.until += count * conf.period
	for hold := conf.hold[w.stage]; w.ticks >= hold; hold = conf.hold[w.stage] {
		action := conf.action[w.stage]
		w.ticks = 0
		w.stage = (w.stage + 1) % 4
		switch action {
		case stageOff:
		case stageInterrupt:
			w.level = true
		default:
			w.fired(action)
			return never
		}
		if hold == 0 {
			break // one stage a tick
		}
	}
	return w.until + max(conf.hold[w.stage]-w.ticks, 1)*conf.period
}

// asserts reports whether the interrupt is asserted.
func (w *watchdog) asserts() bool { return w.level && w.enabled() }
