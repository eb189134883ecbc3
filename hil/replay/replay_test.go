package replay

import (
	"bytes"
	"context"
	"io"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/record"
	"github.com/copaflash/copaflash/hil/target"
)

func open(t testing.TB, name string) target.Target {
	t.Helper()
	dev, err := target.Open(t.Context(), name, target.Options{})
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	return dev
}

// A session is a loop that is being recorded into a file.
type session struct {
	device.Loop
	program devicetest.Controlled
	file    bytes.Buffer
	writer  *record.Writer
	stream  device.Stream
	header  record.Header
}

// begin records all variables of the test's program. Late, the loop has run for a while before.
func begin(t *testing.T, dev device.Device, every int, late bool) *session {
	t.Helper()
	s := &session{program: devicetest.NewControlled(t, dev, 1)}
	loaded, err := dev.Load(t.Context(), s.program.Program)
	require.NoError(t, err)
	t.Cleanup(loaded.Release)
	config := device.LoopConfig{Hz: 1000}
	var outputs []image.Symbol
	for _, symbol := range s.program.Image.Symbols {
		if symbol.Kind == image.Output {
			outputs = append(outputs, symbol)
		}
	}
	s.header, err = record.Begin(s.program.Program, outputs, config, every, true)
	require.NoError(t, err)
	if !late {
		require.NoError(t, s.header.Fresh(t.Context(), loaded, s.program.Image))
	}
	s.writer, err = record.NewWriter(&s.file, s.header)
	require.NoError(t, err)
	l, err := loaded.(device.Looper).StartLoop(t.Context(), config)
	require.NoError(t, err)
	if late {
		time.Sleep(20 * time.Millisecond)
	}
	s.Loop = record.Note(l, s.program.Image, s.writer.Event)
	s.stream, err = s.Subscribe(t.Context(), device.Subscription{Spans: s.header.Spans(), Every: every})
	require.NoError(t, err)
	return s
}

// set changes a parameter at the next tick.
func (s *session) set(t *testing.T, name string, x float32) {
	t.Helper()
	symbol, ok := s.program.Image.Symbol(image.Input, name)
	require.True(t, ok)
	_, err := s.Set(t.Context(), []device.Piece{{Offset: symbol.Offset, Bytes: symbol.Encode([]uint32{bits(x)})}}, 0)
	require.NoError(t, err)
}

// end ends the loop and reads the recording.
func (s *session) end(t *testing.T) *record.Recording {
	t.Helper()
	status, err := s.Status(t.Context())
	for ; err == nil && status.Ticks < 200; status, err = s.Status(t.Context()) {
		time.Sleep(5 * time.Millisecond)
	}
	require.NoError(t, err)
	status, err = s.Stop(t.Context())
	require.NoError(t, err)
	for {
		r, err := s.stream.Next(t.Context())
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		require.NoError(t, s.writer.Record(r))
	}
	require.NoError(t, s.writer.End(record.StatusOf(status)))
	r, err := record.Read(&s.file)
	require.NoError(t, err)
	require.Greater(t, len(r.Records), 20)
	return r
}

// stepped is a recording of the test's program without a loop: no tick is missed.
func stepped(t *testing.T, dev device.Device, ticks int) (*record.Recording, devicetest.Controlled) {
	t.Helper()
	c := devicetest.NewControlled(t, dev, 1)
	loaded, err := dev.Load(t.Context(), c.Program)
	require.NoError(t, err)
	defer loaded.Release()
	var outputs []image.Symbol
	for _, s := range c.Image.Symbols {
		if s.Kind == image.Output {
			outputs = append(outputs, s)
		}
	}
	h, err := record.Begin(c.Program, outputs, device.LoopConfig{Hz: 1000}, 1, true)
	require.NoError(t, err)
	require.NoError(t, h.Fresh(t.Context(), loaded, c.Image))
	r := &record.Recording{Header: h}
	for tick := range uint32(ticks) {
		got, err := loaded.Call(t.Context(), device.Call{Runs: 1, Reads: h.Spans()})
		require.NoError(t, err)
		r.Records = append(r.Records, device.Record{Tick: tick, Data: bytes.Join(got.Data, nil)})
	}
	return r, c
}

// TestReplay: what a loop computed while parameters changed and another program went on is computed
// again, by the oracle and by machine code; one bit of difference is found where it is.
func TestReplay(t *testing.T) {
	for _, from := range []string{"local", "oracle"} {
		dev := open(t, from)
		s := begin(t, dev, 1, false)
		for i := range 5 {
			s.set(t, "kp", float32(i)*0.4)
			s.set(t, "r", float32(i))
			time.Sleep(5 * time.Millisecond)
		}
		next := devicetest.NewControlled(t, dev, 7)
		n, _ := device.NextOf(s.program.Image, next.Program, 0)
		n.Telemetry = spansIn(t, s.header.Variables, next.Program)
		_, err := s.Swap(t.Context(), n)
		require.NoError(t, err)
		time.Sleep(20 * time.Millisecond)
		r := s.end(t)
		for _, on := range []string{"oracle", "local"} {
			got, err := Run(t.Context(), r, open(t, on))
			require.NoError(t, err)
			require.Nil(t, got.Difference, "%v", got.Difference)
			require.Equal(t, len(r.Records), got.Records)
			require.Greater(t, got.Compared, len(r.Records)*9/10)
			require.Equal(t, 10, got.Sets)
			require.Equal(t, 1, got.Swaps)
		}
		tamper(t, r)
	}
}

// tamper changes each variable but inputs by a bit.
func tamper(t *testing.T, r *record.Recording) {
	t.Helper()
	dev := open(t, "local")
	at := len(r.Records) / 2
	for i, v := range r.Variables {
		if v.Kind == image.Input {
			continue
		}
		value := r.Value(r.Records[at].Data, i)
		value[0] ^= 1
		got, err := Run(t.Context(), r, dev)
		require.NoError(t, err)
		require.NotNil(t, got.Difference, v.Name)
		require.Equal(t, r.Records[at].Tick, got.Difference.Tick)
		require.Equal(t, v.Name, got.Difference.Variable.Name)
		require.Equal(t, uint64(1), got.Difference.Recorded^got.Difference.Computed)
		require.Contains(t, got.Difference.String(), v.Name)
		value[0] ^= 1
	}
}

func spansIn(t *testing.T, variables []image.Symbol, p *compiler.Program) (spans []device.Span) {
	t.Helper()
	for _, v := range variables {
		s, ok := p.Image.Symbol(v.Kind, v.Name)
		require.True(t, ok)
		spans = append(spans, device.SpanOf(s))
	}
	return spans
}

// TestReplaySparse: with a record every few ticks those in between are computed, too, with what was set there; and
// a recording of a loop that ran already starts from its first record.
func TestReplaySparse(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := begin(t, open(t, "local"), 5, late)
		for i := range 8 {
			time.Sleep(13 * time.Millisecond)
			s.set(t, "ki", float32(i)*0.1)
		}
		time.Sleep(60 * time.Millisecond)
		r := s.end(t)
		got, err := Run(t.Context(), r, open(t, "oracle"))
		require.NoError(t, err)
		require.Nil(t, got.Difference, "%v", got.Difference)
		require.Greater(t, got.Ticks, 3*got.Compared)
		tamper(t, r)
	}
}

// TestReplayMissed: ticks that were missed between records are found, with a set between them or without.
func TestReplayMissed(t *testing.T) {
	dev := open(t, "local")
	program := devicetest.NewControlled(t, dev, 1)
	var outputs []image.Symbol
	for _, s := range program.Image.Symbols {
		if s.Kind == image.Output {
			outputs = append(outputs, s)
		}
	}
	h, err := record.Begin(program.Program, outputs, device.LoopConfig{Hz: 1000}, 10, true)
	require.NoError(t, err)
	loaded, err := dev.Load(t.Context(), program.Program)
	require.NoError(t, err)
	defer loaded.Release()
	require.NoError(t, h.Fresh(t.Context(), loaded, program.Image))
	kp, ok := program.Image.Symbol(image.Input, "kp")
	require.True(t, ok)
	r := &record.Recording{Header: h, Status: &record.Status{}}
	missing := map[uint32]bool{13: true, 14: true, 37: true, 78: true, 79: true}
	for tick := range uint32(101) {
		c := device.Call{Runs: 1}
		if tick == 75 {
			r.Events = append(r.Events, record.Event{Tick: tick, Set: []record.Value{{Kind: image.Input, Name: "kp", Bytes: kp.Encode([]uint32{bits(2)})}}})
			c.Writes = []device.Piece{{Offset: kp.Offset, Bytes: r.Events[0].Set[0].Bytes}}
		}
		if missing[tick] {
			r.Status.Missed++
			continue
		}
		if tick%10 == 0 {
			c.Reads = h.Spans()
		}
		got, err := loaded.Call(t.Context(), c)
		require.NoError(t, err)
		if tick%10 == 0 {
			r.Records = append(r.Records, device.Record{Tick: tick, Data: bytes.Join(got.Data, nil)})
		}
	}
	require.Equal(t, uint32(5), r.Status.Missed)
	for _, on := range []string{"oracle", "local"} {
		got, err := Run(t.Context(), r, open(t, on))
		require.NoError(t, err)
		require.Nil(t, got.Difference, "%v", got.Difference)
		require.Equal(t, 5, got.Missed)
		require.Equal(t, 11, got.Compared)
		require.Equal(t, 96, got.Ticks)
		require.Equal(t, 1, got.Sets)
	}
	tamper(t, r)
}

// TestReplayTasks: a task that runs in some ticks only leaves its results as they are in others, also behind a gap.
func TestReplayTasks(t *testing.T) {
	dev := open(t, "oracle")
	g := graph.New()
	n, sum := g.StateTensor("n", graph.ScalarI32(0)), g.StateTensor("sum", graph.ScalarI32(0))
	require.NoError(t, g.SetNext(n, n.Add(g.I32(1))))
	fast := n.Mul(g.I32(2))
	g.SetTask(1)
	require.NoError(t, g.SetNext(sum, sum.Add(n)))
	slow := sum.Mul(g.I32(7))
	g.SetTask(0)
	p, err := compiler.Compile(g, []compiler.Output{{Name: "fast", Value: fast}, {Name: "slow", Value: slow}},
		compiler.Options{Arch: dev.Arch(), Tasks: []compiler.Task{{Name: "slow", Divisor: 4, Rate: 250}}})
	require.NoError(t, err)
	require.Len(t, p.Image.Entries, 2)
	loaded, err := dev.Load(t.Context(), p)
	require.NoError(t, err)
	config, err := device.LoopOf(p.Image, 0)
	require.NoError(t, err)
	outputs, _ := p.Image.Symbol(image.Output, "fast")
	other, _ := p.Image.Symbol(image.Output, "slow")
	h, err := record.Begin(p, []image.Symbol{*outputs, *other}, config, 1, true)
	require.NoError(t, err)
	for _, fresh := range []bool{true, false} {
		if fresh {
			require.NoError(t, h.Fresh(t.Context(), loaded, p.Image))
		} else {
			h.Initial = nil
		}
		r := &record.Recording{Header: h}
		for tick := range uint32(30) {
			got, err := device.Ticks(t.Context(), loaded, p.Image, tick, device.Call{Runs: 1, Reads: h.Spans()})
			require.NoError(t, err)
			r.Records = append(r.Records, device.Record{Tick: tick, Data: bytes.Join(got.Data, nil)})
		}
		// A gap of unknown length before tick 9: the slow task runs in tick 12.
		r.Records[9].Drops = 2
		r.Records = append(r.Records[:5], r.Records[9:]...)
		for _, on := range []string{"oracle", "local"} {
			got, err := Run(t.Context(), r, open(t, on))
			require.NoError(t, err)
			require.Nil(t, got.Difference, "%v", got.Difference)
			require.Equal(t, 1, got.Gaps)
		}
		tamper(t, r)
	}
}

// TestReplayDrops: where records were lost the ticks are computed all the same, or, where ticks were missed as well, the
// replay goes on behind them.
func TestReplayDrops(t *testing.T) {
	for drops, gaps := range map[uint32]int{4: 0, 3: 1, 2: 1} {
		r, _ := stepped(t, open(t, "oracle"), 60)
		r.Records[24].Drops = drops
		r.Records = append(r.Records[:20], r.Records[24:]...)
		got, err := Run(t.Context(), r, open(t, "local"))
		require.NoError(t, err)
		require.Nil(t, got.Difference, "%v", got.Difference)
		require.Equal(t, gaps, got.Gaps)
		require.Equal(t, 56-gaps, got.Compared)
		require.Equal(t, 60-5*gaps, got.Ticks)
	}
}

// TestReplayBack: a swap that went back is followed there.
func TestReplayBack(t *testing.T) {
	dev := open(t, "local")
	r, program := stepped(t, dev, 40)
	// As a program that counts by sevens would have left it, which went back after three ticks.
	other := devicetest.NewControlled(t, dev, 7)
	p, err := record.ProgramOf(other.Program)
	require.NoError(t, err)
	at := 12
	swap := &record.Swap{Program: p, Back: true, Cause: "a test"}
	for _, symbol := range program.Image.Symbols {
		if symbol.Kind != image.Output {
			swap.Moves = append(swap.Moves, record.Move{Kind: symbol.Kind, From: symbol.Name, To: symbol.Name})
		}
	}
	trial := *r
	trial.Records = r.Records[:at:at]
	for _, old := range r.Records[at:] {
		old.Tick += 3
		trial.Records = append(trial.Records, old)
	}
	trial.Events = []record.Event{{Tick: r.Records[at].Tick, Swap: swap}}
	fill := make([]device.Record, 3)
	player := computed(t, dev, other.Program, r, at, 3)
	for i := range fill {
		fill[i] = device.Record{Tick: r.Records[at].Tick + uint32(i), Data: player[i]}
	}
	trial.Records = append(trial.Records[:at:at], append(fill, trial.Records[at:]...)...)
	got, err := Run(t.Context(), &trial, open(t, "oracle"))
	require.NoError(t, err)
	require.Nil(t, got.Difference, "%v", got.Difference)
	require.Equal(t, len(trial.Records), got.Compared+got.Gaps)
}

// computed is what another program makes of the values that a record before at has left.
func computed(t *testing.T, dev device.Device, p *compiler.Program, r *record.Recording, at, n int) (data [][]byte) {
	t.Helper()
	loaded, err := dev.Load(t.Context(), p)
	require.NoError(t, err)
	defer loaded.Release()
	c := device.Call{Runs: 1, Reads: spansIn(t, r.Variables, p)}
	for i, v := range r.Variables {
		if v.Kind != image.Output {
			c.Writes = append(c.Writes, device.Piece{Offset: c.Reads[i].Offset, Bytes: r.Value(r.Records[at-1].Data, i)})
		}
	}
	for range n {
		got, err := loaded.Call(t.Context(), c)
		require.NoError(t, err)
		data = append(data, bytes.Join(got.Data, nil))
		c.Writes = nil
	}
	return data
}

func TestReplayRefused(t *testing.T) {
	_, err := Run(context.Background(), &record.Recording{}, open(t, "oracle"))
	require.ErrorIs(t, err, ErrNoInputs)
	s := begin(t, open(t, "oracle"), 1, true)
	time.Sleep(40 * time.Millisecond)
	r := s.end(t)
	for i, v := range r.Variables {
		if v.Name == "sum" {
			r.Variables[i].Name = "other"
		}
	}
	_, err = Run(t.Context(), r, open(t, "oracle"))
	require.ErrorIs(t, err, ErrNoInputs)
	require.ErrorContains(t, err, "sum")
}

func bits(x float32) uint32 { return math.Float32bits(x) }
