package chips_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// nrf52 are the chips of that family, with how many pins are inputs and outputs.
var nrf52 = map[string]int{"nrf52833": 37, "nrf52840": 43}

func TestNRF52Digital(t *testing.T) {
	for chip, pins := range nrf52 {
		inputs(t, chip, "in", pins, map[string]bool{"none": false, "up": true, "down": false})
		outputs(t, chip, "out", pins)
		safeLevels(t, chip, "P1.05", "out")
		turns(t, chip, pins)
	}
}

func TestNRF52ADC(t *testing.T) {
	for chip := range nrf52 {
		offers(t, chip, "adc", 8, func(pin string) {
			for _, sample := range []string{"3us", "10us", "40us"} {
				b := put(t, chip, pin, "adc", map[string]string{"sample": sample})
				for _, volts := range []float64{0, 0.1, 1.2, 1.8, 3.3, 3.599} {
					b.bus.Volts(pin, volts)
					require.InDelta(t, volts, b.read(), 3.6/4096, pin)
				}
				b.bus.Volts(pin, 3.7)
				require.Equal(t, b.ch.High, b.read())
				b.bus.Volts(pin, -0.002) // a little below ground
				require.Zero(t, b.read())
				// Once more, after what another kind has left at the pin.
				for kind, options := range map[string]map[string]string{"in": {"pull": "up"}, "out": {"active": "low"}} {
					adc := b.ch
					var err error
					b.ch, err = find(t, chip).Expand(pin, kind, options, nil)
					require.NoError(t, err)
					b.start()
					b.ch = adc
					b.start()
					b.bus.Volts(pin, 2)
					require.InDelta(t, 2, b.read(), 3.6/4096)
				}
			}
		})
	}
}

// A loop that ended during a conversion leaves the converter busy.
func TestNRF52ADCAfterAStop(t *testing.T) {
	b := put(t, "nrf52840", "P0.03", "adc", nil)
	b.bus.Volts("P0.03", 2)
	for n := range len(b.ch.Before) {
		b.run(b.ch.Before[:n])
		b.start()
		require.InDelta(t, 2, b.read(), 3.6/4096, "after %d entries", n)
	}
}

func TestNRF52PWM(t *testing.T) {
	for chip := range nrf52 {
		offers(t, chip, "pwm", 8, func(pin string) {
			for text, want := range map[string]float64{"4": 4, "50": 50, "1kHz": 1000, "488": 488, "20kHz": 20e3, "160kHz": 160e3} {
				b := put(t, chip, pin, "pwm", map[string]string{"freq": text})
				pulses := b.bus.(*models.NRF52).Pulses
				for i, duty := range []float64{0, 0.25, 0.999, 1, 0} {
					if i > 0 {
						b.set(duty)
					}
					got, hz, ok := pulses(pin)
					require.True(t, ok, "%s %s: no pulses", chip, pin)
					require.InDelta(t, b.ch.Actual["freq"], hz, hz*1e-12)
					require.InDelta(t, want, hz, want*1e-3, "%s %s", pin, text)
					require.InDelta(t, duty, got, want/16e6/2+1.0/30000, "%s %s", pin, text)
					if duty == 0 || duty == 1 {
						require.Equal(t, duty, got)
					}
				}
				b.set(0.7)
				b.run(b.ch.Safe)
				got, _, _ := pulses(pin)
				require.Zero(t, got)
				b.set(0.7)
				b.start()
				got, _, _ = pulses(pin)
				require.Zero(t, got, "a second loop begins with the safe value")
				for value, want := range map[float64]float64{-1: 0, 2: 1, math.NaN(): 0} {
					b.set(value)
					got, _, _ = pulses(pin)
					require.Equal(t, want, got, "clamped")
				}
			}
		})
	}
	for text, want := range map[string]string{"3": "want 4 to 160000 Hz; the nearest is 4", "1MHz": "the nearest is 160000"} {
		_, err := find(t, "nrf52833").Expand("P0.02", "pwm", map[string]string{"freq": text}, nil)
		require.ErrorContains(t, err, want)
	}
}

// The pulses of a LED that is lit by a low level are low ones, and the pin is high before.
func TestNRF52PWMActiveLow(t *testing.T) {
	b := put(t, "nrf52840", "P0.14", "pwm", map[string]string{"active": "low"})
	require.Equal(t, []bool{true}, b.bus.History("P0.14"))
	for i, duty := range []float64{0, 0.25, 1} {
		if i > 0 {
			b.set(duty)
		}
		high, _, ok := b.bus.(*models.NRF52).Pulses("P0.14")
		require.True(t, ok)
		require.InDelta(t, 1-duty, high, 1e-4)
	}
}

// A pin that had pulses in one loop has none in the next one, whatever it is there, and beside another pin of the same PWM or not.
func TestNRF52AfterPWM(t *testing.T) {
	tried := 0
	for chip := range nrf52 {
		offers(t, chip, "pwm", 8, func(pin string) {
			for _, kind := range find(t, chip).Pins[pin].Kinds() {
				if kind == "pwm" {
					continue
				}
				tried++
				b := put(t, chip, pin, "pwm", nil)
				b.set(0.7)
				b.run(b.ch.Safe)
				var err error
				b.ch, err = find(t, chip).Expand(pin, kind, nil, nil)
				require.NoError(t, err)
				b.bus.Volts(pin, 1)
				b.start()
				_, _, ok := b.bus.(*models.NRF52).Pulses(pin)
				require.False(t, ok, "%s %s %s", chip, pin, kind)
				switch kind {
				case "in":
					b.levels(pin, "high")
				case "out":
					b.set(1)
					h := b.bus.History(pin)
					require.True(t, h[len(h)-1])
				case "adc":
					require.InDelta(t, 1, b.read(), 1e-3)
				default:
					require.Zero(t, b.read())
				}
			}
		})
	}
	require.Equal(t, 2*8*3+5, tried, "inputs, outputs and counts of all, three ADCs and two encoders")
	b := put(t, "nrf52840", "P0.13", "pwm", nil)
	b.set(1)
	var err error
	b.ch, err = find(t, "nrf52840").Expand("P0.14", "pwm", nil, nil)
	require.NoError(t, err)
	b.start()
	_, _, ok := b.bus.(*models.NRF52).Pulses("P0.13")
	require.False(t, ok)
	_, _, ok = b.bus.(*models.NRF52).Pulses("P0.14")
	require.True(t, ok)
}

func TestNRF52Encoder(t *testing.T) {
	for chip := range nrf52 {
		offers(t, chip, "encoder", 2, func(pin string) {
			b := put(t, chip, pin, "encoder", nil)
			other := countsBothWays(t, b, chip, pin)
			for range 4 {
				turn(b, pin, other, 250)
				b.read()
			}
			require.Equal(t, 3992.0, b.read())
			turn(b, pin, other, 1)
			b.start()
			require.Zero(t, b.read(), "a second loop begins at 0")
		})
	}
}

func TestNRF52Count(t *testing.T) {
	for chip, pins := range nrf52 {
		offers(t, chip, "count", pins, func(pin string) {
			for _, timer := range []string{"1", "2"} {
				b := put(t, chip, pin, "count", map[string]string{"timer": timer, "pull": "down"})
				total := 0
				for _, n := range []int{0, 1, 7, 0, 20} {
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
	b := put(t, "nrf52833", "P1.05", "count", nil)
	for range 70_000 { // more than 16 bits
		b.bus.Drive("P1.05", true)
		b.bus.Drive("P1.05", false)
	}
	require.Equal(t, 70_000.0, b.read())
}

// A pin that has been counted at is an output of the next loop.
func TestNRF52CountAndOut(t *testing.T) {
	for chip, pins := range nrf52 {
		offers(t, chip, "out", pins, func(pin string) {
			b := put(t, chip, pin, "count", nil)
			b.run(b.ch.Safe)
			var err error
			b.ch, err = find(t, chip).Expand(pin, "out", nil, nil)
			require.NoError(t, err)
			b.start()
			b.set(1)
			require.Equal(t, []bool{false, true}, b.bus.History(pin))
		})
	}
}

func TestNRF52Elapsed(t *testing.T) {
	for chip := range nrf52 {
		for clock, hz := range map[string]float64{"16MHz": 16e6, "1MHz": 1e6} {
			offers(t, chip, "elapsed", 4, func(timer string) {
				b := put(t, chip, timer, "elapsed", map[string]string{"clock": clock})
				require.Zero(t, b.read())
				for _, seconds := range []float64{0.001, 0.1, 0.5, 50, 120, 0.02} {
					b.bus.(*models.NRF52).Wait(seconds)
					require.InDelta(t, seconds, b.read(), 1.01/hz+seconds*1e-7, "%s by %s", timer, clock)
				}
				require.Zero(t, b.read(), "no time has passed")
				require.InDelta(t, 2147483647/hz, b.ch.High, 1e-3)
				b.bus.(*models.NRF52).Wait(0.1 / hz)
				b.start()
				require.Zero(t, b.read(), "a second loop")
			})
		}
	}
}

// Lists reach neither devices of the runner, nor what has a device write to RAM or drive the pins of the UART.
func TestNRF52LeavesTheRunnerAlone(t *testing.T) {
	words := map[string]uint32{"nrf52833": 0x2001ffc0, "nrf52840": 0x2003ffc0}
	for chip := range nrf52 {
		c := find(t, chip)
		for _, address := range []uint32{
			0x40002000, 0x40002500, 0x40008000, 0x40000000, 0x40010000, 0x4001f500, 0x4001f510, // UART0, TIMER0, CLOCK, WDT, PPI
			0x4000762c, 0x40007630, 0x40007520, // SAADC: RESULT.PTR, MAXCNT, CH[1]
			0x4001c520, 0x4001c524, 0x4001c540, 0x40021520, 0x40021544, 0x4001c00c, // PWM: SEQ[n].PTR, CNT; SEQSTART[1]
			0x4001251c,                                     // QDEC: PSEL.LED
			0x50000504, 0x50000514, 0x50000518, 0x50000718, // OUT, DIR, DIRSET, PIN_CNF of P0.06
			words[chip] - 4, words[chip] + 0x18, 0x20000000,
		} {
			require.False(t, c.Inside(32, address), "%s %#x", chip, address)
		}
		require.False(t, c.Inside(32, map[string]uint32{"nrf52833": 0x50000a20, "nrf52840": 0x50000720}[chip]), "the pin that receives")
		for _, e := range []registers.Entry{
			{Op: registers.Change, Width: 32, Address: 0x40006510, Mask: 3, Value: 3}, // GPIOTE drives a pin
			{Op: registers.Change, Width: 32, Address: 0x4001c560, Mask: 0x3f, Value: 6},
			{Op: registers.Write, Width: 32, Address: 0x4001c560, Value: 6},
			{Op: registers.Write, Width: 32, Address: 0x4002156c, Value: 6},
		} {
			require.False(t, c.Allows(e), "%s %v", chip, e)
		}
		for pin, p := range c.Pins {
			for _, kind := range p.Kinds() {
				b := put(t, chip, pin, kind, nil)
				require.Equal(t, uint32(1<<6), b.bus.Read(32, 0x50000514)&(1<<6), "%s %s: DIR", pin, kind)
				require.Equal(t, []bool{true}, b.bus.History("P0.06"))
			}
		}
	}
}

// What the model refuses, so that it can fail a list.
func TestNRF52Model(t *testing.T) {
	const saadc, pwm, qdec, p1 = 0x40007000, 0x4001c000, 0x40012000, 0x50000300
	judge(t, "nrf52833", map[string]trial{
		"no pin":       {[]registers.Entry{write(p1+0x728, 1)}, "P1 PIN_CNF[10], which belongs to the UART or is not there"},
		"its line":     {[]registers.Entry{write(p1+0x720, 1)}, "P1 PIN_CNF[8], which belongs to the UART"},
		"off":          {[]registers.Entry{write(saadc, 1)}, "START of a SAADC that is off"},
		"not started":  {[]registers.Entry{write(saadc+0x500, 1), write(saadc+4, 1)}, "SAMPLE of a SAADC that has not started"},
		"in between":   {[]registers.Entry{write(saadc+0x500, 1), write(saadc, 1), write(saadc+0x510, 2)}, "PSELP is changed during a conversion"},
		"its buffer":   {[]registers.Entry{write(saadc+0x62c, 0x20000000)}, "SAADC RESULT.PTR is the runner's"},
		"an event":     {[]registers.Entry{write(saadc+0x104, 1)}, "write of 1 to the event SAADC END"},
		"reserved":     {[]registers.Entry{write(saadc+0x518, 4)}, "CH[0].CONFIG changes reserved bits"},
		"PWM is off":   {[]registers.Entry{write(pwm+8, 1)}, "SEQSTART of PWM0, which is off"},
		"common":       {[]registers.Entry{write(pwm+0x500, 1), write(pwm+8, 1)}, "want an up-counter, and a word for each channel"},
		"ends":         {[]registers.Entry{write(pwm+0x510, 2), write(pwm+0x500, 1), write(pwm+8, 1)}, "it ends"},
		"running":      {[]registers.Entry{write(pwm+0x500, 1), write(pwm+0x508, 100)}, "COUNTERTOP is changed while the PWM is on"},
		"another pin":  {[]registers.Entry{write(pwm+0x560, 6)}, "PSEL.OUT[0] gets another pin"},
		"QDEC is off":  {[]registers.Entry{write(qdec, 1)}, "START of a QDEC that is off"},
		"QDEC is on":   {[]registers.Entry{write(qdec+0x500, 1), write(qdec+0x508, 1)}, "SAMPLEPER is changed while the QDEC is on"},
		"unconnected":  {[]registers.Entry{write(qdec+0x520, 2), write(qdec+0x524, 3), write(qdec+0x500, 1), write(qdec, 1)}, "or has no inputs"},
		"another load": {[]registers.Entry{write(0x50000700+4*9, 8)}, "PULL of P0 PIN_CNF[9] is 2, which is reserved"},
	})
}
