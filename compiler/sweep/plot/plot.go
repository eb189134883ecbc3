// Package plot draws the results of sweeps as SVG: curves over one parameter, maps of colours
// over two, histograms of random draws.
package plot

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/copaflash/copaflash/compiler/sweep"
)

// Labels are texts for axes by the name of a column, such as "gain [V/rad]" for kp.
type Labels map[string]string

func (l Labels) of(name string) string {
	if text, ok := l[name]; ok {
		return text
	}
	return name
}

// Plot collects rows of a sweep and draws them.
type Plot struct {
	title   string
	labels  Labels
	names   []string    // of the columns behind the index
	columns [][]float64 // by name
	params  int
	results int
	grid    []int // points of each parameter; nil: drawn
	moving  []int // parameters with more than one point
}

// maxPanels bounds the results of a plot: each has a panel of its own.
const maxPanels = 12

// New is a plot for a sweep, or an *sweep.Error where there is none for one of its kind.
func New(s *sweep.Sweep, title string, labels Labels) (*Plot, error) {
	names := s.Columns()[1:]
	p := &Plot{title: title, labels: labels, names: names, params: s.Params(), grid: s.Grid(), columns: make([][]float64, len(names))}
	p.results = len(names) - p.params
	if last := len(names) - 1; names[last] == sweep.FlagsColumn {
		p.results--
	}
	for i, n := range p.grid {
		if n > 1 {
			p.moving = append(p.moving, i)
		}
	}
	for name := range labels {
		if !slices.Contains(names, name) {
			return nil, &sweep.Error{Message: fmt.Sprintf("--label %s: the plot has no axis of this name", name), Next: "label a name of --set or --get"}
		}
	}
	switch {
	case p.results > maxPanels:
		return nil, &sweep.Error{Message: fmt.Sprintf("--plot: %d results, more than the %d that a plot has panels for", p.results, maxPanels), Next: "say with --get which ones to draw"}
	case s.Random():
		return p, nil
	case !s.Finite():
		return nil, &sweep.Error{Message: "--plot: nan and inf have no place on an axis", Next: "leave them out of --set, or make only the table with -o"}
	case len(p.moving) == 0:
		return nil, &sweep.Error{Message: "--plot: no parameter has more than one value", Next: "give one a range, such as kp=0:5:100"}
	case len(p.moving) > 2:
		return nil, &sweep.Error{Message: fmt.Sprintf("--plot: %d parameters have more than one value, and a plot has two axes", len(p.moving)),
			Next: "fix all but two, draw at random with --random, or plot the table with a tool of yours"}
	}
	return p, nil
}

// Add takes the next row, as sweep.Values gives it.
func (p *Plot) Add(values []float64) {
	for i, v := range values {
		p.columns[i] = append(p.columns[i], v)
	}
}

// Sizes.
const (
	panelWidth  = 16 * vg.Centimeter
	panelHeight = 9 * vg.Centimeter
	mapHeight   = 12 * vg.Centimeter
	barWidth    = 2.6 * vg.Centimeter
)

// WriteSVG draws what was added, each result in a panel of its own below the one before.
func (p *Plot) WriteSVG(w io.Writer) error {
	height, panel := vg.Length(panelHeight), p.curve
	switch {
	case p.grid == nil:
		panel = p.histogram
	case len(p.moving) == 2:
		height, panel = mapHeight, p.heatMap
	}
	total := height * vg.Length(p.results)
	svg := vgsvg.New(panelWidth, total)
	all := draw.New(svg)
	for i := range p.results {
		top := total - vg.Length(i)*height
		area := draw.Canvas{Canvas: all.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: 0, Y: top - height}, Max: vg.Point{X: panelWidth, Y: top}}}
		title := ""
		if i == 0 {
			title = p.title
		}
		if err := panel(draw.Crop(area, 4, -8, 4, -6), title, p.params+i); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	if _, err := svg.WriteTo(&text); err != nil {
		return err
	}
	page := text.Bytes()
	if len(p.moving) == 2 {
		// Cells that share an edge must leave no seam of the page's colour between them.
		page = bytes.Replace(page, []byte("<g "), []byte(`<g shape-rendering="crispEdges" `), 1)
	}
	_, err := w.Write(page)
	return err
}
