package plot

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/device/pool"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/sweep"
)

const quotient = `{"format":"copaflash-graph","version":1,"nodes":[
{"op":"input","type":"f32","name":"a","value":2},
{"op":"input","type":"f32","name":"b","value":1},
{"op":"input","type":"f32","name":"c","value":1},
{"op":"div","type":"f32","args":[0,1]},
{"op":"sqrt","type":"f32","args":[0]},
{"op":"add","type":"f32","args":[3,2]}
],"outputs":[{"name":"q","node":3},{"name":"root","node":4},{"name":"sum","node":5}]}`

func bound(t *testing.T, spec sweep.Spec) (*sweep.Sweep, *oracle.Device) {
	t.Helper()
	f, err := graphfile.Decode([]byte(quotient))
	require.NoError(t, err)
	var outs []compiler.Output
	for _, o := range f.Outputs {
		outs = append(outs, compiler.Output{Name: o.Name, Value: f.Graph.Value(o.Node)})
	}
	p, err := compiler.Compile(f.Graph, outs, compiler.Options{Arch: "x86_64"})
	require.NoError(t, err)
	s, err := sweep.Bind(p, spec)
	require.NoError(t, err)
	dev, err := oracle.New("x86_64")
	require.NoError(t, err)
	return s, dev
}

// drawn is the SVG of a sweep.
func drawn(t *testing.T, spec sweep.Spec, labels Labels) string {
	t.Helper()
	s, dev := bound(t, spec)
	p, err := New(s, "quotients", labels)
	require.NoError(t, err)
	workers, err := pool.New(t.Context(), dev, s.Program, 1)
	require.NoError(t, err)
	defer workers.Close()
	require.NoError(t, s.Each(t.Context(), workers, 0, s.Len(), false, func(c sweep.Chunk) error {
		for i := range c.Len {
			p.Add(s.Values(c.First+i, c.Rows[i*s.Width():][:s.Width()]))
		}
		return nil
	}))
	var svg bytes.Buffer
	require.NoError(t, p.WriteSVG(&svg))
	return svg.String()
}

// marks are the elements of a picture by name, and its texts; it is XML throughout.
func marks(t *testing.T, svg string) (count map[string]int, texts []string) {
	t.Helper()
	count = map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return count, texts
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			count[e.Name.Local]++
		case xml.CharData:
			if text := strings.TrimSpace(string(e)); text != "" {
				texts = append(texts, text)
			}
		}
	}
}

// TestCurve: a line with a mark for each point, axes with names and ticks, a gap at what is no number.
func TestCurve(t *testing.T) {
	svg := drawn(t, sweep.Spec{Sets: []string{"a=-1:9:11"}, Gets: []string{"root", "q"}}, Labels{"a": "width <m>", "q": "q [1/s]"})
	_, texts := marks(t, svg)
	for _, want := range []string{"quotients", "width <m>", "q [1/s]", "root", "2", "0", "8"} {
		assert.Contains(t, texts, want)
	}
	assert.Equal(t, 1, strings.Count(strings.Join(texts, "\n"), "quotients"), "above the first panel alone")
	// Filled circles are those of points: ten roots, as that of -1 is none, and eleven quotients.
	assert.Equal(t, 10+11, strings.Count(svg, "fill:#1F5FA8"))
}

// TestHeatMap: a cell for each pair, a scale of colours beside it, gray where there is no number.
func TestHeatMap(t *testing.T) {
	svg := drawn(t, sweep.Spec{Sets: []string{"a=-1:2:4", "c=5", "b=3,1,2"}, Gets: []string{"root"}}, nil)
	_, texts := marks(t, svg)
	for _, want := range []string{"a", "b", "root", "1.5", "0.5"} {
		assert.Contains(t, texts, want)
	}
	assert.Equal(t, 3, strings.Count(svg, "fill:#B0B0B0"), "the roots of -1")
	// Many cells are one picture.
	svg = drawn(t, sweep.Spec{Sets: []string{"a=0:1:201", "b=1:2:200"}, Gets: []string{"q"}}, nil)
	count, _ := marks(t, svg)
	assert.Equal(t, 2, count["image"], "the cells, and the scale")
	assert.Less(t, len(svg), 1<<20)
	// All of one value, and none at all.
	drawn(t, sweep.Spec{Sets: []string{"a=0:1:3", "b=1:2:3"}, Gets: []string{"c"}}, nil)
	drawn(t, sweep.Spec{Sets: []string{"a=-2:-1:3", "b=1:2:3"}, Gets: []string{"root"}}, nil)
}

// TestHistogram: bars, and how many runs gave no number.
func TestHistogram(t *testing.T) {
	svg := drawn(t, sweep.Spec{Sets: []string{"a=uniform(-1,1)"}, Gets: []string{"root"}, Draws: 400, Seed: 1}, nil)
	_, texts := marks(t, svg)
	assert.Contains(t, texts, "runs")
	assert.Regexp(t, `root \((19|20|21)\d of 400 runs gave no finite number\)`, strings.Join(texts, "\n"))
	assert.Equal(t, 14, strings.Count(svg, "fill:#A9C6E5"), "bars")
	drawn(t, sweep.Spec{Sets: []string{"a=-1,-2"}, Gets: []string{"root"}, Draws: 5}, nil)
}

// TestSame: the same rows give the same picture.
func TestSame(t *testing.T) {
	spec := sweep.Spec{Sets: []string{"a=0:9:30", "b=1:2:30"}, Gets: []string{"q"}}
	assert.Equal(t, drawn(t, spec, nil), drawn(t, spec, nil))
}

func TestRefused(t *testing.T) {
	for says, spec := range map[string]sweep.Spec{
		"3 parameters have more than one value": {Sets: []string{"a=1,2", "b=1,2", "c=1,2"}},
		"no parameter has more than one value":  {Sets: []string{"a=1"}},
		"nan and inf have no place":             {Sets: []string{"a=1,inf"}},
	} {
		s, _ := bound(t, spec)
		_, err := New(s, "", nil)
		var wrong *sweep.Error
		require.ErrorAs(t, err, &wrong)
		assert.Contains(t, err.Error(), says)
		assert.NotEmpty(t, wrong.Hint())
	}
	s, _ := bound(t, sweep.Spec{Sets: []string{"a=1,2"}})
	_, err := New(s, "", Labels{"x": "y"})
	require.ErrorContains(t, err, "no axis of this name")
}
