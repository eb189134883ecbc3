package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPace(t *testing.T) {
	for _, c := range []struct {
		pace
		want time.Duration
	}{
		{pace{}, 0},
		{pace{rate: "1kHz"}, time.Millisecond},
		{pace{rate: "1 kHz"}, time.Millisecond},
		{pace{rate: "50Hz"}, 20 * time.Millisecond},
		{pace{rate: "0.5Hz"}, 2 * time.Second},
		{pace{rate: "2.5e2Hz"}, 4 * time.Millisecond},
		{pace{rate: "1MHz"}, time.Microsecond},
		{pace{rate: "3kHz"}, 333 * time.Microsecond},
		{pace{rate: "0.00025Hz"}, 4000 * time.Second},
		{pace{period: "1ms"}, time.Millisecond},
		{pace{period: "1h"}, time.Hour},
	} {
		got, err := c.of("runs", true)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, c)
	}
	for _, c := range []struct {
		pace
		message, hint string
	}{
		{pace{rate: "1000"}, "--rate 1000: it is no rate with a unit", "kHz and MHz"},
		{pace{rate: "1khz"}, "--rate 1khz: it is no rate with a unit", "kHz and MHz"},
		{pace{rate: "kHz"}, `--rate kHz: "" is not a number`, "--rate 1kHz"},
		{pace{rate: "1,5kHz"}, `"1,5" is not a number`, "--rate 1kHz"},
		{pace{rate: "0Hz"}, "want 0.0002328 Hz to 1 MHz", "--rate 1kHz"},
		{pace{rate: "-1kHz"}, "want 0.0002328 Hz to 1 MHz", "--rate 1kHz"},
		{pace{rate: "NaNHz"}, "want 0.0002328 Hz to 1 MHz", "--rate 1kHz"},
		{pace{rate: "+infMHz"}, "want 0.0002328 Hz to 1 MHz", "--rate 1kHz"},
		{pace{rate: "2MHz"}, "want 0.0002328 Hz to 1 MHz", "--rate 1kHz"},
		{pace{rate: "700kHz"}, "off by more than 1 %", "--rate 1kHz"},
		{pace{period: "1"}, "--period 1: it is no time with a unit", "--period 1ms"},
		{pace{period: "0s"}, "want 1µs", "--period 1ms"},
		{pace{period: "-1ms"}, "want 1µs", "--period 1ms"},
		{pace{period: "2h"}, "to 1h11m34.967295s", "--period 1ms"},
		{pace{rate: "1kHz", period: "1ms"}, "say the same", "give one of them"},
	} {
		_, err := c.of("runs", true)
		var f *failure
		require.ErrorAs(t, err, &f)
		assert.Equal(t, exitUsage, f.Code)
		assert.Contains(t, f.Message, c.message)
		assert.Contains(t, f.Hint, c.hint)
	}
	_, err := (&pace{rate: "1kHz"}).of("run", false)
	require.ErrorContains(t, err, "--rate needs --run, the number of ticks")
}
