package timing

import (
	"encoding/json"
	"math"
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
	assert.InDelta(t, 500_500, s.Mean, 1e-6)
	assert.Equal(t, int64(500_000), s.P50)
	assert.Equal(t, int64(990_000), s.P99)

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

// One run that an interrupt made late does not put the others into one bucket.
func TestHistogramWithAnOutlier(t *testing.T) {
	times := []time.Duration{50 * time.Millisecond}
	for i := range 1000 {
		times = append(times, time.Duration(1000+10*i))
	}
	s := Summarise(times)
	var used int
	var most, all int64
	for i, b := range s.Histogram {
		if b.Count > 0 {
			used++
		}
		most, all = max(most, b.Count), all+b.Count
		if i > 0 {
			assert.Equal(t, s.Histogram[i-1].To, b.From)
			assert.InEpsilon(t, math.Pow(50_000, 1.0/buckets), float64(b.To)/float64(b.From), 0.01)
		}
	}
	assert.Equal(t, int64(1001), all)
	assert.Len(t, s.Histogram, buckets)
	assert.GreaterOrEqual(t, used, 4, "%v", s.Histogram)
	assert.Less(t, most, int64(700))
	assert.Equal(t, int64(1), s.Histogram[buckets-1].Count)
	assert.Regexp(t, `^ +from samples\n +1000 ns +\d+ #+\n`, s.Draw(50))

	// Times that differ by less are told apart by the nanosecond.
	s = Summarise([]time.Duration{0, 1, 2, 3, 9})
	assert.Equal(t, Bucket{From: 0, To: 1, Count: 1}, s.Histogram[0])
	encoded, err := json.Marshal(s)
	assert.NoError(t, err)
	assert.Contains(t, string(encoded), `{"from":0,"to":1,"samples":1}`)
}
