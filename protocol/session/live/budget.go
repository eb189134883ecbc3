package live

import (
	"fmt"
	"math"
	"time"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

const (
	bitsPerByte = 10
	// usable is the part of a line that telemetry may take: answers to requests need some.
	usable = 0.97
	// wanted is how much time the records of a packet span, where that makes packets that are not all head, and
	// relaxed where more in a packet are what makes them fit.
	wanted  = 50 * time.Millisecond
	relaxed = 100 * time.Millisecond
	// minBatches is how many packets' records a ring holds at least: one is sent while the next one fills.
	minBatches = 2
	packetHead = packet.HeaderLength + packet.TelHead + packet.TrailerLength
)

// A Demand is telemetry as it is asked for.
type Demand struct {
	Record int     // bytes of values
	Rate   float64 // ticks a second
	Every  uint32  // ticks from one record to the next
}

// A Carrier is what telemetry goes over.
type Carrier struct {
	Baud      int // 0: no limit is known
	MaxPacket int // bytes
	Ring      int // bytes that a ring may take
}

// A Cost is what telemetry costs. Rates are per second.
type Cost struct {
	Batch        int     // records of a packet
	Bytes        float64 // on the line
	Line         float64 // that the line carries; 0: no limit is known
	Greatest     float64 // records that would fit; +Inf: no limit is known
	LeastEvery   uint32
	PayloadShare float64 // values of bytes on the line
}

// Fits tells whether the line carries it.
func (c *Cost) Fits() bool { return c.Line == 0 || c.Bytes <= c.Line*usable }

// bytesOf is what packets of batch records take on the line, for each record.
func bytesOf(record, batch int) float64 {
	return float64(frame.EncodedLength(packetHead+record*batch)) / float64(batch)
}

// Cost computes what a demand costs, with packets of as many records as are good for it. It fails if no record fits a packet,
// or the ring.
func (d *Demand) Cost(c Carrier) (Cost, error) {
	if d.Record <= 0 || d.Every == 0 || !(d.Rate > 0) {
		return Cost{}, fmt.Errorf("telemetry of %d bytes every %d ticks: want at least one variable, every 1 or more ticks", d.Record, d.Every)
	}
	most := (c.MaxPacket - packetHead) / d.Record
	if most < 1 {
		return Cost{}, &RoomError{"a record of telemetry, which is sent in one packet,", d.Record + packetHead, c.MaxPacket}
	}
	ring := c.Ring / (RecordHead + d.Record)
	if ring < minBatches {
		return Cost{}, &RoomError{"telemetry", minBatches * (RecordHead + d.Record), c.Ring}
	}
	most = min(most, ring/minBatches)
	rate := d.Rate / float64(d.Every)
	within := func(t time.Duration) int { return min(max(int(rate*t.Seconds()), 1), most) }
	cost := Cost{Line: float64(c.Baud) / bitsPerByte, Greatest: math.Inf(1), LeastEvery: 1}
	for _, cost.Batch = range []int{within(wanted), within(relaxed), most} {
		cost.Bytes = rate * bytesOf(d.Record, cost.Batch)
		if cost.Fits() {
			break
		}
	}
	cost.PayloadShare = float64(d.Record) / bytesOf(d.Record, cost.Batch)
	if cost.Line > 0 {
		cost.Greatest = cost.Line * usable / bytesOf(d.Record, most)
		if least := math.Ceil(d.Rate / cost.Greatest); least < math.MaxUint32 {
			cost.LeastEvery = max(uint32(least), 1)
		} else {
			cost.LeastEvery = math.MaxUint32
		}
	}
	return cost, nil
}

// RingLength is how long a ring should be, where there is room for so many bytes: what the line may have to wait for, such as an image
// that is being hashed, takes seconds.
func (d *Demand) RingLength(batch, room int) int {
	const buffered = 2 * time.Second
	record := RecordHead + d.Record
	records := d.Rate/float64(d.Every)*buffered.Seconds() + float64(minBatches*batch)
	return min(int(math.Ceil(min(records, 1<<24))), room/record) * record
}
