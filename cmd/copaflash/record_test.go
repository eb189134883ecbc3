package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/record"
	columns "github.com/copaflash/copaflash/hil/table"
)

// TestRecord: the three forms have the same records, with the one that was lost marked.
func TestRecord(t *testing.T) {
	b := started(t)
	dir := t.TempDir()
	for _, form := range []string{".csv", ".npz", ".cbor"} {
		file := filepath.Join(dir, "run"+form)
		stdout, stderr := b.ok(t, "record", "u", "gains", "-o", file, "--every", "5", "--for", "300ms")
		assert.Contains(t, stdout, ", 1 lost on the way, 3 ticks missed")
		assert.Contains(t, stderr, "1 record lost on the way: the column drops says where")
		got, err := readRecording(file)
		require.NoError(t, err)
		require.Greater(t, got.Rows(), 4)
		assert.Equal(t, []uint64{0, 5, 10, 20, 25}, got.Ticks[:5])
		assert.Equal(t, []uint64{0, 0, 0, 1, 0}, got.Drops[:5])
		assert.Equal(t, []float64{0, 0.01, 0.02, 0.04, 0.05}, got.Times[:5], "500 Hz")
		assert.Equal(t, []float64{0, 0, 0, 0, 0}, got.Lateness[:5])
		var names []string
		for _, c := range got.Columns {
			names = append(names, c.Name+"|"+c.Unit)
		}
		assert.Equal(t, []string{"u|rad/s", "gains[0]|", "gains[1]|", "gains[2]|"}, names)
		assert.Equal(t, []float64{0, 5, 10, 20, 25}, got.Columns[0].Values[:5])

		for _, plot := range []string{"run.svg", "run.png"} {
			plot = filepath.Join(dir, plot)
			_, stderr = b.ok(t, "plot", file, "u", "-o", plot)
			assert.Contains(t, stderr, ", 1 lost")
			info, err := os.Stat(plot)
			require.NoError(t, err)
			assert.Greater(t, info.Size(), int64(2000))
		}
	}
	r, err := os.ReadFile(filepath.Join(dir, "run.cbor"))
	require.NoError(t, err)
	got, err := record.Read(bytes.NewReader(r))
	require.NoError(t, err)
	assert.Equal(t, 500., got.Hz)
	assert.Equal(t, fakeName, got.Target)
	require.NotNil(t, got.Status)
	assert.Equal(t, 5, got.Every)
}

// TestRecordEnds: Ctrl-C and the end of the loop leave a whole file.
func TestRecordEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := started(t)
		file := filepath.Join(t.TempDir(), "run.csv")
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, interrupt)
		code, stdout, stderr := b.cli(t, ctx, "record", "-o", file, "--json")
		require.Equal(t, exitOK, code, stderr)
		d := document1(t, stdout)
		got, err := readRecording(file)
		require.NoError(t, err)
		assert.Equal(t, d["records"], float64(got.Rows()))
		assert.Equal(t, d["last_tick"], float64(got.Ticks[got.Rows()-1]))
		assert.Equal(t, true, d["loop"].(map[string]any)["running"], "the loop goes on")

		time.AfterFunc(200*time.Millisecond, func() { b.finish("misses", nil) })
		stderr = b.fails(t, exitBudget, "record", "-o", file)
		assert.Contains(t, stderr, "too many due times in a row were missed")
		again, err := readRecording(file)
		require.NoError(t, err)
		assert.Positive(t, again.Rows())
	})
}

// TestUDP: watch and record send what they see to whoever listens.
func TestUDP(t *testing.T) {
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, l.SetReadDeadline(time.Now().Add(time.Minute)))
	for _, args := range [][]string{
		{"watch", "u", "--every", "5", "--for", "100ms", "--json", "--udp", l.LocalAddr().String()},
		{"record", "u", "--every", "5", "--for", "100ms", "--udp", l.LocalAddr().String()},
	} {
		synctest.Test(t, func(t *testing.T) { started(t).ok(t, args...) })
		own, err := net.Dial("udp", l.LocalAddr().String())
		require.NoError(t, err)
		_, err = own.Write([]byte("end"))
		require.NoError(t, err)
		require.NoError(t, own.Close())
		var got []map[string]any
		for text := make([]byte, 2000); ; {
			n, _, err := l.ReadFrom(text)
			require.NoError(t, err)
			if string(text[:n]) == "end" {
				break
			}
			var record map[string]any
			require.NoError(t, json.Unmarshal(text[:n], &record))
			got = append(got, record)
		}
		require.Greater(t, len(got), 4)
		for i, tick := range []float64{0, 5, 10, 20} {
			assert.Equal(t, tick, got[i]["u"])
			assert.InDelta(t, tick/500, got[i]["timestamp"], 1e-9)
		}
	}
	synctest.Test(t, func(t *testing.T) { started(t).fails(t, exitUsage, "watch", "--udp", "nowhere") })
}

func TestRecordRefuses(t *testing.T) {
	b := started(t)
	image := imageFile(t, loopImage(1))
	for _, c := range []struct {
		says string
		args []string
	}{
		{"record needs a file", []string{"record"}},
		{"recordings are written as .cbor, .csv, .npz", []string{"record", "-o", "run.txt"}},
		{"--inputs is for files that can be replayed", []string{"record", "-o", "run.csv", "--inputs"}},
		{"--inputs needs the program that runs", []string{"record", "-o", "run.cbor", "--inputs"}},
		{"name its script or graph file", []string{"record", "-o", "run.cbor", "--inputs", "--image", image}},
		{"--every 0", []string{"record", "-o", "run.csv", "--every", "0"}},
		{"--rate is for the program of --start", []string{"record", "-o", "run.csv", "--rate", "1kHz"}},
		{"no variable \"w\"", []string{"record", "w", "-o", "run.csv"}},
		{"cannot write", []string{"record", "-o", filepath.Join(t.TempDir(), "missing", "run.csv"), "--for", "1ms"}},
		{"cannot write", []string{"record", "-o", filepath.Join(t.TempDir(), "missing", "run.cbor"), "--for", "1ms"}},
		{"plots are written as .png and .svg", []string{"plot", "run.csv", "-o", "run.pdf"}},
		{"recordings are .cbor, .csv, .npz", []string{"plot", "run.xlsx", "-o", "run.svg"}},
		{"no such file", []string{"plot", "absent.csv", "-o", "run.svg"}},
		{"plot takes a recording", []string{"plot", "-o", "run.svg"}},
	} {
		code, _, stderr := b.cli(t, t.Context(), c.args...)
		assert.Equal(t, exitUsage, code, "%v: %s", c.args, stderr)
		assert.Contains(t, stderr, c.says, "%v", c.args)
	}
	bad := filepath.Join(t.TempDir(), "bad.csv")
	require.NoError(t, os.WriteFile(bad, []byte("a,b\n1,2\n"), 0o600))
	assert.Contains(t, b.fails(t, exitUsage, "plot", bad, "-o", "run.svg"), "bad.csv: this is no recording")
}

// TestRecordStarted: a program that is started for the recording ends with it, and what was recorded of it can be
// computed again.
func TestRecordStarted(t *testing.T) {
	loopFile(t, loopImage(1))
	t.Setenv("COPAFLASH_PORT", "")
	dir := t.TempDir()
	script := filepath.Join(dir, "count.py")
	require.NoError(t, os.WriteFile(script, []byte(`import copapy as cp
gain = cp.param("gain", 2.0, unit="V")
n = cp.state(0.0, name="n")
n.next = n + 1.0
cp.Target().compile(cp.output("u", n * gain, unit="V"))
`), 0o600))
	file := filepath.Join(dir, "run.cbor")
	var out, diag bytes.Buffer
	code := run(t.Context(), []string{"record", "--start", script, "--rate", "200Hz", "--target", "local", "--set", "gain=3", "--for", "300ms", "--inputs", "-o", file}, &out, &diag)
	require.Equal(t, exitOK, code, diag.String())
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	got, err := record.Read(bytes.NewReader(data))
	require.NoError(t, err)
	assert.Len(t, got.Programs, 1)
	assert.NotEmpty(t, got.Initial)
	assert.Equal(t, "stopped", got.Status.End)
	table, err := columns.FromRecording(got)
	require.NoError(t, err)
	values := map[string][]float64{}
	for _, c := range table.Columns {
		values[c.Name] = c.Values
	}
	require.NotEmpty(t, values["u"])
	for i, u := range values["u"] {
		require.InDelta(t, 3*(values["n"][i]-1), u, 1e-3)
	}
}
