// Package soak puts the loop of a target to an endurance test: a cascaded controller of a simulated
// motor runs every tick, while sets of parameters change, telemetry streams and the program is
// swapped for another one. Afterwards every record is compared with the oracle, bit for bit.
package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
)

// Options say what a test does.
type Options struct {
	Rate  float64       // ticks a second
	For   time.Duration // of the device's time
	Sets  int           // changes of the parameters, evenly over that time
	Swaps int           // of the program
	Every int           // ticks from one record of telemetry to the next; 0: as few as the link carries
	Trial int           // ticks of a swap's trial
	// Progress is told how many ticks of how many have passed; may be nil.
	Progress func(ticks, of int)
}

// Report is what was seen.
type Report struct {
	Status   *device.LoopStatus
	Every    int // ticks from record to record
	Records  int // received
	Drops    int // reported
	Compared int // words that the oracle gives too
	Sets     int
	Swaps    int
	Failures []string // what was wrong; empty: nothing
}

// An event is a change at the start of a tick.
type event struct {
	tick   uint32
	writes []device.Piece
	to     *compiler.Program // of a swap
	moves  []device.Move
}

// BackError is the error of a swap that did not pass its trial.
type BackError struct {
	Swap  int // counted from 1
	Cause error
}

func (e *BackError) Error() string {
	return fmt.Sprintf("soak: swap %d went back: %v", e.Swap, e.Cause)
}

func (e *BackError) Unwrap() error { return e.Cause }

// Hint says what to do next.
func (e *BackError) Hint() string {
	return "a target that misses ticks needs a lower rate, or swaps without a trial (--trial 0)"
}

// A LengthError says that a test would have no ticks, or more than can be compared.
type LengthError struct{ Ticks float64 }

func (e *LengthError) Error() string {
	return fmt.Sprintf("soak: %.6g ticks: from 1 to %d can be compared", e.Ticks, mostTicks)
}

// Hint says what to do next.
func (e *LengthError) Hint() string { return "give another time with --for, or another --rate" }

// most is how many failures are told.
const most = 20

func (r *Report) fail(format string, args ...any) {
	if len(r.Failures) < most {
		r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
	}
}

// bench is a test under way.
type bench struct {
	opt      Options
	dev      device.Device
	programs [2]*compiler.Program // by variant
	loop     device.Loop
	events   []event
	records  []device.Record
	report   *Report
}

// mostTicks bounds a test: all of its records are kept until they are compared.
const mostTicks = 1 << 27

// Check refuses a test that has no ticks, or more than can be compared.
func (o *Options) Check() error {
	if n := o.For.Seconds() * o.Rate; !(n >= 1) || n > mostTicks {
		return &LengthError{n}
	}
	return nil
}

// Run carries out a test. The error is for what kept it from being done; what it found is in the report.
func Run(ctx context.Context, dev device.Device, opt Options) (*Report, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	b := &bench{opt: opt, dev: dev, report: new(Report)}
	for i := range b.programs {
		g, outs, err := motor(int32(i))
		if err != nil {
			return nil, err
		}
		if b.programs[i], err = compiler.Compile(g, outs, compiler.Options{Arch: dev.Arch(), Features: dev.Features()}); err != nil {
			return nil, fmt.Errorf("soak: %w", err)
		}
	}
	loaded, err := dev.Load(ctx, b.programs[0])
	if err != nil {
		return nil, fmt.Errorf("soak: %w", err)
	}
	defer loaded.Release()
	looper, ok := loaded.(device.Looper)
	if !ok {
		return nil, errors.New("soak: this target runs no loops")
	}
	config := device.LoopConfig{Hz: opt.Rate, Period: time.Duration(float64(time.Second) / opt.Rate)}
	if b.loop, err = looper.StartLoop(ctx, config); err != nil {
		return nil, fmt.Errorf("soak: %w", err)
	}
	// A loop that nobody would stop is left in no case: not by an interrupt either.
	work := context.WithoutCancel(ctx)
	heard, err := b.listen(ctx)
	if err != nil {
		_, _ = b.loop.Stop(work) // what keeps it from being tested is told
		return nil, err
	}
	driven := b.drive(ctx)
	if b.report.Status, err = b.loop.Stop(work); err != nil {
		return nil, errors.Join(driven, fmt.Errorf("soak: stop: %w", err))
	}
	if err := errors.Join(driven, <-heard); err != nil {
		return nil, err
	}
	return b.report, b.judge(ctx)
}

// listen collects telemetry until the loop ends.
func (b *bench) listen(ctx context.Context) (<-chan error, error) {
	done := make(chan error, 1)
	s := device.Subscription{Spans: spans(b.programs[0].Image), Every: max(b.opt.Every, 1)}
	if b.opt.Every == 0 {
		s.Every = max(b.loop.Budget(s).LeastEvery, 1)
	}
	b.report.Every = s.Every
	stream, err := b.loop.Subscribe(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("soak: subscribe: %w", err)
	}
	go func() {
		for {
			r, err := stream.Next(ctx)
			if errors.Is(err, io.EOF) {
				err = nil
			} else if err == nil {
				b.records = append(b.records, r)
				continue
			}
			done <- errors.Join(err, stream.Close())
			return
		}
	}()
	return done, nil
}

// drive changes parameters and swaps programs at even distances of the device's time.
func (b *bench) drive(ctx context.Context) error {
	ticks := b.ticks()
	actions := b.opt.Sets + b.opt.Swaps
	for i := range actions {
		if err := b.until(ctx, uint32(uint64(ticks)*uint64(i+1)/uint64(actions+1))); err != nil {
			return err
		}
		act := b.set
		if b.opt.Swaps > 0 && (i+1)*b.opt.Swaps/actions > i*b.opt.Swaps/actions {
			act = b.swap
		}
		if err := act(ctx, i); err != nil {
			return err
		}
	}
	return b.until(ctx, ticks)
}

func (b *bench) ticks() uint32 { return uint32(b.opt.For.Seconds() * b.opt.Rate) }

// until waits for a tick.
func (b *bench) until(ctx context.Context, tick uint32) error {
	for {
		s, err := b.loop.Status(ctx)
		if err != nil {
			return fmt.Errorf("soak: status: %w", err)
		}
		if !s.Running {
			return fmt.Errorf("soak: the loop has ended at tick %d: %s (%w)", s.Ticks, s.End, s.Fault)
		}
		if b.opt.Progress != nil {
			b.opt.Progress(int(s.Ticks+s.Missed), int(b.ticks()))
		}
		if s.Ticks+s.Missed >= tick {
			return nil
		}
		left := time.Duration(float64(tick-s.Ticks-s.Missed) / b.opt.Rate * float64(time.Second))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(max(left/2, time.Millisecond), time.Second)):
		}
	}
}

func (b *bench) current() *compiler.Program { return b.programs[b.report.Swaps%2] }

func (b *bench) set(ctx context.Context, i int) error {
	gain := 0.25 + float32(i%16)/16
	writes := []device.Piece{
		b.piece(kp, math.Float32bits(gain)),
		b.piece(ki, math.Float32bits(2*gain)),
		b.piece(goal, math.Float32bits(float32(i%5)-2)),
	}
	tick, err := b.loop.Set(ctx, writes, 0)
	if err != nil {
		return fmt.Errorf("soak: set %d: %w", i, err)
	}
	b.events = append(b.events, event{tick: tick, writes: writes})
	b.report.Sets++
	return nil
}

func (b *bench) piece(name string, bits uint32) device.Piece {
	s, _ := b.current().Image.Symbol(image.Input, name)
	return device.Piece{Offset: s.Offset, Bytes: s.Encode([]uint32{bits})}
}

func (b *bench) swap(ctx context.Context, i int) error {
	old, next := b.current(), b.programs[(b.report.Swaps+1)%2]
	n, _ := device.NextOf(old.Image, next, b.opt.Trial)
	n.Telemetry = spans(next.Image)
	report, err := b.loop.Swap(ctx, n)
	if err != nil {
		return fmt.Errorf("soak: swap at action %d: %w", i, err)
	}
	if report.Back {
		return &BackError{b.report.Swaps + 1, report.Cause}
	}
	b.events = append(b.events, event{tick: report.Tick, to: next, moves: n.Moves})
	b.report.Swaps++
	return nil
}

// spans are the places of what is watched.
func spans(m *image.Image) []device.Span {
	all := make([]device.Span, len(watched))
	for i, name := range watched {
		s, _ := m.Symbol(image.Output, name)
		all[i] = device.SpanOf(s)
	}
	return all
}
