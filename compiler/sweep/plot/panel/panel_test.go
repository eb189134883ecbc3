package panel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/plotter"
)

// TestThin: what many points leave has their ends and their extremes.
func TestThin(t *testing.T) {
	points := make(plotter.XYs, 100_000)
	for i := range points {
		points[i] = plotter.XY{X: float64(i), Y: math.Sin(float64(i))}
	}
	points[54321].Y = 100
	kept := Thin(points)
	assert.Less(t, len(kept), 7000)
	assert.Contains(t, kept, points[54321])
	assert.Equal(t, points[0], kept[0])
	assert.Equal(t, points[len(points)-1], kept[len(kept)-1])
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []string
	}{
		{0, 5, []string{"0", "1", "2", "3", "4", "5"}},
		{0.5, 12, []string{"2", "4", "6", "8", "10", "12"}},
		{-0.3, 0.3, []string{"-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"}},
		{1e6, 1.5e6, []string{"1e+06", "1.1e+06", "1.2e+06", "1.3e+06", "1.4e+06", "1.5e+06"}},
	} {
		var got []string
		for _, tick := range (Ticks{}).Ticks(c.low, c.high) {
			assert.GreaterOrEqual(t, tick.Value, c.low-1e-9)
			assert.LessOrEqual(t, tick.Value, c.high*(1+1e-9)+1e-9)
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		assert.Equal(t, c.want, got, "%v to %v", c.low, c.high)
	}
	for _, ends := range [][2]float64{{1, 1}, {1e30, 1e30 * (1 + 1e-15)}, {-math.MaxFloat64, math.MaxFloat64}, {0, 5e-324}} {
		assert.Less(t, len(Ticks{}.Ticks(ends[0], ends[1])), 100)
	}
}
