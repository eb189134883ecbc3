package table_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/table"
)

// recorded is a recording with every type, an array, a gap, a wrap of ticks and numbers that are none.
func recorded(t testing.TB) *table.Table {
	t.Helper()
	r := table.NewRecorder([]*image.Symbol{
		{Name: "speed", DType: graph.F32, Meta: &image.Meta{Unit: "rad/s"}},
		{Name: "gains", DType: graph.F64, Shape: graph.Shape{2}},
		{Name: "count", DType: graph.I32},
		{Name: "on", DType: graph.Bool},
		{Name: "drops", DType: graph.F32, Meta: &image.Meta{Unit: "1"}}, // as a column of ours
	}, time.Millisecond)
	for i, speed := range []float32{0.1, float32(math.NaN()), float32(math.Inf(-1))} {
		var b []byte
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(speed))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(1.0/3))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(i)))
		b = binary.LittleEndian.AppendUint32(b, uint32(-i))
		b = binary.LittleEndian.AppendUint32(b, uint32(i%2))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(7))
		tick := []uint32{math.MaxUint32 - 9, 0, 20}[i]
		at := []uint64{math.MaxUint32 - 9, 1 << 32, 1<<32 + 20}[i]
		require.NoError(t, r.Add(device.Record{Tick: tick, Time: time.Duration(at)*time.Millisecond + 2*time.Microsecond, Drops: uint32(i) / 2, Data: b}))
	}
	require.Error(t, r.Add(device.Record{Data: []byte{1}}))
	return r.Table()
}

func TestCSV(t *testing.T) {
	whole := recorded(t)
	assert.Equal(t, uint64(1), whole.Lost())
	var b bytes.Buffer
	require.NoError(t, whole.WriteCSV(&b))
	assert.Equal(t, `tick,time_s,lateness_s,drops,speed (rad/s),gains[0],gains[1],count,on,drops (1)
4294967286,4294967.286002,2e-06,0,0.1,0.3333333333333333,0,0,0,7
4294967296,4294967.296002,2e-06,0,nan,0.3333333333333333,1,-1,1,7
4294967316,4294967.316002,2e-06,1,-inf,0.3333333333333333,2,-2,0,7
`, b.String())
	back, err := table.ReadCSV(&b)
	require.NoError(t, err)
	same(t, whole, back)
	assert.Equal(t, "rad/s", back.Columns[0].Unit)
}

// same compares all but the types of columns, of which text knows nothing.
func same(t *testing.T, want, got *table.Table) {
	t.Helper()
	assert.Equal(t, want.Ticks, got.Ticks)
	assert.Equal(t, want.Times, got.Times)
	assert.Equal(t, want.Lateness, got.Lateness)
	assert.Equal(t, want.Drops, got.Drops)
	require.Len(t, got.Columns, len(want.Columns))
	for i, c := range want.Columns {
		assert.Equal(t, c.Unit, got.Columns[i].Unit)
		for k, v := range c.Values {
			if g := got.Columns[i].Values[k]; !(math.IsNaN(v) && math.IsNaN(g)) {
				assert.Equal(t, float32(v), float32(g), "%s[%d]", c.Name, k)
			}
		}
	}
}

// TestReadCapture: the table of a capture has a column of its own, and no drops.
func TestReadCapture(t *testing.T) {
	got, err := table.ReadCSV(strings.NewReader("tick,time_s,from_event,u (V),on\n10,0.01,-1,1.5,True\n11,0.011,0,2,False\n"))
	require.NoError(t, err)
	assert.Equal(t, []table.Column{{Name: "u", Unit: "V", DType: graph.F64, Values: []float64{1.5, 2}}, {Name: "on", DType: graph.F64, Values: []float64{1, 0}}}, got.Columns)
	assert.Equal(t, []uint64{0, 0}, got.Drops)
	for _, text := range []string{"", "a,b\n1,2\n", "tick,time_s,u\n1,2\n", "tick,time_s,u\n1,2,x\n", "tick,drops\n1,-1\n"} {
		_, err := table.ReadCSV(strings.NewReader(text))
		require.Error(t, err, "%q", text)
	}
}

func TestNPZ(t *testing.T) {
	whole := recorded(t)
	var b bytes.Buffer
	require.NoError(t, whole.WriteNPZ(&b))
	back, err := table.ReadNPZ(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	same(t, whole, back)
	assert.Equal(t, "drops_", back.Columns[5].Name, "another array has its name")

	// What numpy.load reads, by its format's description: the arrays' heads end at a multiple of 64 bytes.
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	sizes := map[string]int{"tick": 8 * 3, "time": 8 * 3, "lateness": 8 * 3, "drops": 8 * 3, "speed": 4 * 3, "gains[0]": 8 * 3, "gains[1]": 8 * 3,
		"count": 4 * 3, "on": 3, "drops_": 4 * 3, "names": 6 * 8 * 4, "units": 6 * 5 * 4}
	require.Len(t, z.File, len(sizes))
	for _, f := range z.File {
		in, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		require.Equal(t, "\x93NUMPY\x01\x00", string(text[:8]), f.Name)
		end := 10 + int(binary.LittleEndian.Uint16(text[8:]))
		assert.Zero(t, end%64)
		assert.Equal(t, byte('\n'), text[end-1])
		assert.Len(t, text[end:], sizes[strings.TrimSuffix(f.Name, ".npy")], f.Name)
		if f.Name == "speed.npy" {
			assert.True(t, strings.HasPrefix(string(text[10:]), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"), "%q", text[10:end])
		}
	}
	loadWithNumPy(t, b.Bytes())
}

// loadWithNumPy has NumPy read it, where that is installed.
func loadWithNumPy(t *testing.T, file []byte) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Log("python3 with numpy is not installed: the archive was checked by its bytes alone")
		return
	}
	path := filepath.Join(t.TempDir(), "run.npz")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	out, err := exec.Command(python, "-c", `
import sys, numpy as np
z = np.load(sys.argv[1])
print(list(z["names"]), list(z["units"]), z["speed"].dtype, z["on"].tolist(), z["count"].tolist(), z["tick"].tolist(), z["gains[1]"].tolist())
`, path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "['speed', 'gains[0]', 'gains[1]', 'count', 'on', 'drops_'] ['rad/s', '', '', '', '', '1'] float32 [False, True, False] [0, -1, -2] [4294967286, 4294967296, 4294967316] [0.0, 1.0, 2.0]\n", string(out))
}

// TestRoundPeriods: lateness does not creep where a period is no whole number of nanoseconds.
func TestRoundPeriods(t *testing.T) {
	r := table.NewRecorder(nil, time.Second/300)
	tick := uint32(3_000_000)
	require.NoError(t, r.Add(device.Record{Tick: tick, Time: 10_000*time.Second + 5*time.Microsecond}))
	assert.InDelta(t, 5e-6, r.Table().Lateness[0], 1e-9)
}

func FuzzRead(f *testing.F) {
	var b, c bytes.Buffer
	whole := recorded(f)
	require.NoError(f, whole.WriteNPZ(&b))
	require.NoError(f, whole.WriteCSV(&c))
	f.Add(b.Bytes())
	f.Add(c.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, read := range []func() (*table.Table, error){
			func() (*table.Table, error) { return table.ReadCSV(bytes.NewReader(file)) },
			func() (*table.Table, error) { return table.ReadNPZ(bytes.NewReader(file), int64(len(file))) },
		} {
			if got, err := read(); err == nil {
				require.NoError(t, got.WriteCSV(io.Discard), "what was read is a table")
			}
		}
	})
}
