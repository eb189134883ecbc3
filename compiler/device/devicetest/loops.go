package devicetest

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// Loops says how the loops of a device are tested.
type Loops struct {
	Device device.Device
	Hz     float64 // ticks a second; 0: 200
	// Limit of a tick, for devices whose time goes on while they do not get their processor; 0: their own.
	Limit time.Duration
	// NoCapture and NoSwap are for devices that say that they cannot.
	NoCapture, NoSwap bool
	// NoSilence is for devices whose host is never silent as long as it lives.
	NoSilence bool
}

// Run puts the loops of a device through what all have in common. Times are those of a busy machine: ticks may
// be missed, but what is computed is exact.
func (l Loops) Run(t *testing.T) {
	if l.Hz == 0 {
		l.Hz = 200
	}
	t.Run("exact", l.exact)
	t.Run("sets", l.sets)
	t.Run("reads", l.reads)
	t.Run("life", l.life)
	t.Run("divisor", l.divisor)
	t.Run("subscriptions", l.subscriptions)
	t.Run("refused", l.refused)
	if !l.NoSilence {
		t.Run("silence", l.silence)
	}
	if !l.NoCapture {
		t.Run("captures", l.captures)
	}
	if !l.NoSwap {
		t.Run("swap", l.swap)
	}
}

// Controlled is the program of the tests: a counter of its runs, a controller, and results that show
// whether values belong together. Its outputs are safe at 1.
type Controlled struct {
	*compiler.Program
	Safe []device.Piece
}

// NewControlled compiles it. The counter goes up by step.
func NewControlled(t testing.TB, dev device.Device, step int32) Controlled {
	t.Helper()
	g := graph.New()
	kp, ki, r := g.InputF32("kp", 0.5), g.InputF32("ki", 0.125), g.InputF32("r", 1)
	count, sum, y := g.StateTensor("count", graph.ScalarI32(0)), g.StateF32("sum", 0), g.StateF32("y", 0)
	e := r.Sub(y)
	u := kp.Mul(e).Add(ki.Mul(sum))
	require.NoError(t, g.SetNext(count, count.Add(g.I32(step))))
	require.NoError(t, g.SetNext(sum, sum.Add(e)))
	require.NoError(t, g.SetNext(y, y.Mul(g.F32(0.9)).Add(u.Sin().Mul(g.F32(0.1)))))
	outs := []compiler.Output{{Name: "u", Value: u}, {Name: "triple", Value: count.Mul(g.I32(3))}, {Name: "torn", Value: kp.Sub(ki.Mul(g.F32(4)))}}
	p, err := compiler.Compile(g, outs, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	require.NoError(t, err)
	c := Controlled{Program: p}
	for _, name := range []string{"u", "triple"} {
		c.Safe = append(c.Safe, device.Piece{Offset: c.at(t, name).Offset, Bytes: []byte{1, 0, 0, 0}})
	}
	return c
}

func (c Controlled) at(t testing.TB, name string) device.Span {
	t.Helper()
	for _, kind := range []image.Kind{image.Input, image.State, image.Output} {
		if s, ok := c.Image.Symbol(kind, name); ok {
			return device.SpanOf(s)
		}
	}
	require.Fail(t, "no variable "+name)
	return device.Span{}
}

// all are the places of all variables, and their symbols.
func (c Controlled) all() (spans []device.Span, symbols []*image.Symbol) {
	for i := range c.Image.Symbols {
		symbols = append(symbols, &c.Image.Symbols[i])
		spans = append(spans, device.SpanOf(&c.Image.Symbols[i]))
	}
	return spans, symbols
}

func float(x float32) []byte {
	return binary.LittleEndian.AppendUint32(nil, math.Float32bits(x))
}

func word(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// start loads the program and starts its loop.
func (l Loops) start(t *testing.T, change func(*device.LoopConfig)) (Controlled, device.Looper, device.Loop) {
	t.Helper()
	c := NewControlled(t, l.Device, 1)
	loaded, err := l.Device.Load(t.Context(), c.Program)
	require.NoError(t, err)
	t.Cleanup(loaded.Release)
	require.Implements(t, (*device.Looper)(nil), loaded)
	config := device.LoopConfig{Hz: l.Hz, Safe: c.Safe, Limit: l.Limit}
	if change != nil {
		change(&config)
	}
	running, err := loaded.(device.Looper).StartLoop(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = running.Stop(context.WithoutCancel(t.Context())) })
	return c, loaded.(device.Looper), running
}

// patience bounds the wait for what a busy machine may hold up.
const patience = time.Minute

// ticks is the time of so many ticks.
func (l Loops) ticks(n float64) time.Duration { return time.Duration(n / l.Hz * float64(time.Second)) }

// take reads n records.
func take(t *testing.T, s device.Stream, n int) []device.Record {
	t.Helper()
	records := make([]device.Record, n)
	for i := range records {
		var err error
		records[i], err = s.Next(t.Context())
		require.NoError(t, err, "record %d", i)
	}
	return records
}

// exact: each record is what eval makes of the one before it, while parameters change.
func (l Loops) exact(t *testing.T) {
	c, _, loop := l.start(t, nil)
	spans, symbols := c.all()
	stream, err := loop.Subscribe(t.Context(), device.Subscription{Spans: spans, Every: 1})
	require.NoError(t, err)
	records := take(t, stream, 10)
	for i := range 5 {
		kp := float32(i) * 0.3
		_, err := loop.Set(t.Context(), []device.Piece{{Offset: c.at(t, "kp").Offset, Bytes: float(kp)}, {Offset: c.at(t, "ki").Offset, Bytes: float(kp / 4)}}, 0)
		require.NoError(t, err)
		records = append(records, take(t, stream, 8)...)
	}
	compared := 0
	for i := 1; i < len(records); i++ {
		require.Greater(t, records[i].Tick, records[i-1].Tick)
		require.Greater(t, records[i].Time, records[i-1].Time)
		if records[i].Drops == 0 {
			c.follows(t, symbols, records[i-1], records[i])
			compared++
		}
	}
	require.Greater(t, compared, len(records)/2)
	require.NoError(t, stream.Close())
	for err == nil {
		_, err = stream.Next(t.Context())
	}
	require.ErrorIs(t, err, io.EOF)
}

// follows compares a record with what eval makes of its inputs and the states before.
func (c Controlled) follows(t *testing.T, symbols []*image.Symbol, before, record device.Record) {
	t.Helper()
	at := func(r device.Record, want *image.Symbol) []byte {
		data := r.Data
		for _, s := range symbols {
			if s == want {
				return data[:s.Size()]
			}
			data = data[s.Size():]
		}
		require.Fail(t, "no such variable")
		return nil
	}
	vars := map[graph.ID]eval.Tensor{}
	c.EachVariable(func(id graph.ID, s *image.Symbol) {
		r := record
		if s.Kind == image.State {
			r = before
		}
		for _, mine := range symbols {
			if mine.Kind == s.Kind && mine.Name == s.Name {
				vars[c.Evaluated().At(id)] = s.Decode(at(r, mine))
			}
		}
	})
	results, next, _, err := eval.Step(c.Evaluated().Graph, c.Evaluated().Outs, vars)
	require.NoError(t, err)
	for i, r := range results {
		for _, s := range symbols {
			if s.Kind == image.Output && s.Name == c.Outputs[i].Name {
				require.Equal(t, r.Bits, s.Decode(at(record, s)).Bits, "output %s at tick %d", s.Name, record.Tick)
			}
		}
	}
	c.EachVariable(func(id graph.ID, s *image.Symbol) {
		if s.Kind == image.State {
			for _, mine := range symbols {
				if mine.Kind == s.Kind && mine.Name == s.Name {
					require.Equal(t, next[c.Evaluated().At(id)].Bits, s.Decode(at(record, mine)).Bits, "state %s at tick %d", s.Name, record.Tick)
				}
			}
		}
	})
}

// sets: values change together, at the tick that was asked for.
func (l Loops) sets(t *testing.T) {
	c, _, loop := l.start(t, nil)
	spans := []device.Span{c.at(t, "kp"), c.at(t, "ki"), c.at(t, "torn")}
	stream, err := loop.Subscribe(t.Context(), device.Subscription{Spans: spans, Every: 1})
	require.NoError(t, err)
	now := take(t, stream, 3)[2].Tick
	at := now + 20
	tick, err := loop.Set(t.Context(), []device.Piece{{Offset: spans[0].Offset, Bytes: float(8)}, {Offset: spans[1].Offset, Bytes: float(2)}}, at)
	require.NoError(t, err)
	require.GreaterOrEqual(t, tick, at)
	after, err := loop.Status(t.Context())
	require.NoError(t, err)
	require.LessOrEqual(t, tick, max(at, after.Ticks+after.Missed+1), "not later than it can be")
	for seen := now; seen < tick+3; {
		r := take(t, stream, 1)[0]
		seen = r.Tick
		want := float32(0.5)
		if r.Tick >= tick {
			want = 8
		}
		require.Equal(t, float(want), r.Data[:4], "tick %d of a set at %d", r.Tick, tick)
		require.Equal(t, float(0), r.Data[8:12], "a torn set at tick %d", r.Tick)
	}
	for i := range 20 {
		x := float32(i)
		last := tick
		tick, err = loop.Set(t.Context(), []device.Piece{{Offset: spans[0].Offset, Bytes: float(x)}, {Offset: spans[1].Offset, Bytes: float(x / 4)}}, 0)
		require.NoError(t, err)
		require.Greater(t, tick, last)
	}
	for err == nil {
		r := take(t, stream, 1)[0]
		require.Equal(t, float(0), r.Data[8:12], "a torn set at tick %d", r.Tick)
		if r.Tick > tick {
			break
		}
	}
	s, err := loop.Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, uint32(21), s.Applied)
}

// reads: what is read belongs to one moment.
func (l Loops) reads(t *testing.T) {
	c, _, loop := l.start(t, nil)
	var last, lastTicks uint32
	deadline := time.Now().Add(patience)
	for i := 0; i < 20 || last == 0; i++ {
		require.True(t, time.Now().Before(deadline), "no ticks")
		data, ticks, err := loop.Read(t.Context(), []device.Span{c.at(t, "count"), c.at(t, "triple")})
		require.NoError(t, err)
		count := word(data[0])
		require.Equal(t, ticks, count, "every tick counts")
		if ticks > 0 {
			require.Equal(t, 3*(count-1), word(data[1]), "the result of the run that made the state what it is")
		}
		require.GreaterOrEqual(t, count, last)
		require.GreaterOrEqual(t, ticks, lastTicks)
		last, lastTicks = count, ticks
		if i%5 == 0 {
			time.Sleep(l.ticks(2.5))
		}
	}
}

// life: what can be done before, within and after.
func (l Loops) life(t *testing.T) {
	c, prog, loop := l.start(t, nil)
	_, err := prog.Call(t.Context(), device.Call{Runs: 1})
	require.ErrorIs(t, err, device.ErrTicking)
	_, err = prog.StartLoop(t.Context(), device.LoopConfig{Hz: l.Hz})
	require.ErrorIs(t, err, device.ErrTicking)
	var s *device.LoopStatus
	for deadline := time.Now().Add(patience); s == nil || s.Ticks < 20; {
		require.True(t, time.Now().Before(deadline), "no ticks")
		time.Sleep(l.ticks(10))
		s, err = loop.Status(t.Context())
		require.NoError(t, err)
		require.True(t, s.Running, "ended by %s", s.End)
	}
	later, err := loop.Status(t.Context())
	require.NoError(t, err)
	require.Empty(t, s.End)
	require.Equal(t, "none", s.Swap)
	require.InDelta(t, 1/l.Hz, s.Period.Seconds(), 0.01/l.Hz)
	require.Positive(t, s.Ticks)
	for name, spread := range map[string]device.Spread{"lateness": s.Lateness, "execution": s.Execution, "slack": s.Slack} {
		require.LessOrEqual(t, spread.Min, spread.Mean, name)
		require.LessOrEqual(t, spread.Mean, spread.Max, name)
		var n uint64
		for _, b := range spread.Buckets {
			n += b.Count
		}
		if n > 0 {
			require.GreaterOrEqual(t, n, uint64(s.Ticks), name)
			require.LessOrEqual(t, n, uint64(later.Ticks), "%s: ticks that ended while it was read", name)
			require.LessOrEqual(t, spread.P50, spread.P99, name)
			require.LessOrEqual(t, spread.P99, spread.P999, name)
		}
	}
	s, err = loop.Stop(t.Context())
	require.NoError(t, err)
	require.False(t, s.Running)
	require.Equal(t, "stopped", s.End)
	again, err := loop.Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, s.Ticks, again.Ticks)
	_, err = loop.Set(t.Context(), []device.Piece{{Offset: c.at(t, "kp").Offset, Bytes: float(1)}}, 0)
	require.Error(t, err)

	spans := []device.Span{c.at(t, "u"), c.at(t, "triple"), c.at(t, "count")}
	r, err := prog.Call(t.Context(), device.Call{Reads: spans})
	require.NoError(t, err)
	require.Equal(t, uint32(1), word(r.Data[0]), "safe values")
	require.Equal(t, uint32(1), word(r.Data[1]), "safe values")
	require.Equal(t, s.Ticks, word(r.Data[2]))
	r, err = prog.Call(t.Context(), device.Call{Runs: 2, Reads: spans[2:]})
	require.NoError(t, err)
	require.Equal(t, s.Ticks+2, word(r.Data[0]), "states stay")
	loop, err = prog.StartLoop(t.Context(), device.LoopConfig{Hz: l.Hz, Limit: l.Limit})
	require.NoError(t, err)
	time.Sleep(l.ticks(5))
	fresh, err := loop.Stop(t.Context())
	require.NoError(t, err)
	r, err = prog.Call(t.Context(), device.Call{Reads: spans[2:]})
	require.NoError(t, err)
	require.Equal(t, s.Ticks+2+fresh.Ticks, word(r.Data[0]))
}

// divisor: a task runs in the ticks whose numbers are multiples of its divisor.
func (l Loops) divisor(t *testing.T) {
	c, _, loop := l.start(t, func(c *device.LoopConfig) { c.Tasks = []device.Task{{Entry: 0, Divisor: 4}} })
	stream, err := loop.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{c.at(t, "count")}, Every: 1})
	require.NoError(t, err)
	records := take(t, stream, 20)
	for i := 1; i < len(records); i++ {
		a, b := records[i-1], records[i]
		if b.Drops > 0 {
			continue
		}
		due := uint32(0)
		if b.Tick%4 == 0 {
			due = 1
		}
		require.Equal(t, word(a.Data)+due, word(b.Data), "tick %d after %d", b.Tick, a.Tick)
	}
}

// subscriptions: one follows another, with records every so many ticks.
func (l Loops) subscriptions(t *testing.T) {
	c, _, loop := l.start(t, nil)
	first, err := loop.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{c.at(t, "count")}, Every: 1})
	require.NoError(t, err)
	take(t, first, 3)
	b := loop.Budget(device.Subscription{Spans: []device.Span{c.at(t, "count"), c.at(t, "u")}, Every: 5})
	require.Equal(t, 8, b.RecordBytes)
	require.Positive(t, b.BytesPerSec)
	require.GreaterOrEqual(t, b.LeastEvery, 1)
	second, err := loop.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{c.at(t, "count"), c.at(t, "u")}, Every: 5})
	require.NoError(t, err)
	for err == nil {
		_, err = first.Next(t.Context())
	}
	require.ErrorIs(t, err, io.EOF, "another subscription ends it")
	records := take(t, second, 4)
	for _, r := range records {
		require.Len(t, r.Data, 8)
		require.Zero(t, r.Tick%5, "tick %d", r.Tick)
	}
	s, err := loop.Stop(t.Context())
	require.NoError(t, err)
	last := records[3]
	for {
		r, err := second.Next(t.Context())
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		last = r
	}
	require.LessOrEqual(t, last.Tick, s.Ticks+s.Missed, "what was left came after the end")
}

// refused: what cannot be is an error, and the loop goes on.
func (l Loops) refused(t *testing.T) {
	c, _, loop := l.start(t, nil)
	beyond := device.Span{Offset: uint32(c.Image.DataSize()) - 4, Length: 8}
	_, _, err := loop.Read(t.Context(), []device.Span{beyond})
	require.Error(t, err)
	_, err = loop.Set(t.Context(), []device.Piece{{Offset: beyond.Offset, Bytes: make([]byte, 8)}}, 0)
	require.Error(t, err)
	_, err = loop.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{beyond}, Every: 1})
	require.Error(t, err)
	s, err := loop.Status(t.Context())
	require.NoError(t, err)
	require.True(t, s.Running)

	_, err = loop.Stop(t.Context()) // a board has room for one program
	require.NoError(t, err)
	loaded, err := l.Device.Load(t.Context(), c.Program)
	require.NoError(t, err)
	defer loaded.Release()
	for _, bad := range []device.LoopConfig{{}, {Hz: -1}, {Hz: l.Hz, Tasks: []device.Task{{Entry: 7, Divisor: 1}}}, {Hz: l.Hz, Tasks: []device.Task{{}}},
		{Hz: l.Hz, Safe: []device.Piece{{Offset: beyond.Offset, Bytes: make([]byte, 8)}}}} {
		_, err := loaded.(device.Looper).StartLoop(t.Context(), bad)
		require.Error(t, err, "%+v", bad)
	}
}

// Follows takes n records of a loop of the program, and compares each with what eval makes of the one before. On a busy machine ticks
// are missed, and more records are taken until half as many were compared.
func (c Controlled) Follows(t *testing.T, loop device.Loop, n int) {
	t.Helper()
	spans, symbols := c.all()
	stream, err := loop.Subscribe(t.Context(), device.Subscription{Spans: spans, Every: 1})
	require.NoError(t, err)
	records := take(t, stream, n)
	compared := 0
	for i := 1; i < len(records); i++ {
		if records[i].Drops == 0 && records[i].Tick == records[i-1].Tick+1 {
			c.follows(t, symbols, records[i-1], records[i])
			compared++
		}
		if i == len(records)-1 && compared <= n/2 && i < 50*n {
			records = append(records, take(t, stream, 1)...)
		}
	}
	require.NoError(t, stream.Close())
	require.Greater(t, compared, n/2)
}
