package target_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
	"github.com/copaflash/copaflash/hil/target"
)

// TestPinsOfAnESP32C3: levels that come from outside of the chip, and what that shows outside: a lamp, and a duty.
func TestPinsOfAnESP32C3(t *testing.T) {
	t.Parallel()
	const pressedPin, dutyPin, lamp, otherPin = 3, 4, 8, 20
	chip := emulatortest.Simulate(t, "esp32-c3", "")
	do := func(command string, args map[string]any) (seen struct {
		High     bool
		Hz, Duty float64
		Pins     []struct {
			Function, Signal int
			Drives, High     bool
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
	pressed := sensed(g, g.InputBool("pressed", false))
	other := sensed(g, g.InputBool("other", false))
	_, l := startBound(t, dev, g, []compiler.Output{
		driven("duty", pressed.Select(g.F32(0.75), other.Select(g.F32(0), g.F32(0.125))), 0.5), driven("lit", pressed, 1),
	}, 200, "pressed=GPIO3:in,pull=up,active=low", "other=GPIO20:in,pull=down", "duty=GPIO4:pwm,freq=20kHz", "lit=GPIO8:out,active=low")

	eventually := func(what string, is func() bool) {
		t.Helper()
		require.Eventually(t, is, time.Minute, time.Millisecond, what)
	}
	shows := func(duty float64, lit bool) func() bool {
		return func() bool {
			seen := do("meter", map[string]any{"pin": dutyPin})
			return math.Abs(seen.Hz-20e3) < 1 && math.Abs(seen.Duty-duty) < 0.0005 && do("state", nil).Pins[lamp].High != lit
		}
	}
	for _, tt := range []struct {
		down, other any // what drives the pin; its resistor does if nobody else
		duty        float64
		lit         bool
	}{{true, true, 0, false}, {false, true, 0.75, true}, {nil, nil, 0.125, false}, {false, nil, 0.75, true}} {
		do("drive", map[string]any{"pin": pressedPin, "high": tt.down})
		do("drive", map[string]any{"pin": otherPin, "high": tt.other})
		eventually("duty and lamp", shows(tt.duty, tt.lit))
	}
	pins := do("state", nil).Pins
	for _, pin := range []int{pressedPin, dutyPin, lamp, otherPin} {
		require.Equal(t, 1, pins[pin].Function, "GPIO%d", pin)
	}
	require.True(t, pins[dutyPin].Drives && pins[lamp].Drives)
	require.False(t, pins[pressedPin].Drives || pins[otherPin].Drives)

	s, err := l.Stop(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stopped", s.End)
	eventually("safe values", shows(0.5, true))
}
