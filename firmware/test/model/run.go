package model

import (
	"encoding/binary"

	"github.com/copaflash/copaflash/protocol/packet"
)

// Programs of the bench, by the byte at the entry; 1 to 7 are faults of that kind.
const (
	Return  = 0  // adds 1 to data word 4
	Sticky  = 8  // sets the sticky flags to 3
	Slow    = 9  // takes a second
	Outside = 10 // faults at an address that is no code
	Turns   = 11 // returns, but faults when it is about to set data word 4 to 3
	Later   = 12 // returns, but faults in every eighth call of a loop
)

const counterAt = 16 // data word 4

// What the bench tells of faults.
const (
	faultAddress = 0x1234
	faultCause   = 77
)

const sliceShift = 7 // a slice of a RUN is 1/128 s

type job struct {
	packet.RunRequest
	seq             uint16
	runs            uint32
	late            uint32
	mark            uint64 // tick at which the next run is due
	carry           uint64 // 2^-32 ticks that mark lags behind
	total, min, max uint64
	ticks           []uint32 // the first ones
}

// start begins a RUN.
func (r *Runner) start(seq uint16, q *packet.RunRequest) packet.Status {
	switch {
	case r.state != packet.StateReady:
		return packet.StatusBadState
	case int64(q.Entry) >= int64(len(r.image.Entries)):
		return packet.StatusOutOfRange
	case q.Count == 0 || q.Limit > packet.RunLimitS*r.TimerHz:
		return packet.StatusBadLength
	}
	r.job = job{RunRequest: *q, seq: seq, mark: r.now}
	r.stream.on = false
	if b := r.image.block(); b.length >= 4 {
		clear(r.data[b.at:][:4])
	}
	r.state = packet.StateRunning
	return packet.StatusOK
}

// stop ends a RUN that a new session has cut short before its first run.
func (r *Runner) stop() { r.state = packet.StateReady }

// run carries out the RUN under way to its end, or as long as its host may be silent.
func (r *Runner) run() {
	j := &r.job
	heard := r.now
	for status := packet.StatusOK; r.state == packet.StateRunning; {
		if j.Silence != 0 && r.now-heard >= j.Silence {
			status = packet.StatusSilence
			r.state = packet.StateReady
		}
		r.slice()
		if r.state != packet.StateRunning {
			r.runAnswer(status)
		}
	}
}

// slice is what a runner does of a RUN until it looks for a HELLO.
func (r *Runner) slice() {
	j := &r.job
	for end := r.now + r.TimerHz>>sliceShift; r.state == packet.StateRunning && r.now < end; {
		if j.mark > end {
			r.now = end
			return
		}
		r.now = max(r.now, j.mark)
		began := r.now
		if !r.call() {
			r.state = packet.StateFaulted
			return
		}
		ticks := r.now - began
		if uint32(len(j.ticks)) < r.Samples {
			j.ticks = append(j.ticks, uint32(ticks))
		}
		if j.runs == 0 || ticks < j.min {
			j.min = ticks
		}
		j.max = max(j.max, ticks)
		j.total += ticks
		if j.runs++; j.runs == j.Count {
			r.state = packet.StateReady
		} else if j.Period != 0 || j.Rest != 0 {
			j.carry += uint64(j.Rest)
			j.mark += j.Period + j.carry>>32
			j.carry &= 1<<32 - 1
			if r.now > j.mark {
				j.mark = r.now
				j.late++
			}
		}
	}
}

func (r *Runner) runAnswer(status packet.Status) {
	j := &r.job
	sticky := uint32(0)
	if b := r.image.block(); b.length >= 4 {
		sticky = binary.LittleEndian.Uint32(r.data[b.at:])
	}
	more := []any{2, words(uint64(j.total), uint64(j.min), uint64(j.max), j.runs, j.late, sticky)}
	if r.state == packet.StateFaulted {
		more = append(more, 3, r.faultRecord(r.fault))
		status = packet.StatusFault
		if r.fault.Kind == packet.FaultTimeLimit {
			status = packet.StatusTimeLimit
		}
	}
	r.answered(j.seq, packet.MsgRun, status, more)
}

// call is one run; it returns false if it faults.
func (r *Runner) call() bool {
	at, data := r.image.codeAt+r.image.Entries[r.job.Entry], r.image.dataAt
	program := r.code[at]
	counts := within(data, counterAt+4, r.DataSize)
	next := uint32(0)
	if counts {
		next = binary.LittleEndian.Uint32(r.data[data+counterAt:]) + 1
	}
	r.calls++
	r.now += 10 + r.calls%3
	if program == Turns && next == 3 {
		program = byte(packet.FaultMemory)
	}
	fault := packet.Fault{PC: r.CodeAddress + uint64(at), Address: faultAddress, Entry: r.job.Entry, Run: r.job.runs, Cause: faultCause}
	switch program {
	case Slow:
		r.now += r.TimerHz
	case Sticky:
		if counts {
			binary.LittleEndian.PutUint32(r.data[data:], 3)
		}
	case Outside:
		fault.Kind, fault.PC = packet.FaultMemory, 0x99
	case 1, 2, 3, 4, 5, 6, 7:
		fault.Kind = packet.FaultKind(program)
	}
	if fault.Kind != 0 {
		r.fault = &fault
		return false
	}
	if counts {
		binary.LittleEndian.PutUint32(r.data[data+counterAt:], next)
	}
	return true
}

// faultRecord tells the pc as an offset in the code that is loaded, or beside it.
func (r *Runner) faultRecord(f *packet.Fault) []byte {
	pc, inside := f.PC, uint64(0)
	for _, m := range []*image{&r.image, &r.beside.image} {
		if offset := f.PC - r.CodeAddress - uint64(m.codeAt); inside == 0 && offset < uint64(m.CodeLength) {
			pc, inside = offset, 1
		}
	}
	return words(uint64(f.Kind), f.Cause, pc, f.Address, uint64(f.Entry), uint64(f.Run), inside)
}

// memory is that of a region of READ and WRITE: data that are a program's while its loop runs, and samples, are there to be read only.
func (r *Runner) memory(region packet.Region, read bool) ([]byte, packet.Status) {
	loaded := r.state == packet.StateReady || r.state == packet.StateFaulted
	switch {
	case region == packet.RegionLive:
		return r.live, packet.StatusOK
	case region == packet.RegionStore && read:
		return r.kept(), packet.StatusOK
	case region == packet.RegionSamples && read:
		if !loaded {
			return nil, packet.StatusBadState
		}
		var b []byte
		for _, t := range r.job.ticks[:min(r.job.runs, r.Samples)] {
			b = binary.LittleEndian.AppendUint32(b, t)
		}
		return b, packet.StatusOK
	case region != packet.RegionData:
		return nil, packet.StatusOutOfRange
	case !loaded && !(read && r.state == packet.StateTicking):
		return nil, packet.StatusBadState
	}
	b := r.current().block()
	return r.data[b.at:][:b.length], packet.StatusOK
}

// region is what a READ or WRITE names, if anything.
func region(named *packet.Region) packet.Region {
	if named == nil {
		return packet.RegionData
	}
	return *named
}

func (r *Runner) read(q *packet.ReadRequest) (packet.Status, []any) {
	memory, status := r.memory(region(q.Region), true)
	switch {
	case status != packet.StatusOK:
		return status, nil
	case !within(q.Offset, q.Length, uint32(len(memory))):
		return packet.StatusOutOfRange, nil
	}
	more := []any{2, append([]byte{}, memory[q.Offset:][:q.Length]...)}
	if r.state == packet.StateTicking && region(q.Region) == packet.RegionData {
		more = append(more, 3, r.loop.ticks)
	}
	return status, more
}

func (r *Runner) write(q *packet.WriteRequest) packet.Status {
	memory, status := r.memory(region(q.Region), false)
	switch {
	case status != packet.StatusOK:
		return status
	case r.state == packet.StateFaulted && region(q.Region) != packet.RegionLive:
		return packet.StatusBadState
	case !within(q.Offset, uint32(len(q.Bytes)), uint32(len(memory))):
		return packet.StatusOutOfRange
	}
	copy(memory[q.Offset:], q.Bytes)
	return status
}
