package chips_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
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
	for _, address := range []uint32{0x40002000, 0x40008000, 0x40000000, 0x40010000, 0x4001f500, 0x4001f510} { // UART0, TIMER0, CLOCK, WDT, PPI
		require.False(t, c.Inside(32, address))
	}
	task := registers.Entry{Op: registers.Change, Width: 32, Address: 0x40006510, Mask: 3, Value: 3}
	require.False(t, c.Allows(task), "GPIOTE drives a pin, the UART's too")
	for pin, p := range c.Pins {
		for _, kind := range p.Kinds() {
			b := put(t, "nrf51", pin, kind, nil)
			require.Equal(t, uint32(1<<24), b.bus.Read(32, 0x50000514)&(3<<24), "%s %s: DIR", pin, kind)
			require.Equal(t, []bool{true}, b.bus.History("P0.24"))
		}
	}
}

func TestNRF51Count(t *testing.T) {
	offers(t, "nrf51", "count", 29, func(pin string) {
		for _, timer := range []string{"1", "2"} {
			b := put(t, "nrf51", pin, "count", map[string]string{"timer": timer, "pull": "down"})
			total := 0
			for _, n := range []int{0, 1, 7, 65535, 0, 20} {
				for range n {
					b.bus.Drive(pin, true)
					b.bus.Drive(pin, false)
				}
				total += n
				require.Equal(t, float64(total), b.read(), "%s by TIMER%s", pin, timer)
			}
			b.start()
			require.Zero(t, b.read(), "a second loop begins at 0")
		}
	})
}

// Two pins count apart from each other, and a timer that has counted time counts edges in the next loop.
func TestNRF51CountsTwoPins(t *testing.T) {
	b := put(t, "nrf51", "TIMER1", "elapsed", nil)
	first, err := find(t, "nrf51").Expand("P0.17", "count", map[string]string{"timer": "1"}, nil)
	require.NoError(t, err)
	second, err := find(t, "nrf51").Expand("P0.26", "count", map[string]string{"timer": "2"}, nil)
	require.NoError(t, err)
	b.ch = first
	b.start()
	b.ch = second
	b.start()
	for n := 1; n < 4; n++ {
		b.bus.Drive("P0.17", true)
		b.bus.Drive("P0.17", false)
		b.bus.Drive("P0.26", false)
		b.bus.Drive("P0.26", true)
		b.bus.(*models.NRF51).Wait(0.1)
	}
	b.ch, b.state = first, make([]int32, 2)
	require.Equal(t, 3.0, b.read())
	b.ch, b.state = second, make([]int32, 2)
	require.Equal(t, 3.0, b.read())
}

// A pin that has been counted at is an output of the next loop.
func TestNRF51CountAndOut(t *testing.T) {
	offers(t, "nrf51", "out", 29, func(pin string) {
		b := put(t, "nrf51", pin, "count", nil)
		b.run(b.ch.Safe)
		var err error
		b.ch, err = find(t, "nrf51").Expand(pin, "out", nil, nil)
		require.NoError(t, err)
		b.start()
		b.set(1)
		require.Equal(t, []bool{false, true}, b.bus.History(pin))
	})
}

func TestNRF51Elapsed(t *testing.T) {
	for clock, hz := range map[string]float64{"16MHz": 16e6, "1MHz": 1e6, "125kHz": 125e3, "31250Hz": 31250, "": 125e3} {
		offers(t, "nrf51", "elapsed", 2, func(timer string) {
			var options map[string]string
			if clock != "" {
				options = map[string]string{"clock": clock}
			}
			b := put(t, "nrf51", timer, "elapsed", options)
			require.Zero(t, b.read())
			for _, part := range []float64{0.001, 0.1, 0.5, 0.99, 0.02} {
				seconds := part * 65536 / hz
				b.bus.(*models.NRF51).Wait(seconds)
				require.InDelta(t, seconds, b.read(), 1.01/hz, "%s by %s", timer, clock)
			}
			require.Zero(t, b.read(), "no time has passed")
			require.InDelta(t, 65535/hz, b.ch.High, 1e-9)
			b.bus.(*models.NRF51).Wait(0.1 / hz)
			b.start()
			require.Zero(t, b.read(), "a second loop")
		})
	}
}
