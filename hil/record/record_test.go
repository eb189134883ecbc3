package record

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

func sample() *Recording {
	r := &Recording{Header: Header{
		Source: "pid.py", Target: "qemu:rpi3", Board: "rpi3", Started: time.Unix(1, 5).UTC(), Hz: 1000, Period: time.Millisecond, Every: 2,
		Tasks: []device.Task{{Entry: 0, Divisor: 1}, {Entry: 1, Divisor: 10}},
		Variables: []image.Symbol{
			{Name: "u", Kind: image.Output, DType: graph.F32, Offset: 16, Meta: &image.Meta{Role: graph.RoleOutput, Unit: "V"}},
			{Name: "x", Kind: image.State, DType: graph.I32, Shape: graph.Shape{2}, Offset: 24}},
		Programs: []Program{{Graph: []byte{1, 2}, Digest: []byte{3}, Arch: "aarch64", Fast: true}},
		Initial:  []Value{{Kind: image.State, Name: "x", Bytes: make([]byte, 8)}},
	}}
	for i := range 700 {
		data := make([]byte, 12)
		data[0], data[1] = byte(i), byte(i>>8)
		r.Records = append(r.Records, device.Record{Tick: uint32(2 * i), Time: time.Duration(i) * 2 * time.Millisecond, Data: data, Drops: uint32(i % 3)})
	}
	r.Events = []Event{{Tick: 4, Set: []Value{{Kind: image.Input, Name: "kp", At: 4, Bytes: []byte{1, 2, 3, 4}}}},
		{Tick: 9, Swap: &Swap{Program: Program{Graph: []byte{9}}, Tasks: []device.Task{{Divisor: 1}}, Moves: []Move{{image.State, "x", "y"}}, Back: true, Cause: "a fault"}}}
	r.Status = &Status{End: "stopped", Ticks: 1400, Missed: 3, Drops: 4, Resolution: time.Nanosecond,
		Lateness: device.Spread{Min: 1, Mean: 2, Max: 3, P50: 2, P99: 3, P999: 3, Buckets: []device.Bucket{{Low: 1, Width: 1, Count: 7}}}}
	return r
}

func TestFile(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, sample().Write(&file))
	got, err := Read(bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	require.Equal(t, sample(), got)

	// A recorder that died leaves what it had written.
	half, err := Read(bytes.NewReader(file.Bytes()[:file.Len()/2]))
	require.NoError(t, err)
	require.Nil(t, half.Status)
	require.NotEmpty(t, half.Records)
	require.Equal(t, sample().Records[:len(half.Records)], half.Records)
}

func TestFileRefused(t *testing.T) {
	write := func(change func(*Recording)) []byte {
		r := sample()
		change(r)
		var file bytes.Buffer
		require.NoError(t, r.Write(&file))
		return file.Bytes()
	}
	for text, change := range map[string]func(*Recording){
		"follows tick":   func(r *Recording) { r.Records[5].Tick = 1 },
		"is none":        func(r *Recording) { r.Variables[0].Name = "" },
		"a length of":    func(r *Recording) { r.Variables[1].Shape = graph.Shape{-1, -2} },
		"is larger than": func(r *Recording) { r.Variables[1].Shape = graph.Shape{1 << 13, 1 << 13}; r.Records = nil },
	} {
		_, err := Read(bytes.NewReader(write(change)))
		require.ErrorContains(t, err, text)
	}
	for _, data := range [][]byte{nil, {0}, []byte("tick,u\n0,1\n"), {0xa0}} {
		_, err := Read(bytes.NewReader(data))
		require.Error(t, err)
	}
	_, err := NewWriter(io.Discard, Header{})
	require.Error(t, err)
	w, err := NewWriter(io.Discard, sample().Header)
	require.NoError(t, err)
	require.ErrorContains(t, w.Record(device.Record{Data: make([]byte, 3)}), "3 bytes")
}

// TestMutated: whatever became of a file, reading it and its values ends, with an error or without.
func TestMutated(t *testing.T) {
	var file bytes.Buffer
	r := sample()
	r.Records = r.Records[:20]
	require.NoError(t, r.Write(&file))
	rng := rand.New(rand.NewPCG(5, 6))
	read := 0
	for range 5000 {
		data := bytes.Clone(file.Bytes())
		for range 1 + rng.IntN(4) {
			data[rng.IntN(len(data))] = byte(rng.IntN(256))
		}
		r, err := Read(bytes.NewReader(data[:1+rng.IntN(len(data))]))
		if err != nil {
			continue
		}
		read++
		for i := range r.Records {
			for k := range r.Variables {
				r.Variables[k].Decode(r.Value(r.Records[i].Data, k))
			}
		}
	}
	require.Greater(t, read, 100)
}

func FuzzRead(f *testing.F) {
	var file bytes.Buffer
	r := sample()
	r.Records = r.Records[:20]
	require.NoError(f, r.Write(&file))
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for i := range r.Records {
			for k := range r.Variables {
				r.Variables[k].Decode(r.Value(r.Records[i].Data, k))
			}
		}
	})
}
