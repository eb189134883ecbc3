// Package plot draws recordings as SVG or PNG: the variables over time, those of one unit in one panel,
// with a gap where records were lost, and below them how late ticks started.
package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/copaflash/copaflash/compiler/sweep/plot/panel"
	"github.com/copaflash/copaflash/hil/table"
)

// Formats of files, by the end of their names.
var Formats = map[string]func(w io.Writer, t *table.Table, title string) error{
	".svg": func(w io.Writer, t *table.Table, title string) error {
		c := vgsvg.New(size(t))
		return finish(w, c, c, t, title)
	},
	".png": func(w io.Writer, t *table.Table, title string) error {
		width, height := size(t)
		c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch))}
		return finish(w, c, c, t, title)
	},
}

// Sizes.
const (
	panelWidth  = 20 * vg.Centimeter
	panelHeight = 7 * vg.Centimeter
	dotsPerInch = 144
)

// legendRoom is the part of a panel's height that a line of the legend takes.
const legendRoom = 0.08

// maxPanels bounds the units of a plot, and maxTraces the variables of each, as more could not be told apart.
const (
	maxPanels = 12
	maxTraces = 12
)

// An Error says why there is no plot, and what to do next.
type Error struct{ Message, Next string }

func (e *Error) Error() string { return e.Message }

// Hint says what to do next.
func (e *Error) Hint() string { return e.Next }

// Check refuses a table that makes no plot.
func Check(t *table.Table) error {
	const fewer = "name the variables to draw"
	switch {
	case t.Rows() == 0:
		return &Error{"the recording is empty", "record while the loop runs"}
	case len(t.Columns) == 0:
		return &Error{"there is no variable to draw", "record some variables"}
	}
	groups := byUnit(t)
	if len(groups) > maxPanels {
		return &Error{fmt.Sprintf("%d units, more than the %d that a plot has panels for", len(groups), maxPanels), fewer}
	}
	for _, g := range groups {
		if len(g.columns) > maxTraces {
			return &Error{fmt.Sprintf("%d variables with the same unit, more than the %d that can be told apart", len(g.columns), maxTraces), fewer}
		}
	}
	return nil
}

// group is the variables of one unit.
type group struct {
	unit    string
	columns []*table.Column
}

// byUnit puts variables of the same unit together, in the order in which units first come.
func byUnit(t *table.Table) (groups []group) {
	for i := range t.Columns {
		c := &t.Columns[i]
		at := slices.IndexFunc(groups, func(g group) bool { return g.unit == c.Unit })
		if at < 0 {
			at, groups = len(groups), append(groups, group{unit: c.Unit})
		}
		groups[at].columns = append(groups[at].columns, c)
	}
	return groups
}

// size is that of a page.
func size(t *table.Table) (width, height vg.Length) {
	n := len(byUnit(t))
	if t.Lateness != nil {
		n++
	}
	return panelWidth, vg.Length(n) * panelHeight
}

// finish draws all panels one below the other.
func finish(w io.Writer, c vg.CanvasSizer, out io.WriterTo, t *table.Table, title string) error {
	if err := Check(t); err != nil {
		return err
	}
	all := draw.New(c)
	top := all.Max.Y
	next := func() draw.Canvas {
		area := draw.Canvas{Canvas: all.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: 0, Y: top - panelHeight}, Max: vg.Point{X: panelWidth, Y: top}}}
		top -= panelHeight
		return draw.Crop(area, 4, -8, 4, -6)
	}
	for i, g := range byUnit(t) {
		heading := ""
		if i == 0 {
			heading = title
		}
		chart, err := traces(t, g, heading)
		if err != nil {
			return err
		}
		chart.Draw(next())
	}
	if t.Lateness != nil {
		chart, err := lateness(t)
		if err != nil {
			return err
		}
		chart.Draw(next())
	}
	_, err := out.WriteTo(w)
	return err
}

// palette has colours that can be told apart, also by most who do not see all of them.
var palette = []color.Color{
	panel.Line,
	color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}, color.RGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, color.RGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
	color.RGBA{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}, color.RGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, color.RGBA{R: 0x55, G: 0x55, B: 0x55, A: 0xff},
}

// dashes tell lines of the same colour apart.
var dashes = [][]vg.Length{nil, {6, 3}}

// traces draws variables of one unit over time.
func traces(t *table.Table, g group, title string) (*plot.Plot, error) {
	names := make([]string, len(g.columns))
	for i, c := range g.columns {
		names[i] = c.Name
	}
	label := g.unit
	if label == "" && len(names) == 1 {
		label = names[0]
	}
	below := "time (s)"
	if n := t.Lost(); n > 0 {
		below += fmt.Sprintf(", %d records lost: gaps", n)
	}
	chart := panel.New(title, below, label)
	chart.Add(plotter.NewGrid())
	chart.X.Min, chart.X.Max = t.Times[0], t.Times[len(t.Times)-1]
	for i, c := range g.columns {
		style := draw.LineStyle{Color: palette[i%len(palette)], Width: vg.Points(1.1), Dashes: dashes[i/len(palette)%len(dashes)]}
		for _, run := range runs(t, c.Values) {
			line, points, err := plotter.NewLinePoints(panel.Thin(run))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
			line.LineStyle = style
			chart.Add(line)
			if len(run) == 1 {
				// A record between two losses has no line.
				points.Color, points.Radius, points.Shape = style.Color, vg.Points(1.4), draw.CircleGlyph{}
				chart.Add(points)
			}
		}
		chart.Legend.Add(c.Name, &plotter.Line{LineStyle: style})
	}
	chart.Legend.Top = true
	chart.Legend.TextStyle.Font.Variant = "Sans"
	if len(names) == 1 && label == names[0] {
		chart.Legend = plot.NewLegend() // the axis says it
	} else if panel.Finite(chart.Y.Max - chart.Y.Min) {
		// Room for the legend above the lines.
		chart.Y.Max += (chart.Y.Max - chart.Y.Min) * legendRoom * float64(len(names))
	}
	return chart, nil
}

// runs are the parts of a variable without a gap: records were lost, or it was no number.
func runs(t *table.Table, values []float64) (list []plotter.XYs) {
	var run plotter.XYs
	end := func() {
		if len(run) > 0 {
			list = append(list, run)
		}
		run = nil
	}
	for i, v := range values {
		if t.Drops[i] > 0 {
			end()
		}
		if panel.Finite(v) && panel.Finite(t.Times[i]) {
			run = append(run, plotter.XY{X: t.Times[i], Y: v})
		} else {
			end()
		}
	}
	end()
	return list
}

// bins is how many bars the histogram has.
const bins = 60

// lateness draws how late ticks started, of those that were recorded.
func lateness(t *table.Table) (*plot.Plot, error) {
	var values plotter.Values
	for _, v := range t.Lateness {
		if panel.Finite(v) {
			values = append(values, v*1e6)
		}
	}
	slices.Sort(values)
	label := "start lateness (us)"
	if n := len(values); n > 0 {
		label += fmt.Sprintf(": p50 %s, p99 %s, greatest %s", digits(rank(values, 0.5)), digits(rank(values, 0.99)), digits(values[n-1]))
	}
	chart := panel.New("", label, "ticks")
	if len(values) > 0 {
		bars, err := plotter.NewHist(values, bins)
		if err != nil {
			return nil, err
		}
		bars.FillColor, bars.Color = panel.Fill, panel.Line
		chart.Add(bars)
	}
	return chart, nil
}

// rank is the value that a share of the sorted values does not exceed.
func rank(sorted []float64, share float64) float64 {
	return sorted[max(int(math.Ceil(share*float64(len(sorted))))-1, 0)]
}

func digits(v float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3g", v), "+") }

// Select leaves only some variables: by name, an array with all its elements.
func Select(t *table.Table, names []string) (*table.Table, error) {
	if len(names) == 0 {
		return t, nil
	}
	out := *t
	out.Columns = nil
	for _, name := range names {
		found := false
		for _, c := range t.Columns {
			if c.Name == name || strings.HasPrefix(c.Name, name+"[") {
				found = true
				out.Columns = append(out.Columns, c)
			}
		}
		if !found {
			var all []string
			for _, c := range t.Columns {
				all = append(all, c.Name)
			}
			return nil, &Error{"the recording has no variable " + name, "it has " + strings.Join(all, ", ")}
		}
	}
	return &out, nil
}
