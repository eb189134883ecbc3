package device

import (
	"fmt"
	"math"
	"time"
)

// The period of a call is a number of microseconds that fits RUN (protocol/SPEC.md), wherever it runs.
const (
	MinPeriod = time.Microsecond
	MaxPeriod = math.MaxUint32 * time.Microsecond // 1h11m34.967295s
)

// Period rounds a period to microseconds. It fails for one that no device can keep, and for 0.
func Period(d time.Duration) (time.Duration, error) {
	if rounded := d.Round(time.Microsecond); rounded >= MinPeriod && rounded <= MaxPeriod {
		return rounded, nil
	}
	return 0, fmt.Errorf("a period of %v: want %v to %v", d, MinPeriod, MaxPeriod)
}

// Timing is what is known of the ticks of a call with a period.
type Timing struct {
	Period time.Duration // from one start to the next, as it was kept
	Ticks  int
	// Late is how many ticks were due before the one before them had ended. They start at once.
	// In this process later ticks are due as if none had been late; runners count on from the
	// start of the late one.
	Late      int
	Execution Execution
	// Starts are nil where the device does not measure them: runners count the late ticks only.
	Starts *Starts
	// Unpaced says that nobody waited: the oracle computes the ticks one after the other, and
	// each counts as started when it was due.
	Unpaced bool
}

// Execution is how long ticks took, by the device's timer.
type Execution struct{ Min, Mean, Max time.Duration }

// Starts are how far ticks started after they were due.
type Starts struct {
	Worst  time.Duration // the greatest lateness
	Jitter time.Duration // the greatest lateness less the smallest one
}

// A Pace gathers the Timing of ticks one by one, for devices that run them in this process. A nil
// Pace is that of runs without a period.
type Pace struct {
	timing Timing
	total  time.Duration
	least  time.Duration // lateness
	due    time.Duration // of the next tick, since the first one
}

// NewPace is the pace of a call, nil if it has no period.
func NewPace(period time.Duration) (*Pace, error) {
	if period == 0 {
		return nil, nil
	}
	period, err := Period(period)
	if err != nil {
		return nil, err
	}
	return &Pace{timing: Timing{Period: period, Starts: new(Starts)}}, nil
}

// Due is when the next tick is to start, since the first one: n*period whenever the others did.
func (p *Pace) Due() time.Duration { return p.due }

// Started notes how long after it was due a tick started; late, that it was due when the one before ended.
func (p *Pace) Started(after time.Duration, late bool) {
	t := &p.timing
	if t.Ticks == 0 {
		p.least = after
	}
	p.least = min(p.least, after)
	t.Starts.Worst = max(t.Starts.Worst, after)
	if late {
		t.Late++
	}
	p.due += t.Period
}

// Ended notes how long it took.
func (p *Pace) Ended(took time.Duration) {
	e := &p.timing.Execution
	if p.timing.Ticks == 0 {
		e.Min = took
	}
	p.timing.Ticks++
	p.total += took
	e.Min, e.Max = min(e.Min, took), max(e.Max, took)
}

// Timing sums up what was noted; nil for a nil Pace.
func (p *Pace) Timing() *Timing {
	if p == nil {
		return nil
	}
	t := p.timing
	t.Starts = &Starts{Worst: t.Starts.Worst, Jitter: t.Starts.Worst - p.least}
	t.Execution.Mean = p.total / time.Duration(max(t.Ticks, 1))
	return &t
}
