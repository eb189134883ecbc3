package pins_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWithoutBoard: the scripts with their plants in place of pins, as the page starts them on this machine.
func TestWithoutBoard(t *testing.T) {
	for _, c := range []struct {
		file, plant string
		ticks       int
		variable    string
		want, near  float64
	}{
		{"analogue_pid.py", "capacitor.py", 3 * 200, "level", 1.5, 0.01},
		{"encoder_speed.py", "geared_motor.py", 2 * 100, "speed", 8, 0.3},
	} {
		t.Run(c.file, func(t *testing.T) {
			everywhere(t, func(t *testing.T, where string, note func(*loop)) {
				l := simulated(t, where, c.file, c.plant)
				for range c.ticks {
					l.tick()
					note(l)
				}
				require.InDelta(t, c.want, l.value(c.variable), c.near)
			})
		})
	}
}

// TestFilterOfATiltingBody: roll follows the body within a few degrees although the gyroscope has an offset, which the
// filter learns, and a machine shakes the accelerometer.
func TestFilterOfATiltingBody(t *testing.T) {
	everywhere(t, func(t *testing.T, where string, note func(*loop)) {
		const rate = 200
		l := simulated(t, where, "imu_filter.py", "tilting.py")
		worst, level := 0.0, 0
		for tick := range 48 * rate {
			l.tick()
			note(l)
			if tick < 16*rate { // it learns the offset
				continue
			}
			worst = max(worst, math.Abs(l.value("roll")-l.value("tilting.truth")), math.Abs(l.value("pitch")))
			v, err := l.bench.Word(t.Context(), l.symbol("level").Offset)
			require.NoError(t, err)
			level += int(v & 1)
		}
		t.Logf("roll and pitch are at most %.2f degrees off, level %.0f %% of the time", worst, 100*float64(level)/(32*rate))
		require.Less(t, worst, 1.5)
		require.InDelta(t, 0.52, float64(level)/(32*rate), 0.03, "half of the time, and when it swings through")
	})
}
