package model

import (
	"encoding/binary"
	"math"

	"github.com/copaflash/copaflash/protocol/packet"
)

const recordHead = 8 // tick and time

// Records are a ring in live memory.
type records struct {
	list, place, bytes, slots, next uint32
}

// A stream is the link's side of a subscription.
type stream struct {
	on           bool
	ring         records
	every, batch uint32
	taken, tick  uint32 // tick of the record that would follow without a gap
	seq          uint16
}

type capture struct {
	packet.CaptureRequest
	ring records
	hit  bool // the condition held one tick before
	left uint32
}

// ring plans records for the program that runs.
func (r *Runner) ring(list, place, length uint32) (records, packet.Status) {
	bytes, ok := r.carry(r.current().block(), list, place, anyLength, check)
	if !ok || place%4 != 0 || !within(place, length, r.LiveSize) {
		return records{}, packet.StatusOutOfRange
	}
	ring := records{list: list, place: place, bytes: bytes, slots: length / (recordHead + bytes)}
	if bytes == 0 || ring.slots == 0 {
		return records{}, packet.StatusBadLength
	}
	return ring, packet.StatusOK
}

func (r *Runner) subscribe(q *packet.SubscribeRequest) (packet.Status, []any) {
	l, s := &r.loop, &r.stream
	switch {
	case r.state != packet.StateTicking:
		return packet.StatusBadState, nil
	case r.swapping:
		return packet.StatusBusy, nil
	}
	l.program.telemetry, s.on = 0, false
	if q.List == 0 {
		return packet.StatusOK, nil
	}
	ring, status := r.ring(q.List, q.Ring, q.Length)
	if status != packet.StatusOK {
		return status, nil
	}
	const beside = packet.HeaderLength + telemetryHead + packet.TrailerLength
	most := min((4*r.Samples-beside)/ring.bytes, ring.slots)
	if q.Every == 0 || q.Batch == 0 || q.Batch > most {
		return packet.StatusBadLength, detail(most)
	}
	*s = stream{on: true, ring: ring, every: q.Every, batch: q.Batch}
	l.telemetry, l.every, l.written, l.drops = ring, q.Every, 0, 0
	l.program.telemetry = q.List
	return packet.StatusOK, nil
}

// put writes a record of a tick.
func (r *Runner) put(ring *records, p *part) bool {
	at := ring.place + ring.next*(recordHead+ring.bytes)
	if n, ok := r.carry(p.block, ring.list, at+recordHead, uint64(ring.bytes), gather); !ok || n != ring.bytes {
		return false
	}
	binary.LittleEndian.PutUint32(r.live[at:], r.loop.tick)
	binary.LittleEndian.PutUint32(r.live[at+4:], r.loop.time)
	ring.next = (ring.next + 1) % ring.slots
	return true
}

// stream1 takes the record of a tick for telemetry; it is false if that could not be.
func (r *Runner) stream1(p *part) bool {
	l := &r.loop
	if p.telemetry == 0 || l.tick%l.every != 0 {
		return true
	}
	if l.written-r.stream.taken >= l.telemetry.slots {
		l.drops++
		return true
	}
	l.telemetry.list = p.telemetry
	if !r.put(&l.telemetry, p) {
		return false
	}
	l.written++
	return true
}

const telemetryHead = 12 // tick, time, drops

// sendTelemetry sends a packet of it, if there is one.
func (r *Runner) sendTelemetry() bool {
	l, s := &r.loop, &r.stream
	if !s.on {
		return false
	}
	waiting, least := l.written-s.taken, uint32(1)
	if r.state == packet.StateTicking {
		least = s.batch
	}
	if waiting < least {
		s.on = r.state == packet.StateTicking
		return false
	}
	var b []byte
	for range min(waiting, s.batch) {
		record := r.live[s.ring.place+s.ring.next*(recordHead+s.ring.bytes):][:recordHead+s.ring.bytes]
		tick := binary.LittleEndian.Uint32(record)
		if b == nil {
			b = binary.LittleEndian.AppendUint32(append(b, record[:recordHead]...), l.drops)
		} else if tick != s.tick {
			break // there is a gap
		}
		b = append(b, record[recordHead:]...)
		s.tick = tick + s.every
		s.taken++
		s.ring.next = (s.ring.next + 1) % s.ring.slots
	}
	r.out = append(r.out, Packet{Header: r.header(packet.KindTel, r.session, s.seq), Data: b})
	s.seq++
	return true
}

func (r *Runner) planCapture(q *packet.CaptureRequest) packet.Status {
	l := &r.loop
	switch {
	case r.state != packet.StateTicking:
		return packet.StatusBadState
	case r.swapping:
		return packet.StatusBusy
	}
	l.captureState = packet.CaptureOff
	if q.List == 0 {
		return packet.StatusOK
	}
	ring, status := r.ring(q.List, q.Ring, q.Length)
	switch {
	case status != packet.StatusOK:
		return status
	case q.Offset%4 != 0 || !within(q.Offset, 4, r.current().block().length) || !q.Trigger.Valid() || !q.Type.Valid():
		return packet.StatusOutOfRange
	case q.After >= ring.slots:
		return packet.StatusBadLength
	}
	l.capture = capture{CaptureRequest: *q, ring: ring, hit: true, left: q.After}
	l.captureState, l.captureNext, l.captureTick = packet.CaptureArmed, 0, 0
	return packet.StatusOK
}

// capture1 takes the record of a tick for a capture; it is false if that could not be.
func (r *Runner) capture1(p *part) bool {
	l := &r.loop
	c := &l.capture
	if l.captureState != packet.CaptureArmed && l.captureState != packet.CaptureTriggered {
		return true
	}
	if !r.put(&c.ring, p) {
		return false
	}
	l.captureNext = c.ring.next
	if l.captureState == packet.CaptureTriggered {
		c.left--
	} else if c.fires(binary.LittleEndian.Uint32(r.data[p.at+c.Offset:])) {
		l.captureState, l.captureTick = packet.CaptureTriggered, l.tick
	} else {
		return true
	}
	if c.left == 0 {
		l.captureState = packet.CaptureDone
	}
	return true
}

// fires tells whether the trigger's variable says that this is the tick.
func (c *capture) fires(bits uint32) bool {
	isNaN := c.Type == packet.TriggerTypeF32 && math.IsNaN(float64(math.Float32frombits(bits)))
	before := c.hit
	switch c.Trigger {
	case packet.TriggerNow:
		return true
	case packet.TriggerEnd:
		return false
	}
	c.hit = !isNaN && int32(c.Trigger.Order(c.Type, bits)) > int32(c.Threshold)
	edge := c.Trigger == packet.TriggerRising || c.Trigger == packet.TriggerFalling
	return c.hit && !(edge && before)
}
