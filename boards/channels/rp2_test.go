package channels

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// rp2Bindings binds every channel of a Pico: the ADC's inputs, PWM on both pins of
// slices 1 to 3 and on the LED, and inputs and outputs by turns.
func rp2Bindings() (all []Binding) {
	for n := 2; n <= 28; n++ {
		b := Binding{Variable: fmt.Sprintf("v%d", n), Direction: chips.Out, Channel: fmt.Sprintf("GP%d", n)}
		switch {
		case n == 23 || n == 24:
			continue
		case n == 25:
			b.Channel, b.Kind = "LED", "pwm"
		case n > 25:
			b.Channel, b.Direction = fmt.Sprintf("adc%d", n-26), chips.In
		case n < 8:
			b.Kind, b.Options = "pwm", map[string]string{"freq": fmt.Sprintf("%dkHz", n/2)}
		case n%3 == 0:
			b.Direction = chips.In
		}
		all = append(all, b)
	}
	return all
}

// TestRP2AllAtOnce runs ticks of all channels on the models of both chips.
func TestRP2AllAtOnce(t *testing.T) {
	for name, m := range map[string]*models.RP2{"pico": models.NewRP2040(), "pico2": models.NewRP2350()} {
		plan, err := Resolve(board(t, name), rp2Bindings())
		require.NoError(t, err)
		slots := map[string]int32{}
		run := func(list []registers.Entry) {
			t.Helper()
			require.NoError(t, registers.Run(m, list, slots))
			require.Empty(t, m.Errors())
		}
		run(plan.Start)
		// Three conversions of four entries, and one load for all inputs; seven stores of duties, one word to set, one to clear.
		require.Len(t, plan.Before, 3*4+1)
		require.Len(t, plan.After, 7+2)
		require.Len(t, plan.Safe, 7+2)
		for tick := range 6 {
			rp2Tick(t, plan, m, tick, slots, run)
		}
		run(plan.Safe)
		for _, c := range plan.Bound {
			var n int
			_, err := fmt.Sscanf(c.Variable, "v%d", &n)
			require.NoError(t, err)
			switch c.Channel.Kind {
			case "pwm":
				duty, _, ok := m.Pulses(n)
				require.True(t, ok)
				require.Zero(t, duty)
			case "out":
				h := m.History(c.Binding.Channel)
				require.False(t, h[len(h)-1])
			}
		}
	}
}

func rp2Tick(t *testing.T, plan *Plan, m *models.RP2, tick int, slots map[string]int32, run func([]registers.Entry)) {
	t.Helper()
	pin := func(c *Bound) (name string, n int) {
		_, err := fmt.Sscanf(c.Variable, "v%d", &n)
		require.NoError(t, err)
		return fmt.Sprintf("GP%d", n), n
	}
	sample(t, plan, m, tick, slots, func(c *Bound) string { name, _ := pin(c); return name }, run)
	for i := range plan.Bound {
		switch c := &plan.Bound[i]; c.Channel.Kind {
		case "out":
			c.write(float64((tick+i)%2), slots)
		case "pwm":
			c.write(float64((tick+i)%5)/5, slots)
		}
	}
	run(plan.After)
	for i := range plan.Bound {
		c := &plan.Bound[i]
		name, n := pin(c)
		switch c.Channel.Kind {
		case "out":
			h := m.History(name)
			require.Equal(t, (tick+i)%2 != 0, h[len(h)-1], "%s at tick %d", name, tick)
			require.False(t, h[0])
		case "pwm":
			duty, hz, ok := m.Pulses(n)
			require.True(t, ok)
			require.InDelta(t, float64((tick+i)%5)/5, duty, 1e-4, name)
			if n < 8 {
				require.InDelta(t, 1000*float64(n/2), hz, 0.1, name)
			}
		}
	}
}

// TestRP2Slices: both pins of a slice have one frequency, and one level is one pin's.
func TestRP2Slices(t *testing.T) {
	pwm := func(variable, channel, freq string) Binding {
		return Binding{Variable: variable, Direction: chips.Out, Channel: channel, Kind: "pwm", Options: map[string]string{"freq": freq}}
	}
	for _, c := range []struct {
		second Binding
		want   string
	}{
		{pwm("b", "GP3", "2kHz"), "b: GP3: PWM slice 1 is in use by a (GP2) as 1000 Hz, here wanted as 2000 Hz"},
		{pwm("b", "GP18", "1kHz"), "b: GP18: PWM slice 1 A is in use by a (GP2)"},
		{pwm("b", "GP0", "1kHz"), "b: GP0: its pin GP0 belongs to UART 0, which sends for the runner"},
		{pwm("b", "GP4", "2MHz"), "b: GP4: option freq: 2MHz: want "},
		{Binding{Variable: "b", Direction: chips.In, Channel: "LED"}, "b: LED: cannot be an input; it offers out, pwm"},
	} {
		for _, name := range []string{"pico", "pico2"} {
			_, err := Resolve(board(t, name), []Binding{pwm("a", "GP2", "1kHz"), c.second})
			require.ErrorContains(t, err, c.want)
		}
	}
	plan, err := Resolve(board(t, "pico"), []Binding{pwm("a", "GP2", "1kHz"), pwm("b", "GP3", "1kHz"), pwm("c", "GP20", "2kHz")})
	require.NoError(t, err)
	require.Len(t, plan.After, 3)
	require.Equal(t, uint32(0xffff), plan.After[0].Mask)
	require.Equal(t, uint32(0xffff0000), plan.After[1].Mask)
	require.Equal(t, plan.After[0].Address, plan.After[1].Address)
}
