package bind_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/channels"
	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/bind/bindtest"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/target"
)

func onBoard(t *testing.T, name string, bindings ...string) *program {
	t.Helper()
	p := newProgram(t, bindings...)
	b, err := boards.Find(name)
	require.NoError(t, err)
	p.set.Board = &b
	return p
}

func (p *program) input(name string) graph.Value {
	x := p.g.InputF32(name, 0)
	p.g.InputInfo(x.ID()).Meta = &graph.Meta{Role: graph.RoleInput}
	return x
}

// bench is a program beside the model of a chip, of which nothing fails.
type bench struct {
	*bindtest.Bench
	t *testing.T
	m *image.Image
}

func (p *program) onBench(t *testing.T, dev device.Device, chip models.Chip) *bench {
	prog, err := p.compile(dev.Arch())
	require.NoError(t, err)
	loaded, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	return &bench{bindtest.New(chip, prog.Image, loaded), t, prog.Image}
}

func (b *bench) start() { require.NoError(b.t, b.Start(b.t.Context())) }
func (b *bench) run()   { require.NoError(b.t, b.Tick(b.t.Context())) }
func (b *bench) stop()  { require.NoError(b.t, b.Stop(b.t.Context())) }

func (b *bench) value(kind image.Kind, name string) uint32 {
	v, err := b.Value(b.t.Context(), kind, name)
	require.NoError(b.t, err)
	return v
}

// TestAnalogueToPulses: a voltage at a Pico's ADC sets the duty of a PWM, on the model of the chip, with
// the bits of the conversions in Go.
func TestAnalogueToPulses(t *testing.T) {
	b, err := boards.Find("pico")
	require.NoError(t, err)
	plan, err := channels.Resolve(&b, []channels.Binding{
		{Variable: "level", Direction: chips.In, Channel: "adc0"},
		{Variable: "duty", Direction: chips.Out, Channel: "GP4", Kind: "pwm", Options: map[string]string{"freq": "20kHz"}},
	})
	require.NoError(t, err)
	for _, tasks := range [][]compiler.Task{nil, {{Name: "control", Rate: 1000}}} {
		for _, name := range []string{"oracle", "local"} {
			dev, err := target.Open(t.Context(), name, target.Options{})
			require.NoError(t, err)
			defer dev.Close()
			p := onBoard(t, "pico", "level=adc0", "duty=GP4:pwm,freq=20kHz")
			p.tasks = tasks
			level := p.input("level")
			p.g.SetTask(len(tasks))
			duty := level.Mul(p.g.F32(1 / 3.3)).Mul(p.g.F32(0.5))
			p.g.SetTask(0)
			p.output("duty", duty)
			chip := models.NewRP2040()
			x := p.onBench(t, dev, chip)
			x.start()
			for i := range 12 {
				volts := 3.3 * float64(i) / 11
				chip.Volts("GP26", volts)
				x.run()
				in, out := &plan.Bound[0], &plan.Bound[1]
				raw := int32(x.value(image.Input, in.Terms[0].Slot))
				v := conversion.Eval(in.Terms[0].Steps, conversion.Value{Type: conversion.I32, Int: raw}, nil)
				v = conversion.Eval(in.Channel.Value, v, nil)
				require.Equal(t, math.Float32bits(v.F32), x.value(image.Output, "level"), "%v V", volts)
				require.InDelta(t, volts, v.F32, 1e-3)
				v.F32 = v.F32 * float32(1/3.3)
				v.F32 *= 0.5
				v = conversion.Eval(out.Channel.Value, v, nil)
				v = conversion.Eval(out.Terms[0].Steps, v, nil)
				require.Equal(t, uint32(v.Int), x.value(image.Output, out.Terms[0].Slot))
				got, hz, ok := chip.Pulses(4)
				require.True(t, ok)
				require.InDelta(t, volts/3.3/2, got, 1e-3)
				require.InDelta(t, 20000, hz, 1)
			}
			x.stop()
			got, _, _ := chip.Pulses(4)
			require.Zero(t, got)
		}
	}
}

// TestPinsOfOnePort: inputs and outputs of the Netduino by their names, several of a port, with a safe value.
func TestPinsOfOnePort(t *testing.T) {
	dev, err := target.Open(t.Context(), "local", target.Options{})
	require.NoError(t, err)
	defer dev.Close()
	p := onBoard(t, "netduinoplus2", "b=D5", "c=D12")
	d6, b := p.input("D6"), p.g.InputBool("b", false)
	p.outs = append(p.outs, compiler.Output{Name: "D4", Value: d6.Gt(p.g.F32(0.5)).And(b), Meta: graph.Meta{Role: graph.RoleOutput, Safe: []float64{1}}},
		compiler.Output{Name: "c", Value: b.Not()})
	chip := models.NewSTM32F405()
	x := p.onBench(t, dev, chip)
	_, ok := x.m.Symbol(image.Output, "D6") // bound by its name, and shown
	require.True(t, ok)
	pin := func(name string) string {
		for _, c := range p.set.Board.Channels {
			if c.Name == name {
				return c.Pin
			}
		}
		return ""
	}
	last := func(name string) bool { h := chip.History(pin(name)); return h[len(h)-1] }
	x.start()
	for i := range 8 {
		chip.Drive(pin("D5"), i&1 != 0)
		chip.Drive(pin("D6"), i&2 != 0)
		x.run()
		require.Equal(t, i&3 == 3, last("D4"))
		require.Equal(t, i&1 == 0, last("D12"))
	}
	x.stop()
	require.True(t, last("D4"))
	require.False(t, last("D12"))
}

// TestConvert: each kind of step has the bits of conversion.Eval.
func TestConvert(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	number := func() float64 { return float64(int32(r.Uint32()) >> r.IntN(32)) }
	for range 300 {
		var steps []conversion.Step
		for len(steps) < 5 {
			all := conversion.Kinds()
			a, b := number(), number()
			s := conversion.Step{Kind: all[r.IntN(len(all))], A: min(a, b), B: max(a, b)}
			switch s.Kind {
			case conversion.Shift:
				s.A = float64(r.IntN(63) - 31)
			case conversion.Signed:
				s.A = float64(1 + r.IntN(31))
			case conversion.Scale, conversion.Offset, conversion.Clamp:
				scale := math.Ldexp(1, -r.IntN(20))
				s.A, s.B = s.A*scale, s.B*scale
			}
			if n, _ := conversion.Operands(s.Kind); n < 2 {
				s.B = 0
			}
			if _, err := conversion.Check(append(steps, s), conversion.I32); err == nil {
				steps = append(steps, s)
			}
		}
		last, err := conversion.Check(steps, conversion.I32)
		require.NoError(t, err)
		values := []int32{0, 1, -1, math.MinInt32, math.MaxInt32, int32(r.Uint32()), int32(r.Uint32())}
		got := bind.RunSteps(t, steps, values)
		state := make([]int32, conversion.States(steps))
		for i, x := range values {
			want := conversion.Eval(steps, conversion.Value{Type: conversion.I32, Int: x}, state)
			bits := uint32(want.Int)
			if last == conversion.F32 {
				bits = math.Float32bits(want.F32)
			}
			require.Equal(t, bits, got[i], "%v of %d, run %d", steps, x, i)
		}
	}
}

// TestBoardRefused: what does not fit is said with what would.
func TestBoardRefused(t *testing.T) {
	for text, want := range map[string][2]string{
		"x=D99":          {"x: D99: netduinoplus2 has no such channel; there are: D0, D1, ", "boards netduinoplus2 --channels"},
		"u=A0:adc":       {"adc is an input, and the variable is an output of the program", ""},
		"x=D0":           {"belongs to USART6", ""},
		"x=A0:sample=85": {"option sample", ""},
		"z=A0":           {`no input or output "z"`, "inputs are x, v; outputs are u, n"},
		"v=A0":           {`"v" has shape (2,)`, "numbers"},
		"n=D4":           {`"n" is i32, and the channel bool`, "comparison"},
		"x=A0:":          {"is not understood", "CHANNEL:KIND"},
		"u=sim:sine":     {`"u" is an output`, ""},
	} {
		p := onBoard(t, "netduinoplus2")
		err := p.set.Add(text)
		if err == nil {
			x := p.g.InputF32("x", 0)
			v := p.g.InputTensor("v", graph.F32s(graph.Shape{2}, 0, 0))
			p.output("u", x.Add(v.Sum()))
			p.output("n", x.ToI32())
			_, err = p.compile("thumbv7em-sp")
		}
		require.ErrorContains(t, err, want[0], "%s", text)
		var e *bind.Error
		require.ErrorAs(t, err, &e, "%s", text)
		require.Contains(t, e.Hint(), want[1], "%s", text)
	}
}

// TestImageOfPins: the lists survive a file, the report counts them, and damaged ones are refused.
func TestImageOfPins(t *testing.T) {
	p := onBoard(t, "pico", "level=adc0")
	p.output("y", p.input("level"))
	prog, err := p.compile("thumbv6m")
	require.NoError(t, err)
	m := prog.Image
	require.Equal(t, len(m.Code), prog.Report.CodeBytes)
	behind := m.Code[int(m.Pins())+len(m.PinLists()):]
	require.NotEmpty(t, behind, "room for code of the lists")
	require.Equal(t, make([]byte, len(behind)), behind)
	data, err := m.Encode()
	require.NoError(t, err)
	again, err := image.Decode(data)
	require.NoError(t, err)
	require.Equal(t, m.PinLists(), again.PinLists())
	require.NotEmpty(t, again.StartPins())
	for _, place := range []uint32{m.Pins() + 2, m.Pins() + 4, uint32(len(m.Code)), 1 << 31} {
		again.Entries[0].Pins = place
		require.ErrorContains(t, again.Validate(), "no lists for pins", "%d", place)
	}
}
