package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/packet"
)

// fakeBoard is a board with a loop, of which the ticks go by as time does. Of the program nothing
// is computed: outputs of a tick are its number.
type fakeBoard struct {
	mu       sync.Mutex
	img      *image.Image // nil: there is no program
	memory   []byte
	config   device.LoopConfig
	begun    time.Time // zero: no loop has run
	ended    uint32    // ticks when it ended
	end      string    // empty: it runs
	applied  uint32
	fault    error
	usable   bool
	opened   int
	budget   device.Budget
	every    int // of the last subscription
	capture  device.CaptureConfig
	canceled bool
	next     device.Next
	report   *device.SwapReport // of the next swap; nil: it succeeds
	swapErr  error
	hangs    bool // sets and swaps wait until nobody wants them any more
}

// fakeName names it as a serial port does.
const fakeName = "/dev/ttyFAKE"

// fakeSettle is how long commands look at a loop before they leave it.
const fakeSettle = 50 * time.Millisecond

// cli runs a command line on the board.
func (b *fakeBoard) cli(t *testing.T, ctx context.Context, args ...string) (code exitCode, stdout, stderr string) {
	t.Helper()
	var out, diag strings.Builder
	a := &app{ui: newUI(&out, &diag), settle: fakeSettle, opener: func(context.Context, place) (target.Target, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.opened++
		return b, nil
	}}
	code = a.run(ctx, args, &out, &diag)
	return code, out.String(), diag.String()
}

// ok runs one that must succeed.
func (b *fakeBoard) ok(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := b.cli(t, t.Context(), args...)
	require.Equal(t, exitOK, code, "%v\n%s%s", args, stdout, stderr)
	return stdout, stderr
}

// fails runs one that must fail in a certain way.
func (b *fakeBoard) fails(t *testing.T, want exitCode, args ...string) (stderr string) {
	t.Helper()
	code, stdout, stderr := b.cli(t, t.Context(), args...)
	require.Equal(t, want, code, "%v\n%s%s", args, stdout, stderr)
	return stderr
}

func (*fakeBoard) Name() string              { return fakeName }
func (*fakeBoard) Board() string             { return "fake" }
func (*fakeBoard) Arch() string              { return "aarch64" }
func (*fakeBoard) Features() packet.Features { return packet.FeatNeon }
func (*fakeBoard) Close()                    {}

func (b *fakeBoard) Load(_ context.Context, p *compiler.Program) (device.Program, error) {
	b.img, b.usable, b.begun = p.Image, true, time.Time{}
	b.memory = make([]byte, p.Image.DataSize())
	copy(b.memory, p.Image.Data)
	return fakeProgram{b}, nil
}

func (b *fakeBoard) Resident(context.Context) ([]byte, bool, error) {
	if b.img == nil {
		return nil, false, nil
	}
	d := b.img.Digest()
	return d[:], b.usable, nil
}

func (b *fakeBoard) Adopt(context.Context, *image.Image) (device.Program, error) {
	return fakeProgram{b}, nil
}

func (b *fakeBoard) Call(_ context.Context, c device.Call) (r device.Result, err error) {
	if b.running() && len(c.Writes) > 0 {
		return r, device.ErrTicking
	}
	for _, w := range c.Writes {
		copy(b.memory[w.Offset:], w.Bytes)
	}
	for _, s := range c.Reads {
		r.Data = append(r.Data, bytes.Clone(b.memory[s.Offset:][:s.Length]))
	}
	return r, nil
}

func (b *fakeBoard) Running(context.Context) ([]byte, error) {
	if !b.running() {
		return nil, nil
	}
	d := b.img.Digest()
	return d[:], nil
}

func (b *fakeBoard) Attach(_ context.Context, m *image.Image) (device.Loop, error) {
	if b.img == nil || b.begun.IsZero() || m.Digest() != b.img.Digest() {
		return nil, errors.New("no such loop")
	}
	return fakeLoop{b}, nil
}

// ticks have ended.
func (b *fakeBoard) ticks() uint32 {
	if b.end != "" {
		return b.ended
	}
	return uint32(time.Since(b.begun) / b.config.Period)
}

func (b *fakeBoard) running() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.begun.IsZero() && b.end == ""
}

// finish ends the loop.
func (b *fakeBoard) finish(end string, fault error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.end == "" {
		b.ended, b.end, b.fault, b.usable = b.ticks(), end, fault, fault == nil
	}
	for _, s := range b.config.Safe {
		copy(b.memory[s.Offset:], s.Bytes)
	}
}

type fakeProgram struct{ *fakeBoard }

func (fakeProgram) Flags() device.Flags            { return 0 }
func (fakeProgram) Transfer() (int, time.Duration) { return 100, time.Millisecond }
func (fakeProgram) Release()                       {}

func (p fakeProgram) StartLoop(_ context.Context, c device.LoopConfig) (device.Loop, error) {
	b := p.fakeBoard
	b.config, b.begun, b.end, b.fault, b.applied = c, time.Now(), "", nil, 0
	return fakeLoop{b}, nil
}

type fakeLoop struct{ b *fakeBoard }

func (l fakeLoop) Stop(ctx context.Context) (*device.LoopStatus, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.b.finish("stopped", nil)
	return l.Status(ctx)
}

func (l fakeLoop) Status(ctx context.Context) (*device.LoopStatus, error) {
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	us := time.Microsecond
	return &device.LoopStatus{Running: l.b.end == "", End: l.b.end, Fault: l.b.fault, Period: l.b.config.Period, Ticks: l.b.ticks(), Missed: 3,
		Applied: l.b.applied, Drops: 2, Flags: 1, Swap: "none", Resolution: us,
		Lateness:  device.Spread{Min: us, Mean: 2 * us, P50: 2 * us, P99: 3 * us, P999: 4 * us, Max: 5 * us},
		Execution: device.Spread{Min: 10 * us, Mean: 11 * us, P50: 11 * us, P99: 12 * us, P999: 13 * us, Max: 14 * us},
		Slack:     device.Spread{Min: 900 * us, Mean: 910 * us, Max: 920 * us}}, ctx.Err()
}

func (l fakeLoop) Read(_ context.Context, spans []device.Span) ([][]byte, uint32, error) {
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	var data [][]byte
	for _, s := range spans {
		data = append(data, bytes.Clone(l.b.memory[s.Offset:][:s.Length]))
	}
	return data, l.b.ticks(), nil
}

func (l fakeLoop) Set(ctx context.Context, writes []device.Piece, at uint32) (uint32, error) {
	if l.b.hangs {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	for _, w := range writes {
		copy(l.b.memory[w.Offset:], w.Bytes)
	}
	l.b.applied++
	return max(at, l.b.ticks()+1), nil
}

func (l fakeLoop) Budget(device.Subscription) device.Budget { return l.b.budget }

func (l fakeLoop) Subscribe(_ context.Context, s device.Subscription) (device.Stream, error) {
	if s.Every < l.b.budget.LeastEvery {
		return nil, &device.OversubscribedError{Budget: l.b.budget}
	}
	l.b.every = s.Every
	return &fakeStream{l.b, s, 0, make(chan struct{})}, nil
}

// fakeStream loses the record after the third.
type fakeStream struct {
	b      *fakeBoard
	s      device.Subscription
	n      uint32
	closed chan struct{}
}

func (s *fakeStream) Next(ctx context.Context) (device.Record, error) {
	drops := uint32(0)
	if s.n == 3 {
		s.n, drops = 4, 1
	}
	r := device.Record{Tick: s.n * uint32(s.s.Every), Drops: drops}
	s.n++
	r.Time = time.Duration(r.Tick) * s.b.config.Period
	select {
	case <-ctx.Done():
		return r, ctx.Err()
	case <-s.closed:
		return r, io.EOF
	case <-time.After(time.Millisecond):
	}
	if !s.b.running() {
		return r, io.EOF
	}
	r.Data = s.b.record(s.s.Spans, r.Tick)
	return r, nil
}

func (s *fakeStream) Close() error {
	if s.closed != nil {
		close(s.closed)
		s.closed = nil
	}
	return nil
}

// record is the values after a tick: outputs are its number.
func (b *fakeBoard) record(spans []device.Span, tick uint32) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	var data []byte
	for i := range b.img.Symbols {
		if s := &b.img.Symbols[i]; s.Kind == image.Output && s.Size() == 4 {
			binary.LittleEndian.PutUint32(b.memory[s.Offset:], math.Float32bits(float32(tick)))
		}
	}
	for _, s := range spans {
		data = append(data, b.memory[s.Offset:][:s.Length]...)
	}
	return data
}

func (l fakeLoop) Capture(_ context.Context, c device.CaptureConfig) (device.Captured, error) {
	l.b.capture = c
	return fakeCapture(l), nil
}

type fakeCapture struct{ b *fakeBoard }

// Wait has the event at tick 1000. That of a variable below something never comes.
func (c fakeCapture) Wait(ctx context.Context) ([]device.Record, uint32, error) {
	if c.b.capture.Trigger.Kind == "below" {
		<-ctx.Done()
		return nil, 0, ctx.Err()
	}
	var records []device.Record
	for n := range uint32(c.b.capture.Before + c.b.capture.After + 1) {
		tick := 1000 - uint32(c.b.capture.Before) + n
		records = append(records, device.Record{Tick: tick, Time: time.Duration(tick) * c.b.config.Period, Data: c.b.record(c.b.capture.Spans, tick)})
	}
	return records, 1000, nil
}

func (c fakeCapture) Cancel(context.Context) error {
	c.b.canceled = true
	return nil
}

func (l fakeLoop) FitsBeside(*packet.Image) error { return l.b.swapErr }

func (l fakeLoop) Swap(ctx context.Context, next device.Next) (*device.SwapReport, error) {
	if l.b.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	l.b.next = next
	if l.b.swapErr != nil {
		return nil, l.b.swapErr
	}
	if l.b.report != nil {
		return l.b.report, nil
	}
	fresh := make([]byte, next.Program.Image.DataSize())
	copy(fresh, next.Program.Image.Data)
	for _, m := range next.Moves {
		copy(fresh[m.To.Offset:][:m.To.Length], l.b.memory[m.From.Offset:])
	}
	l.b.img, l.b.memory = next.Program.Image, fresh
	return &device.SwapReport{Tick: 77}, nil
}
