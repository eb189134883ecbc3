package model

import (
	"encoding/binary"
	"math"

	"github.com/copaflash/copaflash/protocol/packet"
)

// Tick is the next tick, so many counts late, in which a call of a task takes so long.
func (r *Runner) Tick(late, cost uint32) {
	l := &r.loop
	r.now = max(r.now, l.due) + uint64(late)
	began, number := r.now, l.tick
	r.note(lateness, began-l.due)
	l.time = uint32(began)
	r.goOver()
	p := l.running()
	end := r.applySet(p)
	if end == packet.LoopEndNone {
		end = r.callTasks(p, cost)
	}
	if p.length >= 4 {
		l.sticky |= binary.LittleEndian.Uint32(r.data[p.at:])
	}
	streamed, captured := r.stream1(p), r.capture1(p)
	if end == packet.LoopEndNone && !(streamed && captured) {
		end = packet.LoopEndPlan
	}

	r.note(execution, r.now-began)
	missed := l.next(r.now)
	if missed > 0 {
		r.note(slack, 0)
	} else {
		r.note(slack, l.due-r.now)
	}
	l.ticks++
	l.missed += missed
	if l.tried(missed, end) {
		missed, end = 0, packet.LoopEndNone
	}
	if end == packet.LoopEndNone && l.misses != 0 && missed >= l.misses {
		end = packet.LoopEndMisses
	}
	if end == packet.LoopEndNone && l.silent(r.now) {
		end = packet.LoopEndSilence
	}
	if end == packet.LoopEndNone {
		return
	}
	if l.captureState == packet.CaptureArmed && l.capture.Trigger == packet.TriggerEnd {
		l.captureState, l.captureTick = packet.CaptureDone, number
	}
	r.setSafe()
	l.end, l.over = end, true
}

// note takes a time into its figure and its histogram.
func (r *Runner) note(which int, counts uint64) {
	l := &r.loop
	v := uint32(min(counts, math.MaxUint32))
	f := &l.figures[which]
	if l.ticks == 0 {
		f.min = v
	}
	f.min, f.max, f.total = min(f.min, v), max(f.max, v), f.total+uint64(v)
	if l.histograms != 0 {
		bucket := min(uint32(packet.HistogramBucket(v)), l.buckets-1)
		counter := r.live[l.histograms+4*(uint32(which)*l.buckets+bucket):]
		if n := binary.LittleEndian.Uint32(counter); n != math.MaxUint32 {
			binary.LittleEndian.PutUint32(counter, n+1)
		}
	}
}

// next goes on to the first due time that is not over, and returns how many were missed before it.
func (l *loop) next(now uint64) (missed uint32) {
	for first := true; first || l.due < now; first = false {
		sum := uint64(l.carry) + uint64(l.rest)
		l.carry = uint32(sum)
		l.due += l.period + sum>>32
		l.tick++
		missed++
	}
	return missed - 1
}

// silent tells whether the host was, for too long.
func (l *loop) silent(now uint64) bool {
	if l.heard || l.silence == 0 {
		l.heard, l.heardAt = false, now
	}
	return now-l.heardAt > l.silence
}

// applySet carries out what is staged, when its tick has come.
func (r *Runner) applySet(p *part) packet.LoopEnd {
	l := &r.loop
	if l.staged == 0 || l.stagedTick != 0 && int32(l.tick-l.stagedTick) < 0 {
		return packet.LoopEndNone
	}
	if !r.setAll(p.block, l.staged) {
		return packet.LoopEndPlan
	}
	l.staged = 0
	l.applied, l.appliedTick = l.applied+1, l.tick
	return packet.LoopEndNone
}

// callTasks calls those whose tick this is, between inputs and outputs.
func (r *Runner) callTasks(p *part, cost uint32) packet.LoopEnd {
	l := &r.loop
	if !r.runPins(beforeList) {
		return packet.LoopEndWait
	}
	left := l.limit
	for _, t := range p.tasks {
		if l.tick%t.divisor != 0 {
			continue
		}
		r.calls++
		r.now += min(uint64(cost), left)
		kind := r.task(t.at, p.at)
		if uint64(cost) > left {
			kind = packet.FaultTimeLimit
		}
		if kind != 0 {
			l.fault = &packet.Fault{Kind: kind, PC: r.CodeAddress + uint64(t.at), Address: faultAddress, Entry: t.entry, Run: l.tick, Cause: faultCause}
			if kind == packet.FaultTimeLimit {
				return packet.LoopEndTimeLimit
			}
			return packet.LoopEndFault
		}
		used := uint64(uint32(r.now) - l.time)
		left = max(l.limit, used+1) - used
	}
	if !r.runPins(afterList) {
		return packet.LoopEndWait
	}
	return packet.LoopEndNone
}

// values are the bits of floats, of which some are at an edge of something.
var values = [8]uint32{0, 0x80000000, 0x3f800000, 0xbf800000, 0x7fc00000, 0x7f800000, 0xff800000, 1}

// task is what a program does in a tick: it counts in data word 4 and has a value in word 5.
func (r *Runner) task(at, data uint32) packet.FaultKind {
	program := r.code[at]
	if program >= 1 && program <= 7 {
		return packet.FaultKind(program)
	}
	if !within(data, counterAt+8, r.DataSize) {
		return 0
	}
	d := r.data[data:]
	n := binary.LittleEndian.Uint32(d[counterAt:]) + 1
	value := n*5%16 - 8
	switch program {
	case Turns:
		if n == 3 {
			return packet.FaultMemory
		}
	case Sticky:
		binary.LittleEndian.PutUint32(d, binary.LittleEndian.Uint32(d)|1<<(n%5))
	case Slow:
		value = values[n%8]
	}
	binary.LittleEndian.PutUint32(d[counterAt:], n)
	binary.LittleEndian.PutUint32(d[counterAt+4:], value)
	if program == Later && n%8 == 0 {
		return packet.FaultIllegal
	}
	return 0
}
