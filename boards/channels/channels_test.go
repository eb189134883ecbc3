package channels

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

func board(t *testing.T, name string) *boards.Board {
	t.Helper()
	all, err := boards.Descriptions()
	require.NoError(t, err)
	at := slices.IndexFunc(all, func(b boards.Board) bool { return b.Name == name })
	require.GreaterOrEqual(t, at, 0)
	return &all[at]
}

// TestBoards: every kind of every channel of every board can be bound, and the
// entries are such as a runner accepts, in windows of the chip.
func TestBoards(t *testing.T) {
	all, err := boards.Descriptions()
	require.NoError(t, err)
	checked := 0
	for _, b := range all {
		chip, err := chips.Find(b.Chip)
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, c := range b.Channels {
			require.NotNil(t, chip, "%s has channels, its chip %s has none", b.Name, b.Chip)
			require.NotEmpty(t, c.Place, c.Name)
			for _, name := range append([]string{c.Name}, c.Aliases...) {
				require.False(t, seen[name], "%s: %s twice", b.Name, name)
				seen[name] = true
			}
			for _, kind := range Kinds(chip, &c) {
				require.Contains(t, chip.Pins[c.Pin].Kinds(), kind, "%s: %s", b.Name, c.Name)
				plan, err := Resolve(&b, []Binding{{Variable: "x", Direction: chip.Kinds[kind].Direction, Channel: c.Name, Kind: kind}})
				require.NoError(t, err)
				for _, e := range slices.Concat(plan.Start, plan.Before, plan.After, plan.Safe) {
					require.NoError(t, e.Check())
					require.True(t, chip.Inside(e.Width, e.Address), "%v", e)
				}
				for _, e := range plan.Safe {
					require.Contains(t, []registers.Op{registers.Write, registers.Change}, e.Op)
				}
				checked++
			}
		}
	}
	require.Greater(t, checked, 40)
}

// read is the value of an input; state is that of its steps.
func (b *Bound) read(slots map[string]int32, state []int32) float64 {
	all := conversion.Value{Type: conversion.I32}
	for _, term := range b.Terms {
		all.Int |= conversion.Eval(term.Steps, conversion.Value{Type: conversion.I32, Int: slots[term.Slot]}, nil).Int
	}
	return conversion.Eval(b.Channel.Value, all, state).Float()
}

func (b *Bound) write(value float64, slots map[string]int32) {
	v := conversion.Eval(b.Channel.Value, conversion.Of(b.Channel.Template.Type, value), nil)
	for _, term := range b.Terms {
		slots[term.Slot] |= conversion.Eval(term.Steps, v, nil).Int
	}
}

// sample sets what is outside of the inputs, another pattern in each tick, runs the list before the tasks and compares what it gives.
func sample(t *testing.T, plan *Plan, m models.Chip, tick int, slots map[string]int32, pin func(*Bound) string, run func([]registers.Entry)) {
	t.Helper()
	for i := range plan.Bound {
		switch c := &plan.Bound[i]; c.Channel.Kind {
		case "in":
			m.Drive(pin(c), (tick+i)%3 == 0)
		case "adc":
			m.Volts(pin(c), float64((tick+i)%4))
		}
	}
	run(plan.Before)
	for i := range plan.Bound {
		switch c := &plan.Bound[i]; c.Channel.Kind {
		case "in":
			require.Equal(t, (tick+i)%3 == 0, c.read(slots, nil) != 0, c.Variable)
		case "adc":
			require.InDelta(t, float64((tick+i)%4), c.read(slots, nil), 3.3/4095, c.Variable)
		}
	}
	clear(slots)
}

// TestAllAtOnce binds every channel of a Netduino together, and runs ticks on the model.
func TestAllAtOnce(t *testing.T) {
	b := board(t, "netduinoplus2")
	pins := map[string]string{}
	var bindings []Binding
	for i, c := range b.Channels {
		pins[c.Name] = c.Pin
		switch {
		case c.Name == "D0", c.Name == "D1": // the line
		case c.Name[0] == 'A':
			bindings = append(bindings, Binding{Variable: c.Name, Direction: chips.In, Channel: c.Name})
		case c.Name == "BTN" || i%3 == 0 && c.Name != "LED":
			bindings = append(bindings, Binding{Variable: c.Name, Direction: chips.In, Channel: c.Name, Options: map[string]string{"pull": "up"}})
		default:
			bindings = append(bindings, Binding{Variable: c.Name, Direction: chips.Out, Channel: c.Name})
		}
	}
	plan, err := Resolve(b, bindings)
	require.NoError(t, err)
	m := models.NewNetduino()
	slots := map[string]int32{}
	run := func(list []registers.Entry) {
		t.Helper()
		require.NoError(t, registers.Run(m, list, slots))
		require.Empty(t, m.Errors())
	}
	run(plan.Start)
	for tick := range 8 {
		sample(t, plan, m, tick, slots, func(c *Bound) string { return pins[c.Variable] }, run)
		for i := range plan.Bound {
			if c := &plan.Bound[i]; c.Channel.Kind == "out" {
				c.write(float64((tick+i)%2), slots)
			}
		}
		run(plan.After)
		for i, c := range plan.Bound {
			if h := m.History(pins[c.Variable]); c.Channel.Kind == "out" {
				require.Equal(t, (tick+i)%2 != 0, h[len(h)-1], "%s at tick %d", c.Variable, tick)
				require.False(t, h[0])
			}
		}
	}
	run(plan.Safe)
	for _, c := range plan.Bound {
		if h := m.History(pins[c.Variable]); c.Channel.Kind == "out" {
			require.False(t, h[len(h)-1], c.Variable)
		}
	}
}

// Pins of one port take one access, and their clock is switched on once.
func TestMerge(t *testing.T) {
	b := board(t, "netduinoplus2")
	plan, err := Resolve(b, []Binding{
		{Variable: "a", Direction: chips.Out, Channel: "D4"},
		{Variable: "b", Direction: chips.Out, Channel: "D12"},
		{Variable: "c", Direction: chips.In, Channel: "D5"},
		{Variable: "d", Direction: chips.In, Channel: "d6"},
		{Variable: "e", Direction: chips.In, Channel: "D8"},
	})
	require.NoError(t, err)
	text := func(list []registers.Entry) (all []string) {
		for _, e := range list {
			all = append(all, e.String())
		}
		return all
	}
	require.Equal(t, []string{"change32 0x40023830 0x2 0x2", "change32 0x40023830 0x1 0x1"}, text(plan.Start[:2]))
	require.Equal(t, []string{"load32 0x40020410 0x300 >>0 -> c.level", "load32 0x40020010 0x1 >>0 -> e.level"}, text(plan.Before))
	require.Equal(t, []string{"store32 0x40020418 0xffffffff <<0 <- a.word"}, text(plan.After))
	require.Equal(t, []string{fmt.Sprintf("write32 0x40020418 %#x", 1<<28|1<<30)}, text(plan.Safe))
	require.Equal(t, []string{"c.level", "e.level", "a.word"}, plan.Slots)
	require.Equal(t, []Term{{"a.word", []conversion.Step{{Kind: conversion.Select, A: 1 << 14, B: 1 << 30}}}}, plan.Bound[1].Terms)
	require.Empty(t, plan.Bound[4].Terms[0].Steps, "a single pin needs no steps")
}

func TestResolveErrors(t *testing.T) {
	b := board(t, "netduinoplus2")
	for _, c := range []struct {
		bindings []Binding
		want     string
	}{
		{[]Binding{{Variable: "x", Direction: chips.In, Channel: "D99"}}, "x: D99: netduinoplus2 has no such channel; there are: D0, D1, "},
		{[]Binding{{Variable: "x", Direction: chips.Out, Channel: "D0"}}, "x: D0: its pin PC7 belongs to USART6, which receives for the runner"},
		{[]Binding{{Variable: "x", Direction: chips.Out, Channel: "BTN"}}, "x: BTN: cannot be an output; it offers in. What can: D2, D3, "},
		{[]Binding{{Variable: "x", Direction: chips.Out, Channel: "A0", Kind: "adc"}}, "x: A0: adc is an input, and the variable is an output of the program"},
		{[]Binding{{Variable: "x", Direction: chips.Out, Channel: "D4", Kind: "pwm"}}, `x: D4: does not offer "pwm", but out, in`},
		{[]Binding{{Variable: "x", Direction: chips.In, Channel: "A0", Options: map[string]string{"sample": "85"}}}, `x: A0: option sample: "85": want one of 112, 144, `},
		{[]Binding{{Variable: "x", Direction: chips.In, Channel: "D4"}, {Variable: "y", Direction: chips.Out, Channel: "D4"}}, "y: D4: PB12 is in use by x (D4)"},
		{[]Binding{{Variable: "x", Direction: chips.In, Channel: "D4"}, {Variable: "x", Direction: chips.In, Channel: "D5"}}, "x: D5: bound twice"},
		{[]Binding{{Variable: "x", Direction: chips.In, Channel: "A0", Options: map[string]string{"read": "previous"}}, {Variable: "y", Direction: chips.In, Channel: "A1"}},
			"y: A1: ADC1 is in use by x (A0) as conversions of PC0 between ticks, here wanted as single conversions"},
		{[]Binding{{Variable: "x", Direction: chips.In, Channel: "D98"}, {Variable: "y", Direction: chips.In, Channel: "D99"}}, "y: D99: "},
	} {
		_, err := Resolve(b, c.bindings)
		require.ErrorContains(t, err, c.want)
	}
	_, err := Resolve(board(t, "virt-a15"), nil)
	require.EqualError(t, err, "virt-a15 has no channels")
}

// One resource in two modes: the first binding says which one.
func TestClaim(t *testing.T) {
	holders := map[string]holder{}
	pwm := func(hz string) *chips.Channel { return &chips.Channel{Uses: []chips.Use{{Resource: "TIM3", Mode: hz}}} }
	require.NoError(t, claim(holders, Binding{Variable: "a", Channel: "D9"}, pwm("pwm 1000 Hz")))
	require.NoError(t, claim(holders, Binding{Variable: "b", Channel: "D10"}, pwm("pwm 1000 Hz")))
	require.EqualError(t, claim(holders, Binding{Variable: "c", Channel: "D11"}, pwm("pwm 20000 Hz")),
		"TIM3 is in use by b (D10) as pwm 1000 Hz, here wanted as pwm 20000 Hz")
}

func TestParseBinding(t *testing.T) {
	b, err := ParseBinding("motor=D9:pwm,freq=20kHz")
	require.NoError(t, err)
	require.Equal(t, Binding{Variable: "motor", Channel: "D9", Kind: "pwm", Options: map[string]string{"freq": "20kHz"}}, b)
	b, err = ParseBinding("v=A0:sample=480")
	require.NoError(t, err)
	require.Equal(t, Binding{Variable: "v", Channel: "A0", Options: map[string]string{"sample": "480"}}, b)
	for _, text := range []string{"", "x", "x=", "=A0", "x=A0:", "x=A0:in,,", "x=A0:in,pull", "x=A0:pull=", "x=A0:pull=up,pull=up"} {
		_, err := ParseBinding(text)
		require.Error(t, err, text)
	}
}
