package loop

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
)

// A Body is a program as a loop runs it. From Start until the loop has ended nobody else may use it.
type Body interface {
	// Memory is the data block, always the same slice.
	Memory() []byte
	// Run runs an entry in a tick. It leaves the sticky flags that it raises, or-ed, in the word at
	// image.FlagsOffset.
	Run(entry int, tick uint32) error
}

// A Host is the device of a loop: what it does that differs between devices. Nil functions do nothing.
type Host struct {
	// Load makes the program of a swap ready, which has that many entries; nil: there are no swaps.
	Load func(ctx context.Context, p *compiler.Program) (b Body, entries int, err error)
	// Drop is told of a program that is not used any more: of a swap that went back, or the one before.
	Drop func(Body)
	// Late is the error of a tick that has taken longer than the limit.
	Late func(tick uint32) error
	// Ended is told when the loop has, and with which program, before anybody else is.
	Ended func(b Body, s *device.LoopStatus)
}

// Loop is a loop in this process.
type Loop struct {
	host   Host
	period time.Duration

	mail atomic.Pointer[request] // what the link side wants done between two ticks
	wake chan struct{}           // ends a longer sleep
	post chan struct{}           // held by whoever may put something into mail
	sets chan struct{}           // held while a set or a swap is pending
	over chan struct{}           // closed when the loop has ended
	// heard counts what the host did: what silence is measured by.
	heard atomic.Uint32

	tick state // the goroutine's, and after the end that of whoever holds post
}

// A request is carried out between two ticks.
type request struct {
	do     func()
	cost   time.Duration // that it takes, about; 0: next to nothing
	passed int           // how often too little time was left for it
	done   chan struct{}
}

// patience is how often a request is passed over since no pause between two ticks is long enough for it. Then a
// tick starts late for it: otherwise a loop that is busy all the time could not even be asked how it goes.
const patience = 1000

// New makes the loop of a program with so many entries, for Start. A limit of 0 is none: what a tick may take
// otherwise, and what can end it, the device knows.
func New(b Body, entries int, c device.LoopConfig, host Host) (*Loop, error) {
	if err := c.Check(entries, uint64(len(b.Memory()))); err != nil {
		return nil, err
	}
	if c.Pins != 0 {
		return nil, device.ErrNoPins
	}
	if c.Watchdog > 0 {
		return nil, fmt.Errorf("a hardware watchdog of %v: there is none for programs that run on this machine: leave it out, or ask for an end by silence", c.Watchdog)
	}
	ns, rest, err := c.Counts(uint64(time.Second))
	if err != nil {
		return nil, err
	}
	l := &Loop{host: host, period: time.Duration(ns),
		wake: make(chan struct{}, 1), post: make(chan struct{}, 1), sets: make(chan struct{}, 1), over: make(chan struct{})}
	l.tick = state{
		part:    part{body: b, memory: b.Memory(), tasks: tasksOr(c.Tasks), safe: clonePieces(c.Safe)},
		step:    moment{time.Duration(ns), rest},
		misses:  uint32(c.Misses),
		silence: c.Silence,
		limit:   c.Limit,
	}
	return l, nil
}

// Start starts it: tick 0 is due now.
func (l *Loop) Start() { go l.run() }

// tasksOr are the tasks, or the first entry in every tick.
func tasksOr(tasks []device.Task) []device.Task {
	if len(tasks) == 0 {
		return []device.Task{{Divisor: 1}}
	}
	return append([]device.Task(nil), tasks...)
}

// clonePieces are pieces that nobody else changes.
func clonePieces(pieces []device.Piece) []device.Piece {
	c := make([]device.Piece, len(pieces))
	for i, p := range pieces {
		c[i] = device.Piece{Offset: p.Offset, Bytes: append([]byte(nil), p.Bytes...)}
	}
	return c
}

// between has something done between two ticks, or after the end, and returns when it is.
func (l *Loop) between(ctx context.Context, cost time.Duration, do func()) error {
	l.heard.Add(1)
	select {
	case l.post <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.post }()
	r := &request{do: do, cost: cost, done: make(chan struct{})}
	l.mail.Store(r)
	select {
	case l.wake <- struct{}{}:
	default:
	}
	select {
	case <-r.done:
		return nil
	case <-l.over:
		if l.mail.CompareAndSwap(r, nil) {
			do()
			return nil
		}
	case <-ctx.Done():
		if l.mail.CompareAndSwap(r, nil) {
			return ctx.Err()
		}
	}
	<-r.done
	return nil
}

// serve does what the link side wants, if it fits into the time that is left, or has been passed over for too long.
func (l *Loop) serve(left time.Duration) {
	r := l.mail.Load()
	if r == nil {
		return
	}
	if r.cost > 0 && r.cost >= left && r.passed < patience {
		r.passed++
		return
	}
	if l.mail.CompareAndSwap(r, nil) {
		r.do()
		close(r.done)
	}
}

// ended is the error of what needs a loop that runs; nil while it does.
func (s *state) ended() error {
	if s.end == "" {
		return nil
	}
	return fmt.Errorf("%w (%s)", device.ErrEnded, s.end)
}

// Status tells how it goes.
func (l *Loop) Status(ctx context.Context) (*device.LoopStatus, error) {
	var now counts
	if err := l.between(ctx, 0, func() { now = l.tick.counts }); err != nil {
		return nil, err
	}
	return now.status(l.period), nil
}

// Stop ends the loop.
func (l *Loop) Stop(ctx context.Context) (*device.LoopStatus, error) {
	err := l.between(ctx, 0, func() {
		if l.tick.end == "" {
			l.tick.finish("stopped", nil)
		}
	})
	if err != nil {
		return nil, err
	}
	<-l.over
	return l.Status(ctx)
}

// Forget ends the loop, if it runs, and makes it give up the memory of its program.
func (l *Loop) Forget() {
	_, _ = l.Stop(context.Background())
	_ = l.between(context.Background(), 0, func() { l.tick.part = part{} })
}

// copySpeed is what copying takes at most, in bytes per microsecond.
const copySpeed = 1000

// Read reads what belongs together.
func (l *Loop) Read(ctx context.Context, spans []device.Span) (data [][]byte, ticks uint32, err error) {
	size := int(device.LengthOf(spans))
	all := make([]byte, 0, min(size, math.MaxInt32))
	cost := time.Duration(size/copySpeed) * time.Microsecond
	if cost < 10*time.Microsecond || cost > l.period/4 { // what never fits is read all the same
		cost = 0
	}
	var bad error
	err = l.between(ctx, cost, func() {
		if bad = inside(spans, len(l.tick.memory)); bad != nil {
			return
		}
		for _, s := range spans {
			all = append(all, l.tick.memory[s.Offset:][:s.Length]...)
		}
		ticks = l.tick.counts.ticks
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return nil, 0, err
	}
	data = make([][]byte, len(spans))
	for i, s := range spans {
		data[i], all = all[:s.Length:s.Length], all[s.Length:]
	}
	return data, ticks, nil
}

// inside refuses spans that are not in a data block of so many bytes.
func inside(spans []device.Span, size int) error {
	for _, s := range spans {
		if end := uint64(s.Offset) + uint64(s.Length); end > uint64(size) {
			return fmt.Errorf("bytes %d to %d are outside the data block of %d bytes", s.Offset, end, size)
		}
	}
	return nil
}

// piecesInside is the same of pieces.
func piecesInside(pieces []device.Piece, size int) error {
	for _, p := range pieces {
		if err := inside([]device.Span{{Offset: p.Offset, Length: uint32(len(p.Bytes))}}, size); err != nil {
			return err
		}
	}
	return nil
}

// A set is writes that take effect together.
type set struct {
	writes []device.Piece
	at     uint32
	tick   uint32 // in which they did
	done   chan struct{}
}

// hold takes a place in a channel of one.
func (l *Loop) hold(ctx context.Context, c chan struct{}) error {
	select {
	case c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Set changes variables together. While it waits, others have to.
func (l *Loop) Set(ctx context.Context, writes []device.Piece, at uint32) (tick uint32, err error) {
	if err := l.hold(ctx, l.sets); err != nil {
		return 0, err
	}
	defer func() { <-l.sets }()
	s := &set{writes: clonePieces(writes), at: at, done: make(chan struct{})}
	var bad error
	err = l.between(ctx, 0, func() {
		if bad = l.tick.ended(); bad == nil {
			bad = piecesInside(s.writes, len(l.tick.memory))
		}
		if bad == nil {
			l.tick.staged = s
		}
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return 0, err
	}
	select {
	case <-s.done:
		return s.tick, nil
	case <-l.over:
	case <-ctx.Done():
		err = ctx.Err()
	}
	// It may take effect until it is withdrawn.
	_ = l.between(context.Background(), 0, func() {
		if l.tick.staged == s {
			l.tick.staged = nil
		}
		bad = l.tick.ended()
	})
	select {
	case <-s.done:
		return s.tick, nil
	default:
	}
	if err == nil {
		err = fmt.Errorf("the values were not set: %w", bad)
	}
	return 0, err
}

// Budget is that of a copy in memory: as many records as there are ticks, of any length.
func (l *Loop) Budget(s device.Subscription) device.Budget {
	b := device.Budget{RecordBytes: int(device.LengthOf(s.Spans)), LeastEvery: 1, PayloadShare: 1, TicksPerPacket: 1,
		GreatestRate: float64(time.Second) / float64(l.period)}
	b.BytesPerSec = float64(b.RecordBytes) * b.GreatestRate / float64(max(s.Every, 1))
	return b
}
