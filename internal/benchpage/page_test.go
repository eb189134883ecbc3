package benchpage

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden page in testdata")

// fixed is a page whose numbers are made up.
func fixed() *Page {
	p := &Page{
		Machine:  []string{"A processor, 2 processors", "linux/amd64", "go1.26", "gcc 12"},
		Date:     time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC),
		Rounds:   [2]int{300, 400},
		Sizes:    sizes,
		Comments: []string{noNumPy},
	}
	for i, key := range []string{keyCode, keyGo, keyRun, keyTurn, keyGCC, keyLanes, keyFast} {
		s := Series{Key: key, Name: "series " + key, How: "how " + key + " is timed"}
		for _, n := range sizes {
			least := float64(i*i+1) * (3.21 + float64(n)/7)
			s.Least, s.Median = append(s.Least, least), append(s.Median, 1.1*least)
		}
		p.Series = append(p.Series, s)
	}
	return p
}

func TestGolden(t *testing.T) {
	const file = "testdata/page.md"
	got := fixed().Markdown()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// texts are those of an SVG, which is XML throughout.
func texts(t *testing.T, svg []byte) (all []string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		require.NoError(t, err)
		if text, ok := token.(xml.CharData); ok && len(bytes.TrimSpace(text)) > 0 {
			all = append(all, strings.TrimSpace(string(text)))
		}
	}
}

func TestSVG(t *testing.T) {
	p := fixed()
	var svg, again bytes.Buffer
	require.NoError(t, p.WriteSVG(&svg))
	require.NoError(t, p.WriteSVG(&again))
	require.Equal(t, svg.String(), again.String())
	got := texts(t, svg.Bytes())
	for _, s := range p.Series {
		assert.Contains(t, got, s.Name)
		assert.Contains(t, styles, s.Key)
	}
	for _, want := range []string{"Python ancestor, one evaluation *", "Python ancestor, tg.run() *", "* not measured in this run",
		"n, elements of each vector", "time per evaluation", "10", "30", "600", "10 ns", "100 ns", "1 µs", "10 µs"} {
		assert.Contains(t, got, want)
	}
	assert.Equal(t, 2, strings.Count(svg.String(), "stroke:#2F81D7;stroke-width:1.5;stroke-dasharray:5,3\""), "the line of calls from Go, and in the legend")
	assert.NotContains(t, svg.String(), "#000000", "black does not show on a dark page")
	assert.NotContains(t, svg.String(), "#-")
}

// TestLogarithmic: tenfold times are equally far from each other.
func TestLogarithmic(t *testing.T) {
	p := fixed()
	for i := range p.Series {
		for k := range p.Series[i].Least {
			p.Series[i].Least[k] = 100
		}
	}
	var svg bytes.Buffer
	require.NoError(t, p.WriteSVG(&svg))
	at := map[string]float64{}
	for _, m := range regexp.MustCompile(`y="(-[0-9.]+)"[^>]*>([0-9]+ [nµ]s)<`).FindAllStringSubmatch(svg.String(), -1) {
		y, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		at[m[2]] = y
	}
	require.NotZero(t, at["100 ns"])
	assert.InDelta(t, at["1 µs"]-at["100 ns"], at["10 µs"]-at["1 µs"], 0.1)
}

var cell = regexp.MustCompile(`^([0-9.]+) \(([0-9.]+)\)$`)

// agree holds the ratios of a page against its times.
func agree(t *testing.T, page string) {
	t.Helper()
	table := map[string]map[string][]float64{} // by heading and name: the times
	ratios, heading := 0, ""
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return v
	}
	near := func(ratio string, a, b float64, where string) {
		_, decimals, _ := strings.Cut(ratio, ".")
		assert.Equal(t, strconv.FormatFloat(a/b, 'f', len(decimals), 64), ratio, where)
		ratios++
	}
	for _, pass := range []bool{false, true} { // first the times
		for line := range strings.Lines(page) {
			if h, ok := strings.CutPrefix(line, "## "); ok {
				heading = h
			}
			if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| *") {
				continue
			}
			fields := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
			name := strings.TrimSpace(fields[0])
			for k, f := range fields[1:] {
				f = strings.TrimSpace(f)
				m := cell.FindStringSubmatch(f)
				switch {
				case m != nil && !pass:
					if table[heading] == nil {
						table[heading] = map[string][]float64{}
					}
					table[heading][name] = append(table[heading][name], number(m[1]))
				case m != nil:
					near(m[2], number(m[1]), table[heading][baseName(page)][k], line)
				case pass && strings.Contains(name, " : "):
					ours, theirs, _ := strings.Cut(name, " : ")
					least := table["Least time\n"]
					near(f, least[ours][k], least[theirs][k], line)
				}
			}
		}
	}
	assert.GreaterOrEqual(t, ratios, 2*7*2, "two tables of seven rows and two sizes at least")
}

// baseName is the row that ratios refer to: all of its are 1.
func baseName(page string) string {
	return regexp.MustCompile(`(?m)^\| ([^|]+) \|(?: [0-9.]+ \(1\.00\) \|)+$`).FindStringSubmatch(page)[1]
}

// TestRatios: those of the committed page and of the one with made-up numbers are quotients of times in them.
func TestRatios(t *testing.T) {
	agree(t, fixed().Markdown())
	page, err := os.ReadFile("../../docs/benchmarks.md")
	require.NoError(t, err)
	agree(t, string(page))
	assert.Regexp(t, `(?m)^\| GCC -O3 \|(?: [0-9.]+ \(1\.00\) \|){9}$`, string(page))
	assert.Equal(t, "GCC -O3", baseName(string(page)))
}

// TestCommitted: the committed page and plot are such as this package makes, with all nine sizes, and name
// the machine by nothing but its processor and versions.
func TestCommitted(t *testing.T) {
	page, err := os.ReadFile("../../docs/benchmarks.md")
	require.NoError(t, err)
	svg, err := os.ReadFile("../../docs/" + Plot)
	require.NoError(t, err)
	assert.Contains(t, string(page), "| n = | 10 | 30 | 60 | 100 | 200 | 300 | 400 | 500 | 600 |")
	assert.Contains(t, string(page), "`make bench-page`")
	assert.NotRegexp(t, `/home|/root|/tmp|/work`, string(page)+string(svg))
	drawn := texts(t, svg)
	named := regexp.MustCompile(`(?m)^- \*\*([^*]+)\*\*: `).FindAllStringSubmatch(string(page), -1)
	require.GreaterOrEqual(t, len(named), 9)
	for _, m := range named {
		assert.Contains(t, strings.Join(drawn, "\n"), strings.ReplaceAll(m[1], "`", ""))
	}
}

func TestShown(t *testing.T) {
	for ns, want := range map[float64]string{1.234: "1.23", 12.34: "12.3", 123.4: "123", 1234.5: "1234", 99.96: "100.0"} {
		assert.Equal(t, want, shown(ns))
	}
	assert.Equal(t, "0.33", ratio(10.04, 30.04))
	assert.Equal(t, "0.050", ratio(10, 200))
}

func TestRace(t *testing.T) {
	fake := func(result float32, times ...float64) lap {
		i := 0
		return func() (float64, float32, error) { i++; return times[(i-1)%len(times)], result, nil }
	}
	names := []string{"one", "two"}
	times, err := race(t.Context(), []lap{fake(100, 1, 2), fake(100.001, 5)}, names, 0)
	require.NoError(t, err)
	assert.Len(t, times[1], fewestLaps)
	assert.Equal(t, []float64{1, 2, 1}, times[0][:3])
	assert.Equal(t, 1.5, median(times[0]))
	_, err = race(t.Context(), []lap{fake(100, 1), fake(101, 5)}, names, 0)
	require.EqualError(t, err, "two computes 101 where one computes 100")
	broken := func() (float64, float32, error) { return 0, 0, errors.New("broke") }
	_, err = race(t.Context(), []lap{fake(100, 1), broken}, names, 0)
	require.EqualError(t, err, "two: broke")
}

func TestLap(t *testing.T) {
	var asked []int
	l, err := batch(func(calls int) (time.Duration, float32, error) {
		asked = append(asked, calls)
		return time.Duration(calls) * 500 * time.Nanosecond, 7, nil
	}).lap()
	require.NoError(t, err)
	ns, result, err := l()
	require.NoError(t, err)
	assert.Equal(t, 500.0, ns)
	assert.Equal(t, float32(7), result)
	assert.Equal(t, 200, asked[len(asked)-1], fmt.Sprint(asked))
}

// TestSameBits: what the page says of C in eight lanes, for lengths with and without a rest.
func TestSameBits(t *testing.T) {
	h, err := openHost(t.Context())
	require.NoError(t, err)
	defer h.close()
	sizes := []int{10, 600}
	compiled, stop, err := h.compiled(sizes)
	require.NoError(t, err)
	defer stop()
	for _, n := range sizes {
		results := map[string]float32{}
		for _, e := range append(compiled, h.entrants()[0]) {
			b, stop, err := e.start(t.Context(), n)
			require.NoError(t, err)
			_, results[e.key], err = b(1)
			require.NoError(t, err)
			stop()
		}
		assert.Equal(t, results[keyLanes], results[keyCode], "n = %d", n)
		assert.Equal(t, results[keyLanes], results[keyGo], "n = %d", n)
	}
}

// TestRun: everything that is here takes part, all compute the same, and the page has all of it; without
// GCC there is no page.
func TestRun(t *testing.T) {
	sizes := []int{10, 100}
	p, err := run(t.Context(), sizes, 0)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, p.Rounds[0], fewestLaps)
	for _, s := range p.Series {
		assert.Len(t, s.Least, len(sizes))
		for k := range s.Least {
			assert.Positive(t, s.Least[k], s.Name)
			assert.LessOrEqual(t, s.Least[k], s.Median[k], s.Name)
		}
	}
	agree(t, p.Markdown())
	var svg bytes.Buffer
	require.NoError(t, p.WriteSVG(&svg))
	_, numpy := findNumPy(t.Context())
	assert.Equal(t, numpy == "", strings.Contains(p.Markdown(), noNumPy))
	assert.Equal(t, numpy != "", strings.Contains(p.Markdown(), "NumPy, float32"))

	t.Setenv("PATH", "")
	_, err = Run(t.Context(), 0)
	require.ErrorContains(t, err, "gcc is not installed")
}
