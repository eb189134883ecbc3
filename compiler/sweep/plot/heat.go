package plot

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/copaflash/copaflash/compiler/sweep/plot/panel"
)

// field is a result over the two parameters that move.
type field struct {
	x, y   []float64 // of columns and of rows, ascending
	values []float64
	at     func(c, r int) int
}

func (f *field) Dims() (c, r int)   { return len(f.x), len(f.y) }
func (f *field) X(c int) float64    { return f.x[c] }
func (f *field) Y(r int) float64    { return f.y[r] }
func (f *field) Z(c, r int) float64 { return f.values[f.at(c, r)] }

// sorted is the values that a parameter of a grid takes, and which of its points they are.
func (p *Plot) sorted(param, step int) (values []float64, order []int) {
	n := p.grid[param]
	order = make([]int, n)
	for i := range order {
		order[i] = i
	}
	value := func(k int) float64 { return p.columns[param][k*step] }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value(a), value(b)) })
	for _, k := range order {
		values = append(values, value(k))
	}
	return values, order
}

// manyCells are embedded as one picture instead of a path for each.
const manyCells = 40_000

var gray = color.Gray{Y: 0xb0}

// heatMap draws a result as colours: the first parameter to the right, the second upwards, values
// that are no numbers in gray.
func (p *Plot) heatMap(c draw.Canvas, title string, column int) error {
	right, up := p.moving[0], p.moving[1]
	step := p.grid[up] // between runs of neighbouring values of the first one
	x, orderX := p.sorted(right, step)
	y, orderY := p.sorted(up, 1)
	f := &field{x: x, y: y, values: p.columns[column], at: func(c, r int) int { return orderX[c]*step + orderY[r] }}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range f.values {
		if panel.Finite(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		low, high = 0, 1
	}
	if low == high {
		// One colour needs a scale, too.
		margin := max(math.Abs(low)/2, 0.5)
		low, high = low-margin, high+margin
	}
	colors := moreland.Kindlmann()
	colors.SetMin(low)
	colors.SetMax(high)
	cells := plotter.NewHeatMap(f, colors.Palette(255))
	cells.Min, cells.Max = low, high
	ends := cells.Palette.Colors()
	cells.NaN, cells.Underflow, cells.Overflow = gray, ends[0], ends[len(ends)-1]
	cells.Rasterized = len(x)*len(y) > manyCells

	chart := panel.New(title, p.labels.of(p.names[right]), p.labels.of(p.names[up]))
	chart.Add(cells)
	area := draw.Crop(c, 0, -barWidth, 0, 0)
	chart.Draw(area)

	scale := panel.New("", "", p.labels.of(p.names[column]))
	scale.Add(&plotter.ColorBar{ColorMap: colors, Vertical: true})
	scale.HideX()
	scale.Y.Padding = vg.Points(2)
	data := chart.DataCanvas(area)
	beside := draw.Crop(c, c.Max.X-c.Min.X-barWidth, 0, 0, 0)
	beside.Min.Y, beside.Max.Y = data.Min.Y, data.Max.Y
	scale.Draw(beside)
	return nil
}
