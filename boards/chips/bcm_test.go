package chips_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// bcm are the chips of the family, each with what a new one is, and the clock of its PWM.
var bcm = map[string]struct {
	fresh func() *models.BCM
	hz    float64
}{
	"bcm2835": {models.NewBCM2835, 9.6e6},
	"bcm2836": {models.NewBCM2836, 9.6e6},
	"bcm2711": {models.NewBCM2711, 27e6},
}

func TestBCMDigital(t *testing.T) {
	for chip := range bcm {
		inputs(t, chip, "in", 26, map[string]bool{"none": false, "up": true, "down": false})
		outputs(t, chip, "out", 27)
		safeLevels(t, chip, "GPIO4", "out")
		offers(t, chip, "in", 26, func(pin string) {
			for _, pull := range []string{"none", "up", "down"} {
				b := put(t, chip, pin, "in", map[string]string{"pull": pull})
				require.Equal(t, pull, b.bus.(*models.BCM).Pull(pin), "%s %s", chip, pin)
			}
		})
	}
}

// An input may have been an output before, of another loop or another program.
func TestBCMTurns(t *testing.T) {
	for chip, c := range bcm {
		for _, pin := range []string{"GPIO0", "GPIO4", "GPIO18", "GPIO27"} {
			m := c.fresh().Used()
			b := connect(t, chip, m, pin, "in", map[string]string{"pull": "down"})
			require.Empty(t, m.History(pin))
			b.levels(pin, "high")
			connect(t, chip, m, pin, "out", map[string]string{"active": "low"})
			require.Equal(t, []bool{true}, m.History(pin))
			b = connect(t, chip, m, pin, "in", map[string]string{"active": "low"})
			b.levels(pin, "low")
			require.Equal(t, []bool{true}, m.History(pin))
		}
	}
}

func TestBCMPWM(t *testing.T) {
	for chip, c := range bcm {
		offers(t, chip, "pwm", 4, func(pin string) {
			for text, want := range map[string]float64{"4": 4, "50": 50, "1kHz": 1000, "20kHz": 20e3, "96kHz": 96e3} {
				for _, m := range []*models.BCM{c.fresh(), c.fresh().Used()} {
					b := connect(t, chip, m, pin, "pwm", map[string]string{"freq": text})
					for i, duty := range []float64{0, 0.25, 0.999, 1, 0} {
						if i > 0 {
							b.set(duty)
						}
						got, hz, ok := m.Pulses(pin)
						require.True(t, ok, "%s %s: no pulses", chip, pin)
						require.InDelta(t, b.ch.Actual["freq"], hz, hz*1e-12)
						require.InDelta(t, want, hz, want*0.005, "%s %s", pin, text)
						require.InDelta(t, duty, got, hz/c.hz/2+1e-6, "%s %s", pin, text)
						if duty == 0 || duty == 1 {
							require.Equal(t, duty, got)
						}
					}
					b.set(0.7)
					b.run(b.ch.Safe)
					got, _, _ := m.Pulses(pin)
					require.Zero(t, got)
					b.set(0.7)
					b.start()
					got, _, _ = m.Pulses(pin)
					require.Zero(t, got, "a second loop begins with the safe value")
				}
			}
		})
	}
	for chip, want := range map[string]string{"bcm2835": "want 1 to 96000 Hz", "bcm2711": "want 2 to 270000 Hz"} {
		_, err := find(t, chip).Expand("GPIO18", "pwm", map[string]string{"freq": "1MHz"}, nil)
		require.ErrorContains(t, err, want)
	}
}

func TestBCMLeavesTheRunnerAlone(t *testing.T) {
	for chip, base := range map[string]uint32{"bcm2835": 0x20000000, "bcm2836": 0x3f000000, "bcm2711": 0xfe000000} {
		// System timer's compare register, interrupts, watchdog, other clocks (that of UART0), random numbers, UART0.
		for _, offset := range []uint32{0x300c, 0xb200, 0x100000, 0x1010f0, 0x104000, 0x201000} {
			require.False(t, find(t, chip).Inside(32, base+offset), "%s %#x", chip, offset)
		}
		uart := registers.Entry{Op: registers.Change, Width: 32, Address: base + 0x200004, Mask: 7 << 12}
		require.False(t, find(t, chip).Allows(uart), "function of GPIO14")
	}
}

// What the model refuses, so that it can fail a list.
func TestBCMModel(t *testing.T) {
	const gpio, clock, pwm, password = 0x20200000, 0x201010a0, 0x2020c000, 0x5a000000
	on := []registers.Entry{
		write(clock+4, password|2<<12), write(clock, password|1), write(clock, password|0x11),
		{Op: registers.Wait, Width: 32, Address: clock, Mask: 0x80, Value: 0x80, Spins: 100},
	}
	for name, c := range map[string]trial{
		"UART":       {[]registers.Entry{write(gpio+4, 0)}, "GPIO14 changes"},
		"function":   {[]registers.Entry{write(gpio, 4)}, "GPIO0 gets function 4"},
		"too early":  {[]registers.Entry{write(gpio+0x94, 2), write(gpio+0x98, 1)}, "GPPUDCLK0 is set 150 cycles or less after GPPUD"},
		"reserved":   {[]registers.Entry{write(gpio+0x94, 4)}, "GPPUD changes reserved bits"},
		"read":       {[]registers.Entry{{Op: registers.Load, Width: 32, Address: gpio + 0x1c, Mask: 1, Slot: "x"}}, "GPSET0, which is write-only"},
		"password":   {[]registers.Entry{write(clock, 1)}, "CM_PWMCTL without the password"},
		"source":     {[]registers.Entry{write(clock, password|0x11)}, "changes while it is switched on"},
		"divider":    {[]registers.Entry{write(clock+4, password|1<<12)}, "CM_PWMDIV of"},
		"running":    {append(on[:len(on):len(on)], write(clock+4, password|4<<12)), "the divider of the PWM's clock changes while it runs"},
		"no clock":   {[]registers.Entry{write(pwm, 0x81)}, "PWM channel 1 is on before its clock runs"},
		"stops":      {append(on[:len(on):len(on)], write(pwm, 0x81), write(clock, password|1)), "the clock of the PWM stops before it does"},
		"serialiser": {append(on[:len(on):len(on)], write(pwm, 3)), "PWM channel 1: CTL of 0x3"},
	} {
		m := models.NewBCM2835()
		require.NoError(t, registers.Run(m, c.list, map[string]int32{}), name)
		require.NotEmpty(t, m.Errors(), name)
		require.Contains(t, m.Errors()[0], c.want, name)
		if name != "UART" {
			require.Len(t, m.Errors(), 1, name)
		}
	}
}
