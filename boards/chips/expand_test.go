package chips_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
)

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
		{"PB12", "pwn", nil, nil, `no kind "pwn"; there are: adc, count, dac, encoder, in, out, period, pwm`},
		{"PB12", "in", map[string]string{"pull": "upp"}, nil, `option pull: "upp": want one of down, none, up`},
		{"PB12", "in", map[string]string{"pul": "up"}, nil, `no option "pul"; there are: active, pull`},
		{"PB12", "out", nil, &two, "safe value 2: want 0 to 1"},
	} {
		_, err := c.Expand(x.pin, x.kind, x.options, x.safe)
		require.ErrorContains(t, err, x.want)
	}
}
