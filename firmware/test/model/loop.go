package model

import (
	"encoding/binary"
	"math"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A loop is what ticks work on.
type loop struct {
	known bool // there has been one since BEGIN
	over  bool // it has ended by itself: no tick is to come

	begun, due, period, limit, silence uint64
	rest, carry, misses                uint32
	tick                               uint32 // number of the next one
	time                               uint32 // when the last one started
	heard                              bool   // a frame has come since the last tick
	heardAt                            uint64

	end                             packet.LoopEnd
	ticks, missed, drops            uint32
	applied, appliedTick            uint32
	captureState                    packet.CaptureState
	captureNext, captureTick        uint32
	swapState                       packet.SwapState
	swapTick                        uint32
	figures                         [3]figure
	sticky                          uint32
	histograms, buckets             uint32 // place of the first counter; of each
	staged, stagedTick              uint32
	fault                           *packet.Fault
	program, other                  part // the other one is that of a swap
	goesOn                          bool // with the other one
	gather, scatter, scratch, trial uint32
	telemetry                       records
	every, written                  uint32
	capture                         capture
}

// A part is a program as the ticks see it.
type part struct {
	block
	tasks           []task
	safe, telemetry uint32 // lists
	pins            pins
}

type task struct{ at, divisor, entry uint32 }

type figure struct {
	min, max uint32
	total    uint64
}

const (
	lateness = iota
	execution
	slack
)

// A beside is what is loaded beside the program of the loop.
type beside struct {
	image
	state packet.State
}

// loading tells what BEGIN, CHUNK, SEAL and DROP are about, and its state.
func (r *Runner) loading() (*image, *packet.State) {
	if r.state == packet.StateTicking {
		return &r.beside.image, &r.beside.state
	}
	return &r.image, &r.state
}

// running is the program of the next call.
func (l *loop) running() *part {
	if l.goesOn {
		return &l.other
	}
	return &l.program
}

// current is the image that runs, or is loaded.
func (r *Runner) current() *image {
	if r.swapping && r.loop.goesOn {
		return &r.beside.image
	}
	return &r.image
}

// place finds room of so many bytes in a memory in which a running program has some.
func place(capacity, at, used uint32, n uint64) (where, room uint32) {
	if n <= uint64(at) {
		return 0, capacity
	}
	where = min((at+used+63)&^63, capacity)
	return where, capacity - where
}

// plan makes an image a program of the loop.
func (r *Runner) plan(m *image, tasks []uint32, safe uint32) (p part, status packet.Status) {
	if len(tasks)%2 != 0 || len(tasks) == 0 || len(tasks) > 2*packet.MaxEntries {
		return p, packet.StatusBadLength
	}
	for i := 0; i < len(tasks); i += 2 {
		switch {
		case tasks[i] >= uint32(len(m.Entries)):
			return p, packet.StatusOutOfRange
		case tasks[i+1] == 0:
			return p, packet.StatusBadLength
		}
		p.tasks = append(p.tasks, task{m.codeAt + m.Entries[tasks[i]], tasks[i+1], tasks[i]})
	}
	p.block, p.safe = m.block(), safe
	if _, ok := r.carry(p.block, safe, behind, anyLength, check); safe != 0 && !ok {
		return p, packet.StatusOutOfRange
	}
	return p, packet.StatusOK
}

func (r *Runner) startLoop(q *packet.StartRequest) (packet.Status, []any) {
	const most = 1 << 40
	if r.state != packet.StateReady {
		return packet.StatusBadState, nil
	}
	begun := r.now + r.TimerHz>>9
	r.loop = loop{begun: begun, due: begun, heardAt: begun, period: q.Period, rest: q.Rest, limit: q.Limit, misses: q.Misses, silence: q.Silence}
	r.stream.on, r.job.runs = false, 0
	if q.Period == 0 || q.Period|q.Limit|q.Silence >= most {
		return packet.StatusBadLength, nil
	}
	l := &r.loop
	if l.limit == 0 {
		l.limit = 4 * l.period
	}
	p, status := r.plan(&r.image, q.Tasks, q.Safe)
	if status != packet.StatusOK {
		return status, nil
	}
	l.program = p
	if h := q.Histograms; h != 0 {
		n, ok := r.liveWord(h)
		bytes := 12 * uint64(n)
		if !ok || bytes == 0 || bytes > math.MaxUint32 || uint64(h)+4+bytes > uint64(len(r.live)) {
			return packet.StatusOutOfRange, nil
		}
		clear(r.live[h+4:][:bytes])
		l.histograms, l.buckets = h+4, n
	}
	var ok bool
	var at uint32
	if l.program.pins, at, ok = r.checkPins(&r.image, q.Pins); !ok {
		return packet.StatusOutOfRange, detail(at)
	}
	if !r.runPins(startList) {
		return packet.StatusFault, detail(l.fault.Entry)
	}
	if p.length >= 4 {
		clear(r.data[p.at:][:4])
	}
	l.known = true
	r.fault = nil
	r.beside.state = packet.StateIdle
	r.state = packet.StateTicking
	return packet.StatusOK, []any{2, begun}
}

// Ticks tells whether another tick comes.
func (r *Runner) Ticks() bool { return r.state == packet.StateTicking && !r.loop.over }

// Lose is the end of whatever has the ticks, by a fault that no tick tells of.
func (r *Runner) Lose(kind packet.FaultKind) {
	r.lost = &packet.Fault{Kind: kind, Address: faultAddress, Cause: faultCause}
}

// notice is when the runner sees what the ticks have come to.
func (r *Runner) notice() {
	l := &r.loop
	if r.state != packet.StateTicking {
		return
	}
	if r.lost != nil {
		why := packet.LoopEndFault
		if r.lost.Kind == packet.FaultTimeLimit {
			why = packet.LoopEndTimeLimit
		}
		r.lost.Run = l.tick
		l.fault, r.lost = r.lost, nil
		r.endLoop(why)
	} else if l.end != packet.LoopEndNone {
		r.endLoop(l.end)
	}
	r.settle()
}

// endLoop takes note of an end; one that no tick has made comes with safe values, too.
func (r *Runner) endLoop(why packet.LoopEnd) {
	l := &r.loop
	if l.end == packet.LoopEndNone {
		l.end = why
		r.setSafe()
	}
	r.fault, r.lost = l.fault, nil
	r.state = packet.StateReady
	if l.end == packet.LoopEndFault || l.end == packet.LoopEndTimeLimit {
		r.state = packet.StateFaulted
	}
}

func (r *Runner) setSafe() {
	if p := r.loop.running(); p.safe != 0 {
		r.setAll(p.block, p.safe)
	}
	r.runPins(safeList)
}

func (r *Runner) stopLoop() (packet.Status, []any) {
	if r.state == packet.StateTicking {
		r.endLoop(packet.LoopEndStopped)
		r.settle()
	}
	return r.liveAnswer()
}

func (r *Runner) liveAnswer() (packet.Status, []any) {
	l := &r.loop
	if !l.known {
		return packet.StatusBadState, nil
	}
	counts := []any{l.end, l.ticks, l.missed, l.applied, l.appliedTick, l.drops, l.captureState, l.captureNext, l.captureTick, l.swapState, l.swapTick}
	var figures []byte
	for _, f := range l.figures {
		figures = binary.LittleEndian.AppendUint32(figures, f.min)
		figures = binary.LittleEndian.AppendUint32(figures, f.max)
		figures = binary.LittleEndian.AppendUint64(figures, f.total)
	}
	more := []any{2, counts, 3, l.begun, 4, figures, 5, l.sticky}
	if l.fault != nil {
		more = append(more, 6, r.faultRecord(l.fault))
	}
	return packet.StatusOK, more
}

func (r *Runner) apply(q *packet.ApplyRequest) (packet.Status, []any) {
	l := &r.loop
	if r.state != packet.StateTicking {
		return packet.StatusBadState, nil
	}
	if l.staged != 0 || l.swapState == packet.SwapPending {
		return packet.StatusBusy, nil
	}
	if _, ok := r.carry(l.running().block, q.List, behind, anyLength, check); !ok {
		return packet.StatusOutOfRange, nil
	}
	l.staged, l.stagedTick = q.List, q.Tick
	return packet.StatusOK, []any{2, l.tick}
}
