package chips_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// modelsOf makes the model of a chip, as the runner leaves it.
var modelsOf = map[string]func() models.Chip{
	"bcm2835":          func() models.Chip { return models.NewBCM2835() },
	"bcm2836":          func() models.Chip { return models.NewBCM2836() },
	"bcm2711":          func() models.Chip { return models.NewBCM2711() },
	"stm32f100":        func() models.Chip { return models.NewSTM32F100() },
	"stm32f405":        func() models.Chip { return models.NewSTM32F405() },
	"stm32f405_usart6": func() models.Chip { return models.NewNetduino() },
	"stm32f446":        func() models.Chip { return models.NewSTM32F446() },
	"stm32f446_usart3": func() models.Chip { return models.NewSTM32F446Z() },
	"stm32f401":        func() models.Chip { return models.NewSTM32F401() },
	"stm32f411":        func() models.Chip { return models.NewSTM32F411() },
	"stm32f767":        func() models.Chip { return models.NewSTM32F767() },
	"stm32h743":        func() models.Chip { return models.NewSTM32H743() },
	"stm32l475":        func() models.Chip { return models.NewSTM32L475() },
	"stm32g474":        func() models.Chip { return models.NewSTM32G474() },
	"stm32g431":        func() models.Chip { return models.NewSTM32G431() },
	"nrf51":            func() models.Chip { return models.NewNRF51() },
	"nrf52833":         func() models.Chip { return models.NewNRF52833() },
	"nrf52840":         func() models.Chip { return models.NewNRF52840() },
	"mps2":             func() models.Chip { return models.NewMPS2() },
	"mps2_an505":       func() models.Chip { return models.NewAN505() },
	"mps3_an547":       func() models.Chip { return models.NewAN547() },
	"lm3s6965":         func() models.Chip { return models.NewLM3S6965() },
	"sifive_e":         func() models.Chip { return models.NewFE310() },
	"esp32c3":          func() models.Chip { return models.NewESP32C3() },
}

// bench is a channel on a model.
type bench struct {
	t     *testing.T
	ch    *chips.Channel
	bus   models.Chip
	slots map[string]int32
	state []int32 // of the steps of an input
}

func find(t *testing.T, chip string) *chips.Chip {
	t.Helper()
	c, err := chips.Find(chip)
	require.NoError(t, err)
	require.NotNil(t, c)
	return c
}

// prepare makes a channel and a model.
func prepare(t *testing.T, chip, pin, kind string, options map[string]string) *bench {
	t.Helper()
	ch, err := find(t, chip).Expand(pin, kind, options, nil)
	require.NoError(t, err, "%s %s", pin, kind)
	return &bench{t: t, ch: ch, bus: modelsOf[chip](), slots: map[string]int32{}}
}

// put starts a channel on a model.
func put(t *testing.T, chip, pin, kind string, options map[string]string) *bench {
	t.Helper()
	b := prepare(t, chip, pin, kind, options)
	b.start()
	return b
}

func (b *bench) start() {
	b.t.Helper()
	b.state = make([]int32, conversion.States(b.ch.Value))
	for _, list := range [][]chips.Operation{b.ch.Enable, b.ch.Setup, b.ch.Start, b.ch.Run} {
		b.run(list)
	}
}

func (b *bench) run(list []chips.Operation) {
	b.t.Helper()
	entries := make([]registers.Entry, len(list))
	for i, op := range list {
		entries[i] = op.Entry
	}
	require.NoError(b.t, registers.Run(b.bus, entries, b.slots))
	require.Empty(b.t, b.bus.Errors())
}

func (b *bench) read() float64 {
	b.t.Helper()
	b.run(b.ch.Before)
	require.Len(b.t, b.ch.Slots, 1)
	slot := b.ch.Slots[0]
	v := conversion.Eval(slot.Steps, conversion.Of(conversion.I32, float64(b.slots[slot.Name])), nil)
	return conversion.Eval(b.ch.Value, v, b.state).Float()
}

func (b *bench) set(value float64) {
	b.t.Helper()
	maps.Copy(b.slots, b.ch.Raw(value))
	b.run(b.ch.After)
}

// offers calls f for each pin that offers a kind, of which there are so many.
func offers(t *testing.T, chip, kind string, pins int, f func(pin string)) {
	t.Helper()
	c, n := find(t, chip), 0
	for pin, p := range c.Pins {
		require.NotContains(t, c.Taken, pin)
		if slices.Contains(p.Kinds(), kind) {
			f(pin)
			n++
		}
	}
	require.Equal(t, pins, n)
}

// inputs tests every input of a chip, with every resistor: what an open pin reads as.
func inputs(t *testing.T, chip, kind string, pins int, open map[string]bool) {
	t.Helper()
	offers(t, chip, kind, pins, func(pin string) {
		for _, active := range []string{"high", "low"} {
			for pull, level := range open {
				b := put(t, chip, pin, kind, map[string]string{"pull": pull, "active": active})
				require.Equal(t, level == (active == "high"), b.read() != 0, "%s pull %s", pin, pull)
				b.levels(pin, active)
			}
			put(t, chip, pin, kind, map[string]string{"active": active}).levels(pin, active)
		}
	})
}

// levels drives an input from outside.
func (b *bench) levels(pin, active string) {
	b.t.Helper()
	for _, level := range []bool{true, false, true} {
		b.bus.Drive(pin, level)
		require.Equal(b.t, level == (active == "high"), b.read() != 0, pin)
	}
}

// outputs tests every output of a chip.
func outputs(t *testing.T, chip, kind string, pins int) {
	t.Helper()
	offers(t, chip, kind, pins, func(pin string) {
		for _, active := range []string{"high", "low"} {
			b := put(t, chip, pin, kind, map[string]string{"active": active})
			rest := active == "low"
			require.Equal(t, []bool{rest}, b.bus.History(pin), "%s: the safe level, and no other before", pin)
			b.set(1)
			b.set(1)
			require.Equal(t, []bool{rest, !rest}, b.bus.History(pin))
			b.set(0)
			b.set(1)
			require.Equal(t, []bool{rest, !rest, rest, !rest}, b.bus.History(pin))
			b.run(b.ch.Safe)
			require.Equal(t, []bool{rest, !rest, rest, !rest, rest}, b.bus.History(pin))
		}
	})
}

// safeLevels: an output starts at a safe value that is not the usual one without the other level before.
func safeLevels(t *testing.T, chip, pin, kind string) {
	t.Helper()
	high := 1.0
	ch, err := find(t, chip).Expand(pin, kind, nil, &high)
	require.NoError(t, err)
	b := &bench{t: t, ch: ch, bus: modelsOf[chip](), slots: map[string]int32{}}
	b.start()
	require.Equal(t, []bool{true}, b.bus.History(pin))
	b.set(0)
	b.run(b.ch.Safe)
	require.Equal(t, []bool{true, false, true}, b.bus.History(pin))
}

// turns: a pin serves one loop as an input and the next one as an output, and the other way round.
func turns(t *testing.T, chip string, pins int) {
	t.Helper()
	offers(t, chip, "out", pins, func(pin string) {
		b := put(t, chip, pin, "out", map[string]string{"active": "low"})
		out := b.ch
		b.set(1)
		b.run(out.Safe)
		var err error
		b.ch, err = find(t, chip).Expand(pin, "in", nil, nil)
		require.NoError(t, err)
		b.start()
		history := b.bus.History(pin)
		require.Equal(t, []bool{true, false, true}, history)
		b.levels(pin, "high")
		require.Equal(t, history, b.bus.History(pin), "%s is no output any more", pin)
		b.ch = out
		b.start()
		require.Equal(t, history, b.bus.History(pin), "%s: the safe level at once", pin)
		b.set(1)
		require.Equal(t, []bool{true, false, true, false}, b.bus.History(pin))
	})
}

func TestTurns(t *testing.T) {
	turns(t, "nrf51", 29)
	turns(t, "mps2", 52)
	turns(t, "mps2_an505", 52)
}
