package chips_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/registers"
)

// stm32 are the chips of the families, with how many pins offer what.
var stm32 = map[string]map[string]int{
	"stm32f100":        {"in": 40, "out": 40, "adc": 16, "pwm": 12, "count": 6, "period": 0, "encoder": 3, "dac": 2},
	"stm32f405":        {"in": 45, "out": 45, "adc": 16, "pwm": 27, "count": 18, "period": 5, "encoder": 6, "dac": 2},
	"stm32f405_usart6": {"in": 45, "out": 45, "adc": 16, "pwm": 27, "count": 17, "period": 5, "encoder": 6, "dac": 2},
	"stm32f446":        {"in": 44, "out": 44, "adc": 14, "pwm": 27, "count": 19, "period": 7, "encoder": 8, "dac": 2},
	"stm32f446_usart3": {"in": 108, "out": 108, "adc": 16, "pwm": 44, "count": 27, "period": 7, "encoder": 10, "dac": 2},
	"stm32f401":        {"in": 44, "out": 44, "adc": 14, "pwm": 24, "count": 15, "period": 5, "encoder": 7, "dac": 0},
	"stm32f411":        {"in": 44, "out": 44, "adc": 14, "pwm": 24, "count": 15, "period": 5, "encoder": 7, "dac": 0},
	"stm32f767":        {"in": 108, "out": 108, "adc": 16, "pwm": 43, "count": 19, "period": 5, "encoder": 9, "dac": 2},
	"stm32h743":        {"in": 106, "out": 106, "adc": 0, "pwm": 43, "count": 25, "period": 5, "encoder": 9, "dac": 2},
	"stm32l475":        {"in": 76, "out": 76, "adc": 0, "pwm": 41, "count": 23, "period": 5, "encoder": 9, "dac": 2},
	"stm32g474":        {"in": 45, "out": 45, "adc": 19, "pwm": 35, "count": 24, "period": 7, "encoder": 9, "dac": 3},
	"stm32g431":        {"in": 21, "out": 21, "adc": 9, "pwm": 19, "count": 16, "period": 5, "encoder": 7, "dac": 2},
}

// stm32Timers are the clocks of timers that are not 84 MHz at least, in Hz.
var stm32Timers = map[string]float64{"stm32f100": 24e6, "stm32f411": 100e6, "stm32f767": 108e6, "stm32h743": 200e6, "stm32l475": 80e6, "stm32g474": 170e6, "stm32g431": 170e6}

// stm32Samples are the options of ADCs that are not the STM32F4's.
var stm32Samples = map[string][]string{
	"stm32f100": {"1.5", "55.5", "239.5"}, "stm32g474": {"2.5", "92.5", "640.5"}, "stm32g431": {"2.5", "92.5", "640.5"},
}

// family calls f for each pin of each chip that offers a kind.
func family(t *testing.T, kind string, f func(chip, pin string)) {
	t.Helper()
	for chip, counts := range stm32 {
		offers(t, chip, kind, counts[kind], func(pin string) { f(chip, pin) })
	}
}

// on is the model of a bench.
func on(b *bench) interface {
	Pulses(pin string) (duty, hz float64, ok bool)
	Converted(pin string) (volts float64, ok bool)
	Wait(seconds float64)
} {
	return b.bus.(interface {
		Pulses(pin string) (duty, hz float64, ok bool)
		Converted(pin string) (volts float64, ok bool)
		Wait(seconds float64)
	})
}

func TestSTM32Digital(t *testing.T) {
	for chip, counts := range stm32 {
		inputs(t, chip, "in", counts["in"], map[string]bool{"none": false, "up": true, "down": false})
		outputs(t, chip, "out", counts["out"])
		safeLevels(t, chip, "PB5", "out")
		turns(t, chip, counts["out"])
	}
}

func TestSTM32ADC(t *testing.T) {
	family(t, "adc", func(chip, pin string) {
		samples, ok := stm32Samples[chip]
		if !ok {
			samples = []string{"3", "84", "480"}
		}
		for _, sample := range samples {
			b := put(t, chip, pin, "adc", map[string]string{"sample": sample})
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

// TestSTM32ADCPrevious: a tick has what a conversion gave that began at the end of the tick before, and waits for nothing.
func TestSTM32ADCPrevious(t *testing.T) {
	tested, pins := 0, 0
	for chip, counts := range stm32 {
		if stm32Samples[chip] != nil {
			continue
		}
		pins += counts["adc"]
		offers(t, chip, "adc", counts["adc"], func(pin string) {
			for _, sample := range []string{"3", "84", "480"} {
				b := prepare(t, chip, pin, "adc", map[string]string{"sample": sample, "read": "previous"})
				for _, list := range [][]chips.Operation{b.ch.Setup, b.ch.Start, b.ch.Before, b.ch.After} {
					for _, op := range list {
						require.NotEqual(t, registers.Wait, op.Op)
					}
				}
				require.Len(t, b.ch.Before, 1)
				b.bus.Volts(pin, 1)
				b.start()
				want := 1.0 // of the start, for the first tick
				for _, volts := range []float64{0, 0.1, 1.65, 3.3, 0} {
					on(b).Wait(60e-6)
					b.bus.Volts(pin, 2.5) // too late
					require.InDelta(t, want, b.read(), 3.3/4095, "%s %s sample %s", chip, pin, sample)
					b.bus.Volts(pin, volts)
					b.run(b.ch.After)
					want = volts
				}
				// The next loop waits for conversions of its own, whatever this one has left behind.
				on(b).Wait(60e-6)
				var err error
				b.ch, err = find(t, chip).Expand(pin, "adc", nil, nil)
				require.NoError(t, err)
				b.bus.Volts(pin, 2)
				b.start()
				require.InDelta(t, 2.0, b.read(), 3.3/4095, "%s %s", chip, pin)
				tested++
			}
		})
	}
	require.Equal(t, 3*pins, tested)
}

// The model refuses a value that was never converted, one that is not ready, and conversions that come too early.
func TestSTM32ADCPreviousWrong(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(b *bench) []chips.Operation
		want string
	}{
		"nothing converted": {func(b *bench) []chips.Operation {
			return slices.Concat(b.ch.Enable, b.ch.Setup, b.ch.Start[:3], b.ch.Before)
		}, "DR read before the end of a conversion"},
		"too soon": {func(b *bench) []chips.Operation {
			return slices.Concat(b.ch.Enable, b.ch.Setup, b.ch.Start, b.ch.Before)
		}, "DR read before the end of a conversion"},
		"begun anew": {func(b *bench) []chips.Operation {
			return slices.Concat(b.ch.Enable, b.ch.Setup, b.ch.Start, b.ch.After)
		}, "SQR1 changes during a conversion"},
		"before it is on": {func(b *bench) []chips.Operation { return slices.Concat(b.ch.Enable, b.ch.After) }, "SWSTART of an ADC that is off"},
	} {
		b := prepare(t, "stm32f405", "PC0", "adc", map[string]string{"read": "previous"})
		for _, op := range c.run(b) {
			require.NoError(t, registers.Run(b.bus, []registers.Entry{op.Entry}, b.slots))
		}
		require.Contains(t, strings.Join(b.bus.Errors(), "\n"), c.want, name)
	}
	// A first conversion that does not wait for the ADC to settle is not exact.
	b := prepare(t, "stm32f405", "PC0", "adc", map[string]string{"read": "previous"})
	b.bus.Volts("PC0", 1)
	b.run(slices.Concat(b.ch.Enable, b.ch.Setup, b.ch.Start[:3], b.ch.After))
	on(b).Wait(60e-6)
	require.Greater(t, math.Abs(b.read()-1), 0.5)
}

func TestSTM32PWM(t *testing.T) {
	family(t, "pwm", func(chip, pin string) {
		clock, ok := stm32Timers[chip]
		if !ok {
			clock = 84e6
		}
		for text, want := range map[string]float64{"1": 1, "50": 50, "1kHz": 1000, "1281": 1281, "20kHz": 20e3, "240kHz": 240e3} {
			b := put(t, chip, pin, "pwm", map[string]string{"freq": text})
			for i, duty := range []float64{0, 0.25, 0.999, 1, 0} {
				if i > 0 {
					b.set(duty)
				}
				got, hz, ok := on(b).Pulses(pin)
				require.True(t, ok, "%s %s: no pulses", chip, pin)
				require.InDelta(t, b.ch.Actual["freq"], hz, hz*1e-12)
				require.InDelta(t, want, hz, want*max(1e-3, 0.51*want/clock), "%s %s: half a count", pin, text)
				require.InDelta(t, duty, got, want/clock/2+1.0/30000, "%s %s", pin, text)
				if duty == 0 || duty == 1 {
					require.Equal(t, duty, got)
				}
			}
			b.set(0.7)
			b.run(b.ch.Safe)
			got, _, _ := on(b).Pulses(pin)
			require.Zero(t, got)
			b.set(0.7)
			b.start()
			got, _, _ = on(b).Pulses(pin)
			require.Zero(t, got, "a second loop begins with the safe value")
			for value, want := range map[float64]float64{-1: 0, 2: 1, math.NaN(): 0} {
				b.set(value)
				got, _, _ = on(b).Pulses(pin)
				require.Equal(t, want, got, "clamped")
			}
		}
	})
	_, err := find(t, "stm32f405").Expand("PB8", "pwm", map[string]string{"freq": "2MHz"}, nil)
	require.ErrorContains(t, err, "want 1 to 1680000 Hz; the nearest is 1680000")
	_, err = find(t, "stm32f100").Expand("PB8", "pwm", map[string]string{"freq": "2MHz"}, nil)
	require.ErrorContains(t, err, "want 1 to 240000 Hz; the nearest is 240000")
}

// The first pulses are those of the safe value, and pins of one timer do not disturb each other.
func TestSTM32PWMTogether(t *testing.T) {
	quarter := 0.25
	for chip := range stm32 {
		pins := [2]string{"PC9", "PC8"}
		if chip == "stm32g431" {
			pins = [2]string{"PB0", "PB5"}
		}
		b := put(t, chip, pins[0], "pwm", nil)
		other, err := find(t, chip).Expand(pins[1], "pwm", nil, &quarter)
		require.NoError(t, err)
		first := b.ch
		require.Equal(t, entries(first.Setup), entries(other.Setup))
		require.Equal(t, entries(first.Run), entries(other.Run))
		for _, list := range [][]chips.Operation{first.Setup, first.Start, other.Start, other.Run} {
			b.run(list)
		}
		b.set(0.5)
		for pin, want := range map[string]float64{pins[0]: 0.5, pins[1]: 0.25} {
			got, hz, ok := on(b).Pulses(pin)
			require.True(t, ok)
			require.InDelta(t, want, got, 1e-4)
			require.InDelta(t, 1000, hz, 0.1)
		}
	}
}

func TestSTM32Encoder(t *testing.T) {
	family(t, "encoder", func(chip, pin string) {
		b := put(t, chip, pin, "encoder", nil)
		require.Len(t, b.ch.Uses, 3)
		other := countsBothWays(t, b, chip, pin)
		turn(b, pin, other, 3)
		require.Equal(t, 4.0, b.read(), "and through 0 again")
		b.start()
		require.Zero(t, b.read(), "a second loop begins at 0")
	})
}

// countsBothWays turns an encoder from 0 to 12 counts, and back to -8. The other of its pins is told.
func countsBothWays(t *testing.T, b *bench, chip, pin string) (other string) {
	t.Helper()
	other = b.ch.Uses[1].Resource
	b.bus.Drive(pin, false)
	b.bus.Drive(other, false)
	b.start()
	require.Zero(t, b.read())
	turn(b, pin, other, 3)
	require.Equal(t, 12.0, b.read(), "%s %s: four counts for each period", chip, pin)
	turn(b, other, pin, 5)
	require.Equal(t, -8.0, b.read(), "back, through 0")
	require.Equal(t, -8.0, b.read(), "stands")
	return other
}

// turn goes on by some periods, of which the first pin begins.
func turn(b *bench, leads, lags string, periods int) {
	for range periods {
		for _, level := range []bool{true, false} {
			b.bus.Drive(leads, level)
			b.bus.Drive(lags, level)
		}
	}
}

func TestSTM32Count(t *testing.T) {
	family(t, "count", func(chip, pin string) {
		b := put(t, chip, pin, "count", nil)
		total := 0
		for _, n := range []int{0, 1, 7, 65535, 0, 20} {
			for range n {
				b.bus.Drive(pin, true)
				b.bus.Drive(pin, false)
			}
			total += n
			require.Equal(t, float64(total), b.read(), "%s %s", chip, pin)
		}
	})
}

func TestSTM32Period(t *testing.T) {
	family(t, "period", func(chip, pin string) {
		fastest, ok := stm32Timers[chip]
		if !ok {
			fastest = 84e6
		}
		middle := 4e6
		if fastest == 170e6 { // of which 4 MHz are no whole part
			middle = 5e6
		}
		for _, hz := range []float64{fastest, middle, 1e6} {
			clock := fmt.Sprintf("%.0fMHz", hz/1e6)
			b := put(t, chip, pin, "period", map[string]string{"clock": clock})
			require.Zero(t, b.read())
			for _, seconds := range []float64{1e-3, 1e-5, 0.02, min(12, 0.9*math.MaxInt32/hz)} {
				for range 2 {
					on(b).Wait(seconds / 2)
					b.bus.Drive(pin, true)
					on(b).Wait(seconds / 2)
					b.bus.Drive(pin, false)
				}
				require.InDelta(t, seconds, b.read(), 1.5/hz+seconds*1e-6, "%s %s by %s", chip, pin, clock)
				on(b).Wait(seconds)
				require.InDelta(t, seconds, b.read(), 1.5/hz+seconds*1e-6, "nothing new")
			}
			require.InEpsilon(t, math.MaxInt32/hz, b.ch.High, 1e-6, "%s by %s", chip, clock)
		}
	})
}

func TestSTM32DAC(t *testing.T) {
	family(t, "dac", func(chip, pin string) {
		b := put(t, chip, pin, "dac", nil)
		for i, volts := range []float64{0, 0.1, 1.65, 3.3, 5, -1} {
			if i > 0 {
				b.set(volts)
			}
			got, ok := on(b).Converted(pin)
			require.True(t, ok)
			require.InDelta(t, min(max(volts, 0), 3.3), got, 3.3/4095/2+1e-6)
		}
		b.set(2)
		b.run(b.ch.Safe)
		got, _ := on(b).Converted(pin)
		require.Zero(t, got)
	})
}

// The lists leave alone what the runner needs: its clock, its pins, its line.
func TestSTM32LeavesTheRunnerAlone(t *testing.T) {
	for chip := range stm32 {
		c := find(t, chip)
		// USART, SysTick, PWR, IWDG; RCC_CR, RCC_CFGR, RCC_DCKCFGR1 and 2; FLASH.
		runner := []uint32{0x40011000, 0x40011400, 0x40004400, 0x40004800, 0xe000e010, 0x40007000, 0x40003000, 0x40023800, 0x40023808, 0x4002388c, 0x40023890, 0x40023c00}
		switch chip {
		case "stm32g474", "stm32g431": // PWR_CR5 of it.
			runner = []uint32{0x40004400, 0xe000e010, 0x40007080, 0x40003000, 0x40021000, 0x40021008, 0x4002100c, 0x40022000}
		case "stm32l475":
			runner = []uint32{0x40013800, 0xe000e010, 0x40007000, 0x40007004, 0x40003000, 0x40021000, 0x40021008, 0x4002100c, 0x4002102c, 0x40022000}
		case "stm32h743": // And RCC_D1CFGR to RCC_D3CFGR, RCC_D2CCIP2R, RCC_AHB4RSTR; PWR_D3CR, FLASH_ACR, IWDG1.
			runner = []uint32{0x40004800, 0xe000e010, 0x58024800, 0x58024818, 0x58004800, 0x58024400, 0x58024410, 0x58024418, 0x5802441c, 0x58024420, 0x58024454, 0x58024488, 0x52002000}
		case "stm32f100":
			runner = []uint32{0x40013800, 0xe000e010, 0x40007000, 0x40003000, 0x40021000, 0x40021004, 0x40022000}
		}
		for _, address := range runner {
			require.False(t, c.Inside(32, address), "%#x", address)
		}
		// Clock and reset of the USART and of PWR, and functions of its pins and of the debugger's.
		forbidden := map[string][]uint32{
			"stm32f100":        {0x40021018, 1 << 14, 0x4002100c, 1 << 14, 0x4002101c, 1 << 28, 0x40010804, 0xf << 4, 0x40010804, 0xf << 20, 0x40010c00, 0xf << 12},
			"stm32f405":        {0x40023844, 1 << 4, 0x40023824, 1 << 4, 0x40023840, 1 << 28, 0x40020000, 3 << 18, 0x40020024, 0xf << 8, 0x40020000, 3 << 26},
			"stm32f405_usart6": {0x40023844, 1 << 5, 0x40023824, 1 << 5, 0x40023840, 1 << 28, 0x40020800, 3 << 12, 0x40020820, 0xf << 28, 0x40020000, 3 << 26},
			"stm32f446":        {0x40023840, 1 << 17, 0x40023820, 1 << 17, 0x40023840, 1 << 28, 0x40020000, 3 << 4, 0x40020020, 0xf << 12, 0x40020000, 3 << 28},
			"stm32f446_usart3": {0x40023840, 1 << 18, 0x40023820, 1 << 18, 0x40023840, 1 << 28, 0x40020c00, 3 << 16, 0x40020c24, 0xf << 4, 0x40020000, 3 << 28},
			"stm32f401":        {0x40023840, 1 << 17, 0x40023820, 1 << 17, 0x40023840, 1 << 28, 0x40020000, 3 << 4, 0x40020020, 0xf << 12, 0x40020000, 3 << 28},
			"stm32f767":        {0x40023840, 1 << 18, 0x40023820, 1 << 18, 0x40023840, 1 << 28, 0x40023830, 1 << 20, 0x40020c00, 3 << 16, 0x40020c0c, 3 << 18, 0x40020c24, 0xf << 4, 0x40021c00, 3, 0x40020000, 3 << 28},
			"stm32f411":        {0x40023840, 1 << 17, 0x40023820, 1 << 17, 0x40023840, 1 << 28, 0x40020000, 3 << 4, 0x40020020, 0xf << 12, 0x40020000, 3 << 28},
			"stm32h743":        {0x580244e8, 1 << 18, 0x58024490, 1 << 18, 0x58020c00, 3 << 16, 0x58020c0c, 3 << 18, 0x58020c24, 0xf << 4, 0x58021c00, 3, 0x58020000, 3 << 28},
			"stm32l475":        {0x40021060, 1 << 14, 0x40021040, 1 << 14, 0x40021058, 1 << 28, 0x48000400, 3 << 12, 0x48000420, 0xf << 28, 0x4800040c, 3 << 14, 0x48000000, 3 << 28},
			"stm32g474":        {0x40021058, 1 << 17, 0x40021038, 1 << 17, 0x40021058, 1 << 28, 0x48000000, 3 << 4, 0x48000020, 0xf << 12, 0x4800000c, 3 << 6, 0x48000000, 3 << 28},
			"stm32g431":        {0x40021058, 1 << 17, 0x40021038, 1 << 17, 0x40021058, 1 << 28, 0x48000000, 3 << 4, 0x48000020, 0xf << 12, 0x4800000c, 3 << 6, 0x48000000, 3 << 28},
		}[chip]
		require.NotEmpty(t, forbidden, chip)
		for i := 0; i < len(forbidden); i += 2 {
			require.False(t, c.Allows(registers.Entry{Op: registers.Change, Width: 32, Address: forbidden[i], Mask: forbidden[i+1]}), "%s %#x %#x", chip, forbidden[i], forbidden[i+1])
		}
		for pin, p := range c.Pins {
			for _, kind := range p.Kinds() {
				put(t, chip, pin, kind, nil) // the model notes whatever changes there
			}
		}
	}
}

// Sections are of the chapters of the chip's own manual.
func TestSTM32Sections(t *testing.T) {
	for chip, chapters := range map[string]map[string]string{
		"stm32f100":        {"rcc": "6.", "afio": "7.", "gpio": "7.", "adc": "10.", "dac": "11.", "tim": "13."},
		"stm32f405":        {"rcc": "7.", "gpio": "8.", "adc": "13.", "adc_common": "13.", "dac": "14.", "tim": "18.", "spi": "28.", "i2c": "27."},
		"stm32f405_usart6": {"rcc": "7.", "gpio": "8.", "adc": "13.", "adc_common": "13.", "dac": "14.", "tim": "18.", "spi": "28.", "i2c": "27."},
		"stm32f446":        {"rcc": "6.", "gpio": "7.", "adc": "13.", "adc_common": "13.", "dac": "14.", "tim": "17.", "spi": "26", "i2c": "24."},
		"stm32f446_usart3": {"rcc": "6.", "gpio": "7.", "adc": "13.", "adc_common": "13.", "dac": "14.", "tim": "17.", "spi": "26", "i2c": "24."},
		"stm32f401":        {"rcc": "6.", "gpio": "8.", "adc": "11.", "adc_common": "11.", "tim": "13.", "spi": "20.", "i2c": "18."},
		"stm32f411":        {"rcc": "6.", "gpio": "8.", "adc": "11.", "adc_common": "11.", "tim": "13.", "spi": "20.", "i2c": "18."},
	} {
		c := find(t, chip)
		require.Len(t, c.Types, len(chapters))
		for name, l := range c.Types {
			require.True(t, strings.HasPrefix(l.Section, chapters[name]), "%s %s: %s", chip, name, l.Section)
			for reg, r := range l.Registers {
				require.True(t, strings.HasPrefix(r.Section, chapters[name]), "%s %s.%s: %s", chip, name, reg, r.Section)
			}
		}
		for name, k := range c.Kinds {
			device := map[string]string{"in": "gpio", "out": "gpio", "adc": "adc", "dac": "dac"}[name]
			if device == "" {
				device = "tim"
			}
			require.True(t, strings.HasPrefix(k.Section, chapters[device]), "%s %s: %s", chip, name, k.Section)
		}
		for name, k := range c.Controllers {
			require.True(t, strings.HasPrefix(k.Section, chapters[name]), "%s %s: %s", chip, name, k.Section)
		}
	}
}
