package benchpage

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// style is how a series is drawn, in colours that can be told from white and from black.
type style struct {
	color  color.RGBA
	glyph  draw.GlyphDrawer
	dashes []vg.Length
}

var (
	blue, green, orange, gray = color.RGBA{0x2f, 0x81, 0xd7, 0xff}, color.RGBA{0x2d, 0x9a, 0x4c, 0xff}, color.RGBA{0xd9, 0x7a, 0x1e, 0xff}, color.RGBA{0x8a, 0x8f, 0x98, 0xff}
	dashed                    = []vg.Length{vg.Points(5), vg.Points(3)}
	dotted                    = []vg.Length{vg.Points(1.5), vg.Points(2.5)}

	styles = map[string]style{
		keyCode:    {blue, draw.CircleGlyph{}, nil},
		keyGo:      {blue, draw.BoxGlyph{}, dashed},
		keyRun:     {blue, draw.PyramidGlyph{}, dotted},
		keyTurn:    {blue, draw.RingGlyph{}, dotted},
		keyGCC:     {orange, draw.CircleGlyph{}, nil},
		keyLanes:   {orange, draw.BoxGlyph{}, dashed},
		keyFast:    {orange, draw.PyramidGlyph{}, dotted},
		keyNumPy:   {green, draw.CircleGlyph{}, nil},
		keyAncient: {gray, draw.CrossGlyph{}, dashed},
		keyCall:    {gray, draw.PlusGlyph{}, dotted},
	}
)

// Sizes of the picture.
const (
	width       = 27 * vg.Centimeter
	height      = 13 * vg.Centimeter
	legendWidth = 10.6 * vg.Centimeter
)

// svgGround is the ground that the library draws, all transparent, with a colour that is none.
var svgGround = regexp.MustCompile(`<path d="[^"]*" style="fill:#-[^"]*fill-opacity:0" />\n`)

// decades are ticks at powers of ten with a unit, and small ones between them.
func decades(low, high float64) []plot.Tick {
	names := map[float64]string{1: "1 ns", 10: "10 ns", 100: "100 ns", 1e3: "1 µs", 1e4: "10 µs", 1e5: "100 µs", 1e6: "1 ms"}
	var list []plot.Tick
	for at := 1.0; at <= high; at *= 10 {
		for k := 1.0; k < 10 && k*at <= high; k++ {
			if k*at >= low {
				list = append(list, plot.Tick{Value: k * at, Label: names[k*at]})
			}
		}
	}
	return list
}

// WriteSVG draws the least times over the sizes. Texts and axes take the colour that the reader's page
// has for light or dark, and the ground is left out.
func (p *Page) WriteSVG(w io.Writer) error {
	panel := plot.New()
	panel.BackgroundColor = color.Transparent
	panel.Title.Text = "sum((v1 + i) @ v2 for i in range(10)), least time per evaluation"
	panel.Title.Padding = 6
	panel.X.Label.Text, panel.Y.Label.Text = "n, elements of each vector", "time per evaluation"
	panel.X.Scale, panel.Y.Scale = plot.LogScale{}, plot.LogScale{}
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.ThumbnailWidth, legend.Padding = true, true, 32, 4
	for _, t := range []*text.Style{&panel.Title.TextStyle, &panel.X.Label.TextStyle, &panel.Y.Label.TextStyle, &panel.X.Tick.Label, &panel.Y.Tick.Label, &legend.TextStyle} {
		t.Font.Variant = "Sans"
	}

	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gray, gray
	grid.Horizontal.Width, grid.Vertical.Width = vg.Points(0.2), vg.Points(0.2)
	panel.Add(grid)
	add := func(key, name string, points plotter.XYs) error {
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return fmt.Errorf("benchpage: %s: %w", name, err)
		}
		s := styles[key]
		line.Color, line.Width, line.Dashes = s.color, vg.Points(1.5), s.dashes
		marks.Color, marks.Radius, marks.Shape = s.color, vg.Points(2.6), s.glyph
		panel.Add(line, marks)
		legend.Add(strings.ReplaceAll(name, "`", ""), line, marks)
		return nil
	}
	for _, s := range p.Series {
		var points plotter.XYs
		for k, ns := range s.Least {
			points = append(points, plotter.XY{X: float64(p.Sizes[k]), Y: ns})
		}
		if err := add(s.Key, s.Name, points); err != nil {
			return err
		}
	}
	for _, a := range ancestor {
		var points plotter.XYs
		for _, n := range slices.Sorted(maps.Keys(a.ns)) {
			points = append(points, plotter.XY{X: float64(n), Y: a.ns[n]})
		}
		if err := add(a.key, a.name+" *", points); err != nil {
			return err
		}
	}
	var ticks []plot.Tick
	for i, n := range p.Sizes {
		t := plot.Tick{Value: float64(n), Label: fmt.Sprint(n)}
		if i+2 == len(p.Sizes) && 4*p.Sizes[i+1] < 5*n {
			t.Label = "" // there is no room for it before the last one
		}
		ticks = append(ticks, t)
	}
	panel.X.Tick.Marker, panel.Y.Tick.Marker = plot.ConstantTicks(ticks), plot.TickerFunc(decades)

	legend.Add("* not measured in this run")
	svg := vgsvg.New(width, height)
	all := draw.New(svg)
	panel.Draw(draw.Crop(all, 4, -legendWidth, 4, -6))
	legend.Draw(draw.Crop(all, width-legendWidth+12, 0, 0, -30))
	var drawn bytes.Buffer
	if _, err := svg.WriteTo(&drawn); err != nil {
		return fmt.Errorf("benchpage: %w", err)
	}
	const toned = `<style>svg { color: #1f2328 } text { fill: currentColor } @media (prefers-color-scheme: dark) { svg { color: #e6edf3 } }</style>`
	page := strings.NewReplacer("#000000", "currentColor", "Liberation Sans", "Liberation Sans,Arial,sans-serif").Replace(drawn.String())
	page = svgGround.ReplaceAllString(page, "")
	page = strings.Replace(page, "\n<g ", "\n"+toned+"\n<g ", 1)
	_, err := io.WriteString(w, page)
	return err
}
