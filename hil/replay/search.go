package replay

import (
	"context"
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/hil/record"
)

// mostTried bounds how often the ticks up to a record are computed again.
const mostTried = 1000

// mayMiss tells whether ticks between records may have been missed whose places can be found: while one program
// goes on.
func (p *player) mayMiss() bool {
	return p.every > 1 && p.old == nil && (p.r.Status == nil || p.r.Status.Missed > uint32(p.report.Missed))
}

// alike tells whether every tick computes the same.
func (p *player) alike() bool {
	return !slices.ContainsFunc(p.tasks, func(t device.Task) bool { return t.Divisor != 1 })
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
	first = max(first, r.Tick-min(r.Tick, 64))
	for _, mask := range p.candidates(int(r.Tick-first), start.sets(r.Tick)) {
		if fewest == 0 || tried == mostTried {
			break
		}
		tried++
		but := skipped{first, mask}
		if j, err = p.again(ctx, r, start, but); err != nil {
			return err
		}
		if j.differs < fewest {
			best, fewest = but, j.differs
		}
	}
	// Where none fits, the nearest one tells what differs.
	if tried > 0 {
		if _, err := p.again(ctx, r, start, best); err != nil {
			return err
		}
		p.report.Missed += bits.OnesCount64(best.mask)
	}
	return p.compare(ctx, r)
}

// fewTicks is up to how many ticks every set of them is tried.
const fewTicks = 9

// candidates are the sets of ticks, of n before that of a record, that may have been missed: fewer ones first.
func (p *player) candidates(n int, sets bool) (masks []uint64) {
	most := n
	if p.r.Status != nil {
		most = min(n, int(p.r.Status.Missed)-p.report.Missed)
	}
	for count := 1; count <= most; count++ {
		row := uint64(1)<<count - 1
		switch {
		case !sets && p.alike(): // it does not matter which ones they were
			masks = append(masks, row)
		case n <= fewTicks:
			for mask := range uint64(1) << n {
				if bits.OnesCount64(mask) == count {
					masks = append(masks, mask)
				}
			}
		default: // one after the other
			for at := range n - count + 1 {
				masks = append(masks, row<<at)
			}
		}
	}
	return masks
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
