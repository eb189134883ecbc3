package chips_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// rp2 are the chips of the family, each with what a new one is.
var rp2 = map[string]func() *models.RP2{"rp2040": models.NewRP2040, "rp2350": models.NewRP2350}

// connect starts a channel on a model that is there already.
func connect(t *testing.T, chip string, bus models.Chip, pin, kind string, options map[string]string) *bench {
	t.Helper()
	ch, err := find(t, chip).Expand(pin, kind, options, nil)
	require.NoError(t, err, "%s %s", pin, kind)
	b := &bench{t: t, ch: ch, bus: bus, slots: map[string]int32{}}
	b.start()
	return b
}

func entries(list []chips.Operation) []registers.Entry {
	all := make([]registers.Entry, len(list))
	for i, op := range list {
		all[i] = op.Entry
	}
	return all
}

// rp2Offers calls f for each pin of both chips that offers a kind, with a function
// that puts such a channel on a chip of its own, which is fresh or has been used.
func rp2Offers(t *testing.T, kind string, f func(pin string, n int, on func(options map[string]string) (*bench, *models.RP2))) {
	t.Helper()
	for chip, fresh := range rp2 {
		c := find(t, chip)
		seen := 0
		for n := range 30 {
			pin := fmt.Sprintf("GP%d", n)
			if !slices.Contains(c.Pins[pin].Kinds(), kind) {
				continue
			}
			require.NotContains(t, c.Taken, pin)
			for _, used := range []bool{false, true} {
				f(pin, n, func(options map[string]string) (*bench, *models.RP2) {
					m := fresh()
					if used {
						m.Used()
					}
					return connect(t, chip, m, pin, kind, options), m
				})
			}
			seen++
		}
		want := map[string]int{"adc": 4, "count": 14}[kind]
		if want == 0 {
			want = 28
		}
		require.Equal(t, want, seen, "%s: pins with %s", chip, kind)
		require.Len(t, c.Pins, 28)
	}
}

func TestRP2Inputs(t *testing.T) {
	rp2Offers(t, "in", func(pin string, _ int, on func(map[string]string) (*bench, *models.RP2)) {
		for _, active := range []string{"high", "low"} {
			for pull, open := range map[string]bool{"none": false, "up": true, "down": false} {
				b, m := on(map[string]string{"pull": pull, "active": active})
				require.Equal(t, open == (active == "high"), b.read() != 0, "%s pull %s", pin, pull)
				require.Equal(t, pull, m.Pull(pin))
				for _, level := range []bool{true, false, true} {
					m.Drive(pin, level)
					require.Equal(t, level == (active == "high"), b.read() != 0, pin)
				}
				require.Empty(t, m.History(pin), "%s: an input drives nothing", pin)
			}
		}
	})
}

// A pin can be something else in the next loop.
func TestRP2PinsChange(t *testing.T) {
	for chip, fresh := range rp2 {
		kinds := find(t, chip).Pins["GP27"].Kinds()
		for _, before := range kinds {
			for _, after := range kinds {
				m := fresh()
				if b := connect(t, chip, m, "GP27", before, nil); b.ch.Template.Direction == chips.Out {
					b.set(1)
				}
				b := connect(t, chip, m, "GP27", after, nil)
				for i, level := range []bool{false, true, false} {
					m.Drive("GP27", level)
					m.Volts("GP27", map[bool]float64{true: 3}[level])
					switch {
					case after == "count":
						require.Equal(t, float64((i+1)/2), b.read(), "%s after %s", after, before)
					case b.ch.Template.Direction == chips.In:
						require.Equal(t, level, b.read() > 0.5, "%s after %s", after, before)
					}
				}
				_, _, pulses := m.Pulses(27)
				require.Equal(t, after == "pwm", pulses)
			}
		}
	}
}

func TestRP2Outputs(t *testing.T) {
	rp2Offers(t, "out", func(pin string, n int, on func(map[string]string) (*bench, *models.RP2)) {
		for _, active := range []string{"high", "low"} {
			b, m := on(map[string]string{"active": active})
			current, hysteresis := m.Milliamperes(n)
			require.Equal(t, 4, current)
			require.True(t, hysteresis)
			rest := active == "low"
			require.Equal(t, []bool{rest}, m.History(pin), "%s: the safe level, and no other before", pin)
			b.set(1)
			b.set(1)
			require.Equal(t, []bool{rest, !rest}, m.History(pin))
			b.set(0)
			b.set(1)
			require.Equal(t, []bool{rest, !rest, rest, !rest}, m.History(pin))
			b.run(b.ch.Safe)
			require.Equal(t, []bool{rest, !rest, rest, !rest, rest}, m.History(pin))
			b.start()
			require.Len(t, m.History(pin), 5, "a second loop changes nothing")
		}
	})
}

// An output whose safe value is not the usual one starts without passing the other level.
func TestRP2SafeLevels(t *testing.T) {
	high := 1.0
	for chip, fresh := range rp2 {
		for _, pin := range []string{"GP2", "GP28"} {
			m := fresh()
			ch, err := find(t, chip).Expand(pin, "out", nil, &high)
			require.NoError(t, err)
			b := &bench{t: t, ch: ch, bus: m, slots: map[string]int32{}}
			b.start()
			require.Equal(t, []bool{true}, m.History(pin))
			b.set(0)
			b.run(b.ch.Safe)
			require.Equal(t, []bool{true, false, true}, m.History(pin))
		}
	}
}

func TestRP2ADC(t *testing.T) {
	rp2Offers(t, "adc", func(pin string, _ int, on func(map[string]string) (*bench, *models.RP2)) {
		b, m := on(nil)
		require.True(t, m.Ready(), "at the first tick")
		for range 2 { // the second time as a second loop finds the chip
			for _, volts := range []float64{0, 0.1, 1.65, 3.2, 3.3} {
				m.Volts(pin, volts)
				require.InDelta(t, volts, b.read(), 3.3/4095, pin)
			}
			b.start()
		}
		require.InDelta(t, 8e-6, m.ConversionTime(), 1e-12, "as the title says")
		require.Contains(t, b.ch.Template.Title, "12 MHz crystal, which is 8 us")
	})
}

func TestRP2PWM(t *testing.T) {
	hz := map[bool]float64{false: 125e6, true: 150e6}
	rp2Offers(t, "pwm", func(pin string, n int, on func(map[string]string) (*bench, *models.RP2)) {
		for text, want := range map[string]float64{"9": 9, "50": 50, "1907": 1907, "1908": 1908, "1kHz": 1000, "20kHz": 20000, "333 kHz": 333000, "1250kHz": 1250000} {
			b, m := on(map[string]string{"freq": text})
			step := 1.0
			for i, duty := range []float64{0, 0.25, 0.5, 0.999, 1, 0} {
				if i > 0 {
					b.set(duty)
				}
				got, at, ok := m.Pulses(n)
				require.True(t, ok, "%s: no pulses", pin)
				require.InDelta(t, b.ch.Actual["freq"], at, at*1e-12, "%s %s", pin, text)
				require.InDelta(t, want, at, want*0.008, "%s %s", pin, text)
				step = at / hz[m.Isolates()]
				if want < 2000 {
					require.InDelta(t, want, at, want*1e-4)
					step = 1.0 / 30000 // the divider is no larger than it has to be
				}
				require.InDelta(t, duty, got, step/2+1e-6, "%s %s", pin, text)
				if duty == 0 || duty == 1 {
					require.Equal(t, duty, got)
				}
			}
			b.set(0.7)
			b.run(b.ch.Safe)
			got, _, _ := m.Pulses(n)
			require.Zero(t, got)
			b.set(0.7)
			b.start()
			got, _, _ = m.Pulses(n)
			require.Zero(t, got, "a second loop begins with the safe value")
			for value, want := range map[float64]float64{-1: 0, 2: 1} {
				b.set(value)
				got, _, _ = m.Pulses(n)
				require.Equal(t, want, got, "clamped")
			}
		}
		require.Equal(t, []string{pin, fmt.Sprintf("PWM slice %d", n/2%8), fmt.Sprintf("PWM slice %d %c", n/2%8, 'A'+n%2)}, resources(t, on))
	})
}

func TestRP2Count(t *testing.T) {
	rp2Offers(t, "count", func(pin string, n int, on func(map[string]string) (*bench, *models.RP2)) {
		b, m := on(map[string]string{"pull": "up"})
		require.Equal(t, "up", m.Pull(pin))
		total := 0
		for _, edges := range []int{0, 1, 7, 65535, 20} {
			for range edges {
				m.Drive(pin, true)
				m.Drive(pin, false)
			}
			total += edges
			require.Equal(t, float64(total), b.read(), pin)
		}
		_, _, pulses := m.Pulses(n)
		require.False(t, pulses, "%s drives nothing", pin)
		b.start()
		require.Zero(t, b.read(), "a second loop begins at 0")
	})
}

func resources(t *testing.T, on func(map[string]string) (*bench, *models.RP2)) (all []string) {
	t.Helper()
	b, _ := on(nil)
	for _, u := range b.ch.Uses {
		all = append(all, u.Resource)
	}
	return all
}

// A start list ends at a wait, and START is refused, where a clock is missing.
func TestRP2WithoutClocks(t *testing.T) {
	for chip, fresh := range rp2 {
		c := find(t, chip)
		pwm, err := c.Expand("GP2", "pwm", nil, nil)
		require.NoError(t, err)
		adc, err := c.Expand("GP26", "adc", nil, nil)
		require.NoError(t, err)
		var stuck *registers.StuckError
		require.ErrorAs(t, registers.Run(fresh().OnCrystal(), entries(pwm.Enable), nil), &stuck, "frequencies would be wrong")
		require.NoError(t, registers.Run(fresh().OnCrystal(), entries(adc.Enable), nil), "runs from the crystal")
		without := slices.DeleteFunc(entries(adc.Enable), func(e registers.Entry) bool { return e.Address>>8 == uint32(c.Blocks["CLOCKS"].Base)>>8 })
		require.ErrorAs(t, registers.Run(fresh(), without, nil), &stuck)
	}
}

// The first pulses are those of the safe value.
func TestRP2SafePulses(t *testing.T) {
	quarter := 0.25
	for chip, fresh := range rp2 {
		for n, pin := range map[int]string{6: "GP6", 7: "GP7"} {
			m := fresh().Used()
			ch, err := find(t, chip).Expand(pin, "pwm", nil, &quarter)
			require.NoError(t, err)
			b := &bench{t: t, ch: ch, bus: m, slots: map[string]int32{}}
			b.start()
			duty, _, ok := m.Pulses(n)
			require.True(t, ok)
			require.InDelta(t, 0.25, duty, 1e-4)
			b.set(0.9)
			b.run(b.ch.Safe)
			duty, _, _ = m.Pulses(n)
			require.InDelta(t, 0.25, duty, 1e-4)
		}
	}
}

func TestRP2Frequencies(t *testing.T) {
	for chip, want := range map[string]string{"rp2040": "want 8 to 1250000 Hz; the nearest is ", "rp2350": "want 9 to 1500000 Hz; the nearest is "} {
		for _, freq := range []string{"7", "2MHz"} {
			_, err := find(t, chip).Expand("GP2", "pwm", map[string]string{"freq": freq}, nil)
			require.ErrorContains(t, err, want)
		}
	}
}

// The lists leave alone what the runner needs: its pins, its line, its clock.
func TestRP2LeavesTheRunnerAlone(t *testing.T) {
	for chip, runner := range map[string][]uint32{
		// UART 0, watchdog, XOSC, PLL, CLK_REF_CTRL, CLK_SYS_CTRL, CLK_PERI_CTRL; control and pad of GP0 and GP1.
		"rp2040": {0x40034000, 0x40058000, 0x40024000, 0x40028000, 0x40008030, 0x4000803c, 0x40008048, 0x40014004, 0x4001400c, 0x4001c004, 0x4001c008},
		"rp2350": {0x40070000, 0x400d8000, 0x40048000, 0x40050000, 0x40010030, 0x4001003c, 0x40010048, 0x40028004, 0x4002800c, 0x40038004, 0x40038008},
	} {
		c := find(t, chip)
		for _, address := range append(runner, 0xe000e010) {
			require.False(t, c.Inside(32, address), "%s %#x", chip, address)
		}
		for _, atomic := range []uint32{0x1000, 0x2000, 0x3000} {
			require.False(t, c.Inside(32, uint32(c.Blocks["RESETS"].Base)+atomic))
		}
	}
}

// What the model refuses, so that it can fail a list.
func TestRP2Model(t *testing.T) {
	for name, c := range map[string]struct {
		list []registers.Entry
		want string
	}{
		"width":     {[]registers.Entry{{Op: registers.Write, Width: 16, Address: 0xd0000014, Value: 1}}, "with 16 bits"},
		"reserved":  {[]registers.Entry{{Op: registers.Write, Width: 32, Address: 0x4001c00c, Value: 0x152}}, "changes reserved bits"},
		"no wait":   {[]registers.Entry{{Op: registers.Change, Width: 32, Address: 0x4000c000, Mask: 1 << 14}, {Op: registers.Write, Width: 32, Address: 0x40050010, Value: 9}}, "PWM_TOP, which has no clock or is in reset"},
		"reset":     {[]registers.Entry{{Op: registers.Write, Width: 32, Address: 0x4004c000, Value: 1}}, "ADC_CS, which has no clock or is in reset"},
		"UART":      {[]registers.Entry{{Op: registers.Change, Width: 32, Address: 0x4000c000, Mask: 1 << 22, Value: 1 << 22}}, "reset of a device of the runner"},
		"GP1":       {[]registers.Entry{{Op: registers.Write, Width: 32, Address: 0x4001400c, Value: 5}}, "GP1 is the runner's"},
		"both":      {[]registers.Entry{{Op: registers.Write, Width: 32, Address: 0x4001c00c, Value: 0x5e}}, "GP2 is pulled up and down"},
		"no slice":  {[]registers.Entry{{Op: registers.Write, Width: 32, Address: 0x40014014, Value: 4}}, "PWM slice 1, which stands"},
		"elsewhere": {[]registers.Entry{{Op: registers.Load, Width: 32, Address: 0xd0000018, Mask: 1, Slot: "x"}}, "GPIO_OUT_CLR, which is write-only"},
	} {
		m := models.NewRP2040()
		require.NoError(t, registers.Run(m, c.list, map[string]int32{}), name)
		require.Len(t, m.Errors(), 1, name)
		require.Contains(t, m.Errors()[0], c.want, name)
	}
}
