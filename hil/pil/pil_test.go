package pil_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/hil/pil"
	"github.com/copaflash/copaflash/hil/pil/piltest"
	"github.com/copaflash/copaflash/hil/record"
	"github.com/copaflash/copaflash/hil/replay"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/extent"
)

const examples = "../../examples/pil/"

// TestSpeedControl: the controller of the examples brings the motor to its speed, with the same bits
// wherever it runs; what was recorded of it is replayed.
func TestSpeedControl(t *testing.T) {
	targets := []string{"local", "local:sandbox", "oracle"}
	if extent.All() {
		targets = append(targets, "qemu:rpi3", "qemu:microbit", "qemu:mps2-an386", "qemu:riscv-virt32")
	}
	var first *pil.Report
	for _, name := range targets {
		t.Run(name, func(t *testing.T) {
			if name == "local:sandbox" {
				dev, err := target.Open(t.Context(), name, target.Options{})
				if err != nil {
					t.Skip("SKIP: no sandbox here: ", err)
				}
				dev.Close()
			}
			r := piltest.Run(t, piltest.Case{
				Controller: examples + "speed_controller.py", Plant: examples + "motor.py", Target: name, Ticks: 500,
				Check: func(tick uint32, v piltest.Values) error {
					if u := v.Controller("voltage"); math.Abs(u) > 12 {
						return fmt.Errorf("the voltage is %v", u)
					}
					if speed := v.Plant("speed"); tick > 300 && math.Abs(speed-20) > 0.05 {
						return fmt.Errorf("the speed is %v", speed)
					}
					return nil
				},
			})
			require.Equal(t, 500, r.Ticks)
			require.Equal(t, []string{"controller.voltage -> plant.voltage", "plant.speed -> controller.speed"}, r.Wires)
			if first == nil {
				first = r
			}
			for i, rec := range r.Controller.Records {
				require.Equal(t, first.Controller.Records[i].Data, rec.Data, "tick %d", i)
			}
			for _, recording := range []*record.Recording{r.Controller, r.Plant} {
				var file bytes.Buffer
				require.NoError(t, recording.Write(&file))
				again, err := record.Read(&file)
				require.NoError(t, err)
				dev, err := target.Open(t.Context(), "local", target.Options{})
				require.NoError(t, err)
				defer dev.Close()
				got, err := replay.Run(t.Context(), again, dev)
				require.NoError(t, err)
				require.Nil(t, got.Difference, "%v", got.Difference)
				require.Equal(t, 500, got.Compared)
			}
		})
	}
}

// side is a program y = x + add of an input and an output, or the state y' = x + add.
func side(t *testing.T, dev device.Device, in, out string, typ graph.DType, asState bool) pil.Side {
	t.Helper()
	g := graph.New()
	x := g.InputTensor(in, graph.Tensor{DType: typ, Bits: []uint32{0}})
	one := g.F32(1)
	if typ == graph.I32 {
		one = g.I32(1)
	}
	y := x.Add(one)
	if asState {
		y = g.StateTensor("memory", graph.Tensor{DType: typ, Bits: []uint32{5}})
		require.NoError(t, g.SetNext(y, x.Add(one)))
	}
	p, err := compiler.Compile(g, []compiler.Output{{Name: out, Value: y}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	require.NoError(t, err)
	return pil.Side{Program: p, Device: dev}
}

func open(t *testing.T) target.Target {
	t.Helper()
	dev, err := target.Open(t.Context(), "local", target.Options{})
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	return dev
}

func TestLockstep(t *testing.T) {
	dev := open(t)
	var seen []int32
	c := pil.Config{Ticks: 4, Controller: side(t, dev, "a", "u", graph.I32, false), Plant: side(t, dev, "b", "y", graph.I32, true),
		Connections: []pil.Connection{{"u", "b"}, {"a", "y"}},
		Each: func(_ uint32, v pil.Values) error {
			s, data, err := v.Controller("u")
			require.NoError(t, err)
			seen = append(seen, s.Decode(data).I32()[0])
			return nil
		}}
	r, err := pil.Run(t.Context(), c)
	require.NoError(t, err)
	require.Nil(t, r.Difference)
	require.Equal(t, []int32{6, 8, 10, 12}, seen, "the state of the plant is known in tick 0")

	// A result of the plant is not: the controller keeps its own value.
	seen = nil
	c.Plant = side(t, dev, "b", "y", graph.I32, false)
	_, err = pil.Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, []int32{1, 3, 5, 7}, seen)

	// Variables can be set, and what Each says ends the run.
	end := errors.New("enough")
	x, ok := c.Controller.Program.Image.Symbol(1, "a")
	require.True(t, ok)
	c.Controller.Set = []device.Piece{{Offset: x.Offset, Bytes: []byte{50, 0, 0, 0}}}
	c.Each = func(_ uint32, v pil.Values) error {
		s, data, err := v.Controller("u")
		require.NoError(t, err)
		require.Equal(t, []int32{51}, s.Decode(data).I32())
		return end
	}
	_, err = pil.Run(t.Context(), c)
	require.ErrorIs(t, err, end)
}

func TestPace(t *testing.T) {
	dev := open(t)
	c := pil.Config{Ticks: 21, Pace: 5 * time.Millisecond, Controller: side(t, dev, "y", "u", graph.I32, false), Plant: side(t, dev, "u", "y", graph.I32, false)}
	r, err := pil.Run(t.Context(), c)
	require.NoError(t, err)
	require.GreaterOrEqual(t, r.Took, 100*time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = pil.Run(ctx, c)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestWiring(t *testing.T) {
	dev := open(t)
	i, f := graph.I32, graph.F32
	for _, c := range []struct {
		controller, plant pil.Side
		connect           []pil.Connection
		text              string
	}{
		{side(t, dev, "y", "u", i, false), side(t, dev, "v", "y", i, false), nil, "no input of the plant is connected: it has v, and the controller has the outputs u"},
		{side(t, dev, "y", "u", i, false), side(t, dev, "u", "y", f, false), nil, "u of the controller is i32"},
		{side(t, dev, "y", "u", i, false), side(t, dev, "u", "y", i, false), []pil.Connection{{"u", "x"}}, "u=x connects no output with an input"},
		{side(t, dev, "y", "u", i, false), side(t, dev, "u", "y", i, false), []pil.Connection{{"u", "u"}, {"u", "u"}}, "connected twice"},
	} {
		_, err := pil.Run(t.Context(), pil.Config{Ticks: 1, Controller: c.controller, Plant: c.plant, Connections: c.connect})
		var wiring *pil.WiringError
		require.ErrorAs(t, err, &wiring)
		require.ErrorContains(t, err, c.text)
	}
	_, err := pil.Run(t.Context(), pil.Config{})
	require.ErrorContains(t, err, "at least one tick")
}

// TestParametersAreNotConnected: an output of the plant that has the name of a parameter of the controller leaves it alone.
func TestParametersAreNotConnected(t *testing.T) {
	dev := open(t)
	g := graph.New()
	y, k := g.InputI32("y", 0), g.InputI32("k", 3)
	g.InputInfo(k.ID()).Meta = &graph.Meta{Role: graph.RoleParam}
	controller, err := compiler.Compile(g, []compiler.Output{{Name: "u", Value: y.Add(k)}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	require.NoError(t, err)
	g = graph.New()
	u := g.InputI32("u", 0)
	plant, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: u}, {Name: "k", Value: u}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	require.NoError(t, err)
	result, err := pil.Run(t.Context(), pil.Config{Ticks: 3, Controller: pil.Side{Program: controller, Device: dev}, Plant: pil.Side{Program: plant, Device: dev}})
	require.NoError(t, err)
	require.Equal(t, []string{"controller.u -> plant.u", "plant.y -> controller.y"}, result.Wires)
}

// wrong is a device whose programs give a wrong bit at some run.
type wrong struct {
	device.Device
	at int
}

type wrongProgram struct {
	device.Program
	left int
}

func (w wrong) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	loaded, err := w.Device.Load(ctx, p)
	return &wrongProgram{loaded, w.at}, err
}

func (w *wrongProgram) Call(ctx context.Context, c device.Call) (device.Result, error) {
	r, err := w.Program.Call(ctx, c)
	if w.left -= c.Runs; c.Runs > 0 && w.left < 0 && err == nil {
		last := r.Data[len(r.Data)-1]
		last[len(last)-1] ^= 0x10
	}
	return r, err
}

func TestDifference(t *testing.T) {
	dev := open(t)
	c := pil.Config{Ticks: 20, Controller: side(t, dev, "y", "u", graph.F32, false), Plant: side(t, dev, "u", "y", graph.F32, false)}
	c.Controller.Device = wrong{dev, 7}
	r, err := pil.Run(t.Context(), c)
	require.NoError(t, err)
	require.NotNil(t, r.Difference)
	require.Equal(t, uint32(7), r.Difference.Tick)
	require.Equal(t, "controller", r.Difference.Side)
	require.Equal(t, uint64(0x10000000), r.Difference.Recorded^r.Difference.Computed)
	require.Contains(t, r.Difference.String(), "tick 7: output u of the controller is")
	require.Equal(t, 8, r.Ticks)
	c.Unchecked = true
	r, err = pil.Run(t.Context(), c)
	require.NoError(t, err)
	require.Nil(t, r.Difference)
	require.Equal(t, 20, r.Ticks)
}
