package target_test

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/qtest"
	"github.com/copaflash/copaflash/hil/target"
)

// probed is an emulated board, and a probe at its chip. more are arguments of QEMU.
func probed(t *testing.T, name string, more ...string) (target.Target, *qtest.Probe) {
	t.Helper()
	return probedWith(t, name, emulator.Options{Args: more})
}

func probedWith(t *testing.T, name string, o emulator.Options) (target.Target, *qtest.Probe) {
	t.Helper()
	b, err := boards.Find(name)
	require.NoError(t, err)
	dir := t.TempDir()
	o.Args = append(qtest.Args(dir), o.Args...)
	m, err := emulator.Start(t.Context(), b, o)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	chip, err := qtest.Dial(t.Context(), dir, time.Minute)
	require.NoError(t, err)
	t.Cleanup(func() { chip.Close() })
	dev, err := target.Open(t.Context(), m.TTY(), target.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev, chip
}

// sensed is an input as a channel has it.
func sensed(g *graph.Graph, v graph.Value) graph.Value {
	g.InputInfo(v.ID()).Meta = &graph.Meta{Role: graph.RoleInput}
	return v
}

// driven is an output for a channel, with a safe value.
func driven(name string, v graph.Value, safe float64) compiler.Output {
	return compiler.Output{Name: name, Value: v, Meta: graph.Meta{Role: graph.RoleOutput, Safe: []float64{safe}}}
}

// startBound starts the loop of a program that is bound to channels.
func startBound(t *testing.T, dev target.Target, g *graph.Graph, outs []compiler.Output, hz float64, bindings ...string) (*compiler.Program, device.Loop) {
	t.Helper()
	set := &bind.Set{ReadFile: bind.ReadFile}
	set.On(dev)
	for _, text := range bindings {
		require.NoError(t, set.Add(text))
	}
	prog, err := compiler.Compile(g, outs, compiler.Options{Arch: dev.Arch(), Features: dev.Features(), Bind: set})
	require.NoError(t, err)
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	c, err := device.LoopOf(prog.Image, hz)
	require.NoError(t, err)
	l, err := p.(device.Looper).StartLoop(t.Context(), c)
	require.NoError(t, err)
	return prog, l
}

// TestPinsOfABoard: a program's input and output on the pins of emulated boards, driven and read from outside.
func TestPinsOfABoard(t *testing.T) {
	for _, c := range []struct {
		board, in string
		device    string // of QEMU, whose line the input is
		line      int
		low       bool // the level of true at the input
		out       string
		register  uint32 // where the output is seen
		bit       int
	}{
		{"microbit", "BTN_A", "/machine/nrf51", 17, true, "P16", 0x50000504, 16}, // a button connects P0.17 to ground; GPIO.OUT
		{"sifive-e", "D8", "/machine/soc", 0, false, "D9", 0x1001200c, 1},        // output_val
	} {
		t.Run(c.board, func(t *testing.T) {
			t.Parallel()
			dev, chip := probed(t, c.board)
			g := graph.New()
			pressed := sensed(g, g.InputBool(c.in, false)) // bound by its name
			out := driven("lit", pressed.Not(), 1)
			prog, l := startBound(t, dev, g, []compiler.Output{out}, 100, "lit="+c.out)
			lit := func() bool {
				v, err := chip.Read(c.register)
				require.NoError(t, err)
				return v>>c.bit&1 != 0
			}
			shown, ok := prog.Image.Symbol(image.Output, c.in)
			require.True(t, ok)
			for _, down := range []bool{true, false, true, false, true} {
				require.NoError(t, chip.Drive(c.device, c.line, down != c.low))
				require.Eventually(t, func() bool { return lit() != down }, time.Minute, time.Millisecond)
				data, _, err := l.Read(t.Context(), []device.Span{device.SpanOf(shown)})
				require.NoError(t, err)
				require.Equal(t, down, data[0][0] == 1)
			}
			require.False(t, lit())
			s, err := l.Stop(t.Context())
			require.NoError(t, err)
			require.Equal(t, "stopped", s.End)
			require.True(t, lit(), "the safe value")
		})
	}
}

// TestConversionsBetweenTicks: the ADC of an emulated Netduino, whose QEMU never says that a conversion has ended. Each
// conversion gives 7 more than the one before, and 0 is read where none was begun: so every tick reads one of its own.
// The voltage comes out as the width of pulses.
func TestConversionsBetweenTicks(t *testing.T) {
	dev, chip := probed(t, "netduinoplus2")
	g := graph.New()
	level := sensed(g, g.InputF32("level", 0))
	out := driven("duty", level.Mul(g.F32(1/3.3)), 0)
	prog, l := startBound(t, dev, g, []compiler.Output{out}, 100, "level=A0:read=previous", "duty=D8:pwm,freq=20kHz")
	var spans []device.Span
	for _, name := range []string{"level", "duty"} {
		s, ok := prog.Image.Symbol(image.Output, name)
		require.True(t, ok, name)
		spans = append(spans, device.SpanOf(s))
	}
	records, err := l.Subscribe(t.Context(), device.Subscription{Spans: spans, Every: 1})
	require.NoError(t, err)
	const step = float32(3.3 / 4095)
	pairs, last := 0, -1
	for pairs < 60 {
		r, err := records.Next(t.Context())
		require.NoError(t, err)
		volts := math.Float32frombits(binary.LittleEndian.Uint32(r.Data))
		raw := int(math.Round(float64(volts / step)))
		require.Equal(t, float32(raw)*step, volts, "bit for bit")
		duty := math.Float32frombits(binary.LittleEndian.Uint32(r.Data[4:]))
		require.Equal(t, volts*float32(1/3.3), duty)
		if last >= 0 && r.Drops == 0 {
			require.Equal(t, (last+7)&0xfff, raw)
			pairs++
		}
		last = raw
	}
	require.NoError(t, records.Close())
	const width = 0x40000c34 // CCR1 of TIM5, from outside
	seen := func() uint32 {
		v, err := chip.Read(width)
		require.NoError(t, err)
		return v
	}
	first := seen()
	require.Eventually(t, func() bool { return seen() > first }, time.Minute, time.Millisecond, "the pulses follow")
	s, err := l.Stop(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stopped", s.End)
	require.Zero(t, seen(), "safe")
}
