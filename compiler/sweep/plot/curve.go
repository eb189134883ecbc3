package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var lineColor = color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}

// fewPoints are marked one by one.
const fewPoints = 50

// curve draws a result over the one parameter that moves, with gaps where it is no number.
func (p *Plot) curve(c draw.Canvas, title string, column int) error {
	x, y := p.moving[0], column
	panel := newPanel(title, p.labels.of(p.names[x]), p.labels.of(p.names[y]))
	panel.Add(plotter.NewGrid())
	order := make([]int, len(p.columns[x]))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.columns[x][a], p.columns[x][b]) })
	var run plotter.XYs
	finished := func() error {
		if len(run) == 0 {
			return nil
		}
		line, points, err := plotter.NewLinePoints(thin(run))
		if err != nil {
			return err
		}
		line.Color, points.Color = lineColor, lineColor
		line.Width, points.Radius, points.Shape = vg.Points(1.2), vg.Points(1.6), draw.CircleGlyph{}
		panel.Add(line)
		if len(order) <= fewPoints || len(run) == 1 {
			panel.Add(points)
		}
		run = nil
		return nil
	}
	for _, i := range order {
		at := plotter.XY{X: p.columns[x][i], Y: p.columns[y][i]}
		if finite(at.X) && finite(at.Y) {
			run = append(run, at)
		} else if err := finished(); err != nil {
			return err
		}
	}
	if err := finished(); err != nil {
		return err
	}
	panel.Draw(c)
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// thin leaves of many points the first, lowest, highest and last of each of as many parts as a page
// has columns.
func thin(points plotter.XYs) plotter.XYs {
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

// histogram draws how often a drawn result was where.
func (p *Plot) histogram(c draw.Canvas, title string, column int) error {
	var values plotter.Values
	for _, v := range p.columns[column] {
		if finite(v) {
			values = append(values, v)
		}
	}
	label := p.labels.of(p.names[column])
	if n := len(p.columns[column]) - len(values); n > 0 {
		label += fmt.Sprintf(" (%d of %d runs gave no finite number)", n, len(p.columns[column]))
	}
	panel := newPanel(title, label, "runs")
	if len(values) > 0 {
		const least, most = 5, 60
		bars, err := plotter.NewHist(values, min(max(int(math.Sqrt(float64(len(values)))), least), most))
		if err != nil {
			return err
		}
		bars.FillColor = color.RGBA{R: 0xa9, G: 0xc6, B: 0xe5, A: 0xff}
		bars.Color = lineColor
		panel.Add(bars)
	}
	panel.Draw(c)
	return nil
}
