package target_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// Registers of an nRF51, from outside: nRF51 Series Reference Manual 3.0, 18.2.
const (
	nrf51Timer1 = 0x40009000
	nrf51Timer2 = 0x4000a000
	taskStart   = 0x000
	taskStop    = 0x004
	taskCount   = 0x008
)

// TestTimersOfAMicrobit: TIMER1 counts edges, which come from outside as its task COUNT, since QEMU has neither GPIOTE nor
// PPI, and TIMER2 tells the time between ticks.
func TestTimersOfAMicrobit(t *testing.T) {
	unmodelled := filepath.Join(t.TempDir(), "log")
	dev, chip := probed(t, "microbit", "-d", "unimp", "-D", unmodelled)
	g := graph.New()
	edges, dt := sensed(g, g.InputI32("edges", 0)), sensed(g, g.InputF32("dt", 0))
	out := compiler.Output{Name: "both", Value: edges.Add(dt), Meta: graph.Meta{Role: graph.RoleOutput}}
	prog, l := startBound(t, dev, g, []compiler.Output{out}, 100, "edges=P0:count", "dt=TIMER2")
	var spans []device.Span
	for _, name := range []string{"edges", "dt"} {
		s, ok := prog.Image.Symbol(image.Output, name)
		require.True(t, ok, name)
		spans = append(spans, device.SpanOf(s))
	}
	write := func(address uint32) {
		_, err := chip.Do("writel %#x 1", address)
		require.NoError(t, err)
	}

	total := uint32(0)
	for _, n := range []uint32{1, 0, 25, 7} {
		for range n {
			write(nrf51Timer1 + taskCount)
		}
		total += n
		require.Eventually(t, func() bool {
			data, _, err := l.Read(t.Context(), spans[:1])
			require.NoError(t, err)
			return binary.LittleEndian.Uint32(data[0]) == total
		}, time.Minute, time.Millisecond)
	}

	records, err := l.Subscribe(t.Context(), device.Subscription{Spans: spans, Every: 1})
	require.NoError(t, err)
	patient, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var began time.Duration // of the tick, as the runner says
	elapsed := func() float64 {
		r, err := records.Next(patient)
		require.NoError(t, err)
		require.Zero(t, r.Drops)
		began = r.Time
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(r.Data[4:])))
	}
	elapsed()
	sum, first := 0.0, began
	for range 100 {
		sum += elapsed()
	}
	require.InDelta(t, (began - first).Seconds(), sum, 0.005)
	write(nrf51Timer2 + taskStop)
	for elapsed() != 0 { // records of ticks before it are on their way
	}
	for range 5 {
		require.Zero(t, elapsed(), "time stands still")
	}
	write(nrf51Timer2 + taskStart)
	for elapsed() == 0 {
	}
	for range 5 {
		require.Positive(t, elapsed(), "and goes on")
	}
	require.NoError(t, records.Close())
	s, err := l.Stop(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stopped", s.End)

	// What QEMU does not have was written all the same: PPI by the runner, GPIOTE by the lists.
	log, err := os.ReadFile(unmodelled)
	require.NoError(t, err)
	for _, w := range []struct{ offset, value uint32 }{
		{0x1f510, 0x40006100}, {0x1f514, nrf51Timer1 + taskCount}, {0x1f518, 0x40006104}, {0x1f51c, nrf51Timer2 + taskCount}, {0x1f504, 3},
		{0x6510, 1<<16 | 3<<8 | 1}, // P0 is P0.03
	} {
		require.Contains(t, unspaced(string(log)), fmt.Sprintf("write(size4,offset0x%x,value0x%x)", w.offset, w.value))
	}
}

// unspaced is QEMU's log without spaces, and its numbers without zeros in front.
func unspaced(log string) string {
	log = strings.ReplaceAll(log, " ", "")
	for strings.Contains(log, "0x0") {
		log = strings.ReplaceAll(log, "0x0", "0x")
	}
	return log
}
