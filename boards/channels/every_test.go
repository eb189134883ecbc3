package channels

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
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
		{"netduinoplus2", 48, nil, func() models.Chip { return models.NewSTM32F405() }},
		{"microbit", 56, []string{"BTN_A", "BTN_B", "COL1", "COL2", "COL3", "COL4", "COL5", "COL6", "COL7", "COL8", "COL9"}, func() models.Chip { return models.NewNRF51() }},
		{"mps2-an385", 108, nil, func() models.Chip { return models.NewMPS2() }},
		{"mps2-an386", 108, nil, func() models.Chip { return models.NewMPS2() }},
		{"mps2-an500", 108, nil, func() models.Chip { return models.NewMPS2() }},
		{"mps2-an505", 108, nil, func() models.Chip { return models.NewAN505() }},
		{"mps3-an547", 20, nil, func() models.Chip { return models.NewAN547() }},
		{"lm3s6965evb", 49, []string{"BTN_UP", "BTN_DOWN", "BTN_LEFT", "BTN_RIGHT", "BTN_SELECT"}, func() models.Chip { return models.NewLM3S6965() }},
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
	for _, on := range []bool{false, true, false} {
		value := 0.0
		if on {
			value = 1
		}
		switch {
		case ch.Direction == chips.Out:
			clear(slots)
			ch.write(value, slots)
			run(p.After)
			h := m.History(pin)
			require.Equal(t, on != low, h[len(h)-1], "%s %s", board, ch.Variable)
		case ch.Channel.Kind == "adc":
			m.Volts(pin, value)
			run(p.Before)
			require.InDelta(t, value, ch.read(slots), 0.01, "%s %s", board, ch.Variable)
		default:
			m.Drive(pin, on != low)
			run(p.Before)
			require.Equal(t, value, ch.read(slots), "%s %s", board, ch.Variable)
		}
	}
	run(p.Safe)
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
