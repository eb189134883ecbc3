package session

import (
	"bytes"
	"sync"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A feed takes the telemetry of a subscription from the link, which must never wait for who reads it.
type feed struct {
	record int // bytes of values
	room   int // bytes of values that may wait

	mu      sync.Mutex
	session uint16
	waiting []arrival
	bytes   int           // of their values
	over    uint32        // records since the last packet that waits which there was no room for
	wake    chan struct{} // holds a token when something has come
}

// An arrival is a packet of telemetry.
type arrival struct {
	packet.Tel
	seq     uint16
	renewed bool // no packet: the subscription was opened anew
}

// feedRoom is how many bytes of values may wait for who reads them. More are dropped, as the line drops them: what the
// gap in the sequence tells.
const feedRoom = 4 << 20

func newFeed(session uint16, record int) *feed {
	return &feed{session: session, record: record, room: feedRoom, wake: make(chan struct{}, 1)}
}

// put takes a packet from the link.
func (f *feed) put(p frame.Packet) {
	if f == nil || p.Version != packet.ProtocolVersion {
		return
	}
	tel, err := packet.DecodeTel(p.Body, f.record)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case p.Session != f.session:
		return
	case f.bytes+len(tel.Values) > f.room:
		f.over += uint32(len(tel.Values) / f.record)
		return
	}
	f.over = 0 // the gap in front of this one tells of them
	tel.Values = bytes.Clone(tel.Values)
	f.waiting = append(f.waiting, arrival{Tel: tel, seq: p.Seq})
	f.bytes += len(tel.Values)
	f.rouse()
}

func (f *feed) rouse() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// renew goes on with another session.
func (f *feed) renew(session uint16) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.session = session
	f.waiting = append(f.waiting, arrival{renewed: true})
	f.rouse()
}

// beyond is how many records there was no room for behind all that has waited.
func (f *feed) beyond() uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over
}

func (f *feed) current() uint16 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.session
}

// take gives what has come.
func (f *feed) take() []arrival {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.waiting
	f.waiting, f.bytes = nil, 0
	return all
}

// A ledger puts the packets of a subscription in order, and accounts for every record that is missing.
type ledger struct {
	every   uint32
	batch   uint32 // records of a packet that is full
	next    uint16 // sequence number
	begun   bool   // there was a record
	renewed bool   // the subscription was opened anew since: what was in between is lost
	last    uint32 // tick of the last record
	drops   uint32 // that the runner has told of so far
	untold  uint32 // of them, the most that gaps have not accounted for: some may be behind what has come
	lost    uint32 // in all
}

// enter takes a packet. It returns how many records are lost directly before it, or that the packet came already.
//
// Ticks tell how many records there could be in between. Those of packets that did not arrive are lost, and so are those that
// the runner has dropped; what else is missing are ticks that were missed, of which there were no records.
func (g *ledger) enter(a arrival, records uint32) (lost uint32, again bool) {
	if g.begun && int32(a.Tick-g.last) <= 0 {
		return 0, true
	}
	g.untold += a.Drops - g.drops
	g.drops = a.Drops
	gap := uint32(a.seq - g.next)
	switch {
	case g.begun:
		missing := g.missing(a.Tick)
		if gap != 0 || g.renewed {
			lost = missing // nobody knows which of them the runner has dropped
		} else {
			lost = min(g.untold, missing)
			g.untold -= lost
		}
	default: // nobody knows which tick was the first
		lost = gap * g.batch
		if gap == 0 {
			lost, g.untold = g.untold, 0
		}
	}
	g.next, g.begun, g.renewed = a.seq+1, true, false
	g.last = a.Tick + (records-1)*g.every
	g.lost += lost
	return lost, false
}

// missing is how many records there could be between the last one and one of a tick.
func (g *ledger) missing(tick uint32) uint32 { return (tick - g.last - 1) / g.every }

// renew begins again with a subscription that was opened anew.
func (g *ledger) renew() { g.next, g.drops, g.renewed = 0, 0, true }

// end returns how many records are lost after the last one. ticks is the number behind the greatest that a tick can have had, which bounds
// it; drops is what the runner has dropped in all, beyond what there was no room for here, and sure says that other packets do not get lost.
func (g *ledger) end(ticks, drops, beyond uint32, sure bool) uint32 {
	g.untold += drops - g.drops
	g.drops = drops
	lost := g.untold + beyond
	if g.begun {
		missing := uint32(0)
		if int32(ticks-g.last) > 0 {
			missing = g.missing(ticks)
		}
		if lost = min(lost, missing); !sure || g.renewed {
			lost = missing
		}
	}
	g.untold = 0
	g.lost += lost
	return lost
}
