package chips_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNRF51Inputs(t *testing.T) {
	inputs(t, "nrf51", "in", 29, map[string]bool{"none": false, "up": true, "down": false})
}

func TestNRF51Outputs(t *testing.T) {
	outputs(t, "nrf51", "out", 29)
	safeLevels(t, "nrf51", "P0.13", "out")
}

func TestNRF51ADC(t *testing.T) {
	offers(t, "nrf51", "adc", 8, func(pin string) {
		b := put(t, "nrf51", pin, "adc", nil)
		for _, volts := range []float64{0, 0.1, 1.2, 1.8, 3.3, 3.6} {
			b.bus.Volts(pin, volts)
			require.InDelta(t, volts, b.read(), 3.6/1023, pin)
		}
		b.start() // once more, as a second loop finds the chip
		require.InDelta(t, 3.6, b.read(), 3.6/1023)
	})
}

// A pin that was an output, or had a resistor, is an analogue input like others.
func TestNRF51ADCAfterOthers(t *testing.T) {
	for kind, options := range map[string]map[string]string{"in": {"pull": "up"}, "out": {"active": "low"}} {
		offers(t, "nrf51", "adc", 8, func(pin string) {
			b := put(t, "nrf51", pin, kind, options)
			var err error
			b.ch, err = find(t, "nrf51").Expand(pin, "adc", nil, nil)
			require.NoError(t, err)
			b.start()
			b.bus.Volts(pin, 2)
			require.InDelta(t, 2, b.read(), 3.6/1023)
		})
	}
}

// A loop that ended during a conversion leaves the converter busy.
func TestNRF51ADCAfterAStop(t *testing.T) {
	b := put(t, "nrf51", "P0.03", "adc", nil)
	b.bus.Volts("P0.03", 2)
	b.run(b.ch.Before[:3]) // started
	b.start()
	require.InDelta(t, 2, b.read(), 3.6/1023)
}

func TestNRF51LeavesTheRunnerAlone(t *testing.T) {
	c := find(t, "nrf51")
	for _, address := range []uint32{0x40002000, 0x40008000, 0x40000000, 0x40010000} { // UART0, TIMER0, CLOCK, WDT
		require.False(t, c.Inside(32, address))
	}
	for pin, p := range c.Pins {
		for _, kind := range p.Kinds() {
			b := put(t, "nrf51", pin, kind, nil)
			require.Equal(t, uint32(1<<24), b.bus.Read(32, 0x50000514)&(3<<24), "%s %s: DIR", pin, kind)
			require.Equal(t, []bool{true}, b.bus.History("P0.24"))
		}
	}
}
