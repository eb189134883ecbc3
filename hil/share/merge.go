package share

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/device"
)

// union is a subscription on the board that serves several clients.
type union struct {
	spans []device.Span
	at    []int // of each span within a record
	every int   // the greatest number of ticks that all clients' are multiples of
}

// unite makes one subscription of several. Spans within others are left out; spans of different variables stay
// apart, so that a swap can tell where each of them goes.
func unite(subs ...device.Subscription) *union {
	var all []device.Span
	u := &union{}
	for _, s := range subs {
		all = append(all, s.Spans...)
		u.every = gcd(u.every, s.Every)
	}
	// Long ones first, as they may hold others.
	slices.SortStableFunc(all, func(a, b device.Span) int { return int(int64(b.Length) - int64(a.Length)) })
	for _, s := range all {
		if _, ok := u.place(s); !ok {
			u.spans = append(u.spans, s)
			u.at = append(u.at, u.size()-int(s.Length))
		}
	}
	return u
}

func (u *union) subscription() device.Subscription {
	return device.Subscription{Spans: u.spans, Every: u.every}
}

// size is the number of bytes of a record.
func (u *union) size() int { return int(device.LengthOf(u.spans)) }

// place is where a span's bytes are within a record.
func (u *union) place(s device.Span) (at int, ok bool) {
	for i, o := range u.spans[:len(u.at)] {
		if o.Offset <= s.Offset && uint64(s.Offset)+uint64(s.Length) <= uint64(o.Offset)+uint64(o.Length) {
			return u.at[i] + int(s.Offset-o.Offset), true
		}
	}
	return 0, false
}

// places are where all spans of a subscription are; false: they are not all there at its rate.
func (u *union) places(s device.Subscription) (at []int, ok bool) {
	if u.every == 0 || s.Every%u.every != 0 {
		return nil, false
	}
	for _, span := range s.Spans {
		p, ok := u.place(span)
		if !ok {
			return nil, false
		}
		at = append(at, p)
	}
	return at, true
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// portion picks one client's records out of those of a union.
type portion struct {
	every uint32
	union *union // that the last record came by
	at    []int  // places of the spans in its records
	spans []device.Span

	begun bool
	last  uint32 // tick of the last record that was due
	lost  uint32 // records that were due and did not come, and are not told yet
}

// missing is how many of the client's records were not told to be lost, where the board has lost some of the
// union's after the last one.
func (p *portion) missing(u *union, dropped uint32) uint32 {
	if !p.begun {
		return 0
	}
	return p.lost + uint32(uint64(dropped)*uint64(u.every)/uint64(p.every))
}

// take gives the client's part of a record of a union, if it is due for the client.
// Ticks wrap around, so they are only ever subtracted.
func (p *portion) take(u *union, r device.Record) (device.Record, bool) {
	fresh := p.union != u
	if fresh {
		p.at = p.at[:0]
		for _, s := range p.spans {
			at, _ := u.place(s)
			p.at = append(p.at, at)
		}
		p.union = u
	}
	if p.begun {
		since := r.Tick - p.last
		due, hit := since/p.every, since%p.every == 0
		if hit {
			due-- // before this one
		}
		switch {
		case since%uint32(u.every) != 0:
			// The board counts from another tick now.
			hit, p.last = true, r.Tick
		default:
			p.last += since / p.every * p.every
		}
		switch {
		case since == 0:
			return device.Record{}, false
		case fresh:
			// The subscription was changed for another client: the ticks in between had no record.
			p.lost += due
		default:
			// Of the ticks without a record some may have been missed by the loop, and nothing is lost then.
			p.lost += min(due, r.Drops)
		}
		if !hit {
			return device.Record{}, false
		}
	}
	p.begun, p.last = true, r.Tick
	out := device.Record{Tick: r.Tick, Time: r.Time, Drops: p.lost}
	p.lost = 0
	for i, s := range p.spans {
		out.Data = append(out.Data, r.Data[p.at[i]:p.at[i]+int(s.Length)]...)
	}
	return out, true
}
