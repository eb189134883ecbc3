package replay

import (
	"context"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/hil/record"
)

// mostTried bounds how often the ticks up to a record are computed again.
const mostTried = 1000

// mayMiss tells whether ticks between records may have been missed whose places can be found: those of
// programs that compute the same in every tick, while one program goes on.
func (p *player) mayMiss() bool {
	if p.every == 1 || p.old != nil || p.r.Status != nil && p.r.Status.Missed == uint32(p.report.Missed) {
		return false
	}
	for _, t := range p.tasks {
		if t.Divisor != 1 {
			return false
		}
	}
	return true
}

// search computes the ticks up to a record, and where that does not give its values, without some of them. All
// states of a program with fewer ticks are hardly equal by chance.
func (p *player) search(ctx context.Context, r *device.Record) error {
	start, err := p.mark(ctx)
	if err != nil {
		return err
	}
	first, tried := p.next, 0
	if resumed, err := p.compute(ctx, r, skipped{}); resumed || err != nil {
		return err
	}
	j, err := p.judge(ctx, r)
	if err != nil {
		return err
	}
	best, fewest := skipped{}, j.differs
	if start.swaps(r.Tick) {
		return p.compare(ctx, r)
	}
	for n := uint32(1); n <= r.Tick-first && fewest > 0; n++ {
		// Without sets in between it does not matter which ones they were.
		places := uint32(1)
		if start.sets(r.Tick) {
			places = r.Tick - first - n + 1
		}
		for at := uint32(0); at < places && fewest > 0 && tried < mostTried; at++ {
			tried++
			if j, err = p.again(ctx, r, start, skipped{first + at, n}); err != nil {
				return err
			}
			if j.differs < fewest {
				best, fewest = skipped{first + at, n}, j.differs
			}
		}
	}
	// Where none fits, the nearest one tells what differs.
	if tried > 0 {
		if _, err := p.again(ctx, r, start, best); err != nil {
			return err
		}
		p.report.Missed += int(best.n)
	}
	return p.compare(ctx, r)
}

// again computes the ticks from the mark on, but for some.
func (p *player) again(ctx context.Context, r *device.Record, from mark, but skipped) (judged, error) {
	p.next, p.events, p.report = from.next, from.events, from.report
	if err := p.write(from.values); err != nil {
		return judged{}, err
	}
	if _, err := p.compute(ctx, r, but); err != nil {
		return judged{}, err
	}
	return p.judge(ctx, r)
}

// A mark is a place in a replay to go back to.
type mark struct {
	next   uint32
	events []record.Event
	report Report
	values []record.Value
}

func (p *player) mark(ctx context.Context) (mark, error) {
	values, err := p.keep(ctx)
	return mark{p.next, p.events, p.report, values}, err
}

// sets tells whether something happened from the mark on until a tick, swaps whether that was a swap.
func (m *mark) sets(until uint32) bool { return len(m.events) > 0 && m.events[0].Tick <= until }

func (m *mark) swaps(until uint32) bool {
	for _, e := range m.events {
		if e.Tick <= until && e.Swap != nil {
			return true
		}
	}
	return false
}
