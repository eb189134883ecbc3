package timing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSummarise(t *testing.T) {
	var times []time.Duration
	for i := 1; i <= 1000; i++ {
		times = append(times, time.Duration(i)*time.Microsecond)
	}
	s := Summarise(times)
	assert.Equal(t, 1000, s.Runs)
	assert.Equal(t, int64(1000), s.Min)
	assert.Equal(t, int64(1000_000), s.Max)
	assert.Equal(t, int64(999_000), s.Jitter())
	assert.InDelta(t, 500_500, s.Mean, 1e-6)
	assert.InEpsilon(t, 500_000, s.P50, 0.002)
	assert.InEpsilon(t, 990_000, s.P99, 0.002)

	var n int64
	for i, b := range s.Histogram {
		n += b.Count
		assert.Less(t, b.From, b.To)
		if i > 0 {
			assert.Equal(t, s.Histogram[i-1].To, b.From)
		}
	}
	assert.Equal(t, int64(1000), n)
	assert.LessOrEqual(t, len(s.Histogram), buckets)
}

func TestSummariseExtremes(t *testing.T) {
	assert.Equal(t, Summary{}, Summarise(nil))

	same := Summarise([]time.Duration{7, 7, 7})
	assert.Equal(t, []Bucket{{From: 7, To: 8, Count: 3}}, same.Histogram)
	assert.Equal(t, int64(7), same.P99)

	// A timer may not have moved, or a run may have been stopped for hours.
	wide := Summarise([]time.Duration{0, 10 * time.Hour})
	assert.Equal(t, int64(0), wide.Min)
	assert.Equal(t, int64(10*time.Hour), wide.Max)
	assert.Contains(t, wide.Draw(10), "##########")
}
