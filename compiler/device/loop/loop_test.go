package loop

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/alarm"
)

// counter is a program that counts its runs in word 1, and does what a test wants besides.
type counter struct {
	memory []byte
	step   uint32
	do     func(tick uint32) error
}

func newCounter(step uint32, do func(tick uint32) error) *counter {
	return &counter{make([]byte, 64), step, do}
}

func (c *counter) Memory() []byte { return c.memory }

func (c *counter) Run(_ int, tick uint32) error {
	binary.NativeEndian.PutUint32(c.memory[4:], c.count()+c.step)
	if c.do != nil {
		return c.do(tick)
	}
	return nil
}

func (c *counter) count() uint32 { return binary.NativeEndian.Uint32(c.memory[4:]) }

var (
	countSpan = []device.Span{{Offset: 4, Length: 4}}
	safe      = []device.Piece{{Offset: 8, Bytes: []byte{1, 2, 3, 4}}}
)

func start(t testing.TB, b Body, c device.LoopConfig, h Host) *Loop {
	t.Helper()
	if c.Hz == 0 && c.Period == 0 {
		c.Hz = 1000
	}
	l, err := New(b, 1, c, h)
	require.NoError(t, err)
	l.Start()
	t.Cleanup(func() { _, _ = l.Stop(context.Background()) })
	return l
}

// ended waits for the end of a loop.
func ended(t testing.TB, l *Loop) *device.LoopStatus {
	t.Helper()
	select {
	case <-l.over:
	case <-time.After(time.Minute):
		require.Fail(t, "the loop goes on")
	}
	s, err := l.Status(t.Context())
	require.NoError(t, err)
	require.False(t, s.Running)
	return s
}

// TestPhase: due times are start + n * period, however many were missed, to the rounding of the period to 2^-32 ns.
func TestPhase(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		c := device.LoopConfig{Hz: 0.001 + rng.Float64()*1e5}
		ns, rest, err := c.Counts(1e9)
		require.NoError(t, err)
		s := state{step: moment{time.Duration(ns), rest}, due: moment{ns: 12345}}
		exact := func(n uint64) time.Duration {
			p := new(big.Int).Lsh(new(big.Int).SetUint64(ns), 32)
			p.Add(p, big.NewInt(int64(rest))).Mul(p, new(big.Int).SetUint64(n))
			return 12345 + time.Duration(p.Rsh(p, 32).Int64())
		}
		missed := uint32(0)
		for range 200 {
			now := s.due.ns + time.Duration(rng.Float64()*float64(s.step.ns)*3.5)
			if rng.IntN(20) == 0 {
				now += s.step.ns * time.Duration(rng.IntN(1e5))
			}
			s.due = s.due.add(s.step, 1)
			missed += s.skip(now)
			require.Equal(t, exact(uint64(s.n)), s.due.ns)
			require.GreaterOrEqual(t, s.due.ns, now)
			require.Less(t, exact(uint64(s.n)-1), max(now, exact(uint64(s.n)-1)+1), "not one too many")
		}
		require.Equal(t, missed, s.missed)
	}
}

// TestFault: a fault ends the loop in its tick, with safe values; who waits is told.
func TestFault(t *testing.T) {
	broken := errors.New("broken")
	var armed atomic.Bool
	runs := 0 // since then
	b := newCounter(1, func(uint32) error {
		if armed.Load() {
			runs++
		}
		if runs > 20 {
			return broken
		}
		return nil
	})
	var told atomic.Pointer[device.LoopStatus]
	l := start(t, b, device.LoopConfig{Safe: safe}, Host{Ended: func(_ Body, s *device.LoopStatus) { told.Store(s) }})
	capture, err := l.Capture(t.Context(), device.CaptureConfig{Before: 4, Spans: countSpan, Trigger: device.Trigger{Kind: "end"}})
	require.NoError(t, err)
	armed.Store(true)
	_, err = l.Set(t.Context(), safe, math.MaxInt32)
	require.ErrorIs(t, err, device.ErrEnded)
	s := ended(t, l)
	require.Equal(t, "fault", s.End)
	require.ErrorIs(t, s.Fault, broken)
	require.Equal(t, s.Ticks, b.count(), "the tick that faulted counts")
	require.Equal(t, safe[0].Bytes, b.memory[8:12])
	require.Equal(t, s.Ticks, told.Load().Ticks)
	records, trigger, err := capture.Wait(t.Context())
	require.NoError(t, err)
	require.Len(t, records, 5)
	require.Equal(t, trigger, records[4].Tick)
	require.Equal(t, b.count(), binary.NativeEndian.Uint32(records[4].Data))
	_, err = l.Subscribe(t.Context(), device.Subscription{Spans: countSpan})
	require.ErrorIs(t, err, device.ErrEnded)
	_, err = l.Capture(t.Context(), device.CaptureConfig{Trigger: device.Trigger{Kind: "now"}})
	require.ErrorIs(t, err, device.ErrEnded)
	data, _, err := l.Read(t.Context(), countSpan)
	require.NoError(t, err)
	require.Equal(t, b.memory[4:8], data[0], "it can still be read")
	l.Forget()
	_, _, err = l.Read(t.Context(), countSpan)
	require.Error(t, err, "and not once its memory is gone")
}

// TestMisses: a tick that takes several periods is not made up for, and may end the loop.
func TestMisses(t *testing.T) {
	b := newCounter(1, func(tick uint32) error {
		if tick >= 20 {
			time.Sleep(25 * time.Millisecond)
		}
		return nil
	})
	l := start(t, b, device.LoopConfig{Hz: 200, Misses: 4, Safe: safe}, Host{})
	s := ended(t, l)
	require.Equal(t, "misses", s.End)
	require.GreaterOrEqual(t, s.Missed, uint32(4))
	require.Equal(t, s.Ticks, b.count())
	require.Equal(t, safe[0].Bytes, b.memory[8:12])

	l = start(t, newCounter(1, func(uint32) error { time.Sleep(13 * time.Millisecond); return nil }), device.LoopConfig{Hz: 100}, Host{})
	stream, err := l.Subscribe(t.Context(), device.Subscription{Spans: countSpan, Every: 1})
	require.NoError(t, err)
	last := int64(-1)
	for range 10 {
		r, err := stream.Next(t.Context())
		require.NoError(t, err)
		require.Greater(t, int64(r.Tick), last)
		require.GreaterOrEqual(t, r.Time, time.Duration(r.Tick)*10*time.Millisecond, "a number goes with its due time")
		last = int64(r.Tick)
	}
	s, err = l.Stop(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, s.Missed, uint32(9))
}

// TestLimit: a tick that took longer than its limit ends the loop.
func TestLimit(t *testing.T) {
	late := errors.New("late")
	l := start(t, newCounter(1, func(tick uint32) error {
		if tick >= 3 { // which a busy machine may miss
			time.Sleep(60 * time.Millisecond)
		}
		return nil
	}), device.LoopConfig{Hz: 100, Limit: 50 * time.Millisecond}, Host{Late: func(tick uint32) error { return late }})
	s := ended(t, l)
	require.Equal(t, "time-limit", s.End)
	require.ErrorIs(t, s.Fault, late)
}

// TestSwapBack: a program that fails its trial is gone as if it had never been there.
func TestSwapBack(t *testing.T) {
	broken := errors.New("broken")
	for name, fail := range map[string]func(uint32) error{
		"fault":   func(uint32) error { return broken },
		"overrun": func(uint32) error { time.Sleep(30 * time.Millisecond); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			old := newCounter(1, nil)
			runs, tries := 0, 0
			next := newCounter(100, func(tick uint32) error {
				if runs++; runs == 3 {
					return fail(tick)
				}
				return nil
			})
			var dropped []Body
			l := start(t, old, device.LoopConfig{Hz: 200, Safe: safe}, Host{
				Load: func(context.Context, *compiler.Program) (Body, int, error) { return next, 1, nil },
				Drop: func(b Body) { dropped = append(dropped, b) },
			})
			stream, err := l.Subscribe(t.Context(), device.Subscription{Spans: countSpan, Every: 1})
			require.NoError(t, err)
			capture, err := l.Capture(t.Context(), device.CaptureConfig{Spans: countSpan, Trigger: device.Trigger{Kind: "end"}})
			require.NoError(t, err)
			var r *device.SwapReport
			for deadline := time.Now().Add(time.Minute); r == nil || name == "fault" && !errors.Is(r.Cause, broken); tries++ {
				require.True(t, time.Now().Before(deadline), "%v", r) // a busy machine misses ticks before the fault
				runs = 0
				r, err = l.Swap(t.Context(), device.Next{Moves: []device.Move{{From: countSpan[0], To: countSpan[0]}}, Trial: 10, Telemetry: countSpan})
				require.NoError(t, err)
				require.True(t, r.Back)
				require.Error(t, r.Cause)
			}
			require.Len(t, dropped, tries)
			require.Equal(t, next, dropped[tries-1])
			_, _, err = capture.Wait(t.Context())
			require.ErrorContains(t, err, "another one goes on")
			s, err := l.Status(t.Context())
			require.NoError(t, err)
			require.True(t, s.Running)
			require.Equal(t, "back", s.Swap)
			require.ErrorIs(t, s.Fault, r.Cause)
			before, at := uint32(0), uint32(0)
			for {
				record, err := stream.Next(t.Context())
				require.NoError(t, err)
				count := binary.NativeEndian.Uint32(record.Data)
				if record.Tick < r.Tick {
					before, at = count, record.Tick
				} else if record.Tick > r.Tick+12 {
					require.LessOrEqual(t, count-before, record.Tick-at, "the old program goes on from its own states")
					break
				}
			}
			// And it can be replaced again.
			next.do = nil
			for deadline := time.Now().Add(time.Minute); r.Back; {
				require.True(t, time.Now().Before(deadline), "%v", r.Cause)
				r, err = l.Swap(t.Context(), device.Next{Trial: 2})
				require.NoError(t, err)
			}
			require.Equal(t, old, dropped[len(dropped)-1])
			_, err = stream.Next(t.Context())
			for err == nil {
				_, err = stream.Next(t.Context())
			}
			require.ErrorIs(t, err, io.EOF, "it does not go on without places")
		})
	}
}

func TestSwapRefused(t *testing.T) {
	next := newCounter(1, nil)
	dropped := 0
	l := start(t, newCounter(1, nil), device.LoopConfig{}, Host{
		Load: func(context.Context, *compiler.Program) (Body, int, error) { return next, 1, nil },
		Drop: func(Body) { dropped++ },
	})
	_, err := l.Subscribe(t.Context(), device.Subscription{Spans: countSpan, Every: 1})
	require.NoError(t, err)
	beyond := device.Span{Offset: 60, Length: 8}
	for i, n := range []device.Next{
		{Moves: []device.Move{{From: beyond, To: countSpan[0]}}},
		{Moves: []device.Move{{From: beyond, To: beyond}}},
		{Moves: []device.Move{{From: countSpan[0], To: device.Span{Offset: 4, Length: 8}}}},
		{Safe: []device.Piece{{Offset: 62, Bytes: make([]byte, 4)}}},
		{Telemetry: []device.Span{beyond}},
		{Telemetry: []device.Span{{Offset: 4, Length: 8}}},
		{Tasks: []device.Task{{Entry: 1, Divisor: 1}}},
	} {
		_, err := l.Swap(t.Context(), n)
		require.Error(t, err, i)
		require.Equal(t, i+1, dropped)
	}
	_, err = l.Swap(t.Context(), device.Next{Trial: -1})
	require.Error(t, err)
	s, err := l.Status(t.Context())
	require.NoError(t, err)
	require.True(t, s.Running)
	require.Equal(t, "none", s.Swap)
	none := start(t, newCounter(1, nil), device.LoopConfig{}, Host{})
	_, err = none.Swap(t.Context(), device.Next{})
	require.ErrorContains(t, err, "does not swap")
}

// TestDrops: what nobody reads is counted, and told with the record behind.
func TestDrops(t *testing.T) {
	b := &counter{memory: make([]byte, 4<<20), step: 1}
	l := start(t, b, device.LoopConfig{Hz: 100}, Host{})
	stream, err := l.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{{Length: 4 << 20}}, Every: 1})
	require.NoError(t, err)
	for deadline, lost := time.Now().Add(time.Minute), uint32(0); lost == 0; {
		require.True(t, time.Now().Before(deadline), "nothing is lost")
		time.Sleep(50 * time.Millisecond)
		s, err := l.Status(t.Context())
		require.NoError(t, err)
		lost = s.Drops
	}
	drops, last := uint32(0), uint32(0)
	for i := range 8 {
		r, err := stream.Next(t.Context())
		require.NoError(t, err)
		if i > 0 {
			require.Equal(t, last+r.Drops+1, binary.NativeEndian.Uint32(r.Data[4:]))
		}
		last = binary.NativeEndian.Uint32(r.Data[4:])
		drops += r.Drops
	}
	require.Positive(t, drops)
	s, err := l.Status(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, s.Drops, drops)
}

// TestTickAllocatesNothing: with all that a tick can have to do.
func TestTickAllocatesNothing(t *testing.T) {
	l, err := New(newCounter(1, nil), 1, device.LoopConfig{Hz: 1000, Safe: safe}, Host{})
	require.NoError(t, err)
	s := &l.tick
	s.stream = &stream{l: l, spans: countSpan, size: 4, every: 1, heads: make([]head, 4096), bytes: make([]byte, 4*4096), wake: make(chan struct{}, 1), closed: make(chan struct{})}
	if s.capture, err = l.newCapture(device.CaptureConfig{Before: 10, Spans: countSpan, Trigger: device.Trigger{Kind: "above", Offset: 4, Threshold: 1 << 30}}); err != nil {
		t.Fatal(err)
	}
	sets := make([]*set, 1200)
	for i := range sets {
		sets[i] = &set{writes: safe, done: make(chan struct{})}
	}
	clock := alarm.Alarm{}
	n := 0
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		s.staged = sets[n]
		n++
		l.turn(clock, clock.Now())
		l.tell()
	}))
	require.Equal(t, s.ticks, s.setsApplied)
}

// TestPrompt: however long a period is, nobody waits for its end.
func TestPrompt(t *testing.T) {
	l := start(t, newCounter(1, nil), device.LoopConfig{Period: time.Hour}, Host{})
	begin := time.Now()
	for range 5 {
		_, err := l.Status(t.Context())
		require.NoError(t, err)
		_, ticks, err := l.Read(t.Context(), countSpan)
		require.NoError(t, err)
		require.LessOrEqual(t, ticks, uint32(1))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := l.Set(ctx, safe, 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Nil(t, l.tick.staged, "it was withdrawn")
	s, err := l.Stop(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stopped", s.End)
	require.Less(t, time.Since(begin), time.Minute)
	_, err = New(newCounter(1, nil), 1, device.LoopConfig{Hz: 10, Watchdog: time.Second}, Host{})
	require.ErrorContains(t, err, "hardware watchdog")
}

// TestMany: the methods may be called from many goroutines, until after the end.
func TestMany(t *testing.T) {
	next := newCounter(1, nil)
	l := start(t, newCounter(1, nil), device.LoopConfig{Hz: 2000}, Host{
		Load: func(context.Context, *compiler.Program) (Body, int, error) { return newCounter(next.step, nil), 1, nil },
	})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 30 {
				var err error
				switch (i + k) % 5 {
				case 0:
					_, err = l.Set(t.Context(), safe, 0)
				case 1:
					_, _, err = l.Read(t.Context(), countSpan)
				case 2:
					_, err = l.Status(t.Context())
				case 3:
					var s device.Stream
					if s, err = l.Subscribe(t.Context(), device.Subscription{Spans: countSpan, Every: 1}); err == nil {
						_, err = s.Next(t.Context())
						if err == io.EOF {
							err = nil // somebody else subscribed
						}
					}
				case 4:
					_, err = l.Swap(t.Context(), device.Next{Trial: 1, Telemetry: countSpan, Moves: []device.Move{{From: countSpan[0], To: countSpan[0]}}})
				}
				if err != nil && !errors.Is(err, device.ErrEnded) {
					t.Error(err)
				}
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	all.Wait()
	_, err := l.Stop(t.Context())
	require.NoError(t, err)
}
