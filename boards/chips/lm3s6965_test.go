package chips_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
)

func TestLM3S6965(t *testing.T) {
	inputs(t, "lm3s6965", "in", 35, map[string]bool{"none": false, "up": true, "down": false})
	outputs(t, "lm3s6965", "out", 35)
	safeLevels(t, "lm3s6965", "PF0", "out")
	turns(t, "lm3s6965", 35)
}

func TestLM3S6965ADC(t *testing.T) {
	offers(t, "lm3s6965", "adc", 4, func(pin string) {
		b := put(t, "lm3s6965", pin, "adc", nil)
		for _, volts := range []float64{0, 0.1, 1.5, 2.9, 3} {
			b.bus.Volts(pin, volts)
			require.InDelta(t, volts, b.read(), 3.0/1023, pin)
		}
		b.start() // once more, as a second loop finds the chip
		require.InDelta(t, 3, b.read(), 3.0/1023)
	})
}

// A loop that ended before it had its sample leaves that behind, and its flag.
func TestLM3S6965ADCAfterAStop(t *testing.T) {
	b := put(t, "lm3s6965", "ADC2", "adc", nil)
	for _, done := range []int{4, 5, 6} {
		b.bus.Volts("ADC2", 1)
		b.run(b.ch.Before[:done])
		for range 50 {
			b.bus.Read(32, 0x40038004)
		}
		b.bus.Write(32, 0x40038000, 0)
		b.bus.Write(32, 0x40038014, 0xffff) // always, which is another program's
		b.start()
		b.bus.Volts("ADC2", 2)
		require.InDelta(t, 2, b.read(), 3.0/1023, "after %d", done)
	}
}

// What a program before the runner may have left of a pin is gone.
func TestLM3S6965AfterOthers(t *testing.T) {
	left := func(b *bench, pin string) {
		base := [7]uint32{0x40004000, 0x40005000, 0x40006000, 0x40007000, 0x40024000, 0x40025000, 0x40026000}[pin[1]-'A']
		bit := uint32(1) << (pin[2] - '0')
		b.bus.Write(32, 0x400fe108, 0x7f)
		b.bus.Read(32, 0x400fe108)
		for _, offset := range []uint32{0x420, 0x50c, 0x510, 0x51c} { // another function, open drain, up, digital
			b.bus.Write(32, base+offset, b.bus.Read(32, base+offset)|bit)
		}
		require.Empty(t, b.bus.Errors())
	}
	offers(t, "lm3s6965", "in", 35, func(pin string) {
		for pull, want := range map[string]string{"none": "", "up": " up", "down": " down"} {
			b := prepare(t, "lm3s6965", pin, "in", map[string]string{"pull": pull})
			left(b, pin)
			b.start()
			require.Equal(t, "digital open drain"+want, b.bus.(*models.LM3S6965).Pad(pin), "%s pull %s", pin, pull)
			b.ch = prepare(t, "lm3s6965", pin, "in", nil).ch
			b.start()
			require.Equal(t, "digital open drain", b.bus.(*models.LM3S6965).Pad(pin))
		}
		for _, pull := range []string{"up", "down"} {
			b := put(t, "lm3s6965", pin, "in", map[string]string{"pull": pull})
			out := prepare(t, "lm3s6965", pin, "out", map[string]string{"active": "low"})
			b.ch = out.ch
			b.start()
			require.Equal(t, "digital out", b.bus.(*models.LM3S6965).Pad(pin), pin)
			require.Equal(t, []bool{true}, b.bus.History(pin), "%s: not low for a moment", pin)
		}
		b := prepare(t, "lm3s6965", pin, "out", nil)
		left(b, pin)
		b.start()
		require.Equal(t, "digital out", b.bus.(*models.LM3S6965).Pad(pin))
		require.Equal(t, []bool{false}, b.bus.History(pin))
	})
}

func TestLM3S6965LeavesTheRunnerAlone(t *testing.T) {
	c := find(t, "lm3s6965")
	for _, address := range []uint32{0x40000000, 0x4000c000, 0x400fe060, 0x400fe104} { // watchdog, UART0, RCC, RCGC1
		require.False(t, c.Inside(32, address))
	}
	for pin := range c.Pins {
		if port := pin[1] - 'A'; c.Pins[pin].With != "" {
			b := put(t, "lm3s6965", pin, "out", nil)
			require.Equal(t, uint32(1|1<<port), b.bus.Read(32, 0x400fe108), "%s: clocks", pin)
		}
	}
}
