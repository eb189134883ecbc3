package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/copaflash/copaflash/compiler/sweep/plot/panel"
)

// fewPoints are marked one by one.
const fewPoints = 50

// curve draws a result over the one parameter that moves, with gaps where it is no number.
func (p *Plot) curve(c draw.Canvas, title string, column int) error {
	x, y := p.moving[0], column
	chart := panel.New(title, p.labels.of(p.names[x]), p.labels.of(p.names[y]))
	chart.Add(plotter.NewGrid())
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
		line, points, err := plotter.NewLinePoints(panel.Thin(run))
		if err != nil {
			return err
		}
		line.Color, points.Color = panel.Line, panel.Line
		line.Width, points.Radius, points.Shape = vg.Points(1.2), vg.Points(1.6), draw.CircleGlyph{}
		chart.Add(line)
		if len(order) <= fewPoints || len(run) == 1 {
			chart.Add(points)
		}
		run = nil
		return nil
	}
	for _, i := range order {
		at := plotter.XY{X: p.columns[x][i], Y: p.columns[y][i]}
		if panel.Finite(at.X) && panel.Finite(at.Y) {
			run = append(run, at)
		} else if err := finished(); err != nil {
			return err
		}
	}
	if err := finished(); err != nil {
		return err
	}
	chart.Draw(c)
	return nil
}

// histogram draws how often a drawn result was where.
func (p *Plot) histogram(c draw.Canvas, title string, column int) error {
	var values plotter.Values
	for _, v := range p.columns[column] {
		if panel.Finite(v) {
			values = append(values, v)
		}
	}
	label := p.labels.of(p.names[column])
	if n := len(p.columns[column]) - len(values); n > 0 {
		label += fmt.Sprintf(" (%d of %d runs gave no finite number)", n, len(p.columns[column]))
	}
	chart := panel.New(title, label, "runs")
	if len(values) > 0 {
		const least, most = 5, 60
		bars, err := plotter.NewHist(values, min(max(int(math.Sqrt(float64(len(values)))), least), most))
		if err != nil {
			return err
		}
		bars.FillColor = panel.Fill
		bars.Color = panel.Line
		chart.Add(bars)
	}
	chart.Draw(c)
	return nil
}
