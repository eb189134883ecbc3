package chips_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
)

func TestSTM32F405Inputs(t *testing.T) {
	inputs(t, "stm32f405", "in", 45, map[string]bool{"none": false, "up": true, "down": false})
}

func TestSTM32F405Outputs(t *testing.T) {
	outputs(t, "stm32f405", "out", 45)
	safeLevels(t, "stm32f405", "PB12", "out")
}

func TestSTM32F405ADC(t *testing.T) {
	offers(t, "stm32f405", "adc", 16, func(pin string) {
		for _, sample := range []string{"3", "84", "480"} {
			b := put(t, "stm32f405", pin, "adc", map[string]string{"sample": sample})
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
			b := put(t, "stm32f405", pin, kind, nil)
			moder := b.bus.Read(32, 0x40020000)
			require.Equal(t, uint32(0xa<<18), moder&(0xf<<18), "%s %s: PA9, PA10", pin, kind)
			require.NotZero(t, b.bus.Read(32, 0x40023844)&(1<<4), "the USART's clock")
			require.NotZero(t, b.bus.Read(32, 0x40023830)&1, "port A's clock")
		}
	}
}
