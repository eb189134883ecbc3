package target_test

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
	"github.com/copaflash/copaflash/hil/target"
)

// pico is a simulated one.
func pico(t *testing.T) *emulator.Simulation {
	t.Helper()
	return emulatortest.Simulate(t, "pico", "../emulator/rp2040js")
}

// TestPinsOfAPico: voltages, levels and edges that come from outside of a Pico's chip, and what that shows outside:
// a duty in proportion to a voltage, a lamp, a number of edges.
func TestPinsOfAPico(t *testing.T) {
	const supply, pressedPin, dutyPin, edgePin, lamp = 3.3, 5, 4, 7, 25
	const functionPWM, functionSIO, functionNone = 4, 5, 31
	chip := pico(t)
	do := func(command string, args map[string]any) (seen struct {
		High     bool
		Hz, Duty float64
		Pins     []struct {
			Function     int
			Drives, High bool
		}
	}) {
		t.Helper()
		require.NoError(t, chip.Do(command, args, &seen))
		return seen
	}
	dev, err := target.Open(t.Context(), chip.TTY(), target.Options{})
	require.NoError(t, err)
	defer dev.Close()

	g := graph.New()
	level := sensed(g, g.InputF32("level", 0))
	pressed := sensed(g, g.InputBool("pressed", false))
	edges := sensed(g, g.InputI32("edges", 0))
	prog, l := startBound(t, dev, g, []compiler.Output{
		driven("duty", level.Mul(g.F32(1/supply)), 0.25), driven("lit", pressed, 1), {Name: "count", Value: edges.Add(g.I32(0))},
	}, 200, "level=ADC0", "pressed=GP5:in,pull=up,active=low", "edges=GP7:count", "duty=GP4:pwm,freq=20kHz", "lit=LED")

	eventually := func(what string, is func() bool) {
		t.Helper()
		require.Eventually(t, is, time.Minute, time.Millisecond, what)
	}
	showsDuty := func(want float64) func() bool {
		return func() bool {
			seen := do("meter", map[string]any{"pin": dutyPin, "ms": 1})
			return math.Abs(seen.Hz-20e3) < 1 && math.Abs(seen.Duty-want) < 0.0005
		}
	}
	for _, volts := range []float64{1.65, 0.4, 3.0, 2.2} {
		do("volts", map[string]any{"input": 0, "volts": volts})
		eventually("the duty", showsDuty(volts/supply))
	}
	for _, down := range []any{false, true, nil, false} { // what drives the pin; its resistor does if nobody else
		do("drive", map[string]any{"pin": pressedPin, "high": down})
		eventually("the lamp", func() bool { return do("state", nil).Pins[lamp].High == (down == false) })
	}
	shown, ok := prog.Image.Symbol(image.Output, "count")
	require.True(t, ok)
	total := uint32(0)
	for _, pulses := range []uint32{1000, 500} {
		total += pulses
		do("train", map[string]any{"pin": edgePin, "pulses": pulses, "hz": 50_000})
		eventually("the edges", func() bool {
			data, _, err := l.Read(t.Context(), []device.Span{device.SpanOf(shown)})
			require.NoError(t, err)
			return binary.LittleEndian.Uint32(data[0]) == total
		})
	}
	pins := do("state", nil).Pins
	for pin, function := range map[int]int{0: 2, 1: 2, dutyPin: functionPWM, edgePin: functionPWM, pressedPin: functionSIO, lamp: functionSIO, 26: functionNone, 2: functionNone} {
		require.Equal(t, function, pins[pin].Function, "GP%d", pin)
	}
	require.True(t, pins[dutyPin].Drives && pins[lamp].Drives)
	require.False(t, pins[edgePin].Drives || pins[pressedPin].Drives)

	s, err := l.Stop(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stopped", s.End)
	eventually("the safe duty", showsDuty(0.25))
	require.True(t, do("state", nil).Pins[lamp].High, "the safe value")
}
