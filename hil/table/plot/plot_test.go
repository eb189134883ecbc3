package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/table"
	"github.com/copaflash/copaflash/hil/table/plot"
)

// recorded has three variables of two units, and a gap.
func recorded() *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: "speed", Unit: "rad/s"}, {Name: "u", Unit: "V"}, {Name: "goal", Unit: "rad/s"}}}
	for i := range 1000 {
		if i > 400 && i < 500 {
			continue
		}
		x := float64(i) / 100
		drops := uint64(0)
		if i == 500 {
			drops = 99
		}
		t.Ticks, t.Times, t.Drops = append(t.Ticks, uint64(i)), append(t.Times, x), append(t.Drops, drops)
		t.Lateness = append(t.Lateness, 1e-6*float64(i%7))
		for k, v := range []float64{math.Sin(x), 3 * math.Cos(x), 1} {
			t.Columns[k].Values = append(t.Columns[k].Values, v)
		}
	}
	return t
}

func svg(t *testing.T, of *table.Table) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, plot.Formats[".svg"](&b, of, "run.csv"))
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
	return b.String()
}

// texts of a plot, in order.
func texts(page string) (out []string) {
	for _, part := range strings.Split(page, "<text ")[1:] {
		_, text, _ := strings.Cut(part, ">")
		text, _, _ = strings.Cut(text, "<")
		out = append(out, text)
	}
	return out
}

func TestSVG(t *testing.T) {
	of := recorded()
	page := svg(t, of)
	all := texts(page)
	for _, want := range []string{"run.csv", "rad/s", "V", "speed", "goal", "u", "time (s), 99 records lost: gaps", "start lateness (us): p50 3, p99 6, greatest 6", "ticks"} {
		assert.Contains(t, all, want)
	}
	// A gap makes one line more of each of the three traces.
	lines := strings.Count(page, "<path")
	for i := range of.Drops {
		of.Drops[i] = 0
	}
	assert.Equal(t, lines-3, strings.Count(svg(t, of), "<path"))
	of.Lateness = nil
	assert.NotContains(t, strings.Join(texts(svg(t, of)), " "), "lateness")
}

func TestPNG(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, plot.Formats[".png"](&b, recorded(), "run"))
	img, err := png.Decode(&b)
	require.NoError(t, err)
	assert.Greater(t, img.Bounds().Dx(), 1000)
	colours := map[string]bool{}
	for x := range img.Bounds().Dx() {
		for y := range img.Bounds().Dy() {
			colours[fmt.Sprint(img.At(x, y))] = true
		}
	}
	assert.Greater(t, len(colours), 20, "something is drawn")
}

// TestOddValues: numbers that are none make gaps, and a single record a point.
func TestOddValues(t *testing.T) {
	of := &table.Table{Ticks: []uint64{1}, Times: []float64{0}, Drops: []uint64{0}, Lateness: []float64{0}, Columns: []table.Column{{Name: "x", Values: []float64{2}}}}
	svg(t, of)
	of.Columns[0].Values[0] = math.NaN()
	svg(t, of)
	of = recorded()
	for i := range of.Columns[0].Values {
		of.Columns[0].Values[i] = []float64{math.Inf(1), math.NaN(), 1e300, -1e300}[i%4]
	}
	svg(t, of)
}

func TestRefused(t *testing.T) {
	for _, of := range []*table.Table{{}, {Ticks: []uint64{1}, Times: []float64{1}, Drops: []uint64{0}}} {
		require.Error(t, plot.Check(of))
	}
	many := recorded()
	for i := range 20 {
		c := many.Columns[0]
		c.Name = fmt.Sprint("v", i)
		many.Columns = append(many.Columns, c)
	}
	require.ErrorContains(t, plot.Check(many), "22 variables with the same unit")
	few, err := plot.Select(many, []string{"v3", "u"})
	require.NoError(t, err)
	require.NoError(t, plot.Check(few))
	assert.Len(t, few.Columns, 2)
	_, err = plot.Select(many, []string{"w"})
	var no *plot.Error
	require.ErrorAs(t, err, &no)
	assert.Contains(t, no.Hint(), "speed")
}
