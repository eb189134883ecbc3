package target

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// behind is a target behind a line that is slow and loses what it is told to.
func behind(t testing.TB, runner transport.Transport, c transporttest.Config) (*Runner, *transporttest.Line) {
	t.Helper()
	line := transporttest.New(c)
	go func() { // pieces as they come
		buf := make([]byte, 4096)
		for {
			n, err := line.Runner.Read(buf)
			if err != nil {
				runner.Close()
				return
			}
			if _, err := runner.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	go func() { // whole frames, since those are lost
		var frames []byte
		buf := make([]byte, 4096)
		for {
			n, err := runner.Read(buf)
			if err != nil {
				line.Runner.Close()
				return
			}
			frames = append(frames, buf[:n]...)
			if last := bytes.LastIndexByte(frames, 0) + 1; last > 0 {
				if _, err := line.Runner.Write(frames[:last]); err != nil {
					return
				}
				frames = frames[last:]
			}
		}
	}()
	dev := &Runner{name: "line", opt: Options{Session: session.Options{Timeout: 20 * time.Second}}}
	require.NoError(t, dev.greet(t.Context(), line.Host, dev.opt.Session))
	t.Cleanup(dev.Close)
	return dev, line
}

// tally is a program whose result tells which input it had and how often it has run.
type tally struct {
	*Program
	in   uint32 // offset
	out  device.Span
	runs float32
}

func loadTally(t testing.TB, dev *Runner) *tally {
	t.Helper()
	g := graph.New()
	x := g.InputF32("x", 0)
	n := g.StateF32("n", 1)
	require.NoError(t, g.SetNext(n, n.Add(g.F32(1))))
	out := x.Mul(g.F32(1000)).Add(n)
	require.NoError(t, g.Err())
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "out", Value: out}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	require.NoError(t, err)
	p, err := dev.LoadImage(t.Context(), prog.Image)
	require.NoError(t, err)
	in, ok := prog.Variable(x.ID())
	require.True(t, ok)
	return &tally{Program: p, in: in.Offset, out: device.SpanOf(prog.Output(0))}
}

// call has the program run once with an input.
func (p *tally) call(t testing.TB, x float32) {
	t.Helper()
	p.runs++
	timed := 0
	r, err := p.Call(t.Context(), device.Call{Writes: []device.Piece{{Offset: p.in, Bytes: word(x)}}, Runs: 1, Reads: []device.Span{p.out}, Timed: func(time.Duration) { timed++ }})
	require.NoError(t, err, "call %v", p.runs)
	require.Equal(t, word(1000*x+p.runs), r.Data[0], "call %v", p.runs)
	require.Equal(t, 1, timed)
}

func word(x float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)) }

// badLines are lines of 115 200 baud that lose and double frames in both directions, and how many
// calls are made over them.
var badLines = []struct {
	loss  float64
	calls int32
}{{0.01, 100}, {0.1, 30}, {0.25, 10}}

func badLine(loss float64) transporttest.Config {
	f := transporttest.Faults{Seed: 5, DropFrame: loss / 2, CorruptFrame: loss / 2, DoubleFrame: loss}
	c := transporttest.Config{Baud: 115200, Latency: time.Millisecond, ToRunner: f, ToHost: f}
	c.ToHost.Seed = 6
	return c
}

// overBadLines makes calls over bad lines. None must run with another's input, or twice.
func overBadLines(t *testing.T, start func(t *testing.T) transport.Transport) {
	for _, bad := range badLines {
		t.Run(fmt.Sprintf("%.0f %%", 100*bad.loss), func(t *testing.T) {
			dev, line := behind(t, start(t), badLine(bad.loss))
			p := loadTally(t, dev)
			began := time.Now()
			for i := range bad.calls {
				p.call(t, float32(7*i+1))
			}
			there, back := line.ToRunner(), line.ToHost()
			t.Logf("%v a call; %d frames lost or spoiled, %d doubled", (time.Since(began) / time.Duration(bad.calls)).Round(100*time.Microsecond),
				there.Dropped+there.Spoiled+back.Dropped+back.Spoiled, there.Doubled+back.Doubled)
			assert.NotZero(t, there.Dropped+there.Spoiled)
			assert.NotZero(t, back.Dropped+back.Spoiled)
		})
	}
}

func TestCallsOverABadLine(t *testing.T) {
	t.Parallel()
	overBadLines(t, func(t *testing.T) transport.Transport {
		runner, err := local.Start(t.Context())
		require.NoError(t, err)
		return runner
	})
}

// TestCallsOfBoardsOverABadLine: a board with a queue of 1 KB, and one with an operating
// system's processor.
func TestCallsOfBoardsOverABadLine(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"microbit", "rpi3"} {
		t.Run(name, func(t *testing.T) {
			overBadLines(t, func(t *testing.T) transport.Transport { return emulate(t, name) })
		})
	}
}

// emulate boots a board and opens its serial line.
func emulate(t testing.TB, name string) transport.Transport {
	t.Helper()
	b, err := boards.Find(name)
	require.NoError(t, err)
	if _, err := emulator.Find(b.QEMU); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skipf("SKIP: %v", err)
	}
	m, err := emulator.Start(t.Context(), b, emulator.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	port, err := transport.OpenSerial(m.TTY(), DefaultBaud)
	require.NoError(t, err)
	return port
}

// TestCallOfABoard: on an emulated board, whose line brings everything at once, a
// call needs one sending, but for the one that finds that out.
func TestCallOfABoard(t *testing.T) {
	for _, name := range []string{"microbit", "rpi3", "mps2-an386"} {
		t.Run(name, func(t *testing.T) {
			s := &counting{Transport: emulate(t, name)}
			dev := &Runner{name: name}
			require.NoError(t, dev.greet(t.Context(), s, dev.opt.Session))
			t.Cleanup(dev.Close)
			p := loadTally(t, dev)
			const calls = 100
			before, began := s.writes, time.Now()
			for i := range calls {
				p.call(t, float32(i))
			}
			t.Logf("%v a call, %d sendings for %d calls", (time.Since(began) / calls).Round(time.Microsecond), s.writes-before, calls)
			assert.Less(t, s.writes-before, calls+calls/2, "a busy host has some repeated")
		})
	}
}

// TestCallOfTheHostRunner: it gets everything at once too.
func TestCallOfTheHostRunner(t *testing.T) {
	runner, err := local.Start(t.Context())
	require.NoError(t, err)
	s := &counting{Transport: runner}
	dev := &Runner{name: "local"}
	require.NoError(t, dev.greet(t.Context(), s, dev.opt.Session))
	t.Cleanup(dev.Close)
	p := loadTally(t, dev)
	before := s.writes
	for i := range 250 {
		p.call(t, float32(i))
		r, err := p.Call(t.Context(), device.Call{Runs: 1, Reads: []device.Span{p.out}})
		require.NoError(t, err)
		p.runs++
		require.Equal(t, word(1000*float32(i)+p.runs), r.Data[0])
	}
	assert.Equal(t, 500, s.writes-before)
}

// counting counts sendings.
type counting struct {
	transport.Transport
	writes int
}

func (c *counting) Write(p []byte) (int, error) {
	c.writes++
	return c.Transport.Write(p)
}

// A run that ends in a fault is an error of its call, though its results can be read, and
// also when the answers that tell it are lost.
func TestCallThatFaults(t *testing.T) {
	traps := map[string][]byte{"x86_64": {0x0f, 0x0b}, "x86_32": {0x0f, 0x0b}, "aarch64": {0, 0, 0, 0}}
	for name, loses := range map[string]func(n int) bool{
		"good line":      func(int) bool { return false },
		"RUN's lost":     func(n int) bool { return n == 1 },
		"all but READ's": func(n int) bool { return n < 2 },
		"all lost once":  func(n int) bool { return n < 3 },
	} {
		t.Run(name, func(t *testing.T) {
			runner, err := local.Start(t.Context())
			require.NoError(t, err)
			var first atomic.Int32
			c := transporttest.Config{Baud: 115200, ToHost: transporttest.Faults{Lose: func(n int) bool {
				return first.Load() > 0 && n >= int(first.Load()) && loses(n-int(first.Load()))
			}}}
			dev, line := behind(t, runner, c)
			arch, err := packet.ParseArch(dev.Arch())
			require.NoError(t, err)
			p, err := dev.LoadImage(t.Context(), &image.Image{Version: image.Version, Arch: arch, Code: traps[dev.Arch()],
				BSS: 64, Entries: []image.Entry{{Name: "run"}}})
			require.NoError(t, err)
			first.Store(int32(line.ToHost().Frames))
			_, err = p.Call(t.Context(), device.Call{Writes: []device.Piece{{Offset: 16, Bytes: make([]byte, 4)}}, Runs: 1, Reads: []device.Span{{Offset: 20, Length: 4}}})
			var fault *session.FaultError
			require.ErrorAs(t, err, &fault)
			assert.Equal(t, packet.FaultIllegal, fault.Kind)
		})
	}
}

// Reads that are near each other are one, in whatever order they are asked for.
func TestJoinReads(t *testing.T) {
	spans := []device.Span{{Offset: 100, Length: 4}, {Offset: 16, Length: 8}, {Offset: 24, Length: 4}, {Offset: 400, Length: 4}, {Offset: 16, Length: 4}, {Offset: 88, Length: 0}}
	joined, places := joinReads(spans)
	require.Equal(t, []session.Span{{Offset: 16, Length: 88}, {Offset: 400, Length: 4}}, joined)
	block := make([]byte, 500)
	for i := range block {
		block[i] = byte(i)
	}
	var data [][]byte
	for _, s := range joined {
		data = append(data, block[s.Offset:int(s.Offset)+s.Length])
	}
	for i, part := range cut(data, places) {
		require.Equal(t, block[spans[i].Offset:spans[i].Offset+spans[i].Length], part)
	}
	edge, _ := joinReads([]device.Span{{Offset: math.MaxUint32, Length: 1}, {Offset: math.MaxUint32 - 1, Length: 1}})
	require.Equal(t, []session.Span{{Offset: math.MaxUint32 - 1, Length: 2}}, edge)
}

func TestJoinWrites(t *testing.T) {
	backing := []byte{1, 2, 3, 4, 5, 6}
	got := joinWrites([]device.Piece{{Offset: 4, Bytes: backing[:2]}, {Offset: 6, Bytes: []byte{9}}, {Offset: 8, Bytes: backing[3:]}})
	require.Equal(t, []session.Piece{{Offset: 4, Bytes: []byte{1, 2, 9}}, {Offset: 8, Bytes: []byte{4, 5, 6}}}, got)
	require.Equal(t, []byte{1, 2, 3, 4, 5, 6}, backing, "what the caller has is left alone")
}

// BenchmarkCall is a call with a new input over a line with the latency of an adapter, half of
// it each way: its parts one by one, and together.
func BenchmarkCall(b *testing.B) {
	for _, baud := range []int{115200, 921600} {
		for _, latency := range []time.Duration{time.Millisecond, 16 * time.Millisecond} {
			runner, err := local.Start(b.Context())
			require.NoError(b, err)
			dev, _ := behind(b, runner, transporttest.Config{Baud: 115200, Pace: baud, Latency: latency / 2})
			p := loadTally(b, dev)
			parts := map[string]func(x float32){
				"parts": func(x float32) {
					require.NoError(b, p.Write(b.Context(), p.in, word(x)))
					_, err := p.Run(b.Context(), 1)
					require.NoError(b, err)
					_, err = p.Read(b.Context(), p.out.Offset, p.out.Length)
					require.NoError(b, err)
					p.runs++
				},
				"call": func(x float32) { p.call(b, x) },
			}
			for _, name := range []string{"parts", "call"} {
				b.Run(fmt.Sprintf("%d/%v/%s", baud, latency, name), func(b *testing.B) {
					for i := range b.N {
						parts[name](float32(i % 1000))
					}
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
				})
			}
			dev.Close()
		}
	}
}
