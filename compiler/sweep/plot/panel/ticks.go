package panel

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Ticks are at multiples of 1, 2 or 5 times a power of ten, each with four smaller ones before the next.
type Ticks struct{}

const aimedTicks = 6

// Ticks implements plot.Ticker.
func (Ticks) Ticks(low, high float64) []plot.Tick {
	ends := []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 8, 64)}, {Value: high, Label: strconv.FormatFloat(high, 'g', 8, 64)}}
	if !(low < high) || math.IsInf(high-low, 0) {
		return ends
	}
	raw := (high - low) / aimedTicks
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw {
			step = m * power
			break
		}
	}
	const parts = 5
	if step == 0 || math.Abs(low/step) > 1e9 || math.Abs(high/step) > 1e9 {
		return ends // which hardly differ
	}
	var list []plot.Tick
	const slack = 1e-6 // for ends that are ticks but for rounding
	for k := math.Ceil(low/step*parts - slack); k <= math.Floor(high/step*parts+slack); k++ {
		t := plot.Tick{Value: k / parts * step}
		if math.Mod(k, parts) == 0 {
			// Six digits are more than ticks differ in; fewer would show 0.30000000000000004.
			t.Label = strconv.FormatFloat(math.Round(k/parts)*step+0, 'g', 6, 64) // -0 becomes 0
		}
		list = append(list, t)
	}
	return list
}
