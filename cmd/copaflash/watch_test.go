package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

func TestSparkline(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, ""},
		{[]float64{5, 5, 5}, "▁▁▁"},
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7, 8}, "▁▂▃▄▅▆▇██"},
		{[]float64{8, 0, nan, inf, -inf}, "█▁ █▁"},
		{[]float64{-math.MaxFloat64, 0, math.MaxFloat64}, "▁▅█"},
		{[]float64{0, 5e-324, 1e-323}, "▁▁█"},
		{[]float64{nan, nan}, "  "},
		{[]float64{inf, inf}, "▁▁"},
	} {
		var tr trace
		for _, x := range c.values {
			tr.add(x, 16)
		}
		assert.Equal(t, c.want, tr.line(), "%v", c.values)
	}
	var tr trace
	for i := range 100 {
		tr.add(float64(i), 4)
	}
	assert.Equal(t, []float64{96, 97, 98, 99}, tr.values)
	assert.Equal(t, []float64{0, 99}, []float64{tr.low, tr.high})
}

// TestTable draws over itself, within the window, and nothing in a name steers the terminal.
func TestTable(t *testing.T) {
	var out bytes.Buffer
	symbols := []*image.Symbol{
		{Name: "err\x1b[2J", DType: graph.F32, Meta: &image.Meta{Unit: "rad", Low: float(-1), High: float(1)}},
		{Name: "m", DType: graph.I32, Shape: graph.Shape{1, 2}},
		{Name: "on", DType: graph.Bool},
	}
	v := newTableView(newUI(&out, &out), symbols, time.Millisecond)
	width, height := 100, 40
	now := time.Time{}
	v.size = func() (int, int) { return width, height }
	v.now = func() time.Time { now = now.Add(time.Second); return now }
	put := func(tick uint32, x float32) []string {
		out.Reset()
		word := binary.LittleEndian.AppendUint32(nil, math.Float32bits(x))
		status := &device.LoopStatus{Missed: 2, Flags: 1, Lateness: device.Spread{P99: time.Microsecond, Max: 2 * time.Microsecond}}
		require.NoError(t, v.record(device.Record{Tick: tick, Time: time.Duration(tick) * time.Millisecond},
			[][]byte{word, {1, 0, 0, 0, 254, 255, 255, 255}, {1, 0, 0, 0}}, 4, status))
		return strings.Split(out.String(), "\n")
	}
	first := put(10, 0.5)
	assert.Contains(t, first[0], "1 kHz, tick 10, 0.01 s   2 missed, 4 records lost   lateness p99 1 us, max 2 us   flags: ")
	assert.NotContains(t, out.String(), "\x1b[2J")
	assert.Contains(t, first[2], `err\x1b[2J  0.5    rad   ▁`)
	assert.Contains(t, first[3], "m[0,0]      1 ")
	assert.Contains(t, first[4], "m[0,1]      -2")
	second := put(20, 1.5)
	assert.True(t, strings.HasPrefix(second[0], "\x1b[6A\r"), "%q", second[0])
	assert.Contains(t, second[2], "1.5 !")
	assert.Contains(t, second[2], "▁█")
	assert.Contains(t, second[2], "-1 to 1")

	width, height = 20, 5
	small := put(30, 0)
	require.Len(t, small, 5)
	assert.Contains(t, small[3], "and 3 lines: the w")
	for _, line := range small[1:4] {
		line = strings.TrimSuffix(strings.TrimPrefix(line, "\r"), "\x1b[K")
		assert.LessOrEqual(t, len([]rune(line)), 19, line)
	}
}
