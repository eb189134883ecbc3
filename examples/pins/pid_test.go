package pins_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
)

// A capacitor is charged through a resistor.
type capacitor struct{ volts float64 }

// follow goes on by dt seconds with the mean of the pulses, by a time constant of a second: 10 kohm and 100 uF.
func (c *capacitor) follow(duty, dt float64) { c.volts += (3.3*duty - c.volts) * (1 - math.Exp(-dt)) }

// A bench of the analogue controller: a model, and how its pulses are seen.
type analogue struct {
	board  string
	level  string // channel, and options
	duty   string
	wanted string // channel of the potentiometer; empty: there is none
	freq   string
	make   func() (chip models.Chip, duty func(pin string) float64, wait func(seconds float64))
}

func picoPulses(chip *models.RP2) func(string) float64 {
	return func(pin string) float64 {
		n, err := strconv.Atoi(pin[len("GP"):])
		if err != nil {
			panic(err)
		}
		duty, _, _ := chip.Pulses(n)
		return duty
	}
}

func stm32Pulses(chip interface {
	Pulses(pin string) (duty, hz float64, ok bool)
}) func(string) float64 {
	return func(pin string) float64 {
		duty, _, _ := chip.Pulses(pin)
		return duty
	}
}

func nrf52Pulses(chip *models.NRF52) func(string) float64 {
	return func(pin string) float64 {
		duty, _, _ := chip.Pulses(pin)
		return duty
	}
}

var analogues = []analogue{
	{"pico", "GP26", "GP22", "GP28", "20kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewRP2040()
		return chip, picoPulses(chip), func(float64) {}
	}},
	{"pico2", "GP26", "GP22", "GP28", "20kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewRP2350()
		return chip, picoPulses(chip), func(float64) {}
	}},
	{"netduinoplus2", "A0", "D5", "A1", "20kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewNetduino()
		return chip, stm32Pulses(chip), chip.Wait
	}},
	{"netduinoplus2", "A0", "D5", "", "20kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewNetduino()
		return chip, stm32Pulses(chip), chip.Wait
	}},
	{"nucleo-f446re", "A0", "D6", "", "20kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewSTM32F446()
		return chip, stm32Pulses(chip), chip.Wait
	}},
	{"nucleo-f446ze", "A0", "D6", "A1", "20kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewSTM32F446Z()
		return chip, stm32Pulses(chip), chip.Wait
	}},
	{"nucleo-f767zi", "A0", "D6", "A1", "20kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewSTM32F767()
		return chip, stm32Pulses(chip), chip.Wait
	}},
	{"nucleo-f401re", "A0", "D6", "", "20kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewSTM32F401()
		return chip, stm32Pulses(chip), chip.Wait
	}},
	{"nucleo-f411re", "A0", "D6", "A1", "20kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewSTM32F411()
		return chip, stm32Pulses(chip), chip.Wait
	}},
	{"nucleo-g474re", "A0", "D6", "A1", "20kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewSTM32G474()
		return chip, stm32Pulses(chip), chip.Wait
	}},
	{"nucleo-g431kb", "A0", "D6", "A1", "20kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewSTM32G431()
		return chip, stm32Pulses(chip), chip.Wait
	}},
	{"microbit-v2", "P1", "P0", "P2", "2kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewNRF52833()
		return chip, nrf52Pulses(chip), chip.Wait
	}},
	{"nrf52840-dk", "A0", "D3", "A1", "2kHz", func() (models.Chip, func(string) float64, func(float64)) {
		chip := models.NewNRF52840()
		return chip, nrf52Pulses(chip), chip.Wait
	}},
}

// TestAnaloguePID: the voltage of a capacitor between pulses and ADC settles where it is wanted, hardly overshoots, and
// follows the potentiometer.
func TestAnaloguePID(t *testing.T) {
	for _, c := range analogues {
		levels := []string{c.level}
		if c.wanted == "" {
			levels = append(levels, c.level+":read=previous")
		}
		for _, level := range levels {
			t.Run(c.board+" "+level, func(t *testing.T) {
				everywhere(t, func(t *testing.T, where string, note func(*loop)) { c.run(t, where, level, note) })
			})
		}
	}
}

func (c *analogue) run(t *testing.T, where, level string, note func(*loop)) {
	const rate = 200
	chip, duty, wait := c.make()
	in, out := pinOf(t, c.board, c.level), pinOf(t, c.board, c.duty)
	bindings := []string{"level=" + level, "duty=" + c.duty + ":pwm,freq=" + c.freq}
	want := func(l *loop, volts float64) { l.set("wanted", volts) }
	if c.wanted != "" {
		bindings = append(bindings, "wanted="+c.wanted)
		want = func(_ *loop, volts float64) { chip.Volts(pinOf(t, c.board, c.wanted), volts) }
	}
	l := onModel(t, where, "analogue_pid.py", c.board, chip, bindings...)
	var plant capacitor
	for _, step := range []struct{ volts, from float64 }{{1.5, 0}, {2.5, 1.5}, {0.5, 2.5}} {
		want(l, step.volts)
		beyond, last := 0.0, 0
		for tick := range 4 * rate {
			wait(1.0 / rate)
			l.tick()
			note(l)
			plant.follow(duty(out), 1.0/rate)
			chip.Volts(in, plant.volts)
			beyond = max(beyond, (plant.volts-step.volts)*math.Copysign(1, step.volts-step.from))
			if math.Abs(plant.volts-step.volts) > 0.02*math.Abs(step.volts-step.from) {
				last = tick
			}
		}
		require.InDelta(t, step.volts, plant.volts, 0.004, "five steps of the converter")
		require.Less(t, beyond, 0.05*math.Abs(step.volts-step.from), "overshoot to %v V", step.volts)
		require.Less(t, float64(last)/rate, 2.5, "s to settle within 2 %% at %v V", step.volts)
		t.Logf("to %v V: within 2 %% after %.2f s, %.1f %% beyond", step.volts, float64(last)/rate, 100*beyond/math.Abs(step.volts-step.from))
		require.InDelta(t, plant.volts, l.value("level"), 0.01)
	}
	l.stop()
	require.Zero(t, duty(out), "safe")
}
