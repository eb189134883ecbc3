package share_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/share"
	"github.com/copaflash/copaflash/protocol/transport"
)

// TestMonitorAndTuner: one client watches while another one changes values.
func TestMonitorAndTuner(t *testing.T) {
	runtimeFolder(t)
	f := newFake()
	offer(t, share.Config{Loop: f, Tune: true})
	_, monitor := join(t, "tcp:board:1")
	_, tuner := join(t, "")

	st, err := monitor.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(2), span(1)}, Every: 5})
	require.NoError(t, err)
	f.run(6, nil)
	assert.Equal(t, []uint32{2000, 1000}, words(next(t, st).Data))
	tick, err := tuner.Set(t.Context(), []device.Piece{{Offset: 4, Bytes: []byte{7, 0, 0, 0}}}, 0)
	require.NoError(t, err)
	assert.Equal(t, uint32(6), tick)
	f.run(6, nil)
	r := next(t, st)
	assert.Equal(t, uint32(5), r.Tick)
	r = next(t, st)
	assert.Equal(t, device.Record{Tick: 10, Time: 10 * time.Millisecond, Data: r.Data}, r)
	assert.Equal(t, []uint32{2010, 7}, words(r.Data))

	data, ticks, err := monitor.Read(t.Context(), []device.Span{span(1), span(3)})
	require.NoError(t, err)
	assert.Equal(t, uint32(12), ticks)
	assert.Equal(t, []uint32{3012}, words(data[1]))
	status, err := tuner.Stop(t.Context())
	require.NoError(t, err)
	assert.Equal(t, &device.LoopStatus{End: "stopped", Ticks: 12, Period: time.Millisecond, Swap: "none",
		Lateness: device.Spread{Max: 5, Buckets: []device.Bucket{{Low: 1, Width: 2, Count: 3}}}}, status)
	_, err = st.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
	c, err := share.Dial(t.Context(), "")
	require.NoError(t, err)
	d, err := c.Running(t.Context())
	require.NoError(t, err)
	assert.Nil(t, d)
}

// TestSubscriptionsAreOne: the board has one subscription for all, and each client gets what it asked for.
func TestSubscriptionsAreOne(t *testing.T) {
	runtimeFolder(t)
	f := newFake()
	offer(t, share.Config{Loop: f})
	_, one := join(t, "")
	_, two := join(t, "")
	_, three := join(t, "")
	a, err := one.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(1), span(2)}, Every: 4})
	require.NoError(t, err)
	f.run(9, nil) // 0 4 8
	b, err := two.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(2), span(3)}, Every: 6})
	require.NoError(t, err)
	assert.Equal(t, device.Subscription{Spans: []device.Span{span(2), span(3), span(1)}, Every: 2}, f.sub)
	c, err := three.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(3)}, Every: 2})
	require.NoError(t, err)
	assert.Equal(t, 2, f.subs, "the third client needs nothing new")
	f.run(10, nil) // 10 12 14 16 18
	for _, tick := range []uint32{0, 4, 8, 12, 16} {
		r := next(t, a)
		assert.Equal(t, tick, r.Tick)
		assert.Zero(t, r.Drops)
		assert.Equal(t, []uint32{1000 + tick, 2000 + tick}, words(r.Data))
	}
	for _, tick := range []uint32{10, 16} {
		r := next(t, b)
		assert.Equal(t, tick, r.Tick)
		assert.Equal(t, []uint32{2000 + tick, 3000 + tick}, words(r.Data))
	}
	for _, tick := range []uint32{10, 12, 14, 16, 18} {
		assert.Equal(t, tick, next(t, c).Tick)
	}
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
	require.NoError(t, c.Close())
	require.Eventually(t, func() bool { // without clients there is no telemetry
		f.mu.Lock()
		defer f.mu.Unlock()
		select {
		case _, ok := <-f.stream.records:
			return !ok
		default:
			return false
		}
	}, time.Minute, time.Millisecond)
}

// TestLossIsTold: each client is told what it lost, on the way from the board, and while another one joined.
func TestLossIsTold(t *testing.T) {
	runtimeFolder(t)
	f := newFake()
	offer(t, share.Config{Loop: f})
	_, one := join(t, "")
	_, two := join(t, "")
	a, err := one.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(1)}, Every: 1})
	require.NoError(t, err)
	b, err := two.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(1)}, Every: 3})
	require.NoError(t, err)
	f.run(10, func(tick uint32) bool { return tick >= 2 && tick < 7 })
	var got []device.Record
	for range 5 {
		got = append(got, next(t, a))
	}
	assert.Equal(t, []uint32{0, 1, 7, 8, 9}, ticksOf(got))
	assert.Equal(t, []uint32{0, 0, 5, 0, 0}, dropsOf(got))
	got = nil
	for range 2 {
		got = append(got, next(t, b))
	}
	assert.Equal(t, []uint32{0, 9}, ticksOf(got))
	assert.Equal(t, []uint32{0, 2}, dropsOf(got))

	// Ticks pass while the board changes its subscription.
	f.mu.Lock()
	f.tick += 7
	f.mu.Unlock()
	_, three := join(t, "")
	_, err = three.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(4)}, Every: 1})
	require.NoError(t, err)
	f.run(3, nil) // 17 18 19
	r := next(t, a)
	assert.Equal(t, []uint32{17, 7}, []uint32{r.Tick, r.Drops})
	assert.Equal(t, []uint32{1017}, words(r.Data))
	r = next(t, b)
	assert.Equal(t, []uint32{18, 2}, []uint32{r.Tick, r.Drops}, "12 and 15 are lost")

	// What is lost after the last record is told with the end.
	next(t, a)
	next(t, a)
	f.stream.lost = 6
	_, _ = f.Stop(t.Context())
	r, err = a.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, uint32(6), r.Drops)
	r, err = b.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, uint32(2), r.Drops)
}

func ticksOf(records []device.Record) (out []uint32) {
	for _, r := range records {
		out = append(out, r.Tick)
	}
	return out
}

func dropsOf(records []device.Record) (out []uint32) {
	for _, r := range records {
		out = append(out, r.Drops)
	}
	return out
}

// TestSlowClient: who does not read loses records, counted to the last one; who reads loses none.
func TestSlowClient(t *testing.T) {
	runtimeFolder(t)
	f := newFake()
	offer(t, share.Config{Loop: f})
	_, one := join(t, "")
	_, two := join(t, "")
	sub := device.Subscription{Spans: []device.Span{span(1)}, Every: 1}
	slow, err := one.Subscribe(t.Context(), sub)
	require.NoError(t, err)
	quick, err := two.Subscribe(t.Context(), sub)
	require.NoError(t, err)
	const ticks = 50_000
	for range ticks / 100 {
		f.run(100, nil)
		for range 100 {
			require.Zero(t, next(t, quick).Drops)
		}
	}
	_, err = one.Stop(t.Context())
	require.ErrorIs(t, err, share.ErrReadOnly)
	_, _ = f.Stop(t.Context())
	var came, lost, last uint32
	for {
		r, err := slow.Next(t.Context())
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		require.Equal(t, last+r.Drops+min(came, 1), r.Tick)
		came, lost, last = came+1, lost+r.Drops, r.Tick
	}
	assert.Equal(t, uint32(ticks), came+lost)
	assert.Greater(t, lost, uint32(ticks/4))
	assert.Equal(t, uint32(ticks-1), last)
}

// TestUnionBudget: a client that does not fit beside the others is refused, and they go on.
func TestUnionBudget(t *testing.T) {
	runtimeFolder(t)
	f := newFake()
	f.linkBytes = 10_000
	offer(t, share.Config{Loop: f})
	_, one := join(t, "")
	_, two := join(t, "")
	a, err := one.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(1), span(2)}, Every: 1})
	require.NoError(t, err)
	more := device.Subscription{Spans: []device.Span{span(3)}, Every: 10}
	_, err = two.Subscribe(t.Context(), more)
	var over *device.OversubscribedError
	require.ErrorAs(t, err, &over)
	assert.Equal(t, device.Budget{RecordBytes: 12, BytesPerSec: 12_000, LinkBytes: 10_000, LeastEvery: 2, GreatestRate: 10_000. / 12}, over.Budget)
	assert.ErrorContains(t, err, "together with 1 other")
	assert.Equal(t, over.Budget, two.Budget(more))
	var hint interface{ Hint() string }
	require.ErrorAs(t, err, &hint)
	assert.Equal(t, over.Hint(), hint.Hint())
	f.run(3, nil)
	for range 3 {
		require.Zero(t, next(t, a).Drops)
	}
}

// TestReadOnly: without --tune nothing that a client sends changes anything.
func TestReadOnly(t *testing.T) {
	runtimeFolder(t)
	f := newFake()
	offer(t, share.Config{Loop: f, Load: func(context.Context, *image.Image) (device.Looper, error) { panic("read-only") }})
	c, l := join(t, "")
	assert.False(t, c.MayTune())
	_, set := l.Set(t.Context(), []device.Piece{{Offset: 4, Bytes: []byte{1, 2, 3, 4}}}, 0)
	_, stop := l.Stop(t.Context())
	_, swap := l.Swap(t.Context(), device.Next{Program: &compiler.Program{Image: program}})
	_, load := c.Load(t.Context(), &compiler.Program{Image: program})
	large := *program
	large.Code = make([]byte, 1<<20)
	_, largeLoad := c.Load(t.Context(), &compiler.Program{Image: &large})
	for _, err := range []error{set, stop, swap, load} {
		require.ErrorIs(t, err, share.ErrReadOnly)
	}
	require.Error(t, largeLoad)
	assert.Empty(t, f.set)
	assert.Empty(t, f.swaps)
	st, err := l.Status(t.Context())
	require.NoError(t, err)
	assert.True(t, st.Running)
}

// TestSwapCarriesOthersAlong: who watches goes on by the names of variables when another client swaps the program.
func TestSwapCarriesOthersAlong(t *testing.T) {
	runtimeFolder(t)
	f := newFake()
	offer(t, share.Config{Loop: f, Tune: true, Load: func(context.Context, *image.Image) (device.Looper, error) { return nil, errors.New("no") }})
	_, tuner := join(t, "")
	_, one := join(t, "")
	_, two := join(t, "")
	sub := func(w uint32) device.Stream {
		_, l := join(t, "")
		s, err := l.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(w)}, Every: 1})
		require.NoError(t, err)
		return s
	}
	a, b, d := sub(1), sub(2), sub(4)
	_, err := two.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(3)}, Every: 1})
	require.NoError(t, err)
	f.run(1, nil)
	for _, s := range []device.Stream{a, b, d} {
		next(t, s)
	}

	// All variables are there, elsewhere: nobody loses a record.
	second := variables("second", map[string]uint32{"a": 9, "b": 8, "c": 7, "d": 6})
	second.Version, second.Entries[0].Pins = image.Version, uint32(len(second.Code))
	second.Code = append(second.Code, make([]byte, 16)...) // lists of no entries
	report, err := tuner.Swap(t.Context(), device.Next{Program: &compiler.Program{Image: second}, Trial: 3})
	require.NoError(t, err)
	assert.Equal(t, &device.SwapReport{Tick: 1}, report)
	assert.Equal(t, second.Pins(), f.swaps[0].Pins)
	subs := f.subs
	f.run(1, nil)
	assert.Equal(t, []uint32{9001}, words(next(t, a).Data))
	assert.Equal(t, []uint32{8001}, words(next(t, b).Data))
	data, _, err := one.Read(t.Context(), []device.Span{span(3)}) // where c was
	require.NoError(t, err)
	assert.Equal(t, []uint32{7002}, words(data[0]))
	_, err = one.Set(t.Context(), []device.Piece{{Offset: 4, Bytes: []byte{1, 0, 0, 0}}}, 0)
	require.NoError(t, err)
	assert.Equal(t, map[uint32][]byte{36: {1, 0, 0, 0}}, f.set)
	clear(f.set)
	assert.Equal(t, subs, f.subs)

	// d is gone: who watches it is told, the others lose at most records in between, counted.
	third := variables("third one", map[string]uint32{"a": 1, "b": 2, "c": 3})
	next(t, d)
	_, err = tuner.Swap(t.Context(), device.Next{Program: &compiler.Program{Image: third}})
	require.NoError(t, err)
	_, err = d.Next(t.Context())
	require.ErrorIs(t, err, share.ErrChanged)
	assert.ErrorContains(t, err, "output d")
	f.run(1, nil)
	assert.Equal(t, []uint32{1002}, words(next(t, a).Data))
	_, _, err = one.Read(t.Context(), []device.Span{span(4)})
	require.ErrorIs(t, err, share.ErrChanged)

	// A swap that goes back leaves everything as it was, and who has not heard of a swap plans none.
	f.mu.Lock()
	f.back = errors.New("it has faulted")
	f.mu.Unlock()
	report, err = tuner.Swap(t.Context(), device.Next{Program: &compiler.Program{Image: second}})
	require.NoError(t, err)
	assert.True(t, report.Back)
	assert.EqualError(t, report.Cause, "it has faulted")
	f.run(1, nil)
	assert.Equal(t, []uint32{1003}, words(next(t, a).Data))
	_, err = one.Swap(t.Context(), device.Next{Program: &compiler.Program{Image: second}})
	require.ErrorIs(t, err, share.ErrChanged)

	// A stop does not wait for a trial.
	f.trial = make(chan struct{})
	swapped := make(chan error)
	go func() {
		_, err := tuner.Swap(context.Background(), device.Next{Program: &compiler.Program{Image: second}})
		swapped <- err
	}()
	_, err = one.Stop(t.Context())
	require.NoError(t, err)
	close(f.trial)
	require.NoError(t, <-swapped)
}

func TestCapture(t *testing.T) {
	runtimeFolder(t)
	f := newFake()
	offer(t, share.Config{Loop: f})
	_, one := join(t, "")
	_, two := join(t, "")
	cfg := device.CaptureConfig{Spans: []device.Span{span(1)}, Before: 2, After: 3, Trigger: device.Trigger{Kind: "above", Offset: 8, Float: true, Threshold: 5}}
	a, err := one.Capture(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, cfg, f.captured.config)
	_, err = two.Capture(t.Context(), cfg)
	require.ErrorContains(t, err, "another client's capture is under way")
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, _, err = a.Wait(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	sent := []device.Record{{Tick: 1, Data: make([]byte, 700_000)}, {Tick: 2, Data: make([]byte, 700_000)}, {Tick: 3, Data: []byte{1}}}
	f.captured.done <- sent
	records, trigger, err := a.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, sent, records)
	assert.Equal(t, uint32(42), trigger)

	b, err := two.Capture(t.Context(), cfg)
	require.NoError(t, err)
	canceled := f.captured.canceled
	require.NoError(t, b.Cancel(t.Context()))
	<-canceled
	again, err := one.Capture(t.Context(), cfg)
	require.NoError(t, err)
	require.NoError(t, again.Cancel(t.Context()))
}

// TestFinding: a share is found by any name of its port, or as the only one.
func TestFinding(t *testing.T) {
	dir := runtimeFolder(t)
	_, err := share.Dial(t.Context(), "")
	require.ErrorIs(t, err, share.ErrNone)
	port, link := filepath.Join(t.TempDir(), "ttyACM0"), filepath.Join(t.TempDir(), "by-id")
	require.NoError(t, os.WriteFile(port, nil, 0o600))
	require.NoError(t, os.Symlink(port, link))
	_, err = share.Dial(t.Context(), port)
	require.ErrorIs(t, err, share.ErrNone)

	first := offer(t, share.Config{Name: port, Loop: newFake()})
	for _, name := range []string{port, link, ""} {
		c, err := share.Dial(t.Context(), name)
		require.NoError(t, err, name)
		assert.Equal(t, port, c.Name())
		assert.Equal(t, "x86_64", c.Arch())
		m, err := c.Image(t.Context())
		require.NoError(t, err)
		assert.Equal(t, program.Digest(), m.Digest())
	}
	_, err = share.Listen(share.Config{Name: link})
	require.ErrorIs(t, err, share.ErrTaken)
	info, err := os.Stat(filepath.Dir(first.Path()))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	offer(t, share.Config{Name: "tcp:other:1", Loop: newFake()})
	_, err = share.Dial(t.Context(), "")
	require.ErrorIs(t, err, share.ErrSeveral)
	assert.ErrorContains(t, err, "tcp:other:1")
	all, err := share.List(t.Context())
	require.NoError(t, err)
	assert.Len(t, all, 2)

	// Others must not be able to pose as a share.
	require.NoError(t, os.Chmod(filepath.Join(dir, "copaflash"), 0o777))
	_, err = share.Dial(t.Context(), port)
	require.ErrorIs(t, err, share.ErrFolder)
	_, err = share.Listen(share.Config{Name: "x"})
	require.ErrorIs(t, err, share.ErrFolder)
}

// TestShareEnds: its clients are told, and its socket is gone or reused.
func TestShareEnds(t *testing.T) {
	runtimeFolder(t)
	f := newFake()
	s, err := share.Listen(share.Config{Name: "x", Arch: "x86_64", Loop: f, Image: program})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	_, l := join(t, "x")
	st, err := l.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(1)}, Every: 1})
	require.NoError(t, err)
	cancel()
	require.NoError(t, <-done)
	_, err = st.Next(t.Context())
	require.ErrorIs(t, err, transport.ErrHangup)
	_, err = l.Status(t.Context())
	require.ErrorIs(t, err, transport.ErrHangup)
	_, err = share.Dial(t.Context(), "x")
	require.ErrorIs(t, err, share.ErrNone)
	require.NoError(t, os.WriteFile(s.Path(), nil, 0o600)) // as if a process had been killed
	offer(t, share.Config{Name: "x", Loop: newFake()})
	_, err = share.Dial(t.Context(), "x")
	require.NoError(t, err)
}

// TestPinsOfAShare: a client knows whether the shared runner uses pins, and of which board.
func TestPinsOfAShare(t *testing.T) {
	runtimeFolder(t)
	offer(t, share.Config{Loop: newFake(), Board: "pico", Pins: true})
	c, _ := join(t, "")
	b, err := c.Pins()
	require.NoError(t, err)
	require.Equal(t, "pico", b.Name)
}

func TestPinsOfAShareWithout(t *testing.T) {
	runtimeFolder(t)
	offer(t, share.Config{Loop: newFake(), Board: "pico"})
	c, _ := join(t, "")
	_, err := c.Pins()
	require.ErrorContains(t, err, "the runner on pico uses no pins")
}
