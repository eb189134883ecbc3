package session

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session/live"
)

// A Task is an entry of the loaded image that a loop calls, and how often.
type Task struct {
	Entry   uint32
	Divisor uint32 // in ticks whose number is a multiple of this
}

// A LoopStart says how a loop runs. Times are in counts of the runner's timer.
type LoopStart struct {
	Period   uint64
	Rest     uint32 // 2^-32 counts
	Limit    uint64 // of a tick; 0: four periods
	Tasks    []Task // in order
	Misses   uint32 // due times missed in a row that end it; 0: it goes on
	Silence  uint64 // of this host that ends it; 0: it goes on
	Watchdog uint32 // milliseconds of the hardware watchdog; 0: none
	Safe     []Piece
	Pins     uint32 // place in the code block of the lists for the pins; 0: none
}

// A Loop is the program of a session running every tick. Its methods may be called from several goroutines. The loop goes on
// when the session is closed.
type Loop struct {
	s      *Session
	length atomic.Uint64 // of the running program's data block

	// setting is held while a set is staged and waited for, and by a swap, always before mu.
	setting sync.Mutex
	staging [2]live.Block
	staged  int  // index of the one that is used next
	unsure  bool // a set of before may be pending
	large   live.Block

	mu       sync.Mutex // held for whatever changes what is below
	image    *packet.Image
	note     live.Note    // what it has of start, period and histograms stays the same
	guessed  bool         // the period is not known: that of the note is for the pauses between questions
	arena    *live.Arena  // nil: nobody knows what of live memory is in use, since there was no note, or else
	lacking  error        // for another reason than that
	code     uint32       // place of the running program's code
	data     uint32       // and of its data
	stream   *Telemetry   // nil: none. Changed by who holds the session's token, too
	captured *Capture     // nil: none
	swapped  []live.Block // lists of the running program that a swap has left
}

// timeBits is how many bits a period, limit or silence may have, in counts of the timer; of small runners fewer.
const timeBits = 40

// startGrace is how long START may take beyond an answer: it clears the histograms.
const startGrace = 100 * time.Millisecond

// canLoop reports what keeps the runner from running loops.
func (s *Session) canLoop() error {
	if have := s.Info().LiveCapacity; have < live.NoteLength {
		return &NoLoopError{Live: have}
	}
	return nil
}

// StartLoop starts the image that is loaded.
func (s *Session) StartLoop(ctx context.Context, m *packet.Image, c LoopStart) (*Loop, error) {
	if err := s.canLoop(); err != nil {
		return nil, err
	}
	if err := s.notTicking(ctx); err != nil {
		return nil, err
	}
	if c.Watchdog != 0 && s.Info().LoopFeatures&packet.LoopWatchdog == 0 {
		return nil, &FeatureError{watchdogWhat, packet.LoopWatchdog}
	}
	if err := s.canPins(c.Pins); err != nil {
		return nil, err
	}
	tooLong := &PeriodError{c.Period, c.Limit, c.Silence, s.Info().TimerHz}
	if c.Period == 0 || (c.Period|c.Limit|c.Silence)>>timeBits != 0 {
		return nil, tooLong
	}
	if err := live.CheckSpans(live.SpansOf(c.Safe), uint64(len(m.Data))+uint64(m.BSS)); err != nil {
		return nil, fmt.Errorf("safe values: %w", err)
	}
	l := &Loop{s: s, image: m, note: live.Note{Period: c.Period, Rest: c.Rest, Digest: m.Digest()}}
	l.length.Store(uint64(len(m.Data)) + uint64(m.BSS))
	writes, err := l.lay(&c)
	if err != nil {
		return nil, err
	}
	writes = append(writes, Piece{Bytes: l.note.Append(nil)}) // for who comes before its due time is written
	start := &step{request: &packet.StartRequest{
		Period: c.Period, Rest: c.Rest, Limit: c.Limit, Tasks: pairs(c.Tasks), Misses: c.Misses, Silence: c.Silence,
		Safe: l.note.Safe, Histograms: l.note.Histograms, Watchdog: c.Watchdog, Pins: c.Pins,
	}, reply: smallReply, work: startGrace}
	err = s.exclusive(ctx, func() error {
		if err := s.insist(ctx, s.writeTo(&regionLive, writes)); err != nil {
			return err
		}
		if err := s.series(ctx, s.opt.Timeout, start); err != nil {
			return err
		}
		return start.err
	})
	if err != nil {
		if device := s.deviceFailed(ctx, err); device != nil {
			return nil, device
		}
		return nil, pinsRefused(startRefused(err, tooLong, c.Watchdog), c.Pins)
	}
	s.looped.Store(true)
	s.guarded.Store(c.Watchdog != 0)
	l.note.Start = start.answer.(*packet.StartResponse).Start
	return l, l.do(ctx, l.writeNote()...)
}

// lay decides what lies where in live memory, and returns what is to be written there before the start.
func (l *Loop) lay(c *LoopStart) ([]Piece, error) {
	capacity := l.s.Info().LiveCapacity
	fixed := live.NewArena(live.NoteLength, capacity)
	tasks := live.Tasks(pairs(c.Tasks))
	at, err := fixed.Take("the list of tasks", len(tasks))
	if err != nil {
		return nil, err
	}
	l.note.Tasks = at.At
	writes := []Piece{{Offset: at.At, Bytes: tasks}}
	if len(c.Safe) > 0 {
		safe := live.Set(c.Safe)
		if at, err = fixed.Take("the list of safe values", len(safe)); err != nil {
			return nil, err
		}
		l.note.Safe = at.At
		writes = append(writes, Piece{Offset: at.At, Bytes: safe})
	}
	longest := c.Limit
	if c.Period < math.MaxUint64/4 {
		longest = max(longest, 4*c.Period)
	}
	if n := live.Buckets(longest, fixed.Largest()/2); n > 0 {
		if at, err = fixed.Take("histograms", live.HistogramLength(n)); err != nil {
			return nil, err
		}
		l.note.Histograms, l.note.Buckets = at.At, uint32(n)
		writes = append(writes, Piece{Offset: at.At, Bytes: binary.LittleEndian.AppendUint32(nil, uint32(n))})
	}
	l.note.Free = capacity/4*4 - uint32(fixed.Largest())
	l.share(capacity)
	return writes, nil
}

// share divides what is not fixed.
func (l *Loop) share(capacity uint32) {
	l.arena = live.NewArena(l.note.Free, capacity)
	length := min(l.arena.Largest()/8, maxStaging)
	for i := range l.staging {
		l.staging[i], _ = l.arena.Take("staging", length) // an eighth has room
	}
}

// maxStaging is how long a set may be that needs no room of its own.
const maxStaging = 4096

func pairs(tasks []Task) []uint32 {
	var list []uint32
	for _, t := range tasks {
		list = append(list, t.Entry, t.Divisor)
	}
	return list
}

// writeNote writes the note as it is now.
func (l *Loop) writeNote() []*step {
	return l.s.writeTo(&regionLive, []Piece{{Bytes: l.note.Append(nil)}})
}

// do carries out steps that may be repeated, and opens a subscription again that has ended with its session.
func (l *Loop) do(ctx context.Context, steps ...*step) error {
	return l.carry(ctx, func() error {
		for _, st := range steps {
			st.answer, st.err = nil, nil
		}
		return l.s.insist(ctx, steps)
	})
}

// once carries out a step that must not be done twice, after ones that may be.
func (l *Loop) once(ctx context.Context, st *step, before ...*step) error {
	return l.carry(ctx, func() error {
		if err := l.s.insist(ctx, before); err != nil {
			return err
		}
		if err := l.s.series(ctx, l.s.opt.Timeout, st); err != nil {
			return err
		}
		return st.err
	})
}

// carry carries out what do does, in an open session. A runner that is busy, since it finds no moment between two ticks, or is
// about to go over to another program, is asked again; a set that waits for its tick may do so for long, which is for others to decide.
func (l *Loop) carry(ctx context.Context, do func() error) error {
	for begun := time.Now(); ; {
		err := l.s.exclusive(ctx, func() error {
			if err := l.stream.follow(ctx); err != nil {
				return err
			}
			return do()
		})
		var refused *RemoteError
		switch {
		case !errors.As(err, &refused):
			return err
		case refused.Status == packet.StatusBadState:
			return l.ended(ctx, refused)
		case refused.Status != packet.StatusBusy || refused.Op == packet.MsgApply || time.Since(begun) > l.s.opt.Timeout:
			return err
		}
		if err := sleep(ctx, minPoll); err != nil {
			return err
		}
	}
}

// ended finds out why a request is not allowed.
func (l *Loop) ended(ctx context.Context, refused *RemoteError) error {
	if refused.Op == packet.MsgLive {
		return &EndedError{Lost: true}
	}
	ask := l.askLive()
	if err := l.s.exclusive(ctx, func() error { return l.s.insist(ctx, []*step{ask}) }); err != nil {
		return &EndedError{Lost: true}
	}
	r := (*packet.StopResponse)(ask.answer.(*packet.LiveResponse))
	if r.Counts.End == packet.LoopEndNone {
		return refused
	}
	return &EndedError{End: r.Counts.End, Fault: r.Fault}
}

// liveReply is the answer to LIVE with a fault, in bytes.
const liveReply = 256

func (*Loop) askLive() *step { return &step{request: &packet.LiveRequest{}, reply: liveReply} }

// A LoopState is how a loop goes.
type LoopState struct {
	packet.StopResponse
	Period     uint64      // counts; 0: it is not known
	Rest       uint32      // 2^-32 counts
	Histograms [3][]uint32 // of lateness, execution and slack; empty: the runner has no room for them
}

// Live tells how the loop goes, also after its end.
func (l *Loop) Live(ctx context.Context) (*LoopState, error) {
	r, err := l.counts(ctx)
	if err != nil {
		return nil, err
	}
	return l.state(ctx, r)
}

func (l *Loop) counts(ctx context.Context) (*packet.StopResponse, error) {
	ask := l.askLive()
	if err := l.do(ctx, ask); err != nil {
		return nil, err
	}
	r := (*packet.StopResponse)(ask.answer.(*packet.LiveResponse))
	if r.Counts.End != packet.LoopEndNone {
		l.s.guarded.Store(false)
	}
	return r, nil
}

// steady is how often the histograms are read in the hope that no tick comes in between.
const steady = 4

// state reads the histograms, of the same ticks as the counts where the line is fast enough for that.
func (l *Loop) state(ctx context.Context, r *packet.StopResponse) (*LoopState, error) {
	for range steady {
		s, err := l.histograms(ctx, r)
		if err != nil || r.Counts.End != packet.LoopEndNone || s.Histograms[0] == nil {
			return s, err
		}
		again, err := l.counts(ctx)
		if err != nil || again.Counts.Ticks == r.Counts.Ticks {
			return s, err
		}
		r = again
	}
	return l.histograms(ctx, r)
}

func (l *Loop) histograms(ctx context.Context, r *packet.StopResponse) (*LoopState, error) {
	note := &l.note
	s := &LoopState{StopResponse: *r}
	if !l.guessed {
		s.Period, s.Rest = note.Period, note.Rest
	}
	if note.Histograms == 0 || r.Counts.Ticks == 0 {
		return s, nil
	}
	var spans []Span
	var firsts []int
	for kind, f := range r.Times() {
		offset, length, first := live.Part(kind, int(note.Buckets), f.Min, f.Max)
		spans = append(spans, Span{Offset: note.Histograms + uint32(offset), Length: length})
		firsts = append(firsts, first)
	}
	parts, err := l.readLive(ctx, spans)
	if err != nil {
		return nil, err
	}
	for kind := range s.Histograms {
		s.Histograms[kind] = make([]uint32, note.Buckets)
		live.Counts(s.Histograms[kind], firsts[kind], parts[kind])
	}
	return s, nil
}

// readLive reads live memory.
func (l *Loop) readLive(ctx context.Context, spans []Span) ([][]byte, error) {
	steps := l.s.readFrom(&regionLive, spans)
	if err := l.do(ctx, steps...); err != nil {
		return nil, err
	}
	var r Result
	r.collect(spans, steps)
	return r.Data, nil
}

// Stop ends the loop between two ticks. Of one that has ended by itself it tells why.
func (l *Loop) Stop(ctx context.Context) (*LoopState, error) {
	stop := &step{request: &packet.StopRequest{}, reply: liveReply, work: startGrace}
	if err := l.do(ctx, stop); err != nil {
		return nil, err
	}
	l.s.guarded.Store(false)
	return l.state(ctx, stop.answer.(*packet.StopResponse))
}

// Tell tells what a user should know of this loop's live memory; empty: nothing.
func (l *Loop) Tell() string {
	if l.note.Histograms == 0 {
		return fmt.Sprintf("the runner has %d bytes of live memory, too few for histograms: there are no percentiles of its times", l.s.Info().LiveCapacity)
	}
	return ""
}

// due is how long it takes until a tick, of which ticks before are to come.
func (l *Loop) due(ticks uint32) time.Duration {
	counts := float64(l.note.Period) + float64(l.note.Rest)/(1<<32)
	return time.Duration(min(counts*float64(ticks)/float64(l.s.Info().TimerHz)*1e9, math.MaxInt64/4))
}

const (
	minPoll = 2 * time.Millisecond
	maxPoll = 100 * time.Millisecond
)

// poll asks how the loop goes, until done says that it is enough or the loop has ended, first after some ticks.
func (l *Loop) poll(ctx context.Context, ticks uint32, done func(*packet.LoopCounts) bool) (*packet.StopResponse, error) {
	wait := l.due(ticks)
	pause := min(max(l.due(1), minPoll), maxPoll)
	for {
		if err := sleep(ctx, min(wait, time.Second)); err != nil {
			return nil, err
		}
		wait = max(wait-time.Second, pause)
		r, err := l.counts(ctx)
		if err != nil || done(&r.Counts) || r.Counts.End != packet.LoopEndNone {
			return r, err
		}
	}
}
