package chips_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
)

func TestESP32C3(t *testing.T) {
	inputs(t, "esp32c3", "in", 13, map[string]bool{"none": false, "up": true, "down": false})
	outputs(t, "esp32c3", "out", 13)
	safeLevels(t, "esp32c3", "GPIO5", "out")
	turns(t, "esp32c3", 13)
}

// What the boot ROM, or a program before the runner, may have left of a pin is gone.
func TestESP32C3AfterOthers(t *testing.T) {
	offers(t, "esp32c3", "in", 13, func(pin string) {
		n, err := strconv.Atoi(strings.TrimPrefix(pin, "GPIO"))
		require.NoError(t, err)
		for _, c := range []struct {
			kind, pull, pad string
		}{
			{"in", "none", "in"}, {"in", "up", "in up"}, {"in", "down", "in down"}, {"out", "", "out"},
		} {
			var options map[string]string
			if c.pull != "" {
				options = map[string]string{"pull": c.pull}
			}
			b := prepare(t, "esp32c3", pin, c.kind, options)
			at := uint32(4 * n)
			b.bus.Write(32, 0x60004020, 1<<n)     // an output
			b.bus.Write(32, 0x60004074+at, 1<<2)  // an open drain
			b.bus.Write(32, 0x60004554+at, 0x106) // of UART0, inverted
			b.bus.Write(32, 0x60009004+at, 0x380) // another function, both resistors
			b.start()
			require.Equal(t, c.pad, b.bus.(*models.ESP32C3).Pad(pin), c.kind)
		}
	})
}

// Widths at every frequency that is offered, of each pin; the first pulses have the safe width.
func TestESP32C3Pulses(t *testing.T) {
	offers(t, "esp32c3", "pwm", 11, func(pin string) {
		for _, freq := range []string{"10", "1000", "9765", "9766", "20000", "78125"} {
			hz, err := strconv.ParseFloat(freq, 64)
			require.NoError(t, err)
			safe := 0.5
			ch, err := find(t, "esp32c3").Expand(pin, "pwm", map[string]string{"freq": freq}, &safe)
			require.NoError(t, err)
			b := &bench{t: t, ch: ch, bus: modelsOf["esp32c3"](), slots: map[string]int32{}}
			m := b.bus.(*models.ESP32C3)
			_, _, ok := m.Pulses(pin)
			require.False(t, ok)
			b.start()
			for _, duty := range []float64{-1, 0.5, 0, 0.25, 1, 2, 0.001} {
				if duty >= 0 {
					b.set(duty)
				}
				got, at, ok := m.Pulses(pin)
				require.True(t, ok, "%s at %s Hz", pin, freq)
				require.InEpsilon(t, hz, at, 2e-3)
				want := min(duty, 1)
				if duty < 0 {
					want = safe
				}
				require.InDelta(t, want, got, 1.0/1024/2)
			}
			b.run(b.ch.Safe)
			got, _, _ := m.Pulses(pin)
			require.Equal(t, safe, got)
		}
		for _, freq := range []string{"9", "78126"} {
			_, err := find(t, "esp32c3").Expand(pin, "pwm", map[string]string{"freq": freq}, nil)
			require.ErrorContains(t, err, "freq")
		}
	})
}

func TestESP32C3LeavesTheRunnerAlone(t *testing.T) {
	c := find(t, "esp32c3")
	// GPIO pins 18 and 19, IO_MUX of flash memory and of USB; RTC, timer group 0, SYSTIMER, USB, SYSTEM, interrupts.
	for _, address := range []uint32{0x600040bc, 0x600040c0, 0x6000459c, 0x600045a0, 0x60009030, 0x6000904c, 0x60009050,
		0x60008000, 0x6001f048, 0x60023000, 0x60043000, 0x600c0008, 0x600c2104} {
		require.False(t, c.Inside(32, address), "%#x", address)
	}
}
