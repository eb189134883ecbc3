package channels

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// TestEveryChannel runs each channel of a board on the model of its chip, and then all outputs that do not exclude each other together.
func TestEveryChannel(t *testing.T) {
	for _, c := range []struct {
		board    string
		channels int // kinds of all its channels
		low      []string
		new      func() models.Chip
	}{
		{"netduinoplus2", 66, nil, func() models.Chip { return models.NewNetduino() }},
		{"nucleo-f446re", 93, []string{"BTN"}, func() models.Chip { return models.NewSTM32F446() }},
		{"nucleo-f446ze", 251, nil, func() models.Chip { return models.NewSTM32F446Z() }},
		{"nucleo-f767zi", 240, nil, func() models.Chip { return models.NewSTM32F767() }},
		{"nucleo-f401re", 86, []string{"BTN"}, func() models.Chip { return models.NewSTM32F401() }},
		{"nucleo-f411re", 86, []string{"BTN"}, func() models.Chip { return models.NewSTM32F411() }},
		{"nucleo-h743zi2", 232, nil, func() models.Chip { return models.NewSTM32H743() }},
		{"b-l475e-iot01a", 80, []string{"BTN"}, func() models.Chip { return models.NewSTM32L475() }},
		{"nucleo-g474re", 104, nil, func() models.Chip { return models.NewSTM32G474() }},
		{"nucleo-g431kb", 86, nil, func() models.Chip { return models.NewSTM32G431() }},
		{"stm32vldiscovery", 124, nil, func() models.Chip { return models.NewSTM32F100() }},
		{"rpi1", 57, nil, func() models.Chip { return models.NewBCM2835() }},
		{"rpizero", 57, []string{"LED"}, func() models.Chip { return models.NewBCM2835() }},
		{"rpi2", 57, nil, func() models.Chip { return models.NewBCM2836() }},
		{"rpi3", 56, nil, func() models.Chip { return models.NewBCM2836() }},
		{"rpi3-32", 56, nil, func() models.Chip { return models.NewBCM2836() }},
		{"rpi4", 57, nil, func() models.Chip { return models.NewBCM2711() }},
		{"microbit", 79, []string{"BTN_A", "BTN_B", "COL1", "COL2", "COL3", "COL4", "COL5", "COL6", "COL7", "COL8", "COL9"}, func() models.Chip { return models.NewNRF51() }},
		{"microbit-v2", 84, []string{"BTN_A", "BTN_B", "COL1", "COL2", "COL3", "COL4", "COL5"}, func() models.Chip { return models.NewNRF52833() }},
		{"nrf52840-dk", 98, []string{"BTN1", "BTN2", "BTN3", "BTN4", "LED1", "LED2", "LED3", "LED4"}, func() models.Chip { return models.NewNRF52840() }},
		{"mps2-an385", 108, nil, func() models.Chip { return models.NewMPS2() }},
		{"mps2-an386", 108, nil, func() models.Chip { return models.NewMPS2() }},
		{"mps2-an500", 108, nil, func() models.Chip { return models.NewMPS2() }},
		{"mps2-an505", 108, nil, func() models.Chip { return models.NewAN505() }},
		{"mps3-an547", 20, nil, func() models.Chip { return models.NewAN547() }},
		{"lm3s6965evb", 49, []string{"BTN_UP", "BTN_DOWN", "BTN_LEFT", "BTN_RIGHT", "BTN_SELECT"}, func() models.Chip { return models.NewLM3S6965() }},
		{"hifive1-revb", 37, []string{"LED_RED", "LED_GREEN", "LED_BLUE"}, func() models.Chip { return models.NewFE310() }},
		{"esp32-c3", 37, nil, func() models.Chip { return models.NewESP32C3() }},
		{"sifive-e", 37, []string{"LED_RED", "LED_GREEN", "LED_BLUE"}, func() models.Chip { return models.NewFE310() }},
	} {
		b := board(t, c.board)
		chip, err := chips.Find(b.Chip)
		require.NoError(t, err)
		low := map[string]bool{}
		for _, name := range c.low {
			low[name] = true
		}
		n := 0
		used := map[string]bool{}
		var outs []Binding
		pins := map[string]string{}
		for _, ch := range b.Channels {
			for _, kind := range Kinds(chip, &ch) {
				n++
				bind := Binding{Variable: ch.Name, Direction: chip.Kinds[kind].Direction, Channel: ch.Name, Kind: kind}
				each(t, c.new(), b.Name, ch.Pin, low[ch.Name], plan(t, b, bind))
				if bind.Direction == chips.Out && !used[ch.Pin] {
					used[ch.Pin] = true
					outs = append(outs, bind)
					pins[ch.Name] = ch.Pin
				}
			}
		}
		require.Equal(t, c.channels, n, c.board)
		together(t, c.new(), pins, low, plan(t, b, outs...))
	}
}

func plan(t *testing.T, b *boards.Board, bindings ...Binding) *Plan {
	t.Helper()
	p, err := Resolve(b, bindings)
	require.NoError(t, err)
	return p
}

// each runs the only channel of a plan.
func each(t *testing.T, m models.Chip, board, pin string, low bool, p *Plan) {
	t.Helper()
	ch, slots := &p.Bound[0], map[string]int32{}
	run := func(list []registers.Entry) {
		require.NoError(t, registers.Run(m, list, slots))
		require.Empty(t, m.Errors(), "%s %s", board, ch.Variable)
	}
	run(p.Start)
	state := make([]int32, conversion.States(ch.Channel.Value))
	check, ok := kindChecks[ch.Channel.Kind]
	if !ok {
		check = levels
	}
	check(t, ch, m, pin, low, func(value float64) {
		clear(slots)
		ch.write(value, slots)
		run(p.After)
	}, func() float64 {
		run(p.Before)
		return ch.read(slots, state)
	})
	run(p.Safe)
}

// A check runs a channel: set gives an output a value, get reads an input.
type check func(t *testing.T, ch *Bound, m models.Chip, pin string, low bool, set func(float64), get func() float64)

// kindChecks are those of kinds that are more than a level.
var kindChecks = map[string]check{
	"adc": func(t *testing.T, ch *Bound, m models.Chip, pin string, _ bool, _ func(float64), get func() float64) {
		for _, volts := range []float64{0, 1, 0} {
			m.Volts(pin, volts)
			require.InDelta(t, volts, get(), 0.01, ch.Variable)
		}
	},
	"pwm": func(t *testing.T, ch *Bound, m models.Chip, pin string, low bool, set func(float64), _ func() float64) {
		pulses := m.(interface {
			Pulses(pin string) (duty, hz float64, ok bool)
		})
		for _, duty := range []float64{0, 0.25, 1, 0} {
			set(duty)
			got, hz, ok := pulses.Pulses(pin)
			require.True(t, ok, ch.Variable)
			if low {
				got = 1 - got
			}
			require.InDelta(t, duty, got, 1e-3, ch.Variable)
			require.InDelta(t, 1000, hz, 1, ch.Variable)
		}
	},
	"dac": func(t *testing.T, ch *Bound, m models.Chip, pin string, _ bool, set func(float64), _ func() float64) {
		for _, volts := range []float64{0, 1, 0} {
			set(volts)
			got, ok := m.(interface {
				Converted(pin string) (volts float64, ok bool)
			}).Converted(pin)
			require.True(t, ok, ch.Variable)
			require.InDelta(t, volts, got, 0.001, ch.Variable)
		}
	},
	"encoder": func(t *testing.T, ch *Bound, m models.Chip, pin string, _ bool, _ func(float64), get func() float64) {
		b := ch.Channel.Uses[1].Resource
		m.Drive(pin, false)
		m.Drive(b, false)
		at := get()
		for _, step := range []struct {
			pin   string
			level bool
		}{{pin, true}, {b, true}, {pin, false}, {b, false}, {pin, true}} {
			m.Drive(step.pin, step.level)
			at++
			require.Equal(t, at, get(), "%s: %v", ch.Variable, step)
		}
		m.Drive(pin, false)
		require.Equal(t, at-1, get(), ch.Variable)
	},
	"count": func(t *testing.T, ch *Bound, m models.Chip, pin string, _ bool, _ func(float64), get func() float64) {
		m.Drive(pin, false)
		for n := range 3 {
			require.Equal(t, float64(n), get(), ch.Variable)
			m.Drive(pin, true)
			m.Drive(pin, false)
		}
	},
	"period": func(t *testing.T, ch *Bound, m models.Chip, pin string, _ bool, _ func(float64), get func() float64) {
		for range 2 {
			m.Drive(pin, false)
			m.(interface{ Wait(seconds float64) }).Wait(0.5)
			m.Drive(pin, true)
		}
		require.InDelta(t, 0.5, get(), 1e-5, ch.Variable)
	},
	"elapsed": func(t *testing.T, ch *Bound, m models.Chip, _ string, _ bool, _ func(float64), get func() float64) {
		require.Zero(t, get(), ch.Variable)
		for _, seconds := range []float64{0.01, 0.3} {
			m.(interface{ Wait(seconds float64) }).Wait(seconds)
			require.InDelta(t, seconds, get(), 1e-5, ch.Variable)
		}
	},
}

// levels is the check of the others.
func levels(t *testing.T, ch *Bound, m models.Chip, pin string, low bool, set func(float64), get func() float64) {
	for _, value := range []float64{0, 1, 0} {
		if ch.Direction == chips.Out {
			set(value)
			h := m.History(pin)
			require.Equal(t, (value != 0) != low, h[len(h)-1], ch.Variable)
			continue
		}
		m.Drive(pin, (value != 0) != low)
		require.Equal(t, value, get(), ch.Variable)
	}
}

// together runs outputs, each with its own pattern, and ends at their safe levels.
func together(t *testing.T, m models.Chip, pins map[string]string, low map[string]bool, p *Plan) {
	t.Helper()
	slots := map[string]int32{}
	last := func(variable string) bool {
		h := m.History(pins[variable])
		return h[len(h)-1]
	}
	require.NoError(t, registers.Run(m, p.Start, slots))
	for tick := range 8 {
		clear(slots)
		for i := range p.Bound {
			p.Bound[i].write(float64((i+1)>>(tick%6)&1), slots)
		}
		require.NoError(t, registers.Run(m, p.After, slots))
		for i, b := range p.Bound {
			require.Equal(t, (i+1)>>(tick%6)&1 != 0, last(b.Variable) != low[b.Variable], b.Variable)
		}
	}
	require.NoError(t, registers.Run(m, p.Safe, slots))
	for _, b := range p.Bound {
		require.Equal(t, low[b.Variable], last(b.Variable), b.Variable)
	}
	require.Empty(t, m.Errors())
}
