// Package panel has what the plots of sweeps and of recordings have in common: empty plots, places of ticks, colours,
// and fewer points where there are more than a page shows.
package panel

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Colours of lines and of what they enclose.
var (
	Line = color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	Fill = color.RGBA{R: 0xa9, G: 0xc6, B: 0xe5, A: 0xff}
)

// New is an empty plot in sans-serif letters.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = 6
	p.X.Tick.Marker, p.Y.Tick.Marker = Ticks{}, Ticks{}
	for _, f := range []*string{
		(*string)(&p.Title.TextStyle.Font.Variant), (*string)(&p.X.Label.TextStyle.Font.Variant), (*string)(&p.Y.Label.TextStyle.Font.Variant),
		(*string)(&p.X.Tick.Label.Font.Variant), (*string)(&p.Y.Tick.Label.Font.Variant),
	} {
		*f = "Sans"
	}
	return p
}

// Finite tells whether a number has a place on an axis.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Thin leaves of many points the first, lowest, highest and last of each of as many parts as a page
// has columns.
func Thin(points plotter.XYs) plotter.XYs {
	const parts = 1500
	if len(points) <= 4*parts {
		return points
	}
	var kept plotter.XYs
	for k := range parts {
		part := points[k*len(points)/parts : (k+1)*len(points)/parts]
		low, high := 0, 0
		for i := range part {
			if part[i].Y < part[low].Y {
				low = i
			}
			if part[i].Y > part[high].Y {
				high = i
			}
		}
		kept = append(kept, part[0], part[min(low, high)], part[max(low, high)], part[len(part)-1])
	}
	return kept
}
