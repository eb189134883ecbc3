package device

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
)

func TestBuckets(t *testing.T) {
	require.Equal(t, packet.HistogramBuckets-1, packet.HistogramBucket(math.MaxUint32))
	next := uint64(0)
	for i := range packet.HistogramBuckets {
		low, width := bucketRange(i)
		require.Equal(t, next, low, "buckets follow each other")
		require.Equal(t, i, packet.HistogramBucket(uint32(low)))
		require.Equal(t, i, packet.HistogramBucket(uint32(low+width-1)))
		require.LessOrEqual(t, float64(width-1)/2, 0.02*float64(low)+0.5, "the middle is within 2 %% or a count")
		next = low + width
	}
	require.Equal(t, uint64(1<<32), next)
}

// TestSpread: percentiles are within 2 % or one count of those of all times.
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		var f Figures
		var times []uint32
		histogram := make([]uint32, packet.HistogramBuckets)
		for i := range 1 + rng.IntN(5000) {
			v := rng.Uint32() >> rng.IntN(32)
			f.Note(v, i == 0)
			histogram[packet.HistogramBucket(v)]++
			times = append(times, v)
		}
		slices.Sort(times)
		s := f.Spread(uint32(len(times)), histogram, func(c uint64) time.Duration { return time.Duration(c) })
		for p, got := range map[float64]time.Duration{0.5: s.P50, 0.99: s.P99, 0.999: s.P999} {
			want := float64(times[max(int(math.Ceil(p*float64(len(times)))), 1)-1])
			require.InDelta(t, want, float64(got), 0.02*want+1)
		}
		require.Equal(t, time.Duration(times[0]), s.Min)
		require.Equal(t, time.Duration(times[len(times)-1]), s.Max)
		n := uint64(0)
		for _, b := range s.Buckets {
			n += b.Count
		}
		require.Equal(t, uint64(len(times)), n)
	}
	require.Equal(t, Spread{}, Figures{}.Spread(0, nil, nil))
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		config LoopConfig
		hz     uint64
		counts uint64
		rest   uint32
	}{
		{LoopConfig{Period: time.Millisecond}, 1e9, 1e6, 0},
		{LoopConfig{Hz: 1000, Period: time.Second}, 1e9, 1e6, 0},
		{LoopConfig{Hz: 3}, 1e9, 333333333, 1431655765},
		{LoopConfig{Hz: 3}, 16e6, 5333333, 1431655765},
		{LoopConfig{Hz: 0.25}, 1, 4, 0},
		{LoopConfig{Period: MaxPeriod}, 1e9, uint64(MaxPeriod), 0},
	} {
		counts, rest, err := c.config.Counts(c.hz)
		require.NoError(t, err)
		require.Equal(t, c.counts, counts)
		require.Equal(t, c.rest, rest)
	}
	for _, c := range []LoopConfig{{}, {Period: -1}, {Hz: -1}, {Hz: math.NaN()}, {Hz: math.Inf(1)}, {Hz: 1.1e6}, {Hz: 1e-4}, {Period: 999}} {
		_, _, err := c.Counts(1e9)
		require.ErrorContains(t, err, "want", "%+v", c)
	}
	_, _, err := (&LoopConfig{Hz: 1000}).Counts(10)
	require.ErrorContains(t, err, "10 counts a second")
}

func TestLoopConfigCheck(t *testing.T) {
	ok := LoopConfig{Hz: 100, Tasks: []Task{{0, 1}, {1, 10}}, Safe: []Piece{{Offset: 4, Bytes: make([]byte, 4)}}}
	require.NoError(t, ok.Check(2, 8))
	require.ErrorContains(t, ok.Check(1, 8), "entry 1 of a program that has 1")
	require.ErrorContains(t, ok.Check(2, 7), "outside the data block")
	for text, c := range map[string]LoopConfig{
		"negative":              {Hz: 1, Limit: -1},
		"in a row":              {Hz: 1, Misses: -1},
		"at least 1":            {Hz: 1, Tasks: []Task{{0, 0}}},
		"at most 16":            {Hz: 1, Tasks: make([]Task, 17)},
		"more than two periods": {Hz: 10, Watchdog: 200 * time.Millisecond},
		"a period of":           {},
	} {
		require.ErrorContains(t, c.Check(1, 8), text)
	}
}
