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

// A model has registers, and pins with what is connected to them.
type model interface {
	registers.Bus
	Errors() []string
	Drive(pin string, high bool)
	Volts(pin string, v float64)
	History(pin string) []bool
}

// bench is a channel on a model.
type bench struct {
	t     *testing.T
	ch    *chips.Channel
	bus   model
	slots map[string]int32
}

func put(t *testing.T, pin, kind string, options map[string]string) *bench {
	t.Helper()
	return connect(t, "stm32f405", models.NewSTM32F405(), pin, kind, options)
}

// start carries out the start list.
func (b *bench) start() {
	b.t.Helper()
	for _, list := range [][]chips.Operation{b.ch.Enable, b.ch.Setup, b.ch.Start, b.ch.Run} {
		b.run(list)
	}
}

func (b *bench) run(list []chips.Operation) {
	b.t.Helper()
	require.NoError(b.t, registers.Run(b.bus, entries(list), b.slots))
	require.Empty(b.t, b.bus.Errors())
}

func (b *bench) read() float64 {
	b.t.Helper()
	b.run(b.ch.Before)
	require.Len(b.t, b.ch.Slots, 1)
	slot := b.ch.Slots[0]
	v := conversion.Eval(slot.Steps, conversion.Of(conversion.I32, float64(b.slots[slot.Name])), nil)
	return conversion.Eval(b.ch.Value, v, nil).Float()
}

func (b *bench) set(value float64) {
	b.t.Helper()
	maps.Copy(b.slots, b.ch.Raw(value))
	b.run(b.ch.After)
}

// offers calls f for each pin that offers a kind.
func offers(t *testing.T, kind string, f func(pin string)) {
	t.Helper()
	c, err := chips.Find("stm32f405")
	require.NoError(t, err)
	require.NotNil(t, c)
	n := 0
	for pin, p := range c.Pins {
		require.NotContains(t, c.Taken, pin)
		if slices.Contains(p.Kinds(), kind) {
			f(pin)
			n++
		}
	}
	require.Greater(t, n, 15)
}

func TestSTM32F405Inputs(t *testing.T) {
	offers(t, "in", func(pin string) {
		for _, active := range []string{"high", "low"} {
			for pull, open := range map[string]bool{"none": false, "up": true, "down": false} {
				b := put(t, pin, "in", map[string]string{"pull": pull, "active": active})
				require.Equal(t, open == (active == "high"), b.read() != 0, "%s pull %s", pin, pull)
				for _, level := range []bool{true, false, true} {
					b.bus.Drive(pin, level)
					require.Equal(t, level == (active == "high"), b.read() != 0, pin)
				}
			}
		}
	})
}

func TestSTM32F405Outputs(t *testing.T) {
	offers(t, "out", func(pin string) {
		for _, active := range []string{"high", "low"} {
			b := put(t, pin, "out", map[string]string{"active": active})
			rest := active == "low"
			require.Equal(t, []bool{rest}, b.bus.History(pin), "%s: the safe level, and no other before", pin)
			b.set(1)
			b.set(1)
			require.Equal(t, []bool{rest, !rest}, b.bus.History(pin))
			b.run(b.ch.Safe)
			require.Equal(t, []bool{rest, !rest, rest}, b.bus.History(pin))
		}
	})
}

func TestSTM32F405ADC(t *testing.T) {
	offers(t, "adc", func(pin string) {
		for _, sample := range []string{"3", "84", "480"} {
			b := put(t, pin, "adc", map[string]string{"sample": sample})
			for _, volts := range []float64{0, 0.1, 1.65, 3.2, 3.3} {
				b.bus.Volts(pin, volts)
				require.InDelta(t, volts, b.read(), 3.3/4095, "%s sample %s", pin, sample)
			}
			// Once more, as a second loop finds the chip.
			b.start()
			require.InDelta(t, 3.3, b.read(), 3.3/4095)
		}
	})
}

func TestExpandErrors(t *testing.T) {
	c, err := chips.Find("stm32f405")
	require.NoError(t, err)
	two := 2.0
	for _, x := range []struct {
		pin, kind string
		options   map[string]string
		safe      *float64
		want      string
	}{
		{"PA9", "in", nil, nil, "the chip has no pin PA9"},
		{"PB12", "adc", nil, nil, "PB12 does not offer adc, but in, out"},
		{"PB12", "pwn", nil, nil, `no kind "pwn"; there are: adc, in, out`},
		{"PB12", "in", map[string]string{"pull": "upp"}, nil, `option pull: "upp": want one of down, none, up`},
		{"PB12", "in", map[string]string{"pul": "up"}, nil, `no option "pul"; there are: active, pull`},
		{"PB12", "out", nil, &two, "safe value 2: want 0 to 1"},
	} {
		_, err := c.Expand(x.pin, x.kind, x.options, x.safe)
		require.ErrorContains(t, err, x.want)
	}
}

// The lists leave alone what the runner needs: its clock, its pins, its line.
func TestSTM32F405LeavesTheRunnerAlone(t *testing.T) {
	c, err := chips.Find("stm32f405")
	require.NoError(t, err)
	const usart1, systick = 0x40011000, 0xe000e010 // as in its chip.c, and of the core
	require.False(t, c.Inside(32, usart1))
	require.False(t, c.Inside(32, systick))
	for pin, p := range c.Pins {
		for _, kind := range p.Kinds() {
			b := put(t, pin, kind, nil)
			moder := b.bus.Read(32, 0x40020000)
			require.Equal(t, uint32(0xa<<18), moder&(0xf<<18), "%s %s: PA9, PA10", pin, kind)
			require.NotZero(t, b.bus.Read(32, 0x40023844)&(1<<4), "the USART's clock")
			require.NotZero(t, b.bus.Read(32, 0x40023830)&1, "port A's clock")
		}
	}
}
