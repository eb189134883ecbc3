package share_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/share"
	"github.com/copaflash/copaflash/protocol/packet"
)

// fake is a loop whose ticks a test makes. Every word of its data block counts up with the ticks: word i is
// 1000*i + tick, until it is set.
type fake struct {
	mu        sync.Mutex
	ended     bool
	tick      uint32
	data      []byte
	set       map[uint32][]byte
	sub       device.Subscription
	stream    *fakeStream
	subs      int // subscriptions made
	linkBytes float64
	swaps     []device.Next
	back      error // the next swaps go back for this reason
	trial     chan struct{}
	captured  *fakeCapture
}

type fakeStream struct {
	lost    uint32 // after the last record
	records chan device.Record
	once    sync.Once
}

func (s *fakeStream) Next(ctx context.Context) (device.Record, error) {
	select {
	case r, ok := <-s.records:
		if !ok {
			return device.Record{Drops: s.lost}, io.EOF
		}
		return r, nil
	case <-ctx.Done():
		return device.Record{}, ctx.Err()
	}
}

func (s *fakeStream) Close() error {
	s.once.Do(func() { close(s.records) })
	return nil
}

func newFake() *fake {
	return &fake{data: make([]byte, 64), set: map[uint32][]byte{}}
}

func (f *fake) word(i uint32) uint32 { return 1000*i + f.tick }

func (f *fake) bytes(s device.Span) []byte {
	block := make([]byte, len(f.data))
	for i := range uint32(len(block) / 4) {
		binary.LittleEndian.PutUint32(block[4*i:], f.word(i))
	}
	for at, b := range f.set {
		copy(block[at:], b)
	}
	return block[s.Offset : s.Offset+s.Length]
}

// run makes some ticks; lose says of which no record arrives.
func (f *fake) run(n int, lose func(tick uint32) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	drops := uint32(0)
	for range n {
		if f.stream != nil && f.tick%uint32(f.sub.Every) == 0 {
			if lose != nil && lose(f.tick) {
				drops++
			} else {
				r := device.Record{Tick: f.tick, Time: time.Duration(f.tick) * time.Millisecond, Drops: drops}
				for _, s := range f.sub.Spans {
					r.Data = append(r.Data, f.bytes(s)...)
				}
				f.stream.records <- r
				drops = 0
			}
		}
		f.tick++
	}
}

func (f *fake) Stop(ctx context.Context) (*device.LoopStatus, error) {
	f.mu.Lock()
	f.ended = true
	if f.stream != nil {
		f.stream.Close()
		f.stream = nil
	}
	f.mu.Unlock()
	return f.Status(ctx)
}

func (f *fake) Status(context.Context) (*device.LoopStatus, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	st := &device.LoopStatus{Running: !f.ended, Ticks: f.tick, Period: time.Millisecond, Swap: "none",
		Lateness: device.Spread{Max: 5, Buckets: []device.Bucket{{Low: 1, Width: 2, Count: 3}}}}
	if f.ended {
		st.End = "stopped"
	}
	return st, nil
}

func (f *fake) Read(_ context.Context, spans []device.Span) (data [][]byte, ticks uint32, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range spans {
		data = append(data, f.bytes(s))
	}
	return data, f.tick, nil
}

func (f *fake) Set(ctx context.Context, writes []device.Piece, at uint32) (uint32, error) {
	f.mu.Lock()
	if f.ended {
		defer f.mu.Unlock()
		return 0, errors.New("the loop has ended")
	}
	if at > f.tick+1000 {
		f.mu.Unlock()
		<-ctx.Done()
		return 0, ctx.Err()
	}
	defer f.mu.Unlock()
	for _, w := range writes {
		f.set[w.Offset] = w.Bytes
	}
	return f.tick, nil
}

func (f *fake) Subscribe(_ context.Context, s device.Subscription) (device.Stream, error) {
	if b := f.Budget(s); b.LinkBytes > 0 && b.BytesPerSec > b.LinkBytes {
		return nil, &device.OversubscribedError{Budget: b}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return nil, errors.New("the loop has ended")
	}
	if f.stream != nil {
		f.stream.Close()
	}
	f.sub, f.stream = s, &fakeStream{records: make(chan device.Record, 100_000)}
	f.subs++
	return f.stream, nil
}

func (f *fake) Capture(_ context.Context, c device.CaptureConfig) (device.Captured, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.captured = &fakeCapture{config: c, done: make(chan []device.Record, 1), canceled: make(chan struct{})}
	return f.captured, nil
}

type fakeCapture struct {
	config   device.CaptureConfig
	done     chan []device.Record
	canceled chan struct{}
}

func (c *fakeCapture) Wait(ctx context.Context) ([]device.Record, uint32, error) {
	select {
	case r := <-c.done:
		return r, 42, nil
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
}

func (c *fakeCapture) Cancel(context.Context) error {
	close(c.canceled)
	return nil
}

func (f *fake) Swap(_ context.Context, next device.Next) (*device.SwapReport, error) {
	if f.trial != nil {
		<-f.trial
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.swaps = append(f.swaps, next)
	if f.back != nil {
		return &device.SwapReport{Tick: f.tick, Back: true, Cause: f.back}, nil
	}
	switch {
	case f.stream == nil:
	case next.Telemetry == nil:
		f.stream.Close()
		f.stream = nil
	default:
		f.sub.Spans = next.Telemetry
	}
	return &device.SwapReport{Tick: f.tick}, nil
}

func (f *fake) Budget(s device.Subscription) device.Budget {
	n := 0
	for _, p := range s.Spans {
		n += int(p.Length)
	}
	b := device.Budget{RecordBytes: n, BytesPerSec: float64(1000*n) / float64(s.Every), LinkBytes: f.linkBytes, LeastEvery: 1}
	if f.linkBytes > 0 {
		b.LeastEvery = int(float64(1000*n)/f.linkBytes) + 1
		b.GreatestRate = f.linkBytes / float64(n)
	}
	return b
}

// variables make an image of a program with variables at words of its data block.
func variables(source string, words map[string]uint32) *image.Image {
	m := &image.Image{Version: image.Version, Arch: packet.ArchX86_64, Code: make([]byte, 64), Data: make([]byte, 64), Entries: []image.Entry{{}}, Source: source}
	for name, w := range words {
		m.Symbols = append(m.Symbols, image.Symbol{Name: name, Kind: image.Output, DType: graph.F32, Offset: 4 * w})
	}
	slices.SortFunc(m.Symbols, func(a, b image.Symbol) int { return int(a.Offset) - int(b.Offset) })
	m.Code[0] = byte(len(source)) // programs differ in more than names
	return m
}

var program = variables("first", map[string]uint32{"a": 1, "b": 2, "c": 3, "d": 4})

func span(word uint32) device.Span { return device.Span{Offset: 4 * word, Length: 4} }

// runtimeFolder gives the test a folder for sockets; those of t.TempDir may have too long a path.
func runtimeFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cfshare")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv(share.FolderVariable, dir)
	return dir
}

// offer shares a loop for the time of the test.
func offer(t *testing.T, c share.Config) *share.Server {
	t.Helper()
	if c.Name == "" {
		c.Name = "tcp:board:1"
	}
	c.Arch = "x86_64"
	if c.Image == nil && c.Loop != nil {
		c.Image = program
	}
	s, err := share.Listen(c)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	return s
}

// join attaches a client to a share.
func join(t *testing.T, name string) (*share.Client, device.Loop) {
	t.Helper()
	c, err := share.Dial(t.Context(), name)
	require.NoError(t, err)
	l, err := c.Attach(t.Context(), program)
	require.NoError(t, err)
	return c, l
}

func next(t *testing.T, s device.Stream) device.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := s.Next(ctx)
	require.NoError(t, err)
	return r
}

func words(b []byte) []uint32 { return graph.Words(b) }
