package loop

import (
	"encoding/binary"
	"math"
	"math/bits"
	"runtime"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/alarm"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A part is what a swap exchanges.
type part struct {
	body   Body
	memory []byte
	tasks  []device.Task
	safe   []device.Piece
}

// state is what ticks work on.
type state struct {
	part
	counts

	first   time.Duration // when tick 0 was due, by the alarm's clock
	due     moment        // of tick n
	n       uint32
	step    moment
	misses  uint32
	silence time.Duration
	limit   time.Duration // 0: none
	heard   uint32
	heardAt time.Duration

	staged  *set // nil: none
	applied *set // whose caller is told after the tick
	stream  *stream
	capture *capture
	swap    *exchange
}

// counts are what Status tells.
type counts struct {
	end                                   string
	fault                                 error
	ticks, missed, setsApplied, drops     uint32
	flags                                 device.Flags
	swapState                             string
	lateness, execution, slack            device.Figures
	lateBuckets, execBuckets, slackBucket [packet.HistogramBuckets]uint32
}

func (c *counts) status(period time.Duration) *device.LoopStatus {
	ns := func(n uint64) time.Duration { return time.Duration(n) }
	s := &device.LoopStatus{Running: c.end == "", End: c.end, Fault: c.fault, Period: period, Ticks: c.ticks, Missed: c.missed,
		Applied: c.setsApplied, Drops: c.drops, Flags: c.flags, Swap: c.swapState, Resolution: 1}
	if s.Swap == "" {
		s.Swap = "none"
	}
	s.Lateness = c.lateness.Spread(c.ticks, c.lateBuckets[:], ns)
	s.Execution = c.execution.Spread(c.ticks, c.execBuckets[:], ns)
	s.Slack = c.slack.Spread(c.ticks, c.slackBucket[:], ns)
	return s
}

// A moment is a time in nanoseconds and 2^-32 of them.
type moment struct {
	ns   time.Duration
	rest uint32
}

// add is a moment n steps later.
func (m moment) add(step moment, n uint64) moment {
	high, low := bits.Mul64(uint64(step.rest), n)
	low, carry := bits.Add64(low, uint64(m.rest), 0)
	high += carry
	return moment{m.ns + step.ns*time.Duration(n) + time.Duration(high<<32|low>>32), uint32(low)}
}

// nap is the longest sleep that the link side does not end: it waits as long at most.
const nap = 5 * time.Millisecond

// run is the goroutine of the loop.
func (l *Loop) run() {
	runtime.LockOSThread()
	clock := alarm.Set()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	s := &l.tick
	s.first = clock.Now()
	s.due, s.heardAt, s.heard = moment{ns: s.first}, s.first, l.heard.Load()
	for s.end == "" {
		now := clock.Now()
		if left := s.due.ns - now; left > 0 {
			l.sleep(clock, timer, left)
			continue
		}
		l.turn(clock, now)
		l.tell()
		if l.mail.Load() != nil && clock.Now() >= s.due.ns {
			l.serve(0) // there is no pause before the next tick
		}
	}
	clock.Restore()
	runtime.UnlockOSThread()
	l.close()
}

// sleep returns when the tick is due, or when the link side wanted something.
func (l *Loop) sleep(clock alarm.Alarm, timer *time.Timer, left time.Duration) {
	if l.serve(left); l.tick.end != "" {
		return
	}
	if left <= nap {
		clock.Until(l.tick.due.ns)
		return
	}
	timer.Reset(left - nap/2)
	select {
	case <-timer.C:
	case <-l.wake:
	}
}

// turn is one tick.
func (l *Loop) turn(clock alarm.Alarm, now time.Duration) {
	s := &l.tick
	late := now - s.due.ns
	if s.swap != nil && s.swap.state == "pending" {
		s.exchange()
	}
	if set := s.staged; set != nil && (set.at == 0 || int32(s.n-set.at) >= 0) {
		scatter(s.memory, set.writes)
		set.tick, s.staged, s.applied = s.n, nil, set
		s.setsApplied++
	}
	err := s.runTasks()
	s.record(now)
	end := clock.Now()
	took := end - now
	s.due = s.due.add(s.step, 1)
	slack := max(s.due.ns-end, 0)
	s.note(late, took, slack)
	tick := s.n
	missed := s.skip(end)
	s.ticks++
	reason := ""
	switch {
	case err != nil:
		reason = "fault"
	case s.limit > 0 && took > s.limit:
		reason = "time-limit"
		if l.host.Late != nil {
			err = l.host.Late(tick)
		}
	}
	if s.swap != nil && s.swap.state == "trial" && s.tried(reason, err, took) {
		return
	}
	switch {
	case reason != "":
	case s.misses > 0 && missed >= s.misses:
		reason = "misses"
	case s.silent(l.heard.Load(), end):
		reason = "silence"
	default:
		return
	}
	s.finish(reason, err)
}

// runTasks runs the tasks that are due.
func (s *state) runTasks() (err error) {
	flags := s.memory[image.FlagsOffset:][:4]
	clear(flags)
	for i := range s.tasks {
		if t := &s.tasks[i]; s.n%uint32(t.Divisor) == 0 {
			if err = s.body.Run(t.Entry, s.n); err != nil {
				break
			}
		}
	}
	s.flags |= device.Flags(binary.NativeEndian.Uint32(flags))
	return err
}

// note counts the times of a tick.
func (s *state) note(late, took, slack time.Duration) {
	for _, f := range [...]struct {
		figures *device.Figures
		buckets *[packet.HistogramBuckets]uint32
		time    time.Duration
	}{{&s.lateness, &s.lateBuckets, late}, {&s.execution, &s.execBuckets, took}, {&s.slack, &s.slackBucket, slack}} {
		v := uint32(min(max(f.time, 0), math.MaxUint32))
		f.figures.Note(v, s.ticks == 0)
		if b := &f.buckets[packet.HistogramBucket(v)]; *b < math.MaxUint32 {
			*b++
		}
	}
}

// skip goes on to the first due time that has not passed: that of tick n. The phase stays.
func (s *state) skip(now time.Duration) (missed uint32) {
	s.n++
	if now > s.due.ns {
		// A machine may have slept for a day.
		if n := uint64((now - s.due.ns) / (s.step.ns + 1)); n > 0 {
			s.due = s.due.add(s.step, n)
			missed = uint32(min(n, math.MaxUint32))
		}
		for now > s.due.ns {
			s.due = s.due.add(s.step, 1)
			missed++
		}
	}
	s.n += missed
	s.missed += missed
	return missed
}

// silent tells whether the host was silent for too long.
func (s *state) silent(heard uint32, now time.Duration) bool {
	if s.silence == 0 || heard != s.heard {
		s.heard, s.heardAt = heard, now
	}
	return s.silence > 0 && now-s.heardAt > s.silence
}

func scatter(memory []byte, writes []device.Piece) {
	for _, w := range writes {
		copy(memory[w.Offset:], w.Bytes)
	}
}

// finish ends the loop: safe values take effect at once.
func (s *state) finish(reason string, err error) {
	scatter(s.memory, s.safe)
	s.end = reason
	if err != nil {
		s.fault = err
	}
	if c := s.capture; c != nil {
		c.ended(reason)
	}
}

// tell wakes who waits for what the tick has done.
func (l *Loop) tell() {
	s := &l.tick
	if s.applied != nil {
		close(s.applied.done)
		s.applied = nil
	}
	if s.stream != nil {
		s.stream.tell()
	}
	if c := s.capture; c != nil && c.over {
		s.capture = nil
		close(c.done)
	}
	if x := s.swap; x != nil && x.settled {
		s.swap = nil
		close(x.done)
	}
}

// close tells everybody that the loop has ended.
func (l *Loop) close() {
	s := &l.tick
	if s.stream != nil {
		s.stream.end()
		s.stream = nil
	}
	if x := s.swap; x != nil {
		x.settled, x.cause = true, s.ended()
	}
	l.tell()
	if l.host.Ended != nil {
		l.host.Ended(s.body, s.counts.status(l.period))
	}
	close(l.over)
}
