package sessiontest

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A loop is a program that runs every tick. Ticks take no time but what Runner.Tick says, and are not late.
type loop struct {
	request  packet.StartRequest
	start    uint64 // counts of the timer
	number   uint32 // of the next tick
	image    *image
	counts   packet.LoopCounts
	figures  [3]packet.Figure
	sticky   uint32
	fault    *packet.Fault
	staged   uint32 // list; 0: none
	at       uint32 // its tick
	stopped  chan struct{}
	wake     chan struct{} // holds a token when there is a batch
	stream   stream
	capture  capture
	swap     *packet.SwapRequest
	old      *image // while a swap is on trial
	oldTasks []uint32
	tasks    []uint32
	safe     uint32
	oldSafe  uint32
	trial    uint32 // ticks left
}

// A stream is a subscription.
type stream struct {
	packet.SubscribeRequest
	session uint16
	seq     uint16
	ring    []record // that wait
	drops   uint32
}

type record struct {
	tick, time uint32
	values     []byte
}

type capture struct {
	packet.CaptureRequest
	left uint32
	hit  bool
}

// counts is the time of the timer.
func (r *Runner) counts() uint64 {
	return uint64(float64(time.Since(r.born)) / 1e9 * float64(r.Hello.TimerHz))
}

// word returns a word of live memory, 0 if there is none.
func (r *Runner) word(at uint32) uint32 {
	if uint64(at)+4 > uint64(len(r.live)) {
		return 0
	}
	return binary.LittleEndian.Uint32(r.live[at:])
}

// walk calls do for each part of a list, with the data and the place of the values one after the other behind it. It
// returns how many bytes of values there are, -1 if the list is not valid.
func (r *Runner) walk(list uint32, data []byte, do func(data []byte, behind uint32)) int {
	count := r.word(list)
	if list%4 != 0 || uint64(list)+4+8*uint64(count) > uint64(len(r.live)) {
		return -1
	}
	values, n := list+4+8*count, 0
	for i := range count {
		offset, length := r.word(list+4+8*i), r.word(list+8+8*i)
		if (offset|length)%4 != 0 || uint64(offset)+uint64(length) > uint64(len(data)) {
			return -1
		}
		do(data[offset:offset+length], values)
		values += length
		n += int(length)
	}
	return n
}

func (r *Runner) gather(list uint32, data []byte) (values []byte, ok bool) {
	n := r.walk(list, data, func(part []byte, _ uint32) { values = append(values, part...) })
	return values, n >= 0
}

func (r *Runner) scatter(list uint32, data []byte) bool {
	return r.walk(list, data, func(part []byte, behind uint32) {
		if uint64(behind)+uint64(len(part)) <= uint64(len(r.live)) {
			copy(part, r.live[behind:])
		}
	}) >= 0
}

func (r *Runner) startLoop(q *packet.StartRequest) packet.Response {
	if r.state != packet.StateReady {
		return &packet.StartResponse{Status: packet.StatusBadState}
	}
	if q.Watchdog != 0 && r.Watchdog != packet.StatusOK {
		return &packet.StartResponse{Status: r.Watchdog}
	}
	if q.Pins != 0 && r.Pins != packet.StatusOK {
		return &packet.StartResponse{Status: r.Pins, Start: uint64(q.Pins + r.PinsEntry)}
	}
	for i := 0; i < len(q.Tasks); i += 2 {
		if int(q.Tasks[i]) >= len(r.image.begin.Entries) {
			return &packet.StartResponse{Status: packet.StatusOutOfRange}
		}
	}
	running := r.image
	l := &loop{
		request: *q, start: r.counts() + r.Hello.TimerHz/500, image: &running, stopped: make(chan struct{}), tasks: q.Tasks, safe: q.Safe,
		wake: make(chan struct{}, 1),
	}
	if q.Histograms != 0 {
		clear(r.live[q.Histograms+4 : q.Histograms+4+12*r.word(q.Histograms)])
	}
	r.loop, r.state = l, packet.StateTicking
	go r.tick(l)
	go r.stream(l)
	return &packet.StartResponse{Start: l.start}
}

// due is when a tick is due.
func (l *loop) due(n uint32) uint64 {
	return l.start + uint64(n)*l.request.Period + uint64(n)*uint64(l.request.Rest)>>32
}

// tick carries out ticks until the loop has ended.
func (r *Runner) tick(l *loop) {
	for {
		r.mu.Lock()
		if l.counts.End != packet.LoopEndNone {
			r.mu.Unlock()
			return
		}
		due := l.due(l.number)
		now := r.counts()
		if due > now {
			r.mu.Unlock()
			select {
			case <-time.After(time.Duration(math.Ceil(float64(due-now) / float64(r.Hello.TimerHz) * 1e9))):
			case <-l.stopped:
				return
			}
			continue
		}
		end := r.oneTick(l, due)
		if end != packet.LoopEndNone && l.counts.End == packet.LoopEndNone {
			r.endLoop(l, end)
		}
		over := l.counts.End != packet.LoopEndNone
		r.mu.Unlock()
		if over {
			return
		}
	}
}

func (r *Runner) endLoop(l *loop, end packet.LoopEnd) {
	r.scatter(l.safe, l.image.data)
	l.counts.End = end
	if l.counts.Capture == packet.CaptureArmed && l.capture.Trigger == packet.TriggerEnd && end != packet.LoopEndStopped {
		l.counts.Capture, l.counts.CaptureTick = packet.CaptureDone, l.number-1
	}
	close(l.stopped)
	r.image, r.state = *l.image, packet.StateReady
	if end == packet.LoopEndFault {
		r.state = packet.StateFaulted
	}
	l.rouse()
}

func (r *Runner) oneTick(l *loop, due uint64) packet.LoopEnd {
	n := l.number
	r.swapNow(l)
	if l.staged != 0 && (l.at == 0 || int32(n-l.at) >= 0) {
		if !r.scatter(l.staged, l.image.data) {
			return packet.LoopEndPlan
		}
		l.staged = 0
		l.counts.Applied++
		l.counts.AppliedTick = n
	}
	took := uint64(0)
	if r.Tick != nil {
		took = uint64(r.Tick(n).Seconds() * float64(r.Hello.TimerHz))
	}
	var fault *packet.Fault
	for i := 0; i < len(l.tasks); i += 2 {
		if n%l.tasks[i+1] == 0 && fault == nil {
			var ticks uint64
			ticks, fault = r.Program(l.tasks[i], l.image.data)
			took += ticks
		}
	}
	r.record(l, n, due)
	l.counts.Ticks++
	end := due + took
	for l.number++; l.due(l.number) < end; l.number++ {
		l.counts.Missed++
	}
	r.note(l, 0, 0)
	r.note(l, 1, uint32(took))
	r.note(l, 2, uint32(l.due(l.number)-end))
	missed := l.number - n - 1
	if fault != nil {
		fault.Run = n
	}
	if l.trial > 0 {
		if l.trial--; fault != nil || missed > 0 {
			l.image, l.old, l.trial, l.tasks, l.safe = l.old, l.image, 0, l.oldTasks, l.oldSafe
			l.counts.Swap, l.counts.SwapTick, l.fault = packet.SwapBack, l.number, fault
			return packet.LoopEndNone
		}
		if l.trial == 0 {
			l.counts.Swap = packet.SwapKept
		}
	}
	if fault != nil {
		l.fault = fault
		return packet.LoopEndFault
	}
	if l.request.Misses != 0 && missed >= l.request.Misses {
		return packet.LoopEndMisses
	}
	return packet.LoopEndNone
}

// note takes a time into the figures and histograms.
func (r *Runner) note(l *loop, kind int, v uint32) {
	f := &l.figures[kind]
	if l.counts.Ticks == 1 || v < f.Min {
		f.Min = v
	}
	f.Max = max(f.Max, v)
	f.Total += uint64(v)
	if at := l.request.Histograms; at != 0 {
		n := r.word(at)
		bucket := v
		if v >= 64 {
			e := uint32(math.Log2(float64(v)))
			bucket = 64 + (e-6)*32 + v>>(e-5)&31
		}
		place := at + 4 + 4*(uint32(kind)*n+min(bucket, n-1))
		binary.LittleEndian.PutUint32(r.live[place:], r.word(place)+1)
	}
}

// record takes records of a tick for telemetry and a capture.
func (r *Runner) record(l *loop, n uint32, now uint64) {
	if s := &l.stream; s.List != 0 && n%s.Every == 0 {
		values, ok := r.gather(s.List, l.image.data)
		switch {
		case !ok:
		case uint32(len(s.ring)) >= s.Length/uint32(8+len(values)):
			s.drops++
			l.counts.Drops++
		default:
			s.ring = append(s.ring, record{n, uint32(now), values})
			if uint32(len(s.ring)) >= s.Batch {
				l.rouse()
			}
		}
	}
	c := &l.capture
	if l.counts.Capture != packet.CaptureArmed && l.counts.Capture != packet.CaptureTriggered {
		return
	}
	values, _ := r.gather(c.List, l.image.data)
	b := binary.LittleEndian.AppendUint32(nil, n)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(now)), values...)
	copy(r.live[c.Ring+l.counts.CaptureNext*uint32(len(b)):], b)
	l.counts.CaptureNext = (l.counts.CaptureNext + 1) % (c.Length / uint32(len(b)))
	if l.counts.Capture == packet.CaptureTriggered {
		c.left--
	} else {
		v, before := int32(binary.LittleEndian.Uint32(l.image.data[c.Offset:])), c.hit
		c.hit = v > int32(c.Threshold)
		switch c.Trigger {
		case packet.TriggerNow:
		case packet.TriggerAbove:
			if !c.hit {
				return
			}
		case packet.TriggerRising:
			if !c.hit || before {
				return
			}
		default:
			return
		}
		l.counts.Capture, l.counts.CaptureTick = packet.CaptureTriggered, n
	}
	if c.left == 0 {
		l.counts.Capture = packet.CaptureDone
	}
}

// swapNow goes over to the program that waits.
func (r *Runner) swapNow(l *loop) {
	q := l.swap
	if q == nil {
		return
	}
	l.swap = nil
	moved, _ := r.gather(q.Gather, l.image.data)
	if q.Gather != 0 {
		r.walk(q.Scatter, r.image.data, func(part []byte, _ uint32) {
			copy(part, moved)
			moved = moved[len(part):]
		})
	}
	next := r.image
	l.old, l.oldTasks, l.oldSafe = l.image, l.tasks, l.safe
	l.image, l.tasks, l.safe, l.trial = &next, q.Tasks, q.Safe, q.Trial
	l.stream.List = q.Telemetry
	l.counts.Swap, l.counts.SwapTick = packet.SwapTrial, l.number
	if l.counts.Capture != packet.CaptureDone {
		l.counts.Capture = packet.CaptureOff
	}
	if q.Trial == 0 {
		l.counts.Swap = packet.SwapKept
	}
}

func (l *loop) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// stream sends what waits, a packet at a time.
func (r *Runner) stream(l *loop) {
	for {
		select {
		case <-l.wake:
		case <-r.hungUp:
			return
		}
		r.mu.Lock()
		r.sleep(time.Until(r.held))
		s := &l.stream
		for r.loop == l && s.session == r.link.session {
			over := l.counts.End != packet.LoopEndNone
			n := min(len(s.ring), int(s.Batch))
			if n == 0 || n < int(s.Batch) && !over {
				break
			}
			batch := 1
			for batch < n && s.ring[batch].tick == s.ring[0].tick+uint32(batch)*s.Every {
				batch++
			}
			t := packet.Tel{Tick: s.ring[0].tick, Time: s.ring[0].time, Drops: s.drops}
			for _, one := range s.ring[:batch] {
				t.Values = append(t.Values, one.values...)
			}
			s.ring = slices.Delete(s.ring, 0, batch)
			seq := s.seq
			s.seq++
			r.send(packet.KindTel, s.session, seq, t.Append(nil))
		}
		r.mu.Unlock()
	}
}

// carryOutLoop answers the messages of loops.
func (r *Runner) carryOutLoop(req packet.Request) packet.Response {
	l := r.loop
	ticking := r.state == packet.StateTicking
	switch q := req.(type) {
	case *packet.StartRequest:
		return r.startLoop(q)
	case *packet.StopRequest:
		if ticking {
			r.endLoop(l, packet.LoopEndStopped)
		}
		answer := packet.StopResponse(*r.liveAnswer())
		return &answer
	case *packet.LiveRequest:
		return r.liveAnswer()
	case *packet.ApplyRequest:
		switch {
		case !ticking:
			return &packet.ApplyResponse{Status: packet.StatusBadState}
		case l.staged != 0:
			return &packet.ApplyResponse{Status: packet.StatusBusy}
		}
		l.staged, l.at = q.List, q.Tick
		return &packet.ApplyResponse{Tick: l.number}
	case *packet.SubscribeRequest:
		if !ticking {
			return &packet.SubscribeResponse{Status: packet.StatusBadState}
		}
		l.stream = stream{SubscribeRequest: *q, session: r.link.session}
		l.counts.Drops = 0
		return &packet.SubscribeResponse{}
	case *packet.CaptureRequest:
		if !ticking {
			return &packet.CaptureResponse{Status: packet.StatusBadState}
		}
		l.counts.Capture = packet.CaptureOff
		if q.List != 0 {
			l.capture = capture{CaptureRequest: *q, left: q.After, hit: true}
			l.counts.Capture, l.counts.CaptureNext = packet.CaptureArmed, 0
		}
		return &packet.CaptureResponse{}
	case *packet.SwapRequest:
		if !ticking || r.beside != packet.StateReady {
			return &packet.SwapResponse{Status: packet.StatusBadState}
		}
		if q.Pins != 0 && r.Pins != packet.StatusOK {
			return &packet.SwapResponse{Status: r.Pins, Detail: q.Pins + r.PinsEntry}
		}
		l.swap, l.counts.Swap = q, packet.SwapPending
		return &packet.SwapResponse{}
	}
	panic("no such request")
}

func (r *Runner) liveAnswer() *packet.LiveResponse {
	l := r.loop
	if l == nil {
		return &packet.LiveResponse{Status: packet.StatusBadState}
	}
	return &packet.LiveResponse{
		Counts: l.counts, Start: l.start, Figures: packet.AppendFigures(nil, l.figures), Sticky: l.sticky, Fault: l.fault,
	}
}

// liveMemory answers READ and WRITE of live memory.
func (r *Runner) liveMemory(offset uint32, n uint64) ([]byte, packet.Status) {
	if uint64(offset)+n > uint64(len(r.live)) {
		return nil, packet.StatusOutOfRange
	}
	return r.live[offset : uint64(offset)+n], packet.StatusOK
}

// Hold keeps a loop's telemetry from the line for some time, as the work of other requests does.
func (r *Runner) Hold(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = time.Now().Add(d)
}

// Scribble writes into live memory.
func (r *Runner) Scribble(at int, b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	copy(r.live[at:], b)
}
