package pins_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/internal/extent"
)

// busChip is a model with an I2C.
type busChip interface {
	models.Chip
	ConnectI2C(bus string, d models.I2CDevice)
}

// TestIMUFilter: an MPU-6050 on the I2C of boards rolls and pitches; the filter follows it although the gyroscope has an
// offset, which it learns, and the LED is lit while the sensor lies level.
func TestIMUFilter(t *testing.T) {
	for _, c := range []struct {
		board, bus, led string
		twin            bool // of the one before, which is enough
		make            func() busChip
	}{
		{"pico", "I2C0", "LED", false, func() busChip { return models.NewRP2040() }},
		{"pico2", "I2C0", "LED", true, func() busChip { return models.NewRP2350() }},
		{"netduinoplus2", "I2C1", "PWR_LED", false, func() busChip { return models.NewNetduino() }},
		{"nucleo-f446re", "I2C1", "LED", true, func() busChip { return models.NewSTM32F446() }},
		{"nucleo-f446ze", "I2C1", "LED", true, func() busChip { return models.NewSTM32F446Z() }},
		{"nucleo-f401re", "I2C1", "LED", true, func() busChip { return models.NewSTM32F401() }},
		{"nucleo-f411re", "I2C1", "LED", false, func() busChip { return models.NewSTM32F411() }},
		{"rpi3", "I2C1", "GPIO17", false, func() busChip { return models.NewBCM2836() }},
	} {
		if c.twin && !extent.All() {
			continue
		}
		t.Run(c.board, func(t *testing.T) {
			everywhere(t, func(t *testing.T, where string, note func(*loop)) {
				followTilt(t, where, c.board, c.bus, c.led, c.make(), note)
			})
		})
	}
}

func followTilt(t *testing.T, where, board, bus, led string, chip busChip, note func(*loop)) {
	const rate, degrees, seconds = 200, 180 / math.Pi, 11
	sensor := models.NewMPU6050(0x68)
	chip.ConnectI2C(bus, sensor)
	bindings := []string{"level=" + led}
	for _, channel := range []string{"ax", "ay", "az", "gx", "gy", "gz"} {
		bindings = append(bindings, channel+"="+bus+":mpu6050."+channel)
	}
	l := onModel(t, where, "imu_filter.py", board, chip, bindings...)
	lit := func() bool {
		h := chip.History(pinOf(t, board, led))
		return h[len(h)-1]
	}
	worst := 0.0
	for tick := range seconds * rate {
		// Roll by 30 degrees to and fro, then pitch by 20, both once in 2 seconds, and then rest.
		at := float64(tick) / rate
		angle, turn := math.Sin(at*math.Pi), math.Cos(at*math.Pi)*math.Pi
		roll, pitch, rollRate, pitchRate := 30*angle, 0.0, 30*turn, 0.0
		if at >= 8 {
			roll, pitch, rollRate, pitchRate = 0, 20*angle, 0, 20*turn
		}
		if at >= 10 {
			pitch, pitchRate = 0, 0
		}
		r, p := roll/degrees, pitch/degrees
		sensor.Motion = [3]float64{-math.Sin(p), math.Sin(r) * math.Cos(p), math.Cos(r) * math.Cos(p)}
		sensor.Turn = [3]float64{rollRate + 3, pitchRate - 2, 1} // with its offset
		l.tick()
		note(l)
		if at < 6 { // it learns the offset
			continue
		}
		worst = max(worst, math.Abs(l.value("roll")-roll), math.Abs(l.value("pitch")-pitch))
		if near := max(math.Abs(roll), math.Abs(pitch)); math.Abs(near-2) > 1 {
			require.Equal(t, near < 2, lit(), "at %v s", at)
		}
	}
	t.Logf("at most %.2f degrees off", worst)
	require.Less(t, worst, 1.0)
	require.NoError(t, sensor.Check())
	require.True(t, lit())
	l.stop()
	require.False(t, lit(), "safe")
}
