package udp_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/table/udp"
)

// receive reads datagrams until there is none for a moment.
func receive(t *testing.T, l net.PacketConn, n int) (objects []map[string]any) {
	t.Helper()
	b := make([]byte, 1<<16)
	for range n {
		require.NoError(t, l.SetReadDeadline(time.Now().Add(5*time.Second)))
		size, _, err := l.ReadFrom(b)
		require.NoError(t, err)
		var o map[string]any
		require.NoError(t, json.Unmarshal(b[:size], &o), "%s", b[:size])
		objects = append(objects, o)
	}
	return objects
}

func TestSend(t *testing.T) {
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	s, err := udp.Dial(l.LocalAddr().String(), []*image.Symbol{
		{Name: `a "quoted" name`, DType: graph.F32}, {Name: "timestamp", DType: graph.I32}, {Name: "v", DType: graph.F32, Shape: graph.Shape{2}}, {Name: "on", DType: graph.Bool},
	})
	require.NoError(t, err)
	defer s.Close()
	data := func(x float64) (b []byte) {
		for _, w := range []uint32{math.Float32bits(float32(x)), 0xffffffff, math.Float32bits(1.5), math.Float32bits(float32(x)), 1} {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	require.NoError(t, s.Send(device.Record{Tick: 7, Time: 7 * time.Millisecond, Drops: 2, Data: data(0.1)}))
	require.NoError(t, s.Send(device.Record{Tick: 9, Time: 9 * time.Millisecond, Drops: 1, Data: data(math.NaN())}))
	require.Error(t, s.Send(device.Record{Data: []byte{1}}))
	assert.Equal(t, []map[string]any{
		{"timestamp": 0.007, "copaflash": map[string]any{"tick": 7., "lost": 2.}, `a "quoted" name`: 0.1, "timestamp_": -1., "v": []any{1.5, 0.1}, "on": 1.},
		{"timestamp": 0.009, "copaflash": map[string]any{"tick": 9., "lost": 3.}, "timestamp_": -1., "v": []any{1.5, nil}, "on": 1.},
	}, receive(t, l, 2))
}

// TestLongRecords go in several datagrams of the same time, as networks carry none of any length.
func TestLongRecords(t *testing.T) {
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	var symbols []*image.Symbol
	for i := range 40 {
		symbols = append(symbols, &image.Symbol{Name: string(rune('A' + i)), DType: graph.I32, Shape: graph.Shape{250}})
	}
	s, err := udp.Dial(l.LocalAddr().String(), symbols)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Send(device.Record{Time: time.Second, Data: make([]byte, 40*1000)}))
	seen := 0
	for _, o := range receive(t, l, 3) {
		assert.Equal(t, 1., o["timestamp"])
		seen += len(o) - 1
	}
	assert.Equal(t, len(symbols)+1, seen)
}

// TestNobodyListens: that is not the loop's matter.
func TestNobodyListens(t *testing.T) {
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.LocalAddr().String()
	l.Close()
	s, err := udp.Dial(address, nil)
	require.NoError(t, err)
	defer s.Close()
	require.Eventually(t, func() bool {
		require.NoError(t, s.Send(device.Record{}))
		return s.Failed() > 0
	}, 5*time.Second, time.Millisecond)
	_, err = udp.Dial("no port", nil)
	require.Error(t, err)
}
